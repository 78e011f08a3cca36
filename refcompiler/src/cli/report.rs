//! The table of `--time-passes`.

use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Table, presets};
use refcompiler::pipeline::Timing;

/// Prints what each pass took.
pub fn time_passes(source_bytes: usize, front_end: Duration, timings: &[Timing], writing: Duration) {
    let total = front_end + timings.iter().map(|t| t.time).sum::<Duration>() + writing;
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
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
    row("write", writing, None);
    let passes = timings.iter().fold((Duration::ZERO, 0, 0), |(time, templates, bytes), t| {
        (time + t.time, templates + t.work.templates, bytes + t.work.bytes)
    });
    row("all passes after the tree", passes.0, Some((passes.1, passes.2)));
    row("all", total, None);
    eprintln!("{table}");
}
