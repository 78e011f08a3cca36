//! Backends that can wait for their work and can therefore be timed.

use treepar::backend::gpu::Gpu;
use treepar::{Backend, Cpu, Result};
use treepar_kernels::driver::Driver;
#[cfg(feature = "emulate")]
use treepar_kernels::emulator::Emulator;
use treepar_kernels::machine::Machine;

/// A backend that can wait for its work and can therefore be timed.
pub trait Timed: Backend {
    /// Returns the name that records use.
    fn name(&self) -> String;

    /// Waits until all submitted work is done.
    fn synchronize(&self) -> Result<()>;

    /// While on, [`Backend::counters`] waits as [`Timed::synchronize`] does. The time between two readings then belongs
    /// to the work started between them. Has no effect on a backend whose calls return only when the work is done.
    fn wait_when_counting(&self, on: bool);
}

/// Every call returns after its work is done.
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

/// A machine with a name for records.
pub trait Recorded: Machine {
    /// Returns the name, including whatever affects speed, such as the driver version.
    fn in_records(&self) -> String;
}

impl Recorded for Driver {
    fn in_records(&self) -> String {
        let device = self.device();
        format!("{} with a driver for CUDA {}", device.name(), device.driver_version())
    }
}

/// For tests only: times measured on the emulator are meaningless.
#[cfg(feature = "emulate")]
impl Recorded for Emulator {
    fn in_records(&self) -> String {
        "emulator of a GPU".into()
    }
}
