//! Finished code as text that the GNU assembler turns back into the same bytes.

use super::encode::byte;
use super::isa::{FORMS, Form, LENGTH, LIMIT, NAMES, OPERANDS, SLOT, slot};
use super::registers::{FLOATS, INTS, RAX};
use crate::ir::instruction::Instruction;

/// Returns the byte after which a jump continues, if the instruction at byte `at` is one.
pub fn target(at: u32, x: Instruction) -> Option<u32> {
    let end = at + u32::from(LENGTH[usize::from(x.op)]);
    matches!(FORMS[usize::from(x.op)], Form::JUMP8 | Form::JUMP32).then(|| end.wrapping_add(x.imm))
}

/// Returns the instruction at byte `at` as assembly text: the operands of the table with their values.
pub fn instruction(at: u32, x: Instruction) -> String {
    let text = plain(at, x);
    if has_shorter_form(x) {
        let bytes: Vec<String> =
            (0..LENGTH[usize::from(x.op)]).map(|k| format!("{:#04x}", byte(x, k.into()))).collect();
        return format!(".byte {} # {text}", bytes.join(", "));
    }
    prefixes(x) + &text
}

fn plain(at: u32, x: Instruction) -> String {
    let operands = OPERANDS[usize::from(x.op)];
    let mut text = String::from(NAMES[usize::from(x.op)]);
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
        _ if name == "label" => return format!(".L{}", target(at, x).unwrap_or_default()),
        _ => return name.to_string(),
    };
    let number = usize::from(register & 15);
    let name = match name.as_bytes()[0] {
        b'q' => INTS[0][number],
        b'r' => INTS[1][number],
        b'w' => INTS[2][number],
        b'b' => INTS[3][number],
        _ => FLOATS[number],
    };
    format!("%{name}")
}

fn is_small(value: u32) -> bool {
    i8::try_from(value as i32).is_ok()
}

/// Returns the prefixes without which an assembler writes a shorter form.
fn prefixes(x: Instruction) -> String {
    let op = usize::from(x.op);
    let slots = &SLOT[op * LIMIT..][..LIMIT];
    let has_rex = slots.iter().position(|&content| content == slot::REX);
    let rex = if has_rex.is_some_and(|k| byte(x, k as u32) == super::isa::REX) { "{rex} " } else { "" };
    let offset = match FORMS[op] {
        Form::LOAD8 | Form::STORE8 | Form::LOADSP8 | Form::STORESP8 | Form::LOADAT | Form::STOREAT if x.imm == 0 => {
            "{disp8} "
        }
        Form::LOAD32 | Form::STORE32 | Form::LOADSP32 | Form::STORESP32 | Form::JUMP32 if is_small(x.imm) => {
            "{disp32} "
        }
        _ => "",
    };
    // A call has only one form.
    let offset = if NAMES[op] == "call" { "" } else { offset };
    format!("{rex}{offset}")
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
