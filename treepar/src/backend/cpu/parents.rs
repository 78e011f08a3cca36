//! Whether a column has the parents of a forest in preorder.
//!
//! The parent of a row is the row before or one of its ancestors. A loop climbs from the row before as far as the parent: as many steps, in
//! all, as rows, since each row is at most one deeper than the one before. Blocks climb through rows of other blocks, which may be wrong;
//! as long as each climb goes to earlier rows, it ends, and the block of the first wrong row finds that row.

use std::ops::Range;

use super::join::join;

/// Returns whether each of the rows is `u32::MAX`, the row before, or an ancestor of the row before.
pub fn are_of_forest(parent: &[u32], rows: Range<usize>, grain: usize) -> bool {
    if rows.len() > grain {
        let middle = rows.start + rows.len() / 2;
        let (left, right) = join(
            || are_of_forest(parent, rows.start..middle, grain),
            || are_of_forest(parent, middle..rows.end, grain),
        );
        return left && right;
    }
    // Here rows count from 1, and 0 is no row.
    let parent_of = |row: u32| parent[row as usize - 1].wrapping_add(1);
    let mut above = if rows.start == 0 { 0 } else { parent_of(rows.start as u32) };
    for (before, &parent) in (rows.start as u32..).zip(&parent[rows]) {
        let wanted = parent.wrapping_add(1);
        if wanted != before {
            if above >= before && before > 0 {
                return false;
            }
            let mut row = above;
            while row > wanted {
                let next = parent_of(row);
                if next >= row {
                    return false;
                }
                row = next;
            }
            if row != wanted {
                return false;
            }
        }
        above = wanted;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same with a stack of the row before and its ancestors.
    fn expected(parent: &[u32]) -> bool {
        let mut open = vec![u32::MAX];
        (0..).zip(parent).all(|(i, parent)| {
            let found = open.iter().position(|open| open == parent);
            open.truncate(found.map_or(0, |at| at + 1));
            open.push(i);
            found.is_some()
        })
    }

    #[test]
    fn all_short_columns_are_judged_in_blocks_of_any_size() {
        for n in 0..6usize {
            // Each row is one of the rows, none, or no row at all.
            let choices = n as u32 + 2;
            for code in 0..choices.pow(n as u32) {
                let digit = |k: usize| code / choices.pow(k as u32) % choices;
                let parent: Vec<u32> =
                    (0..n).map(|k| if digit(k) == n as u32 + 1 { u32::MAX } else { digit(k) }).collect();
                for grain in 1..4 {
                    assert_eq!(are_of_forest(&parent, 0..n, grain), expected(&parent), "{parent:?}, {grain}");
                }
            }
        }
    }
}
