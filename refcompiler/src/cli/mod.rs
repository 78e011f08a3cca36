//! The command line: what is asked for, and the messages when it cannot be done.

mod args;
mod output;
mod report;

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use refcompiler::diagnostics::{Diagnostic, render};
use refcompiler::frontend::listing::{tokens_text, tree_text};
use refcompiler::frontend::{Sources, check_main, parse_program};
use refcompiler::object::{write_executable, write_relocatable};
use refcompiler::observe::check::Checker;
use refcompiler::observe::listing::Listing;
use refcompiler::pipeline::{Compiled, Observer, Output, compile};
use refcompiler::simulator::{self, Fault, Limits};
use refcompiler::target::riscv::assembly::assembly;
use refcompiler::tree::Tree;
use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;

use args::{Args, Color, Command, Emit, Inputs};
use output::{Destination, Permissions};

/// Why a run of `refc` failed; it has been told to the user where nothing is left to say.
enum Failure {
    /// The program has errors, which were printed.
    Reported,
    /// The command line asks for what cannot be.
    Usage(String),
    /// Something else, to be printed.
    Message(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

/// Errors in the program, or in reading and writing.
const FAILED: u8 = 1;

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    let args = Args::parse();
    let color = args.color();
    let result = match &args.command {
        Some(Command::Run(run)) => run_program(&args, run),
        None => compile_files(&args).map(|()| 0),
    };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Reported) => ExitCode::from(FAILED),
        Err(Failure::Usage(message)) => {
            Args::command().error(clap::error::ErrorKind::MissingRequiredArgument, message).exit()
        }
        Err(Failure::Message(message)) => {
            error(&message, color);
            ExitCode::from(FAILED)
        }
    }
}

/// Prints an error that is not about a place in a source.
fn error(message: &str, color: Color) {
    let label = if color.on(&io::stderr()) { "\x1b[1;31merror\x1b[0m" } else { "error" };
    eprintln!("refc: {label}: {message}");
}

fn read_sources(files: &[PathBuf]) -> Result<Sources, Failure> {
    let mut sources = Sources::new();
    for file in files {
        let (name, bytes) = if file == Path::new("-") {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            ("<stdin>".to_string(), read.map(|_| bytes))
        } else if file.is_dir() {
            return Err(format!("cannot read `{}`: it is a directory", file.display()).into());
        } else {
            (file.display().to_string(), std::fs::read(file))
        };
        let bytes = bytes.map_err(|e| format!("cannot read `{name}`: {}", output::reason(&e)))?;
        sources.add(name, bytes).map_err(|e| e.to_string())?;
    }
    Ok(sources)
}

fn report_all(sources: &Sources, errors: &[Diagnostic], color: Color) -> Failure {
    eprint!("{}", render(sources, errors, color.on(&io::stderr())));
    Failure::Reported
}

/// The checked tree of the inputs; with `main`, if an executable is wanted.
fn parse(sources: &Sources, kind: Output, color: Color) -> Result<Tree, Failure> {
    let tree = parse_program(sources).map_err(|errors| report_all(sources, &errors, color))?;
    if kind == Output::Executable {
        check_main(&tree, sources).map_err(|error| report_all(sources, &[error], color))?;
    }
    Ok(tree)
}

/// The machine that runs the passes.
enum Machine {
    Cpu(Cpu),
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

impl Machine {
    /// What the command line asks for.
    fn open(inputs: &Inputs) -> Result<Machine, Failure> {
        match inputs.backend {
            args::Backend::Cpu => Ok(Machine::Cpu(inputs.threads.map_or_else(Cpu::new, Cpu::with_threads))),
            #[cfg(feature = "cuda")]
            args::Backend::Cuda => Ok(Machine::Cuda(Cuda::new().map_err(|error| error.to_string())?)),
            #[cfg(not(feature = "cuda"))]
            args::Backend::Cuda => {
                Err("this build has no CUDA backend: build it with the feature `cuda`".to_string().into())
            }
        }
    }

    /// Makes itself ready for a program of about so many nodes, while others parse it.
    fn prepare(&self, nodes: usize) {
        match self {
            Machine::Cpu(cpu) if cpu.threads() > 1 && nodes >= PARALLEL_ROWS => cpu.prepare(nodes, COLUMNS),
            _ => {}
        }
    }

    /// The pipeline, under an observer of either machine.
    fn compile(
        &self,
        tree: &Tree,
        kind: Output,
        observer: &mut (impl Observer<Cpu> + OnCuda),
    ) -> Result<Compiled, Failure> {
        let result = match self {
            Machine::Cpu(cpu) => {
                if tree.len() >= PARALLEL_ROWS {
                    cpu.adopt_current_thread();
                }
                compile(cpu, tree, kind, observer)
            }
            #[cfg(feature = "cuda")]
            Machine::Cuda(cuda) => compile(cuda, tree, kind, observer),
        };
        result.map_err(|error| Failure::Message(error.to_string()))
    }

    /// Lets each pass end before the next begins, so that the time of each is its own.
    fn time_each_pass(&self) {
        match self {
            Machine::Cpu(_) => {}
            #[cfg(feature = "cuda")]
            Machine::Cuda(cuda) => cuda.wait_when_counting(true),
        }
    }

    /// Under the checker, if it was asked for.
    fn compile_checked(&self, inputs: &Inputs, tree: &Tree, kind: Output) -> Result<Compiled, Failure> {
        if inputs.check_passes {
            self.compile(tree, kind, &mut Checker::default())
        } else {
            self.compile(tree, kind, &mut ())
        }
    }
}

/// Observers of passes on a GPU, where this build has that backend.
#[cfg(feature = "cuda")]
trait OnCuda: Observer<Cuda> {}
#[cfg(feature = "cuda")]
impl<O: Observer<Cuda>> OnCuda for O {}
#[cfg(not(feature = "cuda"))]
trait OnCuda {}
#[cfg(not(feature = "cuda"))]
impl<O> OnCuda for O {}

/// Source bytes for each node, about; what is off costs memory or time, not more.
const BYTES_PER_NODE: usize = 4;

/// Columns that the passes have at once, less those that the pool will get from dropped ones.
const COLUMNS: usize = 12;

/// Below this a thread costs more than it saves.
const PARALLEL_ROWS: usize = 50_000;

/// The tree of the inputs and a machine that has made itself ready meanwhile.
fn front_end(inputs: &Inputs, sources: &Sources, kind: Output, color: Color) -> Result<(Tree, Machine), Failure> {
    let nodes = sources.bytes() / BYTES_PER_NODE;
    if inputs.backend == args::Backend::Cpu && nodes < PARALLEL_ROWS {
        return Ok((parse(sources, kind, color)?, Machine::open(inputs)?));
    }
    std::thread::scope(|scope| {
        let machine = scope.spawn(|| {
            let machine = Machine::open(inputs)?;
            machine.prepare(nodes);
            Ok::<_, Failure>(machine)
        });
        let tree = parse(sources, kind, color);
        // A thread that panics has said why.
        let machine = machine.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((tree?, machine?))
    })
}

fn compile_files(args: &Args) -> Result<(), Failure> {
    let inputs = &args.inputs;
    let Some(first) = inputs.files.first() else {
        return Err(Failure::Usage("no input files: give one or more files of Par, or `run` and files".into()));
    };
    let started = std::time::Instant::now();
    let kind = if args.object || args.assembly { Output::Object } else { Output::Executable };
    let default = |extension: &str| {
        let stem = if first == Path::new("-") { Path::new("stdin") } else { first };
        PathBuf::from(stem.file_name().unwrap_or_default()).with_extension(extension)
    };

    if args.check {
        parse(&read_sources(&inputs.files)?, Output::Object, args.color())?;
        return Ok(());
    }
    if let Some(emit) = args.emit {
        let text = emitted(emit, args)?;
        let destination = Destination::of(args.output.as_deref().unwrap_or(Path::new("-")));
        return Ok(destination.write(text.as_bytes(), Permissions::File)?);
    }
    let sources = read_sources(&inputs.files)?;
    let (tree, machine) = front_end(inputs, &sources, kind, args.color())?;
    let parsed = started.elapsed();
    let nodes = tree.len();
    if args.time_passes {
        machine.time_each_pass();
    }
    let compiled = machine.compile_checked(inputs, &tree, kind)?;
    drop(tree);
    let written = std::time::Instant::now();
    let image = &compiled.image;
    let elf_error = |e: ::object::write::Error| format!("cannot write ELF: {e}");
    let (bytes, permissions, default) = if args.assembly {
        (assembly(image).into_bytes(), Permissions::File, default("s"))
    } else if args.object {
        (write_relocatable(image).map_err(elf_error)?, Permissions::File, default("o"))
    } else {
        (write_executable(image).map_err(elf_error)?, Permissions::Executable, PathBuf::from("a.out"))
    };
    let path = args.output.clone().unwrap_or(default);
    Destination::of(&path).write(&bytes, permissions)?;
    if args.time_passes {
        report::time_passes(sources.bytes(), parsed, &compiled.timings, written.elapsed());
    }
    if inputs.verbose {
        eprintln!(
            "refc: {}: {} bytes of source, {nodes} nodes, {} words, {} bytes written in {:.1} ms{}",
            path.display(),
            sources.bytes(),
            image.words.len(),
            bytes.len(),
            started.elapsed().as_secs_f64() * 1e3,
            peak_memory().map_or(String::new(), |bytes| format!(", peak memory {bytes} bytes"))
        );
    }
    Ok(())
}

/// The most memory that this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The text that `--emit` prints.
fn emitted(emit: Emit, args: &Args) -> Result<String, Failure> {
    let inputs = &args.inputs;
    if emit == Emit::Tokens {
        return Ok(tokens_text(&read_sources(&inputs.files)?));
    }
    let tree = parse(&read_sources(&inputs.files)?, Output::Object, args.color())?;
    let pass = match emit {
        Emit::Tokens | Emit::Tree => return Ok(tree_text(&tree, false)),
        Emit::Types => return Ok(tree_text(&tree, true)),
        Emit::Lifted => "variables",
        Emit::Flat => "allocate",
        Emit::Instructions => "lower",
    };
    let mut listing = Listing::after(pass);
    Machine::open(inputs)?.compile(&tree, Output::Object, &mut listing)?;
    Ok(listing.text)
}

fn run_program(args: &Args, run: &args::Run) -> Result<u8, Failure> {
    let inputs = &run.inputs;
    let color = run.color.unwrap_or(args.color());
    let sources = read_sources(&inputs.files)?;
    let (tree, machine) = front_end(inputs, &sources, Output::Executable, color)?;
    let compiled = machine.compile_checked(inputs, &tree, Output::Executable)?;
    drop(tree);
    let elf = write_executable(&compiled.image).map_err(|e| format!("cannot write ELF: {e}"))?;
    let limits = Limits { stack_bytes: run.stack_mib << 20, ..Limits::default() };
    let result = simulator::run(&elf, &mut io::stdin().lock(), &mut io::stdout().lock(), limits);
    match result {
        Ok(status) => Ok(status),
        Err(Fault::Io(failed)) if failed.kind() == io::ErrorKind::BrokenPipe => Ok(STATUS_BROKEN_PIPE),
        Err(fault) => {
            error(&format!("the program was stopped: {fault}"), color);
            Ok(match fault {
                Fault::Access { .. } | Fault::StackOverflow { .. } => STATUS_MEMORY,
                Fault::Instruction { .. } => STATUS_INSTRUCTION,
                Fault::SystemCall { .. } => STATUS_SYSTEM_CALL,
                _ => FAILED,
            })
        }
    }
}

/// What a shell shows for a program ended by SIGSEGV: 128 and the signal's number.
const STATUS_MEMORY: u8 = 139;
/// By SIGILL.
const STATUS_INSTRUCTION: u8 = 132;
/// By SIGSYS.
const STATUS_SYSTEM_CALL: u8 = 159;
/// By SIGPIPE.
const STATUS_BROKEN_PIPE: u8 = 141;

impl Color {
    /// Whether to colour what goes to `stream`.
    fn on(self, stream: &impl IsTerminal) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}
