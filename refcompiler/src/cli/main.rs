//! The program `refc`: reads inputs, compiles, writes or runs the result, and reports errors.

mod args;
mod backend;
mod interrupt;
mod lists;
mod manual;
mod memory;
mod messages;
mod output;
mod process;
mod report;
mod run;
mod units;

use std::fmt::Display;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::ErrorKind;
use refcompiler::frontend::sequential::listing::{tokens_text, tree_text};
use refcompiler::frontend::sequential::{Extent, MAX_BYTES, Sources};
use refcompiler::interface::header;
use refcompiler::ir::tree::Tree;
use refcompiler::object::{ElfError, Image, stream_executable, stream_relocatable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::settings::{Optimisations, Settings, UnknownPass};
use refcompiler::pipeline::{Compiled, Goal, Output};
use refcompiler::target::assembly;
use treepar::Cpu;

use args::{Args, Color, Command, Emit, Target};
use backend::{Backend, Checked, Input, cpu, front_end};
use output::{Destination, Permissions, default_name};

/// A reason why `refc` stops.
enum Failure {
    /// The program has errors, which have been printed.
    Reported,
    /// The command line is wrong.
    Usage(ErrorKind, String),
    /// Any other error, which has not been printed.
    Message(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

/// The exit status for errors in the program, or in reading and writing.
const FAILED: u8 = 1;

/// Parses the command line and carries it out.
fn main() -> ExitCode {
    let mut args = args::parse();
    let colored = match args.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    COLORED.store(colored, Ordering::Relaxed);
    let listed = match &mut args.command {
        Some(Command::Run(run)) => args.origins.expand(&mut run.files),
        None => args.origins.expand(&mut args.files),
    };
    let result = match (&args.command, args.completions) {
        _ if listed.is_err() => listed.map(|()| 0).map_err(Failure::from),
        (Some(Command::Run(run)), _) => run::run_program(&args, run),
        (None, Some(shell)) => manual::print_completions(shell).map(|()| 0),
        (None, None) if args.man => manual::print_page().map(|()| 0),
        (None, None) => compile_files(&args).map(|()| 0),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Reported) => ExitCode::from(FAILED),
        Err(Failure::Usage(kind, message)) => Args::command().error(kind, message).exit(),
        Err(Failure::Message(message)) => {
            print_error(&args, &message);
            ExitCode::from(FAILED)
        }
    }
}

/// `true` if messages are printed in colour.
static COLORED: AtomicBool = AtomicBool::new(false);

/// Returns whether messages are printed in colour.
fn colored() -> bool {
    COLORED.load(Ordering::Relaxed)
}

/// Prints an error that has no position in a source. Allocates nothing.
fn error(message: &dyn Display) {
    let label = if colored() { "\x1b[1;31merror\x1b[0m" } else { "error" };
    eprintln!("refc: {label}: {message}");
}

/// Prints an error that has no position in a source, in the format that the command line requests.
fn print_error(args: &Args, message: &str) {
    if !args.messages.print_error(message) {
        error(&message);
    }
}

fn read_sources(args: &Args, files: &[PathBuf]) -> Result<Sources, Failure> {
    if files.iter().filter(|file| *file == Path::new("-")).count() > 1 {
        return Err(Failure::Usage(ErrorKind::TooManyValues, "standard input can be given only once".into()));
    }
    let mut sources = Sources::new();
    for file in files {
        let (name, bytes) = read_source(args, file)?;
        sources.add(name, bytes).map_err(|e| e.to_string())?;
    }
    Ok(sources)
}

/// Returns the name and the contents of an input.
fn read_source(args: &Args, file: &Path) -> Result<(String, Vec<u8>), String> {
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to report that there are too many.
    let (name, read) = if file == Path::new("-") {
        ("<stdin>".to_string(), io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes))
    } else {
        (file.display().to_string(), read_file(file, &mut bytes))
    };
    match read {
        Ok(_) => Ok((name, bytes)),
        Err(error) => {
            let reason = if file.is_dir() { "it is a directory".to_string() } else { output::reason(&error) };
            Err(format!("cannot read {}: {reason}", args.origins.name(file)))
        }
    }
}

/// Reads a file. Asks for its length first, so that a small file needs two system calls and not four.
fn read_file(file: &Path, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let file = std::fs::File::open(file)?;
    let length = file.metadata()?.len().min(MAX_BYTES);
    bytes.reserve_exact(length as usize + 1);
    file.take(MAX_BYTES + 1).read_to_end(bytes)
}

/// Returns the checked tree of the inputs. The function `main` is checked as well if it is needed.
fn parse(args: &Args, cpu: &Cpu, sources: &Sources, needs_main: bool) -> Result<Tree, Failure> {
    let extent = if needs_main { Extent::Executable } else { Extent::Object };
    args.messages.check(cpu, sources, extent, COLORED.load(Ordering::Relaxed)).ok_or(Failure::Reported)
}

/// A compiled program and the facts for reports.
struct Built {
    compiled: Compiled,
    source_bytes: usize,
    nodes: usize,
    started: Instant,
    front_end: Duration,
}

/// Compiles the inputs.
fn build(args: &Args, files: &[PathBuf], kind: Output, needs_main: bool) -> Result<Built, Failure> {
    let started = Instant::now();
    let Input { sources, program, backend } = front_end(args, files, needs_main)?;
    let (nodes, front_end) = (program.nodes(), started.elapsed());
    if args.time_passes {
        backend.time_each_pass();
    }
    let compiled = compile(args, program, kind, &sources, &backend)?;
    Ok(Built { compiled, source_bytes: sources.bytes(), nodes, started, front_end })
}

/// Returns the settings of the passes that the command line requests.
fn settings<'a>(args: &Args, output: Output, sources: &'a Sources) -> Result<Settings<'a>, Failure> {
    let level = match args.optimisation.as_deref() {
        None | Some("0") => 0,
        _ => 1,
    };
    let mut optimisations = Optimisations::of_level(level);
    if let Some(list) = &args.passes {
        let wrong = |error: UnknownPass| Failure::Usage(ErrorKind::ValueValidation, error.to_string());
        optimisations.change(list).map_err(wrong)?;
    }
    let lines = args.debug.then_some(sources);
    let cpu = args.cpu().map_err(|message| Failure::Usage(ErrorKind::ArgumentConflict, message))?;
    Ok(Settings { goal: Goal { target: args.target().into(), output }, optimisations, cpu, lines })
}

/// Runs the passes after the front end, with the checks that the command line requests.
fn compile(
    args: &Args,
    program: Checked,
    kind: Output,
    sources: &Sources,
    backend: &Backend,
) -> Result<Compiled, Failure> {
    let settings = settings(args, kind, sources)?;
    let mut compiled = if args.check_passes {
        backend.compile(program, settings, &mut Checker::of(settings.goal.target))
    } else {
        backend.compile(program, settings, &mut ())
    }?;
    if let Some(debug) = &mut compiled.image.debug {
        // Without a folder, debuggers use their own.
        debug.folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    }
    compiled.image.locate_checks(sources);
    Ok(compiled)
}

impl Built {
    /// Prints the reports that the command line requests. `written` is the output's name, size and writing time.
    fn report(&self, args: &Args, written: Option<(&Path, usize, Duration)>) {
        if args.time_passes {
            let writing = written.map(|(_, _, time)| time);
            report::time_passes(self.source_bytes, self.front_end, &self.compiled.timings, writing);
        }
        if !args.verbose {
            return;
        }
        if args.check_passes {
            eprintln!("refc: checked the output of every pass: no errors");
        }
        let image = &self.compiled.image;
        let code = match args.target() {
            Target::Riscv32 => format!("{} instructions", image.words.len()),
            Target::X86_64 => format!("{} bytes of code", 4 * image.code_words),
        };
        let nodes = self.nodes;
        let output = written.map_or("no file written".to_string(), |(path, bytes, _)| {
            format!("{bytes} bytes written to {}", output::name(path, "standard output"))
        });
        let memory = report::peak_memory();
        eprintln!(
            "refc: {} bytes of source, {nodes} nodes, {code}, {output}, {:.1} ms{}",
            self.source_bytes,
            self.started.elapsed().as_secs_f64() * 1e3,
            memory.map_or(String::new(), |bytes| format!(", peak memory {:.1} MB", bytes as f64 / 1e6))
        );
    }
}

/// Checks the inputs and writes nothing. Runs the passes only if they are to be checked as well.
fn check(args: &Args, files: &[PathBuf], kind: Output) -> Result<(), Failure> {
    let needs_main = kind == Output::Executable;
    if args.check_passes || args.time_passes {
        build(args, files, kind, needs_main)?.report(args, None);
        return Ok(());
    }
    let started = Instant::now();
    let Input { sources, program, .. } = front_end(args, files, needs_main)?;
    if args.verbose {
        let ms = started.elapsed().as_secs_f64() * 1e3;
        eprintln!("refc: no errors: {} bytes of source, {} nodes, {ms:.1} ms", sources.bytes(), program.nodes());
    }
    Ok(())
}

fn compile_files(args: &Args) -> Result<(), Failure> {
    let files = &args.files;
    let Some(first) = files.first() else {
        let message = "no input files: give one or more Par files, or `run` and Par files".into();
        return Err(Failure::Usage(ErrorKind::MissingRequiredArgument, message));
    };
    if args.check {
        return check(args, files, Output::Object);
    }
    if units::are_units(args) {
        return units::compile_units(args);
    }
    let path = args.output.clone().unwrap_or_else(|| match args.emit {
        Some(_) => "-".into(),
        None if args.assembly => default_name(first, "s"),
        None if args.object => default_name(first, "o"),
        None => "a.out".into(),
    });
    let destination = Destination::of(&path, files)?;
    if let Some(emit) = args.emit {
        return Ok(destination.write(emitted(emit, args)?.as_bytes(), Permissions::File)?);
    }
    let is_executable = !args.object && !args.assembly;
    let kind = if is_executable { Output::Executable } else { Output::Object };
    let mut built = build(args, files, kind, is_executable || args.start)?;
    let started = Instant::now();
    let image = &mut built.compiled.image;
    let bytes = if is_executable {
        destination.write_by(Permissions::Executable, |out| stream_executable(image, out).map_err(elf_error))?
    } else {
        write_object(args, image, &destination)?
    };
    built.report(args, Some((&path, bytes, started.elapsed())));
    Ok(())
}

/// Writes the assembly or the object file of a compiled program, and returns the number of its bytes.
fn write_object(args: &Args, image: &mut Image, destination: &Destination) -> Result<usize, String> {
    if args.assembly {
        let text = assembly(image);
        return destination.write_by(Permissions::File, |out| out.write_all(text.as_bytes()));
    }
    if args.start {
        image.add_start();
    }
    destination.write_by(Permissions::File, |out| stream_relocatable(image, out).map_err(elf_error))
}

/// Returns the error of the system, or one that says that the file exceeds a limit.
fn elf_error(error: ElfError) -> io::Error {
    match error {
        ElfError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Returns the text that `--emit` prints.
fn emitted(emit: Emit, args: &Args) -> Result<String, Failure> {
    let sources = read_sources(args, &args.files)?;
    if emit == Emit::Tokens {
        return Ok(tokens_text(&sources));
    }
    let cpu = cpu(args);
    let backend = Backend::open(args, &cpu)?;
    let tree = parse(args, &cpu, &sources, false)?;
    let pass = match emit {
        Emit::Tokens | Emit::Tree => return Ok(tree_text(&tree, false)),
        Emit::Types => return Ok(tree_text(&tree, true)),
        Emit::Header => return Ok(header(&tree, &sources, args.target().into())),
        Emit::Multiloops => "fusion",
        Emit::Loops => "loops",
        Emit::Structs => "structs",
        Emit::Arrays => "arrays",
        Emit::Vectors => "vectors",
        Emit::Lifted => "variables",
        Emit::Ssa => "ssa",
        Emit::Flat => "allocate",
        Emit::Instructions => "lower",
    };
    let settings = settings(args, Output::Object, &sources)?;
    let mut listing = Listing::after(pass, settings.goal.target).with_cpu(settings.cpu);
    backend.compile(Checked::Tree(tree), settings, &mut listing)?;
    Ok(listing.decisions(&sources) + &listing.text)
}
