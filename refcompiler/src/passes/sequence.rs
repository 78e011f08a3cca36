//! The instructions of one row: how many, and which is the k-th.
//!
//! ```text
//! load left   load right   operation   move   store   branch
//! ```
//!
//! - an operand that is spilled is loaded into a scratch register first;
//! - the operation leaves its value in the register of its place, or where the calling convention has it;
//! - from there it is moved to its place, a register, or stored there, a word of the frame;
//! - a condition branches if its value is 0.
//!
//! A word of the frame farther than 2 KiB from its base takes three instructions. Both twins of counting and
//! generating (Pareas, sections 3.2 and 3.3) come from these functions, so that they cannot disagree.

use treepar::device::device;

use super::allocate::{FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS, NOWHERE, SPILLED};
use super::flatten::role;
use super::frames::Frame;
use crate::riscv::{op, register};
use crate::tree::{kind, ty};

/// A call of a function in another object, whose id is `imm`.
pub const CALL_EXTERN: u8 = op::COUNT;

/// A call of the compiler's own machine code, at word `imm` of it.
pub const CALL_STUB: u8 = op::COUNT + 1;

/// An instruction before linking: a jump's, branch's or call's `imm` is the index of an instruction.
#[device]
pub struct Instruction {
    /// The operation: one of `op::*`.
    pub op: u8,
    /// Destination.
    pub rd: u8,
    /// First source.
    pub rs1: u8,
    /// Second source.
    pub rs2: u8,
    /// Immediate.
    pub imm: u32,
}

/// A row with all that its instructions need from elsewhere.
#[device]
pub struct Shape {
    /// Kind.
    pub kind: u8,
    /// Type of the operands, or of the value where there are none.
    pub ty: u8,
    /// Type of the value.
    pub value: u8,
    /// What the value is for.
    pub role: u8,
    /// Place of the value.
    pub place: u8,
    /// Place of the left or only operand.
    pub left: u8,
    /// Place of the right operand.
    pub right: u8,
    /// Nothing; fills the word.
    pub padding: u8,
    /// Offset of the value from sp, if it is stored.
    pub place_at: u32,
    /// Offset of the left operand from sp, if it is spilled.
    pub left_at: u32,
    /// Offset of the right operand.
    pub right_at: u32,
    /// The row's data.
    pub data: u32,
    /// The row's aux.
    pub aux: u32,
    /// The frame of the row's function.
    pub frame: Frame,
}

#[device]
fn nothing() -> Instruction {
    Instruction { op: op::ADDI, rd: 0, rs1: 0, rs2: 0, imm: 0 }
}

/// An instruction without second source.
#[device]
fn immediate(op: u8, rd: u8, rs1: u8, imm: u32) -> Instruction {
    Instruction { op, rd, rs1, rs2: 0, imm }
}

/// An instruction on registers alone.
#[device]
fn registers(op: u8, rd: u8, rs1: u8, rs2: u8) -> Instruction {
    Instruction { op, rd, rs1, rs2, imm: 0 }
}

/// Whether `value` fits the 12 bits of an immediate.
#[device]
pub fn is_near(value: u32) -> bool {
    value.wrapping_add(2048) < 4096
}

/// The part of `value` for `lui` and `auipc`: the rest fits an immediate.
#[device]
pub fn upper(value: u32) -> u32 {
    value.wrapping_add(0x800) & 0xffff_f000
}

/// What [`upper()`] leaves, sign-extended.
#[device]
pub fn lower(value: u32) -> u32 {
    value.wrapping_sub(upper(value))
}

/// Instructions that reach a word `offset` from its base.
#[device]
fn access_length(offset: u32) -> u32 {
    if is_near(offset) { 1 } else { 3 }
}

/// Instruction k that loads `r` from the word `offset` from `base`, or stores it there. Changes t1 if that is far.
#[device]
fn access(is_store: bool, r: u8, base: u8, offset: u32, k: u32) -> Instruction {
    let near = is_near(offset);
    if !near && k == 0 {
        return immediate(op::LUI, register::T1, 0, upper(offset));
    }
    if !near && k == 1 {
        return registers(op::ADD, register::T1, register::T1, base);
    }
    let base = if near { base } else { register::T1 };
    let offset = if near { offset } else { lower(offset) };
    let is_float = r >= 32;
    if is_store {
        Instruction { op: if is_float { op::FSW } else { op::SW }, rd: 0, rs1: base, rs2: r, imm: offset }
    } else {
        immediate(if is_float { op::FLW } else { op::LW }, r, base, offset)
    }
}

/// Instructions that put `value` into an int register.
#[device]
fn constant_length(value: u32) -> u32 {
    if is_near(value) || lower(value) == 0 { 1 } else { 2 }
}

/// Instruction k that puts `value` into int register `r`.
#[device]
fn constant(r: u8, value: u32, k: u32) -> Instruction {
    if is_near(value) {
        immediate(op::ADDI, r, register::ZERO, value)
    } else if k == 0 {
        immediate(op::LUI, r, 0, upper(value))
    } else {
        immediate(op::ADDI, r, r, lower(value))
    }
}

/// The instruction that moves `from` to `to`, whatever their kinds.
#[device]
fn copy(to: u8, from: u8) -> Instruction {
    if to < 32 {
        if from < 32 { immediate(op::ADDI, to, from, 0) } else { registers(op::FMV_X_W, to, from, 0) }
    } else if from < 32 {
        registers(op::FMV_W_X, to, from, 0)
    } else {
        registers(op::FSGNJ, to, from, from)
    }
}

#[device]
fn is_remainder_call(s: Shape) -> bool {
    s.kind == kind::REM && s.ty == ty::FLOAT
}

/// The register of the left operand when the operation begins.
#[device]
fn left(s: Shape) -> u8 {
    if s.left != SPILLED {
        s.left
    } else if s.kind == kind::ARG && s.place != SPILLED {
        s.place
    } else if is_remainder_call(s) {
        register::FA0
    } else if s.ty == ty::FLOAT {
        register::FT0
    } else {
        register::T0
    }
}

/// The register of the right operand when the operation begins.
#[device]
fn right(s: Shape) -> u8 {
    if s.right != SPILLED {
        s.right
    } else if is_remainder_call(s) {
        register::FA1
    } else if s.ty == ty::FLOAT {
        register::FT1
    } else {
        register::T1
    }
}

/// The register that the operation writes.
#[device]
fn destination(s: Shape) -> u8 {
    if s.place < 64 {
        s.place
    } else if s.value == ty::FLOAT {
        register::FT0
    } else {
        register::T0
    }
}

/// The register that holds the value after the operation.
#[device]
fn source(s: Shape) -> u8 {
    match s.kind {
        kind::CALL | kind::REM => {
            if s.kind == kind::REM && s.ty == ty::INT {
                destination(s)
            } else if s.value == ty::FLOAT {
                register::FA0
            } else {
                register::A0
            }
        }
        kind::DECLARE => {
            if s.aux != 0 {
                left(s)
            } else {
                register::ZERO
            }
        }
        kind::ASSIGN | kind::ASCRIBE | kind::ARG | kind::PARAM => left(s),
        kind::CAST => {
            if s.ty == s.value {
                left(s)
            } else {
                destination(s)
            }
        }
        _ => destination(s),
    }
}

#[device]
fn load_length(place: u8, at: u32) -> u32 {
    if place == SPILLED { access_length(at) } else { 0 }
}

/// Instructions before the access to a variable `hops` links out, or to what stands there.
#[device]
fn chain_length(hops: u32, frame_bytes: u32) -> u32 {
    if hops == 0 { 0 } else { access_length(frame_bytes.wrapping_sub(8)) + hops - 1 }
}

/// Instruction k that brings the frame `hops` links out into `r`.
#[device]
fn chain(r: u8, frame_bytes: u32, k: u32) -> Instruction {
    let first = access_length(frame_bytes.wrapping_sub(8));
    if k < first {
        access(false, r, register::SP, frame_bytes.wrapping_sub(8), k)
    } else {
        immediate(op::LW, r, r, 8u32.wrapping_neg())
    }
}

/// Offset of a row's variable from the base that [`variable`] reaches it by.
#[device]
fn variable_offset(s: Shape) -> u32 {
    if s.aux == 0 || s.kind == kind::DECLARE { s.frame.bytes.wrapping_add(s.data) } else { s.data }
}

#[device]
fn variable_hops(s: Shape) -> u32 {
    if s.kind == kind::DECLARE { 0 } else { s.aux }
}

/// Instruction k that loads or stores register `r` from or to a row's variable.
#[device]
fn variable(s: Shape, is_store: bool, r: u8, k: u32) -> Instruction {
    let hops = variable_hops(s);
    let before = chain_length(hops, s.frame.bytes);
    if k < before {
        return chain(register::T2, s.frame.bytes, k);
    }
    let base = if hops == 0 { register::SP } else { register::T2 };
    access(is_store, r, base, variable_offset(s), k - before)
}

#[device]
fn variable_length(s: Shape) -> u32 {
    chain_length(variable_hops(s), s.frame.bytes) + access_length(variable_offset(s))
}

/// Instructions that put the static link of a call into t0: `aux` is 0 for none, 1 for the caller's frame.
#[device]
fn link_length(s: Shape) -> u32 {
    if s.aux == 0 {
        0
    } else if s.aux == 1 {
        if is_near(s.frame.bytes) { 1 } else { 3 }
    } else {
        chain_length(s.aux - 1, s.frame.bytes)
    }
}

#[device]
fn link(s: Shape, k: u32) -> Instruction {
    if s.aux > 1 {
        chain(register::T0, s.frame.bytes, k)
    } else if is_near(s.frame.bytes) {
        immediate(op::ADDI, register::T0, register::SP, s.frame.bytes)
    } else if k == 0 {
        immediate(op::LUI, register::T0, 0, upper(s.frame.bytes))
    } else if k == 1 {
        immediate(op::ADDI, register::T0, register::T0, lower(s.frame.bytes))
    } else {
        registers(op::ADD, register::T0, register::T0, register::SP)
    }
}

/// The register that item `item` of a prologue saves, NOWHERE if it has no such item.
#[device]
fn saved(frame: Frame, item: u32, is_store: bool) -> u8 {
    if item == 0 {
        return if frame.calls != 0 { register::RA } else { NOWHERE };
    }
    if item == 1 {
        return if frame.nested != 0 && is_store { register::T0 } else { NOWHERE };
    }
    let j = item - 2;
    if j < frame.ints {
        INTS[(INT_TEMPORARIES + j) as usize]
    } else {
        FLOATS[(FLOAT_TEMPORARIES + j - frame.ints) as usize]
    }
}

/// Where item `item` is saved.
#[device]
fn saved_at(frame: Frame, item: u32) -> u32 {
    if item < 2 { frame.bytes.wrapping_sub(4 + 4 * item) } else { frame.saves + 4 * (item - 2) }
}

/// Instructions that move sp by a frame.
#[device]
fn adjust_length(bytes: u32) -> u32 {
    if bytes == 0 {
        0
    } else if is_near(bytes) {
        1
    } else {
        3
    }
}

/// Instruction k that adds `bytes` to sp, or subtracts it.
#[device]
fn adjust(bytes: u32, down: bool, k: u32) -> Instruction {
    if is_near(bytes) {
        immediate(op::ADDI, register::SP, register::SP, if down { bytes.wrapping_neg() } else { bytes })
    } else if k == 0 {
        immediate(op::LUI, register::T1, 0, upper(bytes))
    } else if k == 1 {
        immediate(op::ADDI, register::T1, register::T1, lower(bytes))
    } else {
        registers(if down { op::SUB } else { op::ADD }, register::SP, register::SP, register::T1)
    }
}

/// Instructions that save (or restore) registers.
#[device]
fn saves_length(frame: Frame, is_store: bool) -> u32 {
    let mut length = 0u32;
    for item in 0..2 + frame.ints + frame.floats {
        if saved(frame, item, is_store) != NOWHERE {
            length += access_length(saved_at(frame, item));
        }
    }
    length
}

/// Instruction k that saves (or restores) registers.
#[device]
fn saves(frame: Frame, is_store: bool, k: u32) -> Instruction {
    let mut before = 0u32;
    for item in 0..2 + frame.ints + frame.floats {
        let r = saved(frame, item, is_store);
        if r != NOWHERE {
            let at = saved_at(frame, item);
            let length = access_length(at);
            if k < before + length {
                return access(is_store, r, register::SP, at, k - before);
            }
            before += length;
        }
    }
    nothing()
}

/// Instructions of the operation itself.
#[device]
fn operation_length(s: Shape) -> u32 {
    match s.kind {
        kind::HEADER => adjust_length(s.frame.bytes) + saves_length(s.frame, true),
        kind::FUNCTION => saves_length(s.frame, false) + adjust_length(s.frame.bytes) + 1,
        kind::BLOCK => (s.role == role::JUMP) as u32,
        kind::RETURN => 1,
        kind::DECLARE | kind::ASSIGN | kind::NAME => variable_length(s),
        kind::CALL => link_length(s) + 1,
        kind::LITERAL => {
            if s.value == ty::INT {
                constant_length(s.data)
            } else if s.data == 0 {
                1
            } else {
                constant_length(s.data) + 1
            }
        }
        kind::CAST => (s.ty != s.value) as u32,
        kind::NEGATE
        | kind::NOT
        | kind::COMPLEMENT
        | kind::ADD
        | kind::SUB
        | kind::MUL
        | kind::DIV
        | kind::SHL
        | kind::SHR
        | kind::USHR
        | kind::AND
        | kind::OR
        | kind::XOR
        | kind::LT
        | kind::GT => 1,
        kind::REM => {
            if s.ty == ty::FLOAT {
                3
            } else {
                1
            }
        }
        kind::EQ | kind::LE | kind::GE => {
            if s.ty == ty::FLOAT {
                1
            } else {
                2
            }
        }
        kind::NE | kind::LOR => 2,
        kind::LAND => 3,
        _ => 0,
    }
}

/// The operation of one instruction for a kind and type, or the first of several.
#[device]
fn machine_operation(kind: u8, is_float: bool) -> u8 {
    match kind {
        kind::ADD => {
            if is_float {
                op::FADD
            } else {
                op::ADD
            }
        }
        kind::SUB => {
            if is_float {
                op::FSUB
            } else {
                op::SUB
            }
        }
        kind::MUL => {
            if is_float {
                op::FMUL
            } else {
                op::MUL
            }
        }
        kind::DIV => {
            if is_float {
                op::FDIV
            } else {
                op::DIV
            }
        }
        kind::REM => op::REM,
        kind::SHL => op::SLL,
        kind::SHR => op::SRA,
        kind::USHR => op::SRL,
        kind::AND => op::AND,
        kind::OR | kind::LOR => op::OR,
        kind::EQ | kind::NE => {
            if is_float {
                op::FEQ
            } else {
                op::XOR
            }
        }
        kind::LE | kind::GE => {
            if is_float {
                op::FLE
            } else {
                op::SLT
            }
        }
        kind::LT | kind::GT => {
            if is_float {
                op::FLT
            } else {
                op::SLT
            }
        }
        _ => op::XOR,
    }
}

/// Instruction k of a binary operation.
#[device]
fn binary(s: Shape, k: u32) -> Instruction {
    let a = left(s);
    let b = right(s);
    let d = destination(s);
    let is_float = s.ty == ty::FLOAT;
    if s.kind == kind::LAND {
        return match k {
            0 => registers(op::SLTU, register::T0, register::ZERO, a),
            1 => registers(op::SLTU, register::T1, register::ZERO, b),
            _ => registers(op::AND, d, register::T0, register::T1),
        };
    }
    if k == 0 {
        // a > b is b < a. Ints have no <=: a <= b is not b < a. Floats have: a >= b is b <= a.
        let swapped = s.kind == kind::GT || (s.kind == kind::GE && is_float) || (s.kind == kind::LE && !is_float);
        let operation = machine_operation(s.kind, is_float);
        return if swapped { registers(operation, d, b, a) } else { registers(operation, d, a, b) };
    }
    match s.kind {
        kind::EQ => immediate(op::SLTIU, d, d, 1),
        kind::NE => {
            if is_float {
                immediate(op::XORI, d, d, 1)
            } else {
                registers(op::SLTU, d, register::ZERO, d)
            }
        }
        kind::LOR => registers(op::SLTU, d, register::ZERO, d),
        _ => immediate(op::XORI, d, d, 1),
    }
}

/// Instruction k of a call of the runtime's float remainder.
#[device]
fn remainder(s: Shape, target: Instruction, k: u32) -> Instruction {
    match k {
        0 => copy(register::FA0, left(s)),
        1 => copy(register::FA1, right(s)),
        _ => target,
    }
}

/// Instruction k of the operation itself.
#[device]
fn operation(s: Shape, target: Instruction, k: u32) -> Instruction {
    let d = destination(s);
    match s.kind {
        kind::HEADER => {
            let adjust_length = adjust_length(s.frame.bytes);
            if k < adjust_length { adjust(s.frame.bytes, true, k) } else { saves(s.frame, true, k - adjust_length) }
        }
        kind::FUNCTION => {
            let saves_length = saves_length(s.frame, false);
            let adjusted = saves_length + adjust_length(s.frame.bytes);
            if k < saves_length {
                saves(s.frame, false, k)
            } else if k < adjusted {
                adjust(s.frame.bytes, false, k - saves_length)
            } else {
                immediate(op::JALR, register::ZERO, register::RA, 0)
            }
        }
        kind::BLOCK | kind::RETURN => target,
        kind::DECLARE | kind::ASSIGN => variable(s, true, source(s), k),
        kind::NAME => variable(s, false, d, k),
        kind::CALL => {
            if k < link_length(s) {
                link(s, k)
            } else {
                target
            }
        }
        kind::LITERAL => {
            if s.value == ty::INT {
                constant(d, s.data, k)
            } else if s.data == 0 {
                copy(d, register::ZERO)
            } else if k < constant_length(s.data) {
                constant(register::T0, s.data, k)
            } else {
                copy(d, register::T0)
            }
        }
        kind::CAST => registers(if s.value == ty::INT { op::FCVT_W_S } else { op::FCVT_S_W }, d, left(s), 0),
        kind::NEGATE => {
            if s.ty == ty::FLOAT {
                registers(op::FSGNJN, d, left(s), left(s))
            } else {
                registers(op::SUB, d, register::ZERO, left(s))
            }
        }
        kind::NOT => immediate(op::SLTIU, d, left(s), 1),
        kind::COMPLEMENT => immediate(op::XORI, d, left(s), 1u32.wrapping_neg()),
        _ => {
            if is_remainder_call(s) {
                remainder(s, target, k)
            } else {
                binary(s, k)
            }
        }
    }
}

#[device]
fn move_length(s: Shape) -> u32 {
    (s.place < 64 && s.place != source(s)) as u32
}

/// Instructions of a row.
#[device]
pub fn length(s: Shape) -> u32 {
    load_length(s.left, s.left_at)
        + load_length(s.right, s.right_at)
        + operation_length(s)
        + move_length(s)
        + load_length(s.place, s.place_at)
        + (s.role == role::CONDITION) as u32
}

/// Instruction k of a row; `target` is the jump or call that it may hold.
#[device]
pub fn instruction(s: Shape, target: Instruction, k: u32) -> Instruction {
    let mut k = k;
    let left_length = load_length(s.left, s.left_at);
    if k < left_length {
        return access(false, left(s), register::SP, s.left_at, k);
    }
    k -= left_length;
    let right_length = load_length(s.right, s.right_at);
    if k < right_length {
        return access(false, right(s), register::SP, s.right_at, k);
    }
    k -= right_length;
    let operation_length = operation_length(s);
    if k < operation_length {
        return operation(s, target, k);
    }
    k -= operation_length;
    if k < move_length(s) {
        return copy(s.place, source(s));
    }
    k -= move_length(s);
    if k < load_length(s.place, s.place_at) {
        return access(true, source(s), register::SP, s.place_at, k);
    }
    target
}
