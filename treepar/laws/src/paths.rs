//! Path matrices: each question of section 3.2 against the tree itself.

use treepar::Backend;
use treepar::ancestor::Of;
use treepar::key::Order;
use treepar::path::{Encoding, PathMatrix};

use crate::forests::forest;
use crate::oracle::{self, NONE};
use crate::{each_holds, get, put, rows};

/// A forest of at most n nodes whose matrix is not too large.
fn shallow(rng: &mut crate::drawn::Rng, n: usize) -> Vec<u32> {
    let depth = rng.forest(n.min(3000));
    if depth.iter().max().is_some_and(|&height| height > 400) { rng.forest(n.min(300)) } else { depth }
}

/// The nodes of a forest whose paths need four bytes per entry, in either encoding.
const MANY: usize = 70_000;

/// A forest of [`MANY`] nodes at three depths, almost all of which are at the second; of a few nodes if n is small.
fn low(rng: &mut crate::drawn::Rng, n: usize) -> Vec<u32> {
    let m = if n < 16_384 { n.min(300) } else { MANY };
    (0..m).map(|i| u32::from(i > 0) + u32::from(i > 1 && rng.below(100) == 0)).collect()
}

each_holds! {
    path_matrices_match_oracle(b, rng, n) {
        let depth = shallow(rng, n);
        paths_match(b, rng, &depth);
    }

    paths_of_many_nodes_match_oracle(b, rng, n) {
        let depth = low(rng, n);
        paths_match(b, rng, &depth);
    }
}

/// Compares the answers of both matrices of a forest with the tree.
fn paths_match<B: Backend>(b: &B, rng: &mut crate::drawn::Rng, depth: &[u32]) {
    let n = depth.len();
    let parent = oracle::parents(depth);
    let height = depth.iter().max().map_or(0, |&d| d as usize + 1);
    let (mut seen, mut ordinal, mut index) = (vec![0; height], Vec::<Vec<u32>>::new(), Vec::<Vec<u32>>::new());
    for i in 0..n {
        let d = depth[i] as usize;
        seen[d] += 1;
        let above = |rows: &[Vec<u32>]| match parent[i] {
            NONE => vec![0; height],
            p => rows[p as usize].clone(),
        };
        let mut row = above(&ordinal);
        row[d] = seen[d];
        ordinal.push(row);
        let mut row = above(&index);
        row[d] = i as u32 + 1;
        index.push(row);
    }
    let forest = forest(b, depth);
    let m = if n == 0 { 0 } else { 200 };
    let first: Vec<u32> = (0..m).map(|_| rng.below(n as u32)).collect();
    let second: Vec<u32> = first
        .iter()
        .map(|&a| match rng.below(4) {
            0 => a,
            1 if parent[a as usize] != NONE => parent[a as usize],
            2 => (a + rng.below(4)).min(n as u32 - 1),
            _ => rng.below(n as u32),
        })
        .collect();
    let (x, y) = (put(b, &first), put(b, &second));
    let pairs = |f: &dyn Fn(usize, usize) -> bool| -> Vec<u8> {
        first.iter().zip(&second).map(|(&i, &j)| u8::from(f(i as usize, j as usize))).collect()
    };
    let is_above = |i: usize, j: usize| {
        let mut at = i as u32;
        while at != NONE && at != j as u32 {
            at = parent[at as usize];
        }
        at != NONE
    };
    let (mark, last) = (rng.mask(n), |row: &Vec<u32>| row.iter().rposition(|&entry| entry != 0));
    for (encoding, expected) in [(Encoding::Ordinal, &ordinal), (Encoding::Index, &index)] {
        let paths = PathMatrix::new(&forest, encoding).unwrap();
        assert_eq!(&paths.download().unwrap(), expected);
        let greatest = expected.iter().flatten().max().copied().unwrap_or(0);
        assert!(greatest < 1 << (8 * paths.entry_bytes()).min(31) && (paths.entry_bytes() == 1 || greatest > 255));
        assert!(paths.entry_bytes() < 4 || greatest > 65_535);
        assert_eq!(get(b, paths.depths()), depth);
        assert_eq!(get(b, paths.same(&x, &y)), pairs(&|i, j| i == j));
        assert_eq!(get(b, paths.siblings(&x, &y)), pairs(&|i, j| i != j && parent[i] == parent[j]));
        assert_eq!(get(b, paths.earlier(&x, &y)), pairs(&|i, j| i < j));
        assert_eq!(get(b, paths.same_depth(&x, &y)), pairs(&|i, j| depth[i] == depth[j]));
        assert_eq!(get(b, paths.has_ancestor(&x, &y, Of::Inclusive)), pairs(&is_above));
        assert_eq!(get(b, paths.has_ancestor(&x, &y, Of::Exclusive)), pairs(&|i, j| i != j && is_above(i, j)));

        let above = paths.parents().unwrap();
        let cut: Vec<Vec<u32>> = expected
            .iter()
            .map(|row| {
                let mut row = row.clone();
                if let Some(last) = last(&row) {
                    row[last] = 0;
                }
                row
            })
            .collect();
        assert_eq!(above.download().unwrap(), cut);

        let marked: Vec<u32> =
            (0..n as u32).filter(|&i| mark[i as usize] != 0).take(if n < MANY { 40 } else { 3 }).collect();
        let some = paths.select(&put(b, &marked)).unwrap();
        let nearest: Vec<u32> = (0..n)
            .map(|i| marked.iter().rposition(|&j| j != i as u32 && is_above(i, j as usize)).map_or(NONE, |k| k as u32))
            .collect();
        assert_eq!(get(b, above.nearest(&some)), nearest);
        let matches: Vec<u8> = (0..n)
            .flat_map(|i| marked.iter().map(move |&j| (i, j as usize)))
            .map(|(i, j)| u8::from(is_above(i, j)))
            .collect();
        assert_eq!(get(b, paths.matches(&some)), matches);

        // As keys: rows in the order of the nodes they are the paths of.
        let groups = paths.select(&x).unwrap().key(Order::Sorted).unwrap();
        let mut order: Vec<u32> = (0..m as u32).collect();
        order.sort_by_key(|&k| first[k as usize]);
        assert_eq!(rows(b, groups.permutation()), order);
        let groups = paths.select(&x).unwrap().key(Order::FirstAppearance).unwrap();
        let found = get(b, groups.unique(&x));
        let mut unique: Vec<u32> = Vec::new();
        first.iter().for_each(|a| {
            if !unique.contains(a) {
                unique.push(*a)
            }
        });
        assert_eq!(found, unique);
    }
    let paths = PathMatrix::new(&forest, Encoding::Index).unwrap();
    for (of, strict) in [(Of::Inclusive, false), (Of::Exclusive, true)] {
        let expected: Vec<u32> = (0..n)
            .map(|i| {
                let mut at = if strict { parent[i] } else { i as u32 };
                while at != NONE && mark[at as usize] == 0 {
                    at = parent[at as usize];
                }
                at
            })
            .collect();
        assert_eq!(get(b, paths.nearest_marked(&put(b, &mark), of)), expected);
    }
}
