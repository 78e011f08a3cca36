//! Several compilation units in one run: `-c` or `-S` with several files and no `-o`.
//!
//! Each file is a unit of its own, as for C compilers. Units share no names. The output of a unit is its name with `.o` or
//! `.s`, in the current folder. A unit with errors does not keep the others from being written. Messages have the order of
//! the files.
//!
//! Each thread compiles units by itself, on a backend of one thread that keeps its memory from unit to unit. Only a unit that is large compared with a thread's share of all units gets all threads.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use clap::error::ErrorKind;
use refcompiler::frontend::sequential::{Extent, Sources};
use refcompiler::pipeline::{Output, Timing};
use treepar::Cpu;

use super::args::{self, Args};
use super::backend::{Backend, Checked, PARALLEL_BYTES};
use super::output::{Destination, Identities, default_name};
use super::{Failure, build, colored, compile, read_source, report, write_object};

/// Returns whether the files are compiled one by one.
pub fn are_units(args: &Args) -> bool {
    (args.object || args.assembly) && args.output.is_none() && args.files.len() > 1
}

/// A file and its output.
struct Unit<'a> {
    file: &'a Path,
    destination: Destination,
    /// The bytes of the file, as far as they are known before it is read.
    bytes: u64,
}

/// Compiles each file to its own output.
pub fn compile_units(args: &Args) -> Result<(), Failure> {
    if args.start {
        let message = "`--start` with several files needs `-o`: one object of a program contains `_start`";
        return Err(Failure::Usage(ErrorKind::ArgumentConflict, message.into()));
    }
    if args.files.iter().filter(|file| *file == Path::new("-")).count() > 1 {
        return Err(Failure::Usage(ErrorKind::TooManyValues, "standard input can be given only once".into()));
    }
    let started = Instant::now();
    let units = units(args)?;
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let all_bytes: u64 = units.iter().map(|unit| unit.bytes).sum();
    let large = (all_bytes / (2 * threads as u64)).max(PARALLEL_BYTES as u64);
    let gets_all_threads =
        |unit: &Unit<'_>| args.backend != args::Backend::Cpu || (threads > 1 && unit.bytes > large && !unit.is_stdin());
    let mut total = Total::default();
    for group in units.chunk_by(|a, b| !gets_all_threads(a) && !gets_all_threads(b)) {
        if gets_all_threads(&group[0]) {
            compile_with_all_threads(args, &group[0], &mut total);
        } else {
            compile_in_parallel(args, group, threads, &mut total);
        }
    }
    total.report(args, units.len(), started.elapsed());
    if total.failed > 0 { Err(Failure::Reported) } else { Ok(()) }
}

/// Returns all units. An error if two have the same output, or an output is an input.
fn units(args: &Args) -> Result<Vec<Unit<'_>>, Failure> {
    let inputs = Identities::of(&args.files);
    let mut units = Vec::with_capacity(args.files.len());
    let mut outputs: HashMap<PathBuf, &Path> = HashMap::with_capacity(args.files.len());
    for file in &args.files {
        let output = default_name(file, if args.assembly { "s" } else { "o" });
        if let Some(other) = outputs.insert(output.clone(), file) {
            let (first, second) = (args.origins.name(other), args.origins.name(file));
            let message = format!("cannot write `{}`: it is the output of {first} and of {second}", output.display());
            return Err(format!("{message}; compile them in separate folders, or to one object with `-o`").into());
        }
        let destination = inputs.destination(&output)?;
        let bytes = inputs.bytes(units.len());
        units.push(Unit { file, destination, bytes });
    }
    Ok(units)
}

impl Unit<'_> {
    fn is_stdin(&self) -> bool {
        self.file == Path::new("-")
    }
}

/// Compiles one unit as a program of one file is compiled.
fn compile_with_all_threads(args: &Args, unit: &Unit<'_>, total: &mut Total) {
    let result = build(args, &[unit.file.to_path_buf()], Output::Object, false).and_then(|mut built| {
        let mut work = Work {
            source_bytes: built.source_bytes,
            nodes: built.nodes,
            words: built.compiled.image.words.len(),
            front_end: built.front_end,
            ..Work::default()
        };
        work.timings = std::mem::take(&mut built.compiled.timings);
        let started = Instant::now();
        work.output_bytes = write_object(args, &mut built.compiled.image, &unit.destination)?;
        work.writing = started.elapsed();
        Ok(work)
    });
    total.add(args, Finished { printed: String::new(), result });
}

/// The most units that a thread takes at once. Each chunk wakes the thread that prints.
const MAX_CHUNK: usize = 64;

/// The chunks per thread, if there are enough units: they keep all threads busy until the end.
const CHUNKS_PER_THREAD: usize = 16;

/// Compiles units on several threads, one thread each.
fn compile_in_parallel(args: &Args, units: &[Unit<'_>], threads: usize, total: &mut Total) {
    let length = units.len().div_ceil(threads * CHUNKS_PER_THREAD).min(MAX_CHUNK);
    let chunks = units.len().div_ceil(length);
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let work = &|send: mpsc::Sender<(usize, Vec<Finished>)>| {
        let backend = Backend::Cpu(Cpu::with_threads(1));
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let Some(units) = units.chunks(length).nth(chunk) else { break };
            let finished = units.iter().map(|unit| compile_with_one_thread(args, unit, &backend)).collect();
            // The receiver lives until all threads have ended.
            let _ = send.send((chunk, finished));
        }
    };
    std::thread::scope(|scope| {
        let spawn = |_: &usize| {
            let send = send.clone();
            std::thread::Builder::new().spawn_scoped(scope, move || work(send)).is_ok()
        };
        // If the system refuses a thread, the others do its work, and if it refuses all of them, this one does.
        if (0..threads.min(chunks)).filter(spawn).count() == 0 {
            work(send);
        } else {
            drop(send);
        }
        print_in_order(args, receive, total);
    });
}

/// Prints the messages of chunks in the order of their numbers, which begin at 0, and adds up their work.
fn print_in_order(args: &Args, received: mpsc::Receiver<(usize, Vec<Finished>)>, total: &mut Total) {
    let mut early = HashMap::new();
    let mut next = 0;
    for (chunk, finished) in received {
        early.insert(chunk, finished);
        while let Some(finished) = early.remove(&next) {
            finished.into_iter().for_each(|finished| total.add(args, finished));
            next += 1;
        }
    }
}

/// Compiles one unit and writes its output.
fn compile_with_one_thread(args: &Args, unit: &Unit<'_>, backend: &Backend) -> Finished {
    let mut printed = String::new();
    let result = write_with_one_thread(args, unit, backend, &mut printed);
    Finished { printed, result }
}

fn write_with_one_thread(
    args: &Args,
    unit: &Unit<'_>,
    backend: &Backend,
    printed: &mut String,
) -> Result<Work, Failure> {
    let started = Instant::now();
    let (name, bytes) = read_source(args, unit.file)?;
    let mut sources = Sources::new();
    sources.add(name, bytes).map_err(|error| error.to_string())?;
    let program = match backend.accepted(args, &sources, Extent::Object)? {
        Some(program) => program,
        None => {
            let cpu = Cpu::with_threads(1);
            let (tree, messages) = args.messages.checked(&cpu, &sources, Extent::Object, colored());
            printed.push_str(&messages);
            Checked::Tree(tree.ok_or(Failure::Reported)?)
        }
    };
    let (nodes, front_end) = (program.nodes(), started.elapsed());
    let mut compiled = compile(args, program, Output::Object, &sources, backend)?;
    let started = Instant::now();
    let output_bytes = write_object(args, &mut compiled.image, &unit.destination)?;
    Ok(Work {
        source_bytes: sources.bytes(),
        nodes,
        words: compiled.image.words.len(),
        output_bytes,
        front_end,
        // Adding them up costs time on the thread that prints.
        timings: if args.time_passes { compiled.timings } else { Vec::new() },
        writing: started.elapsed(),
    })
}

/// A unit that was compiled or has errors.
struct Finished {
    /// Errors and warnings of the program, as they are printed.
    printed: String,
    result: Result<Work, Failure>,
}

/// The work for some units. Times are sums over the threads.
#[derive(Default)]
struct Work {
    source_bytes: usize,
    nodes: usize,
    words: usize,
    output_bytes: usize,
    front_end: Duration,
    timings: Vec<Timing>,
    writing: Duration,
}

impl Work {
    fn add(&mut self, other: Work) {
        self.source_bytes += other.source_bytes;
        self.nodes += other.nodes;
        self.words += other.words;
        self.output_bytes += other.output_bytes;
        self.front_end += other.front_end;
        self.writing += other.writing;
        for timing in other.timings {
            match self.timings.iter_mut().find(|sum| sum.pass == timing.pass) {
                Some(sum) => {
                    sum.time += timing.time;
                    sum.work.templates += timing.work.templates;
                    sum.work.bytes += timing.work.bytes;
                }
                None => self.timings.push(timing),
            }
        }
    }
}

/// The work for all units, and the number of failures.
#[derive(Default)]
struct Total {
    work: Work,
    failed: usize,
}

impl Total {
    /// Prints the messages of a unit and adds its work.
    fn add(&mut self, args: &Args, finished: Finished) {
        eprint!("{}", finished.printed);
        match finished.result {
            Ok(work) => self.work.add(work),
            Err(failure) => {
                self.failed += 1;
                if let Failure::Message(message) | Failure::Usage(_, message) = failure {
                    super::print_error(args, &message);
                }
            }
        }
    }

    /// Prints the reports that the command line requests.
    fn report(&self, args: &Args, units: usize, time: Duration) {
        let work = &self.work;
        if args.time_passes {
            report::time_passes(work.source_bytes, work.front_end, &work.timings, Some(work.writing));
        }
        if !args.verbose {
            return;
        }
        if args.check_passes && self.failed < units {
            eprintln!("refc: checked the output of every pass: no errors");
        }
        let mut text = format!("refc: {units} files");
        // Writing to a string cannot fail.
        if self.failed > 0 {
            let _ = write!(text, ", {} failed", self.failed);
        }
        let _ = write!(
            text,
            ", {} bytes of source, {} nodes, {} instructions, {} bytes written, {:.1} ms",
            work.source_bytes,
            work.nodes,
            work.words,
            work.output_bytes,
            time.as_secs_f64() * 1e3
        );
        if let Some(bytes) = report::peak_memory() {
            let _ = write!(text, ", peak memory {:.1} MB", bytes as f64 / 1e6);
        }
        eprintln!("{text}");
    }
}
