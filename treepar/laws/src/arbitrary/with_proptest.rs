//! Makes the types `Arbitrary` of proptest.

use std::marker::PhantomData;

use proptest::arbitrary::Arbitrary;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{Drawn, Forest, MarkedForest, Marks, NumberedForest, Numbers, Rng};

/// The most rows of drawn data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostRows(pub usize);

impl Default for MostRows {
    fn default() -> MostRows {
        MostRows(100)
    }
}

impl From<usize> for MostRows {
    fn from(most: usize) -> MostRows {
        MostRows(most)
    }
}

/// The strategy of a type of this module.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<T> {
    most: usize,
    drawn: PhantomData<T>,
}

/// A drawn value, and the smaller ones that are still to be tried.
pub struct Shrinking<T> {
    current: T,
    /// The smallest value that has failed, and the values to try next.
    failed: T,
    smaller: Option<Box<dyn Iterator<Item = T>>>,
}

impl<T: std::fmt::Debug> std::fmt::Debug for Shrinking<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Shrinking").field(&self.current).finish()
    }
}

impl<T: Drawn> ValueTree for Shrinking<T> {
    type Value = T;

    fn current(&self) -> T {
        self.current.clone()
    }

    /// The current value fails, so that smaller ones are tried.
    fn simplify(&mut self) -> bool {
        self.failed = self.current.clone();
        self.smaller = Some(self.failed.smaller());
        self.complicate()
    }

    /// The current value passes, so that the next one is tried.
    fn complicate(&mut self) -> bool {
        let next = self.smaller.as_mut().and_then(Iterator::next);
        self.current = next.clone().unwrap_or_else(|| self.failed.clone());
        next.is_some()
    }
}

impl<T: Drawn> Strategy for Drawing<T> {
    type Tree = Shrinking<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Drawing<T>> {
        let (n, seed) = (0..=self.most, proptest::num::u64::ANY).new_tree(runner)?.current();
        let value = T::drawn(&mut Rng::new(seed), n);
        Ok(Shrinking { current: value.clone(), failed: value, smaller: None })
    }
}

macro_rules! arbitrary {
    ($($ty:ident)*) => {$(
        impl Arbitrary for $ty {
            type Parameters = MostRows;
            type Strategy = Drawing<$ty>;
            fn arbitrary_with(most: MostRows) -> Drawing<$ty> {
                Drawing { most: most.0, drawn: PhantomData }
            }
        }
    )*};
}
arbitrary!(Forest MarkedForest NumberedForest Marks Numbers);
