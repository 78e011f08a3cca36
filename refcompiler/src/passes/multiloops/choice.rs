//! The choice of a form for each node.

use treepar::device::device;

use super::elements::is_elementwise;
use super::facts::{Facts, has_lambda};
use super::forms::Form;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the form of the LAMBDA of an operation.
#[device]
fn body(operation: Kind) -> Form {
    match operation {
        Kind::Map => Form::MapBody,
        Kind::Scan => Form::ScanBody,
        Kind::Filter => Form::FilterBody,
        Kind::Group => Form::GroupBody,
        _ => Form::ReduceBody,
    }
}

/// Returns the form of parameter `p` of a LAMBDA. The reduction so far stays a parameter.
#[device]
fn parameter(p: u32, operation: Kind) -> Form {
    match operation {
        Kind::Map | Kind::Filter => Form::Element,
        Kind::FoldRight => {
            if p == 0 {
                Form::Element
            } else {
                Form::Plain
            }
        }
        Kind::Group => {
            if p == 0 {
                Form::OfKey
            } else {
                Form::Element
            }
        }
        _ => {
            if p == 0 {
                Form::Plain
            } else {
                Form::Element
            }
        }
    }
}

/// Returns the form of a node.
#[device(map)]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let kind = nodes.kind[i];
    let parent = NodeId::new(facts.parent[i]);
    if has_lambda(kind) {
        return Form::Operation;
    }
    if kind == Kind::Lambda {
        return body(nodes.kind[parent]);
    }
    if (kind == Kind::Param) && nodes.kind[parent] == Kind::Lambda {
        return parameter(facts.child[i], nodes.kind[NodeId::new(facts.parent[parent])]);
    }
    if is_elementwise(i, nodes) {
        return if kind == Kind::Call { Form::ElementwiseCall } else { Form::Elementwise };
    }
    if (kind == Kind::Arg) && is_elementwise(parent, nodes) { Form::Argument } else { Form::Plain }
}
