//! Writes a forest to a Parquet file with a row per tree, and finds its largest folders by a query.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use datafusion::common::Result;
use treepar_interop::nodes;
use treepar_interop_datafusion::{largest, session, write};

const USAGE: &str = "\
Usage: treepar-interop-datafusion write FILE NODES             write a forest of so many nodes
       treepar-interop-datafusion largest FILE [PARTITIONS]    print the ten folders with the most bytes";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file, count] if count.parse::<u32>().is_ok() => {
            write(Path::new(file), nodes(count.parse().unwrap_or(0)), 1_000_000)
        }
        ["largest", file] => print(file, std::thread::available_parallelism().map_or(1, |count| count.get())).await,
        ["largest", file, partitions] if partitions.parse().is_ok_and(|count: usize| count > 0) => {
            print(file, partitions.parse().unwrap_or(1)).await
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => {
            eprintln!("{:.2} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("treepar-interop-datafusion: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn print(file: &str, partitions: usize) -> Result<()> {
    for folder in largest(&session(partitions), Path::new(file), 10).await? {
        println!("{:>16} {}", folder.bytes, folder.name);
    }
    Ok(())
}
