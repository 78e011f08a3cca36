//! Arbitrary arrays as arguments: each operation returns a result or the error that a plain check finds, and no
//! operation panics.

use treepar::ancestor::{LowestCommon, Of, nearest_enclosing};
use treepar::backend::{Offsets, ScanKind};
use treepar::compact::{compress, gather};
use treepar::dee::{Instructions, stream_fixpoint, stream_scans, tree_fixpoint};
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::key::{KeyColumn, Order, flatten, group_columns, lift};
use treepar::mask::Mask;
use treepar::monoid::Sum;
use treepar::path::{Encoding, PathMatrix};
use treepar::sort::inverse;
use treepar::text::{Automaton, nested, of_rows};
use treepar::{Backend, Error, Result, segment};

use crate::drawn::Rng;
use crate::texts::bytes_of_row;
use crate::{each_holds, put, rows};

/// Draws an array that may be wrong: any numbers, or a valid array with one row or the length changed.
fn spoiled(rng: &mut Rng, n: usize, right: Vec<u32>) -> Vec<u32> {
    let mut array = right;
    match rng.below(4) {
        0 => return rng.column(n),
        1 if !array.is_empty() => {
            let at = rng.below(array.len() as u32) as usize;
            array[at] = rng.one_of(&[0, 1, n as u32, u32::MAX, array[at] ^ 1]);
        }
        2 => array.truncate(rng.below(array.len() as u32 + 1) as usize),
        _ => array.push(rng.below(n as u32 + 2)),
    }
    array
}

/// Checks that a call fails with exactly this error, or succeeds if there is none.
fn ends_with<T>(found: Result<T>, expected: Option<Error>) {
    assert_eq!(found.err(), expected);
}

/// Checks that a call yields these depths, or else an error that is among the expected.
fn yields<B: Backend>(b: &B, found: Result<Depths<B>>, depth: Option<Vec<u32>>, is_expected: impl Fn(&Error) -> bool) {
    match (found, depth) {
        (Ok(forest), depth) => assert_eq!(Some(rows(b, forest.depths())), depth),
        (Err(error), None) => assert!(is_expected(&error), "{error:?}"),
        (Err(error), Some(depth)) => panic!("{error:?} for the forest {depth:?}"),
    }
}

/// Checks that a forest has these depths, or that the call fails with this error.
fn is_exactly<B: Backend>(b: &B, found: Result<Depths<B>>, expected: Result<Vec<u32>>) {
    assert_eq!(found.map(|forest| rows(b, forest.depths())), expected);
}

fn mismatch(array: &'static str, expected: usize, found: usize) -> Option<Error> {
    (expected != found).then_some(Error::LengthMismatch { array, expected, found })
}

/// Returns the error at the first row that is not below a limit.
fn outside(array: &'static str, rows: &[u32], limit: usize) -> Option<Error> {
    let index = rows.iter().position(|&row| row as usize >= limit)?;
    Some(Error::IndexOutOfRange { array, index, found: rows[index].into(), limit: limit as u64 })
}

/// Returns the error of a column that is not a permutation.
fn not_a_permutation(array: &'static str, rows: &[u32]) -> Option<Error> {
    outside(array, rows, rows.len()).or_else(|| {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1])?;
        Some(Error::DuplicateTarget { target: twice[0].into() })
    })
}

/// Returns the error at the last offset that is above the next one, or above n.
fn wrong_offset(offsets: &[u32], n: usize) -> Option<Error> {
    let limit = |s: usize| offsets.get(s + 1).map_or(n as u64, |&next| next.into());
    let index = (0..offsets.len()).rev().find(|&s| u64::from(offsets[s]) > limit(s))?;
    Some(Error::InvalidOffset { index, found: offsets[index].into(), limit: limit(index) })
}

/// Returns the error of offsets that do not assign each of n rows to a segment.
fn wrong_owners(offsets: &[u32], n: usize) -> Option<Error> {
    wrong_offset(offsets, n).or_else(|| {
        let found = offsets.first().map_or(n as u64, |&first| first.into());
        (n > 0 && found != 0).then_some(Error::InvalidOffset { index: 0, found, limit: 0 })
    })
}

/// Returns the error at the first row that is less than the row before it, or than its lower bound.
fn wrong_interval(begin: &[u32], end: &[u32]) -> Option<Error> {
    let error = |array, index, found: u32, before: u32| {
        Some(Error::NotSorted { array, index, found: found.into(), before: before.into() })
    };
    if let Some(i) = (1..begin.len()).find(|&i| begin[i] < begin[i - 1]) {
        return error("begin", i, begin[i], begin[i - 1]);
    }
    let i = (0..begin.len()).find(|&i| end[i] < begin[i])?;
    error("end", i, end[i], begin[i])
}

/// Returns the error at the first operand that is not computed before its instruction.
fn late_operand(operands: &[u32], user: impl Fn(usize) -> usize) -> Option<Error> {
    let k = (0..operands.len()).find(|&k| operands[k] != NO_NODE && operands[k] as usize >= user(k))?;
    Some(Error::InvalidOperand { instruction: user(k), found: operands[k].into() })
}

fn checked_depths(depth: &[u32]) -> Result<Vec<u32>> {
    for (index, &found) in depth.iter().enumerate() {
        let limit = if index == 0 { 0 } else { u64::from(depth[index - 1]) + 1 };
        if u64::from(found) > limit {
            return Err(Error::InvalidDepth { index, found: found.into(), limit });
        }
    }
    Ok(depth.to_vec())
}

fn depths_of_parents(parent: &[u32]) -> Result<Vec<u32>> {
    let wrong = |index: usize| Err(Error::InvalidParent { index, found: parent[index].into() });
    // A parent that does not come before its child is reported first.
    if let Some(index) = (0..parent.len()).find(|&i| parent[i] != NO_NODE && parent[i] as usize >= i) {
        return wrong(index);
    }
    let mut path: Vec<u32> = Vec::new();
    let mut depth = Vec::new();
    for (i, &p) in parent.iter().enumerate() {
        while path.last().is_some_and(|&open| open != p) {
            path.pop();
        }
        if p != NO_NODE && path.is_empty() {
            return wrong(i);
        }
        depth.push(path.len() as u32);
        path.push(i as u32);
    }
    Ok(depth)
}

fn depths_of_sizes(sizes: &[u32]) -> Option<Vec<u32>> {
    let mut ends: Vec<usize> = Vec::new();
    let mut depth = Vec::new();
    for (i, &size) in sizes.iter().enumerate() {
        while ends.last().is_some_and(|&end| end <= i) {
            ends.pop();
        }
        let end = i + size as usize;
        if size == 0 || end > *ends.last().unwrap_or(&sizes.len()) {
            return None;
        }
        depth.push(ends.len() as u32);
        ends.push(end);
    }
    Some(depth)
}

fn depths_of_counts(counts: &[u32]) -> Option<Vec<u32>> {
    let mut missing: Vec<u32> = Vec::new();
    let mut depth = Vec::new();
    for &count in counts {
        while missing.last() == Some(&0) {
            missing.pop();
        }
        depth.push(missing.len() as u32);
        if let Some(missing) = missing.last_mut() {
            *missing -= 1;
        }
        missing.push(count);
    }
    missing.iter().all(|&missing| missing == 0).then_some(depth)
}

fn depths_of_postorder(indices: &[u32]) -> Option<Vec<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut depth = Vec::new();
    let mut closed = 0;
    for index in indices.iter().copied().map(Some).chain([None]) {
        while open.last().is_some_and(|&last| index.is_none_or(|index| last < index)) {
            if open.pop() != Some(closed) {
                return None;
            }
            closed += 1;
        }
        depth.push(open.len() as u32);
        open.extend(index);
    }
    depth.pop();
    Some(depth)
}

fn depths_of_tour(tour: &[u32]) -> Option<Vec<u32>> {
    let mut open = Vec::new();
    let mut depth = Vec::new();
    for &node in tour {
        if open.last() == Some(&node) {
            open.pop();
        } else if node as usize == depth.len() {
            depth.push(open.len() as u32);
            open.push(node);
        } else {
            return None;
        }
    }
    open.is_empty().then_some(depth)
}

fn depths_of_levels(node: &[u32], offset: &[u32]) -> Option<Vec<u32>> {
    if not_a_permutation("", node).is_some() || offset.first().map_or(0, |&first| first + 1) != !node.is_empty() as u32
    {
        return None;
    }
    let mut depth = vec![0; node.len()];
    for (level, &begin) in (0..).zip(offset) {
        let end = offset.get(level as usize + 1).map_or(node.len(), |&end| end as usize);
        let nodes = node.get(begin as usize..end).filter(|nodes| !nodes.is_empty() && nodes.is_sorted())?;
        nodes.iter().for_each(|&node| depth[node as usize] = level);
    }
    checked_depths(&depth).ok()
}

fn depths_of_brackets(brackets: &[u8]) -> Result<Vec<u32>> {
    let mut depth = Vec::new();
    let mut open = 0u32;
    for (index, &bracket) in brackets.iter().enumerate() {
        if bracket != 0 {
            depth.push(open);
            open += 1;
        } else if open == 0 {
            return Err(Error::UnbalancedBrackets { index, open: 0 });
        } else {
            open -= 1;
        }
    }
    if open > 0 { Err(Error::UnbalancedBrackets { index: brackets.len(), open: open.into() }) } else { Ok(depth) }
}

/// Returns the error of a forest that is split at some nodes.
fn wrong_split(depth: &[u32], starts: &[usize]) -> Option<Error> {
    let n = depth.len();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(n);
        let limit = if index == 0 { 0 } else { end.min(n) };
        if start > end || end > n || index == 0 && start != 0 {
            return Some(Error::InvalidOffset { index, found: start as u64, limit: limit as u64 });
        }
        if start < end && depth[start] != 0 {
            return Some(Error::InvalidDepth { index: start, found: depth[start].into(), limit: 0 });
        }
    }
    None
}

each_holds! {
    #[longest(2000)]
    forests_of_arbitrary_arrays_are_forests_or_errors(b, rng, n) {
        let depth = rng.forest(n);
        let right = Depths::new(put(b, &depth)).unwrap();
        let arrays: [Vec<u32>; 6] = [
            depth.clone(),
            rows(b, &right.parents().unwrap()),
            rows(b, &right.subtree_sizes().unwrap()),
            rows(b, &right.child_counts().unwrap()),
            rows(b, &right.postorder().unwrap()),
            rows(b, &right.euler_tour().unwrap()),
        ];
        for array in arrays {
            let array = spoiled(rng, n, array);
            let column = put(b, &array);
            let is_of = |name, error: &Error| match *error {
                Error::NoSuchForest { array: of, index, found } => of == name && found == u64::from(array[index]),
                _ => false,
            };
            yields(b, Depths::from_subtree_sizes(&column), depths_of_sizes(&array), |e| is_of("subtree size", e));
            yields(b, Depths::from_child_counts(&column), depths_of_counts(&array), |e| is_of("child count", e));
            yields(b, Depths::from_euler_tour(&column), depths_of_tour(&array), |e| {
                is_of("Euler tour", e) || matches!(e, Error::UnbalancedBrackets { .. })
            });
            let twice = not_a_permutation("postorder", &array);
            yields(b, Depths::from_postorder(&column), depths_of_postorder(&array), |e| match &twice {
                Some(twice) => e == twice,
                None => is_of("postorder", e),
            });
            let parents = Parents::new(put(b, &array));
            is_exactly(b, parents.and_then(|parents| Depths::from_parents(&parents)), depths_of_parents(&array));
            is_exactly(b, Depths::new(column), checked_depths(&array));
        }
        let (node, offset) = right.level_order().unwrap();
        let node = spoiled(rng, n, rows(b, &node));
        let offset = spoiled(rng, n, rows(b, &offset));
        let found = Depths::from_level_order(&put(b, &node), &put(b, &offset));
        let first = not_a_permutation("level order", &node).or_else(|| wrong_owners(&offset, node.len()));
        yields(b, found, depths_of_levels(&node, &offset), |error| match (&first, error) {
            (Some(first), error) => error == first,
            (None, Error::LengthMismatch { array, found, .. }) => *array == "level offset" && *found == offset.len(),
            (None, Error::NoSuchForest { array, .. }) => ["level order", "level offset"].contains(array),
            (None, error) => matches!(error, Error::InvalidDepth { .. }),
        });
        let brackets: Vec<u8> = (0..n).map(|_| rng.below(2) as u8).collect();
        is_exactly(b, Depths::from_brackets(&put(b, &brackets)), depths_of_brackets(&brackets));
        let starts: Vec<usize> = (0..3).map(|_| rng.below(n as u32 + 2) as usize).collect();
        ends_with(right.split(&starts), wrong_split(&depth, &starts));
    }

    #[longest(2000)]
    arbitrary_arrays_are_results_or_errors(b, rng, n) {
        let depth = rng.forest(n);
        let forest = Depths::new(put(b, &depth)).unwrap();
        let parents = forest.parents().unwrap();
        let m = rng.below(n as u32 + 3) as usize;
        let (x_rows, y_rows) = (rng.column(m), rng.column(n));
        let (x, y) = (put(b, &x_rows), put(b, &y_rows));
        let (mask, bytes) = (put(b, &rng.mask(m)), put(b, &rng.mask(n)));

        ends_with(gather(&y, &x), outside("rows", &x_rows, n));
        ends_with(compress(&y, &mask), mismatch("mask", n, m));
        ends_with(inverse(&x), not_a_permutation("permutation", &x_rows));
        let scanned = b.segmented_scan(ScanKind::Inclusive, &x, &y, Sum);
        ends_with(scanned, wrong_offset(&x_rows, n));
        ends_with(b.segmented_reduce(&x, &y, Sum), wrong_offset(&x_rows, n));
        ends_with(segment::lengths(&x, n), None);
        ends_with(segment::owners(&x, n), wrong_owners(&x_rows, n));
        let (from, rows) = (n / 2, n);
        let is_range = from <= m && m <= n;
        ends_with(b.slice(&y, from..m), (!is_range).then_some(Error::RowOutOfRange { found: from.max(m), rows }));
        ends_with(b.read(&y, m), (m >= n).then_some(Error::RowOutOfRange { found: m, rows }));
        ends_with(b.sort_by_key(&x, &y), mismatch("payload", m, n));
        ends_with(b.histogram(&x, n), None);
        let columns = [KeyColumn::from(&x), KeyColumn::from(&y)];
        ends_with(group_columns(&columns, Order::Sorted), mismatch("key column", m, n));
        let groups = group_columns(&[KeyColumn::from(&y)], Order::Sorted).unwrap();
        ends_with(groups.reduce(&x, Sum), mismatch("values", n, m));
        ends_with(groups.unique(&x), mismatch("values", n, m));
        ends_with(parents.nearest_marked(&mask, Of::Exclusive), mismatch("mark", n, m));
        ends_with(forest.under_marked(&mask, Of::Exclusive), mismatch("mark", n, m));
        ends_with(lift(&forest, &mask, false), mismatch("mark", n, m));
        ends_with(flatten(&forest, &mask, true), mismatch("mark", n, m));
        let between = mismatch("end", m, n).or_else(|| wrong_interval(&x_rows, &y_rows));
        ends_with(nearest_enclosing(&x, &y), between);
        ends_with(nearest_enclosing(&x, &x), wrong_interval(&x_rows, &x_rows));
        let lowest = LowestCommon::new(&forest).unwrap();
        let outside_pair = |n| {
            mismatch("b", m, y_rows.len()).or_else(|| outside("a", &x_rows, n)).or_else(|| outside("b", &y_rows, n))
        };
        ends_with(lowest.of(&x, &x), outside("a", &x_rows, n));
        ends_with(lowest.of(&x, &y), outside_pair(n));
        ends_with(forest.subtree_sums(&x), mismatch("values", n, m));
        ends_with(forest.subtree_counts(&mask), mismatch("mark", n, m));
        ends_with(tree_fixpoint(&parents, &mask), mismatch("effect", n, m));
        let packed = Mask::pack(&mask).unwrap();
        ends_with(packed.and(&Mask::pack(&bytes).unwrap()), mismatch("mask", m, n));
        ends_with(packed.ranks(&x), outside("rows", &x_rows, m + 1));
        let (words, others) = (b.filled(n, 5u64).unwrap(), b.filled(m, 9u64).unwrap());
        ends_with(nested(&words, &others, &words), mismatch("opens", n, m));
        ends_with(nested(&words, &words, &others), mismatch("closes", n, m));
        let zeros = b.filled(n, 0u32).unwrap();
        let offsets = Offsets::new(b, &zeros, 8).unwrap();
        ends_with(of_rows(&offsets, bytes_of_row::of(&x)), mismatch("seeds", n, m));
        let parity = Automaton::new(b, &[[1; 256], [0; 256]]).unwrap();
        let too_long = (m > 8 * n).then_some(Error::RowOutOfRange { found: m, rows: 8 * n });
        ends_with(parity.states(ScanKind::Inclusive, &words, m), too_long);

        let (offsets, operands) = (rng.offsets(n), rng.column(n));
        let owner = |k: usize| offsets.partition_point(|&offset| offset as usize <= k) - 1;
        let stream = Instructions::new(put(b, &offsets), put(b, &operands));
        check_stream(stream, late_operand(&operands, owner), offsets.len(), &bytes, n);
        let small: Vec<u32> = (0..n as u32).map(|i| rng.below(i + 2)).collect();
        let arity = rng.below(3) as usize;
        let length = n.checked_div(arity).unwrap_or(0);
        let wrong = mismatch("operands", length * arity, n).or_else(|| late_operand(&small, |k| k / arity));
        check_stream(Instructions::with_arity(arity, put(b, &small)), wrong, length, &bytes, n);

        let flat = rng.forest(n.min(200));
        let k = flat.len();
        let flat = Depths::new(put(b, &flat)).unwrap();
        for encoding in [Encoding::Ordinal, Encoding::Index] {
            let paths = PathMatrix::new(&flat, encoding).unwrap();
            ends_with(paths.same(&x, &x), outside("a", &x_rows, k));
            ends_with(paths.has_ancestor(&x, &y, Of::Exclusive), outside_pair(k));
            let wrong = match encoding {
                Encoding::Ordinal => Some(Error::Encoding { expected: "index" }),
                Encoding::Index => (k > m).then(|| Error::RowOutOfRange { found: k - 1, rows: m }),
            };
            ends_with(paths.nearest_marked(&mask, Of::Inclusive), wrong);
            ends_with(paths.select(&x), outside("rows", &x_rows, k));
            ends_with(paths.key(Order::Sorted), None);
        }
    }
}

/// Checks a stream of instructions, and both operations on it with the effects of `n` instructions.
fn check_stream<B: Backend>(
    stream: Result<Instructions<B>>,
    expected: Option<Error>,
    length: usize,
    effects: &B::Vec<u8>,
    n: usize,
) {
    match stream {
        Err(error) => assert_eq!(Some(error), expected),
        Ok(stream) => {
            assert_eq!((stream.len(), None), (length, expected));
            ends_with(stream_scans(&stream, effects), mismatch("effect", length, n));
            ends_with(stream_fixpoint(&stream, effects), mismatch("effect", length, n));
        }
    }
}
