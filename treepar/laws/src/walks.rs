//! Walks up and down.

use treepar::device::device;
use treepar::walk::Schedule;

use crate::forests::forest;
use crate::oracle::{self, NONE, compose};
use crate::{each_holds, get, put, rows};

#[device]
struct Affine {
    m: u32,
    b: u32,
}

#[device(monoid(identity = Affine { m: 1, b: 0 }))]
fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: f.m.wrapping_mul(g.m), b: f.b.wrapping_mul(g.m).wrapping_add(g.b) }
}

#[device(walk_down)]
fn path(i: usize, parent: Affine, x: &[u32]) -> Affine {
    Affine { m: parent.m.wrapping_mul(x[i] | 1), b: parent.b.wrapping_mul(x[i] | 1).wrapping_add(i as u32) }
}

#[device(walk_up(then))]
fn subtree(i: usize, children: Affine, x: &[u32]) -> Affine {
    Affine { m: children.m.wrapping_mul(x[i] | 1), b: children.b.wrapping_add(i as u32) }
}

#[device(walk_slots)]
fn mixed(i: usize, slots: &[Affine], x: &[u32]) -> Affine {
    let mut m = x[i] | 1;
    let mut b = i as u32;
    for k in 0..slots.len() {
        m = m.wrapping_mul(slots[k].m).wrapping_add(k as u32);
        b = b.wrapping_mul(31).wrapping_add(slots[k].b);
    }
    Affine { m, b }
}

fn pairs(column: Vec<Affine>) -> Vec<(u32, u32)> {
    column.iter().map(|a| (a.m, a.b)).collect()
}

each_holds! {
    walks_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let x = rng.column(n);
        let parents = oracle::parents(&depth);
        let (mut down, mut up, mut children) = (Vec::new(), vec![(0, 0); n], vec![(1u32, 0u32); n]);
        for i in 0..n {
            let above = if parents[i] == NONE { (3, 4) } else { down[parents[i] as usize] };
            down.push(compose(above, (x[i] | 1, i as u32)));
            let j = n - 1 - i;
            up[j] = (children[j].0.wrapping_mul(x[j] | 1), children[j].1.wrapping_add(j as u32));
            if parents[j] != NONE {
                let slot = &mut children[parents[j] as usize];
                *slot = compose(up[j], *slot);
            }
        }
        let (found, x) = (forest(b, &depth).parents().unwrap(), put(b, &x));
        assert_eq!(pairs(get(b, b.walk_down(&found, Affine { m: 3, b: 4 }, path::of(&x)))), down);
        assert_eq!(pairs(get(b, b.walk_up(&found, subtree::of(&x), then))), up);
    }

    walks_with_slots_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let x = rng.column(n);
        let slots = rng.below(4) as usize;
        let (parents, child) = (oracle::parents(&depth), oracle::child_indices(&depth));
        let mut values = vec![Affine { m: 5, b: 6 }; n * slots];
        let mut expected = vec![Affine { m: 0, b: 0 }; n];
        for i in (0..n).rev() {
            expected[i] = mixed(i, &values[i * slots..][..slots], &x);
            if parents[i] != NONE && (child[i] as usize) < slots {
                values[parents[i] as usize * slots + child[i] as usize] = expected[i];
            }
        }
        let schedule = Schedule::new(&forest(b, &depth)).unwrap();
        assert_eq!(rows(b, &schedule.child), child);
        let column = put(b, &x);
        for _ in 0..2 {
            let found = schedule.up_slots(slots, Affine { m: 5, b: 6 }, mixed::of(&column));
            assert_eq!(get(b, found), expected);
        }
    }

    subtree_sums_match_oracle(b, rng, n) {
        let depth = rng.forest(n);
        let forest = forest(b, &depth);
        let (parents, x, mask) = (oracle::parents(&depth), rng.column(n), rng.mask(n));
        let (mut sums, mut counts) = (x.clone(), mask.iter().map(|&m| u32::from(m != 0)).collect::<Vec<_>>());
        for i in (0..n).rev().filter(|&i| parents[i] != NONE) {
            let p = parents[i] as usize;
            sums[p] = sums[p].wrapping_add(sums[i]);
            counts[p] += counts[i];
        }
        assert_eq!(get(b, forest.subtree_sums(&put(b, &x))), sums);
        let signed: Vec<i64> = x.iter().map(|&x| -i64::from(x)).collect();
        let found = get(b, forest.subtree_sums(&put(b, &signed)));
        assert!(found.iter().zip(&sums).all(|(&found, &sum)| found.wrapping_neg() as u32 == sum));
        let found = get(b, forest.subtree_sums(&put(b, &x.iter().map(|&x| x as i32).collect::<Vec<_>>())));
        assert!(found.iter().zip(&sums).all(|(&found, &sum)| found as u32 == sum));
        let found = get(b, forest.subtree_sums(&put(b, &x.iter().map(|&x| u64::from(x) << 32).collect::<Vec<_>>())));
        assert!(found.iter().zip(&sums).all(|(&found, &sum)| found == u64::from(sum) << 32));
        assert_eq!(get(b, forest.subtree_counts(&put(b, &mask))), counts);
    }
}
