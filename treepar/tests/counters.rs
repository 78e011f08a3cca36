//! The counted bytes of each template: the columns that it reads and writes, once each, the same on every machine.

use treepar::ancestor::Of;
use treepar::backend::{Counters, Offsets, ScanKind, SortKey};
use treepar::compact::gather;
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::device::device;
use treepar::key::{flatten, lift};
use treepar::monoid::Sum;
use treepar::text::{Automaton, Strings};
use treepar::{Backend, Cpu, text};

#[device(map, reduce(Sum), scan(Sum), segmented_scan(Sum))]
fn row(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(map)]
fn row_and_byte(i: usize, x: &[u32]) -> (u32, u8) {
    (x[i], x[i] as u8)
}

#[device(scan_map(row, Sum))]
fn sum_and_byte(i: usize, before: u32, y: &[u8]) -> u64 {
    before as u64 + y[i] as u64
}

#[device(positions(row, Sum))]
fn odd_words(w: usize, before: u32, y: &[u8]) -> u64 {
    if (y[w] as u32 + before) % 2 == 1 { 5 } else { 0 }
}

#[device(accumulate)]
fn row_and_one(i: usize, x: &[u32]) -> (u32, u32) {
    (x[i], 1)
}

#[device(intern)]
fn half(i: usize, x: &[u32]) -> u64 {
    x[i] as u64 / 2
}

#[device(expand)]
fn spread(owner: usize, k: usize, x: &[u32]) -> u32 {
    x[k] + owner as u32
}

#[device(compact)]
fn is_odd(i: usize, x: &[u32]) -> bool {
    x[i] & 1 == 1
}

#[device(walk_down)]
fn with_parent(i: usize, parent: u32, x: &[u32]) -> u32 {
    parent + x[i]
}

#[device(walk_up(Sum))]
fn with_children(i: usize, children: u32, x: &[u32]) -> u32 {
    children + x[i]
}

#[device(walk_slots)]
fn with_slots(i: usize, slots: &[u32], x: &[u32]) -> u32 {
    x[i] + slots[0] + slots[1]
}

#[device(expand_rows)]
fn twice(i: usize, x: &[u32]) -> (u8, u8, u8, u8, u32) {
    (x[i] as u8, x[i] as u8, 0, 0, 2)
}

#[device(expand)]
fn marks_of(i: usize, _k: u32, marks: &[u64]) -> u64 {
    marks[i]
}

/// Returns the counts that each call of a backend adds, on columns of `n` rows.
fn counted<B: Backend>(b: &B, n: usize) -> Vec<(&'static str, Counters)> {
    let numbers: Vec<u32> = (0..n as u32).collect();
    let x = b.upload(&numbers).unwrap();
    let y = b.filled(n, 3u8).unwrap();
    // A chain, of which every node is the first child.
    let parents = (0..n as u32).map(|i| i.checked_sub(1).unwrap_or(NO_NODE)).collect::<Vec<_>>();
    let tree = Parents::new(b.upload(&parents).unwrap()).unwrap();
    let child = b.filled(n, 0u32).unwrap();
    let segments = b.upload(&[0u32, n as u32 / 2, n as u32]).unwrap();
    let mut target = b.filled(2 * n, 0u64).unwrap();
    let values = b.filled(n, 5u64).unwrap();
    let mut sums = b.filled(n / 2, 1u32).unwrap();
    let mut all = Vec::new();
    let mut before = b.counters();
    let mut call = |name, result: Result<(), treepar::Error>| {
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
        let after = b.counters();
        let counted = Counters { templates: after.templates - before.templates, bytes: after.bytes - before.bytes };
        all.push((name, counted));
        before = after;
    };
    call("allocate", b.allocate::<u32>(n).map(drop));
    call("upload", b.upload(&numbers).map(drop));
    call("download", b.download(&y).map(drop));
    call("read", b.read(&values, 0).map(drop));
    call("filled", b.filled(n, 0x0102_0304u32).map(drop));
    call("concat", b.concat(&[&x, &x, &child]).map(drop));
    call("slice", b.slice(&x, 0..n / 2).map(drop));
    call("map", b.map(row_and_byte::of(&x)).map(drop));
    call("reduce", b.reduce(row::of(&x), Sum).map(drop));
    call("scan", b.scan(ScanKind::Exclusive, row::of(&x), Sum).map(drop));
    call("scan_map", b.scan_map(row::of(&x), Sum, sum_and_byte::of(&y)).map(drop));
    call("positions", b.positions(row::of(&x), Sum, odd_words::of(&y)).map(drop));
    call("accumulate", b.accumulate(&mut sums, row_and_one::of(&x)));
    call("intern", b.intern(half::of(&x)).map(drop));
    call("expand", b.expand(&segments, n, spread::of(&x)).map(drop));
    call("expand_rows", b.expand_rows(twice::of(&x)).map(drop));
    call("compact", b.compact(is_odd::of(&x)).map(drop));
    call("partition", b.partition(is_odd::of(&x)).map(drop));
    call("scatter", b.scatter(&mut target, &x, &values));
    call("previous_smaller", b.previous_smaller(&x).map(drop));
    call("next_smaller_or_equal", b.next_smaller_or_equal(&x).map(drop));
    call("nearest_smaller", b.nearest_smaller(&x).map(drop));
    call("walk_down", b.walk_down(&tree, 0, with_parent::of(&x)).map(drop));
    call("walk_up", b.walk_up(&tree, with_children::of(&x), Sum).map(drop));
    call("walk_slots", b.walk_slots(&tree, &child, 2, 0, with_slots::of(&x)).map(drop));
    call("segmented_scan", b.segmented_scan(ScanKind::Inclusive, &segments, row::of(&x), Sum).map(drop));
    call("segmented_reduce", b.segmented_reduce(&segments, row::of(&x), Sum).map(drop));
    call("histogram", b.histogram(&x, 10).map(drop));
    call("sort_by_key", b.sort_by_key(&x, &x).map(drop));
    all
}

#[test]
fn each_column_is_counted_once() {
    let n = 1000;
    let counted = counted(&Cpu::with_threads(1), n);
    let expected = [
        ("allocate", 0, 0),
        ("upload", 0, 4 * n),
        ("download", 0, n),
        ("read", 0, 8),
        ("filled", 1, 4 * n),
        ("concat", 1, 2 * 12 * n),
        ("slice", 1, 2 * 4 * n / 2),
        ("map", 1, (4 + 5) * n),
        ("reduce", 1, 4 * n + 4),
        ("scan", 1, 8 * n),
        ("scan_map", 1, (4 + 1 + 8) * n),
        // The sums of the rows before are even for every other pair of rows, so half of the words have two marks.
        ("positions", 1, (4 + 1) * n + 4 * n),
        ("accumulate", 1, 4 * n + 8 * n / 2),
        ("intern", 1, 8 * n),
        ("expand", 1, 3 * 4 + 8 * n),
        // Two rows of one byte for each owner.
        ("expand_rows", 1, 8 * n + 2 * n),
        ("compact", 1, 4 * n + 4 * n / 2),
        ("partition", 1, 8 * n),
        ("scatter", 1, (4 + 2 * 8) * n),
        ("previous_smaller", 1, 8 * n),
        ("next_smaller_or_equal", 1, 8 * n),
        ("nearest_smaller", 1, 12 * n),
        ("walk_down", 1, (4 + 4 + 4) * n),
        ("walk_up", 1, (4 + 4 + 4) * n),
        // The slots are filled, then read and written.
        ("walk_slots", 2, 2 * 4 * n + (4 + 4 + 4) * n + 3 * 4 * n),
        ("segmented_scan", 1, 3 * 4 + 8 * n),
        ("segmented_reduce", 1, 3 * 4 + 4 * n + 3 * 4),
        ("histogram", 1, 4 * n + 4 * 10),
        // Keys below 1000 differ in two digits.
        ("sort_by_key", 1, 4 * n + 2 * 2 * 8 * n),
    ];
    for ((name, counted), (expected_name, templates, bytes)) in counted.into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        assert_eq!((counted.templates, counted.bytes), (templates, bytes as u64), "{name}");
    }
}

/// The CPU runs each of these as one template; their cost lines state the bytes.
#[test]
fn operations_on_texts_and_parts_count_what_their_cost_lines_state() {
    let cpu = Cpu::with_threads(1);
    let (words, n) = (100, 1000);
    // Two marks in each word.
    let marks = cpu.filled(words, 9u64).unwrap();
    let none = cpu.filled(words, 0u64).unwrap();
    let depth = cpu.upload(&(0..n as u32).map(|i| i % 4).collect::<Vec<_>>()).unwrap();
    // One node of a tree of four is marked, and is not a root.
    let mark = cpu.upload(&(0..n).map(|i| u8::from(i % 4 == 1)).collect::<Vec<_>>()).unwrap();
    let m = n + n / 4;
    let forest = Depths::new(cpu.concat(&[&depth]).unwrap()).unwrap();
    let counted = |call: &dyn Fn() -> Result<(), treepar::Error>| {
        let before = cpu.counters();
        call().unwrap();
        let after = cpu.counters();
        (after.templates - before.templates, after.bytes - before.bytes)
    };
    let one = |bytes: usize| (1, bytes as u64);
    assert_eq!(counted(&|| text::upload(&cpu, &[b'a'; 640]).map(drop)), (0, 640));
    assert_eq!(counted(&|| text::marked(&marks).map(drop)), one(8 * words + 4 * 2 * words));
    assert_eq!(counted(&|| text::nested(&marks, &none, &none).map(drop)), one(3 * 8 * words + 8 * 2 * words));
    let offsets = cpu.upload(&(0..words as u32).map(|i| 3 * i).collect::<Vec<_>>()).unwrap();
    let offsets = Offsets::new(&cpu, &offsets, 640).unwrap();
    // The words of the rows, their offsets, and the text.
    assert_eq!(counted(&|| text::of_rows(&offsets, marks_of::of(&marks)).map(drop)), one(8 * words + 4 * words + 640));
    let parity = Automaton::new(&cpu, &[[1; 256], [0; 256]]).unwrap();
    assert_eq!(counted(&|| Automaton::new(&cpu, &[[0; 256]]).map(drop)), (0, 2048));
    assert_eq!(counted(&|| parity.states(ScanKind::Exclusive, &marks, 700).map(drop)), one(16 * words + 2048));
    assert_eq!(counted(&|| Depths::new(cpu.slice(&depth, 0..n)?).map(drop)), (2, 8 * n as u64 + 4 * n as u64));
    assert_eq!(counted(&|| lift(&forest, &mark, false).map(drop)), one(10 * n + 13 * m));
    assert_eq!(counted(&|| flatten(&forest, &mark, true).map(drop)), one(10 * n + 5 * m));
    let brackets = forest.brackets().unwrap();
    assert_eq!(counted(&|| forest.brackets().map(drop)), one(6 * n));
    assert_eq!(counted(&|| Depths::from_brackets(&brackets).map(drop)), one(6 * n));
    assert_eq!(counted(&|| forest.under_marked(&mark, Of::Inclusive).map(drop)), one(6 * n));
    assert_eq!(counted(&|| forest.subtree_sums(&depth).map(drop)), one(12 * n));
    // One pass, counted as the reduce and the map of other machines.
    assert_eq!(counted(&|| gather(&depth, &depth).map(drop)), (2, 16 * n as u64));
    let parents = forest.parents().unwrap();
    let copied_and_checked = |parents: &Parents<Cpu>| Parents::new(cpu.slice(parents, 0..n)?).map(drop);
    // A copy, and one pass that is counted as the four templates of other machines.
    assert_eq!(counted(&|| copied_and_checked(&parents)), (5, 8 * n as u64 + 28 * n as u64));
}

#[test]
fn subtree_sums_are_one_template_on_any_number_of_threads() {
    let depth: Vec<u32> = (0..50_000).map(|i| i % 5).collect();
    for threads in [1, 3] {
        let cpu = Cpu::with_threads(threads);
        let forest = Depths::new(cpu.upload(&depth).unwrap()).unwrap();
        let before = cpu.counters();
        let sums = forest.subtree_sums(&cpu.filled(depth.len(), 1u32).unwrap()).unwrap();
        let after = cpu.counters();
        let moved = 4 * depth.len() as u64;
        assert_eq!((after.templates - before.templates, after.bytes - before.bytes), (2, moved + 3 * moved));
        assert_eq!(sums[..5], [5, 4, 3, 2, 1]);
    }
}

#[test]
fn operations_on_strings_count_what_their_cost_lines_state() {
    let cpu = Cpu::with_threads(1);
    // 500 bytes, and zeros up to the end of a block.
    let (bytes, n) = (512, 100);
    let strings = Strings::upload(&cpu, vec!["abcde"; n]).unwrap();
    let counted = |call: &dyn Fn() -> Result<(), treepar::Error>| {
        let before = cpu.counters();
        call().unwrap();
        let after = cpu.counters();
        (after.templates - before.templates, (after.bytes - before.bytes) as usize)
    };
    let parts = bytes + 8 * n;
    assert_eq!(counted(&|| strings.lengths().map(drop)), (1, 12 * n));
    assert_eq!(counted(&|| strings.hashes().map(drop)), (1, parts + 8 * n));
    let parity = Automaton::new(&cpu, &[[1; 256], [0; 256]]).unwrap();
    assert_eq!(counted(&|| parity.ends(&strings).map(drop)), (1, parts + 2048 + n));
    assert_eq!(counted(&|| strings.equal(&strings).map(drop)), (1, 2 * parts + n));
    // The numbers of rows, the hashes with their first rows, and the comparison with these.
    assert_eq!(counted(&|| strings.intern().map(drop)), (3, 2 * parts + 20 * n));
    // A column of rows, of places and of groups; one round, since no string has more than seven bytes. No digit differs, so that the
    // sorts move none.
    assert_eq!(counted(&|| strings.sorted().map(drop)), (3 + 12, parts + 216 * n));
    // Lengths, their sum, the offsets, the text and the ends.
    assert_eq!(counted(&|| strings.packed().map(drop)), (5, parts + bytes + 36 * n + 8));
}

/// Lifting moves 10 bytes per node and 13 per row, and flattening 5 per row. So 32 bytes per node suffice if up to 69 % of the nodes are
/// marked. The trees are those of the Key paper: F is lifted, and E, its figure 1, is flattened.
#[test]
fn lifting_and_flattening_move_at_most_32_bytes_per_node() {
    let cpu = Cpu::with_threads(1);
    let many: Vec<u32> = (0..1000).map(|i| i % 50).collect();
    let marks = |every: usize| (0..1000).map(|i| u8::from(i % every == 1)).collect::<Vec<u8>>();
    type Input<'a> = (&'a str, &'a [u32], &'a [u8], [usize; 2]);
    let inputs: [Input; 5] = [
        ("F", &[0, 1, 2, 3, 4, 4, 4, 2, 3], &[1, 0, 1, 0, 0, 0, 0, 0, 0], [24, 15]),
        ("E", &[0, 1, 2, 2, 2, 1, 1, 2, 2, 2], &[1, 1, 0, 0, 0, 0, 1, 0, 0, 0], [25, 16]),
        ("one in fifty", &many, &marks(50), [23, 15]),
        ("one in four", &many, &marks(4), [26, 16]),
        ("one in two", &many, &marks(2), [29, 17]),
    ];
    for (name, depth, mark, expected) in inputs {
        let forest = Depths::new(cpu.upload(depth).unwrap()).unwrap();
        let mark = cpu.upload(mark).unwrap();
        let per_node = |call: &dyn Fn() -> Result<(), treepar::Error>| {
            let before = cpu.counters().bytes;
            call().unwrap();
            (cpu.counters().bytes - before) as usize / depth.len()
        };
        let moved = [
            per_node(&|| lift(&forest, &mark, false).map(drop)),
            per_node(&|| flatten(&forest, &mark, true).map(drop)),
        ];
        assert_eq!(moved, expected, "{name}");
        assert!(moved.iter().all(|&bytes| bytes <= 32));
    }
}

/// Returns the counted bytes of a sort per row.
fn sorted<B: Backend, K: SortKey>(b: &B, keys: &[K]) -> u64 {
    let (keys, payload) = (b.upload(keys).unwrap(), b.filled(keys.len(), 1u32).unwrap());
    let before = b.counters().bytes;
    b.sort_by_key(&keys, &payload).unwrap();
    b.counters().bytes - before
}

fn a_sort_counts_the_digits_that_it_moves<B: Backend>(b: &B) {
    let moved = 2 * (8 + 4);
    assert_eq!(sorted::<B, u64>(b, &[]), 0);
    assert_eq!(sorted(b, &[9u64, 9, 9, 9]), 4 * (8 + moved), "no digit: the rows are copied");
    assert_eq!(sorted(b, &[9u64, 9, 7, 9]), 4 * (8 + moved));
    assert_eq!(sorted(b, &[9u64, 1 << 60, 7, 1 << 32]), 4 * (8 + 3 * moved));
    assert_eq!(sorted(b, &[0, u64::MAX, 7, 9]), 4 * (8 + 8 * moved));
    assert_eq!(sorted(b, &[0, u32::MAX, 7, 9]), 4 * (4 + 4 * 16));
}

#[test]
fn a_sort_counts_the_digits_that_it_moves_on_the_cpu() {
    a_sort_counts_the_digits_that_it_moves(&Cpu::with_threads(2));
}

#[cfg(feature = "emulate")]
#[test]
#[ignore = "needs a C++ compiler"]
fn a_sort_counts_the_digits_that_it_moves_on_the_emulator() {
    a_sort_counts_the_digits_that_it_moves(&treepar::backend::gpu::Emulated::new().unwrap());
}

#[cfg(feature = "emulate")]
#[test]
#[ignore = "needs a C++ compiler"]
fn the_cpu_and_the_emulator_count_alike() {
    let (cpu, emulated) = (Cpu::with_threads(2), treepar::backend::gpu::Emulated::new().unwrap());
    emulated.wait_when_counting(true);
    for n in [1, 2, 255, 1000, 20_000] {
        assert_eq!(counted(&cpu, n), counted(&emulated, n), "{n} rows");
    }
}
