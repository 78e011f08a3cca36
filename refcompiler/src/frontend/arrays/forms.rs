//! Forms of arrays that are written as calls: indices of variables, `size`, `replicate`, `iota`, `copy` and `concat`.
//!
//! ```text
//! program  a[f[x]] + iota[3]          a: no function
//! kind     add  call arg  call arg x  call      arg  3
//! becomes  add  name use  call arg x  sequence  load 3
//! ```
//!
//! Cost: work O(n + m log n) for m functions and calls: the search of [`callees`](crate::frontend::callees), one map over nodes.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::meaning::{CallId, Calls};
use crate::ir::nodes::NodeId;
use crate::ir::scopes::bracket_of;
use crate::ir::syntax::{BARE_LISTS, Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::{TokenId, TokenKind};
use crate::ir::tree::runtime;

/// No function.
const NONE: u32 = u32::MAX;

/// Returns the kind of a call of a function of the runtime.
#[device]
fn kind_of_call(function: u32) -> Kind {
    if function == runtime::SIZE {
        return Kind::Size;
    }
    if function == runtime::REPLICATE {
        return Kind::Replicate;
    }
    let builds = function == runtime::IOTA || function == runtime::COPY || function == runtime::CONCAT;
    if builds { Kind::Sequence } else { Kind::Call }
}

/// Returns the node of row `r`, `NONE` if it is not a call; the kind of the call; and its name if it is a form of arrays, else `NONE`.
/// `variables` has `NONE` for each call that cannot be an index.
#[device(map)]
fn form(
    r: CallId,
    calls: &Calls,
    nodes: &SyntaxNodes,
    tokens: &SyntaxTokens,
    library: &[u32],
    variables: &[u32],
) -> (u32, Kind, u32) {
    let node = NodeId::new(calls.node[r]);
    if nodes.kind[node] != Kind::Call {
        return (NONE, Kind::Call, NONE);
    }
    let name = (calls.key[r] >> 32) as u32;
    let found = calls.previous[r];
    let bracket = nodes.token[node].plus(1);
    let is_bracket = tokens.class[bracket] == Class::CallBracket;
    let is_target = is_bracket && tokens.class[TokenId::new(tokens.next[bracket]).plus(1)] == Class::Update;
    if found != NONE && (calls.key[CallId::new(found)] >> 32) as u32 == name {
        // An update without an array is refused with the types.
        return if is_target { (node.get(), Kind::Update, NONE) } else { (NONE, Kind::Call, NONE) };
    }
    let function = library[name as usize];
    if function != NONE {
        let kind = if is_target { Kind::Update } else { kind_of_call(function) };
        return (node.get(), kind, if kind == Kind::Call || is_target { NONE } else { name });
    }
    if !is_bracket {
        return (NONE, Kind::Call, NONE);
    }
    if is_target {
        return (node.get(), Kind::Assign, name);
    }
    if variables[node.index()] == NONE { (NONE, Kind::Call, NONE) } else { (node.get(), Kind::Name, name) }
}

/// Returns whether node `i` is the literal that is the second and last argument of a `size`.
#[device]
fn is_dimension(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    let t = nodes.token[i];
    if nodes.kind[i] != Kind::Literal || tokens.kind[t] != TokenKind::Int || i.get() < 3 {
        return false;
    }
    let argument = i.minus(1);
    if nodes.kind[argument] != Kind::Arg || nodes.end[argument] != i.get() + 1 {
        return false;
    }
    let bracket = bracket_of(nodes.token[argument].minus(1), tokens);
    if BARE_LISTS.contains(tokens.class[bracket]) {
        return false;
    }
    let call = NodeId::new(tokens.node[bracket.minus(1)]);
    nodes.kind[call] == Kind::Size
        && nodes.end[call.plus(1)] == argument.get()
        && nodes.end[call] == nodes.end[argument]
}

/// Returns the kind of node `i` until the tree is rebuilt.
#[device(map)]
fn marked(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> Kind {
    let kind = nodes.kind[i];
    if is_dimension(i, nodes, tokens) {
        return Kind::Store;
    }
    if kind != Kind::Arg {
        return kind;
    }
    let before = nodes.token[i].minus(1);
    let bracket = bracket_of(before, tokens);
    if BARE_LISTS.contains(tokens.class[bracket]) {
        return Kind::Address;
    }
    let form = nodes.kind[NodeId::new(tokens.node[bracket.minus(1)])];
    if form == Kind::Call || form == Kind::Update {
        return Kind::Arg;
    }
    if form == Kind::Sequence {
        return Kind::Load;
    }
    let is_index = form == Kind::Name || form == Kind::Assign;
    if is_index && before.get() == bracket.get() { Kind::Use } else { Kind::Address }
}

/// Returns the name of a row and 1.
#[device(accumulate)]
fn name(r: usize, names: &[u32]) -> (u32, u32) {
    (names[r], 1)
}

/// Gives the calls that are forms of arrays, and their arguments, the kinds that they have until the tree is rebuilt. `library` has
/// the function of the runtime with each name. Names of functions of other parts are taken for names of variables, unless `variables`
/// has no declaration of them. Returns how many forms have each name.
pub fn mark_forms<B: Backend>(
    backend: &B,
    calls: &Calls<B>,
    nodes: &mut SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    (library, variables): (&B::Vec<u32>, &B::Vec<u32>),
) -> Result<B::Vec<u32>> {
    let (rows, kinds, names) = backend.map(form::of(calls, nodes, tokens, library, variables).rows(calls.len()))?;
    backend.scatter(&mut nodes.kind, &rows, &kinds)?;
    nodes.kind = backend.map(marked::of(nodes, tokens))?;
    let mut formed = backend.filled(library.len(), 0)?;
    backend.accumulate(&mut formed, name::of(&names))?;
    Ok(formed)
}
