//! The table of rules: the instructions of each kind of row.
//!
//! ```text
//! load left   load right   operation   move   store   branch or jump
//! ```
//!
//! - A spilled operand is first loaded into a scratch register.
//! - The operation leaves its value in the value's register, or where the calling convention has it.
//! - The value is moved to its register, or stored at its offset.
//! - A condition branches if its value is 0. The end of a block or part that another one follows jumps.
//!
//! A rule's line is the only text about the code of a kind. The number of instructions, their content and the
//! [patterns](super::patterns) are three expansions of it.

use treepar::device::device;

use super::encode::encode;
use super::isa::*;
use super::jumps::opposite;
use super::memory::{
    address, address_length, counter_at, counter_length, counter_register, last_value_at, link, link_length, narrow,
    narrow_length, spill_length, variable, variable_length, word, word_length,
};
use super::patterns::{FAR, FLOAT, LITERAL, LOAD_LEFT, LOAD_RIGHT, NEAR, PROBES, Patterns, ROUND, STORE, part_pattern};
use super::prologue::{saves, saves_length};
use super::registers::{FA0, FA1, RA, SP, T0, T1, T2, ZERO};
use super::sequences::{
    access, access_length, adjust, adjust_length, constant, constant_length, copy, narrow_access, near_access, sequence,
};
use crate::ir::frame::Frame;
use crate::ir::held::is_held;
use crate::ir::instruction::{
    CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, Instruction, NOTHING, immediate, nothing, registers,
};
use crate::ir::kinds::{FIRST_EXTENT, Kind, Role};
use crate::ir::operation::Operation;
use crate::ir::registers::{is_float, is_int};
use crate::ir::rows::RowId;
use crate::ir::tree::runtime;
use crate::target::rules::lines;

/// Returns a jump to a row.
#[device]
pub fn jump(row: RowId) -> Instruction {
    immediate(JAL, ZERO, 0, row.get())
}

/// Returns the branch at the end of a row. It compares the operands or tests the value.
#[device]
pub fn branch(s: Operation) -> Instruction {
    let compares = s.kind.is_branch(s.hops);
    let unless = if compares { branch_unless(s.kind) } else { BEQ };
    let op = if s.role == Role::Again { opposite(unless) } else { unless };
    let is_exchanged = (s.kind == Kind::Gt) | (s.kind == Kind::Le);
    let first = if is_exchanged { s.right } else { s.left };
    let second = if is_exchanged { s.left } else { s.right };
    Instruction {
        op,
        rd: 0,
        rs1: if compares { first } else { s.destination },
        rs2: if compares { second } else { ZERO },
        imm: s.target.get(),
    }
}

/// Returns the branch that is taken if a comparison does not hold. The operands of some are exchanged.
#[device]
fn branch_unless(kind: Kind) -> u8 {
    match kind {
        Kind::Eq => BNE,
        Kind::Ne => BEQ,
        Kind::Lt | Kind::Gt => BGE,
        _ => BLT,
    }
}

/// Returns the check of a row: a branch over a call of the function that reports it.
#[device]
pub fn check(op: u8, a: u8, b: u8) -> Instruction {
    Instruction { op, rd: RA, rs1: a, rs2: b, imm: runtime::CHECK_FAILED }
}

/// Returns an operation on both operands, or on the left operand and a literal by `near`.
#[device]
fn of_right(s: Operation, op: u8, near: u8) -> Instruction {
    if s.hops != 0 {
        immediate(near, s.destination, s.left, s.data)
    } else {
        registers(op, s.destination, s.left, s.right)
    }
}

/// Returns a call of a function.
#[device]
pub fn call(id: u32) -> Instruction {
    immediate(CALL, RA, 0, id)
}

/// Declares the number of instructions of an operation, their content, and the patterns.
///
/// The lines have the form of [`lines!`], for both targets. Each part of a line under `patterns` is one instruction with the registers of
/// the operation. The lines after them are the words of a sequence if all values are in registers, by the
/// [form](super::patterns) of its immediate: `i` is the lower part, `u` the upper. Floats without a list have no pattern. The last
/// lines are the loads and the store of [spilled values](super::spills), near and far, for both types.
macro_rules! rules {
    (
        $length:ident, $content:ident($s:ident, $frame:ident; $d:ident, $a:ident, $b:ident, $i:ident, $u:ident), $k:ident;
        sequences {
            $($sequences:tt)*
        }
        patterns {
            $($simple:ident => [$($int:expr),*] $([$($float:expr),*])?;)*
        }
        $($form:ident $(| $other_form:ident)* {
            $($near:ident $(| $near_other:ident)* => [$($near_int:expr),*] $([$($near_float:expr),*])?;)*
        })*
        @spills {
            $($spill:ident => [$($near_part:expr),*] [$($far_part:expr),*];)*
        }
    ) => {
        lines! { [] $length, $content($s, $frame; $d, $a, $b), $k;
            $($sequences)*
            $($simple => [$($int),*] $([$($float),*])?;)*
        }

        /// The patterns of all lines.
        #[allow(unused_variables)]
        pub(super) const PATTERNS: Patterns = {
            let mut patterns = Patterns::new();
            $(
                patterns = patterns.begin(&[Kind::$simple], &[NEAR], false);
                $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $int);)*
                $(
                    patterns = patterns.begin(&[Kind::$simple], &[NEAR], true);
                    $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $float);)*
                )?
            )*
            $({
                const FORMS: &[u8] = &[$form $(, $other_form)*];
                $({
                    const KINDS: &[Kind] = &[Kind::$near $(, Kind::$near_other)*];
                    patterns = patterns.begin(KINDS, FORMS, false);
                    $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $near_int);)*
                    $(
                        patterns = patterns.begin(KINDS, FORMS, true);
                        $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $near_float);)*
                    )?
                })*
            })*
            patterns
        };

        /// The patterns of the parts of rows with spilled values.
        #[allow(unused_variables)]
        pub(super) const SPILLS: Patterns = {
            let mut patterns = Patterns::new();
            $(
                patterns = patterns.begin_part(part_pattern($spill, 0, 0));
                $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $near_part);)*
                patterns = patterns.begin_part(part_pattern($spill, 0, 1));
                $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $near_part);)*
                patterns = patterns.begin_part(part_pattern($spill, 1, 0));
                $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $far_part);)*
                patterns = patterns.begin_part(part_pattern($spill, 1, 1));
                $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $far_part);)*
            )*
            patterns
        };
    };
}

/// Adds a word to the last pattern: an instruction with each of its registers and immediates in turn.
macro_rules! probed {
    ($patterns:ident, $first:expr; $d:ident, $a:ident, $b:ident, $i:ident, $u:ident; $instruction:expr) => {{
        let mut words = [0; PROBES.len()];
        let mut k = 0;
        while k < PROBES.len() {
            let [$d, $a, $b] = [PROBES[k].0 + $first, PROBES[k].1 + $first, PROBES[k].2 + $first];
            let [$i, $u]: [u32; 2] = [PROBES[k].3, PROBES[k].4];
            let found: Instruction = $instruction;
            words[k] = encode(found.op, found.rd, found.rs1, found.rs2, found.imm);
            k += 1;
        }
        $patterns.word(words)
    }};
}

rules! { operation_length, operation(s, frame; d, a, b, i, u), k;
    sequences {
        Header     => [@ adjust_length(frame.bytes) => adjust(frame.bytes, true, k), @ saves_length(frame, true) => saves(frame, true, k)];
        Function   => [@ saves_length(frame, false) => saves(frame, false, k), @ adjust_length(frame.bytes) => adjust(frame.bytes, false, k), immediate(JALR, ZERO, RA, 0)];
        Return     => [jump(s.target)];
        Count      => [immediate(ADDI, T2, a, u32::MAX), @ access_length(last_value_at(s, frame)) => access(last_value_at(s, frame), true, T2, SP, k), @ is_held(s.data) as u32 => copy(counter_register(s), ZERO), @ counter_length(s, frame) => access(counter_at(s, frame), true, ZERO, SP, k), registers(SLT, d, ZERO, a)];
        For        => [@ counter_length(s, frame) => access(counter_at(s, frame), false, T0, SP, k), immediate(ADDI, counter_register(s), counter_register(s), 1), @ counter_length(s, frame) => access(counter_at(s, frame), true, T0, SP, k), @ access_length(last_value_at(s, frame)) => access(last_value_at(s, frame), false, T2, SP, k), registers(SLT, d, T2, counter_register(s))];
        CheckIndex => [check(CHECK_BELOW, a, b)];
        CheckSize  => [check(CHECK_AT_LEAST, a, b)];
        CheckEqual => [check(CHECK_SAME, a, b)];
        CheckSlice => [check(CHECK_RANGE, a, b)];
        Call       => [@ link_length(s, frame) => link(s, frame, k), call(s.data)];
        Name       => [@ variable_length(s, frame) => variable(s, frame, false, d, k)];
        Data       => [@ variable_length(s, frame) => variable(s, frame, false, d, k), near_access(false, d, d, 0)];
        Extent     => [@ variable_length(s, frame) => variable(s, frame, false, d, k), near_access(false, d, d, FIRST_EXTENT)];
        Declare | Assign => [@ variable_length(s, frame) => variable(s, frame, true, s.source, k)];
        Address    => [@ address_length(s, frame) => address(s, frame, d, k)];
        Load | HeldWord => [@ word_length(s) => word(s, false, d, a, k)];
        Store      => [@ word_length(s) => word(s, true, b, a, k)];
        LoadByte   => [@ narrow_length(s) => narrow(s, LBU, d, a, k)];
        LoadShort  => [@ narrow_length(s) => narrow(s, LH, d, a, k)];
        StoreByte  => [@ narrow_length(s) => narrow(s, SB, b, a, k)];
        StoreShort => [@ narrow_length(s) => narrow(s, SH, b, a, k)];
        Literal    => [@ constant_length(s.data) => constant(s.data, d, k)]
                      [@ if s.data == 0 { 0 } else { constant_length(s.data) } => constant(s.data, T0, k), copy(d, if s.data == 0 { ZERO } else { T0 })];
        Cast       => [@ is_float(d) as u32 => registers(FCVT_S_W, d, a, 0)]
                      [@ is_int(d) as u32 => registers(FCVT_W_S, d, a, 0)];
        Add        => [of_right(s, ADD, ADDI)] [registers(FADD, d, a, b)];
        And        => [of_right(s, AND, ANDI)];
        Or         => [of_right(s, OR, ORI)];
        Xor        => [of_right(s, XOR, XORI)];
        Shl        => [of_right(s, SLL, SLLI)];
        Shr        => [of_right(s, SRA, SRAI)];
        Ushr       => [of_right(s, SRL, SRLI)];
        Eq         => [of_right(s, XOR, XORI), immediate(SLTIU, d, d, 1)] [registers(FEQ, d, a, b)];
        Ne         => [of_right(s, XOR, XORI), registers(SLTU, d, ZERO, d)]
                      [registers(FEQ, d, a, b), immediate(XORI, d, d, 1)];
        Lt         => [of_right(s, SLT, SLTI)] [registers(FLT, d, a, b)];
        Rem        => [registers(REM, d, a, b)] [copy(FA0, a), copy(FA1, b), call(runtime::REMAINDER)];
    }
    patterns {
        Negate     => [registers(SUB, d, ZERO, a)] [registers(FSGNJN, d, a, a)];
        Not        => [immediate(SLTIU, d, a, 1)];
        NarrowByte => [immediate(ANDI, d, a, 255)];
        NarrowShort => [immediate(SLLI, d, a, 16), immediate(SRAI, d, d, 16)];
        Complement => [immediate(XORI, d, a, u32::MAX)];
        Sqrt       => [registers(FSQRT, d, a, 0)] [registers(FSQRT, d, a, 0)];
        Abs        => [immediate(SRAI, T1, a, 31), registers(XOR, d, a, T1), registers(SUB, d, d, T1)]
                      [registers(FSGNJX, d, a, a)];
        AddWords   => [immediate(SLLI, T1, b, 2), registers(ADD, d, a, T1)];
        AddShorts  => [immediate(SLLI, T1, b, 1), registers(ADD, d, a, T1)];
        Sub        => [registers(SUB, d, a, b)] [registers(FSUB, d, a, b)];
        Mul        => [registers(MUL, d, a, b)] [registers(FMUL, d, a, b)];
        Div        => [registers(DIV, d, a, b)] [registers(FDIV, d, a, b)];
        Le         => [registers(SLT, d, b, a), immediate(XORI, d, d, 1)]
                      [registers(FLE, d, a, b)];
        Gt         => [registers(SLT, d, b, a)] [registers(FLT, d, b, a)];
        Ge         => [registers(SLT, d, a, b), immediate(XORI, d, d, 1)]
                      [registers(FLE, d, b, a)];
        Land       => [registers(SLTU, T0, ZERO, a), registers(SLTU, T1, ZERO, b), registers(AND, d, T0, T1)];
        Lor        => [registers(OR, d, a, b), registers(SLTU, d, ZERO, d)];
    }
    NEAR {
        Name       => [near_access(false, d, SP, i)] [near_access(false, d, SP, i)];
        Data       => [near_access(false, d, SP, i), near_access(false, d, d, 0)];
        Extent     => [near_access(false, d, SP, i), near_access(false, d, d, FIRST_EXTENT)];
        Declare | Assign => [near_access(true, a, SP, i)] [near_access(true, a, SP, i)];
        Address    => [immediate(ADDI, d, SP, i)];
        Load       => [near_access(false, d, a, i)] [near_access(false, d, a, i)];
        HeldWord   => [near_access(false, d, a, i)];
        Store      => [near_access(true, b, a, i)] [near_access(true, b, a, i)];
        LoadByte   => [narrow_access(LBU, d, a, i)];
        LoadShort  => [narrow_access(LH, d, a, i)];
        StoreByte  => [narrow_access(SB, b, a, i)];
        StoreShort => [narrow_access(SH, b, a, i)];
        Literal    => [immediate(ADDI, d, ZERO, i)];
        Add        => [registers(ADD, d, a, b)] [registers(FADD, d, a, b)];
        And        => [registers(AND, d, a, b)];
        Or         => [registers(OR, d, a, b)];
        Xor        => [registers(XOR, d, a, b)];
        Shl        => [registers(SLL, d, a, b)];
        Shr        => [registers(SRA, d, a, b)];
        Ushr       => [registers(SRL, d, a, b)];
        Eq         => [registers(XOR, d, a, b), immediate(SLTIU, d, d, 1)]
                      [registers(FEQ, d, a, b)];
        Ne         => [registers(XOR, d, a, b), registers(SLTU, d, ZERO, d)]
                      [registers(FEQ, d, a, b), immediate(XORI, d, d, 1)];
        Lt         => [registers(SLT, d, a, b)] [registers(FLT, d, a, b)];
        Rem        => [registers(REM, d, a, b)];
        Arg | Ascribe | Otherwise | Sequence | HeldName | HeldAssign | Block | Empty | Expression | If | IfElse | While | Test | Extern => [] [];
    }
    FAR | ROUND {
        Name       => [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, d, T1, i)]
                      [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, d, T1, i)];
        Data       => [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, d, T1, i), near_access(false, d, d, 0)];
        Extent     => [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, d, T1, i), near_access(false, d, d, FIRST_EXTENT)];
        Declare | Assign => [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(true, a, T1, i)]
                      [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(true, a, T1, i)];
    }
    FAR | ROUND {
        Address    => [immediate(LUI, d, 0, u), registers(ADD, d, d, SP), immediate(ADDI, d, d, i)];
    }
    FAR {
        Literal    => [immediate(LUI, d, 0, u), immediate(ADDI, d, d, i)]
                      [immediate(LUI, T0, 0, u), immediate(ADDI, T0, T0, i), copy(d, T0)];
    }
    ROUND {
        HeldName | HeldAssign => [copy(d, a)] [copy(d, a)];
        Literal    => [immediate(LUI, d, 0, u)] [immediate(LUI, T0, 0, u), copy(d, T0)];
    }
    LITERAL {
        Add        => [immediate(ADDI, d, a, i)];
        And        => [immediate(ANDI, d, a, i)];
        Or         => [immediate(ORI, d, a, i)];
        Xor        => [immediate(XORI, d, a, i)];
        Shl        => [immediate(SLLI, d, a, i)];
        Shr        => [immediate(SRAI, d, a, i)];
        Ushr       => [immediate(SRLI, d, a, i)];
        Eq         => [immediate(XORI, d, a, i), immediate(SLTIU, d, d, 1)];
        Ne         => [immediate(XORI, d, a, i), registers(SLTU, d, ZERO, d)];
        Lt         => [immediate(SLTI, d, a, i)];
    }
    @spills {
        LOAD_LEFT  => [near_access(false, a, SP, i)]
                      [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, a, T1, i)];
        LOAD_RIGHT => [near_access(false, b, SP, i + 4)]
                      [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(false, b, T1, i + 4)];
        STORE      => [near_access(true, d, SP, i)]
                      [immediate(LUI, T1, 0, u), registers(ADD, T1, T1, SP), near_access(true, d, T1, i)];
    }
}

/// Returns the number of instructions of an operation, 0 if its branch does it.
#[device]
fn own_length(s: Operation, frame: Frame) -> u32 {
    if s.kind.is_branch(s.hops) { 0 } else { operation_length(s, frame) }
}

/// Returns the number of instructions of a row.
#[device]
pub fn length(s: Operation, frame: Frame) -> u32 {
    let operation = own_length(s, frame) + rest_length(s);
    if s.memory == 0 { operation } else { loads_length(s) + operation }
}

/// Returns instruction `k` of a row.
#[device]
pub fn instruction(s: Operation, frame: Frame, k: u32) -> Instruction {
    let mut k = k;
    if s.memory != 0 {
        let before = loads_length(s);
        if k < before {
            return loads(s, k);
        }
        k -= before;
    }
    // Most instructions are of the operation itself, whose length is then not needed.
    let own = if s.kind.is_branch(s.hops) { nothing() } else { operation(s, frame, k) };
    if own.op != NOTHING {
        return own;
    }
    rest(s, k - own_length(s, frame))
}

sequence! {
    /// Loads spilled operands.
    loads_length(s: Operation), loads(), k:
    @ spill_length(s.left_at) => access(s.left_at, false, s.left, SP, k),
    @ spill_length(s.right_at) => access(s.right_at, false, s.right, SP, k),
}

sequence! {
    /// Moves or stores the value, and branches or jumps.
    rest_length(s: Operation), rest(), k:
    @ (s.destination != s.source) as u32 => copy(s.destination, s.source),
    @ spill_length(s.store_at) => access(s.store_at, true, s.source, SP, k),
    @ s.role.branches() as u32 => branch(s),
    @ (s.role == Role::Jump) as u32 => jump(s.target),
}
