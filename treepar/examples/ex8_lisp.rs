//! A tiny Lisp to three-address code: a small compiler as a starting point.
//!
//! ```text
//! (+ a (* 2 b))   bytes -> tokens (scan, compact) -> depths -> operands by parent (Key) -> lines in postorder
//! ```

use std::io::Write;

use treepar::backend::ScanKind;
use treepar::compact::{compress, gather};
use treepar::depth::{Depths, NO_NODE};
use treepar::device::device;
use treepar::key::{Order, group};
use treepar::monoid::Sum;
use treepar::sort::sort_permutation;
use treepar::{Backend, Cpu, Error};

const SOURCE: &str = "(+ a (* 2 b)) (print (max (- x 1) (f) y) (neg (neg z)))";

#[device]
fn is_break(byte: u8) -> bool {
    byte == b' ' || byte == b'\n' || byte == b'(' || byte == b')'
}

/// Returns the change of depth before the next token.
#[device(scan(Sum))]
fn step(i: usize, text: &[u8]) -> u32 {
    if text[i] == b'(' {
        1
    } else if text[i] == b')' {
        u32::MAX
    } else {
        0
    }
}

/// A node begins at a bracket that opens, and at a word that is not the operator after one.
#[device(map)]
fn begins_node(i: usize, text: &[u8]) -> u8 {
    let before = if i == 0 { b' ' } else { text[i - 1] };
    (text[i] == b'(' || (!is_break(text[i]) && is_break(before) && before != b'(')) as u8
}

#[device(map)]
fn is_list(node: usize, start: &[u32], text: &[u8]) -> u8 {
    (text[start[node] as usize] == b'(') as u8
}

/// The line of a list, from the order in which lists are evaluated.
#[device(map)]
fn line_of(k: usize, order: &[u32], lists: &[u32]) -> u32 {
    lists[order[k] as usize]
}

/// A compiled program: each line an operation with its operands.
fn compile(cpu: &Cpu, source: &str) -> Result<Vec<String>, Error> {
    let text = cpu.upload(source.as_bytes())?;
    let n = source.len();
    // The tokens and their depths. Brackets that do not match are an error of the forest.
    let start = cpu.compact(&cpu.map(begins_node::of(&text).rows(n))?)?;
    let (open, _) = cpu.scan(ScanKind::Exclusive, step::of(&text), Sum)?;
    let tree = Depths::new(gather(&open, &start)?)?;
    let parents = tree.parents()?;

    // Lists in postorder are lines.
    let list_mask = cpu.map(is_list::of(&start, &text).rows(tree.len()))?;
    let lists = cpu.compact(&list_mask)?;
    let places = compress(&tree.postorder()?, &list_mask)?;
    let (_, order) = sort_permutation(&places)?;
    let lines = cpu.map(line_of::of(&order, &lists))?;

    // Operands: the children of each node, together and in order.
    let groups = group(&parents, Order::Sorted)?;
    let owners = cpu.download(&groups.unique(&parents)?)?;
    let (operands, offsets) = (cpu.download(groups.permutation())?, cpu.download(groups.offsets())?);

    // The rest is text.
    let (start, lines) = (cpu.download(&start)?, cpu.download(&lines)?);
    let word = |at: usize| source[at..].split(['(', ')', ' ', '\n']).next().unwrap_or_default();
    let mut line_of_node = vec![NO_NODE; tree.len()];
    lines.iter().zip(0..).for_each(|(&node, line)| line_of_node[node as usize] = line);
    let mut operands_of = vec![&[][..]; tree.len()];
    for (g, &owner) in owners.iter().enumerate().filter(|(_, owner)| **owner != NO_NODE) {
        let end = offsets.get(g + 1).map_or(operands.len(), |&end| end as usize);
        operands_of[owner as usize] = &operands[offsets[g] as usize..end];
    }
    let operand = |&node: &u32| match line_of_node[node as usize] {
        NO_NODE => word(start[node as usize] as usize).to_string(),
        line => format!("t{line}"),
    };
    Ok(lines
        .iter()
        .enumerate()
        .map(|(line, &node)| {
            let arguments: Vec<String> = operands_of[node as usize].iter().map(operand).collect();
            let operator = word(start[node as usize] as usize + 1);
            format!("t{line} = {operator} {}", arguments.join(", ")).trim_end().to_string()
        })
        .collect())
}

/// Writes the program and its code, and the error of a program with too few brackets.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Cpu::new();
    writeln!(out, "{SOURCE}\n")?;
    for line in compile(&cpu, SOURCE)? {
        writeln!(out, "{line}")?;
    }
    let wrong = "(+ 1 2)) (* 3 4)";
    match compile(&cpu, wrong) {
        Ok(_) => writeln!(out, "\n{wrong}\nis compiled")?,
        Err(error) => writeln!(out, "\n{wrong}\n{error}")?,
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
