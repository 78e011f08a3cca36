//! Operations on forests.

use treepar::Backend;
use treepar::ancestor::Of;
use treepar::dee;
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::device::device;
use treepar::key::lift;
use treepar::list::ranks;
use treepar::monoid::Max;

use super::Kind::{Memory, Random, Sort};
use super::{Answer, Operation, plain};

#[device(walk_down)]
fn path_hash(i: usize, parent: u32, x: &[u32]) -> u32 {
    parent.wrapping_mul(31) ^ x[i]
}

#[device(walk_up(Max))]
fn height(_i: usize, below: u32) -> u32 {
    below + 1
}

#[device(walk_slots)]
fn strahler(_i: usize, slots: &[u32]) -> u32 {
    if slots[0] == slots[1] { slots[0] + 1 } else { slots[0].max(slots[1]) }
}

/// Returns all operations on forests.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    let op = Operation::<B>::new;
    vec![
        // A check takes ownership of its column, so that both sides include a copy.
        op(
            ("depths, checked", Memory, 4.0),
            |b, d| Depths::new(b.slice(d.forest.depths(), 0..d.n())?).map(Answer::forest),
            |d, s| {
                s.fill(d.forest.depths().iter().copied());
                assert!(s.out.windows(2).fold(s.out[0] == 0, |valid, w| valid & (w[1] <= w[0] + 1)));
            },
        ),
        op(
            ("parents, checked", Memory, 4.0),
            |b, d| Ok(Answer::column(Parents::new(b.slice(&d.parents, 0..d.n())?)?.into_column())),
            |d, s| plain::parents_checked(&d.parents, s),
        ),
        op(
            ("parents", Memory, 4.0),
            |_, d| Ok(Answer::column(d.forest.parents()?.into_column())),
            |d, s| plain::parents(d.forest.depths(), s),
        ),
        op(
            ("ends", Memory, 4.0),
            |_, d| d.forest.ends().map(Answer::column),
            |d, s| plain::ends(d.forest.depths(), &mut s.out, &mut s.spare),
        ),
        op(
            ("postorder", Memory, 4.0),
            |_, d| d.forest.postorder().map(Answer::column),
            |d, s| {
                plain::ends(d.forest.depths(), &mut s.out, &mut s.spare);
                for (end, &depth) in s.out.iter_mut().zip(&d.forest.depths()[..]) {
                    *end -= 1 + depth;
                }
            },
        ),
        op(
            ("level order", Sort, 4.0),
            |_, d| d.forest.level_order().map(Answer::pair),
            |d, s| plain::level_order(d.forest.depths(), s),
        ),
        op(
            ("child indices", Sort, 4.0),
            |_, d| d.forest.child_indices().map(Answer::column),
            |d, s| plain::child_indices(d.forest.depths(), s),
        ),
        op(
            ("brackets", Memory, 4.0),
            |_, d| d.forest.brackets().map(Answer::bytes),
            |d, s| plain::brackets(d.forest.depths(), &mut s.bytes),
        ),
        op(
            ("from brackets", Memory, 2.0),
            |_, d| Depths::from_brackets(&d.brackets).map(Answer::forest),
            |d, s| plain::from_brackets(&d.brackets, &mut s.out),
        ),
        op(
            ("from unordered parents", Sort, 4.0),
            |_, d| Depths::from_unordered_parents(&d.unordered).map(Answer::rows_of_forest),
            |d, s| plain::from_unordered_parents(&d.unordered, s),
        ),
        op(
            ("list ranks", Random, 4.0),
            |_, d| ranks(&d.next).map(Answer::column),
            |d, s| plain::ranks(&d.next, &mut s.out),
        ),
        op(
            ("nearest marked", Memory, 5.0),
            |_, d| d.parents.nearest_marked(&d.few, Of::Inclusive).map(Answer::column),
            |d, s| plain::down(&d.parents, &d.few, s, NO_NODE, |above, i, &mark| if mark != 0 { i } else { above }),
        ),
        op(
            ("under marked", Memory, 5.0),
            |_, d| d.forest.under_marked(&d.few, Of::Inclusive).map(Answer::bytes),
            |d, s| plain::under(d.forest.depths(), &d.few, &mut s.bytes),
        ),
        op(
            ("dead nodes, single scan", Memory, 5.0),
            |_, d| Ok(Answer::bytes(dee::tree_single_scan(&d.forest, &d.few)?.mask)),
            |d, s| plain::under(d.forest.depths(), &d.few, &mut s.bytes),
        ),
        op(
            ("walk down", Memory, 8.0),
            |b, d| b.walk_down(&d.parents, 7, path_hash::of(&d.x)).map(Answer::column),
            |d, s| plain::down(&d.parents, &d.x, s, 7, |above, _, x| above.wrapping_mul(31) ^ x),
        ),
        op(
            ("walk up", Memory, 4.0),
            |b, d| b.walk_up(&d.parents, height::of(), Max).map(Answer::column),
            |d, s| plain::heights(&d.parents, s),
        ),
        op(
            ("walk up with slots", Memory, 8.0),
            |_, d| d.schedule.up_slots(2, 0, strahler::of()).map(Answer::column),
            |d, s| plain::strahler_numbers(&d.parents, &d.schedule.child, s),
        ),
        op(
            ("subtree sums", Memory, 8.0),
            |_, d| d.forest.subtree_sums(&d.x).map(Answer::column),
            |d, s| plain::sums(d.forest.depths(), &d.x, s),
        ),
        op(
            ("lift", Random, 5.0),
            |_, d| lift(&d.forest, &d.few, false).map(|lifted| Answer::pair((lifted.origin, lifted.target))),
            |d, s| plain::lifted(&d.parents, &d.few, s),
        ),
    ]
}
