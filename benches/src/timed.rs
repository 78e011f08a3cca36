//! Backends whose work can be waited for, and so timed.

use treepar::backend::gpu::Gpu;
use treepar::{Backend, Cpu, Result};
use treepar_kernels::driver::Driver;
#[cfg(feature = "emulate")]
use treepar_kernels::emulator::Emulator;
use treepar_kernels::machine::Machine;

/// A backend whose work can be waited for, and so timed.
pub trait Timed: Backend {
    /// What a record says of it.
    fn name(&self) -> String;

    /// Waits until all that was asked of it is done.
    fn synchronize(&self) -> Result<()>;

    /// While on, [`Backend::counters`] waits as [`Timed::synchronize`] does: what runs between two readings takes its own
    /// time and no other's. Of no matter to a backend that returns when work is done.
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

impl<M: Recorded> Timed for Gpu<M> {
    fn name(&self) -> String {
        self.machine().in_records()
    }

    fn synchronize(&self) -> Result<()> {
        Gpu::synchronize(self)
    }

    fn wait_when_counting(&self, on: bool) {
        Gpu::wait_when_counting(self, on);
    }
}

/// A machine as records name it.
pub trait Recorded: Machine {
    /// Its name, with what its speed depends on.
    fn in_records(&self) -> String;
}

impl Recorded for Driver {
    fn in_records(&self) -> String {
        let device = self.device();
        format!("{} with a driver for CUDA {}", device.name(), device.driver_version())
    }
}

/// For tests: no time of it means anything.
#[cfg(feature = "emulate")]
impl Recorded for Emulator {
    fn in_records(&self) -> String {
        "emulator of a GPU".into()
    }
}
