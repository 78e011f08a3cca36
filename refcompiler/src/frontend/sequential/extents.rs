//! Extents that are known when a program is compiled, and the operations whose arrays must agree in them.
//!
//! ```text
//! [[1, 2], [3, 4]]   2, 2          replicate[3, [1, 2]]   3, 2
//! iota[4]            4             e : [int; 5]           5
//! a                  the literal sizes of a read-only parameter; of another variable, none
//! ```
//!
//! The value of an operator has no known extents here: the checks at run time find the rest. So each operand is looked at once.

use std::ops::Range;

use super::array_errors::different_extents;
use super::cursor::Cursor;
use super::forest::Forest;
use super::operations::{Operand, children, span};
use super::types::rank_of;
use crate::ir::tree::{kind, runtime};

/// The extents of an array from the outermost dimension on, as far as they are known.
type Extents = Vec<Option<u32>>;

/// Returns the value of a literal.
fn literal(forest: &Forest, node: u32) -> Option<u32> {
    (forest.kind[node as usize] == kind::LITERAL).then(|| forest.data[node as usize])
}

/// Returns the known extents of the array that a node yields. Dimensions after the last one of the result are not known. The depth of
/// the recursion is at most the rank.
pub fn known(c: &Cursor<'_>, mut node: u32) -> Extents {
    let forest = &c.program.forest;
    while matches!(forest.kind[node as usize], kind::ASCRIBE | kind::ARG) {
        node -= 1;
    }
    let below = || children(forest, node);
    match forest.kind[node as usize] {
        kind::ARRAY => {
            let rows = below();
            let first = rows.last().map(|&row| known(c, row)).unwrap_or_default();
            std::iter::once(Some(rows.len() as u32)).chain(first).collect()
        }
        kind::REPLICATE => match below()[..] {
            [value, count] => std::iter::once(literal(forest, count)).chain(known(c, value)).collect(),
            _ => Extents::new(),
        },
        kind::CALL if forest.data[node as usize] == runtime::IOTA => match below()[..] {
            // The value comes before its ARG.
            [argument] => vec![literal(forest, argument - 1)],
            _ => Extents::new(),
        },
        kind::SHAPED => {
            let rank = rank_of(forest.ty[node as usize]) as usize;
            below().into_iter().take(rank).rev().map(|size| literal(forest, size)).collect()
        }
        kind::NAME => c.program.literal_sizes.get(&forest.data[node as usize]).cloned().unwrap_or_default(),
        _ => Extents::new(),
    }
}

/// Returns the positions and the extents of consecutive operands. The last one ends the forest.
fn operands(c: &Cursor<'_>, operands: &[Operand]) -> Vec<(Range<u32>, Extents)> {
    let ends = operands.iter().skip(1).map(|operand| operand.start).chain([c.program.forest.len()]);
    let of = |(operand, end): (&Operand, u32)| {
        let mut extents = if rank_of(operand.ty) > 0 || c.program.types.is_array(operand.ty) {
            known(c, end - 1)
        } else {
            Extents::new()
        };
        extents.resize(c.program.types.rank(operand.ty) as usize, None);
        (span(c, operand), extents)
    };
    operands.iter().zip(ends).map(of).collect()
}

/// Reports arrays that cannot be joined because known extents of their rows differ. The last array ends the forest.
pub fn check_inner(c: &mut Cursor<'_>, arrays: &[Operand]) {
    let mut all = operands(c, arrays);
    for (_, extents) in &mut all {
        extents.drain(..extents.len().min(1));
    }
    check_dimensions(c, &all);
}

/// Reports operands whose first extents are known and differ. The last operand ends the forest.
pub fn check_rows(c: &mut Cursor<'_>, arrays: &[Operand]) {
    let all = operands(c, arrays);
    let firsts = all.into_iter().filter_map(|(span, extents)| Some((span, extents.first().copied()??)));
    check(c, firsts.collect());
}

/// Reports operands whose known extents differ. An array of lower rank is repeated, so the last dimensions are compared. The last
/// operand ends the forest.
pub fn check_elements(c: &mut Cursor<'_>, arrays: &[Operand]) {
    let all = operands(c, arrays);
    check_dimensions(c, &all);
}

/// Reports the first extents that differ, from the last dimension to the first.
fn check_dimensions(c: &mut Cursor<'_>, all: &[(Range<u32>, Extents)]) {
    let rank = all.iter().map(|(_, extents)| extents.len()).max().unwrap_or_default();
    for k in 1..=rank {
        let of = |(span, extents): &(Range<u32>, Extents)| {
            let at = extents.len().checked_sub(k)?;
            Some((span.clone(), extents[at]?))
        };
        if check(c, all.iter().filter_map(of).collect()) {
            return;
        }
    }
}

/// Reports the first extent that differs from the first one. Returns whether there is any.
fn check(c: &mut Cursor<'_>, extents: Vec<(Range<u32>, u32)>) -> bool {
    let Some((first, rest)) = extents.split_first() else { return false };
    let Some(other) = rest.iter().find(|other| other.1 != first.1) else { return false };
    c.report(different_extents(first.clone(), other.clone()));
    true
}
