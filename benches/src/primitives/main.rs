//! treepar's operations on the CPU beside plain sequential code, in one run, on one input, in turns.
//!
//! Both write to memory that was written to before: ours to columns of the pool, plain code to vectors that it is given.
//! Every answer is compared once. The best of some runs counts; short ones are repeated until a millisecond has passed.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use benches::operations::data::{Data, Shape};
use benches::operations::{Operation, Scratch, columns, trees};
use benches::record::write_whole;
use clap::Parser;
use report::Row;
use treepar::{Backend, Cpu};

/// Measure treepar's operations beside plain sequential code
#[derive(Parser)]
struct Args {
    /// Rows or nodes
    #[arg(long, value_delimiter = ',', value_parser = rows, default_values = ["1e3", "1e5", "1e7"])]
    sizes: Vec<usize>,

    /// Runs of each, of which the best counts
    #[arg(long, default_value_t = 7)]
    runs: usize,

    /// Only operations whose name holds this
    #[arg(long, default_value = "")]
    filter: String,

    /// Threads of the second column of ours; the first has one
    #[arg(long, default_value_t = 2)]
    threads: usize,

    /// Sizes 1e3 and 1e5, three runs
    #[arg(long)]
    quick: bool,

    /// Write the results to this file as CSV
    #[arg(long)]
    record: Option<PathBuf>,
}

/// `1e6`, `100000`.
fn rows(text: &str) -> Result<usize, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if (1.0..4e9).contains(&number) { Ok(number as usize) } else { Err(format!("`{text}` is not from 1 to 4e9")) }
}

fn main() -> ExitCode {
    let mut args = Args::parse();
    if args.quick {
        (args.sizes, args.runs) = (vec![1000, 100_000], 3);
    }
    match measure(&args) {
        Ok(rows) => {
            println!("{}", report::table(&rows, args.threads));
            print!("{}", report::marks(&rows, args.threads));
            if let Some(path) = &args.record
                && let Err(error) = write_whole(path, report::csv(&rows).as_bytes())
            {
                eprintln!("primitives: {error}");
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("primitives: {error}");
            ExitCode::FAILURE
        }
    }
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
            let copy = seconds(args.runs, &mut || drop(some.slice(&data.x, 0..n)));
            for operation in wanted {
                let mut scratch = Scratch::new(n);
                // What each side's first run writes is compared; it also brings memory that later runs reuse.
                (operation.plain)(&data, &mut scratch);
                let (mut bytes, mut moved) = (0.0, 0);
                for cpu in [&one, &some] {
                    let before = cpu.counters().bytes;
                    let answer = (operation.ours)(cpu, &data).map_err(|error| error.to_string())?;
                    moved = cpu.counters().bytes - before;
                    let answer = answer.download(cpu).map_err(|error| error.to_string())?;
                    if !answer.equals(&scratch) {
                        return Err(format!("{} of {n} rows, {shape}: ours and plain code differ", operation.name));
                    }
                    bytes = operation.bytes(n, &answer);
                }
                let mut times = [f64::INFINITY; 3];
                for _ in 0..args.runs {
                    times[0] = times[0].min(seconds(1, &mut || (operation.plain)(&data, &mut scratch)));
                    times[1] = times[1].min(seconds(1, &mut || drop((operation.ours)(&one, &data))));
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

/// The best of some runs, in seconds.
fn seconds(runs: usize, work: &mut dyn FnMut()) -> f64 {
    let mut best = f64::INFINITY;
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
