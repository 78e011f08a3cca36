//! Independent items, each worked on by one thread.

use super::join::join;

/// An item, and then its result.
pub enum Slot<T, R> {
    /// The item.
    Item(T),
    /// Neither: a thread works on the item.
    Busy,
    /// The result.
    Result(R),
}

impl<T, R> Slot<T, R> {
    /// Returns the result of an item that was worked on.
    pub fn result(self) -> R {
        match self {
            Slot::Result(result) => result,
            Slot::Item(_) | Slot::Busy => unreachable!("every item is worked on"),
        }
    }
}

/// Replaces each item by its result.
pub fn run<T: Send, R: Send>(slots: &mut [Slot<T, R>], work: &(impl Fn(T) -> R + Sync)) {
    match slots {
        [] => {}
        [slot] => {
            if let Slot::Item(item) = std::mem::replace(slot, Slot::Busy) {
                *slot = Slot::Result(work(item));
            }
        }
        _ => {
            let (left, right) = slots.split_at_mut(slots.len() / 2);
            join(|| run(left, work), || run(right, work));
        }
    }
}
