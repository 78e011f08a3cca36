//! The program as nodes of a forest in preorder, as [`crate::tree`] describes them.

use treepar::depth::Parents;
use treepar::{Backend, Result};

use super::table::{Table, Visitor, table};

table! {
    /// Nodes. Row i of each column is node i.
    pub struct Nodes {
        /// The depth: 0 for a root, else the depth of the parent plus 1.
        depth: u32,
        /// The kind, one of [`kind`](super::kinds::kind).
        kind: u8,
        /// The type, one of [`ty`](super::kinds::ty).
        ty: u8,
        /// What else the kind needs.
        data: u32,
    }
}

table! {
    /// The function table, by function id.
    pub struct Functions {
        /// The number of parameters.
        parameters: u32,
        /// For a function without rows [`EXTERN`](super::instruction::EXTERN), or
        /// [`STUB`](super::instruction::STUB) plus a word of the prelude.
        entry: u32,
    }
}

/// The shape of a forest.
pub struct Structure<B: Backend> {
    /// The parent of each node, `u32::MAX` for a root.
    pub parent: Parents<B>,
    /// The end of each node's subtree: one past its last node.
    pub end: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Structure<B> {
    fn visit(&self, visitor: &mut impl Visitor<B>) -> Result<()> {
        visitor.column("parent", self.parent.column())?;
        visitor.column("end", &self.end)
    }
}

/// A program in which every function is a root.
pub struct Lifted<B: Backend> {
    /// The nodes.
    pub nodes: Nodes<B>,
    /// Their shape.
    pub structure: Structure<B>,
    /// NAME, ASSIGN: the number of static links from here to the variable's frame. CALL: 0 if the function needs no
    /// static link, else 1 plus the number of links from here to the frame that its link points to. FUNCTION: the
    /// number of functions around it. Other kinds: 0.
    pub hops: B::Vec<u32>,
}

impl<B: Backend> Table<B> for Lifted<B> {
    fn visit(&self, visitor: &mut impl Visitor<B>) -> Result<()> {
        self.nodes.visit(visitor)?;
        self.structure.visit(visitor)?;
        visitor.column("hops", &self.hops)
    }
}

table! {
    /// Nodes with the locations of variables.
    pub struct Variables {
        /// The node's data; of PARAM and DECLARE the variable's offset from the upper end of the frame.
        data: u32,
        /// PARAM: where the argument arrives, see [`argument_location`](super::registers::argument_location).
        /// DECLARE: 1 if it has an initial value. Other kinds: the column `hops` of [`Lifted`].
        aux: u32,
    }
}
