//! The choice of a form for each node.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::facts::Facts;
use super::forms::Form;
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
        _ => array(i, nodes),
    }
}

/// Returns the form of an operation on arrays of composites.
#[device]
fn array(i: NodeId, nodes: &Nodes) -> Form {
    let is_checked = nodes.data[i] != 0;
    match nodes.kind[i] {
        Kind::Index => {
            if is_checked {
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
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
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
        Kind::Field => {
            if is_assigned(i, nodes, facts) {
                Form::Gone
            } else if is_named(i, nodes, facts) {
                Form::Selected
            } else {
                Form::SelectedLater
            }
        }
        _ => Form::Plain,
    }
}
