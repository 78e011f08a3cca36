//! Properties of the views of forests, of walks and of ancestors, against the plainest code, for drawn forests.

mod drawn;
mod oracle;

use drawn::properties;
use oracle::{NONE, compose};
use treepar::ancestor::{Of, nearest_marked, under_marked};
use treepar::depth::Depths;
use treepar::device::device;
use treepar::{Backend, Cpu, Error};

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

fn pairs(column: &[Affine]) -> Vec<(u32, u32)> {
    column.iter().map(|a| (a.m, a.b)).collect()
}

properties! {
    walks_match_oracle(cpu, rng, n) {
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
        let (column, x) = (cpu.upload(&parents).unwrap(), cpu.upload(&x).unwrap());
        assert_eq!(pairs(&cpu.walk_down::<path>(&column, Affine { m: 3, b: 4 }, (&x,)).unwrap()), down);
        assert_eq!(pairs(&cpu.walk_up::<subtree, then>(&column, (&x,)).unwrap()), up);
    }

    depths_come_back_from_parents_and_brackets(cpu, rng, n) {
        let depth = rng.forest(n);
        let forest = Depths::new(cpu, cpu.upload(&depth).unwrap()).unwrap();
        let parents = forest.parents(cpu).unwrap();
        assert_eq!(parents[..], oracle::parents(&depth));
        assert_eq!(Depths::from_parents(cpu, &parents).unwrap().depths()[..], depth);
        let brackets = forest.brackets(cpu).unwrap();
        assert_eq!(brackets[..], oracle::brackets(&depth));
        assert_eq!(Depths::from_brackets(cpu, &brackets).unwrap().depths()[..], depth);
    }

    views_match_oracle(cpu, rng, n) {
        let depth = rng.forest(n);
        let forest = Depths::new(cpu, cpu.upload(&depth).unwrap()).unwrap();
        let (parents, ends) = (oracle::parents(&depth), oracle::ends(&depth));
        assert_eq!(forest.ends(cpu).unwrap()[..], ends);
        let sizes = forest.subtree_sizes(cpu).unwrap();
        assert!((0..n).all(|i| i as u32 + sizes[i] == ends[i]));
        let child = oracle::child_indices(&depth);
        assert_eq!(forest.child_indices(cpu).unwrap()[..], child);
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
        assert_eq!(forest.child_counts(cpu).unwrap()[..], counts);
        assert_eq!(forest.first_children(cpu).unwrap()[..], firsts);
        assert_eq!(forest.next_siblings(cpu).unwrap()[..], nexts);
        assert_eq!(forest.postorder(cpu).unwrap()[..], oracle::postorder(&depth));
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| depth[i as usize]);
        let height = depth.iter().max().map_or(0, |&deepest| deepest + 1);
        let starts: Vec<u32> =
            (0..height).map(|d| order.partition_point(|&i| depth[i as usize] < d) as u32).collect();
        let (found, offsets) = forest.level_order(cpu).unwrap();
        assert_eq!((&found[..], &offsets[..]), (&order[..], &starts[..]));
        assert_eq!(forest.height(cpu).unwrap(), height as usize);
    }

    marked_ancestors_match_oracle(cpu, rng, n) {
        let (depth, mark) = (rng.forest(n), rng.mask(n));
        let forest = Depths::new(cpu, cpu.upload(&depth).unwrap()).unwrap();
        let parents = forest.parents(cpu).unwrap();
        let marks = cpu.upload(&mark).unwrap();
        let (mut above, mut own): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for i in 0..n {
            above.push(if parents[i] == NONE { NONE } else { own[parents[i] as usize] });
            own.push(if mark[i] != 0 { i as u32 } else { above[i] });
        }
        for (of, nearest) in [(Of::Above, above), (Of::Itself, own)] {
            assert_eq!(nearest_marked(cpu, &parents, &marks, of).unwrap()[..], nearest);
            let under = under_marked(cpu, &forest, &marks, of).unwrap();
            assert!((0..n).all(|i| under[i] == u8::from(nearest[i] != NONE)));
        }
    }
}

#[test]
fn a_depth_may_be_one_more_than_the_one_before_and_not_two() {
    let cpu = Cpu::with_threads(2);
    for n in [1usize, 8192, 8193, 20_000] {
        let mut depth: Vec<u32> = (0..n as u32).collect();
        assert!(Depths::new(&cpu, cpu.upload(&depth).unwrap()).is_ok());
        depth[n - 1] += 1;
        let found = Depths::new(&cpu, cpu.upload(&depth).unwrap()).map(|_| ());
        assert_eq!(found, Err(Error::InvalidDepth { index: n - 1, found: n as u64, limit: n as u64 - 1 }));
    }
    let found = Depths::new(&cpu, cpu.upload(&[0, u32::MAX, 0, 1]).unwrap()).map(|_| ());
    assert_eq!(found, Err(Error::InvalidDepth { index: 1, found: u32::MAX.into(), limit: 1 }));
}

#[test]
fn unbalanced_brackets_are_refused_at_their_place() {
    let cpu = Cpu::with_threads(1);
    let depths = |brackets: &str| {
        let bytes: Vec<u8> = brackets.bytes().map(|b| u8::from(b == b'(')).collect();
        Depths::from_brackets(&cpu, &cpu.upload(&bytes).unwrap()).map(|forest| forest.depths().to_vec())
    };
    assert_eq!(depths(""), Ok(vec![]));
    assert_eq!(depths("(()())()"), Ok(vec![0, 1, 1, 0]));
    for (brackets, index, open) in
        [(")", 0, 0), ("(", 1, 1), ("(())))", 4, 0), ("())(", 2, 0), ("()(()(", 6, 2), ("())()(", 2, 0)]
    {
        assert_eq!(depths(brackets), Err(Error::UnbalancedBrackets { index, open }), "{brackets}");
    }
}

#[test]
fn marks_for_another_number_of_nodes_are_refused() {
    let cpu = Cpu::with_threads(1);
    let forest = Depths::new(&cpu, cpu.upload(&[0, 1]).unwrap()).unwrap();
    let found = under_marked(&cpu, &forest, &cpu.upload(&[1u8]).unwrap(), Of::Itself).map(|_| ());
    assert_eq!(found, Err(Error::LengthMismatch { array: "mark", expected: 2, found: 1 }));
}

/// An operation on a forest, as what is run.
type Operation = fn(&Cpu, &Depths<Cpu>);

#[test]
fn each_view_runs_as_many_templates_as_it_needs() {
    let operations: [(&str, u64, Operation); 11] = [
        ("parents", 1, |cpu, forest| drop(forest.parents(cpu))),
        ("ends", 1, |cpu, forest| drop(forest.ends(cpu))),
        ("subtree sizes", 2, |cpu, forest| drop(forest.subtree_sizes(cpu))),
        ("postorder", 2, |cpu, forest| drop(forest.postorder(cpu))),
        ("height", 1, |cpu, forest| drop(forest.height(cpu))),
        ("level order", 3, |cpu, forest| drop(forest.level_order(cpu))),
        ("child counts", 2, |cpu, forest| drop(forest.child_counts(cpu))),
        ("next siblings", 2, |cpu, forest| drop(forest.next_siblings(cpu))),
        ("first children", 1, |cpu, forest| drop(forest.first_children(cpu))),
        ("brackets", 4, |cpu, forest| drop(forest.brackets(cpu))),
        ("child indices", 12, |cpu, forest| drop(forest.child_indices(cpu))),
    ];
    let cpu = Cpu::with_threads(1);
    let forest = Depths::new(&cpu, cpu.upload(&[0u32, 1, 2, 2, 1]).unwrap()).unwrap();
    for (name, launches, operation) in operations {
        let before = cpu.counters().launches;
        operation(&cpu, &forest);
        assert_eq!(cpu.counters().launches - before, launches, "{name}");
    }
}

/// The key of a row of n rows.
type Key = fn(u32, u32) -> u32;

/// The quickest of some runs, in seconds.
fn seconds(work: impl Fn()) -> f64 {
    let times = (0..5).map(|_| {
        let start = std::time::Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

#[test]
fn no_shape_takes_more_than_linear_time() {
    let n = 400_000u32;
    let cpu = Cpu::with_threads(4);
    let shapes: [(&str, Key); 6] = [
        ("chain", |i, _| i),
        ("up, then down", |i, n| i.min(n - i)),
        ("up, then down again and again", |i, _| (i % 10_000).min(10_000 - i % 10_000)),
        ("plateaus, then a fall", |i, n| if i < n / 2 { i / 100 } else { (n / 200).saturating_sub(i - n / 2) }),
        ("falls from great heights", |i, _| if i % 8192 == 0 { i } else { 0 }),
        ("falling keys", |i, n| n - i),
    ];
    let even = cpu.upload(&vec![0u32; n as usize]).unwrap();
    let bearable = 0.05 + 20.0 * seconds(|| drop((cpu.previous_smaller(&even), cpu.next_smaller_or_equal(&even))));
    for (name, key) in shapes {
        let keys: Vec<u32> = (0..n).map(|i| key(i, n)).collect();
        let column = cpu.upload(&keys).unwrap();
        let took = seconds(|| drop((cpu.previous_smaller(&column), cpu.next_smaller_or_equal(&column))));
        assert!(took < bearable, "{name}: {took} s");
    }
}
