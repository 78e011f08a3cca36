//! The uses of variables, and the facts that they show.
//!
//! ```text
//! nodes      0 while   1 ne   2 b   4 block   6 declare rest   7 rem   8 a   9 b    (the beginning of the example)
//! within     -         0      0     0         0                0       0     0      loop around
//! uses of b  node 2: end of the loop, weight 8     node 9: the same     together: end of the loop, weight 16
//! ```
//!
//! A walk down finds the loops and calls around each node. Loops are sorted by the loop around them, so that a search finds the
//! outermost loop of a use that does not contain the declaration. Uses are sorted by variable, and a segmented reduction joins their facts.

use treepar::backend::Offsets;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, NodeId, Nodes};

/// The statements and expressions around a node.
#[device]
pub struct Around {
    /// The innermost node here or above that is not the first operand of the node around it. Values of operands before it wait.
    waits: u32,
    /// The innermost loop around whose trips repeat the node, [`NO_NODE`] outside of loops. The number of iterations of a `for` is
    /// outside.
    innermost: u32,
    /// The innermost loop that contains the node.
    within: u32,
    /// Bit 0: a call is around. Bit 1: this part may not run, and is not in a block there. From bit 2 on: the number of loops around.
    pub flags: u32,
    /// The node directly around, [`NO_NODE`] for a root.
    pub parent: u32,
    /// The first node after the node and all that it contains.
    pub end: u32,
}

/// In [`Around::flags`].
pub const IN_CALL: u32 = 1;
pub const MAY_NOT_RUN: u32 = 2;
const LOOP: u32 = 4;

#[device(walk_down)]
fn surroundings(i: NodeId, above: Around, nodes: &Nodes, parents: &[u32], ends: &[u32]) -> Around {
    let parent = parents[i.index()];
    let end = ends[i.index()];
    if parent == NO_NODE {
        return Around { waits: i.get(), innermost: NO_NODE, within: NO_NODE, flags: 0, parent, end };
    }
    let own = nodes.kind[i];
    let p = NodeId::new(parent);
    let kind = nodes.kind[p];
    let is_first = i.get() == parent + 1;
    let waits = !is_first & (kind.has_two_operands() | (kind == Kind::Call));
    let in_loop = kind.is_loop() & (own != Kind::Count);
    let branches = !is_first & ((kind == Kind::If) | (kind == Kind::IfElse) | (kind == Kind::Choose));
    let mut flags = above.flags + LOOP * in_loop as u32;
    if kind.is_call(nodes.ty[p]) {
        flags |= IN_CALL;
    }
    if branches {
        flags |= MAY_NOT_RUN;
    }
    if own == Kind::Block {
        flags &= !MAY_NOT_RUN;
    }
    Around {
        waits: if waits { i.get() } else { above.waits },
        innermost: if in_loop { parent } else { above.innermost },
        within: if kind.is_loop() { parent } else { above.within },
        flags,
        parent,
        end,
    }
}

/// The facts about some uses of a variable.
#[device]
pub struct Used {
    /// The first node after them.
    pub end: u32,
    /// Their weight.
    pub weight: u32,
    /// 1 if the variable stays in the frame.
    pub stays: u32,
    /// 1 if one of them may depend on the bits of a NaN.
    pub shows_nan: u32,
}

/// The greatest weight.
const MOST_WEIGHT: u32 = 1 << 28;

#[device(monoid(identity = Used { end: 0, weight: 0, stays: 0, shows_nan: 0 }))]
fn together(a: Used, b: Used) -> Used {
    Used {
        end: a.end.max(b.end),
        weight: (a.weight + b.weight).min(MOST_WEIGHT),
        stays: a.stays | b.stays,
        shows_nan: a.shows_nan | b.shows_nan,
    }
}

#[device(compact)]
fn is_use(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_variable()
}

#[device(compact)]
fn is_loop(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_loop()
}

/// An index of a use of a variable, in the order of variables.
#[device(index)]
pub struct UseId(u32);

/// A use of a variable.
#[device(columns(Uses, index = UseId))]
struct Use {
    node: u32,
    /// The declaration.
    variable: u32,
}

/// An index of a loop.
#[device(index)]
pub struct LoopId(u32);

/// A loop, in the order of the loops around.
#[device(columns(Loops, index = LoopId))]
struct Loop {
    node: u32,
    /// One more than the loop that contains it, 0 if there is none. Loops with the same number have nothing in common.
    outer: u32,
}

/// Returns the variable of use `k`.
#[device(map)]
fn variable(k: usize, uses: &[u32], nodes: &Nodes) -> u32 {
    nodes.data[NodeId::new(uses[k])]
}

/// Returns one more than the loop that contains loop `k`, 0 if there is none.
#[device(map)]
fn loop_around(k: usize, loops: &[u32], around: &[Around]) -> u32 {
    around[loops[k] as usize].within.wrapping_add(1)
}

/// Returns the number of rows below `limit` in a rising column.
#[device]
pub fn rows_below(column: &[u32], limit: u32) -> u32 {
    let mut low = 0usize;
    let mut high = column.len();
    while low < high {
        let middle = (low + high) / 2;
        if column[middle] < limit {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as u32
}

/// Returns the first use of declaration `v`.
#[device(map)]
fn first_use(v: usize, declarations: &[u32], variables: &[u32]) -> u32 {
    rows_below(variables, declarations[v])
}

/// Returns the end of the row that takes the value of node `u`.
#[device]
pub fn taken(u: NodeId, nodes: &Nodes, around: &[Around]) -> u32 {
    let parent = around[u.index()].parent;
    // A check has the value of its first operand.
    let is_checked = nodes.kind[NodeId::new(parent)].is_check() & (u.get() == parent + 1);
    let above = if is_checked { around[parent as usize].parent } else { parent };
    // All arguments of a call move together.
    let is_argument = nodes.kind[NodeId::new(above)] == Kind::Arg;
    let user = if is_argument { around[above as usize].parent } else { above };
    around[user as usize].end
}

/// Returns the end of the outermost loop around node `u` that is in the loop `outside`, 0 if `u` is in no further loop.
#[device]
fn loop_end(u: u32, outside: u32, loops: &Loops, around: &[Around]) -> u32 {
    let key = outside.wrapping_add(1);
    let mut low = 0usize;
    let mut high = loops.node.len();
    while low < high {
        let middle = (low + high) / 2;
        let l = LoopId::new(middle as u32);
        if (loops.outer[l] < key) | ((loops.outer[l] == key) & (loops.node[l] <= u)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low == 0 {
        return 0;
    }
    let last = LoopId::new(low as u32 - 1);
    if loops.outer[last] != key {
        return 0;
    }
    let end = around[loops.node[last] as usize].end;
    if end > u { end } else { 0 }
}

/// Returns the facts that a use shows.
#[device(segmented_scan(together))]
fn used(k: UseId, uses: &Uses, loops: &Loops, nodes: &Nodes, hops: &[u32], around: &[Around]) -> Used {
    let u = NodeId::new(uses.node[k]);
    let v = NodeId::new(uses.variable[k]);
    let kind = nodes.kind[u];
    let here = around[u.index()];
    let outside = around[v.index()].innermost;
    let taken = taken(u, nodes, around);
    let in_loop = if here.innermost == outside { 0 } else { loop_end(u.get(), outside, loops, around) };
    let is_overwritten = (kind == Kind::Assign) & (here.waits > v.get());
    let reaches_out = (hops[u.index()] > 0) | (kind == Kind::Address);
    Used {
        end: taken.max(in_loop),
        weight: 1 << (3 * (here.flags / LOOP).min(6)),
        stays: (is_overwritten | reaches_out) as u32,
        shows_nan: shows_nan(u, nodes, around) as u32,
    }
}

/// Returns whether the node around node `u` may depend on the bits of its value if that is NaN. A statement does not use the value of
/// an assignment.
#[device]
pub fn shows_nan(u: NodeId, nodes: &Nodes, around: &[Around]) -> bool {
    let parent = NodeId::new(around[u.index()].parent);
    let above = nodes.kind[parent];
    let is_statement =
        (above == Kind::Expression) & ((nodes.kind[u] == Kind::Assign) | (nodes.kind[u] == Kind::Declare));
    !(above.ignores_nan_bits(nodes.ty[parent]) | is_statement)
}

/// Returns the statements and expressions around each node.
pub fn around<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<B::Vec<Around>> {
    let Lifted { nodes, structure, .. } = lifted;
    let top = Around { waits: 0, innermost: NO_NODE, within: NO_NODE, flags: 0, parent: NO_NODE, end: 0 };
    let surroundings = surroundings::of(nodes, structure.parent.column(), &structure.end);
    backend.walk_down(&structure.parent, top, surroundings)
}

/// Returns the facts about the uses of each declared variable.
pub fn used_of<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    around: &B::Vec<Around>,
    declarations: &B::Vec<u32>,
) -> Result<B::Vec<Used>> {
    let Lifted { nodes, hops, .. } = lifted;
    let uses = backend.compact(is_use::of(nodes))?;
    let loops = backend.compact(is_loop::of(nodes))?;
    let (outer, loops) = backend.sort_by_key(&backend.map(loop_around::of(&loops, around))?, &loops)?;
    let loops: Loops<B> = Loops { node: loops, outer };
    let (variables, uses) = backend.sort_by_key(&backend.map(variable::of(&uses, nodes))?, &uses)?;
    let uses: Uses<B> = Uses { node: uses, variable: variables };
    let first = backend.map(first_use::of(declarations, &uses.variable))?;
    let first = Offsets::assume(backend, &first, uses.node.len())?;
    backend.segmented_reduce_from(&first, used::of(&uses, &loops, nodes, hops, around), together)
}
