//! Writes a forest to a Parquet file, and finds its largest folders.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use treepar_interop::{Error, largest, nodes, write};

const USAGE: &str = "\
Usage: treepar-interop write FILE NODES    write a forest of so many nodes
       treepar-interop largest FILE        print the ten folders with the most bytes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let done: Result<(), Error> = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file, count] if count.parse::<u32>().is_ok() => {
            write(Path::new(file), nodes(count.parse().unwrap_or(0)), 1_000_000)
        }
        ["largest", file] => largest(Path::new(file), 10).map(|folders| {
            folders.iter().for_each(|folder| println!("{:>16} {}", folder.bytes, folder.name));
        }),
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
            eprintln!("treepar-interop: {error}");
            ExitCode::FAILURE
        }
    }
}
