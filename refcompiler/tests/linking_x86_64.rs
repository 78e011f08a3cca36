//! Par and C call each other on this machine, through objects for x86-64 and the system's `cc`, which Rust links tests with too.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod signatures;
mod toolchain;

use std::fs;
use std::path::Path;

use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::{Image, write_relocatable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Compiled, Error, Goal, Output, compile, compile_in_parts};
use refcompiler::target::Target;
use signatures::{round_trip, signatures};
use treepar::Cpu;

const GOAL: Goal = Goal { target: Target::X86_64, output: Output::Object };

/// Compiles a text to an object, every pass checked.
fn compiled(text: &str) -> Result<Compiled, Error> {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{errors}"));
    compile(&Cpu::with_threads(2), &tree, GOAL, &mut Checker::of(Target::X86_64))
}

fn image(text: &str) -> Image {
    compiled(text).expect("an object").image
}

/// Links objects with a C program, and returns its status and its output.
fn linked(objects: &[Image], c: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut arguments = options.to_vec();
    arguments.extend(["-w", "-ffp-contract=off", "c.c", "-o", "program"]);
    let names: Vec<String> = (0..objects.len()).map(|k| format!("{k}.o")).collect();
    for (object, name) in objects.iter().zip(&names) {
        fs::write(folder.path().join(name), write_relocatable(object).expect("ELF")).expect("a written file");
        arguments.push(name);
    }
    fs::write(folder.path().join("c.c"), c).expect("a written file");
    toolchain::must("cc", &arguments, folder.path());
    let found = toolchain::native(&fs::read(folder.path().join("program")).expect("a program"), b"");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (found.status.code(), text(found.stdout), text(found.stderr))
}

/// Links a text with a C program, which must exit with 42.
fn succeeds(par: &str, c: &str) {
    for options in [["-O0", "-pie"], ["-O2", "-no-pie"]] {
        let (status, _, errors) = linked(&[image(par)], c, &options);
        assert_eq!(status, Some(42), "{options:?} {errors}\n{par}\n{c}");
    }
}

#[test]
fn arguments_reach_the_other_language_in_every_class() {
    for kinds in signatures() {
        let (par, c) = round_trip(&kinds);
        succeeds(&par, &format!("{c} int main(void) {{ return run(); }}"));
    }
}

#[test]
fn registers_that_a_function_must_keep_are_kept() {
    // The Par function needs every register. The ints have garbage in their upper halves, and one is an index.
    let deep = (0..40).fold("x".to_string(), |e, k| format!("(x + {k} - {e})"));
    let deep_float = (0..40).fold("y".to_string(), |e, k| format!("(y + {k}.0 - {e})"));
    let par = format!(
        "fn deep[x: int, y: float, i: int]: int {{
           var a = iota[20]; return {deep} + int({deep_float}) + a[i]; }}"
    );
    let expected = (0..40).fold(5, |e, k| 5 + k - e) * 2 + 7;
    let kept = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    let lines = |line: &dyn Fn(usize, &str) -> String| -> String {
        kept.iter().enumerate().map(|(k, r)| format!("\"{}\\n\"\n", line(k, r))).collect()
    };
    let push = lines(&|_, r| format!("push %{r}"));
    let set = lines(&|k, r| format!("movabs $0x{0}{0}{0}{0}{0}{0}{0}{0}, %{r}", k + 11));
    let test = lines(&|k, r| format!("movabs $0x{0}{0}{0}{0}{0}{0}{0}{0}, %rcx; cmp %rcx, %{r}; jne 1f", k + 11));
    let pop: String = kept.iter().rev().map(|r| format!("\"pop %{r}\\n\"\n")).collect();
    let c = format!(
        "int call(float y);
         __asm__(\".globl call\\ncall: \"{push} \"sub $24, %rsp; mov %rsp, 8(%rsp)\\n\" {set}
           \"movabs $0xdeadbeef00000005, %rdi; movabs $0xdeadbeef00000007, %rsi; call deep\\n\" {test}
           \"cmp %rsp, 8(%rsp); je 2f\\n1: mov $-1, %eax\\n2: add $24, %rsp\\n\" {pop} \"ret\\n\");
         int main(void) {{ for (int i = 0; i < 3; i++) if (call(5.0f) != {expected}) return 1; return 42; }}"
    );
    succeeds(&par, &c);
}

#[test]
fn calls_nest() {
    let par = "
        extern fn c_down[n: int, x: float]: int;
        extern fn is_low[]: int;
        fn down[n: int, x: float]: int {
            var a = iota[n + 1];
            if n == 0 { return int(x); }
            return a[n] + c_down[n - 1, x + 1.0];
        }
        fn low[]: int { return is_low[]; }
        fn first[]: void {}";
    let c = "
        int down(int n, float x), low(void); void first(void);
        int is_low(void) { int x; unsigned long at = (unsigned long)&x; return at >> 32 == 0; }
        int c_down(int n, float x) {
          __attribute__((aligned(16))) volatile char block[32];
          if ((unsigned long)block % 16 != 0) return -1000000;
          return down(n, x);
        }
        int main(void) {
          first();
          if (is_low() || !low() || is_low()) return 1;
          for (int i = 0; i < 3; i++) if (down(2000, 0.0f) != 2001000 + 2000) return 2;
          return 42;
        }";
    succeeds(par, c);
}

#[test]
fn objects_share_the_stack_and_the_arena() {
    let a = "extern fn g[n: int, x: float]: int; fn f[n: int]: int { var a = iota[n]; return a[n - 1] + g[n, 0.5]; }";
    let b = "fn g[n: int, x: float]: int { var a = iota[n]; print_float[x]; print_char[10]; return a[n - 2]; }
        fn fails[n: int]: void { var a = iota[n]; assert[a[n] == 0]; }";
    let c = "int f(int), g(int, float); void fails(int); int main(int n, char **arguments) {
        int sum = f(10) + g(5, 2.5f); if (sum != 20) return 1; fails(3); return 42; }";
    let sources = || {
        let mut sources = Sources::new();
        sources.add("b.par", b.as_bytes().to_vec()).expect("a source");
        sources
    };
    let tree = parse_program(&sources()).expect("a program");
    // A part per function.
    let compiled = compile_in_parts(&Cpu::with_threads(2), &tree, GOAL, 1, &mut ()).expect("an object");
    let mut second = compiled.image;
    second.locate_checks(&sources());
    let (status, output, errors) = linked(&[image(a), second], c, &["-O1"]);
    assert_eq!((status, &*output), (Some(134), "0.5\n2.5\n"), "{errors}");
    assert_eq!(errors, "b.par:2:58: index 3 is out of range: the extent is 3\n");
}

/// The last commands in the README of the example.
#[test]
fn the_commands_of_the_example_link_and_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/link-with-c");
    for name in ["numbers.par", "array.c"] {
        fs::copy(example.join(name), folder.path().join(name)).expect("a file of the example");
    }
    let readme = fs::read_to_string(example.join("README.md")).expect("the README");
    let refc = Path::new(env!("CARGO_BIN_EXE_refc")).parent().expect("a folder");
    let (commands, _) = readme.split("```console\n").last().and_then(|text| text.split_once("```")).expect("commands");
    assert!(commands.contains("--target x86-64"), "{commands}");
    let commands = format!("PATH={}:\"$PATH\"\n{commands}", refc.display());
    let output = toolchain::must("sh", &["-ec", &commands], folder.path());
    let expected = fs::read_to_string(example.join("numbers.expected")).expect("the expected output");
    assert_eq!(String::from_utf8_lossy(&output), expected);
}

#[test]
fn functions_with_arrays_or_structs_stay_in_par() {
    let text = "struct P { x: int }
        fn f[a: [int]]: int { return a[0]; }
        fn g[p: P]: int { return p.x; }
        fn h[n: int]: int { return f[iota[n]] + g[P[n]]; }";
    let globals = |text: &str| -> Vec<String> {
        image(text).symbols.into_iter().filter(|symbol| symbol.global).map(|symbol| symbol.name).collect()
    };
    assert_eq!(globals(text), ["h"]);
    succeeds(text, "int h(int); int main(void) { return h(42); }");
    let message = "`f` is declared `extern` with arrays, structs or tuples, which objects for x86-64 do not exchange with \
                   C: use numbers, or compile for riscv32";
    for head in ["a: [int]]: int", "]: [float]", "n: int, a: *[[int]]]: void"] {
        let error = compiled(&format!("extern fn f[{head};")).err().expect("an error");
        assert_eq!(error.to_string(), message);
    }
}
