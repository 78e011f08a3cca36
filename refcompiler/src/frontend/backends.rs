//! The front end on each backend, compiled in this crate once: see [`pipeline::backends`](crate::pipeline::backends).

use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;

use super::analysis::Found;
use super::program::{Request, program};
use crate::ir::program::Program;
use crate::source::Sources;

macro_rules! compiled_here {
    ($($(#[$attribute:meta])* $backend:ident: $machine:literal, $program:ident;)*) => {$(
        $(#[$attribute])*
        #[doc = concat!("Returns the program of the inputs, checked on ", $machine, ".")]
        ///
        /// # Errors
        /// As [`program`].
        pub fn $program(
            backend: &$backend,
            sources: &Sources,
            request: Request,
        ) -> treepar::Result<Found<Program<$backend>>> {
            program(backend, sources, request)
        }
    )*};
}

compiled_here! {
    Cpu: "the CPU", program_on_cpu;
    #[cfg(feature = "cuda")]
    Cuda: "an NVIDIA GPU", program_on_cuda;
    #[cfg(feature = "emulate")]
    Emulated: "the emulator of a GPU", program_on_emulator;
}
