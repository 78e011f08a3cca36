//! A limit of the steps of a twin, which is called with inputs that no program has: links that lead back, or a loop without progress.

use std::cell::Cell;

/// The iterations of `while` loops in one call of a twin.
const MOST: u32 = 100_000;

thread_local! {
    /// The iterations that are left; `None` outside a twin.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Calls `twin`, whose `while` loops panic after `MOST` iterations in all.
pub fn limited<R>(twin: impl FnOnce() -> R) -> R {
    struct Unlimited;
    impl Drop for Unlimited {
        fn drop(&mut self) {
            LEFT.set(None);
        }
    }
    LEFT.set(Some(MOST));
    let _unlimited = Unlimited;
    twin()
}

/// Counts an iteration.
///
/// # Panics
/// In a twin that has no iterations left.
#[inline]
pub fn step() {
    if let Some(left) = LEFT.get() {
        LEFT.set(Some(left.checked_sub(1).expect("too many steps")));
    }
}
