//! The backends that are measured: the CPU, a GPU, or both.

pub use benches::timed::Timed;
#[cfg(not(feature = "cuda"))]
use treepar::backend::cpu::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;

/// The backends to measure; `G` is the GPU's.
pub struct Backends<G> {
    /// `true` if the CPU is measured.
    pub has_cpu: bool,
    /// The GPU, if it is measured.
    pub gpu: Option<G>,
}

/// The GPU backend of this build.
#[cfg(feature = "cuda")]
pub type Gpu = Cuda;

/// A placeholder: this build has no GPU backend, and [`open`] fails.
#[cfg(not(feature = "cuda"))]
pub type Gpu = Cpu;

/// Opens the first GPU.
///
/// # Errors
/// Names the missing part: the feature `cuda`, the driver, or the device.
pub fn open() -> std::result::Result<Gpu, String> {
    #[cfg(feature = "cuda")]
    return Cuda::new().map_err(|error| error.to_string());
    #[cfg(not(feature = "cuda"))]
    return Err("this build has no CUDA backend: build it with the feature `cuda`".into());
}
