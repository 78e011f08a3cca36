//! The facts that the rules ask about a node besides its own columns: its relatives, and the rank of its type.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Or;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::multiloops::ALL_ELEMENTS;
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::shapes::{shape, shapes};
use crate::ir::tree::Composite;
use crate::passes::templates::family::{Family, family};

/// Facts about a node.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The number of earlier children of its parent.
    pub child: u32,
    /// The number of its children.
    pub children: u32,
    /// The rank of its type.
    pub rank: u32,
    /// 1 if its type has no array: a number, or a struct or tuple of numbers.
    pub flat: u32,
    /// The type of the elements of an array.
    pub element: Type,
    /// The yield of a MULTILOOP.
    pub yields: u32,
    /// The innermost MULTILOOP around it or itself, [`NO_NODE`] if there is none.
    pub multiloop: u32,
    /// The ASSIGN of a MULTILOOP whose result may replace the elements of the variable that it is assigned to; else [`NO_NODE`].
    pub over: u32,
}

/// Returns 1 if a body with this node may read elements of other iterations, in arrays or by functions.
#[device(walk_up(Or))]
fn reads_others(i: NodeId, below: u32, nodes: &Nodes, ranks: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let target = NodeId::new(nodes.data[i]);
    let is_array = ranks[i.index()] > 0;
    let own = match kind {
        Kind::Call => !is_of_elements(nodes.data[i]),
        Kind::Read => {
            is_array | (nodes.kind[target] == Kind::View)
                && (is_array || ranks[nodes.data[target] as usize] < ranks[target.index()])
        }
        Kind::Name => is_array,
        Kind::Multiloop | Kind::Index => true,
        _ => false,
    };
    below | own as u32
}

/// Returns the ASSIGN of a MULTILOOP whose result may replace the elements of the variable: a statement of a block, for a variable of
/// the type of the result, which has one dimension.
#[device(map)]
fn over(i: NodeId, nodes: &Nodes, parents: &[u32], yields: &[u32], others: &[u32]) -> u32 {
    let is_of_all = (nodes.kind[i] == Kind::Multiloop) & (nodes.data[i] & ALL_ELEMENTS != 0);
    if !is_of_all || yields[i.index()] == NO_NODE {
        return NO_NODE;
    }
    let assign = NodeId::new(parents[i.index()]);
    if nodes.kind[assign] != Kind::Assign || nodes.ty[assign] != nodes.ty[i] || nodes.ty[i].rank() != 1 {
        return NO_NODE;
    }
    let statement = NodeId::new(parents[assign.index()]);
    let is_statement =
        nodes.kind[statement] == Kind::Expression && nodes.kind[NodeId::new(parents[statement.index()])] == Kind::Block;
    let body = parents[yields[i.index()] as usize];
    if is_statement & (others[body as usize] == 0) { assign.get() } else { NO_NODE }
}

/// Returns node `i`, after its MULTILOOP if the node is a yield.
#[device(map)]
fn yielding(i: usize, parents: &[u32], kinds: &[Kind]) -> (u32, u32) {
    (if kinds[i].is_yield() { parents[parents[i] as usize] } else { NO_NODE }, i as u32)
}

#[device(walk_down)]
fn multiloop(i: NodeId, around: u32, nodes: &Nodes) -> u32 {
    if nodes.kind[i] == Kind::Multiloop { i.get() } else { around }
}

/// Returns the parents and the facts.
///
/// If `overwrites`, results replace the elements of variables where that is possible.
pub fn facts<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    composites: &[Composite],
    overwrites: bool,
) -> Result<(Parents<B>, Facts<B>)> {
    let Family { parents, parent, end, child, children, .. } = family(backend, &nodes.depth)?;
    let shapes = backend.upload(&shapes(composites))?;
    let (rank, flat, element) = backend.map(shape::of(&nodes.ty, &shapes))?;
    let (yielded, yielding) = backend.map(yielding::of(&parent, &nodes.kind))?;
    let mut yields = backend.filled(nodes.len(), NO_NODE)?;
    backend.scatter(&mut yields, &yielded, &yielding)?;
    let multiloop = backend.walk_down(&parents, NO_NODE, multiloop::of(nodes))?;
    let over = if overwrites {
        let others = backend.walk_up(&parents, reads_others::of(nodes, &rank), Or)?;
        backend.map(over::of(nodes, &parent, &yields, &others).rows(nodes.len()))?
    } else {
        backend.filled(nodes.len(), NO_NODE)?
    };
    Ok((parents, Facts { parent, end, child, children, rank, flat, element, yields, multiloop, over }))
}
