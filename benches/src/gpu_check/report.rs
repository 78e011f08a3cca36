//! The tables that a reader sees.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, LineStyle, Table, presets};

use crate::record::{Compilation, Device, PrimitiveRow, Record, best, median};

/// Lines of what was left out, for each part.
const SKIPS: usize = 8;

/// Everything, the verdict last.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}", head(record));
    if !record.primitives.is_empty() {
        let _ = writeln!(out, "\nprimitives\n{}", primitives(&record.primitives));
    }
    for compilation in &record.passes {
        let _ = writeln!(out, "\n{}\n{}", title(compilation), passes(compilation));
    }
    let _ = writeln!(out, "\n{}", parts(record));
    for part in &record.parts {
        for skip in part.skips.iter().take(SKIPS) {
            let _ = writeln!(out, "skipped in {}: {skip}", part.name);
        }
        if part.skips.len() > SKIPS {
            let _ = writeln!(out, "skipped in {}: {} more, in the record", part.name, part.skips.len() - SKIPS);
        }
    }
    for part in &record.parts {
        for failure in &part.failures {
            let _ = writeln!(out, "FAILED in {}: {}: {}", part.name, failure.what, failure.wrong);
        }
    }
    if let Some(why) = &record.stopped {
        let _ = writeln!(out, "ended early: {why}");
    }
    let verdict = match (record.is_green(), &record.stopped) {
        (true, _) => "all that was checked is right",
        (false, Some(_)) => "NOT through",
        (false, None) => "NOT all right",
    };
    let _ = write!(out, "{verdict}, in {:.0} s", record.seconds);
    out
}

fn head(record: &Record) -> String {
    let Device { name, memory_bytes, driver, details } = &record.device;
    let mut device = name.clone();
    if *memory_bytes > 0 {
        device += &format!(", {:.0} GiB", *memory_bytes as f64 / f64::from(1 << 30));
    }
    if !driver.is_empty() {
        device += &format!(", driver {driver}");
    }
    for (name, value) in details {
        device += &format!(", {name} {value}");
    }
    format!(
        "gpu-check {} ({}), {}\n{}: {device}\nbeside {}",
        record.version,
        record.commit,
        record.date,
        record.backend,
        record.machine.text()
    )
}

fn new_table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header);
    table
}

fn number(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn parts(record: &Record) -> Table {
    let mut table = new_table(["part", "verdict", "passed", "failed", "skipped", "seconds"]);
    for part in &record.parts {
        table.add_row([
            Cell::new(part.name),
            Cell::new(part.verdict()),
            number(part.passed.to_string()),
            number(part.failures.len().to_string()),
            number(part.skipped.to_string()),
            number(format!("{:.1}", part.seconds)),
        ]);
    }
    table
}

fn primitives(rows: &[PrimitiveRow]) -> Table {
    let mut table =
        new_table(["operation", "rows", "shape", "best, µs", "median, µs", "ns a row", "GB/s", "share of a copy"]);
    for row in rows {
        table.add_row([
            Cell::new(&row.operation),
            number(format!("{:e}", row.rows as f64)),
            Cell::new(&row.shape),
            number(format!("{:.1}", row.best() * 1e6)),
            number(format!("{:.1}", median(&row.seconds) * 1e6)),
            number(format!("{:.3}", row.best() / row.rows as f64 * 1e9)),
            number(format!("{:.1}", row.bandwidth() / 1e9)),
            number(format!("{:.0} %", 100.0 * row.share_of_copy())),
        ]);
    }
    table
}

fn title(of: &Compilation) -> String {
    let (ours, cpu) = (best(&of.seconds), best(&of.cpu_seconds));
    format!(
        "refc, {:.1} MB of source, {} nodes, {} words: {:.2} ms, {:.0} MB/s; the CPU {:.2} ms, {:.1} times as long",
        of.source_bytes as f64 / 1e6,
        of.nodes,
        of.words,
        ours * 1e3,
        of.source_bytes as f64 / 1e6 / ours,
        cpu * 1e3,
        cpu / ours
    )
}

fn passes(of: &Compilation) -> Table {
    let mut table = new_table(["pass", "ms", "share", "launches", "MB", "GB/s"]);
    let total: f64 = of.passes.iter().map(|row| row.seconds).sum();
    let mut add = |name: &str, seconds: f64, launches: u64, bytes: u64| {
        table.add_row([
            Cell::new(name),
            number(format!("{:.3}", seconds * 1e3)),
            number(format!("{:.0} %", 100.0 * seconds / total)),
            number(launches.to_string()),
            number(format!("{:.2}", bytes as f64 / 1e6)),
            number(format!("{:.1}", bytes as f64 / seconds / 1e9)),
        ]);
    };
    for row in &of.passes {
        add(&row.pass, row.seconds, row.launches, row.bytes);
    }
    let sum = |of_row: fn(&crate::record::PassRow) -> u64| of.passes.iter().map(of_row).sum();
    add("each alone, together", total, sum(|row| row.launches), sum(|row| row.bytes));
    table
}
