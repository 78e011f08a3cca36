//! The reference compiler of treepar: from the language Par to RISC-V and x86-64, every pass data-parallel.
//!
//! ```text
//! source --frontend--> tree --pipeline (passes)--> image --object--> ELF file
//!                                                    `---target::assembly--> text
//! ```

pub mod diagnostics;
pub mod frontend;
pub mod interface;
pub mod ir;
pub mod object;
pub mod passes;
pub mod pipeline;
pub mod simulator;
pub mod source;
pub mod target;

#[cfg(feature = "cuda")]
treepar::device::precompiled!("../ptx/units.bin");
