//! The front end: bytes, tokens, the tree, names, types, and messages.

#[path = "../grammar/mod.rs"]
mod grammar;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../toolchain/mod.rs"]
mod toolchain;

mod analysis;
mod diagnostics;
mod frontend;
mod lexing;
mod syntax;
mod uniqueness;
