//! Gives `refc` a fixed address.
//!
//! The descriptions of device functions hold many addresses. In an executable without a fixed address, the dynamic linker writes each
//! of them at every start. Two records of `compile-speed`, 300c714 and 1d91136, are without and with a fixed address.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key, value| var(key).is_ok_and(|found| found == value);
    let is_static = var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-arg-bin=refc=-no-pie");
    }
}
