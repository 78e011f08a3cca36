//! Diagnostics as text, through the crate `annotate-snippets`.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::Diagnostic;
use crate::frontend::{Source, Sources};

/// Errors that are printed; of the others only the number is.
pub const MAX_PRINTED: usize = 100;

/// Bytes of a line that are shown before and after the mark.
const WINDOW_BYTES: usize = 100;

/// Prints errors with their lines, and their number behind them.
pub fn render(sources: &Sources, errors: &[Diagnostic], coloured: bool) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for error in errors.iter().take(MAX_PRINTED) {
        out.push_str(&render_one(sources, error, &renderer));
        out.push_str("\n\n");
    }
    if errors.len() > MAX_PRINTED {
        out.push_str(&format!("... and {} more\n\n", errors.len() - MAX_PRINTED));
    }
    let plural = if errors.len() == 1 { "" } else { "s" };
    out.push_str(&format!("{} error{plural}\n", errors.len()));
    out
}

/// The part of a line that is shown around a span.
struct Window<'a> {
    text: &'a str,
    /// The span inside `text`.
    span: Range<usize>,
    line: usize,
    column: usize,
    /// Whether `text` begins where the line does.
    whole: bool,
}

fn window<'a>(source: &'a Source, span: &Range<u32>) -> Window<'a> {
    let text = &source.text;
    let offset = |position: u32| (position.saturating_sub(source.start) as usize).min(text.len());
    let (start, end) = (offset(span.start), offset(span.end).max(offset(span.start)));
    let bytes = text.as_bytes();
    let line_start = bytes[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line_end = bytes[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| start + at);
    let line = bytes[..line_start].iter().filter(|&&b| b == b'\n').count() + 1;
    let column = bytes[line_start..start].iter().filter(|&&b| b & 0xc0 != 0x80).count() + 1;
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = boundary(line_start.max(start.saturating_sub(WINDOW_BYTES)));
    let to = boundary(line_end.min(start + WINDOW_BYTES));
    let end = boundary(end.min(to)).max(start);
    Window {
        text: text[from..to].trim_end_matches('\r'),
        span: start - from..end - from,
        line,
        column,
        whole: from == line_start,
    }
}

fn render_one(sources: &Sources, error: &Diagnostic, renderer: &Renderer) -> String {
    let mut group =
        Level::ERROR.primary_title(error.message.as_str()).id(error.code.text()).elements(Vec::<Origin<'_>>::new());
    let places = std::iter::once((&error.span, error.label.as_str(), AnnotationKind::Primary))
        .chain(error.others.iter().map(|(span, label)| (span, label.as_str(), AnnotationKind::Context)));
    for (span, label, kind) in places {
        let Some(source) = sources.file_at(span.start) else { continue };
        let window = window(source, span);
        let span = window.span.start.min(window.text.len())..window.span.end.min(window.text.len());
        let annotation = kind.span(span).label(label);
        let snippet = Snippet::source(window.text).line_start(window.line).annotation(annotation);
        group = if window.whole {
            group.element(snippet.path(source.name.as_str()))
        } else {
            // The column is that in the line, not in what is shown of it.
            let origin = Origin::path(source.name.as_str()).line(window.line).char_column(window.column);
            group.element(origin).element(snippet)
        };
    }
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let report: [Group<'_>; 1] = [group];
    renderer.render(&report)
}
