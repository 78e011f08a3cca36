//! Places: the parts of a function that run or do not run as a whole, and positions in the order of evaluation.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::NONE;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes, Structure};
use crate::passes::ssa::values::{self, evaluated};

/// The parts of the program around a node, each as its root.
#[device]
pub struct Around {
    /// The function.
    pub function: u32,
    /// The innermost *region*: a branch, the body of a loop, a lambda or the function. The condition of a WHILE is in the region
    /// that is the WHILE.
    pub region: u32,
    /// The largest expression, or the statement.
    pub statement: u32,
    /// The block or lambda in which a declaration here is in scope.
    pub scope: u32,
    /// The lambda, [`NONE`] outside.
    pub lambda: u32,
}

/// Facts about a node.
#[device(columns(Places, index = NodeId))]
pub struct Place {
    /// The parent of the node.
    pub parent: u32,
    /// The parts around it.
    pub around: Around,
    /// How many regions a consumption here leaves: 1 and one more for each from which control continues.
    pub levels: u32,
    /// 1 if control does not continue after it.
    pub leaves: u32,
}

#[device]
fn is_region(i: u32, parent: u32, kinds: &[Kind]) -> bool {
    let kind = kinds[i as usize];
    let above = kinds[parent as usize];
    let is_later = i != parent + 1;
    let is_branch = ((above == Kind::If) | (above == Kind::IfElse) | above.is_loop()) & is_later;
    let is_part = (kind == Kind::Then) | (kind == Kind::Otherwise);
    is_branch | is_part | (kind == Kind::While) | (kind == Kind::Lambda) | kind.is_function()
}

#[device(walk_down)]
fn around(i: NodeId, above: Around, kinds: &[Kind], parents: &[u32]) -> Around {
    let node = i.get();
    let kind = kinds[i.index()];
    let parent = parents[i.index()];
    if parent == NONE || kind.is_function() {
        return Around { function: node, region: node, statement: node, scope: node, lambda: NONE };
    }
    let over = kinds[parent as usize];
    let is_control = (over == Kind::If) | (over == Kind::IfElse) | (over == Kind::While) | (over == Kind::For);
    let is_part = (over == Kind::Then) | (over == Kind::Otherwise) | (over == Kind::Lambda);
    let is_statement = (over == Kind::Block) | over.is_function() | is_control | is_part;
    let is_lambda = kind == Kind::Lambda;
    Around {
        function: above.function,
        region: if is_region(node, parent, kinds) { node } else { above.region },
        statement: if is_statement { node } else { above.statement },
        scope: if kind == Kind::Block || is_lambda { node } else { above.scope },
        lambda: if is_lambda { node } else { above.lambda },
    }
}

/// Returns 1 if control does not continue after a node: a `return`, a block with one, and a branch whose two parts have one.
#[device(walk_up(Sum))]
fn leaves(i: NodeId, below: u32, kinds: &[Kind]) -> u32 {
    let kind = kinds[i.index()];
    let is_block = (kind == Kind::Block) & (below > 0);
    let is_branch = (kind == Kind::IfElse) & (below == 2);
    ((kind == Kind::Return) | is_block | is_branch) as u32
}

/// Returns how many regions a consumption at a node leaves.
#[device(walk_down)]
fn levels(i: NodeId, above: u32, kinds: &[Kind], parents: &[u32], leaves: &[u32]) -> u32 {
    let parent = parents[i.index()];
    let kind = kinds[i.index()];
    if parent == NONE || kind.is_function() || kind == Kind::Lambda {
        return 1;
    }
    if !is_region(i.get(), parent, kinds) {
        return above;
    }
    // The body of a WHILE leaves the WHILE with it.
    let more = (kinds[parent as usize] != Kind::While) as u32;
    if leaves[i.index()] == 1 { 1 } else { above + more }
}

#[device(map)]
fn place(i: NodeId, parents: &[u32], around: &[Around], levels: &[u32], leaves: &[u32]) -> Place {
    let k = i.index();
    Place { parent: parents[k], around: around[k], levels: levels[k], leaves: leaves[k] }
}

/// Returns the facts about all nodes.
pub fn places<B: Backend>(backend: &B, nodes: &Nodes<B>, structure: &Structure<B>) -> Result<Places<B>> {
    let parent = &structure.parent;
    let outside = Around { function: NONE, region: NONE, statement: NONE, scope: NONE, lambda: NONE };
    let around = backend.walk_down(parent, outside, around::of(&nodes.kind, parent.column()))?;
    let leaves = backend.walk_up(parent, leaves::of(&nodes.kind), Sum)?;
    let levels = backend.walk_down(parent, 1, levels::of(&nodes.kind, parent.column(), &leaves))?;
    backend.map(place::of(parent.column(), &around, &levels, &leaves).rows(nodes.len()))
}

/// Returns the position of a node: eight times its index in the order of evaluation.
#[device]
pub fn position(node: u32, nodes: &Nodes, end: &[u32]) -> u32 {
    8 * evaluated(node, nodes, end) as u32
}

/// Returns the position of a point of a merge.
#[device]
pub fn position_of_point(statement: u32, point: u32, nodes: &Nodes, end: &[u32]) -> u32 {
    2 * values::position(statement, point, nodes, end) as u32
}

/// Returns the position of the first node of a subtree.
#[device]
pub fn first_position(node: u32, nodes: &Nodes) -> u32 {
    8 * (node - nodes.depth[NodeId::new(node)])
}

/// Returns the end of a region: after the values of its last node, and before all points of the nodes that follow.
#[device]
pub fn end_of_region(region: u32, nodes: &Nodes, end: &[u32]) -> u32 {
    let last = position(region, nodes, end);
    if nodes.kind[NodeId::new(region)] == Kind::While { last - 1 } else { last + 4 }
}
