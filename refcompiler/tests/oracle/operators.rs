//! The value of each binary operator, and the instructions that compute it: one line per operator.

use refcompiler::ir::instruction::Instruction;
use refcompiler::ir::kinds::kind;
use refcompiler::target::riscv::isa::*;
use refcompiler::target::riscv::registers::{T0, T1, ZERO};

/// The value of an operator on ints.
type OfInts = fn(i32, i32) -> i32;

/// The value of an operator on floats.
#[derive(Clone, Copy)]
pub enum OfFloats {
    /// It is not defined.
    No,
    /// It is a float.
    Float(fn(f32, f32) -> f32),
    /// It is 0 or 1.
    Truth(fn(f32, f32) -> bool),
}
use OfFloats::{Float, No, Truth};

/// The instructions of an operator: to a register, from two registers.
type Code = fn(u8, u8, u8) -> Vec<Instruction>;

/// A binary operator.
#[derive(Clone, Copy)]
pub struct Operator {
    pub of_ints: OfInts,
    pub of_floats: OfFloats,
    pub int_code: Code,
    /// For `%`, which calls a function, there are no instructions here.
    pub float_code: Code,
}

/// Returns an instruction on registers.
fn r(op: u8, rd: u8, rs1: u8, rs2: u8) -> Instruction {
    Instruction { op, rd, rs1, rs2, imm: 0 }
}

/// Returns an instruction with the immediate 1.
fn one(op: u8, rd: u8, rs1: u8) -> Instruction {
    Instruction { op, rd, rs1, rs2: 0, imm: 1 }
}

/// Returns the operator of a kind.
#[rustfmt::skip]
pub fn operator(k: u8) -> Operator {
    let none: Code = |_, _, _| Vec::new();
    let (of_ints, of_floats, int_code, float_code): (OfInts, OfFloats, Code, Code) = match k {
        kind::ADD => (i32::wrapping_add, Float(|a, b| a + b), |d, a, b| vec![r(ADD, d, a, b)], |d, a, b| vec![r(FADD, d, a, b)]),
        kind::SUB => (i32::wrapping_sub, Float(|a, b| a - b), |d, a, b| vec![r(SUB, d, a, b)], |d, a, b| vec![r(FSUB, d, a, b)]),
        kind::MUL => (i32::wrapping_mul, Float(|a, b| a * b), |d, a, b| vec![r(MUL, d, a, b)], |d, a, b| vec![r(FMUL, d, a, b)]),
        kind::DIV => (|a, b| if b == 0 { -1 } else { a.wrapping_div(b) }, Float(|a, b| a / b), |d, a, b| vec![r(DIV, d, a, b)], |d, a, b| vec![r(FDIV, d, a, b)]),
        kind::REM => (|a, b| if b == 0 { a } else { a.wrapping_rem(b) }, Float(|a, b| a % b), |d, a, b| vec![r(REM, d, a, b)], none),
        kind::SHL => (|a, b| a.wrapping_shl(b as u32), No, |d, a, b| vec![r(SLL, d, a, b)], none),
        kind::SHR => (|a, b| a.wrapping_shr(b as u32), No, |d, a, b| vec![r(SRA, d, a, b)], none),
        kind::USHR => (|a, b| (a as u32).wrapping_shr(b as u32) as i32, No, |d, a, b| vec![r(SRL, d, a, b)], none),
        kind::AND => (|a, b| a & b, No, |d, a, b| vec![r(AND, d, a, b)], none),
        kind::OR => (|a, b| a | b, No, |d, a, b| vec![r(OR, d, a, b)], none),
        kind::XOR => (|a, b| a ^ b, No, |d, a, b| vec![r(XOR, d, a, b)], none),
        kind::EQ => (|a, b| i32::from(a == b), Truth(|a, b| a == b), |d, a, b| vec![r(XOR, d, a, b), one(SLTIU, d, d)], |d, a, b| vec![r(FEQ, d, a, b)]),
        kind::NE => (|a, b| i32::from(a != b), Truth(|a, b| a != b), |d, a, b| vec![r(XOR, d, a, b), r(SLTU, d, ZERO, d)], |d, a, b| vec![r(FEQ, d, a, b), one(XORI, d, d)]),
        kind::LT => (|a, b| i32::from(a < b), Truth(|a, b| a < b), |d, a, b| vec![r(SLT, d, a, b)], |d, a, b| vec![r(FLT, d, a, b)]),
        kind::LE => (|a, b| i32::from(a <= b), Truth(|a, b| a <= b), |d, a, b| vec![r(SLT, d, b, a), one(XORI, d, d)], |d, a, b| vec![r(FLE, d, a, b)]),
        kind::GT => (|a, b| i32::from(a > b), Truth(|a, b| a > b), |d, a, b| vec![r(SLT, d, b, a)], |d, a, b| vec![r(FLT, d, b, a)]),
        kind::GE => (|a, b| i32::from(a >= b), Truth(|a, b| a >= b), |d, a, b| vec![r(SLT, d, a, b), one(XORI, d, d)], |d, a, b| vec![r(FLE, d, b, a)]),
        kind::LAND => (|a, b| i32::from(a != 0 && b != 0), No, |d, a, b| vec![r(SLTU, T0, ZERO, a), r(SLTU, T1, ZERO, b), r(AND, d, T0, T1)], none),
        kind::LOR => (|a, b| i32::from(a != 0 || b != 0), No, |d, a, b| vec![r(OR, d, a, b), r(SLTU, d, ZERO, d)], none),
        other => panic!("no binary operator: {}", kind::NAMES[other as usize]),
    };
    Operator { of_ints, of_floats, int_code, float_code }
}
