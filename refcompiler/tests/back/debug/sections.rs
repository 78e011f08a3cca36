//! The sections of DWARF in a file, as a debugger reads them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimli::{DebugFrame, EndianSlice, LittleEndian, UnwindSection};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

/// The reader of sections.
type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// A file with its sections, completed as a linker would that puts all of them at address 0.
pub struct File {
    sections: BTreeMap<String, Vec<u8>>,
    /// The address and the number of bytes of the code.
    pub text: (u64, u64),
    /// The address, the size and the name of each function.
    pub symbols: Vec<(u64, u64, String)>,
    address_size: u8,
}

/// A row of the table of lines: address, file, line, and whether debuggers stop there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub address: u64,
    pub file: String,
    pub line: u64,
    pub is_statement: bool,
}

/// A function: its name, its first address and the address after it, its source and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub file: String,
    pub line: u64,
}

impl File {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> File {
        let file = object::File::parse(bytes).expect("ELF");
        let mut sections = BTreeMap::new();
        for section in file.sections() {
            let mut data = section.data().expect("its bytes").to_vec();
            let name = section.name().expect("its name").to_string();
            for (offset, relocation) in section.relocations().filter(|_| name.starts_with(".debug")) {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
                let symbol = file.symbol_by_index(symbol).expect("a symbol");
                let target = file.section_by_index(symbol.section_index().expect("a section")).expect("a section");
                let limit = target.size();
                let value = symbol.address() + relocation.addend() as u64;
                assert!(value <= limit, "{name}+{offset:#x}: {value:#x} of {:?}", target.name());
                let size = usize::from(relocation.size() / 8);
                data[offset as usize..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
            sections.insert(name, data);
        }
        let text = file.section_by_name(".text").expect("code");
        let symbols =
            file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.is_definition());
        File {
            sections,
            text: (text.address(), text.size()),
            symbols: symbols.map(|s| (s.address(), s.size(), s.name().expect("a name").to_string())).collect(),
            address_size: if file.is_64() { 8 } else { 4 },
        }
    }

    /// Returns a section, empty if there is none.
    pub fn section(&self, name: &str) -> &[u8] {
        self.sections.get(name).map_or(&[], Vec::as_slice)
    }

    fn slice(&self, name: &str) -> Slice<'_> {
        EndianSlice::new(self.section(name), LittleEndian)
    }

    fn dwarf(&self) -> gimli::Dwarf<Slice<'_>> {
        gimli::Dwarf::load(|id| Ok::<_, gimli::Error>(self.slice(id.name()))).expect("sections")
    }

    /// Calls a function with each unit.
    fn each_unit(&self, mut call: impl FnMut(gimli::UnitRef<'_, Slice<'_>>)) {
        let dwarf = self.dwarf();
        let mut units = dwarf.units();
        while let Some(header) = units.next().expect("a header") {
            let unit = dwarf.unit(header).expect("a unit");
            call(unit.unit_ref(&dwarf));
        }
    }

    /// Returns the sequences of rows of the table of lines. The last row of each is the address after it, with line 0.
    pub fn sequences(&self) -> Vec<Vec<Row>> {
        let mut sequences = vec![Vec::new()];
        self.each_unit(|unit| {
            let mut rows = unit.line_program.clone().expect("lines").rows();
            while let Some((header, row)) = rows.next_row().expect("a row") {
                let file = row.file(header).expect("a file").path_name();
                let file = unit.attr_string(file).expect("a name").to_string_lossy();
                let line = if row.end_sequence() { 0 } else { row.line().map_or(0, |line| line.get()) };
                let last = sequences.last_mut().expect("a sequence");
                let is_statement = row.is_stmt();
                last.push(Row { address: row.address(), file: file.into_owned(), line, is_statement });
                if row.end_sequence() {
                    sequences.push(Vec::new());
                }
            }
        });
        assert_eq!(sequences.pop(), Some(Vec::new()), "each sequence ends");
        sequences
    }

    /// Returns the functions, and checks that each is in the range of its unit.
    pub fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        self.each_unit(|unit| {
            let number = |entry: &gimli::DebuggingInformationEntry<Slice<'_>>, name| match entry.attr_value(name) {
                Some(gimli::AttributeValue::FileIndex(number)) => number,
                value => value.and_then(|value| value.udata_value()).expect("a number"),
            };
            let range = |entry: &gimli::DebuggingInformationEntry<Slice<'_>>| {
                let low = entry.attr_value(gimli::DW_AT_low_pc).expect("a start");
                let gimli::AttributeValue::Addr(start) = low else { panic!("{low:?}") };
                start..start + number(entry, gimli::DW_AT_high_pc)
            };
            let mut whole = 0..0;
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs().expect("an entry") {
                if entry.tag() == gimli::DW_TAG_compile_unit {
                    whole = range(entry);
                }
                if entry.tag() != gimli::DW_TAG_subprogram {
                    continue;
                }
                let text = |value| unit.attr_string(value).expect("a text").to_string_lossy();
                let own = range(entry);
                assert!(whole.start <= own.start && own.end <= whole.end, "{own:?} in {whole:?}");
                let name: Cow<'_, str> = text(entry.attr_value(gimli::DW_AT_name).expect("a name"));
                let program = unit.line_program.as_ref().expect("lines").header();
                let file = program.file(number(entry, gimli::DW_AT_decl_file)).expect("a file").path_name();
                functions.push(Function {
                    name: name.into_owned(),
                    start: own.start,
                    end: own.end,
                    file: text(file).into_owned(),
                    line: number(entry, gimli::DW_AT_decl_line),
                });
            }
        });
        functions
    }

    /// Returns how the caller is found at an address, if the file says so.
    pub fn unwinding(&self, address: u64) -> Option<Unwinding> {
        let mut section = DebugFrame::new(self.section(".debug_frame"), LittleEndian);
        section.set_address_size(self.address_size);
        let mut context = gimli::UnwindContext::new();
        let bases = gimli::BaseAddresses::default();
        let row = section.unwind_info_for_address(&bases, &mut context, address, DebugFrame::cie_from_offset).ok()?;
        Some(Unwinding {
            cfa: row.cfa().clone(),
            rules: row.registers().map(|&(register, ref rule)| (register.0, rule.clone())).collect(),
        })
    }
}

/// How the caller of a function is found at an address.
#[derive(Clone, Debug)]
pub struct Unwinding {
    pub cfa: gimli::CfaRule<usize>,
    pub rules: Vec<(u16, gimli::RegisterRule<usize>)>,
}
