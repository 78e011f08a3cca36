//! Scatter: several threads write to the rows that a column of indices names.
//!
//! Two indices may be equal, so two threads may write to one row at the same time. All writes are relaxed atomic
//! stores, which makes the result defined. On common processors such a store is an ordinary one.

#![expect(unsafe_code, reason = "several threads write to one slice, which the borrow checker cannot allow")]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::join::join;
use crate::device::Element;
use crate::{Error, Result};

/// A slice that several threads may write to at the same time.
///
/// A loop has a copy of its own. It would read a borrowed one again after each write.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a, T> {
    first: *mut T,
    rows: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: `write` and `read` are the only accesses through `Shared` and consist of atomic stores and loads. The exclusive borrow
// excludes all other accesses meanwhile. Any mixture of words is a valid element, because elements are plain data.
unsafe impl<T: Element> Sync for Shared<'_, T> {}

/// Returns the size in bytes of the words that an element is written in.
///
/// It is the largest that divides the element's size and that the memory of every column is aligned to.
const fn word_bytes<T>() -> usize {
    let mut bytes = align_of::<u64>();
    while !size_of::<T>().is_multiple_of(bytes) {
        bytes /= 2;
    }
    bytes
}

impl<'a, T: Element> Shared<'a, T> {
    /// Borrows a slice of a column for writing.
    pub(super) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        let first = slice.as_mut_ptr();
        assert!(first.addr().is_multiple_of(word_bytes::<T>()), "a slice is not aligned to its words");
        Shared { first, rows: slice.len(), borrow: PhantomData }
    }

    /// Writes row `i` if the slice has it.
    ///
    /// Concurrent writes of one row leave one of the values, and in an element of several words one value per word.
    #[inline]
    pub(super) fn write(self, i: usize, value: T) {
        if i >= self.rows {
            return;
        }
        // SAFETY: the slice has a row `i`.
        let row = unsafe { self.first.add(i) };
        macro_rules! store {
            ($word:ty, $atomic:ty) => {
                for (k, word) in bytemuck::bytes_of(&value).chunks_exact(size_of::<$word>()).enumerate() {
                    // SAFETY: word `k` is inside row `i`. It is aligned, since the first row is (see `new`) and all
                    // rows are whole words. The slice's exclusive borrow outlives `self`.
                    let slot = unsafe { <$atomic>::from_ptr(row.cast::<$word>().add(k)) };
                    slot.store(bytemuck::pod_read_unaligned(word), Ordering::Relaxed);
                }
            };
        }
        match const { word_bytes::<T>() } {
            8 => store!(u64, AtomicU64),
            4 => store!(u32, AtomicU32),
            2 => store!(u16, AtomicU16),
            _ => store!(u8, AtomicU8),
        }
    }
}

impl Shared<'_, u32> {
    /// Returns row `i`: its first content, or what some thread has written.
    ///
    /// # Panics
    /// Panics if the slice has no such row.
    #[inline]
    pub(super) fn read(self, i: usize) -> u32 {
        assert!(i < self.rows, "row {i} of {}", self.rows);
        // SAFETY: the slice has a row `i`, and its exclusive borrow outlives `self`.
        unsafe { AtomicU32::from_ptr(self.first.add(i)) }.load(Ordering::Relaxed)
    }
}

/// Writes `target[indices[i]] = values[i]` for each index that is inside the target.
pub fn scatter<T: Element>(target: &mut [T], indices: &[u32], values: &[T], grain: usize) -> Result<()> {
    check_targets(target.len(), indices)?;
    if indices.len() <= grain {
        // A row that is skipped goes to a slot of its own: branches would be unpredictable.
        let mut skipped = T::default();
        for (&index, &value) in indices.iter().zip(values) {
            *target.get_mut(index as usize).unwrap_or(&mut skipped) = value;
        }
        return Ok(());
    }
    share(Shared::new(target), indices, values, grain);
    Ok(())
}

fn share<T: Element>(target: Shared<'_, T>, indices: &[u32], values: &[T], grain: usize) {
    if indices.len() <= grain {
        for (&index, &value) in indices.iter().zip(values) {
            target.write(index as usize, value);
        }
        return;
    }
    let middle = indices.len() / 2;
    join(
        || share(target, &indices[..middle], &values[..middle], grain),
        || share(target, &indices[middle..], &values[middle..], grain),
    );
}

/// In debug builds, returns an error if two indices inside the target are equal.
fn check_targets(n: usize, indices: &[u32]) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut seen = vec![false; n];
        for &index in indices {
            if let Some(seen) = seen.get_mut(index as usize)
                && std::mem::replace(seen, true)
            {
                return Err(Error::DuplicateTarget { target: index.into() });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::device;

    #[device]
    struct Three {
        a: u32,
        b: u32,
        c: u32,
    }

    /// Writes `values[i]` to row `i % rows` by two threads, and returns the rows.
    fn written<T: Element>(rows: usize, values: &[T]) -> Vec<T> {
        let mut words = vec![0u64; (rows * size_of::<T>()).div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let target: &mut [T] = bytemuck::cast_slice_mut(&mut bytes[..rows * size_of::<T>()]);
        let indices: Vec<u32> = (0..values.len()).map(|i| (i % rows) as u32).collect();
        let shared = Shared::new(target);
        let (left, right) = values.split_at(values.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| share(shared, &indices[..left.len()], left, usize::MAX));
            scope.spawn(|| share(shared, &indices[left.len()..], right, usize::MAX));
        });
        target.to_vec()
    }

    #[test]
    fn rows_with_one_target_leave_one_of_their_values() {
        fn check<T: Element>(value: impl Fn(u32) -> T) {
            let values: Vec<T> = (0..200).map(value).collect();
            for (row, found) in written(3, &values).into_iter().enumerate() {
                assert!(values.iter().skip(row).step_by(3).any(|&value| value == found), "{found:?} in row {row}");
            }
        }
        check(|i| i as u8);
        check(|i| i as u16);
        check(|i| i);
        check(|i| i as f32);
        check(|i| u64::from(i) << 32 | u64::from(i));
    }

    #[test]
    fn an_element_of_several_words_has_one_value_per_word() {
        let values: Vec<Three> = (0..200).map(|i| Three { a: i, b: i + 1000, c: i + 2000 }).collect();
        for Three { a, b, c } in written(5, &values) {
            assert!(a < 200 && (1000..1200).contains(&b) && (2000..2200).contains(&c), "{a} {b} {c}");
            assert!(a % 5 == b % 5 && b % 5 == c % 5, "{a} {b} {c}");
        }
    }

    #[test]
    fn indices_outside_are_skipped() {
        let mut target = [7u32; 2];
        share(Shared::new(&mut target), &[2, 1, u32::MAX], &[1, 2, 3], 1);
        assert_eq!(target, [7, 2]);
    }
}
