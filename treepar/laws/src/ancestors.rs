//! Nearest marked ancestors, lowest common ones, nearest enclosing intervals.

use treepar::ancestor::{LowestCommon, Of, nearest_enclosing};

use crate::forests::forest;
use crate::oracle::{self, NONE};
use crate::{each_holds, get, put};

each_holds! {
    marked_ancestors_match_oracle(b, rng, n) {
        let (depth, mark) = (rng.forest(n), rng.mask(n));
        let forest = forest(b, &depth);
        let (parents, marks) = (forest.parents().unwrap(), put(b, &mark));
        let parent = oracle::parents(&depth);
        let (mut above, mut own): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for i in 0..n {
            above.push(if parent[i] == NONE { NONE } else { own[parent[i] as usize] });
            own.push(if mark[i] != 0 { i as u32 } else { above[i] });
        }
        for (of, nearest) in [(Of::Exclusive, above), (Of::Inclusive, own)] {
            assert_eq!(get(b, parents.nearest_marked(&marks, of)), nearest);
            let under = get(b, forest.under_marked(&marks, of));
            assert!((0..n).all(|i| under[i] == u8::from(nearest[i] != NONE)));
        }
    }

    lowest_common_ancestors_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let parent = oracle::parents(&depth);
        let m = if n == 0 { 0 } else { 300 };
        let near = |rng: &mut crate::drawn::Rng, a: u32| (a + rng.below(50)).min(n as u32 - 1);
        let first: Vec<u32> = (0..m).map(|_| rng.below(n as u32)).collect();
        let second: Vec<u32> =
            first.iter().map(|&a| if rng.below(2) == 0 { near(rng, a) } else { rng.below(n as u32) }).collect();
        let expected: Vec<u32> = first.iter().zip(&second).map(|(&a, &b)| {
            let (mut a, mut b) = (a, b);
            // The later of two nodes is not above the other.
            while a != b {
                let later = if a != NONE && (b == NONE || a > b) { &mut a } else { &mut b };
                *later = parent[*later as usize];
                if a == NONE || b == NONE {
                    return NONE;
                }
            }
            a
        }).collect();
        let lowest = LowestCommon::new(&forest(b, &depth)).unwrap();
        assert_eq!(get(b, lowest.of(&put(b, &first), &put(b, &second))), expected);
    }

    enclosing_intervals_match_oracle(b, rng, n) {
        // Nested ones are the ends of a forest; others are drawn.
        let depth = rng.forest(n);
        let nested: Vec<(u32, u32)> = (0..n as u32).zip(oracle::ends(&depth)).collect();
        let begins: Vec<u32> = nested.iter().map(|pair| pair.0).collect();
        let ends: Vec<u32> = nested.iter().map(|pair| pair.1).collect();
        assert_eq!(get(b, nearest_enclosing(&put(b, &begins), &put(b, &ends))), oracle::parents(&depth));
        let m = n.min(2000);
        let mut drawn: Vec<(u32, u32)> = (0..m).map(|_| {
            let begin = rng.below(3 * m as u32);
            let longest = if rng.below(4) == 0 { m as u32 } else { 20 };
            (begin, begin + rng.below(longest))
        }).collect();
        drawn.sort_by_key(|&(begin, end)| (begin, u32::MAX - end));
        let expected: Vec<u32> = (0..m)
            .map(|i| (0..i).rev().find(|&j| drawn[j].1 >= drawn[i].1).map_or(NONE, |j| j as u32))
            .collect();
        let (begins, ends): (Vec<u32>, Vec<u32>) = drawn.into_iter().unzip();
        assert_eq!(get(b, nearest_enclosing(&put(b, &begins), &put(b, &ends))), expected);
    }
}
