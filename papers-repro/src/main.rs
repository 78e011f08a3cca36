//! The program `papers-repro`; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    papers_repro::main()
}
