//! Literals that instructions contain.
//!
//! ```text
//! x + 5      without   literal 5, add     li t3, 5; add t4, a0, t3
//!            with      empty, add         addi t4, a0, 5               data of the row: 5, aux: 1
//! ```

use treepar::device::device;

use super::kinds::{Kind, Kinds};
use crate::target::Target;
use crate::target::riscv::encode::is_near;

/// The target whose instructions contain literals, if any. Only with literals does the condition of a loop come after its body.
#[device]
pub enum Immediates {
    /// All operands are in registers.
    Never,
    /// RISC-V.
    Riscv32,
    /// x86-64.
    X86_64,
}

#[device]
impl Immediates {
    /// Returns the literals of instructions on a target, if there are any.
    pub fn of(target: Target, contained: bool) -> Immediates {
        if !contained {
            return Immediates::Never;
        }
        if target == Target::X86_64 { Immediates::X86_64 } else { Immediates::Riscv32 }
    }

    /// Returns whether the instruction of a kind can contain a literal, its right operand.
    pub fn contain(self, kind: Kind, literal: u32) -> bool {
        let value = contained(kind, literal);
        let is_on_riscv = (self == Immediates::Riscv32) & ON_RISCV.contains(kind) & is_near(value);
        kind.takes_literal() & ((self == Immediates::X86_64) | is_on_riscv)
    }
}

/// The kinds whose instructions can contain a literal on RISC-V.
const ON_RISCV: Kinds = Kinds::of(&[
    Kind::Add,
    Kind::Sub,
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Shl,
    Kind::Shr,
    Kind::Ushr,
    Kind::Eq,
    Kind::Ne,
    Kind::Lt,
]);

/// Returns the kind of a row that contains a literal. A difference is a sum.
#[device]
pub fn with_literal(kind: Kind) -> Kind {
    if kind == Kind::Sub { Kind::Add } else { kind }
}

/// Returns the number in an instruction of a kind with a literal. Only the lower five bits of an amount of bits count.
#[device]
pub fn contained(kind: Kind, literal: u32) -> u32 {
    let is_shift = (kind == Kind::Shl) | (kind == Kind::Shr) | (kind == Kind::Ushr);
    if kind == Kind::Sub {
        literal.wrapping_neg()
    } else if is_shift {
        literal & 31
    } else {
        literal
    }
}
