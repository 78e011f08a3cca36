//! The thesis's tables.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::shape::Shape;

/// The published tables.
#[derive(Deserialize)]
pub struct Published {
    /// The work.
    pub source: String,
    /// The hardware.
    pub machine: String,
    /// The tables, by their numbers.
    pub table_5_2: Vec<Shape>,
    pub table_5_3: Vec<Runtime>,
    pub table_5_4: Vec<Shape>,
    pub table_5_5: Vec<Runtime>,
    pub table_5_6: Vec<Shape>,
    pub table_5_7: Vec<BTreeMap<String, serde_json::Value>>,
    pub table_5_8: Vec<Runtime>,
}

/// A row of tables 5.3, 5.5 and 5.8.
#[derive(Deserialize)]
pub struct Runtime {
    /// The case.
    pub case: String,
    /// The shortest, the longest, and the standard deviation of the runs in milliseconds.
    pub minimum_ms: f64,
    pub maximum_ms: f64,
    pub deviation_ms: f64,
}

impl Runtime {
    /// Returns the middle of the range: the thesis has no mean or median.
    pub fn middle_ms(&self) -> f64 {
        0.5 * (self.minimum_ms + self.maximum_ms)
    }
}

impl Published {
    /// Reads the published tables, which are included in the executable.
    pub fn new() -> Published {
        serde_json::from_str(include_str!("../../data/pareas.json")).expect("the file is ours")
    }

    /// Returns larger programs of the same kind as the thesis's largest.
    pub fn larger(&self) -> Vec<Shape> {
        let Some(largest) = self.table_5_2.last() else { return Vec::new() };
        [2.0, 5.0, 10.0].map(|factor| largest.scaled(&format!("{}MB", factor * largest.bytes / 1e6), factor)).to_vec()
    }
}

/// Returns the milliseconds of a stage in a row of table 5.7. refc counts and generates instructions in one pass.
pub fn published_stage(row: &BTreeMap<String, serde_json::Value>, stage: &str) -> Option<f64> {
    let of = |stage: &str| row.get(stage)?.as_f64();
    let counting = of("instruction counting").unwrap_or(0.0);
    of(stage).map(|value| if stage == "instruction generation" { value + counting } else { value })
}
