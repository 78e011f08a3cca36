//! Instructions before linking, and their layout in words.

use treepar::device::device;

use super::table::{Table, Visitor, table};
use crate::target::riscv::isa::COUNT;

/// A call of a function in another object, whose id is `imm`.
pub const CALL_EXTERN: u8 = COUNT;

/// A call of machine code of the prelude, at its word `imm`.
pub const CALL_STUB: u8 = COUNT + 1;

/// In a table of entries: a function of another object.
pub const EXTERN: u32 = u32::MAX;

/// In a table of entries: this plus a word's index is machine code of the prelude.
pub const STUB: u32 = 1 << 31;

/// An instruction. Before linking the `imm` of a jump, branch or call is the index of an instruction.
#[device]
pub struct Instruction {
    /// The operation, a row of [`isa`](crate::target::riscv::isa), or one of those above.
    pub op: u8,
    /// The destination.
    pub rd: u8,
    /// The first source.
    pub rs1: u8,
    /// The second source.
    pub rs2: u8,
    /// The immediate.
    pub imm: u32,
}

table! {
    /// The instructions of a program.
    pub struct Code {
        /// The instructions.
        instructions: Instruction,
        /// The id of each function, in the order of rows; `u32::MAX` for a function without code.
        ids: u32,
        /// The first instruction of each function.
        starts: u32,
    }
}

/// The words of instructions.
pub struct Layout<B: treepar::Backend> {
    /// The number of words of each instruction.
    pub lengths: B::Vec<u8>,
    /// The first word of each instruction after the prelude; 0 for the first instruction: see [`position()`].
    pub positions: B::Vec<u32>,
    /// The number of words of the whole program, with the prelude.
    pub words: u32,
}

impl<B: treepar::Backend> Table<B> for Layout<B> {
    fn visit(&self, visitor: &mut impl Visitor<B>) -> treepar::Result<()> {
        visitor.column("lengths", &self.lengths)?;
        visitor.column("positions", &self.positions)
    }
}

table! {
    /// The machine words of a program; the first are room for the prelude.
    pub struct Words {
        /// The words.
        words: u32,
    }
}

/// Returns the first word of instruction `i`. The room for the prelude belongs to instruction 0.
#[device]
pub fn position(i: usize, positions: &[u32], prelude: u32) -> u32 {
    if i == 0 { prelude } else { positions[i] }
}

/// Returns the number of words from instruction `i` to its target.
#[device]
pub fn distance(i: usize, instruction: Instruction, positions: &[u32], prelude: u32) -> u32 {
    let target = if instruction.op == CALL_STUB {
        instruction.imm
    } else {
        position(instruction.imm as usize, positions, prelude)
    };
    target.wrapping_sub(position(i, positions, prelude))
}
