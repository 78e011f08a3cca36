//! Lowering: how many words each row has, what they are made of, and the words.
//!
//! ```text
//! rows       name(x)      add          assign(x)    call f
//! choice     lw d, i(sp)  add d, a, b  sw a, i(sp)  none     the call and the move of its value follow the rules
//! length     1            1            1            2        (Pareas, section 3.2, with the corrections of 4.3)
//! words      lw t3        add          sw           jal mv   after `link` (3.3, 3.8)
//! ```
//!
//! `rules` is the table that has the instructions of each kind of row; its line gives both their number and their
//! content. `patterns` chooses words of common rows, made of this table. For other rows `operands` finds the registers,
//! and `memory` and `prologue` hold sequences that several rules use. `words` is the pass *encode*, which writes what
//! this pass counts. Registers follow from locations and jumps from positions, so all words are independent.
//!
//! One row in twenty has words besides a pattern. These rows are found once, and all slow work runs over them only.
//!
//! Cost: work O(n), one expansion to rows of 17 bytes each, one compaction.

mod memory;
mod operands;
mod patterns;
mod prologue;
mod rules;
pub mod words;

use treepar::compact::gather;
use treepar::device::{Table, device};
use treepar::monoid::index_u32;
use treepar::{Backend, Column, Result};

use crate::ir::frame::{Bodies, Frame, Frames};
use crate::ir::instruction::{
    CALL_EXTERN, Code, EXTERN, Instruction, Jump, NO_PATTERN, NOTHING, Others, Selected, Selection,
};
use crate::ir::kinds::{Kind, Role};
use crate::ir::nodes::Functions;
use crate::ir::rows::{FunctionIndex, Heads, HostLocated, Located, RowId};
use crate::ir::tree::runtime;
use crate::target::riscv::isa::JAL;
use crate::target::riscv::sequences::nothing;
use operands::operation;
use patterns::{choice, pattern_words};
use rules::{branch, call, instruction, jump, length};

/// Returns the last row of a function, of `n` rows in all.
#[device(map)]
fn last_row(f: usize, heads: &[u32], n: u32) -> u32 {
    (if f + 1 < heads.len() { heads[f + 1] } else { n }) - 1
}

/// Selects the pattern of row `k` of function `f`. The length counts the words of the pattern and a branch.
#[device(expand)]
fn selection(f: FunctionIndex, k: u32, rows: &Located, heads: &Heads, bodies: &Bodies) -> Selection {
    let r = RowId::new(heads.row[f] + k);
    let chosen = choice(r, rows, bodies.frame[f].bytes);
    let branches = rows.role[r] == Role::Condition;
    let has_others = (chosen.pattern == NO_PATTERN) | branches;
    Selection {
        choice: chosen,
        length: pattern_words(chosen.pattern) + branches as u32,
        has_others: has_others as u8,
        function: f,
    }
}

/// Returns the number of words of row `others[o]`.
#[device(map)]
fn other_length(o: usize, others: &[u32], selected: &Selected, rows: &Located, bodies: &Bodies, entry: &[u32]) -> u32 {
    let r = RowId::new(others[o]);
    if selected.choice[r].pattern != NO_PATTERN {
        return selected.length[r];
    }
    let f = selected.function[r];
    let frame = bodies.frame[f];
    let kind = rows.kind[r];
    let callee = if kind == Kind::Call { rows.data[r] } else { runtime::REMAINDER };
    let calls_other_object = kind.is_call(rows.ty[r]) && entry[callee as usize] == EXTERN;
    length(operation(r, rows, frame, bodies.last[f]), frame) + calls_other_object as u32
}

/// Returns whether row `others[o]` calls, jumps or branches.
#[device(compact)]
fn has_jump(o: usize, others: &[u32], rows: &Located) -> bool {
    let r = RowId::new(others[o]);
    let kind = rows.kind[r];
    let role = rows.role[r];
    kind.is_call(rows.ty[r]) | (kind == Kind::Return) | (role == Role::Condition) | (role == Role::Jump)
}

/// Describes the jumps of row `row[j]`.
#[device(map)]
fn jump_of_row(j: usize, row: &[u32], rows: &Located, selected: &Selected, bodies: &Bodies, entry: &[u32]) -> Jump {
    let r = RowId::new(row[j]);
    let kind = rows.kind[r];
    let role = rows.role[r];
    let f = selected.function[r];
    let mut first = nothing();
    let mut before = 0u32;
    if kind == Kind::Return {
        first = jump(RowId::new(bodies.last[f]));
    } else if role == Role::Jump {
        first = jump(rows.target[r]);
    } else if kind == Kind::Call && rows.aux[r] == 0 {
        first = call(rows.data[r], entry);
    } else if kind.is_call(rows.ty[r]) {
        let frame = bodies.frame[f];
        let s = operation(r, rows, frame, bodies.last[f]);
        first = instruction(s, frame, entry, 0);
        while first.op != JAL && first.op < CALL_EXTERN {
            before += 1;
            first = instruction(s, frame, entry, before);
        }
    }
    let last = if role == Role::Condition { branch(rows.place[r], rows.target[r]) } else { nothing() };
    let mut rest = selected.length[r] - (role == Role::Condition) as u32;
    if first.op != NOTHING {
        rest -= if first.op == CALL_EXTERN { 2 } else { 1 };
    }
    Jump { row: r.get(), before, rest, first, branch: last }
}

/// Returns the id and the first row of a function.
#[device(map)]
fn entry_of_function(f: FunctionIndex, heads: &Heads, bodies: &Bodies, rows: &Located) -> (u32, u32) {
    let last = RowId::new(bodies.last[f]);
    (if rows.kind[last] == Kind::Function { rows.data[last] } else { u32::MAX }, heads.row[f])
}

/// Finds what the words of all rows are made of.
pub fn lower<B: Backend>(
    backend: &B,
    rows: Located<B>,
    frames: Frames<B>,
    heads: Heads<B>,
    functions: Functions<B>,
) -> Result<Code<B>> {
    let last = backend.map(last_row::of(&heads.row, rows.len() as u32).rows(heads.len()))?;
    let bodies = Bodies { frame: frames.frame, last };
    let mut entry = functions.entry;
    let (ids, first_rows) = backend.map(entry_of_function::of(&heads, &bodies, &rows).rows(heads.len()))?;
    backend.scatter(&mut entry, &ids, &first_rows)?;
    let mut selected: Selected<B> = backend.expand(&heads.row, rows.len(), selection::of(&rows, &heads, &bodies))?;
    let row = backend.compact(&selected.has_others)?;
    let words = backend.map(other_length::of(&row, &selected, &rows, &bodies, &entry))?;
    backend.scatter(&mut selected.length, &row, &words)?;
    let jumping = backend.compact(has_jump::of(&row, &rows))?;
    let jumps = backend.map(jump_of_row::of(&gather(&row, &jumping)?, &rows, &selected, &bodies, &entry))?;
    let mut jump = backend.filled(row.len(), u32::MAX)?;
    backend.scatter(&mut jump, &jumping, &backend.map(index_u32::of().rows(jumping.len()))?)?;
    Ok(Code { rows, bodies, entry, selected, others: Others { row, jump }, jumps, ids, starts: heads.row })
}

/// Returns the instructions of row `r` of a function, for listings. The immediate of a jump is a row.
pub fn instructions_of_row(
    r: RowId,
    rows: &HostLocated,
    frame: Frame,
    last: u32,
    entry: &[u32],
) -> impl Iterator<Item = Instruction> {
    let s = operation(r, <Located as Table>::view_host(rows), frame, last);
    (0..length(s, frame)).map(move |k| instruction(s, frame, entry, k))
}
