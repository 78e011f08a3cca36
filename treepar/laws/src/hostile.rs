//! Arbitrary arrays at every function: a result or an error, never a panic, and never a forest that is none.

use treepar::ancestor::{LowestCommon, Of, nearest_enclosing, nearest_marked, under_marked};
use treepar::backend::ScanKind;
use treepar::compact::{compress, gather};
use treepar::dee::{Instructions, stream_fixpoint, stream_scans, tree_fixpoint};
use treepar::depth::{Depths, Parents};
use treepar::key::{KeyColumn, Order, key_columns, lift};
use treepar::mask::Mask;
use treepar::monoid::sum_u32;
use treepar::path::{Encoding, PathMatrix};
use treepar::sort::inverse;
use treepar::walk::{Schedule, subtree_counts, subtree_sums};
use treepar::{Backend, Error, segment};

use crate::drawn::Rng;
use crate::{each_holds, put, rows};

/// An array with something wrong with it: of any numbers, or a right one of which a row or the length is changed.
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

/// A forest that a function made is one.
fn sound<B: Backend>(b: &B, found: Result<Depths<B>, Error>) {
    if let Ok(forest) = found {
        let depth = rows(b, forest.depths());
        assert!(depth.iter().enumerate().all(|(i, &d)| if i == 0 { d == 0 } else { d <= depth[i - 1] + 1 }));
    }
}

each_holds! {
    #[longest(2000)]
    forests_of_arbitrary_arrays_are_forests_or_errors(b, rng, n) {
        let depth = rng.forest(n);
        let right = Depths::new(b, put(b, &depth)).unwrap();
        let arrays: [Vec<u32>; 6] = [
            depth.clone(),
            rows(b, &right.parents(b).unwrap()),
            rows(b, &right.subtree_sizes(b).unwrap()),
            rows(b, &right.child_counts(b).unwrap()),
            rows(b, &right.postorder(b).unwrap()),
            rows(b, &right.euler_tour(b).unwrap()),
        ];
        for array in arrays {
            let array = put(b, &spoiled(rng, n, array));
            sound(b, Depths::from_subtree_sizes(b, &array));
            sound(b, Depths::from_child_counts(b, &array));
            sound(b, Depths::from_postorder(b, &array));
            sound(b, Depths::from_euler_tour(b, &array));
            let parents = Parents::new(b, put(b, &rows(b, &array)));
            if let Ok(parents) = parents {
                sound(b, Depths::from_parents(b, &parents));
            }
            sound(b, Depths::new(b, array));
        }
        let (node, offset) = right.level_order(b).unwrap();
        let node = spoiled(rng, n, rows(b, &node));
        let offset = spoiled(rng, n, rows(b, &offset));
        sound(b, Depths::from_level_order(b, &put(b, &node), &put(b, &offset)));
        let brackets: Vec<u8> = (0..n).map(|_| rng.below(2) as u8).collect();
        sound(b, Depths::from_brackets(b, &put(b, &brackets)));
        let starts: Vec<usize> = (0..3).map(|_| rng.below(n as u32 + 2) as usize).collect();
        let _ = right.split(b, &starts);
    }

    #[longest(2000)]
    arbitrary_arrays_are_results_or_errors(b, rng, n) {
        let depth = rng.forest(n);
        let forest = Depths::new(b, put(b, &depth)).unwrap();
        let parents = forest.parents(b).unwrap();
        let other = rng.below(n as u32 + 3) as usize;
        let (x, y) = (put(b, &rng.column(other)), put(b, &rng.column(n)));
        let (mask, bytes) = (put(b, &rng.mask(other)), put(b, &rng.mask(n)));

        let _ = gather(b, &y, &x);
        let _ = compress(b, &y, &mask);
        let _ = inverse(b, &x);
        let _ = segment::scan::<sum_u32, B>(b, ScanKind::Inclusive, &x, &y);
        let _ = segment::reduce::<sum_u32, B>(b, &x, &y);
        let _ = segment::lengths(b, &x, n);
        let _ = segment::owners(b, &x, n);
        let _ = b.slice(&y, n / 2..other);
        let _ = b.read(&y, other);
        let _ = b.sort_by_key(&x, &y);
        let _ = b.histogram(&x, n);
        let _ = key_columns(b, &[KeyColumn::U32(&x), KeyColumn::U32(&y)], Order::Sorted);
        let groups = key_columns(b, &[KeyColumn::U32(&y)], Order::Sorted).unwrap();
        let _ = groups.reduce::<sum_u32>(b, &x);
        let _ = groups.unique(b, &x);
        let _ = nearest_marked(b, &parents, &mask, Of::Above);
        let _ = under_marked(b, &forest, &mask, Of::Above);
        let _ = lift(b, &forest, &mask, false);
        let _ = nearest_enclosing(b, &x, &y);
        let _ = nearest_enclosing(b, &x, &x);
        let lowest = LowestCommon::new(b, &forest).unwrap();
        let _ = lowest.of(b, &x, &x);
        let _ = lowest.of(b, &x, &y);
        let _ = subtree_sums(b, &forest, &x);
        let _ = subtree_counts(b, &forest, &mask);
        let _ = Schedule::new(b, &forest).unwrap();
        let _ = tree_fixpoint(b, &parents, &mask);
        let _ = Mask::pack(b, &mask).unwrap().and(b, &Mask::pack(b, &bytes).unwrap());
        let _ = Mask::pack(b, &mask).unwrap().ranks(b, &x);

        let stream = Instructions::new(b, put(b, &rng.offsets(n)), put(b, &rng.column(n)));
        let small: Vec<u32> = (0..n as u32).map(|i| rng.below(i + 2)).collect();
        let few = Instructions::with_arity(b, rng.below(3) as usize, put(b, &small));
        for stream in [stream, few].into_iter().flatten() {
            let _ = stream_scans(b, &stream, &bytes);
            let _ = stream_fixpoint(b, &stream, &bytes);
        }

        let flat = rng.forest(n.min(200));
        let flat = Depths::new(b, put(b, &flat)).unwrap();
        for encoding in [Encoding::Ordinal, Encoding::Index] {
            let paths = PathMatrix::new(b, &flat, encoding).unwrap();
            let _ = paths.same(b, &x, &x);
            let _ = paths.has_ancestor(b, &x, &y, Of::Above);
            let _ = paths.nearest_marked(b, &mask, Of::Itself);
            let _ = paths.select(b, &x);
            let _ = paths.key(b, Order::Sorted);
        }
    }
}
