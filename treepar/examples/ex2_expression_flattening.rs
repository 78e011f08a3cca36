//! Expression flattening: the nested expression E of the Key paper, (a+b)÷(c×d), section 4.2.
//!
//! The same operation as in `ex1_function_lifting`, with expressions marked, and backwards: operands are evaluated from
//! right to left, before their uses.

use std::io::Write;

use treepar::depth::Depths;
use treepar::key::{Role, lift};
use treepar::{Backend, Cpu};

const DEPTH: [u32; 10] = [0, 1, 2, 2, 2, 1, 1, 2, 2, 2];
const TYPE: [char; 10] = ['E', 'E', 'V', 'P', 'V', 'P', 'E', 'V', 'P', 'V'];
const VALUE: [char; 10] = ['v', '0', 'a', '+', 'b', '÷', '0', 'c', '×', 'd'];

/// Writes the tree, and the expressions that it becomes.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Cpu::new();
    let tree = Depths::new(cpu.upload(&DEPTH)?)?;
    writeln!(out, "Nested:")?;
    for i in 0..DEPTH.len() {
        writeln!(out, "  {}{} {}", "  ".repeat(DEPTH[i] as usize), TYPE[i], VALUE[i])?;
    }
    let expressions = cpu.upload(&TYPE.map(|ty| u8::from(ty == 'E')))?;
    let flat = lift(&tree, &expressions, true)?;
    let (origin, role) = (cpu.download(&flat.origin)?, cpu.download(&flat.role)?);
    let target = cpu.download(&flat.target)?;
    writeln!(out, "\nFlat, in the order of evaluation:")?;
    for (row, &node) in origin.iter().enumerate() {
        if role[row] == Role::Root as u8 {
            write!(out, "{}  e{row} ←", if row == 0 { "" } else { "\n" })?;
        } else if role[row] == Role::Reference as u8 {
            write!(out, " e{}", target[row])?;
        } else {
            write!(out, " {}", VALUE[node as usize])?;
        }
    }
    writeln!(out)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
