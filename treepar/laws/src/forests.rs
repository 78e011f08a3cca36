//! Views of forests, and the ways back from them.

use treepar::depth::{Depths, Parents};

use crate::oracle::{self, NONE};
use crate::{each_holds, get, put, rows};

/// The forest of some depths.
pub fn forest<B: treepar::Backend>(b: &B, depth: &[u32]) -> Depths<B> {
    Depths::new(put(b, depth)).unwrap()
}

each_holds! {
    views_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let forest = forest(b, &depth);
        let (parents, ends) = (oracle::parents(&depth), oracle::ends(&depth));
        assert_eq!(rows(b, &forest.parents().unwrap()), parents);
        assert_eq!(get(b, forest.ends()), ends);
        let sizes = get(b, forest.subtree_sizes());
        assert!((0..n).all(|i| i as u32 + sizes[i] == ends[i]));
        let child = oracle::child_indices(&depth);
        assert_eq!(get(b, forest.child_indices()), child);
        let (mut counts, mut firsts, mut nexts) = (vec![0; n], vec![NONE; n], vec![NONE; n]);
        let mut last_root = NONE;
        let mut last = vec![NONE; n];
        for i in 0..n as u32 {
            let before = match parents[i as usize] {
                NONE => &mut last_root,
                p => {
                    counts[p as usize] += 1;
                    if child[i as usize] == 0 {
                        firsts[p as usize] = i;
                    }
                    &mut last[p as usize]
                }
            };
            if *before != NONE {
                nexts[*before as usize] = i;
            }
            *before = i;
        }
        assert_eq!(get(b, forest.child_counts()), counts);
        assert_eq!(get(b, forest.first_children()), firsts);
        assert_eq!(get(b, forest.next_siblings()), nexts);
        assert_eq!(get(b, forest.postorder()), oracle::postorder(&depth));
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| depth[i as usize]);
        let height = depth.iter().max().map_or(0, |&deepest| deepest + 1);
        let starts: Vec<u32> =
            (0..height).map(|d| order.partition_point(|&i| depth[i as usize] < d) as u32).collect();
        let (found, offsets) = forest.level_order().unwrap();
        assert_eq!((rows(b, &found), rows(b, &offsets)), (order, starts));
        assert_eq!(forest.height().unwrap(), height as usize);
    }

    tours_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let forest = forest(b, &depth);
        let brackets = oracle::brackets(&depth);
        assert_eq!(get(b, forest.brackets()), brackets);
        let (mut tour, mut open) = (Vec::new(), Vec::new());
        for &bracket in &brackets {
            if bracket != 0 {
                open.push(tour.len() as u32 - open.len() as u32);
                // The number of earlier brackets minus the number of closing ones is the number of opening ones.
                let node = (tour.len() + open.len()) as u32 / 2;
                *open.last_mut().unwrap() = node;
                tour.push(node);
            } else {
                tour.push(open.pop().unwrap());
            }
        }
        assert_eq!(get(b, forest.euler_tour()), tour);
    }

    forests_come_back_from_each_view(b, rng, n) {
        let depth = rng.forest(n);
        let forest = forest(b, &depth);
        let back = |found: treepar::Result<Depths<B>>| rows(b, found.unwrap().depths());
        let parents = forest.parents().unwrap();
        assert_eq!(back(Depths::from_parents(&parents)), depth);
        let checked = Parents::new(parents.into_column()).unwrap();
        assert_eq!(back(Depths::from_parents(&checked)), depth);
        assert_eq!(back(Depths::from_brackets(&forest.brackets().unwrap())), depth);
        assert_eq!(back(Depths::from_euler_tour(&forest.euler_tour().unwrap())), depth);
        assert_eq!(back(Depths::from_subtree_sizes(&forest.subtree_sizes().unwrap())), depth);
        assert_eq!(back(Depths::from_child_counts(&forest.child_counts().unwrap())), depth);
        assert_eq!(back(Depths::from_postorder(&forest.postorder().unwrap())), depth);
        let (node, offset) = forest.level_order().unwrap();
        assert_eq!(back(Depths::from_level_order(&node, &offset)), depth);
    }

    batches_split_into_what_they_were_made_of(b, rng, n) {
        let some: Vec<Vec<u32>> = [n / 2, 0, n / 3, 1].iter().map(|&n| rng.forest(n)).collect();
        let forests: Vec<Depths<B>> = some.iter().map(|depth| forest(b, depth)).collect();
        let (batch, starts) = Depths::concat(b, &forests.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(rows(b, batch.depths()), some.concat());
        assert_eq!(rows(b, &batch.parents().unwrap()), oracle::parents(&some.concat()));
        let back: Vec<Vec<u32>> = batch.split(&starts).unwrap().iter().map(|f| rows(b, f.depths())).collect();
        assert_eq!(back, some);
    }
}
