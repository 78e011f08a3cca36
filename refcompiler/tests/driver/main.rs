//! `refc` as its users see it, and the programs that it makes.

#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../toolchain/mod.rs"]
mod toolchain;

mod cli;
mod differential;
mod examples;
mod input;
mod messages;
mod native_messages;
