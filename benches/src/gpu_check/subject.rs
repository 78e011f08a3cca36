//! The machines that can be checked. A new one is a [`Subject`], a [`Name`] and a line in [`check`].

use std::time::Instant;

use benches::machine::available_bytes;
use clap::ValueEnum;
use treepar::backend::gpu::{Cuda, Gpu};
use treepar::{Backend, Column, Cpu, Result};
use treepar_kernels::machine::Machine;

use crate::record::Device;
use crate::run::{Options, Run};

/// What timing and a record need to know of a backend.
pub trait Subject: Backend {
    /// What it is.
    fn device(&self) -> Device;

    /// Bytes of its memory that are free; `None` where it cannot tell.
    fn free_bytes(&self) -> Option<u64>;

    /// Waits until all that was asked of it is done.
    fn synchronize(&self) -> Result<()>;

    /// While on, [`Backend::counters`] waits as [`Subject::synchronize`] does, so that what runs between two readings
    /// takes its own time and no other's. Of no matter to a backend that returns when work is done.
    fn wait_when_counting(&self, on: bool);

    /// Seconds of the best of some runs of a copy inside its memory that reads and writes `bytes` bytes together.
    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64>;

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

    fn synchronize(&self) -> Result<()> {
        Gpu::synchronize(self)
    }

    fn wait_when_counting(&self, on: bool) {
        Gpu::wait_when_counting(self, on);
    }

    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64> {
        let half = (bytes / 2).max(1);
        let (from, to) = (self.allocate::<u8>(half)?, self.allocate::<u8>(half)?);
        let stream = self.machine().stream();
        // Small copies one after another, so that the clock tells them from nothing.
        let times = (100_000_000 / half).clamp(1, 100);
        let mut best = f64::INFINITY;
        for _ in 0..=runs {
            let begin = stream.record()?;
            for _ in 0..times {
                self.machine().copy(from.address(), to.address(), half)?;
            }
            let end = stream.record()?;
            end.synchronize()?;
            best = best.min(f64::from(end.ms_since(&begin)?) / 1e3 / times as f64);
        }
        Ok(best)
    }
}

impl Subject for Cpu {
    fn device(&self) -> Device {
        Device { name: format!("CPU, {} threads", self.threads()), ..Device::default() }
    }

    fn free_bytes(&self) -> Option<u64> {
        // The reference has its columns in the same memory.
        available_bytes().map(|bytes| bytes / 2)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn wait_when_counting(&self, _on: bool) {}

    fn copy_seconds(&self, bytes: usize, runs: usize) -> Result<f64> {
        let column = self.filled(bytes.div_ceil(8).max(1), 1u32)?;
        let mut best = f64::INFINITY;
        // The first run brings memory that later ones reuse.
        for _ in 0..=runs {
            let start = Instant::now();
            drop(self.slice(&column, 0..column.len())?);
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    }
}

/// The machine to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// An NVIDIA GPU.
    Cuda,
    /// The CPU, two threads against one.
    Cpu,
}

/// Checks a machine against the CPU: whether all is right, or why it cannot be checked.
pub fn check(name: Name, options: Options) -> std::result::Result<bool, String> {
    match name {
        Name::Cuda => {
            let no_device = |error| format!("there is no CUDA device that this program can use: {error}");
            let cuda = Cuda::new().map_err(no_device)?;
            Run::start("cuda", &cuda, options)?.check(&cuda, &Cpu::new())
        }
        Name::Cpu => {
            let subject = Cpu::with_threads(2);
            subject.adopt_current_thread();
            Run::start("cpu", &subject, options)?.check(&subject, &Cpu::with_threads(1))
        }
    }
}
