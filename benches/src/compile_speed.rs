//! Compares the speed of `refc -c` with C compilers on equivalent generated programs.
//!
//! The compilers take turns. Each run is a new process, so start-up time is included. The best run of each counts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use benches::failure::exit_code;
use benches::program::{Shape, program};
use benches::record::write_whole;
use benches::table::{number, table as new_table, text};
use clap::Parser;
use comfy_table::Table;

/// Compare the speed of `refc -c` with tcc, gcc -O0 and clang -O0, if installed
#[derive(Parser)]
struct Args {
    /// The `refc` executable to measure
    #[arg(long, default_value = "target/release/refc")]
    refc: PathBuf,

    /// Program sizes in bytes
    #[arg(long, value_delimiter = ',', default_values_t = [100_000, 1_000_000, 10_000_000])]
    sizes: Vec<usize>,

    /// Runs per compiler; the best counts
    #[arg(long, default_value_t = 5)]
    runs: usize,

    /// Size in bytes of the largest program that other compilers get
    #[arg(long, default_value_t = 1_000_000)]
    peer_limit: usize,

    /// Write the results to this file as CSV
    #[arg(long)]
    record: Option<PathBuf>,
}

struct Compiler {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    is_ours: bool,
}

fn compilers(refc: &Path) -> Vec<Compiler> {
    let peer = |name, program: &str, arguments| Compiler { name, program: program.into(), arguments, is_ours: false };
    let ours = |name, arguments| Compiler { name, program: refc.to_path_buf(), arguments, is_ours: true };
    vec![
        ours("refc", &["-w", "-c"]),
        ours("refc -j1", &["-w", "-j1", "-c"]),
        peer("tcc", "tcc", &["-w", "-c"]),
        peer("gcc -O0", "gcc", &["-w", "-O0", "-c"]),
        peer("clang -O0", "clang", &["-w", "-O0", "-c"]),
    ]
}

/// The measurement of one compiler on one program.
struct Row {
    shape: Shape,
    /// The requested size in bytes.
    size: usize,
    /// The bytes of the program's text in the compiler's language.
    bytes: usize,
    compiler: &'static str,
    best: Duration,
    peak_bytes: Option<u64>,
}

fn main() -> ExitCode {
    exit_code("compile-speed", run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    let rows = measure(args)?;
    println!("{}", table(&rows));
    args.record.as_ref().map_or(Ok(()), |path| write_whole(path, csv(&rows).as_bytes()))
}

fn measure(args: &Args) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    let mut rows = Vec::new();
    for shape in [Shape::ManyFunctions, Shape::OneFunction] {
        for &size in &args.sizes {
            let program = program(size, shape, 1);
            let write = |name: &str, text: &str| {
                std::fs::write(folder.path().join(name), text).map_err(|e| format!("cannot write a program: {e}"))
            };
            write("program.par", &program.par)?;
            write("program.c", &program.c)?;
            let compilers: Vec<Compiler> =
                compilers(&args.refc).into_iter().filter(|c| c.is_ours || size <= args.peer_limit).collect();
            let mut best = vec![None; compilers.len()];
            let mut peak = vec![None; compilers.len()];
            for _ in 0..args.runs {
                for (k, compiler) in compilers.iter().enumerate() {
                    let Some((time, peak_bytes)) = compile(compiler, folder.path())? else { continue };
                    best[k] = Some(best[k].map_or(time, |b: Duration| b.min(time)));
                    peak[k] = peak_bytes;
                }
            }
            for ((compiler, best), peak_bytes) in compilers.iter().zip(best).zip(peak) {
                match best {
                    Some(best) => rows.push(Row {
                        shape,
                        size,
                        bytes: if compiler.is_ours { program.par.len() } else { program.c.len() },
                        compiler: compiler.name,
                        best,
                        peak_bytes,
                    }),
                    None => eprintln!("compile-speed: {} is not installed", compiler.name),
                }
            }
        }
    }
    Ok(rows)
}

/// Compiles once. Returns the time and the reported peak memory, or `None` if the compiler is not installed.
fn compile(compiler: &Compiler, folder: &Path) -> Result<Option<(Duration, Option<u64>)>, String> {
    let program = if compiler.is_ours && compiler.program.exists() {
        std::fs::canonicalize(&compiler.program).map_err(|e| e.to_string())?
    } else {
        compiler.program.clone()
    };
    let mut command = Command::new(&program);
    command.current_dir(folder).args(compiler.arguments).args(["-o", "out.o"]).stdin(Stdio::null());
    if compiler.is_ours {
        command.args(["-v", "program.par"]);
    } else {
        command.arg("program.c");
    }
    let start = Instant::now();
    let finished = match command.output() {
        Ok(finished) => finished,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound && !compiler.is_ours => return Ok(None),
        Err(e) => {
            return Err(format!("cannot run `{}`: {e}; build it with `cargo build --release`", program.display()));
        }
    };
    let time = start.elapsed();
    let stderr = String::from_utf8_lossy(&finished.stderr);
    if !finished.status.success() {
        return Err(format!("{} failed: {stderr}", compiler.name));
    }
    let peak = stderr.split_once("peak memory ").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    Ok(Some((time, peak)))
}

/// Returns the speed in megabytes of source per second.
fn speed(row: &Row) -> f64 {
    row.bytes as f64 / 1e6 / row.best.as_secs_f64()
}

/// Returns a row's time divided by the time `refc` takes for the equivalent program.
fn ratio(rows: &[Row], row: &Row) -> f64 {
    let same = |other: &&Row| (other.shape, other.size, other.compiler) == (row.shape, row.size, "refc");
    rows.iter().find(same).map_or(f64::NAN, |ours| row.best.as_secs_f64() / ours.best.as_secs_f64())
}

fn table(rows: &[Row]) -> Table {
    let mut table = new_table([
        "program",
        "bytes",
        "compiler",
        "ms",
        "MB/s",
        "time relative to refc",
        "peak bytes per source byte",
    ]);
    for row in rows {
        table.add_row([
            text(format!("{:?}", row.shape)),
            number(row.bytes),
            text(row.compiler),
            number(format!("{:.2}", row.best.as_secs_f64() * 1e3)),
            number(format!("{:.2}", speed(row))),
            number(format!("{:.2}", ratio(rows, row))),
            number(row.peak_bytes.map_or(String::new(), |peak| format!("{:.1}", peak as f64 / row.bytes as f64))),
        ]);
    }
    table
}

fn csv(rows: &[Row]) -> String {
    let mut out = String::from("program,size,bytes,compiler,ms,mb_per_s,times_refc,peak_bytes\n");
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:?},{},{},{},{:.3},{:.3},{:.3},{}",
            row.shape,
            row.size,
            row.bytes,
            row.compiler,
            row.best.as_secs_f64() * 1e3,
            speed(row),
            ratio(rows, row),
            row.peak_bytes.map_or(String::new(), |peak| peak.to_string())
        );
    }
    out
}
