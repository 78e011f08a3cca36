//! Numbers from the input: every form, the nearest float of any number of digits, and the errors.

use std::fmt::Write;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::oracle::interpreter::interpret;
use crate::toolchain;
use refcompiler::simulator::Limits;
use refcompiler_programs::{BITS, Rng, number};

/// Reads a number of floats and prints their bits.
fn bits_of_floats() -> String {
    format!(
        "{BITS}fn main[]: int {{\n    var n = read_int[];\n    while n > 0 {{\n        print_int[bits[read_float[]]];\n        \
         print_char[10];\n        n = n - 1;\n    }}\n    return 0;\n}}\n"
    )
}

/// Reads ints up to a 0, or to an error, and prints each.
const INTS: &str =
    "fn main[]: int { var x = 1; while x != 0 { x = read_int[]; print_int[x]; print_char[10]; } return 0; }";

/// Reads floats up to a 0, or to an error, and prints each.
const FLOATS: &str =
    "fn main[]: int { var x = 1.0; while x != 0.0 { x = read_float[]; print_float[x]; print_char[10]; } return 0; }";

fn executable(text: &str) -> Vec<u8> {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{errors}"));
    toolchain::executable(&tree).expect("an executable")
}

/// A program, its input, its output, and the line on standard error if it fails.
type Case = (&'static str, &'static str, &'static str, Option<&'static str>);

const CASES: [Case; 29] = [
    (INTS, "1 -2 +3 0", "1\n-2\n3\n0\n", None),
    (INTS, " \t\r\n\x0b\x0c 7\n\n0 1", "7\n0\n", None),
    (INTS, "007 -0", "7\n0\n", None),
    (INTS, "2147483647 -2147483648 0", "2147483647\n-2147483648\n0\n", None),
    (INTS, "", "", Some("read_int: the input has ended\n")),
    (INTS, "5 \n ", "5\n", Some("read_int: the input has ended\n")),
    (INTS, "1 x", "1\n", Some("read_int: this is not a number\n")),
    (INTS, "12x", "", Some("read_int: this is not a number\n")),
    (INTS, "-", "", Some("read_int: this is not a number\n")),
    (INTS, "+-1", "", Some("read_int: this is not a number\n")),
    (INTS, "1.5", "", Some("read_int: this is not a number\n")),
    (INTS, "2147483648", "", Some("read_int: the number is too large\n")),
    (INTS, "-2147483649", "", Some("read_int: the number is too large\n")),
    (INTS, "99999999999999999999", "", Some("read_int: the number is too large\n")),
    (FLOATS, "1 -2.5 +3e2 0", "1\n-2.5\n300\n0\n", None),
    (FLOATS, ".5 5. -.25e1 1E-2 00001e+1 -0", "0.5\n5\n-2.5\n0.01\n10\n-0\n", None),
    (FLOATS, "inf -inf nan -nan 0e99999999999", "inf\n-inf\nnan\nnan\n0\n", None),
    (FLOATS, "1e-99999999999", "0\n", None),
    (FLOATS, " \n", "", Some("read_float: the input has ended\n")),
    (FLOATS, "1 .", "1\n", Some("read_float: this is not a number\n")),
    (FLOATS, "1.2.3", "", Some("read_float: this is not a number\n")),
    (FLOATS, "1e", "", Some("read_float: this is not a number\n")),
    (FLOATS, "1e+", "", Some("read_float: this is not a number\n")),
    (FLOATS, "e5", "", Some("read_float: this is not a number\n")),
    (FLOATS, "1f", "", Some("read_float: this is not a number\n")),
    (FLOATS, "infinity", "", Some("read_float: this is not a number\n")),
    (FLOATS, "na", "", Some("read_float: this is not a number\n")),
    (FLOATS, "1e39", "", Some("read_float: the number is too large\n")),
    (FLOATS, "340282356779733661637539395458142568448", "", Some("read_float: the number is too large\n")),
];

/// The status of a program that its input ends.
const FAILED: u8 = 134;

#[test]
fn numbers_are_read_or_end_the_program_with_one_line() {
    for (text, input, output, error) in CASES {
        let found = toolchain::simulated(&executable(text), input.as_bytes(), Limits::default());
        let expected = (if error.is_some() { FAILED } else { 0 }, output, error.unwrap_or(""));
        let status = found.status.unwrap_or_else(|fault| panic!("{input:?}: {fault}"));
        let [written, errors] = [&found.output, &found.errors].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!((status, &*written, &*errors), expected, "{input:?}");
        let tree = toolchain::tree(text).expect("a program");
        let outcome = interpret(&tree, input.as_bytes(), 10_000_000, 1000).expect("an outcome");
        assert_eq!((outcome.status, outcome.output), (status, found.output.clone()), "{input:?}");
    }
}

#[test]
#[ignore = "needs qemu-riscv32"]
fn numbers_are_read_on_qemu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (text, input, output, error) in CASES {
        toolchain::write_runnable(&folder.path().join("program"), &executable(text));
        let mut command = Command::new("qemu-riscv32");
        command.arg("program").current_dir(folder.path());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("qemu-riscv32, which this test needs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written input");
        let found = child.wait_with_output().expect("an end");
        let status = if error.is_some() { i32::from(FAILED) } else { 0 };
        assert_eq!(found.status.code(), Some(status), "{input:?}");
        assert_eq!(String::from_utf8_lossy(&found.stdout), output, "{input:?}");
        assert_eq!(String::from_utf8_lossy(&found.stderr), error.unwrap_or(""), "{input:?}");
    }
}

/// Returns texts of floats that are hard to round.
fn texts() -> Vec<String> {
    let mut rng = Rng::new(number("TREEPAR_SEED", 1));
    let mut texts: Vec<String> = Vec::new();
    let digits =
        |rng: &mut Rng, count: usize| (0..count).map(|_| char::from(b'0' + rng.below(10) as u8)).collect::<String>();
    for k in 0..400 {
        let bits = rng.next() as u32 & 0x7fff_ffff;
        let x = f64::from(f32::from_bits(bits.min(0x7f7f_fffe)));
        let next = f64::from(f32::from_bits(bits.min(0x7f7f_fffe) + 1));
        // The middle between two floats, with all its digits, and numbers just below and above it.
        let middle = (x + next) / 2.0;
        let exact = format!("{middle:.160}");
        texts.push(exact.clone());
        texts.push(format!("{exact}1"));
        texts.push(format!("{exact}{}7", "0".repeat(rng.below(300) as usize)));
        texts.push(format!("{:.120e}", middle * (1.0 - 1e-16)));
        texts.push(x.to_string());
        texts.push(format!("{x:.8e}"));
        let (whole, behind) = (rng.below(40), rng.below(60) + 1);
        let (whole, behind) = (digits(&mut rng, whole), digits(&mut rng, behind));
        texts.push(format!("{whole}.{behind}"));
        let exponent = rng.below(90) as i32 - 50;
        texts.push(format!("{}.{}e{exponent}", k % 10, digits(&mut rng, 1 + k % 12)));
        texts.push(format!("0.{}{}", "0".repeat(rng.below(46) as usize), digits(&mut rng, 9)));
    }
    texts.extend(
        ["7.006492321624085e-46", "7.0064923216240854e-46", "1.1754943508222875e-38", "3.4028235e38"].map(String::from),
    );
    texts.push(format!("{}e-400", digits(&mut rng, 410)));
    texts.push(format!("0.{}1", "0".repeat(500)));
    texts.retain(|text| text.parse::<f32>().is_ok_and(f32::is_finite));
    texts
}

#[test]
fn floats_are_the_nearest_of_any_number_of_digits() {
    let texts = texts();
    assert!(texts.len() > 3000, "{} texts", texts.len());
    let mut input = format!("{}\n", texts.len());
    for text in &texts {
        let _ = writeln!(input, "{text}");
    }
    let found = toolchain::simulated(&executable(&bits_of_floats()), input.as_bytes(), Limits::default());
    assert_eq!(found.status.expect("a run to the end"), 0, "{}", String::from_utf8_lossy(&found.errors));
    let output = String::from_utf8_lossy(&found.output);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), texts.len());
    for (text, line) in texts.iter().zip(lines) {
        let found = f32::from_bits(line.parse::<i32>().expect("a number") as u32);
        let expected: f32 = text.parse().expect("a float");
        assert_eq!(found.to_bits(), expected.to_bits(), "{text} is {expected:e}, not {found:e}");
    }
}
