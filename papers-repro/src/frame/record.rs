//! Records: everything that was measured, as JSON.

use std::path::Path;

use benches::machine::Machine;
use benches::record::write_whole;
use benches::statistics::{Statistics, statistics};
use serde::{Deserialize, Serialize};

/// All measurements of a paper on a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The paper's short name.
    pub paper: String,
    /// Where it was measured.
    pub machine: Machine,
    /// When, in UTC.
    pub date: String,
    /// By which code.
    pub commit: String,
    /// Seed of the generated trees.
    pub seed: u64,
    /// Runs of each measurement.
    pub runs: usize,
    /// Whether nothing is missing.
    pub complete: bool,
    /// What a reader must know: what was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What was measured, in order.
    pub measurements: Vec<Measurement>,
}

/// Runs of one variant on one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// The experiment: a table or figure.
    pub experiment: String,
    /// The case in it.
    pub case: String,
    /// What runs.
    pub variant: String,
    /// A part of it; empty for the whole.
    pub stage: String,
    /// Numbers that belong to the case, by name.
    pub numbers: Vec<(String, f64)>,
    /// Seconds of each run; empty where only numbers are told.
    pub seconds: Vec<f64>,
}

impl Measurement {
    /// A number of the case.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Statistics of the runs.
    pub fn statistics(&self) -> Option<Statistics> {
        statistics(&self.seconds)
    }
}

impl Record {
    /// The record of a paper in a folder, if there is one.
    pub fn read(folder: &Path, paper: &str) -> Result<Option<Record>, String> {
        let path = folder.join(paper).with_extension("json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| format!("`{}` is no record: {error}", path.display()))
    }

    /// Writes the record into a folder, whole or not at all: a line for each measurement.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(&self.paper).with_extension("json");
        let json = |error: serde_json::Error| error.to_string();
        let head = serde_json::to_string(&Record { measurements: Vec::new(), ..self.clone() }).map_err(json)?;
        let lines = self.measurements.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>().map_err(json)?;
        let text = head.replace("\"measurements\":[]", &format!("\"measurements\":[\n{}\n]", lines.join(",\n")));
        write_whole(&path, text.as_bytes())
    }

    /// The measurements of an experiment.
    pub fn of<'a>(&'a self, experiment: &'a str) -> impl Iterator<Item = &'a Measurement> {
        self.measurements.iter().filter(move |m| m.experiment == experiment)
    }

    /// The measurement of a variant, or of its part, on a case.
    pub fn find(&self, experiment: &str, case: &str, variant: &str, stage: &str) -> Option<&Measurement> {
        self.measurements
            .iter()
            .find(|m| m.experiment == experiment && m.case == case && m.variant == variant && m.stage == stage)
    }

    /// Median seconds of [`Record::find`].
    pub fn median(&self, experiment: &str, case: &str, variant: &str, stage: &str) -> Option<f64> {
        self.find(experiment, case, variant, stage)?.statistics().map(|s| s.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_as_it_was_written() {
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
            machine: Machine::here(),
            date: "d".into(),
            commit: "c".into(),
            seed: 1,
            runs: 2,
            complete: true,
            notes: vec!["n".into()],
            measurements: vec![measurement.clone(), measurement],
        };
        let folder = tempfile::tempdir().unwrap();
        record.write(folder.path()).unwrap();
        let back = Record::read(folder.path(), "p").unwrap().unwrap();
        assert_eq!(back.notes, ["n"]);
        assert_eq!(back.median("e", "1", "v", ""), Some(0.375));
        assert_eq!((back.measurements.len(), back.of("e").count()), (2, 2));
        assert_eq!(back.measurements[0].number("nodes"), Some(3.0));
        assert!(Record::read(folder.path(), "other").unwrap().is_none());
    }
}
