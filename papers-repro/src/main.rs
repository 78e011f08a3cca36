//! The program `papers-repro`. See the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    papers_repro::main()
}
