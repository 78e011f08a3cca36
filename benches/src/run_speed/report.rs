//! The tables and the record.

use std::fmt::Write;

use comfy_table::Table;

use super::builds::{Compiler, names};
use super::programs::Subject;
use super::rows::Row;
use crate::statistics::Statistics;
use crate::table::{number, ratio, table as new_table, text};

/// Returns the table of programs and compilers.
pub fn table(rows: &[Row]) -> Table {
    let mut table = new_table(["program", "compiler", "ms", "times gcc -O1", "times tcc"]);
    for row in rows {
        table.add_row([
            text(row.program),
            text(row.compiler),
            number(format!("{:.1}", row.seconds.median * 1e3)),
            number(ratio(row.times_gcc.filter(|_| row.compiler != names::GCC_1))),
            number(ratio(row.times_tcc.filter(|_| row.compiler != names::TCC))),
        ]);
    }
    table
}

/// Returns one line for each goal that can be judged: the measured ratios with their limits.
pub fn goals(subjects: &[Subject], rows: &[Row]) -> String {
    let mut out = String::new();
    for subject in subjects {
        let row = rows.iter().find(|row| (row.program, row.compiler) == (subject.name, names::REFC_1));
        let Some((goal, row)) = subject.goal.zip(row) else { continue };
        let limits = [("gcc -O1", row.times_gcc.zip(goal.gcc)), ("tcc", row.times_tcc.zip(Some(goal.tcc)))];
        let judged: Vec<_> =
            limits.iter().filter_map(|(name, both)| both.map(|(found, limit)| (name, found.median, limit))).collect();
        if judged.is_empty() {
            continue;
        }
        let is_met = judged.iter().all(|(_, found, limit)| found <= limit);
        let parts: Vec<String> =
            judged.iter().map(|(name, found, limit)| format!("{found:.2} times {name}, limit {limit:.2}")).collect();
        let verdict = if is_met { "met" } else { "missed" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}: {} ({verdict})", subject.name, parts.join("; "));
    }
    out
}

/// Returns the properties of a measurement for its record.
pub fn properties(compilers: &[Compiler], runs: usize) -> [(&'static str, String); 2] {
    let mut versions: Vec<&str> = compilers.iter().map(|compiler| compiler.version.as_str()).collect();
    versions.retain(|version| !version.is_empty());
    versions.dedup();
    [("compilers", versions.join("; ")), ("runs", runs.to_string())]
}

/// Returns the rows as CSV. Spreads are distances between quartiles, relative to the median.
pub fn csv(rows: &[Row]) -> String {
    let mut out =
        String::from("program,compiler,runs,median_ms,spread,times_gcc,times_gcc_spread,times_tcc,times_tcc_spread\n");
    let pair = |ratio: Option<Statistics>| {
        ratio.map_or(",".to_string(), |ratio| format!("{:.4},{:.4}", ratio.median, ratio.spread()))
    };
    for row in rows {
        let _ = writeln!(
            out,
            "{},{},{},{:.3},{:.4},{},{}",
            row.program,
            row.compiler,
            row.seconds.runs,
            row.seconds.median * 1e3,
            row.seconds.spread(),
            pair(row.times_gcc),
            pair(row.times_tcc)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::builds::tests::compilers;
    use super::super::programs::subjects;
    use super::super::rows::tests::example;
    use super::*;

    #[test]
    fn every_line_of_a_record_has_the_columns_of_its_header() {
        let mut rows = example();
        rows[1].times_gcc = None;
        let csv = csv(&rows);
        assert!(csv.lines().all(|line| line.split(',').count() == 9), "{csv}");
        assert!(csv.contains("\ngcd,refc -O1,3,10000.000,"), "{csv}");
    }

    #[test]
    fn tables_show_no_ratio_of_a_row_to_itself() {
        let text = table(&example()).to_string();
        assert_eq!(text.matches(" to ").count(), 4, "{text}");
        assert!(text.contains("4.00 (4.00 to 4.00)"), "{text}");
    }

    #[test]
    fn goals_are_judged_by_both_limits() {
        let mut rows = example();
        let missed = goals(&subjects(true), &rows);
        assert_eq!(missed, "gcd: 4.00 times gcc -O1, limit 2.00; 2.00 times tcc, limit 1.00 (missed)\n");
        let even = |ratio: Option<Statistics>| ratio.map(|ratio| Statistics { median: 1.0, ..ratio });
        (rows[0].times_gcc, rows[0].times_tcc) = (even(rows[0].times_gcc), even(rows[0].times_tcc));
        assert!(goals(&subjects(true), &rows).ends_with("(met)\n"));
        (rows[0].times_gcc, rows[0].times_tcc) = (None, None);
        assert_eq!(goals(&subjects(true), &rows), "");
    }

    #[test]
    fn compilers_have_one_version_each() {
        let properties = properties(&compilers(&[names::TCC, names::GCC_0]), 3);
        assert_eq!(properties[0].1, "tcc 1.0; gcc -O0 1.0");
    }
}
