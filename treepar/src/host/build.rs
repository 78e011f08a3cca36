//! Building forests: from opened and closed nodes, and from recursive structures.

use super::Forest;
use crate::{Error, Result};

/// A forest that is being built in preorder, with a label per node.
///
/// ```
/// use treepar::host::Builder;
/// let mut builder = Builder::new();
/// let list = builder.open('[');
/// builder.leaf('1');
/// assert_eq!(builder.leaf('2'), 2);
/// builder.close()?;
/// let (forest, labels) = builder.finish()?;
/// assert_eq!(labels, ['[', '1', '2']);
/// assert!(forest.children(list).eq([1, 2]));
/// # Ok::<(), treepar::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<L> {
    depth: Vec<u32>,
    labels: Vec<L>,
    open: u32,
}

impl<L> Default for Builder<L> {
    fn default() -> Self {
        Builder::new()
    }
}

impl<L> Builder<L> {
    /// Returns a builder without nodes.
    pub fn new() -> Self {
        Builder { depth: Vec::new(), labels: Vec::new(), open: 0 }
    }

    /// Begins a node, and returns its number. The nodes up to its [`close`](Self::close) are below it.
    pub fn open(&mut self, label: L) -> usize {
        let node = self.leaf(label);
        self.open += 1;
        node
    }

    /// Ends the last node that is open.
    ///
    /// # Errors
    /// [`UnbalancedBrackets`](crate::Error::UnbalancedBrackets) if none is open. Its index is the number of events before: nodes
    /// that were opened, and closed.
    pub fn close(&mut self) -> Result<()> {
        match self.open.checked_sub(1) {
            Some(open) => self.open = open,
            None => return Err(Error::UnbalancedBrackets { index: 2 * self.labels.len(), open: 0 }),
        }
        Ok(())
    }

    /// Adds a node without children, and returns its number.
    pub fn leaf(&mut self, label: L) -> usize {
        self.depth.push(self.open);
        self.labels.push(label);
        self.labels.len() - 1
    }

    /// Returns the forest, and the label of each node.
    ///
    /// # Errors
    /// [`UnbalancedBrackets`](crate::Error::UnbalancedBrackets) if nodes are open, with the number of events.
    pub fn finish(self) -> Result<(Forest, Vec<L>)> {
        if self.open > 0 {
            let index = 2 * self.labels.len() - self.open as usize;
            return Err(Error::UnbalancedBrackets { index, open: self.open.into() });
        }
        Ok((Forest::new(self.depth)?, self.labels))
    }
}

/// A recursive structure that can become columns.
///
/// ```
/// use treepar::host::{Forest, Tree};
///
/// enum Expression {
///     Number(i32),
///     Add(Box<[Expression; 2]>),
/// }
///
/// impl Tree for Expression {
///     type Label = Option<i32>;
///     fn label(&self) -> Option<i32> {
///         match self {
///             Expression::Number(number) => Some(*number),
///             Expression::Add(_) => None,
///         }
///     }
///     fn children(&self) -> impl Iterator<Item = &Expression> {
///         match self {
///             Expression::Number(_) => &[][..],
///             Expression::Add(operands) => &operands[..],
///         }
///         .iter()
///     }
/// }
///
/// let sum = Expression::Add(Box::new([Expression::Number(1), Expression::Number(2)]));
/// let (forest, labels) = Forest::of([&sum])?;
/// assert_eq!(forest.depths(), [0, 1, 1]);
/// assert_eq!(labels, [None, Some(1), Some(2)]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub trait Tree {
    /// What a node has besides its children: a row of the columns to come.
    type Label;
    /// Returns the label of this node.
    fn label(&self) -> Self::Label;
    /// Returns the children, in order.
    fn children(&self) -> impl Iterator<Item = &Self>;
}

impl Forest {
    /// Returns the forest of some trees, and the label of each node.
    ///
    /// # Cost     O(n) on the calling thread, without recursion
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) for 2^32 - 1 nodes or more
    /// # Example    at [`Tree`]
    pub fn of<'a, T: Tree + 'a>(trees: impl IntoIterator<Item = &'a T>) -> Result<(Forest, Vec<T::Label>)> {
        let (mut depth, mut labels) = (Vec::new(), Vec::new());
        for root in trees {
            depth.push(0);
            labels.push(root.label());
            let mut path = vec![root.children()];
            while let Some(children) = path.last_mut() {
                let Some(child) = children.next() else {
                    path.pop();
                    continue;
                };
                depth.push(path.len() as u32);
                labels.push(child.label());
                path.push(child.children());
            }
        }
        Ok((Forest::new(depth)?, labels))
    }
}
