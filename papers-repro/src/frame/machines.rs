//! The machines that are measured: the processor, a GPU, or both.

pub use benches::timed::Timed;
#[cfg(not(feature = "cuda"))]
use treepar::backend::cpu::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;

/// The machines to measure; `G` is the GPU's backend.
pub struct Machines<G> {
    /// Whether the processor is one of them.
    pub has_cpu: bool,
    /// The GPU, if it is one of them.
    pub gpu: Option<G>,
}

/// The backend of GPUs in this build.
#[cfg(feature = "cuda")]
pub type Device = Cuda;

/// The backend of GPUs in this build: none, as [`open`] says.
#[cfg(not(feature = "cuda"))]
pub type Device = Cpu;

/// The first GPU.
///
/// # Errors
/// Says in a sentence what is missing: the feature `cuda`, a driver, a device.
pub fn open() -> std::result::Result<Device, String> {
    #[cfg(feature = "cuda")]
    return Cuda::new().map_err(|error| error.to_string());
    #[cfg(not(feature = "cuda"))]
    return Err("this build has no CUDA backend: build it with the feature `cuda`".into());
}
