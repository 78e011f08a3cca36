//! The cost of operations, as the number of templates they run.

use treepar::depth::Depths;
use treepar::{Backend, Cpu};

/// An operation on a forest.
type Operation = fn(&Depths<Cpu>);

#[test]
fn each_view_runs_as_many_templates_as_it_needs() {
    let operations: [(&str, u64, Operation); 11] = [
        ("parents", 1, |forest| drop(forest.parents())),
        ("ends", 1, |forest| drop(forest.ends())),
        ("subtree sizes", 2, |forest| drop(forest.subtree_sizes())),
        ("postorder", 2, |forest| drop(forest.postorder())),
        ("height", 1, |forest| drop(forest.height())),
        ("level order", 1, |forest| drop(forest.level_order())),
        ("child counts", 2, |forest| drop(forest.child_counts())),
        ("next siblings", 2, |forest| drop(forest.next_siblings())),
        ("first children", 1, |forest| drop(forest.first_children())),
        ("brackets", 1, |forest| drop(forest.brackets())),
        ("child indices", 1, |forest| drop(forest.child_indices())),
    ];
    let cpu = Cpu::with_threads(1);
    let forest = Depths::new(cpu.upload(&[0u32, 1, 2, 2, 1]).unwrap()).unwrap();
    for (name, templates, operation) in operations {
        let before = cpu.counters().templates;
        operation(&forest);
        assert_eq!(cpu.counters().templates - before, templates, "{name}");
    }
}
