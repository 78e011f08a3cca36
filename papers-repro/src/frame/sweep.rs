//! Sweeps: many measurements in sequence, with progress. A sweep can be interrupted.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use benches::failure::Failure;
use benches::host::{Host, OtherLoad, available_bytes, commit, now};
use indicatif::{ProgressBar, ProgressStyle};
use treepar::Cpu;

use super::options::Options;
pub use super::record::Label;
use super::record::{Measurement, NO_MEASUREMENT, OtherPrograms, Record};

/// A sweep over the cases of a paper.
pub struct Sweep {
    /// The options.
    pub options: Options,
    record: Record,
    bar: ProgressBar,
    load: OtherLoad,
    case_load: OtherLoad,
    case_start: Instant,
    case: String,
    has_failed: bool,
}

/// The beginning of the note of a run that failed.
const FAILED: &str = "the measurements ended with an error, and the rest is missing";

/// The total seconds of a measurement after which [`FEW`] runs are enough.
const LONG: f64 = 20.0;

/// The number of runs of a slow measurement.
const FEW: usize = 5;

/// The minimum time over which the load of other programs is averaged.
const LOAD_INTERVAL: Duration = Duration::from_secs(1);

/// `true` if a sweep was interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

impl Sweep {
    /// Creates a sweep for a paper. `gpu` describes the GPU, if one is measured.
    pub fn new(paper: &str, options: &Options, gpu: Option<String>) -> Sweep {
        // A second interruption ends the process at once. If another sweep has already set the handler, this call
        // fails.
        let _ = ctrlc::set_handler(move || {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            eprintln!("\ninterrupted: finishing the current run and writing the report");
        });
        let is_stand_in = gpu.as_ref().is_some_and(|gpu| benches::host::is_stand_in(gpu));
        let record = Record {
            paper: paper.to_string(),
            host: Host { gpu, ..Host::here() },
            others: None,
            date: now(),
            commit: commit(),
            seed: options.seed,
            runs: options.runs(),
            command: options.command(paper),
            complete: false,
            notes: if is_stand_in { vec![NO_MEASUREMENT.to_string()] } else { Vec::new() },
            finished: Vec::new(),
            finished_measurements: 0,
            measurements: Vec::new(),
        };
        let record = if options.resume {
            continued(&record, &options.out).unwrap_or_else(|reason| {
                eprintln!("papers-repro: measuring all cases: {reason}");
                record
            })
        } else {
            record
        };
        let bar = ProgressBar::new(1);
        if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3} %, {eta} left  {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(paper.to_string());
        Sweep {
            options: options.clone(),
            record,
            bar,
            load: OtherLoad::start(),
            case_load: OtherLoad::start(),
            case_start: Instant::now(),
            case: String::new(),
            has_failed: false,
        }
    }

    /// Sets the total amount of work, in the unit of [`Sweep::step`].
    pub fn plan(&self, work: u64) {
        self.bar.set_length(work.max(1));
    }

    /// Adds finished work to the progress.
    pub fn step(&self, done: u64) {
        self.bar.inc(done);
    }

    /// Starts a case. Returns `false` if an earlier run that continues has finished it.
    pub fn case(&mut self, name: String) -> bool {
        self.bar.set_message(name.clone());
        let is_new = !self.record.finished.contains(&name);
        self.case = name;
        is_new
    }

    /// Returns whether the sweep should stop.
    pub fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    /// Returns whether a case fits into memory. Adds a note if it does not.
    pub fn has_room(&mut self, what: &str, bytes: f64) -> bool {
        let room = available_bytes().is_none_or(|available| bytes <= available as f64);
        if !room {
            self.note(format!("{what}: left out because it needs {:.1} GiB of memory", bytes / f64::from(1 << 30)));
        }
        room
    }

    /// Adds a note to the record and prints it.
    pub fn note(&mut self, text: String) {
        self.bar.println(&text);
        self.record.notes.push(text);
    }

    /// Adds a note, unless the record has it.
    pub fn note_once(&mut self, text: String) {
        if !self.record.notes.contains(&text) {
            self.note(text);
        }
    }

    /// Notes that the measurements end with an error.
    pub fn fail(&mut self, error: &str) {
        self.has_failed = true;
        self.note(format!("{FAILED}: {error}"));
    }

    /// Turns running out of memory into a note, so that the sweep can continue.
    pub fn unless_full(&mut self, what: &str, measured: Result<(), Failure>) -> Result<(), String> {
        match measured {
            Err(Failure::Full(error)) => self.note(format!("{what}: left out: {error}")),
            Err(Failure::Other(error)) => return Err(format!("{what}: {error}")),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Runs some work once without timing it, then as often as the options request, and records each run. Work that
    /// takes [`LONG`] seconds in total stops after [`FEW`] runs.
    pub fn measure<E>(
        &mut self,
        label: &Label,
        numbers: &[(&str, f64)],
        mut work: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        work()?;
        let mut seconds: Vec<f64> = Vec::new();
        let is_long = |seconds: &[f64]| seconds.len() >= FEW && seconds.iter().sum::<f64>() > LONG;
        while seconds.len() < self.options.runs() && !is_long(&seconds) && !self.is_interrupted() {
            // Work that is too short for the clock is repeated.
            let start = Instant::now();
            let mut times = 0u32;
            while times == 0 || start.elapsed().as_secs_f64() < 2e-4 {
                work()?;
                times += 1;
            }
            seconds.push(start.elapsed().as_secs_f64() / f64::from(times));
        }
        self.add(label, numbers, seconds);
        Ok(())
    }

    /// Records runs that were timed elsewhere.
    pub fn add(&mut self, label: &Label, numbers: &[(&str, f64)], seconds: Vec<f64>) {
        self.record.measurements.push(Measurement {
            experiment: label.experiment.into(),
            case: label.case.into(),
            variant: label.variant.into(),
            stage: label.stage.into(),
            numbers: numbers.iter().map(|&(name, value)| (name.to_string(), value)).collect(),
            seconds: seconds.into_iter().map(rounded).collect(),
        });
    }

    /// Returns the record so far.
    #[cfg(test)]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Finishes the case, updates the load of other programs and writes the record so far. A case that was interrupted is not
    /// finished.
    pub fn keep(&mut self) -> Result<(), String> {
        if !self.is_interrupted() {
            self.record.finished.push(self.case.clone());
            self.record.finished_measurements = self.record.measurements.len();
        }
        self.write()
    }

    fn write(&mut self) -> Result<(), String> {
        if self.case_start.elapsed() >= LOAD_INTERVAL {
            if let (Some(mean), Some(peak)) = (self.load.cores(), self.case_load.cores()) {
                let before = self.record.others.take().filter(|before| before.peak >= peak);
                let (peak, peak_case) =
                    before.map_or((peak, self.case.clone()), |others| (others.peak, others.peak_case));
                self.record.others = Some(OtherPrograms { mean, peak, peak_case });
            }
            (self.case_start, self.case_load) = (Instant::now(), OtherLoad::start());
        }
        self.record.write(&self.options.out)
    }

    /// Writes the record. Returns `true` if the sweep was interrupted.
    pub fn finish(mut self) -> Result<bool, String> {
        self.bar.finish_and_clear();
        self.record.complete = !self.is_interrupted() && !self.has_failed;
        self.write()?;
        Ok(self.is_interrupted())
    }
}

/// Returns the record from which a run continues: the one in the folder with the measurements of its finished cases.
///
/// # Errors
/// The reason why there is none: it is missing or damaged, or belongs to another command, commit or computer.
fn continued(new: &Record, folder: &Path) -> Result<Record, String> {
    let missing = || format!("there is no record of `{}` in `{}`", new.paper, folder.display());
    let mut old = Record::read(folder, &new.paper)?.ok_or_else(missing)?;
    for (what, old, new) in [("command", &old.command, &new.command), ("commit", &old.commit, &new.commit)] {
        if old != new {
            return Err(format!("the record is of the {what} `{old}`, and not `{new}`"));
        }
    }
    if old.host != new.host {
        return Err(format!("the record is of another computer: {}", old.host.text()));
    }
    if old.commit.ends_with("-dirty") && !cfg!(test) {
        return Err("the record is of changed files, which may have changed again".into());
    }
    old.measurements.truncate(old.finished_measurements);
    old.notes.retain(|note| !note.starts_with(FAILED));
    Ok(old)
}

/// Runs a case with two new backends, one for all cores and one for a single thread. Their pooled memory is freed with
/// them, so that a large case finds enough memory after another.
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

/// Rounds to five digits, which is more than a clock's precision.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.4e}").parse().unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::super::plot::Plot;
    use super::super::report::{Block, Section};
    use super::*;

    #[test]
    fn a_case_without_enough_memory_is_noted_and_the_sweep_continues() {
        let mut sweep = Sweep::new("test", &Options::smallest(), Some("a GPU".into()));
        sweep.unless_full("case 1", Err(Failure::Full("no room".into()))).unwrap();
        sweep.unless_full("case 2", Ok(())).unwrap();
        let error = sweep.unless_full("case 3", Err(Failure::Other("lost".into()))).unwrap_err();
        assert_eq!(error, "case 3: lost");
        assert_eq!(sweep.record().notes, ["case 1: left out: no room"]);
        assert_eq!(sweep.record().host.gpu.as_deref(), Some("a GPU"));
    }

    #[test]
    fn a_record_of_a_run_that_failed_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { out: folder.path().into(), ..Options::smallest() };
        let mut sweep = Sweep::new("test", &options, None);
        sweep.fail("a program ended with status 1");
        assert_eq!(sweep.finish(), Ok(false));
        let record = Record::read(folder.path(), "test").unwrap().unwrap();
        assert!(!record.complete && record.notes[0].ends_with(": a program ended with status 1"), "{record:?}");
    }

    #[test]
    fn a_record_of_the_stand_in_says_so_in_each_place() {
        let gpu = format!("{} with a driver for CUDA 12.4", benches::host::STAND_IN);
        let sweep = Sweep::new("test", &Options::smallest(), Some(gpu));
        assert_eq!(sweep.record().notes, [NO_MEASUREMENT]);
        let mut section = Section::new("Title", sweep.record());
        let plot = Plot::Lines { axes: ("x", "y"), log_x: false, lines: Vec::new(), marks: Vec::new() };
        section.plot("name", "Caption", "See.", plot);
        assert_eq!(section.title, "Title (on the stand-in: no measurement)");
        let Some(Block::Plot { name, caption, .. }) = section.blocks.last() else { panic!("a plot") };
        assert_eq!((name.as_str(), caption.as_str()), ("name-stand-in", "No measurement, on the stand-in: Caption"));
    }

    #[test]
    fn a_run_continues_after_its_finished_cases() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options { out: folder.path().into(), ..Options::smallest() };
        let label = |case| Label { experiment: "e", case, variant: "v", stage: "" };
        let mut sweep = Sweep::new("test", &options, None);
        assert!(sweep.case("1".into()));
        sweep.add(&label("1"), &[], vec![1.0]);
        sweep.keep().unwrap();
        assert!(sweep.case("2".into()));
        sweep.add(&label("2"), &[], vec![2.0]);
        sweep.fail("no memory");
        sweep.finish().unwrap();

        options.resume = true;
        let mut sweep = Sweep::new("test", &options, None);
        assert_eq!((sweep.case("1".into()), sweep.case("2".into())), (false, true));
        let cases: Vec<&str> = sweep.record().measurements.iter().map(|m| m.case.as_str()).collect();
        assert_eq!((cases, sweep.record().notes.len()), (vec!["1"], 0));
        let other = Options { seed: 2, ..options };
        assert!(Sweep::new("test", &other, None).record().measurements.is_empty());
        let reason = |options: &Options| {
            continued(Sweep::new("test", &Options { resume: false, ..options.clone() }, None).record(), folder.path())
                .unwrap_err()
        };
        assert!(reason(&other).contains("of the command `papers-repro test"), "{}", reason(&other));
        std::fs::write(folder.path().join("test.json"), "{").unwrap();
        assert!(reason(&other).contains("is not a record"), "{}", reason(&other));
        std::fs::remove_file(folder.path().join("test.json")).unwrap();
        assert!(reason(&other).starts_with("there is no record of `test`"), "{}", reason(&other));
    }

    #[test]
    fn seconds_are_rounded_to_five_digits() {
        assert_eq!(rounded(0.123_456_789), 0.12346);
        assert_eq!(rounded(1.234_567e-7), 1.2346e-7);
        assert_eq!(rounded(0.0), 0.0);
    }
}
