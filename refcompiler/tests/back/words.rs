//! The machine code of fixed programs, compared with digests in `words.txt`.
//!
//! A change of the passes must leave these digests as they are, unless the code that the compiler produces should
//! change. Then `TREEPAR_BLESS=1` writes the file anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::toolchain;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::{Output, compile};
use refcompiler_programs::{program, tree};
use treepar::Cpu;

/// Random programs, and how many of them share a line of the file.
const PROGRAMS: u64 = 2_000;
const BATCH: u64 = 50;

/// Seeds of random trees of some thousand nodes.
const TREES: [u64; 16] = [5, 7, 21, 24, 26, 30, 35, 46, 48, 54, 55, 64, 68, 73, 75, 78];

/// A 64-bit FNV-1a digest.
struct Digest(u64);

impl Digest {
    fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// Adds the words, symbols and external calls of a program.
    fn program(&mut self, cpu: &Cpu, tree: &Tree, output: Output) {
        let image = match compile(cpu, tree, output, &mut ()) {
            Ok(compiled) => compiled.image,
            Err(error) => return self.bytes(error.to_string().as_bytes()),
        };
        for word in &image.words {
            self.bytes(&word.to_le_bytes());
        }
        for symbol in &image.symbols {
            let text = format!("{} {} {} {};", symbol.name, symbol.offset / 4, symbol.size / 4, symbol.global);
            self.bytes(text.as_bytes());
        }
        for call in &image.calls {
            self.bytes(format!("{} {};", call.name, call.offset / 4).as_bytes());
        }
    }
}

fn parsed(what: &str, text: &str) -> Tree {
    toolchain::tree(text).unwrap_or_else(|errors| panic!("{what}: {errors}"))
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "par"));
    paths.sort();
    paths
}

/// Returns the lines of the file: a name and a digest each.
fn digests() -> String {
    let cpu = Cpu::with_threads(1);
    let mut out = String::new();
    let mut line = |name: &str, digest: Digest| writeln!(out, "{name} {:016x}", digest.0).expect("text grows");
    for path in examples() {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let tree = parsed(&name, &std::fs::read_to_string(&path).expect("an example"));
        for (output, kind) in [(Output::Executable, "executable"), (Output::Object, "object")] {
            let mut digest = Digest::new();
            digest.program(&cpu, &tree, output);
            line(&format!("{name} {kind}"), digest);
        }
    }
    for first in (1..=PROGRAMS).step_by(BATCH as usize) {
        let mut digest = Digest::new();
        for seed in first..first + BATCH {
            let tree = parsed(&format!("program {seed}"), &program(seed).to_string());
            digest.program(&cpu, &tree, Output::Executable);
        }
        line(&format!("programs {first}..{}", first + BATCH), digest);
    }
    // These have frames, branches and calls of every length, which programs that people write rarely have.
    for seed in TREES {
        let mut digest = Digest::new();
        digest.program(&cpu, &tree(seed), Output::Object);
        line(&format!("tree {seed}"), digest);
    }
    out
}

#[test]
fn programs_compile_to_the_same_words() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words.txt");
    let found = digests();
    if std::env::var_os("TREEPAR_BLESS").is_some() {
        std::fs::write(&path, &found).expect("a written file");
        return;
    }
    let expected = std::fs::read_to_string(&path).expect("the file of digests");
    let differences: Vec<&str> = found.lines().filter(|line| !expected.lines().any(|other| other == *line)).collect();
    assert!(differences.is_empty(), "other code than before, by name and new digest:\n{}", differences.join("\n"));
    assert_eq!(found, expected, "lines are missing or in another order");
}
