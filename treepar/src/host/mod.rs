//! Forests on the host: to build them, to look at them, and to walk them one node at a time.
//!
//! A program that has a tree of its own turns it into columns with [`Forest::of`] or a [`Builder`], and uploads them. A test or a
//! debugger downloads a forest, draws it, and follows its links. For passes over many nodes use the operations on columns.
//!
//! ```
//! use treepar::{Cpu, depth::Depths, host::Builder};
//!
//! let mut builder = Builder::new();
//! builder.open("call");
//! builder.leaf("f");
//! builder.open("add");
//! builder.leaf("x");
//! builder.leaf("1");
//! builder.close()?;
//! builder.close()?;
//! let (forest, names) = builder.finish()?;
//! let drawing = forest.draw(|node| names[node]).to_string();
//! assert_eq!(drawing, "call\n├─ f\n└─ add\n   ├─ x\n   └─ 1\n");
//!
//! let cpu = Cpu::new();
//! let columns: Depths<Cpu> = forest.upload(&cpu)?;
//! assert_eq!(columns.to_host()?, forest);
//! # Ok::<(), treepar::Error>(())
//! ```

mod build;
mod draw;

use std::ops::Range;

pub use build::{Builder, Tree};
pub use draw::{Drawing, Graphviz};

use crate::depth::{Depths, NO_NODE};
use crate::{Backend, Error, Result};

/// A forest on the host. Nodes are numbered in preorder.
///
/// `{}` draws it with the numbers of its nodes, and `{:?}` writes it in one line.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Forest {
    depth: Vec<u32>,
    parent: Vec<u32>,
    end: Vec<u32>,
}

impl Forest {
    /// Returns the forest of depths in preorder.
    ///
    /// # Shape    depth\[n\], u32
    /// # Cost     O(n) on the calling thread
    /// # Errors   [`InvalidDepth`](crate::Error::InvalidDepth) at the first node whose depth is more than one above the one before
    /// # Example
    /// ```
    /// use treepar::host::Forest;
    /// let forest = Forest::new(vec![0, 1, 2, 2, 1, 0])?;
    /// assert_eq!(format!("{forest:?}"), "0(1(2 3) 4) 5");
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(depth: Vec<u32>) -> Result<Forest> {
        let n = depth.len();
        if n as u64 >= u64::from(NO_NODE) {
            return Err(Error::TooManyRows { array: "depth", found: n as u64, limit: u64::from(NO_NODE) - 1 });
        }
        let (mut parent, mut end) = (vec![NO_NODE; n], vec![n as u32; n]);
        let mut path: Vec<u32> = Vec::new();
        for (node, &depth) in depth.iter().enumerate() {
            if depth as usize > path.len() {
                return Err(Error::InvalidDepth { index: node, found: depth.into(), limit: path.len() as u64 });
            }
            for ended in path.drain(depth as usize..) {
                end[ended as usize] = node as u32;
            }
            parent[node] = path.last().copied().unwrap_or(NO_NODE);
            path.push(node as u32);
        }
        Ok(Forest { depth, parent, end })
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.depth.len()
    }

    /// Returns whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.depth.is_empty()
    }

    /// Returns the depth of each node.
    pub fn depths(&self) -> &[u32] {
        &self.depth
    }

    /// Returns the number of ancestors of a node.
    ///
    /// # Panics
    /// As every method here that takes a node, panics if there is no such node.
    pub fn depth(&self, node: usize) -> usize {
        self.depth[node] as usize
    }

    /// Returns the parent of a node, `None` for a root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        Some(self.parent[node]).filter(|&parent| parent != NO_NODE).map(|parent| parent as usize)
    }

    /// Returns the nodes of a subtree, with its root.
    pub fn subtree(&self, node: usize) -> Range<usize> {
        node..self.end[node] as usize
    }

    /// Returns whether a node has no children.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.subtree(node).len() == 1
    }

    /// Returns the roots, in order.
    pub fn roots(&self) -> Siblings<'_> {
        Siblings { forest: self, rest: 0..self.len() }
    }

    /// Returns the children of a node, in order.
    ///
    /// # Cost     O(1) per child
    /// # Example
    /// ```
    /// use treepar::host::Forest;
    /// let forest = Forest::new(vec![0, 1, 2, 2, 1, 0])?;
    /// assert!(forest.children(0).eq([1, 4]));
    /// assert!(forest.roots().eq([0, 5]));
    /// assert!(forest.ancestors(3).eq([1, 0]));
    /// assert!(forest.postorder().eq([2, 3, 1, 4, 0, 5]));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn children(&self, node: usize) -> Siblings<'_> {
        let subtree = self.subtree(node);
        Siblings { forest: self, rest: subtree.start + 1..subtree.end }
    }

    /// Returns the ancestors of a node, from its parent to a root.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// Returns the nodes without children, in order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.len()).filter(|&node| self.is_leaf(node))
    }

    /// Returns all nodes in postorder: a node after its children.
    pub fn postorder(&self) -> impl Iterator<Item = usize> + '_ {
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < self.len() && open.last().is_none_or(|&last| next < self.end[last] as usize) {
                open.push(next);
                next += 1;
            }
            open.pop()
        })
    }

    /// Returns the value of each root, where `value` gets a node and the values of its children. So a forest becomes a recursive
    /// structure again.
    ///
    /// # Cost     O(n) calls, without recursion
    /// # Example
    /// ```
    /// use treepar::host::Forest;
    /// let forest = Forest::new(vec![0, 1, 2, 2, 1, 0])?;
    /// let heights = forest.fold(|_, children: Vec<u32>| 1 + children.into_iter().max().unwrap_or(0));
    /// assert_eq!(heights, [3, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn fold<T>(&self, mut value: impl FnMut(usize, Vec<T>) -> T) -> Vec<T> {
        // The values of the subtrees that have ended, and whose parents have not.
        let mut done: Vec<T> = Vec::new();
        for node in self.postorder() {
            let children = self.children(node).count();
            let of_children = done.split_off(done.len() - children);
            done.push(value(node, of_children));
        }
        done
    }

    /// Returns the forest on a backend.
    ///
    /// # Errors   only general ones
    pub fn upload<B: Backend>(&self, backend: &B) -> Result<Depths<B>> {
        Ok(Depths::assume(backend.upload(&self.depth)?))
    }

    /// Returns a drawing: a line per node with its label, below its parent.
    ///
    /// # Example
    /// ```
    /// use treepar::host::Forest;
    /// let forest = Forest::new(vec![0, 1, 2, 1])?;
    /// assert_eq!(forest.draw(|node| 10 * node).to_string(), "0\n├─ 10\n│  └─ 20\n└─ 30\n");
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn draw<L: std::fmt::Display, F: Fn(usize) -> L>(&self, label: F) -> Drawing<'_, F> {
        Drawing { forest: self, label }
    }

    /// Returns the forest in the language of Graphviz, with a box per node.
    ///
    /// # Example
    /// ```
    /// use treepar::host::Forest;
    /// let text = Forest::new(vec![0, 1])?.graphviz(|node| format!("\"{node}\"")).to_string();
    /// assert!(text.contains(r#"0 [label="\"0\""];"#) && text.contains("0 -> 1;"));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn graphviz<L: std::fmt::Display, F: Fn(usize) -> L>(&self, label: F) -> Graphviz<'_, F> {
        Graphviz { forest: self, label }
    }
}

impl<B: Backend> Depths<B> {
    /// Returns the forest on the host, to look at it.
    ///
    /// # Cost     a download of 4 bytes per node, and O(n) on the calling thread
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?;
    /// assert_eq!(forest.to_host()?.to_string(), "0\n├─ 1\n│  └─ 2\n└─ 3\n");
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<Forest> {
        Forest::new(self.backend().download(self.depths())?)
    }
}

/// The nodes with the same parent, or the roots, in order.
#[derive(Clone, Debug)]
pub struct Siblings<'a> {
    forest: &'a Forest,
    /// The next sibling, and the end of the last one's subtree.
    rest: Range<usize>,
}

impl Iterator for Siblings<'_> {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        if self.rest.is_empty() {
            return None;
        }
        let node = self.rest.start;
        self.rest.start = self.forest.subtree(node).end;
        Some(node)
    }
}
