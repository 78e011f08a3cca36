//! Par calls C and C calls Par through object files, with arguments in registers of both kinds and on the stack.

use std::fs;
use std::path::Path;

use crate::signatures::{round_trip, signatures};
use crate::toolchain;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::{Linkage, kind, runtime};

/// Builds a program from Par and C, and returns its exit status and output under qemu.
fn link_and_run(par: &str, c: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let tree = toolchain::tree(par).unwrap_or_else(|errors| panic!("{errors}"));
    fs::write(folder.join("par.o"), toolchain::object(&tree).expect("an object")).expect("a written file");
    fs::write(folder.join("c.c"), c).expect("a written file");
    let mut arguments = toolchain::CLANG.to_vec();
    arguments.extend(["-c", "c.c", "-o", "c.o"]);
    toolchain::must("clang", &arguments, folder);
    toolchain::must("ld.lld", &["par.o", "c.o", "-o", "program"], folder);
    run(folder)
}

fn run(folder: &Path) -> (i32, String) {
    let found = toolchain::run("qemu-riscv32", &["program"], folder);
    let status = found.status.code().unwrap_or_else(|| panic!("qemu: {}", found.status));
    (status, String::from_utf8_lossy(&found.stdout).into_owned())
}

/// The start of a C program that exits with the result of `run`.
const START: &str = "int run(void);\n__asm__(\".globl _start\\n_start: call run\\n li a7, 93\\n ecall\\n\");\n";

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn arguments_reach_the_other_language_in_every_class() {
    for kinds in signatures() {
        let (par, c) = round_trip(&kinds);
        assert_eq!(link_and_run(&par, &format!("{START}{c}")).0, 42, "signature {kinds:?}\n{par}\n{c}");
    }
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn registers_that_a_function_must_keep_are_kept() {
    // The Par function needs every saved register; the C function around it holds values in them.
    let deep = (0..40).fold("x".to_string(), |e, k| format!("(x + {k} - {e})"));
    let deep_float = (0..40).fold("y".to_string(), |e, k| format!("(y + {k}.0 - {e})"));
    let par = format!("fn deep[x: int, y: float]: int {{ return {deep} + int({deep_float}); }}");
    let expected = |x: i32| (0..40).fold(x, |e, k| x + k - e);
    let c = format!(
        "{START}int deep(int, float);\n\
         int run(void) {{ int sum = 0; float other = 0.5f;\n\
           for (int i = 0; i < 10; i++) {{ sum += deep(i, (float)i) * (i + 1); other = other * 2.0f; }}\n\
           return sum == {} && other == 512.0f ? 42 : 1; }}\n",
        (0..10).map(|i| 2 * expected(i) * (i + 1)).sum::<i32>()
    );
    assert_eq!(link_and_run(&par, &c).0, 42);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn the_runtime_comes_along_in_objects() {
    let par = "fn show[x: int, y: float]: void { print_int[x]; print_char[32]; print_float[y % 2.0]; print_char[10]; }";
    let c = format!("{START}void show(int, float);\nint run(void) {{ show(-7, 5.25f); return 0; }}\n");
    assert_eq!(link_and_run(par, &c), (0, "-7 1.25\n".to_string()));
}

#[test]
#[ignore = "needs clang, ld.lld and llvm-objdump"]
fn assembly_is_the_same_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/queens.par")).unwrap();
    let tree = toolchain::tree(&text).unwrap();
    let cpu = treepar::Cpu::with_threads(1);
    let compiled = refcompiler::pipeline::compile(&cpu, &tree, refcompiler::pipeline::Output::Object, &mut ()).unwrap();
    fs::write(folder.join("own.o"), refcompiler::object::write_relocatable(&compiled.image).unwrap()).unwrap();
    fs::write(folder.join("own.s"), refcompiler::target::riscv::assembly::assembly(&compiled.image)).unwrap();
    toolchain::must(
        "clang",
        &["--target=riscv32", "-march=rv32imf", "-mabi=ilp32f", "-c", "own.s", "-o", "assembled.o"],
        folder,
    );
    // An assembler leaves jumps to the linker.
    let section = |file: &str| {
        toolchain::must("ld.lld", &["-e", "0", file, "-o", "linked"], folder);
        toolchain::must("llvm-objcopy", &["-O", "binary", "-j", ".text", "linked", "text.bin"], folder);
        fs::read(folder.join("text.bin")).unwrap()
    };
    assert!(section("own.o") == section("assembled.o"), "assembling what -S prints gives other words");
    let listing = toolchain::must("llvm-objdump", &["-d", "--mattr=+m,+f", "own.o"], folder);
    assert!(!String::from_utf8_lossy(&listing).contains("<unknown>"), "a word that is no instruction");
}

/// A linker moves the code of an object with its messages.
#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn checks_report_from_linked_objects() {
    let mut sources = Sources::new();
    let text = "extern fn value[k: int]: int;\nfn par[]: int { return value[0] ^ value[1]; }";
    sources.add("a.par", text.as_bytes().to_vec()).expect("a small file");
    let mut tree = parse_program(&sources).expect("a program");
    let at = tree.kind.iter().position(|&k| k == kind::XOR).expect("an operator");
    (tree.kind[at], tree.data[at]) = (kind::CHECK_EQUAL, tree.pos[at] + 1);
    tree.functions[runtime::CHECK_FAILED as usize].linkage = Linkage::Stub;
    let cpu = treepar::Cpu::with_threads(1);
    let compiled = refcompiler::pipeline::compile(&cpu, &tree, refcompiler::pipeline::Output::Object, &mut ());
    let mut image = compiled.unwrap().image;
    image.locate_checks(&sources);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("par.o"), refcompiler::object::write_relocatable(&image).unwrap()).unwrap();
    for (values, status, message) in [
        ([-2_147_483_648i64, 70], 134, "a.par:2:33: the extents -2147483648 and 70 differ\n"),
        ([70, 70], 70, ""),
        ([0, -9], 134, "a.par:2:33: the extents 0 and -9 differ\n"),
    ] {
        let c = format!(
            "{START}int par(void); int value(int k) {{ return k ? {} : {}; }}\nint run(void) {{ return par(); }}\n",
            values[1], values[0]
        );
        fs::write(folder.join("c.c"), c).unwrap();
        let mut arguments = toolchain::CLANG.to_vec();
        arguments.extend(["-c", "c.c", "-o", "c.o"]);
        toolchain::must("clang", &arguments, folder);
        for order in [["c.o", "par.o"], ["par.o", "c.o"]] {
            toolchain::must("ld.lld", &[order[0], order[1], "-o", "program"], folder);
            let found = toolchain::run("qemu-riscv32", &["program"], folder);
            let errors = String::from_utf8_lossy(&found.stderr).into_owned();
            assert_eq!((found.status.code(), errors.as_str()), (Some(status), message));
        }
    }
}

/// The commands in the README of the example, with its output.
#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn the_commands_of_the_example_link_and_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/link-with-c");
    for name in ["numbers.par", "array.c", "smoothing.par", "smoothing.c"] {
        fs::copy(example.join(name), folder.path().join(name)).expect("a file of the example");
    }
    let readme = fs::read_to_string(example.join("README.md")).expect("the README");
    let refc = Path::new(env!("CARGO_BIN_EXE_refc")).parent().expect("a folder");
    let mut commands = readme.split("```console\n").skip(1);
    for expected in ["numbers.expected", "smoothing.expected"] {
        let (commands, _) = commands.next().and_then(|text| text.split_once("```")).expect("commands");
        let path = format!("PATH={}:\"$PATH\"\n{commands}", refc.display());
        let output = toolchain::must("sh", &["-ec", &path], folder.path());
        let expected = fs::read_to_string(example.join(expected)).expect("the expected output");
        assert_eq!(String::from_utf8_lossy(&output), expected);
    }
}

#[test]
#[ignore = "needs ld.lld and qemu-riscv32"]
fn an_object_with_a_start_runs_without_other_objects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("a.par"), "fn f[]: int { return 5; } fn main[]: int { print_int[6]; return f[]; }").unwrap();
    toolchain::must(env!("CARGO_BIN_EXE_refc"), &["--target", "riscv32", "-c", "--start", "a.par"], folder);
    toolchain::must("ld.lld", &["a.o", "-o", "program"], folder);
    assert_eq!(run(folder), (5, "6".to_string()));
}
