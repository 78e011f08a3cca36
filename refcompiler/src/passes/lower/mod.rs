//! Lowering: how many instructions each row has, their positions, and the instructions.
//!
//! ```text
//! rows       name(x)   literal 70000   add   assign(x)
//! length     1         2               1     1             (Pareas, section 3.2, with the corrections of 4.3)
//! offset     0         1               3     4             exclusive scan; function table: offset of the first row
//! code       lw t3     lui t4          add   sw            (3.3)
//!                      addi t4
//! ```
//!
//! `operands` finds the registers of a row, once for each row. `rules` is the table that has the
//! instructions of each kind of row; its line gives both their number and their content. `memory` and `prologue` hold
//! sequences that several rules use. Registers follow from the locations of values and branch targets from the
//! offsets, so all instructions are computed independently.
//!
//! Cost: work O(n + m), one expansion to rows, one scan over rows, one expansion to instructions.

mod memory;
mod operands;
mod prologue;
mod rules;

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::frame::{Frame, Frames};
use crate::ir::instruction::{Code, Instruction};
use crate::ir::kinds::Kind;
use crate::ir::nodes::Functions;
use crate::ir::rows::{FunctionIndex, Heads, Located, RowId};
use operands::{Selected, Selection, operation, registers_of, with_offsets};
use rules::{instruction, length};

/// Declares two device functions from one list of parts: the number of instructions, and instruction `k` of them.
///
/// A part is one instruction, or `@ count => instructions`, with their number before their content. In the content `k`
/// counts from the start of the part. Parameters in the second brackets are for the content only.
macro_rules! sequence {
    (
        $(#[$doc:meta])*
        $length:ident($($p:ident: $t:ty),*), $content:ident($($q:ident: $(&[$c:ident])? $($u:ident)?),*), $k:ident:
        $($(@ $count:expr =>)? $part:expr),* $(,)?
    ) => {
        $(#[$doc])*
        #[device]
        pub fn $length($($p: $t),*) -> u32 {
            0u32 $(+ 1 $(- 1 + $count)?)*
        }

        $(#[$doc])*
        #[device]
        #[allow(unused_variables, clippy::too_many_arguments)]
        pub fn $content($($p: $t,)* $($q: $(&[$c])? $($u)?,)* $k: u32) -> $crate::ir::instruction::Instruction {
            $(
                let count: u32 = 1 $(- 1 + $count)?;
                if $k < count {
                    return $part;
                }
                let $k: u32 = $k.wrapping_sub(count);
            )*
            memory::nothing()
        }
    };
}
use sequence;

/// A function's frame and its last row.
#[device(columns(Bodies, index = FunctionIndex))]
struct Body {
    frame: Frame,
    last: u32,
}

/// Returns the last row of a function, of `n` rows in all.
#[device(map)]
fn last_row(f: usize, heads: &[u32], n: u32) -> u32 {
    (if f + 1 < heads.len() { heads[f + 1] } else { n }) - 1
}

/// Finds the registers of row `k` of function `f`, and the number of its instructions.
#[device(expand)]
fn selection(f: FunctionIndex, k: u32, rows: &Located, heads: &Heads, bodies: &Bodies) -> Selection {
    let r = RowId::new(heads.row[f] + k);
    let frame = bodies.frame[f];
    let mut s = registers_of(r, rows);
    if s.memory != 0 {
        s = with_offsets(r, s, rows, frame);
    }
    Selection {
        ty: s.ty,
        memory: s.memory,
        left: s.left,
        right: s.right,
        destination: s.destination,
        source: s.source,
        function: f,
        length: length(s, frame),
    }
}

/// Returns instruction `k` of row `r`.
#[device(expand)]
fn code(
    r: RowId,
    k: u32,
    rows: &Located,
    selected: &Selected,
    bodies: &Bodies,
    entry: &[u32],
    offsets: &[u32],
) -> Instruction {
    let f = selected.function[r];
    let frame = bodies.frame[f];
    instruction(operation(r, rows, selected, frame, bodies.last[f]), frame, entry, offsets, k)
}

/// Returns the id and the first row of a function.
#[device(map)]
fn entry_of_function(f: FunctionIndex, heads: &Heads, bodies: &Bodies, rows: &Located) -> (u32, u32) {
    let last = RowId::new(bodies.last[f]);
    (if rows.kind[last] == Kind::Function { rows.data[last] } else { u32::MAX }, heads.row[f])
}

/// Returns the first instruction of a function.
#[device(map)]
fn start_of_function(f: usize, heads: &[u32], offsets: &[u32]) -> u32 {
    offsets[heads[f] as usize]
}

/// Writes the instructions of all rows.
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
    let selected = backend.expand(&heads.row, rows.len(), selection::of(&rows, &heads, &bodies))?;
    let (offsets, m) = backend.scan(ScanKind::Exclusive, &selected.length, Sum)?;
    let starts = backend.map(start_of_function::of(&heads.row, &offsets).rows(heads.len()))?;
    let written = code::of(&rows, &selected, &bodies, &entry, &offsets);
    let instructions = backend.expand(&offsets, m as usize, written)?;
    Ok(Code { instructions, ids, starts })
}
