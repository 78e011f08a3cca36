//! Full trees, and the two representations that the recursive forms use.

/// Returns the number of nodes of a full tree, or `None` if it exceeds `limit`.
pub fn nodes_of(depth: u32, branching: u32, limit: usize) -> Option<usize> {
    let (mut level, mut nodes) = (1usize, 1usize);
    for _ in 0..depth {
        level = level.checked_mul(branching as usize)?;
        nodes = nodes.checked_add(level)?;
        if nodes > limit {
            return None;
        }
    }
    Some(nodes)
}

/// Returns the preorder depths of a full tree, and a mask of its expressions: the inner nodes and the root.
pub fn full_tree(depth: u32, branching: u32) -> (Vec<u32>, Vec<u8>) {
    let mut depths = Vec::new();
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        depths.push(at);
        if at < depth {
            open.extend((0..branching).map(|_| at + 1));
        }
    }
    let is_inner = depths.iter().map(|&at| u8::from(at == 0 || (at < depth && branching > 0))).collect();
    (depths, is_inner)
}

/// A tree as in functional languages: each node owns its children.
pub struct BoxedTree {
    /// The index in preorder.
    pub node: u32,
    /// `true` if the node is an expression.
    pub is_expression: bool,
    /// The children in order.
    pub children: Vec<BoxedTree>,
}

impl BoxedTree {
    /// Creates a tree from the depths of a non-empty tree.
    pub fn new(depths: &[u32], is_expression: &[u8]) -> BoxedTree {
        let mut open: Vec<BoxedTree> = Vec::new();
        let close = |open: &mut Vec<BoxedTree>, depth: usize| {
            while open.len() > depth.max(1) {
                if let (Some(child), Some(parent)) = (open.pop(), open.last_mut()) {
                    parent.children.push(child);
                }
            }
        };
        for (i, &depth) in depths.iter().enumerate() {
            close(&mut open, depth as usize);
            open.push(BoxedTree { node: i as u32, is_expression: is_expression[i] != 0, children: Vec::new() });
        }
        close(&mut open, 1);
        open.swap_remove(0)
    }
}

/// A tree in contiguous memory. It keeps its memory when another tree replaces it.
#[derive(Default)]
pub struct Arena {
    /// For each node, not 0 if it is an expression.
    is_expression: Vec<u8>,
    /// The index in `children` of each node's first child, with one more entry for the end.
    first: Vec<u32>,
    /// The children of all nodes, grouped by parent.
    children: Vec<u32>,
    /// The nodes from the root to the last one that was read.
    path: Vec<u32>,
    parent: Vec<u32>,
    next: Vec<u32>,
}

impl Arena {
    /// Replaces the tree by one with these depths, and builds the lists of its children.
    pub fn build(&mut self, depths: &[u32], is_expression: &[u8]) {
        let Arena { first, children, path, parent, next, .. } = self;
        self.is_expression.clear();
        self.is_expression.extend_from_slice(is_expression);
        path.clear();
        parent.clear();
        first.clear();
        first.resize(depths.len() + 1, 0);
        for (i, &depth) in depths.iter().enumerate() {
            path.truncate(depth as usize);
            // The root comes first. Nothing else reads its parent.
            let above = path.last().copied().unwrap_or(0);
            first[above as usize + 1] += u32::from(i > 0);
            parent.push(above);
            path.push(i as u32);
        }
        let mut sum = 0;
        for end in first.iter_mut() {
            sum += *end;
            *end = sum;
        }
        next.clone_from(first);
        children.resize(depths.len().saturating_sub(1), 0);
        for (i, &above) in parent.iter().enumerate().skip(1) {
            let at = &mut next[above as usize];
            children[*at as usize] = i as u32;
            *at += 1;
        }
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.is_expression.is_empty()
    }

    /// Returns whether a node is an expression.
    pub fn is_expression(&self, node: u32) -> bool {
        self.is_expression[node as usize] != 0
    }

    /// Returns the children of a node.
    pub fn children(&self, node: u32) -> &[u32] {
        &self.children[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_trees_have_the_computed_number_of_nodes() {
        for (depth, branching, nodes) in [(0, 5, 1), (3, 0, 1), (4, 1, 5), (3, 2, 15), (2, 31, 993)] {
            assert_eq!(nodes_of(depth, branching, 1000), Some(nodes));
            assert_eq!(full_tree(depth, branching).0.len(), nodes);
        }
        assert_eq!(nodes_of(31, 31, usize::MAX), None);
        assert_eq!(nodes_of(3, 2, 14), None);
    }

    #[test]
    fn both_representations_have_the_same_children() {
        let (depths, inner) = full_tree(3, 3);
        let (boxed, mut arena) = (BoxedTree::new(&depths, &inner), Arena::default());
        arena.build(&[0, 1, 1], &[1, 0, 0]);
        arena.build(&depths, &inner);
        let mut waiting = vec![&boxed];
        while let Some(tree) = waiting.pop() {
            let numbers: Vec<u32> = tree.children.iter().map(|child| child.node).collect();
            assert_eq!(numbers, arena.children(tree.node));
            waiting.extend(&tree.children);
        }
    }
}
