//! Completion scripts and the manual page, made from the grammar of the command line.

use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Failure;
use super::args::{Args, EXAMPLES, EXIT_STATUS};
use super::output::{Destination, Permissions};

/// Prints a completion script.
pub fn print_completions(shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "refc", &mut text);
    print(&text)
}

/// Prints the manual page: `refc`, then the options of `refc run`.
pub fn print_page() -> Result<(), Failure> {
    let text = page().map_err(|error| format!("cannot make the manual page: {error}"))?;
    print(&text)
}

fn page() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut command = Args::command();
    command.build();
    let run = command.find_subcommand("run").expect("the subcommand `run`").clone().after_help(None);
    let page = Man::new(command.clone());
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    section("REFC RUN", "refc run [OPTIONS] FILE...\nCompiles and runs: for x86-64 on this machine, for riscv32 on the built-in simulator.")
        .to_writer(&mut text)?;
    Man::new(run).render_options_section(&mut text)?;
    section("EXIT STATUS", EXIT_STATUS).to_writer(&mut text)?;
    section("EXAMPLES", EXAMPLES).to_writer(&mut text)?;
    page.render_version_section(&mut text)?;
    Ok(text)
}

/// Returns a section whose lines are kept.
fn section(title: &str, lines: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]).control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

fn print(text: &[u8]) -> Result<(), Failure> {
    Ok(Destination::of(Path::new("-"), &[])?.write(text, Permissions::File)?)
}
