//! Links in any order: ranks of lists, and forests of unordered parents.

use treepar::Error;
use treepar::depth::{Depths, NO_NODE};
use treepar::list::ranks;

use crate::drawn::Rng;
use crate::{each_holds, put, rows};

/// Draws links without a cycle: long lists, bushes, or both. Sometimes a few links then lead to any row, or to none that exists.
fn links(rng: &mut Rng, n: usize) -> Vec<u32> {
    let order = rng.permutation(n);
    let reach = rng.one_of(&[1, 3, 40, n as u32 + 1]);
    let ends = rng.one_of(&[2, 10, 1000]);
    let mut next = vec![NO_NODE; n];
    for k in 1..n {
        if rng.below(ends) != 0 {
            next[order[k] as usize] = order[k - 1 - rng.below(reach.min(k as u32)) as usize];
        }
    }
    if n > 0 && rng.below(2) == 0 {
        for _ in 0..1 + rng.below(3) {
            let row = rng.below(n as u32) as usize;
            next[row] = if rng.below(8) == 0 { n as u32 + rng.below(3) } else { rng.below(n as u32) };
        }
    }
    next
}

/// Returns the rank of each row, or the error: by following the links of each row.
fn oracle(array: &'static str, next: &[u32]) -> Result<Vec<u32>, Error> {
    let n = next.len();
    if let Some(index) = next.iter().position(|&row| row != NO_NODE && row as usize >= n) {
        return Err(Error::IndexOutOfRange { array, index, found: next[index].into(), limit: n as u64 });
    }
    let mut rank = vec![NO_NODE; n];
    for row in 0..n {
        let mut path = Vec::new();
        let mut at = row as u32;
        while at != NO_NODE && rank[at as usize] == NO_NODE {
            if path.len() == n {
                return Err(Error::Cycle { array, index: row });
            }
            path.push(at as usize);
            at = next[at as usize];
        }
        let least = if at == NO_NODE { 0 } else { rank[at as usize] + 1 };
        for (known, &passed) in (least..).zip(path.iter().rev()) {
            rank[passed] = known;
        }
    }
    Ok(rank)
}

each_holds! {
    ranks_match_oracle(b, rng, n) {
        let next = links(rng, n);
        let found = ranks(&put(b, &next)).map(|found| rows(b, &found));
        assert_eq!(found, oracle("next", &next));
    }

    unordered_parents_match_oracle(b, rng, n) {
        let parent = links(rng, n);
        let found = Depths::from_unordered_parents(&put(b, &parent));
        let depth = match oracle("parent", &parent) {
            Ok(depth) => depth,
            Err(error) => {
                assert_eq!(found.err(), Some(error));
                return;
            }
        };
        let mut children = vec![Vec::new(); n];
        let mut open = Vec::new();
        for row in (0..n).rev() {
            match parent[row] {
                NO_NODE => open.push(row as u32),
                parent => children[parent as usize].push(row as u32),
            }
        }
        let mut order = Vec::new();
        while let Some(row) = open.pop() {
            order.push(row);
            open.extend(&children[row as usize]);
        }
        let (forest, found) = found.unwrap();
        assert_eq!(rows(b, &found), order);
        assert_eq!(rows(b, forest.depths()), order.iter().map(|&row| depth[row as usize]).collect::<Vec<_>>());
    }

    forests_in_preorder_keep_their_order(b, rng, n) {
        let depth = rng.forest(n);
        let parents = Depths::new(put(b, &depth)).unwrap().parents().unwrap();
        let (forest, found) = Depths::from_unordered_parents(&parents).unwrap();
        assert_eq!(rows(b, &found), (0..n as u32).collect::<Vec<_>>());
        assert_eq!(rows(b, forest.depths()), depth);
    }
}
