//! Diagnostics as JSON: one object per line.
//!
//! ```json
//! {"severity":"error","code":"E0301","message":"cannot find variable `x` in this scope",
//!  "file":"a.par","start":16,"end":17,"line":2,"column":5,"end_line":2,"end_column":6,
//!  "label":"not declared","labels":[],"help":null}
//! ```
//!
//! (The object is on one line.) `start` and `end` are byte offsets in the file. Lines and columns count from 1, columns
//! count characters, and the end is exclusive. Each item of `labels` has the fields from `file` to `label`.

use std::ops::Range;

use serde::Serialize;

use super::Diagnostic;
use crate::source::Sources;

/// The largest number of diagnostics that are printed. The last object then says how many are missing.
pub const MAX_JSON: usize = 1000;

#[derive(Default, Serialize)]
struct Object<'a> {
    severity: &'a str,
    /// `null` for an error without a position.
    code: Option<&'a str>,
    message: &'a str,
    #[serde(flatten)]
    mark: Option<Mark<'a>>,
    labels: Vec<Mark<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Mark<'a> {
    file: &'a str,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    label: &'a str,
}

/// Returns one line of JSON per diagnostic.
pub fn render_json(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MAX_JSON) {
        out.push_str(&line(&Object {
            severity: if diagnostic.code.is_error() { "error" } else { "warning" },
            code: Some(diagnostic.code.text()),
            message: &diagnostic.message,
            mark: mark(sources, &diagnostic.span, &diagnostic.label),
            labels: diagnostic.others.iter().filter_map(|(span, label)| mark(sources, span, label)).collect(),
            help: diagnostic.help.as_deref(),
        }));
    }
    if diagnostics.len() > MAX_JSON {
        out.push_str(&message_json(&format!("{} more are not shown", diagnostics.len() - MAX_JSON)));
    }
    out
}

/// Returns a line of JSON for an error without a position.
pub fn message_json(message: &str) -> String {
    line(&Object { severity: "error", message, ..Object::default() })
}

fn line(object: &Object<'_>) -> String {
    // Writing strings and numbers to memory does not fail.
    serde_json::to_string(object).unwrap_or_default() + "\n"
}

fn mark<'a>(sources: &'a Sources, span: &Range<u32>, label: &'a str) -> Option<Mark<'a>> {
    let file = sources.file_at(span.start)?;
    let (start, end) = (file.offset(span.start), file.offset(span.end));
    let ((line, column), (end_line, end_column)) = (file.line_and_column(start), file.line_and_column(end));
    Some(Mark { file: &file.name, start, end, line, column, end_line, end_column, label })
}
