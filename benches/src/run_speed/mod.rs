//! The parts of `run-speed`.
//!
//! ```text
//! programs  the programs, in Par and in C
//! builds    the compilers, and their executables
//! rows      medians, and ratios of runs in one round
//! report    the tables and the record
//! ```

pub mod builds;
pub mod programs;
pub mod report;
pub mod rows;
