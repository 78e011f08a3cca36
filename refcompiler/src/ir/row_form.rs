//! The form of rows: what they have for a target, and the literals that their instructions contain.
//!
//! ```text
//! x + 5      in memory       literal 5, add     li t3, 5; add t4, t2, t3
//!            in registers    empty, add         addi t4, a0, 5               data of the row: 5, aux: 1
//! ```

use treepar::device::device;

use super::kinds::{Kind, Kinds};
use crate::target::Target;
use crate::target::riscv::encode::is_near;

/// The form of rows. Only if variables are in registers, instructions contain literals and the condition of a loop comes after its body.
#[device]
pub enum RowForm {
    /// For RISC-V, with all variables in memory.
    Riscv32,
    /// For RISC-V, with variables in registers.
    HeldRiscv32,
    /// For x86-64, with all variables in memory.
    X86_64,
    /// For x86-64, with variables in registers.
    HeldX86_64,
}

#[device]
impl RowForm {
    /// Returns the form for a target.
    pub fn of(target: Target, has_registers: bool) -> RowForm {
        if target == Target::X86_64 {
            return if has_registers { RowForm::HeldX86_64 } else { RowForm::X86_64 };
        }
        if has_registers { RowForm::HeldRiscv32 } else { RowForm::Riscv32 }
    }

    /// Returns whether variables are in registers.
    pub fn has_registers(self) -> bool {
        (self == RowForm::HeldRiscv32) | (self == RowForm::HeldX86_64)
    }

    /// Returns whether an operation on floats can yield another NaN than the only one of RISC-V.
    pub fn yields_any_nan(self) -> bool {
        (self == RowForm::X86_64) | (self == RowForm::HeldX86_64)
    }

    /// Returns whether the instruction of a kind can contain a literal, its right operand.
    pub fn contains(self, kind: Kind, literal: u32) -> bool {
        let value = contained(kind, literal);
        let is_on_riscv = (self == RowForm::HeldRiscv32) & ON_RISCV.contains(kind) & is_near(value);
        kind.takes_literal() & ((self == RowForm::HeldX86_64) | is_on_riscv)
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
