//! Finished code as text that the GNU assembler turns back into the same bytes.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::decode::decode;
use super::encode::{byte, length};
use super::isa::{CALL_NEAR, CMP_CHECKED, FORMS, Form, JMP_NEAR, JO, JO_NEAR, LEA_RIP, LENGTH, NAMES, OPERANDS, REX};
use super::registers::{FLOATS, INTS, RAX};
use super::vectors;
use crate::ir::instruction::Instruction;
use crate::object::{ARENA, ARENA_STATE_BYTES, Image, STACK, STACK_STATE_BYTES};

/// The greatest number of bytes by which the short form of a jump is shorter than its near form.
const SHORTER_BYTES: u32 = (LENGTH[JO_NEAR as usize] - LENGTH[JO as usize]) as u32;

/// Returns the assembly text of an image, with labels at the targets of jumps.
pub fn assembly(image: &Image) -> String {
    let bytes = image.bytes();
    let code = 4 * image.code_words as u32;
    let instructions = instructions(image, &bytes);
    let starts: HashSet<u32> = instructions.iter().map(|&(at, _)| at).collect();
    let calls: HashMap<u32, &str> = image.calls.iter().map(|call| (call.offset, call.name.as_str())).collect();
    let known = |at: u32, x: Instruction| target(at, x).filter(|to| starts.contains(to));
    let targets: HashSet<u32> = instructions.iter().filter_map(|&(at, x)| known(at, x?)).collect();
    let mut symbols = image.symbols.iter().peekable();
    let mut out = String::from("    .text\n");
    for (at, x) in instructions {
        while let Some(symbol) = symbols.next_if(|symbol| symbol.offset <= at) {
            let name = &symbol.name;
            let binding = if symbol.global { "globl" } else { "local" };
            line(&mut out, format_args!("\n    .{binding} {name}\n    .type {name}, @function\n{name}:"));
        }
        if targets.contains(&at) {
            line(&mut out, format_args!(".L{at}:"));
        }
        match x {
            // The distance follows the byte of the operation.
            Some(Instruction { op: op @ (CALL_NEAR | JMP_NEAR), .. }) if calls.contains_key(&(at + 1)) => {
                line(&mut out, format_args!("    {} {}", NAMES[usize::from(op)], calls[&(at + 1)]));
            }
            Some(x) if x.op == LEA_RIP && image.arena == Some(at) => {
                line(&mut out, format_args!("    lea {ARENA}(%rip), {}", operand(at, x, "qd")));
            }
            Some(x) if x.op == LEA_RIP && image.stack == Some(at) => {
                line(&mut out, format_args!("    lea {STACK}(%rip), {}", operand(at, x, "qd")));
            }
            Some(x) if target(at, x).is_none_or(|to| starts.contains(&to)) => {
                line(&mut out, format_args!("    {}", instruction(at, x)));
            }
            Some(x) => {
                let end = at + length(x);
                line(&mut out, format_args!("    {}", data(&bytes[at as usize..end as usize])));
            }
            None => line(&mut out, format_args!("    {}", data(&bytes[at as usize..][..1]))),
        }
    }
    for row in bytes[code as usize..].chunks(16) {
        line(&mut out, format_args!("    {}", data(row)));
    }
    if image.arena.is_some() {
        line(&mut out, format_args!("\n    .comm {ARENA}, {ARENA_STATE_BYTES}, {ARENA_STATE_BYTES}"));
    }
    if image.stack.is_some() {
        line(&mut out, format_args!("\n    .comm {STACK}, {STACK_STATE_BYTES}, {STACK_STATE_BYTES}"));
    }
    out.push_str("\n    .section .note.GNU-stack, \"\", @progbits\n");
    out
}

fn line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{line}");
}

/// Returns bytes as data.
fn data(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!(".byte {}", bytes.join(", "))
}

/// Returns the offsets of the instructions of an image, and of bytes in its code that are not part of an instruction. No instruction
/// crosses the end of a function.
fn instructions(image: &Image, bytes: &[u8]) -> Vec<(u32, Option<Instruction>)> {
    let code = 4 * image.code_words as u32;
    let mut found = Vec::new();
    let mut ends = image.symbols.iter().map(|symbol| symbol.offset).chain([code]).peekable();
    let mut at = 0;
    while at < code {
        while ends.next_if(|&end| end <= at).is_some() {}
        let end = ends.peek().map_or(code, |&end| end);
        let decoded = decode(&bytes[at as usize..end as usize]);
        found.push((at, decoded.map(|(x, _)| x)));
        at += decoded.map_or(1, |(_, length)| length as u32);
    }
    found
}

/// Returns the byte after which a jump continues, if the instruction at byte `at` is one.
pub fn target(at: u32, x: Instruction) -> Option<u32> {
    let end = at + length(x);
    matches!(FORMS[usize::from(x.op)], Form::JUMP8 | Form::JUMP32).then(|| end.wrapping_add(x.imm))
}

/// Returns the instruction at byte `at` as assembly text: the operands of the table with their values.
pub fn instruction(at: u32, x: Instruction) -> String {
    let text = plain(at, x);
    if has_shorter_form(x) {
        let bytes: Vec<String> = (0..length(x)).map(|k| format!("{:#04x}", byte(x, k))).collect();
        return format!(".byte {} # {text}", bytes.join(", "));
    }
    prefixes(x) + &text
}

/// Returns the same text without prefixes, from which an assembler may make a shorter form.
pub fn plain(at: u32, x: Instruction) -> String {
    let named = vectors::named(x.op, x.imm, x.rd);
    let (mut text, operands) =
        named.unwrap_or_else(|| (NAMES[usize::from(x.op)].to_string(), OPERANDS[usize::from(x.op)]));
    if !operands.is_empty() {
        text.push(' ');
    }
    let mut rest = operands;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        if end == 0 {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        text.push_str(&operand(at, x, &rest[..end]));
        rest = &rest[end..];
    }
    text
}

/// Returns an operand of the table with its value.
fn operand(at: u32, x: Instruction, name: &str) -> String {
    let register = match name.get(1..) {
        Some("d") => x.rd,
        Some("s1") => x.rs1,
        Some("s2") => x.rs2,
        _ if name == "imm" => return (x.imm as i32).to_string(),
        _ if name == "number" => return (x.imm >> 24).to_string(),
        _ if name == "mask" => return format!("%{}", vector_register(x.op, x.imm, (x.imm >> 28) as u8)),
        _ if name == "address" => return address(x),
        _ if name == "label" => return format!(".L{}", target(at, x).unwrap_or_default()),
        _ => return name.to_string(),
    };
    let number = usize::from(register & 15);
    let name = match name.as_bytes()[0] {
        b'q' => INTS[0][number],
        b'r' => INTS[1][number],
        b'w' => INTS[2][number],
        b'b' => INTS[3][number],
        b'k' => return format!("%k{number}"),
        b'h' => return format!("%ymm{number}"),
        b'y' => return format!("%{}", vector_register(x.op, x.imm, register)),
        _ => FLOATS[number],
    };
    format!("%{name}")
}

/// Returns the name of a vector register of the length of an instruction.
fn vector_register(op: u8, imm: u32, register: u8) -> String {
    let class = match vectors::bits(op, imm) {
        256 => 'y',
        512 => 'z',
        _ => 'x',
    };
    format!("{class}mm{}", register & 15)
}

/// Returns the address of a vector instruction on memory.
fn address(x: Instruction) -> String {
    let scale = match FORMS[usize::from(x.op)] {
        Form::VECTORAT1 | Form::VECTORMEM1 => 1,
        Form::VECTORAT2 | Form::VECTORMEM2 => 2,
        _ => 4,
    };
    let offset = i32::from((x.imm >> 24) as u8 as i8) * vectors::offset_unit(x.op, x.imm, x.rd);
    let has_operand = FORMS[usize::from(x.op)].has_memory_operand();
    let (base, index) = if has_operand { (x.rs2, RAX) } else { (x.rs1, x.rs2) };
    format!("{offset}(%{}, %{}, {scale})", INTS[0][usize::from(base)], INTS[0][usize::from(index)])
}

fn is_small(value: u32) -> bool {
    i8::try_from(value as i32).is_ok()
}

/// Returns a third of a distance.
fn third(distance: u32) -> u32 {
    (distance as i32 / 3) as u32
}

/// Returns the prefixes without which an assembler writes a shorter form.
fn prefixes(x: Instruction) -> String {
    let op = usize::from(x.op);
    let is_vex = vectors::is_vex(x.op);
    if x.op == CMP_CHECKED {
        let rex = if byte(x, 0) == REX { "{rex} " } else { "" };
        return format!("{{load}} {rex}");
    }
    let offset = match FORMS[op] {
        Form::LOAD8
        | Form::STORE8
        | Form::LOADSP8
        | Form::STORESP8
        | Form::LOADAT
        | Form::LOADONCE
        | Form::LOADTWICE
        | Form::STOREAT
            if x.imm == 0 =>
        {
            "{disp8} "
        }
        Form::LOAD32 | Form::STORE32 | Form::LOADSP32 | Form::STORESP32 if is_small(x.imm) => "{disp32} ",
        // The short form of a jump ends earlier, so its distance backwards is less. Jumps in between may get short forms too, which have at
        // least a third of the bytes.
        Form::JUMP32 if [0, SHORTER_BYTES].into_iter().any(|bytes| is_small(third(x.imm.wrapping_add(bytes)))) => {
            "{disp32} "
        }
        _ => "",
    };
    let offset = if FORMS[op].is_vector_memory() && x.imm >> 24 == 0 { "{disp8} " } else { offset };
    // An assembler prefers VEX prefixes of two bytes.
    let vex = if is_vex { "{vex3} " } else { "" };
    // A call has only one form.
    let offset = if NAMES[op] == "call" { "" } else { offset };
    format!("{vex}{offset}")
}

/// Returns whether assemblers know a shorter form of an instruction, which no prefix prevents.
fn has_shorter_form(x: Instruction) -> bool {
    use super::isa::*;
    match x.op {
        ADD_I32 | OR_I32 | AND_I32 | SUB_I32 | XOR_I32 | ADD_Q_I32 | AND_Q_I32 | SUB_Q_I32 => {
            x.rd == RAX || is_small(x.imm)
        }
        CMP_I32 => x.rs1 == RAX || is_small(x.imm),
        IMUL_I32 => is_small(x.imm),
        SHL_I8 | SHR_I8 | SAR_I8 | SHR_Q_I8 => x.imm == 1,
        _ => false,
    }
}
