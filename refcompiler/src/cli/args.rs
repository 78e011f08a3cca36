//! The command line's grammar.

use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  refc hello.par -o hello        compile to an executable (for qemu-riscv32, or RISC-V Linux)
  refc a.par b.par               several files are one program; the output is a.out
  refc -c a.par                  compile to the object file a.o, to link with C
  refc -S a.par -o -             print the assembly
  refc run hello.par < input     compile and run on the embedded simulator
  refc --time-passes big.par     show what each pass took

Exit status: 0 if all went well, 1 for errors in the program or in reading and writing,
2 for a wrong command line; for `run` that of the program, or 128 and a signal's number
if it was stopped.";

/// Compiles programs of the language Par to 32-bit RISC-V (rv32imf, ilp32f), every pass data-parallel.
#[derive(Debug, Parser)]
#[command(name = "refc", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(group(ArgGroup::new("what").args(["object", "assembly", "check", "emit"])))]
#[command(disable_help_subcommand = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub inputs: Inputs,

    /// Write to FILE; `-` is standard output [default: a.out, or the first input's name with .o or .s]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Compile to a relocatable object file
    #[arg(short = 'c', help_heading = "Output")]
    pub object: bool,

    /// Compile to assembly
    #[arg(short = 'S', help_heading = "Output")]
    pub assembly: bool,

    /// Report errors; write nothing
    #[arg(long, help_heading = "Output")]
    pub check: bool,

    /// Print what a stage hands on, and stop there
    #[arg(long, value_enum, value_name = "STAGE", help_heading = "Output")]
    pub emit: Option<Emit>,

    /// Show the time, the bytes moved and the speed of each pass
    #[arg(long, help_heading = "Output")]
    pub time_passes: bool,

    /// Colour messages
    #[arg(long, value_enum, value_name = "WHEN")]
    color: Option<Color>,
}

impl Args {
    /// When to colour messages.
    pub fn color(&self) -> Color {
        self.color.unwrap_or(Color::Auto)
    }
}

/// What both forms of the command take.
#[derive(Debug, clap::Args)]
pub struct Inputs {
    /// Files of Par that are one program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The machine that the passes run on
    #[arg(long, value_enum, default_value = "cpu")]
    pub backend: Backend,

    /// On the CPU, share large inputs among N threads [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,

    /// Check what each pass leaves to the next
    #[arg(long)]
    pub check_passes: bool,

    /// Say what was done
    #[arg(short, long)]
    pub verbose: bool,
}

/// More threads than this are a mistake.
const MAX_THREADS: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MAX_THREADS).contains(&n) => Ok(n),
        _ => Err(format!("expected a number from 1 to {MAX_THREADS}")),
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile and run on the embedded simulator
    Run(Run),
}

#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub struct Run {
    #[command(flatten)]
    pub inputs: Inputs,

    /// Give the program a stack of N MiB
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=2048))]
    pub stack_mib: u32,

    /// Colour messages
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// A machine for the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// All cores of this machine
    Cpu,
    /// An NVIDIA GPU: every pass after parsing
    Cuda,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// What the lexer found
    Tokens,
    /// The syntax tree in preorder
    Tree,
    /// The syntax tree with the types of its values
    Types,
    /// The tree after function lifting, variables as offsets in frames
    Lifted,
    /// One operation a row in evaluation order, with its register
    Flat,
    /// Instructions before linking
    Instructions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}
