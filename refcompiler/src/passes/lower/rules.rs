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
//! A rule's line is the only text about the code of a kind. The number of instructions and their content are two
//! expansions of it.

use treepar::device::device;

use super::memory::{
    self, access, constant, constant_length, copy, immediate, link, link_length, registers, spill_length, variable,
    variable_length,
};
use super::operands::Operation;
use super::prologue::{adjust, adjust_length, saves, saves_length};
use super::sequence;
use crate::ir::frame::Frame;
use crate::ir::instruction::{CALL_EXTERN, CALL_STUB, EXTERN, Instruction, NOTHING, STUB};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::registers::{is_float, is_int};
use crate::ir::rows::RowId;
use crate::ir::tree::runtime;
use crate::target::riscv::isa::*;
use crate::target::riscv::registers::{FA0, FA1, RA, SP, T0, T1, ZERO};

/// Returns a jump to the first instruction of a row.
#[device]
fn jump(row: RowId, offsets: &[u32]) -> Instruction {
    immediate(JAL, ZERO, 0, offsets[row.index()])
}

/// Returns a branch to the first instruction of a row, taken if `condition` is 0.
#[device]
fn branch(condition: u8, row: RowId, offsets: &[u32]) -> Instruction {
    Instruction { op: BEQ, rd: 0, rs1: condition, rs2: ZERO, imm: offsets[row.index()] }
}

/// Returns a call of a function: in another object, of the prelude, or in this program.
#[device]
fn call(id: u32, entry: &[u32], offsets: &[u32]) -> Instruction {
    let at = entry[id as usize];
    if at == EXTERN {
        immediate(CALL_EXTERN, RA, 0, id)
    } else if at >= STUB {
        immediate(CALL_STUB, RA, 0, at - STUB)
    } else {
        immediate(JAL, RA, 0, offsets[at as usize])
    }
}

/// Declares the number of instructions of an operation and their content. A line has the parts of a
/// [`sequence!`](super::sequence), for operands of both types, or for ints and then floats. `d`, `a` and `b` are the
/// registers of the value and the operands.
macro_rules! rules {
    (
        $length:ident, $content:ident($s:ident, $frame:ident, $entry:ident, $offsets:ident; $d:ident, $a:ident, $b:ident),
        $k:ident:
        $($kind:ident $(| $other:ident)* =>
            [$($(@ $count:expr =>)? $part:expr),*] $([$($(@ $float_count:expr =>)? $float_part:expr),*])?;)*
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
                _ => 0,
            }
        }

        /// Returns instruction `k` of the operation itself.
        #[device]
        #[allow(unused_variables)]
        fn $content($s: Operation, $frame: Frame, $entry: &[u32], $offsets: &[u32], $k: u32) -> Instruction {
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
                        return memory::nothing();
                    })?
                    $(
                        let count: u32 = 1 $(- 1 + $count)?;
                        if $k < count {
                            return $part;
                        }
                        let $k: u32 = $k.wrapping_sub(count);
                    )*
                    memory::nothing()
                })*
                _ => memory::nothing(),
            }
        }
    };
}

rules! { operation_length, operation(s, frame, entry, offsets; d, a, b), k:
    Header     => [@ adjust_length(frame.bytes) => adjust(frame.bytes, true, k), @ saves_length(frame, true) => saves(frame, true, k)];
    Function   => [@ saves_length(frame, false) => saves(frame, false, k), @ adjust_length(frame.bytes) => adjust(frame.bytes, false, k), immediate(JALR, ZERO, RA, 0)];
    Block      => [@ (s.role == Role::Jump) as u32 => jump(s.target, offsets)];
    Return     => [jump(s.target, offsets)];
    Call       => [@ link_length(s, frame) => link(s, frame, k), call(s.data, entry, offsets)];
    Name       => [@ variable_length(s, frame) => variable(s, frame, false, d, k)];
    Declare | Assign => [@ variable_length(s, frame) => variable(s, frame, true, s.source, k)];
    Literal    => [@ constant_length(s.data) => constant(s.data, d, k)]
                  [@ if s.data == 0 { 0 } else { constant_length(s.data) } => constant(s.data, T0, k), copy(d, if s.data == 0 { ZERO } else { T0 })];
    Cast       => [@ is_float(d) as u32 => registers(FCVT_S_W, d, a, 0)]
                  [@ is_int(d) as u32 => registers(FCVT_W_S, d, a, 0)];
    Negate     => [registers(SUB, d, ZERO, a)] [registers(FSGNJN, d, a, a)];
    Not        => [immediate(SLTIU, d, a, 1)];
    Complement => [immediate(XORI, d, a, u32::MAX)];
    Add        => [registers(ADD, d, a, b)] [registers(FADD, d, a, b)];
    Sub        => [registers(SUB, d, a, b)] [registers(FSUB, d, a, b)];
    Mul        => [registers(MUL, d, a, b)] [registers(FMUL, d, a, b)];
    Div        => [registers(DIV, d, a, b)] [registers(FDIV, d, a, b)];
    Rem        => [registers(REM, d, a, b)] [copy(FA0, a), copy(FA1, b), call(runtime::REMAINDER, entry, offsets)];
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

/// Returns the number of instructions of a row.
#[device]
pub fn length(s: Operation, frame: Frame) -> u32 {
    let operation = operation_length(s, frame) + rest_length(s);
    if s.memory == 0 { operation } else { loads_length(s) + operation }
}

/// Returns instruction `k` of a row.
#[device]
pub fn instruction(s: Operation, frame: Frame, entry: &[u32], offsets: &[u32], k: u32) -> Instruction {
    let mut k = k;
    if s.memory != 0 {
        let before = loads_length(s);
        if k < before {
            return loads(s, k);
        }
        k -= before;
    }
    // Most instructions are of the operation itself, whose length is then not needed.
    let own = operation(s, frame, entry, offsets, k);
    if own.op != NOTHING {
        return own;
    }
    rest(s, offsets, k - operation_length(s, frame))
}

sequence! {
    /// Loads spilled operands.
    loads_length(s: Operation), loads(), k:
    @ spill_length(s.left_at) => access(s.left_at, false, s.left, SP, k),
    @ spill_length(s.right_at) => access(s.right_at, false, s.right, SP, k),
}

sequence! {
    /// Moves or stores the value, and branches.
    rest_length(s: Operation), rest(offsets: &[u32]), k:
    @ (s.destination != s.source) as u32 => copy(s.destination, s.source),
    @ spill_length(s.store_at) => access(s.store_at, true, s.source, SP, k),
    @ (s.role == Role::Condition) as u32 => branch(s.destination, s.target, offsets),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::lower::operands::NO_OFFSET;
    use crate::target::riscv::registers::{A0, FT2, S1, T3};

    /// Every kind, type, role, location class and size of frame has as many instructions as its length says.
    #[test]
    fn lengths_equal_numbers_of_instructions() {
        let entry = [0, 1, 2, EXTERN, STUB + 3, 4, 5];
        let offsets = [0, 10, 20, 30, 40, 50];
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
                        let written = (0..count).map(|k| instruction(s, frame, &entry, &offsets, k));
                        assert!(written.into_iter().all(|written| written.op != NOTHING), "{s:?} {frame:?}");
                        assert_eq!(instruction(s, frame, &entry, &offsets, count).op, NOTHING, "{s:?} {frame:?}");
                        cases += 1;
                    }
                }
            }
        }
        assert!(cases > 50_000, "only {cases} cases");
    }
}
