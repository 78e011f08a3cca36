//! The program `refc`: reads inputs, compiles, writes or runs the result, and reports errors.

mod args;
mod interrupt;
mod manual;
mod memory;
mod messages;
mod output;
mod report;
mod run;

use std::fmt::Display;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::ErrorKind;
use refcompiler::frontend::sequential::listing::{tokens_text, tree_text};
use refcompiler::frontend::sequential::{Extent, MAX_BYTES, Sources};
use refcompiler::ir::tree::Tree;
use refcompiler::object::{write_executable, write_relocatable};
use refcompiler::pipeline::backends::compile_on_cpu;
#[cfg(feature = "cuda")]
use refcompiler::pipeline::backends::compile_on_cuda;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::{Compiled, Observer, Output};
use refcompiler::target::riscv::assembly::assembly;
use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;

use args::{Args, Color, Command, Emit};
use output::{Destination, Permissions};

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
    let args = args::parse();
    let colored = match args.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    COLORED.store(colored, Ordering::Relaxed);
    let result = match (&args.command, args.completions) {
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
            if !args.messages.print_error(&message) {
                error(&message);
            }
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

fn read_sources(files: &[PathBuf]) -> Result<Sources, Failure> {
    if files.iter().filter(|file| *file == Path::new("-")).count() > 1 {
        return Err(Failure::Usage(ErrorKind::TooManyValues, "standard input can be given only once".into()));
    }
    let mut sources = Sources::new();
    for file in files {
        let mut bytes = Vec::new();
        // One byte more than the limit is enough to report that there are too many.
        let (name, read) = if file == Path::new("-") {
            ("<stdin>".to_string(), io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes))
        } else if file.is_dir() {
            return Err(format!("cannot read `{}`: it is a directory", file.display()).into());
        } else {
            let read = std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
            (file.display().to_string(), read)
        };
        read.map_err(|e| format!("cannot read `{name}`: {}", output::reason(&e)))?;
        sources.add(name, bytes).map_err(|e| e.to_string())?;
    }
    Ok(sources)
}

/// Returns the checked tree of the inputs. The function `main` is checked as well if it is needed.
fn parse(args: &Args, sources: &Sources, needs_main: bool) -> Result<Tree, Failure> {
    let extent = if needs_main { Extent::Executable } else { Extent::Object };
    args.messages.check(sources, extent, COLORED.load(Ordering::Relaxed)).ok_or(Failure::Reported)
}

/// The backend that runs the passes.
enum Backend {
    Cpu(Cpu),
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

impl Backend {
    /// Opens the backend that the command line requests.
    fn open(args: &Args) -> Result<Backend, Failure> {
        match args.backend {
            args::Backend::Cpu => Ok(Backend::Cpu(args.threads.map_or_else(Cpu::new, Cpu::with_threads))),
            #[cfg(feature = "cuda")]
            args::Backend::Cuda => Ok(Backend::Cuda(Cuda::new().map_err(|error| error.to_string())?)),
            #[cfg(not(feature = "cuda"))]
            args::Backend::Cuda => {
                Err("this build has no CUDA backend: build it with the feature `cuda`".to_string().into())
            }
        }
    }

    /// Prepares for a program of approximately `nodes` nodes, while another thread parses it.
    fn prepare(&self, nodes: usize) {
        match self {
            Backend::Cpu(cpu) if cpu.threads() > 1 && nodes >= PARALLEL_ROWS => cpu.prepare(nodes, COLUMNS),
            _ => {}
        }
    }

    /// Runs the pipeline with an observer.
    fn compile(
        &self,
        tree: &Tree,
        kind: Output,
        observer: &mut (impl Observer<Cpu> + OnCuda),
    ) -> Result<Compiled, Failure> {
        let result = match self {
            Backend::Cpu(cpu) => {
                if tree.len() >= PARALLEL_ROWS {
                    cpu.adopt_current_thread();
                }
                compile_on_cpu(cpu, tree, kind, observer)
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => compile_on_cuda(cuda, tree, kind, observer),
        };
        result.map_err(|error| Failure::Message(error.to_string()))
    }

    /// Ends each pass before the next begins, so that each has its own time.
    fn time_each_pass(&self) {
        match self {
            Backend::Cpu(_) => {}
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.wait_when_counting(true),
        }
    }
}

/// Observers of passes on a GPU, in builds with that backend.
#[cfg(feature = "cuda")]
trait OnCuda: Observer<Cuda> {}
#[cfg(feature = "cuda")]
impl<O: Observer<Cuda>> OnCuda for O {}
#[cfg(not(feature = "cuda"))]
trait OnCuda {}
#[cfg(not(feature = "cuda"))]
impl<O> OnCuda for O {}

/// An estimate of the source bytes per node. A wrong estimate costs memory or time only.
const BYTES_PER_NODE: usize = 4;

/// Columns that the passes use at once, without the columns that reuse memory.
const COLUMNS: usize = 12;

/// With fewer rows, a thread costs more time than it saves.
const PARALLEL_ROWS: usize = 50_000;

/// Returns the tree of the inputs, and a backend that was prepared at the same time.
fn front_end(args: &Args, sources: &Sources, needs_main: bool) -> Result<(Tree, Backend), Failure> {
    let nodes = sources.bytes() / BYTES_PER_NODE;
    if args.backend == args::Backend::Cpu && nodes < PARALLEL_ROWS {
        return Ok((parse(args, sources, needs_main)?, Backend::open(args)?));
    }
    // A smaller program would not fill a huge page.
    memory::prefer_huge_pages();
    std::thread::scope(|scope| {
        let prepared = std::thread::Builder::new().spawn_scoped(scope, || {
            let backend = Backend::open(args)?;
            backend.prepare(nodes);
            Ok::<_, Failure>(backend)
        });
        let tree = parse(args, sources, needs_main);
        let backend = match prepared {
            // A thread that panics has printed the reason.
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system refused to start a thread.
            Err(_) => Backend::open(args),
        };
        Ok((tree?, backend?))
    })
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
    let sources = read_sources(files)?;
    let (tree, backend) = front_end(args, &sources, needs_main)?;
    let front_end = started.elapsed();
    if args.time_passes {
        backend.time_each_pass();
    }
    let compiled = if args.check_passes {
        backend.compile(&tree, kind, &mut Checker::default())?
    } else {
        backend.compile(&tree, kind, &mut ())?
    };
    Ok(Built { compiled, source_bytes: sources.bytes(), nodes: tree.len(), started, front_end })
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
        let (nodes, words) = (self.nodes, self.compiled.image.words.len());
        let output = written.map_or("no file written".to_string(), |(path, bytes, _)| {
            format!("{bytes} bytes written to {}", output::name(path, "standard output"))
        });
        let memory = report::peak_memory();
        eprintln!(
            "refc: {} bytes of source, {nodes} nodes, {words} instructions, {output}, {:.1} ms{}",
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
    let sources = read_sources(files)?;
    let tree = parse(args, &sources, needs_main)?;
    if args.verbose {
        let ms = started.elapsed().as_secs_f64() * 1e3;
        eprintln!("refc: no errors: {} bytes of source, {} nodes, {ms:.1} ms", sources.bytes(), tree.len());
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
    let default = |extension: &str| {
        let stem = if first == Path::new("-") { Path::new("stdin") } else { first };
        PathBuf::from(stem.file_name().unwrap_or_default()).with_extension(extension)
    };
    let path = args.output.clone().unwrap_or_else(|| match args.emit {
        Some(_) => "-".into(),
        None if args.assembly => default("s"),
        None if args.object => default("o"),
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
    let elf_error = |e: ::object::write::Error| format!("cannot write ELF: {e}");
    let (bytes, permissions) = if args.assembly {
        (assembly(image).into_bytes(), Permissions::File)
    } else if args.object {
        if args.start {
            image.add_start();
        }
        (write_relocatable(image).map_err(elf_error)?, Permissions::File)
    } else {
        (write_executable(image).map_err(elf_error)?, Permissions::Executable)
    };
    destination.write(&bytes, permissions)?;
    built.report(args, Some((&path, bytes.len(), started.elapsed())));
    Ok(())
}

/// Returns the text that `--emit` prints.
fn emitted(emit: Emit, args: &Args) -> Result<String, Failure> {
    let sources = read_sources(&args.files)?;
    if emit == Emit::Tokens {
        return Ok(tokens_text(&sources));
    }
    let tree = parse(args, &sources, false)?;
    let pass = match emit {
        Emit::Tokens | Emit::Tree => return Ok(tree_text(&tree, false)),
        Emit::Types => return Ok(tree_text(&tree, true)),
        Emit::Lifted => "variables",
        Emit::Flat => "allocate",
        Emit::Instructions => "lower",
    };
    let mut listing = Listing::after(pass);
    Backend::open(args)?.compile(&tree, Output::Object, &mut listing)?;
    Ok(listing.text)
}
