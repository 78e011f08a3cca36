//! From source to running programs: our own way, and the system's C compiler and emulator.

#![allow(dead_code, reason = "each test program uses a part")]

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Output as Finished, Stdio};

use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::Tree;
use refcompiler::object::{write_executable, write_relocatable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output, compile};
use refcompiler::simulator::{self, Fault, Limits, Streams, run_counted};
use refcompiler::target::Target;
use refcompiler_programs::syntax::Program;
use treepar::Cpu;

/// The checked tree of a text.
pub fn tree(text: &str) -> Result<Tree, String> {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).map_err(|e| e.to_string())?;
    parse_program(&sources).map_err(|errors| refcompiler::diagnostics::render(&sources, &errors, false))
}

/// The tree of a text without errors.
pub fn parsed(text: &str) -> Tree {
    tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// Draws a random program.
pub type Draw = fn(u64) -> Program;

/// The examples and random programs of some kinds, each with its name and the level of optimisation to try it with.
pub fn samples(draws: &[(&str, Draw)], seeds: u64) -> Vec<(String, Tree, u8)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(folder).expect("the folder of examples");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let examples = paths.filter(|path| path.extension().is_some_and(|extension| extension == "par"));
    let examples = examples.map(|path| {
        let text = std::fs::read_to_string(&path).expect("an example");
        (path.to_string_lossy().into_owned(), parsed(&text), 0)
    });
    let drawn = (1..=seeds).flat_map(|seed| {
        draws
            .iter()
            .map(move |(what, draw)| (format!("{what} {seed}"), parsed(&draw(seed).to_string()), (seed % 2) as u8))
    });
    examples.chain(drawn).collect()
}

/// A text as an executable, every pass checked.
pub fn executable(tree: &Tree) -> Result<Vec<u8>, String> {
    executable_for(Target::Riscv32, tree)
}

/// A text as an executable for a processor, every pass checked.
pub fn executable_for(target: Target, tree: &Tree) -> Result<Vec<u8>, String> {
    built(target, tree, 0)
}

/// A text as an executable for a processor, of a level of optimisation, every pass checked.
pub fn built(target: Target, tree: &Tree, level: u8) -> Result<Vec<u8>, String> {
    built_with(target, tree, Optimisations::of_level(level))
}

/// A text as an executable for a processor, with some passes, every pass checked.
pub fn built_with(target: Target, tree: &Tree, optimisations: Optimisations) -> Result<Vec<u8>, String> {
    let goal = Goal { target, output: Output::Executable };
    let settings = Settings { optimisations, ..goal.into() };
    let compiled =
        compile(&Cpu::with_threads(2), tree, settings, &mut Checker::of(target)).map_err(|e| e.to_string())?;
    write_executable(&compiled.image).map_err(|e| e.to_string())
}

/// The result of an executable on the simulator.
pub struct Simulated {
    /// The exit status, or the fault that ended the run.
    pub status: Result<u8, Fault>,
    /// The bytes on standard output.
    pub output: Vec<u8>,
    /// The bytes on standard error.
    pub errors: Vec<u8>,
}

/// Runs an executable on the simulator.
pub fn simulated(elf: &[u8], mut input: &[u8], limits: Limits) -> Simulated {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let streams = Streams { input: &mut input, output: &mut output, errors: &mut errors };
    let status = simulator::run(elf, streams, limits);
    Simulated { status, output, errors }
}

/// Returns the number of instructions that a program executes at a level of optimisation.
pub fn executed(text: &str, level: u8) -> u64 {
    executed_with(text, Optimisations::of_level(level))
}

/// Returns the number of instructions that a program executes with some passes.
pub fn executed_with(text: &str, optimisations: Optimisations) -> u64 {
    let tree = tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    let elf = built_with(Target::Riscv32, &tree, optimisations).unwrap_or_else(|error| panic!("{error}"));
    let streams = Streams { input: &mut &b""[..], output: &mut Vec::new(), errors: &mut Vec::new() };
    let limits = Limits { instructions: Some(1 << 26), ..Limits::default() };
    let (_, work) = run_counted(&elf, streams, limits).unwrap_or_else(|fault| panic!("{text}\n{fault}"));
    work.instructions
}

/// A text as an object file.
pub fn object(tree: &Tree) -> Result<Vec<u8>, String> {
    let compiled =
        compile(&Cpu::with_threads(2), tree, Output::Object, &mut Checker::default()).map_err(|e| e.to_string())?;
    write_relocatable(&compiled.image).map_err(|e| e.to_string())
}

/// Writes a file that can be run.
pub fn write_runnable(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a written file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("its permissions");
    }
}

/// Runs a command to its end.
pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Finished {
    let finished = Command::new(program).args(arguments).current_dir(folder).output();
    finished.unwrap_or_else(|e| panic!("cannot run `{program}`, which this test needs: {e}"))
}

/// Runs an executable for the target to its end.
pub fn emulated(executable: &str, arguments: &[&str], input: std::fs::File, folder: &Path) -> Finished {
    let mut command = Command::new("qemu-riscv32");
    let finished = command.arg(executable).args(arguments).stdin(input).current_dir(folder).output();
    finished.unwrap_or_else(|e| panic!("cannot run `qemu-riscv32`, which this test needs: {e}"))
}

/// `true` if this machine runs executables for x86-64.
pub const IS_NATIVE: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

/// Returns [`IS_NATIVE`] and, if that is `false`, prints that the current test is skipped. Tests that need such a machine are ignored
/// elsewhere, but `--include-ignored` runs them.
pub fn is_native_or_skipped() -> bool {
    if !IS_NATIVE {
        eprintln!("skipped: needs Linux on x86-64");
    }
    IS_NATIVE
}

/// An executable for x86-64 in a folder of its own.
pub struct Native(tempfile::TempDir);

impl Native {
    /// Writes an executable.
    pub fn new(elf: &[u8]) -> Native {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_runnable(&folder.path().join("program"), elf);
        Native(folder)
    }

    /// Starts the executable on this machine, with its streams as `set` says.
    pub fn start(&self, set: impl Fn(&mut Command) -> &mut Command) -> Child {
        let path = self.0.path().join("program");
        loop {
            match set(&mut Command::new(&path)).spawn() {
                // A process that another thread has just started may still have the file open for writing.
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
                started => return started.expect("a program that starts"),
            }
        }
    }

    /// Runs the executable on this machine to its end.
    pub fn run(&self, input: &[u8]) -> Finished {
        let mut child =
            self.start(|command| command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut pipe = child.stdin.take().expect("its input");
        std::thread::scope(|scope| {
            // A program need not read its input.
            scope.spawn(move || drop(pipe.write_all(input)));
            child.wait_with_output().expect("a finished program")
        })
    }
}

/// Runs an executable for x86-64 on this machine to its end.
pub fn native(elf: &[u8], input: &[u8]) -> Finished {
    Native::new(elf).run(input)
}

/// Runs a command that must succeed.
pub fn must(program: &str, arguments: &[&str], folder: &Path) -> Vec<u8> {
    let finished = run(program, arguments, folder);
    assert!(
        finished.status.success(),
        "`{program} {}` failed:\n{}",
        arguments.join(" "),
        String::from_utf8_lossy(&finished.stderr)
    );
    finished.stdout
}

/// Options of clang for our target.
pub const CLANG: [&str; 8] = [
    "--target=riscv32",
    "-march=rv32imf",
    "-mabi=ilp32f",
    "-O1",
    "-ffp-contract=off",
    "-ffreestanding",
    "-fno-builtin",
    "-w",
];
