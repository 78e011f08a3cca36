//! What benchmarks share: operations with their inputs, generated programs, and what a record needs.
//!
//! ```text
//! operations  every operation of treepar with its bytes, its inputs and the plain code for it
//! program     programs of a given size
//! gpu_check   the parts of the program gpu-check, for any backend
//! timed       backends whose work can be waited for
//! machine     the machine at hand, the date, the commit
//! statistics  of runs
//! failure     why something could not be measured
//! record      files that are written whole or not at all
//! table       what a reader sees
//! ```

pub mod failure;
pub mod gpu_check;
pub mod machine;
pub mod operations;
pub mod program;
pub mod record;
pub mod statistics;
pub mod table;
pub mod timed;

treepar::device::precompiled!("../ptx/units.bin");
