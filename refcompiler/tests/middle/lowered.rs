//! Programs with the kinds that follow the lowering of arrays run on the simulator: their results, and the reports of their checks.

use crate::oracle::interpreter::interpret;
use crate::toolchain::{self, Simulated, simulated};
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::{Linkage, Tree, kind, runtime};
use refcompiler::object::{Image, write_executable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::riscv::decode::decode;
use refcompiler::target::riscv::isa::BLTU;
use refcompiler_programs::{larger_program, lowered};
use treepar::Cpu;

/// Programs mean the same if their variables are read and written through memory, and if statements and checks that hold are in
/// their expressions.
#[test]
fn lowered_programs_mean_the_same() {
    let (mut ran, mut checks) = (0, 0);
    for seed in 1..=80 {
        let tree = toolchain::tree(&larger_program(seed).to_string()).unwrap();
        let Ok(expected) = interpret(&tree, b"", 300_000, 10_000) else { continue };
        for variant in 0..2 {
            let lowered = lowered(&tree, seed * 2 + variant);
            checks += lowered.kind.iter().filter(|&&k| k >= kind::CHECK_INDEX).count();
            let elf = toolchain::executable(&lowered).unwrap_or_else(|error| panic!("program {seed}: {error}"));
            let Simulated { status, output, errors } = simulated(&elf, b"", Limits::default());
            let status = status.unwrap_or_else(|fault| panic!("program {seed}, variant {variant}: {fault}"));
            let errors = String::from_utf8_lossy(&errors);
            assert!(
                (output, status) == (expected.output.clone(), expected.status),
                "program {seed}, variant {variant}: {errors}"
            );
        }
        ran += 1;
    }
    assert!(ran > 40 && checks > 1_000, "{ran} programs, {checks} checks");
}

/// The tree of a text in which `^` stands for the check of an index, `|` for that of extents, and `&` for that of a size.
fn with_checks(sources: &Sources) -> Tree {
    let mut tree = parse_program(sources).expect("a program");
    for i in 0..tree.len() {
        let check = match tree.kind[i] {
            kind::XOR => kind::CHECK_INDEX,
            kind::OR => kind::CHECK_EQUAL,
            kind::AND => kind::CHECK_SIZE,
            _ => continue,
        };
        (tree.kind[i], tree.data[i]) = (check, tree.pos[i] + 1);
    }
    tree.functions[runtime::CHECK_FAILED as usize].linkage = Linkage::Stub;
    tree
}

/// Compiles a text with [checks](with_checks).
fn image(text: &str) -> Image {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a small file");
    let cpu = Cpu::with_threads(2);
    let mut image = compile(&cpu, &with_checks(&sources), Output::Executable, &mut Checker::default()).unwrap().image;
    image.locate_checks(&sources);
    image
}

/// Runs a program. Returns its status, its output and its message.
fn run(elf: &[u8], input: &str) -> (u8, String, String) {
    let Simulated { status, output, errors } = simulated(elf, input.as_bytes(), Limits::default());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.expect("an end"), text(output), text(errors))
}

/// Ints of all lengths and signs, and those at the ends of their range.
fn ints() -> Vec<i32> {
    let powers = (0..10).flat_map(|k| [10i32.pow(k), -(10i32.pow(k)), 10i32.pow(k) - 1, 7 * 10i32.pow(k.min(8))]);
    powers.chain([i32::MAX, i32::MIN, i32::MIN + 1, -5, 1_234_567_890]).collect()
}

/// Every check with values of all lengths and signs writes its message, or has the value of its first operand.
#[test]
fn messages_have_the_values_of_their_checks() {
    let text = "fn main[]: int { var a = read_int[]; var b = read_int[];\n  print_int[OP]; return 0; }";
    type Message = fn(i32, i32) -> Option<String>;
    let checks: [(&str, &str, Message); 3] = [
        ("a ^ b", "2:15", |a, b| {
            (a as u32 >= b as u32).then(|| format!("index {a} is out of range: the extent is {b}"))
        }),
        ("a | b", "2:15", |a, b| (a != b).then(|| format!("the extents {a} and {b} differ"))),
        ("a & 0", "2:15", |a, _| (a < 0).then(|| format!("the size {a} is negative"))),
    ];
    let mut failed = 0;
    for (check, place, message) in checks {
        let elf = write_executable(&image(&text.replace("OP", check))).unwrap();
        for a in ints() {
            for b in [a, a.wrapping_add(1), 0, 5, i32::MIN, i32::MAX] {
                let expected = match message(a, b) {
                    Some(message) => (134, String::new(), format!("a.par:{place}: {message}\n")),
                    None => (0, a.to_string(), String::new()),
                };
                failed += u32::from(expected.0 != 0);
                assert_eq!(run(&elf, &format!("{a} {b}")), expected, "{check} of {a} and {b}");
            }
        }
    }
    assert!(failed > 300, "{failed}");
}

/// Checks wherever a value can be: in registers, spilled by height or by a call, as an argument, a result, a condition, without a
/// use, in loops and in branches.
#[test]
fn checks_report_from_every_place() {
    let high = |inner: &str, height: u32| {
        let open: String = (0..height).map(|k| format!("{k} - (")).collect();
        format!("{open}{inner}{}", ")".repeat(height as usize))
    };
    let deep = (0..30).fold("3".to_string(), |e, k| format!("({e} + (a ^ b) * {k})"));
    let uses = [
        "return a ^ b;".to_string(),
        "a ^ b;".to_string(),
        "a = a ^ b;".to_string(),
        "var c = f[1, a ^ b, 2.0] + 1; return c;".to_string(),
        "return f[a ^ b, f[2, 3, 4.0], 1.0];".to_string(),
        "return f[1, 2, 3.0] - (a ^ b);".to_string(),
        "return f[a, 2, 3.0] * 0 + (f[a, 0, 0.0] - f[0, 1, 0.0] ^ f[b, 0, 0.0]);".to_string(),
        format!("return {};", high("a ^ b", 15)),
        format!("return {};", high("a ^ b", 16)),
        format!("return {};", high("a ^ b", 40)),
        format!("return {};", high("f[a, 0, 0.0] ^ f[b, 0, 0.0]", 40)),
        format!("return {};", high("if[a ^ b, 4, 5]", 40)),
        format!("return {deep};"),
        "if a ^ b { return 1; } return 2;".to_string(),
        "while a ^ b { a = a - 1; } return 2;".to_string(),
        "for i < a ^ b { print_int[i]; }".to_string(),
        "return if[1, a ^ b, 4];".to_string(),
        "return if[a < 0, a, 3 + (a ^ b)];".to_string(),
        "return nested[];".to_string(),
    ];
    for body in uses {
        let text = format!(
            "fn f[x: int, y: int, z: float]: int {{ return x + y * 0 + int(z) * 0; }}\n\
             fn main[]: int {{ var a = read_int[]; var b = read_int[];\n\
             fn nested[]: int {{ return (a ^ b) + b; }}\n{body} return 9; }}"
        );
        let elf = write_executable(&image(&text)).unwrap();
        let line = text
            .lines()
            .position(|line| line.contains(" ^ "))
            .filter(|_| !body.contains("nested"))
            .map(|_| 4)
            .unwrap_or(3);
        let (status, _, message) = run(&elf, "17 12");
        assert_eq!(status, 134, "{text}");
        let column = text.lines().nth(line - 1).unwrap().find('^').unwrap() + 1;
        assert_eq!(message, format!("a.par:{line}:{column}: index 17 is out of range: the extent is 12\n"), "{text}");
        assert_eq!(run(&elf, "2 12").2, "", "{text}");
    }
}

/// A check that holds is one branch over one call, and moves no value.
#[test]
fn a_check_takes_two_words() {
    let without = image("fn main[]: int { var a = 1; var b = 2; return a * b + a; }");
    let with = image("fn main[]: int { var a = 1; var b = 2; return (a ^ b) + a; }");
    assert_eq!(with.code_words, without.code_words + 1);
    let branches = |image: &Image| {
        let code = image.words[..image.code_words].iter();
        code.filter(|&&word| decode(word).is_some_and(|x| x.op == BLTU)).count()
    };
    assert_eq!((branches(&without), branches(&with)), (0, 1));
}

/// A check that is far from the function that reports it calls it with two words.
#[test]
fn checks_far_from_the_reporter_find_it() {
    let filler = "a = a * 70001 + 12345;".repeat(36_000);
    let text = format!(
        "fn main[]: int {{ var a = read_int[]; var b = read_int[]; print_int[a ^ b];\n\
         if a > 100 {{ {filler} }}\nreturn (a & 0) * 0 + (a ^ b + 1) * 0 + (a | b); }}"
    );
    let image = image(&text);
    assert!(image.code_words > 1 << 18, "{}", image.code_words);
    let elf = write_executable(&image).unwrap();
    assert_eq!(run(&elf, "4 5"), (134, "4".into(), "a.par:3:43: the extents 4 and 5 differ\n".into()));
    assert_eq!(run(&elf, "7 5").2, "a.par:1:70: index 7 is out of range: the extent is 5\n");
    assert_eq!(run(&elf, "3 3").2, "a.par:1:70: index 3 is out of range: the extent is 3\n");
}

/// Checks and assertions in one program have one table.
#[test]
fn checks_and_assertions_share_a_table() {
    let text =
        "fn main[]: int { var a = read_int[];\n assert[a != 3]; print_int[a ^ 10];\n assert[a != 4];\n return a & 0; }";
    let elf = write_executable(&image(text)).unwrap();
    assert_eq!(run(&elf, "3").2, "a.par:2:2: assertion failed\n");
    assert_eq!(run(&elf, "4").2, "a.par:3:2: assertion failed\n");
    assert_eq!(run(&elf, "10").2, "a.par:2:30: index 10 is out of range: the extent is 10\n");
    assert_eq!(run(&elf, "5"), (5, "5".into(), String::new()));
}

/// Checks are not dead even if their values are, and their sources may be unknown.
#[test]
fn a_check_without_sources_reports_its_values() {
    let mut sources = Sources::new();
    sources.add("a.par", b"fn main[]: int { 1 + (5 ^ 3); return 0; }".to_vec()).expect("a small file");
    let elf = toolchain::executable(&with_checks(&sources)).unwrap();
    assert_eq!(run(&elf, "").2, "index 5 is out of range: the extent is 3\n");
}
