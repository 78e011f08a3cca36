//! How a debugger finds the caller of a function at each of its instructions.
//!
//! The *canonical frame address* (CFA) of a function is the stack pointer of its caller at the call: the upper end of its frame. A list of
//! [`Change`]s says where it is, and where the caller's registers are. Registers have their numbers in the compiler.

use super::{Target, riscv, x86_64};
use crate::ir::frame::Frame;

/// A rule that holds from an offset in a function on, until another one replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The offset in bytes.
    pub offset: u32,
    /// The rule.
    pub rule: Rule,
}

/// Where the canonical frame address or a register of the caller is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The canonical frame address is a register plus a number.
    Cfa(u8, u32),
    /// It is a number, the second, plus the word in memory that is the first number of bytes above the stack pointer.
    CfaInMemory(u32, u32),
    /// The caller's value of a register is at this distance below the canonical frame address.
    Saved(u8, u32),
    /// The caller's value of a register is in another one.
    Moved(u8, u8),
    /// A register has the caller's value.
    Kept(u8),
    /// There is no caller, or it cannot be found.
    NoCaller,
}

/// The parts of a compiled function, as offsets in bytes from its start. See [`Extent`](crate::ir::lines::Extent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The first byte with a frame.
    pub body: u32,
    /// The first byte after registers are saved.
    pub saved: u32,
    /// The first byte of the code that all `return`s share.
    pub end: u32,
    /// The first byte there without a frame.
    pub restored: u32,
}

impl Target {
    /// Returns the rules at the start of each function.
    pub fn at_entry(self) -> Vec<Rule> {
        match self {
            Target::X86_64 => x86_64::unwind::at_entry(),
            _ => riscv::unwind::at_entry(),
        }
    }

    /// Returns the rules in a compiled function.
    pub fn in_function(self, frame: Frame, parts: Parts) -> Vec<Change> {
        match self {
            Target::X86_64 => x86_64::unwind::in_function(frame, parts),
            _ => riscv::unwind::in_function(frame, parts),
        }
    }

    /// Returns the rules in a function of machine code, found from its instructions. `is_start` is `true` for the start of a program.
    pub fn in_machine_code(self, bytes: &[u8], is_start: bool) -> Vec<Change> {
        if is_start {
            return vec![Change { offset: 0, rule: Rule::NoCaller }];
        }
        match self {
            Target::X86_64 => x86_64::unwind::in_machine_code(bytes),
            _ => riscv::unwind::in_machine_code(bytes),
        }
    }

    /// Returns the number that debuggers have for a register.
    pub fn debugger_register(self, register: u8) -> u16 {
        match self {
            Target::X86_64 => x86_64::unwind::debugger_register(register),
            _ => register.into(),
        }
    }

    /// Returns the number that debuggers have for the return address.
    pub fn return_register(self) -> u16 {
        match self {
            Target::X86_64 => x86_64::unwind::RETURN_ADDRESS,
            _ => riscv::registers::RA.into(),
        }
    }

    /// Returns the stack pointer.
    pub fn stack_pointer(self) -> u8 {
        match self {
            Target::X86_64 => x86_64::registers::RSP,
            _ => riscv::registers::SP,
        }
    }
}
