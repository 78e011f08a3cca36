//! The parts of `gpu-check`: the laws, whole compilations, every primitive and every pass on a machine, compared with the
//! CPU's, with the time that they take.
//!
//! ```text
//! laws        every law of `treepar-laws`, at lengths around the edges of blocks
//! programs    the examples of `refc` and generated programs: words, symbols and calls as on the CPU
//! primitives  every operation at 1e5 to 1e8 rows: its answer, and its time beside a copy of the same bytes
//! passes      `refc` pass by pass, from 100 kB to 50 MB of source
//! ```
//!
//! A part is generic over [`subject::Subject`], and writes what it found into the [`run::Run`], which owns the record,
//! the time that is left, and the end. Which machines there are, the program says: it alone has the compiled code of all
//! laws and operations for them, which takes minutes to build.

mod bisect;
mod laws;
mod parts;
mod passes;
mod primitives;
mod programs;
pub mod record;
mod report;
pub mod run;
pub mod subject;
mod timing;
