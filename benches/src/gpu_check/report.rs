//! The tables of a check, as text.

use std::fmt::Write as _;

use comfy_table::Table;

use crate::gpu_check::record::{Compilation, Device, PassRow, PrimitiveRow, Record, best, median};
use crate::table::{number, table, text as cell};

/// The maximum number of printed skips per part.
const SKIPS: usize = 8;

/// The first line of the tables of a check on the stand-in.
const NO_MEASUREMENT: &str = "NOT A MEASUREMENT: no GPU took part. Kernels ran on the stand-in, an executor of PTX on the host. Answers are checked; times mean nothing.";

/// Returns all tables. The last line is the verdict.
pub fn text(record: &Record) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    if record.stand_in {
        let _ = writeln!(out, "{NO_MEASUREMENT}");
    }
    let _ = writeln!(out, "{}", head(record));
    if !record.primitives.is_empty() {
        let _ = writeln!(
            out,
            "\nprimitives; predicted: the least time on an {}, by the counts of its kernels",
            record.model
        );
        let _ = writeln!(out, "{}", primitives(&record.primitives, record.stand_in));
        if !record.stand_in {
            let _ = writeln!(out, "{}", slow(&record.primitives));
        }
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
    let on = if record.stand_in { " on the stand-in" } else { "" };
    let _ = write!(out, "{}{on} ({:.0} s)", record.verdict(), record.seconds);
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
    if !record.stand_in
        && let Some(row) = record.primitives.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes))
    {
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

/// Returns the table of operations. Rates of the stand-in are left out.
fn primitives(rows: &[PrimitiveRow], stand_in: bool) -> Table {
    let rate = |text: String| number(if stand_in { String::new() } else { text });
    let mut table = table([
        "operation",
        "rows",
        "shape",
        "best, µs",
        "median, µs",
        "device, µs",
        "predicted, µs",
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
            number(row.predicted_seconds.map_or(String::new(), |seconds| format!("{:.1}", seconds * 1e6))),
            number(format!("{:.3}", row.best() / row.rows as f64 * 1e9)),
            number(format!("{:.1}", row.bytes / row.rows as f64)),
            number(format!("{:.1}", row.moved_bytes as f64 / row.rows as f64)),
            rate(format!("{:.1}", row.bandwidth() / 1e9)),
            rate(format!("{:.0} %", 100.0 * row.share_of_copy())),
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
    let (whole, cpu_whole) = (best(&of.whole_seconds), best(&of.cpu_whole_seconds));
    let megabytes = of.source_bytes as f64 / 1e6;
    let speed = |seconds: f64| format!("{:.2} ms, {:.0} MB/s", seconds * 1e3, megabytes / seconds);
    let shown = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!(" (predicted {:.2} ms)", s * 1e3));
    let predicted_passes = predicted(&of.passes);
    let predicted_front_end = of.predicted_front_end_seconds;
    let predicted_whole = predicted_front_end.zip(predicted_passes).map(|(front_end, passes)| front_end + passes);
    format!(
        "refc, {megabytes:.1} MB of source, {} nodes, {} words\n\
         tree on the host to words: {}{}; on the CPU {}, {:.1} times as long\n\
         source to tree: {}{}; on the CPU {}; by the sequential front end {}\n\
         source to words: {}{}; on the CPU {}, {:.1} times as long",
        of.nodes,
        of.words,
        speed(ours),
        shown(predicted_passes),
        speed(cpu),
        cpu / ours,
        speed(front_end),
        shown(predicted_front_end),
        speed(cpu_front_end),
        speed(of.parse_seconds),
        speed(whole),
        shown(predicted_whole),
        speed(cpu_whole),
        cpu_whole / whole
    )
}

/// Returns the seconds that are predicted for the passes with counts; `None` if no pass has any. The others launch no kernel.
fn predicted(passes: &[PassRow]) -> Option<f64> {
    passes.iter().filter_map(|row| row.predicted_seconds).reduce(|sum, seconds| sum + seconds)
}

fn passes(of: &Compilation) -> Table {
    let mut table = table(["pass", "ms", "predicted, ms", "share", "templates", "MB", "GB/s"]);
    let total: f64 = of.passes.iter().map(|row| row.seconds).sum();
    let mut add = |name: &str, (seconds, predicted): (f64, Option<f64>), templates: u64, bytes: u64| {
        table.add_row([
            cell(name),
            number(format!("{:.3}", seconds * 1e3)),
            number(predicted.map_or(String::new(), |seconds| format!("{:.3}", seconds * 1e3))),
            number(format!("{:.0} %", 100.0 * seconds / total)),
            number(templates.to_string()),
            number(format!("{:.2}", bytes as f64 / 1e6)),
            number(format!("{:.1}", bytes as f64 / seconds / 1e9)),
        ]);
    };
    for row in &of.passes {
        add(&row.pass, (row.seconds, row.predicted_seconds), row.templates, row.bytes);
    }
    let sum = |of_row: fn(&PassRow) -> u64| of.passes.iter().map(of_row).sum();
    add("all passes", (total, predicted(&of.passes)), sum(|row| row.templates), sum(|row| row.bytes));
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu_check::record::example;

    #[test]
    fn the_front_end_is_timed_separately() {
        let text = text(&example());
        let tree = "tree on the host to words: 250.00 ms, 40 MB/s (predicted 62.50 ms); on the CPU 500.00 ms, 20 MB/s, 2.0 times";
        let front_end = "source to tree: 500.00 ms, 20 MB/s (predicted 125.00 ms); on the CPU 250.00 ms, 40 MB/s; by";
        let whole = "front end 750.00 ms, 13 MB/s\nsource to words: 625.00 ms, 16 MB/s (predicted 187.50 ms); on the";
        for line in [tree, front_end, whole] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn predictions_are_next_to_times_and_may_be_missing() {
        let mut record = example();
        let has = |record: &Record, cells: &[&str]| {
            text(record).lines().any(|line| line.split_whitespace().collect::<Vec<_>>().starts_with(cells))
        };
        // Best, median and prediction of an operation, and of a pass.
        assert!(has(&record, &["map", "1e1", "0.0", "0.0", "0.0", "2.000"]), "{}", text(&record));
        assert!(has(&record, &["lift", "250.000", "62.500", "100", "%"]), "{}", text(&record));
        record.passes[0].passes[0].predicted_seconds = None;
        assert!(has(&record, &["lift", "250.000", "100", "%"]) && !text(&record).contains("predicted 187"));
    }

    #[test]
    fn tables_of_the_stand_in_say_so_and_compare_with_no_copy() {
        let record = Record { stand_in: true, ..example() };
        let text = text(&record);
        assert!(text.starts_with("NOT A MEASUREMENT: no GPU took part."), "{text}");
        assert!(text.contains("\nok on the stand-in (2 s)"), "{text}");
        assert!(!text.contains("copy bandwidth") && !text.contains("slower than") && !text.contains("50 %"), "{text}");
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
