//! The scope of a node: the function, the region and the loop around it, and the array that it is an extent of.
//!
//! ```text
//! DECLARE c = OWN(.., FILL_ROWS(n, 1, FILL(m, 0)), ..)      n is extent 0 of c, m is extent 1
//! ```

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{
    COPY_ARRAY, COUNT_UP, FILL, FILL_BYTES, FILL_FLOAT, FILL_ROWS, FILL_SHORTS, NARROW_COPY, NARROW_FILL_ROWS,
    NARROW_OWN, OWN,
};

/// The use of a node for the array of a variable.
#[device]
pub enum Part {
    /// Nothing.
    Other,
    /// The array, or its rows.
    Array,
    /// An extent, with the check that it is not negative.
    Extent,
}

/// The scope of a node.
#[device]
pub struct Scope {
    /// The function around it.
    pub function: u32,
    /// The innermost node around it that is not always evaluated: a part of a branch, the body of a loop or a function, or a block. Itself,
    /// if it is such a node.
    pub region: u32,
    /// The innermost loop that evaluates it in each iteration, [`NO_NODE`] without one.
    pub around: u32,
    /// 1 in a part of a conditional expression, up to the next block.
    pub is_choice: u32,
    /// The code of its [`Part`].
    pub part: u32,
    /// The variable that gets the array.
    pub variable: u32,
    /// The first dimension of the array that it makes, or the dimension of the extent.
    pub dimension: u32,
}

/// The kinds with a condition and parts.
const BRANCHES: Kinds = Kinds::of(&[Kind::If, Kind::IfElse]);

/// Returns whether a kind is a loop.
#[device]
fn is_repeated(kind: Kind) -> bool {
    kind.is_loop() | kind.is_counted()
}

/// Returns the scope of a node with some part of an array.
#[device]
fn with(outer: Scope, part: Part, variable: u32, dimension: u32) -> Scope {
    Scope {
        function: outer.function,
        region: outer.region,
        around: outer.around,
        is_choice: outer.is_choice,
        part: part.code() as u32,
        variable,
        dimension,
    }
}

/// Returns whether a function makes an array whose first argument is the first extent.
#[device]
fn has_extent(id: u32) -> bool {
    let has_rows = (id == FILL_ROWS) | (id == NARROW_FILL_ROWS);
    let is_flat = (id == FILL) | (id == FILL_FLOAT) | (id == FILL_BYTES) | (id == FILL_SHORTS);
    is_flat | has_rows | (id == COUNT_UP)
}

/// Returns the scope of an argument of a function of the runtime, whose result is an array of a variable.
#[device]
fn argument(id: u32, k: u32, outer: Scope, call: Scope) -> Scope {
    let is_owner = ((id == OWN) | (id == NARROW_OWN)) & (k == 1);
    let is_copied = ((id == COPY_ARRAY) | (id == NARROW_COPY)) & (k == 0);
    let has_rows = ((id == FILL_ROWS) | (id == NARROW_FILL_ROWS)) & (k == 2);
    if is_owner | is_copied {
        return with(outer, Part::Array, call.variable, call.dimension);
    }
    if has_rows {
        return with(outer, Part::Array, call.variable, call.dimension + 1);
    }
    if has_extent(id) & (k == 0) {
        return with(outer, Part::Extent, call.variable, call.dimension);
    }
    with(outer, Part::Other, NO_NODE, 0)
}

#[device(walk_down)]
fn scope(i: NodeId, above: Scope, nodes: &Nodes, parents: &[u32]) -> Scope {
    let kind = nodes.kind[i];
    let is_choice = if kind.is_part() {
        1
    } else if kind == Kind::Block {
        0
    } else {
        above.is_choice
    };
    let function = if kind.is_function() { i.get() } else { above.function };
    let parent = NodeId::new(parents[i.index()]);
    if parent.is_none() {
        return Scope {
            function,
            region: i.get(),
            around: NO_NODE,
            is_choice,
            part: 0,
            variable: NO_NODE,
            dimension: 0,
        };
    }
    let above_kind = nodes.kind[parent];
    let is_first = i.get() == parent.get() + 1;
    let is_conditional = (BRANCHES.contains(above_kind) | is_repeated(above_kind)) & !is_first;
    let begins = is_conditional | kind.is_function() | kind.is_part() | (kind == Kind::Block);
    let region = if begins { i.get() } else { above.region };
    // The bound of a counted loop is evaluated before it.
    let enters = is_repeated(above_kind) & ((above_kind == Kind::While) | !is_first);
    let inner = if enters { parent.get() } else { above.around };
    let around = if kind.is_function() { NO_NODE } else { inner };
    let outer = Scope { function, region, around, is_choice, part: 0, variable: NO_NODE, dimension: 0 };
    if above_kind == Kind::Declare {
        return with(outer, Part::Array, parent.get(), 0);
    }
    let is_array = above.part == Part::Array.code() as u32;
    if is_array && above_kind == Kind::Call {
        return argument(nodes.data[parent], nodes.data[i], outer, above);
    }
    let passes_on = above_kind == Kind::Arg
        || (above_kind == Kind::Ascribe && is_array)
        || (above_kind == Kind::CheckSize && i.get() == parent.get() + 1);
    if passes_on && above.part != Part::Other.code() as u32 {
        return with(outer, Part::from_code(above.part as u8), above.variable, above.dimension);
    }
    outer
}

/// Returns the scope of each node.
pub fn scopes<B: Backend>(backend: &B, nodes: &Nodes<B>, parents: &Parents<B>) -> Result<B::Vec<Scope>> {
    let outside = Scope {
        function: NO_NODE,
        region: NO_NODE,
        around: NO_NODE,
        is_choice: 0,
        part: 0,
        variable: NO_NODE,
        dimension: 0,
    };
    backend.walk_down(parents, outside, scope::of(nodes, parents.column()))
}
