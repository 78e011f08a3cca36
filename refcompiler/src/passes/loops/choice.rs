//! The choice of a form for each node.

use treepar::device::device;

use super::elements::is_elementwise;
use super::facts::{Facts, has_lambda};
use super::forms::Form;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the form of a LAMBDA, given that of its operation.
#[device]
fn body(i: NodeId, above: Form, facts: &Facts) -> Form {
    match above {
        Form::Map => Form::MapBody,
        Form::MapRows => Form::MapRowsBody,
        Form::Scan => Form::ScanBody,
        Form::ScanRows => Form::ScanRowsBody,
        Form::Filter => Form::FilterBody,
        Form::Group => {
            if facts.flat[i] == 1 {
                Form::GroupBody
            } else {
                Form::GroupRowsBody
            }
        }
        _ => Form::ReduceBody,
    }
}

/// Returns the form of parameter `p` of a LAMBDA.
#[device]
fn parameter(p: u32, operation: Kind) -> Form {
    match operation {
        Kind::Map | Kind::Filter => Form::Element,
        Kind::FoldRight => {
            if p == 0 {
                Form::ElementFromEnd
            } else {
                Form::Accumulator
            }
        }
        Kind::Group => {
            if p == 0 {
                Form::ElementOfKey
            } else {
                Form::Element
            }
        }
        _ => {
            if p == 0 {
                Form::Accumulator
            } else {
                Form::Element
            }
        }
    }
}

/// Returns the form of an operation with a LAMBDA.
#[device]
fn operation(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    // `true` if the LAMBDA yields no array.
    let is_flat = facts.flat[i.plus(1)] == 1;
    match nodes.kind[i] {
        Kind::Map => {
            if is_flat {
                Form::Map
            } else {
                Form::MapRows
            }
        }
        Kind::Scan => {
            if is_flat {
                Form::Scan
            } else {
                Form::ScanRows
            }
        }
        Kind::Filter => Form::Filter,
        Kind::Group => Form::Group,
        _ => {
            if is_flat {
                Form::Reduce
            } else {
                Form::ReduceRows
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
        return operation(i, nodes, facts);
    }
    if kind == Kind::Lambda {
        return body(i, operation(parent, nodes, facts), facts);
    }
    if (kind == Kind::Param) && nodes.kind[parent] == Kind::Lambda {
        return parameter(facts.child[i], nodes.kind[NodeId::new(facts.parent[parent])]);
    }
    if is_elementwise(i, nodes) {
        return if kind == Kind::Call { Form::ElementwiseCall } else { Form::Elementwise };
    }
    if prints_entries(i, nodes, facts) {
        return if nodes.data[i] == 1 { Form::Print } else { Form::PrintLine };
    }
    if (kind == Kind::Expression) && prints_entries(i.plus(1), nodes, facts) {
        return Form::PrintStatement;
    }
    if (kind == Kind::Arg) && is_elementwise(parent, nodes) { Form::Argument } else { Form::Plain }
}

/// Returns whether a node is a `print` of an array of structs or tuples.
#[device]
fn prints_entries(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[i] == Kind::Print) && (nodes.ty[i.plus(1)].is_composite() & (facts.rank[i.plus(1)] > 0))
}
