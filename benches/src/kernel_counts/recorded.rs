//! The recorded counts, embedded in programs, and the times that the model predicts from them.

use std::sync::LazyLock;

use super::model::Model;
use super::rows::{Row, read};

/// The record of operations.
pub const OPERATIONS: &str = include_str!("../../records/kernel-counts.csv");

/// Returns the least time of an operation on `rows` rows, in seconds. `shape` is that of its forest; empty if it
/// has none. `None` for an operation without recorded counts.
pub fn predicted_seconds(model: &Model, operation: &str, shape: &str, rows: usize) -> Option<f64> {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| read(OPERATIONS).unwrap_or_default());
    ROWS.iter().find(|row| row.operation == operation && row.shape == shape).map(|row| row.seconds(model, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_counts::H200;

    #[test]
    fn the_prediction_grows_from_launches_to_bytes() {
        let seconds = |rows| predicted_seconds(&H200, "scan, exclusive", "", rows).unwrap();
        assert_eq!(seconds(1000), H200.launch + H200.wait);
        // Eight bytes per row, at the rate of a copy.
        let large = seconds(1_000_000_000) - H200.wait;
        assert!((large - 8e9 / H200.memory_bytes).abs() < 0.1 * large, "{large}");
        assert_eq!(predicted_seconds(&H200, "scan, exclusive", "star", 1000), None);
    }
}
