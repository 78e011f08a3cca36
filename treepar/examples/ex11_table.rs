//! Sums of a table: fields in quotes, which may have commas, and fields that must be numbers, by two automata.
//!
//! ```text
//! "nails, short",12    bytes -> state of each byte (automaton) -> separators outside quotes -> fields (split)
//!                                -> which amounts are numbers (automaton) -> sum of each product (intern, accumulate)
//! ```

use std::io::Write;

use treepar::Error;
use treepar::prelude::*;
use treepar::text::{self, Automaton, Strings, matches, number_at};

const SOURCE: &str = "\
nails,7
\"nails, short\",12
\"paint \"\"white\"\"\",3
nails,many
\"nails, short\",30
\"two
lines\",5
nails,4";

/// The states of a table's bytes. Two quotes inside quotes close them and open them again.
const BARE: usize = 0;
const QUOTED: usize = 1;

/// The states of a field: nothing yet, digits only, and anything else.
const EMPTY: usize = 0;
const DIGITS: usize = 1;
const OTHER: usize = 2;

fn quotes() -> [[u8; 256]; 2] {
    let mut next = [[BARE as u8; 256], [QUOTED as u8; 256]];
    next[BARE][b'"' as usize] = QUOTED as u8;
    next[QUOTED][b'"' as usize] = BARE as u8;
    next
}

fn number() -> [[u8; 256]; 3] {
    let mut next = [[OTHER as u8; 256]; 3];
    for digit in b'0'..=b'9' {
        next[EMPTY][digit as usize] = DIGITS as u8;
        next[DIGITS][digit as usize] = DIGITS as u8;
    }
    next
}

/// Marks the bytes among 64 that end a field.
#[device(map)]
fn separators(w: usize, text: &[u64], states: &[u64]) -> u64 {
    (matches(w, text, b',') | matches(w, text, b'\n')) & matches(w, states, BARE as u8)
}

/// Returns the fields of a column of a table with two columns.
#[device(map)]
fn field(row: usize, column: u32) -> u32 {
    2 * row as u32 + column
}

/// Returns the product of a row, its first use, and the amount; a field that is no number adds nothing.
#[device(accumulate)]
fn amount_of_product(row: usize, product: &[u32], ends: &[u8], begin: &[u32], text: &[u64]) -> (u32, u32) {
    let amount = if ends[row] as usize == DIGITS { number_at(text, begin[row] as usize) as u32 } else { 0 };
    (product[row], amount)
}

/// What a table says.
struct Sums {
    /// The products in the order of their first rows, with their sums.
    of_products: Vec<(String, u32)>,
    /// The rows whose amounts are no numbers.
    wrong_rows: Vec<usize>,
}

fn sums(cpu: &Cpu, source: &str) -> Result<Sums, Error> {
    let text = text::upload(cpu, source.as_bytes())?;
    // In which state a byte is read, so that a quote is outside of what it closes.
    let (states, _) = Automaton::new(cpu, &quotes())?.states(Exclusive, &text, source.len())?;
    let ends = cpu.map(separators::of(&text, &states).rows(text.len() / 8))?;
    let fields = Strings::split_at(text, source.len(), &ends)?;

    let column = |k| fields.select(&cpu.map(field::of(k).rows(fields.len() / 2))?);
    let (products, amounts) = (column(0)?, column(1)?);
    let kinds = Automaton::new(cpu, &number())?.ends(&amounts)?;

    let first = products.intern()?;
    let mut sum = cpu.filled(first.len(), 0)?;
    cpu.accumulate(&mut sum, amount_of_product::of(&first, &kinds, amounts.begin(), amounts.text()))?;

    let wrong_rows = (0..kinds.len()).filter(|&row| kinds[row] as usize != DIGITS).collect();
    let names = products.download()?;
    let is_first = |row: &usize| first[*row] as usize == *row;
    let named = |row: usize| (unquoted(&String::from_utf8_lossy(&names[row])), sum[row]);
    Ok(Sums { of_products: (0..names.len()).filter(is_first).map(named).collect(), wrong_rows })
}

/// Returns what a field says.
fn unquoted(field: &str) -> String {
    match field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => field.to_string(),
    }
}

/// Writes the sum of each product, and the rows that are not in it.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "{SOURCE}\n")?;
    let sums = sums(&Cpu::new(), SOURCE)?;
    for (product, sum) in sums.of_products {
        writeln!(out, "{sum:5}  {product:?}")?;
    }
    for row in sums.wrong_rows {
        writeln!(out, "row {row}: the amount is no number")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
