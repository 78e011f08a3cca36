//! The data-parallel analysis against the sequential front end: which programs both accept, and the meaning that both find.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use crate::grammar;
use refcompiler::diagnostics::Code;
use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program_in_parts};
use refcompiler::frontend::sequential::{Extent, Sources, Warning, check_program, token_table};
use refcompiler::frontend::uniqueness::unique_on_cpu;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::program::{Program, RowBytes, rows_per_part};
use refcompiler::ir::tokens::TokenKind;
use refcompiler::ir::tree::{Tree, kind, runtime};
use refcompiler_programs::{Rng, damaged, number};
use treepar::{Backend, Cpu};

fn sources<'a>(files: impl IntoIterator<Item = &'a str>) -> Sources {
    let mut sources = Sources::new();
    for (k, file) in files.into_iter().enumerate() {
        sources.add(format!("{k}.par"), file.as_bytes().to_vec()).expect("a small file");
    }
    sources
}

/// The decision about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Valid,
    Wrong,
    Unsure,
}

/// The question of all comparisons.
const REQUEST: Request = Request { extent: Extent::Object, warnings: true, lines: true };

/// Returns the decision of the data-parallel front end, and of a valid program the tree without positions and the number
/// of doubts.
fn found<B: Backend>(backend: &B, sources: &Sources, part_bytes: usize) -> (Verdict, Option<(Tree, u32)>) {
    match program_in_parts(backend, sources, REQUEST, part_bytes).expect("a program") {
        Found::Valid(program) => {
            let Program { parts, positions, functions, doubts, arrays, loops } =
                program.whole(backend).expect("one part");
            let [nodes] = &parts[..] else { panic!("{} parts", parts.len()) };
            let HostNodes { depth, kind, ty, data } = nodes.download(backend).expect("nodes");
            let [positions] = &positions[..] else { panic!("{} parts", positions.len()) };
            let pos = backend.download(positions.column().expect("positions")).expect("positions");
            let kind = kind.iter().map(|kind| kind.code()).collect();
            let ty = ty.iter().map(|ty| ty.code()).collect();
            (
                Verdict::Valid,
                Some((Tree { depth, kind, ty, data, pos, functions, arrays, loops, ..Tree::default() }, doubts)),
            )
        }
        Found::Unknown { errors, unsure } => {
            assert!(errors + unsure > 0);
            (if errors > 0 { Verdict::Wrong } else { Verdict::Unsure }, None)
        }
    }
}

fn assert_same<T: PartialEq + std::fmt::Debug>(what: &str, column: &str, found: &[T], expected: &[T]) {
    let at = found.iter().zip(expected).position(|(a, b)| a != b);
    assert!(at.is_none(), "{what}: {column} {at:?}: {:?}, not {:?}", found[at.unwrap()], expected[at.unwrap()]);
    assert_eq!(found.len(), expected.len(), "{what}: {column}");
}

/// Compares a valid program with the tree and the warnings of the sequential front end.
fn assert_same_program(
    what: &str,
    sources: &Sources,
    (found, doubts): &(Tree, u32),
    (expected, warnings): &(Tree, Vec<Warning>),
) {
    assert_same(what, "kind", &found.kind, &expected.kind);
    assert_same(what, "depth", &found.depth, &expected.depth);
    assert_same(what, "type", &found.ty, &expected.ty);
    assert_same(what, "data", &found.data, &expected.data);
    // The functions of the runtime are in no source. With arrays, both front ends may name different tokens of a form.
    let end = sources.range().end;
    let place = |at: u32| if expected.arrays { sources.locate(at).map(|(_, line, _)| line as u32) } else { Some(at) };
    let positions = |tree: &Tree| -> Vec<Option<u32>> {
        tree.pos.iter().map(|&at| Some(at).filter(|&at| at < end).and_then(place)).collect()
    };
    assert_same(what, "position", &positions(found), &positions(expected));
    assert_same(what, "function", &found.functions, &expected.functions);
    assert_eq!((found.arrays, found.loops), (expected.arrays, expected.loops), "{what}");
    assert!(*doubts > 0 || warnings.is_empty(), "{what}: no doubt about {:?}", warnings[0]);
}

/// The operations of kinds from LAMBDA on that both front ends know.
const KNOWN: [u8; 13] = [
    kind::LAMBDA,
    kind::MAP,
    kind::REDUCE,
    kind::FOLD_RIGHT,
    kind::SCAN,
    kind::FILTER,
    kind::GROUP,
    kind::WHERE,
    kind::SLICE,
    kind::RANGE,
    kind::ALL,
    kind::UPDATE_SLICE,
    kind::PRINT,
];

/// Returns whether a program has structs, tuples or `pow` of arrays, which only the sequential front end knows.
fn is_only_sequential(tree: &Tree) -> bool {
    let is_other = |kind: u8| (kind::LAMBDA..=kind::TRUNCATE).contains(&kind) && !KNOWN.contains(&kind);
    let is_pow = |i: usize| tree.kind[i] == kind::CALL && tree.data[i] == runtime::POW && tree.ty[i] > 7;
    // Only the first of a `transpose` has positions of literals that it does not write.
    !tree.composites.is_empty()
        || (0..tree.len()).any(|i| is_other(tree.kind[i]) || is_pow(i) || is_transposed(tree, i))
}

/// Returns whether node `i` is the list of dimensions of a `transpose`, which has the position of its first dimension.
fn is_transposed(tree: &Tree, i: usize) -> bool {
    tree.kind[i] == kind::ARRAY && tree.kind.get(i + 1) == Some(&kind::LITERAL) && tree.pos[i] == tree.pos[i + 1]
}

/// Returns whether types of a valid program have sizes, which the data-parallel front end refuses.
fn has_sizes(sources: &Sources) -> bool {
    let is_size = |kinds: &[TokenKind]| kinds[0] == TokenKind::Semicolon && kinds[2] == TokenKind::RightBracket;
    token_table(sources).0.kind.windows(3).any(is_size)
}

/// Compares both front ends on some files, which are one program. Returns the decision of the data-parallel one.
fn compare<B: Backend>(backend: &B, what: &str, files: &[&str]) -> Verdict {
    let sources = sources(files.iter().copied());
    let expected = check_program(&sources, REQUEST.extent);
    let text = || if what.is_empty() { files.join("\n") } else { what.to_string() };
    let is_other = |tree: &Tree| is_only_sequential(tree) || has_sizes(&sources);
    let (verdict, program) = found(backend, &sources, usize::MAX);
    match (&expected, &program) {
        (Ok((tree, _)), Some(_)) if is_other(tree) => panic!("the passes accept {}", text()),
        (Ok(expected), Some(program)) => assert_same_program(&text(), &sources, program, expected),
        (Ok((tree, _)), None) if is_other(tree) => {}
        (Ok(_), None) => assert_eq!(verdict, Verdict::Unsure, "a valid program is refused: {}", text()),
        (Err(errors), Some(_)) => panic!("the passes accept: {}: {}", errors[0].message, text()),
        _ => {}
    }
    // Small parts have the same tree, or are not sure.
    let part_bytes = if sources.bytes() % 2 == 0 { 1 } else { 300 };
    if let (_, Some(program)) = found(backend, &sources, part_bytes) {
        let expected = expected.as_ref().unwrap_or_else(|errors| panic!("{}: {}", errors[0].message, text()));
        assert!(!is_other(&expected.0), "the passes accept {}", text());
        assert_same_program(&text(), &sources, &program, expected);
    }
    verdict
}

#[test]
fn examples_have_the_same_meaning() {
    let mut compared = 0;
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("an example");
            let verdict = compare(&Cpu::with_threads(2), &path.display().to_string(), &[&text]);
            let sources = sources([&text[..]]);
            let (tree, _) = check_program(&sources, REQUEST.extent).expect("a valid example");
            if is_only_sequential(&tree) {
                continue;
            }
            assert_eq!(verdict, Verdict::Valid, "{}", path.display());
            let (_, program) = found(&Cpu::with_threads(1), &sources, 1 << 20);
            assert_eq!(program.map(|(_, doubts)| doubts), Some(0), "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 12, "only {compared} examples without arrays were found");
}

#[test]
fn programs_with_errors_or_warnings_are_not_accepted_silently() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let (mut refused, mut doubtful) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the folder of expected errors") {
        let path = entry.expect("an entry").path();
        let extent = if path.ends_with("executable.txt") { Extent::Executable } else { Extent::Object };
        let text = std::fs::read_to_string(&path).expect("a text");
        for block in text.split("\n\n").skip(1) {
            let program: Vec<&str> = block.lines().take_while(|line| !line.starts_with('>')).collect();
            let sources = sources([&program.join("\n")[..]]);
            let request = Request { extent, warnings: true, lines: true };
            let found = program_in_parts(&Cpu::with_threads(1), &sources, request, usize::MAX).expect("a program");
            match (check_program(&sources, extent), found) {
                (Err(errors), Found::Valid(_)) => panic!("accepted: {block}: {}", errors[0].message),
                (Ok((_, warnings)), Found::Valid(found)) if !warnings.is_empty() => {
                    assert!(found.doubts > 0, "no doubt: {block}");
                    doubtful += 1;
                }
                (_, Found::Unknown { .. }) => refused += 1,
                _ => {}
            }
        }
    }
    assert!(refused > 120 && doubtful > 15, "{refused} refused, {doubtful} doubtful");
}

#[test]
fn random_programs_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    for seed in 1..=1_500 {
        let text = refcompiler_programs::larger_program(seed).to_string();
        assert_eq!(compare(&cpu, "", &[&text]), Verdict::Valid, "program {seed}");
    }
}

#[test]
fn random_programs_of_every_construct_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    for seed in 1..=3_000 {
        let text = grammar::program(seed, 3).join(" ");
        assert_eq!(compare(&cpu, "", &[&text]), Verdict::Valid, "{text}");
    }
}

/// Writes blocks, declarations and uses of a few names.
struct Scopes<'a> {
    rng: Rng,
    names: &'a [&'a str],
    text: String,
}

impl Scopes<'_> {
    fn statements(&mut self, depth: usize) {
        for _ in 0..self.rng.below(5) {
            let name = self.rng.one_of(self.names);
            match self.rng.below(20) {
                0..7 => self.declaration(name, 2),
                7..12 => self.text += name,
                12..14 => write!(self.text, "{name} = {}", self.rng.one_of(self.names)).expect("text"),
                14..17 if depth > 0 => {
                    self.text += "{ ";
                    self.statements(depth - 1);
                    self.text += "} ";
                    continue;
                }
                18 if depth > 0 => {
                    write!(self.text, "for {name} < {} {{ ", self.rng.one_of(self.names)).expect("text");
                    self.statements(depth - 1);
                    self.text += "} ";
                    continue;
                }
                17 if depth > 0 => {
                    let parameter = self.rng.one_of(self.names);
                    write!(self.text, "fn {name}[{parameter}: int] {{ ").expect("text");
                    self.statements(depth - 1);
                    self.text += "} ";
                    continue;
                }
                _ => {
                    let argument = self.rng.one_of(self.names);
                    write!(self.text, "{name}[{argument}]").expect("text");
                }
            }
            self.text += "; ";
        }
    }

    fn declaration(&mut self, name: &str, depth: usize) {
        write!(self.text, "var {name} = 1").expect("text");
        for _ in 0..self.rng.below(3) {
            let other = self.rng.one_of(self.names);
            if depth > 0 && self.rng.once_in(4) {
                self.text += " + (";
                self.declaration(other, depth - 1);
                self.text += ")";
            } else {
                write!(self.text, " + {other}").expect("text");
            }
        }
    }
}

#[test]
fn random_scopes_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    let all = ["a", "b", "c", "d", "e", "f"];
    let mut counts: HashMap<String, usize> = HashMap::new();
    for seed in 0..12_000 {
        let mut rng = Rng::new(seed);
        let names = &all[..1 + rng.below(6)];
        let declared: Vec<String> = names[rng.below(2)..].iter().map(|name| format!("{name}: int")).collect();
        let functions: String = names[rng.below(2)..].iter().map(|name| format!("fn {name}[x: int] {{ }} ")).collect();
        let mut scopes = Scopes { rng, names, text: functions };
        write!(scopes.text, "fn main[{}] {{ ", declared.join(", ")).expect("text");
        scopes.statements(3);
        scopes.text += "}";
        let verdict = compare(&cpu, "", &[&scopes.text]);
        *counts.entry(format!("{verdict:?}")).or_default() += 1;
    }
    println!("{counts:?}");
    assert!(counts["Valid"] > 2_000 && counts["Wrong"] > 2_000, "{counts:?}");
    assert_eq!(counts.len(), 2, "{counts:?}");
}

/// Returns the texts of a program's tokens.
fn texts(sources: &Sources) -> Vec<String> {
    let (tokens, _) = token_table(sources);
    let text = &sources.files()[0].text;
    tokens
        .start
        .windows(2)
        .map(|pair| text[pair[0] as usize..pair[1] as usize].split("//").next().unwrap_or("").trim().to_string())
        .collect()
}

/// Changes a program so that its grammar is likely to stay right.
fn mutate(tokens: &mut Vec<String>, rng: &mut Rng) {
    let is_name = |token: &String| {
        token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !["fn", "if", "elif", "else", "while", "for", "return", "var", "int", "float", "void", "extern"]
                .contains(&&token[..])
    };
    let places = |wanted: &dyn Fn(&String) -> bool| -> Vec<usize> {
        (0..tokens.len()).filter(|&k| wanted(&tokens[k])).collect()
    };
    let is_type = |token: &String| ["int", "float", "void"].contains(&&token[..]);
    // The first token of a statement, and the token after it.
    let statement = |tokens: &[String], rng: &mut Rng| {
        let begins: Vec<usize> = (1..tokens.len())
            .filter(|&k| [";", "{", "}"].contains(&&tokens[k - 1][..]))
            .filter(|&k| !["fn", "if", "while", "for", "else", "elif", "{", "}", "extern"].contains(&&tokens[k][..]))
            .collect();
        let begin = (!begins.is_empty()).then(|| rng.one_of(&begins))?;
        let end = (begin..tokens.len()).find(|&k| tokens[k] == ";")? + 1;
        Some((begin, end))
    };
    match rng.below(10) {
        0 | 1 => {
            let names = places(&is_name);
            if !names.is_empty() {
                tokens[rng.one_of(&names)] = tokens[rng.one_of(&names)].clone();
            }
        }
        2 | 3 => {
            let types = places(&is_type);
            if !types.is_empty() {
                tokens[rng.one_of(&types)] = rng.one_of(&["int", "float", "void", "int", "float"]).to_string();
            }
        }
        4 => {
            let numbers = places(&|token: &String| token.starts_with(|c: char| c.is_ascii_digit()));
            if !numbers.is_empty() {
                tokens[rng.one_of(&numbers)] = rng.one_of(&["0", "1", "1.5"]).to_string();
            }
        }
        5 => {
            let commas = places(&|token: &String| token == ",");
            if !commas.is_empty() {
                let at = rng.one_of(&commas);
                // Damage before this one can leave a comma as the last token.
                drop(tokens.drain(at..tokens.len().min(at + 2)));
            }
        }
        6 => {
            let closers = places(&|token: &String| token == "]" || token == ",");
            if !closers.is_empty() {
                let at = rng.one_of(&closers);
                tokens.splice(at..at, [",".to_string(), "1".to_string()]).for_each(drop);
            }
        }
        7 => {
            if let Some((begin, end)) = statement(tokens, rng) {
                drop(tokens.drain(begin..end));
            }
        }
        8 => {
            if let Some((begin, end)) = statement(tokens, rng) {
                let moved: Vec<String> = tokens.drain(begin..end).collect();
                if let Some((to, _)) = statement(tokens, rng) {
                    tokens.splice(to..to, moved).for_each(drop);
                }
            }
        }
        _ => {
            let operators = places(&|token: &String| ["+", "*", "&", "<<", "<", "%", "!", "~"].contains(&&token[..]));
            if !operators.is_empty() {
                let at = rng.one_of(&operators);
                let other: &[&str] = if "!~".contains(&tokens[at]) { &["!", "~", "-"] } else { &["+", "&", "<", "%"] };
                tokens[at] = rng.one_of(other).to_string();
            }
        }
    }
}

/// Compares verdicts about damaged programs. Returns the number of valid, wrong and unsure programs.
fn mutated(count: u64) -> [usize; 3] {
    let cpu = Cpu::with_threads(1);
    let mut rng = Rng::new(number("TREEPAR_SEED", 1));
    let mut counts = [0; 3];
    let mut programs = [Vec::new(), Vec::new()];
    for k in 0..count {
        if k % 20 == 0 {
            let drawn = refcompiler_programs::larger_program(1 + k / 20).to_string();
            programs = [drawn, grammar::program(1 + k / 20, 2).join(" ")].map(|text| texts(&sources([&text[..]])));
        }
        let mut tokens = programs[k as usize % 2].clone();
        for _ in 0..1 + rng.below(2) {
            mutate(&mut tokens, &mut rng);
        }
        let text = tokens.join(" ").replace(" fn ", "\nfn ").replace(" extern ", "\nextern ");
        counts[compare(&cpu, "", &[&text]) as usize] += 1;
    }
    counts
}

#[test]
fn mutated_programs_have_the_same_verdict() {
    let count = damaged() as usize;
    let [valid, wrong, unsure] = mutated(count as u64);
    let counts = format!("{valid} valid, {wrong} wrong, {unsure} unsure");
    assert!(valid > count / 8 && wrong > count / 4 && unsure <= count / 100, "{counts}");
}

/// Valid programs.
const VALID: &[&str] = &[
    "",
    "fn f[] { }",
    "fn f[x: int] { var x = 1.0; { var x = x; x = 2.0; } x + 1.0; }",
    "fn f[x: int]: int { { { var x = x; } } return x; }",
    "fn f[] { { var x = 1; } { var x = 2.0; x = 1.5; } }",
    "fn f[x: float] { if 1 { var x = 1; x = 2; } elif 2 { x = 2.0; } else { var x = x; x = 1.0; } }",
    "fn f[x: float] { while var x = 1 { x = x - 1; } x = x + 1; }",
    "fn f[] { if var x = 1 { } elif (var y = x) + 1 { x = y; } y = x; }",
    "fn f[] { var a = (var b = (var c = 1) + c) + b; a = b + c; }",
    "fn f[x: int] { x = var y = x = 1; y = x; }",
    "fn f[x: float]: int { fn g[]: float { x = x + 1.0; return x; } g[]; return int(g[]); }",
    "fn f[x: int] { fn g[x: float] { fn h[] { x = 1.5; } h[]; } x = 1; g[2.0]; }",
    "fn f[x: int] { fn f[x: float] { f[x]; } f[1.0]; } fn g[] { f[1]; }",
    "fn f[] { g[]; { fn g[]: int { return 1; } g[] + 1; } g[]; } fn g[] { }",
    "fn f[n: int]: int { if n { return f[n - 1]; } return 0; }",
    "fn even[n: int]: int { if n { return odd[n - 1]; } return 1; } fn odd[n: int]: int { if n { return even[n - 1]; } return 0; }",
    "fn f[] { fn g[] { h[]; } fn h[] { g[]; f[]; } g[]; }",
    "fn f[f: int]: int { var g = f; return f[g]; }",
    "fn f[] { print_int[1]; print_float[1.0]; print_char[read_char[]]; }",
    "fn print_int[x: float]: float { return x; } fn f[]: float { return print_int[1.5]; }",
    "fn f[x: float]: float { return sqrt[floor[x] * 2.0]; }",
    "fn f[x: int, y: float]: float { var a = abs[x]; var b = abs[y]; return abs[abs[b]] + sqrt[float(a + abs(1))]; }",
    "fn f[x: float] { abs[x]; sqrt[abs[x] * 2.0]; if abs[1] { } while abs[x] > 1.0 { } }",
    "fn f[abs: int]: int { fn abs[x: int, y: int]: int { return x + y; } return abs[abs, 1]; }",
    "fn sqrt[x: int]: int { return x; } fn f[]: int { return sqrt[1]; }",
    "fn f[]: int { fn floor[]: int { return 1; } var sqrt = 2; return floor[] + sqrt; }",
    "fn f[] { fn read_char[]: float { return 1.0; } read_char[] + 1.0; }",
    "extern fn e[x: int, y: float]: float; fn f[]: float { return e[1, 2.0]; }",
    "extern fn e[x: int]; extern fn g[x: float]; fn f[x: float] { e[1]; g[x]; }",
    "fn f[]: int { while 1 { } }",
    "fn f[]: int { while (1) { } }",
    "fn f[]: int { if 1 { return 1; } }",
    "fn f[]: int { if 0 { } else { return 1; } }",
    "fn f[]: int { if 1 { return 1; } else { } }",
    "fn f[x: int]: int { if x { return 1; } elif x { while 2 { } } else { { return 3; } } }",
    "fn f[x: int]: int { if x { return 1; } else { if 0 { } elif 7 { return 1; } } }",
    "fn f[x: int]: int { return 1; x = 1; }",
    "fn f[]: int { { fn g[]: float { { return 1.0; } } return 1; } }",
    "fn f[]: int { fn g[] { } while 1 { fn h[]: int { return 1; } } }",
    "fn v[] { } fn f[] { v[] : void; return v[]; }",
    "fn v[] { return; } fn f[] { v[]; return; }",
    "fn f[] { int(1.5) + 1; float(1) + 1.5; -1.5 * 2.0; !1 + ~2; (1.5 < 2.0) & 1; 1.5 : float; }",
    "fn f[x: int] { -(x + 1) * -x; var a = -(1.5 + 2.0); a = a / 1.0; var b = -a; b = 1.0; }",
    "fn f[] { var a = 1; var b = a; var c = b = a; var d = -c; d & 1; var e = (var g = 1.5) * 1.0; e = g; }",
    "fn f[] { var x: float; var y: int; x = 1.0; y = 1; var z: float = x = 2.0; }",
    "fn f[a: int, b: float]: int { return f[f[1, 2.0], b + b] + f(a, 1.0); }",
    "fn void_result[]: void { return; }",
];

/// Wrong programs whose grammar is right.
const WRONG: &[&str] = &[
    "fn f[] { x; }",
    "fn f[] { x = 1; }",
    "fn f[] { var x = x; }",
    "fn f[] { var x = (var x = 1); }",
    "fn f[] { var x = (var y = x); }",
    "fn f[] { var x: int; var x: int; }",
    "fn f[x: int, x: int] { }",
    "fn f[x: int, y: int, x: float] { }",
    "extern fn f[x: int, x: int];",
    "fn f[] { x; var x = 1; }",
    "fn f[] { { var x = 1; } x; }",
    "fn f[] { if 1 { var x = 1; } else { x; } }",
    "fn f[x: int] { } fn g[] { x; }",
    "fn f[] { fn g[] { x; } var x = 1; }",
    "fn f[] { fn g[x: int] { } x; }",
    "fn f[] { g[]; }",
    "fn f[] { { fn g[] { } } g[]; }",
    "fn f[] { fn g[] { } } fn h[] { g[]; }",
    "fn f[] { f; }",
    "fn f[x: int] { x[1]; }",
    "fn f[] { } fn f[] { }",
    "fn f[] { fn g[] { } fn g[x: int] { } }",
    "fn f[] { remainder[1.0, 2.0]; }",
    "fn f[] { print_int[1.0]; }",
    "fn f[] { print_int[]; }",
    "fn f[] { sqrt[1]; }",
    "fn f[] { floor[]; }",
    "fn f[] { abs[]; }",
    "fn f[] { abs[1, 2]; }",
    "fn f[] { abs[f[]]; }",
    "fn f[]: int { return abs[1.0]; }",
    "fn f[]: float { return sqrt[abs[1]]; }",
    "fn f[] { bits[1.0]; }",
    "fn f[]: float { return sqrt; }",
    "fn f[] { read_char[1]; }",
    "fn f[x: int] { f[]; }",
    "fn f[x: int] { f[1, 2]; }",
    "fn f[] { f[1]; }",
    "fn f[x: int] { f[f[1]]; }",
    "fn f[x: int] { f[1.5]; }",
    "fn f[x: int, y: float] { f[1.5, 1]; }",
    "fn f[x: int, y: int]: int { return f[f[1, 2, 3], 1]; }",
    "fn f[x: void] { }",
    "extern fn f[x: void];",
    "fn f[] { var x: void; }",
    "fn f[] { var x: void; 1 + 1; }",
    "fn f[] { f[]; (var x: void); }",
    "fn v[] { } fn f[] { var x: void = v[]; }",
    "fn v[] { } fn f[] { var x = v[]; }",
    "fn v[] { } fn f[] { var x = -v[]; }",
    "fn v[] { } fn f[] { -v[]; }",
    "fn v[] { } fn f[] { v[] + v[]; }",
    "fn v[] { } fn f[] { v[] == v[]; }",
    "fn v[] { } fn f[] { if v[] { } }",
    "fn v[] { } fn f[x: int] { x = v[]; }",
    "fn v[] { } fn f[x: int] { f[v[]]; }",
    "fn v[] { } fn f[] { int(v[]); }",
    "fn v[] { } fn f[] { var x = (v[] : void); }",
    "fn f[] { void(1); }",
    "fn f[] { 1 + 1.0; }",
    "fn f[] { 1.0 & 1.0; }",
    "fn f[] { 1.0 % 1; }",
    "fn f[] { 1.0 && 1.0; }",
    "fn f[] { 1 < 2.0; }",
    "fn f[] { !1.0; }",
    "fn f[] { ~1.0; }",
    "fn f[] { if 1.0 { } }",
    "fn f[] { if 1 { } elif 1.0 { } }",
    "fn f[] { while 1.0 { } }",
    "fn f[x: int] { x = 1.0; }",
    "fn f[] { var x: int = 1.0; }",
    "fn f[] { var x = 1; x = 1.0; }",
    "fn f[] { var x = 1.0; var y = x; y & 1; }",
    "fn f[] { 1 : float; }",
    "fn f[] { 1.0 : void; }",
    "fn f[]: int { return 1.0; }",
    "fn f[]: int { return; }",
    "fn f[] { return 1; }",
    "fn f[]: int { }",
    "fn f[x: int]: int { if x { return 1; } }",
    "fn f[]: int { if 0 { return 1; } }",
    "fn f[]: int { if 0 { return 1; } else { } }",
    "fn f[]: int { if 1 { } else { return 1; } }",
    "fn f[]: int { while 0 { return 1; } }",
    "fn f[]: int { while -1 { } }",
    "fn f[]: int { fn g[]: int { return 1; } }",
    "fn f[]: int { fn g[]: int { } return 1; }",
    "fn f[]: float { fn g[]: int { return 1.0; } return 1.0; }",
    "fn f[]: int { fn g[]: float { return 1.0; } return 1.0; }",
    "fn f[x: int]: int { if x { return 1; } elif x { return 2; } }",
    "fn f[x: int]: int { if x { return 1; } elif x { } else { return 2; } }",
];

/// Programs with every form of arrays, and with most forms of other values.
const ARRAYS: [&str; 10] = [
    "fn f[n: int]: *[int] { return iota[n]; } fn main[]: int { var x = f[3]; var y = replicate[2, x]; return size[y[1]] + x[y[0, 1]]; }",
    "fn f[a: [int], n: int]: int { var s = 0; for i < size[a] { s = s + a[i]; } return s * n; }
    fn main[]: int { var x = 2; x = f[iota[x], x]; print_int[x]; return x; }",
    "fn f[x: int]: int { return x + 1; } fn g[m: *[[float]], x: int]: [float] { m[0, x] = 1.5; m[x] = m[0]; return m[f[x]]; }
    fn main[]: int { var m = [[1.0, 2.0], [3.0, 4.0]]; var r = g[m, 1]; return f[int(r[0] + m[1][0])]; }",
    "fn f[n: int]: [int] { var a: [int]; var b: [int] = replicate[n, 7]; a = if[n < 3, b, concat[b, copy[b]]]; return a; }
    fn main[]: int { var n = 3; while n { n = n - 1; f[n]; } return f[2][n] + (f[n])[0] + size[f[2], 0]; }",
    "fn size[x: int]: int { return x; } fn f[f: int, x: int]: int { fn copy[f: int]: int { return f; } return copy[f] + x; }
    fn main[]: int { var size = 1; var f = f[size, size[size]]; return f[f, if[f, f, size(f)]]; }",
    "struct P { x: int, y: float } fn f[p: P, t: (int, P)]: (int, int) { var (n, q) = t; q = P[n, p.y]; return (p.x, (q.x)); }
    fn main[]: int { var p = P[1, 2.5]; var q: P; var (x, y) = f[p, (2, q)]; print_int[x]; return x + y * (p.x + 1); }",
    "struct P { x: int, a: [int] } fn f[p: P, k: int]: int { return p.a[k] + p.x; } fn struct[P: int]: int { return P; }
    fn main[]: int { var t = [P[1, [2]]]; var (a, b) = split[zip[t.x, t.x], 1]; return f[t[0], 0] + struct(size[a] + size[b]); }",
    "fn f[a: [int], k: int]: int { return reduce[(+), 0, map[fn[x: int]: int = x * k, a]] + fold[f, k, [a, a]]; }
    fn main[]: int { var m = [[1, 2], [3, 4]]; print[m * 2 - m[0]]; return sum[m[0, ..]] + max[m[.., 1]] + size[m[0..1]]; }",
    "fn f[n: int]: [float] { var a = float(iota[n]); a[1..n] = sqrt[a[..n - 1]] + pow[a[1..], 2.0]; return where[a > 1.0, -a, a]; }
    fn main[]: int { var m = transpose[reshape[f[6], 2, 3]]; print[m]; return count[scan[max, 0.0, perm[m, 1, 0][0]] > 2.0]; }",
    "fn map[x: int]: int { return x; } fn sum[f: int, x: float]: int { fn min[f: int]: int { return f; } return min[f] + int(x); }
    fn main[]: int { var filter = 1; var count = 2.0; var map = map[filter]; return sum[map, count] + (map) - map[-filter]; }",
];

#[test]
fn mutated_programs_with_arrays_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    let mut rng = Rng::new(number("TREEPAR_SEED", 1));
    let count = damaged() as usize / 2;
    let (mut counts, mut arrays) = ([0; 3], 0);
    for k in 0..count {
        let mut tokens = texts(&sources([ARRAYS[k % ARRAYS.len()]]));
        for _ in 0..1 + rng.below(2) {
            if rng.below(3) == 0 { grammar::damage(&mut tokens, &mut rng) } else { mutate(&mut tokens, &mut rng) }
        }
        let text = tokens.join(" ").replace(" fn ", "\nfn ");
        let verdict = compare(&cpu, "", &[&text]);
        let is_array = check_program(&sources([&text[..]]), REQUEST.extent).is_ok_and(|(tree, _)| tree.arrays);
        arrays += usize::from(is_array && verdict == Verdict::Valid);
        counts[verdict as usize] += 1;
    }
    let [valid, wrong, unsure] = counts;
    let counts = format!("{valid} valid, {wrong} wrong, {unsure} unsure, {arrays} valid with arrays");
    assert!(valid > count / 20 && wrong > count / 4 && unsure < count / 50 && arrays > count / 40, "{counts}");
}

/// Returns the tokens of all examples and of all programs with expected errors.
fn written_programs() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = Vec::new();
    for folder in ["examples", "tests/diagnostics"] {
        let mut paths: Vec<_> = std::fs::read_dir(root.join(folder))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            if path.extension().is_none_or(|extension| extension != "par" && extension != "txt") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let blocks = if folder == "examples" { vec![&text[..]] } else { text.split("\n\n").skip(1).collect() };
            for block in blocks {
                let program: Vec<&str> = block.lines().take_while(|line| !line.starts_with('>')).collect();
                programs.push(texts(&sources([&program.join("\n")[..]])));
            }
        }
    }
    programs
}

/// Damages a program: it ends early, two of its tokens change places, it gets tokens of another one, or names are exchanged.
fn damage_written(tokens: &mut Vec<String>, others: &[Vec<String>], rng: &mut Rng) {
    if tokens.is_empty() {
        return;
    }
    match rng.below(5) {
        0 => tokens.truncate(rng.below(tokens.len())),
        1 => {
            let (a, b) = (rng.below(tokens.len()), rng.below(tokens.len()));
            tokens.swap(a, b);
        }
        2 => {
            let other = &others[rng.below(others.len())];
            let from = rng.below(other.len() + 1);
            let to = (from + 1 + rng.below(8)).min(other.len());
            let at = rng.below(tokens.len());
            drop(tokens.splice(at..at, other[from..to].iter().cloned()));
        }
        3 => grammar::damage(tokens, rng),
        _ => mutate(tokens, rng),
    }
}

/// Examples and programs with errors, damaged: no front end panics, and both have the same verdict.
#[test]
fn damaged_examples_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    let programs = written_programs();
    let mut rng = Rng::new(number("TREEPAR_SEED", 1));
    let mut counts = [0; 3];
    let count = damaged() as usize / 5;
    for k in 0..count {
        let mut tokens = programs[k % programs.len()].clone();
        for _ in 0..1 + rng.below(2) {
            damage_written(&mut tokens, &programs, &mut rng);
        }
        let text = tokens.join(" ").replace(" fn ", "\nfn ").replace(" extern ", "\nextern ");
        counts[compare(&cpu, "", &[&text]) as usize] += 1;
        let sources = sources([&text[..]]);
        if let Ok(checked) = check_program(&sources, REQUEST.extent) {
            for error in unique_on_cpu(&Cpu::with_threads(1), checked, &sources).err().unwrap_or_default() {
                assert!(error.code != Code::Unsupported, "{error:?}: {text}");
            }
        }
    }
    let [valid, wrong, unsure] = counts;
    assert!(valid > count / 50 && wrong > count / 2, "{valid} valid, {wrong} wrong, {unsure} unsure");
}

#[test]
fn random_programs_with_arrays_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    for seed in 1..=300 {
        let text = refcompiler_programs::array_program(seed).to_string();
        assert_eq!(compare(&cpu, "", &[&text]), Verdict::Valid, "program {seed}: {text}");
    }
}

/// Statements with operations on whole arrays, where `a` is an `[int]`, `b` a `[float]`, `m` an `[[int]]` and `k` an `int`.
const WHOLE: [&str; 22] = [
    "a = a + 1 - k * -a % ~a;",
    "a = (a < k) & (m[0] >= a) | !a;",
    "m = m + a; m = a * m + (k - m);",
    "b = float(a) / 2.0 % b; a = int(b * b);",
    "b = sqrt[b] + abs[floor[b]] - exp[log[-b]] * sin[b + cos(b)]; a = abs[a];",
    "b = where[a > 1, 1.0, b]; m = where[k, m, a]; m = where[m, 1, 2];",
    "where[a, a, a]; print[k]; print[b]; print[m + 1]; print(a);",
    "m = perm[m, 1, 0]; m = reshape[a, 2, k + 1]; a = reshape(m, k); a = perm[perm[a, 0], (0)];",
    "print[reshape[perm[reshape[b, 2, 3, 4], 2, 0, 1], 4, 1, 1, size[perm[m, 1, 0], 0]]];",
    "var c = a; var d = c + m; var e = d - c; var g = e * d; m = g + e;",
    "m[0] = a + m[1] - reshape[a, size[a]]; m[k] = a * 2;",
    "var c = [a + 1, a * 2]; c = concat[c, m + c]; c = [-a] + copy[m];",
    "var c = replicate[k, a + m[0]]; m = c; for i < size[c + 1] { a[i] = (a + i)[i]; }",
    "a = if[k, a + 1, a : [int]] + iota[k];",
    "{ fn where[x: int]: int { return x; } fn print[x: [int]]: int { return where[x[0]]; } k = print[a + 1]; }",
    "fn f[x: [int]]: *[int] { return x + 1; } a = f[f[a] * 2] + f[a];",
    "var print = 2; k = print; k = (a + 1)[k] + (m * 2)[k, 0] + (a)[0];",
    "a = [1, 2] + [3, 4] * 5; b = 1.5 - [2.5]; m = [[1]] + [2];",
    "if (a + 1)[0] { print[a]; } while (-a)[0] { a = a - 1; }",
    "b = pow[2.0, 3.0] * b; k = int(pow[b[0], 0.5]) + abs[k] + size[sqrt[b]];",
    "var c = a + m + (a * m) - (m & a) * (m ^ (a | m)); c = c << 1 >> (a >>> 2);",
    "a = a == m[0]; a = b != b; a = a && 1; a = a || a;",
];

/// The same with errors.
const WRONG_WHOLE: [&str; 31] = [
    "a = a + 1.0;",
    "a = b;",
    "a = a + b;",
    "b = b & b;",
    "b = !b;",
    "k = a + 1;",
    "a = m + a;",
    "if a + 1 { }",
    "k = where[k, 1, 2];",
    "a = where[b, a, a];",
    "a = where[a, a, b];",
    "a = where[a, a];",
    "a = where[a, a, a, a];",
    "a = where[];",
    "print[];",
    "print[a, a];",
    "k = print[a];",
    "(print[a]);",
    "print[a] : void;",
    "print[print[a]];",
    "m = perm[m, 0, 0];",
    "m = perm[m, 0];",
    "m = perm[m, 0, 2];",
    "m = perm[m, k, 0];",
    "m = perm[m];",
    "k = perm[k, 0];",
    "m = reshape[a];",
    "m = reshape[a, 1.0, 2];",
    "m = reshape[k, 1, 2];",
    "b = sqrt[a];",
    "b = pow[b[0], a[0]];",
];

/// Statements with slices, with the same variables.
const SLICES: [&str; 22] = [
    "a = a[1..k]; a = a[..k]; a = a[k..]; a = a[..]; a = a[k - 1 .. k * 2 + 1];",
    "a = a[1..2][0..1]; a = (a)[1..]; a = (a + 1)[..k]; a = [1, 2, 3][1..]; a = copy[a][..2];",
    "a = m[0, ..]; a = m[.., 0]; a = m[0][1..]; a = m[..2, k]; a = m[k, 1..2]; a = m[0, k..];",
    "m = m[..2, 1..]; m = m[1.., ..]; m = m[..]; m = m[k..k + 1]; m = m[.., ..]; m = m[.., ..k];",
    "a[1..k] = a[0..k - 1]; a[..] = 0; a[..2] = k; a[k..] = a; b[..k] = 1.5; b[..] = b + 1.0;",
    "m[0, ..] = a; m[.., k] = a; m[..] = m; m[..2, 1..] = m; m[..] = a; m[..] = 1; m[.., ..] = a[..2];",
    "k = a[1..][0]; k = m[.., 1][k]; k = size[m[..2], 1]; k = sum[a[..k]] + max[m[k, ..]];",
    "m[0..1] = [[1, 2]]; m[k] = a[1..]; m[0, 1] = a[..][0];",
    "a = a[a[0]..a[1]]; a = a[a[..1][0]..size[a]]; a = m[a[0], sum[a[..2]]..];",
    "a = a[(k = 1)..k]; a = a[k = 1..]; a = a[var c = 1..c]; a = a[..k = 3];",
    "a = a[if[k, 1, 2]..if[k, 3, size[a]]]; a = if[k, a[1..], a[..1]];",
    "a = a[k : int..k : int]; a = a[-1..~k]; a = a[k < 1..k == 1]; a = a[k && 1..k || 1];",
    "a = map[fn[x: int]: int = map[\nfn[y: int]: int = y, a][x], a]; a = (\na)[1..];",
    "a = map[fn[x: int]: int = x + a[1..][0], a[..2]]; m = map[fn[r: [int]]: [int] = r[1..], m[..2]];",
    "b = sqrt[b[1..]] * b[..k]; b = where[a[..] > 1, b[1..], b[..1]]; a = concat[a[..1], a[1..]];",
    "print[a[1..]]; print(m[.., 0]); for i < size[a[1..]] { a[i..i + 1] = i; }",
    "var c = m[..2]; c[0, 1..] = a; var d: [int] = c[k, ..]; c[1] = d[..2];",
    "fn f[x: [int]]: *[int] { return copy[x[1..]]; } a = f[f[a[..k]]][..1]; a = f[m[0, ..]];",
    "var sum = a; a = sum[1..]; sum[..1] = 2; { var map = m[0..]; a = map[0, ..]; }",
    "a = a[0x1..0xff]; a = a[1 .. 2]; a = a[1.. 2]; a = a[1 ..2]; a = a[int(1.5)..int(2.5e1)];",
    "return a[0..k][0]; if a[..1][0] { a = a[..1]; } while m[0, ..][0] { m[0, ..] = 0; }",
    "var c = reshape[a, 2, 3, 4]; m = c[0]; m = c[.., 1]; a = c[0, .., 1]; m = c[..1, k, 2..]; c = c[.., 1..2, ..];",
];

/// The same with errors.
const WRONG_SLICES: [&str; 43] = [
    "a = a[1.0..k];",
    "a = a[..1.0];",
    "a = a[a..];",
    "a = a[1..2, 0];",
    "a = a[.., ..];",
    "m = m[.., .., ..];",
    "m = m[0, ..];",
    "a = m[..];",
    "k = a[1..2];",
    "a = b[..];",
    "k = k[..];",
    "k = k[1..2];",
    "a = (k)[1..];",
    "a[..] = b;",
    "a[..] = 1.5;",
    "b[..] = 1;",
    "a[..] = m;",
    "m[0, ..] = m;",
    "a[..][0] = 1;",
    "a[1..][1..] = a;",
    "a[..] = ..;",
    "a = [1..2];",
    "a = [..];",
    "a = a(1..2);",
    "a = a(..);",
    "a = 1..2;",
    "k = (1..2)[0];",
    "a = iota[1..];",
    "a = iota[..];",
    "a = a[1..2..3];",
    "a = a[.. ..];",
    "a = a[..1..];",
    "k = if[1..2, 1, 2];",
    "k = if[k, .., 2];",
    "a = a[...];",
    "a = a[1...2];",
    "a = a[1. .2];",
    "a = a[fn[x: int]: int = x..];",
    "a = a[(+)..];",
    "fn f[x: [int]] { x[..] = 1; }",
    "a = a[1.5..2];",
    "a[..1] += 1;",
    "a[var c: int..] = 1.5;",
];

#[test]
fn slices_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    let program =
        |body: &str| format!("fn main[k: int, a: *[int], b: *[float], m: *[[int]]]: int {{ {body} return k; }}");
    assert_verdicts(&cpu, program, &SLICES, &[Verdict::Valid]);
    assert_verdicts(&cpu, program, &WRONG_SLICES, &[Verdict::Wrong, Verdict::Unsure]);
    // All lists of up to three indices, as values and as targets, of arrays of up to three dimensions.
    let indices = ["", "k", "..", "k..", "..k", "1..k"];
    let mut counts = [0; 3];
    for rank in 1..=3 {
        for list in 0..indices.len().pow(3) {
            let list: Vec<&str> = (0..3).map(|k| indices[list / indices.len().pow(k) % indices.len()]).collect();
            let list = list.into_iter().filter(|index| !index.is_empty()).collect::<Vec<_>>().join(", ");
            let array = format!("{}int{}", "[".repeat(rank), "]".repeat(rank));
            for statement in [format!("k = (a[{list}])[0];"), format!("a[{list}] = k;"), format!("a = ((a))[{list}];")]
            {
                let text = format!("fn main[k: int, a: *{array}]: int {{ {statement} return k; }}");
                counts[compare(&cpu, "", &[&text]) as usize] += 1;
            }
        }
    }
    let [valid, wrong, unsure] = counts;
    assert!(valid > 300 && wrong > 300 && unsure == 0, "{valid} valid, {wrong} wrong, {unsure} unsure");
}

/// Compares both front ends on some statements, each in a program. Asserts that all have one of some verdicts.
fn assert_verdicts(cpu: &Cpu, program: impl Fn(&str) -> String, statements: &[&str], expected: &[Verdict]) {
    for statement in statements {
        let verdict = compare(cpu, "", &[&program(statement)]);
        assert!(expected.contains(&verdict), "{verdict:?}: {statement}");
    }
}

#[test]
fn operations_on_whole_arrays_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    let program =
        |body: &str| format!("fn main[k: int, a: *[int], b: *[float], m: *[[int]]]: int {{ {body} return k; }}");
    assert_verdicts(&cpu, program, &WHOLE, &[Verdict::Valid]);
    assert_verdicts(&cpu, program, &WRONG_WHOLE, &[Verdict::Wrong, Verdict::Unsure]);
    let rows = |rows: &str| format!("fn main[a: [int]]: int {{ return size[[{rows}]]; }}");
    assert_verdicts(&cpu, rows, &["a, copy[a], [1, 2], a, [3, 4]"], &[Verdict::Valid]);
    assert_verdicts(&cpu, rows, &["a, copy[a], [1, 2], a, [3]"], &[Verdict::Wrong]);
    // Extents that are known: these agree, and the others differ.
    let agree = ["a = [1, 2] + iota[2] * replicate[2, k];", "m = replicate[3, [1, 2]] * [1, 2] + concat[[[1, 2]], m];"];
    assert_verdicts(&cpu, program, &agree, &[Verdict::Valid]);
    let differ = [
        "a = iota[2] + iota[3];",
        "a = where[a < 3, [1, 2] : [int], iota[3]];",
        "m = replicate[3, [1, 2]] * [1, 2, 3];",
        "m = [[1], [2]] + replicate[3, a];",
        "m = concat[[[1, 2]], replicate[k, iota[3]]];",
    ];
    assert_verdicts(&cpu, program, &differ, &[Verdict::Wrong]);
}

#[test]
fn arrays_hide_operations() {
    let cpu = Cpu::with_threads(1);
    let program = |body: &str| format!("fn main[k: int, a: *[int]]: int {{ {body} return k; }}");
    let hidden = ["var print = a; k = print[0];", "var all = a; all[1] = all[0]; { var map = all[0]; all[2] = map; }"];
    assert_verdicts(&cpu, program, &hidden, &[Verdict::Valid]);
    // Only the sequential front end knows that a number hides none.
    let numbers = [
        "var where = 1; a = where[a, a, a];",
        "var sum = sum[a]; k = sum; k = sum[a];",
        "var map = 1.0; fn f[x: int]: int { return x; } a = map[f, a];",
    ];
    assert_verdicts(&cpu, program, &numbers, &[Verdict::Unsure]);
    // Errors are certain if no name is taken for that of a variable.
    assert_verdicts(&cpu, program, &["k = sum[k]; var sum = a; k = size[sum];"], &[Verdict::Wrong]);
    assert_verdicts(&cpu, program, &["{ var sum = a; k = sum[0]; } k = sum[k];"], &[Verdict::Unsure]);
}

/// The functions that the statements below name.
const LIBRARY: &str = "fn own[x: int]: int { return x; }
fn two[x: int, y: int]: int { return x + y; }
fn three[x: int, y: float, z: int]: int { return x + int(y) + z; }
fn four[x: int, y: int, z: int, w: int]: int { return x + y + z + w; }
fn length[x: [int]]: int { return size[x]; }
fn again[x: [int]]: [int] { return copy[x]; }
fn nothing[x: int] { print_int[x]; }
";

/// A function after them, in another part of the program if it is divided.
const LATER: &str = "
fn later[x: int]: int { return x; }";

/// Statements with functions as arguments: `k` is an int, `t` a float, `a` an array of ints, `b` one of floats, and `m` a matrix of ints.
const FUNCTIONS: [&str; 52] = [
    "a = map[fn[x: int]: int = x, a];",
    "a = map[fn[x: int]: int = x * k + a[x] - [1, 2][0], a];",
    "a = map[fn[x: int, y: float]: int = int(y) + x, a, b];",
    "b = map[fn[x: int, y: float]: float = y, a, b]; b = map[fn[y: float, x: int]: float = y, b, a];",
    "a = map[fn[row: [int]]: int = sum[row], m];",
    "m = map[fn[row: [int]]: [int] = map[fn[x: int]: int = x + sum[row], row], m];",
    "m = map[fn[row: [int], x: int]: [int] = row * x, m, a];",
    "m = map[fn[x: int]: [int] = [x, x + 1], a];",
    "m = map[fn[x: int]: [int] = replicate[k, x], a];",
    "a = map[fn[x: int]: int = if[x, 1, -x], a];",
    "a = map[fn[x: int]: int = -x : int, a : [int]];",
    "a = map(fn[x: int]: int = x, a);",
    "a = map[(+), a, a]; b = map[(*), b, b]; a = map[(<), b, b]; a = map[(&&), a, a]; m = map[(-), m, m];",
    "m = map[(+), m, a]; m = map[(*), a, m];",
    "k = reduce[(+), 0, a]; t = reduce[(*), 1.0, b]; k = reduce(fn[x: int, y: int]: int = x, 0, a);",
    "k = reduce[fn[x: int, y: int]: int = x + y, 0, a];",
    "a = reduce[(+), a, m]; a = reduce[fn[x: [int], y: [int]]: [int] = x + y, a, m];",
    "k = reduce[(+), 0, map[fn[x: int]: int = x * x, a]];",
    "k = reduce[(+), 0, a * a + 1];",
    "t = fold[fn[x: float, y: int]: float = x + float(y), 0.0, a];",
    "k = fold[fn[x: int, row: [int]]: int = x + row[0], 0, m];",
    "t = foldr[fn[y: int, x: float]: float = x + float(y), 0.0, a]; k = foldr[(-), 0, a];",
    "a = scan[(+), 0, a]; b = scan[fn[x: float, y: float]: float = x * y, 1.0, b]; m = scan[(+), a, m];",
    "a = filter[fn[x: int]: int = x > 3, a]; m = filter[fn[row: [int]]: int = sum[row], m]; b = filter[fn[x: float]: int = x > 0.5, b];",
    "a = group[(+), 0, k, a, a]; b = group[fn[x: float, y: float]: float = x * y, 1.0, k, a, b]; m = group[(+), a, k, a, m];",
    "k = sum[a] + product[a] + min[a] + max[a] + all[a] + any[a] + count[a];",
    "t = sum[b] + product[b] + min[b] + max[b]; k = all[b] + any[b] + count[b];",
    "k = sum[m[0]] + max[iota[3]] + count[a == a[0]];",
    "k = all[all[[1, 2]] + a];",
    "var v = map[fn[x: int]: int = x, a]; var w = map[(+), v, v]; k = sum[w]; var u = scan[(+), k, w]; a = u;",
    "var v = sum[b]; t = v; var w = reduce[(+), v, b]; t = w; var u = count[b]; k = u;",
    "{ var k = 1.0; b = map[fn[x: float]: float = x + k, b]; } k = 1;",
    "b = map[fn[k: float]: float = k, b]; a = map[fn[a: int]: int = a + k, a];",
    "for i < k { a = map[fn[x: int]: int = x + i, a]; }",
    "if sum[a] { k = 1; } while any[a] { k = 2; }",
    "print[map[(+), a, a]]; print[sum[a]]; k = own[k] + sum[map[fn[x: int]: int = own[x], a]];",
    "fn inner[map: int]: int { return map; } k = inner[sum[a]];",
    "fn sum[x: [int]]: [int] { return copy[x]; } a = sum[a];",
    "a = map[own, a]; a = map(own, a); a = map[two, a, a]; a = map[three, a, b, a]; a = map[four, a, a, a, a];",
    "k = reduce[two, 0, a]; k = fold[two, 0, a]; k = foldr[two, 0, a]; a = scan[two, 0, a]; a = filter[own, a];",
    "a = group[two, 0, k, a, a]; a = map[length, m]; m = map[again, m];",
    "b = map[sqrt, b]; b = map[abs, b]; a = map[abs, a]; b = map[floor, b]; b = map[pow, b, b];",
    "k = reduce[max, 0, a]; t = reduce[min, 0.0, b]; b = scan[max, 0.0, b]; a = group[min, 0, k, a, a]; a = map[max, a, a];",
    "k = fold[max, 0, a]; k = foldr[min, 0, a]; k = max[a] + reduce[max, max[a], a];",
    "fn inner[x: int]: int { return x + k; } a = map[inner, a];",
    "fn max[x: int, y: int]: int { return x; } k = reduce[max, 0, a];",
    "fn inner[x: int]: int { if x { return sum[map[inner, [x - 1]]]; } return 0; } a = map[inner, a];",
    "{ fn two[x: int]: int { return x; } a = map[two, a]; } a = map[two, a, a];",
    "var own = a; a = map[own, own];",
    "a = map[fn[x: int]: int = reduce[max, x, a], a];",
    "fn map[x: int, y: int]: int { return x; } k = map[k, k];",
    "a = map[later, a];",
];

/// Statements with wrong functions as arguments.
const WRONG_FUNCTIONS: [&str; 94] = [
    "a = map[fn[x: int]: float = x, a];",
    "b = map[fn[x: int]: int = x, a];",
    "a = map[fn[x: float]: int = 1, a];",
    "a = map[fn[x: int, y: int]: int = x, a];",
    "a = map[fn[x: int]: int = x, a, a];",
    "a = map[fn[x: int]: int = x];",
    "a = map[fn[x: int]: int = x, k];",
    "a = map[fn[x: [int]]: int = 1, a];",
    "a = map[fn[x: int]: int = 1, m];",
    "a = map[fn[x: int]: [int] = a, a];",
    "a = map[fn[x: int]: int = a, a];",
    "a = map[fn[x: int]: void = x, a];",
    "a = map[fn[x: int] = x, a];",
    "a = map[fn[x]: int = x, a];",
    "a = map[fn[x: int y: int]: int = x, a, a];",
    "a = map[fn[x int]: int = x, a];",
    "a = map[fn[x: int,]: int = x, a];",
    "a = map[fn[, x: int]: int = x, a];",
    "a = map[fn[x:: int]: int = x, a];",
    "a = map[fn[]: int = 1, a];",
    "a = map[fn[x: int]: int, a];",
    "a = map[fn[x: int]: int = , a];",
    "a = map[fn[x: int]: int x, a];",
    "a = map[fn x: int]: int = x, a];",
    "a = map[fn[x: int: int = x, a];",
    "a = map[fn[x: *[int]]: int = 1, m];",
    "a = map[fn[x: int]: *[int] = a, a];",
    "a = map[fn[x: int, x: int]: int = x, a, a];",
    "a = map[fn[x: int]: int = y, a];",
    "a = map[fn[x: int]: int = x, x];",
    "a = map[fn[x: int]: int = x, a]; k = x;",
    "a = map[fn[x: int]: int = (k = x), a];",
    "a = map[fn[x: int]: int = k = x, a];",
    "a = map[fn[x: int]: int = x = 1, a];",
    "a = map[fn[x: int]: int = (var y = x), a];",
    "a = map[fn[x: int]: int = var y = x, a];",
    "a = map[a, a];",
    "a = map[k, a];",
    "a = map[1, a];",
    "a = map[a, fn[x: int]: int = x];",
    "a = map[(fn[x: int]: int = x), a];",
    "k = fn[x: int]: int = x;",
    "k = own[fn[x: int]: int = x];",
    "k = [fn[x: int]: int = x][0];",
    "k = 1 + fn[x: int]: int = x;",
    "k = (+);",
    "k = own[(+)];",
    "a = map[(+), a];",
    "a = map[(+), a, b];",
    "a = map[(&), b, b];",
    "a = map[(!), a];",
    "a = map[(+)];",
    "a = map[(<), b, b, b];",
    "a = map[];",
    "k = reduce[(+), 0.0, a];",
    "t = reduce[(+), 0, b];",
    "k = reduce[(+), a, a];",
    "k = reduce[(<), 0.0, b];",
    "k = reduce[(+), 0];",
    "k = reduce[fn[x: int]: int = x, 0, a];",
    "k = reduce[fn[x: int, y: int]: float = 1.0, 0, a];",
    "k = reduce[fn[x: float, y: int]: float = x, 0.0, a];",
    "t = fold[fn[y: int, x: float]: float = x, 0.0, a];",
    "t = foldr[fn[x: float, y: int]: float = x, 0.0, a];",
    "a = scan[fn[x: int, y: float]: int = x, 0, b];",
    "a = filter[fn[x: int]: float = 1.0, a];",
    "a = filter[(+), a];",
    "a = group[(+), 0, k, b, a];",
    "a = group[(+), 0, 1.0, a, a];",
    "a = group[(+), 0, k, a, b];",
    "k = sum[m]; k = sum[k]; k = sum[]; k = sum[a, a]; k = sum[b];",
    "k = sum[m];",
    "k = sum[a, a];",
    "k = sum[b];",
    "k = sum[];",
    "a = map[two, a];",
    "a = map[own, a, a];",
    "a = map[own, b];",
    "a = map[own, m];",
    "a = map[nothing, a];",
    "a = map[print_int, a];",
    "a = map[iota, a];",
    "a = map[sum, m];",
    "a = map[map, a];",
    "a = map[size, m];",
    "k = reduce[own, 0, a];",
    "k = reduce[three, 0, a];",
    "b = map[sqrt, a];",
    "m = map[abs, m];",
    "a = map[max, a];",
    "a = map[max, a, b];",
    "a = reduce[max, a, m];",
    "a = map[inner, a]; { fn inner[x: int]: int { return x; } }",
    "a = map[own[0], a];",
];

/// Returns a program with statements of [`FUNCTIONS`].
fn with_functions(body: &str) -> String {
    let parameters = "k: int, t: float, a: *[int], b: *[float], m: *[[int]]";
    format!("{LIBRARY}fn main[{parameters}]: int {{ {body} return k; }} {LATER}")
}

#[test]
fn functions_as_arguments_have_the_same_verdict() {
    for threads in [1, 2] {
        let cpu = Cpu::with_threads(threads);
        assert_verdicts(&cpu, with_functions, &FUNCTIONS, &[Verdict::Valid]);
        assert_verdicts(&cpu, with_functions, &WRONG_FUNCTIONS, &[Verdict::Wrong, Verdict::Unsure]);
    }
    let cpu = Cpu::with_threads(1);
    // Extents that are known: these agree, and the others differ.
    let agree = ["a = map[(+), [1, 2], iota[2]];", "a = group[(+), 0, 3, [1, 2], replicate[2, k]];"];
    assert_verdicts(&cpu, with_functions, &agree, &[Verdict::Valid]);
    let differ = [
        "a = map[(+), [1, 2], iota[3]];",
        "m = map[(+), [[1], [2]], [1, 2, 3]];",
        "a = group[(+), 0, 2, [1, 2], replicate[3, k]];",
    ];
    assert_verdicts(&cpu, with_functions, &differ, &[Verdict::Wrong]);
    // Only the sequential front end knows these.
    let parameters: Vec<String> = (0..20).map(|k| format!("x{k}: int")).collect();
    let many = format!("a = map[fn[{}]: int = x0{}];", parameters.join(", "), ", a".repeat(20));
    let named = "fn five[a: int, b: int, c: int, d: int, e: int]: int { return a; } a = map[five, a, a, a, a, a];";
    for body in ["a = redomap[(+), (+), a, m];", named, &many] {
        let sources = sources([&with_functions(body)[..]]);
        assert!(check_program(&sources, REQUEST.extent).is_ok(), "{body}");
        assert!(found(&cpu, &sources, usize::MAX).1.is_none(), "{body}");
    }
}

/// Operations at the end of a program, often with too few operands. No part reads nodes after the last one.
#[test]
fn operations_without_operands_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    let operations = "map reduce scan filter fold foldr group where sum product min max all any count \
                      replicate iota reshape concat perm copy size float int sqrt abs print a f x";
    let values = ["", "a", "k", "1", "2.5", "(+)", "fn[x: int]: int = x", "f"];
    let mut counts = [0; 3];
    for operation in operations.split_whitespace() {
        for first in values {
            for second in values {
                for list in [first.to_string(), format!("{first}, {second}"), format!("{first}, {second}, 0")] {
                    for end in [format!("{operation}[{list}]"), format!("a[0] + {operation}[{list}]")] {
                        let text = format!("fn f[a: [int], k: int]: int {{ return {end}; }}");
                        counts[compare(&cpu, "", &[&text]) as usize] += 1;
                    }
                }
            }
        }
    }
    let [valid, wrong, unsure] = counts;
    assert!(valid > 100 && wrong > 1_000, "{valid} valid, {wrong} wrong, {unsure} unsure");
}

/// Replaces tokens of the statements of [`FUNCTIONS`] at random. No program is accepted that the sequential front end refuses.
#[test]
fn damaged_functions_as_arguments_are_not_accepted() {
    let cpu = Cpu::with_threads(1);
    let mut rng = Rng::new(number("TREEPAR_SEED", 1) + 77);
    let mut valid = 0;
    for k in 0..number("TREEPAR_DAMAGED", 20_000) / 10 {
        let text = with_functions(FUNCTIONS[k as usize % FUNCTIONS.len()]);
        let mut tokens = texts(&sources([&text[..]]));
        mutate(&mut tokens, &mut rng);
        valid += (compare(&cpu, "", &[&tokens.join(" ")]) == Verdict::Valid) as u64;
    }
    assert!(valid > 20, "{valid}");
}

/// Returns the lines of `part` for many variables, each with its number and the numbers of the two before it.
fn chain(count: usize, part: impl Fn(usize) -> String) -> String {
    format!("fn f[a: [int]] {{ var v0 = a; var v1 = a; {} }}", (2..count).map(part).collect::<String>())
}

#[test]
fn types_that_depend_on_many_others_are_found() {
    let cpu = Cpu::with_threads(1);
    let texts = [
        ("a sum", format!("fn f[a: [int]] {{ var b = a{}; b = a; }}", " + a * 2 - -a".repeat(2_000)), true),
        ("a chain", chain(2_000, |k| format!("var v{k} = v{} + 1; ", k - 1)), true),
        ("a chain of squares", chain(2_000, |k| format!("var v{k} = v{0} * v{0}; ", k - 1)), true),
        ("a short chain of pairs", chain(20, |k| format!("var v{k} = v{} * v{}; ", k - 1, k - 2)), true),
        ("a long chain of pairs", chain(200, |k| format!("var v{k} = v{} * v{}; ", k - 1, k - 2)), false),
    ];
    for (what, text, is_found) in texts {
        let expected = if is_found { Verdict::Valid } else { Verdict::Unsure };
        assert_eq!(compare(&cpu, what, &[&text]), expected, "{what}");
    }
}

#[test]
fn random_programs_with_whole_arrays_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    for seed in 1..=100 {
        let text = refcompiler_programs::whole_program(seed).to_string();
        let sources = sources([&text[..]]);
        let (tree, _) = check_program(&sources, REQUEST.extent).expect("a valid program");
        let verdict = compare(&cpu, "", &[&text]);
        assert!(is_only_sequential(&tree) || verdict != Verdict::Wrong, "program {seed}");
    }
}

#[test]
fn edges_have_the_same_verdict() {
    let cpu = Cpu::with_threads(1);
    for text in VALID {
        assert_eq!(compare(&cpu, "", &[text]), Verdict::Valid, "{text}");
    }
    for text in WRONG {
        assert_eq!(compare(&cpu, "", &[text]), Verdict::Wrong, "{text}");
    }
    for files in [
        ["extern fn f[];", "fn f[] { }"],
        ["fn f[] { }", "extern fn f[];"],
        ["extern fn f[];", "extern fn f[];"],
        ["extern fn f[];", "extern fn f[]: int;"],
        ["extern fn f[]; fn g[] { f[]; }", "extern fn h[]; fn f[] { } fn i[] { f[]; }"],
    ] {
        assert_eq!(compare(&cpu, "", &files), Verdict::Unsure, "{files:?}");
    }
    for (files, verdict) in [
        (["fn f[] { g[]; }", "fn g[] { f[]; }"], Verdict::Valid),
        (["", ""], Verdict::Valid),
        (["fn f[] { }", "fn f[] { }"], Verdict::Wrong),
        (["fn f[x: int] { }", "fn g[] { f[1.0]; }"], Verdict::Wrong),
    ] {
        assert_eq!(compare(&cpu, "", &files), verdict, "{files:?}");
    }
}

/// Declarations without a type that have their type from each other, as many as are followed at once, and more.
#[test]
fn chains_of_declarations_of_every_length_have_the_same_meaning() {
    let cpu = Cpu::with_threads(1);
    for length in 1..40 {
        let chain: String = (1..length).map(|k| format!("var v{k} = v{}; ", k - 1)).collect();
        let text = format!("fn f[] {{ var v0 = 1.5; {chain}v{}; v0 = -v{}; }}", length - 1, length - 1);
        assert_eq!(compare(&cpu, "", &[&text]), Verdict::Valid, "{text}");
    }
}

/// Large programs, by name.
fn large() -> Vec<(&'static str, String)> {
    let count = 100_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let function = |body: String| format!("fn main[p: int]: int {{ {body} return 0; }}");
    let long = "n".repeat(2_000);
    vec![
        ("variables", function(lines(&|k| format!("var v{k} = {k}; ")) + &lines(&|k| format!("v{k} = v{}; ", k / 2)))),
        ("one name", function(lines(&|_| "{ var p = p; p = p + 1; } ".to_string()))),
        ("nested scopes", function("{ var p = p; ".repeat(20_000) + "p = 1;" + &"}".repeat(20_000))),
        (
            "a chain of types",
            "fn f[] { var v0 = 1.5;".to_string()
                + &(1..count).map(|k| format!("var v{k} = v{};", k - 1)).collect::<String>()
                + "v99999 = 2.5; }",
        ),
        ("a sum", function(format!("p = p{};", " + p * 2 - -p".repeat(30_000)))),
        (
            "functions",
            lines(&|k| format!("fn f{k}[x: int, y: float]: float {{ return f{}[x, y] + y; }} ", count - 1 - k)),
        ),
        (
            "nested functions",
            function(
                (0..3_000).map(|k| format!("fn f{k}[x: int]: int {{ var y{k} = x; ")).collect::<String>()
                    + "p = y0 + y2999; f0[1];"
                    + &"return p; } ".repeat(3_000),
            ),
        ),
        (
            "arguments",
            format!(
                "fn f[{}]: int {{ return f[{}]; }}",
                (0..20_000).map(|k| format!("p{k}: int")).collect::<Vec<_>>().join(", "),
                (0..20_000).map(|k| format!("p{k}")).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "nested calls",
            format!("fn f[x: int, y: float]: int {{ return {}1{}; }}", "f[".repeat(20_000), ", y]".repeat(20_000)),
        ),
        (
            "branches",
            format!(
                "fn f[x: int]: int {{ if x {{ return 1; }} {} else {{ return 2; }} }}",
                "elif x { return 3; } ".repeat(20_000)
            ),
        ),
        (
            "long names",
            function(format!(
                "var {long}a = 1; var {long}b = 2.5; {long}a = 2; {{ var {long}b = {long}a; {long}b = 1; }} {long}b = 1.5;"
            )),
        ),
    ]
}

#[test]
fn large_programs_have_the_same_meaning() {
    for (what, text) in large() {
        for threads in [1, 2, 4] {
            assert_eq!(compare(&Cpu::with_threads(threads), what, &[&text]), Verdict::Valid, "{what}");
        }
    }
}

/// Returns the number of templates that the front end runs on a valid program, from the text to the tree.
fn templates(cpu: &Cpu, what: &str, text: &str) -> u64 {
    let sources = sources([text]);
    let request = Request { warnings: false, lines: false, ..REQUEST };
    let before = cpu.counters().templates;
    let found = program_in_parts(cpu, &sources, request, usize::MAX).expect("a program");
    assert!(matches!(found, Found::Valid(_)), "{what}");
    cpu.counters().templates - before
}

/// The templates that the front end runs at most: about 60 for most programs, 5 for floats that the host parses, 5 for
/// functions that do not end with a `return`, and 5 where several threads search in groups.
const MOST_TEMPLATES: u64 = 75;

/// Only declarations without a type in a chain add launches: three per round, in which distances double.
#[test]
fn the_number_of_launches_does_not_depend_on_the_program() {
    // Floats that the host parses, and a function that does not end with a `return`.
    let all = "fn f[x: float]: int { if x < 0.123456789012 { return 1; } else { return 2; } }".to_string();
    for (what, text) in large().into_iter().chain([("all passes", all)]) {
        for threads in [1, 2] {
            let templates = templates(&Cpu::with_threads(threads), what, &text);
            let is_chain = what == "a chain of types" || what == "nested scopes";
            let rounds = if is_chain { 17 } else { 0 };
            let most = MOST_TEMPLATES + 3 * rounds;
            assert!(templates <= most, "{what}: {templates} templates by {threads} threads");
        }
    }
}

#[test]
fn one_error_in_a_large_program_is_found() {
    let text: String = (1..=60)
        .map(|seed| {
            // Names of functions must differ between programs.
            let sources = sources([&refcompiler_programs::program(seed).to_string()[..]]);
            let (tokens, _) = token_table(&sources);
            let kinds = &tokens.kind;
            let texts = texts(&sources);
            let mut text = String::new();
            for k in 0..texts.len() {
                let is_function = kinds[k] == TokenKind::Name
                    && (kinds[k - 1] == TokenKind::Fn
                        || matches!(kinds[k + 1], TokenKind::LeftBracket | TokenKind::LeftParen));
                let is_library = texts[k].starts_with("print_") || texts[k] == "read_char";
                text += &texts[k];
                if is_function && !is_library {
                    write!(text, "_{seed}").expect("text");
                }
                text.push(' ');
            }
            text
        })
        .collect();
    assert_eq!(compare(&Cpu::with_threads(4), "programs", &[&text]), Verdict::Valid);
    for wrong in ["fn w[] { x; }", "fn w[] { w[1]; }", "fn w[] { 1 + 1.5; }", "fn w[]: int { { } }"] {
        for files in [[wrong, &text[..]], [&text[..], wrong]] {
            assert_eq!(compare(&Cpu::with_threads(4), wrong, &files), Verdict::Wrong);
        }
    }
}

#[cfg(feature = "emulate")]
#[test]
#[ignore = "needs a C++ compiler"]
fn the_emulator_finds_the_same_meaning() {
    let emulated = treepar::backend::gpu::Emulated::with_seed(3).expect("a C++ compiler");
    let chain = |count: usize| (1..count).map(|k| format!("var v{k} = -v{};", k - 1)).collect::<String>();
    let branches = "elif x { return 3; } elif 0 { } ".repeat(700);
    let texts = [
        format!(
            "fn f[x: int]: int {{ var v0 = x; {} if x {{ return v1; }} {branches} else {{ return 2; }} }}",
            chain(3_000)
        ),
        "fn f[x: int, y: float]: int { fn g[x: float] { h[x, f[1, y]]; fn h[a: float, b: int] { } } g[y]; return 1; }"
            .into(),
        refcompiler_programs::program(7).to_string(),
        grammar::program(11, 3).join(" "),
        "fn f[a: [int], m: *[[float]]]: [float] { m[0, 1] = 2.5; print[perm[m + float(a), 1, 0]]; return sqrt[where[a > 1, m[0], 1.0]]; }
        fn main[]: int { var b = f[iota[2] * 3, replicate[3, [1.0, 2.0]]]; return size[reshape[b * b, 2, 1], 1]; }"
            .into(),
        "fn f[x: int]: int { return x; } fn main[]: int { var a = map[fn[x: int, y: float]: int = x + int(y), map[f, iota[3]], [1.0, 2.0, 3.0]];
        return reduce[max, 0, a] + sum[a] * count[scan[(+), 0, filter[fn[x: int]: int = x & 1, a]]]; }"
            .into(),
    ];
    for text in &texts {
        assert_eq!(compare(&emulated, "", &[text]), Verdict::Valid, "{text}");
    }
    for wrong in ["fn f[] { x; }", "fn f[] { f[1]; }", "fn f[] { 1 + 1.5; }", "fn f[]: int { if 0 { return 1; } }"] {
        assert_eq!(compare(&emulated, "", &[wrong]), Verdict::Wrong, "{wrong}");
    }
    assert_eq!(compare(&emulated, "", &["extern fn f[];", "fn f[] { }"]), Verdict::Unsure);
}

/// Asserts that parts of a program of some rows fill the workers of a backend evenly. A part has at most `most` rows.
fn assert_even<B: Backend>(backend: &B, rows: usize, most: usize) {
    let size = rows_per_part(backend, rows, RowBytes(backend.cache_bytes().expect("a cache") / most));
    assert!((most / 2..=most).contains(&size), "{rows} rows in parts of {size}");
    let (parts, workers) = (rows.div_ceil(size), backend.workers());
    assert!(parts.is_multiple_of(workers) || size == most / 2, "{rows} rows in {parts} parts for {workers} workers");
}

#[test]
fn workers_have_equally_many_parts() {
    let most = 1 << 16;
    for threads in [1, 2, 3, 16] {
        let cpu = Cpu::with_threads(threads);
        for rows in [0, 1, most - 1, most, most + 1, 5 * most, 15 * most + most / 4, 16 * most + 1, 1000 * most] {
            assert_even(&cpu, rows, most);
        }
    }
}
