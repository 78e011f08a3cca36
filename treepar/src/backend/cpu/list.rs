//! Links in any order: ranks of lists, and the preorder of a forest.
//!
//! For ranks each row follows its list to a row whose rank is known, and returns along it with the ranks. Threads take blocks of
//! rows. They see ranks of others early or late, and write equal ones. So a list is walked at most once
//! per thread, and the result does not depend on the number of threads.

use super::join::join;
use super::scatter::Shared;
use super::{Cpu, CpuVec};
use crate::backend::Followed;
use crate::{Backend, Result};

/// No row, and no rank.
const NONE: u32 = u32::MAX;

/// Computes for each row the number of links to the end of its list.
pub fn ranks(next: &[u32], out: &mut [u32], grain: usize) -> Followed {
    if next.len() <= grain && ranks_of_lists(next, out) {
        return Followed::ToTheEnd;
    }
    ranks_in_blocks(next, out, grain)
}

/// [`ranks`] by one thread, if each row follows at most one other. Returns `false` if not, or if lists have no end. A list is followed from
/// its first row, so that no step looks whether its row has a rank.
fn ranks_of_lists(next: &[u32], out: &mut [u32]) -> bool {
    let mut is_first = vec![true; next.len()];
    for &row in next {
        if let Some(is_first) = is_first.get_mut(row as usize)
            && !std::mem::replace(is_first, false)
        {
            return false;
        }
    }
    let mut rows = 0;
    for (first, _) in is_first.iter().enumerate().filter(|(_, is_first)| **is_first) {
        let (mut at, mut rank) = (first, 0);
        while next[at] != NONE {
            at = next[at] as usize;
            rank += 1;
        }
        rows += rank as usize + 1;
        at = first;
        while rank > 0 {
            out[at] = rank;
            at = next[at] as usize;
            rank -= 1;
        }
        out[at] = 0;
    }
    rows == next.len()
}

/// [`ranks`] in blocks of rows, of lists that may join or have no end.
fn ranks_in_blocks(next: &[u32], out: &mut [u32], grain: usize) -> Followed {
    out.fill(NONE);
    match block(next, Shared::new(out), 0..next.len(), grain) {
        Ok(()) => Followed::ToTheEnd,
        Err(row) => Followed::IntoCycle(row),
    }
}

/// Computes the ranks of some rows. An error is the first of them whose list has no end.
fn block(
    next: &[u32],
    ranks: Shared<u32>,
    rows: std::ops::Range<usize>,
    grain: usize,
) -> std::result::Result<(), usize> {
    if rows.len() > grain {
        let middle = rows.start + rows.len() / 2;
        let (left, right) =
            join(|| block(next, ranks, rows.start..middle, grain), || block(next, ranks, middle..rows.end, grain));
        return left.and(right);
    }
    for row in rows {
        let (mut at, mut steps) = (row, 0);
        let known = loop {
            let rank = ranks.read(at);
            if rank != NONE {
                break rank;
            }
            if next[at] == NONE {
                break 0;
            }
            at = next[at] as usize;
            steps += 1;
            if steps as usize > next.len() {
                return Err(row);
            }
        };
        at = row;
        for rank in (known + 1..=known + steps).rev() {
            ranks.write(at, rank);
            at = next[at] as usize;
        }
        ranks.write(at, known);
    }
    Ok(())
}

/// Computes the depth and the row of each node in preorder, by one thread: the time is that of reads at random places, which a
/// ranking of lists has many more of.
pub fn preorder(cpu: &Cpu, parent: &[u32], depth: &mut [u32], row: &mut [u32]) -> Result<Followed> {
    let n = parent.len();
    // The first child and the next sibling of each row, together, so that a visit reads one place of memory.
    let mut links: CpuVec<u64> = cpu.allocate(n)?;
    let links: &mut [[u32; 2]] = bytemuck::cast_slice_mut(&mut links[..]);
    links.fill([NONE; 2]);
    let mut root = NONE;
    for (i, &parent) in parent.iter().enumerate().rev() {
        let first = if parent == NONE { &mut root } else { &mut links[parent as usize][0] };
        links[i][1] = std::mem::replace(first, i as u32);
    }
    // The row to visit, and of each node on the path to it the next sibling.
    let (mut at, mut siblings) = (root, Vec::new());
    let mut nodes = 0;
    loop {
        if at == NONE {
            let Some(sibling) = siblings.pop() else { break };
            at = sibling;
            continue;
        }
        (depth[nodes], row[nodes]) = (siblings.len() as u32, at);
        nodes += 1;
        let [child, sibling] = links[at as usize];
        // A leaf needs no path of its own.
        if child != NONE {
            siblings.push(sibling);
            at = child;
        } else {
            at = sibling;
        }
    }
    if nodes == n {
        return Ok(Followed::ToTheEnd);
    }
    let mut is_reached = vec![false; n];
    row[..nodes].iter().for_each(|&row| is_reached[row as usize] = true);
    Ok(is_reached.iter().position(|reached| !reached).map_or(Followed::ToTheEnd, Followed::IntoCycle))
}
