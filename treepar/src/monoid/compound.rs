//! Monoids of several values: pairs, values with their rows, and segments.

use crate::device::device;
use crate::monoid::{max_u32, min_u32, sum_u32};

/// A monoid of two: a struct with a field for each of two monoids, and the monoid that combines them side by side.
///
/// ```
/// use treepar::monoid::{max_u32, sum_u32};
/// use treepar::prelude::*;
///
/// treepar::pair! {
///     /// How many, and the greatest.
///     pub struct Summary { count: u32 = sum_u32, greatest: u32 = max_u32 }
///     /// Both at once.
///     pub fn summary;
/// }
///
/// #[device(reduce(summary))]
/// fn one(i: usize, x: &[u32]) -> Summary {
///     Summary { count: 1, greatest: x[i] }
/// }
///
/// let cpu = Cpu::new();
/// let found = cpu.reduce(one::of(&cpu.upload(&[5, 9, 2])?), summary)?;
/// assert_eq!(found, Summary { count: 3, greatest: 9 });
/// # Ok::<(), treepar::Error>(())
/// ```
#[macro_export]
macro_rules! pair {
    (
        $(#[$struct_doc:meta])* $struct_vis:vis struct $name:ident {
            $first:ident: $first_ty:ident = $first_monoid:ident, $second:ident: $second_ty:ident = $second_monoid:ident $(,)?
        }
        $(#[$doc:meta])* $vis:vis fn $monoid:ident;
    ) => {
        $(#[$struct_doc])*
        #[$crate::device::device]
        $struct_vis struct $name {
            #[doc = concat!("By `", stringify!($first_monoid), "`.")]
            pub $first: $first_ty,
            #[doc = concat!("By `", stringify!($second_monoid), "`.")]
            pub $second: $second_ty,
        }

        $(#[$doc])*
        #[$crate::device::device(monoid(identity = $name {
            $first: <$first_monoid as $crate::device::Monoid<$first_ty>>::IDENTITY,
            $second: <$second_monoid as $crate::device::Monoid<$second_ty>>::IDENTITY,
        }))]
        $vis fn $monoid(a: $name, b: $name) -> $name {
            $name { $first: $first_monoid(a.$first, b.$first), $second: $second_monoid(a.$second, b.$second) }
        }
    };
}

/// The segmented form of a monoid: a scan by it begins anew at each row that is a head.
///
/// [`segmented_scan`](crate::Backend::segmented_scan) does this from offsets and costs less; this form serves where
/// heads come with the rows, and inside other monoids.
///
/// ```
/// use treepar::monoid::max_u32;
/// use treepar::prelude::*;
///
/// treepar::segmented! {
///     /// A value, and whether a run begins with it.
///     pub struct Run: u32 = max_u32;
///     /// The greatest since a run began.
///     pub fn greatest_of_run;
/// }
///
/// #[device(scan(greatest_of_run))]
/// fn row(i: usize, head: &[u8], x: &[u32]) -> Run {
///     Run { value: x[i], head: head[i] as u32 }
/// }
///
/// let cpu = Cpu::new();
/// let (head, x) = (cpu.upload(&[1u8, 0, 1, 0])?, cpu.upload(&[7, 3, 1, 2])?);
/// let (found, _) = cpu.scan(Inclusive, row::of(&head, &x), greatest_of_run)?;
/// let greatest: Vec<u32> = cpu.download(&found)?.iter().map(|run| run.value).collect();
/// assert_eq!(greatest, [7, 7, 1, 2]);
/// # Ok::<(), treepar::Error>(())
/// ```
#[macro_export]
macro_rules! segmented {
    (
        $(#[$struct_doc:meta])* $struct_vis:vis struct $name:ident: $ty:ident = $inner:ident;
        $(#[$doc:meta])* $vis:vis fn $monoid:ident;
    ) => {
        $(#[$struct_doc])*
        #[$crate::device::device]
        $struct_vis struct $name {
            #[doc = concat!("By `", stringify!($inner), "`.")]
            pub value: $ty,
            /// Not 0 where a segment begins.
            pub head: u32,
        }

        $(#[$doc])*
        #[$crate::device::device(monoid(identity = $name {
            value: <$inner as $crate::device::Monoid<$ty>>::IDENTITY,
            head: 0,
        }))]
        $vis fn $monoid(a: $name, b: $name) -> $name {
            $name { value: if b.head != 0 { b.value } else { $inner(a.value, b.value) }, head: a.head | b.head }
        }
    };
}

pair! {
    /// The least and the greatest of some rows.
    pub struct Range { least: u32 = min_u32, greatest: u32 = max_u32 }
    /// The least and the greatest at once.
    pub fn min_max_u32;
}

segmented! {
    /// A count, and whether a segment begins with it.
    pub struct Headed: u32 = sum_u32;
    /// The sum since a segment began, wrapping.
    pub fn segmented_sum_u32;
}

/// A key and the row that has it.
#[device]
pub struct Ranked {
    /// The key.
    pub key: u32,
    /// The row of the key; `u32::MAX` for none.
    pub row: u32,
}

/// The least key with its row, of equal keys the first.
#[device(monoid(identity = Ranked { key: u32::MAX, row: u32::MAX }))]
pub fn argmin_u32(a: Ranked, b: Ranked) -> Ranked {
    if b.key < a.key || a.row == u32::MAX { b } else { a }
}

/// The greatest key with its row, of equal keys the first.
#[device(monoid(identity = Ranked { key: 0, row: u32::MAX }))]
pub fn argmax_u32(a: Ranked, b: Ranked) -> Ranked {
    if b.row != u32::MAX && (b.key > a.key || a.row == u32::MAX) { b } else { a }
}
