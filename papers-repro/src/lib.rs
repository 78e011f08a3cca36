//! Reruns the measurements of the papers, and reports them beside the published figures.
//!
//! A paper is a module: it measures into a record, and writes its section of the report from a record. The frame gives
//! the rest: sweeps that can be interrupted, the machines that are measured, statistics, plots, the report.
//!
//! It is a library so that `cargo ptx` can link it and compile its kernels: a kernel's name holds its module's path, which
//! must be the same in both programs.

mod cli;
mod frame;
mod key;
mod pareas;

pub use cli::main;

#[cfg(feature = "cuda")]
treepar::device::precompiled!("../ptx/units.bin");
