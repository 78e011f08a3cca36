//! The target: RV32IMF, its operations, registers, machine words and assembly.

pub mod assembly;
pub mod decode;
pub mod encode;
pub mod op;
pub mod register;
pub mod stub;
