//! Scatter: writes to places that the data names, from several threads.

#![expect(unsafe_code, reason = "threads write to disjoint places of one slice, which the borrow checker cannot see")]

use std::marker::PhantomData;

use crate::device::Element;
use crate::{Error, Result};

/// A slice that threads may write to at once.
pub(super) struct Shared<'a, T>(*mut T, usize, PhantomData<&'a mut [T]>);

// SAFETY: nobody reads through `Shared`, and its users (here and in `sort`) write each place at most once, but for a
// scatter whose indices repeat: that is excluded by `check_targets`, or else the caller's fault, who gets either
// value; elements are plain data without padding, whose every bit pattern is valid.
unsafe impl<T: Element> Sync for Shared<'_, T> {}

impl<'a, T: Element> Shared<'a, T> {
    /// Borrows a slice for writing.
    pub(super) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared(slice.as_mut_ptr(), slice.len(), PhantomData)
    }

    /// Writes row `i`, if there is one.
    #[inline]
    pub(super) fn write(&self, i: usize, value: T) {
        if i < self.1 {
            // SAFETY: `i` is inside the slice that `self` was made of, whose exclusive borrow outlives `self`.
            unsafe { self.0.add(i).write(value) }
        }
    }
}

/// `target[indices[i]] = values[i]` where that lies inside.
pub fn scatter<T: Element>(target: &mut [T], indices: &[u32], values: &[T], grain: usize) -> Result<()> {
    check_targets(target.len(), indices)?;
    if indices.len() <= grain {
        for (&index, &value) in indices.iter().zip(values) {
            if let Some(slot) = target.get_mut(index as usize) {
                *slot = value;
            }
        }
        return Ok(());
    }
    let shared = Shared::new(target);
    share(&shared, indices, values, grain);
    Ok(())
}

fn share<T: Element>(target: &Shared<'_, T>, indices: &[u32], values: &[T], grain: usize) {
    if indices.len() <= grain {
        for (&index, &value) in indices.iter().zip(values) {
            target.write(index as usize, value);
        }
        return;
    }
    let middle = indices.len() / 2;
    rayon::join(
        || share(target, &indices[..middle], &values[..middle], grain),
        || share(target, &indices[middle..], &values[middle..], grain),
    );
}

/// In debug builds: no two indices inside the target are one.
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
