//! The table, the targets, and the CSV record.

use std::fmt::Write;

use comfy_table::Table;

use super::rows::Row;
use crate::statistics::Statistics;
use crate::table::{number, table as new_table, text};

/// The least speed on one thread, relative to sequential code.
const LEAST_ON_ONE: f64 = 0.9;

/// The least speed on all threads, if they are two.
const LEAST_ON_ALL: f64 = 1.5;

/// Returns the table of all rows.
pub fn table(rows: &[Row], threads: usize) -> Table {
    let all = format!("{threads} threads");
    let mut table = new_table([
        "application",
        "nodes",
        "sequential, ns per node",
        "1 thread",
        &all,
        "speed, 1 thread",
        &format!("speed, {all}"),
        "input, bytes per node",
        "moved per node",
    ]);
    for row in rows {
        let per_node = |bytes: f64| number(format!("{:.1}", bytes / row.nodes as f64));
        table.add_row([
            text(row.application),
            number(row.nodes),
            number(format!("{:.2}", row.ns_per_node(0))),
            number(format!("{:.2}", row.ns_per_node(1))),
            number(format!("{:.2}", row.ns_per_node(2))),
            number(ratio(&row.speed[0])),
            number(ratio(&row.speed[1])),
            per_node(row.input_bytes as f64),
            per_node(row.moved_bytes as f64),
        ]);
    }
    table
}

/// Returns the median of a ratio and its quartiles.
fn ratio(ratio: &Statistics) -> String {
    let [low, high] = ratio.quartiles;
    format!("{:.2} ({low:.2} to {high:.2})", ratio.median)
}

/// Returns a summary of each target at 10^6 nodes, followed by the rows that miss it.
pub fn targets(rows: &[Row], threads: usize) -> String {
    let mut out = String::new();
    let large: Vec<&Row> = rows.iter().filter(|row| (1_000_000..2_000_000).contains(&row.nodes)).collect();
    let names = ["one thread".to_string(), format!("{threads} threads")];
    for (k, (name, least)) in names.iter().zip([LEAST_ON_ONE, LEAST_ON_ALL]).enumerate() {
        let missed: Vec<&&Row> = large.iter().filter(|row| row.speed[k].median < least).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "10^6 nodes, {name}: at least {least} of the sequential speed: {} of {}",
            large.len() - missed.len(),
            large.len()
        );
        for row in missed {
            let _ = writeln!(out, "  missed: {}: {:.2}", row.application, row.speed[k].median);
        }
    }
    out
}

/// Returns the rows as CSV. Spreads are distances between quartiles, relative to the median.
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "application,node,nodes,input_bytes,moved_bytes,runs,sequential_ns,one_thread_ns,all_threads_ns,\
         speed_one,speed_one_spread,speed_all,speed_all_spread\n",
    );
    for row in rows {
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4}",
            row.application,
            row.node,
            row.nodes,
            row.input_bytes,
            row.moved_bytes,
            row.speed[0].runs,
            row.ns_per_node(0),
            row.ns_per_node(1),
            row.ns_per_node(2),
            row.speed[0].median,
            row.speed[0].spread(),
            row.speed[1].median,
            row.speed[1].spread(),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::example;
    use super::*;

    #[test]
    fn every_line_of_a_record_has_the_columns_of_its_header() {
        let rows = [example(&[[2e-6, 1e-6, 5e-7]]), example(&[[3e-6, 1e-6, 5e-7], [1e-6, 1e-6, 1e-6]])];
        let csv = csv(&rows);
        let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [13; 3], "{csv}");
        let first = "markdown outline,heading,1000,5000,40000,1,2.0000,1.0000,0.5000,2.0000,0.0000,4.0000,0.0000";
        assert_eq!(csv.lines().nth(1), Some(first));
    }

    #[test]
    fn tables_have_a_line_per_row() {
        let rows = [example(&[[2e-6, 1e-6, 5e-7]])];
        let text = table(&rows, 2).to_string();
        assert!(text.contains("speed, 2 threads") && text.contains("4.00 (4.00 to 4.00)"), "{text}");
    }

    #[test]
    fn rows_of_a_million_nodes_are_compared_with_the_targets() {
        let mut rows = vec![example(&[[1.0, 1.0, 0.9]]); 2];
        (rows[0].nodes, rows[0].application) = (1_000_000, "large");
        let text = targets(&rows, 2);
        assert!(text.contains("one thread: at least 0.9 of the sequential speed: 1 of 1"), "{text}");
        assert!(text.contains("  missed: large: 1.11\n") && !text.contains("markdown"), "{text}");
    }
}
