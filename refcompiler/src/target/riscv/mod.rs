//! RV32IMF: its instructions, registers, machine words and assembly text.

pub mod arena;
pub mod assembly;
pub mod decode;
pub mod encode;
pub mod isa;
pub mod jumps;
pub mod patterns;
pub mod registers;
pub mod reporter;
pub mod sequences;
pub mod stub;
