//! The tables of a check, as text.

use std::fmt::Write as _;

use comfy_table::Table;

use crate::gpu_check::record::{Compilation, Device, PassRow, PrimitiveRow, Record, best, median};
use crate::table::{number, table, text as cell};

/// The maximum number of printed skips per part.
const SKIPS: usize = 8;

/// Returns all tables. The last line is the verdict.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", head(record));
    if !record.primitives.is_empty() {
        let _ = writeln!(out, "\nprimitives\n{}", primitives(&record.primitives));
        let _ = writeln!(out, "{}", slow(&record.primitives));
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
            let _ = writeln!(out, "skipped in {}: {} more, listed in the record", part.name, part.skips.len() - SKIPS);
        }
    }
    for part in record.parts.iter().filter(|part| !part.unchecked.is_empty()) {
        let _ = writeln!(out, "no case checked in {}: {}", part.name, part.unchecked.join(", "));
    }
    for part in &record.parts {
        for failure in &part.failures {
            let _ = writeln!(out, "FAILED in {}: {}: {}", part.name, failure.what, failure.wrong);
        }
    }
    if let Some(why) = &record.stopped {
        let _ = writeln!(out, "stopped early: {why}");
    }
    let _ = write!(out, "{} ({:.0} s)", record.verdict(), record.seconds);
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
    // The longest copy is the most accurate.
    if let Some(row) = record.primitives.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes)) {
        device += &format!(", copy bandwidth {:.0} GB/s", row.copy_bandwidth() / 1e9);
    }
    format!(
        "gpu-check {} ({}), {}\n{}: {device}\ncompared with {}",
        record.version,
        record.commit,
        record.date,
        record.backend,
        record.host.text()
    )
}

fn parts(record: &Record) -> Table {
    let mut table = table(["part", "verdict", "passed", "failed", "skipped", "seconds"]);
    for part in &record.parts {
        table.add_row([
            cell(part.name),
            cell(part.verdict()),
            number(part.passed.to_string()),
            number(part.failures.len().to_string()),
            number(part.skipped.to_string()),
            number(format!("{:.1}", part.seconds)),
        ]);
    }
    table
}

fn primitives(rows: &[PrimitiveRow]) -> Table {
    let mut table = table([
        "operation",
        "rows",
        "shape",
        "best, µs",
        "median, µs",
        "device, µs",
        "ns per row",
        "bytes per row",
        "moved per row",
        "GB/s",
        "share of a copy",
    ]);
    for row in rows {
        table.add_row([
            cell(&row.operation),
            number(format!("{:e}", row.rows as f64)),
            cell(&row.shape),
            number(format!("{:.1}", row.best() * 1e6)),
            number(format!("{:.1}", median(&row.seconds) * 1e6)),
            number(row.device_seconds.map_or(String::new(), |seconds| format!("{:.1}", seconds * 1e6))),
            number(format!("{:.3}", row.best() / row.rows as f64 * 1e9)),
            number(format!("{:.1}", row.bytes / row.rows as f64)),
            number(format!("{:.1}", row.moved_bytes as f64 / row.rows as f64)),
            number(format!("{:.1}", row.bandwidth() / 1e9)),
            number(format!("{:.0} %", 100.0 * row.share_of_copy())),
        ]);
    }
    table
}

/// The share of a copy's speed that every primitive should reach.
const GOOD: f64 = 0.8;

/// Returns a line that lists the slow operations on the largest inputs.
fn slow(rows: &[PrimitiveRow]) -> String {
    let most = rows.iter().map(|row| row.rows).max().unwrap_or(0);
    let below = rows.iter().filter(|row| row.rows == most && row.share_of_copy() < GOOD);
    let below: Vec<String> =
        below.map(|row| format!("{} ({:.0} %)", row.operation, 100.0 * row.share_of_copy())).collect();
    let below = if below.is_empty() { "none".into() } else { below.join(", ") };
    format!("slower than {:.0} % of a copy at {:e} rows: {below}", 100.0 * GOOD, most as f64)
}

fn title(of: &Compilation) -> String {
    let (ours, cpu) = (best(&of.seconds), best(&of.cpu_seconds));
    let (front_end, cpu_front_end) = (best(&of.front_end_seconds), best(&of.cpu_front_end_seconds));
    let megabytes = of.source_bytes as f64 / 1e6;
    let speed = |seconds: f64| format!("{:.2} ms, {:.0} MB/s", seconds * 1e3, megabytes / seconds);
    format!(
        "refc, {megabytes:.1} MB of source, {} nodes, {} words\n\
         tree to words: {}; on the CPU {}, {:.1} times as long\n\
         source to tree: {}; on the CPU {}; by the sequential front end {}\n\
         source to words: {}; on the CPU {}",
        of.nodes,
        of.words,
        speed(ours),
        speed(cpu),
        cpu / ours,
        speed(front_end),
        speed(cpu_front_end),
        speed(of.parse_seconds),
        speed(front_end + ours),
        speed(cpu_front_end + cpu)
    )
}

fn passes(of: &Compilation) -> Table {
    let mut table = table(["pass", "ms", "share", "templates", "MB", "GB/s"]);
    let total: f64 = of.passes.iter().map(|row| row.seconds).sum();
    let mut add = |name: &str, seconds: f64, templates: u64, bytes: u64| {
        table.add_row([
            cell(name),
            number(format!("{:.3}", seconds * 1e3)),
            number(format!("{:.0} %", 100.0 * seconds / total)),
            number(templates.to_string()),
            number(format!("{:.2}", bytes as f64 / 1e6)),
            number(format!("{:.1}", bytes as f64 / seconds / 1e9)),
        ]);
    };
    for row in &of.passes {
        add(&row.pass, row.seconds, row.templates, row.bytes);
    }
    let sum = |of_row: fn(&PassRow) -> u64| of.passes.iter().map(of_row).sum();
    add("all passes", total, sum(|row| row.templates), sum(|row| row.bytes));
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu_check::record::example;

    #[test]
    fn the_front_end_is_timed_separately() {
        let text = text(&example());
        assert!(text.contains("tree to words: 250.00 ms, 40 MB/s; on the CPU 500.00 ms, 20 MB/s, 2.0 times"), "{text}");
        assert!(text.contains("source to tree: 500.00 ms, 20 MB/s; on the CPU 250.00 ms, 40 MB/s; by the"), "{text}");
        assert!(text.contains("front end 750.00 ms, 13 MB/s\nsource to words: 750.00 ms, 13 MB/s; on the"), "{text}");
    }

    #[test]
    fn slow_operations_are_listed_for_the_largest_size_only() {
        let mut record = example();
        assert!(text(&record).contains("slower than 80 % of a copy at 1e1 rows: map (50 %)"), "{}", text(&record));
        assert!(text(&record).contains(", copy bandwidth 12 GB/s"), "{}", text(&record));
        let larger = PrimitiveRow { rows: 100, device_seconds: Some(1e-8), ..record.primitives[0].clone() };
        record.primitives.push(larger);
        assert!(text(&record).contains("slower than 80 % of a copy at 1e2 rows: none"), "{}", text(&record));
    }

    #[test]
    fn laws_without_a_case_are_named() {
        let mut record = example();
        record.parts[0].unchecked = vec!["keys::sort".into(), "masks::all".into()];
        let text = text(&record);
        assert!(text.contains("no case checked in laws: keys::sort, masks::all"), "{text}");
        assert!(text.contains("INCOMPLETE ("), "{text}");
    }
}
