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
    /// 1 for an INPUT of a MULTILOOP over all elements that is a variable which nothing in the MULTILOOP assigns.
    pub named: u32,
}

/// A bit of a subtree: as a body, it may read elements of other iterations, in arrays or by functions.
const READS_OTHERS: u32 = 1;
/// A bit of a subtree: it assigns a variable. Functions cannot assign arrays of functions around them.
const ASSIGNS: u32 = 2;

/// Returns the bits of a subtree.
#[device(walk_up(Or))]
fn effects(i: NodeId, below: u32, nodes: &Nodes, ranks: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let target = NodeId::new(nodes.data[i]);
    let is_array = ranks[i.index()] > 0;
    let reads_others = match kind {
        Kind::Call => !is_of_elements(nodes.data[i]),
        Kind::Read => {
            is_array | (nodes.kind[target] == Kind::View)
                && (is_array || ranks[nodes.data[target] as usize] < ranks[target.index()])
        }
        Kind::Name => is_array,
        Kind::Multiloop | Kind::Index => true,
        _ => false,
    };
    below | (reads_others as u32 * READS_OTHERS) | ((kind == Kind::Assign) as u32 * ASSIGNS)
}

/// Returns the ASSIGN of a MULTILOOP whose result may replace the elements of the variable: a statement of a block, for a variable of
/// the type of the result, which has one dimension.
#[device(map)]
fn over(i: NodeId, nodes: &Nodes, parents: &[u32], yields: &[u32], effects: &[u32]) -> u32 {
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
    if is_statement & (effects[body as usize] & READS_OTHERS == 0) { assign.get() } else { NO_NODE }
}

/// Returns 1 for an INPUT that needs no variable of its own.
#[device(map)]
fn named(i: NodeId, nodes: &Nodes, parents: &[u32], effects: &[u32]) -> u32 {
    if nodes.kind[i] != Kind::Input || nodes.kind[i.plus(1)] != Kind::Name {
        return 0;
    }
    // After fusion, an INPUT may come before the statement that uses it.
    let m = NodeId::new(parents[i.index()]);
    if nodes.kind[m] != Kind::Multiloop {
        return 0;
    }
    let declaration = NodeId::new(nodes.data[i.plus(1)]);
    let around = NodeId::new(parents[declaration.index()]);
    let is_parameter = (nodes.kind[declaration] == Kind::Param) && nodes.kind[around] != Kind::Lambda;
    let stays = (nodes.kind[declaration] == Kind::Declare) | is_parameter;
    let is_of_all = nodes.data[m] & ALL_ELEMENTS != 0;
    (stays & is_of_all && nodes.ty[i].rank() > 0 && effects[m.index()] & ASSIGNS == 0) as u32
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
/// If `overwrites`, results replace the elements of variables where that is possible, and inputs stay in their variables.
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
    let (over, named) = if overwrites {
        let effects = backend.walk_up(&parents, effects::of(nodes, &rank), Or)?;
        let over = backend.map(over::of(nodes, &parent, &yields, &effects).rows(nodes.len()))?;
        (over, backend.map(named::of(nodes, &parent, &effects).rows(nodes.len()))?)
    } else {
        (backend.filled(nodes.len(), NO_NODE)?, backend.filled(nodes.len(), 0)?)
    };
    Ok((parents, Facts { parent, end, child, children, rank, flat, element, yields, multiloop, over, named }))
}
