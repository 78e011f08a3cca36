//! Device functions: the code that a template runs for each row, written once for every backend.
//!
//! `#[device]` before a function yields the function itself, which is the CPU twin, and a type of the same name.
//! Its `of` takes the columns and scalars and returns a call object for a template:
//! `backend.map(square::of(&x))`. [`kernels`] lists the functions of a program.
//!
//! | attribute | signature | template |
//! |---|---|---|
//! | `#[device]` | any | none: called by other device functions |
//! | `#[device(map)]` | `f(i: usize, ..) -> T` or a tuple | [`Backend::map`] |
//! | `#[device(compact)]` | `f(i: usize, ..) -> bool` | [`Backend::compact`], [`Backend::partition`] |
//! | `#[device(accumulate)]` | `f(i: usize, ..) -> (u32, u32)`, an index and a weight | [`Backend::accumulate`] |
//! | `#[device(intern)]` | `f(i: usize, ..) -> u64`, a key | [`Backend::intern`] |
//! | `#[device(reduce(m))]` | `f(i: usize, ..) -> T` | [`Backend::reduce`] |
//! | `#[device(scan(m))]` | `f(i: usize, ..) -> T` | [`Backend::scan`] |
//! | `#[device(segmented_scan(m))]` | `f(i: usize, ..) -> T` | [`Backend::segmented_scan`], [`Backend::segmented_reduce`] |
//! | `#[device(scan_map(f, m))]` | `g(i: usize, before: T, ..) -> U` or a tuple | [`Backend::scan_map`] |
//! | `#[device(positions(f, m))]` | `g(w: usize, before: T, ..) -> u64`, the marks of 64 rows | [`Backend::positions`] |
//! | `#[device(scanned)]` | `f(i: usize, ..) -> T` | none: it is the `f` of a `scan_map` or `positions`, and of nothing else |
//! | `#[device(expand)]` | `f(owner: usize, k: usize, ..) -> T` or a tuple | [`Backend::expand`] |
//! | `#[device(expand_rows)]` | `f(i: usize, ..) -> (T, T, T, T, u32)`, rows and how many | [`Backend::expand_rows`] |
//! | `#[device(walk_down)]` | `f(i: usize, parent: T, ..) -> T` | [`Backend::walk_down`] |
//! | `#[device(walk_up(m))]` | `f(i: usize, children: T, ..) -> T` | [`Backend::walk_up`] |
//! | `#[device(walk_slots)]` | `f(i: usize, slots: &[T], ..) -> T` | [`Backend::walk_slots`] |
//! | `#[device(monoid(identity = e))]` | `f(a: T, b: T) -> T`, associative | `m` in the templates above |
//! | `#[device(monoid(identity = e, reset = g))]` | the same; `f(a, b)` is b where `g(b: T) -> bool`, a device function | the same; several threads or tiles scan sooner |
//! | `#[device(monoid(identity = e, inexact))]` | the same, up to rounding | the same, but its laws are not sampled |
//!
//! A monoid is a value: `m` is one of [`monoid`](crate::monoid), such as `Sum`, or a function with the attribute
//! `monoid`.
//!
//! `..` are columns, `&[T]`, tables, `&Rows`, and scalars. A parameter that is `usize` here may be `u32` or an index.
//! `T` is a number or a device type: a struct, an index or an enum. `U` may also be the row of a table.
//!
//! The page `docs/device-functions.md` of the repository shows how to write device functions, from a first map to a
//! walk, shows the CUDA they become, and how to test them. The subset of Rust is a table at [`device`](macro@device).

pub use bytemuck;
#[doc(hidden)]
pub use treepar_device::types::NoMethods;
pub use treepar_device::types::{Constant, Described, FromWords, Methods, Newtype, Scalar, Struct, Type, Value, Words};
pub use treepar_device::{Def, Parameter, Shape, tree};
pub use treepar_kernels::inventory::submit;
#[cfg(feature = "cuda")]
pub use treepar_kernels::precompiled;
pub use treepar_kernels::{Kernel, kernels};
pub use treepar_macros::device;

pub use crate::call::{Call, Counted, HasRows, Item, NoRows, Predicate, Rows};
#[cfg(feature = "twins")]
#[doc(hidden)]
pub use crate::steps::{limited, step};
use crate::{Backend, Cpu, Executor};

/// An element of a column: a number of the device subset, or a `#[device]` struct, index or enum.
///
/// A function that returns a struct fills one column of structs, which the host downloads as they are:
///
/// ```
/// use treepar::prelude::*;
///
/// /// Some rows of a column.
/// #[device]
/// #[derive(Eq, Hash)]
/// pub struct Run {
///     /// The first row.
///     pub begin: u32,
///     /// The row after the last.
///     pub end: u32,
/// }
///
/// #[device(map)]
/// fn run(i: usize, offsets: &[u32]) -> Run {
///     Run { begin: offsets[i], end: offsets[i + 1] }
/// }
///
/// fn runs<B: Backend>(backend: &B, offsets: &[u32]) -> treepar::Result<Vec<Run>> {
///     let offsets = backend.upload(offsets)?;
///     // There is one run fewer than offsets.
///     backend.download(&backend.map(run::of(&offsets).rows(offsets.len() - 1))?)
/// }
///
/// assert_eq!(runs(&Cpu::new(), &[0, 3, 7])?, [Run { begin: 0, end: 3 }, Run { begin: 3, end: 7 }]);
/// # Ok::<(), treepar::Error>(())
/// ```
///
/// An element has at least one byte, and an alignment of at most 8 bytes. A column of another type does not compile:
///
/// ```compile_fail
/// use treepar::{Backend, Cpu, Element, device::bytemuck};
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// #[repr(C, align(16))]
/// struct Wide([u64; 2]);
/// unsafe impl bytemuck::Zeroable for Wide {}
/// unsafe impl bytemuck::Pod for Wide {}
/// impl Element for Wide {}
/// let column = Cpu::new().upload(&[Wide([1, 2])]); // remove `align(16)`
/// ```
///
/// ```compile_fail
/// use treepar::{Backend, Cpu, Element, device::bytemuck};
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Nothing;
/// unsafe impl bytemuck::Zeroable for Nothing {}
/// unsafe impl bytemuck::Pod for Nothing {}
/// impl Element for Nothing {}
/// let column = Cpu::new().upload(&[Nothing]); // give it a field
/// ```
pub trait Element: bytemuck::Pod + Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static {}

macro_rules! elements {
    ($($ty:ty),*) => { $(impl Element for $ty {})* };
}
elements!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// Refuses types that columns cannot hold. Evaluate it in a `const` block.
pub(crate) const fn check_element<T: Element>() {
    assert!(size_of::<T>() > 0, "an element has at least one byte");
    assert!(align_of::<T>() <= 8, "an element has an alignment of at most 8 bytes");
}

/// A number of a row as a device function takes it: `usize`, `u32`, or an index that `#[device(index)]` declares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not number rows",
    label = "expected `usize`, `u32` or an index",
    note = "declare an index as `#[device(index)] struct RowId(u32);`"
)]
pub trait RowIndex: Copy {
    /// Returns the index of row `i`.
    fn from_row(i: usize) -> Self;
}

impl RowIndex for usize {
    #[inline(always)]
    fn from_row(i: usize) -> usize {
        i
    }
}

impl RowIndex for u32 {
    #[inline(always)]
    fn from_row(i: usize) -> u32 {
        i as u32
    }
}

/// An index that `#[device(index)]` declares: a `u32` that only tables of this index take.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index",
    label = "expected a type declared with `#[device(index)]`"
)]
pub trait Index: RowIndex + Element {
    /// Returns the row's number.
    fn row(self) -> usize;
}

/// A type with device methods: one declared with `#[device]`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no device methods",
    label = "this method is not in the device subset",
    note = "write a device function, or declare methods of a device type with `#[device] impl`"
)]
pub trait Receiver: Described + Copy {}

/// Returns `value`. The macro wraps a method's receiver in it to check the type, also in a `const fn`.
#[doc(hidden)]
#[inline(always)]
pub const fn receiver<T: Receiver>(value: T) -> T {
    value
}

/// A table, or several tables and columns together: a parameter `&Rows` of a device function.
///
/// `#[device(columns(..))]` and `#[device(tables)]` declare them.
#[diagnostic::on_unimplemented(
    message = "`&{Self}` is not a parameter of a device function",
    label = "neither a column nor a table",
    note = "take scalars by value, a column as `&[T]`, and a table declared with `#[device(columns(..))]` as `&Rows`"
)]
pub trait Table: Described {
    /// The columns in host memory.
    type Host;
    /// A reference to the columns on a backend.
    type On<'a, B: Backend + 'a>: Copy;
    /// The columns as a device function reads them on the CPU.
    type View<'a>: TableView + Send + Sync;
    /// Returns the view of columns on the CPU.
    fn view<'a>(columns: Self::On<'a, Cpu>) -> Self::View<'a>;
    /// Returns the view of columns in host memory.
    fn view_host(columns: &Self::Host) -> Self::View<'_>;
    /// Shows the names and the numbers of rows of the columns that a function reads at its own row: all columns of a table, or
    /// some fields of several tables together.
    fn visit_lengths<'a, B: Backend + 'a>(
        columns: Self::On<'a, B>,
        fields: &[&str],
        visitor: &mut dyn FnMut(&'static str, usize),
    );
    /// Shows each column to a visitor of arguments.
    fn visit_arguments<'a, B: Backend + 'a>(columns: Self::On<'a, B>, visitor: &mut impl ArgVisitor<B>);
}

/// The columns of a table as a device function reads them on the CPU.
#[doc(hidden)]
pub trait TableView: Until {
    /// Returns whether the view is of several tables, which have lengths of their own, and not of the columns of one.
    fn are_several(&self) -> bool;
    /// Returns a view whose columns have the length of the shortest.
    ///
    /// The optimizer sees that the lengths are equal, so it checks an index once for all columns.
    fn trimmed(self) -> Self;
}

/// Rows that a loop may cut, so that the optimizer sees which there are.
#[doc(hidden)]
pub trait Until: Copy {
    /// Returns the rows before `end`, which is at most their number.
    fn until(self, end: usize) -> Self;
}

impl<T> Until for &[T] {
    #[inline(always)]
    fn until(self, end: usize) -> Self {
        &self[..end]
    }
}

impl<I, T> Until for ColumnView<'_, I, T> {
    #[inline(always)]
    fn until(self, end: usize) -> Self {
        ColumnView::new(&self.rows[..end])
    }
}

/// Sees the columns of a table with their names.
pub trait ColumnVisitor<B: Backend> {
    /// Sees a column.
    fn column<T: Element>(&mut self, name: &'static str, column: &B::Vec<T>);
}

/// A column of a table on the CPU, which only the table's index reads.
pub struct ColumnView<'a, I, T> {
    rows: &'a [T],
    index: std::marker::PhantomData<fn(I)>,
}

impl<I, T> Clone for ColumnView<'_, I, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I, T> Copy for ColumnView<'_, I, T> {}

impl<'a, I, T> ColumnView<'a, I, T> {
    /// Returns a view of `rows`.
    #[inline(always)]
    pub fn new(rows: &'a [T]) -> Self {
        ColumnView { rows, index: std::marker::PhantomData }
    }

    /// Returns the number of rows.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "the device subset has no `is_empty`")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

impl<I: Index, T> std::ops::Index<I> for ColumnView<'_, I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, row: I) -> &T {
        &self.rows[row.row()]
    }
}

/// A device function, as a type.
pub trait DeviceFn {
    /// The function's entry in the registry.
    const DEF: &'static Def;
}

/// A device function with columns and scalars after the template's own parameters.
pub trait ColumnFn: DeviceFn {
    /// Those columns and scalars on a backend.
    type Args<'a, B: Backend + 'a>: Copy;
    /// The same, as the CPU twin reads them.
    type HostArgs<'a>: Copy + Send + Sync;
    /// Returns the columns as slices.
    fn host_args<'a>(args: Self::Args<'a, Cpu>) -> Self::HostArgs<'a>;
    /// Returns the slices. A slice that the function reads at its own row only ends before row `end`.
    ///
    /// The optimizer then sees in a loop over rows before `end` that these rows exist.
    fn until(args: Self::HostArgs<'_>, end: usize) -> Self::HostArgs<'_>;
    /// Shows each column and scalar in turn to a visitor.
    fn visit<'a, B: Backend + 'a>(args: Self::Args<'a, B>, visitor: &mut impl ArgVisitor<B>);
    /// Shows the name and the number of rows of each column that the function reads at its own row.
    fn visit_rows<'a, B: Backend + 'a>(args: Self::Args<'a, B>, visitor: &mut dyn FnMut(&'static str, usize));
}

/// A visitor of the arguments of a device function.
pub trait ArgVisitor<B: Backend> {
    /// Sees a column.
    fn column<T: Element>(&mut self, column: &B::Vec<T>);
    /// Sees a scalar.
    fn scalar<T: bytemuck::NoUninit>(&mut self, scalar: T);
}

/// `f(i, ..)`: one row.
pub trait RowFn: ColumnFn {
    /// The type of the result.
    type Output;
    /// Returns row `i`.
    fn call(i: usize, args: Self::HostArgs<'_>) -> Self::Output;
}

/// `f(i, carry, ..)`: one row, from the value that a scan or walk carries to it.
pub trait CarryFn: ColumnFn {
    /// The type of the carried value.
    type Carry: Element;
    /// The type of the result.
    type Output;
    /// Returns row `i`.
    fn call(i: usize, carry: Self::Carry, args: Self::HostArgs<'_>) -> Self::Output;
}

/// `f(owner, k, ..)`: row `k` of the rows that `owner` expands to.
pub trait ExpandFn: ColumnFn {
    /// The type of the result.
    type Output;
    /// Returns row `k` of `owner`.
    fn call(owner: usize, k: usize, args: Self::HostArgs<'_>) -> Self::Output;
}

/// `f(i, slots, ..)`: one row, from the results of its children, each in its slot.
pub trait SlotsFn: ColumnFn {
    /// The type of the result and of the slots.
    type Output: Element;
    /// Returns row `i`.
    fn call(i: usize, slots: &[Self::Output], args: Self::HostArgs<'_>) -> Self::Output;
}

/// An associative operation on `T` with its identity, as a value.
///
/// In builds with debug assertions the CPU samples both laws on the elements of each reduce and scan, unless the
/// operation is declared `inexact`. A broken law is an error there. In other builds the result then depends on how the
/// rows are cut into blocks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a monoid on `{T}`",
    label = "expected a monoid on the type that the function returns",
    note = "the monoids of `treepar::monoid` combine numbers; declare your own by `#[device(monoid(identity = ..))]`"
)]
pub trait Monoid<T: Element>: Copy + Send + Sync + 'static {
    /// The device function that combines.
    const FUNCTION: &'static Def;
    /// `combine(IDENTITY, a) == a == combine(a, IDENTITY)`.
    const IDENTITY: T;
    /// `true` if the laws hold to the last bit.
    const EXACT: bool;
    /// Returns `a`, then `b`.
    fn combine(a: T, b: T) -> T;
    /// `true` if [`Monoid::resets`] may return `true`.
    const RESETS: bool = false;
    /// Returns whether `combine(before, a) == a` for every `before`: a scan need not know the elements before it.
    ///
    /// It should be `true` of `combine(a, b)` too if it is `true` of a. A GPU asks only for the combined elements of a tile.
    fn resets(_: T) -> bool {
        false
    }
}

/// A device function that fills template `X`, as its attribute says.
///
/// A function that is not declared for a template does not compile there:
///
/// ```compile_fail
/// use treepar::prelude::*;
/// #[device(map)]
/// fn value(i: usize, x: &[u32]) -> u32 {
///     x[i]
/// }
/// let cpu = Cpu::new();
/// let x = cpu.upload(&[1, 2])?;
/// cpu.reduce(value::of(&x), Max)?; // declare it `#[device(map, reduce(Max))]`
/// # Ok::<(), treepar::Error>(())
/// ```
///
/// Nor does a monoid that the attribute does not name, or one on another type:
///
/// ```compile_fail
/// use treepar::prelude::*;
/// #[device(reduce(Min))]
/// fn value(i: usize, x: &[u32]) -> u32 {
///     x[i]
/// }
/// let cpu = Cpu::new();
/// cpu.reduce(value::of(&cpu.upload(&[1, 2])?), Max)?; // pass `Min`, or declare `reduce(Min, Max)`
/// # Ok::<(), treepar::Error>(())
/// ```
///
/// ```compile_fail
/// use treepar::prelude::*;
/// #[device]
/// struct Height { low: u32, high: u32 }
/// #[device(reduce(Sum))] // `Sum` combines numbers, not `Height`
/// fn height(i: usize, x: &[u32]) -> Height {
///     Height { low: x[i], high: x[i] }
/// }
/// ```
///
/// A type or a constant that a kernel cannot hold does not compile either:
///
/// ```compile_fail
/// use treepar::device::device;
/// struct Plain {
///     x: u32,
/// }
/// #[device]
/// fn field(plain: Plain) -> u32 {
///     plain.x
/// }
/// ```
///
/// ```compile_fail
/// use treepar::device::device;
/// const PAIR: (u32, u32) = (1, 2);
/// #[device]
/// fn sum() -> u32 {
///     let (a, b) = PAIR;
///     a.wrapping_add(b)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "device function `{Self}` is not declared for the template `{X}`",
    label = "this function's attribute does not name the template",
    note = "kernels are generated before the program runs: name the template in `#[device(..)]`"
)]
pub trait In<X> {}

/// The templates, as types for [`In`].
pub mod template {
    use std::marker::PhantomData;

    /// [`Backend::map`](crate::Backend::map).
    pub enum Map {}
    /// [`Backend::compact`](crate::Backend::compact).
    pub enum Compact {}
    /// [`Backend::accumulate`](crate::Backend::accumulate).
    pub enum Accumulate {}
    /// [`Backend::intern`](crate::Backend::intern).
    pub enum Intern {}
    /// [`Backend::reduce`](crate::Backend::reduce).
    pub struct Reduce<M>(PhantomData<M>);
    /// [`Backend::scan`](crate::Backend::scan).
    pub struct Scan<M>(PhantomData<M>);
    /// [`Backend::segmented_scan`](crate::Backend::segmented_scan).
    pub struct SegmentedScan<M>(PhantomData<M>);
    /// [`Backend::scan_map`](crate::Backend::scan_map).
    pub struct ScanMap<F, M>(PhantomData<(F, M)>);
    /// [`Backend::positions`](crate::Backend::positions).
    pub struct Positions<F, M>(PhantomData<(F, M)>);
    /// [`Backend::expand`](crate::Backend::expand).
    pub enum Expand {}
    /// [`Backend::expand_rows`](crate::Backend::expand_rows).
    pub enum ExpandRows {}
    /// [`Backend::walk_down`](crate::Backend::walk_down).
    pub enum WalkDown {}
    /// [`Backend::walk_slots`](crate::Backend::walk_slots).
    pub enum WalkSlots {}
    /// [`Backend::walk_up`](crate::Backend::walk_up).
    pub struct WalkUp<M>(PhantomData<M>);
}

/// The result of a map for a row: an element, or a tuple of up to ten, each for a column of its own.
pub trait Outputs: Copy + Send {
    /// The columns.
    type Vecs<B: Backend>;
    /// The columns as the CPU writes them.
    type Slices<'a>: Slices<Row = Self>;
    /// Shows each column in turn to a visitor.
    fn visit<B: Backend>(vecs: &Self::Vecs<B>, visitor: &mut impl ArgVisitor<B>);
    /// Returns columns of `n` rows with unspecified contents.
    fn allocate<B: Backend>(backend: &B, n: usize) -> crate::Result<Self::Vecs<B>>;
    /// Returns the columns for writing.
    fn slices(vecs: &mut Self::Vecs<Cpu>) -> Self::Slices<'_>;
    /// The size of one row in bytes.
    const BYTES: usize;
}

/// Slices of equal length that can be split and written row by row.
pub trait Slices: Send + Sized {
    /// One element for each slice.
    type Row;
    /// Returns the rows before `middle`, and the others.
    fn split_at(self, middle: usize) -> (Self, Self);
    /// Writes row `i`.
    fn set(&mut self, i: usize, row: Self::Row);
    /// Cuts each slice to `n` rows, which lets the optimizer drop bounds checks.
    fn truncate(self, n: usize) -> Self;
}

impl<T: Element> Outputs for T {
    type Vecs<B: Backend> = B::Vec<T>;
    type Slices<'a> = &'a mut [T];
    fn visit<B: Backend>(vec: &B::Vec<T>, visitor: &mut impl ArgVisitor<B>) {
        visitor.column(vec);
    }
    fn allocate<B: Backend>(backend: &B, n: usize) -> crate::Result<B::Vec<T>> {
        backend.allocate(n)
    }
    fn slices(vecs: &mut <Cpu as Executor>::Vec<T>) -> &mut [T] {
        vecs
    }
    const BYTES: usize = size_of::<T>();
}

impl<T: Element> Slices for &mut [T] {
    type Row = T;
    fn split_at(self, middle: usize) -> (Self, Self) {
        self.split_at_mut(middle)
    }
    #[inline(always)]
    fn set(&mut self, i: usize, row: T) {
        self[i] = row;
    }
    #[inline(always)]
    fn truncate(self, n: usize) -> Self {
        &mut self[..n]
    }
}

/// Returns a column of `n` rows, or none if this one or an earlier one has an error.
fn allocated<T: Element, B: Backend>(backend: &B, n: usize, error: &mut Option<crate::Error>) -> Option<B::Vec<T>> {
    if error.is_some() {
        return None;
    }
    backend.allocate(n).map_err(|found| *error = Some(found)).ok()
}

macro_rules! tuple_outputs {
    ($($name:ident $index:tt),+) => {
        impl<$($name: Element),+> Outputs for ($($name,)+) {
            type Vecs<BACKEND: Backend> = ($(BACKEND::Vec<$name>,)+);
            type Slices<'a> = ($(&'a mut [$name],)+);
            fn visit<BACKEND: Backend>(vecs: &Self::Vecs<BACKEND>, visitor: &mut impl ArgVisitor<BACKEND>) {
                $(visitor.column(&vecs.$index);)+
            }
            fn allocate<BACKEND: Backend>(backend: &BACKEND, n: usize) -> crate::Result<Self::Vecs<BACKEND>> {
                // With `?` after each column, the code would grow with the square of their number.
                let mut error = None;
                #[allow(non_snake_case, reason = "a column has the name of its type")]
                match ($(allocated::<$name, BACKEND>(backend, n, &mut error),)+) {
                    ($(Some($name),)+) => Ok(($($name,)+)),
                    _ => Err(error.expect("an error for a missing column")),
                }
            }
            fn slices(vecs: &mut Self::Vecs<Cpu>) -> Self::Slices<'_> {
                ($(&mut vecs.$index[..],)+)
            }
            const BYTES: usize = 0 $(+ size_of::<$name>())+;
        }

        impl<$($name: Element),+> Slices for ($(&mut [$name],)+) {
            type Row = ($($name,)+);
            fn split_at(self, middle: usize) -> (Self, Self) {
                let halves = ($(self.$index.split_at_mut(middle),)+);
                (($(halves.$index.0,)+), ($(halves.$index.1,)+))
            }
            #[inline(always)]
            fn set(&mut self, i: usize, row: Self::Row) {
                $(self.$index[i] = row.$index;)+
            }
            #[inline(always)]
            fn truncate(self, n: usize) -> Self {
                ($(&mut self.$index[..n],)+)
            }
        }
    };
}

tuple_outputs!(A 0);
tuple_outputs!(A 0, B 1);
tuple_outputs!(A 0, B 1, C 2);
tuple_outputs!(A 0, B 1, C 2, D 3);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_outputs!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
