//! Variables in registers: the data of their rows, and the pools of registers.
//!
//! The offsets of variables in frames are multiples of 4. So an odd number in the place of an offset has the register of a variable:
//!
//! ```text
//! bits   31..7                                   6..1        0
//!        slot of a counter's last value,         register    1
//!        distance of a word from the variable,
//!        or 1 if no row depends on the bits of the variable's value if it is NaN
//! ```

use treepar::device::device;

use crate::target::Target;
use crate::target::riscv::registers::{A0, ARGUMENTS, FA0, FLOATS, INTS};
use crate::target::x86_64::registers as x86;

/// Returns the data of a row whose variable is in `register`. A frame that has more slots than fit is larger than any stack.
#[device]
pub const fn held_data(register: u32, slot: u32) -> u32 {
    slot << 7 | register << 1 | 1
}

/// Returns whether the offset of a variable is the data of a register.
#[device]
pub const fn is_held(data: u32) -> bool {
    data & 1 != 0
}

/// Returns the register of such data.
#[device]
pub const fn held_register(data: u32) -> u8 {
    ((data >> 1) & 63) as u8
}

/// Returns the number in the upper bits of such data.
#[device]
pub const fn held_slot(data: u32) -> u32 {
    data >> 7
}

/// The registers that variables can have.
#[device]
pub enum Pool {
    /// The registers of arguments, for variables whose lives contain no call.
    Arguments,
    /// Registers that functions save.
    Saved,
}

/// The number of saved registers of each type for variables on RISC-V. The others are for values that wait.
const RISCV_SAVED: usize = 8;

/// The number of heights of the evaluation stack that have a register on RISC-V, if variables have registers.
const RISCV_INTS: u32 = (INTS.len() - RISCV_SAVED) as u32;
const RISCV_FLOATS: u32 = (FLOATS.len() - RISCV_SAVED) as u32;

/// Returns the number of registers in a pool.
#[device]
pub fn pool_size(target: Target, pool: Pool, is_float: bool) -> u32 {
    let is_x86 = target == Target::X86_64;
    if pool == Pool::Saved {
        if !is_x86 {
            return RISCV_SAVED as u32;
        }
        return if is_float { 0 } else { x86::SAVED.len() as u32 };
    }
    if !is_x86 {
        return ARGUMENTS;
    }
    if is_float { x86::FLOAT_ARGUMENTS } else { x86::INT_ARGUMENTS }
}

/// Returns register `k` of a pool. The order of the registers for arguments is the order of arguments.
#[device]
pub fn pool_register(target: Target, pool: Pool, is_float: bool, k: u32) -> u8 {
    let is_x86 = target == Target::X86_64;
    if pool == Pool::Saved {
        if is_x86 {
            return x86::SAVED[k as usize];
        }
        return if is_float { FLOATS[FLOATS.len() - 1 - k as usize] } else { INTS[INTS.len() - 1 - k as usize] };
    }
    if is_float {
        return (if is_x86 { x86::XMM0 } else { FA0 }) + k as u8;
    }
    if is_x86 { x86::ARGUMENTS[k as usize] } else { A0 + k as u8 }
}

/// Returns whether a value at a height of the evaluation stack has a register, if variables have registers.
#[device]
pub fn has_register(target: Target, is_float: bool, height: u32) -> bool {
    (target == Target::X86_64) | (height < if is_float { RISCV_FLOATS } else { RISCV_INTS })
}

/// The number of registers of the pool that a function saves up to a register, for each target. Floats count from bit 16 on.
const SAVED: [u32; 512] = {
    let mut table = [0; 512];
    let mut k = 0;
    while k < RISCV_SAVED {
        table[INTS[INTS.len() - 1 - k] as usize] = k as u32 + 1;
        table[FLOATS[FLOATS.len() - 1 - k] as usize] = (k as u32 + 1) << 16;
        k += 1;
    }
    k = 0;
    while k < x86::SAVED.len() {
        table[256 + x86::SAVED[k] as usize] = k as u32 + 1;
        k += 1;
    }
    table
};

/// Returns how many registers of the pool a function saves if it uses the registers of one type up to `register`. Floats count from
/// bit 16 on.
#[device]
pub fn held_saves(target: Target, register: u8) -> u32 {
    SAVED[register as usize + if target == Target::X86_64 { 256 } else { 0 }]
}

/// Returns the number of ints in such a number.
#[device]
pub const fn held_ints(saves: u32) -> u32 {
    saves & 0xffff
}

/// Returns the number of floats in such a number.
#[device]
pub const fn held_floats(saves: u32) -> u32 {
    saves >> 16
}
