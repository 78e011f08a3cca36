//! The innermost block around each declaration and function, or the innermost function around each `return`.
//!
//! ```text
//! nodes    0 {    1 x    2 {    3 x    4 }5 x           blocks 0 (up to node 5) and 2 (up to node 3)
//! reach    end 6  1      end 4  3         5             a block reaches to its end, other nodes to themselves
//! around   none   0      0      2         0             the last earlier row that reaches further
//! ```
//!
//! The blocks around a node are the earlier blocks that end after it. They are nested, so the last of them is the innermost.
//! With complements of ends as keys, it is the previous smaller key. A function is a block from its HEADER to its end, so
//! that its own node is outside. No step walks the tree.
//!
//! Cost: work O(n), one compact, two maps and one search; 1 byte per node, 24 per row.
//! Source: nearest smaller values (Berkman, Schieber, Vishkin 1993).

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::meaning::Enclosed;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::SyntaxNodes;

#[device(compact)]
fn is_member(i: NodeId, nodes: &SyntaxNodes, members: Kinds) -> bool {
    members.contains(nodes.kind[i])
}

/// Returns the complement of the end of a block, and of the index of another node.
#[device(map)]
fn reach(r: usize, rows: &[u32], nodes: &SyntaxNodes) -> u32 {
    let node = NodeId::new(rows[r]);
    let kind = nodes.kind[node];
    let end = if kind == Kind::Block {
        nodes.end[node]
    } else if kind == Kind::Header {
        nodes.end[node.minus(1)]
    } else {
        node.get()
    };
    !end
}

/// Returns the node around row `r`.
#[device(map)]
fn around(r: usize, previous: &[u32], rows: &[u32]) -> u32 {
    let block = previous[r];
    if block == u32::MAX { u32::MAX } else { rows[block as usize] }
}

/// Finds the innermost BLOCK or HEADER around each node of the kinds `members`, among those that are members.
pub fn enclose<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>, members: Kinds) -> Result<Enclosed<B>> {
    let rows = backend.compact(is_member::of(nodes, members))?;
    let keys = backend.map(reach::of(&rows, nodes))?;
    let previous = backend.previous_smaller(&keys)?.into_column();
    let around = backend.map(around::of(&previous, &rows))?;
    Ok(Enclosed { nodes: rows, around })
}
