//! x86-64: its instructions, registers, bytes and assembly text.

pub mod arena;
pub mod assembly;
pub mod choice;
mod code;
pub mod decode;
pub mod encode;
pub(in crate::target) mod entries;
pub mod exits;
pub mod facts;
pub mod isa;
pub mod jumps;
pub mod lanes;
pub mod patterns;
pub mod registers;
pub mod reporter;
pub mod rules;
pub mod sequences;
pub mod streams;
pub mod stub;
pub mod unwind;
pub mod variants;
pub mod vectors;
pub mod words;
