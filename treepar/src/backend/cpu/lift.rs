//! Lifting with one stack per block of nodes: see [`crate::key::lift`].
//!
//! A node is *covered* if a marked node of its block is above it. A loop over the covered nodes in reverse keeps those that wait for
//! their nearest marked ancestor on a stack, the first on top. A marked node takes the nodes of its subtree from the stack: they are its
//! part, in order. Then it waits itself.
//!
//! ```text
//! node      0  1  2  3 | 4  5  6  7  8 |      blocks
//! marked    F  .  F  . | .  .  .  .  . |
//! depth     0  1  2  3 | 4  4  4  2  3 |
//! covered      x  x  x |               |      by node 0
//! waiting   0          | 4 5 6 7 8     |      nodes that are not covered; a stage is a run of them with one least depth
//! least     0          | 4 4 4 2 2     |
//! open        2   0    |               |      marked nodes whose subtrees go on after the block, the last first
//! ```
//!
//! A node that is not covered belongs to an open node of an earlier block: the nearest that is less deep than the least depth up to it.
//! So a first loop counts such nodes by least depth (*stages*), and finds covered runs and open nodes. A pass over these lists in order
//! finds the rows that each block writes, and *spans*: runs of waiting nodes of one block with one owner. A second loop writes the rows
//! of covered nodes, and a third those of the others into their spans. One block alone has no spans, except of nodes without a marked
//! ancestor.
//!
//! The first loop reads 64 nodes at once, and looks at single ones only where a node is not covered or open.

use std::ops::Range;

use super::each::{self, Slot};
use crate::depth::NO_NODE;
use crate::device::Slices;
use crate::key::LiftedRow;

/// The bytes of a node's depth and mark, which two loops read.
pub const BYTES: usize = 2 * (size_of::<u32>() + size_of::<u8>());

/// Nodes that the first loop reads at once.
const CHUNK: usize = 64;

/// Nodes of a block that wait at its beginning, after the same least depth.
struct Stage {
    least: u32,
    count: u32,
}

/// A marked node whose subtree goes on after its block.
struct Open {
    node: u32,
    depth: u32,
}

/// The result of the first loop over a block.
struct Survey {
    /// The rows of the block's parts, without the nodes of later blocks.
    rows: usize,
    /// The nodes that wait, in order. The first node of a least depth always begins a stage.
    stages: Vec<Stage>,
    /// The marked nodes that are not covered, each with the nodes that it covers.
    covers: Vec<Range<usize>>,
    /// The open nodes, the last first.
    open: Vec<Open>,
}

/// A block and the rows that it writes.
struct Block {
    nodes: Range<usize>,
    rows: Range<usize>,
    /// The marked nodes that are not covered, each with the nodes that it covers.
    covers: Vec<Range<usize>>,
    /// The open nodes that get nodes of later blocks, the last first, and how many.
    gets: Vec<(u32, u32)>,
}

/// Consecutive rows of waiting nodes of one block.
struct Span {
    /// The block that the nodes come from.
    source: usize,
    count: usize,
    /// The depth of their owner, or 0 if they have none.
    above: u32,
    /// The block of their owner, or `None` if they have none.
    owner: Option<usize>,
    /// `true` if these are the first rows of later blocks in the owner's part.
    is_first: bool,
}

/// A block whose parts are written, with what is left to write.
struct Source<S> {
    block: Block,
    /// The row of the root of each part whose marked node is not covered, the last first.
    roots: Vec<u32>,
    /// The spans of the nodes that are not covered, with their rows.
    spans: Vec<(Span, S)>,
}

/// A node that waits for its nearest marked ancestor.
struct Waiting {
    node: u32,
    depth: u32,
    /// The row of the root of its own part, or [`NO_NODE`] if it is not marked.
    root: u32,
}

impl Waiting {
    fn row(&self, above: u32) -> LiftedRow {
        LiftedRow::part(self.node, self.depth - above, self.root)
    }
}

/// The rows that each block writes, and the spans.
pub struct Plan {
    blocks: Vec<Block>,
    spans: Vec<Span>,
    /// The number of nodes without a marked ancestor.
    outside: usize,
    backwards: bool,
}

impl Plan {
    /// Surveys blocks of `size` nodes. With `backwards` the last part comes first.
    pub fn new(depth: &[u32], mark: &[u8], size: usize, backwards: bool) -> Plan {
        let n = depth.len();
        let ranges: Vec<Range<usize>> = (0..n).step_by(size).map(|first| first..(first + size).min(n)).collect();
        let surveys = on_each(ranges.clone(), &|nodes| survey(depth, mark, nodes));
        let (mut blocks, spans) = joined(ranges, surveys);
        let outside = spans.iter().filter(|span| span.owner.is_none()).map(|span| span.count).sum();
        let mut at = if backwards { 0 } else { outside };
        in_order(&mut blocks, backwards, |block| {
            block.rows = at..at + block.rows.len();
            at = block.rows.end;
        });
        Plan { blocks, spans, outside, backwards }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len()).sum::<usize>() + self.outside
    }

    /// Writes all rows.
    pub fn write<S: Slices>(self, depth: &[u32], mark: &[u8], rows: S, row: &(impl Fn(LiftedRow) -> S::Row + Sync)) {
        let Plan { mut blocks, spans, outside, backwards } = self;
        let parts = blocks.iter().map(|block| block.rows.len()).sum();
        let (mut outside, mut rest) = if backwards {
            let (parts, outside) = rows.split_at(parts);
            (Some(outside), parts)
        } else {
            let (outside, parts) = rows.split_at(outside);
            (Some(outside), parts)
        };
        if backwards {
            blocks.reverse();
        }
        let mut items: Vec<(Block, S)> = Vec::with_capacity(blocks.len());
        for block in blocks {
            let (own, after) = rest.split_at(block.rows.len());
            items.push((block, own));
            rest = after;
        }
        if backwards {
            items.reverse();
        }
        let written = on_each(items, &|(block, rows)| {
            let (roots, gaps) = write(depth, mark, &block, rows, backwards, row);
            (block, roots, gaps)
        });

        let mut gaps = Vec::with_capacity(written.len());
        let mut sources: Vec<Source<S>> = Vec::with_capacity(written.len());
        for (block, roots, of_block) in written {
            gaps.push(of_block.into_iter());
            sources.push(Source { block, roots, spans: Vec::new() });
        }
        let mut rest = None;
        for span in spans {
            if span.is_first {
                rest = match span.owner {
                    Some(owner) => gaps[owner].next(),
                    None => outside.take(),
                };
            }
            if let Some(rows) = rest.take() {
                let (own, after) = rows.split_at(span.count);
                sources[span.source].spans.push((span, own));
                rest = Some(after);
            }
        }
        sources.retain(|source| !source.spans.is_empty());
        on_each(sources, &|source| write_spans(depth, source, row));
    }
}

/// Calls `work` on each item, on several threads if there are several items.
fn on_each<T: Send, R: Send>(items: Vec<T>, work: &(impl Fn(T) -> R + Sync)) -> Vec<R> {
    let mut slots: Vec<Slot<T, R>> = items.into_iter().map(Slot::Item).collect();
    each::run(&mut slots, work);
    slots.into_iter().map(Slot::result).collect()
}

/// Calls `work` on each block in the order of its rows.
fn in_order(blocks: &mut [Block], backwards: bool, work: impl FnMut(&mut Block)) {
    if backwards { blocks.iter_mut().rev().for_each(work) } else { blocks.iter_mut().for_each(work) }
}

/// Returns whether a depth is less than `limit`, without leaving the loop early, so that it runs in vectors.
fn has_less(depths: &[u32], limit: u32) -> bool {
    depths.iter().fold(false, |has, &depth| has | (depth < limit))
}

/// Counts the rows of a block, and finds the nodes that wait and those that are open.
fn survey(depth: &[u32], mark: &[u8], nodes: Range<usize>) -> Survey {
    let (depths, marks) = (&depth[nodes.clone()], &mark[nodes.clone()]);
    let mut survey = Survey { rows: nodes.len(), stages: Vec::new(), covers: Vec::new(), open: Vec::new() };
    // Nodes below this depth belong to a marked node of the block, until one is not below it.
    let mut covered = u32::MAX;
    let mut least = u32::MAX;
    for (first, (depths, marks)) in nodes.clone().step_by(CHUNK).zip(depths.chunks(CHUNK).zip(marks.chunks(CHUNK))) {
        survey.rows += usize::from(marks.iter().map(|&mark| u8::from(mark != 0)).sum::<u8>());
        if covered != u32::MAX && !has_less(depths, covered + 1) {
            continue;
        }
        for (i, (&depth, &mark)) in (first..).zip(depths.iter().zip(marks)) {
            if depth > covered {
                continue;
            }
            if covered != u32::MAX {
                end_cover(&mut survey.covers, i);
                covered = u32::MAX;
            }
            if mark != 0 {
                survey.covers.push(i..nodes.end);
                covered = depth;
            }
            if depth < least || survey.stages.is_empty() {
                survey.stages.push(Stage { least: depth, count: 0 });
                least = depth;
            }
            survey.rows -= 1;
            if let Some(stage) = survey.stages.last_mut() {
                stage.count += u32::from(!is_dropped(depth, mark));
            }
        }
    }
    // The subtree of a node goes on after the block if all later depths are greater.
    let mut limit = depth.get(nodes.end).copied().unwrap_or(0);
    let mut end = nodes.end;
    while end > nodes.start && limit > least {
        let first = end.saturating_sub(CHUNK).max(nodes.start);
        if has_less(&depth[first..end], limit) {
            for i in (first..end).rev() {
                if depth[i] < limit {
                    limit = depth[i];
                    if mark[i] != 0 {
                        survey.open.push(Open { node: i as u32, depth: limit });
                    }
                }
            }
        }
        end = first;
    }
    survey
}

/// Ends the last run of covered nodes before node `i`.
fn end_cover(covers: &mut [Range<usize>], i: usize) {
    if let Some(last) = covers.last_mut() {
        last.end = i;
    }
}

/// Returns whether a node is a marked root: it moves as a whole, and nothing replaces it.
fn is_dropped(depth: u32, mark: u8) -> bool {
    depth == 0 && mark != 0
}

/// Finds the owners of all waiting nodes. The spans of each source are in order, and so are those of each owner.
fn joined(ranges: Vec<Range<usize>>, surveys: Vec<Survey>) -> (Vec<Block>, Vec<Span>) {
    let mut spans: Vec<Span> = Vec::new();
    // The stages that still wait, the first on top, and their blocks.
    let mut waiting: Vec<(Stage, usize)> = Vec::new();
    let mut blocks: Vec<Block> = Vec::with_capacity(ranges.len());
    for (at, (nodes, survey)) in ranges.into_iter().zip(surveys).enumerate().rev() {
        let mut block = Block { nodes, rows: 0..survey.rows, covers: survey.covers, gets: Vec::new() };
        for open in &survey.open {
            if waiting.is_empty() {
                break;
            }
            let (first, mut count) = (spans.len(), 0);
            while let Some((stage, source)) = waiting.pop_if(|(stage, _)| stage.least > open.depth) {
                add(&mut spans, first, Some(at), source, &stage, open.depth);
                count += stage.count;
            }
            if count > 0 {
                block.gets.push((open.node, count));
                block.rows.end += count as usize;
            }
        }
        waiting.extend(survey.stages.into_iter().rev().map(|stage| (stage, at)));
        blocks.push(block);
    }
    blocks.reverse();
    let first = spans.len();
    for (stage, source) in waiting.into_iter().rev() {
        add(&mut spans, first, None, source, &stage, 0);
    }
    (blocks, spans)
}

/// Adds the nodes of a stage to the spans of one owner, which are those from `first` on.
fn add(spans: &mut Vec<Span>, first: usize, owner: Option<usize>, source: usize, stage: &Stage, above: u32) {
    let count = stage.count as usize;
    match spans[first..].last_mut() {
        Some(last) if last.source == source => last.count += count,
        last if count > 0 => {
            let is_first = last.is_none();
            spans.push(Span { source, count, above, owner, is_first });
        }
        _ => {}
    }
}

/// Writes the rows of a block's parts. Returns the row of the root of each part whose marked node is not covered, the last first, and the rows
/// that each open node keeps free for the nodes of later blocks.
fn write<S: Slices>(
    depth: &[u32],
    mark: &[u8],
    block: &Block,
    rows: S,
    backwards: bool,
    row: &impl Fn(LiftedRow) -> S::Row,
) -> (Vec<u32>, Vec<S>) {
    // The rows that are not written yet, or that no gap has cut off.
    let mut rows = rows.truncate(block.rows.len());
    let mut first_row = block.rows.start;
    let (mut waiting, mut roots, mut gaps): (Vec<Waiting>, Vec<u32>, Vec<S>) = Default::default();
    let mut gets = block.gets.iter();
    let mut next = gets.next();
    let mut at = if backwards { 0 } else { block.rows.len() };
    for cover in block.covers.iter().rev() {
        let nodes = cover.clone();
        for (i, (&depth, &mark)) in nodes.clone().zip(depth[nodes.clone()].iter().zip(&mark[nodes])).rev() {
            let node = i as u32;
            if mark == 0 {
                waiting.push(Waiting { node, depth, root: NO_NODE });
                continue;
            }
            let mut first = waiting.len();
            while first > 0 && waiting[first - 1].depth > depth {
                first -= 1;
            }
            let count = waiting.len() - first;
            let later = match next {
                Some(&(open, later)) if open == node => later as usize,
                _ => 0,
            };
            let part = 1 + count + later;
            let root = if backwards { at } else { at - part };
            at = if backwards { at + part } else { root };
            rows.set(root, row(LiftedRow::root(node)));
            for (k, waiting) in waiting[first..].iter().rev().enumerate() {
                rows.set(root + 1 + k, row(waiting.row(depth)));
            }
            waiting.truncate(first);
            waiting.push(Waiting { node, depth, root: (first_row + root) as u32 });
            if later > 0 {
                next = gets.next();
                let (before, after) = rows.split_at(root + 1 + count);
                let (gap, after) = after.split_at(later);
                gaps.push(gap);
                rows = if backwards { after } else { before };
                if backwards {
                    first_row += at;
                    at = 0;
                }
            }
        }
        // The node that covers all others of the run has taken them.
        roots.extend(waiting.pop().map(|waiting| waiting.root));
    }
    (roots, gaps)
}

/// Writes the rows of the nodes of a block that are not covered.
fn write_spans<S: Slices>(depth: &[u32], source: Source<S>, row: &impl Fn(LiftedRow) -> S::Row) {
    let Source { block, mut roots, spans } = source;
    let mut covers = block.covers.iter();
    let mut cover = covers.next();
    // The next node, and the end of the run of unmarked nodes that it is in.
    let mut node = block.nodes.start;
    let end = |cover: Option<&Range<usize>>| cover.map_or(block.nodes.end, |cover| cover.start);
    let mut run = end(cover);
    for (span, rows) in spans {
        let mut rows = rows.truncate(span.count);
        let mut k = 0;
        while k < span.count {
            let count = (run - node).min(span.count - k);
            for (k, (node, &depth)) in (k..).zip((node..).zip(&depth[node..node + count])) {
                rows.set(k, row(LiftedRow::part(node as u32, depth - span.above, NO_NODE)));
            }
            k += count;
            node += count;
            let Some(marked) = cover.filter(|_| node == run) else { continue };
            let is_root = depth[node] == 0;
            if k == span.count && !is_root {
                break;
            }
            let root = roots.pop().unwrap_or(NO_NODE);
            if !is_root {
                rows.set(k, row(LiftedRow::part(node as u32, depth[node] - span.above, root)));
                k += 1;
            }
            node = marked.end;
            cover = covers.next();
            run = end(cover);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    type Row = (u32, u32, u8, u32);

    fn lifted(depth: &[u32], mark: &[u8], size: usize, backwards: bool) -> Vec<Row> {
        let plan = Plan::new(depth, mark, size, backwards);
        let n = plan.rows();
        let (mut depths, mut origin, mut role, mut target) = (vec![0; n], vec![0; n], vec![9; n], vec![0; n]);
        let row = |row: LiftedRow| (row.depth, row.origin, row.role, row.target);
        plan.write(depth, mark, (&mut depths[..], &mut origin[..], &mut role[..], &mut target[..]), &row);
        (0..n).map(|r| (depths[r], origin[r], role[r], target[r])).collect()
    }

    /// The same by looking for each owner among all nodes before.
    fn expected(depth: &[u32], mark: &[u8], backwards: bool) -> Vec<Row> {
        let n = depth.len();
        let owner = |i: usize| {
            let is_above = |&j: &usize| depth[j..=i].iter().skip(1).all(|&d| d > depth[j]);
            (0..i).rev().find(|j| mark[*j] != 0 && is_above(j))
        };
        let owners: Vec<Option<usize>> = (0..n).map(owner).collect();
        let mut parts = vec![None];
        parts.extend((0..n).filter(|&g| mark[g] != 0).map(Some));
        if backwards {
            parts.reverse();
        }
        let mut rows: Vec<Row> = Vec::new();
        for part in parts {
            rows.extend(part.map(|g| (0, g as u32, 1, NO_NODE)));
            let above = part.map_or(0, |g| depth[g]);
            for i in (0..n).filter(|&i| owners[i] == part && !is_dropped(depth[i], mark[i])) {
                rows.push((depth[i] - above, i as u32, if mark[i] != 0 { 2 } else { 0 }, NO_NODE));
            }
        }
        let roots: Vec<(u32, usize)> = (0..rows.len()).filter(|&r| rows[r].2 == 1).map(|r| (rows[r].1, r)).collect();
        for row in rows.iter_mut().filter(|row| row.2 == 2) {
            row.3 = roots.iter().find(|(node, _)| *node == row.1).unwrap().1 as u32;
        }
        rows
    }

    #[test]
    fn blocks_of_any_size_give_the_same_rows() {
        let mut drawn = Drawn::new();
        let mut below = move |limit| drawn.below(limit);
        for case in 0..300 {
            let (n, marks, rise) = (below(90), below(5), below(4));
            let mut depth: Vec<u32> = Vec::new();
            for i in 0..n {
                let most = depth.last().map_or(0, |last| last + 1);
                // Chains, stairs, stars, forests and random trees.
                depth.push(match rise {
                    0 => most,
                    1 => i.min(1) * (n - i).min(most),
                    2 => below(3).min(most),
                    _ => below(most + 1).max(most.saturating_sub(2)),
                });
            }
            let mark: Vec<u8> = (0..n).map(|_| u8::from(below(4) < marks) * 7).collect();
            for backwards in [false, true] {
                let expected = expected(&depth, &mark, backwards);
                for size in [1, 2, 3, 7, 64, 65, 90] {
                    let found = lifted(&depth, &mark, size, backwards);
                    assert_eq!(found, expected, "case {case}, blocks of {size}: {depth:?} {mark:?}");
                }
            }
        }
    }
}
