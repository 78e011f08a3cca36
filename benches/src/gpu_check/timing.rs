//! Runs with their times.

use std::time::Instant;

use treepar::Result;

use crate::gpu_check::record::median;
use crate::gpu_check::subject::Subject;

/// How often, and how long, something is run.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Runs that count, at most.
    pub most: usize,
    /// Seconds after which no other begins.
    pub seconds: f64,
}

/// What runs took.
#[derive(Debug)]
pub struct Times {
    /// Seconds of each run by the host's clock: launches, memory and waits are in it.
    pub seconds: Vec<f64>,
    /// Seconds of a run by the device's clock, the median of [`FEWEST`]; `None` where it has none.
    pub device_seconds: Option<f64>,
}

/// A run that is shorter is repeated before the clock is read and the device waited for.
const SHORTEST: f64 = 1e-3;

/// Repetitions of a run, at most.
const REPEATED: f64 = 200.0;

/// Runs that count, at least.
const FEWEST: usize = 3;

/// Times runs. Two come first that do not count: they bring memory and compile kernels.
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
    // Repeated too, so that launches are ahead of the device.
    let mut repeated = || (0..times).try_for_each(|_| work());
    let mut of_device = Vec::new();
    while of_device.len() < FEWEST
        && let Some(seconds) = subject.device_seconds(&mut repeated)?
    {
        of_device.push(seconds / times as f64);
    }
    Ok(Times { seconds, device_seconds: (!of_device.is_empty()).then(|| median(&of_device)) })
}

/// How often a run of so many seconds is repeated.
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
