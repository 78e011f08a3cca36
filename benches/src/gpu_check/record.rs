//! The record of a check, stored as JSON.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::statistics::statistics;

/// A part of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PartName {
    /// The laws of `treepar-laws`.
    Laws,
    /// Compilations, compared word by word.
    Programs,
    /// Operations at several sizes.
    Primitives,
    /// The compiler's passes, timed.
    Passes,
}

impl std::fmt::Display for PartName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            PartName::Laws => "laws",
            PartName::Programs => "programs",
            PartName::Primitives => "primitives",
            PartName::Passes => "passes",
        })
    }
}

/// The complete result of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// This program's version.
    pub version: String,
    /// The commit of the code.
    pub commit: String,
    /// The start time in UTC.
    pub date: String,
    /// The computer with the device.
    pub host: Host,
    /// The backend that was checked.
    pub backend: String,
    /// `true` if the device is the stand-in for a GPU: then no time here is a measurement.
    pub stand_in: bool,
    /// The backend's device.
    pub device: Device,
    /// The GPU that times are predicted for.
    pub model: String,
    /// `true` for a quick check.
    pub quick: bool,
    /// `true` for a rehearsal.
    pub rehearsal: bool,
    /// The time limit in seconds.
    pub limit_seconds: u64,
    /// The duration in seconds.
    pub seconds: f64,
    /// The reason for an early end, if there was one.
    pub stopped: Option<String>,
    /// The parts in order.
    pub parts: Vec<Part>,
    /// Times of operations.
    pub primitives: Vec<PrimitiveRow>,
    /// Times of compilations.
    pub passes: Vec<Compilation>,
}

/// A device, described by its driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// The device's name.
    pub name: String,
    /// The size of the device's own memory in bytes; 0 if it has none.
    pub memory_bytes: u64,
    /// The driver's version; empty if there is no driver.
    pub driver: String,
    /// Other properties by name, such as the compute capability.
    pub details: Vec<(String, String)>,
}

/// The result of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The part's name.
    pub name: PartName,
    /// The part's duration in seconds.
    pub seconds: f64,
    /// The number of checks that passed.
    pub passed: u64,
    /// The number of checks that were skipped.
    pub skipped: u64,
    /// The skipped checks with their reasons.
    pub skips: Vec<String>,
    /// The checks that failed.
    pub failures: Vec<FailedCheck>,
    /// The laws without any checked case, because time ran out.
    pub unchecked: Vec<String>,
}

/// A failed check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCheck {
    /// The name of the check.
    pub what: String,
    /// The error.
    pub wrong: String,
}

/// The time of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveRow {
    /// The operation's name.
    pub operation: String,
    /// The number of rows.
    pub rows: usize,
    /// The shape of the forest; empty for plain columns.
    pub shape: String,
    /// The bytes that any algorithm must move: the input and the answer.
    pub bytes: f64,
    /// The bytes that the operation reads and writes, including intermediate columns.
    pub moved_bytes: u64,
    /// Seconds of each run by the host's clock, including launches, allocation and synchronization.
    pub seconds: Vec<f64>,
    /// Seconds of one run by the device's clock, a median; `None` if the device has no clock.
    pub device_seconds: Option<f64>,
    /// The least seconds by the host's clock that the model predicts from recorded counts; `None` without counts.
    pub predicted_seconds: Option<f64>,
    /// Seconds of a copy of the same bytes.
    pub copy_seconds: f64,
}

/// The times of compiling one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compilation {
    /// The source's size in bytes.
    pub source_bytes: usize,
    /// The number of nodes of the tree.
    pub nodes: usize,
    /// The number of words of code.
    pub words: usize,
    /// Seconds of the sequential front end, from source to tree, on the host.
    pub parse_seconds: f64,
    /// Seconds of the data-parallel front end, from source to tree, of each run.
    pub front_end_seconds: Vec<f64>,
    /// The least seconds that the model predicts for it; `None` without counts.
    pub predicted_front_end_seconds: Option<f64>,
    /// The same on the reference.
    pub cpu_front_end_seconds: Vec<f64>,
    /// Seconds from source to words, of each run. The tree stays on the backend.
    pub whole_seconds: Vec<f64>,
    /// The same on the reference.
    pub cpu_whole_seconds: Vec<f64>,
    /// Seconds from a tree on the host to words, of each run.
    pub seconds: Vec<f64>,
    /// Seconds from tree to words on the reference, of each run.
    pub cpu_seconds: Vec<f64>,
    /// Each pass, timed separately, in order.
    pub passes: Vec<PassRow>,
}

/// The time of one pass. The backend waits for its work before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassRow {
    /// The pass's name.
    pub pass: String,
    /// Seconds of the best run.
    pub seconds: f64,
    /// The least seconds that the model predicts; `None` for a pass without counts.
    pub predicted_seconds: Option<f64>,
    /// The number of templates executed.
    pub templates: u64,
    /// The bytes that the templates read and wrote.
    pub bytes: u64,
}

impl Part {
    /// Creates the record of a part that has not started.
    pub fn new(name: PartName) -> Part {
        let (skips, failures, unchecked) = (Vec::new(), Vec::new(), Vec::new());
        Part { name, seconds: 0.0, passed: 0, skipped: 0, skips, failures, unchecked }
    }

    /// Returns whether the part has checked enough: at least one check passed, and every law has a checked case.
    pub fn is_complete(&self) -> bool {
        self.passed > 0 && self.unchecked.is_empty()
    }

    /// Returns the part's verdict.
    pub fn verdict(&self) -> &'static str {
        match (self.failures.is_empty(), self.passed, self.skipped) {
            (false, ..) => "FAILED",
            (true, 0, _) => "nothing checked",
            (true, _, 0) => "ok",
            (true, ..) => "ok, some skipped",
        }
    }
}

impl Record {
    /// Returns whether the run reached its end, every part is complete, and no check failed.
    pub fn is_ok(&self) -> bool {
        let is_complete = !self.parts.is_empty() && self.parts.iter().all(Part::is_complete);
        self.stopped.is_none() && is_complete && !self.has_failures()
    }

    /// Returns the verdict of the whole check.
    pub fn verdict(&self) -> &'static str {
        match (self.is_ok(), self.has_failures()) {
            (true, _) => "ok",
            (false, true) => "FAILED",
            (false, false) => "INCOMPLETE",
        }
    }

    fn has_failures(&self) -> bool {
        self.parts.iter().any(|part| !part.failures.is_empty())
    }

    /// Returns the record's file name. It differs by day, by commit, for quick checks and rehearsals, and on the stand-in.
    pub fn file_name(&self) -> String {
        let day = self.date.split('T').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let commit = self.commit.replace(|c: char| !is_plain(c), "-");
        let suffixes = [(self.quick, "-quick"), (self.rehearsal, "-rehearsal"), (self.stand_in, "-stand-in")];
        let suffixes: String = suffixes.into_iter().filter(|(applies, _)| *applies).map(|(_, suffix)| suffix).collect();
        format!("{day}-{commit}{suffixes}-gpu-check.json")
    }
}

impl PrimitiveRow {
    /// Returns the seconds of the best run.
    pub fn best(&self) -> f64 {
        best(&self.seconds)
    }

    /// Returns the seconds of the work itself: the device's time, or the best run's if the device has no clock.
    fn work_seconds(&self) -> f64 {
        self.device_seconds.unwrap_or_else(|| self.best())
    }

    /// Returns the bandwidth in bytes per second.
    pub fn bandwidth(&self) -> f64 {
        self.bytes / self.work_seconds()
    }

    /// Returns the copy's bandwidth in bytes per second.
    pub fn copy_bandwidth(&self) -> f64 {
        self.bytes / self.copy_seconds
    }

    /// Returns the copy's time divided by the operation's. The result is 1 for an operation as fast as memory.
    pub fn share_of_copy(&self) -> f64 {
        self.copy_seconds / self.work_seconds()
    }
}

/// Returns the minimum of some runs, or NaN if there are none.
pub fn best(seconds: &[f64]) -> f64 {
    statistics(seconds).map_or(f64::NAN, |s| s.minimum)
}

/// Returns the median of some runs, or NaN if there are none.
pub fn median(seconds: &[f64]) -> f64 {
    statistics(seconds).map_or(f64::NAN, |s| s.median)
}

/// A record with one entry of each kind, for tests.
#[cfg(test)]
pub fn example() -> Record {
    Record {
        version: "1".into(),
        commit: "c".into(),
        date: "2026-01-02T03:04:05Z".into(),
        host: Host::here(),
        backend: "cpu".into(),
        stand_in: false,
        device: Device { details: vec![("threads".into(), "2".into())], ..Device::default() },
        model: "model".into(),
        quick: true,
        rehearsal: false,
        limit_seconds: 9,
        seconds: 1.5,
        stopped: None,
        parts: vec![Part { passed: 3, ..Part::new(PartName::Laws) }],
        primitives: vec![PrimitiveRow {
            operation: "map".into(),
            rows: 10,
            shape: String::new(),
            bytes: 120.0,
            moved_bytes: 160,
            seconds: vec![4e-8, 2e-8, 3e-8],
            device_seconds: None,
            predicted_seconds: Some(5e-9),
            copy_seconds: 1e-8,
        }],
        passes: vec![Compilation {
            source_bytes: 10_000_000,
            nodes: 3,
            words: 4,
            parse_seconds: 0.75,
            front_end_seconds: vec![0.5],
            predicted_front_end_seconds: Some(0.125),
            cpu_front_end_seconds: vec![0.25],
            whole_seconds: vec![0.625],
            cpu_whole_seconds: vec![1.25],
            seconds: vec![0.25],
            cpu_seconds: vec![0.5],
            passes: vec![PassRow {
                pass: "lift".into(),
                seconds: 0.25,
                predicted_seconds: Some(0.0625),
                templates: 2,
                bytes: 8,
            }],
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_json() {
        let written = example();
        let text = serde_json::to_string_pretty(&written).unwrap();
        let read: Record = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string_pretty(&read).unwrap(), text);
        assert_eq!((read.primitives, read.passes), (written.primitives, written.passes));
        assert!(text.contains("\"laws\""), "{text}");
    }

    #[test]
    fn bandwidth_uses_the_device_time_or_the_best_run() {
        let mut row = example().primitives.remove(0);
        assert_eq!((row.best(), median(&row.seconds)), (2e-8, 3e-8));
        assert!((row.bandwidth() - 6e9).abs() < 1.0 && (row.copy_bandwidth() - 12e9).abs() < 1.0);
        assert!((row.share_of_copy() - 0.5).abs() < 1e-9);
        row.device_seconds = Some(1.25e-8);
        assert!((row.bandwidth() - 9.6e9).abs() < 1.0 && (row.share_of_copy() - 0.8).abs() < 1e-9);
        assert!(best(&[]).is_nan());
    }

    #[test]
    fn the_verdict_is_ok_only_if_every_part_is_complete_and_nothing_failed() {
        let mut of = example();
        assert_eq!((of.parts[0].verdict(), of.verdict()), ("ok", "ok"));
        of.parts[0].skipped = 1;
        assert_eq!((of.parts[0].verdict(), of.verdict()), ("ok, some skipped", "ok"));
        of.parts.push(Part { skipped: 1, ..Part::new(PartName::Passes) });
        assert_eq!((of.parts[1].verdict(), of.verdict()), ("nothing checked", "INCOMPLETE"));
        of.parts[1].failures.push(FailedCheck { what: "w".into(), wrong: "x".into() });
        assert_eq!((of.parts[1].verdict(), of.verdict()), ("FAILED", "FAILED"));
        of.parts[1] = Part { passed: 1, ..Part::new(PartName::Passes) };
        assert_eq!(of.verdict(), "ok");
        of.parts[0].unchecked.push("a law".into());
        assert_eq!(of.verdict(), "INCOMPLETE");
        of.parts[0].unchecked.clear();
        of.stopped = Some("interrupted".into());
        assert_eq!(of.verdict(), "INCOMPLETE");
        of.stopped = None;
        of.parts.clear();
        assert_eq!(of.verdict(), "INCOMPLETE");
    }

    #[test]
    fn a_file_name_has_the_day_the_commit_and_the_extent() {
        let mut of = example();
        assert_eq!(of.file_name(), "2026-01-02-c-quick-gpu-check.json");
        (of.quick, of.commit) = (false, "v1.2/a b".into());
        assert_eq!(of.file_name(), "2026-01-02-v1.2-a-b-gpu-check.json");
        (of.rehearsal, of.stand_in) = (true, true);
        assert_eq!(of.file_name(), "2026-01-02-v1.2-a-b-rehearsal-stand-in-gpu-check.json");
    }
}
