//! The nodes of trees, compared.

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Error, Observer, Output, compile};
use treepar::{Backend, Cpu};

/// Returns the nodes of a tree.
pub fn host(tree: &Tree) -> HostNodes {
    HostNodes {
        depth: tree.depth.clone(),
        kind: tree.kind.iter().map(|&code| Kind::from_code(code)).collect(),
        ty: bytemuck::cast_slice(&tree.ty).to_vec(),
        data: tree.data.clone(),
    }
}

/// Returns the parent of each node, and the end of its subtree.
pub fn relations(nodes: &HostNodes) -> (Vec<Option<usize>>, Vec<usize>) {
    let n = nodes.kind.len();
    let (mut parent, mut end) = (Vec::with_capacity(n), vec![n; n]);
    let mut open: Vec<usize> = Vec::new();
    for (i, &depth) in nodes.depth.iter().enumerate() {
        while open.len() > depth as usize {
            end[open.pop().expect("an open node")] = i;
        }
        parent.push(open.last().copied());
        open.push(i);
    }
    (parent, end)
}

/// Asserts that nodes equal an oracle's.
pub fn assert_same(what: &str, found: &HostNodes, expected: &HostNodes) {
    let n = expected.kind.len().min(found.kind.len());
    let differs = |&i: &usize| {
        (found.depth[i], found.kind[i], found.ty[i], found.data[i])
            != (expected.depth[i], expected.kind[i], expected.ty[i], expected.data[i])
    };
    if let Some(i) = (0..n).find(differs) {
        let show = |nodes: &HostNodes| {
            (i.saturating_sub(12)..(i + 3).min(n))
                .map(|i| {
                    let (ty, data) = (nodes.ty[i].text(), nodes.data[i]);
                    format!(
                        "{i} {:indent$}{} {ty} {data}\n",
                        "",
                        nodes.kind[i].name(),
                        indent = nodes.depth[i] as usize
                    )
                })
                .collect::<String>()
        };
        panic!("{what}: node {i} differs, found\n{}expected\n{}", show(found), show(expected));
    }
    assert_eq!(found.kind.len(), expected.kind.len(), "{what}: numbers of nodes");
}

/// Keeps the nodes before a pass and after it.
struct Around {
    pass: &'static str,
    last: HostNodes,
    found: Option<(HostNodes, HostNodes)>,
}

impl<B: Backend> Observer<B> for Around {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        if !NODES.contains(&after.pass()) {
            return Ok(());
        }
        let mut columns = Columns::default();
        columns.add(backend, after)?;
        let pass = after.pass();
        let nodes = HostNodes {
            depth: columns.get(pass, "depth"),
            kind: columns.get(pass, "kind"),
            ty: columns.get(pass, "ty"),
            data: columns.get(pass, "data"),
        };
        let before = std::mem::replace(&mut self.last, nodes.clone());
        if pass == self.pass {
            self.found = Some((before, nodes));
        }
        Ok(())
    }
}

/// The passes that leave nodes, up to the passes that optimise programs of numbers.
const NODES: [&str; 13] = [
    "upload",
    "inlining",
    "multiloops",
    "fusion",
    "loops",
    "structs",
    "arrays",
    "contexts",
    "folding",
    "dead",
    "checks",
    "motion",
    "strength",
];

/// Returns the nodes of a program before a pass and after it, if the pass runs.
pub fn around(tree: &Tree, optimisations: Optimisations, pass: &'static str) -> Option<(HostNodes, HostNodes)> {
    let settings = Settings { optimisations, ..Output::Object.into() };
    let mut around = Around { pass, last: HostNodes::default(), found: None };
    compile(&Cpu::with_threads(2), tree, settings, &mut around).expect("a compilation");
    around.found
}
