//! The parts shared by the benchmarks: operations with their inputs, generated programs, statistics and records.
//!
//! ```text
//! operations     every operation of treepar, with its inputs, its byte count and plain code for it
//! applications   whole applications in two versions, and the parts of the program `applications`
//! program        generated programs of a given size or shape
//! compile_speed  the parts of the program `compile-speed`
//! run_speed      the parts of the program `run-speed`
//! gpu_check      the parts of the program `gpu-check`, for any backend
//! kernel_counts  the parts of the program `kernel-counts`: executed instructions and moved sectors of kernels
//! process        one run of a program: time and memory
//! rounds         the order of runs in rounds, and ratios of runs of one round
//! timed          backends that can wait for their work
//! host           the computer, its load, the date and the commit
//! idle           whether the cores are idle enough for a record
//! statistics     statistics of repeated runs
//! failure        the reasons why a measurement fails
//! record         files written completely or not at all, and the options of records
//! table          tables for the terminal
//! ```

pub mod applications;
pub mod compile_speed;
pub mod failure;
pub mod gpu_check;
pub mod host;
pub mod idle;
pub mod kernel_counts;
pub mod operations;
pub mod process;
pub mod program;
pub mod record;
pub mod rounds;
pub mod run_speed;
pub mod sizes;
pub mod statistics;
pub mod table;
pub mod timed;

treepar::device::precompiled!("../ptx/units.bin");
