//! Records: all measurements of a paper, stored as JSON.

use std::path::Path;

use benches::host::Host;
use benches::record::write_whole;
use benches::statistics::{Statistics, statistics};
use serde::{Deserialize, Serialize};

/// The note of a record that the stand-in for a GPU made.
pub const NO_MEASUREMENT: &str = "NOT A MEASUREMENT: no GPU took part. Kernels ran on the stand-in, an executor of PTX on the \
                                  host, so times mean nothing";

/// The note of a record that a build without optimisations made, if the build is what is timed.
pub const DEBUG_BUILD: &str =
    "this build of papers-repro is not optimised, so its own times mean nothing: use `cargo run --release`";

/// All measurements of a paper on one host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The paper's short name.
    pub paper: String,
    /// The computer, with its GPU if that is measured.
    #[serde(alias = "machine")]
    pub host: Host,
    /// The load by other programs, if it is known.
    #[serde(default)]
    pub others: Option<OtherPrograms>,
    /// The start time in UTC.
    pub date: String,
    /// The commit of the code.
    pub commit: String,
    /// The seed of the generated programs.
    pub seed: u64,
    /// The number of runs per measurement.
    pub runs: usize,
    /// The command that makes the record.
    #[serde(default)]
    pub command: String,
    /// `true` if the measurements were neither interrupted nor ended by an error.
    pub complete: bool,
    /// Remarks for the reader, such as a case that was left out, with the reason.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The finished cases, and the number of their measurements, from which an interrupted run continues.
    #[serde(default)]
    pub finished: Vec<String>,
    /// The number of measurements of finished cases.
    #[serde(default)]
    pub finished_measurements: usize,
    /// The measurements in order.
    pub measurements: Vec<Measurement>,
}

/// The load by other programs during the measurements, in cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherPrograms {
    /// The average over all measurements.
    pub mean: f64,
    /// The maximum of the averages over single cases.
    pub peak: f64,
    /// The case with this maximum.
    pub peak_case: String,
}

/// The name of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The experiment: a table or figure.
    pub experiment: &'a str,
    /// The case.
    pub case: &'a str,
    /// The variant.
    pub variant: &'a str,
    /// The part that is timed; empty for the whole.
    pub stage: &'a str,
}

/// A gain of one variant over another one.
#[derive(Clone, Copy, Debug)]
pub struct Gain<'a> {
    /// The variant that is expected to be slower.
    pub slow: &'a str,
    /// The variant that is expected to be faster.
    pub fast: &'a str,
}

impl std::fmt::Display for Gain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "“{}” over “{}”", self.slow, self.fast)
    }
}

/// Runs of one variant on one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// The experiment: a table or figure.
    pub experiment: String,
    /// The case, named as in that table or figure.
    pub case: String,
    /// The variant of the program, such as the backend.
    pub variant: String,
    /// The part of the program that was timed; empty for the whole.
    pub stage: String,
    /// The case's properties, by name.
    pub numbers: Vec<(String, f64)>,
    /// Seconds of each run; empty for a measurement without times.
    pub seconds: Vec<f64>,
}

impl Measurement {
    /// Returns a property of the case.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Returns the statistics of the runs.
    pub fn statistics(&self) -> Option<Statistics> {
        statistics(&self.seconds)
    }
}

impl Record {
    /// Reads a paper's record from a folder. Returns `None` if there is none.
    pub fn read(folder: &Path, paper: &str) -> Result<Option<Record>, String> {
        let path = folder.join(paper).with_extension("json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        };
        let not_a_record = |reason: String| format!("`{}` is not a record: {reason}", path.display());
        let record: Record = serde_json::from_str(&text).map_err(|error| not_a_record(error.to_string()))?;
        if record.paper != paper {
            return Err(not_a_record(format!("it is of `{}`", record.paper)));
        }
        Ok(Some(record))
    }

    /// Writes the record into a folder, completely or not at all, with one line per measurement.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(&self.paper).with_extension("json");
        let json = |error: serde_json::Error| error.to_string();
        let head = serde_json::to_string(&Record { measurements: Vec::new(), ..self.clone() }).map_err(json)?;
        let lines = self.measurements.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>().map_err(json)?;
        let text = head.replace("\"measurements\":[]", &format!("\"measurements\":[\n{}\n]", lines.join(",\n")));
        write_whole(&path, text.as_bytes())
    }

    /// Returns the reason why the times mean nothing, if there is one. Then no claim is compared with them.
    pub fn meaningless(&self) -> Option<&'static str> {
        [NO_MEASUREMENT, DEBUG_BUILD].into_iter().find(|reason| self.notes.iter().any(|note| note == reason))
    }

    /// Yields the measurements of an experiment.
    pub fn of<'a>(&'a self, experiment: &'a str) -> impl Iterator<Item = &'a Measurement> {
        self.measurements.iter().filter(move |m| m.experiment == experiment)
    }

    /// Returns the variants of an experiment, in order.
    pub fn variants(&self, experiment: &str) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for measurement in self.measurements.iter().filter(|m| m.experiment == experiment) {
            if !names.contains(&measurement.variant.as_str()) {
                names.push(&measurement.variant);
            }
        }
        names
    }

    /// Finds a measurement.
    pub fn find(&self, label: &Label<'_>) -> Option<&Measurement> {
        let Label { experiment, case, variant, stage } = *label;
        self.measurements
            .iter()
            .find(|m| m.experiment == experiment && m.case == case && m.variant == variant && m.stage == stage)
    }

    /// Returns the median seconds of a measurement.
    pub fn median(&self, label: &Label<'_>) -> Option<f64> {
        self.find(label)?.statistics().map(|s| s.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_json() {
        let measurement = Measurement {
            experiment: "e".into(),
            case: "1".into(),
            variant: "v".into(),
            stage: String::new(),
            numbers: vec![("nodes".into(), 3.0)],
            seconds: vec![0.5, 0.25],
        };
        let record = Record {
            paper: "p".into(),
            host: Host::here(),
            others: None,
            date: "d".into(),
            commit: "c".into(),
            seed: 1,
            runs: 2,
            command: "c".into(),
            complete: true,
            notes: vec!["n".into()],
            finished: vec!["1".into()],
            finished_measurements: 2,
            measurements: vec![measurement.clone(), measurement],
        };
        let folder = tempfile::tempdir().unwrap();
        record.write(folder.path()).unwrap();
        let back = Record::read(folder.path(), "p").unwrap().unwrap();
        assert_eq!(back.notes, ["n"]);
        assert_eq!(back.median(&Label { experiment: "e", case: "1", variant: "v", stage: "" }), Some(0.375));
        assert_eq!((back.measurements.len(), back.of("e").count()), (2, 2));
        assert_eq!((back.variants("e"), back.variants("f")), (vec!["v"], vec![]));
        assert_eq!(back.measurements[0].number("nodes"), Some(3.0));
        assert!(Record::read(folder.path(), "other").unwrap().is_none());
        std::fs::rename(folder.path().join("p.json"), folder.path().join("other.json")).unwrap();
        assert!(Record::read(folder.path(), "other").unwrap_err().ends_with("it is of `p`"));
    }
}
