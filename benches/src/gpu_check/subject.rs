//! Machines that can be checked. A new one is a [`Subject`], and a name in the program.

use std::time::Instant;

use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Column, Cpu, Result};

use crate::gpu_check::record::Device;
use crate::machine::available_bytes;
use crate::timed::Timed;

/// What a check and its record need to know of a backend.
pub trait Subject: Timed {
    /// What it is.
    fn device(&self) -> Device;

    /// Bytes of its memory that are free; `None` where it cannot tell.
    fn free_bytes(&self) -> Option<u64> {
        // The reference has its columns in the same memory.
        available_bytes().map(|bytes| bytes / 2)
    }

    /// Seconds of work by a clock of the device's, from what it does first to what it does last; `None`, and nothing
    /// done, where there is no such clock.
    fn device_seconds(&self, _work: &mut dyn FnMut() -> Result<()>) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Seconds of the best of some runs of a copy inside its memory that reads and writes `bytes` bytes together.
    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64> {
        let column = self.filled(bytes.div_ceil(8).max(1), 1u32)?;
        let mut best = f64::INFINITY;
        // The first run brings memory that later ones reuse.
        for _ in 0..=runs {
            let start = Instant::now();
            drop(self.slice(&column, 0..column.len())?);
            self.synchronize()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// Whether it still answers: a device that failed may answer nothing more.
    fn is_alive(&self) -> bool {
        self.upload(&[1u32, 2, 3]).and_then(|column| self.download(&column)).is_ok_and(|rows| rows == [1, 2, 3])
    }
}

impl Subject for Cuda {
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
        // Small copies one after another, so that the clock tells them from nothing.
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
}

/// For tests: no time of it means anything.
#[cfg(feature = "emulate")]
impl Subject for Emulated {
    fn device(&self) -> Device {
        Device { name: self.name(), ..Device::default() }
    }
}
