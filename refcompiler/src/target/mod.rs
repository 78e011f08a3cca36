//! Target machines.

pub mod prelude;
pub mod riscv;
mod rules;
pub mod unwind;
pub mod x86_64;

use treepar::device::device;

use crate::object::Image;

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

impl Target {
    /// Returns the target that this machine runs, if there is one.
    pub const fn of_host() -> Option<Target> {
        if cfg!(all(target_arch = "x86_64", target_os = "linux")) { Some(Target::X86_64) } else { None }
    }
}

/// Returns the assembly text of an image.
pub fn assembly(image: &Image) -> String {
    match image.target {
        Target::X86_64 => x86_64::assembly::assembly(image),
        _ => riscv::assembly::assembly(image),
    }
}
