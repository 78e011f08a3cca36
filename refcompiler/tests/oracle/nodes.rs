//! The nodes of trees, compared.

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;

/// Returns the nodes of a tree.
pub fn host(tree: &Tree) -> HostNodes {
    HostNodes {
        depth: tree.depth.clone(),
        kind: tree.kind.iter().map(|&code| Kind::from_code(code)).collect(),
        ty: bytemuck::cast_slice(&tree.ty).to_vec(),
        data: tree.data.clone(),
    }
}

/// Asserts that nodes are those of an oracle.
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
