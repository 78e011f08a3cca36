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

#[cfg(test)]
mod tests {
    use super::super::choice::{choice, choice_words, pattern_word};
    use super::super::encode::is_near;
    use super::super::spills::spilled_word;
    use super::*;
    use crate::ir::held::held_data;
    use crate::ir::instruction::{IS_SPILLED, NO_PATTERN};
    use crate::ir::kinds::Type;
    use crate::ir::registers::{NOWHERE, SPILLED};
    use crate::ir::rows::{HostLocated, Located, LocatedRow};
    use crate::passes::lower::operands::operation as operation_of_row;
    use crate::target::Target;
    use crate::target::riscv::registers::{A0, FT2, S1, T3};
    use crate::target::rules::each_operation;

    /// Every kind, type, role, location class and size of frame has as many instructions as its length says.
    #[test]
    fn lengths_equal_numbers_of_instructions() {
        let mut cases = 0;
        each_operation([T3, A0, S1, FT2], |s, near, k| {
            let (bytes, calls, nested) = (near * 4, k & 1, k >> 1);
            let held = k | k << 16;
            let frame = Frame { bytes, spills: 0, saves: near, ints: k, floats: k, calls, nested, held };
            let count = length(s, frame);
            assert!((0..count).all(|k| instruction(s, frame, k).op != NOTHING), "{s:?} {frame:?}");
            assert_eq!(instruction(s, frame, count).op, NOTHING, "{s:?} {frame:?}");
            cases += 1;
        });
        assert!(cases > 50_000, "only {cases} cases");
    }

    /// The choices of all rows with some locations, values and frames have the words of the instructions.
    #[test]
    fn patterns_equal_instructions() {
        let (mut cases, mut spilled) = (0, 0);
        let ints = [T3, A0, S1];
        let floats = [FT2, FA0, FA1];
        let values = [0, 5, 2047, -2048i32 as u32, 2048, 4080, 4096, 70_000, 0x3f80_0000, 0x4048_f5c3, u32::MAX - 4000];
        let kinds = Kind::ALL.into_iter().flat_map(|kind| [Type::Void, Type::Int, Type::Float].map(|ty| (kind, ty)));
        for (kind, ty) in kinds {
            for (value, k) in values.iter().flat_map(|&value| (0..3).map(move |k| (value, k))) {
                let operands = if ty == Type::Float { floats } else { ints };
                let is_kept = matches!(kind, Kind::Arg | Kind::Ascribe | Kind::Assign | Kind::Declare | Kind::Sequence);
                let results = if kind.type_of_value(ty) == Type::Float { floats } else { ints };
                let has_value = kind.is_value() || kind == Kind::Arg;
                if (has_value || kind.is_store()) == (ty == Type::Void) || ty.is_float() && kind == Kind::HeldWord {
                    continue;
                }
                let place = if is_kept {
                    operands[k]
                } else if has_value {
                    results[(k + 1) % 3]
                } else {
                    NOWHERE
                };
                let left = if kind.is_access() { ints[k] } else { operands[k] };
                let places = [left, operands[(k + 2) % 3], place];
                for (memory, offset) in (0..8).flat_map(|memory| OFFSETS.map(|offset| (memory, offset))) {
                    if !has_value && memory >> STORE != 0 {
                        continue;
                    }
                    let at = |part: usize| if memory >> part & 1 != 0 { SPILLED } else { places[part] };
                    let places = [NOWHERE, at(0), at(1), at(2)];
                    let frame = Frame { bytes: 16, spills: offset - 4 * HEIGHT, ..Frame::default() };
                    let takes_literal = kind.takes_literal() && ty == Type::Int && is_near(value);
                    for aux in
                        [0, 1].into_iter().filter(|&aux| aux == 0 || kind.has_optional_operand() || takes_literal)
                    {
                        match same_words(kind, ty, (value, aux), places, frame) {
                            Some(true) => spilled += 1,
                            Some(false) => cases += 1,
                            None => {}
                        }
                    }
                }
            }
        }
        assert!(cases > 10_000 && spilled > 30_000, "only {cases} cases, {spilled} spilled");
    }

    /// The height of the left operand on the stack of the next test, in words.
    const HEIGHT: u32 = 32;

    /// Offsets of the value at this height: near, far, and at both sides of the ends of 12 bits.
    const OFFSETS: [u32; 7] = [4 * HEIGHT, 2036, 2040, 2044, 2048, 6136, 6140];

    /// Compares the words of the choice of a row with its instructions. Returns whether it loads or stores spilled values, or
    /// `None` if it has no pattern. `places` are of the rows up to this row.
    fn same_words(kind: Kind, ty: Type, (value, aux): (u32, u32), places: [u8; 4], frame: Frame) -> Option<bool> {
        if kind.reads_held() && places[1] == SPILLED {
            return None;
        }
        let data = if kind.reads_held() { held_data(places[1].into(), value & 0xff_ffff) } else { value };
        let row = |(place, above): (u8, u32)| LocatedRow {
            kind,
            ty,
            data,
            operand: RowId::new(1),
            place,
            ints: HEIGHT / 2 + above,
            floats: HEIGHT / 2,
            aux,
            ..LocatedRow::default()
        };
        let mut host: Vec<LocatedRow> = places.into_iter().zip([0, 0, 1, 0]).map(row).collect();
        (host[0].ints, host[0].floats) = (0, 0);
        let host: HostLocated = host.into_iter().collect();
        let rows = <Located as treepar::device::Table>::view_host(&host);
        let r = RowId::new(3);
        let chosen = choice(r, rows, frame);
        if chosen.choice.pattern == NO_PATTERN {
            return None;
        }
        let s = operation_of_row(r, rows, frame, 3, Target::Riscv32);
        let expected: Vec<u32> = (0..length(s, frame))
            .map(|k| instruction(s, frame, k))
            .map(|x| encode(x.op, x.rd, x.rs1, x.rs2, x.imm))
            .collect();
        let c = chosen.choice;
        let is_spilled = c.pattern & IS_SPILLED != 0;
        let word = |k| if is_spilled { spilled_word(c, chosen.spill, k) } else { pattern_word(c, k) };
        let found: Vec<u32> = (0..choice_words(c, chosen.spill)).map(word).collect();
        assert_eq!(found, expected, "{s:?} {chosen:?} {frame:?}");
        Some(is_spilled)
    }
}
