//! The largest folders by a query, compared with those of the Parquet reader, and trees that are none.

use datafusion::arrow::array::{Array, AsArray, ListArray};
use datafusion::arrow::datatypes::{UInt32Type, UInt64Type};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;
use treepar_interop::{Node, nodes};
use treepar_interop_datafusion::{largest, session, write};

#[tokio::test]
async fn folders_are_those_of_the_reader_with_any_number_of_partitions() {
    let folder = tempfile::tempdir().unwrap();
    let [trees, rows] = ["trees.parquet", "rows.parquet"].map(|name| folder.path().join(name));
    for (n, nodes_of_group) in [(0, 10), (1, 10), (2, 1), (1_000, 100), (50_000, 7_000), (50_000, 1_000_000)] {
        write(&trees, nodes(n), nodes_of_group).unwrap();
        treepar_interop::write(&rows, nodes(n), 1_000_000).unwrap();
        for (k, partitions) in [(0, 1), (1, 2), (10, 1), (10, 2), (10, 7)] {
            let expected = treepar_interop::largest(&rows, k).unwrap();
            let found = largest(&session(partitions), &trees, k).await.unwrap();
            assert_eq!(found, expected, "{n} nodes, {k} folders, {partitions} partitions");
        }
    }
}

/// Returns the first row of the first column of a query.
async fn first(context: &SessionContext, query: &str) -> Result<ListArray> {
    let batches = context.sql(query).await?.collect().await?;
    Ok(batches[0].column(0).as_list::<i32>().clone())
}

#[tokio::test]
async fn functions_take_literals_and_parts_of_columns() {
    let context = session(1);
    let sums = "subtree_sums(arrow_cast([0, 1, 2, 1, 0], 'List(UInt32)'), arrow_cast([1, 2, 3, 4, 5], 'List(UInt64)'))";
    let sums = first(&context, &format!("SELECT {sums}")).await.unwrap();
    assert_eq!(sums.value(0).as_primitive::<UInt64Type>().values()[..], [10, 5, 3, 4, 5]);
    // Three trees of a table, of which the filter and the limit leave one.
    let trees = "SELECT arrow_cast(d, 'List(UInt32)') AS d FROM (VALUES ([0, 1]), ([0, 1, 1]), ([0, 1, 2, 3])) AS t(d)";
    let counts = first(&context, &format!("SELECT child_counts(d) FROM ({trees} LIMIT 1 OFFSET 1)")).await.unwrap();
    assert_eq!(counts.len(), 1);
    assert_eq!(counts.value(0).as_primitive::<UInt32Type>().values()[..], [2, 0, 0]);
}

#[tokio::test]
async fn trees_that_are_none_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trees.parquet");
    let node = |depth| Node { depth, name: String::new(), bytes: 1 };
    write(&path, [node(0), node(0), node(2)], 10).unwrap();
    let error = largest(&session(2), &path, 1).await.unwrap_err().to_string();
    assert!(error.contains("node 2 has depth 2; the limit there is 1"), "{error}");
    write(&path, [node(1)], 10).unwrap();
    let error = largest(&session(2), &path, 1).await.unwrap_err().to_string();
    assert!(error.contains("the first node of a tree has depth 1"), "{error}");

    let context = session(1);
    let depths = "arrow_cast([0, 1], 'List(UInt32)')";
    for (query, reason) in [
        ("child_counts(1)".to_string(), "an argument is Int64, and not a list with an element per node"),
        ("child_counts([0, 1])".to_string(), "the depths are Int64, and not unsigned integers of 32 bits"),
        (format!("child_counts(nullif({depths}, {depths}))"), "a list is null, and must have an element per node"),
        (format!("subtree_sums({depths}, {depths})"), "the values are UInt32, and not unsigned integers of 64 bits"),
        (
            format!("subtree_sums({depths}, arrow_cast([1, 2, 3], 'List(UInt64)'))"),
            "a tree has other numbers of depths and values",
        ),
        (
            "child_counts(arrow_cast([0, NULL], 'List(UInt32)'))".to_string(),
            "the Arrow array has 1 nulls; replace them",
        ),
    ] {
        let error = first(&context, &format!("SELECT {query}")).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{query}: {error}");
    }
}
