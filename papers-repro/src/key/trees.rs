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

/// A tree in contiguous memory.
pub struct Arena {
    /// For each node, `true` if it is an expression.
    pub is_expression: Vec<bool>,
    /// The index in `children` of each node's first child, with one more entry for the end.
    pub first: Vec<u32>,
    /// The children of all nodes, grouped by parent.
    pub children: Vec<u32>,
}

impl Arena {
    /// Creates a tree from the depths of a non-empty tree.
    pub fn new(depths: &[u32], is_expression: &[u8]) -> Arena {
        let n = depths.len();
        let (mut path, mut parent) = (Vec::new(), Vec::with_capacity(n));
        for (i, &depth) in depths.iter().enumerate() {
            path.truncate(depth as usize);
            parent.push(path.last().copied());
            path.push(i as u32);
        }
        let mut first = vec![0u32; n + 1];
        parent.iter().flatten().for_each(|&p: &u32| first[p as usize + 1] += 1);
        for i in 0..n {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut children = vec![0; n - 1];
        for (i, p) in parent.iter().enumerate() {
            if let Some(p) = *p {
                children[next[p as usize] as usize] = i as u32;
                next[p as usize] += 1;
            }
        }
        Arena { is_expression: is_expression.iter().map(|&e| e != 0).collect(), first, children }
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
        let (boxed, arena) = (BoxedTree::new(&depths, &inner), Arena::new(&depths, &inner));
        let mut waiting = vec![&boxed];
        while let Some(tree) = waiting.pop() {
            let numbers: Vec<u32> = tree.children.iter().map(|child| child.node).collect();
            assert_eq!(numbers, arena.children(tree.node));
            waiting.extend(&tree.children);
        }
    }
}
