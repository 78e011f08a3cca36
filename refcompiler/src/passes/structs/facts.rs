//! The facts that the rules ask about a node besides its own columns: its relatives, and where the leaves of its value are.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Result};

use super::shapes::{field_leaf, leaves};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::family::{Family, family};

/// Is set in the leaf of a [`Site`] that counts from the variables of an ARRAY's element, not from the variables of its value.
pub const ELEMENT: u32 = 1 << 31;

/// Where the leaves of a value are: in variables of a node, from one of them on.
#[device]
pub struct Site {
    /// The node, `u32::MAX` for none.
    pub node: u32,
    /// The first leaf.
    pub leaf: u32,
}

/// The facts that a node gets from the nodes around it.
#[device]
pub struct Context {
    /// Where its value belongs.
    pub target: Site,
    /// The function around it.
    pub function: u32,
}

/// Numbers of nodes before one.
#[device]
pub struct Counts {
    /// Nodes that do not only select leaves of a value.
    pub others: u32,
    /// The sum of the leaves before the selected ones.
    pub skipped: u32,
    /// Nodes that may assign variables.
    pub effects: u32,
}

/// Facts about a node.
#[device(columns(Links, index = NodeId))]
pub struct Link {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The number of earlier children of its parent.
    pub child: u32,
    /// The number of leaves of their types.
    pub leaves: u32,
    /// The number of its children.
    pub children: u32,
    /// The first node of its chain of only children that does not only select leaves.
    pub base: u32,
    /// Numbers of nodes before it.
    pub counts: Counts,
}

/// All facts about a node.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The number of earlier children of its parent.
    pub child: u32,
    /// The number of leaves of their types.
    pub leaves: u32,
    /// The number of its children.
    pub children: u32,
    /// The number of children of all nodes before it.
    pub first_kid: u32,
    /// In the order of parents, then of siblings: a child. Roots come last, as zeros.
    pub kid: u32,
    /// As in [`Link`].
    pub base: u32,
    /// The number of nodes before it that may assign variables.
    pub effects: u32,
    /// Where its value belongs, and the function around it.
    pub context: Context,
    /// Where its value is before it is copied to where it belongs.
    pub home: Site,
}

#[device(monoid(identity = Counts { others: 0, skipped: 0, effects: 0 }))]
fn add_counts(a: Counts, b: Counts) -> Counts {
    Counts {
        others: a.others.wrapping_add(b.others),
        skipped: a.skipped.wrapping_add(b.skipped),
        effects: a.effects.wrapping_add(b.effects),
    }
}

/// Returns whether a node selects leaves of its child, and is nothing else.
#[device]
pub fn selects(kind: Kind) -> bool {
    (kind == Kind::Field) | (kind == Kind::Unzip)
}

/// Returns the number of leaves of a node's child before the leaves that the node selects.
#[device]
pub fn skipped(i: NodeId, nodes: &Nodes, shapes: &[u32]) -> u32 {
    if nodes.kind[i] == Kind::Field { field_leaf(nodes.ty[i.plus(1)], nodes.data[i], shapes) } else { 0 }
}

/// Returns whether a node may assign variables.
#[device]
pub fn has_effect(kind: Kind) -> bool {
    (kind == Kind::Call) | (kind == Kind::Assign)
}

#[device(scan(add_counts))]
fn counted(i: NodeId, nodes: &Nodes, shapes: &[u32]) -> Counts {
    let kind = nodes.kind[i];
    Counts { others: !selects(kind) as u32, skipped: skipped(i, nodes, shapes), effects: has_effect(kind) as u32 }
}

#[device(compact)]
fn is_other(i: NodeId, nodes: &Nodes) -> bool {
    !selects(nodes.kind[i])
}

/// Returns the base of a node.
#[device(map)]
fn base(i: NodeId, counts: &[Counts], others: &[u32]) -> u32 {
    others[counts[i.index()].others as usize]
}

/// Returns the number of leaves of the types of earlier children of a node's parent.
#[device(walk_down)]
fn leaves_before(i: NodeId, number: u32, above: &[u32], parents: &[u32], nodes: &Nodes, shapes: &[u32]) -> u32 {
    let sibling = above[i.index()];
    if sibling == parents[i.index()] { 0 } else { number + leaves(nodes.ty[NodeId::new(sibling)], shapes) }
}

/// Returns whether a node's value is in variables that others know, so that it is not computed but found.
#[device]
pub fn is_found(kind: Kind) -> bool {
    selects(kind) | (kind == Kind::Name) | (kind == Kind::Declare) | (kind == Kind::Assign)
}

/// Returns whether a statement changes the variable or the elements that its first child names.
#[device]
fn is_change(kind: Kind) -> bool {
    (kind == Kind::Update) | (kind == Kind::UpdateSlice) | (kind == Kind::AssignField)
}

/// Returns whether the value of a node must be copied because the variables can change before its parent uses it.
#[device]
fn is_captured(i: NodeId, parent: NodeId, nodes: &Nodes, links: &Links) -> bool {
    let above = nodes.kind[parent];
    let changes = is_change(above) | (above == Kind::Give);
    let kind = nodes.kind[i];
    if !is_found(kind) | (kind == Kind::Declare) | changes {
        return false;
    }
    let user = if above == Kind::Arg { NodeId::new(links.parent[parent]) } else { parent };
    let last = NodeId::new(links.end[user] - 1);
    let own_last = NodeId::new(links.end[i] - 1);
    let after = links.counts[last].effects + has_effect(nodes.kind[last]) as u32;
    after > links.counts[own_last].effects + has_effect(nodes.kind[own_last]) as u32
}

/// Returns where the value of a node belongs.
#[device]
fn target(i: NodeId, above: Site, nodes: &Nodes, links: &Links) -> Site {
    let none = Site { node: NO_NODE, leaf: 0u32 };
    let parent = NodeId::new(links.parent[i]);
    let kind = nodes.kind[i];
    if parent.is_none() || is_change(kind) || !nodes.ty[i].is_composite() {
        return none;
    }
    let own = Site { node: parent.get(), leaf: 0u32 };
    let around = if above.node == NO_NODE { own } else { above };
    match nodes.kind[parent] {
        Kind::Declare => own,
        Kind::Array => Site { node: parent.get(), leaf: ELEMENT },
        Kind::Struct | Kind::Zip => Site { node: around.node, leaf: around.leaf + links.leaves[i] },
        Kind::Choose | Kind::Then | Kind::Otherwise | Kind::Ascribe | Kind::Sequence => around,
        _ => {
            if is_captured(i, parent, nodes, links) {
                Site { node: i.get(), leaf: 0u32 }
            } else {
                none
            }
        }
    }
}

#[device(walk_down)]
fn context(i: NodeId, above: Context, nodes: &Nodes, links: &Links) -> Context {
    Context {
        target: target(i, above.target, nodes, links),
        function: if nodes.kind[i].is_function() { i.get() } else { above.function },
    }
}

/// Returns where the value of a node is that does not select leaves.
#[device]
fn home_of_other(i: NodeId, nodes: &Nodes) -> Site {
    let kind = nodes.kind[i];
    let of_variable = (kind == Kind::Name) | (kind == Kind::Assign);
    Site { node: if of_variable { nodes.data[i] } else { i.get() }, leaf: 0u32 }
}

/// Returns the number of nodes before a node that may assign variables.
#[device(map)]
fn effects(i: usize, counts: &[Counts]) -> u32 {
    counts[i].effects
}

#[device(map)]
fn home(i: NodeId, nodes: &Nodes, links: &Links) -> Site {
    let base = NodeId::new(links.base[i]);
    let site = home_of_other(base, nodes);
    Site { node: site.node, leaf: site.leaf + links.counts[base].skipped - links.counts[i].skipped }
}

/// Returns where the value of a node is when it has been evaluated.
#[device]
pub fn place(i: NodeId, facts: &Facts) -> Site {
    let target = facts.context[i].target;
    if target.node == NO_NODE { facts.home[i] } else { target }
}

#[device(scan(Sum))]
fn number_of_children(i: usize, children: &[u32]) -> u32 {
    children[i]
}

/// Returns where a node is in the list of children, none for a root.
#[device(map)]
fn place_of_kid(i: NodeId, parents: &[u32], first: &[u32], child: &[u32]) -> u32 {
    let parent = parents[i.index()];
    if parent == NO_NODE { NO_NODE } else { first[parent as usize] + child[i.index()] }
}

/// Returns child `k` of a node.
#[device]
pub fn child(i: NodeId, k: u32, facts: &Facts) -> NodeId {
    NodeId::new(facts.kid[NodeId::new(facts.first_kid[i] + k)])
}

/// Returns the parents and the facts.
pub fn facts<B: Backend>(backend: &B, nodes: &Nodes<B>, shapes: &B::Vec<u32>) -> Result<(Parents<B>, Facts<B>)> {
    let n = nodes.len();
    let Family { parents, parent, end, above, child, children } = family(backend, &nodes.depth)?;
    let (counts, _) = backend.scan_later(ScanKind::Exclusive, counted::of(nodes, shapes).rows(n), add_counts)?;
    let others = backend.compact(is_other::of(nodes).rows(n))?;
    let base = backend.map(base::of(&counts, &others).rows(n))?;
    let leaves = leaves_before::of(above.column(), &parent, nodes, shapes);
    let leaves = backend.walk_down(&above, 0, leaves)?;
    let (first_kid, _) = backend.scan_later(ScanKind::Exclusive, number_of_children::of(&children), Sum)?;
    let mut kid = backend.filled(n, 0)?;
    let place = backend.map(place_of_kid::of(&parent, &first_kid, &child).rows(n))?;
    backend.scatter(&mut kid, &place, &backend.map(index_u32::of().rows(n))?)?;
    let links = Links { parent, end, child, leaves, children, base, counts };
    let outside = Context { target: Site { node: NO_NODE, leaf: 0 }, function: NO_NODE };
    let context = backend.walk_down(&parents, outside, context::of(nodes, &links).rows(n))?;
    let home = backend.map(home::of(nodes, &links).rows(n))?;
    let effects = backend.map(effects::of(&links.counts))?;
    let Links { parent, end, child, leaves, children, base, .. } = links;
    Ok((parents, Facts { parent, end, child, leaves, children, first_kid, kid, base, effects, context, home }))
}
