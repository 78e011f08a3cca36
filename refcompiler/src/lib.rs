//! The reference compiler of treepar: from the language Par to RISC-V.

pub mod diagnostics;
pub mod frontend;
pub mod tree;
