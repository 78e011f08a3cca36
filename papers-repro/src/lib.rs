//! Reruns the measurements of the papers, and reports them beside the published figures.
//!
//! A paper is a module: it measures into a record, and writes its section of the report from a record. The frame gives
//! the rest: sweeps that can be interrupted, the machines that are measured, statistics, plots, the report.
//!
//! All of it is a library so that `cargo ptx` can link it, and make PTX of the kernels that it measures: of these the
//! module's path is a part of the name, and is the same in each program.

mod cli;
mod frame;
mod key;
mod pareas;

pub use cli::{PAPERS, main};
