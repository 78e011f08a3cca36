//! Compares the speed of `refc` with C compilers on equivalent generated programs.
//!
//! In each round every compiler runs once on each program. Each run is a new process, so start-up time is included. Ratios
//! are formed within a round, and their medians count.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benches::compile_speed::compilers::{Compiler, find};
use benches::compile_speed::plan::{Group, of_league, of_size};
use benches::compile_speed::report::{csv, league_table, properties, table};
use benches::compile_speed::rows::{Row, rows};
use benches::failure::exit_code;
use benches::idle::Observer;
use benches::process::{self, ONE_RUN, Usage};
use benches::record::Options;
use benches::rounds::order;
use benches::sizes::size;
use clap::Parser;

/// Compare the speed of `refc` with tcc, gcc -O0 and clang -O0, if installed
#[derive(Parser)]
struct Args {
    /// The `refc` executable to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/refc")]
    refc: PathBuf,

    /// Program sizes in bytes
    #[arg(long, value_delimiter = ',', value_parser = |text: &str| size(text, 1e9), default_values = ["1e5", "1e6", "1e7"])]
    sizes: Vec<usize>,

    /// Number of rounds; each compiler runs once per round
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Size in bytes of the largest program that gcc and clang get
    #[arg(long, value_name = "BYTES", default_value = "1e6", value_parser = |text: &str| size(text, 1e9))]
    slow_limit: usize,

    /// Measure only shapes whose name contains this text, and many functions
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,

    /// Check and build one program of small functions instead, as nordlow/compiler-benchmark does
    #[arg(long, conflicts_with_all = ["sizes", "slow_limit", "filter"])]
    league: bool,

    /// Number of functions of the league's program
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = |text: &str| size(text, 1e7), requires = "league")]
    functions: usize,

    #[command(flatten)]
    record: Options,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ONE_RUN) {
        return process::one_run(arguments);
    }
    exit_code("compile-speed", run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    let mut observer = args.record.observe("compile-speed")?;
    let (compilers, missing) = find(&args.refc)?;
    for name in missing {
        eprintln!("compile-speed: {name} is not installed");
    }
    let groups: Vec<Group> = if args.league {
        vec![of_league(args.functions, &compilers)]
    } else {
        args.sizes.iter().map(|&bytes| of_size(bytes, &compilers, args.slow_limit, &args.filter)).collect()
    };
    let mut rows = Vec::new();
    for group in &groups {
        rows.extend(measure(group, &compilers, args.runs as usize, &mut observer)?);
    }
    println!("{}", if args.league { league_table(&rows) } else { table(&rows) });
    args.record.write("compile-speed", &observer, &properties(&compilers, args.runs as usize), &csv(&rows))
}

/// Runs all cases of a group in turns. The calibration loop runs before each.
fn measure(group: &Group, compilers: &[Compiler], runs: usize, observer: &mut Observer) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    write_programs(group, folder.path())?;
    let mut used: Vec<Vec<Usage>> = group.cases.iter().map(|_| Vec::new()).collect();
    for round in 0..runs {
        eprintln!("compile-speed: {}, round {} of {runs}", group.title, round + 1);
        for k in order(group.cases.len(), round) {
            let case = &group.cases[k];
            let compiler = &compilers[case.compiler];
            observer.calibrate();
            let stem = case.input.to_string();
            let arguments = match group.inputs[case.input].is_list() {
                true => compiler.arguments_of_list(&stem),
                false => compiler.arguments(case.task, &stem),
            };
            used[k].push(process::run(&compiler.program, &arguments, folder.path(), None)?);
        }
    }
    Ok(rows(group, compilers, &used))
}

/// Writes each program of a group, under its position. A program of several files also has a list of their names.
fn write_programs(group: &Group, folder: &Path) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    };
    for (k, input) in group.inputs.iter().enumerate() {
        if input.is_list() {
            let names: Vec<String> = (0..input.files.len()).map(|file| format!("{k}_{file}.par")).collect();
            for (name, file) in names.iter().zip(&input.files) {
                write(name, &file.par)?;
            }
            write(&format!("{k}.list"), &names.join("\n"))?;
        } else {
            for file in &input.files {
                write(&format!("{k}.par"), &file.par)?;
                write(&format!("{k}.c"), &file.c)?;
            }
        }
    }
    Ok(())
}
