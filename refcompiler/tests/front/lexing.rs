//! The data-parallel lexer against the sequential one: accepted texts have the same tokens, and valid texts are accepted.

use std::path::Path;

use crate::oracle::lexer::{Verdict, compare, sources};
use refcompiler::frontend::sequential::lexer::KEYWORDS;
use refcompiler::frontend::sequential::token_table;
use refcompiler::ir::tokens::TokenKind;
use refcompiler_programs::{Rng, damaged, larger_program, number};
use treepar::Cpu;

/// Checks that a text without an error is accepted.
fn accepted(cpu: &Cpu, texts: &[impl AsRef<[u8]>]) {
    let sources = sources(texts);
    let verdict = compare(cpu, &sources);
    assert_eq!(verdict, Verdict::Accepted, "{:?}", sources.files().iter().map(|file| &file.text).collect::<Vec<_>>());
}

/// Checks that a text is not accepted.
fn refused(cpu: &Cpu, text: impl AsRef<[u8]>) {
    let text = text.as_ref();
    assert_ne!(compare(cpu, &sources(&[text])), Verdict::Accepted, "{:?}", String::from_utf8_lossy(text));
}

fn texts_in(folder: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            texts.push(std::fs::read_to_string(&path).expect("a text"));
        }
    }
    texts
}

#[test]
fn examples_and_the_runtime_are_accepted() {
    let cpu = Cpu::with_threads(1);
    let mut texts = [texts_in("examples"), texts_in("src/runtime"), texts_in("src/runtime/arrays")].concat();
    // Only the sequential lexer knows fields.
    texts.retain(|text| !token_table(&sources(&[text])).0.kind.contains(&TokenKind::Dot));
    assert!(texts.len() >= 65, "only {} texts were found", texts.len());
    texts.iter().for_each(|text| accepted(&cpu, &[text]));
    accepted(&cpu, &texts);
}

#[test]
fn random_programs_are_accepted() {
    let cpu = Cpu::with_threads(1);
    for seed in 0..3000 {
        accepted(&cpu, &[larger_program(seed).to_string()]);
    }
}

#[test]
fn threads_agree_on_many_programs() {
    let texts: Vec<String> = (0..300).map(|seed| larger_program(seed).to_string()).collect();
    for threads in [1, 2, 3, 7] {
        let cpu = Cpu::with_threads(threads);
        accepted(&cpu, &texts);
        accepted(&cpu, &[texts.concat()]);
        accepted(&cpu, &[texts.join("//")]);
    }
}

/// Bytes of all classes.
const BYTES: &[u8] = b"//\n\n  az_AZ09..<>=!&|+-*%^~:;,()[]{}\"'\\\t\r\0\x01\x0b\x7f@`#$?\xc3\xa9\xff\x8a\xaf0x1Ffn";

#[test]
fn whatever_the_bytes_accepted_tokens_are_right() {
    let (cpu, mut rng) = (Cpu::with_threads(1), Rng::new(7));
    let mut counts = [0; 3];
    for case in 0..30_000 {
        // Few kinds of bytes make long runs and many pairs of the same.
        let kinds: Vec<u8> = (0..1 + rng.below(12)).map(|_| rng.one_of(BYTES)).collect();
        let most = [8, 40, 300][case % 3];
        let text: Vec<u8> = (0..rng.below(most)).map(|_| rng.one_of(&kinds)).collect();
        counts[compare(&cpu, &sources(&[text])) as usize] += 1;
    }
    assert!(counts[0] > 3_000 && counts[1] > 10_000, "{counts:?}");
}

#[test]
fn all_pairs_and_triples_of_bytes_are_right() {
    let cpu = Cpu::with_threads(1);
    for a in 0..=255u8 {
        for b in 0..=255 {
            compare(&cpu, &sources(&[[a, b]]));
        }
    }
    let bytes = b"<>=!&|/*-.x0 \n";
    for a in bytes {
        for b in bytes {
            for c in bytes {
                for d in bytes {
                    compare(&cpu, &sources(&[[*a, *b, *c, *d]]));
                }
            }
        }
    }
}

#[test]
fn random_tokens_in_random_layouts_are_right() {
    let (cpu, mut rng) = (Cpu::with_threads(1), Rng::new(8));
    let words = ["x", "fn1", "elif", "eli", "elif_", "returned", "counter_", "position_of_the_first", "0", "10.25"];
    let numbers = [
        "1.5e-3",
        "12.25E+10",
        "7.0e2",
        "0x1F",
        "123456789",
        "2147483647",
        "0.000000015",
        "16777217.5",
        "00012",
        "3.4028235",
    ];
    let tokens: Vec<&str> = TokenKind::ALL
        .map(TokenKind::spelling)
        .into_iter()
        // A point by itself is one of a field.
        .filter(|s| !s.is_empty() && *s != ".")
        .chain(words)
        .chain(numbers)
        .collect();
    let spaces = [" ", "\n", "\t", "\r\n", "  ", "// a = \"b\" /* é", "//\n", "//x\n//y\n"];
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let mut text = String::new();
        let glued = rng.below(4);
        for _ in 0..rng.below(60) {
            text.push_str(rng.one_of(&tokens));
            if glued == 0 || !rng.once_in(glued) {
                text.push_str(spaces[if rng.once_in(6) { rng.below(spaces.len()) } else { rng.below(5) }]);
            }
        }
        let verdict = compare(&cpu, &sources(&[&text]));
        assert!(glued != 0 || verdict == Verdict::Accepted, "{text:?}");
        counts[verdict as usize] += 1;
    }
    assert!(counts[0] > 4_000 && counts[1] > 2_000, "{counts:?}");
}

#[test]
fn mutated_programs_are_right() {
    let (cpu, mut rng) = (Cpu::with_threads(1), Rng::new(number("TREEPAR_SEED", 9)));
    let count = damaged();
    let mut counts = [0; 3];
    let programs: Vec<Vec<u8>> = (0..count.min(500))
        .map(|seed| {
            let mut text = larger_program(seed).to_string().into_bytes();
            text.truncate(2_000);
            text
        })
        .collect();
    for program in programs.iter().cycle().take(count as usize) {
        let mut text = program.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(text.len());
            match rng.below(4) {
                0 => text[at] = rng.one_of(BYTES),
                1 => drop(text.remove(at)),
                2 => text.insert(at, rng.one_of(BYTES)),
                _ => {
                    let to = rng.below(text.len());
                    text.swap(at, to);
                }
            }
        }
        counts[compare(&cpu, &sources(&[text])) as usize] += 1;
    }
    assert!(counts[0] > count / 4 && counts[1] > count / 12, "{counts:?}");
}

#[test]
fn tokens_and_comments_cross_words_and_blocks() {
    let cpu = Cpu::with_threads(1);
    let long = "a".repeat(200);
    let texts = [
        "fn main[]: int { return 12345678 >>> 0x1F; } // the end",
        "a>>>b<<c&&d||e==f!=g<=h>=i//j\nk",
        "x//",
        "x/ /y",
        "\tx\r\n\t\ty\t=\r1;\r\n\t\t\t// \t\r\n\tz",
        "// only a comment",
        "//\n//\nx // y\n//// z\n/ w",
        "0.5 16777216.5 123456789.123456789 x",
        "for x < for for for // x\n y for( for",
        "a[..]x..y[1..2,x..y]1.5..2.5e1..0x1f..3 12345678..position_of_it..9//..\n.. ..",
        "1.5e-3-1.5e+3 a1e-3 0x1e-3 2.0E5+3.25e1//4.5e-1\n1.5e-3",
        &format!("// {long}\nx // {long}\n{long} {long}b // {long}"),
        &format!("{}x", "\n".repeat(70)),
        "",
    ];
    for before in 0..140 {
        for text in texts {
            accepted(&cpu, &[format!("{}{text}", " ".repeat(before))]);
            accepted(&cpu, &[format!("{}\n{text}", "/".repeat(before + 2))]);
        }
    }
}

#[test]
fn inputs_are_apart() {
    let cpu = Cpu::with_threads(1);
    accepted(&cpu, &[] as &[&str]);
    accepted(&cpu, &["", "", ""]);
    accepted(&cpu, &["// no line feed", "x", "/", "/ y", "a>", ">b", "1", ".5"].map(|text| text.replace(".5", "5")));
    for lengths in [[63, 1], [64, 64], [62, 65], [127, 128], [0, 64]] {
        accepted(&cpu, &lengths.map(|length| "z".repeat(length)));
        accepted(&cpu, &lengths.map(|length| format!("//{}", "z".repeat(length))));
    }
    // A gap byte that is not at the end of an input.
    refused(&cpu, "x\0y");
    refused(&cpu, "// x\0y");
    refused(&cpu, "\0");
}

#[test]
fn texts_that_only_the_front_end_explains_are_refused() {
    let cpu = Cpu::with_threads(1);
    for text in [
        "\u{feff}x",
        "/* x */",
        "x /* // */ y",
        "\"text\"",
        "'x'",
        "é",
        "xé",
        "éx",
        "x.y",
        "fn.5",
        "1.",
        ".5",
        "1.5.2",
        "12ab",
        "0x",
        "0xg",
        "0X1F",
        "0x1.5",
        "0x100000000",
        "2147483649",
        "99999999999999999999",
        "1e5",
        "1e-5",
        "1.e5",
        "1.5e",
        "1.5e+",
        "1.5e-x",
        "1.5e--3",
        "1.5e+-3",
        "1.5e -3",
        "1.5e- 3",
        "1.5e3.2",
        "1.5e-3.2",
        "1.5e-3e5",
        "1.5e-3x",
        "1.5f",
        "1.5e0x3",
        "1.0e39",
        "1.0e+99999999999999999999",
        "0x1.5e-3",
        "x.5e-3",
        "===",
        "====",
        "<<=",
        ">>=",
        ">>>=",
        ">>>>",
        "&&&",
        "|||",
        "!==",
        "x\u{0}",
        "\u{1}",
        "\u{b}",
        "\u{7f}",
        "1_000",
        "1.5_",
        "$",
        "@",
        "`",
        "#",
        "?",
        "\\",
    ] {
        refused(&cpu, text);
        refused(&cpu, format!("{}{text}", " ".repeat(60)));
    }
    refused(&cpu, b"// \xff");
    accepted(&cpu, &["// é \u{1} \u{7f} /* \" '"]);
}

#[test]
fn names_of_all_lengths_are_told_apart() {
    let cpu = Cpu::with_threads(1);
    let mut names: Vec<String> = Vec::new();
    for length in 1..80 {
        let same = "abcdefgh".repeat(10);
        names.push(same[..length].to_string());
        names.push(format!("{}_", &same[..length - 1]));
        names.push(format!("_{}", &same[1..length]));
    }
    let million = "long_name_".repeat(100_000);
    names.extend([million.clone(), format!("{million}a"), format!("{million}b"), million]);
    names.extend(KEYWORDS.map(TokenKind::spelling).into_iter().flat_map(|keyword| {
        [format!("{keyword}_"), format!("_{keyword}"), keyword[..keyword.len() - 1].to_string(), keyword.to_uppercase()]
    }));
    let mut rng = Rng::new(3);
    let mut all: Vec<&str> = names.iter().chain(&names).map(String::as_str).collect();
    rng.shuffle(&mut all);
    accepted(&cpu, &[all.join(" ")]);
    accepted(&cpu, &[all.join("+")]);
    accepted(&cpu, &[all.join("\n"), all.join("//\n")]);
}

/// Returns the key of a name of sixteen bytes.
fn hash(name: &[u8; 16]) -> u64 {
    let word = |k: usize| u64::from_le_bytes(name[8 * k..8 * k + 8].try_into().expect("eight bytes"));
    let mixed = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed(mixed(mixed(0, word(0)), word(1)), 0)
}

#[test]
fn names_with_one_hash_are_not_accepted() {
    // The first halves determine a difference of the second halves that cancels theirs.
    let first = |k: u64| {
        let digits = format!("{k:07}");
        u64::from_le_bytes(format!("a{digits}").into_bytes().try_into().expect("eight bytes"))
    };
    let after = |word: u64| word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(5);
    let is_word = |word: u64| word.to_le_bytes().iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let second = u64::from_le_bytes(*b"position");
    let base = first(0);
    let found = (1..10_000_000).map(|k| (k, second ^ after(base) ^ after(first(k)))).find(|&(_, word)| is_word(word));
    let (k, other) = found.expect("a collision");
    let name =
        |a: u64, b: u64| -> [u8; 16] { [a.to_le_bytes(), b.to_le_bytes()].concat().try_into().expect("sixteen bytes") };
    let (a, b) = (name(base, second), name(first(k), other));
    assert_eq!(hash(&a), hash(&b));
    let text = |names: &[[u8; 16]]| names.join(&b' ');
    let cpu = Cpu::with_threads(1);
    accepted(&cpu, &[text(&[a, a, a])]);
    accepted(&cpu, &[text(&[b, b])]);
    assert_eq!(compare(&cpu, &sources(&[text(&[a, b])])), Verdict::Unsure);
    assert_eq!(compare(&cpu, &sources(&[text(&[b, b, a, b])])), Verdict::Unsure);
    assert_eq!(compare(&cpu, &sources(&[text(&[a]), text(&[b])])), Verdict::Unsure);
}

#[test]
fn numbers_of_all_forms_have_their_values() {
    let (cpu, mut rng) = (Cpu::with_threads(1), Rng::new(4));
    let mut texts: Vec<String> = [
        "0",
        "00",
        "00000000",
        "000000000000",
        "1",
        "9999999",
        "99999999",
        "99999998",
        "100000000",
        "999999999",
        "2147483647",
        "2147483648",
        "2147483649",
        "00000000002147483647",
        "4294967295",
        "4294967296",
        "9999999999",
        "18446744073709551615",
        "18446744073709551617",
        "340282366920938463463374607431768211456",
        "0x0",
        "0x7fffffff",
        "0x80000000",
        "0xffffffff",
        "0xFFFFFFFF",
        "0xaBcDeF",
        "0x000000000000000000ffffffff",
        "0x100000000",
        "0x1000000000000000000000001",
        "0.0",
        "0.1",
        "1.0",
        "16777215.0",
        "16777216.0",
        "16777217.0",
        "1.6777215",
        "1.6777216",
        "0.16777217",
        "0.0000001",
        "0.00000001",
        "0.0000000001",
        "0.00000000001",
        "3.4028234663852886",
        "340282346638528859811704183484516925440.0",
        "340282356779733661637539395458142568447.9",
        "340282356779733661637539395458142568448.0",
        "1.17549435082228750797e",
        "1.17549435082228750797e-38",
        "1.401298464324817e-45",
        "0.7006492321624085e-45",
        "0.7006492321624086e-45",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "34028235677973365.0e22",
        "0.0e999999999999999999999",
        "1.0e-999999999999999999999",
        "1.0e999999999999999999999",
        "1.5e00000000000000000000001",
        "100000.0e-5",
        "1.00000005960464477539062500",
        "1.00000005960464477539062501",
        "1.0000001788139343",
        "9007199254740993.0",
        "0.30000000000000004",
    ]
    .map(str::to_string)
    .to_vec();
    texts.push(format!("0.{}1", "0".repeat(60)));
    texts.push(format!("{}1.5", "0".repeat(60)));
    texts.push(format!("{}.0", "1".repeat(39)));
    texts.push("7".repeat(10_000));
    texts.push(format!("1.{}", "3".repeat(10_000)));
    let digits = |rng: &mut Rng, most: usize| -> String {
        (0..1 + rng.below(most)).map(|_| char::from(b'0' + rng.below(10) as u8)).collect()
    };
    for _ in 0..4_000 {
        texts.push(digits(&mut rng, 12));
        texts.push(format!("{}.{}", digits(&mut rng, 4), digits(&mut rng, 5)));
        texts.push(format!("{}.{}", digits(&mut rng, 20), digits(&mut rng, 20)));
        texts.push(format!("0x{:x}", rng.next() >> (20 + rng.below(44))));
        let exponent = ["e", "E", "e+", "e-", "E-"][rng.below(5)];
        texts.push(format!("{}.{}{exponent}{}", digits(&mut rng, 4), digits(&mut rng, 9), rng.below(50)));
        texts.push(format!("{:?}", f32::from_bits(rng.next() as u32).abs()));
    }
    let mut counts = [0; 3];
    let mut valid = Vec::new();
    for text in &texts {
        let verdict = compare(&cpu, &sources(&[text]));
        assert_ne!(verdict, Verdict::Unsure, "{text}");
        counts[verdict as usize] += 1;
        if verdict == Verdict::Accepted {
            valid.push(&text[..]);
        }
    }
    assert!(counts[0] > 10_000 && counts[1] > 1_000, "{counts:?}");
    accepted(&cpu, &[valid.join(" ")]);
    accepted(&cpu, &[valid.join("-")]);
    accepted(&cpu, &[valid.join("//\n")]);
}

/// Returns a float without its exponent: the point is moved by as many digits.
fn without_exponent(whole: &str, fraction: &str, exponent: i32) -> String {
    let digits = format!("{whole}{fraction}");
    let point = whole.len() as i32 + exponent;
    let before = (-point).max(0) as usize;
    let after = (point - digits.len() as i32).max(0) as usize;
    let digits = format!("{}{digits}{}", "0".repeat(before + 1), "0".repeat(after + 1));
    let at = (point + 1 + before as i32) as usize;
    format!("{}.{}", &digits[..at], &digits[at..])
}

#[test]
fn exponents_move_the_point() {
    let (cpu, mut rng) = (Cpu::with_threads(1), Rng::new(5));
    assert_eq!(without_exponent("12", "5", -3), "0.01250");
    assert_eq!(without_exponent("12", "5", 3), "012500.0");
    let digits = |rng: &mut Rng, most: usize| -> String {
        (0..1 + rng.below(most)).map(|_| char::from(b'0' + rng.below(10) as u8)).collect()
    };
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..5_000 {
        let (whole, fraction) = (digits(&mut rng, 8), digits(&mut rng, 12));
        let exponent = rng.below(80) as i32 - 50;
        let sign = if exponent >= 0 && rng.once_in(2) { "+" } else { "" };
        with.push(format!("{whole}.{fraction}e{sign}{exponent}"));
        without.push(without_exponent(&whole, &fraction, exponent));
    }
    let values = |texts: &[String]| {
        let sources = sources(&[texts.join(" ")]);
        assert_eq!(compare(&cpu, &sources), Verdict::Accepted);
        refcompiler::frontend::sequential::token_table(&sources).0.value
    };
    assert_eq!(values(&with), values(&without));
}
