//! Oracles: the plainest sequential code that is right.

pub mod interpreter;
