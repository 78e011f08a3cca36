//! The functions of the runtime that compute: on the simulator, in the interpreter, and as C on the host.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::oracle::interpreter::interpret;
use crate::toolchain;
use refcompiler::simulator::Limits;
use refcompiler_programs::{BITS, Rng, SUPPORT, library, number};

/// A function of one number, and the same in binary64.
type Function = (&'static str, fn(f64) -> f64);

const FUNCTIONS: [Function; 6] = [
    ("sqrt", f64::sqrt),
    ("floor", f64::floor),
    ("exp", f64::exp),
    ("log", f64::ln),
    ("sin", f64::sin),
    ("cos", f64::cos),
];

/// Bits of numbers at which functions change, or that are hard.
const SPECIAL: [u32; 42] = [
    0x0000_0000, // 0
    0x0000_0001, // the least float
    0x0000_0002,
    0x007f_ffff, // the greatest without a leading bit
    0x0080_0000, // the least with one
    0x32ff_ffff, // around 2^-25
    0x3300_0000,
    0x3300_0001,
    0x3380_0000, // 2^-24
    0x38ff_ffff, // around 2^-13
    0x3900_0000,
    0x3e80_0000, // 0.25
    0x3f00_0000, // 0.5
    0x3f35_04f3, // around the root of 0.5
    0x3f35_04f4,
    0x3f49_0fda, // around pi / 4
    0x3f49_0fdb,
    0x3f7f_ffff, // around 1
    0x3f80_0000,
    0x3f80_0001,
    0x3fb5_04f3, // around the root of 2
    0x3fb5_04f4,
    0x3fc9_0fda, // around pi / 2
    0x3fc9_0fdb,
    0x4000_0000, // 2
    0x4049_0fdb, // around pi
    0x40c9_0fdb, // around 2 pi
    0x42b1_7217, // around the logarithm of the greatest float
    0x42b1_7218,
    0x42cf_f1b4, // around the negated logarithm of half the least float
    0x42cf_f1b5,
    0x42ae_ac4f, // around the negated logarithm of the least float with a leading bit
    0x42ae_ac50,
    0x4afe_ffff, // around 2^23
    0x4b00_0000,
    0x4b00_0001,
    0x4f00_0000, // 2^31
    0x5f80_0000, // 2^64
    0x6115_cb11, // near multiples of pi / 2
    0x7e80_0000,
    0x7f7f_ffff, // the greatest float
    0x7f80_0000, // infinity
];

/// Returns the special inputs with both signs, a NaN, and `more` random ones.
fn inputs(seed: u64, more: usize) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    let mut bits: Vec<u32> = SPECIAL.iter().flat_map(|&bits| [bits, bits | 0x8000_0000]).collect();
    bits.push(0x7fc0_0000);
    for k in 0..more {
        let any = rng.next() as u32;
        // Every other input is between 2^-7 and 2^8.
        bits.push(if k % 2 == 0 { any } else { any & 0x807f_ffff | (120 + (any >> 8) % 15) << 23 });
    }
    bits.into_iter().map(f32::from_bits).collect()
}

/// Returns a float as an expression of the language.
fn literal(x: f32) -> String {
    match x {
        _ if x.is_nan() => "(0.0 / 0.0)".to_string(),
        _ if x.is_infinite() => format!("({}1.0 / 0.0)", if x < 0.0 { "-" } else { "" }),
        _ => {
            let text = x.abs().to_string();
            let sign = if x.is_sign_negative() { "-" } else { "" };
            format!("({sign}{text}{})", if text.contains('.') { "" } else { ".0" })
        }
    }
}

/// Returns the bits of the float nearest to a value, `None` if binary64 is not precise enough.
fn nearest(value: f64) -> Option<u32> {
    let [above, below] = [1.0 + 4e-16, 1.0 - 4e-16].map(|factor| (value * factor) as f32);
    let bits = if value.is_nan() { 0x7fc0_0000 } else { above.to_bits() };
    (value.is_nan() || above.to_bits() == below.to_bits()).then_some(bits)
}

/// Returns a program that prints the bits of each value.
fn program_of(values: &[String]) -> String {
    // Functions of a few calls each: a frame has a word for each value.
    let mut text = format!("{BITS}fn show[x: float]: void {{ print_int[bits[x]]; print_char[10]; }}\n");
    let chunks = values.chunks(20);
    for (k, chunk) in chunks.clone().enumerate() {
        let _ = write!(text, "fn part{k}[]: void {{ ");
        for value in chunk {
            let _ = write!(text, "show[{value}]; ");
        }
        text += "}\n";
    }
    text += "fn main[]: int { ";
    for k in 0..chunks.len() {
        let _ = write!(text, "part{k}[]; ");
    }
    text + "return 0; }\n"
}

/// Returns the bits that a program of values prints.
fn printed(output: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| line.parse::<i32>().expect("a number") as u32).collect()
}

fn simulated(text: &str) -> Vec<u32> {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{errors}"));
    let elf = toolchain::executable(&tree).expect("an executable");
    let toolchain::Simulated { status, output, .. } = toolchain::simulated(&elf, b"", Limits::default());
    assert_eq!(status.expect("a run to the end"), 0);
    printed(&output)
}

fn interpreted(text: &str) -> Vec<u32> {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{errors}"));
    printed(&interpret(&tree, b"", 200_000_000, 1000).expect("a run to the end").output)
}

/// Compares values with the expected ones; returns how many had an expectation.
fn compare(values: &[String], expected: &[Option<u32>], found: &[u32]) -> usize {
    assert_eq!(found.len(), values.len());
    for ((value, expected), found) in values.iter().zip(expected).zip(found) {
        let Some(expected) = expected else { continue };
        let [expected, found] = [*expected, *found].map(f32::from_bits);
        assert_eq!(found.to_bits(), expected.to_bits(), "{value} is {expected:e}, not {found:e}");
    }
    expected.iter().flatten().count()
}

#[test]
fn functions_of_one_number_are_correctly_rounded() {
    for (name, function) in FUNCTIONS {
        let inputs = inputs(1, 400);
        let values: Vec<String> = inputs.iter().map(|&x| format!("{name}[{}]", literal(x))).collect();
        let expected: Vec<Option<u32>> = inputs.iter().map(|&x| nearest(function(f64::from(x)))).collect();
        let compared = compare(&values, &expected, &simulated(&program_of(&values)));
        assert!(compared + 5 > values.len(), "{name}: only {compared} of {}", values.len());
    }
}

#[test]
fn powers_are_correctly_rounded() {
    let special = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 16_777_215.0, 33_554_432.0, 1e-45, f32::INFINITY, f32::NAN];
    let special = special.iter().flat_map(|&x| [x, -x]);
    let mut pairs: Vec<(f32, f32)> = special.clone().flat_map(|x| special.clone().map(move |y| (x, y))).collect();
    // Results in the middle between two floats.
    pairs.extend([(4099.0, 2.0), (291.0, 3.0), (4099.0 * 4099.0, 1.5), (4099.0 * 2f32.powi(-80), 2.0), (3.0, 15.0)]);
    let inputs = inputs(2, 300);
    pairs.extend(inputs.iter().copied().zip(inputs.iter().copied().rev()));
    pairs.extend(inputs.iter().map(|&x| (x.abs(), (20.0 / f64::from(x).abs().log2()) as f32)));
    let values: Vec<String> = pairs.iter().map(|&(x, y)| format!("pow[{}, {}]", literal(x), literal(y))).collect();
    let expected: Vec<Option<u32>> = pairs.iter().map(|&(x, y)| nearest(f64::from(x).powf(f64::from(y)))).collect();
    let compared = compare(&values, &expected, &simulated(&program_of(&values)));
    assert!(compared + 20 > values.len(), "only {compared} of {}", values.len());
}

#[test]
fn the_interpreter_computes_what_the_simulator_computes() {
    let inputs = inputs(3, 20);
    let mut values: Vec<String> = Vec::new();
    for &x in inputs.iter().step_by(3) {
        values.extend(FUNCTIONS.iter().map(|(name, _)| format!("{name}[{}]", literal(x))));
        values.push(format!("pow[{}, 1.25]", literal(x)));
    }
    let text = program_of(&values);
    assert_eq!(interpreted(&text), simulated(&text));
}

/// Compiles the functions of the runtime, translated to C, with the check of their results.
fn check(folder: &Path) -> PathBuf {
    let text = format!("{SUPPORT}{}{}", library(), include_str!("mathematics/check.c"));
    std::fs::write(folder.join("check.c"), text).expect("a written file");
    let options = ["-O2", "-ffp-contract=off", "-w", "check.c", "-o", "check", "-lm"];
    toolchain::must("cc", &options, folder);
    folder.join("check")
}

/// TREEPAR_INPUTS is the number of inputs of each function, or `all` for all 2^32 and 10^8 pairs.
#[test]
#[ignore = "needs a C compiler"]
fn functions_as_c_are_correctly_rounded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let check = check(folder.path());
    let is_all = std::env::var("TREEPAR_INPUTS").is_ok_and(|text| text == "all");
    let count = if is_all { 1 << 32 } else { number("TREEPAR_INPUTS", 1_000_000) };
    let seed = number("TREEPAR_SEED", 1).to_string();
    for name in FUNCTIONS.iter().map(|(name, _)| *name).chain(["pow"]) {
        let count = if name == "pow" { count.min(100_000_000) } else { count };
        let program = check.to_str().expect("a path");
        let output = toolchain::must(program, &[name, &count.to_string(), &seed], folder.path());
        let text = String::from_utf8_lossy(&output);
        println!("{}", text.trim_end());
        assert!(text.contains(" 0 not correctly rounded"), "{text}");
    }
}
