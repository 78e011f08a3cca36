//! Compares the speed of `refc` with C compilers on equivalent generated programs.
//!
//! In each round every compiler runs once on each program. Each run is a new process, so start-up time is included. Ratios
//! are formed within a round, and their medians count.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use benches::compile_speed::compilers::{Compiler, find};
use benches::compile_speed::plan::{Group, of_league, of_size, order};
use benches::compile_speed::process::{self, ONE_RUN, Usage};
use benches::compile_speed::report::{csv, head, league_table, table};
use benches::compile_speed::rows::{Row, rows};
use benches::failure::exit_code;
use benches::idle::Observer;
use benches::record::write_whole;
use clap::Parser;

/// Compare the speed of `refc` with tcc, gcc -O0 and clang -O0, if installed
#[derive(Parser)]
struct Args {
    /// The `refc` executable to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/refc")]
    refc: PathBuf,

    /// Program sizes in bytes
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000, 10_000_000])]
    sizes: Vec<usize>,

    /// Number of rounds; each compiler runs once per round
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Size in bytes of the largest program that gcc and clang get
    #[arg(long, value_name = "BYTES", default_value_t = 1_000_000)]
    slow_limit: usize,

    /// Measure only shapes whose name contains this text, and many functions
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,

    /// Check and build one program of small functions instead, as nordlow/compiler-benchmark does
    #[arg(long, conflicts_with_all = ["sizes", "slow_limit", "filter"])]
    league: bool,

    /// Number of functions of the league's program
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = functions, requires = "league")]
    functions: usize,

    /// Write the results to this file as CSV, unless the machine is busy
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Wait up to this many seconds for idle cores before recording
    #[arg(long, value_name = "SECONDS", default_value_t = 0, requires = "record")]
    wait: u64,

    /// Record even if the machine is busy; the record says so
    #[arg(long, requires = "record")]
    allow_busy: bool,
}

fn functions(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=10_000_000) => Ok(n),
        _ => Err("expected a number from 1 to 10000000".into()),
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ONE_RUN) {
        return process::one_run(arguments);
    }
    exit_code("compile-speed", run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    if let Some(folder) = args.record.as_ref().and_then(|path| path.parent())
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        return Err(format!("cannot write a record: there is no folder `{}`", folder.display()));
    }
    let mut observer = observe(args)?;
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
    let conditions = observer.conditions();
    eprintln!("compile-speed: {}", conditions.text());
    if let Some(path) = &args.record {
        let objections = conditions.admit(args.allow_busy)?;
        let record = head(&compilers, args.runs as usize, &conditions, &objections) + &csv(&rows);
        write_whole(path, record.as_bytes())?;
    }
    Ok(())
}

/// Starts to observe the machine. Before a record, waits until it is idle.
fn observe(args: &Args) -> Result<Observer, String> {
    let start = Instant::now();
    let mut said = false;
    loop {
        let observer = Observer::start();
        if args.record.is_none() {
            return Ok(observer);
        }
        match observer.conditions().admit(args.allow_busy) {
            Ok(_) => return Ok(observer),
            Err(refusal) if start.elapsed() >= Duration::from_secs(args.wait) => return Err(refusal),
            Err(_) if said => {}
            Err(_) => {
                eprintln!("compile-speed: waiting up to {} s for idle cores", args.wait);
                said = true;
            }
        }
        std::thread::sleep(Duration::from_secs(1));
    }
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
            used[k].push(process::run(&compiler.program, &arguments, folder.path())?);
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
