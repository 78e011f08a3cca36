//! The parts of `compile-speed`.
//!
//! ```text
//! compilers  refc and its peers, with their command lines
//! process    one run of a compiler: time and memory
//! plan       which compilers run on which programs, and in which order
//! rows       medians, and ratios of runs in one round
//! report     the tables and the record
//! ```

pub mod compilers;
pub mod plan;
pub mod process;
pub mod report;
pub mod rows;
