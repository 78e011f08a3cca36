//! The choice of a form for each node.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::facts::Facts;
use super::forms::Form;
use super::parts::{input, is_of_all, is_repeated, yield_of};
use crate::ir::kinds::Kind;
use crate::ir::multiloops::FROM_END;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the form of a MULTILOOP with yield `y`.
#[device]
fn of_multiloop(m: NodeId, y: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    // `true` if the value has no array.
    let is_flat = facts.flat[y] == 1;
    match nodes.kind[y] {
        Kind::YieldCollect => {
            if facts.over[m] != NO_NODE {
                Form::CollectOver
            } else if is_of_all(m, nodes) {
                Form::CollectAll
            } else if facts.children[y] == 2 {
                Form::Keep
            } else if is_flat {
                Form::Collect
            } else {
                Form::CollectRows
            }
        }
        Kind::YieldScan => {
            if is_flat {
                Form::Scan
            } else {
                Form::ScanRows
            }
        }
        Kind::YieldBucket => Form::Bucket,
        _ => {
            if is_flat {
                Form::Reduce
            } else {
                Form::ReduceRows
            }
        }
    }
}

/// Returns the form of a yield, given that of its MULTILOOP.
#[device]
fn of_yield(y: NodeId, above: Form, facts: &Facts) -> Form {
    match above {
        Form::Collect => Form::YieldNumber,
        Form::CollectRows => Form::YieldRow,
        Form::CollectAll | Form::CollectOver => Form::YieldElement,
        Form::Keep => Form::YieldKept,
        Form::Scan => Form::YieldScan,
        Form::ScanRows => Form::YieldScanRow,
        Form::Bucket => {
            if facts.flat[y] == 1 {
                Form::YieldBucket
            } else {
                Form::YieldBucketRow
            }
        }
        _ => Form::YieldReduction,
    }
}

/// Returns the form of a READ.
#[device]
fn of_read(i: NodeId, m: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let input = input(i, nodes);
    if nodes.data[i] == input.get() {
        return if nodes.data[m] & FROM_END != 0 { Form::ReadRowFromEnd } else { Form::ReadRow };
    }
    if is_repeated(NodeId::new(nodes.data[i]), nodes, facts) { Form::ReadRepeated } else { Form::Read }
}

/// Returns the form of a node.
#[device(map)]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let kind = nodes.kind[i];
    let parent = NodeId::new(facts.parent[i]);
    let m = NodeId::new(facts.multiloop[i]);
    match kind {
        Kind::Multiloop => return of_multiloop(m, yield_of(m, facts), nodes, facts),
        Kind::Lambda => return Form::Body,
        Kind::YieldCollect | Kind::YieldReduce | Kind::YieldScan | Kind::YieldBucket => {
            return of_yield(i, of_multiloop(m, i, nodes, facts), facts);
        }
        Kind::Input => return if facts.named[i] == 1 { Form::Named } else { Form::Variable },
        Kind::Element => return Form::Variable,
        Kind::Key => return Form::Key,
        Kind::View => {
            return if is_repeated(i, nodes, facts) { Form::RepeatedView } else { Form::View };
        }
        Kind::Read => return of_read(i, m, nodes, facts),
        _ => {}
    }
    if (kind == Kind::Name) && facts.named[parent] == 1 {
        return Form::Name;
    }
    if (kind == Kind::Param) && nodes.kind[parent] == Kind::Lambda {
        let is_of_key = nodes.kind[yield_of(m, facts)] == Kind::YieldBucket;
        return if is_of_key { Form::OfKey } else { Form::Accumulator };
    }
    if prints_entries(i, nodes, facts) {
        return if nodes.data[i] == 1 { Form::Print } else { Form::PrintLine };
    }
    if (kind == Kind::Expression) && prints_entries(i.plus(1), nodes, facts) {
        return Form::PrintStatement;
    }
    Form::Plain
}

/// Returns whether a node is a `print` of an array of structs or tuples.
#[device]
fn prints_entries(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[i] == Kind::Print) && (nodes.ty[i.plus(1)].is_composite() & (facts.rank[i.plus(1)] > 0))
}
