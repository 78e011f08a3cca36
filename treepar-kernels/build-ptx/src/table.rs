//! The table of the registers and memory that each entry needs on each architecture.
//!
//! A row is an entry, so that a change of one entry changes one line. Rows of units that are not compiled again are taken
//! from the table as it is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use treepar_kernels::driver::{OLDEST_ARCHITECTURE, Version};

use crate::assemble::{Assembler, Usage};
use crate::spills::{EXPLAINED, matches, spilled_bytes};

/// One entry.
#[derive(Clone, Debug)]
pub struct Row {
    /// The template that it is an instance of.
    pub template: &'static str,
    /// The name of the entry.
    pub entry: String,
    /// The line of the table.
    pub line: String,
}

/// The beginning of an entry's name, which the table leaves out.
const PREFIX: &str = "treepar_";

/// Threads per block of most entries, which the table leaves out.
const THREADS: u32 = 256;

/// Returns the text before the first row: the compilers' versions and the meaning of the columns.
pub fn head(nvrtc: Version, assembler: &Assembler) -> String {
    format!(
        "# Registers and memory of each kernel\n\n\
         Written by `cargo ptx` with NVRTC {nvrtc} ({OLDEST_ARCHITECTURE}) and ptxas {}.\n\n\
         Columns: registers per thread on {}; bytes of shared memory per block; the entry without `{PREFIX}`. `+n`: n bytes of local memory per thread. `!n/m`: n bytes are spilled and m are read back. \
         `xn`: blocks of at most n threads, if not {THREADS}.\n",
        assembler.version,
        assembler.architectures.join(", "),
    )
}

/// Returns the whole table, from rows in any order.
pub fn text(head: &str, rows: Vec<Row>) -> String {
    let mut text = head.to_string();
    let spilling = || rows.iter().filter(|row| spilled_bytes(&row.line) > 0);
    let accepted: Vec<_> =
        EXPLAINED.iter().filter(|row| spilling().any(|spilling| matches(row.entries, &spilling.entry))).collect();
    if !accepted.is_empty() {
        text.push_str("\nAccepted spills:\n\n");
    }
    for row in accepted {
        let _ = writeln!(text, "- `{}`: {}", row.entries, row.reason);
    }
    let mut templates: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in rows {
        templates.entry(row.template).or_default().push(row);
    }
    for (template, mut rows) in templates {
        rows.sort_by(|a, b| a.entry.cmp(&b.entry));
        let columns = rows.first().map_or(0, |row| row.line.matches('|').count());
        let _ = write!(text, "\n## {template}\n\n{}\n{}\n", "|".repeat(columns), "|-".repeat(columns - 1) + "|");
        for row in rows {
            text.push_str(&row.line);
            text.push('\n');
        }
    }
    text
}

/// Returns the line of an entry, from its usage on each architecture.
pub fn line(usage: &[Usage], threads: Option<u32>, entry: &str) -> String {
    let mut text = String::new();
    for usage in usage {
        let _ = write!(text, "|{}", usage.registers);
        if usage.stack_bytes > 0 {
            let _ = write!(text, " +{}", usage.stack_bytes);
        }
        if usage.spill_store_bytes + usage.spill_load_bytes > 0 {
            let _ = write!(text, " !{}/{}", usage.spill_store_bytes, usage.spill_load_bytes);
        }
    }
    let shared = range(usage.iter().map(|usage| usage.shared_bytes));
    let _ = write!(text, "|{shared}|{}", entry.strip_prefix(PREFIX).unwrap_or(entry));
    if let Some(threads) = threads.filter(|&threads| threads != THREADS) {
        let _ = write!(text, " x{threads}");
    }
    text.push('|');
    text
}

/// Returns one number if all are equal, else the least and the greatest.
fn range(values: impl Iterator<Item = u32> + Clone) -> String {
    let (least, most) = (values.clone().min().unwrap_or(0), values.max().unwrap_or(0));
    if least == most { most.to_string() } else { format!("{least}..{most}") }
}

/// Returns the line of each entry of a table.
pub fn lines_by_entry(table: &str) -> HashMap<String, &str> {
    let rows = table.lines().filter(|line| line.starts_with('|') && line.contains(|c: char| c.is_ascii_alphabetic()));
    rows.map(|line| (entry_of(line), line)).collect()
}

fn entry_of(line: &str) -> String {
    let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
    format!("{PREFIX}{}", last.split(' ').next().unwrap_or_default())
}

/// Returns the lines that only one of two tables has.
pub fn differences(before: &str, now: &str) -> Vec<String> {
    let (old, new): (HashSet<&str>, HashSet<&str>) = (before.lines().collect(), now.lines().collect());
    let mut found: Vec<String> = old.difference(&new).map(|line| format!("table, committed: {line}")).collect();
    found.extend(new.difference(&old).map(|line| format!("table, compiled:  {line}")));
    found.sort_by_key(|line| (entry_of(line), line.clone()));
    if found.is_empty() && before != now {
        found.push("table: the order of lines differs".to_string());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Row, differences, line, lines_by_entry, spilled_bytes, text};
    use crate::assemble::Usage;

    fn table(registers: u32) -> String {
        let usage = |registers| Usage { registers, ..Usage::default() };
        let mut spilling =
            vec![Usage { registers: 64, stack_bytes: 24, spill_store_bytes: 16, spill_load_bytes: 8, ..usage(64) }; 2];
        spilling[1].shared_bytes = 1024;
        let row = |template, entry: &str, usage: &[Usage], threads| Row {
            template,
            entry: entry.to_string(),
            line: line(usage, Some(threads), entry),
        };
        let rows = vec![
            row("scan", "treepar_scan__b", &spilling, 256),
            row("map", "treepar_map__z", &[usage(registers), usage(9)], 256),
            row("map", "treepar_map__a", &[usage(10), usage(11)], 128),
        ];
        text("head\n", rows)
    }

    #[test]
    fn a_table_has_one_row_per_entry() {
        let table = table(40);
        let expected = "head\n\n## map\n\n|||||\n|-|-|-|-|\n|10|11|0|map__a x128|\n|40|9|0|map__z|\n\n\
                        ## scan\n\n|||||\n|-|-|-|-|\n|64 +24 !16/8|64 +24 !16/8|0..1024|scan__b|\n";
        assert_eq!(table, expected);
        let lines = lines_by_entry(&table);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines["treepar_map__a"], "|10|11|0|map__a x128|");
        assert_eq!(spilled_bytes(lines["treepar_scan__b"]), 24);
        assert_eq!(spilled_bytes(lines["treepar_map__z"]), 0);
    }

    #[test]
    fn differences_are_lines() {
        assert_eq!(differences(&table(40), &table(40)), Vec::<String>::new());
        let expected = ["table, committed: |40|9|0|map__z|", "table, compiled:  |42|9|0|map__z|"];
        assert_eq!(differences(&table(40), &table(42)), expected);
        assert_eq!(differences("a\nb\n", "b\na\n"), ["table: the order of lines differs"]);
    }
}
