//! Call objects: the number of rows comes from the columns, and is checked; columns belong to one backend.

use treepar::device::{ColumnFn, Table};
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

#[device(map, scan(Sum))]
fn with_next(i: usize, x: &[u32]) -> u32 {
    x[i] + if i + 1 < x.len() { x[i + 1] } else { 0 }
}

#[device(map)]
fn with_length(i: usize, x: &[u32]) -> u32 {
    x[i] + x.len() as u32
}

#[device]
fn last(x: &[u32]) -> u32 {
    x[x.len() - 1]
}

#[device(map)]
fn with_last(i: usize, x: &[u32]) -> u32 {
    x[i] + last(x)
}

#[device(index)]
struct Place(u32);

#[device(columns(Cells, index = Place))]
struct Cell {
    own: u32,
    link: Place,
}

#[device(map)]
fn own_cell(place: Place, cells: &Cells) -> u32 {
    cells.own[place] + cells.link[place].index() as u32
}

#[device(map)]
fn linked_cell(place: Place, cells: &Cells) -> u32 {
    cells.own[cells.link[place]]
}

#[device(tables)]
struct Several {
    cells: &Cells,
    own: &[u32],
    others: &[u32],
}

#[device(map)]
fn of_several(place: Place, all: &Several) -> u32 {
    all.cells.own[place] + all.own[place.index()] + all.others[0]
}

#[device(map)]
fn at_rows_of_several(i: usize, all: &Several) -> u32 {
    all.own[i] + all.others[i]
}

#[device(map)]
fn with_last_of_several(i: usize, all: &Several) -> u32 {
    all.own[i] + all.own[all.own.len() - 1]
}

#[device]
fn last_own(all: &Several) -> u32 {
    all.own[all.own.len() - 1]
}

#[device(map)]
fn with_last_by_a_call(i: usize, all: &Several) -> u32 {
    all.own[i] + last_own(all)
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

/// A loop over some rows shortens the columns that are read at the row only.
#[test]
fn columns_that_are_read_elsewhere_too_have_all_rows() -> Result<()> {
    let x = &[1u32, 2, 4, 8][..];
    assert_eq!(shifted::until((x, x, 3), 2), (&x[..2], x, 3));
    assert_eq!(together::until((x, &[1, 2, 3, 4]), 3), (&x[..3], &[1u8, 2, 3][..]));
    for whole in
        [with_next::until((x,), 2), with_length::until((x,), 2), with_last::until((x,), 2), rebound::until((x,), 2)]
    {
        assert_eq!(whole, (x,));
    }
    let cells = HostCells { own: vec![5, 6, 7], link: vec![Place::new(2); 3] };
    let all = HostSeveral { cells: cells.clone(), own: vec![1; 4], others: vec![2; 5] };
    fn lengths(all: SeveralView<'_>) -> [usize; 3] {
        [all.cells.own.len(), all.own.len(), all.others.len()]
    }
    assert_eq!(own_cell::until((Cells::view_host(&cells),), 2).0.link.len(), 2);
    assert_eq!(linked_cell::until((Cells::view_host(&cells),), 2).0.link.len(), 3);
    assert_eq!(lengths(of_several::until((Several::view_host(&all),), 2).0), [2, 4, 5]);
    assert_eq!(lengths(at_rows_of_several::until((Several::view_host(&all),), 2).0), [3, 2, 2]);
    assert_eq!(lengths(with_last_of_several::until((Several::view_host(&all),), 2).0), [3, 4, 5]);
    assert_eq!(lengths(with_last_by_a_call::until((Several::view_host(&all),), 2).0), [3, 4, 5]);
    for threads in [1, 2] {
        let cpu = Cpu::with_threads(threads);
        let column = cpu.upload(x)?;
        assert_eq!(cpu.map(with_next::of(&column).rows(3))?[..], [3, 6, 12]);
        assert_eq!(cpu.scan(Inclusive, with_next::of(&column).rows(3), Sum)?.0[..], [3, 9, 21]);
        assert_eq!(cpu.map(with_length::of(&column).rows(2))?[..], [5, 6]);
        assert_eq!(cpu.map(with_last::of(&column).rows(2))?[..], [9, 10]);
        let rows = [(5, 3), (6, 0), (7, 1), (9, 2)];
        let cells: HostCells = rows.into_iter().map(|(own, link)| Cell { own, link: Place::new(link) }).collect();
        let cells = Cells::upload(&cpu, &cells)?;
        assert_eq!(cpu.map(own_cell::of(&cells).rows(2))?[..], [8, 6]);
        assert_eq!(cpu.map(linked_cell::of(&cells).rows(2))?[..], [9, 5]);
        let three = cpu.upload(&[1u32, 2, 4])?;
        let all = SeveralOn { cells: &cells, own: &column, others: &three };
        assert_eq!(cpu.map(of_several::of(&all))?[..], [7, 9, 12, 18]);
        assert_eq!(cpu.map(at_rows_of_several::of(&all).rows(2))?[..], [2, 4]);
    }
    Ok(())
}

/// Threads begin their loops in the middle of the columns.
#[test]
fn rows_of_every_block_are_right() -> Result<()> {
    let n = 100_000u32;
    let rows: Vec<u32> = (0..n).map(|i| i.wrapping_mul(0x9e37_79b9) >> 8).collect();
    for threads in [1, 2, 3, 7] {
        let cpu = Cpu::with_threads(threads);
        let x = cpu.upload(&rows)?;
        let sums: Vec<u32> =
            rows.iter().scan(0, |sum: &mut u32, &x| Some(std::mem::replace(sum, sum.wrapping_add(x)))).collect();
        for k in [n, n - 1, n / 2 + 3] {
            let k = k as usize;
            assert_eq!(cpu.scan(Exclusive, shifted::of(&x, &cpu.upload(&[0u32])?, 0).rows(k), Sum)?.0[..], sums[..k]);
            assert_eq!(
                cpu.map(with_next::of(&x).rows(k - 1))?[..],
                rows[..k].windows(2).map(|pair| pair[0] + pair[1]).collect::<Vec<_>>()
            );
            let odd: Vec<u32> = (0..k as u32).filter(|&i| rows[i as usize] % 2 == 1).collect();
            assert_eq!(cpu.compact(is_odd::of(&x).rows(k))?[..], odd);
            let even = (0..k as u32).filter(|&i| rows[i as usize].is_multiple_of(2));
            let (parted, first) = cpu.partition(is_odd::of(&x).rows(k))?;
            assert_eq!(first, odd.len());
            assert_eq!(parted[..], odd.iter().copied().chain(even).collect::<Vec<_>>());
        }
    }
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
