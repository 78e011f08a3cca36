//! Oracles: the plainest sequential code that is right.

#![allow(dead_code, reason = "each test program uses a part")]

pub mod arrays;
pub mod checks;
pub mod compiler;
pub mod contexts;
pub mod dead;
pub mod folded;
pub mod fused;
pub mod inlined;
pub mod interpreter;
pub mod lexer;
pub mod looped;
pub mod lowered;
pub mod lowering;
pub mod memory;
pub mod motion;
pub mod nodes;
pub mod operators;
pub mod split;
pub mod ssa;
pub mod strength;
pub mod uniqueness;
pub mod vectors;
pub mod whole;
