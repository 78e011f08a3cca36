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

use super::frame::Frame;
use super::operation::Operation;
use super::rows::{FunctionIndex, RowId};
use super::table::{Table, tables};
use crate::target::Target;

/// A call of the function whose id is `imm`. Operations of machines have lower numbers.
pub const CALL: u8 = 240;

/// A call of the function whose id is `imm`, unless `rs1` is below `rs2` as an unsigned number.
pub const CHECK_BELOW: u8 = CALL + 1;

/// A call of the function whose id is `imm`, unless `rs1` is at least `rs2`.
pub const CHECK_AT_LEAST: u8 = CALL + 2;

/// A call of the function whose id is `imm`, unless `rs1` equals `rs2`.
pub const CHECK_SAME: u8 = CALL + 3;

/// The same, where `rs1` is the address of the numbers that the message has.
pub const CHECK_RANGE: u8 = CALL + 4;

/// On x86-64, a branch to the quotient by 0 or -1, if eax is the dividend and edx, the divisor plus 1, is 0 or 1.
pub const RARE_QUOTIENT: u8 = CALL + 5;

/// On x86-64, the same for the remainder.
pub const RARE_REMAINDER: u8 = CALL + 6;

/// On x86-64, a jump to a row, of any length.
pub const JUMP: u8 = CALL + 7;

/// On x86-64, such a jump if a condition holds: `rd` is the operation of its shortest form.
pub const BRANCH: u8 = CALL + 8;

const _: () = assert!(crate::target::riscv::isa::COUNT <= CALL && crate::target::x86_64::isa::COUNT <= CALL);

/// Returns whether an operation is a check: a branch over a call, one of those above.
#[device]
pub fn is_check(op: u8) -> bool {
    (op >= CHECK_BELOW) & (op <= CHECK_RANGE)
}

/// Returns whether an operation calls a function, always or unless a check holds.
#[device]
pub fn is_call(op: u8) -> bool {
    (op == CALL) | is_check(op)
}

/// Returns whether an operation is, on x86-64, a branch to an [exit](crate::target::x86_64::exits).
#[device]
pub const fn has_exit(op: u8) -> bool {
    (op >= CHECK_BELOW) & (op <= RARE_REMAINDER)
}

/// No operation: the end of a sequence of instructions.
pub const NOTHING: u8 = u8::MAX;

/// In a table of entries: a function of another object.
pub const EXTERN: u32 = u32::MAX;

/// An instruction. Before linking the `imm` of a jump or branch is the row that it goes to.
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

/// Returns an instruction with registers only.
#[device]
pub const fn registers(op: u8, rd: u8, rs1: u8, rs2: u8) -> Instruction {
    Instruction { op, rd, rs1, rs2, imm: 0 }
}

/// Returns an instruction with an immediate and without second source.
#[device]
pub const fn immediate(op: u8, rd: u8, rs1: u8, imm: u32) -> Instruction {
    Instruction { op, rd, rs1, rs2: 0, imm }
}

/// Returns the end of a sequence: no instruction.
#[device]
pub const fn nothing() -> Instruction {
    immediate(NOTHING, 0, 0, 0)
}

/// The pattern of a row that has none.
pub const NO_PATTERN: u8 = 0;

/// A row's pattern, and the values that fill it.
#[device]
pub struct Choice {
    /// The pattern, or [`NO_PATTERN`], and [`IS_SPILLED`].
    pub pattern: u8,
    /// The number of the value's register among the registers of its type.
    pub d: u8,
    /// The number of the left operand's register.
    pub a: u8,
    /// The number of the right operand's register. On x86-64 the upper half has the [variant](crate::target::x86_64::variants) of the pattern.
    pub b: u8,
    /// The immediate.
    pub immediate: u32,
}

/// In [`Choice::pattern`]: words that load and store spilled values surround the words of the pattern.
pub const IS_SPILLED: u8 = 128;

/// The choice of a row.
#[device]
pub struct Chosen {
    /// The pattern.
    pub choice: Choice,
    /// For a row with spilled values, its loads and stores and their offset; see `passes::lower`.
    pub spill: u32,
    /// The number of units, words or bytes, of the pattern.
    pub length: u32,
    /// The number of units of the jump or branch after it, in its shortest form.
    pub jump: u32,
}

/// In [`Selection::has_others`]: there are words besides the words of a pattern.
pub const OTHERS: u8 = 1;

/// In [`Selection::has_others`]: the immediate of the pattern is the distance of a call or of an exit.
pub const LINKED: u8 = 2;

/// The selection of a row: the material of its words, and their number.
#[device(columns(Selected, index = RowId))]
pub struct Selection {
    /// The pattern.
    pub choice: Choice,
    /// The number of units, words or bytes, as long as every jump is short and goes farther than the next instruction.
    pub length: u32,
    /// As [`Chosen::spill`].
    pub spill: u32,
    /// The words of the row besides the words of a pattern: 0 if there are none, [`OTHERS`], or [`LINKED`].
    pub has_others: u8,
    /// The function.
    pub function: FunctionIndex,
}

/// An index of a row with words besides the words of a pattern.
#[device(index)]
pub struct OtherId(u32);

/// A row with words besides the words of a pattern.
#[device(columns(Others, index = OtherId))]
pub struct Other {
    /// The row.
    pub row: u32,
    /// The function.
    pub function: FunctionIndex,
    /// The index of its jump, or NONE.
    pub jump: JumpId,
    /// The registers and offsets of its instructions.
    pub operation: Operation,
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

/// An index of an exit.
#[device(index)]
pub struct ExitId(u32);

/// An [exit](crate::target::x86_64::exits), in the order of rows.
#[device(columns(Exits, index = ExitId))]
pub struct Exit {
    /// The jump to it.
    pub jump: u32,
    /// Its number of bytes.
    pub bytes: u32,
    /// The function after whose last row it is.
    pub function: FunctionIndex,
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

/// The instructions of a jump on x86-64, with their distances.
#[device(columns(ResolvedInstructions, index = JumpId))]
pub struct ResolvedInstruction {
    /// The call or jump, or [`NOTHING`].
    pub first: Instruction,
    /// The branch, or [`NOTHING`].
    pub branch: Instruction,
}

/// A row with words besides the words of its pattern.
#[device(columns(Rests, index = OtherId))]
pub struct Rest {
    /// The number of words of its pattern, which come first.
    pub patterned: u32,
    /// The position of the word after them.
    pub at: u32,
    /// The number of words from there.
    pub count: u32,
}

tables!(Jumps);

/// The number of words of each row, and the material of these words.
pub struct Code<B: Backend> {
    /// The number of words of each row, as [`Selection::length`].
    pub length: B::Vec<u32>,
    /// The material of the words.
    pub material: Material<B>,
}

/// The material of a program's words: all that is needed after lowering.
pub struct Material<B: Backend> {
    /// The processor.
    pub target: Target,
    /// The pattern of each row.
    pub choice: B::Vec<Choice>,
    /// On RISC-V, the loads and stores of spilled values of each row.
    pub spill: B::Vec<u32>,
    /// On x86-64, the words of each row besides the words of a pattern, as [`Selection::has_others`].
    pub has_others: B::Vec<u8>,
    /// The frames of the functions in the order of rows.
    pub frame: B::Vec<Frame>,
    /// The rows with words besides the words of a pattern, in order.
    pub others: Others<B>,
    /// On x86-64, the first instruction of each of these rows that is not of its pattern.
    pub first_instruction: B::Vec<u32>,
    /// These instructions, and one without bytes after the last row of each function.
    pub instructions: B::Vec<Instruction>,
    /// The rows that jump.
    pub jumps: Jumps<B>,
    /// The id of each function, in the order of rows; `u32::MAX` for a function without code.
    pub ids: B::Vec<u32>,
    /// The first row of each function.
    pub starts: B::Vec<u32>,
    /// The jumps that call a function which ends the program if a condition does not hold.
    pub checks: B::Vec<u32>,
    /// The position in the sources of each check.
    pub check_positions: B::Vec<u32>,
    /// On x86-64, the exits.
    pub exits: Exits<B>,
    /// The number of bytes of the exits of each function, in the order of rows.
    pub exit_bytes: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Code<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        let Code { length, material } = self;
        visitor.column("choice", &material.choice);
        visitor.column("spill", &material.spill);
        visitor.column("has_others", &material.has_others);
        visitor.column("length", length);
        visitor.column("others", &material.others.row);
        material.jumps.visit(visitor);
        visitor.column("jump_of_other", &material.others.jump);
        visitor.column("operation", &material.others.operation);
        visitor.column("first_instruction", &material.first_instruction);
        visitor.column("instruction", &material.instructions);
        visitor.column("ids", &material.ids);
        visitor.column("starts", &material.starts);
        visitor.column("checks", &material.checks);
        visitor.column("check_positions", &material.check_positions);
        visitor.column("exit_jump", &material.exits.jump);
        visitor.column("exit_bytes", &material.exits.bytes);
        visitor.column("exit_function", &material.exits.function);
        visitor.column("exit_bytes_of_functions", &material.exit_bytes);
    }
}

/// The positions of rows.
pub struct Layout<B: Backend> {
    /// The first word of each row, counted from the first row.
    pub positions: B::Vec<u32>,
    /// The number of words of each row that jumps.
    pub taken: B::Vec<u32>,
    /// The number of words of all rows.
    pub words: B::Value<u32>,
}

impl<B: Backend> Table<B> for Layout<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("positions", &self.positions);
    }
}

/// The machine words of all rows.
pub struct Words<B: Backend> {
    /// The words on RISC-V.
    pub words: B::Vec<u32>,
    /// The words on x86-64, two in each row, the first of them in the lower half.
    pub pairs: B::Vec<u64>,
}

impl<B: Backend> Table<B> for Words<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("words", &self.words);
        visitor.column("pairs", &self.pairs);
    }
}

/// Returns the number of words from word `at` of these rows to the target of a jump, branch or call there. The rows begin
/// at word `first` of the image, and function `id` begins at word `entry[id]` of it.
#[device]
pub fn distance(at: u32, jump: Instruction, positions: &[u32], entry: &[u32], first: u32) -> u32 {
    if is_call(jump.op) {
        return entry[jump.imm as usize].wrapping_sub(first + at);
    }
    positions[jump.imm as usize].wrapping_sub(at)
}
