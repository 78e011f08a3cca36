//! Counts what kernels execute and move, on an executor of PTX. No GPU is needed.

use std::path::PathBuf;
use std::process::ExitCode;

use benches::failure::exit_code;
use benches::kernel_counts::{compilation, count_passes, csv, measure, table};
use benches::record::write_whole;
use clap::Parser;

/// Count the instructions, sectors and barriers of each operation's kernels, without a GPU
#[derive(Parser)]
struct Args {
    /// Rows or nodes of the inputs
    #[arg(long, default_value_t = 100_000)]
    rows: usize,

    /// Run only operations whose name contains this text
    #[arg(long, default_value = "")]
    filter: String,

    /// Count a compilation of a generated program of this many bytes instead, and predict its time
    #[arg(long, value_name = "BYTES")]
    program: Option<usize>,

    /// Predict the time of a program of this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 50_000_000, requires = "program")]
    predict: usize,

    /// Write the counts to this file as CSV: of each operation, or with --program of each pass
    #[arg(long)]
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    exit_code("kernel-counts", run(&args))
}

fn run(args: &Args) -> Result<(), String> {
    if let Some(bytes) = args.program {
        program(bytes, args.predict)?;
        let Some(path) = &args.record else { return Ok(()) };
        eprintln!("compiling twice, pass by pass");
        return write_whole(path, count_passes(bytes)?.csv().as_bytes());
    }
    let progress = |row: &benches::kernel_counts::Row| eprintln!("{} {}", row.operation, row.shape);
    let rows = measure(args.rows, &args.filter, progress)?;
    println!("{}", table(&rows));
    args.record.as_ref().map_or(Ok(()), |path| write_whole(path, csv(&rows).as_bytes()))
}

fn program(bytes: usize, predict: usize) -> Result<(), String> {
    eprintln!("compiling {bytes} bytes three times");
    let counted = compilation(bytes)?;
    let calls = counted.counts.calls;
    println!(
        "{} bytes of source to {} words: {} launches, {} waits, {} allocations, {} copies to the GPU and {} back, {} fills",
        counted.source,
        counted.words,
        calls.launches,
        calls.waits,
        calls.allocations,
        calls.uploads,
        calls.downloads,
        calls.fills
    );
    println!("\n{}\n", counted.table(predict as f64));
    let parts = counted.predicted(predict as f64);
    println!(
        "predicted for {predict} bytes on an H200: {:.2} ms, of which kernels {:.2}, waits {:.2}, copies {:.2}",
        parts.seconds() * 1e3,
        parts.kernels * 1e3,
        parts.waits * 1e3,
        parts.copies * 1e3
    );
    Ok(())
}
