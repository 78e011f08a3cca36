//! Every example has its expected output and exit status.
//!
//! What programs with arrays print was computed in another way: `sieve` by trial division, `walks` by the eigenvalues of the cube,
//! `determinant` by the formulas in its comments, `knapsack` from all subsets, `edit_distance` by recursion on the words,
//! `pentomino` with a set of cells on a board without edges, `bodies` in double precision by the method of Runge and Kutta, and
//! the others with lists in Python. Of those with operations on whole arrays, `mandelbrot_array` was computed point by point,
//! `shortest_paths` by the method of Floyd and Warshall, and `option_prices` in double precision with the error function.

use std::fs;
use std::path::{Path, PathBuf};

use crate::oracle::interpreter::{Outcome, interpret};
use crate::toolchain;
use refcompiler::simulator::Limits;
use refcompiler::target::Target;

struct Example {
    path: PathBuf,
    text: String,
    input: Vec<u8>,
    expected: Outcome,
}

/// Returns the examples: `NAME.par`, `NAME.expected`, and `NAME.input` if it reads; `// exit: N` in the text.
fn examples() -> Vec<Example> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "par"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 12, "only {} examples were found", paths.len());
    paths.into_iter().map(example).collect()
}

fn example(path: PathBuf) -> Example {
    let text = fs::read_to_string(&path).expect("an example");
    let status = text.lines().find_map(|line| line.strip_prefix("// exit: "));
    let status = status.map_or(0, |status| status.trim().parse().expect("an exit status"));
    let output = fs::read(path.with_extension("expected")).expect("the expected output");
    let input = fs::read(path.with_extension("input")).unwrap_or_default();
    Example { path, text, input, expected: Outcome { output, status } }
}

fn assert_same(example: &Example, found: &Outcome) {
    let name = example.path.display();
    assert_eq!(String::from_utf8_lossy(&found.output), String::from_utf8_lossy(&example.expected.output), "{name}");
    assert_eq!(found.status, example.expected.status, "exit status of {name}");
}

#[test]
fn examples_have_their_meaning_in_the_interpreter() {
    for example in examples() {
        let tree = toolchain::tree(&example.text).unwrap_or_else(|errors| panic!("{errors}"));
        let found = interpret(&tree, &example.input, 200_000_000, 1_000_000);
        assert_same(&example, &found.expect("an example that ends"));
    }
}

#[test]
fn examples_run_on_the_simulator() {
    for example in examples() {
        let elf = toolchain::executable(&toolchain::tree(&example.text).expect("a valid example"));
        let elf = elf.unwrap_or_else(|error| panic!("{}: {error}", example.path.display()));
        let toolchain::Simulated { status, output, .. } = toolchain::simulated(&elf, &example.input, Limits::default());
        let status = status.unwrap_or_else(|fault| panic!("{}: {fault}", example.path.display()));
        assert_same(&example, &Outcome { output, status });
    }
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), ignore = "needs Linux on x86-64")]
fn examples_run_natively() {
    if !toolchain::is_native_or_skipped() {
        return;
    }
    for example in examples() {
        let tree = toolchain::tree(&example.text).expect("a valid example");
        let elf = toolchain::executable_for(Target::X86_64, &tree);
        let elf = elf.unwrap_or_else(|error| panic!("{}: {error}", example.path.display()));
        let found = toolchain::native(&elf, &example.input);
        let status = found.status.code().unwrap_or_else(|| panic!("{}: {}", example.path.display(), found.status));
        assert_same(&example, &Outcome { output: found.stdout, status: status as u8 });
    }
}

#[test]
#[ignore = "needs qemu-riscv32"]
fn examples_run_on_qemu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for example in examples() {
        let elf = toolchain::executable(&toolchain::tree(&example.text).expect("a valid example")).expect("ELF");
        toolchain::write_runnable(&folder.path().join("example"), &elf);
        fs::write(folder.path().join("input"), &example.input).expect("a written file");
        let found = std::process::Command::new("qemu-riscv32")
            .arg("example")
            .current_dir(folder.path())
            .stdin(fs::File::open(folder.path().join("input")).expect("the input"))
            .output()
            .expect("qemu-riscv32, which this test needs");
        let status =
            found.status.code().unwrap_or_else(|| panic!("{}: {}", example.path.display(), found.status)) as u8;
        assert_same(&example, &Outcome { output: found.stdout, status });
    }
}
