//! Copies of a device function in a kernel: rows that a thread computes together, for small functions only.
//!
//! Each row that a thread computes before it waits is a copy of the function in the code. A driver takes time in
//! proportion to the code that it assembles, or worse, and registers are few. So the size of a function, in nodes of its
//! tree with its callees, limits the copies.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use treepar_device::Def;
use treepar_device::tree::{Node, Ty};
use treepar_device::types::Type;
use treepar_kernels::tuning;

use crate::shell::layout;

/// Calls within calls that are counted. A cycle of methods has no end, and no translation.
const DEEPEST: usize = 32;

/// Returns the rows per thread of `map` and its kin for a function.
pub fn map_items(function: &'static Def) -> u32 {
    at_once(function, tuning::map_items(layout(&function.output).0))
}

/// Returns the rows per thread of `expand` for a function.
pub fn expand_items(function: &'static Def) -> u32 {
    at_once(function, tuning::EXPAND_ITEMS)
}

/// Returns the rows that a thread computes together, where it has `items`: all of them, or a half, a quarter and so on of a
/// power of two.
pub fn at_once(function: &'static Def, items: u32) -> u32 {
    let nodes = nodes(function);
    let mut rows = items;
    while rows > 1 && nodes * rows as usize > tuning::NODES_AT_ONCE {
        rows /= 2;
    }
    rows
}

/// Returns the nodes of a function's tree and of its callees, once per call.
fn nodes(function: &'static Def) -> usize {
    count(function, DEEPEST)
}

fn count(function: &'static Def, depth: usize) -> usize {
    let Some(deeper) = depth.checked_sub(1) else { return 0 };
    let Size { nodes, callees } = size(function);
    callees.iter().fold(*nodes, |sum, callee| sum.saturating_add(count(callee, deeper)))
}

/// The size of a function.
struct Size {
    /// The nodes of its tree.
    nodes: usize,
    /// The functions that it calls, each as often as it does.
    callees: Vec<&'static Def>,
}

/// Returns the size of a function. Its tree is read once.
fn size(function: &'static Def) -> &'static Size {
    static KNOWN: OnceLock<Mutex<HashMap<usize, &Size>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    // A function is never freed, so neither is its size.
    known.entry(std::ptr::from_ref(function) as usize).or_insert_with(|| Box::leak(Box::new(read_size(function))))
}

fn read_size(function: &'static Def) -> Size {
    // A function without a tree has no translation, which is reported there.
    let body = function.body.decode().unwrap_or_default();
    let called = |node: &Node| match *node {
        Node::Call(called, _) => Some(function.calls[called as usize]),
        Node::Associated(Ty::Named(ty), name, _) => function.types[ty as usize].method(body.name(name)),
        // The receiver's type is not known here: a type that the function names, or takes.
        Node::Method(_, name, _) => {
            let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
            let method = |ty: &Type| ty.method(body.name(name));
            function.types.iter().chain(parameters).find_map(method)
        }
        _ => None,
    };
    Size { nodes: body.nodes.len(), callees: body.nodes.iter().filter_map(called).collect() }
}
