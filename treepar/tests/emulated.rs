//! Properties of machines that no law covers: memory that is too small, threads that share a backend, columns of another
//! backend, a device function that reads outside its columns.

#![cfg(feature = "emulate")]

use treepar::backend::gpu::Emulated;
use treepar::backend::{Offsets, ScanKind};
use treepar::depth::Depths;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::operators::Symbol;
use treepar::text::of_rows;
use treepar::{Backend, Column, Error, MachineError};

#[test]
#[ignore = "needs a C++ compiler"]
fn the_backend_still_works_after_a_forest_that_does_not_fit() {
    let backend = Emulated::with_memory(100_000).unwrap();
    let depth: Vec<u32> = (0..20_000).map(|i| i % 7).collect();
    let views = |depth: &[u32]| {
        let forest = Depths::new(backend.upload(depth)?)?;
        let parents = forest.parents()?;
        forest.ends()?;
        backend.download(&parents)
    };
    let found = views(&depth).unwrap_err();
    assert!(found.is_out_of_memory(), "{found}");
    let Error::Machine(MachineError::OutOfMemory { needed, free }) = found else { panic!("{found}") };
    assert!(needed > free && free < 100_000, "{needed} of {free}");
    assert_eq!(
        Error::Machine(MachineError::OutOfMemory { needed: 9, free: 4 }).to_string(),
        "out of device memory: 9 bytes were requested, 4 are free; the CPU backend may have room"
    );
    // All that was taken on the way was given back, except the array for totals.
    let parents = views(&depth[..1000]).unwrap();
    assert_eq!(parents[8], 7);
    let rest = 100_000 - 16_384;
    assert_eq!(backend.upload(&vec![0u8; rest]).unwrap().len(), rest);
}

#[test]
#[ignore = "needs a C++ compiler"]
fn threads_share_a_backend() {
    let backend = Emulated::with_seed(3).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4u32 {
            let backend = &backend;
            scope.spawn(move || {
                for n in [1, 300, 5000] {
                    let rows: Vec<u32> = (0..n).map(|i| i * thread % 11).collect();
                    let column = backend.upload(&rows).unwrap();
                    let (sums, total) = backend.scan(ScanKind::Inclusive, &column, Sum).unwrap();
                    let mut expected = rows.clone();
                    (1..rows.len()).for_each(|i| expected[i] += expected[i - 1]);
                    assert_eq!(backend.download(&sums).unwrap(), expected);
                    assert_eq!(Some(&total), expected.last());
                }
            });
        }
    });
}

#[test]
#[ignore = "needs a C++ compiler"]
fn columns_of_another_backend_are_refused() {
    let (a, b) = (Emulated::with_seed(1).unwrap(), Emulated::with_seed(1).unwrap());
    let (mine, other) = (a.upload(&[0u32, 1, 2]).unwrap(), b.upload(&[0u32, 1, 2]).unwrap());
    let parents = Depths::new(b.upload(&[0, 1, 1]).unwrap()).unwrap().parents().unwrap();
    let (mut to_mine, mut to_other) = (a.filled(3, 7u32).unwrap(), b.filled(3, 7u32).unwrap());
    let offsets = a.filled(3, 0u32).unwrap();
    let refused = [
        ("download", a.download(&other).err()),
        ("read", a.read(&other, 1).err()),
        ("slice", a.slice(&other, 0..2).err()),
        ("concat", a.concat(&[&mine, &other]).err()),
        ("copy from", a.copy(&other, &mut to_mine).err()),
        ("copy to", a.copy(&mine, &mut to_other).err()),
        ("map", a.map(sum_of_rows::of(&mine, &other)).err()),
        ("map of no rows", a.map(sum_of_rows::of(&mine, &other).rows(0)).err()),
        ("scan", a.scan(ScanKind::Inclusive, &other, Sum).err()),
        ("scatter", a.scatter(&mut to_other, &mine, &mine).err()),
        ("scatter by", a.scatter(&mut to_mine, &other, &mine).err()),
        ("scatter of", a.scatter(&mut to_mine, &mine, &other).err()),
        ("previous_smaller", a.previous_smaller(&other).err()),
        ("next_smaller_or_equal", a.next_smaller_or_equal(&other).err()),
        ("nearest_smaller", a.nearest_smaller(&other).err()),
        ("walk_down", a.walk_down(&parents, 0, path_sum::of(&mine)).err()),
        ("histogram", a.histogram(&other, 3).err()),
        ("accumulate", a.accumulate(&mut to_mine, row_pair::of(&other, &mine)).err()),
        ("accumulate to", a.accumulate(&mut to_other, row_pair::of(&mine, &mine)).err()),
        ("intern", a.intern(key::of(&other)).err()),
        ("expand_rows", a.expand_rows(four::of(&other)).err()),
        ("text of rows", of_rows(&Offsets::new(&a, &offsets, 8).unwrap(), number::of(&other)).err()),
        ("operators", a.operators(&b.upload(&[Symbol::operand()]).unwrap()).err()),
        ("positions", a.positions(first::of(&mine), Sum, marks::of(&other)).err()),
        ("positions after", a.positions(first::of(&other), Sum, marks::of(&mine)).err()),
        ("sort by", a.sort_by_key(&other, &mine).err()),
        ("sort", a.sort_by_key(&mine, &other).err()),
        ("segments", a.segmented_reduce(&other, &mine, Sum).err()),
    ];
    for (call, found) in refused {
        assert_eq!(found, Some(Error::OtherBackend), "{call}");
    }
    assert_eq!(a.download(&to_mine).unwrap(), [7; 3]);
    assert_eq!(b.download(&to_other).unwrap(), [7; 3]);
}

#[device(map)]
fn sum_of_rows(i: usize, x: &[u32], y: &[u32]) -> u32 {
    x[i] + y[i]
}

#[device(accumulate)]
fn row_pair(i: usize, x: &[u32], y: &[u32]) -> (u32, u32) {
    (x[i], y[i])
}

#[device(intern)]
fn key(i: usize, x: &[u32]) -> u64 {
    x[i] as u64
}

#[device(expand)]
fn number(i: usize, _k: u32, x: &[u32]) -> u64 {
    x[i] as u64
}

#[device(expand_rows)]
fn four(i: usize, x: &[u32]) -> (u32, u32, u32, u32, u32) {
    (x[i], x[i], x[i], x[i], 4)
}

#[device(scan(Sum))]
fn first(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(positions(first, Sum))]
fn marks(i: usize, before: u32, x: &[u32]) -> u64 {
    (x[i] ^ before) as u64
}

#[device(walk_down)]
fn path_sum(i: usize, parent: u32, x: &[u32]) -> u32 {
    parent + x[i]
}

#[device(map)]
fn next_row(i: usize, x: &[u32]) -> u32 {
    x[i + 1]
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_read_outside_a_column_names_the_kernel() {
    let backend = Emulated::new().unwrap();
    let x = backend.upload(&[1u32, 2, 3]).unwrap();
    let found = backend.map(next_row::of(&x).rows(3)).map(drop).unwrap_err();
    let Error::Machine(MachineError::Fault { entry, what }) = found else { panic!("{found}") };
    assert!(entry.ends_with("next_row"), "{entry}");
    assert!(what.ends_with("read of row 3 of a column with 3 rows"), "{what}");
    // Nothing is lost on a host.
    assert_eq!(backend.download(&backend.map(next_row::of(&x).rows(2)).unwrap()).unwrap(), [2, 3]);
}
