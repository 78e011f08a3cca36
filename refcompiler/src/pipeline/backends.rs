//! The pipeline on each backend, compiled in this crate once. A program that calls [`compile_owned`] in a release build compiles
//! all passes again; one in a debug build shares these.

use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;

use super::settings::Settings;
use super::{Compiled, Error, Observer, compile_owned, compile_program};
use crate::ir::program::Program;
use crate::ir::tree::Tree;

macro_rules! compiled_here {
    ($($(#[$attribute:meta])* $backend:ident: $machine:literal, $compile:ident, $compile_program:ident;)*) => {$(
        $(#[$attribute])*
        #[doc = concat!("Compiles a checked program in host memory on ", $machine, ", and frees its tree early.")]
        ///
        /// # Errors
        /// As [`compile`](super::compile).
        pub fn $compile(
            backend: &$backend,
            tree: Tree,
            settings: Settings<'_>,
            observer: &mut dyn Observer<$backend>,
        ) -> Result<Compiled, Error> {
            compile_owned(backend, tree, settings, observer)
        }

        $(#[$attribute])*
        #[doc = concat!("Compiles a checked program on ", $machine, ".")]
        ///
        /// # Errors
        /// As [`compile_program`].
        pub fn $compile_program(
            backend: &$backend,
            program: Program<$backend>,
            settings: Settings<'_>,
            observer: &mut dyn Observer<$backend>,
        ) -> Result<Compiled, Error> {
            compile_program(backend, program, settings, observer)
        }
    )*};
}

compiled_here! {
    Cpu: "the CPU", compile_on_cpu, compile_program_on_cpu;
    #[cfg(feature = "cuda")]
    Cuda: "an NVIDIA GPU", compile_on_cuda, compile_program_on_cuda;
    #[cfg(feature = "emulate")]
    Emulated: "the emulator of a GPU", compile_on_emulator, compile_program_on_emulator;
}
