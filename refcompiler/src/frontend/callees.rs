//! Functions: each call finds the function that it calls.
//!
//! ```text
//! program   fn f[] { f[]; { g[]; fn g[] { } } }   fn g[] { f[]; }
//! begins    f: 0     f: own   g: own  g: `{`      g: 0     f: own    a function is visible in all its block
//! reaches   f: end   f: own   g: own  g: `}`      g: end   f: own
//! sorted    f: 0 end, own, own        g: 0 end, `{` `}`, own         by name, then by the first token
//! finds           f    f                                 nested g
//! ```
//!
//! Of the functions of its name that begin before a call and reach beyond it, the last is the innermost. With complements
//! as keys it is the previous smaller key. A name that finds no function can be one of the runtime or of another part of
//! the program: `library` knows. Functions with
//! equal keys are in one block, which is an error. An `extern` that repeats a name is left to the sequential front end.
//!
//! Cost: work O(m log n) for m functions and calls: one sort of 64-bit keys, one search, 4 maps.
//! Source: nearest smaller values (Berkman, Schieber, Vishkin 1993).

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::kinds::Kind;
use crate::ir::meaning::Bindings;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::{Syntax, SyntaxNodes};
use crate::ir::tokens::Tokens;

/// An index of a sorted row.
#[device(index)]
struct RowId(u32);

/// No row and no node.
const NONE: u32 = u32::MAX;

/// Returns whether node `i` has the name of a function. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn has_function(i: NodeId, nodes: &SyntaxNodes) -> bool {
    (nodes.kind[i] == Kind::Function) | (nodes.kind[i] == Kind::Extern) | (nodes.kind[i] == Kind::Call)
}

/// Returns the name of row `r` and the first token where it is visible. `scope` is the block of a function, `NONE` at top
/// level.
#[device(map)]
fn begin(r: usize, rows: &[u32], nodes: &SyntaxNodes, tokens: &Tokens, scope: &[u32]) -> u64 {
    let node = NodeId::new(rows[r]);
    let token = nodes.token[node];
    let mut first = token.get();
    if nodes.kind[node] != Kind::Call {
        first = 0;
        if nodes.depth[node] > 0 {
            first = nodes.token[NodeId::new(scope[node.index()])].get();
        }
    }
    (tokens.value[token] as u64) << 32 | first as u64
}

/// The nodes with the name of a function, sorted by key.
#[device(columns(Sorted, index = RowId))]
struct Row {
    /// The name in the high half, and the first token where the name is visible.
    key: u64,
    /// The node.
    node: u32,
}

/// Returns the complement of the last token that row `r` reaches.
#[device(map)]
fn reach(r: RowId, rows: &Sorted, nodes: &SyntaxNodes, next: &[u32]) -> u32 {
    let node = NodeId::new(rows.node[r]);
    let first = rows.key[r] as u32;
    if nodes.kind[node] == Kind::Call {
        return !first;
    }
    if nodes.depth[node] > 0 { !next[first as usize] } else { 0 }
}

/// Returns the node of row `r` if it is a call, else `NONE`, and the id of its function, `NONE` if there is none.
#[device(map)]
fn callee(r: RowId, rows: &Sorted, previous: &[u32], nodes: &SyntaxNodes, ids: &[u32], library: &[u32]) -> (u32, u32) {
    let node = rows.node[r];
    if nodes.kind[NodeId::new(node)] != Kind::Call {
        return (NONE, NONE);
    }
    let name = (rows.key[r] >> 32) as u32;
    let found = previous[r.index()];
    if found == NONE || (rows.key[RowId::new(found)] >> 32) as u32 != name {
        return (node, library[name as usize]);
    }
    (node, ids[rows.node[RowId::new(found)] as usize])
}

/// Returns whether row `r` has the key of the row before it.
#[device]
fn repeats(r: RowId, rows: &Sorted) -> bool {
    r.get() > 0 && rows.key[r] == rows.key[r.minus(1)]
}

/// Returns 1 for a call without a function, and for a second function of a name in one block.
#[device(reduce(Sum))]
fn error(r: RowId, calls: &[u32], callees: &[u32], rows: &Sorted, nodes: &SyntaxNodes) -> u32 {
    if calls[r.index()] != NONE {
        return (callees[r.index()] == NONE) as u32;
    }
    if !repeats(r, rows) {
        return 0;
    }
    let is_function = nodes.kind[NodeId::new(rows.node[r])] == Kind::Function;
    (is_function && nodes.kind[NodeId::new(rows.node[r.minus(1)])] == Kind::Function) as u32
}

/// Returns 1 for an `extern` that repeats a name. The definition of the name may follow it.
#[device(reduce(Sum))]
fn unsure(r: RowId, rows: &Sorted, nodes: &SyntaxNodes) -> u32 {
    if !repeats(r, rows) {
        return 0;
    }
    let is_extern = nodes.kind[NodeId::new(rows.node[r])] == Kind::Extern;
    (is_extern || nodes.kind[NodeId::new(rows.node[r.minus(1)])] == Kind::Extern) as u32
}

/// Finds the function of each call. `scope` has the block of each function, and `ids` its id. `library` has the function of
/// each name without a function here, `u32::MAX` if there is none.
pub fn callees<B: Backend>(
    backend: &B,
    syntax: &Syntax<B>,
    scope: &B::Vec<u32>,
    ids: &B::Vec<u32>,
    library: &B::Vec<u32>,
) -> Result<Bindings<B>> {
    let (tokens, nodes) = (&syntax.tokens, &syntax.parsed.nodes);
    let rows = backend.compact(has_function::of(nodes))?;
    let keys = backend.map(begin::of(&rows, nodes, tokens, scope))?;
    let (key, node) = backend.sort_by_key(&keys, &rows)?;
    let rows = Sorted { key, node };
    let reaches = backend.map(reach::of(&rows, nodes, &syntax.checked.next))?;
    let previous = backend.previous_smaller(&reaches)?.into_column();

    let (calls, data) = backend.map(callee::of(&rows, &previous, nodes, ids, library))?;
    let errors = backend.reduce(error::of(&calls, &data, &rows, nodes), Sum)?;
    let unsure = backend.reduce(unsure::of(&rows, nodes), Sum)?;
    Ok(Bindings { nodes: calls, data, errors, unsure })
}
