//! Reads executables: checks all headers, then copies the segments into memory.

use std::ops::Range;

use object::LittleEndian;
use object::elf::{
    EM_RISCV, ET_EXEC, FileHeader32, PF_R, PF_W, PF_X, PT_LOAD, SHT_SYMTAB, STB_GLOBAL, STT_FUNC, STT_OBJECT,
};
use object::read::elf::{FileHeader, ProgramHeader, Sym};

use super::memory::{Access, Memory, Region};
use super::{Limits, STACK_TOP};

/// The most loadable segments that an executable may have.
pub const MAX_SEGMENTS: usize = 64;

/// The smallest and the largest stack in bytes.
pub const STACK_BYTES: std::ops::RangeInclusive<u32> = 16..=STACK_TOP - (64 << 20);

/// A reason why a file cannot be run. Segments are numbered from 0, in the order of their headers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant describes its fields")]
pub enum LoadError {
    #[error("{0}")]
    Malformed(String),
    #[error("its ELF type is {found}, but executables have type {ET_EXEC}")]
    FileType { found: u16 },
    #[error("its machine is {found}, but RISC-V is {EM_RISCV}")]
    Machine { found: u16 },
    #[error("it has {found} loadable segments; the limit is {MAX_SEGMENTS}")]
    TooManySegments { found: usize },
    #[error("segment {segment} ends at byte {end}, but the file has {file_bytes} bytes")]
    OutsideFile { segment: usize, end: u64, file_bytes: usize },
    #[error("segment {segment} has {file_bytes} bytes in the file, but only {memory_bytes} in memory")]
    Shrinks { segment: usize, file_bytes: u32, memory_bytes: u32 },
    #[error("segment {segment} has the alignment {alignment}, which is not a power of two")]
    Alignment { segment: usize, alignment: u32 },
    #[error(
        "segment {segment} is misaligned: address {address:#x} and file offset {offset:#x} differ modulo {alignment}"
    )]
    Misaligned { segment: usize, address: u32, offset: u32, alignment: u32 },
    #[error("segment {segment} ends at address {end:#x}, but the stack begins at {limit:#x}")]
    OutsideMemory { segment: usize, end: u64, limit: u32 },
    #[error("segments {first} and {second} overlap")]
    Overlap { first: usize, second: usize },
    #[error("its segments need {found} bytes of memory; the limit is {limit}")]
    TooLarge { found: u64, limit: u64 },
    #[error("its entry point {entry:#010x} is not a multiple of 4 in an executable segment")]
    Entry { entry: u32 },
    #[error("a stack of {found} bytes was requested; the limits are {} and {}", STACK_BYTES.start(), STACK_BYTES.end())]
    Stack { found: u32 },
    #[error("out of memory: cannot allocate {bytes} bytes")]
    OutOfMemory { bytes: u32 },
}

impl From<object::read::Error> for LoadError {
    fn from(error: object::read::Error) -> LoadError {
        LoadError::Malformed(error.to_string())
    }
}

/// Returns the entry point and the memory of an executable, with the stack as the last region.
///
/// All headers are checked before memory is allocated.
pub fn load(elf: &[u8], limits: Limits) -> Result<(u32, Memory), LoadError> {
    let header = FileHeader32::<LittleEndian>::parse(elf)?;
    let endian: LittleEndian = header.endian()?;
    if header.e_type(endian) != ET_EXEC {
        return Err(LoadError::FileType { found: header.e_type(endian).0 });
    }
    if header.e_machine(endian) != EM_RISCV {
        return Err(LoadError::Machine { found: header.e_machine(endian).0 });
    }
    if !STACK_BYTES.contains(&limits.stack_bytes) {
        return Err(LoadError::Stack { found: limits.stack_bytes });
    }
    let stack_start = (STACK_TOP - limits.stack_bytes) & !15;

    let mut segments = Vec::new();
    for program_header in header.program_headers(endian, elf)? {
        if program_header.p_type(endian) == PT_LOAD && program_header.p_memsz(endian) != 0 {
            let segment = segments.len();
            segments.push(Segment::check(segment, program_header, elf, stack_start)?);
        }
    }
    if segments.len() > MAX_SEGMENTS {
        return Err(LoadError::TooManySegments { found: segments.len() });
    }
    let found = segments.iter().map(|segment| u64::from(segment.bytes)).sum();
    if found > limits.segment_bytes {
        return Err(LoadError::TooLarge { found, limit: limits.segment_bytes });
    }
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by_key(|&segment| segments[segment].start);
    for pair in order.windows(2) {
        let [first, second] = [pair[0], pair[1]];
        if segments[second].start - segments[first].start < segments[first].bytes {
            return Err(LoadError::Overlap { first: first.min(second), second: first.max(second) });
        }
    }
    let entry = header.e_entry(endian);
    let holds_entry = |segment: &Segment<'_>| {
        segment.access.execute && entry.checked_sub(segment.start).is_some_and(|offset| offset < segment.bytes)
    };
    if entry % 4 != 0 || !segments.iter().any(holds_entry) {
        return Err(LoadError::Entry { entry });
    }

    let region =
        |start, bytes, data, access| Region::new(start, bytes, data, access).ok_or(LoadError::OutOfMemory { bytes });
    let mut regions = Vec::with_capacity(segments.len() + 1);
    for segment in segments {
        regions.push(region(segment.start, segment.bytes, segment.data, segment.access)?);
    }
    let stack = Access { read: true, write: true, execute: false };
    regions.push(region(stack_start, STACK_TOP - stack_start, &[], stack)?);
    Ok((entry, Memory::new(regions, limits.mapped_bytes)))
}

/// A segment whose header has been checked.
struct Segment<'a> {
    start: u32,
    bytes: u32,
    data: &'a [u8],
    access: Access,
}

impl<'a> Segment<'a> {
    fn check(
        segment: usize,
        header: &'a object::elf::ProgramHeader32<LittleEndian>,
        elf: &'a [u8],
        stack_start: u32,
    ) -> Result<Segment<'a>, LoadError> {
        let endian = LittleEndian;
        let (address, offset) = (header.p_vaddr(endian), header.p_offset(endian));
        let (file_bytes, memory_bytes) = (header.p_filesz(endian), header.p_memsz(endian));
        let alignment = header.p_align(endian).max(1);
        let Ok(data) = header.data(endian, elf) else {
            let end = u64::from(offset) + u64::from(file_bytes);
            return Err(LoadError::OutsideFile { segment, end, file_bytes: elf.len() });
        };
        if file_bytes > memory_bytes {
            return Err(LoadError::Shrinks { segment, file_bytes, memory_bytes });
        }
        if !alignment.is_power_of_two() {
            return Err(LoadError::Alignment { segment, alignment });
        }
        if address % alignment != offset % alignment {
            return Err(LoadError::Misaligned { segment, address, offset, alignment });
        }
        let end = u64::from(address) + u64::from(memory_bytes);
        if end > u64::from(stack_start) {
            return Err(LoadError::OutsideMemory { segment, end, limit: stack_start });
        }
        let flags = header.p_flags(endian);
        let access = Access { read: flags.contains(PF_R), write: flags.contains(PF_W), execute: flags.contains(PF_X) };
        Ok(Segment { start: address, bytes: memory_bytes, data, access })
    }
}

/// Returns the name of the function at an address, or `?` if the file has no symbol for it.
pub fn function_at(elf: &[u8], address: u32) -> String {
    let find = || -> Option<String> {
        let header = FileHeader32::<LittleEndian>::parse(elf).ok()?;
        let endian: LittleEndian = header.endian().ok()?;
        let symbols = header.sections(endian, elf).ok()?.symbols(endian, elf, SHT_SYMTAB).ok()?;
        let symbol = symbols.iter().find(|symbol| {
            let offset = address.wrapping_sub(symbol.st_value(endian));
            symbol.st_type() == STT_FUNC && offset < symbol.st_size(endian)
        })?;
        Some(String::from_utf8_lossy(symbol.name(endian, symbols.strings()).ok()?).into_owned())
    };
    find().unwrap_or_else(|| "?".to_string())
}

/// Returns the code of the functions of the program itself: those with global symbols, and those nested in others, whose names
/// have a `.`. The functions of the runtime are neither.
pub fn own_functions(elf: &[u8]) -> Vec<Range<u32>> {
    let find = || -> Option<Vec<Range<u32>>> {
        let header = FileHeader32::<LittleEndian>::parse(elf).ok()?;
        let endian: LittleEndian = header.endian().ok()?;
        let symbols = header.sections(endian, elf).ok()?.symbols(endian, elf, SHT_SYMTAB).ok()?;
        let is_own = |symbol: &&object::elf::Sym32<LittleEndian>| {
            let is_nested = symbol.name(endian, symbols.strings()).is_ok_and(|name| name.contains(&b'.'));
            symbol.st_type() == STT_FUNC && (symbol.st_bind() == STB_GLOBAL || is_nested)
        };
        let code = |symbol: &object::elf::Sym32<LittleEndian>| {
            let start = symbol.st_value(endian);
            start..start.saturating_add(symbol.st_size(endian))
        };
        Some(symbols.iter().filter(is_own).map(code).collect())
    };
    let mut found = find().unwrap_or_default();
    found.sort_by_key(|code| code.start);
    found
}

/// Returns the address of the object with a name, if the file has a symbol for it.
pub fn object_at(elf: &[u8], name: &str) -> Option<u32> {
    let header = FileHeader32::<LittleEndian>::parse(elf).ok()?;
    let endian: LittleEndian = header.endian().ok()?;
    let symbols = header.sections(endian, elf).ok()?.symbols(endian, elf, SHT_SYMTAB).ok()?;
    let is_named = |symbol: &&object::elf::Sym32<LittleEndian>| {
        symbol.st_type() == STT_OBJECT && symbol.name(endian, symbols.strings()) == Ok(name.as_bytes())
    };
    symbols.iter().find(is_named).map(|symbol| symbol.st_value(endian))
}
