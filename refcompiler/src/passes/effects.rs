//! The effects of the functions of a program.
//!
//! ```text
//! fn f[x: int]: int { return g[x] + 1; }     heads     f: at top level, takes no unique array
//! fn g[x: int]: int { print_int[x]; .. }     locals    f: pure but for its calls      calls     f calls g
//!                                            pure      f: no, because g may not be
//! ```
//!
//! Everything but the last line is in the part of the program that has the function. So parts are read without each other, and only
//! these small tables are put together.
//!
//! Cost: n nodes in parts, and f functions with c calls: work O(n + f + c), a fixed number of templates.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Element, Result};

use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::COUNT;

/// The kinds that a pure function may have besides pure values: statements that write its own variables. Loops may not end.
const STATEMENTS: Kinds = Kinds::of(&[
    Kind::Function,
    Kind::Header,
    Kind::Param,
    Kind::Block,
    Kind::Empty,
    Kind::Expression,
    Kind::Return,
    Kind::If,
    Kind::IfElse,
    Kind::Declare,
    Kind::Assign,
    Kind::Call,
    Kind::Arg,
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
]);

/// The longest chain of calls in a function that is known to be pure.
const CALLS: u32 = 8;

/// One root in a count of roots and impure nodes.
const ROOT: u64 = 1 << 32;

/// An index of a function of a part.
#[device(index)]
struct HeadId(u32);

/// The facts that the head of a function shows.
#[device(columns(Heads, index = HeadId))]
struct Head {
    /// The id.
    id: u32,
    /// 1 for a nested function.
    is_nested: u32,
    /// 1 if a parameter is unique.
    is_unique: u32,
}

/// An index of a function at top level of a part.
#[device(index)]
struct LocalId(u32);

/// The facts that the nodes of a function at top level show.
#[device(columns(Locals, index = LocalId))]
struct Local {
    /// The id, [`NO_NODE`] for a function of C.
    id: u32,
    /// 1 if all its nodes but calls are pure.
    is_pure: u32,
}

/// An index of a call in a function whose nodes are pure.
#[device(index)]
struct CallId(u32);

/// A call, by the ids of two functions.
#[device(columns(Calls, index = CallId))]
struct Call {
    /// The function around the call.
    caller: u32,
    /// The called one.
    callee: u32,
}

/// The facts about the functions of a part that its nodes show.
pub struct Own<B: Backend> {
    heads: Heads<B>,
    locals: Locals<B>,
    calls: Calls<B>,
}

#[device(compact)]
fn is_function(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_function()
}

#[device(compact)]
fn is_root(i: NodeId, nodes: &Nodes) -> bool {
    nodes.depth[i] == 0
}

#[device(map)]
fn head(f: usize, functions: &[u32], nodes: &Nodes) -> Head {
    let function = NodeId::new(functions[f]);
    let mut is_unique = 0;
    let mut next = function.index() + 1;
    while next < nodes.len()
        && ((nodes.kind[NodeId::new(next as u32)] == Kind::Header)
            | (nodes.kind[NodeId::new(next as u32)] == Kind::Param))
    {
        let i = NodeId::new(next as u32);
        is_unique |= ((nodes.kind[i] == Kind::Param) & (nodes.data[i] == 1)) as u32;
        next += 1;
    }
    let is_nested = (nodes.kind[function] == Kind::Function) & (nodes.depth[function] > 0);
    Head { id: nodes.data[function], is_nested: is_nested as u32, is_unique }
}

/// Returns [`ROOT`] for a root, and 1 for a node that no pure function has.
#[device(scan(Sum))]
fn root_or_impure(i: NodeId, nodes: &Nodes) -> u64 {
    let kind = nodes.kind[i];
    let ty = nodes.ty[i];
    let is_number = (ty == Type::Int) | (ty == Type::Float);
    let is_root = nodes.depth[i] == 0;
    let is_plain = (kind.is_pure() & (kind != Kind::Address)) | STATEMENTS.contains(kind);
    let is_nested = (kind == Kind::Function) & !is_root;
    let is_pure = is_plain & (is_number | (ty == Type::Void)) & !is_nested;
    is_root as u64 * ROOT + !is_pure as u64
}

/// Returns the facts about a function at top level. `counts` are the sums of [`root_or_impure`] up to each node.
#[device(map)]
fn local(f: usize, roots: &[u32], nodes: &Nodes, counts: &[u64]) -> Local {
    let root = roots[f];
    let end = if f + 1 < roots.len() { roots[f + 1] as usize } else { nodes.len() };
    let before = if root == 0 { 0 } else { counts[root as usize - 1] as u32 };
    let is_pure = counts[end - 1] as u32 == before;
    let is_of_par = nodes.kind[NodeId::new(root)] == Kind::Function;
    Local { id: if is_of_par { nodes.data[NodeId::new(root)] } else { NO_NODE }, is_pure: is_pure as u32 }
}

/// Returns the function at top level around a node.
#[device]
fn around(i: NodeId, counts: &[u64]) -> LocalId {
    LocalId::new((counts[i.index()] / ROOT) as u32 - 1)
}

/// Returns whether a node is a call in a function whose other nodes are pure, of one that may not be.
#[device(compact)]
fn matters(i: NodeId, nodes: &Nodes, counts: &[u64], locals: &Locals) -> bool {
    nodes.kind[i] == Kind::Call && !is_of_elements(nodes.data[i]) && locals.is_pure[around(i, counts)] == 1
}

#[device(map)]
fn call(c: usize, calls: &[u32], nodes: &Nodes, counts: &[u64], locals: &Locals) -> Call {
    let i = NodeId::new(calls[c]);
    Call { caller: locals.id[around(i, counts)], callee: nodes.data[i] }
}

/// Returns the facts about the functions of a part that its nodes show.
///
/// # Errors
/// Only errors of the backend.
pub fn own_effects<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Own<B>> {
    let n = nodes.len();
    let functions = backend.compact(is_function::of(nodes).rows(n))?;
    let heads: Heads<B> = backend.map(head::of(&functions, nodes).rows(functions.len()))?;
    let roots = backend.compact(is_root::of(nodes).rows(n))?;
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, root_or_impure::of(nodes).rows(n), Sum)?;
    let locals: Locals<B> = backend.map(local::of(&roots, nodes, &counts).rows(roots.len()))?;
    let calls = backend.compact(matters::of(nodes, &counts, &locals).rows(n))?;
    let calls = backend.map(call::of(&calls, nodes, &counts, &locals).rows(calls.len()))?;
    Ok(Own { heads, locals, calls })
}

/// Returns the id of a function, and 1.
#[device(accumulate)]
fn known(f: HeadId, heads: &Heads) -> (u32, u32) {
    (heads.id[f], 1)
}

#[device(accumulate)]
fn nested(f: HeadId, heads: &Heads) -> (u32, u32) {
    (heads.id[f], heads.is_nested[f])
}

#[device(accumulate)]
fn unique(f: HeadId, heads: &Heads) -> (u32, u32) {
    (heads.id[f], heads.is_unique[f])
}

#[device(map)]
fn is_any(f: usize, count: &[u32]) -> u32 {
    (count[f] > 0) as u32
}

/// Returns 1 for a function that may consume an argument. One of the program without a node may have any parameters.
#[device(map)]
fn may_consume(f: usize, known: &[u32], unique: &[u32]) -> u32 {
    (unique[f] > 0 || (known[f] == 0 && f as u32 >= COUNT)) as u32
}

/// Returns the function around a call, and 1 if the called one is not known to be pure.
#[device(accumulate)]
fn spoilt(c: CallId, calls: &Calls, is_pure: &[u32]) -> (u32, u32) {
    (calls.caller[c], (is_pure[calls.callee[c] as usize] == 0) as u32)
}

#[device(map)]
fn pure_so_far(f: usize, local: &[u32], spoilt: &[u32]) -> u32 {
    (local[f] == 1 && spoilt[f] == 0) as u32
}

/// Returns a column of all parts.
fn joined<'a, B: Backend, T: Element>(
    backend: &B,
    parts: &'a [Own<B>],
    column: impl Fn(&'a Own<B>) -> &'a B::Vec<T>,
) -> Result<B::Vec<T>> {
    backend.concat(&parts.iter().map(column).collect::<Vec<_>>())
}

/// Returns the effects of the `functions` functions of a program, which are in some parts. A function that calls itself, or has a
/// longer chain of calls than eight, is not pure.
///
/// # Errors
/// Only errors of the backend.
pub fn effects<B: Backend>(backend: &B, parts: &[Own<B>], functions: usize) -> Result<Effects<B>> {
    let heads = Heads {
        id: joined(backend, parts, |own| &own.heads.id)?,
        is_nested: joined(backend, parts, |own| &own.heads.is_nested)?,
        is_unique: joined(backend, parts, |own| &own.heads.is_unique)?,
    };
    let calls = Calls {
        caller: joined(backend, parts, |own| &own.calls.caller)?,
        callee: joined(backend, parts, |own| &own.calls.callee)?,
    };
    // With the functions between Par and C, two heads can have one id.
    let mut with_head = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut with_head, known::of(&heads))?;
    let mut is_nested = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut is_nested, nested::of(&heads))?;
    let is_nested = backend.map(is_any::of(&is_nested))?;
    let mut is_unique = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut is_unique, unique::of(&heads))?;
    let consumes = backend.map(may_consume::of(&with_head, &is_unique))?;

    let mut local = backend.filled(functions, 0u32)?;
    let ids = joined(backend, parts, |own| &own.locals.id)?;
    backend.scatter(&mut local, &ids, &joined(backend, parts, |own| &own.locals.is_pure)?)?;
    let mut is_pure = backend.filled(functions, 0u32)?;
    for _ in 0..CALLS {
        let mut spoilers = backend.filled(functions, 0u32)?;
        backend.accumulate(&mut spoilers, spoilt::of(&calls, &is_pure).rows(calls.caller.len()))?;
        is_pure = backend.map(pure_so_far::of(&local, &spoilers))?;
    }
    Ok(Effects { is_nested, consumes, is_pure })
}
