//! The words of rows before linking, and their layout.
//!
//! ```text
//! row          add t3, t4, t5     eq, if not: row 9            call of row 40
//! choice       pattern `add`      pattern `eq`                 none
//! jump                            branch to row 9              call of row 40
//! words        add                xor sltiu beq                jal
//! ```
//!
//! Most rows have a pattern: constant words whose registers and immediate are filled in.

use treepar::Backend;
use treepar::device::{ColumnVisitor, device};

use super::frame::Bodies;
use super::rows::{FunctionIndex, Located, RowId};
use super::table::{Table, tables};
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

/// An instruction. Before linking the `imm` of a jump, branch or call is the row that it goes to.
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

/// The pattern of a row that has none.
pub const NO_PATTERN: u8 = 0;

/// A row's pattern, and what fills it.
#[device]
pub struct Choice {
    /// The pattern, or [`NO_PATTERN`].
    pub pattern: u8,
    /// The number of the value's register among those of its type.
    pub d: u8,
    /// The number of the left operand's register.
    pub a: u8,
    /// The number of the right operand's register.
    pub b: u8,
    /// The bits of the immediate in the first word.
    pub immediate: u32,
}

/// The selection of a row: what its words are made of, and how many there are.
#[device(columns(Selected, index = RowId))]
pub struct Selection {
    /// The pattern.
    pub choice: Choice,
    /// The number of words, as long as every jump is near and goes farther than the next word.
    pub length: u32,
    /// 1 if the row has words besides those of a pattern.
    pub has_others: u8,
    /// The function.
    pub function: FunctionIndex,
}

/// An index of a row with words besides those of a pattern.
#[device(index)]
pub struct OtherId(u32);

/// A row with words besides those of a pattern.
#[device(columns(Others, index = OtherId))]
pub struct Other {
    /// The row.
    pub row: u32,
    /// The index of its jump, or `u32::MAX`.
    pub jump: u32,
}

/// An index of a row that jumps.
#[device(index)]
pub struct JumpId(u32);

/// A row that jumps: it calls, jumps or branches, or it calls and then branches on the value.
#[device(columns(Jumps, index = JumpId))]
pub struct Jump {
    /// The row.
    pub row: u32,
    /// The number of words before the call or jump.
    pub before: u32,
    /// The number of words that are neither of the call or jump, nor of the branch.
    pub rest: u32,
    /// The call or jump, or [`NOTHING`].
    pub first: Instruction,
    /// The branch, which is the last instruction, or [`NOTHING`].
    pub branch: Instruction,
}

/// The words of a jump, branch or call.
#[device]
pub struct JumpWords {
    /// The number of words.
    pub count: u32,
    /// The first word.
    pub first: u32,
    /// The second word, if there are two.
    pub second: u32,
    /// The third word, if there are three.
    pub third: u32,
}

/// The words of a jump at its position.
#[device(columns(Resolved, index = JumpId))]
pub struct ResolvedJump {
    /// The number of words of the row before the call or jump.
    pub before: u32,
    /// The number of words of the row before the branch.
    pub before_branch: u32,
    /// The call or jump.
    pub first: JumpWords,
    /// The branch.
    pub branch: JumpWords,
}

/// A row with words besides those of its pattern.
#[device(columns(Rests, index = OtherId))]
pub struct Rest {
    /// The row.
    pub row: RowId,
    /// The function.
    pub function: FunctionIndex,
    /// The jump, or NONE.
    pub jump: JumpId,
    /// The number of words of its pattern, which come first.
    pub patterned: u32,
    /// The position of the word after them.
    pub at: u32,
    /// The number of words from there.
    pub count: u32,
}

tables!(Selected, Jumps);

/// The rows of a program with what their words are made of.
pub struct Code<B: Backend> {
    /// The rows.
    pub rows: Located<B>,
    /// The functions in the order of rows.
    pub bodies: Bodies<B>,
    /// The first row of each function by id; see [`EXTERN`] and [`STUB`].
    pub entry: B::Vec<u32>,
    /// The pattern and the length of each row.
    pub selected: Selected<B>,
    /// The rows with words besides those of a pattern, in order.
    pub others: Others<B>,
    /// The rows that jump.
    pub jumps: Jumps<B>,
    /// The id of each function, in the order of rows; `u32::MAX` for a function without code.
    pub ids: B::Vec<u32>,
    /// The first row of each function.
    pub starts: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Code<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("entry", &self.entry);
        self.selected.visit(visitor);
        visitor.column("others", &self.others.row);
        self.jumps.visit(visitor);
        visitor.column("jump_of_other", &self.others.jump);
        visitor.column("ids", &self.ids);
        visitor.column("starts", &self.starts);
    }
}

/// The positions of rows in the program.
pub struct Layout<B: Backend> {
    /// The first word of each row; 0 for the first row: see [`position()`].
    pub positions: B::Vec<u32>,
    /// The number of words of the whole program, with the prelude.
    pub words: u32,
}

impl<B: Backend> Table<B> for Layout<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
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

/// Returns the first word of a row. The room for the prelude belongs to row 0.
#[device]
pub fn position(row: u32, positions: &[u32], prelude: u32) -> u32 {
    if row == 0 { prelude } else { positions[row as usize] }
}

/// Returns the number of words from word `at` to the target of a jump, branch or call there.
#[device]
pub fn distance(at: u32, jump: Instruction, positions: &[u32], prelude: u32) -> u32 {
    let target = if jump.op == CALL_STUB { jump.imm } else { position(jump.imm, positions, prelude) };
    target.wrapping_sub(at)
}
