//! A type checker from the leaves up: every operation is given the types of its operands, each in a slot.
//!
//! An operation whose operands do not fit is an error; an error above an error is not reported again.

use std::io::Write;

use treepar::depth::Depths;
use treepar::device::device;
use treepar::walk::Schedule;
use treepar::{Backend, Cpu};

const NOTHING: u8 = 0;
const INT: u8 = 1;
const FLOAT: u8 = 2;
const TRUTH: u8 = 3;
/// An error, or something above one.
const WRONG: u8 = 4;

const NAMES: [&str; 5] = ["nothing", "int", "float", "truth", "wrong"];

/// The two operand types and the result type of each operation: one row for `+` of ints, `+` of floats, `<`, `and`, `not`.
const TAKES: [u8; 6] = [NOTHING, INT, FLOAT, INT, TRUTH, TRUTH];
const OPERANDS: [u8; 6] = [0, 2, 2, 2, 2, 1];
const YIELDS: [u8; 6] = [NOTHING, INT, FLOAT, TRUTH, TRUTH, TRUTH];

/// The type of a node: its own for a leaf, of which `operation` is 0.
#[device(walk_slots)]
fn type_of(i: usize, slots: &[u8], operation: &[u8], leaf: &[u8]) -> u8 {
    let op = operation[i] as usize;
    let second = if OPERANDS[op] == 2 { TAKES[op] } else { NOTHING };
    if op == 0 {
        leaf[i]
    } else if slots[0] == TAKES[op] && slots[1] == second {
        YIELDS[op]
    } else {
        WRONG
    }
}

/// Wrong itself: it is wrong, and none of its operands is.
#[device(walk_slots)]
fn wrong_below(i: usize, slots: &[u8], ty: &[u8]) -> u8 {
    // Bit 0: an error here; bit 1: here or below.
    let below = (slots[0] | slots[1]) & 2;
    if ty[i] == WRONG { 2 | (below == 0) as u8 } else { below }
}

#[device(map)]
fn low_bit(i: usize, bits: &[u8]) -> u8 {
    bits[i] & 1
}

/// Writes every node with its type, and the errors.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    // (1 + 2) < 3 and not true;  1 < (2.5 + true);  not (1 + 1.5)
    let nodes: [(u32, &str, u8, u8); 16] = [
        (0, "and", 4, NOTHING),
        (1, "<", 3, NOTHING),
        (2, "+", 1, NOTHING),
        (3, "1", 0, INT),
        (3, "2", 0, INT),
        (2, "3", 0, INT),
        (1, "not", 5, NOTHING),
        (2, "true", 0, TRUTH),
        (0, "<", 3, NOTHING),
        (1, "1", 0, INT),
        (1, "+", 2, NOTHING),
        (2, "2.5", 0, FLOAT),
        (2, "true", 0, TRUTH),
        (0, "not", 5, NOTHING),
        (1, "1.5", 0, FLOAT),
        (0, "7", 0, INT),
    ];
    let cpu = Cpu::new();
    let forest = Depths::new(cpu.upload(&nodes.map(|node| node.0))?)?;
    let operation = cpu.upload(&nodes.map(|node| node.2))?;
    let leaf = cpu.upload(&nodes.map(|node| node.3))?;
    let schedule = Schedule::new(&forest)?;
    let ty = schedule.up_slots(2, NOTHING, type_of::of(&operation, &leaf))?;
    let wrong = schedule.up_slots(2, 0, wrong_below::of(&ty))?;
    let errors = cpu.compact(&cpu.map(low_bit::of(&wrong))?)?;
    for (node, ty) in nodes.iter().zip(cpu.download(&ty)?) {
        writeln!(out, "{}{}: {}", "  ".repeat(node.0 as usize), node.1, NAMES[usize::from(ty)])?;
    }
    for node in cpu.download(&errors)? {
        writeln!(out, "error at node {node}: `{}` is given operands that it does not take", nodes[node as usize].1)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
