//! Function lifting, step by step: the nested function F of the Key paper, sections 3 and 4.1.

use std::io::Write;

use treepar::depth::{Depths, NO_NODE};
use treepar::key::{Role, lift};
use treepar::path::{Encoding, PathMatrix};
use treepar::{Backend, Cpu};

const DEPTH: [u32; 9] = [0, 1, 2, 3, 4, 4, 4, 2, 3];
const TYPE: [char; 9] = ['F', 'E', 'F', 'E', 'V', 'P', 'V', 'A', 'N'];
const VALUE: [char; 9] = ['f', '0', '0', '0', 'ω', '+', 'ω', '0', '7'];

/// Writes all steps.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Cpu::new();
    let tree = Depths::new(cpu.upload(&DEPTH)?)?;
    let paths = PathMatrix::new(&tree, Encoding::Ordinal)?;
    let path = |row: &[u32]| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    writeln!(out, "The tree: depth, type, value, path")?;
    for (i, row) in paths.download()?.iter().enumerate() {
        writeln!(out, "  {} {} {}   {}", DEPTH[i], TYPE[i], VALUE[i], path(row))?;
    }

    let functions = cpu.upload(&TYPE.map(|ty| u8::from(ty == 'F')))?;
    let of_functions = paths.select(&cpu.compact(&functions)?)?;
    writeln!(out, "\nPaths of functions, Fp")?;
    for row in of_functions.download()? {
        writeln!(out, "  {}", path(&row))?;
    }
    let nearest = cpu.download(&paths.parents()?.nearest(&of_functions)?)?;
    let nearest: Vec<String> =
        nearest.iter().map(|&row| if row == NO_NODE { "-".into() } else { row.to_string() }).collect();
    writeln!(out, "\nThe function that each node is in, Fi\n  {}", nearest.join(" "))?;

    let lifted = lift(&tree, &functions, false)?;
    let (depth, origin) = (cpu.download(lifted.forest.depths())?, cpu.download(&lifted.origin)?);
    let (role, target) = (cpu.download(&lifted.role)?, cpu.download(&lifted.target)?);
    let paths = paths.select(&lifted.origin)?.download()?;
    writeln!(out, "\nLifted: where a function stood, a variable V with its path refers to it")?;
    for row in 0..depth.len() {
        let node = origin[row] as usize;
        let is = |r: Role| role[row] == r as u8;
        let ty = if is(Role::Reference) { 'V' } else { TYPE[node] };
        let value = if is(Role::Root) { '0' } else { VALUE[node] };
        let refers = if is(Role::Reference) { format!("   -> row {}", target[row]) } else { String::new() };
        writeln!(out, "  {} {ty} {value}   {}{refers}", depth[row], path(&paths[row]))?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
