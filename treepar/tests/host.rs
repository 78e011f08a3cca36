//! Forests on the host: their links beside the operations on columns, drawings, and building them.

use quickcheck::quickcheck;
use treepar::depth::{Depths, NO_NODE};
use treepar::host::{Builder, Forest, Tree};
use treepar::{Backend, Cpu, Error};

/// Returns depths of a forest: each number below 256 takes the next node so many levels up.
fn depths(steps: &[u8]) -> Vec<u32> {
    let mut below = 0;
    steps
        .iter()
        .map(|&step| {
            let depth = u32::from(step) % (below + 1);
            below = depth + 1;
            depth
        })
        .collect()
}

/// A node of a recursive structure.
#[derive(Debug, PartialEq)]
struct Node {
    name: u32,
    children: Vec<Node>,
}

impl Tree for Node {
    type Label = u32;
    fn label(&self) -> u32 {
        self.name
    }
    fn children(&self) -> impl Iterator<Item = &Node> {
        self.children.iter()
    }
}

quickcheck! {
    fn links_are_those_of_the_columns(steps: Vec<u8>) -> bool {
        let cpu = Cpu::with_threads(1);
        let columns = Depths::new(cpu.upload(&depths(&steps)).unwrap()).unwrap();
        let forest = columns.to_host().unwrap();
        let parents = cpu.download(&columns.parents().unwrap()).unwrap();
        let ends = cpu.download(&columns.ends().unwrap()).unwrap();
        let counts = cpu.download(&columns.child_counts().unwrap()).unwrap();
        let places = cpu.download(&columns.postorder().unwrap()).unwrap();
        let nodes = 0..forest.len();
        let siblings = |node: usize| match forest.parent(node) {
            Some(parent) => forest.children(parent),
            None => forest.roots(),
        };
        forest.depths() == cpu.download(columns.depths()).unwrap()
            && nodes.clone().all(|node| forest.parent(node).map_or(NO_NODE, |parent| parent as u32) == parents[node])
            && nodes.clone().all(|node| forest.subtree(node) == (node..ends[node] as usize))
            && nodes.clone().all(|node| forest.children(node).count() == counts[node] as usize)
            && nodes.clone().all(|node| siblings(node).filter(|&sibling| sibling == node).count() == 1)
            && nodes.clone().all(|node| forest.ancestors(node).count() == forest.depth(node))
            && forest.leaves().eq(nodes.clone().filter(|&node| counts[node] == 0))
            && forest.postorder().enumerate().all(|(place, node)| places[node] as usize == place)
            && forest.postorder().count() == forest.len()
    }

    fn recursive_structures_come_back(steps: Vec<u8>) -> bool {
        let forest = Forest::new(depths(&steps)).unwrap();
        let trees = forest.fold(|node, children| Node { name: node as u32, children });
        let (again, names) = Forest::of(&trees).unwrap();
        again == forest && names == (0..forest.len() as u32).collect::<Vec<_>>()
    }

    fn drawings_have_a_line_per_node(steps: Vec<u8>) -> bool {
        let forest = Forest::new(depths(&steps)).unwrap();
        let text = forest.to_string();
        let lines: Vec<&str> = text.lines().collect();
        // The label of a node is three columns right of its parent's, under a line that leads to it.
        lines.len() == forest.len()
            && lines.iter().enumerate().all(|(node, line)| {
                let before = line.chars().position(|c| c.is_ascii_digit()).unwrap();
                before == 3 * forest.depth(node)
                    && forest.parent(node).is_none_or(|parent| {
                        let column = 3 * forest.depth(parent);
                        lines[parent + 1..=node].iter().all(|line| "├│└".contains(line.chars().nth(column).unwrap()))
                    })
            })
    }
}

#[test]
fn deep_structures_need_no_deep_stack() {
    let mut chain = Node { name: 0, children: vec![] };
    for name in 1..200_000 {
        chain = Node { name, children: vec![chain] };
    }
    let (forest, names) = Forest::of([&chain]).unwrap();
    assert_eq!((forest.depth(199_999), names[199_999]), (199_999, 0));
    let heights = forest.fold(|_, children: Vec<u32>| 1 + children.into_iter().max().unwrap_or(0));
    assert_eq!(heights, [200_000]);
    // The drop of a chain is recursive.
    while let Some(child) = chain.children.pop() {
        chain = child;
    }
}

#[test]
fn unbalanced_events_are_errors() {
    let mut builder = Builder::new();
    builder.leaf("a");
    assert_eq!(builder.close(), Err(Error::UnbalancedBrackets { index: 2, open: 0 }));
    builder.open("b");
    builder.open("c");
    builder.close().unwrap();
    assert_eq!(builder.finish().err(), Some(Error::UnbalancedBrackets { index: 5, open: 1 }));
    assert_eq!(Forest::new(vec![0, 2]).err(), Some(Error::InvalidDepth { index: 1, found: 2, limit: 1 }));
}

#[test]
fn one_line_shows_the_shape() {
    let line = |depth: &[u32]| format!("{:?}", Forest::new(depth.to_vec()).unwrap());
    assert_eq!(line(&[]), "");
    assert_eq!(line(&[0]), "0");
    assert_eq!(line(&[0, 1, 2, 2, 1, 0, 1, 2]), "0(1(2 3) 4) 5(6(7))");
    assert!(line(&[0; 1000]).ends_with(" 199 .. and 800 more nodes"));
}

#[test]
fn graphviz_takes_any_label() {
    let forest = Forest::new(vec![0, 1, 1]).unwrap();
    let labels = ["say \"hi\"", "back\\slash", "two\nlines"];
    let expected = r#"digraph {
  node [shape=box];
  0 [label="say \"hi\""];
  1 [label="back\\slash"];
  0 -> 1;
  2 [label="two\nlines"];
  0 -> 2;
}
"#;
    assert_eq!(forest.graphviz(|node| labels[node]).to_string(), expected);
}
