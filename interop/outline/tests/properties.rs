//! `outline` finds what `plain_outline` finds, on every backend of the build.

use treepar::Cpu;
use treepar_laws::drawn::Rng;
use treepar_outline::{Section, outline, plain_outline};

/// Appends a line: often a heading, or almost one, then some words.
fn push_line(text: &mut String, rng: &mut Rng) {
    if rng.below(3) == 0 {
        for _ in 0..=rng.below(8) {
            text.push('#');
        }
        text.push_str(rng.one_of(&[" ", " ", "", "\t", "\r", "x"]));
    }
    for _ in 0..rng.below(6) {
        text.push_str(rng.one_of(&["a", "bc", "word", "é", "#", "\0", " ", "  ", "\t", "\r"]));
    }
}

treepar_laws::properties! {
    /// The text has `n` lines. It ends in a newline if the last line is empty.
    fn lines_match_plain(backend, rng, n) {
        let mut text = String::new();
        for line in 0..n {
            if line > 0 {
                text.push('\n');
            }
            push_line(&mut text, rng);
        }
        assert_eq!(outline(backend, &text).unwrap(), plain_outline(&text));
    }

    /// The text has `n` bytes of ASCII, half of them such as headings and words are made of.
    fn bytes_match_plain(backend, rng, n) {
        let mut text = String::new();
        for _ in 0..n {
            let byte = if rng.below(2) == 0 { rng.one_of(b"##\n\n \t\ra") } else { rng.below(128) as u8 };
            text.push(char::from(byte));
        }
        assert_eq!(outline(backend, &text).unwrap(), plain_outline(&text));
    }

    /// No line is a heading.
    fn text_without_headings_has_no_sections(backend, rng, n) {
        let mut text = String::new();
        for _ in 0..n {
            text.push_str(rng.one_of(&["a ", "-#\n", "\n", "\t"]));
        }
        assert!(outline(backend, &text).unwrap().is_empty());
    }
}

#[test]
fn outline_of_a_small_text() {
    let text = "intro\n# A b\none two\n### C\nthree\n#no heading\n## D\n#######\n#\nlast words";
    let expected = [
        Section { line: 1, level: 1, depth: 0, words: 13 },
        Section { line: 3, level: 3, depth: 1, words: 5 },
        Section { line: 6, level: 2, depth: 1, words: 3 },
        Section { line: 8, level: 1, depth: 0, words: 3 },
    ];
    assert_eq!(outline(&Cpu::new(), text).unwrap(), expected);
    assert_eq!(plain_outline(text), expected);
}

#[test]
fn outlines_of_edge_cases() {
    let block = "a".repeat(64);
    let texts = ["", "\n", " ", "a", "#", "#\n", "# ", "#\0", "#\r\n# a\r\n", "a\n######", "# \n###\n######", &block];
    for text in texts {
        assert_eq!(outline(&Cpu::new(), text).unwrap(), plain_outline(text), "{text:?}");
    }
    // Texts that end around the edge of a word of marks.
    for n in 50..140 {
        let text = format!("# {}", "a".repeat(n));
        assert_eq!(outline(&Cpu::new(), &text).unwrap(), [Section { line: 0, level: 1, depth: 0, words: 2 }], "{n}");
    }
}

#[test]
fn the_outline_takes_less_than_one_and_a_half_times_the_lines() {
    let source = include_str!("../src/lib.rs");
    let (_, functions) = source.split_once("#[device(map)]").unwrap();
    let (parallel, plain) = functions.split_once("pub fn plain_outline").unwrap();
    let lines = |code: &str| {
        let code = code.lines().map(str::trim);
        code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    };
    let (parallel, plain) = (lines(parallel), lines(plain));
    assert!(2 * parallel < 3 * plain, "{parallel} lines, and {plain}");
}
