//! The table, the missed targets, and the CSV record.

use std::fmt::Write as _;

use benches::operations::Kind;
use benches::operations::data::Shape;
use benches::table::{number, table as new_table, text};
use comfy_table::Table;

/// The measurement of one operation on one input.
pub struct Row {
    pub operation: &'static str,
    pub kind: Kind,
    pub n: usize,
    pub shape: Shape,
    /// The bytes that any algorithm must move: the input and the answer.
    pub bytes: f64,
    /// The bytes that treepar reads and writes, including intermediate columns.
    pub moved: u64,
    /// Seconds of plain code, of treepar with one thread, and of treepar with several threads.
    pub plain: f64,
    pub one: f64,
    pub some: f64,
    /// The bandwidth of a copy with several threads, in bytes per second.
    pub copy_bandwidth: f64,
}

impl Row {
    fn bandwidth(&self) -> f64 {
        self.bytes / self.some
    }

    fn share_of_copy(&self) -> f64 {
        self.bandwidth() / self.copy_bandwidth
    }
}

/// Returns the table of all measurements.
pub fn table(rows: &[Row], threads: usize) -> Table {
    let some = format!("{threads} threads");
    let mut table = new_table([
        "operation",
        "rows",
        "shape",
        "plain, ns per row",
        "1 thread",
        &some,
        "speed-up, 1 thread",
        &format!("speed-up, {some}"),
        "bytes per row",
        "moved per row",
        "GB/s",
        "share of a copy",
    ]);
    for row in rows {
        let per_row = |seconds: f64| number(format!("{:.3}", seconds / row.n as f64 * 1e9));
        table.add_row([
            text(row.operation),
            number(format!("{:e}", row.n as f64)),
            text(row.shape),
            per_row(row.plain),
            per_row(row.one),
            per_row(row.some),
            number(format!("{:.2}", row.plain / row.one)),
            number(format!("{:.2}", row.plain / row.some)),
            number(format!("{:.1}", row.bytes / row.n as f64)),
            number(format!("{:.1}", row.moved as f64 / row.n as f64)),
            number(format!("{:.2}", row.bandwidth() / 1e9)),
            number(format!("{:.0} %", 100.0 * row.share_of_copy())),
        ]);
    }
    table
}

/// Returns a summary of each target, followed by the rows that miss it.
pub fn marks(rows: &[Row], threads: usize) -> String {
    let large = 10_000_000;
    let peer = |row: &Row| row.operation.contains(';');
    let mut out = String::new();
    let mut mark = |text: String, applies: &dyn Fn(&Row) -> bool, value: &dyn Fn(&Row) -> f64, least: f64| {
        let those: Vec<&Row> = rows.iter().filter(|row| applies(row)).collect();
        let missed: Vec<&&Row> = those.iter().filter(|row| value(row) < least).collect();
        let _ = writeln!(out, "{text}: {} of {} rows", those.len() - missed.len(), those.len());
        for row in missed {
            let _ = writeln!(out, "  missed: {}, {:e} rows, {}: {:.2}", row.operation, row.n, row.shape, value(row));
        }
    };
    mark(
        format!("passes and memory-bound operations at 1e7 rows, {threads} threads: at least 1.6 times plain code"),
        &|row| row.n >= large && matches!(row.kind, Kind::Pass | Kind::Memory),
        &|row| row.plain / row.some,
        1.6,
    );
    mark(
        "all operations, one thread: at least 0.9 of plain code".into(),
        &|row| !peer(row),
        &|row| row.plain / row.one,
        0.9,
    );
    mark(
        format!("all operations at 1e3 rows, {threads} threads: at least 0.9 of plain code"),
        &|row| row.n <= 1000 && !peer(row),
        &|row| row.plain / row.some,
        0.9,
    );
    mark(
        format!("map, scan and compact at 1e7 rows, {threads} threads: at least 0.8 of a copy's bandwidth"),
        &|row| row.n >= large && row.kind == Kind::Pass,
        &Row::share_of_copy,
        0.8,
    );
    mark(
        "parents and nearest marked: at most 3 times as long as a scan of the same bytes".into(),
        &|row| matches!(row.operation, "parents" | "nearest marked"),
        &|row| scan_seconds(rows, row) / row.some,
        1.0 / 3.0,
    );
    out
}

/// Returns the time of a scan over the same number of bytes.
fn scan_seconds(rows: &[Row], row: &Row) -> f64 {
    let scan = rows.iter().find(|other| other.operation == "scan, exclusive" && other.n == row.n);
    scan.map_or(f64::NAN, |scan| scan.some * row.bytes / scan.bytes)
}

/// Returns the CSV record.
pub fn csv(rows: &[Row]) -> String {
    let mut out =
        String::from("operation,rows,shape,plain_ns,one_thread_ns,some_threads_ns,bytes,moved_bytes,copy_gb_per_s\n");
    for row in rows {
        let ns = |seconds: f64| seconds / row.n as f64 * 1e9;
        let _ = writeln!(
            out,
            "\"{}\",{},{},{:.4},{:.4},{:.4},{:.0},{},{:.3}",
            row.operation,
            row.n,
            row.shape,
            ns(row.plain),
            ns(row.one),
            ns(row.some),
            row.bytes,
            row.moved,
            row.copy_bandwidth / 1e9
        );
    }
    out
}
