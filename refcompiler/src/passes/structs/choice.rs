//! The choice of a form for each node.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::facts::{Facts, child, has_effect};
use super::forms::Form;
use super::shapes::rank;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{CONCAT, COPY, PERM, RESHAPE};

/// Returns whether node `i` is a value that is a composite.
#[device]
pub fn is_composite(i: NodeId, nodes: &Nodes) -> bool {
    nodes.ty[i].is_composite()
}

/// Returns whether the value of a node is in the variables of a NAME below it.
#[device]
fn is_named(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[NodeId::new(facts.base[i])] == Kind::Name) & (facts.context[i].target.node == NO_NODE)
}

/// Returns whether a node is what an ASSIGN_FIELD assigns.
#[device]
fn is_assigned(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let parent = NodeId::new(facts.parent[i]);
    !parent.is_none() && (nodes.kind[parent] == Kind::AssignField) & (facts.child[i] == 1)
}

/// Returns the last node above an element in its chain of FIELDs.
#[device]
fn selector(element: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let mut at = element;
    let mut above = NodeId::new(facts.parent[at]);
    while !above.is_none() && nodes.kind[above] == Kind::Field && facts.child[at] == 0 {
        at = above;
        above = NodeId::new(facts.parent[at]);
    }
    at
}

/// Returns whether node `i` selects a number from an element of an array in variables that others know.
#[device]
fn selects_element(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let element = NodeId::new(facts.base[i]);
    let is_number = !is_composite(i, nodes) & !nodes.ty[i].is_array();
    (nodes.kind[i] == Kind::Field) & is_number
        && nodes.kind[element] == Kind::Index
        && is_named(element.plus(1), nodes, facts)
}

/// Returns whether child `i` of an access is an index.
#[device]
pub fn is_index(i: NodeId, access: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let values = (nodes.kind[access] == Kind::Update) as u32;
    (facts.child[i] > 0) & (facts.child[i] + values < facts.children[access])
}

/// Returns the array of composites that an access is to, given the node of the access or the last FIELD above it: the outermost one that
/// has a dimension for each index. Of an access that is not to a field of such an array, its first child.
#[device]
pub fn table(access: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> NodeId {
    let indices = facts.children[access] - 1 - (nodes.kind[access] == Kind::Update) as u32;
    let mut at = access.plus(1);
    while nodes.kind[at] == Kind::Field && rank(nodes.ty[at.plus(1)], shapes) >= indices {
        at = at.plus(1);
    }
    at
}

/// Returns whether a node is an access, with checks, to numbers of a field of an array of composites in variables that others know. No index
/// may assign these.
#[device]
pub fn accesses_field(i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> bool {
    let first = i.plus(1);
    let is_number = !is_composite(i, nodes) & !nodes.ty[i].is_array();
    let is_access = (nodes.kind[i] == Kind::Index) | (nodes.kind[i] == Kind::Update);
    if !(is_access & is_number) || nodes.data[i] == 0 || !is_named(first, nodes, facts) {
        return false;
    }
    let last = if nodes.kind[i] == Kind::Update { child(i, facts.children[i] - 1, facts).get() } else { facts.end[i] };
    table(i, nodes, facts, shapes).get() != first.get() && !has_effects(facts.end[first], last, nodes, facts)
}

/// Returns whether a node may assign variables, of the nodes from one to before another one.
#[device]
fn has_effects(from: u32, to: u32, nodes: &Nodes, facts: &Facts) -> bool {
    let last = NodeId::new(to - 1);
    facts.effects[last] + has_effect(nodes.kind[last]) as u32 > facts.effects[NodeId::new(from)]
}

/// Returns the form of a composite value, or of a part of one.
#[device]
fn composite(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    match nodes.kind[i] {
        Kind::Param => Form::Parameters,
        Kind::Arg => {
            if is_shaped(nodes.data[NodeId::new(facts.parent[i])]) {
                Form::Gone
            } else if is_named(i.plus(1), nodes, facts) {
                Form::LeafArguments
            } else {
                Form::Arguments
            }
        }
        Kind::Name | Kind::Field | Kind::Unzip => Form::Found,
        Kind::Declare => {
            if is_unpacked(i, nodes, facts) {
                Form::Unpack
            } else {
                Form::Found
            }
        }
        Kind::Assign => Form::Assign,
        Kind::Struct => Form::Struct,
        Kind::Ascribe | Kind::Sequence => Form::Inside,
        Kind::Choose => Form::Branches,
        Kind::Then | Kind::Otherwise => Form::Branch,
        Kind::Call => match nodes.data[i] {
            COPY => Form::CopyCall,
            CONCAT => Form::JoinCall,
            PERM | RESHAPE => Form::ShapeCall,
            _ => Form::Call,
        },
        _ => array(i, nodes, facts),
    }
}

/// Returns the form of an operation on arrays of composites.
#[device]
fn array(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let is_checked = nodes.data[i] != 0;
    match nodes.kind[i] {
        Kind::Index => {
            if selects_element(selector(i, nodes, facts), nodes, facts) {
                if is_checked { Form::ElementIndex } else { Form::ElementIndexFreely }
            } else if is_checked {
                Form::Index
            } else {
                Form::IndexFreely
            }
        }
        Kind::Update => {
            if is_checked {
                Form::Update
            } else {
                Form::UpdateFreely
            }
        }
        Kind::Replicate => Form::Replicate,
        Kind::Array => Form::Array,
        Kind::Zip => Form::Zip,
        Kind::Split => {
            if is_composite(i.plus(1), nodes) {
                Form::Split
            } else {
                Form::SplitNumbers
            }
        }
        Kind::New => Form::New,
        Kind::NewLike => Form::NewLike,
        Kind::NewRows => Form::NewRows,
        Kind::Give => Form::Give,
        Kind::Truncate => Form::Truncate,
        Kind::Slice => Form::Slice,
        Kind::AssignField => Form::AssignLeaves,
        Kind::UpdateSlice => Form::UpdateSlice,
        _ => Form::Plain,
    }
}

/// Returns whether a function of the runtime is applied to each leaf of its argument.
#[device]
fn is_shaped(id: u32) -> bool {
    (id == COPY) | (id == CONCAT) | (id == PERM) | (id == RESHAPE)
}

/// Returns whether a DECLARE is a variable of `var (x, y) = e`.
#[device]
pub fn is_unpacked(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let parent = NodeId::new(facts.parent[i]);
    !parent.is_none() && (nodes.kind[parent] == Kind::Destructure) & (facts.child[i] > 0)
}

/// Returns whether the only or first child of a node is a composite.
#[device]
fn holds_composite(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    facts.children[i] > 0 && is_composite(i.plus(1), nodes)
}

/// Returns the form of a node.
#[device(map)]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Form {
    let kind = nodes.kind[i];
    if is_composite(i, nodes) & !kind.is_function() {
        return composite(i, nodes, facts);
    }
    let parent = NodeId::new(facts.parent[i]);
    match kind {
        Kind::Header => {
            if is_composite(parent, nodes) {
                Form::Header
            } else {
                Form::Plain
            }
        }
        Kind::Expression => {
            let prints = (facts.children[i] > 0) && (nodes.kind[i.plus(1)] == Kind::Print);
            let printed = if prints { i.plus(1) } else { i };
            if holds_composite(printed, nodes, facts) { Form::Gone } else { Form::Plain }
        }
        Kind::Destructure => Form::Destructure,
        Kind::Range | Kind::All => {
            if is_composite(parent, nodes) {
                Form::Bounds
            } else {
                Form::Plain
            }
        }
        Kind::Print => {
            if holds_composite(i, nodes, facts) {
                Form::Print
            } else {
                Form::Plain
            }
        }
        Kind::Return => {
            if holds_composite(i, nodes, facts) {
                Form::Return
            } else {
                Form::Plain
            }
        }
        Kind::Test => {
            if is_composite(parent, nodes) {
                Form::Gone
            } else {
                Form::Plain
            }
        }
        Kind::Size => {
            if !holds_composite(i, nodes, facts) {
                Form::Plain
            } else if is_named(i.plus(1), nodes, facts) {
                Form::Size
            } else {
                Form::SizeLater
            }
        }
        Kind::Arg => {
            let is_last = is_composite(parent, nodes) & is_shaped(nodes.data[parent]);
            if is_last { Form::Shape } else { Form::Plain }
        }
        Kind::AssignField => Form::AssignField,
        Kind::Index | Kind::Update => {
            if accesses_field(i, nodes, facts, shapes) {
                Form::FieldAccess
            } else {
                Form::Plain
            }
        }
        Kind::Field => {
            if is_assigned(i, nodes, facts) {
                Form::Gone
            } else if is_named(i, nodes, facts) {
                Form::Selected
            } else if selects_element(i, nodes, facts) {
                Form::SelectedElement
            } else {
                Form::SelectedLater
            }
        }
        _ => Form::Plain,
    }
}
