//! Columns of each type of number, and of rows of each width, through the operations that move rows as they are.

use treepar::compact::gather;
use treepar::device::device;
use treepar::monoid::*;
use treepar::{Backend, Element};

use crate::drawn::Rng;
use crate::{each_holds, get, put, rows};

/// Sixteen bytes: the widest unit in which rows are moved.
#[device]
struct Wide {
    first: u64,
    second: u32,
    third: u32,
}

/// Checks that a column is gathered, whole and in part, and scattered.
fn rows_move<T: Number, B: Backend>(b: &B, rng: &mut Rng, x: &[T]) {
    let m = x.len() as u32;
    let from: Vec<u32> = (0..x.len() / 2).map(|_| rng.below(m)).collect();
    let expected: Vec<T> = from.iter().map(|&i| x[i as usize]).collect();
    assert_eq!(get(b, gather(&put(b, x), &put(b, &from))), expected);
    rows_scatter(b, rng, x);
}

/// Checks that rows are written to the targets inside a column that is half as long.
fn rows_scatter<T: Element, B: Backend>(b: &B, rng: &mut Rng, x: &[T]) {
    let order = rng.permutation(x.len());
    let mut target = b.filled(x.len() / 2, T::default()).unwrap();
    b.scatter(&mut target, &put(b, &order), &put(b, x)).unwrap();
    let mut expected = vec![T::default(); x.len() / 2];
    for (&i, &value) in order.iter().zip(x) {
        if let Some(slot) = expected.get_mut(i as usize) {
            *slot = value;
        }
    }
    assert_eq!(rows(b, &target), expected);
}

/// Checks a column of each type that `x` is cast to: a map that reads it returns it, and its rows move.
macro_rules! each_number {
    ($b:ident, $rng:ident, $x:ident: $($ty:ident by $reader:ident),*) => {$(
        let column: Vec<$ty> = $x.iter().map(|&x| x as $ty).collect();
        assert_eq!(get($b, $b.map($reader::of(&put($b, &column)))), column);
        rows_move($b, $rng, &column);
    )*};
}

each_holds! {
    rows_of_every_number_move(b, rng, n) {
        let x = rng.column(n);
        each_number!(
            b, rng, x:
            u8 by element_u8, u16 by element_u16, u32 by element_u32, i8 by element_i8, i16 by element_i16, i32 by element_i32,
            f32 by element_f32
        );
        let x: Vec<u64> = x.iter().map(|&x| u64::from(x) << 32 | u64::from(!x)).collect();
        each_number!(b, rng, x: u64 by element_u64, i64 by element_i64, f64 by element_f64);
        let wide: Vec<Wide> =
            x.iter().map(|&x| Wide { first: x, second: x as u32, third: (x >> 40) as u32 }).collect();
        rows_scatter(b, rng, &wide);
    }
}
