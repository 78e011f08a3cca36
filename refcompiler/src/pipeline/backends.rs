//! The pipeline on each backend, compiled in this crate once. A program that calls [`compile`] in a release build compiles
//! all passes again; one in a debug build shares these.

use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;

use super::{Compiled, Error, Observer, Output, compile};
use crate::ir::tree::Tree;

macro_rules! compiled_here {
    ($($(#[$attribute:meta])* $name:ident: $backend:ident;)*) => {$(
        $(#[$attribute])*
        ///
        /// # Errors
        /// As [`compile`].
        pub fn $name(
            backend: &$backend,
            tree: &Tree,
            output: Output,
            observer: &mut dyn Observer<$backend>,
        ) -> Result<Compiled, Error> {
            compile(backend, tree, output, observer)
        }
    )*};
}

compiled_here! {
    /// Compiles a checked program on the CPU.
    compile_on_cpu: Cpu;
    /// Compiles a checked program on an NVIDIA GPU.
    #[cfg(feature = "cuda")]
    compile_on_cuda: Cuda;
    /// Compiles a checked program on the emulator of a GPU.
    #[cfg(feature = "emulate")]
    compile_on_emulator: Emulated;
}
