//! Ready-made monoids: their laws, and the results of reductions and scans by them.

use treepar::backend::ScanKind;
use treepar::device::{Monoid, device};
use treepar::monoid::*;
use treepar::{Backend, Element};

use crate::{each_holds, put, rows};

#[device(reduce(argmin_u32, argmax_u32), scan(argmin_u32))]
fn ranked(i: usize, x: &[u32]) -> Ranked {
    Ranked { key: x[i], row: i as u32 }
}

#[device(reduce(min_max_u32))]
fn range(i: usize, x: &[u32]) -> Range {
    Range { least: x[i], greatest: x[i] }
}

#[device(scan(segmented_sum_u32))]
fn headed(i: usize, head: &[u8], x: &[u32]) -> Headed {
    Headed { value: x[i], head: head[i] as u32 }
}

/// Checks the laws: the identity changes nothing, and parentheses can be moved.
fn is_monoid<M: Monoid<T>, T: Element>(_monoid: M, values: &[T]) {
    let name = M::FUNCTION;
    for &a in values {
        assert_eq!((M::combine(M::IDENTITY, a), M::combine(a, M::IDENTITY)), (a, a), "{name:?}");
        for &b in values {
            if M::resets(b) {
                assert_eq!(M::combine(a, b), b, "{name:?} of {a:?}, which {b:?} hides");
            }
            if M::resets(a) {
                assert!(M::resets(M::combine(a, b)), "{name:?} of {a:?}, {b:?}, which hides all before");
            }
            for &c in values {
                let (left, right) = (M::combine(M::combine(a, b), c), M::combine(a, M::combine(b, c)));
                assert_eq!(left, right, "{name:?} of {a:?}, {b:?}, {c:?}");
            }
        }
    }
}

fn numbers_are_monoids<T: Number>(values: &[T]) {
    is_monoid(Sum, values);
    is_monoid(Product, values);
    is_monoid(Min, values);
    is_monoid(Max, values);
}

fn bits_are_monoids<T: Bits>(values: &[T]) {
    numbers_are_monoids(values);
    is_monoid(And, values);
    is_monoid(Or, values);
    is_monoid(Xor, values);
}

fn scans_match<M: Monoid<T>, T: Number<Reader: Reads<M>>, B: Backend>(b: &B, monoid: M, values: &[T]) {
    let column = put(b, values);
    let mut sum = M::IDENTITY;
    let mut prefixes = Vec::new();
    for &x in values {
        prefixes.push(sum);
        sum = M::combine(sum, x);
    }
    assert_eq!(b.reduce(&column, monoid).unwrap(), sum, "{:?}", M::FUNCTION);
    let (found, total) = b.scan(ScanKind::Exclusive, &column, monoid).unwrap();
    assert_eq!((rows(b, &found), total), (prefixes, sum), "{:?}", M::FUNCTION);
    segments_match(b, monoid, &column, values);
}

/// Compares scans and reductions of four segments, one of which is empty.
fn segments_match<M: Monoid<T>, T: Number<Reader: Reads<M>>, B: Backend>(
    b: &B,
    monoid: M,
    column: &B::Vec<T>,
    x: &[T],
) {
    let third = x.len() / 3;
    let ends = [third, third, 2 * third, x.len()];
    let (mut prefixes, mut totals, mut at) = (Vec::new(), Vec::new(), 0);
    for end in ends {
        let mut sum = M::IDENTITY;
        for &x in &x[at..end] {
            sum = M::combine(sum, x);
            prefixes.push(sum);
        }
        totals.push(sum);
        at = end;
    }
    let offsets = put(b, &[0, third, third, 2 * third].map(|offset| offset as u32));
    let found = b.segmented_scan(ScanKind::Inclusive, &offsets, column, monoid).unwrap();
    assert_eq!(rows(b, &found), prefixes, "segments, {:?}", M::FUNCTION);
    let found = b.segmented_reduce(&offsets, column, monoid).unwrap();
    assert_eq!(rows(b, &found), totals, "segments, {:?}", M::FUNCTION);
}

/// Compares all folds of a column with plain ones. A fold begins with the identity, which replaces the NaN of a least number.
/// The sign of a zero and the bits of a NaN are not specified.
fn of_every_kind_match<M: Monoid<T>, T: Number<Reader: Reads<M>>, B: Backend>(
    b: &B,
    monoid: M,
    x: &[T],
    offsets: &[u32],
) {
    #[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
    fn is_nan<T: Number>(a: &T) -> bool {
        a != a
    }
    let same = |what: &str, found: &[T], expected: &[T]| {
        assert_eq!(found.len(), expected.len(), "{what} by {:?}", M::FUNCTION);
        let differs = |(a, b): (&T, &T)| a != b && !(is_nan(a) && is_nan(b));
        let first = found.iter().zip(expected).position(differs);
        let rows = first.map(|row| (row, found[row], expected[row]));
        assert_eq!(rows, None, "{what} by {:?}: the row, what it is, what it should be", M::FUNCTION);
    };
    let column = put(b, x);
    let prefixes = |x: &[T]| -> Vec<T> {
        let fold = |sum: &mut T, &x: &T| {
            *sum = M::combine(*sum, x);
            Some(*sum)
        };
        x.iter().scan(M::IDENTITY, fold).collect()
    };
    let whole = prefixes(x);
    let total = *whole.last().unwrap_or(&M::IDENTITY);
    same("a reduction", &[b.reduce(&column, monoid).unwrap()], &[total]);
    let (found, last) = b.scan(ScanKind::Inclusive, &column, monoid).unwrap();
    same("a scan", &rows(b, &found), &whole);
    same("the total of a scan", &[last], &[total]);
    let ends = offsets.iter().skip(1).map(|&end| end as usize).chain([x.len()]);
    let segments: Vec<Vec<T>> = offsets.iter().zip(ends).map(|(&at, end)| prefixes(&x[at as usize..end])).collect();
    let offsets = put(b, offsets);
    let found = b.segmented_scan(ScanKind::Inclusive, &offsets, &column, monoid).unwrap();
    same("a segmented scan", &rows(b, &found), &segments.concat());
    let totals: Vec<T> = segments.iter().map(|segment| *segment.last().unwrap_or(&M::IDENTITY)).collect();
    let found = b.segmented_reduce(&offsets, &column, monoid).unwrap();
    same("a segmented reduction", &rows(b, &found), &totals);
}

fn all_scans_match<T: Number, B: Backend>(b: &B, values: &[T]) {
    scans_match(b, Sum, values);
    scans_match(b, Product, values);
    scans_match(b, Min, values);
    scans_match(b, Max, values);
}

fn all_bit_scans_match<T: Bits, B: Backend>(b: &B, values: &[T]) {
    all_scans_match(b, values);
    scans_match(b, And, values);
    scans_match(b, Or, values);
    scans_match(b, Xor, values);
}

each_holds! {
    ready_made_monoids_are_monoids(_b, rng, _n) {
        let some: Vec<u32> = (0..3).map(|_| rng.next()).chain([0, 1, 1 << 31, u32::MAX - 1, u32::MAX]).collect();
        fn each<T: Element>(some: &[u32], of: impl Fn(u32) -> T) -> Vec<T> {
            some.iter().map(|&x| of(x)).collect()
        }
        bits_are_monoids(&each(&some, |x| x as u8));
        bits_are_monoids(&each(&some, |x| x as u16));
        bits_are_monoids(&some);
        bits_are_monoids(&each(&some, |x| u64::from(x) << 32 | u64::from(!x)));
        numbers_are_monoids(&each(&some, |x| x as i8));
        numbers_are_monoids(&each(&some, |x| x as i16));
        numbers_are_monoids(&each(&some, |x| x as i32));
        numbers_are_monoids(&each(&some, |x| i64::from(x as i32) << 31));
        numbers_are_monoids(&[0.0f32, 1.0, -2.5, 1024.0, 0.5]);
        is_monoid(Min, &[0.0f32, f32::INFINITY, -f32::INFINITY, f32::MAX, -1e-45]);
        is_monoid(Max, &[0.0f32, f32::INFINITY, -f32::INFINITY, f32::MIN, 1e-45]);
        numbers_are_monoids(&[0.0f64, 1.0, -2.5, 1024.0, 0.5]);
        is_monoid(Min, &[0.0f64, f64::INFINITY, -f64::INFINITY, f64::MAX, -5e-324]);
        is_monoid(Max, &[0.0f64, f64::INFINITY, -f64::INFINITY, f64::MIN, 5e-324]);
        is_monoid(first_u32, &some);
        is_monoid(last_u32, &some);
        let ranks: Vec<Ranked> = some.iter().zip(0..).map(|(&key, row)| Ranked { key, row }).collect();
        is_monoid(argmin_u32, &ranks);
        is_monoid(argmax_u32, &ranks);
        is_monoid(min_max_u32, &each(&some, |x| Range { least: x, greatest: x ^ 5 }));
        is_monoid(segmented_sum_u32, &each(&some, |x| Headed { value: x, head: x % 2 }));
    }

    scans_by_ready_made_monoids_match_folds(b, rng, n) {
        let x = rng.column(n);
        all_bit_scans_match(b, &x.iter().map(|&x| x as u8).collect::<Vec<_>>());
        all_bit_scans_match(b, &x.iter().map(|&x| x as u16).collect::<Vec<_>>());
        all_bit_scans_match(b, &x);
        all_bit_scans_match(b, &x.iter().map(|&x| u64::from(x) << 16 | 1).collect::<Vec<_>>());
        all_scans_match(b, &x.iter().map(|&x| x as i8).collect::<Vec<_>>());
        all_scans_match(b, &x.iter().map(|&x| x as i16).collect::<Vec<_>>());
        all_scans_match(b, &x.iter().map(|&x| x as i32).collect::<Vec<_>>());
        all_scans_match(b, &x.iter().map(|&x| i64::from(x as i32)).collect::<Vec<_>>());
        scans_match(b, first_u32, &x);
        scans_match(b, last_u32, &x);
        // Small whole numbers, whose sums are exact in any order.
        let floats: Vec<f32> = x.iter().map(|&x| (x % 64) as f32).collect();
        scans_match(b, Sum, &floats);
        scans_match(b, Min, &floats);
        scans_match(b, Max, &floats);
        scans_match(b, Product, &floats.iter().map(|&x| if x < 32.0 { -1.0 } else { 1.0 }).collect::<Vec<_>>());
        // Their sums have more bits than an `f32`.
        let doubles: Vec<f64> = x.iter().map(|&x| f64::from(x) - 1e6).collect();
        scans_match(b, Sum, &doubles);
        scans_match(b, Min, &doubles);
        scans_match(b, Max, &doubles);
        scans_match(b, Product, &doubles.iter().map(|&x| x.signum()).collect::<Vec<_>>());
    }

    floats_of_every_kind_match_folds(b, rng, n) {
        let (x, offsets) = (rng.floats(n), rng.offsets(n));
        of_every_kind_match(b, Min, &x, &offsets);
        of_every_kind_match(b, Max, &x, &offsets);
        // Sums in any order are equal if no number is rounded.
        let whole = |x: &f32| if x.is_finite() { x.clamp(-3.0, 1.0).trunc() } else { *x };
        of_every_kind_match(b, Sum, &x.iter().map(whole).collect::<Vec<_>>(), &offsets);
        // The least float becomes a double below the normal range too.
        let doubles: Vec<f64> = x.iter().map(|&x| if x == 1e-45 { 5e-324 } else { x.into() }).collect();
        of_every_kind_match(b, Min, &doubles, &offsets);
        of_every_kind_match(b, Max, &doubles, &offsets);
        of_every_kind_match(b, Sum, &x.iter().map(|x| f64::from(whole(x))).collect::<Vec<_>>(), &offsets);
    }

    compound_monoids_match_folds(b, rng, n) {
        let (x, head) = (rng.column(n), rng.mask(n));
        let column = put(b, &x);
        let row = |best: Option<(u32, usize)>| best.map_or(u32::MAX, |(_, row)| row as u32);
        let least = x.iter().copied().zip(0..n).min_by_key(|&(key, row)| (key, row));
        assert_eq!(b.reduce(ranked::of(&column), argmin_u32).unwrap().row, row(least));
        let greatest = x.iter().copied().zip(0..n).min_by_key(|&(key, row)| (u32::MAX - key, row));
        assert_eq!(b.reduce(ranked::of(&column), argmax_u32).unwrap().row, row(greatest));
        let found = b.reduce(range::of(&column), min_max_u32).unwrap();
        let expected = (x.iter().min().copied().unwrap_or(u32::MAX), x.iter().max().copied().unwrap_or(0));
        assert_eq!((found.least, found.greatest), expected);
        let head_column = put(b, &head);
        let (found, _) = b.scan(ScanKind::Inclusive, headed::of(&head_column, &column), segmented_sum_u32).unwrap();
        let mut sum = 0u32;
        for (i, found) in rows(b, &found).iter().enumerate() {
            sum = if head[i] != 0 { x[i] } else { sum.wrapping_add(x[i]) };
            assert_eq!(found.value, sum, "row {i}");
        }
    }
}
