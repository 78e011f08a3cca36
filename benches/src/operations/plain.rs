//! Plain sequential code for operations on forests.

use treepar::depth::NO_NODE;

use super::Scratch;

/// Copies the parents and checks that each one is an open ancestor when its child appears.
pub fn parents_checked(parents: &[u32], s: &mut Scratch) {
    s.spare.clear();
    s.fill(parents.iter().copied());
    for (i, &parent) in s.out.iter().enumerate() {
        while s.spare.last().is_some_and(|&top| top != parent) {
            s.spare.pop();
        }
        assert!(parent == NO_NODE || s.spare.last() == Some(&parent));
        s.spare.push(i as u32);
    }
}

/// Computes the parent of each node.
pub fn parents(depth: &[u32], s: &mut Scratch) {
    s.spare.clear();
    s.spare.push(NO_NODE);
    s.out.clear();
    for (i, &depth) in depth.iter().enumerate() {
        s.spare.truncate(depth as usize + 1);
        s.out.push(s.spare[depth as usize]);
        s.spare.push(i as u32);
    }
}

/// Computes the end of each subtree.
pub fn ends(depth: &[u32], out: &mut Vec<u32>, open: &mut Vec<u32>) {
    out.clear();
    out.resize(depth.len(), depth.len() as u32);
    open.clear();
    for (i, &depth) in depth.iter().enumerate() {
        while open.len() > depth as usize {
            if let Some(node) = open.pop() {
                out[node as usize] = i as u32;
            }
        }
        open.push(i as u32);
    }
}

/// Computes the nodes in level order and the first index of each level.
pub fn level_order(depth: &[u32], s: &mut Scratch) {
    s.second.clear();
    for &depth in depth {
        if s.second.len() <= depth as usize {
            s.second.resize(depth as usize + 1, 0);
        }
        s.second[depth as usize] += 1;
    }
    let mut sum = 0;
    for count in &mut s.second {
        sum += std::mem::replace(count, sum);
    }
    s.spare.clear();
    s.spare.extend_from_slice(&s.second);
    s.out.resize(depth.len(), 0);
    for (i, &depth) in depth.iter().enumerate() {
        let next = &mut s.spare[depth as usize];
        s.out[*next as usize] = i as u32;
        *next += 1;
    }
}

/// Computes each node's index among its siblings.
pub fn child_indices(depth: &[u32], s: &mut Scratch) {
    // For each depth: the number of children seen so far of the node open there.
    s.spare.clear();
    s.spare.push(0);
    s.out.clear();
    for &depth in depth {
        s.spare.truncate(depth as usize + 1);
        s.out.push(s.spare[depth as usize]);
        s.spare[depth as usize] += 1;
        s.spare.push(0);
    }
}

/// Computes the bracket sequence: each node opens a bracket, which closes after its subtree.
pub fn brackets(depth: &[u32], out: &mut Vec<u8>) {
    out.clear();
    let mut open = 0;
    for &depth in depth {
        while open > depth {
            out.push(0);
            open -= 1;
        }
        out.push(1);
        open += 1;
    }
    out.resize(2 * depth.len(), 0);
}

/// Computes depths from a bracket sequence.
pub fn from_brackets(brackets: &[u8], out: &mut Vec<u32>) {
    out.clear();
    let mut open = 0;
    for &bracket in brackets {
        if bracket != 0 {
            out.push(open);
            open += 1;
        } else {
            open -= 1;
        }
    }
}

/// Computes depths and rows of the nodes of a forest from parents in any order.
pub fn from_unordered_parents(parent: &[u32], s: &mut Scratch) {
    // The first child of each row, and the next sibling; the roots are a list of their own.
    let n = parent.len();
    let (mut child, mut sibling) = (vec![NO_NODE; n], vec![NO_NODE; n]);
    let mut roots = NO_NODE;
    for row in (0..n).rev() {
        let first = child.get_mut(parent[row] as usize).unwrap_or(&mut roots);
        sibling[row] = std::mem::replace(first, row as u32);
    }
    s.out.clear();
    s.second.clear();
    s.spare.clear();
    s.spare.extend((roots != NO_NODE).then_some(roots));
    // The next node of each open parent: as deep as there are open ones.
    while let Some(next) = s.spare.last_mut() {
        if *next == NO_NODE {
            s.spare.pop();
            continue;
        }
        let row = std::mem::replace(next, sibling[*next as usize]);
        s.out.push(s.spare.len() as u32 - 1);
        s.second.push(row);
        s.spare.push(child[row as usize]);
    }
}

/// Computes for each row the number of rows after it in its list.
pub fn ranks(next: &[u32], out: &mut Vec<u32>) {
    // A list is walked from its first row, which no other row names.
    let mut is_first = vec![true; next.len()];
    for &row in next {
        if let Some(is_first) = is_first.get_mut(row as usize) {
            *is_first = false;
        }
    }
    out.clear();
    out.resize(next.len(), 0);
    let rows =
        |first: u32| std::iter::successors(Some(first), |&row| Some(next[row as usize]).filter(|&row| row != NO_NODE));
    for first in (0..next.len() as u32).filter(|&row| is_first[row as usize]) {
        let mut rank = rows(first).count() as u32;
        for row in rows(first) {
            rank -= 1;
            out[row as usize] = rank;
        }
    }
}

/// Computes a mask of the marked nodes and all their descendants.
pub fn under(depth: &[u32], mark: &[u8], out: &mut Vec<u8>) {
    // A marked subtree ends at the next node that is not deeper than its root.
    out.clear();
    let mut open = u32::MAX;
    for (&depth, &mark) in depth.iter().zip(mark) {
        if depth <= open {
            open = if mark != 0 { depth } else { u32::MAX };
        }
        out.push(u8::from(open != u32::MAX));
    }
}

/// Computes each node's value from its parent's value, its index and its row. `root` is the parent value of a root.
pub fn down<T>(parents: &[u32], rows: &[T], s: &mut Scratch, root: u32, of: impl Fn(u32, u32, &T) -> u32) {
    s.out.clear();
    for ((i, &parent), row) in (0..).zip(parents).zip(rows) {
        let above = if parent == NO_NODE { root } else { s.out[parent as usize] };
        s.out.push(of(above, i, row));
    }
}

/// Computes the number of nodes on the longest downward path from each node.
pub fn heights(parents: &[u32], s: &mut Scratch) {
    s.fill(std::iter::repeat_n(0, parents.len()));
    for i in (0..parents.len()).rev() {
        s.out[i] += 1;
        let parent = parents[i];
        if parent != NO_NODE {
            s.out[parent as usize] = s.out[parent as usize].max(s.out[i]);
        }
    }
}

/// Computes Strahler numbers from the first two children of each node.
pub fn strahler_numbers(parents: &[u32], child: &[u32], s: &mut Scratch) {
    let slots = &mut s.spare;
    slots.clear();
    slots.resize(2 * parents.len(), 0);
    s.out.resize(parents.len(), 0);
    for i in (0..parents.len()).rev() {
        let (a, b) = (slots[2 * i], slots[2 * i + 1]);
        s.out[i] = if a == b { a + 1 } else { a.max(b) };
        let (parent, child) = (parents[i], child[i]);
        if parent != NO_NODE && child < 2 {
            slots[2 * parent as usize + child as usize] = s.out[i];
        }
    }
}

/// Computes the sum of each subtree.
pub fn sums(depth: &[u32], x: &[u32], s: &mut Scratch) {
    // A subtree's sum is the sum of all rows up to its end, minus the sum of all rows before it.
    s.out.resize(x.len(), 0);
    s.spare.clear();
    let mut sum = 0u32;
    for (i, (&depth, &x)) in depth.iter().zip(x).enumerate() {
        while s.spare.len() > depth as usize {
            if let Some(node) = s.spare.pop() {
                s.out[node as usize] = sum.wrapping_sub(s.out[node as usize]);
            }
        }
        s.spare.push(i as u32);
        s.out[i] = sum;
        sum = sum.wrapping_add(x);
    }
    for &node in &s.spare {
        s.out[node as usize] = sum.wrapping_sub(s.out[node as usize]);
    }
}

/// Moves each marked subtree to the end. Computes the node of each output row, and the moved subtree it refers to.
pub fn lifted(parents: &[u32], few: &[u8], s: &mut Scratch) {
    // `spare`: the nearest marked strict ancestor of each node.
    s.spare.clear();
    for &parent in parents {
        let owner = match parent {
            NO_NODE => NO_NODE,
            parent if few[parent as usize] != 0 => parent,
            parent => s.spare[parent as usize],
        };
        s.spare.push(owner);
    }
    // `begin`: for each marked node, first its subtree's size, then the index of its subtree's first output row.
    let [begin, next] = &mut s.spare_two;
    begin.clear();
    begin.resize(parents.len(), 0);
    let mut outside = 0;
    for (i, &owner) in s.spare.iter().enumerate() {
        if owner != NO_NODE {
            begin[owner as usize] += 1;
        } else if few[i] == 0 || parents[i] != NO_NODE {
            outside += 1;
        }
    }
    let mut at = outside;
    for (begin, _) in begin.iter_mut().zip(few).filter(|(_, mark)| **mark != 0) {
        at += 1 + std::mem::replace(begin, at);
    }
    s.out.resize(at as usize, 0);
    s.second.clear();
    s.second.resize(at as usize, NO_NODE);
    next.clear();
    next.extend(begin.iter().map(|&root| root + 1));
    let mut next_outside = 0;
    for (i, &owner) in s.spare.iter().enumerate() {
        let marked = few[i] != 0;
        if marked {
            s.out[begin[i] as usize] = i as u32;
        }
        if marked && parents[i] == NO_NODE {
            continue;
        }
        let row = if owner == NO_NODE { &mut next_outside } else { &mut next[owner as usize] };
        s.out[*row as usize] = i as u32;
        if marked {
            s.second[*row as usize] = begin[i];
        }
        *row += 1;
    }
}
