//! Finished code as assembly that an assembler for RISC-V turns back into the same words.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::decode::decode;
use super::{op, register};
use crate::object::Image;

/// The text of an image, with labels where code jumps to.
pub fn assembly(image: &Image) -> String {
    let mut out = String::new();
    let calls: HashMap<u32, &str> = image.calls.iter().map(|call| (call.offset_words, call.name.as_str())).collect();
    let mut targets: HashSet<u32> = HashSet::new();
    for (at, &word) in image.words.iter().enumerate() {
        targets.extend(decode(word).and_then(|i| target(at as u32, i.op, i.imm)));
    }
    let mut symbols = image.symbols.iter().peekable();
    out.push_str("    .option norelax\n    .text\n");
    let mut at = 0u32;
    while (at as usize) < image.words.len() {
        while let Some(symbol) = symbols.next_if(|symbol| symbol.offset_words <= at) {
            let name = &symbol.name;
            let binding = if symbol.global { "globl" } else { "local" };
            line(&mut out, format_args!("\n    .{binding} {name}\n    .type {name}, @function\n{name}:"));
        }
        if targets.contains(&at) {
            line(&mut out, format_args!(".L{at}:"));
        }
        if let Some(name) = calls.get(&at) {
            line(&mut out, format_args!("    call {name}"));
            at += 2;
            continue;
        }
        line(&mut out, format_args!("    {}", instruction(at, image.words[at as usize])));
        at += 1;
    }
    out
}

fn line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{line}");
}

/// The word that a branch or jump goes to.
fn target(at: u32, operation: u8, imm: u32) -> Option<u32> {
    let jumps = matches!(operation, op::BEQ | op::BNE | op::BLT | op::BGE | op::JAL);
    jumps.then(|| at.wrapping_add_signed((imm as i32) >> 2))
}

/// One word as assembly.
pub fn instruction(at: u32, word: u32) -> String {
    let Some(i) = decode(word) else { return format!(".word {word:#010x}") };
    let name = op::NAMES[i.op as usize];
    let [rd, rs1, rs2] = [i.rd, i.rs1, i.rs2].map(|r| register::NAMES[r as usize]);
    let imm = i.imm as i32;
    match i.op {
        op::LUI | op::AUIPC => format!("{name} {rd}, {:#x}", i.imm >> 12),
        op::LW | op::LBU | op::FLW => format!("{name} {rd}, {imm}({rs1})"),
        op::JALR => format!("{name} {rd}, {imm}({rs1})"),
        op::SW | op::SB | op::FSW => format!("{name} {rs2}, {imm}({rs1})"),
        op::ADDI..=op::SRAI => format!("{name} {rd}, {rs1}, {imm}"),
        op::BEQ..=op::BGE => format!("{name} {rs1}, {rs2}, .L{}", at.wrapping_add_signed(imm >> 2)),
        op::JAL => format!("{name} {rd}, .L{}", at.wrapping_add_signed(imm >> 2)),
        op::FCVT_W_S => format!("{name} {rd}, {rs1}, rtz"),
        op::FCVT_S_W | op::FMV_X_W | op::FMV_W_X => format!("{name} {rd}, {rs1}"),
        op::ECALL | op::EBREAK => name.to_string(),
        _ => format!("{name} {rd}, {rs1}, {rs2}"),
    }
}
