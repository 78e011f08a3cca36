//! A run of the check: the record as it grows, what is being done, and the end in time.
//!
//! The end comes from the last part, from Ctrl-C, or from the watch, which ends a run that is beyond its limit, as on a
//! device that hangs. Whoever comes first writes the record, while it holds it, so that there is one and it is whole.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use treepar::Cpu;

use crate::gpu_check::parts;
use crate::gpu_check::record::{FailedCheck, Part, PartName, Record};
use crate::gpu_check::report;
use crate::gpu_check::subject::Subject;
use crate::machine::{Machine, now};
use crate::record::write_whole;

/// What is asked for.
pub struct Options {
    /// The commit to record.
    pub commit: String,
    /// Fewer cases, smaller inputs.
    pub quick: bool,
    /// The parts to run.
    pub parts: Vec<PartName>,
    /// Rows of the longest case of a law, where it is not to be as long as laws allow.
    pub longest: Option<usize>,
    /// Seconds that it may take.
    pub limit_seconds: u64,
    /// Where the record goes.
    pub output: PathBuf,
}

/// Seconds between the end of the parts' time and that of the run: for the step at hand, and to write the record.
const RESERVE: f64 = 0.05;

/// Seconds between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// A run of the check.
pub struct Run {
    options: Options,
    started: Instant,
    state: Arc<Mutex<State>>,
}

struct State {
    record: Record,
    output: PathBuf,
    started: Instant,
    doing: String,
    told: Instant,
    is_written: bool,
}

impl Run {
    /// Begins, under the watch, and with Ctrl-C and an order to terminate as ways to the end.
    pub fn start<B: Subject>(backend: &str, subject: &B, options: Options) -> Result<Run, String> {
        let run = Run::new(backend, subject, options)?;
        watch(Arc::clone(&run.state), run.started + Duration::from_secs(run.options.limit_seconds));
        let interrupted = Arc::clone(&run.state);
        ctrlc::set_handler(move || stop(&interrupted, "interrupted", 130))
            .map_err(|error| format!("cannot wait for Ctrl-C: {error}"))?;
        Ok(run)
    }

    /// A run whose time has begun. The folder for its record is made.
    pub fn new<B: Subject>(backend: &str, subject: &B, options: Options) -> Result<Run, String> {
        std::fs::create_dir_all(&options.output)
            .map_err(|error| format!("cannot make the folder `{}`: {error}", options.output.display()))?;
        let device = subject.device();
        let mut machine = Machine::here();
        if device.memory_bytes > 0 {
            machine.gpu = Some(device.name.clone());
        }
        let record = Record {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: options.commit.clone(),
            date: now(),
            machine,
            backend: backend.into(),
            device,
            quick: options.quick,
            limit_seconds: options.limit_seconds,
            seconds: 0.0,
            stopped: None,
            parts: Vec::new(),
            primitives: Vec::new(),
            passes: Vec::new(),
        };
        let started = Instant::now();
        let state = State {
            record,
            output: options.output.clone(),
            started,
            doing: "starting".into(),
            told: started,
            is_written: false,
        };
        let state = Arc::new(Mutex::new(state));
        Ok(Run { options, started, state })
    }

    /// Runs all parts and writes the record; returns whether all is right.
    pub fn check<B: Subject>(self, subject: &B, reference: &Cpu) -> Result<bool, String> {
        parts::run(&self, subject, reference);
        let mut state = self.lock();
        state.write()?;
        Ok(state.record.is_green())
    }

    /// Whether few cases and small inputs are asked for.
    pub fn is_quick(&self) -> bool {
        self.options.quick
    }

    /// Rows of the longest case of a law.
    pub fn longest(&self) -> usize {
        self.options.longest.unwrap_or(usize::MAX)
    }

    /// The parts that are asked for, in their order.
    pub fn parts(&self) -> Vec<PartName> {
        let all = [PartName::Laws, PartName::Programs, PartName::Primitives, PartName::Passes];
        all.into_iter().filter(|part| self.options.parts.contains(part)).collect()
    }

    /// Seconds that the parts have left.
    pub fn seconds_left(&self) -> f64 {
        (self.options.limit_seconds as f64 * (1.0 - RESERVE) - self.started.elapsed().as_secs_f64()).max(0.0)
    }

    /// Says what is done now: to who looks on, now and then, and to the watch.
    pub fn doing(&self, what: String) {
        let mut state = self.lock();
        if state.told.elapsed() >= PROGRESS {
            eprintln!("{:>4.0} s  {what}", self.started.elapsed().as_secs_f64());
            state.told = Instant::now();
        }
        state.doing = what;
    }

    /// Adds to the record.
    pub fn record(&self, change: impl FnOnce(&mut Record)) {
        change(&mut self.lock().record);
    }

    /// Adds to the part at hand.
    fn part(&self, change: impl FnOnce(&mut Part)) {
        self.record(|record| {
            if let Some(part) = record.parts.last_mut() {
                change(part);
            }
        });
    }

    /// Counts checks that passed.
    pub fn passed(&self, checks: u64) {
        self.part(|part| part.passed += checks);
    }

    /// Counts a check that failed, and tells it.
    pub fn failed(&self, what: impl Into<String>, wrong: impl Into<String>) {
        let failure = FailedCheck { what: what.into(), wrong: wrong.into() };
        eprintln!("FAILED  {}: {}", failure.what, failure.wrong);
        self.part(|part| part.failures.push(failure));
    }

    /// Counts checks that are left out.
    pub fn skipped(&self, checks: u64, why: String) {
        self.part(|part| {
            part.skipped += checks;
            part.skips.push(why);
        });
    }

    /// Names a law of which no case was checked.
    pub fn unchecked(&self, law: &str) {
        self.part(|part| part.unchecked.push(law.into()));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Writes the record, prints the tables, and writes them beside it.
    fn write(&mut self) -> Result<(), String> {
        self.record.seconds = self.started.elapsed().as_secs_f64();
        let path = self.output.join(self.record.file_name());
        let text = serde_json::to_string_pretty(&self.record).map_err(|error| error.to_string())?;
        write_whole(&path, format!("{text}\n").as_bytes())?;
        self.is_written = true;
        let tables = report::text(&self.record);
        // Whoever reads the tables may have read enough; the record is there.
        let _ = writeln!(std::io::stdout(), "{tables}\n{}", path.display());
        write_whole(&path.with_extension("txt"), format!("{tables}\n").as_bytes())
    }
}

/// What a panic left is as good as what it found.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the run from outside, with what was found so far, unless it is at its end.
fn stop(state: &Mutex<State>, why: &str, status: i32) {
    let mut state = lock(state);
    if state.is_written {
        return;
    }
    let why = format!("{why} while at: {}", state.doing);
    eprintln!("gpu-check: {why}");
    state.record.stopped = Some(why);
    if let Err(error) = state.write() {
        eprintln!("gpu-check: {error}");
    }
    // Still holding the state: nobody else writes.
    std::process::exit(status)
}

/// Ends the run at its limit.
fn watch(state: Arc<Mutex<State>>, end: Instant) {
    std::thread::spawn(move || {
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        stop(&state, "out of time", 1)
    });
}
