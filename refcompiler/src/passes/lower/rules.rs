//! The table of rules: the instructions of each kind of row.
//!
//! ```text
//! load left   load right   operation   move   store   branch
//! ```
//!
//! - A spilled operand is first loaded into a scratch register.
//! - The operation leaves its value in the value's register, or where the calling convention has it.
//! - The value is moved to its register, or stored at its offset.
//! - A condition branches if its value is 0.
//!
//! A rule's line is the only text about the code of a kind. The number of instructions, their content and the
//! [patterns](super::patterns) are three expansions of it.

use treepar::device::device;

use super::memory::{link, link_length, spill_length, variable, variable_length};
use super::prologue::{saves, saves_length};
use crate::ir::frame::Frame;
use crate::ir::instruction::{CALL, Instruction, NOTHING};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::operation::Operation;
use crate::ir::registers::{is_float, is_int};
use crate::ir::rows::RowId;
use crate::ir::tree::runtime;
use crate::target::riscv::encode::encode;
use crate::target::riscv::isa::*;
use crate::target::riscv::patterns::{FAR, FLOAT, NEAR, PROBES, Patterns, ROUND};
use crate::target::riscv::registers::{FA0, FA1, RA, SP, T0, T1, ZERO};
use crate::target::riscv::sequences::{
    self, access, adjust, adjust_length, constant, constant_length, copy, immediate, near_access, registers, sequence,
};

/// Returns a jump to a row.
#[device]
pub fn jump(row: RowId) -> Instruction {
    immediate(JAL, ZERO, 0, row.get())
}

/// Returns a branch to a row, taken if `condition` is 0.
#[device]
pub fn branch(condition: u8, row: RowId) -> Instruction {
    Instruction { op: BEQ, rd: 0, rs1: condition, rs2: ZERO, imm: row.get() }
}

/// Returns a call of a function.
#[device]
pub fn call(id: u32) -> Instruction {
    immediate(CALL, RA, 0, id)
}

/// Declares the number of instructions of an operation, their content, and the patterns.
///
/// A line has the parts of a [`sequence!`](crate::target::riscv::sequences), for operands of both types, or for ints and
/// then floats. `d`, `a` and `b` are the registers of the value and the operands. Each part of a line under `patterns` is
/// one instruction with these registers. The lines after them are what a sequence amounts to if all values are in
/// registers, by the [form](crate::target::riscv::patterns) of its immediate: `i` is the lower part, `u` the upper.
/// Floats without a list have no pattern.
macro_rules! rules {
    (
        $length:ident, $content:ident($s:ident, $frame:ident; $d:ident, $a:ident, $b:ident, $i:ident, $u:ident), $k:ident;
        sequences {
            $($kind:ident $(| $other:ident)* =>
                [$($(@ $count:expr =>)? $part:expr),*] $([$($(@ $float_count:expr =>)? $float_part:expr),*])?;)*
        }
        patterns {
            $($simple:ident =>
                [$($(@ $none:expr =>)? $int:expr),*] $([$($(@ $float_none:expr =>)? $float:expr),*])?;)*
        }
        $($form:ident {
            $($near:ident $(| $near_other:ident)* => [$($near_int:expr),*] $([$($near_float:expr),*])?;)*
        })*
    ) => {
        /// Returns the number of instructions of the operation itself.
        #[device]
        fn $length($s: Operation, $frame: Frame) -> u32 {
            let $d = $s.destination;
            match $s.kind {
                $(Kind::$kind $(| Kind::$other)* => {
                    $(if $s.ty == Type::Float {
                        return 0u32 $(+ 1 $(- 1 + $float_count)?)*;
                    })?
                    0u32 $(+ 1 $(- 1 + $count)?)*
                })*
                $(Kind::$simple => {
                    $(if $s.ty == Type::Float {
                        return 0u32 $(+ 1 $(- 1 + $float_none)?)*;
                    })?
                    0u32 $(+ 1 $(- 1 + $none)?)*
                })*
                _ => 0,
            }
        }

        /// Returns instruction `k` of the operation itself.
        #[device]
        #[allow(unused_variables)]
        fn $content($s: Operation, $frame: Frame, $k: u32) -> Instruction {
            let $d = $s.destination;
            let $a = $s.left;
            let $b = $s.right;
            match $s.kind {
                $(Kind::$kind $(| Kind::$other)* => {
                    $(if $s.ty == Type::Float {
                        $(
                            let count: u32 = 1 $(- 1 + $float_count)?;
                            if $k < count {
                                return $float_part;
                            }
                            let $k: u32 = $k.wrapping_sub(count);
                        )*
                        return sequences::nothing();
                    })?
                    $(
                        let count: u32 = 1 $(- 1 + $count)?;
                        if $k < count {
                            return $part;
                        }
                        let $k: u32 = $k.wrapping_sub(count);
                    )*
                    sequences::nothing()
                })*
                $(Kind::$simple => {
                    $(if $s.ty == Type::Float {
                        $(
                            if $k == 0 {
                                return $float;
                            }
                            let $k: u32 = $k.wrapping_sub(1);
                        )*
                        return sequences::nothing();
                    })?
                    $(
                        if $k == 0 {
                            return $int;
                        }
                        let $k: u32 = $k.wrapping_sub(1);
                    )*
                    sequences::nothing()
                })*
                _ => sequences::nothing(),
            }
        }

        /// The patterns of all lines.
        #[allow(unused_variables)]
        pub(super) const PATTERNS: Patterns = {
            let mut patterns = Patterns::new();
            $(
                patterns = patterns.begin(&[Kind::$simple], NEAR, false);
                $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $int);)*
                $(
                    patterns = patterns.begin(&[Kind::$simple], NEAR, true);
                    $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $float);)*
                )?
            )*
            $($({
                const KINDS: &[Kind] = &[Kind::$near $(, Kind::$near_other)*];
                patterns = patterns.begin(KINDS, $form, false);
                $(patterns = probed!(patterns, 0; $d, $a, $b, $i, $u; $near_int);)*
                $(
                    patterns = patterns.begin(KINDS, $form, true);
                    $(patterns = probed!(patterns, FLOAT; $d, $a, $b, $i, $u; $near_float);)*
                )?
            })*)*
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
        Block      => [@ (s.role == Role::Jump) as u32 => jump(s.target)];
        Return     => [jump(s.target)];
        Call       => [@ link_length(s, frame) => link(s, frame, k), call(s.data)];
        Name       => [@ variable_length(s, frame) => variable(s, frame, false, d, k)];
        Declare | Assign => [@ variable_length(s, frame) => variable(s, frame, true, s.source, k)];
        Literal    => [@ constant_length(s.data) => constant(s.data, d, k)]
                      [@ if s.data == 0 { 0 } else { constant_length(s.data) } => constant(s.data, T0, k), copy(d, if s.data == 0 { ZERO } else { T0 })];
        Cast       => [@ is_float(d) as u32 => registers(FCVT_S_W, d, a, 0)]
                      [@ is_int(d) as u32 => registers(FCVT_W_S, d, a, 0)];
        Rem        => [registers(REM, d, a, b)] [copy(FA0, a), copy(FA1, b), call(runtime::REMAINDER)];
    }
    patterns {
        Negate     => [registers(SUB, d, ZERO, a)] [registers(FSGNJN, d, a, a)];
        Not        => [immediate(SLTIU, d, a, 1)];
        Complement => [immediate(XORI, d, a, u32::MAX)];
        Add        => [registers(ADD, d, a, b)] [registers(FADD, d, a, b)];
        Sub        => [registers(SUB, d, a, b)] [registers(FSUB, d, a, b)];
        Mul        => [registers(MUL, d, a, b)] [registers(FMUL, d, a, b)];
        Div        => [registers(DIV, d, a, b)] [registers(FDIV, d, a, b)];
        Shl        => [registers(SLL, d, a, b)];
        Shr        => [registers(SRA, d, a, b)];
        Ushr       => [registers(SRL, d, a, b)];
        And        => [registers(AND, d, a, b)];
        Or         => [registers(OR, d, a, b)];
        Xor        => [registers(XOR, d, a, b)];
        Eq         => [registers(XOR, d, a, b), immediate(SLTIU, d, d, 1)]
                      [registers(FEQ, d, a, b)];
        Ne         => [registers(XOR, d, a, b), registers(SLTU, d, ZERO, d)]
                      [registers(FEQ, d, a, b), immediate(XORI, d, d, 1)];
        Lt         => [registers(SLT, d, a, b)] [registers(FLT, d, a, b)];
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
        Declare | Assign => [near_access(true, a, SP, i)] [near_access(true, a, SP, i)];
        Literal    => [immediate(ADDI, d, ZERO, i)];
        Rem        => [registers(REM, d, a, b)];
        Arg | Ascribe | Block | Empty | Expression | If | IfElse | While | Extern => [] [];
    }
    FAR {
        Literal    => [immediate(LUI, d, 0, u), immediate(ADDI, d, d, i)]
                      [immediate(LUI, T0, 0, u), immediate(ADDI, T0, T0, i), copy(d, T0)];
    }
    ROUND {
        Literal    => [immediate(LUI, d, 0, u)] [immediate(LUI, T0, 0, u), copy(d, T0)];
    }
}

/// Returns the number of instructions of a row.
#[device]
pub fn length(s: Operation, frame: Frame) -> u32 {
    let operation = operation_length(s, frame) + rest_length(s);
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
    let own = operation(s, frame, k);
    if own.op != NOTHING {
        return own;
    }
    rest(s, k - operation_length(s, frame))
}

sequence! {
    /// Loads spilled operands.
    loads_length(s: Operation), loads(), k:
    @ spill_length(s.left_at) => access(s.left_at, false, s.left, SP, k),
    @ spill_length(s.right_at) => access(s.right_at, false, s.right, SP, k),
}

sequence! {
    /// Moves or stores the value, and branches.
    rest_length(s: Operation), rest(), k:
    @ (s.destination != s.source) as u32 => copy(s.destination, s.source),
    @ spill_length(s.store_at) => access(s.store_at, true, s.source, SP, k),
    @ (s.role == Role::Condition) as u32 => branch(s.destination, s.target),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::instruction::NO_PATTERN;
    use crate::ir::operation::NO_OFFSET;
    use crate::ir::registers::NOWHERE;
    use crate::ir::rows::{HostLocated, Located, LocatedRow};
    use crate::passes::lower::operands::operation as operation_of_row;
    use crate::passes::lower::patterns::{choice, pattern_word, pattern_words};
    use crate::target::riscv::registers::{A0, FT2, S1, T3};

    /// Every kind, type, role, location class and size of frame has as many instructions as its length says.
    #[test]
    fn lengths_equal_numbers_of_instructions() {
        let mut cases = 0;
        let registers = [T3, A0, S1, FT2];
        let flags = 0..8u8;
        for kind in Kind::ALL.iter().copied() {
            for (ty, role) in Type::ALL.iter().flat_map(|&ty| Role::ALL.iter().map(move |&role| (ty, role))) {
                for (memory, near) in flags.clone().flat_map(|memory| [(memory, 4), (memory, 4096)]) {
                    for (k, hops) in [(0, 0), (1, 1), (2, 2), (3, 5)] {
                        let at = |bit: u8| if memory & bit != 0 { near } else { NO_OFFSET };
                        let s = Operation {
                            kind,
                            ty,
                            role,
                            memory,
                            left: registers[k],
                            right: registers[(k + 1) % 4],
                            destination: registers[(k + usize::from(memory)) % 4],
                            source: registers[k],
                            left_at: at(1),
                            right_at: at(2),
                            store_at: at(4),
                            data: [0, 5, 4, 3][k],
                            hops,
                            target: RowId::new(3),
                        };
                        let saved = k as u32;
                        let frame = Frame {
                            bytes: near * 4,
                            spills: 0,
                            saves: near,
                            ints: saved,
                            floats: saved,
                            calls: saved & 1,
                            nested: saved >> 1,
                        };
                        let count = length(s, frame);
                        let written = (0..count).map(|k| instruction(s, frame, k));
                        assert!(written.into_iter().all(|written| written.op != NOTHING), "{s:?} {frame:?}");
                        assert_eq!(instruction(s, frame, count).op, NOTHING, "{s:?} {frame:?}");
                        cases += 1;
                    }
                }
            }
        }
        assert!(cases > 50_000, "only {cases} cases");
    }

    /// A pattern that is filled in has the words of the instructions, for all registers and immediates.
    #[test]
    fn patterns_equal_instructions() {
        let mut cases = 0;
        let ints = [T3, A0, S1];
        let floats = [FT2, FA0, FA1];
        let values = [0, 5, 2047, -2048i32 as u32, 2048, 4096, 70_000, 0x3f80_0000, 0x4048_f5c3, u32::MAX - 4000];
        for (kind, ty) in
            Kind::ALL.into_iter().flat_map(|kind| [Type::Void, Type::Int, Type::Float].map(|ty| (kind, ty)))
        {
            for (value, k) in values.iter().flat_map(|&value| (0..3).map(move |k| (value, k))) {
                let operands = if ty == Type::Float { floats } else { ints };
                let is_kept = matches!(kind, Kind::Arg | Kind::Ascribe | Kind::Assign | Kind::Declare);
                let results = if kind.type_of_value(ty) == Type::Float { floats } else { ints };
                let has_value = kind.is_value() || kind == Kind::Arg;
                if has_value == (ty == Type::Void) {
                    continue;
                }
                let place = if is_kept {
                    operands[k]
                } else if has_value {
                    results[(k + 1) % 3]
                } else {
                    NOWHERE
                };
                let at = RowId::new;
                let host: HostLocated = [NOWHERE, operands[k], operands[(k + 2) % 3], place]
                    .map(|place| LocatedRow { kind, ty, data: value, operand: at(1), place, ..LocatedRow::default() })
                    .map(|row| LocatedRow { aux: (kind == Kind::Declare) as u32, ..row })
                    .into_iter()
                    .collect();
                let rows = <Located as treepar::device::Table>::view_host(&host);
                let frame = Frame { bytes: 16, ..Frame::default() };
                let r = RowId::new(3);
                let chosen = choice(r, rows, frame.bytes);
                if chosen.pattern == NO_PATTERN {
                    continue;
                }
                cases += 1;
                let s = operation_of_row(r, rows, frame, 3);
                let expected: Vec<u32> = (0..length(s, frame))
                    .map(|k| instruction(s, frame, k))
                    .map(|x| encode(x.op, x.rd, x.rs1, x.rs2, x.imm))
                    .collect();
                let found: Vec<u32> = (0..pattern_words(chosen.pattern)).map(|k| pattern_word(chosen, k)).collect();
                assert_eq!(found, expected, "{s:?} {chosen:?}");
            }
        }
        assert!(cases > 1000, "only {cases} cases");
    }
}
