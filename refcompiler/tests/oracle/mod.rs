//! Oracles: the plainest sequential code that is right.

#![allow(dead_code, reason = "each test program uses a part")]

pub mod arrays;
pub mod compiler;
pub mod fused;
pub mod inlined;
pub mod interpreter;
pub mod lexer;
pub mod looped;
pub mod lowered;
pub mod lowering;
pub mod memory;
pub mod nodes;
pub mod operators;
pub mod split;
pub mod ssa;
pub mod uniqueness;
pub mod whole;
