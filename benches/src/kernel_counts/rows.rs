//! The rows of a record: counts per row of input.

use std::ops::Index;

use comfy_table::Table;
use treepar_stand_in::{Counts, DeviceCounts};

use super::model::{H200, Model, Work};
use crate::table::{number, table as empty, text};

/// The share by which a count may exceed its record.
const SLACK: f64 = 0.05;
/// A count per row may exceed its record by this, whatever its share.
const LEAST: f64 = 0.02;

/// A count of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Launches of kernels.
    Launches,
    /// Times that the host waits.
    Waits,
    /// Instructions of threads, per row.
    Instructions,
    /// Lanes of instructions that warps issue, active or not, per row.
    Slots,
    /// Sectors of 32 bytes that loads, stores and atomics of global memory access, per row.
    Sectors,
    /// Atomic operations of warps on global memory, per row.
    Atomics,
    /// Requests of warps to shared memory, per row.
    Shared,
    /// Further rounds of these requests, because of conflicts of banks, per row.
    Conflicts,
    /// Barriers of blocks that warps execute, per row.
    Barriers,
}

/// The counts of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The operation.
    pub operation: String,
    /// The shape of its forest; empty if it has none.
    pub shape: String,
    /// The rows of input.
    pub n: usize,
    /// The counts, in the order of [`Count::ALL`].
    counts: [f64; Count::ALL.len()],
}

impl Count {
    /// All counts, in the order of a record.
    pub const ALL: [Count; 9] = [
        Count::Launches,
        Count::Waits,
        Count::Instructions,
        Count::Slots,
        Count::Sectors,
        Count::Atomics,
        Count::Shared,
        Count::Conflicts,
        Count::Barriers,
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Count::Launches => "launches",
            Count::Waits => "waits",
            Count::Instructions => "instructions",
            Count::Slots => "slots",
            Count::Sectors => "sectors",
            Count::Atomics => "atomics",
            Count::Shared => "shared",
            Count::Conflicts => "conflicts",
            Count::Barriers => "barriers",
        }
    }

    /// Returns the digits after the point that a table shows.
    fn digits(self) -> usize {
        match self {
            Count::Launches | Count::Waits => 0,
            Count::Instructions | Count::Slots => 1,
            Count::Sectors | Count::Atomics | Count::Shared => 2,
            Count::Conflicts => 3,
            Count::Barriers => 4,
        }
    }

    /// Returns the count of an operation on `n` rows.
    fn of(self, DeviceCounts { calls, .. }: &DeviceCounts, kernels: &Counts, n: usize) -> f64 {
        let count = match self {
            Count::Launches => return calls.launches as f64,
            Count::Waits => return calls.waits as f64,
            Count::Instructions => kernels.thread_instructions,
            Count::Slots => 32 * kernels.warp_instructions,
            Count::Sectors => kernels.loads.sectors + kernels.stores.sectors + kernels.atomics.sectors,
            Count::Atomics => kernels.atomics.requests,
            Count::Shared => kernels.shared_requests,
            Count::Conflicts => kernels.bank_conflicts,
            Count::Barriers => kernels.barriers,
        };
        // Records have four digits after the point.
        (count as f64 / n as f64 * 1e4).round() / 1e4
    }
}

impl Index<Count> for Row {
    type Output = f64;

    fn index(&self, count: Count) -> &f64 {
        &self.counts[count as usize]
    }
}

impl Row {
    /// Returns the row of an operation on `n` rows.
    pub fn new((operation, shape): (&str, String), n: usize, counts: &DeviceCounts) -> Row {
        let kernels = counts.total();
        let counts = Count::ALL.map(|count| count.of(counts, &kernels, n));
        Row { operation: operation.to_owned(), shape, n, counts }
    }

    /// Returns the work on all rows.
    pub fn work(&self) -> Work {
        let shared = self[Count::Shared] + self[Count::Conflicts];
        let per_row = Work { slots: self[Count::Slots], sectors: self[Count::Sectors], shared };
        per_row.times(self.n as f64)
    }

    /// Returns the least time for `n` rows by the host's clock, with launches and waits.
    pub fn seconds(&self, model: &Model, n: usize) -> f64 {
        let work = Row { n, ..self.clone() }.work();
        model.seconds(work, self[Count::Launches], self[Count::Waits])
    }
}

/// Returns a message for each count that exceeds its record, and for each operation that has no record, or no counts.
pub fn compare(recorded: &[Row], found: &[Row]) -> Vec<String> {
    let name = |row: &Row| format!("{}{}{}", row.operation, if row.shape.is_empty() { "" } else { ", " }, row.shape);
    let same = |a: &Row, b: &Row| (&a.operation, &a.shape, a.n) == (&b.operation, &b.shape, b.n);
    let mut messages = Vec::new();
    for row in found {
        let Some(record) = recorded.iter().find(|record| same(record, row)) else {
            messages.push(format!("{}: not in the record", name(row)));
            continue;
        };
        for count in Count::ALL {
            let (found, most) = (row[count], record[count]);
            if found > most * (1.0 + SLACK) + LEAST {
                messages.push(format!("{}: {found} {}, {most} in the record", name(row), count.name()));
            }
        }
    }
    for record in recorded.iter().filter(|record| !found.iter().any(|row| same(record, row))) {
        messages.push(format!("{}: recorded, but no longer measured", name(record)));
    }
    messages
}

/// Returns the rows as a table, with the time that the model predicts.
pub fn table(rows: &[Row]) -> Table {
    let names = Count::ALL.map(Count::name);
    let mut table =
        empty(["operation", "shape"].into_iter().chain(names).chain(["predicted, ns per 1000 rows", "limit"]));
    for row in rows {
        let prediction = H200.kernel_seconds(row.work());
        let counts = Count::ALL.map(|count| number(format!("{:.*}", count.digits(), row[count])));
        let predicted = number(format!("{:.2}", prediction.seconds * 1e12 / row.n as f64));
        let named = [text(&row.operation), text(&row.shape)];
        table.add_row(named.into_iter().chain(counts).chain([predicted, text(prediction.limit)]));
    }
    table
}

/// Returns the names of the columns of a record.
fn header() -> String {
    format!("operation,shape,rows,{}", Count::ALL.map(Count::name).join(","))
}

/// Returns the rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let mut text = header() + "\n";
    for Row { operation, shape, n, counts } in rows {
        let counts = counts.map(|count| count.to_string()).join(",");
        text += &format!("\"{operation}\",{shape},{n},{counts}\n");
    }
    text
}

/// Returns the rows of a CSV text.
///
/// # Errors
/// The line that is not a row.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != header()) {
        return Err(format!("the first line is not `{}`", header()));
    }
    lines.map(|(i, line)| row(line).ok_or_else(|| format!("line {}: `{line}` is no row", i + 1))).collect()
}

fn row(line: &str) -> Option<Row> {
    // Only the name of an operation has quotes, and may have commas.
    let (operation, rest) = line.strip_prefix('"')?.split_once("\",")?;
    let (shape, rest) = rest.split_once(',')?;
    let (n, rest) = rest.split_once(',')?;
    let counts: Option<Vec<f64>> = rest.split(',').map(|number| number.parse().ok()).collect();
    let counts = counts?.try_into().ok()?;
    Some(Row { operation: operation.to_owned(), shape: shape.to_owned(), n: n.parse().ok()?, counts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Row {
        let counts = [3.0, 1.0, 40.5, 50.25, 1.0, 0.0, 2.0, 0.125, 0.1];
        Row { operation: "sort, 32 bits".to_owned(), shape: String::new(), n: 1000, counts }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let rows = vec![some(), Row { shape: "chain".to_owned(), ..some() }];
        assert_eq!(read(&csv(&rows)), Ok(rows));
        assert_eq!(read("a\n"), Err(format!("the first line is not `{}`", header())));
        assert_eq!(read(&format!("{}\n\"a\",,1,2\n", header())), Err("line 2: `\"a\",,1,2` is no row".to_owned()));
    }

    #[test]
    fn counts_that_rise_are_named() {
        let record = [some()];
        let more = |count: Count, number: f64| {
            let mut row = some();
            row.counts[count as usize] = number;
            compare(&record, &[row])
        };
        assert_eq!(more(Count::Instructions, 42.0), [""; 0]);
        assert_eq!(more(Count::Instructions, 20.0), [""; 0]);
        assert_eq!(more(Count::Instructions, 43.0), ["sort, 32 bits: 43 instructions, 40.5 in the record"]);
        assert_eq!(more(Count::Waits, 2.0), ["sort, 32 bits: 2 waits, 1 in the record"]);
        assert_eq!(
            compare(&record, &[Row { shape: "star".to_owned(), ..some() }]),
            ["sort, 32 bits, star: not in the record", "sort, 32 bits: recorded, but no longer measured"]
        );
    }
}
