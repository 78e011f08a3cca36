//! The program `run-speed`: all compilers make programs with the same output. Times are not tested.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::{Command, Output};

fn run_speed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_run-speed")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn executables_of_all_compilers_print_the_same() {
    let run = run_speed(&["--quick"]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "{err}");
    for line in err.lines().filter(|line| line.ends_with("is not installed")) {
        eprintln!("skipped: {line}");
    }
    let missing = err.matches("is not installed").count();
    let programs = [
        "gcd",
        "sieve",
        "matrix product",
        "flat matrix product",
        "N-body",
        "struct N-body",
        "Mandelbrot",
        "bubble sort",
        "league",
    ];
    for program in programs {
        let rows = out.lines().filter(|line| line.trim_start().starts_with(&format!("{program} "))).count();
        assert_eq!(rows, 5 - missing, "{program}: {out}");
    }
}

#[test]
fn a_filter_selects_programs() {
    let run = run_speed(&["--quick", "--filter", "flat"]);
    let out = text(&run.stdout);
    assert!(run.status.success() && out.contains("flat matrix product") && !out.contains("gcd"), "{out}");
}
