//! The program as nodes of a forest in preorder, as [`crate::ir::tree`] describes them.

use treepar::Backend;
use treepar::depth::Parents;
use treepar::device::{ColumnVisitor, device};

use super::kinds::{Kind, Type};
use super::table::{Table, tables};

/// An index of a node.
#[device(index)]
pub struct NodeId(u32);

/// An index into the function table.
#[device(index)]
pub struct FunctionId(u32);

/// A node.
#[device(columns(Nodes, index = NodeId))]
pub struct Node {
    /// The depth: 0 for a root, else the depth of the parent plus 1.
    pub depth: u32,
    /// The kind.
    pub kind: Kind,
    /// The type.
    pub ty: Type,
    /// Further data of the kind.
    pub data: u32,
}

/// A row of the function table.
#[device(columns(Functions, index = FunctionId))]
pub struct Function {
    /// The number of parameters.
    pub parameters: u32,
    /// The first word of machine code of the prelude, [`EXTERN`](super::instruction::EXTERN) for a function of another
    /// object, and 0 for a function whose first word is found by linking.
    pub entry: u32,
}

/// The shape of a forest.
pub struct Structure<B: Backend> {
    /// The parent of each node, `u32::MAX` for a root.
    pub parent: Parents<B>,
    /// The end of each node's subtree: one past its last node.
    pub end: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Structure<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        visitor.column("parent", self.parent.column());
        visitor.column("end", &self.end);
    }
}

/// A program in which every function is a root.
pub struct Lifted<B: Backend> {
    /// The nodes.
    pub nodes: Nodes<B>,
    /// Their shape.
    pub structure: Structure<B>,
    /// NAME, ASSIGN, ADDRESS: the number of static links from here to the variable's frame. CALL: 0 if the function needs no
    /// static link, else 1 plus the number of links from here to the frame that its link points to. FUNCTION: the
    /// number of functions around it. After `registers`, PARAM, DECLARE and COUNT: 0, or
    /// [`held_data`](super::held::held_data()). Other kinds: 0.
    pub hops: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Lifted<B> {
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
        self.nodes.visit(visitor);
        self.structure.visit(visitor);
        visitor.column("hops", &self.hops);
    }
}

/// A node's facts about variables.
#[device(columns(Variables, index = NodeId))]
pub struct Variable {
    /// The node's data; of PARAM, DECLARE and COUNT the variable's offset from the upper end of the frame, or
    /// [`held_data`](super::held::held_data()).
    pub data: u32,
    /// PARAM: where the argument arrives, see [`argument_location`](super::registers::argument_location()).
    /// DECLARE, COUNT: 1 if it has an initial value. Other kinds: the column `hops` of [`Lifted`].
    pub aux: u32,
}

tables!(Nodes, Functions, Variables);
