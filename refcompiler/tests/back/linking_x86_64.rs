//! Par and C call each other on this machine, through objects for x86-64 and the system's `cc`, which Rust links tests with too.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;

use crate::signatures::{arrays, round_trip, signatures};
use crate::toolchain;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::interface::header;
use refcompiler::object::{Image, write_relocatable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output, compile, compile_in_parts};
use refcompiler::target::Target;
use treepar::Cpu;

const GOAL: Goal = Goal { target: Target::X86_64, output: Output::Object };

fn source(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a source");
    sources
}

/// Compiles a text to an object, every pass checked.
fn image(text: &str) -> Image {
    image_at(0, text)
}

/// Compiles a text to an object with the passes of a level.
fn image_at(level: u8, text: &str) -> Image {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = Settings { optimisations: Optimisations::of_level(level), ..GOAL.into() };
    compile(&Cpu::with_threads(2), &tree, settings, &mut Checker::of(Target::X86_64)).expect("an object").image
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
    for (level, options) in [(0, ["-O0", "-pie"]), (1, ["-O2", "-no-pie"])] {
        let (status, _, errors) = linked(&[image_at(level, par)], c, &options);
        assert_eq!(status, Some(42), "-O{level}, {options:?} {errors}\n{par}\n{c}");
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
    // The Par functions need every register. The ints have garbage in their upper halves, and one is an index. The second function
    // gets an array too, whose address is above 4 GiB on the stack.
    let deep = (0..40).fold("x".to_string(), |e, k| format!("(x + {k} - {e})"));
    let deep_float = (0..40).fold("y".to_string(), |e, k| format!("(y + {k}.0 - {e})"));
    let par = format!(
        "fn deep[x: int, y: float, i: int]: int {{
           var a = iota[20]; return {deep} + int({deep_float}) + a[i]; }}
         fn deep_array[x: int, y: float, i: int, b: *[int]]: int {{
           var a = iota[20]; b[0] = b[0] + 1; return {deep} + int({deep_float}) + a[i] + b[size[b] - 1]; }}"
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
    let call = |name: &str, arguments: &str| {
        format!(
            "__asm__(\".globl call_{name}\\ncall_{name}: \"{push} \"sub $24, %rsp; mov %rsp, 8(%rsp)\\n\" {set}
               \"movabs $0xdeadbeef00000005, %rdi; movabs $0xdeadbeef00000007, %rsi; {arguments} call {name}\\n\" {test}
               \"cmp %rsp, 8(%rsp); je 2f\\n1: mov $-1, %eax\\n2: add $24, %rsp\\n\" {pop} \"ret\\n\");"
        )
    };
    let in_array = "movl $1, 16(%rsp); lea 16(%rsp), %rdx; movabs $0xdeadbeef00000001, %rcx;";
    let (numbers, array) = (call("deep", ""), call("deep_array", in_array));
    let c = format!(
        "int call_deep(float y), call_deep_array(float y); {numbers} {array}
         int main(void) {{
           for (int i = 0; i < 3; i++) {{
             if (call_deep(5.0f) != {expected} || call_deep_array(5.0f) != {expected} + 2) return 1;
           }}
           return 42;
         }}"
    );
    succeeds(&par, &c);
}

/// C is called while variables are in registers that functions save, and changes all others.
#[test]
fn variables_in_registers_survive_calls_of_c() {
    let par = "
        extern fn changes[n: int, x: float]: int;
        fn total[n: int, x: float]: int {
            var a = n * 3; var b = n + 7; var c = n - 5; var y = x * 2.0; var sum = 0;
            for i < n { sum = sum + changes[a, y] * b - c; a = a + i; b = b ^ sum; c = c + a; y = y + 0.5; }
            var i = 0; var j = 1; while i < n { i = i + j; j = i & 3 | 1; sum = sum * 5 + changes[i, x] - j; }
            return sum + a * b - c + int(y) + i + j;
        }";
    let c = r#"
        int total(int n, float x);
        int changes(int n, float x) {
            __asm__ volatile("" ::: "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "memory");
            return n % 11 + (int)x;
        }
        int main(void) {
            for (int n = 0; n < 9; n++) {
                float x = n + 0.75f, y = x * 2;
                unsigned a = n * 3, b = n + 7, c = n - 5, sum = 0;
                int i = 0, j = 1;
                for (int k = 0; k < n; k++) { sum = sum + changes(a, y) * b - c; a += k; b ^= sum; c += a; y += 0.5f; }
                while (i < n) { i += j; j = (i & 3) | 1; sum = sum * 5 + changes(i, x) - j; }
                if ((unsigned)total(n, x) != sum + a * b - c + (int)y + i + j) return n;
            }
            return 42;
        }"#;
    succeeds(par, c);
}

/// A NaN has the bits that RISC-V yields wherever C sees it, also after operations that do not replace it.
#[test]
fn nans_have_the_bits_of_riscv() {
    let par = "
        extern fn same[x: float]: float;
        fn loops[a: float, b: float]: float { var s = 0.5; var t = a - b; for i < 3 { s = s * 2.0 + t; t = t - s; } return s; }
        fn negated[a: float, b: float]: float { var s = a - b; s = s * 2.0; s = s + 1.0; return -s; }
        fn absolute[a: float, b: float]: float { var s = a - b; var t = s / 3.0; return abs[t]; }
        fn copied[a: float, b: float]: float { var s = a - b; var t = s; t = t + s; return t; }
        fn chosen[a: float, b: float]: float { return if[a < b, 1.0, a - b]; }
        fn passed[a: float, b: float]: float { var s = 1.0 * (a - b); return same[s] + same[a - b * 2.0]; }
        fn stored[a: float, b: float]: float { var c = [a - b, sqrt[a - b], a - b * b]; c[0] = a - b; return c[0]; }
        fn rooted[a: float, b: float]: float { return sqrt[1.0 - (2.0 * (a - b))]; }
        fn taken[a: float, b: float]: float { return a; }
        fn assigned[a: float, b: float]: float { var s = 1.0; var t = (s = a - b); s = s + t; return (t = s); }
        fn cast[a: float, b: float]: int { var s = a - b; s = s * 2.0; return int(s + 1.0) + (s < 1.0) + (s != s) * 2; }";
    let c = r#"
        #include <string.h>
        #include <math.h>
        typedef float f(float, float);
        f loops, negated, absolute, copied, chosen, passed, stored, rooted, taken, assigned;
        int cast(float, float);
        static unsigned bits(float x) { unsigned u; memcpy(&u, &x, 4); return u; }
        static float of(unsigned u) { float x; memcpy(&x, &u, 4); return x; }
        float same(float x) { return bits(x) == 0x7fc00000 ? x : 0; }
        int main(void) {
            f *all[] = { loops, negated, absolute, copied, chosen, passed, stored, rooted, assigned };
            float odd[] = { of(0xffc12345), of(0x7f812345), of(0xff800001), of(0x7fc00000), INFINITY };
            for (int i = 0; i < 5; i++) for (int k = 0; k < 9; k++) {
                unsigned expected = k == 1 ? 0xffc00000 : 0x7fc00000;
                if (bits(all[k](odd[i], INFINITY)) != expected || bits(all[k](odd[i], odd[i])) != expected) return 10 * i + k;
                if (i < 4 && bits(all[k](i, odd[i])) != expected) return 100 + 10 * i + k;
            }
            unsigned kept = bits(taken(of(0xffc12345), 1));
            return kept == 0xffc12345 && cast(INFINITY, INFINITY) == (int)(0x7fffffffu + 2u) ? 42 : 1;
        }"#;
    succeeds(par, c);
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
    for name in ["numbers.par", "array.c", "smoothing.par", "smoothing.c"] {
        fs::copy(example.join(name), folder.path().join(name)).expect("a file of the example");
    }
    let readme = fs::read_to_string(example.join("README.md")).expect("the README");
    let refc = Path::new(env!("CARGO_BIN_EXE_refc")).parent().expect("a folder");
    let (commands, _) = readme.split("```console\n").last().and_then(|text| text.split_once("```")).expect("commands");
    assert!(commands.contains("cc -O2"), "{commands}");
    let commands = format!("PATH={}:\"$PATH\"\n{commands}", refc.display());
    let output = toolchain::must("sh", &["-ec", &commands], folder.path());
    let expected = ["numbers.expected", "smoothing.expected"]
        .map(|name| fs::read_to_string(example.join(name)).expect("the expected output"))
        .concat();
    assert_eq!(String::from_utf8_lossy(&output), expected);
}

/// Functions with structs have no form in C.
#[test]
fn functions_with_structs_stay_in_par() {
    let text = "struct P { x: int }
        extern fn c[a: [int]]: void;
        fn f[a: [int]]: int { c[a]; return a[0]; }
        fn g[p: P]: int { return p.x; }
        fn h[n: int]: int { return f[[n]] + g[P[n]]; }";
    let names: Vec<_> = image(text)
        .symbols
        .into_iter()
        .filter(|symbol| symbol.global || symbol.name.contains('.'))
        .map(|symbol| symbol.name + if symbol.global { "!" } else { "" })
        .collect();
    let expected = ["f.fn", "h.fn", "c.fn", "f.extern", "stack.fn", "fn.0", "h!", "extern.0", "f!", "c.extern"];
    assert_eq!(names, expected);
    succeeds(text, "int h(int); void c(const int *a, int n) {} int main(void) { return h(21); }");
}

/// `memory(m, bytes)` of kind `m` in 0..5: the heap, static, the stack, mapped anywhere, mapped below 2 GiB.
const MEMORY: &str = "
    #define _GNU_SOURCE
    #include <stdlib.h>
    #include <sys/mman.h>
    static char *begin[5], *next[5], fixed[1 << 16];
    static void *memory(int m, unsigned long bytes) {
      if (m == 0) return malloc(bytes);
      void *at = next[m];
      next[m] += (bytes + 3) / 4 * 4;
      return at;
    }
    static void release(void) { for (int m = 1; m < 5; m++) next[m] = begin[m]; }
    static void provide(char *stack) {
      begin[1] = fixed; begin[2] = stack;
      begin[3] = mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      begin[4] = mmap(0, 1 << 16, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
      release();
    }
";

#[test]
fn arrays_reach_the_other_language_in_every_place() {
    let (mut par, mut c, mut calls) = (String::new(), MEMORY.to_string(), String::new());
    for (id, kinds) in arrays::signatures().into_iter().enumerate() {
        let (of_par, of_c) = arrays::round_trip(id, &kinds);
        par += &of_par;
        c += &of_c;
        calls += &format!(
            "release(); if (run_{id}(m) != 42) {{ printf(\"{id} {kinds:?} %d %d\\n\", m, run_{id}(m)); return 1; }}\n"
        );
    }
    c += &format!(
        "#include <stdio.h>
         int main(void) {{ char stack[1 << 16]; provide(stack); for (int m = 0; m < 5; m++) {{ {calls} }} return 42; }}"
    );
    let image = image(&par);
    for options in [["-O0", "-pie"], ["-O2", "-no-pie"]] {
        let (status, output, errors) = linked(std::slice::from_ref(&image), &c, &options);
        assert_eq!((status, &*output), (Some(42), ""), "{options:?} {errors}");
    }
}

#[test]
fn checks_of_arrays_between_the_languages_report_from_c() {
    for (arguments, expected) in arrays::LIBRARY_RESULTS {
        let [room, rows, extent] = arguments;
        let (par, c) = arrays::library(room, rows, extent);
        let sources = source(&par);
        let tree = parse_program(&sources).expect("a program");
        let mut image = image(&par);
        image.locate_checks(&sources);
        let header = header(&tree, &sources, Target::X86_64);
        // The output is in a pipe, so C must not hold any back.
        let c = format!("{header}\n{c}\nint main(void) {{ return start(); }}");
        for options in [["-O0", "-pie"], ["-O2", "-no-pie"]] {
            let (status, output, errors) = linked(std::slice::from_ref(&image), &c, &options);
            let (code, text, message) = expected;
            assert_eq!((status, &*output, &*errors), (Some(code), text, message), "{arguments:?} {options:?}");
        }
    }
}

#[test]
fn an_array_below_two_gibibytes_is_used_where_it_is() {
    let par = "
        extern fn peek[]: int;
        fn changed[a: *[int], x: int]: int { a[1] = x; var seen = peek[]; a[0] = seen; return seen; }
        fn total[a: [[int]]]: int { return sum[map[fn[r: [int]]: int = sum[r], a]]; }
        fn row[a: [[int]], k: int]: [int] { return a[k]; }";
    let c = format!(
        "{MEMORY}
         int changed(int *, int, int), total(const int *, int, int); void row(const int *, int, int, int, int *, int, int *);
         static int *at; int peek(void) {{ return at[1]; }}
         int main(void) {{
           char stack[1 << 16]; provide(stack);
           for (int m = 0; m < 5; m++) {{
             at = memory(m, 8); at[0] = 3; at[1] = 5;
             int is_low = (unsigned long)at >> 31 == 0;
             if (m == 4 && !is_low) return 1;
             if (changed(at, 2, 9) != (is_low ? 9 : 5)) return 2;
             if (at[0] != (is_low ? 9 : 5) || at[1] != 9) return 3;
           }}
           // Without elements there is no address.
           int extents[1] = {{ 7 }};
           if (total(0, 0, 5) != 0 || total((int *)-4L, 5, 0) != 0) return 4;
           row((int *)-4L, 5, 0, 1, (int *)-4L, 0, extents);
           if (extents[0] != 0) return 5;
           // Memory on both sides of 2 GiB.
           char *low = (char *)0x7fff0000;
           low = mmap(low, 1 << 17, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
           if (low != (char *)0x7fff0000) return 42;
           int *a = (int *)low;
           for (int i = 0; i < 1 << 15; i++) a[i] = i;
           at = a;
           if (total(a, 1 << 7, 1 << 8) != 536854528) return 6;
           if (total(a, 1 << 6, 1 << 8) != 134209536 || changed(a, (1 << 14) - 1, 8) != 8) return 7;
           if (changed(a, 1 << 14, 6) != 8 || a[0] != 8 || a[1] != 6) return 8;
           if (changed(a + (1 << 14), 2, 6) != 6 || a[(1 << 14) + 1] != 6) return 9;
           return 42;
         }}"
    );
    succeeds(par, &c);
}

#[test]
fn calls_with_arrays_release_their_memory_and_run_out_of_it() {
    let par = "fn f[a: *[int], n: int]: [int] { a[n] = a[n] + 1; return a[n..n + 1]; }";
    let c = "
        #define _GNU_SOURCE
        #include <sys/mman.h>
        void f(int *, int, int, int *, int, int *);
        int main(void) {
          // 4 GiB in all, which is more than the arena has.
          unsigned long bytes = 1ul << 30;
          int *a = mmap(0, bytes, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), one[1], extents[1];
          for (int i = 0; i < 1024; i++) {
            f(a, 1 << 20, 5, one, 1, extents);
            if (one[0] != i + 1 || a[5] != i + 1) return 1;
          }
          f(a, 1 << 28, 5, one, 1, extents);
          return 2;
        }";
    let (status, output, errors) = linked(&[image(par)], c, &["-O1"]);
    assert_eq!((status, &*output, &*errors), (Some(134), "", "memory is exhausted\n"));
}
