//! Target machines.

pub mod riscv;
pub mod x86_64;
