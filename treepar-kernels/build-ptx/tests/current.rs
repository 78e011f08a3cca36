//! The committed archives contain the units of the sources. This needs no compiler.

use std::process::Command;

#[test]
fn archives_contain_the_units_of_the_sources() {
    let output = Command::new(env!("CARGO_BIN_EXE_build-ptx")).args(["--check", "--keys"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
