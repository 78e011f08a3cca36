//! Timed runs.

use std::time::Instant;

use treepar::Result;

use crate::gpu_check::record::median;
use crate::gpu_check::subject::Subject;

/// The limits of repeated runs.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// The maximum number of timed runs.
    pub most: usize,
    /// The seconds after which no further run starts.
    pub seconds: f64,
}

/// The times of repeated runs.
#[derive(Debug)]
pub struct Times {
    /// Seconds of each run by the host's clock, including launches, allocation and synchronization.
    pub seconds: Vec<f64>,
    /// Seconds of one run by the device's clock, the median of [`FEWEST`] runs; `None` if the device has no clock.
    pub device_seconds: Option<f64>,
}

/// The minimum length of a run in seconds. A shorter piece of work is repeated within one run.
const SHORTEST: f64 = 1e-3;

/// The maximum number of repetitions within one run.
const REPEATED: f64 = 200.0;

/// The minimum number of timed runs.
const FEWEST: usize = 3;

/// Times runs of some work. Two earlier runs are not counted: they allocate memory and compile kernels.
pub fn times<B: Subject>(subject: &B, runs: Runs, mut work: impl FnMut() -> Result<()>) -> Result<Times> {
    let began = Instant::now();
    let mut run = |times: usize| -> Result<f64> {
        subject.synchronize()?;
        let start = Instant::now();
        for _ in 0..times {
            work()?;
        }
        subject.synchronize()?;
        Ok(start.elapsed().as_secs_f64() / times as f64)
    };
    run(1)?;
    let times = repetitions(run(1)?);
    let mut seconds = Vec::new();
    while seconds.len() < FEWEST || seconds.len() < runs.most && began.elapsed().as_secs_f64() < runs.seconds {
        seconds.push(run(times)?);
    }
    // Repetition also lets launches get ahead of the device.
    let mut repeated = || (0..times).try_for_each(|_| work());
    let mut of_device = Vec::new();
    while of_device.len() < FEWEST
        && let Some(seconds) = subject.device_seconds(&mut repeated)?
    {
        of_device.push(seconds / times as f64);
    }
    Ok(Times { seconds, device_seconds: (!of_device.is_empty()).then(|| median(&of_device)) })
}

/// Returns the number of repetitions for work that takes the given seconds.
fn repetitions(seconds: f64) -> usize {
    (SHORTEST / seconds.max(f64::MIN_POSITIVE)).ceil().clamp(1.0, REPEATED) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use treepar::Cpu;

    #[test]
    fn short_runs_are_repeated() {
        assert_eq!(repetitions(1.0), 1);
        assert_eq!(repetitions(SHORTEST / 3.5), 4);
        assert_eq!(repetitions(0.0), 200);
    }

    #[test]
    fn runs_end_with_their_number_or_their_time() {
        let cpu = Cpu::with_threads(1);
        let sleep = || {
            std::thread::sleep(std::time::Duration::from_millis(2));
            Ok(())
        };
        let many = times(&cpu, Runs { most: 5, seconds: 60.0 }, sleep).unwrap();
        assert_eq!((many.seconds.len(), many.device_seconds), (5, None));
        let few = times(&cpu, Runs { most: 5, seconds: 0.0 }, sleep).unwrap().seconds;
        assert!(few.len() == FEWEST && few[0] >= 2e-3);
    }
}
