//! The steps that the fuzzers share: from a source text to a finished run, and counts of the inputs.

mod front_end;

// The tests' interpreter, which is the oracle of compiled programs.
#[path = "../../refcompiler/tests/oracle/interpreter.rs"]
pub mod interpreter;
// The values of operators, for the interpreter.
#[path = "../../refcompiler/tests/oracle/operators.rs"]
pub mod operators;
// The sequential lexer, which is the oracle of the data-parallel one.
#[path = "../../refcompiler/tests/oracle/lexer.rs"]
pub mod lexer;

use std::cell::Cell;
use std::path::Path;
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use refcompiler::frontend::sequential::{Sources, check_main, parse_program};
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Error, Output, compile};
use refcompiler::simulator::{self, Fault, Limits, Streams};
use refcompiler::ir::tree::Tree;
use treepar::Cpu;

use interpreter::{Outcome, interpret};

/// The most instructions of a run.
const INSTRUCTIONS: u64 = 500_000;

/// The most steps of the interpreter.
const STEPS: u64 = 20_000;

/// The deepest nesting of calls in the interpreter.
const DEPTH: usize = 200;

/// Counts of inputs. They are printed when the main thread ends.
#[derive(Default)]
struct Tally {
    inputs: Cell<u64>,
    valid: Cell<u64>,
    ran: Cell<u64>,
    trapped: Cell<u64>,
    compared: Cell<u64>,
}

impl Drop for Tally {
    fn drop(&mut self) {
        let Tally { inputs, valid, ran, trapped, compared } = self;
        eprintln!(
            "fuzz: {} inputs: {} valid, {} ran to their end, {} trapped, {} compared with an oracle",
            inputs.get(),
            valid.get(),
            ran.get(),
            trapped.get(),
            compared.get()
        );
    }
}

thread_local! {
    static TALLY: Tally = Tally::default();
}

fn count(field: impl Fn(&Tally) -> &Cell<u64>) {
    TALLY.with(|tally| field(tally).set(field(tally).get() + 1));
}

/// Counts an input.
pub fn input() {
    count(|tally| &tally.inputs);
}

/// Counts a valid input that an oracle checked.
pub fn checked() {
    count(|tally| &tally.valid);
    count(|tally| &tally.ran);
    count(|tally| &tally.compared);
}

/// The example programs: their names, sorted, and their texts.
pub static EXAMPLES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../refcompiler/examples");
    let mut examples: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "par"))
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("an example")))
        .collect();
    examples.sort();
    examples
});

/// The executables of the examples.
pub static EXECUTABLES: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| EXAMPLES.iter().filter_map(|(_, text)| executable(&checked_tree(text)?)).collect());

/// A replacement of some bytes by bytes of an example.
#[derive(Arbitrary, Debug)]
pub struct Edit {
    at: u16,
    removed: u8,
    from: u16,
    inserted: u8,
}

impl Edit {
    /// Applies the edit. Indices wrap around.
    pub fn apply(&self, bytes: &mut Vec<u8>, other: &[u8]) {
        let slice = |at: u16, length: u8, total: usize| {
            let begin = if total == 0 { 0 } else { usize::from(at) % total };
            begin..(begin + usize::from(length % 32)).min(total)
        };
        let inserted = other[slice(self.from, self.inserted, other.len())].to_vec();
        bytes.splice(slice(self.at, self.removed, bytes.len()), inserted);
    }
}

/// Returns the checked tree of a text, or `None` if it is not a valid program.
fn checked_tree(text: &[u8]) -> Option<Tree> {
    let mut sources = Sources::new();
    sources.add("fuzz.par", text.to_vec()).ok()?;
    let parsed = parse_program(&sources);
    front_end::compare(&sources, parsed.as_ref().ok());
    let tree = match parsed {
        Ok(tree) => tree,
        Err(errors) => {
            assert!(!errors.is_empty(), "a refused program has a diagnostic");
            let text = refcompiler::diagnostics::render(&sources, &errors, false);
            assert!(text.contains("error"), "{text}");
            return None;
        }
    };
    check_main(&tree, &sources).ok()?;
    Some(tree)
}

/// Returns the executable of a checked program, or `None` if it calls a function that is not defined.
fn executable(tree: &Tree) -> Option<Vec<u8>> {
    match compile(&Cpu::with_threads(2), tree, Output::Executable, &mut Checker::default()) {
        Ok(compiled) => Some(write_executable(&compiled.image).expect("an executable")),
        Err(Error::Undefined { .. }) => None,
        Err(error) => panic!("a valid program was refused: {error}"),
    }
}

/// Takes a source text through the whole pipeline, runs it, and compares the run with the interpreter.
pub fn source(text: &[u8]) {
    input();
    let Some(tree) = checked_tree(text) else { return };
    let Some(elf) = executable(&tree) else { return };
    count(|tally| &tally.valid);
    match (run(&elf), interpret(&tree, b"", STEPS, DEPTH)) {
        (_, Err(_)) | (Err(Fault::Instructions { .. }), _) => {}
        (Err(fault), Ok(expected)) => panic!("expected {expected:?}, found {fault}"),
        (Ok(found), Ok(expected)) => {
            assert!(found == expected, "expected {expected:?}, found {found:?}");
            count(|tally| &tally.compared);
        }
    }
}

/// Runs an executable on the simulator.
fn run(elf: &[u8]) -> Result<Outcome, Fault> {
    let limits = Limits { instructions: Some(INSTRUCTIONS), ..Limits::default() };
    let mut output = Vec::new();
    let streams = Streams { input: &mut &b""[..], output: &mut output, errors: &mut std::io::sink() };
    let result = simulator::run(elf, streams, limits);
    count(|tally| if result.is_ok() { &tally.ran } else { &tally.trapped });
    result.map(|status| Outcome { output, status })
}

/// Runs a file that may not be an executable.
pub fn file(bytes: &[u8]) {
    input();
    let limits = Limits {
        stack_bytes: 1 << 16,
        segment_bytes: 64 << 20,
        mapped_bytes: 64 << 20,
        instructions: Some(100_000),
        guard_arena: false,
    };
    let (output, errors) = (&mut std::io::sink(), &mut std::io::sink());
    let result = simulator::run(bytes, Streams { input: &mut &b"some input"[..], output, errors }, limits);
    match result {
        Err(Fault::NotExecutable(_)) => {}
        Ok(_) => {
            count(|tally| &tally.valid);
            count(|tally| &tally.ran);
        }
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            count(|tally| &tally.valid);
            count(|tally| &tally.trapped);
        }
    }
}
