//! Dead-expression elimination.

use treepar::dee::{Instructions, stream_fixpoint, stream_scans, tree_fixpoint, tree_single_scan};

use crate::forests::forest;
use crate::oracle::{self, NONE};
use crate::{each_holds, put, rows};

each_holds! {
    dead_nodes_of_trees_match_oracle(b, rng, n) {
        let (depth, effect) = (rng.forest(n.min(20_000)), rng.mask(n.min(20_000)));
        let parent = oracle::parents(&depth);
        let mut live: Vec<u8> = Vec::new();
        for (i, &p) in parent.iter().enumerate() {
            live.push(u8::from(effect[i] != 0 || (p != NONE && live[p as usize] != 0)));
        }
        let (forest, effects) = (forest(b, &depth), put(b, &effect));
        let found = tree_single_scan(&forest, &effects).unwrap();
        assert_eq!((rows(b, &found.mask), found.rounds), (live.clone(), 1));
        // The loop goes one level down a round: chains are cut.
        if depth.iter().max().is_none_or(|&height| height < 300) {
            let found = tree_fixpoint(&forest.parents().unwrap(), &effects).unwrap();
            assert_eq!(rows(b, &found.mask), live);
        }
    }

    dead_instructions_match_oracle(b, rng, n) {
        let n = n.min(20_000);
        let effect = rng.mask(n);
        // Streams of trees, streams whose expressions cross, and streams that share values, more or less.
        let reach = rng.one_of(&[3, 20, 1000]);
        let shares = rng.one_of(&[0, 2, 100]);
        let (mut free, mut offsets, mut operands): (Vec<u32>, Vec<u32>, Vec<u32>) = Default::default();
        for i in 0..n as u32 {
            offsets.push(operands.len() as u32);
            for _ in 0..rng.below(4).saturating_sub(rng.below(2)) {
                if shares > 0 && i > 0 && rng.below(100) < shares {
                    operands.push(i - 1 - rng.below(i.min(reach)));
                } else if let Some(last) = free.len().checked_sub(1) {
                    let at = if reach == 3 { last } else { last - rng.below(free.len().min(5) as u32) as usize };
                    operands.push(free.remove(at));
                } else {
                    operands.push(NONE);
                }
            }
            free.push(i);
        }
        let mut live: Vec<u8> = effect.iter().map(|&effect| u8::from(effect != 0)).collect();
        for i in (0..n).rev() {
            let end = offsets.get(i + 1).map_or(operands.len(), |&end| end as usize);
            for &operand in operands[offsets[i] as usize..end].iter().filter(|&&operand| operand != NONE) {
                live[operand as usize] |= live[i];
            }
        }
        let stream = Instructions::new(put(b, &offsets), put(b, &operands)).unwrap();
        let effects = put(b, &effect);
        assert_eq!(rows(b, &stream_scans(&stream, &effects).unwrap().mask), live);
        if n <= 1000 || reach == 3 && n < 10_000 {
            assert_eq!(rows(b, &stream_fixpoint(&stream, &effects).unwrap().mask), live);
        }
    }
}
