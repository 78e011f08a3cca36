//! Arrays between Par and C: the header, functions that call each other through the interface of C, and C itself.

use std::fs;

use crate::signatures;
use crate::signatures::arrays::{LIBRARY_RESULTS, library};
use crate::toolchain::{self, CLANG, must, simulated};
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::interface::header;
use refcompiler::object::{write_executable, write_relocatable};
use refcompiler::passes::interface::frame::{place_in_frame, words_on_stack};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler::target::riscv::stub::call_words;
use treepar::Cpu;

fn sources(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a source");
    sources
}

/// The code of an object, every pass checked.
fn image(text: &str) -> refcompiler::object::Image {
    let sources = sources(text);
    let tree = parse_program(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)));
    let compiled = compile(&Cpu::with_threads(2), &tree, Output::Object, &mut Checker::default());
    let mut image = compiled.expect("an object").image;
    image.locate_checks(&sources);
    image
}

/// Runs a program in which each `extern` function `c_f` is the function `f` of the program as C sees it. Returns its status, its
/// output and its errors.
fn run(text: &str) -> (u8, String, String) {
    let mut image = image(text);
    for call in std::mem::take(&mut image.calls) {
        let name = call.name.strip_prefix("c_").expect("a name that begins with `c_`");
        let global = image.symbols.iter().find(|symbol| symbol.global && symbol.name == name).expect("a function");
        assert!(global.offset > call.offset, "the interface follows the program");
        image.words[call.offset as usize / 4..][..2].copy_from_slice(&call_words(global.offset - call.offset));
    }
    image.add_start();
    let elf = write_executable(&image).expect("an executable");
    let ran = simulated(&elf, b"", Limits::default());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status.expect("an exit"), text(ran.output), text(ran.errors))
}

#[test]
fn arrays_cross_the_interface_in_both_directions() {
    let text = "
        extern fn c_sum[a: [int]]: int;
        extern fn c_mean[n: int, m: [[float]], x: float]: float;
        extern fn c_outer[a: [int], b: [int]]: [[int]];
        extern fn c_cube[n: int]: [[[float]]];
        extern fn c_raised[a: *[int], by: int]: *[int];
        extern fn c_show[a: [int]]: void;
        extern fn c_deep[a: *[int], n: int]: [int];
        fn sum[a: [int]]: int { var s = 0; for i < size[a] { s = s + a[i]; } return s; }
        fn mean[n: int, m: [[float]], x: float]: float { return x + m[n, 1] * float(size[m] * size[m, 1]); }
        fn outer[a: [int], b: [int]]: [[int]] {
            var m = replicate[size[a], replicate[size[b], 0]];
            for i < size[a] { for j < size[b] { m[i, j] = a[i] * b[j]; } }
            return m;
        }
        fn cube[n: int]: [[[float]]] { return replicate[n, replicate[2, replicate[1, 0.5]]]; }
        fn raised[a: *[int], by: int]: *[int] { for i < size[a] { a[i] = a[i] + by; } return a; }
        fn show[a: [int]]: void { print[a]; }
        fn deep[a: *[int], n: int]: [int] {
            if n == 0 { return a; }
            a[n % size[a]] = a[n % size[a]] + n;
            return c_deep[a, n - 1];
        }
        fn main[]: int {
            var empty: [int];
            print[(c_sum[iota[100]], c_sum[empty], c_sum[iota[10][3..5]])];
            print[c_mean[1, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 0.5]];
            print[c_outer[[1, 2], [1, 10, 100]]];
            print[c_outer[empty, [1]]];
            print[c_cube[2]];
            var m = [[1, 2], [3, 4]];
            print[c_raised[copy[m[1]], 10]];
            c_show[m[0]];
            for i < 20 { var t = c_raised[iota[1000], i]; m[0, 0] = t[1]; }
            print[m];
            print[c_deep[[1, 2, 3], 7]];
            return 7;
        }";
    let expected = "(4950, 0, 7)\n30.5\n[[1, 10, 100], [2, 20, 200]]\n[]\n[[[0.5], [0.5]], [[0.5], [0.5]]]\n[13, 14]\n[1, 2]\n\
        [[20, 2], [3, 4]]\n[10, 14, 10]\n";
    assert_eq!(run(text), (7, expected.to_string(), String::new()));
}

/// A function without arrays in its head stays as it is, and so does an object of such functions.
#[test]
fn only_functions_with_arrays_have_an_interface() {
    let names = |text: &str| -> Vec<String> {
        let image = image(text);
        let of_program = image.symbols.iter().filter(|symbol| symbol.global || symbol.name.contains('.'));
        of_program.map(|symbol| format!("{}{}", symbol.name, if symbol.global { "!" } else { "" })).collect()
    };
    assert_eq!(names("fn f[x: int]: int { return sum[iota[x]]; }"), ["f!"]);
    assert_eq!(
        names("extern fn h[a: [int]]: void; fn f[a: [int]]: int { h[a]; return 1; } fn g[]: void { f[[1]]; }"),
        ["f.fn", "g!", "h.extern", "f!"]
    );
}

#[test]
fn the_header_declares_what_c_can_call() {
    let text = "
        extern fn given[a: *[[float]], a_0: int]: *[int];
        struct P { x: int }
        fn f[int32_t: float, room: [int]]: [float] { return [int32_t + float(room[0])]; }
        fn point[p: P, q: [(int, float)]]: int { return p.x + size[q]; }
        fn double[x: int]: int { return 2 * x; }
        fn nothing[]: void { fn nested[a: [int]]: int { return a[0]; } print[nested[[1]]]; }
        fn main[]: int { return 0; }
        ";
    let sources = sources(text);
    let tree = parse_program(&sources).expect("a program");
    let expected = "// Functions of a Par program for C and C++, as `refc --emit header` writes them.

#ifndef PAR_A_H
#define PAR_A_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

// extern fn given[a: *[[float]], a_0: int]: *[int]
void given(float *a, int32_t a_0_, int32_t a_1, int32_t a_0, int32_t *result, int32_t room, int32_t extents[1]);

// fn f[int32_t: float, room: [int]]: [float]
void f(float int32_t_, const int32_t *room, int32_t room_0, float *result, int32_t room_, int32_t extents[1]);

// fn point[p: P, q: [(int, float)]]: int
// Left out: C has no form of the type `P`.

// fn double[x: int]: int
// Left out: `double` is a keyword of C or C++.

// fn nothing[]: void
void nothing(void);

// fn main[]: int
// Left out: a program begins there.

#ifdef __cplusplus
}
#endif

#endif
";
    assert_eq!(header(&tree, &sources, Target::Riscv32), expected);
    let native = header(&tree, &sources, Target::X86_64);
    let (_, declarations) = expected.split_once("writes them.\n").expect("a first line");
    let notes = native.strip_suffix(declarations).expect("the same declarations");
    assert!(notes.contains("Those that end below 2 GiB are used where they are"), "{native}");
}

/// Links a Par program with C, which includes its header, and runs both. The parts of C are in `c`, without the start.
fn with_c(par: &str, c: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let sources = sources(par);
    let text = header(&parse_program(&sources).expect("a program"), &sources, Target::Riscv32);
    fs::write(folder.join("a.h"), text).expect("a written file");
    fs::write(folder.join("a.o"), write_relocatable(&image(par)).expect("an object")).expect("a written file");
    let start = "__asm__(\".globl _start\\n_start: call start\\n li a7, 93\\n ecall\\n\");\n";
    fs::write(folder.join("c.c"), format!("#include \"a.h\"\n{start}{c}")).expect("a written file");
    must("clang", &[&CLANG[..], &["-Werror=incompatible-pointer-types", "-c", "c.c", "-o", "c.o"]].concat(), folder);
    must("ld.lld", &["a.o", "c.o", "-o", "program"], folder);
    let ran = toolchain::run("qemu-riscv32", &["program"], folder);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn c_calls_par_and_par_calls_c() {
    let run = |room: &str, rows: &str, extent: &str| {
        let (par, c) = library(room, rows, extent);
        with_c(&par, &c)
    };
    for (arguments, expected) in LIBRARY_RESULTS {
        let [room, rows, extent] = arguments;
        let (status, output, errors) = expected;
        assert_eq!(run(room, rows, extent), (Some(status), output.to_string(), errors.to_string()), "{arguments:?}");
    }
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn arrays_reach_the_other_language() {
    let (mut par, mut calls) = (String::new(), String::new());
    let mut c = "static char space[1 << 20]; static int used;
        static void *memory(int m, int bytes) { used += bytes; return space + used - bytes; }\n"
        .to_string();
    for (id, kinds) in signatures::arrays::signatures().into_iter().enumerate() {
        let (of_par, of_c) = signatures::arrays::round_trip(id, &kinds);
        par += &of_par;
        c += &of_c;
        calls += &format!("if (run_{id}(0) != 42) return {id};\n");
    }
    c += &format!("int start(void) {{ {calls} return 142; }}");
    assert_eq!(with_c(&par, &c), (Some(142), String::new(), String::new()));
}

#[test]
fn words_have_the_places_of_the_abi() {
    assert_eq!([0, 5, 6, 9].map(|ints| place_in_frame(ints, 3, false)), [0, 40, 112, 136]);
    assert_eq!([0, 7, 8, 9].map(|floats| place_in_frame(2, floats, true)), [48, 104, 112, 120]);
    // Two ints and one float are on the stack.
    assert_eq!([place_in_frame(8, 9, false), place_in_frame(8, 9, true)], [136, 136]);
    assert_eq!([words_on_stack(8, 9), words_on_stack(6, 8)], [3, 0]);
}
