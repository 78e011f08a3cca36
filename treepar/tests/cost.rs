//! What operations cost: the templates they run, and that no shape makes them slow.

use treepar::depth::Depths;
use treepar::{Backend, Cpu};

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
        ("child indices", 7, |cpu, forest| drop(forest.child_indices(cpu))),
    ];
    let cpu = Cpu::with_threads(1);
    let forest = Depths::new(&cpu, cpu.upload(&[0u32, 1, 2, 2, 1]).unwrap()).unwrap();
    for (name, templates, operation) in operations {
        let before = cpu.counters().templates;
        operation(&cpu, &forest);
        assert_eq!(cpu.counters().templates - before, templates, "{name}");
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
