//! Runs executables in process, on the simulator of the crate `rvsim`.
//!
//! The memory consists of the executable's segments, a stack, and the memory that the program maps. The system calls read, write, exit,
//! exit_group and mmap (of memory that is private and anonymous) of Linux are available. Any other action ends the program with
//! a [`Fault`] that names the function.
//!
//! The file may come from anywhere: all headers are checked first, and each mistake is a [`LoadError`].

mod load;
mod memory;
mod work;

use std::io::{self, Read, Write};

use rvsim::{Clock, CpuError, CpuState, Interp, Op};

use crate::object::ARENA;
pub use load::{LoadError, MAX_SEGMENTS, STACK_BYTES};
use load::{function_at, load, object_at, own_functions};
use memory::{Access, Failed, Guard, Memory, Reason};
use work::Tally;
pub use work::Work;

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of the stack in bytes, rounded up to a multiple of 16. [`STACK_BYTES`] is the permitted range.
    pub stack_bytes: u32,
    /// The largest sum of the sizes of all segments in memory, in bytes.
    pub segment_bytes: u64,
    /// The most bytes that the program may map, in whole pages. They take memory of the host as far as the program uses them.
    pub mapped_bytes: u64,
    /// The maximum number of instructions, or `None` for no limit.
    pub instructions: Option<u64>,
    /// `true` if an access to mapped memory from the arena's top on ends the program. For tests of the runtime.
    pub guard_arena: bool,
    /// `true` if, in a guarded arena, only functions of the runtime access other bytes than those of live blocks.
    pub guard_blocks: bool,
}

impl Default for Limits {
    /// Returns a stack of 8 MiB, as under Linux, segments and mapped memory of 1 GiB each, and no limit on instructions.
    fn default() -> Limits {
        Limits {
            stack_bytes: 8 << 20,
            segment_bytes: 1 << 30,
            mapped_bytes: 1 << 30,
            instructions: None,
            guard_arena: false,
            guard_blocks: false,
        }
    }
}

/// Why a run ended before the program did. `pc` is the address of the instruction, and `function` contains it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant describes its fields")]
pub enum Fault {
    /// The file was refused.
    #[error("not an executable for 32-bit RISC-V: {0}")]
    NotExecutable(#[from] LoadError),
    /// An access outside the memory, or one that its segment does not permit.
    #[error("illegal access to address {address:#010x} at pc {pc:#010x} in `{function}`")]
    Access { address: u32, pc: u32, function: String },
    /// An access by the program's own code to a part of the arena that is not a live block. Only if blocks are guarded.
    #[error("access to address {address:#010x} outside all live blocks at pc {pc:#010x} in `{function}`")]
    DeadBlock { address: u32, pc: u32, function: String },
    /// An access whose address is not a multiple of its size.
    #[error("misaligned access at pc {pc:#010x} in `{function}`")]
    Misaligned { pc: u32, function: String },
    /// An access just below the stack.
    #[error("stack overflow at pc {pc:#010x} in `{function}`: the stack has {stack_bytes} bytes")]
    StackOverflow { pc: u32, function: String, stack_bytes: u32 },
    /// The host has not enough memory for the bytes that the program mapped.
    #[error("out of memory at address {address:#010x} at pc {pc:#010x} in `{function}`")]
    OutOfMemory { address: u32, pc: u32, function: String },
    /// A word that is not an instruction, or a jump to an address without instructions.
    #[error("illegal instruction at pc {pc:#010x} in `{function}`")]
    Instruction { pc: u32, function: String },
    /// A system call that is not available.
    #[error("unknown system call {number} at pc {pc:#010x} in `{function}`")]
    SystemCall { number: u32, pc: u32, function: String },
    /// The limit on instructions was reached.
    #[error("the limit of {limit} instructions was reached at pc {pc:#010x} in `{function}`")]
    Instructions { limit: u64, pc: u32, function: String },
    /// Input or output failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Counts instructions up to a limit.
struct Counter {
    done: u64,
    limit: u64,
}

impl Clock for Counter {
    fn read_cycle(&self) -> u64 {
        self.done
    }
    fn read_time(&self) -> u64 {
        self.done
    }
    fn read_instret(&self) -> u64 {
        self.done
    }
    fn progress(&mut self, _: &Op) {
        self.done += 1;
    }
    fn check_quota(&self) -> bool {
        self.done < self.limit
    }
}

/// The end of the stack. The addresses above it stay free, so the program counter cannot overflow.
const STACK_TOP: u32 = 0xc000_0000;

/// An access at most this far below the stack counts as a stack overflow.
const GUARD_BYTES: u32 = 64 << 20;

/// The files of a program.
pub struct Streams<'a> {
    /// Standard input.
    pub input: &'a mut dyn Read,
    /// Standard output.
    pub output: &'a mut dyn Write,
    /// Standard error.
    pub errors: &'a mut dyn Write,
}

/// Runs an executable to its end and returns its exit status.
///
/// The program writes to `output` at once: pass a buffered writer if calls are expensive. `output` is flushed before
/// each read from `input` and each write to `errors`, and at the end.
///
/// # Errors
/// A [`Fault`] if the file is refused, or if anything except a system call ends the program. The output before a fault
/// has been written.
pub fn run(elf: &[u8], streams: Streams<'_>, limits: Limits) -> Result<u8, Fault> {
    let mut clock = Counter { done: 0, limit: limits.instructions.unwrap_or(u64::MAX) };
    run_with(elf, streams, limits, &mut clock)
}

/// As [`run`], and also counts the work of the program.
///
/// # Errors
/// As [`run`].
pub fn run_counted(elf: &[u8], streams: Streams<'_>, limits: Limits) -> Result<(u8, Work), Fault> {
    let mut clock = Tally { work: Work::default(), limit: limits.instructions.unwrap_or(u64::MAX) };
    let status = run_with(elf, streams, limits, &mut clock)?;
    Ok((status, clock.work))
}

fn run_with(elf: &[u8], mut streams: Streams<'_>, limits: Limits, clock: &mut impl Clock) -> Result<u8, Fault> {
    let (entry, mut memory) = load(elf, limits)?;
    if limits.guard_arena {
        let own = if limits.guard_blocks { own_functions(elf) } else { Vec::new() };
        memory.guard(object_at(elf, ARENA).map(|top| Guard { top, own, pc: 0 }));
    }
    let mut state = CpuState::new(entry);
    // The word at the top of the stack is the number of arguments under Linux; it is 0 here.
    state.x[2] = STACK_TOP - 16;
    let result = loop {
        let (error, op) = Interp::new(&mut state, &mut memory, clock).run();
        if error == CpuError::Ecall {
            match system_call(&mut state, &mut memory, &mut streams) {
                Ok(None) => continue,
                Ok(Some(status)) => break Ok(status),
                Err(CallError::Io(error)) => break Err(Fault::Io(error)),
                Err(CallError::Unknown(number)) => {
                    let pc = state.pc.wrapping_sub(4);
                    break Err(Fault::SystemCall { number, pc, function: function_at(elf, pc) });
                }
            }
        }
        // The simulator has passed the instruction, unless it could not fetch it or jump.
        let has_passed = op.is_some() && error != CpuError::MisalignedFetch;
        let pc = if has_passed { state.pc.wrapping_sub(4) } else { state.pc };
        let function = function_at(elf, pc);
        break Err(match (error, memory.take_failed()) {
            (CpuError::IllegalAccess, Some(Failed { address, reason: Reason::OutOfMemory })) => {
                Fault::OutOfMemory { address, pc, function }
            }
            (CpuError::IllegalAccess, Some(Failed { address, reason: Reason::Dead })) => {
                Fault::DeadBlock { address, pc, function }
            }
            (CpuError::IllegalAccess, Some(Failed { address, reason: Reason::Illegal })) => {
                let below = memory.stack_start().wrapping_sub(address);
                if (1..=GUARD_BYTES).contains(&below) {
                    Fault::StackOverflow { pc, function, stack_bytes: limits.stack_bytes }
                } else {
                    Fault::Access { address, pc, function }
                }
            }
            (CpuError::IllegalAccess | CpuError::MisalignedAccess, _) => Fault::Misaligned { pc, function },
            (CpuError::QuotaExceeded, _) => Fault::Instructions { limit: clock.read_instret(), pc, function },
            _ => Fault::Instruction { pc, function },
        });
    };
    let flushed = streams.output.flush();
    let status = result?;
    flushed?;
    Ok(status)
}

enum CallError {
    Unknown(u32),
    Io(io::Error),
}

/// Performs a system call. Returns the exit status if the program has ended.
fn system_call(
    state: &mut CpuState,
    memory: &mut Memory,
    Streams { input, output, errors }: &mut Streams<'_>,
) -> Result<Option<u8>, CallError> {
    const BAD_FILE: u32 = -9i32 as u32;
    const BAD_ADDRESS: u32 = -14i32 as u32;
    let [file, address, count] = [state.x[10], state.x[11], state.x[12]];
    let result = match state.x[17] {
        63 if file == 0 => match memory.bytes(address, count, |access| access.write) {
            Some(bytes) => {
                output.flush().map_err(CallError::Io)?;
                loop {
                    match input.read(bytes) {
                        Ok(n) => break n as u32,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(CallError::Io(error)),
                    }
                }
            }
            None => BAD_ADDRESS,
        },
        64 if file == 1 || file == 2 => match memory.bytes(address, count, |access| access.read) {
            Some(bytes) => {
                let written = match file {
                    1 => output.write_all(bytes),
                    _ => output.flush().and_then(|()| errors.write_all(bytes)),
                };
                written.map_err(CallError::Io)?;
                count
            }
            None => BAD_ADDRESS,
        },
        63 | 64 => BAD_FILE,
        93 | 94 => return Ok(Some(file as u8)),
        222 => map(state, memory),
        number => return Err(CallError::Unknown(number)),
    };
    state.x[10] = result;
    Ok(None)
}

/// Performs the system call mmap. Returns an address or a negated error number.
fn map(state: &CpuState, memory: &mut Memory) -> u32 {
    const OUT_OF_MEMORY: u32 = -12i32 as u32;
    const INVALID: u32 = -22i32 as u32;
    const READ: u32 = 1;
    const WRITE: u32 = 2;
    /// MAP_PRIVATE, MAP_ANONYMOUS.
    const KIND: u32 = 0x22;
    const NO_RESERVE: u32 = 0x4000;
    // The wanted address, in a0, need not be obeyed. Anonymous memory has no file and no offset.
    let [bytes, protection, flags] = [state.x[11], state.x[12], state.x[13]];
    if bytes == 0 || protection & !(READ | WRITE) != 0 || flags & !NO_RESERVE != KIND {
        return INVALID;
    }
    let access = Access { read: protection & READ != 0, write: protection & WRITE != 0, execute: false };
    // An access just below the stack is a stack overflow.
    let below = memory.stack_start().saturating_sub(GUARD_BYTES);
    memory.map(bytes, below, access).unwrap_or(OUT_OF_MEMORY)
}
