//! The relations of nodes, and the use of each node in a counted loop.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::family::{Family, family};

/// The use of a node in a loop.
#[device]
pub enum Use {
    /// The node is in no counted loop.
    None,
    /// The loop itself.
    Loop,
    /// The COUNT of the loop.
    Count,
    /// A node of the number of iterations.
    Number,
    /// The body.
    Body,
    /// A statement, or the assignment or declaration in one.
    Statement,
    /// A number that becomes a vector.
    Value,
    /// The sum of an address and an index.
    Sum,
    /// The address of the first element.
    Base,
    /// The index, or its check.
    Index,
    /// The index that is checked.
    Checked,
    /// The extent with which it is compared.
    Limit,
    /// The amount of a shift, a literal.
    Amount,
    /// A node of the comparison that makes a choice the lesser or the greater of two ints.
    Hidden,
    /// A node that no rule expects here.
    Other,
}

/// Facts about a node, from the nodes around it.
#[device]
pub struct Context {
    /// The innermost counted loop around the node or the node itself, without other loops in between, or [`NO_NODE`].
    pub around: u32,
    /// A bound of the number of floats that wait for their use while the node is computed.
    pub waits: u16,
    /// The use.
    pub place: Use,
    /// 1 if the user takes a mask.
    pub is_mask: u8,
}

/// Facts about a node.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The number of earlier children of its parent.
    pub child: u32,
    /// From the nodes around it.
    pub context: Context,
}

/// Returns whether a node is a counted loop.
#[device(compact)]
pub fn is_loop(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::For
}

/// Returns whether a loop belongs to an operation on whole arrays. The data of its node is one more than a position.
#[device]
pub fn is_marked(f: NodeId, nodes: &Nodes) -> bool {
    nodes.data[f] != 0
}

/// Returns the node without ASCRIBEs around it. These are as many as the levels of an expression of the program.
#[device]
pub fn bare(i: NodeId, nodes: &Nodes) -> NodeId {
    let mut found = i;
    while nodes.kind[found] == Kind::Ascribe {
        found = found.plus(1);
    }
    found
}

/// Returns 1 if a choice is the lesser of two variables, 2 if it is the greater, else 0: `if[x > y, x, y]` and its like. Its subtree ends
/// at `end`.
#[device]
pub fn least_or_greatest(i: NodeId, nodes: &Nodes, end: u32) -> u32 {
    if nodes.kind[i] != Kind::Choose || end != i.get() + 9 || nodes.ty[i] != Type::Int {
        return 0;
    }
    let comparison = nodes.kind[i.plus(2)];
    let is_less = (comparison == Kind::Lt) | (comparison == Kind::Le);
    let is_greater = (comparison == Kind::Gt) | (comparison == Kind::Ge);
    let left = i.plus(3);
    let right = i.plus(4);
    let then = i.plus(6);
    let otherwise = i.plus(8);
    let are_names = (nodes.kind[left] == Kind::Name)
        & (nodes.kind[right] == Kind::Name)
        & (nodes.kind[then] == Kind::Name)
        & (nodes.kind[otherwise] == Kind::Name)
        & (nodes.kind[i.plus(5)] == Kind::Then)
        & (nodes.kind[i.plus(7)] == Kind::Otherwise)
        & (nodes.ty[left] == Type::Int);
    if !are_names | !(is_less | is_greater) {
        return 0;
    }
    let is_same = (nodes.data[left] == nodes.data[then]) & (nodes.data[right] == nodes.data[otherwise]);
    let is_swapped = (nodes.data[left] == nodes.data[otherwise]) & (nodes.data[right] == nodes.data[then]);
    if is_same {
        return if is_less { 1 } else { 2 };
    }
    if is_swapped {
        return if is_less { 2 } else { 1 };
    }
    0
}

/// Returns whether a node is a cast of a number to its own type.
#[device]
pub fn is_same(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Cast && nodes.ty[i.plus(1)] == nodes.ty[i]
}

/// Returns whether a kind is a shift.
#[device]
pub fn is_shift(kind: Kind) -> bool {
    (kind == Kind::Shl) | (kind == Kind::Shr) | (kind == Kind::Ushr)
}

/// Returns the use of node `i`, given that of its parent `p`.
#[device]
fn place(i: NodeId, p: NodeId, above: Use, nodes: &Nodes, child: &[u32], end: &[u32]) -> Use {
    let kind = nodes.kind[p];
    let number = child[i.index()];
    match above {
        Use::Loop => return if number == 0 { Use::Count } else { Use::Body },
        Use::Count | Use::Number => return Use::Number,
        Use::Body => return Use::Statement,
        Use::Sum => return if number == 0 { Use::Base } else { Use::Index },
        Use::Hidden => return Use::Hidden,
        Use::Amount => return Use::Amount,
        Use::Index => {
            if kind != Kind::CheckIndex {
                return Use::Other;
            }
            return if number == 0 { Use::Checked } else { Use::Limit };
        }
        Use::Base | Use::Checked | Use::Limit | Use::Other => return Use::Other,
        _ => {}
    }
    if kind == Kind::Expression {
        return Use::Statement;
    }
    if kind == Kind::Sequence {
        return if end[i.index()] == end[p.index()] { Use::Value } else { Use::Statement };
    }
    if kind.is_access() {
        return if number == 0 { Use::Sum } else { Use::Value };
    }
    if (kind == Kind::Choose) & (number == 0) && least_or_greatest(p, nodes, end[p.index()]) != 0 {
        return Use::Hidden;
    }
    if is_shift(kind) & (number == 1) && nodes.kind[bare(i, nodes)] == Kind::Literal {
        return Use::Amount;
    }
    Use::Value
}

/// Returns whether the operands of a kind are masks.
#[device]
fn takes_masks(kind: Kind) -> bool {
    (kind == Kind::Test) | (kind == Kind::Not) | (kind == Kind::Land) | (kind == Kind::Lor)
}

/// Returns whether a value waits while a later child of a kind is computed.
#[device]
fn keeps_values(kind: Kind) -> bool {
    (kind.has_two_operands() | (kind == Kind::Call) | (kind == Kind::Arg)) & !kind.is_of_vectors()
}

#[device(walk_down)]
fn context(i: NodeId, above: Context, nodes: &Nodes, parents: &[u32], child: &[u32], end: &[u32]) -> Context {
    let kind = nodes.kind[i];
    let p = NodeId::new(parents[i.index()]);
    let none = Context { around: NO_NODE, waits: 0u16, place: Use::None, is_mask: 0u8 };
    if p.is_none() || kind.is_function() {
        return none;
    }
    let over = nodes.kind[p];
    let more = if keeps_values(over) { child[i.index()].min(255) as u16 } else { 0u16 };
    // A value waits across all statements of a sequence, also those in a block.
    let waits = (above.waits + more).min(1000);
    if kind == Kind::For {
        return Context { around: i.get(), waits, place: Use::Loop, is_mask: 0u8 };
    }
    if above.around == NO_NODE || kind == Kind::While {
        return Context { around: NO_NODE, waits, place: Use::None, is_mask: 0u8 };
    }
    let passes = (over == Kind::Ascribe) | (over == Kind::Sequence) || is_same(p, nodes);
    let is_mask = if passes { above.is_mask } else { takes_masks(over) as u8 };
    Context { around: above.around, waits, place: place(i, p, above.place, nodes, child, end), is_mask }
}

/// Returns the parents, and the facts.
pub fn relations<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<(Parents<B>, Facts<B>)> {
    let Family { parents, parent, end, child, .. } = family(backend, &nodes.depth)?;
    let outside = Context { around: NO_NODE, waits: 0, place: Use::None, is_mask: 0 };
    let context = backend.walk_down(&parents, outside, context::of(nodes, &parent, &child, &end))?;
    Ok((parents, Facts { parent, end, child, context }))
}
