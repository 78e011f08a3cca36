//! Finished code as text that an assembler for RISC-V turns back into the same words.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::decode::{decode, target};
use super::isa::{NAMES, OPERANDS};
use super::registers;
use crate::object::{ARENA, ARENA_STATE_BYTES, Image};

/// Returns the assembly text of an image, with labels at the targets of jumps.
pub fn assembly(image: &Image) -> String {
    let mut out = String::new();
    let calls: HashMap<u32, &str> = image.calls.iter().map(|call| (call.offset / 4, call.name.as_str())).collect();
    let mut targets: HashSet<u32> = HashSet::new();
    for (at, &word) in image.words[..image.code_words].iter().enumerate() {
        targets.extend(decode(word).and_then(|i| target(at as u32, i)));
    }
    let mut symbols = image.symbols.iter().peekable();
    out.push_str("    .option norelax\n    .text\n");
    let mut at = 0u32;
    while (at as usize) < image.code_words {
        while let Some(symbol) = symbols.next_if(|symbol| symbol.offset <= 4 * at) {
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
        if image.arena == Some(4 * at) {
            line(&mut out, format_args!("    lla a0, {ARENA}"));
            at += 2;
            continue;
        }
        line(&mut out, format_args!("    {}", instruction(at, image.words[at as usize])));
        at += 1;
    }
    for word in &image.words[image.code_words..] {
        line(&mut out, format_args!("    .word {word:#010x}"));
    }
    if image.arena.is_some() {
        line(&mut out, format_args!("\n    .comm {ARENA}, {ARENA_STATE_BYTES}, 4"));
    }
    out
}

fn line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{line}");
}

/// Returns one word as assembly text: the operands of the table with their values.
pub fn instruction(at: u32, word: u32) -> String {
    let Some(i) = decode(word) else { return format!(".word {word:#010x}") };
    let value = |operand: &str| match operand {
        "rd" | "fd" => registers::NAMES[i.rd as usize].to_string(),
        "rs1" | "fs1" => registers::NAMES[i.rs1 as usize].to_string(),
        "rs2" | "fs2" => registers::NAMES[i.rs2 as usize].to_string(),
        "imm" => (i.imm as i32).to_string(),
        "upper" => format!("{:#x}", i.imm >> 12),
        "label" => format!(".L{}", target(at, i).unwrap_or_default()),
        other => other.to_string(),
    };
    let mut text = String::from(NAMES[i.op as usize]);
    for (k, operand) in OPERANDS[i.op as usize].split_terminator(", ").enumerate() {
        text.push_str(if k == 0 { " " } else { ", " });
        match operand.strip_suffix("(rs1)") {
            Some(offset) => text.push_str(&format!("{}({})", value(offset), value("rs1"))),
            None => text.push_str(&value(operand)),
        }
    }
    text
}
