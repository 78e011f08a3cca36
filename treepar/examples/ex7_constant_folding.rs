//! Constant folding: expressions of constants become literals, and their operands are removed.
//!
//! One walk up computes; one scan marks the descendants of folded nodes; the rest is a forest, since whole
//! subtrees went.

use std::io::Write;

use treepar::ancestor::Of;
use treepar::compact::{compress, gather};
use treepar::depth::Depths;
use treepar::device::device;
use treepar::walk::Schedule;
use treepar::{Backend, Cpu};

/// A value, if it is known.
#[device]
struct Value {
    number: i32,
    known: u32,
}

const UNKNOWN: Value = Value { number: 0, known: 0 };

/// `b'0'` is a literal, `b'x'` a variable; else an operation.
#[device(walk_slots)]
fn fold(i: usize, slots: &[Value], kind: &[u8], number: &[i32]) -> Value {
    let a = slots[0];
    let b = slots[1];
    let known = a.known & b.known;
    match kind[i] {
        b'0' => Value { number: number[i], known: 1 },
        b'+' => Value { number: a.number.wrapping_add(b.number), known },
        b'-' => Value { number: a.number.wrapping_sub(b.number), known },
        b'*' => Value { number: a.number.wrapping_mul(b.number), known },
        _ => UNKNOWN,
    }
}

#[device(map)]
fn folded(i: usize, value: &[Value], kind: &[u8], number: &[i32]) -> (u8, i32, u8) {
    if value[i].known != 0 { (b'0', value[i].number, 1) } else { (kind[i], number[i], 0) }
}

#[device(map)]
fn stays(i: usize, below: &[u8]) -> u8 {
    1 - below[i]
}

fn print(out: &mut dyn Write, depth: &[u32], kind: &[u8], number: &[i32]) -> std::io::Result<()> {
    for i in 0..depth.len() {
        let text = if kind[i] == b'0' { number[i].to_string() } else { char::from(kind[i]).to_string() };
        writeln!(out, "  {}{text}", "  ".repeat(depth[i] as usize))?;
    }
    Ok(())
}

/// Writes the expressions before and after.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    // x * (2 + 3 * 4) - (7 - 9);  (1 + 1) * 21
    let depth = [0, 1, 2, 2, 3, 3, 4, 4, 1, 2, 2, 0, 1, 2, 2, 1];
    let kind = *b"-*x+0*00-00*+000";
    let number = [0, 0, 0, 0, 2, 0, 3, 4, 0, 7, 9, 0, 0, 1, 1, 21];
    writeln!(out, "Before:")?;
    print(out, &depth, &kind, &number)?;

    let cpu = Cpu::new();
    let forest = Depths::new(cpu.upload(&depth)?)?;
    let (kind, number) = (cpu.upload(&kind)?, cpu.upload(&number)?);
    let schedule = Schedule::new(&forest)?;
    let value = schedule.up_slots(2, UNKNOWN, fold::of(&kind, &number))?;
    let (kind, number, known) = cpu.map(folded::of(&value, &kind, &number))?;
    let below = forest.under_marked(&known, Of::Exclusive)?;
    let mask = cpu.map(stays::of(&below))?;

    let rows = cpu.compact(&mask)?;
    let left = Depths::new(compress(forest.depths(), &mask)?)?;
    let (kind, number) = (gather(&kind, &rows)?, gather(&number, &rows)?);
    writeln!(out, "After:")?;
    print(out, &cpu.download(left.depths())?, &cpu.download(&kind)?, &cpu.download(&number)?)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
