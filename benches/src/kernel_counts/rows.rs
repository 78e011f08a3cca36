//! The rows of a record: counts per row of input.

use comfy_table::Table;
use treepar_stand_in::{CallCounts, Counts};

use super::model::{H200, Work};
use crate::table::{number, table as empty, text};

/// The share by which a count may exceed its record.
const SLACK: f64 = 0.05;
/// A count per row may exceed its record by this, whatever its share.
const LEAST: f64 = 0.02;

/// The counts of one operation. Counts are per row of input, launches and waits per operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The operation.
    pub operation: String,
    /// The shape of its forest; empty if it has none.
    pub shape: String,
    /// The rows of input.
    pub n: usize,
    /// Launches of kernels.
    pub launches: f64,
    /// Times that the host waits.
    pub waits: f64,
    /// Instructions of threads.
    pub instructions: f64,
    /// Lanes of instructions that warps issue, active or not.
    pub slots: f64,
    /// Sectors of 32 bytes that loads, stores and atomics of global memory access.
    pub sectors: f64,
    /// Atomic operations of warps on global memory.
    pub atomics: f64,
    /// Requests of warps to shared memory.
    pub shared: f64,
    /// Further rounds of these requests, because of conflicts of banks.
    pub conflicts: f64,
    /// Barriers of blocks that warps execute.
    pub barriers: f64,
}

impl Row {
    /// Returns the row of an operation on `n` rows.
    pub fn new((operation, shape): (&str, String), n: usize, counts: Counts, calls: CallCounts) -> Row {
        let per_row = |count: u64| rounded(count as f64 / n as f64);
        Row {
            operation: operation.to_owned(),
            shape,
            n,
            launches: calls.launches as f64,
            waits: calls.waits as f64,
            instructions: per_row(counts.thread_instructions),
            slots: per_row(32 * counts.warp_instructions),
            sectors: per_row(counts.loads.sectors + counts.stores.sectors + counts.atomics.sectors),
            atomics: per_row(counts.atomics.requests),
            shared: per_row(counts.shared_requests),
            conflicts: per_row(counts.bank_conflicts),
            barriers: per_row(counts.barriers),
        }
    }

    /// Returns the work on all rows.
    pub fn work(&self) -> Work {
        let per_row = Work { slots: self.slots, sectors: self.sectors, shared: self.shared + self.conflicts };
        per_row.times(self.n as f64)
    }

    /// Returns the counts that must not rise, by name.
    fn counts(&self) -> [(&'static str, f64); 8] {
        [
            ("launches", self.launches),
            ("waits", self.waits),
            ("instructions", self.instructions),
            ("slots", self.slots),
            ("sectors", self.sectors),
            ("atomics", self.atomics),
            ("conflicts", self.conflicts),
            ("barriers", self.barriers),
        ]
    }
}

/// Returns a number with four digits after the point, as records have it.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
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
        for ((count, found), (_, most)) in row.counts().into_iter().zip(record.counts()) {
            if found > most * (1.0 + SLACK) + LEAST {
                messages.push(format!("{}: {found} {count}, {most} in the record", name(row)));
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
    let mut table = empty([
        "operation",
        "shape",
        "launches",
        "waits",
        "instructions",
        "slots",
        "sectors",
        "conflicts",
        "barriers",
        "predicted, ns per 1000 rows",
        "limit",
    ]);
    for row in rows {
        let prediction = H200.kernel_seconds(row.work());
        table.add_row([
            text(&row.operation),
            text(&row.shape),
            number(row.launches),
            number(row.waits),
            number(format!("{:.1}", row.instructions)),
            number(format!("{:.1}", row.slots)),
            number(format!("{:.2}", row.sectors)),
            number(format!("{:.3}", row.conflicts)),
            number(format!("{:.4}", row.barriers)),
            number(format!("{:.2}", prediction.seconds * 1e12 / row.n as f64)),
            text(prediction.limit),
        ]);
    }
    table
}

/// The columns of a record.
const HEADER: &str = "operation,shape,rows,launches,waits,instructions,slots,sectors,atomics,shared,conflicts,barriers";

/// Returns the rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let mut text = format!("{HEADER}\n");
    for row in rows {
        let Row {
            operation,
            shape,
            n,
            launches,
            waits,
            instructions,
            slots,
            sectors,
            atomics,
            shared,
            conflicts,
            barriers,
        } = row;
        text += &format!(
            "\"{operation}\",{shape},{n},{launches},{waits},{instructions},{slots},{sectors},{atomics},{shared},{conflicts},{barriers}\n"
        );
    }
    text
}

/// Returns the rows of a CSV text.
///
/// # Errors
/// The line that is not a row.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != HEADER) {
        return Err(format!("the first line is not `{HEADER}`"));
    }
    lines.map(|(i, line)| row(line).ok_or_else(|| format!("line {}: `{line}` is no row", i + 1))).collect()
}

fn row(line: &str) -> Option<Row> {
    // Only the name of an operation has quotes, and may have commas.
    let (operation, rest) = line.strip_prefix('"')?.split_once("\",")?;
    let (shape, rest) = rest.split_once(',')?;
    let (n, rest) = rest.split_once(',')?;
    let counts: Option<Vec<f64>> = rest.split(',').map(|number| number.parse().ok()).collect();
    let [launches, waits, instructions, slots, sectors, atomics, shared, conflicts, barriers] =
        counts?.try_into().ok()?;
    Some(Row {
        operation: operation.to_owned(),
        shape: shape.to_owned(),
        n: n.parse().ok()?,
        launches,
        waits,
        instructions,
        slots,
        sectors,
        atomics,
        shared,
        conflicts,
        barriers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Row {
        Row {
            operation: "sort, 32 bits".to_owned(),
            shape: String::new(),
            n: 1000,
            launches: 3.0,
            waits: 1.0,
            instructions: 40.5,
            slots: 50.25,
            sectors: 1.0,
            atomics: 0.0,
            shared: 2.0,
            conflicts: 0.125,
            barriers: 0.1,
        }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let rows = vec![some(), Row { shape: "chain".to_owned(), ..some() }];
        assert_eq!(read(&csv(&rows)), Ok(rows));
        assert_eq!(read("a\n"), Err(format!("the first line is not `{HEADER}`")));
        assert_eq!(read(&format!("{HEADER}\n\"a\",,1,2\n")), Err("line 2: `\"a\",,1,2` is no row".to_owned()));
    }

    #[test]
    fn counts_that_rise_are_named() {
        let record = [some()];
        let more = |of: fn(&mut Row)| {
            let mut row = some();
            of(&mut row);
            compare(&record, &[row])
        };
        assert_eq!(more(|row| row.instructions *= 1.04), [""; 0]);
        assert_eq!(more(|row| row.instructions = 20.0), [""; 0]);
        assert_eq!(more(|row| row.instructions = 43.0), ["sort, 32 bits: 43 instructions, 40.5 in the record"]);
        assert_eq!(more(|row| row.waits = 2.0), ["sort, 32 bits: 2 waits, 1 in the record"]);
        assert_eq!(
            more(|row| row.shape = "star".to_owned()),
            ["sort, 32 bits, star: not in the record", "sort, 32 bits: recorded, but no longer measured"]
        );
    }
}
