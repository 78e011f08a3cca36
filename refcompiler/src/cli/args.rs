//! The command line's grammar.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand, ValueEnum};
use refcompiler::ir::lanes;
use refcompiler::target;

use super::lists::Origins;
use super::messages::Messages;

/// The examples, as the help and the manual page print them.
pub const EXAMPLES: &str = "\
refc hello.par -o hello        compile to an executable for this machine: x86-64 Linux, or else RISC-V
refc --target riscv32 hello.par -o hello   compile to an executable for qemu-riscv32 or RISC-V Linux
refc a.par b.par               compile one program from several files; the output is a.out
refc -c a.par                  compile to the object file a.o, to link with C
refc -c a.par b.par            compile each file by itself, to a.o and b.o
refc -c @list                  compile each file that the file `list` names, one per line
refc -S a.par -o -             print the assembly
refc -g a.par -o a            describe lines and functions for gdb and perf
refc --emit header a.par -o a.h   write the declarations for C
refc run hello.par < input     compile and run
refc run --target riscv32 hello.par   compile and run on the built-in simulator of RISC-V
refc --time-passes big.par     print the time of each pass";

const USAGE: &str = "refc [OPTIONS] <FILE>...\n       refc [OPTIONS] run [OPTIONS] <FILE>...";

/// The exit statuses, as the help and the manual page print them.
pub const EXIT_STATUS: &str = "\
0      success; for `run`, the program returns its own status
1      the program has errors, a file cannot be read or written, or memory is exhausted
2      the command line is wrong
130    interrupted or terminated
`run`, if a signal or the simulator has stopped the program:
132    illegal instruction
135    misaligned access
139    illegal memory access or stack overflow
141    the reader of the output has closed it
152    the limit of --max-instructions was reached
159    unknown system call";

fn after_help() -> String {
    let indented = |text: &str| text.replace('\n', "\n  ");
    format!("Examples:\n  {}\n\nExit status:\n  {}", indented(EXAMPLES), indented(EXIT_STATUS))
}

/// Compiles Par programs to RISC-V (rv32imf, ilp32f) and x86-64 with data-parallel passes.
#[derive(Debug, Parser)]
#[command(name = "refc", version, after_help = after_help(), override_usage = USAGE)]
#[command(group(ArgGroup::new("kind").args(["object", "assembly", "check", "emit"])))]
#[command(disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Par files that form one program; `-` is standard input, and `@LIST` a file of names, one per line
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The lists that named files.
    #[arg(skip)]
    pub origins: Origins,

    /// Write to FILE; `-` is standard output [default: a.out, or the first input's name with .o or .s]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Compile to an object file for a linker; with several files and no -o, each file to its own
    #[arg(short = 'c', help_heading = "Output")]
    pub object: bool,

    /// With -c: include `_start`, which calls `main` and exits
    #[arg(long, help_heading = "Output", requires = "object")]
    pub start: bool,

    /// Compile to assembly; with several files and no -o, each file to its own
    #[arg(short = 'S', help_heading = "Output")]
    pub assembly: bool,

    /// Describe lines and functions for debuggers, in the format DWARF
    #[arg(short = 'g', help_heading = "Output", conflicts_with_all = ["assembly", "emit"])]
    pub debug: bool,

    /// Report errors only; do not write or run anything
    #[arg(long, help_heading = "Output")]
    pub check: bool,

    /// Print the result of a stage, and stop there
    #[arg(long, value_enum, value_name = "STAGE", help_heading = "Output")]
    #[arg(conflicts_with_all = ["time_passes", "check_passes"])]
    pub emit: Option<Emit>,

    /// Print a completion script for a shell
    #[arg(long, value_enum, value_name = "SHELL", help_heading = "Output", exclusive = true)]
    pub completions: Option<clap_complete::Shell>,

    /// Print the manual page, in the format of man(1)
    #[arg(long, help_heading = "Output", exclusive = true)]
    pub man: bool,

    /// The processor that the program runs on [default: x86-64 on x86-64 Linux, otherwise riscv32]
    #[arg(long, value_enum, global = true)]
    target: Option<Target>,

    /// The instructions that code for x86-64 may have [default: baseline]
    #[arg(long, value_enum, value_name = "CPU", global = true)]
    cpu: Option<Cpu>,

    /// The backend that runs the passes
    #[arg(long, value_enum, default_value = "cpu", global = true)]
    pub backend: Backend,

    /// The front end; all accept the same programs and write the same messages
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", global = true)]
    pub front_end: FrontEnd,

    /// Use at most N threads of the CPU for large inputs [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads, global = true)]
    pub threads: Option<usize>,

    /// Optimise: 0 not at all, which is the default, 1 and more with all passes; other levels of C compilers are accepted
    #[arg(short = 'O', value_name = "LEVEL", global = true)]
    #[arg(value_parser = ["0", "1", "2", "3", "s", "z", "g", "fast"], hide_possible_values = true)]
    pub optimisation: Option<String>,

    /// Add and remove passes of the level: `+` or `-` before `inlining`, `fusion`, `vectors`, `unrolling`, `contexts`, `folding`, `dead`, `checks`,
    /// `motion`, `strength` or `registers`, with commas
    #[arg(long, value_name = "LIST", global = true, allow_hyphen_values = true)]
    pub passes: Option<String>,

    /// Print the time, the bytes moved and the speed of each pass
    #[arg(long, global = true)]
    pub time_passes: bool,

    /// Check the output of each pass, to find errors of the compiler
    #[arg(long, global = true)]
    pub check_passes: bool,

    /// Print a summary after compiling
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// Print messages in colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,

    #[command(flatten)]
    pub messages: Messages,
}

impl Args {
    /// Returns the target: the given one, the one of an option of the simulator, or the default.
    pub fn target(&self) -> Target {
        let of_simulator = match &self.command {
            Some(Command::Run(run)) if run.of_simulator().is_some() => Some(Target::Riscv32),
            _ => None,
        };
        let of_host = target::Target::of_host().map(Target::from);
        self.target.or(of_simulator).or(of_host).unwrap_or(Target::Riscv32)
    }

    /// Returns the processor of the code, or an error if it is not one of the target.
    pub fn cpu(&self) -> Result<lanes::Cpu, String> {
        let is_riscv = self.target() == Target::Riscv32;
        match self.cpu {
            None | Some(Cpu::Baseline) => Ok(lanes::Cpu::Baseline),
            Some(cpu) if is_riscv => Err(format!("`--cpu {}` needs `--target x86-64`", cpu.name())),
            Some(Cpu::Avx2) => Ok(lanes::Cpu::Avx2),
            Some(Cpu::Avx512) => Ok(lanes::Cpu::Avx512),
            Some(Cpu::Native) => Ok(lanes::Cpu::of_host()),
        }
    }
}

/// Parses the command line. A wrong one ends the process.
pub fn parse() -> Args {
    // As for other compilers, the level follows `-O` directly, and the next argument is a file.
    let level = |argument: OsString| if argument == "-O" { "-O1".into() } else { argument };
    Args::parse_from(std::env::args_os().map(level))
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
    /// Compile and run: for x86-64 on this machine, for riscv32 on the built-in simulator
    Run(Run),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: refc run hello.par < input")]
pub struct Run {
    /// Par files that form one program; `-` is standard input, and `@LIST` a file of names, one per line
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Run on the simulator, with a stack of N MiB for the program [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=2048))]
    pub stack_mib: Option<u32>,

    /// Run on the simulator, and stop the program after N instructions, with exit status 152
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
}

impl Run {
    /// Returns an option that only the simulator has, if there is one.
    pub fn of_simulator(&self) -> Option<&'static str> {
        match (self.stack_mib, self.max_instructions) {
            (Some(_), _) => Some("--stack-mib"),
            (_, Some(_)) => Some("--max-instructions"),
            _ => None,
        }
    }
}

/// A processor that programs run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// 32-bit RISC-V (rv32imf, ilp32f), Linux
    Riscv32,
    /// x86-64, Linux
    #[value(name = "x86-64")]
    X86_64,
}

impl From<Target> for target::Target {
    fn from(target: Target) -> target::Target {
        match target {
            Target::Riscv32 => target::Target::Riscv32,
            Target::X86_64 => target::Target::X86_64,
        }
    }
}

impl From<target::Target> for Target {
    fn from(target: target::Target) -> Target {
        match target {
            target::Target::X86_64 => Target::X86_64,
            _ => Target::Riscv32,
        }
    }
}

/// The instructions of x86-64 that code may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Cpu {
    /// The instructions that all machines have: vectors of 128 bits, by SSE2
    Baseline,
    /// AVX2: vectors of 256 bits
    Avx2,
    /// AVX-512 (F, BW and DQ): vectors of 512 bits
    #[value(name = "avx512")]
    Avx512,
    /// The instructions of this machine
    Native,
}

impl Cpu {
    /// Returns the name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
}

/// A backend for the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// All cores of this machine
    Cpu,
    /// An NVIDIA GPU, for every pass
    Cuda,
}

/// A front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FrontEnd {
    /// `parallel` on a GPU, and on the CPU for large programs if there are several threads
    Auto,
    /// Data-parallel passes on the backend; the sequential front end writes messages
    Parallel,
    /// One pass over the tokens, on one thread of the CPU
    Sequential,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The tokens
    Tokens,
    /// The syntax tree in preorder
    Tree,
    /// The syntax tree with the types of its values
    Types,
    /// The operations on whole arrays in one form: inputs, elements and yields
    Multiloops,
    /// The tree with loops instead of operations on whole arrays
    Loops,
    /// The tree with numbers and arrays of numbers instead of structs and tuples
    Structs,
    /// The tree with addresses and memory instead of arrays
    Arrays,
    /// The loops of operations on whole arrays: their vectors, or the reason why they have none; and the tree with vectors
    Vectors,
    /// The tree after function lifting, with variables as frame offsets
    Lifted,
    /// The lifted tree in static single assignment form
    Ssa,
    /// One operation per row in evaluation order, with its register
    Flat,
    /// Instructions before linking
    Instructions,
    /// The declarations for C of the functions at top level
    Header,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}
