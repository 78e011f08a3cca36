//! The sections of DWARF, with the relocations that complete them.
//!
//! Every address is an offset in the code, and a reference between sections is an offset in a section. In an object both are relocations.
//! In an executable they are known.

use std::ops::Range;

use gimli::write::{
    Address, AttributeValue, Dwarf, EndianVec, Expression, FileId, LineProgram, LineString, RelocateWriter, Relocation,
    RelocationTarget, Sections, Unit, Writer,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, constants as dw};

use super::frames::frame_table;
use super::{Debug, File, FunctionCode, LineStart, Place};
use crate::object::Image;
use crate::target::Target as Processor;

/// A section of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name.
    pub name: &'static str,
    /// The contents, with 0 where something is completed.
    pub bytes: Vec<u8>,
    /// A number to complete: the offset, the number of bytes, the thing that it refers to, and the distance from there.
    pub references: Vec<(u64, u8, Target, u64)>,
}

/// The thing that a number in a section refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The code.
    Code,
    /// A section by its name.
    Section(&'static str),
}

impl Section {
    /// Completes the section of an executable whose code is at an address.
    pub fn complete(&mut self, code: u64) {
        for (offset, size, target, distance) in std::mem::take(&mut self.references) {
            let value = distance + if target == Target::Code { code } else { 0 };
            let at = offset as usize;
            self.bytes[at..at + usize::from(size)].copy_from_slice(&value.to_le_bytes()[..usize::from(size)]);
        }
    }
}

/// A section that is being written.
#[derive(Clone)]
struct Recorder {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Recorder {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// Returns the address of a byte of the code.
pub(super) fn address(offset: u32) -> Address {
    Address::Symbol { symbol: 0, addend: offset.into() }
}

/// The version of DWARF. Most debuggers of the last decade read it.
const VERSION: u16 = 4;

/// Par has no number among the languages that debuggers know. Its numbers and expressions are most like the ones of C.
const LANGUAGE: dw::DwLang = dw::DW_LANG_C99;

/// Returns the sections that describe an image.
///
/// # Errors
/// Errors of the crate `gimli`: a number exceeds a limit of DWARF.
pub fn sections(image: &Image, debug: &Debug) -> gimli::write::Result<Vec<Section>> {
    let address_size = if image.target == Processor::X86_64 { 8 } else { 4 };
    let encoding = Encoding { address_size, format: Format::Dwarf32, version: VERSION };
    let empty = Recorder { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() };
    let mut written = Sections::new(empty);
    let mut dwarf = Dwarf::new();
    for functions in debug.functions.chunk_by(|a, b| a.file() == b.file()) {
        add_unit(image.target, debug, functions, encoding, &mut dwarf);
    }
    dwarf.write(&mut written)?;
    frame_table(image, debug, encoding).write_debug_frame(&mut written.debug_frame)?;
    let mut sections = Vec::new();
    written.for_each_mut(|id, section| {
        if section.len() > 0 {
            let references = section.relocations.drain(..).map(reference).collect();
            sections.push(Section { name: id.name(), bytes: section.bytes.take(), references });
        }
        gimli::write::Result::Ok(())
    })?;
    Ok(sections)
}

fn reference(relocation: Relocation) -> (u64, u8, Target, u64) {
    let target = match relocation.target {
        RelocationTarget::Symbol(_) => Target::Code,
        RelocationTarget::Section(section) => Target::Section(section.name()),
    };
    (relocation.offset as u64, relocation.size, target, relocation.addend as u64)
}

/// Adds the unit of a source: its lines, and its functions, which follow one another.
fn add_unit(target: Processor, debug: &Debug, functions: &[FunctionCode], encoding: Encoding, dwarf: &mut Dwarf) {
    let [first, ..] = functions else { return };
    let [.., last] = functions else { return };
    let Some(Place { file, .. }) = first.place else { return };
    let range = first.offset..last.offset + last.size;
    let File { name, .. } = &debug.files[file as usize];
    let (program, source) = line_program(target, debug, (file, range.clone()), encoding);
    let mut unit = Unit::new(encoding, program);
    let mut string = |text: &str| AttributeValue::StringRef(dwarf.strings.add(text));
    let root = unit.root();
    let entry = unit.get_mut(root);
    entry.set(dw::DW_AT_producer, string(concat!("refc ", env!("CARGO_PKG_VERSION"))));
    entry.set(dw::DW_AT_language, AttributeValue::Language(LANGUAGE));
    entry.set(dw::DW_AT_name, string(&path(name)));
    entry.set(dw::DW_AT_comp_dir, string(&path(&debug.folder)));
    entry.set(dw::DW_AT_low_pc, AttributeValue::Address(address(range.start)));
    entry.set(dw::DW_AT_high_pc, AttributeValue::Udata(range.len() as u64));
    for function in functions {
        let id = unit.add(root, dw::DW_TAG_subprogram);
        let entry = unit.get_mut(id);
        entry.set(dw::DW_AT_name, string(&function.name));
        entry.set(dw::DW_AT_decl_file, AttributeValue::FileIndex(Some(source)));
        let line = function.place.map_or(0, |place| place.line);
        entry.set(dw::DW_AT_decl_line, AttributeValue::Udata(line.into()));
        entry.set(dw::DW_AT_low_pc, AttributeValue::Address(address(function.offset)));
        entry.set(dw::DW_AT_high_pc, AttributeValue::Udata(function.size.into()));
        let mut frame_base = Expression::new();
        frame_base.op(dw::DW_OP_call_frame_cfa);
        entry.set(dw::DW_AT_frame_base, AttributeValue::Exprloc(frame_base));
        if function.global {
            entry.set(dw::DW_AT_external, AttributeValue::FlagPresent);
        }
    }
    dwarf.units.add(unit);
}

/// Returns the lines of a source whose code is in a range, and the source. The code that all `return`s of a function share has the line
/// of the function, at which no debugger stops.
fn line_program(
    target: Processor,
    debug: &Debug,
    (file, range): (u32, Range<u32>),
    encoding: Encoding,
) -> (LineProgram, FileId) {
    let line_encoding = LineEncoding { minimum_instruction_length: target.unit() as u8, ..LineEncoding::default() };
    let string = |text: &str| LineString::String(path(text).into_bytes());
    let name = string(&debug.files[file as usize].name);
    let mut program = LineProgram::new(encoding, line_encoding, string(&debug.folder), None, name.clone(), None);
    let folder = program.default_directory();
    let source = program.add_file(name, folder, None);
    let end_of = |offset: u32| {
        let after = debug.functions.partition_point(|function| function.offset <= offset);
        after.checked_sub(1).map(|f| &debug.functions[f]).map(|function| function.offset + function.parts.end)
    };
    let first = debug.lines.partition_point(|line| line.offset < range.start);
    let lines = debug.lines[first..].iter().take_while(|line| line.offset < range.end);
    let mut start = None;
    for &LineStart { offset, place } in lines {
        let Some(Place { line, .. }) = place.filter(|place| place.file == file) else {
            if let Some(start) = start.take() {
                program.end_sequence(u64::from(offset - start));
            }
            continue;
        };
        let start = *start.get_or_insert_with(|| {
            program.begin_sequence(Some(address(offset)));
            offset
        });
        let row = program.row();
        row.address_offset = u64::from(offset - start);
        row.file = source;
        row.line = line.into();
        row.epilogue_begin = end_of(offset) == Some(offset);
        row.is_statement = !row.epilogue_begin;
        program.generate_row();
    }
    if let Some(start) = start {
        program.end_sequence(u64::from(range.end - start));
    }
    (program, source)
}

/// Returns a name as DWARF has it: not empty, and without its end in the middle.
fn path(name: &str) -> String {
    if name.is_empty() { ".".to_string() } else { name.replace('\0', "?") }
}
