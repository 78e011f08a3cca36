//! The largest folders of a file, compared with recursion.

use treepar_interop::{Error, Folder, Node, largest, nodes, write};

/// Returns the folders of the nodes from `at` on that are deeper than `depth`, and the bytes of these nodes.
fn folders(nodes: &[Node], at: &mut usize, depth: Option<u32>, found: &mut Vec<Folder>) -> u64 {
    let mut all = 0;
    while *at < nodes.len() && depth.is_none_or(|depth| nodes[*at].depth > depth) {
        let node = &nodes[*at];
        *at += 1;
        let first = *at;
        let bytes = node.bytes + folders(nodes, at, Some(node.depth), found);
        if *at > first {
            found.push(Folder { bytes, name: node.name.clone() });
        }
        all += bytes;
    }
    all
}

#[test]
fn folders_are_those_that_recursion_finds() {
    let folder = tempfile::tempdir().unwrap();
    for (n, rows) in [(0, 10), (1, 10), (2, 1), (1_000, 100), (50_000, 7_000), (50_000, 1_000_000)] {
        let nodes: Vec<Node> = nodes(n).collect();
        let mut expected = Vec::new();
        folders(&nodes, &mut 0, None, &mut expected);
        expected.sort_by(|a, b| b.cmp(a));
        let path = folder.path().join("forest.parquet");
        write(&path, nodes, rows).unwrap();
        for k in [0, 1, 10] {
            assert_eq!(largest(&path, k).unwrap(), expected[..k.min(expected.len())], "{n} nodes, {k} folders");
        }
    }
}

#[test]
fn files_without_a_forest_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest.parquet");
    assert!(matches!(largest(&path, 1), Err(Error::File(_))));
    std::fs::write(&path, "no Parquet").unwrap();
    assert!(matches!(largest(&path, 1), Err(Error::Parquet(_))));
    let node = |depth| Node { depth, name: String::new(), bytes: 1 };
    write(&path, [node(0), node(0), node(2)], 1).unwrap();
    let error = largest(&path, 1).unwrap_err().to_string();
    assert_eq!(error, "row group 1: node 1 has depth 2; the limit there is 1");
}
