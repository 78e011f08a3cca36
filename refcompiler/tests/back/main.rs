//! The back end: words, objects, line tables, and running programs.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../signatures/mod.rs"]
mod signatures;
#[path = "../toolchain/mod.rs"]
mod toolchain;

mod arena;
mod debug;
mod debugger;
#[cfg(feature = "emulate")]
mod emulated;
mod encoding;
mod encoding_x86_64;
mod files;
mod interface;
mod linking;
mod linking_x86_64;
mod mathematics;
mod native;
mod registers;
mod rules;
mod simulator;
mod stubs_x86_64;
mod vectors;
mod words;
