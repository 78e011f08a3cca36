//! The backend that the command line requests, and the front end and the passes on it.

use std::fs;
use std::path::PathBuf;

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::backends::program_on_cpu;
#[cfg(feature = "cuda")]
use refcompiler::frontend::backends::program_on_cuda;
use refcompiler::frontend::program::{Request, part_count};
use refcompiler::frontend::sequential::{Extent, MAX_BYTES, Sources};
use refcompiler::ir::program::Program;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::backends::{compile_on_cpu, compile_program_on_cpu};
#[cfg(feature = "cuda")]
use refcompiler::pipeline::backends::{compile_on_cuda, compile_program_on_cuda};
use refcompiler::pipeline::settings::Settings;
use refcompiler::pipeline::{Compiled, Observer};
use treepar::Cpu;
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;

use super::args::{self, Args, FrontEnd};
use super::memory::{expect_memory_of_threads, prefer_huge_pages, provide_huge_pages, reserve_stack};
use super::{Failure, parse, read_sources};

/// The backend that runs the passes.
pub enum Backend {
    Cpu(Cpu),
    #[cfg(feature = "cuda")]
    Cuda(Cuda),
}

/// A checked program, in host memory or on its backend.
pub enum Checked {
    Tree(Tree),
    Cpu(Program<Cpu>),
    #[cfg(feature = "cuda")]
    Cuda(Program<Cuda>),
}

impl Checked {
    /// Returns the number of possible warnings that were not reported.
    fn doubts(&self) -> u32 {
        match self {
            Checked::Tree(_) => 0,
            Checked::Cpu(program) => program.doubts,
            #[cfg(feature = "cuda")]
            Checked::Cuda(program) => program.doubts,
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        match self {
            Checked::Tree(tree) => tree.len(),
            Checked::Cpu(program) => program.nodes(),
            #[cfg(feature = "cuda")]
            Checked::Cuda(program) => program.nodes(),
        }
    }
}

/// Observers of passes on a GPU, in builds with that backend.
#[cfg(feature = "cuda")]
pub trait OnCuda: Observer<Cuda> {}
#[cfg(feature = "cuda")]
impl<O: Observer<Cuda>> OnCuda for O {}
#[cfg(not(feature = "cuda"))]
pub trait OnCuda {}
#[cfg(not(feature = "cuda"))]
impl<O> OnCuda for O {}

/// An estimate of the source bytes per node. A wrong estimate costs memory or time only.
const BYTES_PER_NODE: usize = 4;

/// Rows of a program that make the main thread one of several. With fewer, it would begin to work later than a thread of its own.
const PARALLEL_ROWS: usize = 50_000;

/// Rows of a program whose passes after the tree several threads share. With fewer, they have two parts at most, and begin late.
const SHARED_ROWS: usize = 30_000;

/// Bytes of source whose compilation fills a huge page. Small pages for as much memory take longer to provide.
const HUGE_PAGE_BYTES: usize = 50_000;

/// The bytes of memory that most compilations fill per byte of source, at least.
const LEAST_MEMORY_PER_BYTE: usize = 7;

/// The bytes of memory that most compilations fill per byte of source, at most.
const MOST_MEMORY_PER_BYTE: usize = 64;

/// Bytes of source that are worth several threads.
pub const PARALLEL_BYTES: usize = BYTES_PER_NODE * PARALLEL_ROWS;

/// Bytes of source for which the data-parallel front end on two threads takes less time than the sequential one on one. More
/// threads share its work, so they are worth it for fewer bytes.
const FRONT_END_BYTES: usize = 500_000;

/// Returns the bytes of source from which on the data-parallel front end runs on some threads; `None` on one.
fn front_end_bytes(threads: usize) -> Option<usize> {
    let helpers = threads.checked_sub(1).filter(|&helpers| helpers > 0)?;
    Some((FRONT_END_BYTES / helpers).max(PARALLEL_BYTES))
}

/// Returns the CPU with the threads that the command line requests.
pub fn cpu(args: &Args) -> Cpu {
    args.threads.map_or_else(Cpu::new, Cpu::with_threads)
}

/// Makes this thread one of a backend's threads, if a program of so many nodes is worth several. Returns whether it did so.
pub fn adopt_thread(cpu: &Cpu, nodes: usize) -> bool {
    if nodes < PARALLEL_ROWS {
        return false;
    }
    let is_limited = expect_memory_of_threads(cpu.threads() - 1);
    let is_adopted = cpu.adopt_current_thread();
    if is_adopted && is_limited {
        // The others take their memory when they begin.
        rayon::broadcast(|_| ());
    }
    is_adopted
}

impl Backend {
    /// Opens the backend that the command line requests: `cpu`, or a GPU.
    pub fn open(args: &Args, cpu: &Cpu) -> Result<Backend, Failure> {
        match args.backend {
            args::Backend::Cpu => Ok(Backend::Cpu(cpu.clone())),
            #[cfg(feature = "cuda")]
            args::Backend::Cuda => Ok(Backend::Cuda(Cuda::new().map_err(|error| error.to_string())?)),
            #[cfg(not(feature = "cuda"))]
            args::Backend::Cuda => {
                Err("this build has no CUDA backend: build it with the feature `cuda`".to_string().into())
            }
        }
    }

    /// Ends each pass before the next begins, so that each has its own time.
    pub fn time_each_pass(&self) {
        match self {
            Backend::Cpu(_) => {}
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.wait_when_counting(true),
        }
    }

    /// Returns whether the data-parallel front end runs. On the CPU it does more work than the sequential one, so it needs
    /// several threads, and parts of the program for them.
    fn is_parallel(&self, args: &Args, sources: &Sources) -> bool {
        match (args.front_end, self) {
            (FrontEnd::Parallel, _) => true,
            (FrontEnd::Sequential, _) => false,
            (FrontEnd::Auto, Backend::Cpu(cpu)) => {
                front_end_bytes(cpu.threads()).is_some_and(|bytes| sources.bytes() >= bytes)
                    && part_count(cpu, sources) > 1
            }
            #[cfg(feature = "cuda")]
            (FrontEnd::Auto, Backend::Cuda(_)) => true,
        }
    }

    /// Returns the program of the inputs if the data-parallel front end runs and accepts the program without doubts. Otherwise
    /// the sequential front end is needed, which reports errors and warnings.
    pub fn accepted(&self, args: &Args, sources: &Sources, extent: Extent) -> Result<Option<Checked>, Failure> {
        if !self.is_parallel(args, sources) {
            return Ok(None);
        }
        let request = Request { extent, warnings: args.messages.wants_warnings(), lines: args.debug };
        fn accepted<T>(
            found: treepar::Result<Found<T>>,
            checked: fn(T) -> Checked,
        ) -> Result<Option<Checked>, Failure> {
            match found.map_err(|error| error.to_string())? {
                Found::Valid(program) => Ok(Some(checked(program))),
                Found::Unknown { .. } => Ok(None),
            }
        }
        let program = match self {
            Backend::Cpu(cpu) => accepted(program_on_cpu(cpu, sources, request), Checked::Cpu),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => accepted(program_on_cuda(cuda, sources, request), Checked::Cuda),
        }?;
        Ok(program.filter(|program| program.doubts() == 0))
    }

    /// Runs the passes after the front end with an observer.
    ///
    /// # Panics
    /// If the program is on another backend.
    pub fn compile(
        &self,
        checked: Checked,
        settings: Settings<'_>,
        observer: &mut (impl Observer<Cpu> + OnCuda),
    ) -> Result<Compiled, Failure> {
        let result = match (self, checked) {
            (Backend::Cpu(_), Checked::Tree(tree)) if tree.len() < SHARED_ROWS => {
                compile_on_cpu(&Cpu::with_threads(1), tree, settings, observer)
            }
            (Backend::Cpu(cpu), Checked::Tree(tree)) => {
                adopt_thread(cpu, tree.len());
                compile_on_cpu(cpu, tree, settings, observer)
            }
            (Backend::Cpu(cpu), Checked::Cpu(program)) => compile_program_on_cpu(cpu, program, settings, observer),
            #[cfg(feature = "cuda")]
            (Backend::Cuda(cuda), Checked::Tree(tree)) => compile_on_cuda(cuda, tree, settings, observer),
            #[cfg(feature = "cuda")]
            (Backend::Cuda(cuda), Checked::Cuda(program)) => compile_program_on_cuda(cuda, program, settings, observer),
            #[cfg(feature = "cuda")]
            _ => unreachable!("the program is on the backend that checked it"),
        };
        result.map_err(|error| Failure::Message(error.to_string()))
    }
}

/// The inputs, their checked program, and the backend that has it.
pub struct Input {
    pub sources: Sources,
    pub program: Checked,
    pub backend: Backend,
}

/// Prepares memory, and threads of the CPU, for inputs of so many bytes.
fn prepare(args: &Args, cpu: &Cpu, bytes: usize) {
    let is_large = bytes >= PARALLEL_BYTES;
    if is_large {
        reserve_stack();
    }
    let is_first = bytes >= HUGE_PAGE_BYTES && prefer_huge_pages(MOST_MEMORY_PER_BYTE.saturating_mul(bytes));
    if !is_large || args.backend != args::Backend::Cpu {
        return;
    }
    if adopt_thread(cpu, bytes / BYTES_PER_NODE) && is_first {
        // The other threads have nothing to do before the inputs have been read.
        rayon::spawn(move || provide_huge_pages(LEAST_MEMORY_PER_BYTE.saturating_mul(bytes)));
    }
}

/// Returns the bytes of all files as far as the system knows their lengths; 0 if they are too many to be compiled.
fn bytes_of(files: &[PathBuf]) -> usize {
    let bytes: u64 = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|metadata| metadata.len()).sum();
    if bytes <= MAX_BYTES { bytes as usize } else { 0 }
}

/// Reads the inputs and checks the program.
pub fn front_end(args: &Args, files: &[PathBuf], needs_main: bool) -> Result<Input, Failure> {
    let cpu = cpu(args);
    let expected = bytes_of(files);
    prepare(args, &cpu, expected);
    let sources = read_sources(args, files)?;
    if sources.bytes() > expected {
        // The lengths of pipes are known only now.
        prepare(args, &cpu, sources.bytes());
    }
    if args.backend == args::Backend::Cpu || args.front_end != FrontEnd::Sequential {
        let backend = Backend::open(args, &cpu)?;
        let extent = if needs_main { Extent::Executable } else { Extent::Object };
        let program = match backend.accepted(args, &sources, extent)? {
            Some(program) => program,
            None => Checked::Tree(parse(args, &cpu, &sources, needs_main)?),
        };
        return Ok(Input { sources, program, backend });
    }
    // A GPU is opened while this thread parses.
    let (tree, backend) = std::thread::scope(|scope| {
        let opened = std::thread::Builder::new().spawn_scoped(scope, || Backend::open(args, &cpu));
        let tree = parse(args, &cpu, &sources, needs_main);
        let backend = match opened {
            // A thread that panics has printed the reason.
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system refused to start a thread.
            Err(_) => Backend::open(args, &cpu),
        };
        (tree, backend)
    });
    Ok(Input { sources, program: Checked::Tree(tree?), backend: backend? })
}
