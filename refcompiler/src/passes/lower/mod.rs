//! Lowering: the number of words of each row, their material, and the words.
//!
//! ```text
//! rows       name(x)      add          assign(x)    call f
//! choice     lw d, i(sp)  add d, a, b  sw a, i(sp)  none     the call and the move of its value follow the rules
//! length     1            1            1            2        (Pareas, section 3.2, with the corrections of 4.3)
//! words      lw t3        add          sw           jal mv   after `link` (3.3, 3.8)
//! ```
//!
//! Each target has a table, `rules`, of the instructions of each kind of row; its line gives both their number and their
//! content. Common rows have words made of this table, which `choice` selects. For other rows `operands` finds the registers. `words`
//! is the pass *encode*, which writes the words that this pass counts. Registers follow from locations and jumps from positions, so
//! all words are independent.
//!
//! One row in twenty has words besides a pattern. These rows are found once, and all slow work runs over them only. On x86-64, lengths
//! count bytes, `unpatterned` has the instructions of these rows, and `bytes` is the pass *encode*. There a pattern can have a call or a
//! branch to an exit, whose distance is its immediate; such rows only give a jump.
//!
//! Cost: work O(n), one expansion to rows of 21 bytes each, one compaction.

mod bytes;
pub mod operands;
mod unpatterned;
pub mod words;

use treepar::backend::Offsets;
use treepar::device::{Table, device};
use treepar::monoid::index_u32;
use treepar::{Backend, Column, Result};

use crate::ir::frame::{Bodies, Frame, Frames};
use crate::ir::instruction::{
    CALL, Code, Exit, ExitId, Exits, Instruction, Jump, JumpId, Jumps, LINKED, Material, NO_PATTERN, NOTHING, OTHERS,
    Other, Selected, Selection, has_exit, is_call, is_check, nothing,
};
use crate::ir::kinds::{Kind, Kinds, Role};
use crate::ir::operation::Operation;
use crate::ir::rows::{FunctionIndex, Heads, HostLocated, Located, RowId};
use crate::ir::tree::runtime;
use crate::target::Target;
use crate::target::riscv::choice::choice;
use crate::target::riscv::rules::{branch, call, instruction, jump, length};
use crate::target::x86_64::choice::{choice as x86_choice, is_linked_pattern, linked_jump};
use crate::target::x86_64::exits::exit_bytes;
use crate::target::x86_64::rules as x86;
use operands::operation;
use unpatterned::{Unmatched, UnmatchedOn, Unpatterned, UnpatternedOn, jump as x86_jump, other_bytes, unpatterned};

/// The alignment of the words of a part on x86-64, in bytes. Its code may begin and end between these words.
pub const BLOCK: u32 = 16;

/// Returns the last row of a function, of `n` rows in all.
#[device(map)]
fn last_row(f: usize, heads: &[u32], n: u32) -> u32 {
    (if f + 1 < heads.len() { heads[f + 1] } else { n }) - 1
}

/// Selects the pattern of row `k` of function `f`. The length counts the words of the pattern and a branch.
#[device(expand)]
fn selection(f: FunctionIndex, k: u32, rows: &Located, heads: &Heads, bodies: &Bodies, target: Target) -> Selection {
    let r = RowId::new(heads.row[f] + k);
    let frame = bodies.frame[f];
    let is_x86 = target == Target::X86_64;
    let chosen = if is_x86 { x86_choice(r, rows, frame) } else { choice(r, rows, frame) };
    let choice = chosen.choice;
    // Exits follow the last row, a FUNCTION, which has no pattern.
    let has_others = (choice.pattern == NO_PATTERN) | (chosen.jump != 0);
    let is_linked = is_x86 && is_linked_pattern(choice.pattern);
    let has_others = (has_others as u8 * OTHERS) | (is_linked as u8 * LINKED);
    Selection { choice, length: chosen.length + chosen.jump, spill: chosen.spill, has_others, function: f }
}

/// No row of the table of operations.
const NO_OTHER: u32 = u32::MAX;

/// Returns whether row `found[i]` is more than a pattern with a call or an exit.
#[device(compact)]
fn is_unmatched(i: usize, found: &[u32], has_others: &[u8]) -> bool {
    has_others[found[i] as usize] == OTHERS
}

/// Returns row `found[unmatched[o]]`.
#[device(map)]
fn unmatched_row(o: usize, unmatched: &[u32], found: &[u32]) -> u32 {
    found[unmatched[o] as usize]
}

/// Finds the registers and offsets of row `others[o]`.
#[device(map)]
fn other_operation(
    o: usize,
    others: &[u32],
    selected: &Selected,
    rows: &Located,
    bodies: &Bodies,
    target: Target,
) -> Operation {
    let r = RowId::new(others[o]);
    let f = selected.function[r];
    operation(r, rows, bodies.frame[f], bodies.last[f], target)
}

/// Returns the number of words of row number `o` of `unmatched` on RISC-V.
#[device(map)]
fn other_length(o: usize, unmatched: &Unmatched, selected: &Selected, frames: &[Frame]) -> u32 {
    let r = RowId::new(unmatched.rows[o]);
    if selected.choice[r].pattern != NO_PATTERN {
        return selected.length[r];
    }
    length(unmatched.operations[o], frames[selected.function[r].index()])
}

/// The operations on ints that have an exit on x86-64.
const DIVISIONS: Kinds = Kinds::of(&[Kind::Div, Kind::Rem]);

/// Returns whether row `found[i]` calls, jumps or branches. `others` are the rows of operations among these rows.
#[device(compact)]
fn has_jump(i: usize, others: &[u32], operations: &[Operation], target: Target) -> bool {
    let o = others[i];
    if o == NO_OTHER {
        return true;
    }
    let s = operations[o as usize];
    let jumps = s.kind.is_call(s.ty)
        | s.kind.is_check()
        | (s.kind == Kind::Return)
        | s.role.branches()
        | (s.role == Role::Jump);
    jumps | ((target == Target::X86_64) & DIVISIONS.contains(s.kind) & !s.ty.is_float())
}

/// Returns whether jump `j` goes to an exit.
#[device(compact)]
fn leaves(j: JumpId, jumps: &Jumps) -> bool {
    has_exit(jumps.first[j].op)
}

/// Returns the exit of jump `with_exit[c]`.
#[device(map)]
fn exit_of(c: usize, with_exit: &[u32], jumps: &Jumps, selected: &Selected) -> Exit {
    let jump = JumpId::new(with_exit[c]);
    let function = selected.function[RowId::new(jumps.row[jump])];
    Exit { jump: jump.get(), bytes: exit_bytes(jumps.first[jump].op), function }
}

/// Returns the function of exit `c` and the number of its bytes.
#[device(accumulate)]
fn exit_of_function(c: ExitId, exits: &Exits) -> (u32, u32) {
    (exits.function[c].get(), exits.bytes[c])
}

/// Returns the last row of function `f` and the number of bytes of its exits, which are bytes of this row.
#[device(accumulate)]
fn exits_of_row(f: usize, last: &[u32], bytes: &[u32]) -> (u32, u32) {
    (last[f], bytes[f])
}

/// The rows with jumps.
#[device(tables)]
struct Jumping {
    /// The number of each among the rows that are found in a selection.
    number: &[u32],
    /// The rows that are found.
    rows: &[u32],
    /// The row of each row that is found in the table of operations, which may be none.
    others: &[u32],
}

/// Returns the operation of the row that jump `j` is of, which may be none.
#[device(map)]
fn other_of_jump(j: usize, jumping: &Jumping) -> u32 {
    jumping.others[jumping.number[j] as usize]
}

/// What rows with jumps are described by.
#[device(tables)]
struct Described {
    /// The operations of rows that are more than a pattern.
    operations: &[Operation],
    selected: &Selected,
    /// The data of rows.
    data: &[u32],
    frames: &[Frame],
}

/// Describes the jumps of a row.
#[device(map)]
fn jump_of_row(j: usize, jumping: &Jumping, described: &Described, instructions: &Unpatterned, target: Target) -> Jump {
    let i = jumping.number[j] as usize;
    let r = RowId::new(jumping.rows[i]);
    if jumping.others[i] == NO_OTHER {
        return linked_jump(r, described.selected.choice[r], described.data[r.index()]);
    }
    let o = jumping.others[i] as usize;
    if target == Target::X86_64 {
        return x86_jump(r, o, instructions, described.selected.length[r], described.selected.choice[r]);
    }
    let s = described.operations[o];
    let frame = described.frames[described.selected.function[r].index()];
    let mut first = nothing();
    let mut before = 0u32;
    if s.role == Role::Jump {
        first = jump(s.target);
        before = described.selected.length[r] - 1;
    } else if s.kind == Kind::Return {
        first = jump(s.target);
    } else if s.kind == Kind::Call && s.hops == 0 {
        first = call(s.data);
    } else if s.kind.is_call(s.ty) | s.kind.is_check() {
        first = instruction(s, frame, 0);
        while !is_call(first.op) {
            before += 1;
            first = instruction(s, frame, before);
        }
    }
    let branches = s.role.branches();
    let last = if branches { branch(s) } else { nothing() };
    let rest = described.selected.length[r] - branches as u32 - (first.op != NOTHING) as u32;
    Jump { row: r.get(), before, rest, first, branch: last }
}

/// Returns row `row[o]` and its jump, an index into the table of jumps.
#[device(map)]
fn other(o: usize, row: &[u32], jump: &[u32], operations: &[Operation], selected: &Selected) -> Other {
    let r = RowId::new(row[o]);
    Other { row: r.get(), function: selected.function[r], jump: JumpId::new(jump[o]), operation: operations[o] }
}

/// Returns the id of a function; `u32::MAX` if it has no code.
#[device(map)]
fn id_of_function(f: FunctionIndex, bodies: &Bodies, rows: &Located) -> u32 {
    let last = RowId::new(bodies.last[f]);
    if rows.kind[last] == Kind::Function { rows.data[last] } else { u32::MAX }
}

/// Returns whether jump `j` is of a check or an assertion.
#[device(compact)]
fn may_fail(j: JumpId, jumps: &Jumps) -> bool {
    let x = jumps.first[j];
    is_check(x.op) | ((x.op == CALL) & (x.imm == runtime::ASSERT))
}

/// Returns the position of check `c`. An assertion has its position in the row after it.
#[device(map)]
fn position_of_check(c: usize, checks: &[u32], jumps: &Jumps, data: &[u32]) -> u32 {
    let j = JumpId::new(checks[c]);
    let row = jumps.row[j] + (jumps.first[j].op == CALL) as u32;
    data[row as usize].max(1) - 1
}

/// Finds the material of the words of all rows.
pub fn lower<B: Backend>(
    backend: &B,
    target: Target,
    rows: Located<B>,
    frames: Frames<B>,
    heads: Heads<B>,
) -> Result<Code<B>> {
    let last = backend.map(last_row::of(&heads.row, rows.len() as u32).rows(heads.len()))?;
    let bodies = Bodies { frame: frames.frame, last };
    let ids = backend.map(id_of_function::of(&bodies, &rows).rows(heads.len()))?;
    // Rows of a compaction rise, and row 0 is the first of a function.
    let offsets = Offsets::assume(backend, &heads.row, rows.len())?;
    let mut selected: Selected<B> = backend.expand_from(&offsets, selection::of(&rows, &heads, &bodies, target))?;
    let found = backend.compact(&selected.has_others)?;
    let unmatched = backend.compact(is_unmatched::of(&found, &selected.has_others).rows(found.len()))?;
    let row = backend.map(unmatched_row::of(&unmatched, &found).rows(unmatched.len()))?;
    let mut others = backend.filled(found.len(), NO_OTHER)?;
    backend.scatter(&mut others, &unmatched, &backend.map(index_u32::of().rows(row.len()))?)?;
    let operations = backend.map(other_operation::of(&row, &selected, &rows, &bodies, target))?;
    let Located { data, .. } = rows;
    let Bodies { frame, last } = bodies;
    let jumping = backend.compact(has_jump::of(&others, &operations, target).rows(found.len()))?;
    let unmatched = UnmatchedOn { rows: &row, operations: &operations };
    let (first_instruction, instructions) = if target == Target::X86_64 {
        unpatterned(backend, &unmatched, &selected, &frame)?
    } else {
        (backend.allocate(0)?, backend.allocate(0)?)
    };
    let others_on_x86 = UnpatternedOn { first: &first_instruction, all: &instructions };
    let words = if target == Target::X86_64 {
        backend.map(other_bytes::of(&unmatched, &others_on_x86, &selected).rows(row.len()))?
    } else {
        backend.map(other_length::of(&unmatched, &selected, &frame).rows(row.len()))?
    };
    backend.scatter(&mut selected.length, &row, &words)?;
    let count = jumping.len();
    let jumping = JumpingOn { number: &jumping, rows: &found, others: &others };
    let described = DescribedOn { operations: &operations, selected: &selected, data: &data, frames: &frame };
    let jumps: Jumps<B> = backend.map(jump_of_row::of(&jumping, &described, &others_on_x86, target).rows(count))?;
    let with_exit =
        if target == Target::X86_64 { backend.compact(leaves::of(&jumps))? } else { backend.allocate(0)? };
    let exits: Exits<B> = backend.map(exit_of::of(&with_exit, &jumps, &selected))?;
    let mut exit_bytes = backend.filled(heads.len(), 0)?;
    backend.accumulate(&mut exit_bytes, exit_of_function::of(&exits))?;
    backend.accumulate(&mut selected.length, exits_of_row::of(&last, &exit_bytes))?;
    let checks = backend.compact(may_fail::of(&jumps))?;
    let check_positions = backend.map(position_of_check::of(&checks, &jumps, &data))?;
    drop(data);
    let mut jump = backend.filled(row.len(), u32::MAX)?;
    let of_jumps = backend.map(other_of_jump::of(&jumping).rows(count))?;
    backend.scatter(&mut jump, &of_jumps, &backend.map(index_u32::of().rows(count))?)?;
    let others = backend.map(other::of(&row, &jump, &operations, &selected))?;
    let Selected { choice, length, spill, has_others, .. } = selected;
    // Each processor needs one of the two. The memory of the other is for the next part.
    let is_x86 = target == Target::X86_64;
    let spill = if is_x86 { backend.allocate(0)? } else { spill };
    let has_others = if is_x86 { has_others } else { backend.allocate(0)? };
    Ok(Code {
        length,
        material: Material {
            target,
            choice,
            spill,
            has_others,
            frame,
            others,
            first_instruction,
            instructions,
            jumps,
            ids,
            starts: heads.row,
            checks,
            check_positions,
            exits,
            exit_bytes,
        },
    })
}

/// Returns the instructions of row `r` of a function, for listings. The immediate of a jump is a row.
pub fn instructions_of_row(
    target: Target,
    r: RowId,
    rows: &HostLocated,
    frame: Frame,
    last: u32,
) -> impl Iterator<Item = Instruction> {
    let s = operation(r, <Located as Table>::view_host(rows), frame, last, target);
    let is_x86 = target == Target::X86_64;
    let count = if is_x86 { x86::length(s, frame) } else { length(s, frame) };
    (0..count).map(move |k| if is_x86 { x86::instruction(s, frame, k) } else { instruction(s, frame, k) })
}
