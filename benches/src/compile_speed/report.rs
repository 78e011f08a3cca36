//! The tables and the record.

use std::fmt::Write;

use comfy_table::Table;

use super::compilers::{Compiler, OURS};
use super::rows::Row;
use crate::statistics::Statistics;
use crate::table::{number, ratio, table as new_table, text};

/// Returns the table of programs by size and shape.
pub fn table(rows: &[Row]) -> Table {
    let mut table = new_table([
        "program",
        "bytes",
        "task",
        "compiler",
        "ms",
        "MB/s",
        "times refc",
        "times the base",
        "times many functions, per byte",
        "memory per byte",
    ]);
    for row in rows {
        table.add_row([
            text(row.program),
            number(row.bytes),
            text(row.task.name()),
            text(row.compiler),
            number(format!("{:.2}", row.seconds.median * 1e3)),
            number(format!("{:.2}", row.megabytes_per_second())),
            number(ratio(row.times_refc.filter(|_| row.compiler != OURS))),
            number(of_base(row)),
            number(ratio(row.times_many.filter(|_| row.program != "many functions"))),
            number(row.peak_bytes.map_or(String::new(), |peak| format!("{:.1}", peak as f64 / row.bytes as f64))),
        ]);
    }
    table
}

/// Returns the table of the league, per function.
pub fn league_table(rows: &[Row]) -> Table {
    let mut table =
        new_table(["task", "compiler", "us per function", "times refc", "times the base", "kB per function"]);
    for row in rows {
        let functions = row.size as f64;
        table.add_row([
            text(row.task.name()),
            text(row.compiler),
            number(format!("{:.3}", row.seconds.median * 1e6 / functions)),
            number(ratio(row.times_refc.filter(|_| row.compiler != OURS))),
            number(of_base(row)),
            number(row.peak_bytes.map_or(String::new(), |peak| format!("{:.3}", peak as f64 / 1e3 / functions))),
        ]);
    }
    table
}

/// Returns the ratio of a compiler to its base, and the name of the base.
fn of_base(row: &Row) -> String {
    row.base.map_or(String::new(), |base| format!("{} of {base}", ratio(row.times_base)))
}

/// Returns the properties of a measurement for its record.
pub fn properties(compilers: &[Compiler], runs: usize) -> [(&'static str, String); 2] {
    let mut versions: Vec<&str> = compilers.iter().map(|compiler| compiler.version.as_str()).collect();
    versions.dedup();
    [("compilers", versions.join("; ")), ("runs", runs.to_string())]
}

/// Returns the rows as CSV. Spreads are distances between quartiles, relative to the median. New columns come last, so that older records
/// have the first columns.
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "program,size,bytes,task,compiler,runs,median_ms,spread_ms,cpu_ms,mb_per_s,times_refc,times_refc_spread,\
         times_many_per_byte,times_many_spread,peak_bytes,base,times_base,times_base_spread\n",
    );
    let pair = |ratio: Option<Statistics>| {
        ratio.map_or(",".to_string(), |ratio| format!("{:.4},{:.4}", ratio.median, ratio.spread()))
    };
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{:.4},{:.4},{:.4},{:.4},{},{},{},{},{}",
            row.program,
            row.size,
            row.bytes,
            row.task.name(),
            row.compiler,
            row.seconds.runs,
            row.seconds.median * 1e3,
            (row.seconds.quartiles[1] - row.seconds.quartiles[0]) * 1e3,
            row.cpu_seconds * 1e3,
            row.megabytes_per_second(),
            pair(row.times_refc),
            pair(row.times_many),
            row.peak_bytes.map_or(String::new(), |peak| peak.to_string()),
            row.base.unwrap_or(""),
            pair(row.times_base)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::compilers::Language;
    use super::super::compilers::tests::compiler;
    use super::super::rows::tests::example;
    use super::*;
    use crate::idle::Conditions;
    use crate::record::head;

    #[test]
    fn every_line_of_a_record_has_the_columns_of_its_header() {
        let mut rows = example();
        rows[2].times_refc = None;
        rows[2].peak_bytes = None;
        let csv = csv(&rows);
        let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [18; 5], "{csv}");
        let tcc = csv.lines().nth(2).unwrap();
        assert!(tcc.starts_with("many functions,1000,1100,object,tcc,3,6000.0000,"), "{tcc}");
        assert!(tcc.ends_with(",0.5000,0.2000,1.0000,0.0000,7000,,,"), "{tcc}");
        assert!(csv.ends_with(",9500,refc,1.2500,0.0200\n"), "{csv}");
    }

    #[test]
    fn a_record_says_whether_the_machine_was_busy() {
        let conditions =
            Conditions { cores: 2, load: Some(0.1), others: Some(0.0), calibration_ms: Some(9.0), spread: Some(0.02) };
        let compilers = [compiler("refc", Language::Par), compiler("tcc", Language::C)];
        let properties = properties(&compilers, 5);
        let idle = head(&properties, &conditions, &[]);
        assert!(idle.contains("# machine: idle\n") && idle.contains("# compilers: refc 1.0; tcc 1.0\n"), "{idle}");
        assert!(idle.lines().all(|line| line.starts_with("# ")) && idle.contains("spread of 2.00 %"), "{idle}");
        let busy = head(&properties, &conditions, &["the load is high".into()]);
        assert!(busy.contains("# machine: BUSY: the load is high\n"), "{busy}");
    }

    #[test]
    fn tables_show_no_ratio_of_a_row_to_itself() {
        let text = table(&example()).to_string();
        assert_eq!(text.matches(" to ").count(), 4, "{text}");
        assert!(text.contains("0.50 (0.45 to 0.55)") && text.contains("1.50 (1.50 to 1.50)"), "{text}");
        assert!(text.contains("1.25 (1.25 to 1.27) of refc"), "{text}");
        assert!(league_table(&example()).to_string().contains("0.50 (0.45 to 0.55)"));
    }
}
