//! Functions as arguments: the types that an operation gives to the parameters of its LAMBDA, and the rules that the LAMBDA keeps.
//!
//! ```text
//! program   map[fn[x: int, y: float]: float = y, a, b]       reduce[(+), 0, a]
//! node      MAP LAMBDA PARAM PARAM NAME a b                  REDUCE LAMBDA PARAM PARAM ADD NAME NAME LITERAL a
//! takes                an element of a, of b                               the LITERAL, an element of a
//! type                 declared                                            that of what it takes
//! ```
//!
//! A lambda declares its types, and those of an operator follow from what it takes. So [`links`](super::links) needs only what each
//! parameter takes, and each parameter is checked by itself. A function that is given by its name is a LAMBDA that calls it: its
//! parameters have the types of what they take, and the arguments of the call are compared with the function's parameters.

use treepar::device::device;

use crate::frontend::arrays::types::{Surroundings, Typing};
use crate::ir::kinds::{Kind, Type, WITH_LAMBDA};
use crate::ir::meaning::Origin;
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::TreeNodes;
use crate::ir::tree::runtime;

/// The most parameters of a lambda. Those with more are left to the sequential front end.
const MOST_PARAMETERS: u32 = 16;

/// No node.
const NONE: u32 = u32::MAX;

/// The value that a parameter takes.
#[device]
pub struct Taken {
    /// The node, `u32::MAX` if there is none.
    pub node: u32,
    /// 1 if it takes the elements or rows of an array, 0 if it takes a value as a whole.
    pub rows: u32,
}

/// Returns child `k` of node `i`, `u32::MAX` if it has none.
#[device]
fn child(i: NodeId, k: u32, nodes: &TreeNodes) -> u32 {
    let mut found = i.get() + 1;
    let mut left = k;
    while left > 0 && found < nodes.end[i] {
        found = nodes.end[NodeId::new(found)];
        left -= 1;
    }
    if found < nodes.end[i] { found } else { NONE }
}

/// Returns the value that parameter `k` of the operation at node `i` takes.
#[device]
fn taken(i: NodeId, k: u32, nodes: &TreeNodes) -> Taken {
    let kind = nodes.kind[i];
    if k >= MOST_PARAMETERS {
        return Taken { node: NONE, rows: 0 };
    }
    // The function is child 0.
    let (at, rows) = match kind {
        Kind::Map | Kind::Filter => (k + 1, 1),
        Kind::Reduce | Kind::Scan => (k + 1, k),
        Kind::FoldRight => (2 - k.min(2), 1 - k.min(1)),
        _ => (1, 0),
    };
    Taken { node: child(i, at, nodes), rows }
}

/// Returns the number of parameters that the function of an operation with `children` children takes.
#[device]
fn arity(kind: Kind, children: u32) -> u32 {
    match kind {
        Kind::Map => children - 1,
        Kind::Filter => 1,
        _ => 2,
    }
}

/// Returns the value that the PARAM at node `i` takes if it is one of a LAMBDA.
#[device]
pub fn taken_by(i: NodeId, nodes: &TreeNodes, around: &Surroundings) -> Taken {
    let lambda = NodeId::new(around.parent[i]);
    if lambda.is_none() || nodes.kind[lambda] != Kind::Lambda || around.parent[lambda] == NONE {
        return Taken { node: NONE, rows: 0 };
    }
    taken(NodeId::new(around.parent[lambda]), i.get() - lambda.get() - 1, nodes)
}

/// Returns the type of the rows of an array, `Void` if it is none.
#[device]
fn row_type(ty: Type) -> Type {
    if ty.is_array() { ty.element().array(ty.rank() - 1) } else { Type::Void }
}

/// Returns whether the PARAM at node `i` is one of a LAMBDA that takes values of another type.
#[device]
pub fn is_wrong_parameter(i: NodeId, typed: &Typing) -> bool {
    let parent = NodeId::new(typed.around.parent[i]);
    if parent.is_none() || typed.nodes.kind[parent] != Kind::Lambda {
        return false;
    }
    let taken = taken_by(i, typed.nodes, typed.around);
    if taken.node == NONE {
        return true;
    }
    let ty = typed.types[taken.node as usize];
    typed.types[i.index()] != if taken.rows == 1 { row_type(ty) } else { ty }
}

/// Returns whether the LAMBDA at node `i` is no function of an operation, or not one that the operation takes.
#[device]
pub fn is_wrong_lambda(i: NodeId, typed: &Typing) -> bool {
    let operation = NodeId::new(typed.around.parent[i]);
    if operation.is_none() || !WITH_LAMBDA.contains(typed.nodes.kind[operation]) || operation.get() + 1 != i.get() {
        return true;
    }
    let kind = typed.nodes.kind[operation];
    let children = typed.around.children[i];
    if children != arity(kind, typed.around.children[operation]) + 1 {
        return true;
    }
    // Parameters are leaves, and the value is the last child.
    let ty = typed.types[i.index()];
    let expected = match kind {
        Kind::Map => ty,
        Kind::Filter => Type::Int,
        _ => typed.types[(typed.nodes.end[i] as usize).min(typed.nodes.len() - 1)],
    };
    typed.types[(i.get() + children) as usize] != ty || ty != expected
}

/// Returns whether the ARG at node `i`, in a function that is given by its name, has another type than the function's parameter.
#[device]
pub fn is_wrong_argument(i: NodeId, typed: &Typing) -> bool {
    let call = NodeId::new(typed.around.parent[i]);
    let function = FunctionId::new(typed.data[call.index()]);
    if typed.around.children[call] != typed.callables.parameters[function] {
        return true;
    }
    let ty = typed.types[i.index()];
    if function.get() == runtime::ABS {
        return ty != Type::Int && ty != Type::Float;
    }
    ty != typed.parameters[(typed.callables.first[function] + typed.data[i.index()]) as usize]
}

/// Returns whether the operation at node `i` has a first child that is no LAMBDA, or values of wrong types. Its LAMBDA checks the others.
#[device]
pub fn is_wrong_operation(i: NodeId, typed: &Typing) -> bool {
    let kind = typed.nodes.kind[i];
    if typed.nodes.kind[i.plus(1)] != Kind::Lambda {
        return true;
    }
    // The number of children is right.
    let value = typed.types[child(i, 1, typed.nodes) as usize];
    if kind == Kind::Reduce || kind == Kind::Scan {
        let elements = row_type(typed.types[child(i, 2, typed.nodes) as usize]);
        return typed.origins[i.index()] != Origin::Element && value != elements;
    }
    kind == Kind::Group
        && (typed.types[child(i, 2, typed.nodes) as usize] != Type::Int
            || typed.types[child(i, 3, typed.nodes) as usize] != Type::Int.array(1)
            || value != row_type(typed.types[child(i, 4, typed.nodes) as usize]))
}
