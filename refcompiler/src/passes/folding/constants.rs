//! The values of operators on literals, with the same bits as in compiled programs.
//!
//! Ints wrap, shifts take the low five bits of the amount, and a division by 0 is -1 with the left operand as remainder. A NaN that an
//! operation makes is the canonical one. `%` and `sqrt` of floats, and signs of a NaN, are left to the program.

use treepar::device::device;

use crate::ir::kinds::{Kind, Type};

/// The bits of the NaN that operations make.
const CANONICAL_NAN: u32 = 0x7fc0_0000;

/// The value of an expression, if it is known.
#[device]
pub struct Known {
    /// 1 if it is.
    pub is_known: u32,
    /// The bits.
    pub bits: u32,
}

/// No known value.
pub const UNKNOWN: Known = Known { is_known: 0, bits: 0 };

/// Returns a known value.
#[device]
pub fn known(bits: u32) -> Known {
    Known { is_known: 1, bits }
}

/// Returns a known truth.
#[device]
fn truth(is: bool) -> Known {
    known(is as u32)
}

/// Returns whether bits are a NaN.
#[device]
fn is_nan(bits: u32) -> bool {
    (bits & 0x7fff_ffff) > 0x7f80_0000
}

/// Returns a known float.
#[device]
fn float(x: f32) -> Known {
    let bits = x.to_bits();
    known(if is_nan(bits) { CANONICAL_NAN } else { bits })
}

/// Returns the quotient of two ints.
#[device]
fn quotient(a: i32, b: i32) -> i32 {
    if b == 0 { -1 } else { (a as i64 / b as i64) as i32 }
}

/// Returns the remainder of two ints.
#[device]
fn remainder(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { (a as i64 % b as i64) as i32 }
}

/// Returns the value of a binary operator on ints.
#[device]
pub fn of_ints(kind: Kind, left: u32, right: u32) -> Known {
    let a = left as i32;
    let b = right as i32;
    match kind {
        Kind::Add => known(left.wrapping_add(right)),
        Kind::Sub => known(left.wrapping_sub(right)),
        Kind::Mul => known(left.wrapping_mul(right)),
        Kind::Div => known(quotient(a, b) as u32),
        Kind::Rem => known(remainder(a, b) as u32),
        Kind::Shl => known(left.wrapping_shl(right & 31)),
        Kind::Shr => known(a.wrapping_shr(right & 31) as u32),
        Kind::Ushr => known(left.wrapping_shr(right & 31)),
        Kind::And => known(left & right),
        Kind::Or => known(left | right),
        Kind::Xor => known(left ^ right),
        Kind::Eq => truth(a == b),
        Kind::Ne => truth(a != b),
        Kind::Lt => truth(a < b),
        Kind::Le => truth(a <= b),
        Kind::Gt => truth(a > b),
        Kind::Ge => truth(a >= b),
        Kind::Land => truth((a != 0) & (b != 0)),
        Kind::Lor => truth((a != 0) | (b != 0)),
        Kind::AddWords => known(left.wrapping_add(right.wrapping_mul(4))),
        Kind::AddShorts => known(left.wrapping_add(right.wrapping_mul(2))),
        _ => UNKNOWN,
    }
}

/// Returns the value of a binary operator on floats.
#[device]
pub fn of_floats(kind: Kind, left: u32, right: u32) -> Known {
    let a = f32::from_bits(left);
    let b = f32::from_bits(right);
    match kind {
        Kind::Add => float(a + b),
        Kind::Sub => float(a - b),
        Kind::Mul => float(a * b),
        Kind::Div => float(a / b),
        Kind::Eq => truth(a == b),
        Kind::Ne => truth(a != b),
        Kind::Lt => truth(a < b),
        Kind::Le => truth(a <= b),
        Kind::Gt => truth(a > b),
        Kind::Ge => truth(a >= b),
        _ => UNKNOWN,
    }
}

/// Returns the value of an operator with one operand of a type.
#[device]
pub fn of_one(kind: Kind, ty: Type, operand_ty: Type, bits: u32) -> Known {
    let x = f32::from_bits(bits);
    if operand_ty == Type::Float && is_nan(bits) && kind != Kind::Cast {
        return UNKNOWN;
    }
    let is_float = operand_ty == Type::Float;
    match kind {
        Kind::Ascribe => known(bits),
        Kind::Not => truth(bits == 0),
        Kind::Complement => known(!bits),
        Kind::Negate => known(if is_float { bits ^ 0x8000_0000 } else { bits.wrapping_neg() }),
        Kind::Abs => {
            if is_float {
                known(bits & 0x7fff_ffff)
            } else {
                known(if (bits as i32) < 0 { bits.wrapping_neg() } else { bits })
            }
        }
        Kind::Cast => {
            if ty == operand_ty {
                known(bits)
            } else if is_float {
                known(if is_nan(bits) { 0x7fff_ffff } else { x as i32 as u32 })
            } else {
                float(bits as i32 as f32)
            }
        }
        _ => UNKNOWN,
    }
}
