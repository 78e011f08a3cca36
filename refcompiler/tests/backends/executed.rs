//! Whole compilations through the committed PTX, on the stand-in for the driver: from bytes to words, they equal the CPU's.

#![cfg(feature = "cuda")]

#[cfg(target_os = "linux")]
use std::path::Path;

use crate::agreement::{examples_agree, interfaces_agree, lines_agree, texts_agree, trees_agree};
use refcompiler_programs::{array_tree, trees};
use treepar::backend::gpu::Cuda;
use treepar_stand_in::Settings;

/// Returns a new GPU of the stand-in. Each test has its own, since counters are compared. It keeps no memory, so that accesses
/// beyond a column are found, and counts the bytes of each pass in that pass.
#[expect(unsafe_code, reason = "the driver is replaced")]
fn gpu() -> Cuda {
    let settings: Settings = "uncounted".parse().expect("settings");
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(treepar_stand_in::symbol) }.expect("the stand-in");
    let gpu = Cuda::with_device(treepar_stand_in::add_device(settings)).expect("a device of the stand-in");
    gpu.keep_memory(0);
    gpu.wait_when_counting(true);
    gpu
}

#[test]
fn examples_compile_to_the_same_words() {
    examples_agree(&gpu());
}

#[test]
fn lines_are_the_same() {
    lines_agree(&gpu());
}

#[test]
fn functions_between_par_and_c_are_the_same() {
    interfaces_agree(&gpu());
}

#[test]
fn random_programs_compile_to_the_same_words() {
    let programs = std::env::var("TREEPAR_PROGRAMS").map_or(100, |count| count.parse().expect("a number")).min(1000);
    let gpu = gpu();
    for seed in 1..=programs {
        texts_agree(&format!("program {seed}"), &refcompiler_programs::larger_program(seed).to_string(), &gpu);
    }
}

#[test]
fn random_trees_of_several_tiles_compile_to_the_same_words() {
    let gpu = gpu();
    for (seed, tree) in trees(3_000..60_000).take(6) {
        trees_agree(&format!("tree {seed}"), &tree, &gpu);
    }
}

#[test]
fn random_trees_with_arrays_compile_to_the_same_words() {
    let gpu = gpu();
    for (seed, size) in [(1, 30), (2, 1_000), (3, 4_000)] {
        let tree = array_tree(seed, size);
        trees_agree(&format!("tree {seed} with arrays"), &tree, &gpu);
    }
}

/// Runs `refc` with the stand-in as its `libcuda.so.1`.
#[cfg(target_os = "linux")]
fn refc_on_library(folder: &Path, settings: &str, arguments: &[&str]) -> std::process::Output {
    // Cargo builds the library next to the tests that depend on its crate.
    let tests = std::env::current_exe().expect("the path of this test");
    let library = tests.with_file_name("libtreepar_stand_in.so");
    assert!(library.exists(), "{} was not built", library.display());
    let link = folder.join("libcuda.so.1");
    if !link.exists() {
        std::os::unix::fs::symlink(library, link).expect("a link");
    }
    let mut refc = std::process::Command::new(env!("CARGO_BIN_EXE_refc"));
    refc.args(arguments).current_dir(folder).env("LD_LIBRARY_PATH", folder).env("TREEPAR_STAND_IN", settings);
    refc.output().expect("refc")
}

#[test]
#[cfg(target_os = "linux")]
fn refc_takes_the_stand_in_for_the_drivers_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/primes.par");
    let source = source.to_str().expect("a path");
    for (output, arguments) in [("cpu", &[][..]), ("gpu", &["--backend", "cuda"])] {
        let found = refc_on_library(folder.path(), "uncounted", &[&[source, "-o", output], arguments].concat());
        assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    }
    let read = |name| std::fs::read(folder.path().join(name)).expect("an executable");
    assert!(read("gpu") == read("cpu"), "the executables differ");
    let found = refc_on_library(folder.path(), "colour", &[source, "-o", "none", "--backend", "cuda"]);
    let text = String::from_utf8_lossy(&found.stderr);
    assert!(!found.status.success() && text.contains("TREEPAR_STAND_IN: `colour` is no setting"), "{text}");
    assert!(!folder.path().join("none").exists());
}
