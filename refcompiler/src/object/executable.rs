//! Executables: one segment with the code, and a symbol table.

use object::Endianness;
use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};

use super::{FLAGS, Image, attributes};

/// The address at which the file is mapped.
pub const BASE: u32 = 0x1_0000;

/// Returns an executable that begins at the image's first word.
///
/// # Errors
/// An error of the crate `object`: the file exceeds a limit of ELF.
pub fn write_executable(image: &Image) -> Result<Vec<u8>, object::write::Error> {
    let text = image.text();
    let attributes = attributes();
    let mut symbols: Vec<&super::Symbol> = image.symbols.iter().collect();
    // ELF requires local symbols before global ones.
    symbols.sort_by_key(|symbol| symbol.global);
    let locals = symbols.iter().filter(|symbol| !symbol.global).count() as u32;

    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, false, &mut bytes);
    writer.reserve_file_header();
    writer.reserve_program_headers(1);
    let text_offset = writer.reserve(text.len() as u64, 16);
    let names: Vec<_> = symbols.iter().map(|symbol| writer.add_string(symbol.name.as_bytes())).collect();
    writer.reserve_null_section_index();
    let text_name = writer.add_section_name(b".text");
    let text_section = writer.reserve_section_index();
    let attributes_name = writer.add_section_name(b".riscv.attributes");
    writer.reserve_section_index();
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_null_symbol_index();
    for _ in &symbols {
        writer.reserve_symbol_index(Some(text_section));
    }
    let attributes_offset = writer.reserve(attributes.len() as u64, 1);
    writer.reserve_symtab();
    writer.reserve_strtab()?;
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();

    let address = u64::from(BASE) + text_offset;
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: elf::EM_RISCV,
        e_entry: address,
        e_flags: FLAGS,
    })?;
    writer.write_align_program_headers();
    let end = text_offset + text.len() as u64;
    writer.write_program_header(&ProgramHeader {
        p_type: elf::PT_LOAD,
        p_flags: elf::PF_R | elf::PF_X,
        p_offset: 0,
        p_vaddr: BASE.into(),
        p_paddr: BASE.into(),
        p_filesz: end,
        p_memsz: end,
        p_align: 0x1000,
    });
    writer.write_align(16);
    writer.write(&text);
    writer.write(&attributes);
    writer.write_null_symbol();
    for (symbol, name) in symbols.iter().zip(names) {
        let binding = if symbol.global { elf::STB_GLOBAL } else { elf::STB_LOCAL };
        writer.write_symbol(&Sym {
            section: Some(text_section.0),
            st_name: writer.string_offset(Some(name)),
            st_info: elf::SymbolInfo::new(binding, elf::STT_FUNC),
            st_other: elf::SymbolOther::default(),
            st_shndx: elf::SHN_UNDEF,
            st_value: address + u64::from(symbol.offset_words) * 4,
            st_size: u64::from(symbol.size_words) * 4,
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    writer.write_section_header(&SectionHeader {
        sh_name: writer.section_name_offset(Some(text_name)),
        sh_type: elf::SHT_PROGBITS,
        sh_flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
        sh_addr: address,
        sh_offset: text_offset,
        sh_size: text.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 16,
        sh_entsize: 0,
    });
    writer.write_section_header(&SectionHeader {
        sh_name: writer.section_name_offset(Some(attributes_name)),
        sh_type: elf::SHT_RISCV_ATTRIBUTES,
        sh_flags: elf::SectionFlags::default(),
        sh_addr: 0,
        sh_offset: attributes_offset,
        sh_size: attributes.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 1,
        sh_entsize: 0,
    });
    writer.write_symtab_section_header(locals + 1);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    drop(writer);
    Ok(bytes)
}
