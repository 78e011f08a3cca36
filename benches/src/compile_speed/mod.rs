//! The parts of `compile-speed`.
//!
//! ```text
//! compilers  refc and its peers, with their command lines
//! plan       which compilers run on which programs
//! rows       medians, and ratios of runs in one round
//! report     the tables and the record
//! ```

pub mod compilers;
pub mod plan;
pub mod report;
pub mod rows;
