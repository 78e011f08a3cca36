//! Finished code, and ELF files that contain it.

use std::borrow::Cow;
use std::io::{self, Write};

use debug::Debug;
use object::elf;
use object::write::WritableBuffer;

use crate::target::Target;
use crate::target::prelude::Prelude;

pub mod debug;
mod executable;
mod messages;
mod relocatable;

pub use executable::{stream_executable, write_executable};
pub use messages::{NUMBER, POSITION, POSITION_AT, ROW_BYTES, VALUE};
pub use relocatable::{stream_relocatable, write_relocatable};

/// Code with its symbols. All offsets are in bytes from the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// The processor.
    pub target: Target,
    /// The bytes of the code as little-endian words, and after them the messages of checks.
    pub words: Vec<u32>,
    /// The number of words of code.
    pub code_words: usize,
    /// The checks at run time, in the order of their words.
    pub checks: Vec<Check>,
    /// The offsets of the instructions by which functions that report failed checks compute the address of the messages.
    pub reporters: Vec<u32>,
    /// The offset of the function that finds the state of the arena, if the program uses arrays.
    pub arena: Option<u32>,
    /// The offsets of the instructions that compute the address of the state of buffered streams. Only executables have such.
    pub streams: Vec<u32>,
    /// The offset of the function that finds the stack of Par code, if C calls functions of x86-64.
    pub stack: Option<u32>,
    /// The functions in the code.
    pub symbols: Vec<Symbol>,
    /// Calls of functions in other objects.
    pub calls: Vec<Call>,
    /// The lines and functions, if the file describes them for debuggers.
    pub debug: Option<Debug>,
}

/// A function's symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The offset of the function's first instruction.
    pub offset: u32,
    /// The number of bytes.
    pub size: u32,
    /// `true` if the symbol is visible in other objects.
    pub global: bool,
}

/// A call of the function that reports a failed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The offset of the instruction after the call, to which the function returns.
    pub return_offset: u32,
    /// The position of the check in the sources.
    pub position: u32,
    /// The check that fails.
    pub failure: Failure,
}

/// The failure of a check that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// `assert`.
    Assertion,
    /// An index is not below an extent.
    Index,
    /// A size is negative.
    Size,
    /// Two extents differ.
    Extents,
    /// A slice is out of range.
    Slice,
}

/// A call of a function in another object: on RISC-V, `auipc ra; jalr ra`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The offset of the instruction or number that a linker completes: on RISC-V of the `auipc`, on x86-64 of the distance.
    pub offset: u32,
    /// The function's name.
    pub name: String,
}

/// An ELF file that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// The file exceeds a limit of ELF.
    #[error(transparent)]
    Elf(#[from] object::write::Error),
    /// The description for debuggers exceeds a limit of DWARF.
    #[error("the description for debuggers: {0}")]
    Dwarf(#[from] gimli::write::Error),
    /// The system does not write it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The place that a file is written to.
pub trait Sink: io::Write {
    /// Called before the first byte, with the number of all bytes. A file can reserve them.
    ///
    /// # Errors
    /// If there is no room for them.
    fn begin(&mut self, bytes: u64) -> io::Result<()>;
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        (**self).begin(bytes)
    }
}

impl Sink for Vec<u8> {
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        Ok(self.try_reserve_exact(bytes as usize)?)
    }
}

/// Bytes on their way to a sink.
struct Stream<S: Sink> {
    out: io::BufWriter<S>,
    /// The first error. No byte is written after it.
    result: io::Result<()>,
}

impl<S: Sink> WritableBuffer for Stream<S> {
    fn reserve(&mut self, bytes: u64) -> Result<(), ()> {
        self.result = self.out.get_mut().begin(bytes);
        self.result.as_ref().map(drop).map_err(drop)
    }

    fn write_bytes(&mut self, bytes: &[u8]) {
        if self.result.is_ok() {
            self.result = self.out.write_all(bytes);
        }
    }
}

/// Writes a file part by part, without a copy of all of it.
fn stream(out: impl Sink, emit: impl FnOnce(&mut dyn WritableBuffer) -> Result<(), ElfError>) -> Result<(), ElfError> {
    let mut stream = Stream { out: io::BufWriter::new(out), result: Ok(()) };
    let emitted = emit(&mut stream);
    // An error of the sink is the reason of the other.
    stream.result?;
    emitted?;
    Ok(stream.out.flush()?)
}

impl Image {
    /// Returns the offset after all words.
    pub fn end(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Puts `_start`, which calls `main` and exits with its result, before all other code.
    pub fn add_start(&mut self) {
        let mut start = Prelude::new(self.target, true, |_| false);
        let count = start.size();
        for symbol in &mut self.symbols {
            symbol.offset += count;
        }
        for call in &mut self.calls {
            call.offset += count;
        }
        for function in [&mut self.arena, &mut self.stack].into_iter().flatten() {
            *function += count;
        }
        if let Some(debug) = &mut self.debug {
            debug.shift(count);
        }
        let main = self.symbols.iter().find(|symbol| symbol.global && symbol.name == "main");
        if let Some((code, main)) = start.start.zip(main) {
            code.patch(main.offset).apply(&mut start.words);
        }
        self.code_words += start.words.len();
        self.words.splice(0..0, start.words);
        self.symbols.splice(0..0, start.symbols);
    }

    /// Returns the code as little-endian bytes.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        if cfg!(target_endian = "little") {
            return Cow::Borrowed(bytemuck::cast_slice(&self.words));
        }
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The name of the arena's state in object files. C cannot name it, and all objects of a program share it.
pub const ARENA: &str = "refc.arena";

/// The name of the state of buffered streams in executables.
pub const STREAMS: &str = "refc.streams";

/// The name of the end of the stack of Par code in object files, which all objects of a program share as well.
pub const STACK: &str = "refc.stack";

/// The size of the end of the stack in bytes: an address.
pub const STACK_STATE_BYTES: u32 = 8;

/// The size of the arena's state in bytes.
pub const ARENA_STATE_BYTES: u32 = 8;

/// The address at which an executable for RISC-V is mapped.
pub const BASE: u32 = 0x1_0000;

/// The form of the files for a target.
struct Format {
    /// `true` if the files have fields of 64 bits.
    is_64: bool,
    /// The processor.
    machine: elf::Machine,
    /// The ABI.
    flags: elf::FileFlags,
    /// The address at which an executable is mapped.
    base: u32,
    /// The contents of the section `.riscv.attributes`.
    attributes: Option<Vec<u8>>,
    /// The alignment of the code in an object.
    code_alignment: u64,
    /// `true` if the permissions of the stack are stated.
    has_stack_header: bool,
    /// The alignment of the arena's state.
    state_alignment: u64,
}

impl Format {
    fn of(target: Target) -> Format {
        match target {
            Target::X86_64 => Format {
                is_64: true,
                machine: elf::EM_X86_64,
                flags: elf::FileFlags::default(),
                base: 0x40_0000,
                attributes: None,
                code_alignment: 16,
                has_stack_header: true,
                state_alignment: 8,
            },
            _ => Format {
                is_64: false,
                machine: elf::EM_RISCV,
                // Single-precision floats in registers.
                flags: elf::EF_RISCV_FLOAT_ABI_SINGLE,
                base: BASE,
                attributes: Some(attributes()),
                code_alignment: 4,
                has_stack_header: false,
                state_alignment: 4,
            },
        }
    }
}

/// Returns the contents of the section `.riscv.attributes`: the instruction sets that the code uses.
fn attributes() -> Vec<u8> {
    const ARCHITECTURE: &[u8] = b"rv32i2p0_m2p0_f2p0_zicsr2p0\0";
    const VENDOR: &[u8] = b"riscv\0";
    // Tag_RISCV_stack_align 16 and Tag_RISCV_arch, then the enclosing lengths.
    let mut tags = vec![4, 16, 5];
    tags.extend_from_slice(ARCHITECTURE);
    let mut file = vec![1];
    file.extend_from_slice(&(tags.len() as u32 + 5).to_le_bytes());
    file.extend(tags);
    let mut section = vec![b'A'];
    section.extend_from_slice(&((VENDOR.len() + file.len() + 4) as u32).to_le_bytes());
    section.extend_from_slice(VENDOR);
    section.extend(file);
    section
}
