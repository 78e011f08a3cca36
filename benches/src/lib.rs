//! What benchmarks share: operations with their inputs, generated programs, and what a record needs.
//!
//! ```text
//! operations  every operation of treepar with its bytes, its inputs and the plain code for it
//! program     programs of a given size
//! machine     the machine at hand, the date, the commit
//! statistics  of runs
//! record      files that are written whole or not at all
//! ```

pub mod machine;
pub mod operations;
pub mod program;
pub mod record;
pub mod statistics;
