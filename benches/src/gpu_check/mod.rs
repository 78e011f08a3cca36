//! The parts of `gpu-check`. Each part compares a backend, the *subject*, with the CPU and measures its speed.
//!
//! ```text
//! laws        every law of `treepar-laws`, at lengths around the edges of blocks
//! programs    the examples of `refc` and generated programs: trees, words, symbols and calls equal the CPU's
//! primitives  every operation at 1e5 to 1e8 rows: its answer, and its time compared with a copy of the same bytes
//! passes      `refc` pass by pass, from 100 kB to 50 MB of source
//! ```
//!
//! A part is generic over [`subject::Subject`]. It writes its results to the [`run::Run`], which owns the record and
//! the time limit. Only the program names concrete backends, because compiling all laws and operations for one backend
//! takes minutes.

mod bisect;
pub(crate) mod front_end;
mod laws;
mod parts;
mod passes;
mod primitives;
pub(crate) mod programs;
pub mod record;
mod report;
pub mod run;
pub mod subject;
mod timing;
