//! Writes a forest to a Parquet file with a row per tree, and finds its largest folders by a query.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use treepar_interop::{nodes, print, report, threads};
use treepar_interop_datafusion::{largest, session, write};

const USAGE: &str = "\
Usage: treepar-interop-datafusion write FILE NODES             write a forest of so many nodes
       treepar-interop-datafusion largest FILE [PARTITIONS]    print the ten folders with the most bytes";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file, count] => {
            count.parse::<u32>().ok().map(|count| write(Path::new(file), nodes(count as usize), 1_000_000))
        }
        ["largest", file, ref partitions @ ..] => match threads(partitions) {
            Some(partitions) => {
                Some(largest(&session(partitions.get()), Path::new(file), 10).await.map(|folders| print(&folders)))
            }
            None => None,
        },
        _ => None,
    };
    report(start, done, USAGE)
}
