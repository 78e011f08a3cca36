//! Reruns the measurements of the papers and compares them with the published figures.
//!
//! Each paper is a module. It measures into a record, and writes its section of the report from a record. `frame`
//! provides the shared parts: options, backends, interruptible sweeps, records, plots, and the report. `par` compiles and runs the
//! programs of the folder `programs`. `claims` compares measured values with published ones. `applications` draws a
//! record of `benches`.
//!
//! The crate is a library so that `cargo ptx` can link it and compile its kernels. A kernel's name contains the path of
//! its module, which must be the same in both programs.

mod applications;
mod claims;
mod cli;
mod frame;
mod key;
mod l0;
mod lms;
mod papers;
mod par;
mod pareas;
mod vector_pascal;

pub use cli::main;

#[cfg(feature = "cuda")]
treepar::device::precompiled!("../ptx/units.bin");
