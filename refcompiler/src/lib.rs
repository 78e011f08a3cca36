//! The reference compiler of treepar: from the language Par to RISC-V, every pass after the tree data-parallel.
//!
//! ```text
//! source --frontend--> tree --pipeline (passes)--> image --object--> ELF file
//!                                                        `-riscv::assembly--> text
//! ```

pub mod diagnostics;
pub mod frontend;
pub mod object;
pub mod passes;
pub mod pipeline;
pub mod riscv;
pub mod simulator;
pub mod source;
pub mod tree;
