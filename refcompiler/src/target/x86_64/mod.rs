//! x86-64: its instructions, registers and bytes.

pub mod assembly;
pub mod decode;
pub mod encode;
pub mod isa;
pub mod registers;
