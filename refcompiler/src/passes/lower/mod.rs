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
//! [`operands`] finds the registers and offsets of a row, once for each row. [`rules`] is the table that has the
//! instructions of each kind of row; its line gives both their number and their content. [`memory`] and [`prologue`] hold
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
use treepar::{Backend, Column, Result};

pub use operands::Operation;

use crate::ir::frame::{Frame, Frames};
use crate::ir::instruction::{Code, Instruction};
use crate::ir::kinds::kind;
use crate::ir::nodes::Functions;
use crate::ir::rows::{Allocation, Heads, Rows};
use operands::operation;
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

/// Returns row `k` of function `f` as an operation, and the number of its instructions.
#[device(expand)]
fn lowered(
    f: usize,
    k: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
    heads: &[u32],
    frames: &[Frame],
) -> (Operation, u32) {
    let frame = frames[f];
    let r = heads[f] as usize + k;
    let mut s = operation(r, kind, ty, role, data, aux, operand, target, place, ints, floats, frame);
    s.function = f as u32;
    if s.kind == kind::RETURN {
        s.target = (if f + 1 < heads.len() { heads[f + 1] } else { kind.len() as u32 }) - 1;
    }
    (s, length(s, frame))
}

/// Returns instruction `k` of row `r`.
#[device(expand)]
fn code(r: usize, k: usize, operations: &[Operation], frames: &[Frame], entry: &[u32], offsets: &[u32]) -> Instruction {
    let s = operations[r];
    instruction(s, frames[s.function as usize], entry, offsets, k as u32)
}

/// Returns the id and the first row of a function.
#[device(map)]
fn entry_of_function(f: usize, heads: &[u32], data: &[u32], kind: &[u8]) -> (u32, u32) {
    let last = (if f + 1 < heads.len() { heads[f + 1] as usize } else { kind.len() }) - 1;
    (if kind[last] == kind::FUNCTION { data[last] } else { u32::MAX }, heads[f])
}

/// Returns the first instruction of a function.
#[device(map)]
fn start_of_function(f: usize, heads: &[u32], offsets: &[u32]) -> u32 {
    offsets[heads[f] as usize]
}

/// Writes the instructions of all rows.
pub fn lower<B: Backend>(
    backend: &B,
    rows: Rows<B>,
    allocation: Allocation<B>,
    frames: &Frames<B>,
    heads: &Heads<B>,
    functions: Functions<B>,
) -> Result<Code<B>> {
    let Rows { kind, ty, role, data, aux, operand, target } = &rows;
    let Allocation { ints, floats, place } = &allocation;
    let Heads { row: heads } = heads;
    let Frames { frame: frames } = frames;
    let mut entry = functions.entry;
    let (ids, first_rows) = backend.map(entry_of_function::of(heads, data, kind))?;
    backend.scatter(&mut entry, &ids, &first_rows)?;
    let (operations, lengths) = backend.expand(heads, kind.len(), lowered::of(kind, ty, role, data, aux, operand, target, place, ints, floats, heads, frames))?;
    drop((rows, allocation));
    let (offsets, m) = backend.scan(ScanKind::Exclusive, &lengths, Sum)?;
    drop(lengths);
    let starts = backend.map(start_of_function::of(heads, &offsets))?;
    let instructions = backend.expand(&offsets, m as usize, code::of(&operations, frames, &entry, &offsets))?;
    Ok(Code { instructions, ids, starts })
}
