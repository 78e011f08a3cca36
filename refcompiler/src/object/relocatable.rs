//! Relocatable objects: code, symbols, a relocation for each call of another object, and the state of the arena.

use std::collections::HashMap;

use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, FileFlags, RelocationFlags, SectionFlags, SectionKind, SymbolFlags,
    SymbolKind, SymbolScope, elf,
};

use super::debug::{self, RelocationTarget};
use super::{ARENA, ARENA_STATE_BYTES, ElfError, Format, Image, STACK, STACK_STATE_BYTES, Sink, stream};
use crate::target::Target;

/// Returns an object file for a linker.
///
/// # Errors
/// [`ElfError`].
pub fn write_relocatable(image: &Image) -> Result<Vec<u8>, ElfError> {
    Ok(object_of(image)?.write()?)
}

/// Writes an object file for a linker. `out` needs no buffer.
///
/// # Errors
/// [`ElfError`].
pub fn stream_relocatable(image: &Image, out: impl Sink) -> Result<(), ElfError> {
    let file = object_of(image)?;
    stream(out, |buffer| Ok(file.emit(buffer)?))
}

fn object_of(image: &Image) -> Result<Object<'_>, ElfError> {
    let format = Format::of(image.target);
    let architecture = match image.target {
        Target::X86_64 => Architecture::X86_64,
        _ => Architecture::Riscv32,
    };
    let mut file = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    file.flags = FileFlags::Elf { os_abi: elf::ELFOSABI_NONE, abi_version: 0, e_flags: format.flags };
    let text = file.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
    file.set_section_data(text, image.bytes(), format.code_alignment);
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
            let state = add_common(&mut file, ARENA, ARENA_STATE_BYTES, format.state_alignment);
            add_finder(&mut file, image.target, (text, state), (u64::from(symbol.offset), id))?;
        }
        if image.stack == Some(symbol.offset) {
            let state = add_common(&mut file, STACK, STACK_STATE_BYTES, format.state_alignment);
            add_finder(&mut file, image.target, (text, state), (u64::from(symbol.offset), id))?;
        }
    }
    // A distance counts from its end, 4 bytes after its beginning.
    let (r_type, addend) = match image.target {
        Target::X86_64 => (elf::R_X86_64_PLT32, -4),
        _ => (elf::R_RISCV_CALL_PLT, 0),
    };
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
            Relocation { offset: u64::from(call.offset), symbol, addend, flags: RelocationFlags::Elf { r_type } },
        )?;
    }
    if let Some(attributes) = format.attributes {
        let section = file.add_section(Vec::new(), b".riscv.attributes".to_vec(), SectionKind::Unknown);
        file.set_section_data(section, attributes, 1);
        file.section_mut(section).flags =
            SectionFlags::Elf { sh_type: elf::SHT_RISCV_ATTRIBUTES, sh_flags: elf::SectionFlags::default() };
    }
    if format.has_stack_header {
        file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    }
    if let Some(debug) = &image.debug {
        add_sections(&mut file, image.target, text, debug::sections(image, debug)?)?;
    }
    Ok(file)
}

/// Adds the sections for debuggers. `text` is the section of the code.
fn add_sections(
    file: &mut Object<'_>,
    target: Target,
    text: SectionId,
    sections: Vec<debug::Section>,
) -> Result<(), object::write::Error> {
    let added: Vec<SectionId> =
        sections.iter().map(|section| file.add_section(Vec::new(), section.name.into(), SectionKind::Debug)).collect();
    let ids: HashMap<&str, SectionId> = sections.iter().map(|section| section.name).zip(added).collect();
    for debug::Section { name, bytes, references } in sections {
        file.set_section_data(ids[name], bytes, 1);
        for (offset, size, reference, distance) in references {
            let referred = match reference {
                RelocationTarget::Code => text,
                RelocationTarget::Section(name) => ids[name],
            };
            let r_type = match (target, size) {
                (Target::X86_64, 8) => elf::R_X86_64_64,
                (Target::X86_64, _) => elf::R_X86_64_32,
                _ => elf::R_RISCV_32,
            };
            let symbol = file.section_symbol(referred);
            let flags = RelocationFlags::Elf { r_type };
            file.add_relocation(ids[name], Relocation { offset, symbol, addend: distance as i64, flags })?;
        }
    }
    Ok(())
}

/// Adds a variable that a linker shares among objects.
fn add_common(file: &mut Object<'_>, name: &str, bytes: u32, alignment: u64) -> SymbolId {
    let symbol = Symbol {
        name: name.as_bytes().to_vec(),
        value: 0,
        size: 0,
        kind: SymbolKind::Data,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Common,
        flags: SymbolFlags::None,
    };
    file.add_common_symbol(symbol, bytes.into(), alignment)
}

/// Adds relocations for a function that finds a variable. `place` is the section of the code and the variable, and `function` is the
/// function's offset and symbol.
fn add_finder(
    file: &mut Object<'_>,
    target: Target,
    place: (SectionId, SymbolId),
    function: (u64, SymbolId),
) -> Result<(), object::write::Error> {
    let (text, state) = place;
    let (offset, function) = function;
    let relocations = match target {
        // The distance ends the first instruction, which has 7 bytes.
        Target::X86_64 => vec![(offset + 3, state, elf::R_X86_64_PC32, -4)],
        // The first two words, `auipc` and `addi`. The `auipc` at the symbol gives the lower part of the distance too.
        _ => vec![(offset, state, elf::R_RISCV_PCREL_HI20, 0), (offset + 4, function, elf::R_RISCV_PCREL_LO12_I, 0)],
    };
    for (offset, symbol, r_type, addend) in relocations {
        let flags = RelocationFlags::Elf { r_type };
        file.add_relocation(text, Relocation { offset, symbol, addend, flags })?;
    }
    Ok(())
}
