#![doc = "Data-parallel tree algorithms for compilers."]
extern crate self as treepar;

pub mod backend;
pub mod device;
mod error;

pub use backend::cpu::Cpu;
pub use backend::{Backend, Column};
pub use device::device;
pub use error::{Error, Result};
