//! The table of what each entry needs of each architecture.
//!
//! A row is an entry, a column an architecture. Numbers stand in front in columns of one width, so that a change of one
//! entry changes one line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::assemble::Usage;
use crate::nvrtc::{ARCHITECTURE, VERSION};
use crate::spills::EXPLAINED;

/// One entry.
pub struct Row {
    /// The template that it is an instance of.
    pub template: &'static str,
    /// Its name.
    pub entry: String,
    /// Threads of its largest block, where it bounds them.
    pub threads: Option<u32>,
    /// What it needs, by architecture in the table's order.
    pub usage: Vec<Usage>,
}

/// The file, from rows in any order.
pub fn text(assembler: &str, architectures: &[&str], rows: &[Row]) -> String {
    let mut text = format!(
        "# What each kernel needs\n\n\
         Made by `cargo ptx` with NVRTC {VERSION} ({ARCHITECTURE}) and ptxas {assembler}. `cargo ptx --check` fails where it \
         is not current.\n\n\
         Under an architecture: registers a thread; `+n` where it has n bytes of local memory, for arrays that are \
         indexed at run time; `!n/m` where n bytes are spilled and m are read back. *shared* are bytes a block, \
         *const* bytes of constant tables, *threads* the threads of the largest block.\n"
    );
    if !EXPLAINED.is_empty() {
        text.push_str("\nSpills that are meant:\n\n");
        for row in EXPLAINED {
            let _ = writeln!(text, "- `{}`: {}", row.entries, row.reason);
        }
    }
    let mut templates: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        templates.entry(row.template).or_default().push(row);
    }
    for (template, mut rows) in templates {
        rows.sort_by_key(|row| &row.entry);
        let _ = write!(text, "\n## {template}\n\n|");
        for name in architectures {
            let _ = write!(text, " {name:<6} |");
        }
        text.push_str(" shared | const | threads | entry |\n|");
        architectures.iter().for_each(|_| text.push_str("--------|"));
        text.push_str("-------:|------:|--------:|-------|\n");
        for row in rows {
            text.push_str(&line(row));
        }
    }
    text
}

fn line(row: &Row) -> String {
    let mut text = "|".to_string();
    for usage in &row.usage {
        let _ = write!(text, " {:<6} |", cell(usage));
    }
    let threads = row.threads.map_or("-".to_string(), |threads| threads.to_string());
    let shared = range(row.usage.iter().map(|usage| usage.shared_bytes));
    let constant = row.usage.iter().map(|usage| usage.constant_bytes).max().unwrap_or(0);
    let _ = writeln!(text, " {shared:>6} | {constant:>5} | {threads:>7} | `{}` |", row.entry);
    text
}

fn cell(usage: &Usage) -> String {
    let mut text = if usage.registers == 0 { "-".to_string() } else { usage.registers.to_string() };
    if usage.stack_bytes > 0 {
        let _ = write!(text, " +{}", usage.stack_bytes);
    }
    if usage.spills() {
        let _ = write!(text, " !{}/{}", usage.spill_store_bytes, usage.spill_load_bytes);
    }
    text
}

/// One number where all are equal, else the least and the greatest.
fn range(values: impl Iterator<Item = u32> + Clone) -> String {
    let (least, most) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
    if least == most { most.to_string() } else { format!("{least}..{most}") }
}

/// The rows of `now` that `before` has not, and the reverse; of what is not a row, that it differs.
pub fn differences(before: &str, now: &str) -> Vec<String> {
    let only = |a: &str, b: &str| -> Vec<String> {
        let there: std::collections::HashSet<&str> = b.lines().collect();
        a.lines().filter(|line| line.starts_with('|') && !there.contains(line)).map(str::to_string).collect()
    };
    let mut found: Vec<String> = only(before, now).iter().map(|line| format!("  was {line}")).collect();
    found.extend(only(now, before).iter().map(|line| format!("  is  {line}")));
    found.sort_by(|a, b| (entry_of(a), b).cmp(&(entry_of(b), a)));
    if found.is_empty() && before != now {
        found.push("  its text or its order differs".to_string());
    }
    found
}

fn entry_of(line: &str) -> Option<&str> {
    line.trim_end_matches([' ', '|']).rsplit("| ").next()
}

/// The version of the assembler that made a table.
pub fn made_with(text: &str) -> Option<&str> {
    let start = text.find(" and ptxas ")? + " and ptxas ".len();
    text[start..].split_once(". `").map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::{Row, differences, made_with, text};
    use crate::assemble::Usage;

    fn rows(registers: u32) -> Vec<Row> {
        let usage = |registers| Usage { registers, ..Usage::default() };
        let mut spilling =
            vec![Usage { registers: 64, stack_bytes: 24, spill_store_bytes: 16, spill_load_bytes: 8, ..usage(64) }; 2];
        spilling[1].shared_bytes = 1024;
        spilling[0].constant_bytes = 40;
        vec![
            Row { template: "scan", entry: "scan_b".into(), threads: Some(256), usage: spilling },
            Row { template: "map", entry: "map_z".into(), threads: None, usage: vec![usage(registers), usage(9)] },
            Row { template: "map", entry: "map_a".into(), threads: Some(128), usage: vec![usage(10), usage(0)] },
        ]
    }

    #[test]
    fn a_table_has_a_row_an_entry() {
        let text = text("12.9.86", &["sm_75", "sm_100"], &rows(40));
        let tables = &text[text.find("## ").unwrap()..];
        let expected = "\
## map

| sm_75  | sm_100 | shared | const | threads | entry |
|--------|--------|-------:|------:|--------:|-------|
| 10     | -      |      0 |     0 |     128 | `map_a` |
| 40     | 9      |      0 |     0 |       - | `map_z` |

## scan

| sm_75  | sm_100 | shared | const | threads | entry |
|--------|--------|-------:|------:|--------:|-------|
| 64 +24 !16/8 | 64 +24 !16/8 | 0..1024 |    40 |     256 | `scan_b` |
";
        assert_eq!(tables, expected);
        assert_eq!(made_with(&text), Some("12.9.86"));
        assert_eq!(made_with("anything"), None);
    }

    #[test]
    fn differences_name_rows() {
        let before = text("12.9.86", &["sm_75", "sm_100"], &rows(40));
        let now = text("12.9.86", &["sm_75", "sm_100"], &rows(42));
        assert_eq!(differences(&before, &before), Vec::<String>::new());
        let expected = [
            "  was | 40     | 9      |      0 |     0 |       - | `map_z` |",
            "  is  | 42     | 9      |      0 |     0 |       - | `map_z` |",
        ];
        assert_eq!(differences(&before, &now), expected);
        assert_eq!(differences(&before, &format!("{before}\n")).len(), 1);
    }
}
