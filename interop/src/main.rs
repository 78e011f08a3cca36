//! Writes a forest to a Parquet file, and finds its largest folders.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use treepar_interop::{largest, nodes, print, report, write};

const USAGE: &str = "\
Usage: treepar-interop write FILE NODES    write a forest of so many nodes
       treepar-interop largest FILE        print the ten folders with the most bytes";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", file, count] => {
            count.parse::<u32>().ok().map(|count| write(Path::new(file), nodes(count as usize), 1_000_000))
        }
        ["largest", file] => Some(largest(Path::new(file), 10).map(|folders| print(&folders))),
        _ => None,
    };
    report(start, done, USAGE)
}
