//! The report: one self-contained HTML page, with a light and a dark colour scheme, for wide screens and phones. It begins with a line
//! per paper and the table of all claims.

use std::fmt::Write as _;
use std::path::Path;

use benches::host::is_stand_in;
use benches::record::write_whole;

use super::plot::{Drawn, Plot, data, draw};
use super::record::Record;

/// The first screen: a line per paper, and the claims.
#[derive(Default)]
pub struct Front {
    /// The subject of the page, in a few sentences.
    pub about: String,
    /// The result of each paper, and of the goals.
    pub lines: Vec<Finding>,
    /// The text before the claims.
    pub rule: String,
    /// The claims, by paper.
    pub claims: Vec<Group>,
    /// The goals of this project, by paper.
    pub goals: Vec<Group>,
}

/// The result of a paper.
pub struct Finding {
    /// The name of the paper.
    pub name: String,
    /// The anchor of its section.
    pub anchor: String,
    /// The number of claims with each verdict.
    pub counts: String,
    /// The result in a sentence.
    pub text: String,
}

/// The claims of a paper.
pub struct Group {
    /// The name of the paper.
    pub name: String,
    /// The anchor of its section.
    pub anchor: String,
    /// The claims.
    pub rows: Vec<Row>,
}

/// A claim in the table.
pub struct Row {
    /// The claim, its source, the published value, ours, and their ratio.
    pub cells: [String; 5],
    /// The reason for the verdict, or nothing.
    pub why: String,
    /// The verdict, and the name of its colour.
    pub verdict: (&'static str, &'static str),
}

/// The section of one paper.
pub struct Section {
    /// The anchor: the paper's short name.
    pub anchor: String,
    /// The command that makes the measurements.
    pub command: String,
    /// The heading.
    pub title: String,
    /// `true` if the GPU is the stand-in, on which no time is a measurement. Then plots say so, and their files have other names.
    pub stand_in: bool,
    /// The content.
    pub blocks: Vec<Block>,
}

/// A block of a section.
#[derive(Debug)]
pub enum Block {
    /// A subheading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A table. The first column contains text, the others numbers.
    Table {
        /// The caption.
        caption: String,
        /// The names of the columns.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A plot.
    Plot {
        /// The caption.
        caption: String,
        /// The way to read it, in one sentence.
        see: String,
        /// The name of its files, without extension.
        name: String,
        /// The data.
        plot: Plot,
    },
}

/// The number of cores used by other programs, on average or in one case, from which on the report mentions them.
const BUSY: (f64, f64) = (0.1, 0.25);

impl Section {
    /// Creates a section. It starts with the conditions of the measurements.
    pub fn new(title: &str, record: &Record) -> Section {
        let about = format!(
            "Measured on {} at {}, commit {}, seed {}. Each measurement has {} runs, after one that is not counted.",
            record.host.text(),
            record.date,
            record.commit,
            record.seed,
            record.runs
        );
        let stand_in = record.host.gpu.as_deref().is_some_and(is_stand_in);
        let title = if stand_in { format!("{title} (on the stand-in: no measurement)") } else { title.into() };
        let (anchor, command) = (record.paper.clone(), record.command.clone());
        let mut section = Section { anchor, command, title, stand_in, blocks: vec![Block::Text(about)] };
        if !record.complete {
            section.text("The run is not complete. The remaining measurements are missing.");
        }
        if let Some(others) = record.others.as_ref().filter(|others| others.mean >= BUSY.0 || others.peak >= BUSY.1) {
            section.text(format!(
                "The host was busy, so times may be too high. Other programs used {:.1} cores on average, and {:.1} \
                 cores during the case “{}”.",
                others.mean, others.peak, others.peak_case
            ));
        }
        for note in &record.notes {
            section.text(format!("Note: {note}."));
        }
        section
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, caption: &str, head: &[&str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            let head = head.iter().map(ToString::to_string).collect();
            self.blocks.push(Block::Table { caption: caption.into(), head, rows });
        }
    }

    /// Adds a plot. `see` says in one sentence how to read it.
    pub fn plot(&mut self, name: &str, caption: &str, see: &str, plot: Plot) {
        let (mut name, mut caption) = (name.to_string(), caption.to_string());
        if self.stand_in {
            (name, caption) = (format!("{name}-stand-in"), format!("No measurement, on the stand-in: {caption}"));
        }
        self.blocks.push(Block::Plot { caption, see: see.into(), name, plot });
    }
}

const STYLE: &str = include_str!("report.css");

/// Writes the plots and the page into a folder.
pub fn write(folder: &Path, front: &Front, sections: &[Section]) -> Result<(), String> {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>The papers' measurements, rerun</title>\
         <style>{STYLE}</style></head><body>\n<h1>The papers' measurements, rerun</h1>\n"
    );
    first_screen(&mut page, front);
    for section in sections {
        let _ = writeln!(page, "<h2 id=\"{}\">{}</h2>", section.anchor, escape(&section.title));
        if !section.command.is_empty() {
            let file = format!("{}.json", section.anchor);
            let _ = writeln!(page, "<p class=\"tools\">{}</p>", tools(section, &file, None));
        }
        for block in &section.blocks {
            match block {
                Block::Heading(text) => drop(writeln!(page, "<h3>{}</h3>", escape(text))),
                Block::Text(text) => drop(writeln!(page, "<p>{}</p>", escape(text))),
                Block::Table { caption, head, rows } => table(&mut page, caption, head, rows),
                Block::Plot { caption, see, name, plot } => {
                    let Drawn { wide, narrow } = draw(folder, name, plot)?;
                    let csv = data(plot);
                    write_whole(&folder.join(format!("{name}.csv")), csv.as_bytes())?;
                    let _ = writeln!(
                        page,
                        "<figure id=\"{name}\"><figcaption><strong>{}.</strong> {}</figcaption><div class=\"screen\">{}</div>\
                         <div class=\"phone\">{}</div><p class=\"tools\">{}</p></figure>",
                        escape(caption),
                        escape(see),
                        scalable(&wide),
                        scalable(&narrow),
                        tools(section, &format!("{name}.csv"), Some(&csv))
                    );
                }
            }
        }
    }
    page.push_str("</body></html>\n");
    write_whole(&folder.join("report.html"), page.as_bytes())
}

/// Writes the lines about each paper and the claims.
fn first_screen(page: &mut String, front: &Front) {
    let _ = writeln!(page, "<p>{}</p>\n<ul class=\"found\">", escape(&front.about));
    for Finding { name, anchor, counts, text } in &front.lines {
        let _ = write!(page, "<li><a href=\"#{anchor}\">{}</a>: ", escape(name));
        let _ = writeln!(page, "<strong>{}.</strong> {}</li>", escape(counts), escape(text));
    }
    page.push_str("</ul>\n");
    let text = format!("<p>{}</p>\n", escape(&front.rule));
    claims_table(page, "claims", "All claims", &text, &front.claims, ["claim", "published"]);
    claims_table(page, "goals", "Goals of this project", "", &front.goals, ["goal", "bound"]);
}

/// Writes a table of claims or goals, unless there are none. `names` are the names of the columns of the claim and of its bound.
fn claims_table(page: &mut String, anchor: &str, title: &str, text: &str, groups: &[Group], names: [&str; 2]) {
    if groups.is_empty() {
        return;
    }
    let _ = write!(page, "<h2 id=\"{anchor}\">{title}</h2>\n{text}<table class=\"claims {anchor}\"><tr>");
    let [claim, bound] = names;
    for name in [claim, "source", bound, "here", "ratio", "verdict"] {
        let _ = write!(page, "<th>{name}</th>");
    }
    for group in groups {
        let name = escape(&group.name);
        let _ =
            write!(page, "</tr>\n<tr class=\"group\"><td colspan=\"6\"><a href=\"#{}\">{name}</a></td>", group.anchor);
        let mut last_reason = "";
        for row in &group.rows {
            let [claim, rest @ ..] = &row.cells;
            let _ = write!(page, "</tr>\n<tr><td>{}", escape(claim));
            if !row.why.is_empty() {
                let why = if row.why == last_reason { "As above.".into() } else { escape(&row.why) };
                let _ = write!(page, "<br><span class=\"why\">{why}</span>");
                last_reason = &row.why;
            }
            page.push_str("</td>");
            for cell in rest {
                let _ = write!(page, "<td>{}</td>", escape(cell));
            }
            let _ = write!(page, "<td class=\"{}\">{}</td>", row.verdict.1, row.verdict.0);
        }
    }
    page.push_str("</tr></table>\n");
}

/// Returns a link to data and the command that measures it again. Data that is given is in the page itself.
fn tools(section: &Section, file: &str, text: Option<&str>) -> String {
    let link = match text {
        Some(text) => format!("data:text/csv;charset=utf-8,{}", percent(text)),
        None => file.to_string(),
    };
    let data = format!("<a download=\"{file}\" href=\"{link}\">{file}</a>");
    if section.command.is_empty() {
        return data;
    }
    format!(
        "{data} · again: <code>cargo run --release -p papers-repro -- {}</code>",
        section.command.trim_start_matches("papers-repro ")
    )
}

/// Encodes text for an address.
fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b',' => out.push(byte as char),
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

/// The characters from which on the text of a cell has several lines, on phones and on all screens.
const NAME: usize = 8;
const LONG_CELL: usize = 30;

fn table(page: &mut String, caption: &str, head: &[String], rows: &[Vec<String>]) {
    let _ = write!(page, "<figure><figcaption>{}</figcaption><div class=\"wide\"><table><tr>", escape(caption));
    for name in head {
        let _ = write!(page, "<th>{}</th>", escape(name));
    }
    for row in rows {
        page.push_str("</tr>\n<tr>");
        for cell in row {
            let class = match cell.chars().count() {
                size if size > LONG_CELL => " class=\"text\"",
                size if size > NAME => " class=\"name\"",
                _ => "",
            };
            let _ = write!(page, "<td{class}>{}</td>", escape(cell));
        }
    }
    page.push_str("</tr></table></div></figure>\n");
}

/// Replaces an SVG's size by a view box, so that it fills the available width.
fn scalable(svg: &str) -> String {
    match svg.split_once("<svg ") {
        Some((_, rest)) => match rest.split_once("viewBox") {
            Some((_, rest)) => format!("<svg viewBox{rest}"),
            None => svg.to_string(),
        },
        None => svg.to_string(),
    }
}

/// Escapes text for HTML. Text in backticks becomes code.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or_default().to_string();
    while let Some(code) = parts.next() {
        let _ = write!(out, "<code>{code}</code>{}", parts.next().unwrap_or_default());
    }
    out
}

/// Formats a number with three digits, or more before the point.
pub fn short(value: f64) -> String {
    let before = if value == 0.0 { 1.0 } else { value.abs().log10().floor() + 1.0 };
    let digits = (3.0 - before).clamp(0.0, 9.0) as usize;
    thousands(&format!("{value:.digits$}"))
}

/// Adds commas between the thousands of a formatted number.
pub fn thousands(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let comma = |at: usize| at > start && at < end && (end - at).is_multiple_of(3);
    number.char_indices().flat_map(|(at, c)| comma(at).then_some(',').into_iter().chain([c])).collect()
}

/// Formats a number, or a dash if it is missing.
pub fn short_or_dash(value: Option<f64>) -> String {
    value.map_or("–".into(), short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a < b && c > d"), "a &lt; b &amp;&amp; c &gt; d");
        assert_eq!(escape("run `a<b` and `c`."), "run <code>a&lt;b</code> and <code>c</code>.");
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [1234.5, 12.34, 1.234, 0.1234, 0.001_85, 121_393.5, -2000.0, 0.0].map(short);
        assert_eq!(numbers, ["1,234", "12.3", "1.23", "0.123", "0.00185", "121,394", "-2,000", "0.00"]);
        assert_eq!(["999", "1000.25", "-100"].map(thousands), ["999", "1,000.25", "-100"]);
        assert_eq!(short_or_dash(None), "–");
    }

    #[test]
    fn data_in_addresses_is_encoded() {
        assert_eq!(percent("a,\"b\" 1.5\n"), "a,%22b%22%201.5%0A");
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let section = Section {
            anchor: "empty".into(),
            command: "papers-repro empty".into(),
            title: "Empty".into(),
            stand_in: false,
            blocks: Vec::new(),
        };
        write(folder.path(), &Front::default(), &[section]).unwrap();
        let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    }
}
