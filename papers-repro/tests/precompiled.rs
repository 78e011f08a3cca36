//! Every kernel that the measurements run on a GPU is part of the build: no compiler is needed where they run.

#![cfg(feature = "cuda")]

use treepar_codegen::{Grouping, units};
use treepar_kernels::machine::Unit;
use treepar_kernels::ptx;
// Naming the crate links it, and so registers its kernels.
use papers_repro as _;

#[test]
fn every_kernel_is_part_of_the_build() {
    let units = units(Grouping::Function);
    assert!(units.iter().any(|unit| unit.name().starts_with("papers_repro__")), "the crate's kernels are registered");
    let missing: Vec<&str> =
        units.iter().filter(|unit| ptx::find(unit.key()).is_none()).map(|unit| unit.name()).collect();
    assert!(missing.is_empty(), "without PTX, made by `cargo ptx`: {missing:?}");
}
