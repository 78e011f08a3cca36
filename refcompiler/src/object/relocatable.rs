//! Relocatable objects: code, symbols, a relocation for each call of another object, and the state of the arena.

use std::collections::HashMap;

use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, FileFlags, RelocationFlags, SectionFlags, SectionKind, SymbolFlags,
    SymbolKind, SymbolScope, elf,
};

use super::{ARENA, ARENA_STATE_BYTES, FLAGS, Image, attributes};

/// Returns an object file for a linker.
///
/// # Errors
/// An error of the crate `object`: the file exceeds a limit of ELF.
pub fn write_relocatable(image: &Image) -> Result<Vec<u8>, object::write::Error> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::Riscv32, Endianness::Little);
    file.flags = FileFlags::Elf { os_abi: elf::ELFOSABI_NONE, abi_version: 0, e_flags: FLAGS };
    let text = file.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
    file.set_section_data(text, image.text(), 4);
    for symbol in &image.symbols {
        let id = file.add_symbol(Symbol {
            name: symbol.name.clone().into_bytes(),
            value: u64::from(symbol.offset),
            size: u64::from(symbol.size),
            kind: SymbolKind::Text,
            scope: if symbol.global { SymbolScope::Dynamic } else { SymbolScope::Compilation },
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
        if image.arena == Some(symbol.offset) {
            add_arena(&mut file, text, u64::from(symbol.offset), id)?;
        }
    }
    let mut undefined: HashMap<&str, SymbolId> = HashMap::new();
    for call in &image.calls {
        let symbol = *undefined.entry(&call.name).or_insert_with(|| {
            file.add_symbol(Symbol {
                name: call.name.clone().into_bytes(),
                value: 0,
                size: 0,
                kind: SymbolKind::Unknown,
                scope: SymbolScope::Unknown,
                weak: false,
                section: SymbolSection::Undefined,
                flags: SymbolFlags::None,
            })
        });
        file.add_relocation(
            text,
            Relocation {
                offset: u64::from(call.offset),
                symbol,
                addend: 0,
                flags: RelocationFlags::Elf { r_type: elf::R_RISCV_CALL_PLT },
            },
        )?;
    }
    let section = file.add_section(Vec::new(), b".riscv.attributes".to_vec(), SectionKind::Unknown);
    file.set_section_data(section, attributes(), 1);
    file.section_mut(section).flags =
        SectionFlags::Elf { sh_type: elf::SHT_RISCV_ATTRIBUTES, sh_flags: elf::SectionFlags::default() };
    file.write()
}

/// Adds the state of the arena, which a linker shares among objects, and relocations for the function that finds it: its first two
/// words, `auipc` and `addi`. `function` is its symbol.
fn add_arena(
    file: &mut Object<'_>,
    text: SectionId,
    offset: u64,
    function: SymbolId,
) -> Result<(), object::write::Error> {
    let state = Symbol {
        name: ARENA.as_bytes().to_vec(),
        value: 0,
        size: 0,
        kind: SymbolKind::Data,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Common,
        flags: SymbolFlags::None,
    };
    let state = file.add_common_symbol(state, ARENA_STATE_BYTES.into(), 4);
    // The lower part of the distance is that of the `auipc` at the symbol.
    for (offset, symbol, r_type) in
        [(offset, state, elf::R_RISCV_PCREL_HI20), (offset + 4, function, elf::R_RISCV_PCREL_LO12_I)]
    {
        let flags = RelocationFlags::Elf { r_type };
        file.add_relocation(text, Relocation { offset, symbol, addend: 0, flags })?;
    }
    Ok(())
}
