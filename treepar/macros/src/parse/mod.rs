//! The parser of the device subset: from Rust tokens to a tree, with every error at its span.

pub mod body;
pub mod errors;
mod expressions;
mod names;
mod paths;
pub mod role;
pub mod signature;
pub mod types;
