//! Checks that the build contains every kernel, so that measurements on a GPU need no compiler.

#![cfg(feature = "cuda")]

use treepar_codegen::{Grouping, units};
use treepar_kernels::machine::Unit;
use treepar_kernels::ptx;
// Naming the crate links it, which registers its kernels.
use papers_repro as _;

#[test]
fn the_build_contains_every_kernel() {
    let units = units(Grouping::Function);
    assert!(units.iter().any(|unit| unit.name().starts_with("papers_repro__")), "the crate's kernels are registered");
    let missing: Vec<&str> =
        units.iter().filter(|unit| ptx::find(unit.key()).is_none()).map(|unit| unit.name()).collect();
    assert!(missing.is_empty(), "missing PTX; run `cargo ptx`: {missing:?}");
}
