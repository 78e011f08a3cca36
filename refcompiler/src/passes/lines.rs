//! Lines: where the code of each line begins, and the parts of each function's code. This pass runs only for debuggers.
//!
//! ```text
//! newlines   2 9 17              positions of all line feeds; sources lie end to end, with a line feed after each
//! rows       header  name  literal  add   store  function
//! position   3       12    18       16    10     3
//! units      2       1     1        1     1      2
//! line       1       2     3        2     2      1
//! kept       0 1     2 2   3 3      4 2          6 1        unit and line, where the line changes
//! ```
//!
//! The line of a position is the number of line feeds before it, found by bisection.
//!
//! Cost: work O(n log s) for s lines of source, two compactions.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::frame::Frame;
use crate::ir::instruction::{Layout, Material};
use crate::ir::lines::{Extent, Extents, Line, Lines, NO_LINE};
use crate::ir::positions::AS_BEFORE;
use crate::ir::rows::FunctionIndex;
use crate::source::Sources;
use crate::target::Target;
use crate::target::riscv::prologue::frame_units as riscv_units;
use crate::target::x86_64::sequences::frame_units as x86_units;

/// The lines of all sources.
pub struct Newlines<B: Backend> {
    /// The positions of all line feeds, with one after each source.
    at: B::Vec<u32>,
}

#[device(compact)]
fn is_newline(i: usize, text: &[u8]) -> bool {
    text[i] == 10
}

/// Returns the line of a position.
#[device]
fn line_at(position: u32, newlines: &[u32]) -> u32 {
    let mut low = 0usize;
    let mut high = newlines.len();
    while low < high {
        let middle = (low + high) / 2;
        if newlines[middle] < position {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // A position after all sources is one of the runtime.
    if low == newlines.len() { NO_LINE } else { low as u32 }
}

#[device(map)]
fn line(i: usize, positions: &[u32], newlines: &[u32]) -> u32 {
    line_at(positions[i], newlines)
}

/// Finds the lines of all sources. Returns the first line of each source too.
pub fn newlines<B: Backend>(backend: &B, sources: &Sources) -> Result<(Newlines<B>, Vec<u32>)> {
    let mut text = Vec::with_capacity(sources.bytes() + sources.files().len());
    let mut starts = Vec::with_capacity(sources.files().len());
    for file in sources.files() {
        starts.push(file.start);
        text.extend_from_slice(file.text.as_bytes());
        text.push(b'\n');
    }
    let at = backend.compact(is_newline::of(&backend.upload(&text)?))?;
    let first = backend.download(&backend.map(line::of(&backend.upload(&starts)?, &at))?)?;
    Ok((Newlines { at }, first))
}

/// Returns whether row `r` has code and a position of its own. All rows have `end` units.
#[device(compact)]
fn has_line(r: usize, layout: &[u32], end: u32, positions: &[u32]) -> bool {
    let next = if r + 1 < layout.len() { layout[r + 1] } else { end };
    (next != layout[r]) & (positions[r] != AS_BEFORE)
}

#[device(map)]
fn line_of_row(k: usize, kept: &[u32], positions: &[u32], newlines: &[u32]) -> u32 {
    line_at(positions[kept[k] as usize], newlines)
}

#[device(compact)]
fn changes(k: usize, lines: &[u32]) -> bool {
    k == 0 || lines[k] != lines[k - 1]
}

#[device(map)]
fn begin(c: usize, changes: &[u32], kept: &[u32], lines: &[u32], layout: &[u32], first: u32) -> Line {
    let k = changes[c] as usize;
    Line { unit: first + layout[kept[k] as usize], line: lines[k] }
}

/// Finds where the code of each line of a part begins. The part begins at unit `first` of the image.
pub fn lines<B: Backend>(
    backend: &B,
    positions: &B::Vec<u32>,
    newlines: &Newlines<B>,
    layout: &Layout<B>,
    first: u32,
) -> Result<Lines<B>> {
    use treepar::backend::Later;
    let Layout { positions: layout, words, .. } = layout;
    let kept = backend.compact(has_line::of(layout, words.read()?, positions))?;
    let lines = backend.map(line_of_row::of(&kept, positions, &newlines.at))?;
    let changes = backend.compact(changes::of(&lines))?;
    backend.map(begin::of(&changes, &kept, &lines, layout, first))
}

/// Returns the last row of function `f`. There are `n` rows.
#[device]
fn last_row(f: usize, starts: &[u32], n: usize) -> usize {
    (if f + 1 < starts.len() { starts[f + 1] as usize } else { n }) - 1
}

#[device(map)]
fn line_of_function(f: usize, starts: &[u32], positions: &[u32], newlines: &[u32]) -> u32 {
    line_at(positions[last_row(f, starts, positions.len())], newlines)
}

#[device(map)]
fn extent(f: FunctionIndex, starts: &[u32], lines: &[u32], frames: &[Frame], layout: &[u32], target: Target) -> Extent {
    let frame = frames[f.index()];
    let units = if target == Target::X86_64 { x86_units(frame) } else { riscv_units(frame) };
    let start = layout[starts[f.index()] as usize];
    let end = layout[last_row(f.index(), starts, layout.len())];
    Extent {
        start,
        body: start + units.moves,
        saved: start + units.moves + units.saves,
        end,
        restored: end + units.restores + units.moves,
        line: lines[f.index()],
    }
}

/// Finds the parts of the code of each function of a part of the program. Units count from the first of the part.
pub fn extents<B: Backend>(
    backend: &B,
    positions: &B::Vec<u32>,
    newlines: &Newlines<B>,
    material: &Material<B>,
    layout: &Layout<B>,
) -> Result<Extents<B>> {
    let Material { starts, frame, target, .. } = material;
    let rows = starts.len();
    let lines = backend.map(line_of_function::of(starts, positions, &newlines.at).rows(rows))?;
    backend.map(extent::of(starts, &lines, frame, &layout.positions, *target).rows(rows))
}
