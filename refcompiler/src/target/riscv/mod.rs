//! RV32IMF: its instructions, registers, machine words and assembly text.

pub mod arena;
pub mod assembly;
pub mod choice;
pub mod decode;
pub mod encode;
pub mod isa;
pub mod jumps;
mod memory;
pub mod patterns;
pub mod prologue;
pub mod registers;
pub mod reporter;
pub mod rules;
pub mod sequences;
pub mod spills;
pub mod stub;
pub mod unwind;
