//! Arrays and fields of bytes and shorts: the output of programs on guarded memory, and their end after an access out of range.

use std::fmt::Write;

use crate::oracle::interpreter::interpret;
use crate::toolchain::simulated;
use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program_in_parts};
use refcompiler::frontend::sequential::{Extent, Sources, parse_program};
use refcompiler::ir::tree::Tree;
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use treepar::Cpu;

fn sources(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a source");
    sources
}

fn parsed(text: &str) -> Tree {
    let sources = sources(text);
    parse_program(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)))
}

/// Runs a program. Returns its status, its output and its errors.
fn run(text: &str) -> (u8, String, String) {
    let compiled = compile(&Cpu::with_threads(2), &parsed(text), Output::Executable, &mut Checker::default());
    let mut image = compiled.expect("a compiled program").image;
    image.locate_checks(&sources(text));
    let elf = write_executable(&image).expect("an executable");
    let ran = simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status.expect("an exit"), text(ran.output), text(ran.errors))
}

/// Returns the output of the body of a `main`, which equals the interpreter's.
#[track_caller]
fn written(declarations: &str, body: &str) -> String {
    let text = format!("{declarations}\nfn main[]: int {{\n{body}\nreturn 0;\n}}\n");
    let (status, output, errors) = run(&text);
    assert_eq!((status, &*errors), (0, ""), "{text}");
    let expected = interpret(&parsed(&text), b"", 50_000_000, 1_000).expect("an end");
    assert_eq!(output, String::from_utf8(expected.output).expect("text"), "{text}");
    output
}

/// The ints whose low bits matter.
const EDGES: &str = "[0, 127, 128, 255, 256, -1, -128, -256, 32767, 32768, 65535, 65536, -32768, -32769, 2147483647]";

#[test]
fn low_bits_are_written() {
    let narrow = |ty: &str| {
        let body = format!(
            "print[{EDGES} : [{ty}]]; var w = {EDGES}; print[w : [{ty}]]; var a = replicate[15, 0] : [{ty}];
             for i < 15 {{ a[i] = w[i]; }} print[a]; print[a : [int]]; print[replicate[2, 65535] : [{ty}]];"
        );
        written("", &body)
    };
    let bytes = "[0, 127, 128, 255, 0, 255, 128, 0, 255, 0, 255, 0, 0, 255, 255]\n";
    let shorts = "[0, 127, 128, 255, 256, -1, -128, -256, 32767, -32768, -1, 0, -32768, 32767, -1]\n";
    assert_eq!(narrow("byte"), bytes.repeat(4) + "[255, 255]\n");
    assert_eq!(narrow("short"), shorts.repeat(4) + "[-1, -1]\n");
}

#[test]
fn fields_keep_low_bits() {
    let structs = "struct P { x: byte, y: short, z: int, t: [byte] }\nstruct Q { p: P, b: byte }";
    let body = "var n = -1; var p = P[n, n * 32769, n, [n] : [byte]]; print[p]; print[p.x + p.y];
        var q = Q[p, 300]; print[q.b]; print[q.p.y];
        struct_of[q];
        var ps = [R[1, 2], R[257, -32769]]; print[ps]; print[ps.x]; print[ps.y]; print[ps.x + ps.x];
        ps[0] = R[513, 40000]; print[ps[0]]; print[sum[ps.x]];
        print[map[fn[r: R]: R = R[r.x * 100, r.y - 1], ps]];
        var (a, b) = zip[ps.x, ps.y][1]; print[a + b]; print[zip[ps.x, ps.y]];
        print[replicate[2, R[256, 65536]]]; print[concat[ps, ps].y]; print[filter[fn[r: R]: int = r.x > 0, ps]];";
    let declarations =
        format!("{structs}\nstruct R {{ x: byte, y: short }}\nfn struct_of[q: Q]: void {{ print[q.p.t]; }}");
    assert_eq!(
        written(&declarations, body),
        "P[255, 32767, -1, [255]]\n33022\n44\n32767\n[255]\n[R[1, 2], R[1, 32767]]\n[1, 1]\n[2, 32767]\n[2, 2]\n\
         R[1, -25536]\n2\n[R[100, -25537], R[100, 32766]]\n32768\n[(1, -25536), (1, 32767)]\n[R[0, 0], R[0, 0]]\n\
         [-25536, 32767, -25536, 32767]\n[R[1, -25536], R[1, 32767]]\n"
    );
}

#[test]
fn operators_work_in_the_element_type() {
    let body = "var a = [0, 1, 100, 255] : [byte]; var b = [1, 255, 156, 255] : [byte];
        print[a + b]; print[a - b]; print[a * b]; print[b / ([1, 2, 3, 4] : [byte])]; print[-a]; print[~a]; print[a << 1];
        print[a + 1]; print[300 - a]; print[a / 300]; print[a == b]; print[a < 300]; print[a && b]; print[a & b];
        print[where[a > 50, a, b]]; print[where[a > 50, 511, b]]; print[abs[a]]; print[float(a)]; print[int(a)];
        print[sum[a]]; print[max[b]]; print[scan[(+), 0, b]]; print[map[(*), a, b]]; print[reduce[(+), 1, b]];
        print[group[(+), 0, 3, [2, 0, 2, 2] : [byte], b]]; print[count[a]];
        var s = [32767, -32768] : [short]; print[s + s]; print[-s]; print[s * 2]; print[abs[s]]; print[s >> 4];
        var m = [[1, 2], [3, 255], [5, 6]] : [[byte]]; print[m + ([1, 2] : [byte])]; print[(m : [[short]]) + s];";
    assert_eq!(
        written("", body),
        "[1, 0, 0, 254]\n[255, 2, 200, 0]\n[0, 255, 240, 1]\n[1, 127, 52, 63]\n[0, 255, 156, 1]\n[255, 254, 155, 0]\n\
         [0, 2, 200, 254]\n[1, 2, 101, 0]\n[44, 43, 200, 45]\n[0, 0, 0, 0]\n[0, 0, 0, 1]\n[1, 1, 1, 1]\n[0, 1, 1, 1]\n\
         [0, 1, 4, 255]\n[1, 255, 100, 255]\n[1, 255, 255, 255]\n[0, 1, 100, 255]\n[0, 1, 100, 255]\n[0, 1, 100, 255]\n\
         356\n255\n[1, 256, 412, 667]\n[0, 255, 15600, 65025]\n668\n[255, 0, 412]\n3\n[-2, 0]\n[-32767, -32768]\n[-2, 0]\n\
         [32767, -32768]\n[2047, -2048]\n[[2, 4], [4, 1], [6, 8]]\n[[-32768, -32766], [-32766, -32513], [-32764, -32762]]\n"
    );
}

#[test]
fn sums_saturate_to_the_element_type() {
    let body = "var a = [0, 1, 100, 255] : [byte]; var b = [1, 255, 156, 255] : [byte];
        print[addsat[a, b]]; print[subsat[a, b]]; print[addsat[a, 1000]]; print[addsat[a, -50]]; print[subsat[1000, a]];
        print[subsat[a, -2147483647 - 1]]; print[addsat[2147483647, a]]; print[subsat[50, a]];
        var s = [32767, -32768, 0, 5] : [short]; print[addsat[s, s]]; print[subsat[s, 1]]; print[subsat[0, s]];
        print[addsat[-2147483647, s]];
        print[addsat[[2147483647, -2147483647, 1], [1, -5, 1]]]; print[subsat[[2147483647, -2147483647], [-1, 5]]];
        print[addsat[2147483647, 1]]; print[subsat[-2147483647, 2]]; print[addsat[3, 4] + subsat[3, 4]];
        var m = [[1, 200], [3, 255]] : [[byte]]; print[addsat[m, [254, 100] : [byte]]];";
    assert_eq!(
        written("", body),
        "[1, 255, 255, 255]\n[0, 0, 0, 0]\n[255, 255, 255, 255]\n[0, 0, 50, 205]\n[255, 255, 255, 255]\n\
         [255, 255, 255, 255]\n[255, 255, 255, 255]\n[50, 49, 0, 0]\n[32767, -32768, 0, 10]\n[32766, -32768, -1, 4]\n\
         [-32767, 32767, 0, -5]\n[-32768, -32768, -32768, -32768]\n[2147483647, -2147483648, 2]\n\
         [2147483647, -2147483648]\n2147483647\n-2147483648\n6\n[[255, 255], [255, 255]]\n"
    );
    assert_eq!(written("fn addsat[a: int, b: int]: int { return a * b; }", "print[addsat[3, 4]];"), "12\n");
}

/// Rows of odd lengths begin between words.
#[test]
fn rows_of_all_lengths_are_copied() {
    for ty in ["byte", "short"] {
        for columns in [1, 2, 3, 5, 7, 8, 13] {
            let mut body = String::new();
            write!(
                body,
                "var v = (iota[{} * 4] * 977 - 3000) : [{ty}]; var m = reshape[v, 4, {columns}]; print[m];
                 m[1] = copy[m[2]]; print[m[1]]; var t = transpose[m]; print[t]; print[transpose[t]]; print[m[1..4]];
                 print[m[.., 0..{half}]]; print[m[1..3, {half}..]]; m[0..2, {half}..] = copy[m[2.., {half}..]]; print[m];
                 m[.., {half}] = [70000, 2, -3, 4] : [{ty}]; print[m]; print[concat[m[1..2], m]]; print[replicate[3, m[3]]];
                 var c = copy[m[3]]; c[0] = 9; print[c]; print[m[3]]; var (x, y) = split[m, 1]; print[y]; print[x];
                 print[perm[reshape[m, 2, 2, {columns}], 1, 2, 0]]; print[filter[fn[r: [{ty}]]: int = sum[r] % 2, m]];
                 print[map[fn[r: [{ty}]]: [{ty}] = r + 1, m]]; print[m == m]; print[sum[concat[v, v]]];
                 var e: [{ty}]; print[concat[e, v[0..1]]]; print[m[2..2]]; print[v[{columns}..][0..3]];
                 for i < 3 {{ v = concat[v[1..], v[0..1]]; }} print[v]; v = v[0..3]; print[v]; print[rows[m, 2]];
                 m = changed[m]; print[m];",
                columns,
                half = columns / 2
            )
            .expect("text");
            let declarations = format!(
                "fn rows[m: [[{ty}]], n: int]: [[{ty}]] {{ var part = m[1..n + 1]; return part; }}
                 fn changed[m: *[[{ty}]]]: *[[{ty}]] {{ m[3] = m[3] + m[0]; return m; }}"
            );
            written(&declarations, &body);
        }
    }
}

#[test]
fn what_is_out_of_range_ends_the_program() {
    let failed = |body: &str| run(&format!("fn main[]: int {{ var a = [1, 2, 3] : [byte];\n{body} return a[0]; }}")).2;
    assert_eq!(failed("a[3] = 1;"), "a.par:2:1: index 3 is out of range: the extent is 3\n");
    assert_eq!(failed("print[a[-1]];"), "a.par:2:7: index -1 is out of range: the extent is 3\n");
    assert_eq!(failed("print[a + ([1, 2] : [byte])];"), "a.par:2:9: the extents 3 and 2 differ\n");
    assert_eq!(failed("print[addsat[a, [1] : [byte]]];"), "a.par:2:7: the extents 3 and 1 differ\n");
    assert_eq!(failed("print[a[1..5]];"), "a.par:2:7: the slice 1..5 is out of range: the extent is 3\n");
    assert_eq!(failed("print[replicate[-1, 0] : [byte]];"), "a.par:2:7: the size -1 is negative\n");
    assert_eq!(failed("print[size[replicate[2147483647, 0] : [byte]]];"), "memory is exhausted\n");
    assert_eq!(failed("var n = 70000; print[size[replicate[n, replicate[n, 0] : [byte]]]];"), "memory is exhausted\n");
}

#[test]
fn the_names_are_no_keywords() {
    let body =
        "var byte = 1; var short = byte + 1; fn bytes[byte: int]: int { return byte; } print[bytes[short] + byte];";
    assert_eq!(written("struct short { byte: int }", body), "3\n");
    assert_eq!(written("struct byte { x: int }", "var a: [byte]; print[size[a]]; print[byte[3]];"), "0\nbyte[3]\n");
}

#[test]
fn the_data_parallel_front_end_refuses_narrow_types() {
    let texts = [
        "fn f[a: [byte]]: int { return a[0]; }",
        "fn f[]: int { var a: [short]; return size[a]; }",
        "fn f[a: [int]]: int { return (a : [[byte]])[0]; }",
        "fn f[]: int { return [1] : [byte]; }",
    ];
    for text in texts {
        let request = Request { extent: Extent::Object, warnings: true, lines: false };
        let found = program_in_parts(&Cpu::with_threads(1), &sources(text), request, 1 << 20).expect("an answer");
        assert!(matches!(found, Found::Unknown { .. }), "{text}");
    }
}
