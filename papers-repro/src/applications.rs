//! The plot of the applications of `benches`, for the repository's front page.

use std::path::Path;

use benches::applications::recorded::{markdown, read};
use benches::record::write_whole;

use crate::frame::plot::{Group, Plot, standalone};

/// Draws a record of the program `applications` and writes the plot next to it. Returns the rows of the guide's table.
///
/// # Errors
/// The record cannot be read, or the plot cannot be written.
pub fn draw(record: &Path) -> Result<String, String> {
    let failed = |error| format!("cannot read `{}`: {error}", record.display());
    let rows = read(&std::fs::read_to_string(record).map_err(|error| failed(error.to_string()))?).map_err(failed)?;
    let group = |row: &benches::applications::recorded::Recorded| Group {
        name: row.short.into(),
        bars: [1.0].into_iter().chain(row.speeds).map(Some).collect(),
        published: None,
    };
    let plot = Plot::Groups {
        axis: "speed, relative to sequential code",
        names: vec!["sequential code".into(), "treepar, 1 thread".into(), "treepar, 2 threads".into()],
        groups: rows.iter().map(group).collect(),
    };
    write_whole(&record.with_file_name("applications.svg"), standalone(&plot)?.as_bytes())?;
    Ok(markdown(&rows))
}
