//! One run of the check: its options, its growing record, its progress, and its end.
//!
//! A run ends after its last part, after Ctrl-C, or at its time limit. A watchdog thread enforces the limit even if the
//! device hangs. Whichever end comes first writes the record while it holds the lock, so there is exactly one record.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use treepar::Cpu;

use crate::gpu_check::parts;
use crate::gpu_check::record::{FailedCheck, Part, PartName, Record};
use crate::gpu_check::report;
use crate::gpu_check::subject::Subject;
use crate::host::{Host, is_stand_in, now};
use crate::kernel_counts::Model;
use crate::record::write_whole;

/// The extent of a check: its cases, and the sizes of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// A few cases on the smallest inputs, for a stand-in for a GPU.
    Rehearsal,
    /// Fewer cases and smaller inputs.
    Quick,
    /// All.
    Full,
}

/// The options of a run.
pub struct Options {
    /// The commit to record.
    pub commit: String,
    /// The extent.
    pub extent: Extent,
    /// The parts to run.
    pub parts: Vec<PartName>,
    /// The maximum number of rows in a law's case, if limited.
    pub longest: Option<usize>,
    /// The time limit in seconds.
    pub limit_seconds: u64,
    /// The folder for the record.
    pub output: PathBuf,
}

/// The share of the time limit that is reserved for finishing the last step and writing the record.
const RESERVE: f64 = 0.05;

/// The maximum number of rows in a law's case in a rehearsal.
const REHEARSED_ROWS: usize = 2049;

/// The minimum time between two progress lines.
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
    printed: Instant,
    is_written: bool,
}

impl Run {
    /// Starts a run with its watchdog. Ctrl-C and a termination signal end it.
    pub fn start<B: Subject>(backend: &str, subject: &B, options: Options) -> Result<Run, String> {
        let run = Run::new(backend, subject, options)?;
        watch(Arc::clone(&run.state), run.started + Duration::from_secs(run.options.limit_seconds));
        let interrupted = Arc::clone(&run.state);
        ctrlc::set_handler(move || stop(&interrupted, "interrupted", 130))
            .map_err(|error| format!("cannot handle Ctrl-C: {error}"))?;
        Ok(run)
    }

    /// Starts a run without a watchdog and creates the folder for its record.
    pub fn new<B: Subject>(backend: &str, subject: &B, options: Options) -> Result<Run, String> {
        std::fs::create_dir_all(&options.output)
            .map_err(|error| format!("cannot create the folder `{}`: {error}", options.output.display()))?;
        let device = subject.device();
        let mut host = Host::here();
        if device.memory_bytes > 0 {
            host.gpu = Some(device.name.clone());
        }
        let record = Record {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: options.commit.clone(),
            date: now(),
            host,
            backend: backend.into(),
            stand_in: is_stand_in(&device.name),
            model: Model::of(&device.name).name.into(),
            device,
            quick: options.extent == Extent::Quick,
            rehearsal: options.extent == Extent::Rehearsal,
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
            printed: started,
            is_written: false,
        };
        let state = Arc::new(Mutex::new(state));
        Ok(Run { options, started, state })
    }

    /// Runs all parts and writes the record. Returns `true` if the verdict is `ok`.
    pub fn check<B: Subject>(self, subject: &B, reference: &Cpu) -> Result<bool, String> {
        parts::run(&self, subject, reference);
        let mut state = self.lock();
        state.write()?;
        Ok(state.record.is_ok())
    }

    /// Returns the extent.
    pub fn extent(&self) -> Extent {
        self.options.extent
    }

    /// Returns the maximum number of rows in a law's case.
    pub fn longest(&self) -> usize {
        let most = if self.options.extent == Extent::Rehearsal { REHEARSED_ROWS } else { usize::MAX };
        self.options.longest.unwrap_or(most)
    }

    /// Returns the requested parts in order.
    pub fn parts(&self) -> Vec<PartName> {
        let all = [PartName::Laws, PartName::Programs, PartName::Primitives, PartName::Passes];
        all.into_iter().filter(|part| self.options.parts.contains(part)).collect()
    }

    /// Returns the seconds left for the parts.
    pub fn seconds_left(&self) -> f64 {
        (self.options.limit_seconds as f64 * (1.0 - RESERVE) - self.started.elapsed().as_secs_f64()).max(0.0)
    }

    /// Reports the current step. It is printed at intervals and recorded if the run stops early.
    pub fn doing(&self, what: String) {
        let mut state = self.lock();
        if state.printed.elapsed() >= PROGRESS {
            eprintln!("{:>4.0} s  {what}", self.started.elapsed().as_secs_f64());
            state.printed = Instant::now();
        }
        state.doing = what;
    }

    /// Changes the record.
    pub fn record(&self, change: impl FnOnce(&mut Record)) {
        change(&mut self.lock().record);
    }

    /// Changes the current part of the record.
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

    /// Records and prints a failed check.
    pub fn failed(&self, what: impl Into<String>, wrong: impl Into<String>) {
        let failure = FailedCheck { what: what.into(), wrong: wrong.into() };
        eprintln!("FAILED  {}: {}", failure.what, failure.wrong);
        self.part(|part| part.failures.push(failure));
    }

    /// Records checks that are skipped, with the reason.
    pub fn skipped(&self, checks: u64, why: String) {
        self.part(|part| {
            part.skipped += checks;
            part.skips.push(why);
        });
    }

    /// Records a law without any checked case.
    pub fn unchecked(&self, law: &str) {
        self.part(|part| part.unchecked.push(law.into()));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Writes the record as JSON, prints the tables, and writes them as text next to the record.
    fn write(&mut self) -> Result<(), String> {
        self.record.seconds = self.started.elapsed().as_secs_f64();
        let path = self.output.join(self.record.file_name());
        let text = serde_json::to_string_pretty(&self.record).map_err(|error| error.to_string())?;
        write_whole(&path, format!("{text}\n").as_bytes())?;
        self.is_written = true;
        let tables = report::text(&self.record);
        // A reader that closes the pipe early loses nothing: the record is already written.
        let _ = writeln!(std::io::stdout(), "{tables}\n{}", path.display());
        write_whole(&path.with_extension("txt"), format!("{tables}\n").as_bytes())
    }
}

/// Locks the state, even if a thread panicked while holding it.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process early and keeps the results so far. Does nothing if the record is already written.
fn stop(state: &Mutex<State>, why: &str, status: i32) {
    let mut state = lock(state);
    if state.is_written {
        return;
    }
    let why = format!("{why} during: {}", state.doing);
    eprintln!("gpu-check: {why}");
    state.record.stopped = Some(why);
    if let Err(error) = state.write() {
        eprintln!("gpu-check: {error}");
    }
    // The lock is still held, so no other thread can write.
    std::process::exit(status)
}

/// Starts the watchdog thread, which ends the run at its limit.
fn watch(state: Arc<Mutex<State>>, end: Instant) {
    std::thread::spawn(move || {
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        stop(&state, "out of time", 1)
    });
}
