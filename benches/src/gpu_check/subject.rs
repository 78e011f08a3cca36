//! The backends that can be checked. To add one, implement [`Subject`] and add its name to the program's options.

use std::time::Instant;

use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Column, Cpu, Result};
use treepar_laws::{Law, cpu_laws, cuda_laws};

use crate::gpu_check::record::Device;
use crate::host::available_bytes;
use crate::timed::Timed;

/// A backend that can be checked.
pub trait Subject: Timed {
    /// Returns a description of the device.
    fn device(&self) -> Device;

    /// Returns the laws of this backend.
    fn laws() -> Vec<Law<Self>>;

    /// Returns the bytes of free device memory, or `None` if that is unknown.
    fn free_bytes(&self) -> Option<u64> {
        // The reference backend keeps its columns in the same memory.
        available_bytes().map(|bytes| bytes / 2)
    }

    /// Returns the seconds of some work by the device's own clock, from its first operation to its last. Returns `None`
    /// without doing the work if the device has no clock.
    fn device_seconds(&self, _work: &mut dyn FnMut() -> Result<()>) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Returns the seconds of the best copy within the device's memory. `bytes` counts both reads and writes.
    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64> {
        let column = self.filled(bytes.div_ceil(8).max(1), 1u32)?;
        let mut best = f64::INFINITY;
        // The first run allocates memory that later runs reuse.
        for _ in 0..=runs {
            let start = Instant::now();
            drop(self.slice(&column, 0..column.len())?);
            self.synchronize()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// Returns whether the device still answers. A failed device may not.
    fn is_alive(&self) -> bool {
        self.upload(&[1u32, 2, 3]).and_then(|column| self.download(&column)).is_ok_and(|rows| rows == [1, 2, 3])
    }
}

impl Subject for Cuda {
    fn laws() -> Vec<Law<Cuda>> {
        cuda_laws()
    }

    fn device(&self) -> Device {
        let device = self.machine().device();
        let (major, minor) = device.capability();
        Device {
            name: device.name().to_string(),
            memory_bytes: device.total_memory() as u64,
            driver: format!("CUDA {}", device.driver_version()),
            details: vec![
                ("compute capability".into(), format!("{major}.{minor}")),
                ("multiprocessors".into(), device.multiprocessors().to_string()),
            ],
        }
    }

    fn free_bytes(&self) -> Option<u64> {
        self.machine().device().free_memory().ok()
    }

    fn device_seconds(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Option<f64>> {
        let stream = self.machine().stream();
        let begin = stream.record()?;
        work()?;
        let end = stream.record()?;
        end.synchronize()?;
        Ok(Some(f64::from(end.ms_since(&begin)?) / 1e3))
    }

    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64> {
        let half = (bytes / 2).max(1);
        let (from, mut to) = (self.allocate::<u8>(half)?, self.allocate::<u8>(half)?);
        // A single small copy would be too short for the clock.
        let times = (100_000_000 / half).clamp(1, 100);
        let mut copies = || (0..times).try_for_each(|_| self.copy(&from, &mut to));
        let mut best = f64::INFINITY;
        for _ in 0..=runs {
            let seconds = self.device_seconds(&mut copies)?.unwrap_or(f64::INFINITY);
            best = best.min(seconds / times as f64);
        }
        Ok(best)
    }
}

impl Subject for Cpu {
    fn device(&self) -> Device {
        Device { name: format!("CPU, {} threads", self.threads()), ..Device::default() }
    }

    fn laws() -> Vec<Law<Cpu>> {
        cpu_laws()
    }
}

/// For tests only: times measured on the emulator are meaningless.
#[cfg(feature = "emulate")]
impl Subject for Emulated {
    fn laws() -> Vec<Law<Emulated>> {
        treepar_laws::emulated_laws()
    }

    fn device(&self) -> Device {
        Device { name: self.name(), ..Device::default() }
    }
}
