//! Scatter: writes to places that the data names, from several threads.

#![expect(unsafe_code, reason = "threads write to disjoint places of one slice, which the borrow checker cannot see")]

use crate::device::Element;
use crate::{Error, Result};

/// A slice that threads may write to at once.
struct Shared<T>(*mut T, usize);

// SAFETY: `Shared` is used in this module only, by loops that write each place at most once or, where the caller's
// indices repeat, write it as single words of plain data; nobody reads it meanwhile.
unsafe impl<T: Element> Sync for Shared<T> {}

impl<T: Element> Shared<T> {
    fn write(&self, i: usize, value: T) {
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
    let shared = Shared(target.as_mut_ptr(), target.len());
    share(&shared, indices, values, grain);
    Ok(())
}

fn share<T: Element>(target: &Shared<T>, indices: &[u32], values: &[T], grain: usize) {
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
            if let Some(seen) = seen.get_mut(index as usize) {
                if std::mem::replace(seen, true) {
                    return Err(Error::DuplicateTarget { target: index.into() });
                }
            }
        }
    }
    Ok(())
}
