//! Errors: each names the row, the value found there, and the limit.

use treepar::ancestor::{Of, nearest_enclosing};
use treepar::backend::{Offsets, ScanKind};
use treepar::compact::{compress, gather};
use treepar::dee::Instructions;
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::device::device;
use treepar::key::{KeyColumn, Order, group, group_columns};
use treepar::monoid::Sum;
use treepar::path::{Encoding, PathMatrix};
use treepar::sort::inverse;
use treepar::{Backend, Column, Cpu, Error, MachineError, segment, text};

fn refusal<T>(result: Result<T, Error>) -> Error {
    result.map(|_| ()).unwrap_err()
}

#[test]
fn a_depth_may_be_one_more_than_the_one_before_and_not_two() {
    let cpu = Cpu::with_threads(2);
    for n in [1usize, 8192, 8193, 20_000] {
        let mut depth: Vec<u32> = (0..n as u32).collect();
        assert!(Depths::new(cpu.upload(&depth).unwrap()).is_ok());
        depth[n - 1] += 1;
        let found = refusal(Depths::new(cpu.upload(&depth).unwrap()));
        assert_eq!(found, Error::InvalidDepth { index: n - 1, found: n as u64, limit: n as u64 - 1 });
    }
    let found = refusal(Depths::new(cpu.upload(&[0, u32::MAX, 0, 1]).unwrap()));
    assert_eq!(found, Error::InvalidDepth { index: 1, found: u32::MAX.into(), limit: 1 });
    assert_eq!(found.to_string(), "node 1 has depth 4294967295; the limit there is 1");
}

#[test]
fn parents_are_the_node_before_or_its_ancestors() {
    let cpu = Cpu::with_threads(2);
    let parents = |parent: &[u32]| Parents::new(cpu.upload(parent).unwrap()).map(|_| ());
    assert_eq!(parents(&[0]), Err(Error::InvalidParent { index: 0, found: 0 }));
    assert_eq!(parents(&[NO_NODE, 2, 0]), Err(Error::InvalidParent { index: 1, found: 2 }));
    assert_eq!(parents(&[NO_NODE, 0, 0, 1]), Err(Error::InvalidParent { index: 3, found: 1 }));
    // Cycles of one, two and three nodes, and a parent that no node is.
    assert_eq!(parents(&[NO_NODE, 1]), Err(Error::InvalidParent { index: 1, found: 1 }));
    assert_eq!(parents(&[1, 0]), Err(Error::InvalidParent { index: 0, found: 1 }));
    assert_eq!(parents(&[NO_NODE, 3, 1, 2]), Err(Error::InvalidParent { index: 1, found: 3 }));
    assert_eq!(parents(&[NO_NODE, 0, 9]), Err(Error::InvalidParent { index: 2, found: 9 }));
    assert_eq!(parents(&[NO_NODE, 0, 0, 2, NO_NODE]), Ok(()));
    assert_eq!(parents(&[]), Ok(()));
}

#[test]
fn unbalanced_brackets_are_refused_at_their_place() {
    let cpu = Cpu::with_threads(1);
    let depths = |brackets: &str| {
        let bytes: Vec<u8> = brackets.bytes().map(|b| u8::from(b == b'(')).collect();
        Depths::from_brackets(&cpu.upload(&bytes).unwrap()).map(|forest| forest.depths().to_vec())
    };
    assert_eq!(depths(""), Ok(vec![]));
    assert_eq!(depths("(()())()"), Ok(vec![0, 1, 1, 0]));
    for (brackets, index, open) in
        [(")", 0, 0), ("(", 1, 1), ("(())))", 4, 0), ("())(", 2, 0), ("()(()(", 6, 2), ("())()(", 2, 0)]
    {
        assert_eq!(depths(brackets), Err(Error::UnbalancedBrackets { index, open }), "{brackets}");
    }
}

#[test]
fn views_of_no_forest_are_refused_at_the_node() {
    let cpu = Cpu::with_threads(2);
    let column = |rows: &[u32]| cpu.upload(rows).unwrap();
    let sizes = |rows: &[u32]| refusal(Depths::from_subtree_sizes(&column(rows)));
    assert_eq!(sizes(&[0]), Error::NoSuchForest { array: "subtree size", index: 0, found: 0 });
    assert_eq!(sizes(&[2, 2]), Error::NoSuchForest { array: "subtree size", index: 1, found: 2 });
    assert_eq!(sizes(&[2, 2, 1]), Error::NoSuchForest { array: "subtree size", index: 0, found: 2 });
    let counts = |rows: &[u32]| refusal(Depths::from_child_counts(&column(rows)));
    assert_eq!(counts(&[2, 0]), Error::NoSuchForest { array: "child count", index: 0, found: 2 });
    assert_eq!(counts(&[u32::MAX, 0]), Error::NoSuchForest { array: "child count", index: 0, found: u32::MAX.into() });
    let post = |rows: &[u32]| refusal(Depths::from_postorder(&column(rows)));
    assert_eq!(post(&[0, 0]), Error::DuplicateTarget { target: 0 });
    assert!(matches!(post(&[0, 2]), Error::IndexOutOfRange { index: 1, found: 2, limit: 2, .. }));
    let tour = |rows: &[u32]| refusal(Depths::from_euler_tour(&column(rows)));
    assert_eq!(tour(&[0, 1, 0, 1]), Error::NoSuchForest { array: "Euler tour", index: 2, found: 0 });
    let levels = |node: &[u32], offset: &[u32]| refusal(Depths::from_level_order(&column(node), &column(offset)));
    assert_eq!(levels(&[1, 0], &[0, 1]), Error::InvalidDepth { index: 0, found: 1, limit: 0 });
    assert_eq!(levels(&[0, 1], &[0, 1, 2]), Error::LengthMismatch { array: "level offset", expected: 2, found: 3 });
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let cpu = Cpu::with_threads(1);
    let (two, three) = (cpu.upload(&[0u32, 1]).unwrap(), cpu.upload(&[0u32, 1, 2]).unwrap());
    let byte = cpu.upload(&[1u8]).unwrap();
    let mismatch = |array, expected, found| Error::LengthMismatch { array, expected, found };
    let mut target = cpu.filled(4, 0u32).unwrap();
    assert_eq!(refusal(cpu.scatter(&mut target, &two, &three)), mismatch("values", 2, 3));
    assert_eq!(refusal(cpu.sort_by_key(&two, &three)), mismatch("payload", 2, 3));
    let columns = [KeyColumn::from(&two), KeyColumn::from(&three)];
    assert_eq!(refusal(group_columns(&columns, Order::Sorted)), mismatch("key column", 2, 3));
    let groups = group(&two, Order::Sorted).unwrap();
    assert_eq!(refusal(groups.reduce(&three, Sum)), mismatch("values", 2, 3));
    assert_eq!(refusal(compress(&two, &byte)), mismatch("mask", 2, 1));
    let forest = Depths::new(cpu.upload(&[0, 1]).unwrap()).unwrap();
    assert_eq!(refusal(forest.under_marked(&byte, Of::Inclusive)), mismatch("mark", 2, 1));
    let parents = forest.parents().unwrap();
    assert_eq!(refusal(parents.nearest_marked(&byte, Of::Exclusive)), mismatch("mark", 2, 1));
    assert_eq!(refusal(Instructions::with_arity(2, three)), mismatch("operands", 2, 3));
}

#[test]
fn indices_outside_are_refused_at_their_row() {
    let cpu = Cpu::with_threads(1);
    let (values, rows) = (cpu.upload(&[7u32, 8]).unwrap(), cpu.upload(&[1u32, 2, 9]).unwrap());
    let outside = |array, index, found, limit| Error::IndexOutOfRange { array, index, found, limit };
    assert_eq!(refusal(gather(&values, &rows)), outside("rows", 1, 2, 2));
    assert_eq!(refusal(inverse(&rows)), outside("permutation", 2, 9, 3));
    assert_eq!(refusal(cpu.read(&values, 2)), Error::RowOutOfRange { found: 2, rows: 2 });
    assert_eq!(refusal(cpu.slice(&values, 1..3)), Error::RowOutOfRange { found: 3, rows: 2 });
    let forest = Depths::new(cpu.upload(&[0, 1]).unwrap()).unwrap();
    let paths = PathMatrix::new(&forest, Encoding::Ordinal).unwrap();
    assert_eq!(refusal(paths.select(&rows)), outside("rows", 1, 2, 2));
    assert_eq!(refusal(paths.same(&rows, &rows)), outside("a", 1, 2, 2));
    let marks = cpu.upload(&[1u8, 1]).unwrap();
    assert_eq!(refusal(paths.nearest_marked(&marks, Of::Inclusive)), Error::Encoding { expected: "index" });
    let late = Instructions::new(cpu.upload(&[0, 1]).unwrap(), cpu.upload(&[NO_NODE, 1]).unwrap());
    assert_eq!(refusal(late), Error::InvalidOperand { instruction: 1, found: 1 });
}

#[test]
fn offsets_may_end_with_the_rows_and_not_behind() {
    let cpu = Cpu::with_threads(2);
    let column = cpu.upload(&[1u32, 2, 3]).unwrap();
    let reduced =
        |offsets: &[u32]| cpu.segmented_reduce(&cpu.upload(offsets).unwrap(), &column, Sum).map(|sums| sums.to_vec());
    assert_eq!(reduced(&[0, 3]), Ok(vec![6, 0]));
    assert_eq!(reduced(&[0, 4]), Err(Error::InvalidOffset { index: 1, found: 4, limit: 3 }));
    assert_eq!(reduced(&[1, 1]), Ok(vec![0, 5]));
    assert_eq!(reduced(&[2, 1]), Err(Error::InvalidOffset { index: 0, found: 2, limit: 1 }));
    assert_eq!(reduced(&[]), Ok(vec![]));
    let owners = |offsets: &[u32]| segment::owners(&cpu.upload(offsets).unwrap(), 3).map(|o| o.to_vec());
    assert_eq!(owners(&[0, 3, 3]), Ok(vec![0, 0, 0]));
    assert_eq!(owners(&[1]), Err(Error::InvalidOffset { index: 0, found: 1, limit: 0 }));
    assert_eq!(owners(&[]), Err(Error::InvalidOffset { index: 0, found: 3, limit: 0 }));
    assert_eq!(owners(&[0, 4]), Err(Error::InvalidOffset { index: 1, found: 4, limit: 3 }));
}

#[test]
fn intervals_out_of_order_are_refused() {
    let cpu = Cpu::with_threads(1);
    let enclosing =
        |begin: &[u32], end: &[u32]| refusal(nearest_enclosing(&cpu.upload(begin).unwrap(), &cpu.upload(end).unwrap()));
    assert_eq!(enclosing(&[3, 1], &[4, 4]), Error::NotSorted { array: "begin", index: 1, found: 1, before: 3 });
    assert_eq!(enclosing(&[1, 3], &[4, 2]), Error::NotSorted { array: "end", index: 1, found: 2, before: 3 });
}

/// Defines a test per function and available backend.
macro_rules! on_each_backend {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn cpu() {
                super::$name(&treepar::Cpu::with_threads(2));
            }
            #[cfg(feature = "emulate")]
            #[test]
            #[ignore = "needs a C++ compiler"]
            fn emulated() {
                super::$name(&treepar::backend::gpu::Emulated::new().unwrap());
            }
        }
    )*};
}

on_each_backend! {
    more_rows_than_indices_are_refused_without_being_allocated
    slots_of_no_node_are_none
}

fn more_rows_than_indices_are_refused_without_being_allocated<B: Backend>(b: &B) {
    let limit = u64::from(u32::MAX) - 1;
    let (none, two) = (b.upload::<u32>(&[]).unwrap(), b.upload(&[NO_NODE, 0]).unwrap());
    let tree = Parents::new(b.upload(&[NO_NODE, 0]).unwrap()).unwrap();
    let mut sums = b.filled(2, 7u32).unwrap();
    let first = b.upload(&[0u32]).unwrap();
    for n in [u32::MAX as usize, 1 << 32, usize::MAX / 8, usize::MAX] {
        let refused = [
            ("allocate", refusal(b.allocate::<u64>(n))),
            ("filled", refusal(b.filled(n, 1u64))),
            ("map", refusal(b.map(row::of().rows(n)))),
            ("reduce", refusal(b.reduce(row::of().rows(n), Sum))),
            ("scan", refusal(b.scan(ScanKind::Inclusive, row::of().rows(n), Sum))),
            ("scan_map", refusal(b.scan_map(row::of().rows(n), Sum, row_and_sum::of()))),
            ("accumulate", refusal(b.accumulate(&mut sums, row_and_one::of().rows(n)))),
            ("intern", refusal(b.intern(own_key::of().rows(n)))),
            ("expand", refusal(b.expand(&first, n, spread::of()))),
            ("text of rows", refusal(text::of_rows(&Offsets::new(b, &first, n).unwrap(), number::of(&first)))),
            ("compact", refusal(b.compact(is_even::of().rows(n)))),
            ("partition", refusal(b.partition(is_even::of().rows(n)))),
            ("segmented_scan", refusal(b.segmented_scan(ScanKind::Exclusive, &none, row::of().rows(n), Sum))),
            ("segmented_reduce", refusal(b.segmented_reduce(&none, row::of().rows(n), Sum))),
            ("histogram", refusal(b.histogram(&two, n))),
        ];
        for (template, found) in refused {
            let Error::TooManyRows { found, limit: given, .. } = found else { panic!("{template}: {found}") };
            assert_eq!((found, given), (n as u64, limit), "{template}");
        }
        // An owner makes four rows.
        for owners in [n, n / 4 + 1] {
            let found = refusal(b.expand_rows(four_rows::of().rows(owners)));
            let rows = owners.saturating_mul(4) as u64;
            assert_eq!(found, Error::TooManyRows { array: "expand_rows", found: rows, limit }, "{owners} owners");
        }
        // A word stands for 64 rows.
        for words in [n, n / 64 + 1] {
            let found = refusal(b.positions(row::of().rows(words), Sum, word::of()));
            let rows = words.saturating_mul(64) as u64;
            assert_eq!(found, Error::TooManyRows { array: "positions", found: rows, limit }, "{words} words");
        }
        let slots = refusal(b.walk_slots(&tree, &two, n, 0, own_row::of()));
        assert!(matches!(slots, Error::TooManyRows { .. }), "{slots}");
    }
    // A chain of 70,000 nodes has 4.9 billion entries in its path matrix.
    let chain: Vec<u32> = (0..70_000).collect();
    let forest = Depths::new(b.upload(&chain).unwrap()).unwrap();
    let found = refusal(PathMatrix::new(&forest, Encoding::Index));
    assert_eq!(found, Error::TooManyRows { array: "path matrix", found: 4_900_000_000, limit });
}

fn slots_of_no_node_are_none<B: Backend>(b: &B) {
    let empty = b.upload::<u32>(&[]).unwrap();
    let forest = Parents::new(b.upload(&[]).unwrap()).unwrap();
    assert_eq!(b.walk_slots(&forest, &empty, usize::MAX, 0, own_row::of()).unwrap().len(), 0);
}

#[device(map, reduce(Sum), scan(Sum), segmented_scan(Sum))]
fn row(i: usize) -> u32 {
    i as u32
}

#[device(scan_map(row, Sum))]
fn row_and_sum(i: usize, before: u32) -> u32 {
    before ^ i as u32
}

#[device(positions(row, Sum))]
fn word(w: usize, before: u32) -> u64 {
    (w as u64) ^ (before as u64)
}

#[device(accumulate)]
fn row_and_one(i: usize) -> (u32, u32) {
    (i as u32, 1)
}

#[device(expand)]
fn number(i: usize, _k: u32, x: &[u32]) -> u64 {
    x[i] as u64
}

#[device(expand_rows)]
fn four_rows(i: usize) -> (u32, u32, u32, u32, u32) {
    (i as u32, 0, 0, 0, 4)
}

#[device(intern)]
fn own_key(i: usize) -> u64 {
    i as u64
}

#[device(expand)]
fn spread(owner: usize, k: usize) -> u32 {
    owner as u32 ^ k as u32
}

#[device(compact)]
fn is_even(i: usize) -> bool {
    i & 1 == 0
}

#[device(walk_slots)]
fn own_row(i: usize, slots: &[u32]) -> u32 {
    i as u32 + slots.len() as u32
}

#[test]
fn memory_that_the_machine_does_not_have_is_an_error() {
    let cpu = Cpu::with_threads(1);
    let n = u32::MAX as usize - 1;
    // Addresses end at 128 TiB, and most systems refuse long before. The memory is never touched.
    let all: Result<Vec<_>, Error> = (0..20_000).map(|_| cpu.allocate::<u64>(n)).collect();
    assert_eq!(refusal(all), Error::OutOfMemory { bytes: 8 * n as u64 });
    assert_eq!(cpu.filled(3, 1u8).unwrap()[..], [1, 1, 1]);
}

#[test]
fn memory_that_is_used_up_is_told_apart_on_every_machine() {
    let (doing, reason) = ("loading kernel `scan`".to_owned(), "no memory".to_owned());
    let full = [
        Error::OutOfMemory { bytes: 7 },
        MachineError::OutOfMemory { needed: 7, free: 3 }.into(),
        MachineError::NoRoom { doing: doing.clone(), reason: reason.clone() }.into(),
        MachineError::OutOfHostMemory { needed: 7 }.into(),
    ];
    assert!(full.iter().all(Error::is_out_of_memory), "{full:?}");
    let other = [Error::DuplicateTarget { target: 7 }, MachineError::Driver { doing, reason }.into()];
    assert!(!other.iter().any(Error::is_out_of_memory), "{other:?}");
}

#[test]
fn duplicate_targets_are_errors_in_debug_builds_and_leave_either_value_in_others() {
    let cpu = Cpu::with_threads(2);
    for n in [3, 20_000] {
        let indices = cpu.upload(&(0..n).map(|i| i % 2).collect::<Vec<u32>>()).unwrap();
        let values = cpu.upload(&(0..n).collect::<Vec<u32>>()).unwrap();
        let mut target = cpu.filled(3, u32::MAX).unwrap();
        let result = cpu.scatter(&mut target, &indices, &values);
        if cfg!(debug_assertions) {
            assert_eq!(result, Err(Error::DuplicateTarget { target: 0 }));
        } else {
            assert_eq!(result, Ok(()));
            assert!(target[0] % 2 == 0 && target[1] % 2 == 1 && target[0].max(target[1]) < n, "{:?}", &target[..]);
            assert_eq!(target[2], u32::MAX);
        }
    }
}

#[test]
fn more_threads_than_the_limit_are_an_error_and_start_none() {
    for threads in [Cpu::MOST_THREADS + 1, 1 << 62, usize::MAX] {
        let cpu = Cpu::with_threads(threads);
        cpu.adopt_current_thread();
        assert_eq!(cpu.threads(), threads);
        // A small input needs no threads.
        assert_eq!(cpu.upload(&[1u32, 2]).unwrap()[..], [1, 2]);
        let large = Error::Threads { threads, reason: "the limit is 4096".into() };
        assert_eq!(refusal(cpu.upload(&vec![0u32; 20_000])), large);
        assert_eq!(refusal(cpu.reduce(row::of().rows(20_000), Sum)), large);
        assert_eq!(refusal(cpu.scan(ScanKind::Inclusive, row::of().rows(20_000), Sum)), large);
        assert_eq!(large.to_string(), format!("cannot start {threads} threads: the limit is 4096"));
    }
    assert_eq!(Cpu::with_threads(0).threads(), 1);
    assert_eq!(format!("{:?}", Cpu::with_threads(3)), "Cpu { threads: 3, .. }");
}

#[test]
fn forests_parents_and_groups_print_their_rows() {
    let cpu = Cpu::with_threads(1);
    let forest = Depths::new(cpu.upload(&[0, 1]).unwrap()).unwrap();
    assert_eq!(format!("{forest:?}"), "Depths([0, 1])");
    assert_eq!(format!("{:?}", forest.parents().unwrap()), "Parents([4294967295, 0])");
    let groups = group(&cpu.upload(&[7u32, 5, 7]).unwrap(), Order::Sorted).unwrap();
    assert_eq!(format!("{groups:?}"), "Groups { permutation: [1, 0, 2], offsets: [0, 1] }");
}

#[device(monoid(identity = 0))]
fn difference(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b)
}

#[device(monoid(identity = 1))]
fn sum_with_wrong_identity(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device(monoid(identity = 0, reset = is_odd))]
fn sum_that_does_not_reset(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device]
fn is_odd(a: u32) -> bool {
    a % 2 == 1
}

#[device(reduce(difference, sum_with_wrong_identity), scan(difference, sum_that_does_not_reset))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(positions(value, difference))]
fn word_of(w: usize, before: u32, x: &[u32]) -> u64 {
    (x[w] ^ before) as u64
}

#[cfg(debug_assertions)]
#[test]
fn what_is_no_monoid_is_found_in_debug_builds() {
    let cpu = Cpu::with_threads(2);
    let x = cpu.upload(&[5u32, 6, 7]).unwrap();
    let found = refusal(cpu.reduce(value::of(&x), sum_with_wrong_identity));
    assert_eq!(found, Error::NotAMonoid { monoid: "sum_with_wrong_identity", law: "identity", index: 0 });
    let y = cpu.upload(&[6u32, 7, 8]).unwrap();
    let found = refusal(cpu.scan(ScanKind::Inclusive, value::of(&y), sum_that_does_not_reset));
    assert_eq!(found, Error::NotAMonoid { monoid: "sum_that_does_not_reset", law: "reset", index: 1 });
    let found = refusal(cpu.positions(value::of(&x), difference, word_of::of(&x)));
    assert!(matches!(found, Error::NotAMonoid { monoid: "difference", .. }));
    let found = refusal(cpu.scan(ScanKind::Inclusive, value::of(&x), difference));
    assert!(matches!(found, Error::NotAMonoid { monoid: "difference", .. }));
}
