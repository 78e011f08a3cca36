//! Executables: a segment with the code, one with the states of the arena and of buffered streams if the program has such, and a symbol
//! table.

use object::Endianness;
use object::elf;
use object::write::WritableBuffer;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Sym, Writer};

use super::debug::{self, Section};
use super::{ARENA, ARENA_STATE_BYTES, ElfError, Format, Image, STREAMS, Sink, stream};
use crate::target::prelude::{Patch, arena_patch, stream_patch};
use crate::target::x86_64::streams::STATE_BYTES;

/// The alignment of segments.
const PAGE: u32 = 0x1000;

/// A part of the section `.bss`, the data of a program.
struct State {
    name: &'static str,
    /// The offset in the section.
    offset: u32,
    bytes: u32,
}

/// Returns the states of a program, one after another.
fn states(image: &Image) -> Vec<State> {
    let sizes = [(ARENA, image.arena.map(|_| ARENA_STATE_BYTES)), (STREAMS, has_streams(image).then_some(STATE_BYTES))];
    let mut offset = 0;
    let used = sizes.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
    used.map(|(name, bytes)| {
        let state = State { name, offset, bytes };
        offset += bytes;
        state
    })
    .collect()
}

fn has_streams(image: &Image) -> bool {
    !image.streams.is_empty()
}

/// Returns what completes the instructions that compute the addresses of states, in order. The section begins `distance` bytes after the
/// code does.
fn patches(image: &Image, states: &[State], distance: u32) -> Vec<Patch> {
    let at = |name| distance + states.iter().find(|state| state.name == name).map_or(0, |state| state.offset);
    let arena = image.arena.map(|function| arena_patch(image.target, function, at(ARENA) - function));
    let streams = image.streams.iter().map(|&instruction| stream_patch(instruction, at(STREAMS) - instruction));
    let mut patches: Vec<Patch> = arena.into_iter().chain(streams).collect();
    patches.sort_by_key(|patch| patch.at);
    patches
}

/// Returns an executable that begins at the image's first word.
///
/// # Errors
/// [`ElfError`].
pub fn write_executable(image: &Image) -> Result<Vec<u8>, ElfError> {
    let mut bytes = Vec::new();
    emit(image, &mut bytes)?;
    Ok(bytes)
}

/// Writes an executable that begins at the image's first word. `out` needs no buffer.
///
/// # Errors
/// [`ElfError`].
pub fn stream_executable(image: &Image, out: impl Sink) -> Result<(), ElfError> {
    stream(out, |buffer| emit(image, buffer))
}

fn emit(image: &Image, buffer: &mut dyn WritableBuffer) -> Result<(), ElfError> {
    let text = image.bytes();
    let format = Format::of(image.target);
    let base = u64::from(format.base);
    let mut symbols: Vec<&super::Symbol> = image.symbols.iter().collect();
    // ELF requires local symbols before global ones.
    symbols.sort_by_key(|symbol| symbol.global);
    let locals = symbols.iter().filter(|symbol| !symbol.global).count() as u32;

    let mut writer = Writer::new(Endianness::Little, format.is_64, buffer);
    writer.reserve_file_header();
    let states = states(image);
    let state_bytes: u32 = states.iter().map(|state| state.bytes).sum();
    writer.reserve_program_headers(1 + u32::from(state_bytes > 0) + u32::from(format.has_stack_header));
    let text_offset = writer.reserve(text.len() as u64, 16);
    let names: Vec<_> = symbols.iter().map(|symbol| writer.add_string(symbol.name.as_bytes())).collect();
    writer.reserve_null_section_index();
    let text_name = writer.add_section_name(b".text");
    let text_section = writer.reserve_section_index();
    let attributes_name = format.attributes.as_ref().map(|_| writer.add_section_name(b".riscv.attributes"));
    if attributes_name.is_some() {
        writer.reserve_section_index();
    }
    let bss = (state_bytes > 0).then(|| (writer.add_section_name(b".bss"), writer.reserve_section_index()));
    let mut sections = match &image.debug {
        Some(debug) => debug::sections(image, debug)?,
        None => Vec::new(),
    };
    let section_names: Vec<_> =
        sections.iter().map(|section| writer.add_section_name(section.name.as_bytes())).collect();
    for _ in &sections {
        writer.reserve_section_index();
    }
    let state_names: Vec<_> = states.iter().map(|state| writer.add_string(state.name.as_bytes())).collect();
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_null_symbol_index();
    for _ in &states {
        writer.reserve_symbol_index(bss.map(|(_, section)| section));
    }
    for _ in &symbols {
        writer.reserve_symbol_index(Some(text_section));
    }
    let attributes = format.attributes.as_deref().unwrap_or_default();
    let attributes_offset = writer.reserve(attributes.len() as u64, 1);
    let section_offsets: Vec<u64> =
        sections.iter().map(|section| writer.reserve(section.bytes.len() as u64, 1)).collect();
    writer.reserve_symtab();
    writer.reserve_strtab()?;
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();

    let address = base + text_offset;
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: format.machine,
        e_entry: address,
        e_flags: format.flags,
    })?;
    writer.write_align_program_headers();
    let end = text_offset + text.len() as u64;
    // States begin in the page after the code.
    let state_address = (base + end).next_multiple_of(PAGE.into());
    let patches =
        if states.is_empty() { Vec::new() } else { patches(image, &states, (state_address - address) as u32) };
    writer.write_program_header(&ProgramHeader {
        p_type: elf::PT_LOAD,
        p_flags: elf::PF_R | elf::PF_X,
        p_offset: 0,
        p_vaddr: base,
        p_paddr: base,
        p_filesz: end,
        p_memsz: end,
        p_align: PAGE.into(),
    });
    if bss.is_some() {
        writer.write_program_header(&ProgramHeader {
            p_type: elf::PT_LOAD,
            p_flags: elf::PF_R | elf::PF_W,
            p_offset: 0,
            p_vaddr: state_address,
            p_paddr: state_address,
            p_filesz: 0,
            p_memsz: state_bytes.into(),
            p_align: PAGE.into(),
        });
    }
    if format.has_stack_header {
        writer.write_program_header(&ProgramHeader {
            p_type: elf::PT_GNU_STACK,
            p_flags: elf::PF_R | elf::PF_W,
            p_offset: 0,
            p_vaddr: 0,
            p_paddr: 0,
            p_filesz: 0,
            p_memsz: 0,
            p_align: 16,
        });
    }
    writer.write_align(16);
    let mut written = 0;
    for Patch { at, bytes } in &patches {
        let at = *at as usize;
        writer.write(&text[written..at]);
        writer.write(bytes);
        written = at + bytes.len();
    }
    writer.write(&text[written..]);
    writer.write(attributes);
    for section in &mut sections {
        section.complete(address);
        writer.write(&section.bytes);
    }
    writer.write_null_symbol();
    for (state, name) in states.iter().zip(state_names) {
        writer.write_symbol(&Sym {
            section: bss.map(|(_, section)| section.0),
            st_name: writer.string_offset(Some(name)),
            st_info: elf::SymbolInfo::new(elf::STB_LOCAL, elf::STT_OBJECT),
            st_other: elf::SymbolOther::default(),
            st_shndx: elf::SHN_UNDEF,
            st_value: state_address + u64::from(state.offset),
            st_size: state.bytes.into(),
        });
    }
    for (symbol, name) in symbols.iter().zip(names) {
        let binding = if symbol.global { elf::STB_GLOBAL } else { elf::STB_LOCAL };
        writer.write_symbol(&Sym {
            section: Some(text_section.0),
            st_name: writer.string_offset(Some(name)),
            st_info: elf::SymbolInfo::new(binding, elf::STT_FUNC),
            st_other: elf::SymbolOther::default(),
            st_shndx: elf::SHN_UNDEF,
            st_value: address + u64::from(symbol.offset),
            st_size: u64::from(symbol.size),
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
    if let Some(name) = attributes_name {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(name)),
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
    }
    if let Some((name, _)) = bss {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(name)),
            sh_type: elf::SHT_NOBITS,
            sh_flags: elf::SHF_ALLOC | elf::SHF_WRITE,
            sh_addr: state_address,
            sh_offset: end,
            sh_size: state_bytes.into(),
            sh_link: 0,
            sh_info: 0,
            sh_addralign: format.state_alignment,
            sh_entsize: 0,
        });
    }
    for ((Section { bytes, .. }, name), &sh_offset) in sections.iter().zip(section_names).zip(&section_offsets) {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(name)),
            sh_type: elf::SHT_PROGBITS,
            sh_flags: elf::SectionFlags::default(),
            sh_addr: 0,
            sh_offset,
            sh_size: bytes.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: 1,
            sh_entsize: 0,
        });
    }
    writer.write_symtab_section_header(locals + 1 + states.len() as u32);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(())
}
