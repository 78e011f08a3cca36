//! The cost of operations, as the number of templates they run.

use treepar::depth::Depths;
use treepar::{Backend, Cpu};

/// An operation on a forest.
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
