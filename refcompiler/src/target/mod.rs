//! Target machines.

pub mod prelude;
pub mod riscv;
pub mod x86_64;

use treepar::device::device;

/// The processor that compiled programs run on.
#[device]
pub enum Target {
    /// RV32IMF, 32 bits.
    Riscv32,
    /// x86-64 with SSE2, 64 bits, of which addresses use 32.
    X86_64,
}

#[device]
impl Target {
    /// Returns the number of bytes of a unit in which positions of code count.
    pub const fn unit(self) -> u32 {
        match self {
            Target::X86_64 => 1,
            _ => 4,
        }
    }
}
