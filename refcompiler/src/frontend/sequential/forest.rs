//! The tree while it is parsed: nodes in postorder, each with the size of its subtree. At the end it becomes a tree in
//! preorder.

use crate::ir::tree::{Function, Tree, kind, runtime};

/// Nodes in postorder.
#[derive(Debug, Default)]
pub struct Forest {
    /// The kind of each node.
    pub kind: Vec<u8>,
    /// The type of each node.
    pub ty: Vec<u8>,
    /// The data of each node. A name or an assignment has the postorder number of the declaration.
    pub data: Vec<u32>,
    /// The position of each node.
    pub pos: Vec<u32>,
    /// The number of nodes in each subtree, which includes the node.
    pub size: Vec<u32>,
}

impl Forest {
    /// Returns the number of nodes.
    pub fn len(&self) -> u32 {
        self.kind.len() as u32
    }

    /// Makes room for more nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.kind.reserve(nodes);
        self.ty.reserve(nodes);
        self.data.reserve(nodes);
        self.pos.reserve(nodes);
        self.size.reserve(nodes);
    }

    /// Adds a node above the nodes from `start` on. Returns its number.
    #[inline]
    pub fn push(&mut self, kind: u8, ty: u8, data: u32, pos: u32, start: u32) -> u32 {
        let node = self.len();
        self.kind.push(kind);
        self.ty.push(ty);
        self.data.push(data);
        self.pos.push(pos);
        self.size.push(node + 1 - start);
        node
    }

    /// Returns one more than the position of the last node if it is a call of `assert`, else 0: the data of the node above it.
    #[inline]
    pub fn check(&self) -> u32 {
        match (self.kind.last(), self.data.last(), self.pos.last()) {
            (Some(&kind::CALL), Some(&runtime::ASSERT), Some(&pos)) => pos + 1,
            _ => 0,
        }
    }

    /// Removes the last node.
    pub fn pop(&mut self) {
        self.kind.pop();
        self.ty.pop();
        self.data.pop();
        self.pos.pop();
        self.size.pop();
    }

    /// Takes the nodes from `start` on, which are whole subtrees.
    pub fn take(&mut self, start: u32) -> Forest {
        let start = start as usize;
        Forest {
            kind: self.kind.split_off(start),
            ty: self.ty.split_off(start),
            data: self.data.split_off(start),
            pos: self.pos.split_off(start),
            size: self.size.split_off(start),
        }
    }

    /// Adds whole subtrees.
    pub fn append(&mut self, mut subtrees: Forest) {
        self.kind.append(&mut subtrees.kind);
        self.ty.append(&mut subtrees.ty);
        self.data.append(&mut subtrees.data);
        self.pos.append(&mut subtrees.pos);
        self.size.append(&mut subtrees.size);
    }

    /// Returns the same forest in preorder, with its function table.
    ///
    /// A node of size s and depth d whose postorder number is p has the preorder number p - s + 1 + d. The depths come
    /// from a walk backwards, which visits every node after its ancestors.
    pub fn into_tree(self, mut functions: Vec<Function>) -> Tree {
        let n = self.kind.len();
        let Forest { kind: kinds, ty, data, pos, size } = self;
        let mut tree = Tree {
            depth: vec![0; n],
            kind: vec![0; n],
            ty: vec![0; n],
            data: vec![0; n],
            pos: vec![0; n],
            ..Tree::default()
        };
        let mut preorder = vec![0; n];
        // The first postorder number of each open subtree.
        let mut open: Vec<u32> = Vec::new();
        for p in (0..n).rev() {
            while open.last().is_some_and(|&first| first > p as u32) {
                open.pop();
            }
            let depth = open.len() as u32;
            let first = p as u32 + 1 - size[p];
            let i = (first + depth) as usize;
            preorder[p] = i as u32;
            tree.depth[i] = depth;
            tree.kind[i] = kinds[p];
            tree.ty[i] = ty[p];
            tree.pos[i] = pos[p];
            tree.data[i] = data[p];
            open.push(first);
        }
        drop((kinds, ty, data, pos, size));
        for i in 0..n {
            match tree.kind[i] {
                kind::NAME | kind::ASSIGN => tree.data[i] = preorder[tree.data[i] as usize],
                kind::FUNCTION | kind::EXTERN => functions[tree.data[i] as usize].node = Some(i as u32),
                _ => {}
            }
        }
        tree.functions = functions;
        tree
    }
}
