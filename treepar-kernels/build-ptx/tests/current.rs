//! What is committed is current, as far as can be told without a compiler.

use std::process::Command;

#[test]
fn committed_ptx_is_of_the_sources_at_hand() {
    let output = Command::new(env!("CARGO_BIN_EXE_build-ptx")).args(["--check", "--sources-only"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
