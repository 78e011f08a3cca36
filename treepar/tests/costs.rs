//! Cost lines: the bytes that they state are those that a CPU counts.

use std::collections::BTreeMap;
use std::path::Path;

use treepar::ancestor::nearest_enclosing;
use treepar::compact::compress;
use treepar::dee::tree_single_scan;
use treepar::device::device;
use treepar::group::previous_within;
use treepar::key::{Order, group};
use treepar::mask::Mask;
use treepar::prelude::*;
use treepar::sort::inverse;
use treepar::walk::Schedule;
use treepar::{Result, list, segment};

/// The number of nodes and rows, in trees of four nodes: a root, its child, and two children of that, of which the first child is marked.
const N: usize = 10_000;

/// The numbers of what a cost line counts by.
const UNITS: [(&str, usize); 8] = [
    ("node", N),
    ("row", N),
    ("bit", N),
    ("segment", N),
    ("marked", N / 4),
    ("kept", N / 4),
    ("group", N / 100),
    ("run", N / 100),
];

#[device(expand)]
fn row_in_group(_group: usize, k: usize) -> u32 {
    k as u32
}

/// Returns the bytes that a function's cost line states for a CPU: the numbers before "bytes per" or "per" and a unit.
fn stated(file: &str, function: &str) -> f64 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    let source = std::fs::read_to_string(path).unwrap();
    let definition = [format!("fn {function}("), format!("fn {function}<")];
    let end = definition.iter().filter_map(|text| source.find(text)).min().expect(function);
    let comment = &source[..end][source[..end].rfind("# Cost").expect(function)..];
    let comment = comment[..comment.find("# Errors").expect(function)].replace("///", " ");
    // What a GPU does follows what a CPU does.
    let for_cpu = comment.split("on a GPU").next().unwrap_or_default();
    let words: Vec<&str> = for_cpu.split_whitespace().map(|word| word.trim_end_matches([',', ';', '.'])).collect();
    let units = BTreeMap::from(UNITS);
    let mut bytes = 0.0;
    for (at, pair) in words.windows(2).enumerate() {
        if let (["per", unit], [.., number, "bytes"] | [.., number]) = (pair, &words[..at]) {
            let stated = number.parse::<f64>().ok().zip(units.get(unit));
            bytes += stated.map_or(0.0, |(number, &units)| number * units as f64);
        }
    }
    assert!(bytes > 0.0, "{function}: no bytes in: {for_cpu}");
    bytes
}

#[test]
fn cost_lines_state_the_bytes_that_are_counted() -> Result<()> {
    let cpu = Cpu::with_threads(1);
    let column = |f: &dyn Fn(u32) -> u32| cpu.upload(&(0..N as u32).map(f).collect::<Vec<_>>());
    let rows = column(&|i| i)?;
    let reversed = column(&|i| N as u32 - 1 - i)?;
    let links = column(&|i| if i + 1 < N as u32 { i + 1 } else { NO_NODE })?;
    let hundreds = column(&|i| i / 100)?;
    let mark = cpu.upload(&(0..N).map(|i| u8::from(i % 4 == 1)).collect::<Vec<_>>())?;
    let forest = Depths::new(column(&|i| [0, 1, 2, 2][i as usize % 4])?)?;
    let parents = forest.parents()?;
    let (node, level) = forest.level_order()?;
    let (sizes, counts) = (forest.subtree_sizes()?, forest.child_counts()?);
    let (places, tour, brackets) = (forest.postorder()?, forest.euler_tour()?, forest.brackets()?);
    let ends = forest.ends()?;
    let unordered = cpu.upload(&parents[..])?;
    let groups = group(&hundreds, Order::Sorted)?;
    let mask = Mask::pack(&mark)?;

    type Operation<'a> = (&'static str, &'static str, &'a dyn Fn() -> Result<()>);
    let operations: &[Operation] = &[
        ("ancestor/interval.rs", "nearest_enclosing", &|| nearest_enclosing(&rows, &ends).map(drop)),
        ("ancestor/mod.rs", "nearest_marked", &|| parents.nearest_marked(&mark, Of::Inclusive).map(drop)),
        ("ancestor/mod.rs", "under_marked", &|| forest.under_marked(&mark, Of::Inclusive).map(drop)),
        ("compact.rs", "compress", &|| compress(&rows, &mark).map(drop)),
        ("dee.rs", "tree_single_scan", &|| tree_single_scan(&forest, &mark).map(drop)),
        ("depth/batch.rs", "split", &|| forest.split(&[0, 400]).map(drop)),
        ("depth/inverse.rs", "from_parents", &|| Depths::from_parents(&parents).map(drop)),
        ("depth/inverse.rs", "from_brackets", &|| Depths::from_brackets(&brackets).map(drop)),
        ("depth/inverse.rs", "from_subtree_sizes", &|| Depths::from_subtree_sizes(&sizes).map(drop)),
        ("depth/inverse.rs", "from_child_counts", &|| Depths::from_child_counts(&counts).map(drop)),
        ("depth/inverse.rs", "from_postorder", &|| Depths::from_postorder(&places).map(drop)),
        ("depth/inverse.rs", "from_level_order", &|| Depths::from_level_order(&node, &level).map(drop)),
        ("depth/inverse.rs", "from_euler_tour", &|| Depths::from_euler_tour(&tour).map(drop)),
        ("depth/unordered.rs", "from_unordered_parents", &|| Depths::from_unordered_parents(&unordered).map(drop)),
        ("depth/mod.rs", "parents", &|| forest.parents().map(drop)),
        ("depth/mod.rs", "ends", &|| forest.ends().map(drop)),
        ("depth/mod.rs", "subtree_sizes", &|| forest.subtree_sizes().map(drop)),
        ("depth/mod.rs", "level_order", &|| forest.level_order().map(drop)),
        ("depth/mod.rs", "child_indices", &|| forest.child_indices().map(drop)),
        ("depth/mod.rs", "child_counts", &|| forest.child_counts().map(drop)),
        ("depth/mod.rs", "postorder", &|| forest.postorder().map(drop)),
        ("depth/mod.rs", "height", &|| forest.height().map(drop)),
        ("depth/mod.rs", "next_siblings", &|| forest.next_siblings().map(drop)),
        ("depth/mod.rs", "first_children", &|| forest.first_children().map(drop)),
        ("depth/mod.rs", "euler_tour", &|| forest.euler_tour().map(drop)),
        ("depth/mod.rs", "brackets", &|| forest.brackets().map(drop)),
        ("group.rs", "previous_within", &|| previous_within(&hundreds, &rows).map(drop)),
        ("host/mod.rs", "to_host", &|| forest.to_host().map(drop)),
        ("key/mod.rs", "group", &|| group(&hundreds, Order::Sorted).map(drop)),
        ("key/mod.rs", "sizes", &|| groups.sizes().map(drop)),
        ("key/mod.rs", "of_rows", &|| groups.of_rows().map(drop)),
        ("key/mod.rs", "reduce", &|| groups.reduce(&rows, Sum).map(drop)),
        ("key/mod.rs", "scan", &|| groups.scan(Inclusive, &rows, Sum).map(drop)),
        ("key/mod.rs", "map", &|| groups.map(row_in_group::of()).map(drop)),
        ("list.rs", "ranks", &|| list::ranks(&links).map(drop)),
        ("mask.rs", "pack", &|| Mask::pack(&mark).map(drop)),
        ("mask.rs", "unpack", &|| mask.unpack().map(drop)),
        ("mask.rs", "rows", &|| mask.rows().map(drop)),
        ("mask.rs", "ranks", &|| mask.ranks(&rows).map(drop)),
        ("segment.rs", "offsets", &|| segment::offsets(&sizes).map(drop)),
        ("segment.rs", "runs", &|| segment::runs(&hundreds).map(drop)),
        ("segment.rs", "lengths", &|| segment::lengths(&rows, N).map(drop)),
        ("segment.rs", "owners", &|| segment::owners(&rows, N).map(drop)),
        ("sort.rs", "inverse", &|| inverse(&reversed).map(drop)),
        ("walk.rs", "new", &|| Schedule::new(&forest).map(drop)),
        ("walk.rs", "subtree_counts", &|| forest.subtree_counts(&mark).map(drop)),
    ];
    let mut wrong = Vec::new();
    for (file, function, call) in operations {
        let before = cpu.counters().bytes;
        call()?;
        let (counted, stated) = ((cpu.counters().bytes - before) as f64 / N as f64, stated(file, function) / N as f64);
        // Lines have one digit after the point at most, and leave out constants of some bytes.
        if (counted - stated).abs() > 0.05 {
            wrong.push(format!("{file}, {function}: {counted:.2} bytes per row are counted, {stated:.2} stated"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}
