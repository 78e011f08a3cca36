//! The record of a check: what JSON holds.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::statistics::statistics;

/// A part of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PartName {
    /// The laws of `treepar-laws`.
    Laws,
    /// Compilations.
    Programs,
    /// Operations at some sizes.
    Primitives,
    /// Times of the compiler's passes.
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

/// Everything that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// This program's version.
    pub version: String,
    /// By which code.
    pub commit: String,
    /// When it began, in UTC.
    pub date: String,
    /// Whose memory and processor the device stands beside.
    pub machine: Machine,
    /// The backend that was checked.
    pub backend: String,
    /// Its device.
    pub device: Device,
    /// Whether few cases and small inputs were asked for.
    pub quick: bool,
    /// Seconds that it might take.
    pub limit_seconds: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Why it ended before its end, if it did.
    pub stopped: Option<String>,
    /// The parts in order.
    pub parts: Vec<Part>,
    /// Times of operations.
    pub primitives: Vec<PrimitiveRow>,
    /// Times of compilations.
    pub passes: Vec<Compilation>,
}

/// A device, as its driver tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Bytes of its own memory; 0 where it has none.
    pub memory_bytes: u64,
    /// Its driver's version; empty where it has none.
    pub driver: String,
    /// What else there is to know, by name: the architecture, clocks, libraries.
    pub details: Vec<(String, String)>,
}

/// What a part came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The part.
    pub name: PartName,
    /// Seconds that it took.
    pub seconds: f64,
    /// Checks that passed.
    pub passed: u64,
    /// Checks that were left out.
    pub skipped: u64,
    /// What was left out, and why.
    pub skips: Vec<String>,
    /// Checks that failed.
    pub failures: Vec<FailedCheck>,
    /// Laws of which nothing passed and nothing failed: there was no time for a case.
    pub unchecked: Vec<String>,
}

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCheck {
    /// What was checked.
    pub what: String,
    /// What is wrong.
    pub wrong: String,
}

/// The time of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveRow {
    /// The operation.
    pub operation: String,
    /// Its rows.
    pub rows: usize,
    /// The shape of the forest; empty for plain columns.
    pub shape: String,
    /// Bytes that must move: input and answer.
    pub bytes: f64,
    /// Bytes of the columns that were read and written, those between among them.
    pub moved_bytes: u64,
    /// Seconds of each run, by the host's clock: launches, memory and waits are in it.
    pub seconds: Vec<f64>,
    /// Seconds of a run by the device's clock, the median of some; `None` where it has none.
    pub device_seconds: Option<f64>,
    /// Seconds of a copy of the same bytes.
    pub copy_seconds: f64,
}

/// The times of compiling one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compilation {
    /// Bytes of source.
    pub source_bytes: usize,
    /// Nodes of its tree.
    pub nodes: usize,
    /// Words of code.
    pub words: usize,
    /// Seconds of the front end, from source to tree, on the host.
    pub parse_seconds: f64,
    /// Seconds from the tree to the words, of each run.
    pub seconds: Vec<f64>,
    /// The same on the reference.
    pub cpu_seconds: Vec<f64>,
    /// Each pass alone, in order.
    pub passes: Vec<PassRow>,
}

/// The time of one pass, with waits before and after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassRow {
    /// The pass.
    pub pass: String,
    /// Seconds of the best run.
    pub seconds: f64,
    /// Templates run.
    pub templates: u64,
    /// Bytes that they read and wrote.
    pub bytes: u64,
}

impl Part {
    /// A part before it began.
    pub fn new(name: PartName) -> Part {
        let (skips, failures, unchecked) = (Vec::new(), Vec::new(), Vec::new());
        Part { name, seconds: 0.0, passed: 0, skipped: 0, skips, failures, unchecked }
    }

    /// Whether something passed, of each law where it is of laws.
    pub fn is_through(&self) -> bool {
        self.passed > 0 && self.unchecked.is_empty()
    }

    /// In a word or two.
    pub fn verdict(&self) -> &'static str {
        match (self.failures.is_empty(), self.passed, self.skipped) {
            (false, ..) => "FAILED",
            (true, 0, _) => "nothing checked",
            (true, _, 0) => "passed",
            (true, ..) => "passed, not all",
        }
    }
}

impl Record {
    /// Whether it came to its end, every part has checked something, and all that was checked is right.
    pub fn is_green(&self) -> bool {
        let is_through = !self.parts.is_empty() && self.parts.iter().all(Part::is_through);
        self.stopped.is_none() && is_through && !self.has_failures()
    }

    /// In a sentence.
    pub fn verdict(&self) -> &'static str {
        match (self.is_green(), self.has_failures()) {
            (true, _) => "all that was checked is right",
            (false, true) => "NOT all right",
            (false, false) => "NOT through",
        }
    }

    fn has_failures(&self) -> bool {
        self.parts.iter().any(|part| !part.failures.is_empty())
    }

    /// The name of its file: a record of another day, of other code or of a quick check does not replace it.
    pub fn file_name(&self) -> String {
        let day = self.date.split('T').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let commit = self.commit.replace(|c: char| !is_plain(c), "-");
        let quick = if self.quick { "-quick" } else { "" };
        format!("{day}-{commit}{quick}-gpu-check.json")
    }
}

impl PrimitiveRow {
    /// Seconds of the best run.
    pub fn best(&self) -> f64 {
        best(&self.seconds)
    }

    /// Seconds of the work alone, as the copy's are: the device's, or those of the best run where it has no clock.
    fn work_seconds(&self) -> f64 {
        self.device_seconds.unwrap_or_else(|| self.best())
    }

    /// Bytes a second of the work alone.
    pub fn bandwidth(&self) -> f64 {
        self.bytes / self.work_seconds()
    }

    /// Bytes a second of the copy.
    pub fn copy_bandwidth(&self) -> f64 {
        self.bytes / self.copy_seconds
    }

    /// The copy's time over that of the work alone: 1 where it is as fast as the memory.
    pub fn share_of_copy(&self) -> f64 {
        self.copy_seconds / self.work_seconds()
    }
}

/// The least of some runs.
pub fn best(seconds: &[f64]) -> f64 {
    statistics(seconds).map_or(f64::NAN, |s| s.minimum)
}

/// The middle one of some runs.
pub fn median(seconds: &[f64]) -> f64 {
    statistics(seconds).map_or(f64::NAN, |s| s.median)
}

/// A record of each thing, for tests of what reads it.
#[cfg(test)]
pub fn example() -> Record {
    Record {
        version: "1".into(),
        commit: "c".into(),
        date: "2026-01-02T03:04:05Z".into(),
        machine: Machine::here(),
        backend: "cpu".into(),
        device: Device { details: vec![("threads".into(), "2".into())], ..Device::default() },
        quick: true,
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
            copy_seconds: 1e-8,
        }],
        passes: vec![Compilation {
            source_bytes: 10_000_000,
            nodes: 3,
            words: 4,
            parse_seconds: 0.75,
            seconds: vec![0.25],
            cpu_seconds: vec![0.5],
            passes: vec![PassRow { pass: "lift".into(), seconds: 0.25, templates: 2, bytes: 8 }],
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_as_it_was_written() {
        let written = example();
        let text = serde_json::to_string_pretty(&written).unwrap();
        let read: Record = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string_pretty(&read).unwrap(), text);
        assert_eq!((read.primitives, read.passes), (written.primitives, written.passes));
        assert!(text.contains("\"laws\""), "{text}");
    }

    #[test]
    fn bandwidth_is_of_the_best_run_or_of_the_device_alone() {
        let mut row = example().primitives.remove(0);
        assert_eq!((row.best(), median(&row.seconds)), (2e-8, 3e-8));
        assert!((row.bandwidth() - 6e9).abs() < 1.0 && (row.copy_bandwidth() - 12e9).abs() < 1.0);
        assert!((row.share_of_copy() - 0.5).abs() < 1e-9);
        row.device_seconds = Some(1.25e-8);
        assert!((row.bandwidth() - 9.6e9).abs() < 1.0 && (row.share_of_copy() - 0.8).abs() < 1e-9);
        assert!(best(&[]).is_nan());
    }

    #[test]
    fn a_verdict_is_green_only_where_each_part_has_passed_something_and_nothing_failed() {
        let mut of = example();
        assert_eq!((of.parts[0].verdict(), of.verdict()), ("passed", "all that was checked is right"));
        of.parts[0].skipped = 1;
        assert_eq!((of.parts[0].verdict(), of.is_green()), ("passed, not all", true));
        of.parts.push(Part { skipped: 1, ..Part::new(PartName::Passes) });
        assert_eq!((of.parts[1].verdict(), of.verdict()), ("nothing checked", "NOT through"));
        of.parts[1].failures.push(FailedCheck { what: "w".into(), wrong: "x".into() });
        assert_eq!((of.parts[1].verdict(), of.verdict()), ("FAILED", "NOT all right"));
        of.parts[1] = Part { passed: 1, ..Part::new(PartName::Passes) };
        assert!(of.is_green());
        of.parts[0].unchecked.push("a law".into());
        assert_eq!((of.is_green(), of.verdict()), (false, "NOT through"));
        of.parts[0].unchecked.clear();
        of.stopped = Some("interrupted".into());
        assert_eq!((of.is_green(), of.verdict()), (false, "NOT through"));
        of.stopped = None;
        of.parts.clear();
        assert_eq!((of.is_green(), of.verdict()), (false, "NOT through"));
    }

    #[test]
    fn a_file_is_named_by_its_day_its_code_and_its_extent() {
        let mut of = example();
        assert_eq!(of.file_name(), "2026-01-02-c-quick-gpu-check.json");
        (of.quick, of.commit) = (false, "v1.2/a b".into());
        assert_eq!(of.file_name(), "2026-01-02-v1.2-a-b-gpu-check.json");
    }
}
