//! The relations of nodes that all parts of the pass ask about.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};

/// Relations of a node.
#[device(columns(Shapes, index = NodeId))]
pub struct Shape {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The yield of a MULTILOOP.
    pub yields: u32,
    /// The READ of an INPUT.
    pub reader: u32,
    /// The nodes around it.
    pub around: Around,
}

/// Facts about the nodes around a node.
#[device]
pub struct Around {
    /// The function.
    pub function: u32,
    /// The innermost part of a loop, LAMBDA or function: all its statements are executed equally often, or less.
    pub region: u32,
    /// 1 in a MULTILOOP.
    pub is_inside: u32,
}

#[device(walk_down)]
fn around(i: NodeId, above: Around, nodes: &Nodes, parents: &[u32]) -> Around {
    let kind = nodes.kind[i];
    let parent = parents[i.index()];
    let is_function = kind.is_function();
    let is_of_loop = parent != NO_NODE && nodes.kind[NodeId::new(parent)].is_loop();
    let is_region = is_function | is_of_loop | (kind == Kind::Lambda);
    Around {
        function: if is_function { i.get() } else { above.function },
        region: if is_region { i.get() } else { above.region },
        is_inside: above.is_inside | (kind == Kind::Multiloop) as u32,
    }
}

/// Returns the MULTILOOP of a yield, the INPUT of a READ, and the node.
#[device(map)]
fn parts(i: NodeId, nodes: &Nodes, parents: &[u32]) -> (u32, u32, u32) {
    let kind = nodes.kind[i];
    let multiloop = if kind.is_yield() { parents[parents[i.index()] as usize] } else { NO_NODE };
    let mut input = NO_NODE;
    if kind == Kind::Read {
        let target = NodeId::new(nodes.data[i]);
        input = if nodes.kind[target] == Kind::View { nodes.data[target] } else { target.get() };
    }
    (multiloop, input, i.get())
}

/// Returns the LAMBDA of a MULTILOOP.
#[device]
pub fn lambda(m: NodeId, shape: &Shapes) -> NodeId {
    NodeId::new(shape.parent[NodeId::new(shape.yields[m])])
}

/// Returns the value of an INPUT or of a DECLARE that has one, without an ASCRIBE around it.
#[device]
pub fn value(i: NodeId, nodes: &Nodes) -> NodeId {
    if nodes.kind[i.plus(1)] == Kind::Ascribe { i.plus(2) } else { i.plus(1) }
}

/// Returns the MULTILOOP whose result a variable is declared to be by a statement of a block, `NONE` if there is none.
#[device]
pub fn declared(d: NodeId, nodes: &Nodes, shape: &Shapes) -> NodeId {
    let none = NodeId::new(NO_NODE);
    if nodes.kind[d] != Kind::Declare || shape.end[d] == d.get() + 1 {
        return none;
    }
    let statement = NodeId::new(shape.parent[d]);
    let is_statement = nodes.kind[statement] == Kind::Expression
        && shape.parent[statement] != NO_NODE
        && nodes.kind[NodeId::new(shape.parent[statement])] == Kind::Block;
    let m = value(d, nodes);
    let is_result = nodes.kind[m] == Kind::Multiloop && nodes.ty[m] == nodes.ty[d];
    if is_statement && is_result { m } else { none }
}

/// Returns the MULTILOOP whose result an INPUT has, itself or by a variable, `NONE` if there is none.
#[device]
pub fn producer(input: NodeId, nodes: &Nodes, shape: &Shapes) -> NodeId {
    let value = value(input, nodes);
    let kind = nodes.kind[value];
    if kind == Kind::Multiloop {
        return value;
    }
    if kind == Kind::Name { declared(NodeId::new(nodes.data[value]), nodes, shape) } else { NodeId::new(NO_NODE) }
}

/// Returns the INPUT whose value a node is, `NONE` if there is none.
#[device]
pub fn input_of(i: NodeId, nodes: &Nodes, shape: &Shapes) -> NodeId {
    let none = NodeId::new(NO_NODE);
    let parent = NodeId::new(shape.parent[i]);
    if parent.is_none() {
        return none;
    }
    let is_ascribed = nodes.kind[parent] == Kind::Ascribe && shape.parent[parent] != NO_NODE;
    let above = if is_ascribed { NodeId::new(shape.parent[parent]) } else { parent };
    if nodes.kind[above] == Kind::Input { above } else { none }
}

/// Returns the INPUT of a READ or a VIEW.
#[device]
pub fn input_of_read(i: NodeId, nodes: &Nodes) -> NodeId {
    let target = NodeId::new(nodes.data[i]);
    if nodes.kind[target] == Kind::View { NodeId::new(nodes.data[target]) } else { target }
}

/// Returns whether a type is int or float.
#[device]
pub fn is_number(ty: Type) -> bool {
    (ty == Type::Int) | (ty == Type::Float)
}

/// Returns the parents, and the relations.
pub fn shapes<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<(Parents<B>, Shapes<B>)> {
    let n = nodes.len();
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let parent = parents.column().try_clone()?;
    let (multiloop, input, node) = backend.map(parts::of(nodes, &parent).rows(n))?;
    let mut yields = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut yields, &multiloop, &node)?;
    let mut reader = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut reader, &input, &node)?;
    let outside = Around { function: NO_NODE, region: NO_NODE, is_inside: 0 };
    let around = backend.walk_down(&parents, outside, around::of(nodes, &parent))?;
    Ok((parents, Shapes { parent, end, yields, reader, around }))
}
