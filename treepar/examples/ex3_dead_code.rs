//! Dead code in a list of instructions: what computes a value that nobody uses, and stores nothing.
//!
//! The loop of Pareas' section 4.5.1 goes one level of dead expressions down a round; scans need one round, however deep.

use std::io::Write;

use treepar::dee::{Instructions, stream_fixpoint, stream_scans};
use treepar::depth::NO_NODE;
use treepar::{Backend, Cpu};

/// Operation, and the instructions whose values it takes.
const CODE: [(&str, [u32; 2]); 9] = [
    ("load a", [NO_NODE; 2]),
    ("load b", [NO_NODE; 2]),
    ("add", [0, 1]),
    ("load c", [NO_NODE; 2]),
    ("mul", [2, 3]),
    ("load d", [NO_NODE; 2]),
    ("load e", [NO_NODE; 2]),
    ("sub", [5, 6]),
    ("store", [7, NO_NODE]),
];

/// Writes the code with its live parts, and the remaining code.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let cpu = Cpu::new();
    let operands: Vec<u32> = CODE.iter().flat_map(|(_, operands)| *operands).collect();
    let stream = Instructions::with_arity(2, cpu.upload(&operands)?)?;
    let effects = cpu.upload(&CODE.map(|(operation, _)| u8::from(operation == "store")))?;
    let by_loop = stream_fixpoint(&stream, &effects)?;
    let by_scans = stream_scans(&stream, &effects)?;
    let live = cpu.download(&by_scans.mask)?;
    assert_eq!(cpu.download(&by_loop.mask)?, live, "both are one answer");
    for (i, (operation, operands)) in CODE.iter().enumerate() {
        let operands: Vec<String> = operands.iter().filter(|&&o| o != NO_NODE).map(|o| format!("r{o}")).collect();
        let note = if live[i] == 0 { "   dead" } else { "" };
        writeln!(out, "{}{note}", format!("r{i} = {operation} {}", operands.join(", ")).trim_end())?;
    }
    writeln!(out, "rounds: {} by the loop, {} by scans", by_loop.rounds, by_scans.rounds)?;
    writeln!(out, "left: {:?}", cpu.download(&cpu.compact(&by_scans.mask)?)?)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
