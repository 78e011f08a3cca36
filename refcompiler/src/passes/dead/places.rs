//! The surroundings of nodes: who uses a value, and when a node is evaluated.
//!
//! ```text
//! IF        a part of its own: none
//!   c       part: as the IF
//!   BLOCK   part: this BLOCK        evaluated if the condition holds
//! WHILE     part: this WHILE        evaluated in each iteration, and the condition once more
//!   c       part: the WHILE
//!   BLOCK   part: this BLOCK
//! ```
//!
//! A *part* is a subtree that may be evaluated any number of times when control reaches it, also none. Within a part, and outside the parts
//! in it, each node is evaluated once, in order, unless a `return` comes first.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{ACCESSES, Kind, Kinds};
use crate::ir::nodes::{NodeId, Nodes};

/// The user of a value that something else than a definition uses.
pub const EFFECT: u32 = NO_NODE;
/// The user of a value that nothing uses.
pub const NOBODY: u32 = NO_NODE - 1;

/// The kinds besides pure ones whose value is used by the user of the node.
const PASSING: Kinds = Kinds::of(&[Kind::Choose, Kind::Then, Kind::Otherwise, Kind::Sequence]);

/// The surroundings of a node.
#[device]
pub struct Place {
    /// The user of the values below, of a leaf the user of its own: the definition that takes the value, [`EFFECT`] or [`NOBODY`].
    pub user: u32,
    /// The innermost part around the node, at least the function.
    pub part: u32,
    /// The innermost loop around the node in its function, [`NO_NODE`] if there is none.
    pub innermost: u32,
    /// 1 if no block is between the node and a part of an expression around it.
    pub is_apart: u32,
}

/// The place around a root.
const OUTSIDE: Place = Place { user: EFFECT, part: NO_NODE, innermost: NO_NODE, is_apart: 0 };

/// Returns whether a node of kind `kind` is a part of the parent, of kind `above`. `is_first` if it is the first child.
#[device]
fn is_part(kind: Kind, above: Kind, is_first: bool) -> bool {
    let is_branch = (above == Kind::If) | (above == Kind::IfElse);
    let is_body = ((above == Kind::For) | (above == Kind::While)) & (kind == Kind::Block);
    (is_branch & !is_first) | is_body | kind.is_part() | (kind == Kind::While)
}

/// Returns the user of the values below a node, given the user of its own.
#[device]
fn user_below(i: NodeId, kind: Kind, above: u32) -> u32 {
    // A processor would mispredict branches on kinds.
    let passes = kind.is_pure() | PASSING.contains(kind);
    let user = if passes { above } else { EFFECT };
    let defines = ((kind == Kind::Assign) | (kind == Kind::Declare)) & (above == NOBODY);
    let user = if defines { i.get() } else { user };
    // A load whose value nothing uses can stay, and fail at another address.
    let user = if ACCESSES.contains(kind) { EFFECT } else { user };
    if kind == Kind::Expression { NOBODY } else { user }
}

#[device(walk_down)]
fn place(i: NodeId, above: Place, kinds: &[Kind], parents: &[u32]) -> Place {
    let kind = kinds[i.index()];
    let user = user_below(i, kind, above.user);
    let parent = parents[i.index()];
    if kind.is_function() | (parent == NO_NODE) {
        return Place { user, part: i.get(), innermost: NO_NODE, is_apart: 0 };
    }
    let above_kind = kinds[parent as usize];
    let is_block = kind == Kind::Block;
    let is_new = is_part(kind, above_kind, i.get() == parent + 1);
    let iterates = (above_kind == Kind::While) | ((above_kind == Kind::For) & is_block);
    Place {
        user,
        part: if is_new { i.get() } else { above.part },
        innermost: if iterates { parent } else { above.innermost },
        is_apart: if is_block { 0 } else { is_new as u32 | above.is_apart },
    }
}

/// The forest, and the place of each node.
pub struct Forest<B: Backend> {
    /// The parent of each node.
    pub parent: B::Vec<u32>,
    /// The end of the subtree of each node.
    pub end: B::Vec<u32>,
    /// The place of each node.
    pub place: B::Vec<Place>,
}

/// Returns the place of each node.
pub fn places<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Forest<B>> {
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let place = backend.walk_down(&parents, OUTSIDE, place::of(&nodes.kind, parents.column()))?;
    Ok(Forest { parent: parents.into_column(), end, place })
}
