//! The syntax passes against the sequential front end: which programs both accept, and the trees that both build.

use std::fmt::Write;
use std::path::Path;

use crate::grammar;
use refcompiler::diagnostics::{Code, Diagnostic};
use refcompiler::frontend::brackets::brackets;
use refcompiler::frontend::classes::classes;
use refcompiler::frontend::parse::parse;
use refcompiler::frontend::sequential::{Sources, parse_program, token_table};
use refcompiler::frontend::syntax::{syntax, violations};
use refcompiler::ir::kinds::{Kind, kind};
use refcompiler::ir::syntax::{HostClassified, HostSyntaxNodes};
use refcompiler::ir::tokens::{TokenKind, Tokens};
use refcompiler_programs::{Rng, damaged, number};
use treepar::{Backend, Cpu};

fn sources<'a>(files: impl IntoIterator<Item = &'a str>) -> Sources {
    let mut sources = Sources::new();
    for (k, file) in files.into_iter().enumerate() {
        sources.add(format!("{k}.par"), file.as_bytes().to_vec()).expect("a small file");
    }
    sources
}

/// Returns whether an error is a name that is not declared, perhaps a keyword of another language.
fn is_undeclared(error: &Diagnostic) -> bool {
    error.code == Code::Undeclared || error.message == "there is no `for`"
}

/// Returns whether an error is one of the grammar, and not of names, types or returns. The passes find declarations in
/// conditional expressions and assignments of counters in the tree, but that a conditional expression has no parts with the grammar.
fn is_syntax(error: &Diagnostic) -> bool {
    let is_of_counter = error.message.starts_with("the counter `");
    let is_in_tree = is_undeclared(error) || is_of_counter || error.message == "a declaration in `if[..]`";
    let is_late = error.message.starts_with("cannot find type") || error.message == "`if[..]` takes 3 parts, found 0";
    (error.code < Code::Undeclared && !is_in_tree) || is_late
}

/// Returns whether an error is that elements of a function are assigned. The tokens are those of an update, if it has indices and a value.
fn is_update_of_function(sources: &Sources, error: &Diagnostic) -> bool {
    let file = &sources.files()[file_of(sources, error)];
    let (before, value) = file.text.split_at((error.span.end - file.start) as usize);
    let target = &before[(error.span.start - file.start) as usize..];
    let begins_value = |token: &str| !matches!(token, "]" | ")" | "}" | ";" | ",");
    error.code == Code::NotAssignable
        && target.ends_with(']')
        && !target.starts_with("if")
        && !target.contains("[ ]")
        && value.split_whitespace().nth(1).is_some_and(begins_value)
}

/// Returns the index of the file that an error is in.
fn file_of(sources: &Sources, error: &Diagnostic) -> usize {
    sources.files().partition_point(|file| file.start <= error.span.start) - 1
}

/// The verdict of the sequential front end about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    /// The only errors are of names, which can hide errors of the grammar.
    Undeclared,
}

/// Returns the verdicts of the sequential front end.
fn sequential(sources: &Sources) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Right; sources.files().len()];
    for error in parse_program(sources).err().unwrap_or_default() {
        let file = file_of(sources, &error);
        let is_update = is_update_of_function(sources, &error);
        if is_syntax(&error) && !is_update {
            verdicts[file] = Verdict::Wrong;
        } else if (is_update || is_undeclared(&error)) && verdicts[file] == Verdict::Right {
            verdicts[file] = Verdict::Undeclared;
        }
    }
    verdicts
}

/// Returns whether a file has a form of arrays, structs, tuples or functions as values that its tokens show. The grammar
/// without arrays has none of these forms.
fn has_other_forms(file: &str) -> bool {
    let (host, _) = token_table(&sources([file]));
    let pairs = host.kind.windows(2).any(|pair| match pair {
        // A literal, a type, an index after a bracket, or a lambda.
        [before, TokenKind::LeftBracket] => !matches!(*before, TokenKind::Name | TokenKind::Choose),
        // An update, a unique parameter, a destructuring.
        [TokenKind::RightBracket, TokenKind::Assign] | [TokenKind::Colon, TokenKind::Star] => true,
        [TokenKind::Var, TokenKind::LeftParen] => true,
        // A struct and its use as a type, and the type of a tuple.
        [TokenKind::Name, TokenKind::Name] | [TokenKind::Colon, TokenKind::Name | TokenKind::LeftParen] => true,
        // A field and a range, and a section.
        [TokenKind::Dot | TokenKind::Dots, _] => true,
        [before, TokenKind::RightParen] => before.operator().is_some(),
        _ => false,
    });
    pairs || has_tuple(&host.kind)
}

/// Returns whether a file has a section, a lambda or a range: types decide where these may be.
fn has_typed_places(file: &str) -> bool {
    let (host, _) = token_table(&sources([file]));
    host.kind.windows(2).any(|pair| match pair {
        [TokenKind::Dots, _] => true,
        [before, TokenKind::RightParen] => before.operator().is_some(),
        [before, after] => (*before, *after) == (TokenKind::Fn, TokenKind::LeftBracket),
        _ => false,
    })
}

/// Returns whether a comma is directly in a parenthesis that begins no call.
fn has_tuple(kinds: &[TokenKind]) -> bool {
    // For each open bracket: `true` if it is such a parenthesis.
    let mut open = Vec::new();
    for (k, &kind) in kinds.iter().enumerate() {
        match kind {
            TokenKind::LeftParen => open.push(k == 0 || kinds[k - 1] != TokenKind::Name),
            TokenKind::LeftBracket | TokenKind::LeftBrace => open.push(false),
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => drop(open.pop()),
            TokenKind::Comma if open.last() == Some(&true) => return true,
            _ => {}
        }
    }
    false
}

/// Returns whether the syntax passes accept each file, perhaps with forms of arrays.
fn accepted<B: Backend>(backend: &B, sources: &Sources, with_arrays: bool) -> Vec<bool> {
    let (host, _) = token_table(sources);
    let mut tokens = Tokens::upload(backend, &host).expect("uploaded tokens");
    if with_arrays {
        tokens = brackets(backend, &tokens).expect("brackets").tokens;
    }
    let kinds = backend.download(&tokens.kind).expect("downloaded kinds");
    let (classified, _) = classes(backend, &tokens).expect("classes");
    let checked = syntax(backend, &classified).expect("a check");
    let violations = backend.map(violations::of(&classified, &checked.previous, &checked.next)).expect("a map");
    let violations = backend.download(&violations).expect("downloaded violations");
    assert_eq!(violations.iter().sum::<u32>(), checked.errors);
    let mut accepted = Vec::new();
    let mut sum = 0;
    for (kind, violations) in kinds.iter().zip(violations) {
        sum += violations;
        if *kind == TokenKind::End {
            accepted.push(sum == 0);
            sum = 0;
        }
    }
    accepted
}

/// Returns the class of each token of a file, and the number of violations there, if there are any.
fn classes_of<B: Backend>(backend: &B, file: &str) -> String {
    let (host, _) = token_table(&sources([file]));
    let tokens = Tokens::upload(backend, &host).expect("uploaded tokens");
    let (classified, _) = classes(backend, &tokens).expect("classes");
    let checked = syntax(backend, &classified).expect("a check");
    let violations = backend.map(violations::of(&classified, &checked.previous, &checked.next)).expect("a map");
    let violations = backend.download(&violations).expect("downloaded violations");
    let HostClassified { class, key } = classified.download(backend).expect("downloaded classes");
    let tokens = class.iter().zip(key).zip(violations).filter(|(_, violations)| *violations > 0);
    tokens.map(|((class, key), violations)| format!("{} {key:#x} {violations}\n", class.name())).collect()
}

/// Compares both verdicts about some files. Returns the number of right, wrong and undecided files. No two files may
/// have a function of the same name, because errors of types can hide errors of the grammar.
fn compare_verdicts<B: Backend>(backend: &B, files: &[String]) -> [usize; 3] {
    let sources = sources(files.iter().map(String::as_str));
    let mut counts = [0; 3];
    let decisions = accepted(backend, &sources, false).into_iter().zip(accepted(backend, &sources, true));
    for ((file, verdict), (accepted, with_arrays)) in files.iter().zip(sequential(&sources)).zip(decisions) {
        counts[verdict as usize] += 1;
        let agree = match verdict {
            Verdict::Wrong => !accepted && (!with_arrays || has_typed_places(file)),
            _ if has_other_forms(file) => !accepted,
            Verdict::Right => accepted && with_arrays,
            Verdict::Undeclared => true,
        };
        assert!(
            agree,
            "the front end says {verdict:?}, the passes say {accepted}: {file}\n{}",
            classes_of(backend, file)
        );
    }
    counts
}

/// The tokens of the exhaustive test. A name is spelled by the tokens around it.
const SHORT: [&str; 25] = [
    "name", "1", "fn", "extern", "if", "elif", "else", "while", "for", "return", "var", "int", "-", "!", "<", "=", ":",
    ";", ",", "(", ")", "[", "]", "{", "}",
];

/// The tokens before and after the strings of the exhaustive test.
const CONTEXTS: [(&str, &str); 10] = [
    ("", ""),
    ("fn f [ p : int ] : int {", "}"),
    ("fn f [ p : int ] : int { if p { }", "}"),
    ("fn f [ p : int ] : int { p", "; }"),
    ("fn f [ p : int ] : int { f [", "] ; }"),
    ("fn f [", "] { }"),
    ("fn f [ p : int ] : int { var v", "; }"),
    ("fn f [ p : int ] : int { if 1", "{ } }"),
    ("fn f [ p : int ] : int { for i < 1", "{ } }"),
    ("fn f [ p : int ] : int { p = if [ p ,", "] ; }"),
];

/// Writes the string with number `k` of `length` tokens into a context. Names are declared, except at top level.
fn short(context: (&str, &str), length: usize, mut k: usize) -> String {
    let (f, g) = (format!("f{k}"), format!("g{k}"));
    let mut tokens: Vec<&str> = context.0.split_whitespace().collect();
    for _ in 0..length {
        tokens.push(SHORT[k % SHORT.len()]);
        k /= SHORT.len();
    }
    tokens.extend(context.1.split_whitespace());
    for i in 0..tokens.len() {
        if tokens[i] == "f" {
            tokens[i] = &f;
        } else if tokens[i] == "name" {
            let before = i.checked_sub(1).map_or("", |i| tokens[i]);
            let after = tokens.get(i + 1).copied().unwrap_or("");
            tokens[i] = match (before, after) {
                ("fn", _) => &g,
                ("var", _) => "w",
                ("for", _) => "i",
                (_, "(" | "[") => &f,
                _ => "p",
            };
        }
    }
    tokens.join(" ")
}

/// Compares the verdicts about all strings of up to `longest` tokens in all contexts.
fn all_strings(longest: usize) -> [usize; 3] {
    let cpu = Cpu::with_threads(2);
    let mut counts = [0; 3];
    // A function `for` makes the word a name in all files of a program.
    let (mut files, mut with_for) = (Vec::new(), Vec::new());
    for context in CONTEXTS {
        for length in 0..=longest {
            for k in 0..SHORT.len().pow(length as u32) {
                let file = short(context, length, k);
                let files = if file.contains("fn for") { &mut with_for } else { &mut files };
                files.push(file);
                if files.len() == 1 << 14 {
                    add(&mut counts, compare_verdicts(&cpu, &std::mem::take(files)));
                }
            }
            add(&mut counts, compare_verdicts(&cpu, &std::mem::take(&mut files)));
            add(&mut counts, compare_verdicts(&cpu, &std::mem::take(&mut with_for)));
        }
    }
    counts
}

fn add(counts: &mut [usize; 3], more: [usize; 3]) {
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
}

#[test]
fn all_strings_of_three_tokens_have_the_same_verdict() {
    let [right, wrong, undeclared] = all_strings(3);
    assert_eq!(right + wrong + undeclared, 10 * (1 + 25 + 625 + 15_625));
    // A `for` that is not before a word is a name that is not declared, unless a function of the file has this name.
    assert_eq!((right, undeclared), (250, 275), "right and undecided");
}

#[test]
#[ignore = "takes minutes"]
fn all_strings_of_four_tokens_have_the_same_verdict() {
    println!("{:?}", all_strings(4));
}

#[test]
#[ignore = "takes ten minutes"]
fn all_strings_of_five_tokens_have_the_same_verdict() {
    println!("{:?}", all_strings(5));
}

/// Gives the functions of a random program names that only file `k` has.
fn renamed(mut tokens: Vec<String>, k: usize) -> Vec<String> {
    let is_function =
        |token: &&mut String| token.starts_with('f') && token[1..].bytes().all(|byte| byte.is_ascii_digit());
    tokens.iter_mut().filter(is_function).for_each(|token| token.push_str(&format!("_{k}")));
    tokens
}

/// Compares the verdicts about random programs with up to three damaged tokens.
fn damaged_programs(count: usize) -> [usize; 3] {
    let cpu = Cpu::with_threads(2);
    let mut rng = Rng::new(number("TREEPAR_SEED", 1));
    let mut counts = [0; 3];
    for first in (0..count).step_by(1000) {
        let files: Vec<String> = (first..count.min(first + 1000))
            .map(|k| {
                let mut tokens = grammar::program(rng.next(), 2);
                grammar::damage(&mut tokens, &mut rng);
                renamed(tokens, k).join(" ")
            })
            .collect();
        add(&mut counts, compare_verdicts(&cpu, &files));
    }
    counts
}

#[test]
fn damaged_programs_have_the_same_verdict() {
    let count = damaged() as usize;
    let [right, wrong, undeclared] = damaged_programs(count);
    let counts = format!("{right} right, {wrong} wrong, {undeclared} undecided");
    assert!(right > count / 60 && wrong > count / 3 * 2 && undeclared <= count / 100, "{counts}");
}

/// The columns of a tree that syntax determines.
#[derive(Debug, Default, PartialEq, Eq)]
struct Columns {
    depth: Vec<u32>,
    kind: Vec<u8>,
    pos: Vec<u32>,
    /// The bits of a literal, 0 of other nodes.
    literal: Vec<u32>,
    end: Vec<u32>,
}

/// Returns the columns of the program's own nodes, as the sequential front end makes them.
fn expected(sources: &Sources) -> Columns {
    let tree = parse_program(sources).unwrap_or_else(|errors| {
        let shown: Vec<_> = errors.iter().take(3).map(|error| &error.message).collect();
        panic!("a valid program has errors: {shown:?}")
    });
    // The functions of the runtime follow the program.
    let bytes = sources.files().last().map_or(0, |file| file.start + file.text.len() as u32 + 1);
    let n = tree.pos.partition_point(|&pos| pos < bytes);
    let n = if tree.pos[..n].iter().all(|&pos| pos < bytes) { n } else { unreachable!() };
    let mut columns = Columns {
        depth: tree.depth[..n].to_vec(),
        kind: tree.kind[..n].to_vec(),
        pos: tree.pos[..n].to_vec(),
        literal: (0..n).map(|i| if tree.kind[i] == kind::LITERAL { tree.data[i] } else { 0 }).collect(),
        end: vec![n as u32; n],
    };
    let mut open: Vec<usize> = Vec::new();
    for i in 0..n {
        while open.last().is_some_and(|&above| columns.depth[above] >= columns.depth[i]) {
            columns.end[open.pop().expect("an open node")] = i as u32;
        }
        open.push(i);
    }
    // The parser makes calls; a later pass makes operations of calls of `sqrt` and `abs`.
    for i in 0..n {
        if columns.kind[i] == kind::SQRT || columns.kind[i] == kind::ABS {
            (columns.kind[i], columns.kind[i + 1]) = (kind::CALL, kind::ARG);
        }
    }
    columns
}

/// Returns the columns that the passes make of valid files.
fn found<B: Backend>(backend: &B, sources: &Sources) -> Columns {
    let (host, errors) = token_table(sources);
    assert!(errors.is_empty());
    let tokens = Tokens::upload(backend, &host).expect("uploaded tokens");
    let (classified, _) = classes(backend, &tokens).expect("classes");
    let checked = syntax(backend, &classified).expect("a check");
    assert_eq!(checked.errors, 0, "a valid program is refused");
    let parsed = parse(backend, &tokens, &classified, &checked).expect("a tree");
    let HostSyntaxNodes { depth, kind, token, end } = parsed.nodes.download(backend).expect("downloaded nodes");
    let node = backend.download(&parsed.node).expect("downloaded places");
    let mut owned = vec![false; depth.len()];
    for &node in node.iter().filter(|&&node| node != u32::MAX) {
        assert!(!std::mem::replace(&mut owned[node as usize], true), "two tokens have node {node}");
    }
    assert!(owned.iter().all(|&owned| owned), "a node has no token");
    let literal = |(kind, token): (&Kind, &refcompiler::ir::tokens::TokenId)| {
        if *kind == Kind::Literal { host.value[token.index()] } else { 0 }
    };
    Columns {
        pos: token.iter().map(|token| host.start[token.index()]).collect(),
        literal: kind.iter().zip(&token).map(literal).collect(),
        kind: kind.iter().map(|kind| kind.code()).collect(),
        depth,
        end,
    }
}

fn assert_same_columns(what: &str, found: &Columns, expected: &Columns) {
    fn same<T: PartialEq + std::fmt::Debug>(what: &str, name: &str, found: &[T], expected: &[T]) {
        let at = found.iter().zip(expected).position(|(a, b)| a != b);
        assert!(
            at.is_none(),
            "{what}: {name} of node {at:?}: {:?}, not {:?}",
            found[at.unwrap()],
            expected[at.unwrap()]
        );
        assert_eq!(found.len(), expected.len(), "{what}: {name}");
    }
    same(what, "depth", &found.depth, &expected.depth);
    same(what, "kind", &found.kind, &expected.kind);
    same(what, "pos", &found.pos, &expected.pos);
    same(what, "literal", &found.literal, &expected.literal);
    same(what, "end", &found.end, &expected.end);
}

/// Compares the trees of some files, which are one program, on several numbers of threads.
fn compare_trees(what: &str, files: &[&str]) {
    let sources = sources(files.iter().copied());
    let expected = expected(&sources);
    for threads in [1, 2, 4] {
        assert_same_columns(what, &found(&Cpu::with_threads(threads), &sources), &expected);
    }
}

#[test]
fn examples_have_the_same_tree() {
    let mut compared = 0;
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("an example");
            if !parse_program(&sources([&text[..]])).is_ok_and(|tree| tree.arrays || !tree.composites.is_empty()) {
                compare_trees(&path.display().to_string(), &[&text]);
                compared += 1;
            }
        }
    }
    assert!(compared >= 12, "only {compared} examples without arrays were found");
}

#[test]
fn random_programs_have_the_same_tree() {
    let cpu = Cpu::with_threads(1);
    for seed in 1..=1_000 {
        let text = refcompiler_programs::larger_program(seed).to_string();
        let sources = sources([&text[..]]);
        assert_same_columns(&format!("program {seed}"), &found(&cpu, &sources), &expected(&sources));
    }
}

/// Compares the trees of random programs in batches. Each batch is one program of many files.
fn every_construct(batches: u64) {
    let mut nodes = 0;
    for batch in 0..batches {
        let texts: Vec<String> =
            (0..500).map(|k| renamed(grammar::program(500 * batch + k, 3), k as usize).join(" ")).collect();
        let sources = sources(texts.iter().map(String::as_str));
        let expected = expected(&sources);
        nodes += expected.depth.len();
        for threads in [1, 2, 4] {
            let found = found(&Cpu::with_threads(threads), &sources);
            assert_same_columns(&format!("batch {batch} on {threads} threads"), &found, &expected);
        }
    }
    assert!(nodes as u64 > 50_000 * batches, "only {nodes} nodes");
}

#[test]
fn random_programs_of_every_construct_have_the_same_tree() {
    every_construct(8);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_programs_of_every_construct_have_the_same_tree() {
    every_construct(200);
}

/// Returns a function around some statements.
fn function(body: &str) -> String {
    format!("fn main[p: int]: int {{ {body} return 0; }}")
}

/// Returns `first`, then `times` times `more`.
fn repeated(first: &str, more: &str, times: usize) -> String {
    first.to_string() + &more.repeat(times)
}

#[test]
fn difficult_shapes_have_the_same_tree() {
    let deep = 100_000;
    let shapes = [
        ("parentheses", function(&format!("p = {}1{};", "(".repeat(deep), ")".repeat(deep)))),
        ("casts", function(&format!("p = {}1{};", "int(".repeat(deep), ")".repeat(deep)))),
        ("unary minus", function(&format!("p = {}2147483648;", "-".repeat(deep)))),
        ("unary operators", function(&format!("p = 1 - {}p;", "-!~".repeat(deep)))),
        ("operators", function(&format!("p = {};", repeated("p", " + p * 2 - 1", deep)))),
        ("assignments", function(&format!("{}1;", "p = ".repeat(deep)))),
        ("chain of elif", function(&repeated("if p { }", " elif p { ; }", 10_000))),
        (
            "chain of elif with else",
            function(&(repeated("if p { }", " elif p { p = 1; }", 10_000) + " else { p = 2; }")),
        ),
        ("nested else", function(&("if p { } else { ".repeat(10_000) + &"}".repeat(10_000)))),
        ("blocks", function(&("{".repeat(deep) + &"}".repeat(deep)))),
        ("loops", function(&("while p { ".repeat(10_000) + "p = 1;" + &"}".repeat(10_000)))),
        ("one function", function(&"p = p * 3 + 1; if p { p = main[p - 1]; } else { ; }".repeat(3_000))),
        ("statements", function(&";".repeat(deep))),
        ("ascriptions", function(&format!("p = {};", repeated("p", " : int", deep)))),
        ("calls", function(&format!("p = {}1{};", "main[".repeat(deep), "]".repeat(deep)))),
    ];
    for (what, text) in shapes {
        compare_trees(what, &[&text]);
    }
}

#[test]
fn programs_of_several_files_have_the_same_tree() {
    compare_trees("no file", &[]);
    compare_trees("an empty file", &[""]);
    compare_trees("empty files", &["", " // nothing", "\n"]);
    compare_trees(
        "files",
        &["fn a[] { }", "", "extern fn b[x: int]: int; fn c[]: int { return b[1]; }", "fn main[] { a[]; }"],
    );
    let mut text = String::new();
    for k in 0..3_000 {
        write!(text, "fn f{k}[x: int, y: float] {{ var c = (var b = x = 123) + 3; var d: float; f{k}[c + b, d]; }} ")
            .unwrap();
    }
    compare_trees("many functions", &[&text, "extern fn z[]; fn g[] { z[]; }"]);
}

#[test]
fn deep_brackets_that_do_not_match_are_refused() {
    let cpu = Cpu::with_threads(2);
    for (open, close) in [("(", "]"), ("{", ")"), ("[", ")"), ("(", ""), ("", "}"), ("{", "")] {
        let text = function(&format!("p = {}1{};", open.repeat(50_000), close.repeat(50_000)));
        assert_eq!(accepted(&cpu, &sources([&text[..]]), false), [false], "{open} {close}");
    }
}

/// Each statement that a program may not hold, in the body of a function with the variable `p` and the function `f`.
const WRONG: &[&str] = &[
    "(p) = 5;",
    "var x: int : int;",
    "var x: int : int = 3;",
    "{ p ); }",
    "{ { p ); }",
    "f[1 }; ]",
    "if p ;",
    "if p { } p {",
    "return p",
    "else { }",
    "if p { } else { } else { }",
    "if p { } else { } elif p { }",
    "while p { } else { }",
    "{ } else { }",
    "elif p { }",
    "p = ;",
    "= p;",
    "p p;",
    "f[,];",
    "f[1,];",
    "f[1 2];",
    "f(1];",
    "f[1);",
    "int p;",
    "int();",
    "();",
    "(p;",
    "p);",
    "p + ;",
    "+ p;",
    "p + var x: int;",
    "p = 1 + p = 2;",
    "(p = 1) = 2;",
    "1 = p;",
    "p : 1;",
    "p : p;",
    "p : int + 1;",
    "p : int = 1;",
    "var x;",
    "var 1;",
    "var x: = 1;",
    "var x: int int;",
    "var p + 1;",
    "return return;",
    "return if p { };",
    "if { }",
    "while { }",
    "if p { } ;;; elif p { }",
    "fn g[p] { }",
    "fn g[p: int,] { }",
    "fn g[int: p] { }",
    "fn g { }",
    "fn g[] : { }",
    "fn g[];",
    "fn [] { }",
    "fn g() { }",
    "extern fn g[];",
    "2147483648;",
    "1 - 2147483648;",
    "-(2147483648);",
    "~2147483648;",
    "p[;",
    "f[;];",
    "f[{}];",
    "({});",
    "(;);",
    "p ! p;",
    "p ~ 1;",
    "!;",
    "f[1][2];",
    "f[](1);",
    "(f)[1];",
    "1(2);",
    "int(1, 2);",
    "(1, 2);",
    "1, 2;",
    "p = 1, p = 2;",
    "f[p = ];",
    "if p, p { }",
    "if (p { }",
    "if p) { }",
    "while (p { } while p) { }",
    "if p { fn } ",
    "return 1, 2;",
    "return ) ;",
    "p = fn g[] { };",
    ": int;",
    "p :;",
    "-;",
    "- -;",
    "p = var x;",
    "p = var;",
    "p = var 3;",
    "p = if p { };",
    "f",
    "f[1]",
    "p = p",
    "{ p }",
    "{ return }",
    "if p { p }",
];

#[test]
fn wrong_statements_are_refused() {
    let files: Vec<String> =
        WRONG.iter().map(|body| format!("fn f[p: int]: int {{ {body} return 0; }} extern fn h[];")).collect();
    let sources = sources(files.iter().map(String::as_str));
    for ((file, accepted), verdict) in
        files.iter().zip(accepted(&Cpu::new(), &sources, false)).zip(sequential(&sources))
    {
        assert!(!accepted, "the passes accept {file}");
        // An index after a bracket is an error of types.
        assert!(verdict == Verdict::Wrong || has_other_forms(file), "{file}");
    }
}

/// Returns whether the syntax passes accept a file with brackets of arrays, and the classes of its tokens.
fn accepts_arrays(text: &str) -> (bool, Vec<&'static str>) {
    let cpu = Cpu::with_threads(1);
    let (host, errors) = token_table(&sources([text]));
    assert!(errors.is_empty(), "{text}");
    let tokens = brackets(&cpu, &Tokens::upload(&cpu, &host).expect("uploaded tokens")).expect("brackets").tokens;
    let (classified, _) = classes(&cpu, &tokens).expect("classes");
    let errors = syntax(&cpu, &classified).expect("a check").errors;
    let HostClassified { class, .. } = classified.download(&cpu).expect("downloaded classes");
    (errors == 0, class.iter().map(|class| class.name()).collect())
}

#[test]
fn forms_of_arrays_are_in_the_grammar() {
    let deep = format!("var d: {}int{}; ", "[".repeat(15), "]".repeat(15));
    let statements = [
        "var a: [int];",
        "var a: [[float]] = b;",
        "var a = [1, 2, 3];",
        "var a = [[1, 2], [f[1][2], -3]];",
        "a = b : [int];",
        "x = f[x][i, 2][j] + (a)[i] * -[1, 2][0];",
        "x = if[c, a, b][1];",
        "a[i] = 3;",
        "a[i, j + 1] = b = c;",
        "if x { a[i] = 3; } a[i] = 4;",
        "{ } a[i] = var z = [1];",
        "return [1][0];",
        "var y: int = f[1][2] : int;",
        &deep,
    ];
    for statement in statements {
        let program = format!("fn f[x: [int], y: *[[float]], z: int]: [[int]] {{ {statement} }}");
        let (is_accepted, classes) = accepts_arrays(&program);
        assert!(is_accepted, "{statement}: {classes:?}");
    }
}

#[test]
fn wrong_forms_of_arrays_are_refused() {
    let deep = format!("var d: {}int{};", "[".repeat(16), "]".repeat(16));
    let statements = [
        "var a: [int;",
        "var a: [[int];",
        "var a: [int]];",
        "var a: *[int];",
        "var a: [void];",
        "var a: [3];",
        "a = [];",
        "a = [1,];",
        "a = [1;",
        "a = 3[1];",
        "a = f[1][];",
        "a = f[1] [2;",
        "f[1][2] = 3;",
        "(a)[2] = 3;",
        "[1][2] = 3;",
        "1 + a[i] = 3;",
        "x = a[i] = 3;",
        "f[a[i] = 3];",
        "return a[i] = 3;",
        "if a[i] = 3 { }",
        "a[i] = ;",
        "a[i = 3];",
        "a[i] = b[2] = c;",
        "a[[int]] = 3;",
        "x : [int] [2];",
        &deep,
    ];
    for statement in statements {
        let program = format!("fn f[x: [int]]: int {{ {statement} }}");
        let expected = statement == "a[i = 3];";
        let (is_accepted, classes) = accepts_arrays(&program);
        assert_eq!(is_accepted, expected, "{statement}: {classes:?}");
    }
}

#[test]
fn brackets_change_no_tokens_of_programs_without_arrays() {
    let cpu = Cpu::with_threads(2);
    for seed in 0..200 {
        let text = grammar::program(seed, 3).join(" ");
        let (host, _) = token_table(&sources([&text[..]]));
        let tokens = Tokens::upload(&cpu, &host).expect("uploaded tokens");
        let found = brackets(&cpu, &tokens).expect("brackets").tokens.download(&cpu).expect("tokens");
        assert!(found.kind == host.kind && found.start == host.start && found.value == host.value, "{text}");
    }
}
