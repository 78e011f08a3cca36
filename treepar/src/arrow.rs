//! Columns from and to Arrow arrays, under the feature `arrow`.
//!
//! Numbers are not copied: the column of an array reads the array's memory, and the array of a column has the column's. So forests live in
//! Parquet files, and passes run between the operators of a query engine that has Arrow's memory format.
//!
//! ```
//! use arrow_array::UInt32Array;
//! use treepar::{arrow, prelude::*};
//!
//! let cpu = Cpu::new();
//! let depth = UInt32Array::from(vec![0, 1, 2, 1]);
//! let forest = Depths::new(arrow::column(&cpu, &depth)?)?;
//! let sizes: UInt32Array = arrow::array(forest.subtree_sizes()?);
//! assert_eq!(sizes.values()[..], [4, 2, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! Only the [`Cpu`] has columns in the host's memory. For a GPU, upload `array.values()`.

use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BinaryArray, GenericByteArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, OffsetBuffer, ScalarBuffer};

use crate::backend::cpu::CpuVec;
use crate::device::device;
use crate::text::{self, Strings};
use crate::{Backend, Cpu, Element, Error, Result};

/// A number that columns and Arrow arrays have.
pub trait ArrowElement: Element + ArrowNativeType {
    /// Arrow's type of the number.
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

macro_rules! arrow_elements {
    ($($ty:ty: $arrow:ty),*) => { $(impl ArrowElement for $ty { type Arrow = $arrow; })* };
}
arrow_elements! {
    u8: UInt8Type, u16: UInt16Type, u32: UInt32Type, u64: UInt64Type,
    i8: Int8Type, i16: Int16Type, i32: Int32Type, i64: Int64Type,
    f32: Float32Type, f64: Float64Type
}

/// Returns the column of an array of numbers, dates or times. It reads the array's memory, which it copies only if something is written
/// to the column.
///
/// # Shape    array\[n\] -> column\[n\]
/// # Cost     constant
/// # Errors   [`Nulls`](crate::Error::Nulls) if the array has nulls
/// # Example
/// ```
/// use arrow_array::Int64Array;
/// use treepar::{Cpu, arrow};
/// let array = Int64Array::from(vec![7, -8, 9]);
/// let column = arrow::column(&Cpu::new(), &array.slice(1, 2))?;
/// assert_eq!((&column[..], column.as_ptr()), (&[-8, 9][..], &raw const array.values()[1]));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn column<T: ArrowPrimitiveType<Native: Element>>(
    cpu: &Cpu,
    array: &PrimitiveArray<T>,
) -> Result<CpuVec<T::Native>> {
    without_nulls(array)?;
    Ok(CpuVec::shared(cpu, array.values().inner().clone()))
}

/// Returns the array of a column, with the column's memory.
///
/// # Shape    column\[n\] -> array\[n\]
/// # Cost     constant
/// # Example
/// ```
/// use treepar::{Backend, Cpu, arrow};
/// let column = Cpu::new().upload(&[1.5f32, 2.5])?;
/// let memory = column.as_ptr();
/// let array = arrow::array(column);
/// assert_eq!((&array.values()[..], array.values().as_ptr()), (&[1.5, 2.5][..], memory));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn array<T: ArrowElement>(column: CpuVec<T>) -> PrimitiveArray<T::Arrow> {
    let n = column.len();
    PrimitiveArray::new(ScalarBuffer::new(column.into_buffer(), 0, n), None)
}

#[device(map)]
fn offset(i: usize, offsets: &[i32]) -> u32 {
    offsets[i] as u32
}

/// Returns the strings of an array of texts or of bytes. The bytes are copied, since the text of [`Strings`] ends with zeros.
///
/// # Shape    array\[n\] of together m bytes -> strings\[n\]
/// # Cost     work O(n + m), a copy and two maps
/// # Errors   [`Nulls`](crate::Error::Nulls) if the array has nulls
/// # Example
/// ```
/// use arrow_array::StringArray;
/// use treepar::{Cpu, arrow};
/// let names = arrow::strings(&Cpu::new(), &StringArray::from(vec!["fn", "add", "fn"]))?;
/// assert_eq!(names.intern()?[..], [0, 1, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn strings<T: ByteArrayType<Offset = i32>>(cpu: &Cpu, array: &GenericByteArray<T>) -> Result<Strings<Cpu>> {
    without_nulls(array)?;
    // The offsets of a slice begin after 0, and the bytes are those of the whole array.
    let (n, offsets) = (array.len(), array.offsets().inner());
    let all = offsets[n] as usize;
    let text = text::upload(cpu, &array.values()[..all])?;
    let of = |from: usize| CpuVec::<i32>::shared(cpu, offsets.slice(from, n).into_inner());
    let (begin, end) = (cpu.map(offset::of(&of(0)))?, cpu.map(offset::of(&of(1)))?);
    Strings::new(text, begin, end)
}

/// Returns the array of strings: `StringArray::try_from_binary` of it checks that they are UTF-8.
///
/// # Shape    strings\[n\] of together m bytes -> array\[n\]
/// # Cost     as [`Strings::packed`]; only the offsets are copied once more
/// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if an `i32` cannot number the bytes
/// # Example
/// ```
/// use arrow_array::StringArray;
/// use treepar::{Cpu, arrow, text::Strings};
/// let strings = Strings::upload(&Cpu::new(), ["fn", "", "add"])?;
/// let array = StringArray::try_from_binary(arrow::byte_array(&strings)?).expect("UTF-8");
/// assert_eq!(array, StringArray::from(vec!["fn", "", "add"]));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn byte_array(strings: &Strings<Cpu>) -> Result<BinaryArray> {
    let packed = strings.packed()?;
    let bytes = packed.end().last().copied().unwrap_or(0);
    let limit = i32::MAX as u32;
    if bytes > limit {
        return Err(Error::TooManyRows { array: "text", found: bytes.into(), limit: limit.into() });
    }
    // Offsets rise, and none is above the last.
    let offsets = std::iter::once(0).chain(packed.end().iter().map(|&end| end as i32)).collect();
    let values = packed.into_text()?.into_buffer().slice_with_length(0, bytes as usize);
    Ok(BinaryArray::new(OffsetBuffer::new(offsets), values, None))
}

fn without_nulls(array: &impl Array) -> Result<()> {
    match array.null_count() {
        0 => Ok(()),
        nulls => Err(Error::Nulls { nulls }),
    }
}
