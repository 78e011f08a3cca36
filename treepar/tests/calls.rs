//! Call objects: the number of rows comes from the columns, and is checked; columns belong to one backend.

use treepar::monoid::{first_u32, sum_u32};
use treepar::prelude::*;
use treepar::{Error, Result};

#[device(map, reduce(Sum, sum_u32), scan(Sum), segmented_scan(Sum))]
fn shifted(i: usize, x: &[u32], table: &[u32], by: u32) -> u32 {
    x[i].wrapping_add(table[by as usize])
}

#[device(map)]
fn together(i: usize, x: &[u32], y: &[u8]) -> u32 {
    x[i] + if i > 0 { y[i] as u32 } else { 0 }
}

#[device(map)]
fn rebound(i: usize, x: &[u32]) -> u32 {
    let i = i / 2;
    x[i]
}

#[device(compact)]
fn is_odd(i: usize, x: &[u32]) -> bool {
    x[i] % 2 == 1
}

#[device(scan_map(shifted, Sum))]
fn less(i: usize, before: u32, y: &[u8]) -> u32 {
    before.wrapping_sub(y[i] as u32)
}

#[device(positions(shifted, Sum))]
fn own_marks(w: usize, before: u32, y: &[u8]) -> u64 {
    (before + y[w] as u32) as u64
}

#[device(accumulate)]
fn by_row(i: usize, x: &[u32], y: &[u8]) -> (u32, u32) {
    (x[i], y[i] as u32)
}

#[device(intern)]
fn key(i: usize, x: &[u32], y: &[u8]) -> u64 {
    x[i] as u64 ^ y[i] as u64
}

#[device(expand)]
fn owned(owner: usize, k: usize, x: &[u32]) -> u32 {
    x[owner] + k as u32
}

#[device(walk_down)]
fn on_path(i: usize, above: u32, x: &[u32]) -> u32 {
    above + x[i]
}

#[device(walk_up(Max))]
fn greatest(i: usize, below: u32, x: &[u32]) -> u32 {
    below.max(x[i])
}

#[device(walk_slots)]
fn first_slot(i: usize, slots: &[u32], x: &[u32]) -> u32 {
    slots[0] + x[i]
}

fn mismatch<T>(array: &'static str, expected: usize, found: usize) -> Result<T> {
    Err(Error::LengthMismatch { array, expected, found })
}

/// Replaces a result by `()`, so that errors can be compared.
fn unit<T>(result: Result<T>) -> Result<()> {
    result.map(|_| ())
}

#[test]
fn rows_come_from_the_columns_that_are_read_at_the_row() -> Result<()> {
    let cpu = Cpu::with_threads(1);
    let (x, y) = (cpu.upload(&[1u32, 2, 3])?, cpu.upload(&[7u8, 8])?);
    assert_eq!(cpu.map(shifted::of(&x, &x, 2))?[..], [4, 5, 6]);
    assert_eq!(cpu.map(shifted::of(&cpu.filled(0, 0u32)?, &x, 2))?[..], []);
    assert_eq!(unit(cpu.map(together::of(&x, &y))), mismatch("y", 3, 2));
    assert_eq!(cpu.reduce(shifted::of(&x, &x, 0), sum_u32)?, 9);
    assert_eq!(cpu.compact(is_odd::of(&x))?[..], [0, 2]);
    assert_eq!(cpu.map(rebound::of(&x).rows(6))?[..], [1, 1, 2, 2, 3, 3]);
    Ok(())
}

#[test]
fn stated_rows_restrict_the_columns_and_never_exceed_them() -> Result<()> {
    let cpu = Cpu::with_threads(1);
    let (x, y) = (cpu.upload(&[1u32, 2, 3])?, cpu.upload(&[7u8, 8])?);
    assert_eq!(cpu.map(together::of(&x, &y).rows(2))?[..], [1, 10]);
    assert_eq!(unit(cpu.map(together::of(&x, &y).rows(3))), mismatch("y", 3, 2));
    assert_eq!(unit(cpu.map(shifted::of(&x, &x, 0).rows(4))), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.reduce(shifted::of(&x, &x, 0).rows(4), Sum)), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.scan(Inclusive, shifted::of(&x, &x, 0).rows(4), Sum)), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.compact(is_odd::of(&x).rows(4))), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.partition(is_odd::of(&x).rows(4))), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.positions(shifted::of(&x, &x, 0).rows(4), Sum, own_marks::of(&y))), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.intern(key::of(&x, &y).rows(3))), mismatch("y", 3, 2));
    assert_eq!(cpu.intern(key::of(&x, &y).rows(2))?[..], [0, 1]);
    let mut sums = cpu.filled(3, 0u32)?;
    assert_eq!(cpu.accumulate(&mut sums, by_row::of(&x, &y).rows(3)), mismatch("y", 3, 2));
    cpu.accumulate(&mut sums, by_row::of(&x, &y).rows(2))?;
    assert_eq!(sums[..], [0, 7, 8]);
    let offsets = cpu.upload(&[0u32, 2])?;
    let call = shifted::of(&x, &x, 0).rows(4);
    assert_eq!(unit(cpu.segmented_scan(Inclusive, &offsets, call, Sum)), mismatch("x", 4, 3));
    assert_eq!(unit(cpu.segmented_reduce(&offsets, call, Sum)), mismatch("x", 4, 3));
    assert_eq!(cpu.segmented_reduce(&offsets, shifted::of(&x, &x, 0).rows(2), Sum)?[..], [5, 0]);
    Ok(())
}

#[test]
fn templates_with_columns_of_their_own_compare_the_call_with_them() -> Result<()> {
    let cpu = Cpu::with_threads(1);
    let (x, y) = (cpu.upload(&[1u32, 2, 3])?, cpu.upload(&[7u8, 8])?);
    let (two, child) = (cpu.upload(&[0u32, 1])?, cpu.filled(2, 0u32)?);
    assert_eq!(unit(cpu.scan_map(shifted::of(&x, &x, 0), Sum, less::of(&y))), mismatch("y", 3, 2));
    assert_eq!(unit(cpu.positions(shifted::of(&x, &x, 0), Sum, own_marks::of(&y))), mismatch("y", 3, 2));
    assert_eq!(unit(cpu.positions(shifted::of(&x, &x, 0), Sum, own_marks::of(&y).rows(2))), mismatch("rows", 3, 2));
    assert_eq!(unit(cpu.intern(key::of(&x, &y))), mismatch("y", 3, 2));
    assert_eq!(cpu.accumulate(&mut cpu.filled(9, 0)?, by_row::of(&x, &y)), mismatch("y", 3, 2));
    assert_eq!(unit(cpu.expand(&two, 4, owned::of(&x))), mismatch("x", 2, 3));
    assert_eq!(unit(cpu.expand(&two, 4, owned::of(&x).rows(3))), mismatch("rows", 2, 3));
    assert_eq!(cpu.expand(&two, 4, owned::of(&x).rows(2))?[..], [1, 2, 3, 4]);
    let parents = Depths::new(cpu.upload(&[0, 1])?)?.parents()?;
    assert_eq!(unit(cpu.walk_down(&parents, 0, on_path::of(&x))), mismatch("x", 2, 3));
    assert_eq!(unit(cpu.walk_up(&parents, greatest::of(&x), Max)), mismatch("x", 2, 3));
    assert_eq!(unit(cpu.walk_slots(&parents, &child, 1, 0, first_slot::of(&x))), mismatch("x", 2, 3));
    assert_eq!(unit(parents.nearest_marked(&cpu.filled(3, 1)?, Of::Inclusive)), mismatch("mark", 2, 3));
    Ok(())
}

#[test]
fn columns_of_another_backend_are_refused() -> Result<()> {
    let (one, two) = (Cpu::with_threads(1), Cpu::with_threads(1));
    let (x, y, mask) = (one.upload(&[1u32, 0])?, two.upload(&[1u32, 0])?, two.upload(&[1u8, 0])?);
    let other = Err(Error::OtherBackend);
    assert_eq!(unit(one.download(&y)), other);
    assert_eq!(unit(one.read(&y, 0)), other);
    assert_eq!(unit(one.slice(&y, 0..1)), other);
    assert_eq!(unit(one.concat(&[&x, &y])), other);
    assert_eq!(unit(one.map(shifted::of(&x, &y, 0))), other);
    assert_eq!(unit(one.reduce(shifted::of(&x, &y, 0), Sum)), other);
    assert_eq!(unit(one.scan(Inclusive, shifted::of(&x, &y, 0), Sum)), other);
    assert_eq!(unit(one.scan_map(shifted::of(&x, &y, 0), Sum, less::of(&one.filled(2, 0)?))), other);
    let bytes = one.filled(2, 0)?;
    assert_eq!(unit(one.positions(shifted::of(&x, &y, 0), Sum, own_marks::of(&bytes))), other);
    assert_eq!(unit(one.positions(shifted::of(&x, &x, 0), Sum, own_marks::of(&mask))), other);
    assert_eq!(unit(one.intern(key::of(&y, &bytes))), other);
    assert_eq!(one.accumulate(&mut one.filled(2, 0)?, by_row::of(&x, &mask)), other);
    assert_eq!(one.accumulate(&mut two.filled(2, 0)?, by_row::of(&x, &bytes)), other);
    assert_eq!(unit(one.segmented_reduce(&y, &x, Sum)), other);
    assert_eq!(unit(one.segmented_scan(Inclusive, &y, &x, Sum)), other);
    assert_eq!(unit(one.expand(&y, 2, owned::of(&x))), other);
    assert_eq!(unit(one.histogram(&y, 2)), other);
    assert_eq!(unit(one.previous_smaller(&y)), other);
    assert_eq!(unit(one.next_smaller_or_equal(&y)), other);
    assert_eq!(unit(one.nearest_smaller(&y)), other);
    assert_eq!(unit(one.sort_by_key(&x, &y)), other);
    assert_eq!(one.scatter(&mut one.filled(2, 0)?, &x, &y), other);
    let parents = Depths::new(two.upload(&[0, 1])?)?.parents()?;
    assert_eq!(unit(one.walk_down(&parents, 0, on_path::of(&y))), other);
    assert_eq!(unit(Depths::new(one.upload(&[0, 1])?)?.under_marked(&mask, Of::Inclusive)), other);
    // A clone is a handle of the same backend.
    assert_eq!(one.clone().download(&x)?, [1, 0]);
    assert_eq!(x.backend().counters(), one.counters());
    Ok(())
}

#[test]
fn a_column_is_its_own_reader() -> Result<()> {
    let cpu = Cpu::with_threads(1);
    let (x, mask) = (cpu.upload(&[3i64, -1, 4])?, cpu.upload(&[0u8, 9, 1])?);
    assert_eq!((cpu.reduce(&x, Sum)?, cpu.reduce(&x, Min)?), (6, -1));
    assert_eq!(cpu.reduce(&cpu.upload(&[u32::MAX, 7])?, first_u32)?, 7);
    let (before, total) = cpu.scan(Exclusive, &x, Sum)?;
    assert_eq!((&before[..], total), (&[0, 3, 2][..], 6));
    assert_eq!(cpu.compact(&mask)?[..], [1, 2]);
    assert_eq!(cpu.partition(&mask)?.1, 2);
    assert_eq!(x.try_clone()?[..], x[..]);
    Ok(())
}

#[test]
fn a_monoid_is_called_like_a_function() {
    assert_eq!((sum_u32(2, 3), sum_u32::combine(2, 3)), (5, 5));
}
