//! `refc run`: compiles a program and runs it, on the simulator or on this machine.

use std::io::{self, Write};
use std::process::{Command, ExitStatus};

use clap::error::ErrorKind;
use refcompiler::object::write_executable;
use refcompiler::pipeline::Output;
use refcompiler::simulator::{self, Fault, Limits, Streams};
use refcompiler::target;

use super::args::{self, Args, Target};
use super::interrupt::{self, ProgramOutput};
use super::{FAILED, Failure, build, check, error, output};

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
    refuse_target(args, run)?;
    if args.check {
        return check(args, &run.files, Output::Executable).map(|()| 0);
    }
    let built = build(args, &run.files, Output::Executable, true)?;
    let elf = write_executable(&built.compiled.image).map_err(|e| format!("cannot write ELF: {e}"))?;
    built.report(args, None);
    drop(built);
    match args.target() {
        Target::Riscv32 => simulate(&elf, run),
        Target::X86_64 => execute(&elf),
    }
}

/// The size of a program's stack on the simulator in MiB.
const STACK_MIB: u32 = 8;

/// Runs an executable for RISC-V on the simulator.
fn simulate(elf: &[u8], run: &args::Run) -> Result<u8, Failure> {
    let limits = Limits {
        stack_bytes: run.stack_mib.unwrap_or(STACK_MIB) << 20,
        segment_bytes: u32::MAX.into(),
        instructions: run.max_instructions,
        ..Limits::default()
    };
    // The output before an error is written before the error is reported.
    let streams =
        Streams { input: &mut io::stdin().lock(), output: &mut ProgramOutput::new(), errors: &mut io::stderr() };
    match simulator::run(elf, streams, limits) {
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

/// Runs an executable on this machine. Its exit status is its own, or 128 and the number of the signal that ended it.
fn execute(elf: &[u8]) -> Result<u8, Failure> {
    let folder = std::env::temp_dir();
    let reason = |error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("cannot run the program in {}: {}: set TMPDIR", folder.display(), output::reason(&error))
        }
        _ => format!("cannot run the program: {}", output::reason(&error)),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix("refc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    let mut file = interrupt::create(|| builder.tempfile()).map_err(reason)?;
    let written = file.write_all(elf);
    // A file that is open for writing cannot be run.
    let path = file.into_temp_path();
    let status = written.and_then(|()| interrupt::run(&mut Command::new(&path))).map_err(reason);
    interrupt::finished(&path);
    drop(path);
    Ok(exit_status(status?))
}

/// Returns the exit status of a program that has ended. Prints the signal that has stopped it, except if the reader of the output or
/// the user is the reason.
fn exit_status(ended: ExitStatus) -> u8 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const HANGUP: i32 = 1;
        const INTERRUPT: i32 = 2;
        const MEMORY: i32 = 11;
        const BROKEN_PIPE: i32 = 13;
        const TERMINATE: i32 = 15;
        match ended.signal() {
            None => {}
            Some(HANGUP | INTERRUPT | TERMINATE) => return interrupt::INTERRUPTED as u8,
            Some(BROKEN_PIPE) => return status::BROKEN_PIPE,
            Some(signal) => {
                let reason = if signal == MEMORY { ": illegal memory access or stack overflow" } else { "" };
                error(&format_args!("the program was stopped by signal {signal}{reason}"));
                return 128 + signal as u8;
            }
        }
    }
    ended.code().map_or(FAILED, |code| code as u8)
}

/// Refuses a program that this machine cannot run, and options of the simulator for programs that do not run on it.
fn refuse_target(args: &Args, run: &args::Run) -> Result<(), Failure> {
    if args.target() == Target::Riscv32 || args.check {
        return Ok(());
    }
    if let Some(name) = run.of_simulator() {
        let message = format!("`{name}` cannot be used with `--target x86-64`, which does not run on the simulator");
        return Err(Failure::Usage(ErrorKind::ArgumentConflict, message));
    }
    match target::Target::of_host() {
        Some(target::Target::X86_64) => Ok(()),
        _ => Err(Failure::Message("this machine cannot run programs for x86-64 Linux".into())),
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
