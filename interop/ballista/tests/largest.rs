//! The largest folders by a query that workers run, compared with the same query in one process.

use std::num::NonZeroUsize;

use treepar_interop::{Node, nodes};
use treepar_interop_ballista::session;
use treepar_interop_datafusion::{largest, session as in_process, write};

#[tokio::test]
async fn workers_find_the_folders_that_one_process_finds() {
    let folder = tempfile::tempdir().unwrap();
    for (name, n, nodes_of_group, workers) in [("one", 1, 10, 1), ("small", 1_000, 100, 2), ("large", 50_000, 7_000, 3)]
    {
        let path = folder.path().join(name).with_extension("parquet");
        write(&path, nodes(n), nodes_of_group).unwrap();
        let expected = largest(&in_process(1), &path, 10).await.unwrap();
        let cluster = session(NonZeroUsize::new(workers).unwrap()).await.unwrap();
        assert_eq!(largest(&cluster, &path, 10).await.unwrap(), expected, "{n} nodes, {workers} workers");
    }
}

#[tokio::test]
async fn an_error_of_a_worker_reaches_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trees.parquet");
    let node = |depth| Node { depth, name: String::new(), bytes: 1 };
    write(&path, [node(0), node(0), node(2)], 10).unwrap();
    let cluster = session(NonZeroUsize::MIN).await.unwrap();
    let error = largest(&cluster, &path, 1).await.unwrap_err().to_string();
    // Ballista sends the error itself, not its words.
    assert!(error.contains("InvalidDepth { index: 2, found: 2, limit: 1 }"), "{error}");
}
