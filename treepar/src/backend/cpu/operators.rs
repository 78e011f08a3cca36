//! Operator-precedence parsing by Floyd's stack: see [`crate::operators`].
//!
//! Each block of symbols has a stack of its own. A symbol that ends operators of earlier blocks is an *outcome* of its block,
//! as is a closing bracket without an opening one. Of several such symbols only those are outcomes that bind less tightly
//! than all before them, so a block has few. Blocks are joined in order: the outcomes of a block change the stack of all
//! symbols before it, and what is left on the block's stack comes on top.
//!
//! ```text
//! a * b ^ c | + d * ( e + f | ) - g        blocks
//!             +               ) -          outcomes
//!    * ^      + *(+           -            stacks, without outcomes
//! ```
//!
//! A node that begins before its block has the number of an outcome instead of its first row. The number is below the rows of
//! the block: a block that is not the first has at most as many rows as there are before it.

use super::scatter::Shared;
use super::sort::each;
use super::{Cpu, CpuVec};
use crate::depth::NO_NODE;
use crate::operators::{
    Form, LEAST_OPERATOR, OPERAND_OR_END_FOLLOWS, Symbol, check_end, check_open, check_place, fits, follows, level,
};
use crate::{Backend, Result};

/// One node that begins at a row, or ends before it, in a row's counts.
const BEGIN: u64 = 1;
const END: u64 = 1 << 32;

/// The level of an open bracket, below all operators.
const BRACKET: u32 = 0;

/// An operator that may get a longer operand, or an open bracket.
#[derive(Clone, Copy)]
struct Open {
    /// The level of an operator, or [`BRACKET`].
    level: u32,
    /// The first row of its node.
    first: u32,
    /// A bracket's symbol.
    symbol: Symbol,
}

/// A symbol that ends operators of earlier blocks.
struct Outcome {
    row: u32,
    /// The least level that it ends.
    ends: u32,
    symbol: Symbol,
    /// The number of nodes of its block that begin where the operand before it begins.
    nodes: u32,
    /// The first row of that operand, if it ends no operators of earlier blocks; when blocks are joined, in any case.
    first: u32,
}

/// The result of a block.
#[derive(Default)]
struct Block {
    outcomes: Vec<Outcome>,
    stack: Vec<Open>,
    /// The first row of the operand at the block's end; `NO_NODE` if there is none.
    operand: u32,
    /// The number of nodes that end with the block's last row.
    ends_after: u64,
    /// The first row that does not fit, if there is one.
    wrong: Option<usize>,
    /// The number of brackets that are open after the block, less those before it; and the most after one of its rows.
    open: i64,
    most_open: i64,
}

/// A block's rows, with the counts of nodes that begin and end there.
struct Rows<'a> {
    first: usize,
    counts: &'a mut [u64],
    firsts: &'a mut [u32],
    block: Block,
    /// The open nodes before the block, and all nodes before it.
    before: (u32, u32),
}

/// Parses symbols. Returns the depth and the row of each node, in preorder.
pub fn operators(cpu: &Cpu, symbols: &[Symbol]) -> Result<(CpuVec<u32>, CpuVec<u32>)> {
    let n = symbols.len();
    let grain = cpu.grain(n).max(1);
    // For each row, the nodes that begin there and those that end before it; later see `add_up`.
    let mut counts = cpu.allocate::<u64>(n)?;
    // The first row of each row's node, or the number of an outcome; `NO_NODE` for a row without a node.
    let mut firsts = cpu.allocate::<u32>(n)?;

    let mut blocks = in_blocks(&mut counts, &mut firsts, (0..n.div_ceil(grain)).map(|_| Block::default()), grain);
    each(&mut blocks, 0, &|_, rows| Parser::new(symbols, rows).run());
    let mut results: Vec<Block> = blocks.into_iter().map(|rows| rows.block).collect();
    join(symbols, &mut counts, &mut results, grain)?;

    let mut blocks = in_blocks(&mut counts, &mut firsts, results.into_iter(), grain);
    if blocks.len() > 1 {
        each(&mut blocks, 0, &|_, rows| rows.before = sums(rows.counts));
    }
    let (mut open, mut nodes) = (0u32, 0u32);
    for rows in &mut blocks {
        let (own_open, own_nodes) = std::mem::replace(&mut rows.before, (open, nodes));
        (open, nodes) = (open.wrapping_add(own_open), nodes.wrapping_add(own_nodes));
    }
    let last = blocks.len().saturating_sub(1);
    each(&mut blocks, 0, &|b, rows| {
        let total = add_up(rows.counts, rows.before);
        if b == last {
            rows.before.1 = total;
        }
    });
    let m = blocks.last().map_or(0, |rows| rows.before.1) as usize;
    let mut results: Vec<Block> = blocks.into_iter().map(|rows| rows.block).collect();

    let (mut depths, mut rows) = (cpu.allocate::<u32>(m)?, cpu.allocate::<u32>(m)?);
    let (depths_to, rows_to) = (Shared::new(&mut depths), Shared::new(&mut rows));
    each(&mut results, 0, &|b, block| {
        let (depths_to, rows_to) = (depths_to, rows_to);
        let rows = b * grain..n.min((b + 1) * grain);
        for (row, &first) in rows.clone().zip(&firsts[rows.clone()]) {
            if first == NO_NODE {
                continue;
            }
            let first = block.known(rows.start, first);
            let depth = counts[row] as u32;
            let node = ((counts[first as usize] >> 32) as u32).wrapping_add(depth) as usize;
            depths_to.write(node, depth);
            rows_to.write(node, row as u32);
        }
    });
    Ok((depths, rows))
}

/// Divides rows into blocks.
fn in_blocks<'a>(
    counts: &'a mut [u64],
    firsts: &'a mut [u32],
    blocks: impl Iterator<Item = Block>,
    grain: usize,
) -> Vec<Rows<'a>> {
    let columns = counts.chunks_mut(grain).zip(firsts.chunks_mut(grain)).zip(blocks);
    let rows = columns.enumerate().map(|(b, ((counts, firsts), block))| Rows {
        first: b * grain,
        counts,
        firsts,
        block,
        before: (0, 0),
    });
    rows.collect()
}

impl Block {
    /// Returns the first row that a row of the block states, which may be the number of an outcome. `begin` is the first row of
    /// the block.
    fn known(&self, begin: usize, first: u32) -> u32 {
        if (first as usize) < begin { self.outcomes[first as usize].first } else { first }
    }
}

/// Finds the intervals of a block's nodes.
struct Parser<'a, 'b> {
    symbols: &'a [Symbol],
    rows: &'a mut Rows<'b>,
    /// The level of the last outcome: symbols that bind more tightly end no other operators of earlier blocks.
    least: u32,
    operand: u32,
}

impl<'a, 'b> Parser<'a, 'b> {
    fn new(symbols: &'a [Symbol], rows: &'a mut Rows<'b>) -> Parser<'a, 'b> {
        Parser { symbols, rows, least: u32::MAX, operand: NO_NODE }
    }

    fn run(mut self) {
        let first = self.rows.first;
        self.rows.counts.fill(0);
        let symbols = &self.symbols[first..first + self.rows.counts.len()];
        let mut expected = match first.checked_sub(1) {
            Some(before) => follows(self.symbols[before].form),
            None => OPERAND_OR_END_FOLLOWS,
        };
        for (i, &symbol) in symbols.iter().enumerate() {
            if !(fits(symbol.form, expected) && self.take(i, symbol)) {
                self.rows.block.wrong = Some(first + i);
                break;
            }
            expected = follows(symbol.form);
        }
        self.rows.block.operand = self.operand;
    }

    /// Takes the symbol of row i of the block; returns whether its brackets fit.
    #[inline(always)]
    fn take(&mut self, i: usize, symbol: Symbol) -> bool {
        let row = (self.rows.first + i) as u32;
        let mut first = NO_NODE;
        match symbol.form {
            Form::Operand => {
                (first, self.operand) = (row, row);
                self.rows.counts[i] += BEGIN;
                self.end_after(i);
            }
            Form::Prefix => {
                first = row;
                self.rows.counts[i] += BEGIN;
                self.rows.block.stack.push(Open { level: level(symbol), first, symbol });
            }
            Form::Group => self.open(row, symbol),
            Form::List => {
                first = row;
                self.rows.counts[i] += BEGIN;
                self.open(row, symbol);
            }
            Form::Separator => {
                self.end(i, LEAST_OPERATOR, symbol);
                if self.rows.block.stack.last().is_some_and(|top| top.symbol.form == Form::Group) {
                    return false;
                }
            }
            Form::Close => {
                self.end(i, LEAST_OPERATOR, symbol);
                self.rows.block.open -= 1;
                match self.rows.block.stack.pop() {
                    Some(opening) if opening.symbol.bracket != symbol.bracket => return false,
                    Some(opening) => {
                        self.operand = opening.first;
                        if opening.symbol.form != Form::Group {
                            self.end_after(i);
                        }
                    }
                    // Earlier blocks may have the opening bracket.
                    None if self.rows.first == 0 => return false,
                    None => {}
                }
            }
            _ => {
                let level = level(symbol);
                self.end(i, level + u32::from(symbol.form == Form::Right), symbol);
                first = self.operand;
                self.begin(first);
                match symbol.form {
                    Form::Postfix => self.end_after(i),
                    Form::Call => self.open(first, symbol),
                    _ => self.rows.block.stack.push(Open { level, first, symbol }),
                }
            }
        }
        self.rows.firsts[i] = first;
        true
    }

    /// Opens a bracket of a node that begins at row `first`.
    fn open(&mut self, first: u32, symbol: Symbol) {
        let block = &mut self.rows.block;
        block.stack.push(Open { level: BRACKET, first, symbol });
        block.open += 1;
        block.most_open = block.most_open.max(block.open);
    }

    /// Counts a node that begins at a row before its own.
    fn begin(&mut self, first: u32) {
        match (first as usize).checked_sub(self.rows.first) {
            Some(i) => self.rows.counts[i] += BEGIN,
            None => self.rows.block.outcomes[first as usize].nodes += 1,
        }
    }

    /// Counts a node that ends with row i.
    fn end_after(&mut self, i: usize) {
        match self.rows.counts.get_mut(i + 1) {
            Some(count) => *count += END,
            None => self.rows.block.ends_after += END,
        }
    }

    /// Ends the operators that bind at least as tightly as level `ends`, before row i.
    #[inline(always)]
    fn end(&mut self, i: usize, ends: u32, symbol: Symbol) {
        let block = &mut self.rows.block;
        while let Some(&top) = block.stack.last() {
            if top.level < ends {
                return;
            }
            self.rows.counts[i] += END;
            self.operand = top.first;
            block.stack.pop();
        }
        let is_close = symbol.form == Form::Close;
        if self.rows.first > 0 && (ends < self.least || is_close) {
            self.least = if is_close { u32::MAX } else { ends };
            let (row, first) = ((self.rows.first + i) as u32, self.operand);
            self.operand = block.outcomes.len() as u32;
            block.outcomes.push(Outcome { row, ends, symbol, nodes: 0, first });
        }
    }
}

/// Joins blocks of `grain` rows in order.
fn join(symbols: &[Symbol], counts: &mut [u64], blocks: &mut [Block], grain: usize) -> Result<()> {
    let n = symbols.len();
    let mut stack: Vec<Open> = Vec::new();
    let (mut operand, mut open) = (NO_NODE, 0);
    for (b, block) in blocks.iter_mut().enumerate() {
        for o in 0..block.outcomes.len() {
            let own = block.outcomes[o].first;
            if own != NO_NODE {
                operand = block.known(b * grain, own);
            }
            let outcome = &mut block.outcomes[o];
            let row = outcome.row as usize;
            while let Some(&top) = stack.last()
                && top.level >= outcome.ends
            {
                counts[row] += END;
                operand = top.first;
                stack.pop();
            }
            if outcome.symbol.form == Form::Close {
                let opening = stack.pop().filter(|opening| opening.symbol.bracket == outcome.symbol.bracket);
                let Some(opening) = opening else { return check_place(row, n) };
                operand = opening.first;
                if opening.symbol.form != Form::Group && row + 1 < n {
                    counts[row + 1] += END;
                }
            } else if outcome.symbol.form == Form::Separator
                && stack.last().is_some_and(|top| top.symbol.form == Form::Group)
            {
                return check_place(row, n);
            }
            outcome.first = operand;
            if let Some(count) = counts.get_mut(operand as usize) {
                *count += u64::from(outcome.nodes) * BEGIN;
            }
        }
        check_place(block.wrong.unwrap_or(n), n)?;
        check_open((open + block.most_open).clamp(0, u32::MAX.into()) as u32)?;
        open += block.open;
        let known = |first| block.known(b * grain, first);
        stack.extend(block.stack.iter().map(|top| Open { first: known(top.first), ..*top }));
        if block.operand != NO_NODE {
            operand = known(block.operand);
        }
        if let Some(count) = counts.get_mut((b + 1) * grain) {
            *count += block.ends_after;
        }
    }
    match symbols.last() {
        Some(last) => check_end(n, open as u32, last.form),
        None => Ok(()),
    }
}

/// Returns the nodes that begin in a block less those that end, and those that begin.
fn sums(counts: &[u64]) -> (u32, u32) {
    let sum = counts.iter().fold(0u64, |sum, &count| sum.wrapping_add(count));
    let ends = counts.iter().fold(0u32, |ends, &count| ends.wrapping_add((count >> 32) as u32));
    ((sum as u32).wrapping_sub(ends), sum as u32)
}

/// Replaces each row's counts by the depth of the innermost node around it, and in the upper half the index of the first node
/// that begins there less its depth. Returns the number of nodes.
fn add_up(counts: &mut [u64], (mut open, mut nodes): (u32, u32)) -> u32 {
    for count in counts {
        let (begins, ends) = (*count as u32, (*count >> 32) as u32);
        open = open.wrapping_sub(ends);
        let lead = nodes.wrapping_sub(open);
        open = open.wrapping_add(begins);
        nodes = nodes.wrapping_add(begins);
        *count = u64::from(lead) << 32 | u64::from(open.wrapping_sub(1));
    }
    nodes
}
