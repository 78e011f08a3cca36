//! Compares treepar's operations on the CPU with plain sequential code, in one process and on the same input.
//!
//! The candidates take turns, and the best run of each counts. A run shorter than a millisecond is repeated until a
//! millisecond has passed. Before its turn each candidate runs once without being timed, since the others have used the caches. Plain
//! code and treepar with one thread read the same columns. Each answer is compared once.
//!
//! Both sides write to memory that was used before: treepar to pooled columns, plain code to vectors passed to it.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use benches::failure::exit_code;
use benches::operations::data::{Data, Shape};
use benches::operations::{Operation, Scratch, columns, trees};
use benches::record::write_whole;
use benches::sizes::size;
use clap::Parser;
use report::Row;
use treepar::{Backend, Cpu};

/// Compare the speed of treepar's operations with plain sequential code
#[derive(Parser)]
struct Args {
    /// Numbers of rows or nodes
    #[arg(long, value_delimiter = ',', value_parser = |text: &str| size(text, 4e9), default_values = ["1e3", "1e5", "1e7"])]
    sizes: Vec<usize>,

    /// Runs per measurement; the best counts
    #[arg(long, default_value_t = 7)]
    runs: usize,

    /// Run only operations whose name contains this text
    #[arg(long, default_value = "")]
    filter: String,

    /// Threads of the second treepar column; the first always uses one
    #[arg(long, default_value_t = 2)]
    threads: usize,

    /// Use sizes 1e3 and 1e5 and three runs
    #[arg(long)]
    quick: bool,

    /// Write the results to this file as CSV
    #[arg(long)]
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let mut args = Args::parse();
    if args.quick {
        (args.sizes, args.runs) = (vec![1000, 100_000], 3);
    }
    exit_code("primitives", run(&args))
}

fn run(args: &Args) -> Result<(), String> {
    let rows = measure(args)?;
    println!("{}", report::table(&rows, args.threads));
    print!("{}", report::marks(&rows, args.threads));
    args.record.as_ref().map_or(Ok(()), |path| write_whole(path, report::csv(&rows).as_bytes()))
}

fn measure(args: &Args) -> Result<Vec<Row>, String> {
    let one = Cpu::with_threads(1);
    let some = Cpu::with_threads(args.threads);
    some.adopt_current_thread();
    let mut rows = Vec::new();
    for &n in &args.sizes {
        let plain_columns = [(Shape::Random, columns::operations())];
        let trees = [Shape::Wide, Shape::Deep, Shape::Random, Shape::Program].map(|shape| (shape, trees::operations()));
        for (shape, operations) in plain_columns.into_iter().chain(trees) {
            let wanted: Vec<Operation<Cpu>> =
                operations.into_iter().filter(|op| op.name.contains(&args.filter)).collect();
            if wanted.is_empty() {
                continue;
            }
            eprintln!("{n} rows, {shape}");
            let data = Data::new(&some, n, shape).map_err(|error| error.to_string())?;
            let data_of_one = data.on(&one).map_err(|error| error.to_string())?;
            let copy = seconds(args.runs, &mut || drop(some.slice(&data.x, 0..n)));
            for operation in wanted {
                let mut scratch = Scratch::new(n);
                // The first run of each side is compared. It also allocates the memory that later runs reuse.
                (operation.plain)(&data_of_one, &mut scratch);
                let (mut bytes, mut moved) = (0.0, 0);
                for (cpu, data) in [(&one, &data_of_one), (&some, &data)] {
                    let before = cpu.counters().bytes;
                    let answer = (operation.ours)(cpu, data).map_err(|error| error.to_string())?;
                    moved = cpu.counters().bytes - before;
                    let answer = answer.download(cpu).map_err(|error| error.to_string())?;
                    if !answer.equals(&scratch) {
                        return Err(format!("{}, {n} rows, {shape}: treepar and plain code differ", operation.name));
                    }
                    bytes = operation.bytes(n, &answer);
                }
                let mut times = [f64::INFINITY; 3];
                for _ in 0..args.runs {
                    times[0] = times[0].min(seconds(1, &mut || (operation.plain)(&data_of_one, &mut scratch)));
                    times[1] = times[1].min(seconds(1, &mut || drop((operation.ours)(&one, &data_of_one))));
                    times[2] = times[2].min(seconds(1, &mut || drop((operation.ours)(&some, &data))));
                }
                rows.push(Row {
                    operation: operation.name,
                    kind: operation.kind,
                    n,
                    shape,
                    bytes,
                    moved,
                    plain: times[0],
                    one: times[1],
                    some: times[2],
                    copy_bandwidth: 8.0 * n as f64 / copy,
                });
            }
        }
    }
    Ok(rows)
}

/// Returns the seconds of the best run, after one that is not timed.
fn seconds(runs: usize, work: &mut dyn FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    work();
    for _ in 0..runs {
        let start = Instant::now();
        let mut times = 0u32;
        while times == 0 || start.elapsed().as_secs_f64() < 1e-3 {
            work();
            times += 1;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(times));
    }
    best
}
