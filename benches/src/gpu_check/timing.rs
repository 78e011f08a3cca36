//! Runs with their times.

use std::time::Instant;

use treepar::Result;

use crate::subject::Subject;

/// How often, and how long, something is run.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Runs that count, at most.
    pub most: usize,
    /// Seconds after which no other begins.
    pub seconds: f64,
}

/// A run that is shorter is repeated before the clock is read and the device waited for.
const SHORTEST: f64 = 1e-3;

/// Repetitions of a run, at most.
const REPEATED: f64 = 200.0;

/// Runs that count, at least.
const FEWEST: usize = 3;

/// Seconds of each run. Two come first that do not count: they bring memory and compile kernels.
pub fn seconds<B: Subject>(subject: &B, runs: Runs, mut work: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
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
    Ok(seconds)
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
        assert_eq!(seconds(&cpu, Runs { most: 5, seconds: 60.0 }, sleep).unwrap().len(), 5);
        let few = seconds(&cpu, Runs { most: 5, seconds: 0.0 }, sleep).unwrap();
        assert!(few.len() == FEWEST && few[0] >= 2e-3);
    }
}
