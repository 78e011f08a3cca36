//! The lines of code, and the parts of a function that a debugger asks for.

use treepar::device::device;

use super::rows::FunctionIndex;

/// The line of code from no source.
pub const NO_LINE: u32 = u32::MAX;

/// An index of a beginning of a line in the code.
#[device(index)]
pub struct LineId(u32);

/// A beginning of a line in the code. The line ends where the next one begins.
#[device(columns(Lines, index = LineId))]
pub struct Line {
    /// The unit, a word or a byte, counted from the first of the image.
    pub unit: u32,
    /// The line, counted from 0 over all sources, or [`NO_LINE`].
    pub line: u32,
}

/// The parts of a function's code, in units that count from the first of the image.
///
/// ```text
/// start     the stack pointer moves down by the frame
/// body      registers are saved
/// saved     rows
/// end       registers are restored, the stack pointer moves up
/// restored  return
/// ```
#[device(columns(Extents, index = FunctionIndex))]
pub struct Extent {
    /// The first unit.
    pub start: u32,
    /// The first unit with a frame.
    pub body: u32,
    /// The first unit after registers are saved.
    pub saved: u32,
    /// The first unit of the code that all `return`s share.
    pub end: u32,
    /// The first unit there without a frame.
    pub restored: u32,
    /// The line of the declaration, counted from 0 over all sources, or [`NO_LINE`].
    pub line: u32,
}
