//! Finds the largest folders of a forest by a query that several workers run.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use treepar_interop::{print, report, threads};
use treepar_interop_ballista::session;
use treepar_interop_datafusion::largest;

const USAGE: &str = "\
Usage: treepar-interop-ballista FILE [WORKERS]    print the ten folders with the most bytes";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [file, ref workers @ ..] => match threads(workers) {
            Some(workers) => Some(find(Path::new(file), workers).await),
            None => None,
        },
        _ => None,
    };
    report(start, done, USAGE)
}

async fn find(file: &Path, workers: NonZeroUsize) -> datafusion::common::Result<()> {
    print(&largest(&session(workers).await?, file, 10).await?);
    Ok(())
}
