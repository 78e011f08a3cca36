//! Runs executables in process, on the simulator of the crate `rvsim`.
//!
//! The machine has the memory of the executable's segments and a stack; it knows the system calls read, write, exit
//! and exit_group of Linux. Whatever else a program does ends it with a [`Fault`] that names the function.

use std::io::{self, Read, Write};

use object::LittleEndian;
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use rvsim::{Clock, CpuError, CpuState, Interp, Memory, MemoryAccess, Op};

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of stack.
    pub stack_bytes: u32,
    /// Instructions, if bounded.
    pub instructions: Option<u64>,
}

impl Default for Limits {
    /// The stack that Linux gives a program, 8 MiB, and no bound on instructions.
    fn default() -> Limits {
        Limits { stack_bytes: 8 << 20, instructions: None }
    }
}

/// Why a run ended before the program did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file is no executable for this machine.
    #[error("not an executable for 32-bit RISC-V: {0}")]
    NotExecutable(String),
    /// An access outside the memory.
    #[error("illegal access to address {address:#010x} at pc {pc:#010x} in `{function}`")]
    Access {
        /// What was accessed.
        address: u32,
        /// The instruction.
        pc: u32,
        /// The function that holds it.
        function: String,
    },
    /// An access just below the stack.
    #[error("stack overflow at pc {pc:#010x} in `{function}`: the stack has {stack_bytes} bytes")]
    StackOverflow {
        /// The instruction.
        pc: u32,
        /// The function that holds it.
        function: String,
        /// Bytes of stack.
        stack_bytes: u32,
    },
    /// A word that is no instruction, or a jump to where none can be.
    #[error("illegal instruction at pc {pc:#010x} in `{function}`")]
    Instruction {
        /// Where.
        pc: u32,
        /// The function that holds it.
        function: String,
    },
    /// A system call that the machine does not know.
    #[error("unknown system call {number} at pc {pc:#010x} in `{function}`")]
    SystemCall {
        /// Its number.
        number: u32,
        /// Where.
        pc: u32,
        /// The function that holds it.
        function: String,
    },
    /// More instructions than allowed.
    #[error("stopped after {0} instructions")]
    Instructions(u64),
    /// Input or output failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<object::read::Error> for Fault {
    fn from(error: object::read::Error) -> Fault {
        Fault::NotExecutable(error.to_string())
    }
}

/// A part of the address space.
struct Region {
    start: u32,
    bytes: Vec<u8>,
    writable: bool,
}

/// The whole memory, stack last, and the address of the last access that failed.
struct Machine {
    regions: Vec<Region>,
    failed: u32,
}

impl Memory for Machine {
    fn access<T: Copy>(&mut self, address: u32, access: MemoryAccess<T>) -> bool {
        let is_store = matches!(access, MemoryAccess::Store(_));
        // The stack is accessed most, code next.
        for region in self.regions.iter_mut().rev() {
            let offset = address.wrapping_sub(region.start);
            if (offset as usize) < region.bytes.len() {
                if is_store && !region.writable {
                    break;
                }
                let inside = region.bytes[..].access(offset, access);
                if !inside {
                    self.failed = address;
                }
                return inside;
            }
        }
        self.failed = address;
        false
    }
}

impl Machine {
    /// The `count` bytes from an address on, if all are there.
    fn bytes(&mut self, address: u32, count: u32) -> Option<&mut [u8]> {
        self.regions.iter_mut().find_map(|region| {
            let offset = address.checked_sub(region.start)? as usize;
            region.bytes.get_mut(offset..offset.checked_add(count as usize)?)
        })
    }
}

/// Counts instructions up to a bound.
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

/// The end of the stack: what Linux leaves free above it is not modelled.
const STACK_TOP: u32 = 0xc000_0000;

/// Accesses this far below the stack count as its overflow.
const GUARD_BYTES: u32 = 64 << 20;

/// A loaded executable.
struct Loaded {
    entry: u32,
    regions: Vec<Region>,
    /// Start, end and name of each function.
    functions: Vec<(u32, u32, String)>,
}

fn load(elf: &[u8]) -> Result<Loaded, Fault> {
    let not_executable = |what: &str| Fault::NotExecutable(what.to_string());
    let header = FileHeader32::<LittleEndian>::parse(elf)?;
    let endian: LittleEndian = header.endian()?;
    let mut regions = Vec::new();
    for segment in header.program_headers(endian, elf)? {
        if segment.p_type(endian) != PT_LOAD {
            continue;
        }
        let data = segment.data(endian, elf).map_err(|()| not_executable("a segment lies outside the file"))?;
        let mut bytes = data.to_vec();
        bytes.resize(segment.p_memsz(endian) as usize, 0);
        let writable = segment.p_flags(endian).contains(object::elf::PF_W);
        regions.push(Region { start: segment.p_vaddr(endian), bytes, writable });
    }
    let mut functions = Vec::new();
    let sections = header.sections(endian, elf)?;
    let symbols = sections.symbols(endian, elf, object::elf::SHT_SYMTAB)?;
    for symbol in symbols.iter() {
        if symbol.st_type() == object::elf::STT_FUNC {
            let start = symbol.st_value(endian);
            let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?).into_owned();
            functions.push((start, start + symbol.st_size(endian), name));
        }
    }
    Ok(Loaded { entry: header.e_entry(endian), regions, functions })
}

/// Runs an executable to its end; returns its exit status.
///
/// # Errors
/// A [`Fault`] for whatever ends it otherwise; what it wrote before has been written to `output`.
pub fn run(elf: &[u8], input: &mut dyn Read, output: &mut dyn Write, limits: Limits) -> Result<u8, Fault> {
    let Loaded { entry, mut regions, functions } = load(elf)?;
    let stack_start = STACK_TOP - limits.stack_bytes;
    regions.push(Region { start: stack_start, bytes: vec![0; limits.stack_bytes as usize], writable: true });
    let mut machine = Machine { regions, failed: 0 };
    let mut clock = Counter { done: 0, limit: limits.instructions.unwrap_or(u64::MAX) };
    let mut state = CpuState::new(entry);
    // A word of zero stands at the stack's top, as the number of arguments does under Linux.
    state.x[2] = STACK_TOP - 16;
    let mut output = io::BufWriter::with_capacity(1 << 16, output);
    let function_at = |pc: u32| {
        let found = functions.iter().find(|(start, end, _)| (*start..*end).contains(&pc));
        found.map_or_else(|| "?".to_string(), |(_, _, name)| name.clone())
    };
    let result = loop {
        let (error, _) = Interp::new(&mut state, &mut machine, &mut clock).run();
        let pc = state.pc;
        break match error {
            CpuError::Ecall => match system_call(&mut state, &mut machine, input, &mut output) {
                Ok(Some(status)) => Ok(status),
                Ok(None) => continue,
                Err(CallError::Unknown(number)) => {
                    // The simulator has passed the instruction.
                    let pc = pc.wrapping_sub(4);
                    Err(Fault::SystemCall { number, pc, function: function_at(pc) })
                }
                Err(CallError::Io(error)) => Err(Fault::Io(error)),
            },
            CpuError::IllegalAccess | CpuError::MisalignedAccess => {
                let (address, function) = (machine.failed, function_at(pc));
                if address < stack_start && stack_start - address <= GUARD_BYTES {
                    Err(Fault::StackOverflow { pc, function, stack_bytes: limits.stack_bytes })
                } else {
                    Err(Fault::Access { address, pc, function })
                }
            }
            CpuError::QuotaExceeded => Err(Fault::Instructions(clock.done)),
            _ => Err(Fault::Instruction { pc, function: function_at(pc) }),
        };
    };
    output.flush()?;
    result
}

enum CallError {
    Unknown(u32),
    Io(io::Error),
}

/// Does a system call; returns the status if it was the program's exit.
fn system_call(
    state: &mut CpuState,
    machine: &mut Machine,
    input: &mut dyn Read,
    output: &mut impl Write,
) -> Result<Option<u8>, CallError> {
    const BAD_FILE: u32 = -9i32 as u32;
    const BAD_ADDRESS: u32 = -14i32 as u32;
    let [file, address, count] = [state.x[10], state.x[11], state.x[12]];
    let result = match state.x[17] {
        63 if file == 0 => match machine.bytes(address, count) {
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
        64 if file == 1 || file == 2 => match machine.bytes(address, count) {
            Some(bytes) => {
                output.write_all(bytes).map_err(CallError::Io)?;
                count
            }
            None => BAD_ADDRESS,
        },
        63 | 64 => BAD_FILE,
        93 | 94 => return Ok(Some(file as u8)),
        number => return Err(CallError::Unknown(number)),
    };
    state.x[10] = result;
    Ok(None)
}
