//! Instructions before linking, and their layout in words.

use treepar::Backend;
use treepar::device::{ColumnVisitor, device};

use super::table::Table;
use crate::target::riscv::isa::COUNT;

/// A call of a function in another object, whose id is `imm`.
pub const CALL_EXTERN: u8 = COUNT;

/// A call of machine code of the prelude, at its word `imm`.
pub const CALL_STUB: u8 = COUNT + 1;

/// No operation: the end of a sequence of instructions.
pub const NOTHING: u8 = u8::MAX;

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

/// The instructions of a program.
pub struct Code<B: Backend> {
    /// The instructions.
    pub instructions: B::Vec<Instruction>,
    /// The id of each function, in the order of rows; `u32::MAX` for a function without code.
    pub ids: B::Vec<u32>,
    /// The first instruction of each function.
    pub starts: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Code<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("instructions", &self.instructions);
        visitor.column("ids", &self.ids);
        visitor.column("starts", &self.starts);
    }
}

/// The words of instructions.
pub struct Layout<B: Backend> {
    /// The number of words of each instruction.
    pub lengths: B::Vec<u8>,
    /// The first word of each instruction after the prelude; 0 for the first instruction: see [`position()`].
    pub positions: B::Vec<u32>,
    /// The number of words of the whole program, with the prelude.
    pub words: u32,
}

impl<B: Backend> Table<B> for Layout<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("lengths", &self.lengths);
        visitor.column("positions", &self.positions);
    }
}

/// The machine words of a program. The first are room for the prelude.
pub struct Words<B: Backend> {
    /// The words.
    pub words: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Words<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("words", &self.words);
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
