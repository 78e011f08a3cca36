//! Call objects: a device function with its columns and scalars, ready for a template.
//!
//! `#[device]` emits `f::of(..)`, which returns a [`Call`]. For each parameter after the template's own, `of` takes
//!
//! | parameter | argument |
//! |---|---|
//! | a column, `x: &[T]` | a reference to any [`Column`] of `T`, such as `&B::Vec<T>` |
//! | a table, `rows: &Rows` | `&Rows<B>` |
//! | several tables, `both: &Both` | `&BothOn<'_, B>` |
//! | a scalar | its value |
//!
//! A template takes the number of rows from the columns that the function reads at its own row (`x[i]`), and checks that these columns
//! agree. A column that the function reads only at other rows, or passes on to another function, says nothing. [`Call::rows`] states the
//! number where no column gives it, or restricts it: to any number from 0 to that of the columns.
//!
//! ```
//! use treepar::prelude::*;
//!
//! #[device(map, scan(Sum))]
//! fn twice(i: usize, x: &[u32]) -> u32 {
//!     2 * x[i]
//! }
//!
//! #[device(map)]
//! fn square(i: usize) -> u32 {
//!     (i * i) as u32
//! }
//!
//! let cpu = Cpu::new();
//! let x = cpu.upload(&[1, 2, 3])?;
//! assert_eq!(cpu.map(twice::of(&x))?[..], [2, 4, 6]);
//! assert_eq!(cpu.map(twice::of(&x).rows(2))?[..], [2, 4]);
//! assert_eq!(cpu.map(square::of().rows(4))?[..], [0, 1, 4, 9]);
//! let (before, total) = cpu.scan(Exclusive, twice::of(&x), Sum)?;
//! assert_eq!((&before[..], total), (&[0, 2, 6][..], 12));
//! // A column is its own reader.
//! assert_eq!(cpu.reduce(&x, Max)?, 3);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! Without a column that gives the number of rows, `rows` is required:
//!
//! ```compile_fail
//! # use treepar::prelude::*;
//! # #[device(map)]
//! # fn square(i: usize) -> u32 {
//! #     (i * i) as u32
//! # }
//! # let cpu = Cpu::new();
//! cpu.map(square::of())?;
//! # Ok::<(), treepar::Error>(())
//! ```

use std::marker::PhantomData;

use crate::compact::is_marked;
use crate::device::{ArgVisitor, ColumnFn, Element, In, RowFn, template};
use crate::monoid::Number;
use crate::{Backend, Column, Error, Result};

/// State of a [`Call`]: its columns, or [`Call::rows`], give the number of rows.
pub enum HasRows {}

/// State of a [`Call`]: nothing gives the number of rows yet.
pub enum NoRows {}

/// A state in which the number of rows is known.
#[diagnostic::on_unimplemented(
    message = "the number of rows of this call is not known",
    label = "write `.rows(n)` after the call object",
    note = "the function reads no column at its own row (`x[i]`), so that no column gives the number of rows"
)]
pub trait Counted {}

impl Counted for HasRows {}

/// A device function with its columns and scalars on a backend.
///
/// `R` is [`HasRows`] or [`NoRows`]. Walks and expand take either, since the forest or the owners give the number of rows.
#[must_use = "a call object does nothing by itself: pass it to a template"]
pub struct Call<'a, F: ColumnFn, B: Backend + 'a, R = HasRows> {
    args: F::Args<'a, B>,
    rows: Option<usize>,
    state: PhantomData<fn() -> (F, R)>,
}

impl<F: ColumnFn, B: Backend, R> Clone for Call<'_, F, B, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: ColumnFn, B: Backend, R> Copy for Call<'_, F, B, R> {}

impl<'a, F: ColumnFn, B: Backend + 'a, R> Call<'a, F, B, R> {
    /// Returns a call with these columns and scalars. Device functions have `of`, which names them.
    pub fn new(args: F::Args<'a, B>) -> Self {
        Call { args, rows: None, state: PhantomData }
    }

    /// States the number of rows. No column that the function reads at its own row may be shorter.
    pub fn rows(self, n: usize) -> Call<'a, F, B> {
        Call { args: self.args, rows: Some(n), state: PhantomData }
    }

    /// Returns the columns and scalars.
    pub(crate) fn args(&self) -> F::Args<'a, B> {
        self.args
    }

    /// Returns the number of rows, if the columns agree on it.
    pub(crate) fn count(&self) -> Result<usize> {
        let mut lengths = Lengths::new(self.rows);
        F::visit_rows::<B>(self.args, &mut lengths.seen());
        lengths.count()
    }

    /// Returns the number of rows, if the columns agree on it, and the bytes of the columns, if all are columns of `backend`.
    pub(crate) fn checked(&self, backend: &B) -> Result<(usize, usize)> {
        let (mut lengths, mut read) = (Lengths::new(self.rows), Read { backend, bytes: 0, others: false });
        F::visit_rows::<B>(self.args, &mut lengths.seen());
        F::visit::<B>(self.args, &mut read);
        lengths.checked(read.bytes, read.others)
    }

    /// Checks that the call has `n` rows, as the template's own columns say.
    pub(crate) fn expect(&self, n: usize) -> Result<()> {
        if let Some(found) = self.rows.filter(|&rows| rows != n) {
            return Err(Error::LengthMismatch { array: "rows", expected: n, found });
        }
        let mut lengths = Lengths { rows: Some(n), ..Lengths::new(self.rows) };
        F::visit_rows::<B>(self.args, &mut lengths.seen());
        lengths.count().map(drop)
    }

    /// Returns the bytes of the columns, if all are columns of `backend`.
    pub(crate) fn bytes(&self, backend: &B) -> Result<usize> {
        let mut read = Read { backend, bytes: 0, others: false };
        F::visit::<B>(self.args, &mut read);
        if read.others { Err(Error::OtherBackend) } else { Ok(read.bytes) }
    }
}

/// The number of rows that columns agree on. Compiled once for all calls.
struct Lengths {
    /// The number, once one is known.
    rows: Option<usize>,
    /// Columns may have more rows: the call states the number.
    is_stated: bool,
    /// The first column that does not fit.
    wrong: Option<Error>,
}

impl Lengths {
    fn new(stated: Option<usize>) -> Lengths {
        Lengths { rows: stated, is_stated: stated.is_some(), wrong: None }
    }

    /// Returns a visitor of the names and lengths of columns.
    fn seen(&mut self) -> impl FnMut(&'static str, usize) {
        |array, found| {
            let expected = *self.rows.get_or_insert(found);
            if found < expected || (found != expected && !self.is_stated) {
                self.wrong.get_or_insert(Error::LengthMismatch { array, expected, found });
            }
        }
    }

    /// Returns the number of rows with the bytes of the columns, unless some columns are of other backends.
    fn checked(self, bytes: usize, has_others: bool) -> Result<(usize, usize)> {
        let n = self.count()?;
        if has_others { Err(Error::OtherBackend) } else { Ok((n, bytes)) }
    }

    /// Returns the number of rows, none where nothing gives it.
    fn count(self) -> Result<usize> {
        self.wrong.map_or(Ok(self.rows.unwrap_or(0)), Err)
    }
}

/// Sums the bytes of columns, and notes columns of other backends.
struct Read<'a, B> {
    backend: &'a B,
    bytes: usize,
    others: bool,
}

impl<B: Backend> ArgVisitor<B> for Read<'_, B> {
    fn column<T: Element>(&mut self, column: &B::Vec<T>) {
        self.bytes += column.len() * size_of::<T>();
        self.others |= !column.backend().is(self.backend);
    }
    fn scalar<T: bytemuck::NoUninit>(&mut self, _: T) {}
}

/// A value for each row: a call object, or a column of numbers, which is its own reader.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no value for each row",
    label = "expected a call object with its number of rows, or a column of numbers",
    note = "pass `f::of(..)` of a device function, with `.rows(n)` if no column gives the number of rows"
)]
pub trait Rows<'a> {
    /// The backend of the columns.
    type Backend: Backend + 'a;
    /// The function that yields the values.
    type Function: RowFn;
    /// Returns the call.
    fn call(self) -> Call<'a, Self::Function, Self::Backend>;
}

/// The type of a value of `C`.
pub type Item<'a, C> = <<C as Rows<'a>>::Function as RowFn>::Output;

impl<'a, F: RowFn, B: Backend + 'a, R: Counted> Rows<'a> for Call<'a, F, B, R> {
    type Backend = B;
    type Function = F;
    fn call(self) -> Call<'a, F, B> {
        Call { args: self.args, rows: self.rows, state: PhantomData }
    }
}

impl<'a, V: Column<Element: Number>> Rows<'a> for &'a V {
    type Backend = V::Backend;
    type Function = <V::Element as Number>::Reader;
    fn call(self) -> Call<'a, Self::Function, V::Backend> {
        <V::Element as Number>::reader(self.as_vec())
    }
}

/// A truth value for each row: a call object of a function for [`Backend::compact`], or a mask of `u8`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no truth value for each row",
    label = "expected a call object of a `#[device(compact)]` function, or a mask of `u8`"
)]
pub trait Predicate<'a> {
    /// The backend of the columns.
    type Backend: Backend + 'a;
    /// The function that yields the values.
    type Function: RowFn<Output = bool> + In<template::Compact>;
    /// Returns the call.
    fn call(self) -> Call<'a, Self::Function, Self::Backend>;
}

impl<'a, F: RowFn<Output = bool> + In<template::Compact>, B: Backend + 'a, R: Counted> Predicate<'a>
    for Call<'a, F, B, R>
{
    type Backend = B;
    type Function = F;
    fn call(self) -> Call<'a, F, B> {
        Rows::call(self)
    }
}

impl<'a, V: Column<Element = u8>> Predicate<'a> for &'a V {
    type Backend = V::Backend;
    type Function = is_marked;
    fn call(self) -> Call<'a, is_marked, V::Backend> {
        is_marked::of(self)
    }
}
