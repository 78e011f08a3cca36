//! Finished code, and the ELF files that hold it.

use std::borrow::Cow;

mod executable;
mod relocatable;

pub use executable::{BASE, write_executable};
pub use relocatable::write_relocatable;

/// Code with its symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The machine words.
    pub words: Vec<u32>,
    /// Functions in it.
    pub symbols: Vec<Symbol>,
    /// Calls of functions that are not in it.
    pub calls: Vec<Call>,
}

/// A function's symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its first word.
    pub offset_words: u32,
    /// Its number of words.
    pub size_words: u32,
    /// Whether other objects see it.
    pub global: bool,
}

/// A call of a function in another object: `auipc ra; jalr ra`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The word of the `auipc`.
    pub offset_words: u32,
    /// The function.
    pub name: String,
}

impl Image {
    /// The code as bytes, the least of each word first.
    fn text(&self) -> Cow<'_, [u8]> {
        if cfg!(target_endian = "little") {
            return Cow::Borrowed(bytemuck::cast_slice(&self.words));
        }
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The ABI of all files: floats in registers, single precision.
const FLAGS: object::elf::FileFlags = object::elf::EF_RISCV_FLOAT_ABI_SINGLE;

/// Contents of the section `.riscv.attributes`: what the code may use.
fn attributes() -> Vec<u8> {
    const ARCHITECTURE: &[u8] = b"rv32i2p0_m2p0_f2p0_zicsr2p0\0";
    const VENDOR: &[u8] = b"riscv\0";
    // Tag_RISCV_stack_align 16, Tag_RISCV_arch; then, from the inside out, their lengths.
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
