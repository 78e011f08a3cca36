//! The machines that are measured: the processor, a GPU, or both.

use treepar::backend::cpu::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Result};

/// The machines to measure; `G` is the GPU's backend.
pub struct Machines<G> {
    /// Whether the processor is one of them.
    pub has_cpu: bool,
    /// The GPU, if it is one of them.
    pub gpu: Option<G>,
}

/// A backend whose work can be waited for, and so timed.
pub trait Timed: Backend {
    /// What a record says of it.
    fn name(&self) -> String;

    /// Waits for all work that was asked for.
    fn synchronize(&self) -> Result<()>;

    /// While on, [`Backend::counters`] waits as [`Timed::synchronize`] does: what runs between two readings takes its own
    /// time and no other's.
    fn wait_when_counting(&self, on: bool);
}

/// Its work is done when a call returns.
impl Timed for Cpu {
    fn name(&self) -> String {
        format!("{} threads", self.threads())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn wait_when_counting(&self, _on: bool) {}
}

#[cfg(feature = "cuda")]
impl Timed for Cuda {
    fn name(&self) -> String {
        let device = self.machine().device();
        format!("{} with a driver for CUDA {}", device.name(), device.driver_version())
    }

    fn synchronize(&self) -> Result<()> {
        Cuda::synchronize(self)
    }

    fn wait_when_counting(&self, on: bool) {
        Cuda::wait_when_counting(self, on);
    }
}

/// For tests: no time of it means anything.
#[cfg(feature = "emulate")]
impl Timed for Emulated {
    fn name(&self) -> String {
        "emulator of a GPU".into()
    }

    fn synchronize(&self) -> Result<()> {
        Emulated::synchronize(self)
    }

    fn wait_when_counting(&self, on: bool) {
        Emulated::wait_when_counting(self, on);
    }
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
