//! Diagnostics as text, through the crate `annotate-snippets`.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, summary};
use crate::source::{Source, Sources};

/// The largest number of diagnostics that are printed. The others are only counted.
pub const MAX_PRINTED: usize = 100;

/// Lines with more bytes than this are not shown whole.
const MAX_LINE_BYTES: usize = 300;

/// The number of bytes of a long line that are shown before and after a mark.
const WINDOW_BYTES: usize = 60;

/// Marks of one file are shown together if the lines from the first to the last have at most this many bytes.
const MAX_SNIPPET_BYTES: usize = 4096;

/// The text that shows where a long line was cut.
const CUT: &str = "...";

/// Returns the diagnostics with the lines that they mark, followed by their number.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic], coloured: bool) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MAX_PRINTED) {
        render_one(sources, diagnostic, &renderer, &mut out);
        out.push('\n');
    }
    if diagnostics.len() > MAX_PRINTED {
        out.push_str(&format!("... and {} more\n\n", diagnostics.len() - MAX_PRINTED));
    }
    out.push_str(&summary(diagnostics));
    out.push('\n');
    out
}

fn render_one(sources: &Sources, diagnostic: &Diagnostic, renderer: &Renderer, out: &mut String) {
    let level = if diagnostic.code.is_error() { Level::ERROR } else { Level::WARNING };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.text());
    let mut group = title.elements(Vec::<Element<'_>>::new());
    let marks = marks(sources, diagnostic);
    let mut rest = &marks[..];
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|mark| first.shares_lines_with(mark)).count();
        let (together, others) = rest.split_at(count.max(1));
        group = group.elements(if first.is_cut() { cut_snippet(together) } else { vec![snippet(together)] });
        rest = others;
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let report: [Group<'_>; 1] = [group];
    for line in renderer.render(&report).lines() {
        // A cut snippet has no path of its own, for which the crate prints an empty header.
        if anstream::adapter::strip_str(line).to_string().trim() != ":::" {
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// A span in one line of a file.
struct Mark<'a> {
    source: &'a Source,
    line: usize,
    /// Offsets in the file, inside the line.
    span: Range<usize>,
    label: &'a str,
    kind: AnnotationKind,
}

/// Returns the marks of a diagnostic, the primary one first. A mark ends where its line ends.
fn marks<'a>(sources: &'a Sources, diagnostic: &'a Diagnostic) -> Vec<Mark<'a>> {
    let primary = (&diagnostic.span, diagnostic.label.as_str(), AnnotationKind::Primary);
    let others = diagnostic.others.iter().map(|(span, label)| (span, label.as_str(), AnnotationKind::Context));
    std::iter::once(primary)
        .chain(others)
        .filter_map(|(span, label, kind)| {
            let source = sources.file_at(span.start)?;
            let start = source.offset(span.start);
            let line = source.line_at(start);
            let end = source.offset(span.end).min(source.line_range(line).end).max(start);
            Some(Mark { source, line, span: start..end, label, kind })
        })
        .collect()
}

impl<'a> Mark<'a> {
    fn is_cut(&self) -> bool {
        self.source.line_range(self.line).len() > MAX_LINE_BYTES
    }

    /// Returns the offsets of the bytes that are shown of a long line.
    fn window(&self) -> Range<usize> {
        let line = self.source.line_range(self.line);
        let boundary = |at| (0..=at).rev().find(|&at| self.source.text.is_char_boundary(at)).unwrap_or(0);
        let from = boundary(line.start.max(self.span.start.saturating_sub(WINDOW_BYTES)));
        from..boundary(line.end.min(self.span.start + WINDOW_BYTES))
    }

    /// Returns whether a later mark of the same diagnostic is shown in the snippet of this one.
    fn shares_lines_with(&self, other: &Mark<'a>) -> bool {
        if !std::ptr::eq(self.source, other.source) || self.is_cut() != other.is_cut() {
            return false;
        }
        if self.is_cut() {
            let window = self.window();
            return window.start <= other.span.start && other.span.end <= window.end;
        }
        let (first, last) = (self.line.min(other.line), self.line.max(other.line));
        self.source.line_range(last).end - self.source.line_range(first).start <= MAX_SNIPPET_BYTES
    }
}

/// Returns whole lines, from the first to the last that is marked.
fn snippet<'a>(marks: &[Mark<'a>]) -> Element<'a> {
    let source = marks[0].source;
    let first = marks.iter().map(|mark| mark.line).min().unwrap_or(1);
    let last = marks.iter().map(|mark| mark.line).max().unwrap_or(1);
    let start = source.line_range(first).start;
    let text = source.text[start..source.line_range(last).end].trim_end_matches('\r');
    let annotations = marks.iter().map(|mark| {
        let span = mark.span.start.saturating_sub(start).min(text.len())..(mark.span.end - start).min(text.len());
        mark.kind.span(span).label(mark.label)
    });
    Snippet::source(text).line_start(first).path(source.name.as_str()).annotations(annotations).into()
}

/// Returns a part of a long line, and a header with the column in the whole line.
fn cut_snippet<'a>(marks: &[Mark<'a>]) -> Vec<Element<'a>> {
    let (source, line) = (marks[0].source, marks[0].line);
    let (window, whole) = (marks[0].window(), source.line_range(line));
    let before = if window.start > whole.start { CUT } else { "" };
    let after = if window.end < whole.end { CUT } else { "" };
    let text = format!("{before}{}{after}", &source.text[window.clone()]);
    let annotations = marks.iter().map(|mark| {
        let shift = |offset: usize| offset.min(window.end).saturating_sub(window.start) + before.len();
        mark.kind.span(shift(mark.span.start)..shift(mark.span.end)).label(mark.label)
    });
    let (_, column) = source.line_and_column(marks[0].span.start);
    let header = Origin::path(source.name.as_str()).line(line).char_column(column);
    vec![header.into(), Snippet::source(text).line_start(line).annotations(annotations).into()]
}
