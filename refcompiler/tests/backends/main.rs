//! Whole compilations on the stand-ins for a GPU.

#[path = "../agreement/mod.rs"]
mod agreement;
#[path = "../grammar/mod.rs"]
mod grammar;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../toolchain/mod.rs"]
mod toolchain;

#[cfg(feature = "emulate")]
mod emulated;
mod executed;
