//! `refc run`: compiles a program and runs it on the simulator.

use std::io;

use clap::error::ErrorKind;
use refcompiler::object::write_executable;
use refcompiler::pipeline::Output;
use refcompiler::simulator::{self, Fault, Limits, Streams};

use super::args::{self, Args};
use super::interrupt::ProgramOutput;
use super::{FAILED, Failure, build, check, error};

/// The exit statuses of programs that are stopped: 128 and a signal's number, as shells report it.
mod status {
    /// SIGILL.
    pub const INSTRUCTION: u8 = 132;
    /// SIGBUS.
    pub const MISALIGNED: u8 = 135;
    /// SIGSEGV.
    pub const MEMORY: u8 = 139;
    /// SIGPIPE.
    pub const BROKEN_PIPE: u8 = 141;
    /// SIGXCPU.
    pub const INSTRUCTION_LIMIT: u8 = 152;
    /// SIGSYS.
    pub const SYSTEM_CALL: u8 = 159;
}

/// Returns the exit status of the program, or of its fault.
pub fn run_program(args: &Args, run: &args::Run) -> Result<u8, Failure> {
    refuse_options(args)?;
    if args.check {
        return check(args, &run.files, Output::Executable).map(|()| 0);
    }
    let built = build(args, &run.files, Output::Executable, true)?;
    let elf = write_executable(&built.compiled.image).map_err(|e| format!("cannot write ELF: {e}"))?;
    built.report(args, None);
    drop(built);
    let limits = Limits {
        stack_bytes: run.stack_mib << 20,
        segment_bytes: u32::MAX.into(),
        instructions: run.max_instructions,
        ..Limits::default()
    };
    // The output before an error is written before the error is reported.
    let streams =
        Streams { input: &mut io::stdin().lock(), output: &mut ProgramOutput::new(), errors: &mut io::stderr() };
    match simulator::run(&elf, streams, limits) {
        Ok(status) => Ok(status),
        Err(Fault::Io(failed)) if failed.kind() == io::ErrorKind::BrokenPipe => Ok(status::BROKEN_PIPE),
        Err(fault) => {
            error(&format_args!("the program was stopped: {fault}"));
            Ok(match fault {
                Fault::Access { .. } | Fault::StackOverflow { .. } | Fault::OutOfMemory { .. } => status::MEMORY,
                Fault::Misaligned { .. } => status::MISALIGNED,
                Fault::Instruction { .. } => status::INSTRUCTION,
                Fault::Instructions { .. } => status::INSTRUCTION_LIMIT,
                Fault::SystemCall { .. } => status::SYSTEM_CALL,
                _ => FAILED,
            })
        }
    }
}

/// Refuses options before `run` that have no meaning for it.
fn refuse_options(args: &Args) -> Result<(), Failure> {
    let given = [
        (args.output.is_some(), "--output"),
        (args.object, "-c"),
        (args.assembly, "-S"),
        (args.emit.is_some(), "--emit"),
    ];
    match given.iter().find(|(given, _)| *given) {
        Some((_, name)) => {
            let message = format!("`{name}` cannot be used with `run`, which writes no file");
            Err(Failure::Usage(ErrorKind::ArgumentConflict, message))
        }
        None => Ok(()),
    }
}
