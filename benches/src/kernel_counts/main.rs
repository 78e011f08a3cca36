//! Counts what kernels execute and move, on an executor of PTX. No GPU is needed.

use std::path::PathBuf;
use std::process::ExitCode;

use benches::failure::exit_code;
use benches::kernel_counts::{csv, measure, table};
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

    /// Write the counts to this file as CSV
    #[arg(long)]
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    exit_code("kernel-counts", run(&args))
}

fn run(args: &Args) -> Result<(), String> {
    let progress = |row: &benches::kernel_counts::Row| eprintln!("{} {}", row.operation, row.shape);
    let rows = measure(args.rows, &args.filter, progress)?;
    println!("{}", table(&rows));
    args.record.as_ref().map_or(Ok(()), |path| write_whole(path, csv(&rows).as_bytes()))
}
