//! Variables in registers: the invariants of the pass, the meaning of programs, and the instructions that are saved.

use crate::oracle::interpreter::{Outcome, interpret};
use crate::toolchain;
use refcompiler::ir::held::{Pool, has_register, held_saves, pool_register, pool_size};
use refcompiler::ir::tree::Tree;
use refcompiler::passes::registers::choice::{count, greater, with};
use refcompiler::passes::registers::lives::extend;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Error, Goal, Observer, Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{array_program, larger_program, program, whole_program};
use treepar::{Backend, Cpu};

const TARGETS: [Target; 2] = [Target::Riscv32, Target::X86_64];

/// Returns settings with some passes.
fn settings(target: Target, passes: &str) -> Settings<'static> {
    let mut optimisations = Optimisations::default();
    optimisations.change(passes).expect("passes");
    Settings { optimisations, ..Goal { target, output: Output::Executable }.into() }
}

fn parsed(text: &str) -> Tree {
    toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// Keeps the tables, after it has checked them.
struct Kept {
    checker: Checker,
    columns: Columns,
}

impl<B: Backend> Observer<B> for Kept {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        self.checker.after(backend, after)?;
        Ok(self.columns.add(backend, after)?)
    }
}

/// Compiles a program with some passes for both targets and checks all tables. Returns the number of variables with registers.
fn checked(cpu: &Cpu, what: &str, tree: &Tree) -> usize {
    let mut count = 0;
    for (target, passes) in
        TARGETS.into_iter().flat_map(|target| [(target, "+registers"), (target, "+inlining,+registers")])
    {
        let mut kept = Kept { checker: Checker::of(target), columns: Columns::default() };
        let settings = settings(target, passes);
        compile(cpu, tree, settings, &mut kept).unwrap_or_else(|error| panic!("{what}, {passes}, {target:?}: {error}"));
        let kinds = kept.columns.get::<refcompiler::ir::kinds::Kind>("registers", "kind");
        let hops = kept.columns.get::<u32>("registers", "hops");
        count += kinds.iter().zip(&hops).filter(|&(kind, &hops)| kind.is_declaration() && hops > 0).count();
    }
    count
}

/// Asserts that a program means the same with and without optimisations, on both targets.
fn agrees(text: &str) {
    let tree = parsed(text);
    let expected = interpret(&tree, b"", 10_000_000, 2_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}"));
    for level in [0, 1] {
        let elf = toolchain::built(Target::Riscv32, &tree, level).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let found = toolchain::simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
        let status = found.status.unwrap_or_else(|fault| panic!("{text}\n{fault}"));
        assert_eq!(Outcome { output: found.output, status }, expected, "level {level}: {text}");
        if toolchain::IS_NATIVE {
            let elf = toolchain::built(Target::X86_64, &tree, level).unwrap_or_else(|error| panic!("{text}\n{error}"));
            let found = toolchain::native(&elf, b"");
            let status = found.status.code().unwrap_or_else(|| panic!("{text}\n{}", found.status)) as u8;
            assert_eq!(Outcome { output: found.stdout, status }, expected, "natively, level {level}: {text}");
        }
    }
}

/// Returns a function with many variables, of which all live to the end, and a use of each in a loop.
fn many(count: usize, ty: &str, zero: &str) -> String {
    let mut text = format!("fn f[n: int]: {ty} {{\n");
    for k in 0..count {
        text += &format!("var v{k}: {ty} = {zero};\n");
    }
    text += "for i < n {\n";
    for k in 0..count {
        text += &format!("v{k} = v{} + v{k} + {ty}(i);\n", (k * 7 + 1) % count);
    }
    text += "}\nreturn ";
    text += &(0..count).map(|k| format!("v{k}")).collect::<Vec<_>>().join(" + ");
    format!("{text};\n}}\nfn main[]: int {{ print[f[3]]; print[f[5]]; return 0; }}").replace("int(i)", "i")
}

const PROGRAMS: &[&str] = &[
    // The example of the pass.
    "fn gcd[a: int, b: int]: int { while b != 0 { var rest = a % b; a = b; b = rest; } return a; }
    fn main[]: int { print[gcd[1071, 462]]; return gcd[7919, 104729]; }",
    // Operands that are the variable of the value.
    "fn main[]: int { var x = 7; var y = 3; x = y - x; print[x]; x = y + x; print[x]; x = x - x; print[x]; x = y * 5; x = y / x; print[x];
    x = y % (x = 5); print[x]; x = 2 - x; x = 40 >> x; print[x]; x = y < x; print[x]; x = !x; print[x]; x = -x; print[x]; x = 9 & x; print[x];
    return 0; }",
    "fn f[x: float, y: float]: float { x = y - x; x = y / x; x = y + x; y = x * y; return y - x; }
    fn g[x: float, y: float]: float { return y - x; }
    fn h[x: float, y: float]: float { return y / x; }
    fn main[]: int { print[f[3.5, 1.25]]; print[g[3.5, 1.25]]; print[h[3.5, 1.25]]; var x = 2.5; x = -x; x = abs[x]; x = sqrt[x]; print[x];
    print[int(x)]; x = float(int(x)); print[x]; return 0; }",
    // Assignments while values wait.
    "fn main[]: int { var x = 1; print[x + (x = 5)]; print[(x = 2) + x]; print[(x = 3) + (x = 4)]; print[x * x + (x = x + 1) * x];
    var y = x = 8; print[x - y + (y = 3)]; print[(y = y + 1) + 10]; var z = (var w = x) + 3; w = w + z; print[w]; return x = y; }",
    "fn three[a: int, b: int, c: int]: int { return a * 100 + b * 10 + c; }
    fn main[]: int { var x = 1; print[three[x, x = 2, x]]; print[three[x = 3, x, x = 4]]; print[three[(var q = 5), q, q + (q = 1)]]; return 0; }",
    // Conditions and parts.
    "fn main[]: int { var x = 3; while x { x = x - 1; print[if[x, x, 7]]; } var y = if[x == 0, 5, x]; x = if[y > 3, y - 1, x]; print[x];
    if x { y = 2; } else { y = 3; } print[y]; if y == 2 { var t = y; y = t + t; } elif y == 3 { var u = 9; y = u; } print[y];
    while (var k = y - 1) > 0 { y = k; print[k]; } return y; }",
    // Loops, whose conditions come after their bodies: each comparison, no statements, branches and loops inside, and NaN.
    "fn ints[a: int, b: int]: int { var s = 0; while a < b { a = a + 2; s = s + 1; } while a >= b { a = a - 3; s = s * 3; } while a <= b + 9 { a = a + 4;
    s = s - a; } while b < a { b = b + 5; s = s ^ b; } while a != b { if a > b { a = a - 1; } else { b = b - 1; } s = s + a; } while a == b { b = s; }
    while s > 100 { s = s / 2; } while s { s = s / 3; b = b + 1; } while !s { s = b; } return s + a * b; }
    fn floats[x: float, y: float]: int { var n = 0; while x < y { x = x * 2.0; n = n + 1; } while x >= y { x = x / 3.0; n = n + 10; } while y <= x {
    y = y + 1.0; n = n + 100; } while x > y { n = 7; y = x; } while x == y { x = 0.0 / 0.0; n = n + 1; } while x != y { y = x; x = 1.0; y = 1.0; n = n + 1; }
    return n; }
    fn next[n: int]: int { if n > 3 { print[n]; } return n - 1; }
    fn both[n: int]: int { while (n = next[n]) > 0 {} while n < 5 && next[n] < 3 || n == 7 { n = n + 1; } while if[n > 9, n > 12, n < 10] { n = n + 1;
    var k = n; while k > 8 { k = k - 1; while k == 9 { k = 8; print[k]; } } } while n > 2 { while (var h = n - 2) > 4 { n = h; } n = n - 1; } return n; }
    fn none[a: int]: int { while a > 5 { a = a - 1; } return a; }
    fn main[]: int { for i < 9 { print[ints[i, 4]]; print[ints[3, i]]; print[none[i]]; print[both[i]]; print[floats[float(i + 1), 3.5]]; } while 0 { print[9]; }
    print[floats[0.0 / 0.0, 1.0]]; var m = 3; while m { fn less[]: int { m = m - 1; return m; } print[less[]]; } return ints[-5, 5]; }",
    // Lives across calls, and not.
    "fn id[x: int]: int { print[x]; return x; }
    fn main[]: int { var a = id[1]; var b = id[2]; var c = a + b; for i < 3 { c = c + id[i] * a; for j < 3 { b = b + j * i; } }
    print[c]; print[b]; return id[a] + id[b + id[c]] - a; }",
    "fn fib[n: int]: int { if n < 2 { return n; } return fib[n - 1] + fib[n - 2]; }
    fn ack[m: int, n: int]: int { if m == 0 { return n + 1; } if n == 0 { return ack[m - 1, 1]; } return ack[m - 1, ack[m, n - 1]]; }
    fn main[]: int { print[fib[15]]; print[ack[2, 3]]; return 0; }",
    // Many parameters of both types, moved and on the stack.
    "fn f[a: int, x: float, b: int, y: float, c: int, d: int, e: int, g: int, h: int, i: int, z: float]: float {
    b = b + a; h = h - i; g = g * 2; x = x + float(b) * z; return float(a + b + c + d + e + g + h + i) + x * y - z; }
    fn r[a: int, b: int, c: int, d: int, e: int, f: int]: int { a = 0; var s = f * 5 + e * 4 + d * 3 + c * 2 + b; return s - a; }
    fn floats[a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float, j: float, k: int]: float {
    for n < k { a = a + i; b = b * j + h; c = c - g; } return a + b * c - d + e / f; }
    fn main[]: int { print[f[1, 2.0, 3, 4.0, 5, 6, 7, 8, 9, 10, 11.0]]; print[r[1, 2, 3, 4, 5, 6]];
    print[floats[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 3]]; return 0; }",
    // Arguments on the stack of a function without a frame of its own.
    "fn ints[a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int]: int { return a + b * 2 + c * 3 + d - e + f + g * 7 - h * i; }
    fn floats[a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float]: float { return a - b * c + d - e + f * g - h * i; }
    fn main[]: int { for k < 3 { print[ints[k, 2, 3, 4, 5, 6, 7, 8, 9]]; print[floats[float(k), 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5]]; } return 0; }",
    // Literals as right operands, at the ends of what instructions can contain.
    "fn f[a: int]: int { var s = a + 2047 + 2048 - 2048 - 2049; s = s ^ (a & -2048) ^ (a | 2047) ^ (a - 2147483647) ^ (a * 2147483647) ^ a * 127 ^ a * -129;
    s = s + (a << 35) + (a >> 33) + (a >>> 31) + (a << -1) + (a < -2048) * 2 + (a < 2048) * 4 + (a == 2047) * 8 + (a != -2049) * 16 + (a <= 127) * 32
    + (a > 128) * 64 + (a >= -128) * 128 + (a - -2147483648); if a == 5 { s = 5 - s; } while s > 1000 { s = s / 3 - 1; } return s - 4 * (a - 7); }
    fn main[]: int { var x = -2050; for i < 60 { print[f[x]]; print[f[i]]; x = x + 1 + i * 3; } print[f[2147483647]]; print[f[-2147483648]]; return 0; }",
    // Nested functions.
    "fn main[]: int { var n = 0; var m = 5; fn up[k: int]: int { n = n + k; var m = k * 2; for i < m { n = n + i; } return m; }
    for i < 4 { m = m + up[i]; } print[n]; print[m]; fn deep[]: int { var q = 3; fn deeper[]: int { q = q + n; return q; } return deeper[] + q; }
    print[deep[]]; return 0; }",
    // Arrays, whose accesses have bases and indices in registers.
    "fn total[a: [int], b: [[int]], n: int]: int { var s = 0; for i < n { for j < n { s = s + a[i] * b[i, j] - b[j, i]; } } return s; }
    fn filled[n: int]: [[int]] { var b = replicate[n, replicate[n, 0]]; var k = 7; for i < n { for j < n { k = k * 31 + 1; b[i, j] = k & 63; } } return b; }
    fn bubble[a: *[int]]: [int] { var i = 0; while i < size[a] { var j = 0; while j < size[a] - 1 - i { if a[j] > a[j + 1] { var t = a[j];
    a[j] = a[j + 1]; a[j + 1] = t; } j = j + 1; } i = i + 1; } return a; }
    fn main[]: int { var b = filled[9]; var a = b[3] + 1; print[total[a, b, 9]]; print[bubble[copy[b[2]]]]; print[sum[map[fn[x: int]: int = x * 3, a]]];
    var c = [1, 2, 3] : [byte]; var s = 0; for i < 3 { s = s + c[i]; c[i] = s; } print[c]; return 0; }",
    // An address that is loaded into the last register of arguments, which is no base.
    "fn f[b: int, c: int, d: int, e: int, g: int]: int { var a = [3, 1, 4, 1, 5]; var u = ([1] : [byte]); var s = b;
    for k < 3 { var n = size[a]; for i < n { s = s * b + c * d - e * g + a[i] * n; } for i < size[a] { b = b + i; c = c - s; d = d + e; e = g - k; g = g + n; } }
    var v = 0; return s + foldr[fn[x: int, y: int]: int = if[size[u], u[v & 2147483647], 2], 1, (u : [int])] + b + c + d + e + g; }
    fn main[]: int { print[f[1, 2, 3, 4, 5]]; return 0; }",
    // Loops that end early, and variables that die at different times.
    "fn first[n: int]: int { var a = 1; for i < n { var b = a * 3; for j < n { var c = b + j; if c % 7 == 0 { return c; } b = b + c; } a = a + b; } return 0 - a; }
    fn chain[n: int]: int { var a = n; var b = a + 1; var c = b + a; var d = c + b; var e = d + c; var f = e + d; var g = f + e; var h = g + f;
    return h + g * 2; }
    fn main[]: int { for i < 6 { print[first[i]]; print[chain[i]]; } return 0; }",
    // Remainders of floats, which call.
    "fn f[a: float, b: float]: float { var s = 0.0; for i < 5 { s = s + a % b; a = a + 1.5; } return s + (var c = a) % b + c; }
    fn main[]: int { print[f[7.25, 2.0]]; return 0; }",
    // A loop in the bound of a loop.
    "fn main[]: int { var n = 3; var m = 4; for i < reduce[(+), 0, map[fn[x: int]: int = x & 1, iota[n + 4]]] { var h = 7 + i; print[h]; print[n];
    for j < reduce[(+), m, iota[i]] { n = n + j; } } return n + m; }",
    // Right operands in the frame next to left ones in registers.
    "fn f[x: int]: int { return x * 2; }
    fn g[a: int, b: int, c: int, d: int]: int { return a - (b - (c - (d - (a - (b - (c - (d - (a + f[b - (c - (d - (a - f[c])))])))))))); }
    fn h[a: float, b: int]: float { return a - (a * (a - (a / (a - float(f[b]))))); }
    fn main[]: int { for i < 3 { print[g[i, i + 1, 7, 9 * i]]; print[h[float(i) + 2.5, i]]; } return 0; }",
    // Right operands in the frame, next to left ones in registers.
    "fn main[]: int { var a = 3; var b = 5; for i < 3 { a = 1 - (a - (2 - (b - (3 - (i - (4 - (a - (5 - (b - (6 - (i - (7 - (a - (8 -
    (b - (9 - (i - (10 - (a - (11 - (b - (12 - (i * 3))))))))))))))))))))))); print[a]; } var x = 0.5; for _i < 3 { var y = x; x =
    1.0 - (x - (2.0 - (y - (3.0 - (x - (4.0 - (y - (5.0 - (x - (6.0 - (y - (7.0 - (x - (8.0 - (y - (9.0 - (x - (10.0 - (x - (11.0 -
    (y - (12.0 - (x - (13.0 - (y - (14.0 - (x * (15.0 - (y * (16.0 - (x * 0.5))))))))))))))))))))))))))))))); print[x]; } return 0;
    }",
    // Deep expressions next to variables.
    "fn main[]: int { var a = 1; var b = 2; var c = 3; for i < 4 {
    a = (a + (b - (c * (a + (b - (c + (a - (b + (c * (a + (b + (c - (a + (i + (b * (c + 1))))))))))))))));
    b = ((((a + b) * (c + i)) - ((a - b) * (c - i))) + (((a * 3) + (b * 5)) - ((c * 7) + (i * 9)))); } print[a]; print[b]; return 0; }",
];

#[test]
fn programs_mean_the_same() {
    let cpu = Cpu::with_threads(1);
    for text in PROGRAMS {
        assert!(checked(&cpu, text, &parsed(text)) > 0, "{text}");
        agrees(text);
    }
    for (count, (ty, zero)) in [1, 3, 9, 40].into_iter().flat_map(|n| [(n, ("int", "1")), (n, ("float", "1.5"))]) {
        let text = many(count, ty, zero);
        assert!(checked(&cpu, &text, &parsed(&text)) > 0, "{text}");
        agrees(&text);
    }
}

#[test]
fn random_programs_keep_the_invariants() {
    let cpu = Cpu::with_threads(1);
    let mut count = 0;
    for seed in 1..=150 {
        for text in [program(seed), larger_program(seed), array_program(seed), whole_program(seed)] {
            let text = text.to_string();
            count += checked(&cpu, &format!("program {seed}\n{text}"), &parsed(&text));
        }
    }
    assert!(count > 5_000, "only {count} variables have registers");
}

/// Returns a program with loops whose bodies are too long for short branches.
fn long_loops(statements: usize) -> String {
    let body = |x: &str| format!("{x} = {x} * 3 + (i ^ {x} >> 5);\n").repeat(statements);
    format!(
        "fn main[]: int {{ var i = 0; var a = 1; while i < 4 {{ var k = 2; {} while k > a & 1 {{ {} k = k - 1; }} i = i + 1; }}
        print[a]; return a & 127; }}",
        body("a"),
        body("a")
    )
}

/// Branches to the beginning of a loop have every length.
#[test]
fn loops_of_all_lengths_mean_the_same() {
    let cpu = Cpu::with_threads(1);
    // A statement has about five instructions, of four bytes or less.
    for statements in [1, 5, 6, 7, 8, 9, 10, 100, 200, 204, 205, 206, 400] {
        let text = long_loops(statements);
        checked(&cpu, "long loops", &parsed(&text));
        agrees(&text);
    }
}

/// Programs, with how many instructions they must execute before for 1,000 after.
const SAVED: &[(&str, u64, &str)] = &[
    (
        "greatest common divisors",
        1_700,
        "fn gcd[a: int, b: int]: int { while b != 0 { var rest = a % b; a = b; b = rest; } return a; }
        fn main[]: int { var s = 0; for i < 300 { s = s + gcd[i * 7919, 1000 - i]; } return s & 1; }",
    ),
    (
        "points of the Mandelbrot set",
        1_900,
        "fn steps[re: float, im: float, limit: int]: int { var x = 0.0; var y = 0.0; var n = 0;
        while n < limit { var xx = x * x; var yy = y * y; if xx + yy > 4.0 { return n; }
        y = 2.0 * x * y + im; x = xx - yy + re; n = n + 1; } return limit; }
        fn main[]: int { var s = 0; for i < 20 { s = s + steps[float(i) * 0.1 - 1.5, 0.1, 100]; } return s & 1; }",
    ),
    (
        "a sum in nested loops",
        1_900,
        "fn main[]: int { var s = 0; for i < 60 { for j < 60 { s = (s ^ i * j) + i; } } return s & 1; }",
    ),
];

#[test]
fn variables_in_registers_save_instructions() {
    for &(what, ratio, text) in SAVED {
        let (before, after) = (toolchain::executed(text, 0), toolchain::executed(text, 1));
        println!("{what}: {before} instructions, {after} after: {} per mille", before * 1_000 / after);
        assert!(before * 1_000 >= after * ratio, "{what}: {before} instructions, {after} after");
    }
}

/// Pools of one type are disjoint, and the registers of values that wait are in none.
#[test]
fn pools_are_disjoint() {
    use refcompiler::ir::registers::{is_float, is_register, register_at, scratch_register};
    for (target, float) in [Target::Riscv32, Target::X86_64].into_iter().flat_map(|t| [(t, false), (t, true)]) {
        let pool = |pool| (0..pool_size(target, pool, float)).map(move |k| pool_register(target, pool, float, k));
        let waiting = (0..32).filter(|&height| has_register(target, float, height));
        let waiting = waiting.map(|height| register_at(target, float, height)).filter(|&place| is_register(place));
        let scratch = [false, true].map(|is_right| scratch_register(target, float, is_right));
        let mut all: Vec<u8> = pool(Pool::Arguments).chain(pool(Pool::Saved)).chain(waiting).chain(scratch).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(all.iter().all(|&r| is_float(r) == float));
        let saved = pool(Pool::Saved).map(|r| held_saves(target, r));
        assert!(saved.eq((1..).take(pool(Pool::Saved).count()).map(|k| if float { k << 16 } else { k })));
        assert!(pool(Pool::Arguments).all(|r| held_saves(target, r) == 0));
    }
}

#[test]
fn counts_are_sixteen_numbers() {
    let fields = |counts: u64| (0..16).map(|k| (counts >> (4 * k) & 15) as u32).collect::<Vec<_>>();
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    for _ in 0..2_000 {
        let (a, b, class) = (draw(), draw(), (draw() >> 40) as u32 % 16);
        let expected: Vec<u32> = fields(a).into_iter().zip(fields(b)).map(|(a, b)| a.max(b)).collect();
        assert_eq!(fields(greater(a, b)), expected, "{a:x} {b:x}");
        let more = |(k, n): (u32, u32)| if k <= class { (n + 1).min(15) } else { n };
        assert_eq!(fields(with(a, class)), (0..).zip(fields(a)).map(more).collect::<Vec<_>>(), "{a:x} {class}");
        assert_eq!(count(a, class), fields(a)[class as usize]);
    }
}

/// Returns the ends after each life is extended by the lives that begin in it, until nothing changes.
fn repeated(lives: &[(u32, u32)]) -> Vec<u32> {
    let mut ends: Vec<u32> = lives.iter().map(|&(_, end)| end).collect();
    loop {
        let before = ends.clone();
        for i in 0..lives.len() {
            for j in i + 1..lives.len() {
                if lives[j].0 < ends[i] {
                    ends[i] = ends[i].max(ends[j]);
                }
            }
        }
        if ends == before {
            return ends;
        }
    }
}

#[test]
fn extension_equals_repeated_extension() {
    let cpu = Cpu::with_threads(2);
    let mut state = 1u64;
    let mut draw = |limit: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % limit
    };
    for case in 0..2_000 {
        let count = draw(if case % 100 == 0 { 300 } else { 9 });
        let mut at = 0;
        let lives: Vec<(u32, u32)> = (0..count)
            .map(|_| {
                at += 1 + draw(3);
                (at, at + 1 + draw(if case % 3 == 0 { 30 } else { 6 }))
            })
            .collect();
        let (nodes, ends): (Vec<u32>, Vec<u32>) = lives.iter().copied().unzip();
        let (nodes, ends) = (cpu.upload(&nodes).unwrap(), cpu.upload(&ends).unwrap());
        let mut found = cpu.download(&extend(&cpu, &nodes, &ends).unwrap()).unwrap();
        found.reverse();
        assert_eq!(found, repeated(&lives), "{lives:?}");
    }
}
