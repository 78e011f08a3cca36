//! The table of `--time-passes`, and the summary of `--verbose`.

use std::time::Duration;

use comfy_table::{Cell, CellAlignment, LineStyle, Table, presets};
use refcompiler::pipeline::Timing;

/// Prints the time of each pass. `writing` is absent if nothing was written.
pub fn time_passes(source_bytes: usize, front_end: Duration, timings: &[Timing], writing: Option<Duration>) {
    let passes = timings.iter().map(|t| t.time).sum::<Duration>();
    let total = front_end + passes + writing.unwrap_or_default();
    let mut table = Table::new();
    table.load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(["pass", "ms", "share", "templates", "MB moved", "MB/s of source"]);
    let mut row = |name: &str, time: Duration, work: Option<(u64, u64)>| {
        let seconds = time.as_secs_f64();
        let speed = source_bytes as f64 / 1e6 / seconds.max(1e-9);
        let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row([
            Cell::new(name),
            number(format!("{:.3}", seconds * 1e3)),
            number(format!("{:.1} %", 100.0 * seconds / total.as_secs_f64().max(1e-9))),
            number(work.map_or(String::new(), |(templates, _)| templates.to_string())),
            number(work.map_or(String::new(), |(_, bytes)| format!("{:.2}", bytes as f64 / 1e6))),
            number(format!("{speed:.0}")),
        ]);
    };
    row("front end", front_end, None);
    for timing in timings {
        row(timing.pass, timing.time, Some((timing.work.templates, timing.work.bytes)));
    }
    if let Some(writing) = writing {
        row("write", writing, None);
    }
    if !timings.is_empty() {
        let work =
            timings.iter().fold((0, 0), |(templates, bytes), t| (templates + t.work.templates, bytes + t.work.bytes));
        row("all passes after the tree", passes, Some(work));
    }
    row("total", total, None);
    eprintln!("{table}");
}

/// Returns the peak memory of this process in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
