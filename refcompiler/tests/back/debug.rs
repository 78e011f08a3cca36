//! `-g`: lines, functions and callers, as debuggers read them.
//!
//! | what | against |
//! |---|---|
//! | lines | constants in the code that only one line of the source has; the positions of checks |
//! | functions | the symbols |
//! | callers | a list of calls while the program runs, on RISC-V; the instructions, on x86-64 |
//! | code | the code without `-g` |

mod sections;
mod stepping;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::{Image, write_executable, write_relocatable};
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output, compile_in_parts};
use refcompiler::target::Target;
use refcompiler::target::x86_64::decode::decode;
use refcompiler::target::x86_64::isa as x86;
use refcompiler::target::x86_64::registers::RSP;
use sections::{File, Row};
use treepar::Cpu;

const TARGETS: [Target; 2] = [Target::Riscv32, Target::X86_64];
const OUTPUTS: [Output; 2] = [Output::Executable, Output::Object];

/// Returns sources with names.
fn sources(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::new();
    for (name, text) in files {
        sources.add(*name, text.as_bytes().to_vec()).expect("a small file");
    }
    sources
}

/// Compiles sources in parts of so many nodes, with `-g` or without, and returns the image and its file.
fn compiled(sources: &Sources, goal: Goal, (level, nodes): (u8, usize), debug: bool) -> (Image, Vec<u8>) {
    let errors = |errors: Vec<_>| refcompiler::diagnostics::render(sources, &errors, false);
    let tree = parse_program(sources).map_err(errors).unwrap_or_else(|errors| panic!("{errors}"));
    let optimisations = Optimisations::of_level(level);
    let settings = Settings { optimisations, lines: debug.then_some(sources), ..goal.into() };
    let nodes = if level > 0 { usize::MAX } else { nodes };
    let mut image = compile_in_parts(&Cpu::with_threads(2), &tree, settings, nodes, &mut ()).expect("code").image;
    image.locate_checks(sources);
    let bytes = match goal.output {
        Output::Executable => write_executable(&image),
        Output::Object => write_relocatable(&image),
    };
    (image, bytes.expect("a file"))
}

/// The examples: their names, texts and inputs.
fn examples() -> Vec<(String, String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder).expect("examples").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "par")).collect();
    files.sort();
    let example = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let input = fs::read(path.with_extension("input")).unwrap_or_default();
        (name, fs::read_to_string(&path).expect("a text"), input)
    };
    files.into_iter().map(example).collect()
}

/// Returns the row that an address belongs to.
fn row_at(sequences: &[Vec<Row>], address: u64) -> Option<&Row> {
    let within = |rows: &&Vec<Row>| (rows[0].address..rows[rows.len() - 1].address).contains(&address);
    let rows = sequences.iter().find(within)?;
    rows[..rows.partition_point(|row| row.address <= address)].last()
}

/// Checks everything that does not depend on the program.
fn check(name: &str, sources: &Sources, image: &Image, file: &File) {
    let (start, size) = file.text;
    let sequences = file.sequences();
    let mut last = 0;
    for rows in &sequences {
        assert!(rows.windows(2).all(|pair| pair[0].address <= pair[1].address), "{name}: {rows:?}");
        assert!(rows.iter().all(|row| (start..=start + size).contains(&row.address)), "{name}: {rows:?}");
        assert!(last <= rows[0].address, "{name}: sequences overlap");
        last = rows[rows.len() - 1].address;
        for row in &rows[..rows.len() - 1] {
            let source = sources.files().iter().find(|source| source.name == row.file).expect("a source");
            let lines = source.text.lines().count() as u64;
            assert!((1..=lines).contains(&row.line), "{name}: {row:?} of {lines} lines");
        }
    }
    let functions = file.functions();
    for function in &functions {
        let symbol = file.symbols.iter().find(|symbol| symbol.0 == function.start && symbol.1 > 0);
        let (_, size, symbol) = symbol.unwrap_or_else(|| panic!("{name}: no symbol of {function:?}"));
        assert_eq!(function.start + size, function.end, "{name}: {symbol}");
        let source = symbol.strip_suffix(".fn").unwrap_or(symbol);
        assert_eq!(source.rsplit('.').next(), Some(&function.name[..]), "{name}");
        let text = sources.files().iter().find(|source| source.name == function.file).expect("a source");
        let line = text.text.lines().nth(function.line as usize - 1).expect("a line");
        assert!(line.contains(&function.name), "{name}: {function:?} in `{line}`");
        let row = row_at(&sequences, function.start).expect("a row");
        assert_eq!((&row.file, row.address), (&function.file, function.start), "{name}: {function:?}");
    }
    // All functions of the program have lines, and functions of the runtime have none.
    let is_own = |name: &str| sources.files().iter().any(|source| source.text.contains(&format!("fn {name}[")));
    for (address, size, symbol) in file.symbols.iter().filter(|symbol| symbol.1 > 0) {
        let is_described = functions.iter().any(|function| function.start == *address);
        assert_eq!(row_at(&sequences, *address).is_some(), is_described, "{name}: {symbol}");
        let has_entry = image.symbols.iter().any(|other| other.name == format!("{symbol}.fn"));
        let simple = symbol.strip_suffix(".fn").unwrap_or(symbol).rsplit('.').next().unwrap_or_default();
        if !has_entry && is_described {
            assert!(is_own(simple), "{name}: {symbol}");
        }
        for at in [*address, address + size - 1] {
            assert!(file.unwinding(at).is_some(), "{name}: {symbol} at {at:#x}");
        }
    }
    let (code, _) = file.text;
    for check in image.checks.iter().filter(|check| check.position < sources.range().end) {
        let (source, line, _) = sources.locate(check.position).expect("a position");
        let at = code + u64::from(check.return_offset) - 1;
        let Some(row) = row_at(&sequences, at) else {
            // Functions between Par and C check arrays.
            assert!(
                functions.iter().all(|function| !(function.start..function.end).contains(&at)),
                "{name}: {check:?}"
            );
            continue;
        };
        assert_eq!((&row.file[..], row.line), (source, line as u64), "{name}: {check:?}");
    }
}

#[test]
fn examples_have_lines_functions_and_rules_for_callers() {
    for (name, text, _) in examples() {
        let sources = sources(&[(&name, &text)]);
        for (target, output) in TARGETS.into_iter().flat_map(|target| OUTPUTS.map(|output| (target, output))) {
            for way in [(0, usize::MAX), (0, 300), (1, usize::MAX)] {
                let goal = Goal { target, output };
                let (image, bytes) = compiled(&sources, goal, way, true);
                let file = File::read(&bytes);
                check(&name, &sources, &image, &file);
                let (without, plain) = compiled(&sources, goal, way, false);
                let plain = File::read(&plain);
                assert_eq!((image.words, image.symbols), (without.words, without.symbols), "{name}");
                assert!(file.section(".text") == plain.section(".text"), "{name}: {goal:?} {way:?}");
                assert_eq!((file.text, &file.symbols), (plain.text, &plain.symbols), "{name}");
            }
        }
    }
}

/// A program in which `@` is a number that only one line has, so that the code of the line can be found.
const MARKED: &str = "\
struct P { x: int, y: [int] }
fn plain[a: int, b: int]: int {
    var c = a + @;
    if a < @ {
        c = b - @;
    } else {
        c = c * @;
    }
    while c > @ {
        c = c - @;
        if c == @ { return @; }
    }
    for i < @ {
        c = c + i
            + @
            - plain[a,
                @];
    }
    return c
        ^ @;
}
fn outer[n: int]: int {
    var k = n | @;
    fn inner[m: int]: int {
        k = k + @;
        return m & @;
    }
    return inner[k] + @;
}
fn arrays[n: int]: int {
    var a = iota[n] * @
        + @;
    var b = map[fn[x: int]: int = x +
        @, a];
    b[0] = @;
    var c = filter[fn[x: int]: int = x > @, b];
    var s = P[@,
        [n, @]];
    s.x = s.x + @;
    s.y[1] = @;
    assert[s.x == @];
    print[reduce[(+), @, a * b - c]];
    return sum[map[fn[x: int]: int =
        x * @, a]] + s.y[0];
}
fn main[]: int {
    return plain[1, 2] + outer[3]
        + arrays[4];
}
";

/// The first of these numbers. No instruction has it by chance.
const FIRST: u32 = 0x5a31_0000;

#[test]
fn the_code_of_a_constant_has_the_line_of_the_constant() {
    let line = |(k, line): (usize, &str)| line.replace('@', &(FIRST + k as u32 + 1).to_string());
    let text: Vec<String> = MARKED.lines().enumerate().map(line).collect();
    let text = text.join("\n") + "\n";
    // The same lines in the second of three files.
    let sources = sources(&[("a.par", "fn a[]: int {\n    return 1;\n}\n"), ("m.par", &text), ("empty.par", "")]);
    for output in OUTPUTS {
        for (way, starts) in [((0, usize::MAX), false), ((0, 40), false), ((1, usize::MAX), false), ((0, 40), true)] {
            let (mut image, mut bytes) = compiled(&sources, Goal { target: Target::X86_64, output }, way, true);
            if starts && output == Output::Object {
                image.add_start();
                image.checks.clear();
                bytes = write_relocatable(&image).expect("a file");
            }
            let file = File::read(&bytes);
            check("m.par", &sources, &image, &file);
            let (sequences, code) = (file.sequences(), file.section(".text"));
            let mut found = BTreeSet::new();
            for (at, bytes) in code.windows(4).enumerate() {
                let value = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
                // A difference can be the sum with the negated number.
                let lines = [value, value.wrapping_neg()].map(|value| u64::from(value.wrapping_sub(FIRST)));
                let is_line = |line: &u64| (1..=MARKED.lines().count() as u64).contains(line);
                if let Some(line) = lines.into_iter().find(is_line) {
                    let row = row_at(&sequences, file.text.0 + at as u64).expect("a row");
                    assert_eq!((&row.file[..], row.line), ("m.par", line), "{output:?} {way:?} {row:?}");
                    found.insert(line);
                }
            }
            let marked = MARKED.lines().enumerate().filter(|(_, line)| line.contains('@'));
            assert_eq!(found, marked.map(|(k, _)| k as u64 + 1).collect(), "{output:?} {way:?}");
        }
    }
}

#[test]
fn callers_are_found_before_each_instruction_on_riscv() {
    let goal = Goal { target: Target::Riscv32, output: Output::Executable };
    let (mut instructions, mut deepest) = (0, 0);
    for (name, text, input) in examples() {
        for level in [0, 1] {
            let (_, bytes) = compiled(&sources(&[(&name, &text)]), goal, (level, usize::MAX), true);
            let (steps, depth) = stepping::check_callers(&bytes, &input, 20_000);
            instructions += steps;
            deepest = deepest.max(depth);
        }
    }
    assert!(instructions > 500_000 && deepest > 8, "only {instructions} instructions, {deepest} calls deep");
}

/// A frame that needs more than an immediate, and one that saves registers.
#[test]
fn callers_of_functions_with_large_frames_are_found() {
    let variables: String = (0..700).map(|k| format!("    var v{k} = x + {k};\n")).collect();
    let sum = (0..700).fold("0".to_string(), |e, k| format!("{e} + v{k}"));
    let deep = (0..14).fold("x".to_string(), |e, k| format!("(x + {k} - {e})"));
    let deep_float = (0..14).fold("y".to_string(), |e, k| format!("(y + {k}.0 - {e})"));
    let text = format!(
        "fn deep[x: int, y: float]: int {{ return {deep} + int({deep_float}); }}\n\
         fn large[x: int]: int {{\n{variables}    return deep[x, 1.0] + {sum};\n}}\n\
         fn main[]: int {{ return large[2] & 1; }}\n"
    );
    let goal = Goal { target: Target::Riscv32, output: Output::Executable };
    let (_, bytes) = compiled(&sources(&[("a.par", &text)]), goal, (0, usize::MAX), true);
    let (steps, depth) = stepping::check_callers(&bytes, b"", 100_000);
    assert!(steps > 2_000 && depth == 3, "{steps} instructions, {depth} calls deep");
}

/// On x86-64, the distance of the stack pointer from the caller's follows from the instructions of a function one after another.
#[test]
fn frames_on_x86_64_follow_from_the_instructions() {
    let mut checked = 0;
    for (name, text, _) in examples() {
        let goal = Goal { target: Target::X86_64, output: Output::Executable };
        let (image, bytes) = compiled(&sources(&[(&name, &text)]), goal, (0, usize::MAX), true);
        let (file, code) = (File::read(&bytes), image.bytes());
        for function in &image.debug.as_ref().expect("functions").functions {
            let (mut at, mut distance) = (function.offset as usize, 8i64);
            let end = at + function.size as usize;
            while at < end {
                let rules = file.unwinding(file.text.0 + at as u64).expect("rules");
                let expected = gimli::CfaRule::RegisterAndOffset { register: gimli::Register(7), offset: distance };
                assert_eq!(rules.cfa, expected, "{name}: {} at {at:#x}", function.name);
                assert_eq!(rules.rules, [(16, gimli::RegisterRule::Offset(-8))], "{name}: {}", function.name);
                let (x, length) = decode(&code[at..end]).unwrap_or_else(|| {
                    panic!("{name}: {} at {at:#x}: {:02x?}", function.name, &code[at..end.min(at + 8)])
                });
                let immediate = i64::from(x.imm as i32);
                match x.op {
                    x86::SUB_Q_I8 | x86::SUB_Q_I32 if x.rd == RSP => distance += immediate,
                    x86::ADD_Q_I8 | x86::ADD_Q_I32 if x.rd == RSP => distance -= immediate,
                    x86::PUSH => distance += 8,
                    x86::POP => distance -= 8,
                    x86::RET => assert_eq!(distance, 8, "{name}: {} at {at:#x}", function.name),
                    _ => {}
                }
                at += length;
                checked += 1;
            }
        }
    }
    assert!(checked > 10_000, "only {checked} instructions");
}
