//! The lines, functions and callers of an image, for debuggers, and the sections of a file that describe them, in the format DWARF 4.
//!
//! | section | contents |
//! |---|---|
//! | `.debug_line` | the line of each byte of code |
//! | `.debug_info`, `.debug_abbrev`, `.debug_str` | the sources, and the functions with their names |
//! | `.debug_frame` | how the caller of a function is found, at each instruction |
//!
//! The passes have found all of this as tables; here they are only written.

mod dwarf;
mod frames;

pub use dwarf::{Section, Target as RelocationTarget, sections};

use crate::ir::frame::Frame;
use crate::ir::lines::NO_LINE;
use crate::source::Sources;
use crate::target::unwind::Parts;

/// The lines and functions of an image. All offsets are in bytes from its first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Debug {
    /// The folder in which the names of sources are looked up.
    pub folder: String,
    /// The sources.
    pub files: Vec<File>,
    /// Where the code of each line begins, in ascending order.
    pub lines: Vec<LineStart>,
    /// The compiled functions, in ascending order.
    pub functions: Vec<FunctionCode>,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name.
    pub name: String,
    /// The number of its first line among the lines of all sources, from 0.
    pub first_line: u32,
}

/// A line of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index of the source.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
}

/// Where the code of a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStart {
    /// The offset.
    pub offset: u32,
    /// The line, unless the code is of no source.
    pub place: Option<Place>,
}

/// The code of a compiled function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCode {
    /// The name in the source.
    pub name: String,
    /// The first byte.
    pub offset: u32,
    /// The number of bytes.
    pub size: u32,
    /// `true` if other objects can call it.
    pub global: bool,
    /// The parts that make and remove its frame.
    pub parts: Parts,
    /// The frame.
    pub frame: Frame,
    /// The declaration, unless the function is of no source.
    pub place: Option<Place>,
}

impl FunctionCode {
    /// Returns the index of the source that declares it.
    fn file(&self) -> Option<u32> {
        self.place.map(|place| place.file)
    }
}

impl Debug {
    /// Returns the description of an empty image of some sources, given the first line of each.
    pub fn of(sources: &Sources, first_lines: &[u32]) -> Debug {
        let file =
            |(source, &first_line): (&crate::source::Source, &u32)| File { name: source.name.clone(), first_line };
        Debug { files: sources.files().iter().zip(first_lines).map(file).collect(), ..Debug::default() }
    }

    /// Returns the source and the line of a line among the lines of all sources.
    pub fn place(&self, line: u32) -> Option<Place> {
        let file = self.files.partition_point(|file| file.first_line <= line).checked_sub(1)?;
        (line != NO_LINE).then(|| Place { file: file as u32, line: line - self.files[file].first_line + 1 })
    }

    /// Moves all code by some bytes.
    pub fn shift(&mut self, bytes: u32) {
        self.lines.iter_mut().for_each(|line| line.offset += bytes);
        self.functions.iter_mut().for_each(|function| function.offset += bytes);
    }
}
