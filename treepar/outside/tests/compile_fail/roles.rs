use treepar::device::device;

#[device(mapp)]
fn misspelt(i: usize) -> u32 {
    i as u32
}

#[device(1)]
fn no_name(i: usize) -> u32 {
    i as u32
}

#[device(scan())]
fn no_monoid(i: usize) -> u32 {
    i as u32
}

#[device(map)]
fn no_row(i: f32) -> f32 {
    i
}

#[device(map)]
fn no_parameters() -> u32 {
    0
}

#[device(map)]
fn truth(i: usize) -> bool {
    i == 0
}

#[device(map)]
fn outputs(i: usize) -> (usize, u32, bool) {
    (i, 0, true)
}

#[device(map)]
fn too_many_outputs(i: usize) -> (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8) {
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

#[device(compact)]
fn no_truth(i: usize) -> u32 {
    i as u32
}

#[device(reduce(largest))]
fn tuple(i: usize) -> (u32, u32) {
    (i as u32, 0)
}

#[device(expand)]
fn one_number(owner: usize) -> u32 {
    owner as u32
}

#[device(expand)]
fn no_numbers(owner: i64, k: &[u32]) -> i64 {
    owner
}

#[device(monoid(identity = 0))]
fn mixed(a: u32, b: u8) -> u32 {
    a + b as u32
}

#[device(monoid(identity = 0))]
fn three(a: u32, b: u32, c: u32) -> u32 {
    a + b + c
}

#[device(monoid(identity = false))]
fn truths(a: bool, b: bool) -> bool {
    a || b
}

#[device(monoid(zero = 0))]
fn no_identity(a: u32, b: u32) -> u32 {
    a + b
}

#[device(scan_map(value, largest))]
fn before_is_a_column(i: usize, before: &[u32]) -> u32 {
    before[i]
}

#[device(scan_map(value, largest))]
fn before_is_truth(i: usize, before: bool) -> u32 {
    before as u32
}

#[device(walk_down)]
fn carries(i: usize, parent: u8) -> u32 {
    parent as u32 + i as u32
}

#[device(expand, map)]
fn both(owner: usize, k: usize) -> u32 {
    (owner + k) as u32
}

#[device(map)]
fn head_and_body(i: f32, x: &[bool]) -> usize {
    loop {}
}

#[device(map)]
enum Choice {
    A,
}

#[device(monoid(identity = 0, nearly))]
fn nearly(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device(monoid(identity = 0, reset))]
fn resets_by_nothing(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device(monoid(identity = 0, reset = 1))]
fn resets_by_a_number(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[device(walk_slots)]
fn slots_of_another_type(i: usize, slots: &[u64]) -> u32 {
    slots[i] as u32
}

#[device(scan)]
fn nothing_to_scan_by(i: usize) -> u32 {
    i as u32
}

#[device(walk_up)]
fn nothing_to_walk_by(i: usize, children: u32) -> u32 {
    children + i as u32
}

#[device(monoid)]
fn no_identity_at_all(a: u32, b: u32) -> u32 {
    a + b
}

#[device(monoid(identity))]
fn no_value(a: u32, b: u32) -> u32 {
    a + b
}

#[device(scan_map(value))]
fn nothing_to_combine_by(i: usize, before: u32) -> u32 {
    before + i as u32
}

#[device(positions(value, largest))]
fn marks_of_32_rows(w: usize, before: u32) -> u32 {
    before + w as u32
}

#[device(positions(value, largest))]
fn carries_truth(w: usize, before: bool) -> u64 {
    (before as u64) << w as u32
}

#[device(positions)]
fn nothing_to_know_before(w: usize, before: u32) -> u64 {
    before as u64 + w as u64
}

#[device(positions(value, largest), map)]
fn positions_and_more(w: usize, before: u32) -> u64 {
    before as u64 + w as u64
}

#[device(accumulate)]
fn no_weight(i: usize) -> u32 {
    i as u32
}

#[device(accumulate)]
fn wide_weight(i: usize) -> (u32, u64) {
    (i as u32, 1)
}

#[device(intern)]
fn short_key(i: usize) -> u32 {
    i as u32
}

#[device(intern, compact)]
fn key_and_truth(i: usize) -> u64 {
    i as u64
}

#[device(expand_rows)]
fn three_rows(i: usize) -> (u32, u32, u32, u32) {
    (1, 2, 3, i as u32)
}

#[device(expand_rows)]
fn two_types(i: usize) -> (u32, u32, u64, u32, u32) {
    (1, 2, 3, 4, i as u32)
}

#[device(expand_rows, map)]
fn true_rows(i: usize) -> (bool, bool, bool, bool, u32) {
    (true, true, true, true, i as u32)
}

/// Each function here has one error, and its uses have none.
#[device(map)]
fn refused_body(i: usize, x: &[u32]) -> u32 {
    let add = |x: u32| x + 1;
    x[i]
}

#[device(map)]
fn refused_head(i: usize, x: &[isize]) -> u32 {
    x.len() as u32
}

#[device(map)]
fn refused_result(i: usize, x: &[u32]) -> usize {
    x[i] as usize
}

#[device(monoid(identity = 0))]
fn refused_monoid(a: u32, b: u32) -> u32 {
    a.isqrt()
}

#[device(reduce(refused_monoid))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

fn uses(cpu: &treepar::Cpu, x: &<treepar::Cpu as treepar::Executor>::Vec<u32>) -> treepar::Result<()> {
    use treepar::Backend;
    cpu.map(refused_body::of(x).rows(3))?;
    cpu.map(refused_head::of(x).rows(3))?;
    cpu.map(refused_result::of(x).rows(3))?;
    cpu.reduce(value::of(x), refused_monoid)?;
    cpu.map(nothing_to_scan_by::of().rows(3))?;
    cpu.intern(short_key::of().rows(3))?;
    cpu.expand_rows(three_rows::of().rows(3))?;
    let mut sums = cpu.filled(3, 0u32)?;
    cpu.accumulate(&mut sums, no_weight::of().rows(3))?;
    cpu.accumulate(&mut sums, wide_weight::of().rows(3))?;
    Ok(())
}

#[device(scanned)]
fn scanned_pair(i: usize) -> (u32, u32) {
    (i as u32, 0)
}

#[device(scanned)]
fn scanned_truth(i: usize) -> bool {
    i == 0
}

#[device(scanned, map)]
fn scanned_and_mapped(i: usize) -> u32 {
    i as u32
}

fn main() {
    misspelt(no_row(truth(0) as usize) as usize);
}
