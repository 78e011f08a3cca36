//! The calls that are inlined, and where their arguments go.
//!
//! An argument can be the operand where its parameter is used if that is the only use, each evaluation of the body has it once, no call
//! with effects comes before it, and the same holds for all later arguments, whose uses come later in the body. Literals and variables
//! that are copied do not count.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::library::{Bodies, Uses, row_count};
use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::nodes::{FunctionId, NodeId, Nodes};

/// The values and statements that change a variable.
const WRITES: Kinds = Kinds::of(&[Kind::Assign, Kind::AssignField, Kind::Update, Kind::UpdateSlice]);

/// The form of a node.
#[device]
pub enum Form {
    /// A node that stays.
    Plain,
    /// An inlined call whose body is one value.
    Call,
    /// An inlined call that becomes a SEQUENCE.
    CallInSequence,
    /// An argument that becomes a declaration.
    Bound,
    /// An argument that becomes an operand in the body.
    Direct,
    /// An argument that the body copies, or the leaf in it.
    Gone,
}

/// Where nodes go.
#[device(columns(Sites, index = NodeId))]
pub struct Site {
    /// The form.
    pub form: Form,
    /// The end of the subtree.
    pub close: u32,
    /// The number of new nodes where it begins.
    pub begins: u32,
    /// The number of new nodes where its subtree ends.
    pub ends: u32,
    /// The first row of the library among them.
    pub row: u32,
    /// How much deeper it is than its parent.
    pub step: u32,
}

/// The functions of a library.
#[device(tables)]
pub struct Callees {
    pub bodies: &Bodies,
    pub uses: &Uses,
    /// Their nodes.
    pub rows: &Nodes,
}

/// Returns 1 for a node that may change a variable of the function around it.
#[device(scan(Sum))]
fn writes(i: NodeId, nodes: &Nodes, effects: &Effects) -> u32 {
    let kind = nodes.kind[i];
    let calls_nested = kind == Kind::Call && effects.is_nested[FunctionId::new(nodes.data[i])] == 1;
    (WRITES.contains(kind) | calls_nested) as u32
}

/// Returns the argument of a call with an index.
#[device]
pub fn argument(call: NodeId, index: u32, sites: &Sites) -> NodeId {
    let mut at = call.plus(1);
    let mut k = 0;
    while k < index {
        at = NodeId::new(sites.close[at]);
        k += 1;
    }
    at
}

/// Returns the only use of the parameter of an argument.
#[device]
pub fn use_of(at: NodeId, function: FunctionId, nodes: &Nodes, callees: &Callees) -> u32 {
    callees.uses.row[NodeId::new(callees.bodies.params[function] + nodes.data[at])]
}

/// Returns whether an argument is a leaf that the body copies. `counts` are writes before each node.
#[device]
fn is_copied(at: NodeId, call: NodeId, nodes: &Nodes, close: &[u32], counts: &[u32]) -> bool {
    let leaf = at.plus(1);
    let is_stable = counts[close[call.index()] as usize - 1] == counts[call.index()];
    let is_leaf = close[at.index()] == leaf.get() + 1;
    is_leaf && (nodes.kind[leaf] == Kind::Literal || (nodes.kind[leaf] == Kind::Name && is_stable))
}

/// Returns whether an argument that is not copied becomes an operand in the body.
#[device]
pub fn is_direct(at: NodeId, call: NodeId, nodes: &Nodes, close: &[u32], counts: &[u32], callees: &Callees) -> bool {
    let function = FunctionId::new(nodes.data[call]);
    let mut before = 0;
    let mut is_ordered = true;
    let mut other = at;
    while other.get() < close[call.index()] {
        if !is_copied(other, call, nodes, close, counts) {
            let used = use_of(other, function, nodes, callees);
            is_ordered &= (used != NO_NODE) & (used > before);
            before = used;
        }
        other = NodeId::new(close[other.index()]);
    }
    is_ordered
}

/// Returns the row of a body from which rows come after the operands of the arguments before `end`, and whether an argument there becomes a
/// declaration.
#[device]
fn rows_before(
    end: NodeId,
    call: NodeId,
    nodes: &Nodes,
    close: &[u32],
    counts: &[u32],
    callees: &Callees,
) -> (u32, bool) {
    let function = FunctionId::new(nodes.data[call]);
    let mut row = callees.bodies.first[function];
    let mut binds = false;
    let mut at = call.plus(1);
    while at.get() < end.get() {
        if !is_copied(at, call, nodes, close, counts) {
            if is_direct(at, call, nodes, close, counts, callees) {
                row = use_of(at, function, nodes, callees) + 1;
            } else {
                binds = true;
            }
        }
        at = NodeId::new(close[at.index()]);
    }
    (row, binds)
}

/// Returns the library's function that a node is a call of, `NONE` if it is none.
#[device]
pub fn inlined(i: NodeId, nodes: &Nodes, bodies: &Bodies) -> FunctionId {
    // Functions of numbers can also be called with arrays, whose elements they apply to.
    let is_call =
        !i.is_none() && nodes.kind[i] == Kind::Call && (nodes.ty[i] == Type::Int || nodes.ty[i] == Type::Float);
    let function = FunctionId::new(if is_call { nodes.data[i] } else { NO_NODE });
    if is_call && bodies.first[function] != NO_NODE { function } else { FunctionId::new(NO_NODE) }
}

/// Returns where a node goes.
#[device(map)]
fn site(i: NodeId, nodes: &Nodes, parent: &[u32], close: &[u32], counts: &[u32], callees: &Callees) -> Site {
    let own_close = close[i.index()];
    let plain = Site { form: Form::Plain, close: own_close, begins: 1, ends: 0, row: 0, step: 1 };
    let gone = Site { form: Form::Gone, close: own_close, begins: 0, ends: 0, row: 0, step: 1 };
    let above = NodeId::new(parent[i.index()]);
    let own = inlined(i, nodes, callees.bodies);
    if !own.is_none() {
        let (row, binds) = rows_before(NodeId::new(own_close), i, nodes, close, counts, callees);
        let declares = callees.bodies.first[own] < callees.bodies.split[own];
        let in_sequence = binds | declares;
        let form = if in_sequence { Form::CallInSequence } else { Form::Call };
        let ends = row_count(row, callees.bodies.end[own], callees.bodies.split[own]);
        return Site { form, close: own_close, begins: in_sequence as u32, ends, row, step: 1 };
    }
    if above.is_none() {
        return plain;
    }
    let function = inlined(above, nodes, callees.bodies);
    if !function.is_none() {
        if is_copied(i, above, nodes, close, counts) {
            return gone;
        }
        if !is_direct(i, above, nodes, close, counts, callees) {
            return Site { form: Form::Bound, close: own_close, begins: 2, ends: 0, row: 0, step: 2 };
        }
        let (row, _) = rows_before(i, above, nodes, close, counts, callees);
        let (_, binds) = rows_before(NodeId::new(close[above.index()]), above, nodes, close, counts, callees);
        let split = callees.bodies.split[function];
        let used = use_of(i, function, nodes, callees);
        let in_sequence = binds | (callees.bodies.first[function] < split);
        let levels = if used < split { 2 } else { 3 };
        // The value below is as deep as the use.
        let step = (callees.rows.depth[NodeId::new(used)] - levels + in_sequence as u32).wrapping_sub(1);
        return Site { form: Form::Direct, close: own_close, begins: row_count(row, used, split), ends: 0, row, step };
    }
    let call = NodeId::new(parent[above.index()]);
    let is_leaf = nodes.kind[above] == Kind::Arg && !inlined(call, nodes, callees.bodies).is_none();
    if is_leaf && is_copied(above, call, nodes, close, counts) { gone } else { plain }
}

/// Returns where the nodes of a part go, given their parents and the ends of their subtrees.
pub fn sites<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parent, close): (&B::Vec<u32>, B::Vec<u32>),
    callees: &CalleesOn<'_, B>,
    effects: &Effects<B>,
) -> Result<Sites<B>> {
    let n = nodes.len();
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, writes::of(nodes, effects).rows(n), Sum)?;
    backend.map(site::of(nodes, parent, &close, &counts, callees).rows(n))
}
