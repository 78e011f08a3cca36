//! Instruction selection: how many instructions each row takes, where they stand, and what they are.
//!
//! ```text
//! rows       name(x)   literal 70000   add   assign(x)
//! length     1         2               1     1             (Pareas, section 3.2, with the corrections of 4.3)
//! offset     0         1               3     4             exclusive scan; function table: offset of the first row
//! code       lw t3     lui t4          add   sw            (3.3)
//!                      addi t4
//! ```
//!
//! An instruction's registers follow from its row's place alone, and its branch target from the offsets, so that all
//! instructions are one map.
//!
//! Cost: work O(n + m), one map and one scan over rows, one expansion.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::allocate::{Allocation, NOWHERE, SPILLED, place_passed, type_of_operand, type_of_value};
use super::flatten::{Rows, role};
use super::frames::Frame;
use super::sequence::{CALL_EXTERN, CALL_STUB, Instruction, Shape, instruction, length};
use super::variables::STACK;
use crate::riscv::{op, register};
use crate::tree::{kind, runtime, ty};

/// In a table of entries: a function of another object.
pub const EXTERN: u32 = u32::MAX;

/// In a table of entries: this and a word's index is machine code of the compiler's own.
pub const STUB: u32 = 1 << 31;

/// Offset from sp of the word for the spilled value of row `r`.
#[device]
fn spilled_at(r: usize, ints: &[u32], floats: &[u32], frame: Frame) -> u32 {
    frame.spills + 4 * (ints[r] + floats[r])
}

/// All that the instructions of row `r` need.
#[device]
fn shape(
    r: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    function: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
    frames: &[Frame],
) -> Shape {
    let k = kind[r];
    let frame = frames[function[r] as usize];
    let operands = type_of_operand(r, kind, ty, aux);
    let mut s = Shape {
        kind: k,
        ty: if operands == ty::VOID { ty[r] } else { operands },
        value: type_of_value(k, ty[r]),
        role: role[r],
        place: place[r],
        left: NOWHERE,
        right: NOWHERE,
        padding: 0,
        place_at: 0,
        left_at: 0,
        right_at: 0,
        data: data[r],
        aux: aux[r],
        frame,
    };
    if operands != ty::VOID {
        let two = k >= kind::ADD;
        let left = if two || k == kind::ARG { operand[r] as usize } else { r - 1 };
        s.left = place[left];
        if s.left == SPILLED {
            s.left_at = spilled_at(left, ints, floats, frame);
        }
        if two {
            s.right = place[r - 1];
            if s.right == SPILLED {
                s.right_at = spilled_at(r - 1, ints, floats, frame);
            }
        }
    }
    if k == kind::PARAM {
        s.left = aux[r] as u8;
        s.place = if aux[r] < STACK { SPILLED } else { NOWHERE };
        s.place_at = frame.bytes.wrapping_add(data[r]);
    } else if s.place == SPILLED {
        s.place_at = if k == kind::ARG {
            4 * (place_passed(ty[r] == ty::FLOAT, operand[r] as usize, target[r] as usize, ints, floats) - STACK)
        } else {
            spilled_at(r, ints, floats, frame)
        };
    }
    s
}

/// Whether rows of a kind have no instructions, whatever else they hold.
#[device]
fn is_silent(kind: u8) -> bool {
    match kind {
        kind::EXTERN | kind::EMPTY | kind::EXPRESSION | kind::IF | kind::IF_ELSE | kind::WHILE => true,
        _ => false,
    }
}

/// Instructions of row `r`.
#[device(map)]
fn row_length(
    r: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    function: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
    frames: &[Frame],
) -> u32 {
    if is_silent(kind[r]) {
        return 0;
    }
    length(shape(r, kind, ty, role, data, aux, operand, target, function, place, ints, floats, frames))
}

/// The jump, branch or call of a row, if it has one; `last` is its function's last row.
#[device]
fn jump(s: Shape, target: u32, last: u32, entry: &[u32], offsets: &[u32]) -> Instruction {
    let id = if s.kind == kind::CALL { s.data } else { runtime::REMAINDER };
    let none = Instruction { op: op::JAL, rd: register::ZERO, rs1: 0, rs2: 0, imm: 0 };
    if s.kind == kind::CALL || (s.kind == kind::REM && s.ty == ty::FLOAT) {
        let mut call = none;
        let at = entry[id as usize];
        call.rd = register::RA;
        if at == EXTERN {
            call.op = CALL_EXTERN;
            call.imm = id;
        } else if at >= STUB {
            call.op = CALL_STUB;
            call.imm = at - STUB;
        } else {
            call.imm = offsets[at as usize];
        }
        return call;
    }
    if s.role == role::CONDITION {
        return Instruction { op: op::BEQ, rd: 0, rs1: s.place, rs2: register::ZERO, imm: offsets[target as usize] };
    }
    if s.role == role::JUMP || s.kind == kind::RETURN {
        let target = if s.kind == kind::RETURN { last } else { target };
        return Instruction { op: op::JAL, rd: register::ZERO, rs1: 0, rs2: 0, imm: offsets[target as usize] };
    }
    none
}

/// Whether a row may hold a jump, branch or call.
#[device]
fn may_jump(s: Shape) -> bool {
    s.role == role::CONDITION
        || s.role == role::JUMP
        || s.kind == kind::RETURN
        || s.kind == kind::CALL
        || s.kind == kind::REM
}

/// Instruction k of row `r`.
#[device(expand)]
fn code(
    r: usize,
    k: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    function: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
    frames: &[Frame],
    heads: &[u32],
    entry: &[u32],
    offsets: &[u32],
) -> Instruction {
    let s = shape(r, kind, ty, role, data, aux, operand, target, function, place, ints, floats, frames);
    let mut branch = s;
    // A call whose value is a condition has both: the branch comes last.
    if s.role == role::CONDITION && (k as u32) + 1 == length(s) {
        branch.kind = kind::NAME;
    }
    let mut jumps = Instruction { op: op::JAL, rd: register::ZERO, rs1: 0, rs2: 0, imm: 0 };
    if may_jump(s) {
        let next = function[r] as usize + 1;
        let end = if next < heads.len() { heads[next] } else { kind.len() as u32 };
        jumps = jump(branch, target[r], end - 1, entry, offsets);
    }
    instruction(s, jumps, k as u32)
}

/// The function table: id and first row of each function.
#[device(map)]
fn entry_of_function(f: usize, heads: &[u32], data: &[u32], kind: &[u8]) -> (u32, u32) {
    let last = (if f + 1 < heads.len() { heads[f + 1] as usize } else { kind.len() }) - 1;
    (if kind[last] == kind::FUNCTION { data[last] } else { u32::MAX }, heads[f])
}

/// Where each function's instructions begin.
#[device(map)]
fn start_of_function(f: usize, heads: &[u32], offsets: &[u32]) -> u32 {
    offsets[heads[f] as usize]
}

/// What selection yields.
pub struct Code<B: Backend> {
    /// The instructions.
    pub instructions: B::Vec<Instruction>,
    /// Id of each function; `u32::MAX` for what has no code.
    pub ids: B::Vec<u32>,
    /// First instruction of each function.
    pub starts: B::Vec<u32>,
}

/// Selects the instructions of all rows. `heads` is the first row of each function; `entry` holds, by function id,
/// EXTERN or STUB for what has no rows, and is completed here.
pub fn select<B: Backend>(
    backend: &B,
    rows: &Rows<B>,
    allocation: &Allocation<B>,
    frames: &B::Vec<Frame>,
    heads: &B::Vec<u32>,
    mut entry: B::Vec<u32>,
) -> Result<Code<B>> {
    let Rows { kind, ty, role, data, aux, operand, target } = rows;
    let Allocation { ints, floats, place, function } = allocation;
    let lengths = backend
        .map(row_length::of(kind, ty, role, data, aux, operand, target, function, place, ints, floats, frames))?;
    let (offsets, m) = backend.scan(ScanKind::Exclusive, &lengths, Sum)?;
    drop(lengths);
    let (ids, first_rows) = backend.map(entry_of_function::of(heads, data, kind))?;
    backend.scatter(&mut entry, &ids, &first_rows)?;
    let starts = backend.map(start_of_function::of(heads, &offsets))?;
    let instructions = backend.expand(
        &offsets,
        m as usize,
        code::of(
            kind, ty, role, data, aux, operand, target, function, place, ints, floats, frames, heads, &entry, &offsets,
        ),
    )?;
    Ok(Code { instructions, ids, starts })
}
