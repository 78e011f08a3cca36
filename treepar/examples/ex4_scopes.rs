//! Scope resolution: which declaration does each name mean?
//!
//! Scopes and names are intervals of the text. The scope of a name is the nearest interval around it that is a scope;
//! its declaration is the nearest scope outwards that declares the name. Each round goes one scope outwards for all
//! names at once: as many rounds as scopes are nested, not as names are many.

use std::io::Write;

use treepar::ancestor::{Of, nearest_enclosing};
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Cpu};

const TEXT: &str = "{ =a =b use_a { =a use_a { use_b } } use_a { use_c } }";

const SCOPE: u8 = 1;
const DECLARATION: u8 = 2;
const USE: u8 = 3;

/// A declaration's name in its scope.
#[device(map)]
fn declares(i: usize, kind: &[u8], name: &[u8], scope: &[u32]) -> u32 {
    if kind[i] == DECLARATION { scope[i] * 256 + name[i] as u32 } else { u32::MAX }
}

/// Returns the enclosing scope if the current one does not declare the name.
#[device(map)]
fn outwards(i: usize, kind: &[u8], name: &[u8], at: &[u32], declared: &[u32], outer: &[u32]) -> u32 {
    let here = at[i];
    if kind[i] != USE || here == NO_NODE || declared[here as usize * 256 + name[i] as usize] != NO_NODE {
        here
    } else {
        outer[here as usize]
    }
}

#[device(reduce(Sum))]
fn moved(i: usize, a: &[u32], b: &[u32]) -> u32 {
    (a[i] != b[i]) as u32
}

/// Writes the declaration of each use.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    // What a lexer yields: begin, end, kind and name of scopes, declarations and uses, in the order of the text.
    let mut rows: Vec<(u32, u32, u8, u8)> = Vec::new();
    let mut open = Vec::new();
    for (at, byte) in TEXT.bytes().enumerate() {
        match byte {
            b'{' => {
                open.push(rows.len());
                rows.push((at as u32, 0, SCOPE, 0));
            }
            b'}' => rows[open.pop().ok_or("a bracket closes nothing")?].1 = at as u32,
            b'=' => rows.push((at as u32, at as u32 + 1, DECLARATION, TEXT.as_bytes()[at + 1])),
            b'_' => rows.push((at as u32 - 3, at as u32 + 1, USE, TEXT.as_bytes()[at + 1])),
            _ => {}
        }
    }
    let cpu = Cpu::new();
    let n = rows.len();
    let begin = cpu.upload(&rows.iter().map(|row| row.0).collect::<Vec<_>>())?;
    let end = cpu.upload(&rows.iter().map(|row| row.1).collect::<Vec<_>>())?;
    let kind = cpu.upload(&rows.iter().map(|row| row.2).collect::<Vec<_>>())?;
    let name = cpu.upload(&rows.iter().map(|row| row.3).collect::<Vec<_>>())?;
    let is_scope = cpu.upload(&rows.iter().map(|row| u8::from(row.2 == SCOPE)).collect::<Vec<_>>())?;

    let around = Parents::new(nearest_enclosing(&begin, &end)?)?;
    let scope = around.nearest_marked(&is_scope, Of::Exclusive)?;
    let mut declared = cpu.filled(256 * n, NO_NODE)?;
    let keys = cpu.map(declares::of(&kind, &name, &scope))?;
    cpu.scatter(&mut declared, &keys, &cpu.map(treepar::monoid::index_u32::of().rows(n))?)?;
    let mut at = cpu.slice(&scope, 0..n)?;
    loop {
        let next = cpu.map(outwards::of(&kind, &name, &at, &declared, &scope))?;
        let still = cpu.reduce(moved::of(&at, &next), Sum)?;
        at = next;
        if still == 0 {
            break;
        }
    }
    let (at, declared) = (cpu.download(&at)?, cpu.download(&declared)?);
    writeln!(out, "{TEXT}")?;
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.2 == USE) {
        let name = char::from(row.3);
        match at[i] {
            NO_NODE => writeln!(out, "{name} at {}: not declared", row.0)?,
            scope => {
                let declaration = declared[scope as usize * 256 + usize::from(row.3)] as usize;
                writeln!(out, "{name} at {}: declared at {}", row.0, rows[declaration].0)?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
