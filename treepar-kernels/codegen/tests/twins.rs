//! The C++ of every device function agrees with its Rust twin, bit for bit, on random inputs and on those at the edges
//! of each type.
//!
//! The test takes all functions that the crates of this workspace register, their callees, and some functions with the
//! rest of the subset. A host's C++ compiler builds them into a program that reads inputs and writes results.

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use treepar::device::{Def, Scalar, Shape, Type, device, kernels};
use treepar_codegen::{TYPES, name, spelled, text as spelling, translate};
use treepar_kernels::digest::Digest;
// Naming a crate links it, and so registers its functions.
use {benches as _, papers_repro as _, refcompiler as _, treepar_laws as _};

#[device]
struct Inner {
    long: i64,
    byte: u8,
    more: u8,
    short: u16,
    real: f32,
}

#[device]
struct Outer {
    inner: Inner,
    class: u32,
    last: i32,
}

const TABLE: [i64; 5] = [0, -1, i64::MAX, i64::MIN, 77];
const LIMIT: u16 = 40_000;
const START: Inner = Inner { long: -5, byte: 250, more: 1, short: 65_535, real: 0.1 };

#[device(map)]
fn bytes(i: usize, a: u8, b: u8, x: &[u8]) -> (u8, u8, u8, u8, u8, u8) {
    let sum = a.wrapping_add(b).wrapping_mul(x[i]);
    (sum, a.wrapping_sub(b), a & !b, a.wrapping_shl(b as u32), a.wrapping_shr(b as u32), a.wrapping_neg() ^ b)
}

#[device(map)]
fn shorts(_i: usize, a: u16, b: u16) -> (u16, u16, u16, u32, u32, u32) {
    let product = a.wrapping_mul(b);
    (product, a.rotate_left(b as u32), a.rotate_right(b as u32), a.leading_zeros(), b.trailing_zeros(), a.count_ones())
}

#[device(map)]
fn signed(_i: usize, a: i32, b: i32) -> (i32, i32, i32, i32, i32, i64) {
    let quotient = if b == 0 { 7 } else { a.wrapping_add(0) / (if a == i32::MIN && b == -1 { 1 } else { b }) };
    let rest = if b == 0 || b == -1 { 0 } else { a % b };
    (quotient, rest, a.wrapping_shr(b as u32), a.wrapping_shl(b as u32), a.min(b), a as i64 - b as i64)
}

#[device(map)]
fn longs(_i: usize, a: i64, b: u64, k: u32) -> (i64, u64, i64, u64, u32, u32) {
    (
        a.wrapping_mul(b as i64),
        b.rotate_left(k),
        a.wrapping_shr(k),
        b.wrapping_shl(k),
        b.leading_zeros(),
        a.count_ones(),
    )
}

#[device(map)]
fn casts(_i: usize, x: f32, long: i64) -> (u8, u16, u32, u64, i32, i64, f32, f32) {
    (x as u8, x as u16, x as u32, x as u64, x as i32, x as i64, long as f32, long as u64 as f32)
}

#[device(map)]
fn more_casts(_i: usize, a: i32, b: u64, c: bool) -> (u8, i64, u32, i32, u16, u64, f32, u32) {
    (a as u8, a as i64, a as u32, b as i32, b as u16, a as u64, a as f32, c as u32 + (b == 3) as u32)
}

#[device(map)]
fn floats(_i: usize, x: f32, y: f32) -> (f32, f32, f32, f32, f32, u32, u8) {
    let sum = x * y + x;
    let bits = f32::from_bits(x.to_bits() ^ y.to_bits());
    (sum, x - y / 3.0f32, -x, x.min(y), x.max(1.5f32), bits.to_bits() & 0xff, (x < y) as u8 | ((x == y) as u8 * 2))
}

#[device(map)]
fn choices(i: usize, kind: u8, x: &[i32]) -> i32 {
    let first = match kind {
        0 => 10,
        b'a'..=b'z' => x[i],
        7 | 9 => {
            let double = x[i].wrapping_mul(2);
            if double > 100 { double } else { -1 }
        }
        200..=255 => i32::MAX,
        other => other as i32,
    };
    let second = if first > 3 && x[i] != 0 {
        first.wrapping_sub(1)
    } else if first < -3 {
        -first.max(-1000)
    } else {
        0
    };
    first ^ second
}

#[device(map)]
fn loops(i: usize, n: u32, x: &[u32]) -> (u32, u64) {
    let mut sum = 0u32;
    let mut odd: u64 = 0;
    for k in 0..n % 20 {
        if k == 13 {
            break;
        }
        if k % 3 == 1 {
            continue;
        }
        sum = sum.wrapping_add(x[i].wrapping_mul(k));
        odd += (k & 1) as u64;
    }
    let mut at = n;
    while at > 10 && sum != 5 {
        at /= 2;
        sum ^= at << 3;
        if at == 77 {
            return (at, odd);
        }
    }
    let sum = sum >> 1;
    (sum, odd | (sum as u64) << 40)
}

#[device]
fn step(state: Outer, class: u32) -> Outer {
    let mut next = state;
    next.inner.long = next.inner.long.wrapping_add(TABLE[(class % 5) as usize]);
    next.inner.byte += (next.inner.byte < 255) as u8;
    next.class = class;
    next
}

#[device(map)]
fn structs(i: usize, x: &[Outer], new: bool) -> (Outer, u16, i64) {
    let (row, double) = if new { (Outer { last: 3, inner: START, class: 1 }, 2) } else { (x[i], TABLE.len() as u32) };
    let register = step(row, double);
    let short = if register.inner.short >= LIMIT { register.inner.short - LIMIT } else { u16::MAX };
    (register, short, register.inner.long)
}

#[device(map)]
fn evaluated_once(_i: usize, a: u32, b: u32, x: &[u32]) -> u32 {
    // The right side reads outside the column where the left is not true.
    let inside = (a as usize) < x.len() && {
        let value = x[a as usize];
        value > b
    };
    let xor = inside as u32;
    let and = {
        let not = xor ^ 1;
        not + b % 7
    };
    xor * 100 + and
}

/// Literals whose types only later code gives.
#[device(map)]
#[allow(clippy::unnecessary_cast)]
fn literals(i: usize, x: &[u64], k: u8) -> (u64, u8, i32, f32) {
    let mut sum = 0;
    let (mut low, one) = (1, 2);
    let shift = 3;
    for j in 0..10 {
        if j == k {
            sum += x[i] >> shift;
        }
    }
    low += k >> one;
    let wide = 0xffff_ffff as u64;
    let unused = if k == 0 { return (sum, low, -1, 3f32) } else { 7 };
    (sum ^ wide, low, unused - 8, -(unused as f32))
}

/// Declares a function of blocks inside conditions inside blocks, one more per `deeper`. Type inference that visits a
/// block twice would not end.
macro_rules! nested {
    ($name:ident($i:ident, $x:ident) $body:expr;) => {
        #[device(map)]
        fn $name($i: usize, $x: &[u32]) -> u32 {
            $body
        }
    };
    ($name:ident($i:ident, $x:ident) $body:expr; deeper $($rest:tt)*) => {
        nested!($name($i, $x) {
            let inner = $body;
            let is_small = inner < 40 && {
                let more = inner ^ 1;
                more != 9
            };
            if is_small { inner + 1 } else { match inner { 0 => 1, other => other } }
        }; $($rest)*);
    };
}

nested! {
    deep(i, x) x[i] % 50;
    deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper
    deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper deeper
}

#[device(index)]
struct Id(u32);

#[device]
enum Op {
    Load,
    Add,
    Jump,
}

#[device]
impl Op {
    fn reads(self) -> u32 {
        match self {
            Op::Load => 0,
            Self::Add | Op::Jump => 1 + self.is_jump() as u32,
            other => other.code() as u32,
        }
    }

    fn is_jump(self) -> bool {
        self == Op::Jump
    }

    fn of(code: u8) -> Op {
        if code < Op::COUNT as u8 { Op::ALL[code as usize] } else { Op::from_code(code) }
    }
}

#[device]
impl Inner {
    fn total(self, more: u8, x: &[Op]) -> u32 {
        (self.byte as u32 + more as u32).wrapping_mul(x.len() as u32)
    }
}

/// A struct of newtypes, as an element.
#[device]
struct Edge {
    to: Id,
    op: Op,
    more: u8,
    short: u16,
}

/// A row of a table; the order of its fields leaves holes in C.
#[device(columns(Code, index = Id))]
struct Word {
    op: Op,
    long: i64,
    next: Id,
    edge: Edge,
}

#[device]
fn following(code: &Code, id: Id) -> Id {
    let next = code.next[id];
    if next.is_none() || next.index() >= code.len() { id } else { next.max(Id::new(1)) }
}

#[device(map)]
fn tables(id: Id, code: &Code, k: u32, x: &[Op], start: Inner) -> Word {
    let next = following(code, id);
    let op = Op::of(code.op[next].reads() as u8 + k as u8 % 5);
    let edge = Edge { to: id.plus(k).minus(1), op, more: op.code(), short: code.edge[next].short };
    let long = if id < next { code.long[id] } else { start.total(edge.more, x) as i64 };
    Word { op: x[id.index()], next: if k == 3 { Id::NONE } else { next }, edge, long }
}

#[device(expand)]
fn expanded(owner: u32, k: Id, x: &[Edge]) -> (Op, Id, u32) {
    let edge = x[owner as usize];
    (edge.op, edge.to.plus(k.get()), (edge.to == k) as u32 * 2 + edge.op.is_jump() as u32)
}

/// The methods that other functions here leave out, on types of several sizes.
#[device(map)]
fn methods(i: usize, a: i8, b: i16, c: u64, x: &[f64]) -> (u8, i16, u64, f64, f64, f32, i8, u32, i64) {
    let real = x[i] * x[i] - 0.1f64;
    (
        a.unsigned_abs(),
        b.saturating_mul(a as i16).saturating_sub(7),
        c.wrapping_pow(b as u32 & 7),
        x[i].mul_add(real, -1.5e-3f64).floor(),
        (x[i].abs() + 2.0f64).sqrt().round(),
        real as f32,
        x[i] as i8,
        a.leading_ones() | (x[i].is_nan() as u32) << 8,
        b.abs_diff(a as i16) as i64 - (real as i64).wrapping_abs(),
    )
}

/// The integers of an input.
#[derive(Clone, Copy)]
enum Integers {
    /// At the edges of their types, small, or any.
    Any,
    /// Rows of a column: a function may follow each of them.
    Rows,
    /// As `Any`, but each `u32` is a row, and each `u64` two: a function may follow rows to an enum that it looks for.
    Links,
}

impl Integers {
    /// The integers of inputs, in turns.
    const ALL: [Integers; 3] = [Integers::Any, Integers::Rows, Integers::Links];

    /// Returns the number of rows that an integer of type `scalar` consists of, 0 if it is none.
    fn rows(self, scalar: Scalar) -> u32 {
        match (self, scalar) {
            (_, Scalar::Usize) | (Integers::Rows, _) | (Integers::Links, Scalar::U32) => 1,
            (Integers::Links, Scalar::U64) => 2,
            _ => 0,
        }
    }
}

/// Words of a value of a type.
fn draw(ty: &Type, integers: Integers, state: &mut u64, words: &mut Vec<u64>) {
    let mut next = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 20
    };
    match ty {
        Type::Scalar(Scalar::F32) => {
            const EDGES: [f32; 14] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                f32::MAX,
                f32::MIN_POSITIVE,
                2e9,
                -3e9,
                1e19,
                300.7,
            ];
            let bits = match next() % 3 {
                0 => EDGES[(next() % 14) as usize].to_bits(),
                1 => ((next() % 2000) as f32 / 8.0 - 100.0).to_bits(),
                _ => (next() ^ next() << 16) as u32,
            };
            words.push(bits.into());
        }
        Type::Scalar(Scalar::F64) => {
            const EDGES: [f64; 12] = [
                0.0,
                -0.0,
                1.0,
                -1.5,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                f64::MIN,
                f64::MIN_POSITIVE,
                5e-324,
                9_223_372_036_854_775_808.0,
                127.5,
            ];
            words.push(match next() % 3 {
                0 => EDGES[(next() % 12) as usize].to_bits(),
                1 => ((next() % 2000) as f64 / 8.0 - 100.0).to_bits(),
                _ => next() ^ next() << 24,
            });
        }
        Type::Scalar(Scalar::Bool) => words.push(next() % 2),
        Type::Scalar(scalar) if integers.rows(*scalar) > 0 => {
            words.push((0..integers.rows(*scalar)).fold(0, |word, _| (word << 32) | (next() % ROWS)));
        }
        Type::Scalar(scalar) => {
            let mask = u64::MAX >> (64 - scalar.bits());
            let edges = [0, 1, mask, mask >> 1, (mask >> 1) + 1, mask - 1, 2, 127];
            let word = match next() % 4 {
                0 => edges[(next() % 8) as usize],
                1 | 2 => next() % ROWS,
                _ => next() ^ next() << 24,
            };
            words.push(word & mask);
        }
        Type::Newtype(ty) => draw(&Type::Scalar(ty.repr), integers, state, words),
        Type::Table(table) => {
            for (_, ty) in table.fields {
                if let Type::Table(_) = ty {
                    draw(ty, integers, state, words);
                    continue;
                }
                words.push(ROWS);
                (0..ROWS).for_each(|_| draw(ty, integers, state, words));
            }
        }
        Type::Struct(of) => of.fields.iter().for_each(|(_, ty)| draw(ty, integers, state, words)),
        Type::Tuple(parts) => parts.iter().for_each(|ty| draw(ty, integers, state, words)),
    }
}

/// Reads a column of `ty` from words `w` into `c{name}`, in C++.
fn column_reader(name: &str, ty: &Type) -> String {
    let (text, read) = (spelling(ty), reader(ty));
    format!(
        "    const u64 n{name} = *w++; auto* c{name} = new {text}[n{name} + 1];\n    \
         for (u64 i = 0; i < n{name}; i++) c{name}[i] = {read};\n    Column<{text}> a{name}{{c{name}, u32(n{name})}};"
    )
}

/// Reads a table from words `w` into `a{name}`, in C++. Returns the names of its columns too.
fn table_reader(name: &str, table: &Type) -> (String, Vec<String>) {
    let (mut text, mut columns, mut all) = (String::new(), Vec::new(), Vec::new());
    for (k, (_, field)) in table.fields().iter().enumerate() {
        let of_field = format!("{name}_{k}");
        if let Type::Table(_) = field {
            let (reads, names) = table_reader(&of_field, field);
            let _ = writeln!(text, "{reads}");
            columns.extend(names);
        } else {
            let _ = writeln!(text, "{}", column_reader(&of_field, field));
            columns.push(of_field.clone());
        }
        all.push(format!("a{of_field}"));
    }
    let _ = write!(text, "    {} a{name}{{{}}};", spelling(table), all.join(", "));
    (text, columns)
}

/// Reads a value of a type from words `w`, in C++.
fn reader(ty: &Type) -> String {
    match ty {
        Type::Scalar(Scalar::F32) => "from_bits(u32(*w++))".into(),
        Type::Scalar(Scalar::F64) => "from_bits(u64(*w++))".into(),
        Type::Scalar(Scalar::Bool) => "bool(*w++ & 1)".into(),
        Type::Scalar(scalar) => format!("{}(*w++)", scalar.name()),
        Type::Newtype(ty) => reader(&Type::Scalar(ty.repr)),
        Type::Struct(of) => {
            let fields: Vec<String> = of.fields.iter().map(|(_, ty)| reader(ty)).collect();
            format!("{}{{{}}}", spelling(ty), fields.join(", "))
        }
        Type::Tuple(_) | Type::Table(_) => String::new(),
    }
}

/// Writes a value of a type as words, in C++.
fn writer(ty: &Type, value: &str, out: &mut String) {
    let _ = match ty {
        Type::Scalar(Scalar::F32) => {
            writeln!(out, "    put({value} == {value} ? u64(to_bits({value})) : 0x7fc00000ull);")
        }
        Type::Scalar(Scalar::F64) => {
            writeln!(out, "    put({value} == {value} ? to_bits({value}) : 0x7ff8000000000000ull);")
        }
        Type::Scalar(scalar) if scalar.is_signed() => {
            writeln!(out, "    put(u64({}({value})));", scalar.unsigned().name())
        }
        Type::Scalar(_) => writeln!(out, "    put(u64({value}));"),
        Type::Newtype(ty) => {
            writer(&Type::Scalar(ty.repr), value, out);
            Ok(())
        }
        Type::Struct(_) | Type::Table(_) => {
            ty.fields().iter().for_each(|(field, ty)| writer(ty, &format!("{value}.{}", spelled(field)), out));
            Ok(())
        }
        Type::Tuple(parts) => {
            parts.iter().enumerate().for_each(|(k, ty)| writer(ty, &format!("get<{k}>({value})"), out));
            Ok(())
        }
    };
}

/// A program that reads calls, a function's number, how many words, and the words, and writes results likewise.
fn program(functions: &[&'static Def]) -> String {
    // The header without its `#pragma`, which only a header can have.
    let types = TYPES.replace("#pragma once", "");
    let mut text = format!("{types}\n{}\nusing namespace treepar;\n", translate(functions).unwrap());
    text.push_str("#include <cstdio>\n#include <vector>\nstatic std::vector<u64> out;\nstatic void put(u64 w) { out.push_back(w); }\n");
    let mut cases = String::new();
    for (k, function) in functions.iter().enumerate() {
        let _ = writeln!(text, "static void call_{k}(const u64* w) {{");
        let (mut arguments, mut columns) = (Vec::new(), Vec::new());
        for (p, parameter) in function.parameters.iter().enumerate() {
            let ty = parameter.ty;
            let _ = if parameter.shape == Shape::Column {
                columns.push(p.to_string());
                writeln!(text, "{}", column_reader(&p.to_string(), &ty))
            } else if let Type::Table(_) = ty {
                let (reads, names) = table_reader(&p.to_string(), &ty);
                columns.extend(names);
                writeln!(text, "{reads}")
            } else {
                writeln!(text, "    {} a{p} = {};", spelling(&ty), reader(&ty))
            };
            arguments.push(format!("a{p}"));
        }
        let output = function.output;
        let _ = writeln!(text, "    {} r = {}({});", spelling(&output), name(function), arguments.join(", "));
        writer(&output, "r", &mut text);
        for column in columns {
            let _ = writeln!(text, "    delete[] c{column};");
        }
        text.push_str("}\n");
        let _ = writeln!(cases, "        case {k}: call_{k}(words.data()); break;");
    }
    let _ = write!(
        text,
        "int main() {{\n    u64 head[2];\n    while (std::fread(head, 8, 2, stdin) == 2) {{\n        std::vector<u64> words(head[1] + 1);\n        \
         if (std::fread(words.data(), 8, head[1], stdin) != head[1]) return 1;\n        out.clear();\n        outside() = 0;\n        \
         switch (head[0]) {{\n{cases}        }}\n        u64 size[2] = {{out.size(), outside()}};\n        \
         std::fwrite(size, 8, 2, stdout);\n        std::fwrite(out.data(), 8, out.size(), stdout);\n    }}\n}}\n"
    );
    text
}

/// All functions, callees too, each once.
fn all_functions() -> Vec<&'static Def> {
    let mut all: Vec<&'static Def> = Vec::new();
    let mut waiting: Vec<&'static Def> = kernels().iter().flat_map(|kernel| kernel.functions.iter().copied()).collect();
    while let Some(function) = waiting.pop() {
        if !all.iter().any(|other| (other.module, other.name) == (function.module, function.name)) {
            all.push(function);
            waiting.extend(function.calls);
            let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
            let methods = function.types.iter().chain(parameters).flat_map(Type::methods);
            waiting.extend(methods.map(|(_, method)| *method));
        }
    }
    all.sort_by_key(|function| (function.module, function.name));
    all
}

/// Inputs that every function is given; those on which its Rust twin panics, by an index outside or an overflow that
/// debug builds find, are not compared.
const INPUTS: usize = 200;

/// Inputs that a function is given at most until it returns on one.
const ATTEMPTS: usize = 1_000_000;

/// Rows of a column.
const ROWS: u64 = 12;

#[test]
#[ignore = "needs a C++ compiler"]
fn the_cpp_of_every_device_function_agrees_with_its_rust_twin() {
    let functions = all_functions();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("twins.cpp");
    std::fs::write(&source, program(&functions)).unwrap();
    let binary = folder.path().join("twins");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
    let built = Command::new(&compiler)
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Werror=return-type", "-Wno-unused", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .unwrap_or_else(|error| panic!("cannot run `{compiler}`: {error}"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));

    let twins: Vec<_> = functions.iter().map(|f| f.twin.expect("the feature `twins` of treepar")).collect();
    std::panic::set_hook(Box::new(|_| {}));
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    let mut compared = vec![0usize; functions.len()];
    for (k, (function, twin)) in functions.iter().zip(twins).enumerate() {
        // The seed depends on the name, so that other functions do not change the inputs.
        let mut state = Digest::of(&name(function)) as u64;
        for attempt in 0..ATTEMPTS {
            if compared[k] == INPUTS || (compared[k] > 0 && attempt > 20 * INPUTS) {
                break;
            }
            let mut words = Vec::new();
            for parameter in function.parameters {
                let (ty, is_column) = (parameter.ty, parameter.shape == Shape::Column);
                if is_column {
                    words.push(ROWS);
                }
                let values = if is_column { ROWS } else { 1 };
                let integers = Integers::ALL[attempt % Integers::ALL.len()];
                (0..values).for_each(|_| draw(&ty, integers, &mut state, &mut words));
            }
            if let Ok(Some(out)) = catch_unwind(AssertUnwindSafe(|| twin(&words))) {
                compared[k] += 1;
                input.extend([k as u64, words.len() as u64]);
                input.extend(&words);
                expected.push((k, words, out));
            }
        }
    }
    let _ = std::panic::take_hook();
    let unseen: Vec<_> = functions.iter().zip(&compared).filter(|(_, n)| **n == 0).map(|(f, _)| name(f)).collect();
    assert!(unseen.is_empty(), "on no input did these return: {unseen:?}");

    let mut child = Command::new(&binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
        stdin.write_all(&bytes).unwrap();
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let mut words = output.stdout.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
    for (k, input, expected) in &expected {
        let (size, outside) = (words.next().unwrap(), words.next().unwrap());
        let found: Vec<u64> = words.by_ref().take(size as usize).collect();
        let function = name(functions[*k]);
        assert_eq!(outside, 0, "{function} reads outside its columns for {input:?}, its twin does not");
        assert_eq!(&found, expected, "{function} of {input:?}");
    }
    println!("{} functions, {} inputs", functions.len(), expected.len());
}

#[test]
fn every_device_function_is_translated() {
    let all = all_functions();
    for crate_name in ["treepar", "treepar_laws", "refcompiler", "benches", "papers_repro"] {
        let is_of_it = all.iter().any(|function| function.module.split("::").next() == Some(crate_name));
        assert!(is_of_it, "no function of {crate_name}");
    }
    let text = translate(&all).unwrap();
    assert!(text.matches("// end of ").count() > 200);
    // A machine sees the scalar of an index or enum.
    assert!(text.contains("u32 twins__following(twins__Code code, u32 id)"), "{text}");
    assert!(text.contains("bool twins__Op__is_jump(u8 self)"), "{text}");
}
