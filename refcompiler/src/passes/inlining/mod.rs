//! Inlining: calls of small functions become their bodies.
//!
//! ```text
//! fn mix[a: int, b: int]: int { var c = a * a;  return c + b; }
//!
//! mix[x, g[]]        CALL ARG x, ARG CALL g
//! becomes
//!                    SEQUENCE { var c = x * x;  c + CALL g }
//! ```
//!
//! A function is inlined if it is at top level, takes and returns numbers, has at most [`MOST_NODES`](library::MOST_NODES) nodes after
//! calls in it are inlined, and its body is declarations and one `return` without assignments. The `library` has these
//! functions, of all parts of a program. Functions that call themselves, directly or not, are not in it. The functions stay, since
//! objects export them.
//!
//! Arguments are evaluated once and in order:
//!
//! | argument | becomes |
//! |---|---|
//! | a literal, or a variable that no argument of the call writes | its copies in the body |
//! | another one, whose parameter has one use; see `sites` | the operand there |
//! | any other | a declaration before the body |
//!
//! All arguments stay in order and once each, so the new tree is a sequence of events as in `templates`: the rows of
//! a body come before the arguments in it, and after the last one.
//!
//! Cost: n nodes, m new ones: work O(n + m), and a fixed number of templates for each call in the longest chain of calls in the
//! library, up to [`ROUNDS`](library::ROUNDS). The caps bound m.
//! Source: L0 5.1.

pub mod library;
mod sites;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{FunctionId, Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::templates::{At, Plan, plan};
use library::{Bodies, Library, next_row, row_count};
use sites::{Callees, CalleesOn, Form, Sites, argument, inlined, sites, use_of};

/// The new position of nodes, and their new depth.
#[device(columns(Spots, index = NodeId))]
struct Spot {
    /// The first new node where it begins.
    begin: u32,
    /// The first new node where its subtree ends.
    end: u32,
    /// The depth.
    depth: u32,
}

#[device(compact)]
fn is_inlined(i: NodeId, nodes: &Nodes, bodies: &Bodies) -> bool {
    !inlined(i, nodes, bodies).is_none()
}

/// Returns the contents of the events where a node begins and where its subtree ends.
#[device(map)]
fn contents(i: NodeId, sites: &Sites) -> (u64, u64) {
    let node = (i.get() << 1) as u64;
    ((sites.begins[i] as u64) << 32 | node, (sites.ends[i] as u64) << 32 | node | 1)
}

#[device(map)]
fn spot(i: NodeId, begin: &[u32], end: &[u32], offsets: &[u32], depth: &[u32]) -> Spot {
    Spot { begin: offsets[begin[i.index()] as usize], end: offsets[end[i.index()] as usize], depth: depth[i.index()] }
}

/// A part with calls.
#[device(tables)]
struct Callers {
    nodes: &Nodes,
    parent: &[u32],
    sites: &Sites,
    spots: &Spots,
}

/// Returns the new position of a row of the body that replaces a call.
#[device]
fn position(row: u32, call: NodeId, callers: &Callers, callees: &Callees) -> u32 {
    let function = FunctionId::new(callers.nodes.data[call]);
    let split = callees.bodies.split[function];
    let mut from = callees.bodies.first[function];
    let mut at = call.plus(1);
    while at.get() < callers.sites.close[call] {
        if callers.sites.form[at] == Form::Direct {
            let used = use_of(at, function, callers.nodes, callees);
            if row < used {
                return callers.spots.begin[at] + row_count(from, row, split);
            }
            from = used + 1;
        }
        at = NodeId::new(callers.sites.close[at]);
    }
    callers.spots.end[call] + row_count(from, row, split)
}

/// Returns an old node with its new data.
#[device]
fn kept(i: NodeId, depth: u32, callers: &Callers) -> Node {
    let kind = callers.nodes.kind[i];
    let data = callers.nodes.data[i];
    Node {
        depth,
        kind,
        ty: callers.nodes.ty[i],
        data: if kind.is_variable() { callers.spots.begin[NodeId::new(data)] } else { data },
    }
}

/// Returns a row of the body that replaces a call.
#[device]
fn of_body(row: NodeId, call: NodeId, callers: &Callers, callees: &Callees) -> Node {
    let function = FunctionId::new(callers.nodes.data[call]);
    let around = callers.spots.depth[call] + (callers.sites.form[call] == Form::CallInSequence) as u32;
    let above = if row.get() < callees.bodies.split[function] { 2 } else { 3 };
    let depth = around + callees.rows.depth[row] - above;
    let kind = callees.rows.kind[row];
    let mut data = callees.rows.data[row];
    if kind.is_variable() {
        let target = NodeId::new(data);
        if callees.rows.kind[target] == Kind::Param {
            let at = argument(call, target.get() - callees.bodies.params[function], callers.sites);
            if callers.sites.form[at] == Form::Gone {
                return kept(at.plus(1), depth, callers);
            }
            data = callers.spots.begin[at] + 1;
        } else {
            data = position(data, call, callers, callees);
        }
    }
    Node { depth, kind, ty: callees.rows.ty[row], data }
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn gathered(e: usize, k: usize, events: &[u64], callers: &Callers, callees: &Callees) -> Node {
    let event = events[e] as u32;
    let i = NodeId::new(event >> 1);
    let depth = callers.spots.depth[i];
    let form = callers.sites.form[i];
    let ends = event & 1 == 1;
    if !ends & (form == Form::Plain) {
        return kept(i, depth, callers);
    }
    if !ends & (form == Form::CallInSequence) {
        return Node { depth, kind: Kind::Sequence, ty: callers.nodes.ty[i], data: 0 };
    }
    if form == Form::Bound {
        return if k == 0 {
            Node { depth: depth - 1, kind: Kind::Expression, ty: Type::Void, data: 0 }
        } else {
            Node { depth, kind: Kind::Declare, ty: callers.nodes.ty[i], data: 0 }
        };
    }
    let call = if ends { i } else { NodeId::new(callers.parent[i.index()]) };
    let function = FunctionId::new(callers.nodes.data[call]);
    let row = next_row(callers.sites.row[i], k as u32, callees.bodies.split[function]);
    of_body(NodeId::new(row), call, callers, callees)
}

/// Returns the old node whose position new node `k` of event `e` has: the call, for a row of a body.
#[device(expand)]
fn owner(e: usize, _k: usize, events: &[u64], parent: &[u32], sites: &Sites) -> u32 {
    let event = events[e] as u32;
    let i = NodeId::new(event >> 1);
    let is_row = (event & 1 == 0) & (sites.form[i] == Form::Direct);
    if is_row { parent[i.index()] } else { i.get() }
}

/// Replaces calls of functions of a library by their bodies. The nodes are a part of the program, or the library's.
fn replaced<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    library: &Library<B>,
    effects: &Effects<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let Library { bodies, uses, nodes: rows } = library;
    let callees = CalleesOn { bodies, uses, rows };
    let n = nodes.len();
    if backend.compact(is_inlined::of(&nodes, bodies).rows(n))?.is_empty() {
        return Ok(nodes);
    }
    let (parents, close) = backend.nearest_smaller(&nodes.depth)?;
    let parent = parents.column().try_clone()?;
    let at = At::new(backend, &nodes.depth, &close)?;
    let sites = sites(backend, &nodes, (&parent, close), &callees, effects)?;
    let (plan, depth) = plan(backend, &parents, &at, backend.map(contents::of(&sites))?, &sites.step)?;
    let spots: Spots<B> = backend.map(spot::of(&at.begin, &at.end, &plan.offsets, &depth).rows(n))?;
    let Plan { events, offsets, total } = plan;
    let callers = CallersOn { nodes: &nodes, parent: &parent, sites: &sites, spots: &spots };
    let gathered = gathered::of(&events, &callers, &callees);
    let offsets = Offsets::assume(backend, &offsets, total)?;
    positions.follow(backend, || backend.expand_from(&offsets, owner::of(&events, &parent, &sites)))?;
    backend.expand_from(&offsets, gathered)
}

/// Inlines the functions of a library in a part of a program. The code of a body has the position of its call.
///
/// # Errors
/// Only errors of the backend.
pub fn inlining<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    library: &Library<B>,
    effects: &Effects<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    if library.nodes.is_empty() {
        return Ok(nodes);
    }
    replaced(backend, nodes, library, effects, positions)
}
