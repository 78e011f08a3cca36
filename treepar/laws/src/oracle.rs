//! The plainest sequential code that is right; it uses nothing of treepar.

/// No node.
pub const NONE: u32 = u32::MAX;

/// Parents of a depth vector, with the path as a stack.
pub fn parents(depth: &[u32]) -> Vec<u32> {
    let mut path: Vec<u32> = Vec::new();
    let mut parents = Vec::new();
    for (i, &d) in depth.iter().enumerate() {
        path.truncate(d as usize);
        parents.push(path.last().copied().unwrap_or(NONE));
        path.push(i as u32);
    }
    parents
}

/// One past the last node of each subtree.
pub fn ends(depth: &[u32]) -> Vec<u32> {
    let parents = parents(depth);
    let mut ends: Vec<u32> = (1..=depth.len() as u32).collect();
    for i in (0..depth.len()).rev() {
        if parents[i] != NONE {
            let p = parents[i] as usize;
            ends[p] = ends[p].max(ends[i]);
        }
    }
    ends
}

/// Returns the index of each node among its siblings.
pub fn child_indices(depth: &[u32]) -> Vec<u32> {
    let parents = parents(depth);
    let mut seen = std::collections::HashMap::new();
    parents
        .iter()
        .map(|&p| {
            let count = seen.entry(p).or_insert(0);
            *count += 1;
            *count - 1
        })
        .collect()
}

/// Places in postorder.
pub fn postorder(depth: &[u32]) -> Vec<u32> {
    let mut place = vec![0; depth.len()];
    let mut next = 0;
    let mut path: Vec<usize> = Vec::new();
    let mut close = |node: usize| {
        place[node] = next;
        next += 1;
    };
    for (i, &d) in depth.iter().enumerate() {
        while path.len() > d as usize {
            close(path.pop().unwrap());
        }
        path.push(i);
    }
    while let Some(node) = path.pop() {
        close(node);
    }
    place
}

/// 1 for each node where it opens, 0 where it closes.
pub fn brackets(depth: &[u32]) -> Vec<u8> {
    let mut brackets = Vec::new();
    let mut open = 0;
    for &d in depth.iter().chain([&0]) {
        while open > d {
            brackets.push(0);
            open -= 1;
        }
        brackets.push(1);
        open += 1;
    }
    brackets.pop();
    brackets
}

/// The affine map x -> m x + b modulo 2^32, as a pair; composition does not commute.
pub fn compose((m, b): (u32, u32), (m2, b2): (u32, u32)) -> (u32, u32) {
    (m.wrapping_mul(m2), b.wrapping_mul(m2).wrapping_add(b2))
}
