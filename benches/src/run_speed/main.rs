//! Compares the run time of programs that `refc` and C compilers compile, on the machine itself.
//!
//! All executables of a program print the same before anything is measured. In each round every executable runs once. Ratios are
//! formed within a round, and their medians count.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benches::failure::exit_code;
use benches::idle::Observer;
use benches::process::{self, ONE_RUN, Usage};
use benches::record::Options;
use benches::rounds::order;
use benches::run_speed::builds::{Compiler, build, find, output};
use benches::run_speed::programs::{Subject, subjects};
use benches::run_speed::report::{csv, goals, properties, table};
use benches::run_speed::rows::{Row, rows};
use clap::Parser;

/// Compare the run time of programs compiled by `refc`, tcc and gcc
#[derive(Parser)]
struct Args {
    /// Number of rounds; each executable runs once per round
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Measure only programs whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,

    /// Compare all outputs with little work per run, in one round: the times mean nothing
    #[arg(long, conflicts_with_all = ["runs", "record"])]
    quick: bool,

    #[command(flatten)]
    record: Options,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ONE_RUN) {
        return process::one_run(arguments);
    }
    let mut args = Args::parse();
    if args.quick {
        args.runs = 1;
    }
    exit_code("run-speed", run(&args))
}

fn run(args: &Args) -> Result<(), String> {
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return Err("executables of `refc` run on x86-64 Linux only".into());
    }
    let mut observer = args.record.observe("run-speed")?;
    let (compilers, missing) = find()?;
    for name in missing {
        eprintln!("run-speed: {name} is not installed");
    }
    let mut subjects = subjects(args.quick);
    subjects.retain(|subject| subject.name.contains(&args.filter));
    let mut all = Vec::new();
    for subject in &subjects {
        all.extend(measure(subject, &compilers, args.runs as usize, &mut observer)?);
    }
    println!("{}", table(&all));
    if !args.quick {
        print!("{}", goals(&subjects, &all));
    }
    args.record.write("run-speed", &observer, &properties(&compilers, args.runs as usize), &csv(&all))
}

/// Compiles a program by all compilers, compares the outputs, and runs the executables in turns. The calibration loop runs before each run.
fn measure(
    subject: &Subject,
    compilers: &[Compiler],
    runs: usize,
    observer: &mut Observer,
) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    let input = folder.path().join("input");
    std::fs::write(&input, format!("{}\n", subject.repetitions))
        .map_err(|e| format!("cannot write `{}`: {e}", input.display()))?;
    let mut executables = Vec::new();
    for (k, compiler) in compilers.iter().enumerate() {
        executables.push(build(subject, compiler, folder.path(), k)?);
    }
    same_output(subject, compilers, &executables, &input)?;
    let mut used: Vec<Vec<Usage>> = executables.iter().map(|_| Vec::new()).collect();
    for round in 0..runs {
        eprintln!("run-speed: {}, round {} of {runs}", subject.name, round + 1);
        for k in order(executables.len(), round) {
            observer.calibrate();
            used[k].push(process::run(&executables[k], &[], folder.path(), Some(&input))?);
        }
    }
    Ok(rows(subject, compilers, &used))
}

/// Checks that all executables of a program print the same.
fn same_output(subject: &Subject, compilers: &[Compiler], all: &[PathBuf], input: &Path) -> Result<(), String> {
    let mut first: Option<Vec<u8>> = None;
    for (compiler, executable) in compilers.iter().zip(all) {
        let failed = |e| format!("{}, {}: {e}", subject.name, compiler.name);
        let found = output(executable, input).map_err(failed)?;
        let expected = first.get_or_insert_with(|| found.clone());
        if *expected != found || found.is_empty() {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let outputs = format!("{:?} and not {:?}", text(&found), text(expected));
            return Err(failed(format!("prints {outputs}, as {} does", compilers[0].name)));
        }
    }
    Ok(())
}
