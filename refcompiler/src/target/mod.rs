//! Target machines.

pub mod riscv;
