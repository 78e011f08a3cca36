//! Lifting of functions and flattening of expressions: nested parts of a forest become trees of their own.
//!
//! ```text
//! depth   0 1 2 2 1          depth   0 1 1 0 1 1      the marked node 1 becomes a reference to its part, which begins
//! mark    0 1 0 0 0          origin  0 1 4 1 2 3      with row 3
//!                            target  - 3 - - - -
//! ```
//!
//! Lifting has the unchanged nodes first and the parts in the order of the marked nodes. Flattening is backwards.

use treepar::depth::{Depths, NO_NODE};
use treepar::key::{Lifted, Role, lift};
use treepar::{Backend, Result};

use super::{Columns, Input, Rows};

fn parts<B: Backend>(backend: &B, input: &Input, backwards: bool) -> Result<Columns<B>> {
    let forest = Depths::new(backend.upload(&input.depth)?)?;
    let Lifted { forest, origin, role, target } = lift(&forest, &backend.upload(&input.mark)?, backwards)?;
    Ok(Columns { words: vec![forest.into_column(), origin, target], longs: vec![], bytes: vec![role] })
}

/// Lifts functions.
pub fn lifted<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    parts(backend, input, false)
}

/// Flattens expressions.
pub fn flattened<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    parts(backend, input, true)
}

/// Returns the parts, in two passes: the first finds the part of each node and counts, the second writes the rows.
fn plain_parts(input: &Input, backwards: bool) -> Rows {
    let n = input.depth.len();
    // The part of each node: 0 for unchanged nodes, and k for the k-th marked node.
    let mut part = Vec::with_capacity(n);
    let mut roots = vec![NO_NODE];
    let mut sizes = vec![0u32];
    // The parts of the open nodes' children.
    let mut open: Vec<u32> = Vec::new();
    for (node, (&depth, &mark)) in input.depth.iter().zip(&input.mark).enumerate() {
        open.truncate(depth as usize);
        let own = open.last().copied().unwrap_or(0);
        part.push(own);
        // A marked root moves as a whole, and nothing replaces it.
        if mark == 0 || depth > 0 {
            sizes[own as usize] += 1;
        }
        if mark != 0 {
            roots.push(node as u32);
            sizes.push(1);
            open.push(roots.len() as u32 - 1);
        } else {
            open.push(own);
        }
    }
    let mut begins = vec![0; sizes.len()];
    let mut m = 0;
    let mut place = |k: usize| {
        begins[k] = m;
        m += sizes[k];
    };
    if backwards {
        (0..sizes.len()).rev().for_each(&mut place);
    } else {
        (0..sizes.len()).for_each(&mut place);
    }
    let m = m as usize;
    let (mut depths, mut origin, mut target) = (vec![0; m], vec![0; m], vec![NO_NODE; m]);
    let mut role = vec![Role::Node as u8; m];
    let mut next = begins.clone();
    for (k, &root) in roots.iter().enumerate().skip(1) {
        let row = begins[k] as usize;
        (origin[row], role[row]) = (root, Role::Root as u8);
        next[k] += 1;
    }
    let mut marked = 0;
    for (node, &own) in part.iter().enumerate() {
        let is_marked = input.mark[node] != 0;
        marked += usize::from(is_marked);
        if is_marked && input.depth[node] == 0 {
            continue;
        }
        let own = own as usize;
        let row = next[own] as usize;
        next[own] += 1;
        let above = if own == 0 { 0 } else { input.depth[roots[own] as usize] };
        (depths[row], origin[row]) = (input.depth[node] - above, node as u32);
        if is_marked {
            (role[row], target[row]) = (Role::Reference as u8, begins[marked]);
        }
    }
    Rows { words: vec![depths, origin, target], bytes: vec![role], ..Rows::default() }
}

/// Lifts functions, one node after the other.
pub fn plain_lifted(input: &Input) -> Rows {
    plain_parts(input, false)
}

/// Flattens expressions, one node after the other.
pub fn plain_flattened(input: &Input) -> Rows {
    plain_parts(input, true)
}

pub fn edges() -> Vec<Input> {
    let inputs: [(&[u32], &[u8]); 6] = [
        (&[], &[]),
        (&[0], &[1]),
        (&[0, 1, 2, 2, 1], &[0, 1, 0, 0, 0]),
        (&[0, 1, 2, 3, 0, 1], &[1, 1, 1, 1, 0, 255]),
        (&[0, 0, 0], &[1, 0, 1]),
        (&[0, 1, 2, 1, 2, 3], &[1, 0, 1, 0, 1, 1]),
    ];
    let input = |(depth, mark): (&[u32], &[u8])| Input {
        nodes: depth.len().max(1),
        depth: depth.to_vec(),
        mark: mark.to_vec(),
        ..Input::default()
    };
    inputs.into_iter().map(input).collect()
}
