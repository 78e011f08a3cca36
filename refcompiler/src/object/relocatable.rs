//! Relocatable objects: code, symbols, and a relocation for each call of another object.

use std::collections::HashMap;

use object::write::{Object, Relocation, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, FileFlags, RelocationFlags, SectionFlags, SectionKind, SymbolFlags,
    SymbolKind, SymbolScope, elf,
};

use super::{FLAGS, Image, attributes};

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
        file.add_symbol(Symbol {
            name: symbol.name.clone().into_bytes(),
            value: u64::from(symbol.offset_words) * 4,
            size: u64::from(symbol.size_words) * 4,
            kind: SymbolKind::Text,
            scope: if symbol.global { SymbolScope::Dynamic } else { SymbolScope::Compilation },
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
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
                offset: u64::from(call.offset_words) * 4,
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
