//! The choice of a form for each node.

use treepar::device::device;

use super::facts::{Facts, assigns_arrays, is_marked, is_unique_parameter, makes_arrays, outs, uniques};
use super::forms::Form;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{CONCAT, COPY, COUNT, IOTA, PERM, RESHAPE};

/// Returns the form of `a[..]` or `a[..] = e`: one of three.
#[device]
fn indexing(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let is_update = nodes.kind[i] == Kind::Update;
    if nodes.ty[i].is_array() {
        return if is_update { Form::StoreRow } else { Form::Row };
    }
    let is_later = (nodes.kind[i.plus(1)] != Kind::Name) || assigns_arrays(i, facts);
    if is_update {
        return if is_later { Form::LaterStore } else { Form::Store };
    }
    if is_later { Form::LaterElement } else { Form::Element }
}

/// Returns whether a SIZE is the first extent of a variable, and limits an index.
#[device]
fn is_limit(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let limits = (nodes.kind[NodeId::new(facts.parent[i])] == Kind::CheckIndex) & (facts.child[i] == 1);
    limits & (nodes.data[i] == 0) & (nodes.kind[i.plus(1)] == Kind::Name)
}

/// Returns the form of a read of a variable. An access reads the address of the elements instead.
#[device]
fn reading(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let parent = NodeId::new(facts.parent[i]);
    let kind = nodes.kind[parent];
    if kind == Kind::Size && is_limit(parent, nodes, facts) {
        return Form::Limited;
    }
    if !nodes.ty[i].is_array() || ((kind != Kind::Index) & (kind != Kind::Update)) || facts.child[i] > 0 {
        return Form::Plain;
    }
    let form = indexing(parent, nodes, facts);
    if (form == Form::Element) | (form == Form::Store) { Form::Indexed } else { Form::Plain }
}

/// Returns the form of a block.
#[device]
fn block(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let parent = NodeId::new(facts.parent[i]);
    if nodes.kind[parent].is_loop() & makes_arrays(parent, facts) {
        return Form::LoopBody;
    }
    if (nodes.kind[parent] == Kind::Function) & makes_arrays(parent, facts) {
        // A function whose result is in variables of the caller ends with a RETURN.
        let is_void = (nodes.ty[parent] == Type::Void) & (nodes.data[parent.plus(1)] == 0);
        return if is_void { Form::VoidBody } else { Form::Body };
    }
    Form::Plain
}

/// Returns whether a `return` has an array that only the caller uses afterwards, and that may be in a unique parameter: the value
/// of one, or the result of a call in a function with one.
#[device]
fn returns_unique(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let value = i.plus(1);
    if nodes.kind[value] == Kind::Name {
        let declaration = NodeId::new(nodes.data[value]);
        let is_own = facts.parent[declaration] == function_around(i, facts).get();
        return is_own & is_unique_parameter(declaration, nodes);
    }
    let body = NodeId::new(facts.body[i]);
    (nodes.kind[value] == Kind::Call) & (nodes.data[value] >= COUNT) & (uniques(body, facts) > 0)
}

/// Returns the form of a `return`.
#[device]
fn returning(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    if !is_marked(i, facts) {
        return Form::Plain;
    }
    let result = nodes.ty[function_around(i, facts)];
    if result == Type::Void {
        if outs(i, nodes, facts) > 0 {
            return Form::ReturnOuts;
        }
        return if facts.children[i] == 0 { Form::ReturnVoid } else { Form::ReturnCall };
    }
    if result.is_array() {
        return if returns_unique(i, nodes, facts) { Form::ReturnUnique } else { Form::ReturnArray };
    }
    if result == Type::Float { Form::ReturnFloat } else { Form::ReturnInt }
}

/// Returns the form of `replicate[n, x]`.
#[device]
fn replicate(ty: Type) -> Form {
    if ty.rank() > 1 {
        return Form::FillRows;
    }
    if ty.element() == Type::Float { Form::FillFloat } else { Form::Fill }
}

/// Returns the form of `print` of a value.
#[device]
fn printing(value: Type) -> Form {
    let is_float = value.element() == Type::Float;
    if value.rank() > 0 {
        return if is_float { Form::PrintFloats } else { Form::PrintNumbers };
    }
    if is_float { Form::PrintFloat } else { Form::PrintNumber }
}

/// Returns the form of a call, or of an argument of it.
#[device]
fn calling(id: u32, is_argument: bool) -> Form {
    match id {
        IOTA => {
            if is_argument {
                Form::Counted
            } else {
                Form::CountUp
            }
        }
        CONCAT => {
            if is_argument {
                Form::Joined
            } else {
                Form::Join
            }
        }
        RESHAPE => {
            if is_argument {
                Form::Joined
            } else {
                Form::Reshape
            }
        }
        PERM => {
            if is_argument {
                Form::Plain
            } else {
                Form::Permute
            }
        }
        COPY => {
            if is_argument {
                Form::Plain
            } else {
                Form::CopyArray
            }
        }
        _ => Form::Plain,
    }
}

/// Returns the node of the function around a node in its block.
#[device]
pub fn function_around(i: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.parent[NodeId::new(facts.body[i])])
}

/// Returns the form of a node.
#[device(map)]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let is_array = nodes.ty[i].is_array();
    match nodes.kind[i] {
        Kind::Index | Kind::Update => indexing(i, nodes, facts),
        Kind::Name => reading(i, nodes, facts),
        Kind::Array => {
            if nodes.ty[i].rank() > 1 {
                Form::Rows
            } else {
                Form::Vector
            }
        }
        Kind::Size => {
            if is_limit(i, nodes, facts) {
                Form::Limit
            } else {
                Form::Size
            }
        }
        Kind::Replicate => replicate(nodes.ty[i]),
        Kind::Slice => Form::Slice,
        Kind::UpdateSlice => Form::UpdateSlice,
        Kind::Range => {
            if nodes.data[i] == 1 {
                Form::OpenRange
            } else {
                Form::Range
            }
        }
        Kind::All => Form::All,
        Kind::Shaped => Form::Shaped,
        Kind::Print => printing(nodes.ty[i.plus(1)]),
        Kind::New => Form::New,
        Kind::NewLike => Form::NewLike,
        Kind::NewRows => Form::NewRows,
        Kind::Give => Form::Give,
        Kind::Truncate => Form::Truncate,
        Kind::Call => calling(nodes.data[i], false),
        Kind::Arg => calling(nodes.data[NodeId::new(facts.parent[i])], true),
        Kind::Declare | Kind::Assign => {
            if !is_array || borrows(i, nodes) || is_later(i, nodes, facts) {
                Form::Plain
            } else if facts.children[i] > 0 {
                Form::Owner
            } else {
                Form::Empty
            }
        }
        Kind::Block => block(i, nodes, facts),
        Kind::While | Kind::For => {
            if makes_arrays(i, facts) {
                Form::Loop
            } else {
                Form::Plain
            }
        }
        Kind::Return => returning(i, nodes, facts),
        Kind::Store => {
            if is_array {
                Form::StoreOwned
            } else {
                Form::Plain
            }
        }
        _ => Form::Plain,
    }
}

/// Returns whether a declaration or an assignment is of a variable that borrows arrays.
#[device]
fn borrows(i: NodeId, nodes: &Nodes) -> bool {
    let declaration = if nodes.kind[i] == Kind::Assign { NodeId::new(nodes.data[i]) } else { i };
    (nodes.kind[declaration] == Kind::Declare) & (nodes.data[declaration] == 1)
}

/// Returns whether a node declares a variable that gets its array later.
#[device]
fn is_later(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[i] == Kind::Declare) & (nodes.data[i] == 2) & (facts.children[i] == 0)
}
