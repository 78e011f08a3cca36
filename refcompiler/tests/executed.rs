//! Whole compilations through the committed PTX, on the stand-in for the driver: from bytes to words, they equal the CPU's.

#![cfg(feature = "cuda")]

mod agreement;
mod oracle;
mod toolchain;

use std::sync::LazyLock;

use agreement::{examples_agree, texts_agree, trees_agree};
use refcompiler_programs::trees;
use treepar::backend::gpu::Cuda;
use treepar_stand_in::Settings;

/// A GPU of the stand-in, which loads each kernel once for all tests.
static GPU: LazyLock<Cuda> = LazyLock::new(|| stand_in(Settings::default()));

/// Returns a new GPU of the stand-in.
#[expect(unsafe_code, reason = "the driver is replaced")]
fn stand_in(settings: Settings) -> Cuda {
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(treepar_stand_in::symbol) }.expect("the stand-in");
    Cuda::with_device(treepar_stand_in::add_device(settings)).expect("a device of the stand-in")
}

#[test]
fn examples_compile_to_the_same_words() {
    examples_agree(&*GPU);
}

#[test]
fn random_programs_compile_to_the_same_words() {
    let programs = std::env::var("TREEPAR_PROGRAMS").map_or(100, |count| count.parse().expect("a number")).min(1000);
    for seed in 1..=programs {
        texts_agree(&format!("program {seed}"), &refcompiler_programs::program(seed).to_string(), &*GPU);
    }
}

#[test]
fn random_trees_of_several_tiles_compile_to_the_same_words() {
    for (seed, tree) in trees(3_000..60_000).take(6) {
        trees_agree(&format!("tree {seed}"), &tree, &*GPU);
    }
}
