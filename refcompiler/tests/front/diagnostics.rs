//! Errors and warnings: each is tested with its code, its position, its text and its advice.

use std::path::Path;

use refcompiler::diagnostics::{Code, Diagnostic, MAX_JSON, MAX_PRINTED, render, render_json};
use refcompiler::frontend::sequential::{Extent, Sources, check_program, parse_program};
use refcompiler::frontend::uniqueness::unique_on_cpu;
use refcompiler::ir::builtins::{BUILTINS, Builtin, hidden};
use refcompiler::ir::tree::ty;
use refcompiler_programs::Rng;
use treepar::Cpu;

use crate::grammar::TOKENS;

fn sources(bytes: impl AsRef<[u8]>) -> Sources {
    let mut sources = Sources::new();
    sources.add("test.par", bytes.as_ref().to_vec()).expect("a small text");
    sources
}

/// Returns the errors of a program, which has some.
fn errors(sources: &Sources) -> Vec<Diagnostic> {
    parse_program(sources).expect_err("a program with errors")
}

/// Returns `CODE LINE:COLUMN-END message [LINE:COLUMN label].. (help)`.
fn line(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = |position| sources.locate(position).map(|(_, line, column)| (line, column)).expect("a place in a file");
    let ((line, column), (end_line, end)) = (place(diagnostic.span.start), place(diagnostic.span.end));
    let end = if end_line == line { end.to_string() } else { format!("{end_line}:{end}") };
    let mut text = format!("{} {line}:{column}-{end} {}", diagnostic.code.text(), diagnostic.message);
    for (span, label) in &diagnostic.others {
        let (line, column) = place(span.start);
        text += &format!(" [{line}:{column} {label}]");
    }
    if let Some(help) = &diagnostic.help {
        text += &format!(" ({help})");
    }
    text
}

/// Returns the errors of a program, or else its warnings.
fn lines(program: &str, extent: Extent) -> Vec<String> {
    let sources = sources(program);
    let checked =
        check_program(&sources, extent).and_then(|checked| unique_on_cpu(&Cpu::with_threads(1), checked, &sources));
    let diagnostics = match checked {
        Ok((_, warnings)) => warnings.iter().map(|warning| warning.diagnostic(&sources)).collect(),
        Err(errors) => errors,
    };
    diagnostics.iter().map(|diagnostic| line(&sources, diagnostic)).collect()
}

/// Checks the files of `tests/diagnostics`: each block is a program, then `> ` and each of its errors or warnings.
///
/// With the environment variable `BLESS`, the expected lines are replaced by the lines found.
#[test]
fn programs_have_the_expected_errors_and_warnings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of expected errors") {
        let path = entry.expect("an entry").path();
        let extent = if path.ends_with("executable.txt") { Extent::Executable } else { Extent::Object };
        let text = std::fs::read_to_string(&path).expect("a text");
        let (header, blocks) = text.split_once("\n\n").expect("a header");
        let mut found = header.to_string() + "\n";
        for block in blocks.trim_end().split("\n\n") {
            let program: Vec<&str> = block.lines().take_while(|line| !line.starts_with('>')).collect();
            let program = program.join("\n");
            let expected = lines(&program, extent).iter().map(|line| format!("> {line}\n")).collect::<String>();
            let expected = if expected.is_empty() { ">\n".to_string() } else { expected };
            found += &format!("\n{program}\n{expected}");
            programs += 1;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, found).expect("a written file");
            continue;
        }
        for (found, expected) in found.split("\n\n").zip(text.split("\n\n")) {
            assert_eq!(found.trim_end(), expected.trim_end(), "{}", path.display());
        }
        assert_eq!(found, text, "{}", path.display());
    }
    assert!(programs > 150, "{programs} programs");
}

#[test]
fn every_code_is_tested_and_has_its_own_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let files = std::fs::read_dir(folder).expect("the folder of expected errors");
    let all: String = files
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a text"))
        .chain([include_str!("diagnostics.rs").replace('"', "> ")])
        .collect();
    let mut texts: Vec<&str> = Code::ALL.iter().map(|code| code.text()).collect();
    for text in &texts {
        assert!(all.contains(&format!("> {text} ")), "no test expects {text}");
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), Code::ALL.len());
}

#[test]
fn the_examples_have_no_warnings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("a program");
            assert_eq!(lines(&text, Extent::Executable), [""; 0], "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 15, "{count} programs");
}

#[test]
fn the_runtime_has_no_warnings() {
    let type_name = |code: u8| ty::NAMES[code as usize];
    let declared = |builtin: &Builtin| {
        let parameters = builtin.parameters.iter().enumerate();
        let parameters: Vec<String> = parameters.map(|(k, &code)| format!("p{k}: {}", type_name(code))).collect();
        format!("extern fn {}[{}]: {};\n", builtin.name, parameters.join(", "), type_name(builtin.result))
    };
    for builtin in &BUILTINS {
        let Some(text) = builtin.text else { continue };
        let others = hidden().filter(|other| other.id != builtin.id);
        let program = others.map(declared).collect::<String>() + text;
        assert_eq!(lines(&program, Extent::Object), [""; 0], "{}", builtin.name);
    }
}

#[test]
fn a_program_with_errors_has_no_warnings() {
    let found = lines("fn f[]: void { var unused = 1; x; }", Extent::Object);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("E0301 "), "{}", found[0]);
}

#[test]
fn bytes_that_are_not_utf8_are_shown_with_their_line() {
    let bytes = b"fn f[]: void {}\n// caf\xe9 \xe9\n";
    let sources = sources(bytes);
    let errors = errors(&sources);
    let found: Vec<String> = errors.iter().map(|error| line(&sources, error)).collect();
    let help = "(save the file as UTF-8; in Latin-1 the byte 0xe9 is `é`)";
    assert_eq!(
        found,
        [
            format!("E0104 2:7-8 the byte 0xe9 is not UTF-8 {help}"),
            format!("E0104 2:9-10 the byte 0xe9 is not UTF-8 {help}")
        ]
    );
    assert!(render(&sources, &errors, false).contains("2 | // caf? ?"));
    assert!(render_json(&sources, &errors).contains("\"start\":22,\"end\":23"), "offsets are those of the file");
}

#[test]
fn of_many_bytes_that_are_not_utf8_some_are_shown_and_all_counted() {
    let sources = sources([0xff; 1000]);
    let errors = errors(&sources);
    assert_eq!(errors.len(), 10);
    let help = errors[9].help.as_deref().expect("advice");
    assert!(help.contains("UTF-16") && help.ends_with("; 990 more bytes of this file are not UTF-8"), "{help}");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(lines("\u{feff}fn f[]: void { }", Extent::Object), [""; 0]);
    let found = lines("\u{feff}fn f[]: void { x; }", Extent::Object);
    assert!(found[0].starts_with("E0301 1:16-17 "), "the column does not count the mark: {}", found[0]);
    let second = lines("fn f[]: void { } \u{feff}", Extent::Object);
    assert_eq!(second, ["E0101 1:18-19 unknown character U+FEFF (delete it, or write a space)"]);
}

/// The whole text for a person, once for each shape of a message.
#[test]
fn errors_are_shown_with_their_lines() {
    let shown = |text: &str| {
        let sources = sources(text);
        render(&sources, &errors(&sources), false)
    };
    assert_eq!(
        shown("fn main[]: int {\n    var x = 1 + 2.5;\n    return x;\n}\n"),
        "\
error[E0401]: the operands of `+` have different types: `int` and `float`
 --> test.par:2:17
  |
2 |     var x = 1 + 2.5;
  |             -   ^^^ expected `int`, found `float`
  |             |
  |             this is `int`
  |
  = help: nothing is converted implicitly: use `int(..)` or `float(..)`

1 error
"
    );
    assert_eq!(
        shown("fn f[x: int]: void { }\n\n\n\n\n\nfn g[]: void {\n    f[];\n}\n"),
        "\
error[E0402]: `f` takes 1 argument, found 0
 --> test.par:8:5
  |
1 | fn f[x: int]: void { }
  |    - declared here
...
8 |     f[];
  |     ^^^ expected 1 argument

1 error
"
    );
}

#[test]
fn warnings_are_shown_as_warnings() {
    let sources = sources("fn f[]: void { var x = 1; }");
    let (_, warnings) = check_program(&sources, Extent::Object).expect("a valid program");
    let warnings: Vec<_> = warnings.iter().map(|warning| warning.diagnostic(&sources)).collect();
    let text = render(&sources, &warnings, false);
    assert!(text.starts_with("warning[W0301]: unused variable `x`") && text.ends_with("\n1 warning\n"), "{text}");
    assert!(render(&sources, &warnings, true).contains('\x1b'));
}

#[test]
fn of_a_long_line_the_part_around_the_mark_is_shown() {
    let text = format!("fn f[]: int {{ return 0{} + x{}; }}", " + 1".repeat(2_500_000), " + 2".repeat(1000));
    let sources = sources(text);
    let shown = render(&sources, &errors(&sources), false);
    let header = shown.lines().nth(1).expect("a header");
    assert_eq!(header, " --> test.par:1:10000026");
    assert!(shown.contains("1 | ...1 + 1") && shown.contains("+ 1 + x + 2") && shown.contains("+ 2 + ..."), "{shown}");
    assert!(!shown.contains(":::") && shown.lines().all(|line| line.len() < 200), "{shown}");
}

#[test]
fn two_marks_far_apart_in_a_long_line_are_shown_apart() {
    let text = format!("fn f[]: void {{ (1{}; }}", " + 1".repeat(1000));
    let sources = sources(text);
    let shown = render(&sources, &errors(&sources), false);
    assert!(shown.contains("--> test.par:1:4018") && shown.contains("::: test.par:1:16"), "{shown}");
    assert!(!shown.lines().any(|line| line.trim() == ":::"), "no header is empty:\n{shown}");
}

#[test]
fn a_long_name_is_shortened_everywhere() {
    let name = "n".repeat(1_000_000);
    for text in [
        format!("fn f[]: void {{ {name}; }}"),
        format!("fn f[]: void {{ {name}[]; }}"),
        format!("fn f[x: {name}]: void {{ }}"),
        format!("fn {name}[]: int {{ }}"),
        format!("fn f[]: void {{ var {name} = 1; var {name} = 2; }}"),
        format!("fn f[]: void {{ 1 {name}; }}"),
        format!("fn f[]: void {{ \"{name}\"; }}"),
        format!("fn f[]: void {{ é{name}; }}"),
        format!("fn f[]: void {{ 1{name}; }}"),
        format!("fn f[]: void {{ {name}++; }}"),
        format!("fn f[]: void {{ let {name} = 1; }}"),
        format!("{name}[]: void {{ }}"),
    ] {
        let sources = sources(&text);
        let errors = errors(&sources);
        assert!(render(&sources, &errors, false).len() < 2500, "{}", &text[..40]);
        assert!(render_json(&sources, &errors).len() < 2500, "{}", &text[..40]);
    }
}

#[test]
fn many_errors_are_counted_and_not_all_printed() {
    let sources = sources(format!("fn f[]: void {{ {} }}", "x; ".repeat(2000)));
    let errors = errors(&sources);
    assert_eq!(errors.len(), 2000);
    let text = render(&sources, &errors, false);
    assert_eq!(text.matches("error[E0301]").count(), MAX_PRINTED);
    assert!(text.ends_with("... and 1900 more\n\n2000 errors\n"));
    let json = render_json(&sources, &errors);
    assert_eq!(json.lines().count(), MAX_JSON + 1);
    assert!(
        json.ends_with("\"message\":\"1000 more are not shown\",\"labels\":[],\"help\":null}\n"),
        "{}",
        &json[json.len() - 200..]
    );
}

#[test]
fn json_has_one_object_per_line() {
    let mut two = sources("fn main[]: int {\n    return g[1,\n    2];\n}\n");
    two.add("b \"2\".par", b"fn g[x: int]: int { return x; }".to_vec()).expect("a small text");
    let json = render_json(&two, &errors(&two));
    assert_eq!(
        json,
        "{\"severity\":\"error\",\"code\":\"E0402\",\"message\":\"`g` takes 1 argument, found 2\",\
         \"file\":\"test.par\",\"start\":28,\"end\":39,\"line\":2,\"column\":12,\"end_line\":3,\"end_column\":7,\
         \"label\":\"expected 1 argument\",\"labels\":[{\"file\":\"b \\\"2\\\".par\",\"start\":3,\"end\":4,\"line\":1,\
         \"column\":4,\"end_line\":1,\"end_column\":5,\"label\":\"declared here\"}],\"help\":null}\n"
    );
}

/// Texts of random programs besides tokens: names with a meaning, and texts that are not tokens.
const OTHER_TEXTS: [&str; 8] = ["print_int", "main", "for", "let", "@", "é", "\"", "/*"];

/// Returns the texts of random programs.
fn texts() -> Vec<&'static str> {
    TOKENS.iter().copied().chain(OTHER_TEXTS).collect()
}

/// Checks the claims that hold for every rejected program. Returns its errors.
fn check_rejected(sources: &Sources, text: &str) -> Vec<Diagnostic> {
    let Err(errors) = parse_program(sources) else { return Vec::new() };
    assert!(!errors.is_empty(), "{text}");
    let places: Vec<_> = errors.iter().map(|error| (error.span.start, error.span.end)).collect();
    assert!(places.is_sorted(), "errors are in the order of their places: {text}");
    for error in &errors {
        assert!(error.code.is_error() && !error.message.is_empty() && !error.label.is_empty(), "{error:?}");
        for span in std::iter::once(&error.span).chain(error.others.iter().map(|(span, _)| span)) {
            let file = sources.file_at(span.start).expect("a file");
            assert!(span.start <= span.end && span.end as usize <= file.start as usize + file.text.len(), "{error:?}");
            assert!(file.text.is_char_boundary(file.offset(span.start)), "{error:?}");
            assert!(file.text.is_char_boundary(file.offset(span.end)), "{error:?}");
        }
        assert!(!error.message.contains(char::is_control) && error.message.len() < 300, "{error:?}");
    }
    let shown = render(sources, &errors, false);
    assert_eq!(shown.matches("\nerror[").count() + 1, errors.len().min(MAX_PRINTED), "{shown}");
    assert_eq!(render_json(sources, &errors).lines().count(), errors.len());
    errors
}

#[test]
fn random_tokens_are_accepted_or_rejected_with_positions() {
    let texts = texts();
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..4000 {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(60);
        let mut text = String::from(if seed % 2 == 0 { "fn f0[p: int]: int { " } else { "" });
        for _ in 0..count {
            text.push_str(rng.one_of(&texts));
            text.push(' ');
        }
        let sources = sources(&text);
        if check_rejected(&sources, &text).is_empty() { accepted += 1 } else { rejected += 1 }
    }
    assert!(rejected > 3900, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn random_bytes_are_accepted_or_rejected_with_positions() {
    for seed in 0..4000 {
        let mut rng = Rng::new(seed);
        let (count, limit) = (rng.below(80), if seed % 2 == 0 { 128 } else { 256 });
        let bytes: Vec<u8> = (0..count).map(|_| rng.below(limit) as u8).collect();
        let is_text = std::str::from_utf8(&bytes).is_ok();
        let sources = sources(&bytes);
        let errors = check_rejected(&sources, &format!("{bytes:?}"));
        let not_utf8 = errors.iter().filter(|error| error.code == Code::NotUtf8).count();
        assert_eq!(not_utf8, if is_text { 0 } else { errors.len() }, "{bytes:?}");
        assert!(is_text || not_utf8 > 0, "{bytes:?}");
    }
}

/// A valid program, whose functions are declared before they are called.
const VALID: &str = "\
fn gcd [ a : int , b : int ] : int { while b != 0 { var rest = a % b ; a = b ; b = rest ; } return a ; } \
fn half [ x : float ] : float { if x < 0.0 { return - half [ - x ] ; } elif x == 1.0 { return 0.5 ; } \
else { return ( x + 0.0 ) / 2.0 ; } } \
fn main [ ] : int { var y : float = half [ 3.0 ] ; var k : int ; k = gcd [ 12 , int ( y ) ] ; { ; k = k << 2 ; } \
print_int [ k : int ] ; return k && 1 || ! 0 ; }";

/// One wrong token leads to no error of spelling, grammar or names before it.
#[test]
fn no_error_is_before_a_wrong_token() {
    let words: Vec<&str> = VALID.split(' ').collect();
    assert!(parse_program(&sources(VALID)).is_ok());
    for at in 0..words.len() {
        let before = words[..at].join(" ");
        // A name before the token may become the name of a function.
        let previous = words[..at.saturating_sub(1)].join(" ").len();
        for token in texts().into_iter().chain([""]) {
            let text = format!("{before} {token} {}", words[at + 1..].join(" "));
            let sources = sources(&text);
            for error in check_rejected(&sources, &text) {
                // Errors of types and of `=` mark whole operands; a missing `return` marks its function.
                let is_local = ["E01", "E02", "E03"].iter().any(|group| error.code.text().starts_with(group));
                let is_local = is_local && error.code != Code::NotAssignable;
                assert!(!is_local || error.span.start as usize >= previous, "{text}\n{error:?}");
            }
        }
    }
}

/// Characters that no token contains are one error, at their position.
#[test]
fn an_unknown_text_is_reported_once_at_its_position() {
    let words: Vec<&str> = VALID.split(' ').collect();
    for at in 0..=words.len() {
        for (inserted, code) in [
            ("@", Code::UnknownCharacter),
            ("größe", Code::UnknownCharacter),
            ("\"two words\"", Code::TextLiteral),
            ("'a'", Code::TextLiteral),
            ("0b1", Code::MalformedNumber),
        ] {
            let before = words[..at].join(" ");
            let text = format!("{before} {inserted} {}", words[at..].join(" "));
            let sources = sources(&text);
            let errors = check_rejected(&sources, &text);
            let start = before.len() as u32 + 1;
            let found: Vec<_> = errors.iter().filter(|error| error.span.start == start).map(|e| e.code).collect();
            assert_eq!(found, [code], "{text}");
            let grammar = errors.iter().filter(|error| error.code.text().starts_with("E02"));
            assert!(grammar.count() <= 1, "{text}\n{errors:?}");
        }
    }
}
