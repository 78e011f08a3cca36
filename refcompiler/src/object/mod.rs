//! Finished code, and ELF files that contain it.

use std::borrow::Cow;

use crate::target::riscv::stub;

mod executable;
mod messages;
mod relocatable;

pub use executable::{BASE, write_executable};
pub use relocatable::write_relocatable;

/// Code with its symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The machine words, and after them the messages of checks.
    pub words: Vec<u32>,
    /// The number of machine words.
    pub code_words: usize,
    /// The checks at run time, in the order of their words.
    pub checks: Vec<Check>,
    /// The words of the functions that report failed checks from which they compute the address of the messages.
    pub reporters: Vec<u32>,
    /// The index of the first word of the function that finds the state of the arena, if the program uses arrays.
    pub arena: Option<u32>,
    /// The functions in the code.
    pub symbols: Vec<Symbol>,
    /// Calls of functions in other objects.
    pub calls: Vec<Call>,
}

/// A function's symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The index of the function's first word.
    pub offset_words: u32,
    /// The number of words.
    pub size_words: u32,
    /// `true` if the symbol is visible in other objects.
    pub global: bool,
}

/// A call of the function that reports a failed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The index of the word after the call, to which the function returns.
    pub return_word: u32,
    /// The position of the check in the sources.
    pub position: u32,
    /// What fails.
    pub failure: Failure,
}

/// What fails if a check does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A call of a function in another object: `auipc ra; jalr ra`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The index of the `auipc`.
    pub offset_words: u32,
    /// The function's name.
    pub name: String,
}

impl Image {
    /// Puts `_start`, which calls `main` and exits with its result, before all other code.
    pub fn add_start(&mut self) {
        let mut start = stub::prelude(true, |_| false);
        let count = start.words.len() as u32;
        for symbol in &mut self.symbols {
            symbol.offset_words += count;
        }
        for call in &mut self.calls {
            call.offset_words += count;
        }
        if let Some(arena) = &mut self.arena {
            *arena += count;
        }
        if let Some(main) = self.symbols.iter().find(|symbol| symbol.global && symbol.name == "main") {
            stub::patch_start(&mut start.words, main.offset_words);
        }
        self.code_words += start.words.len();
        self.words.splice(0..0, start.words);
        self.symbols.splice(0..0, start.symbols);
    }

    /// Returns the code as little-endian bytes.
    fn text(&self) -> Cow<'_, [u8]> {
        if cfg!(target_endian = "little") {
            return Cow::Borrowed(bytemuck::cast_slice(&self.words));
        }
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The name of the arena's state in object files. C cannot name it, and all objects of a program share it.
pub const ARENA: &str = "refc.arena";

/// The size of the arena's state in bytes.
pub const ARENA_STATE_BYTES: u32 = 8;

/// The ABI of all files: single-precision floats in registers.
const FLAGS: object::elf::FileFlags = object::elf::EF_RISCV_FLOAT_ABI_SINGLE;

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
