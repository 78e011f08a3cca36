//! Columns to group by, of any number.

use super::WithBits;
use crate::device::device;
use crate::monoid::Number;
use crate::{Backend, Column, Result};

/// A column of numbers to group by: `KeyColumn::from(&column)`.
///
/// Floats are equal where their bits are, and ordered as [`f32::total_cmp`] and [`f64::total_cmp`] order them: -0.0 before 0.0.
pub enum KeyColumn<'a, B: Backend> {
    /// Bytes.
    U8(&'a B::Vec<u8>),
    /// Numbers of 16 bits.
    U16(&'a B::Vec<u16>),
    /// Numbers of 32 bits.
    U32(&'a B::Vec<u32>),
    /// Numbers of 64 bits.
    U64(&'a B::Vec<u64>),
    /// Signed bytes.
    I8(&'a B::Vec<i8>),
    /// Signed numbers of 16 bits.
    I16(&'a B::Vec<i16>),
    /// Signed numbers of 32 bits.
    I32(&'a B::Vec<i32>),
    /// Signed numbers of 64 bits.
    I64(&'a B::Vec<i64>),
    /// Floats.
    F32(&'a B::Vec<f32>),
    /// Floats of double precision.
    F64(&'a B::Vec<f64>),
}

/// A number whose columns can be grouped by.
pub trait KeyElement: Number {
    /// The column as a [`KeyColumn`].
    fn key_column<B: Backend>(column: &B::Vec<Self>) -> KeyColumn<'_, B>;
}

macro_rules! key_elements {
    ($($ty:ident $variant:ident;)*) => {
        $(impl KeyElement for $ty {
            fn key_column<B: Backend>(column: &B::Vec<$ty>) -> KeyColumn<'_, B> {
                KeyColumn::$variant(column)
            }
        })*

        impl<B: Backend> KeyColumn<'_, B> {
            /// Returns the number of rows.
            pub fn len(&self) -> usize {
                match self {
                    $(KeyColumn::$variant(column) => column.len(),)*
                }
            }

            /// Returns whether there is no row.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            pub(super) fn backend(&self) -> &B {
                match self {
                    $(KeyColumn::$variant(column) => column.backend(),)*
                }
            }
        }
    };
}

key_elements! {
    u8 U8;
    u16 U16;
    u32 U32;
    u64 U64;
    i8 I8;
    i16 I16;
    i32 I32;
    i64 I64;
    f32 F32;
    f64 F64;
}

impl<'a, V: Column<Element: KeyElement>> From<&'a V> for KeyColumn<'a, V::Backend> {
    fn from(column: &'a V) -> KeyColumn<'a, V::Backend> {
        V::Element::key_column(column.as_vec())
    }
}

impl<B: Backend> KeyColumn<'_, B> {
    /// Runs `work` on unsigned numbers that are in the order of the keys, and equal where these are.
    pub(super) fn with_bits(&self, work: &mut impl WithBits<B>) -> Result<()> {
        let backend = self.backend();
        match self {
            KeyColumn::U32(column) => work.call::<u32>(column),
            KeyColumn::U64(column) => work.call::<u64>(column),
            KeyColumn::U8(column) => work.call(&backend.map(bits_of_u8::of(*column))?),
            KeyColumn::U16(column) => work.call(&backend.map(bits_of_u16::of(*column))?),
            KeyColumn::I8(column) => work.call(&backend.map(bits_of_i8::of(*column))?),
            KeyColumn::I16(column) => work.call(&backend.map(bits_of_i16::of(*column))?),
            KeyColumn::I32(column) => work.call(&backend.map(bits_of_i32::of(*column))?),
            KeyColumn::I64(column) => work.call(&backend.map(bits_of_i64::of(*column))?),
            KeyColumn::F32(column) => work.call(&backend.map(bits_of_f32::of(*column))?),
            KeyColumn::F64(column) => work.call(&backend.map(bits_of_f64::of(*column))?),
        }
    }
}

#[device(map)]
fn bits_of_u8(i: usize, column: &[u8]) -> u32 {
    column[i] as u32
}

#[device(map)]
fn bits_of_u16(i: usize, column: &[u16]) -> u32 {
    column[i] as u32
}

// The keys of narrow numbers are small, so that a sort by them takes few digits.
#[device(map)]
fn bits_of_i8(i: usize, column: &[i8]) -> u32 {
    (column[i] as u8 ^ 0x80) as u32
}

#[device(map)]
fn bits_of_i16(i: usize, column: &[i16]) -> u32 {
    (column[i] as u16 ^ 0x8000) as u32
}

#[device(map)]
fn bits_of_i32(i: usize, column: &[i32]) -> u32 {
    column[i] as u32 ^ 0x8000_0000
}

#[device(map)]
fn bits_of_i64(i: usize, column: &[i64]) -> u64 {
    column[i] as u64 ^ 0x8000_0000_0000_0000
}

/// Negative floats in reverse, below all others.
#[device(map)]
fn bits_of_f32(i: usize, column: &[f32]) -> u32 {
    let bits = column[i].to_bits();
    if bits >= 0x8000_0000 { !bits } else { bits | 0x8000_0000 }
}

/// As for `f32`.
#[device(map)]
fn bits_of_f64(i: usize, column: &[f64]) -> u64 {
    let bits = column[i].to_bits();
    if bits >= 0x8000_0000_0000_0000 { !bits } else { bits | 0x8000_0000_0000_0000 }
}
