//! Sweeps: many measurements one after another, with progress, that can be interrupted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use benches::machine::{Machine, available_bytes, commit, now};
use indicatif::{ProgressBar, ProgressStyle};
use treepar::Cpu;

use super::failure::Failure;
use super::record::{Measurement, Record};
use crate::cli::Options;

/// A sweep over the cases of a paper.
pub struct Sweep {
    /// What it is asked to do.
    pub options: Options,
    record: Record,
    bar: ProgressBar,
}

/// Seconds of all runs together after which few are enough.
const LONG: f64 = 20.0;

/// How many those are.
const FEW: usize = 5;

/// Whether the sweeps were interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The place of a measurement.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The experiment.
    pub experiment: &'a str,
    /// The case.
    pub case: &'a str,
    /// The variant.
    pub variant: &'a str,
    /// The part of it, or nothing.
    pub stage: &'a str,
}

impl Sweep {
    /// A sweep for a paper; `gpu` says what the GPU is, where one is measured.
    pub fn new(paper: &str, options: &Options, gpu: Option<String>) -> Sweep {
        // The second interruption is not waited for. A handler that is there already stays: another sweep's.
        let _ = ctrlc::set_handler(move || {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            eprintln!("\ninterrupted: the run at hand is finished, and what was measured kept");
        });
        let record = Record {
            paper: paper.to_string(),
            machine: Machine { gpu, ..Machine::here() },
            date: now(),
            commit: commit(),
            seed: options.seed,
            runs: options.runs(),
            complete: false,
            notes: Vec::new(),
            measurements: Vec::new(),
        };
        let bar = ProgressBar::new(1);
        if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %, {eta} left  {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(paper.to_string());
        Sweep { options: options.clone(), record, bar }
    }

    /// Says how much work there is, in any unit that [`Sweep::step`] uses too.
    pub fn plan(&self, work: u64) {
        self.bar.set_length(work.max(1));
    }

    /// Says what is being done, and that some work of before is done.
    pub fn step(&self, done: u64, what: &str) {
        self.bar.inc(done);
        self.bar.set_message(what.to_string());
    }

    /// Whether to stop.
    pub fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    /// Whether memory is there for what needs so much; if not, says that it is left out.
    pub fn has_room(&mut self, what: &str, bytes: f64) -> bool {
        let room = available_bytes().is_none_or(|available| bytes <= available as f64);
        if !room {
            self.note(format!("{what}: left out, since it needs {:.1} GiB of memory", bytes / f64::from(1 << 30)));
        }
        room
    }

    /// Tells the reader of the report, and whoever looks on.
    pub fn note(&mut self, text: String) {
        self.bar.println(&text);
        self.record.notes.push(text);
    }

    /// Goes on where memory is used up, and says that this is left out.
    pub fn unless_full(&mut self, what: &str, measured: Result<(), Failure>) -> Result<(), String> {
        match measured {
            Err(Failure::Full(error)) => self.note(format!("{what}: left out: {error}")),
            Err(Failure::Other(error)) => return Err(format!("{what}: {error}")),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Runs work as often as the options ask, after once that does not count, and records each run. What takes
    /// [`LONG`] stops after [`FEW`] runs.
    pub fn measure<E>(
        &mut self,
        place: &Place,
        numbers: &[(&str, f64)],
        mut work: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        work()?;
        let mut seconds: Vec<f64> = Vec::new();
        let is_long = |seconds: &[f64]| seconds.len() >= FEW && seconds.iter().sum::<f64>() > LONG;
        while seconds.len() < self.options.runs() && !is_long(&seconds) && !self.is_interrupted() {
            // What takes less than the clock can tell is repeated.
            let start = Instant::now();
            let mut times = 0u32;
            while times == 0 || start.elapsed().as_secs_f64() < 2e-4 {
                work()?;
                times += 1;
            }
            seconds.push(start.elapsed().as_secs_f64() / f64::from(times));
        }
        self.add(place, numbers, seconds);
        Ok(())
    }

    /// Records runs that were timed elsewhere, or numbers alone.
    pub fn add(&mut self, place: &Place, numbers: &[(&str, f64)], seconds: Vec<f64>) {
        self.record.measurements.push(Measurement {
            experiment: place.experiment.into(),
            case: place.case.into(),
            variant: place.variant.into(),
            stage: place.stage.into(),
            numbers: numbers.iter().map(|&(name, value)| (name.to_string(), value)).collect(),
            seconds: seconds.into_iter().map(rounded).collect(),
        });
    }

    /// What was measured so far.
    #[cfg(test)]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Writes what was measured so far.
    pub fn keep(&self) -> Result<(), String> {
        self.record.write(&self.options.out)
    }

    /// Writes the record; returns whether it was interrupted.
    pub fn finish(mut self) -> Result<bool, String> {
        self.bar.finish_and_clear();
        self.record.complete = !self.is_interrupted();
        self.keep()?;
        Ok(self.is_interrupted())
    }
}

/// Runs a case with backends of its own, one on all cores and one on one: the memory that they keep ends with them, so
/// that a large case finds room after another.
pub fn with_backends<R: Send>(work: impl FnOnce(&Cpu, &Cpu) -> R + Send) -> R {
    let ran = std::thread::scope(|scope| {
        let case = scope.spawn(|| {
            let cpu = Cpu::new();
            cpu.adopt_current_thread();
            work(&cpu, &Cpu::with_threads(1))
        });
        case.join()
    });
    ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// To five digits: no clock tells more.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.4e}").parse().unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_noted_and_the_rest_goes_on() {
        let mut sweep = Sweep::new("test", &Options::smallest(), Some("a GPU".into()));
        sweep.unless_full("case 1", Err(Failure::Full("no room".into()))).unwrap();
        sweep.unless_full("case 2", Ok(())).unwrap();
        let error = sweep.unless_full("case 3", Err(Failure::Other("lost".into()))).unwrap_err();
        assert_eq!(error, "case 3: lost");
        assert_eq!(sweep.record().notes, ["case 1: left out: no room"]);
        assert_eq!(sweep.record().machine.gpu.as_deref(), Some("a GPU"));
    }

    #[test]
    fn seconds_are_rounded_to_what_a_clock_tells() {
        assert_eq!(rounded(0.123_456_789), 0.12346);
        assert_eq!(rounded(1.234_567e-7), 1.2346e-7);
        assert_eq!(rounded(0.0), 0.0);
    }
}
