//! The lines and the functions of each part, on the host, for debuggers.

use treepar::Backend;

use super::parts::Part;
use crate::ir::frame::Frame;
use crate::ir::instruction::Material;
use crate::ir::lines::{HostExtents, HostLines, LineId};
use crate::ir::rows::FunctionIndex;
use crate::object::Symbol;
use crate::object::debug::{Debug, FunctionCode, LineStart};
use crate::passes::lines::{Newlines, extents, lines};
use crate::target::unwind::Parts;

/// The lines and the functions of a part.
pub(super) struct PartLines {
    lines: HostLines,
    /// Units count from the first of the part.
    extents: HostExtents,
    frames: Vec<Frame>,
}

/// Returns the lines and functions of a part that begins at unit `first`, if the positions of its rows are known.
pub(super) fn lines_of_part<B: Backend>(
    backend: &B,
    part: &Part<B>,
    newlines: &Newlines<B>,
    first: u32,
) -> treepar::Result<Option<PartLines>> {
    let Part { material, layout, positions } = part;
    let Some(positions) = positions.column() else { return Ok(None) };
    let Material { frame, .. } = material;
    Ok(Some(PartLines {
        lines: lines(backend, positions, newlines, layout, first)?.download(backend)?,
        extents: extents(backend, positions, newlines, material, layout)?.download(backend)?,
        frames: backend.download(frame)?,
    }))
}

/// Adds function `f` of a part.
pub(super) fn add_function(debug: &mut Debug, part: &PartLines, f: usize, symbol: &Symbol, unit: u32) {
    let extent = part.extents.row(FunctionIndex::new(f as u32));
    let offset = |at: u32| unit * (at - extent.start);
    let parts = Parts {
        body: offset(extent.body),
        saved: offset(extent.saved),
        end: offset(extent.end),
        restored: offset(extent.restored),
    };
    let &Symbol { offset, size, global, .. } = symbol;
    debug.functions.push(FunctionCode {
        name: source_name(&symbol.name).to_string(),
        offset,
        size,
        global,
        parts,
        frame: part.frames[f],
        place: debug.place(extent.line),
    });
}

/// Returns the name of a function in its source, given the name of its symbol: the function itself, without those around it.
fn source_name(symbol: &str) -> &str {
    let name = symbol.strip_suffix(".fn").unwrap_or(symbol);
    name.rsplit('.').next().unwrap_or(name)
}

/// Adds the lines of a part.
pub(super) fn add_lines(debug: &mut Debug, part: &PartLines, unit: u32) {
    for l in 0..part.lines.len() as u32 {
        let line = part.lines.row(LineId::new(l));
        let place = debug.place(line.line);
        debug.lines.push(LineStart { offset: unit * line.unit, place });
    }
}
