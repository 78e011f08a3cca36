//! The middle end: the passes between the tree and rows, and the papers' examples.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../toolchain/mod.rs"]
mod toolchain;

mod array_programs;
mod arrays;
mod checks;
mod contexts;
mod dead;
mod folding;
mod fusion;
mod inlining;
mod kept;
mod loops;
mod lowered;
mod motion;
mod multiloops;
mod narrow;
mod papers;
mod passes;
mod program;
mod shapes;
mod ssa;
mod strength;
mod structs;
