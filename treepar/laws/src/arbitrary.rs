//! Generators of data for the crates quickcheck and proptest: forests, marks and numbers of the kinds that laws draw.
//!
//! The features `quickcheck` and `proptest` make the types of this module `Arbitrary` of either crate. With quickcheck:
//!
//! ```
//! # #[cfg(feature = "quickcheck")] {
//! use quickcheck::quickcheck;
//! use treepar::prelude::*;
//! use treepar_laws::arbitrary::Forest;
//!
//! fn sizes_end_at_ends(forest: Forest) -> bool {
//!     let cpu = Cpu::new();
//!     let forest = Depths::new(cpu.upload(&forest.depths).unwrap()).unwrap();
//!     let (sizes, ends) = (forest.subtree_sizes().unwrap(), forest.ends().unwrap());
//!     (0..).zip(sizes.iter().zip(&ends[..])).all(|(i, (size, end))| i + size == *end)
//! }
//!
//! quickcheck(sizes_end_at_ends as fn(Forest) -> bool);
//! # }
//! ```
//!
//! With proptest, where the parameter is the most rows:
//!
//! ```
//! # #[cfg(feature = "proptest")] {
//! use proptest::prelude::*;
//! use treepar_laws::arbitrary::MarkedForest;
//!
//! proptest!(|(forest in any::<MarkedForest>(), small in any_with::<MarkedForest>(8.into()))| {
//!     prop_assert_eq!(forest.depths.len(), forest.marks.len());
//!     prop_assert!(small.depths.len() <= 8);
//! });
//! # }
//! ```
//!
//! A failing value is shrunk: a forest by whole subtrees and by single nodes, marks and numbers by rows and by values.

use crate::drawn::Rng;
use crate::oracle;

/// The depths of a forest in preorder, of the difficult shapes that laws draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forest {
    /// The depth of each node.
    pub depths: Vec<u32>,
}

/// A forest with a mark per node; 0 is not marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedForest {
    /// The depth of each node.
    pub depths: Vec<u32>,
    /// The mark of each node.
    pub marks: Vec<u8>,
}

/// A forest with a number per node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedForest {
    /// The depth of each node.
    pub depths: Vec<u32>,
    /// The number of each node.
    pub numbers: Vec<u32>,
}

/// Marks, of which none, few, half or all are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks(pub Vec<u8>);

/// Numbers below a limit, which is small, large, or of 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(pub Vec<u32>);

/// Data that generators draw and shrink.
trait Drawn: Clone + std::fmt::Debug + 'static {
    /// Draws data of `n` rows.
    fn drawn(rng: &mut Rng, n: usize) -> Self;
    /// Returns smaller data. A chain of them ends.
    fn smaller(&self) -> Box<dyn Iterator<Item = Self>>;
}

impl Drawn for Forest {
    fn drawn(rng: &mut Rng, n: usize) -> Forest {
        Forest { depths: rng.forest(n) }
    }
    fn smaller(&self) -> Box<dyn Iterator<Item = Forest>> {
        Box::new(smaller_forests(&self.depths).into_iter().map(|(_, depths)| Forest { depths }))
    }
}

impl Drawn for MarkedForest {
    fn drawn(rng: &mut Rng, n: usize) -> MarkedForest {
        MarkedForest { depths: rng.forest(n), marks: rng.mask(n) }
    }
    fn smaller(&self) -> Box<dyn Iterator<Item = MarkedForest>> {
        let (depths, marks) = (self.depths.clone(), self.marks.clone());
        let fewer_marks = fewer_marks(&marks).map(move |marks| MarkedForest { depths: depths.clone(), marks });
        let fewer_nodes = smaller_forests(&self.depths)
            .into_iter()
            .map(move |(rows, depths)| MarkedForest { depths, marks: rows.iter().map(|&i| marks[i]).collect() });
        Box::new(fewer_nodes.chain(fewer_marks))
    }
}

impl Drawn for NumberedForest {
    fn drawn(rng: &mut Rng, n: usize) -> NumberedForest {
        NumberedForest { depths: rng.forest(n), numbers: rng.column(n) }
    }
    fn smaller(&self) -> Box<dyn Iterator<Item = NumberedForest>> {
        let (depths, numbers) = (self.depths.clone(), self.numbers.clone());
        let smaller = smaller_numbers(&numbers).map(move |numbers| NumberedForest { depths: depths.clone(), numbers });
        let fewer = smaller_forests(&self.depths)
            .into_iter()
            .map(move |(rows, depths)| NumberedForest { depths, numbers: rows.iter().map(|&i| numbers[i]).collect() });
        Box::new(fewer.chain(smaller))
    }
}

impl Drawn for Marks {
    fn drawn(rng: &mut Rng, n: usize) -> Marks {
        Marks(rng.mask(n))
    }
    fn smaller(&self) -> Box<dyn Iterator<Item = Marks>> {
        Box::new(fewer_rows(&self.0).chain(fewer_marks(&self.0)).map(Marks))
    }
}

impl Drawn for Numbers {
    fn drawn(rng: &mut Rng, n: usize) -> Numbers {
        Numbers(rng.column(n))
    }
    fn smaller(&self) -> Box<dyn Iterator<Item = Numbers>> {
        Box::new(fewer_rows(&self.0).chain(smaller_numbers(&self.0)).map(Numbers))
    }
}

/// Returns the rows that smaller forests keep, and whether their first node lends its depth to the others: forests without
/// one half, without a subtree, and with the children of a node in its stead.
fn smaller_forests(depths: &[u32]) -> Vec<(Vec<usize>, Vec<u32>)> {
    let n = depths.len();
    let ends = oracle::ends(depths);
    let kept = |keep: &dyn Fn(usize) -> bool, up: &dyn Fn(usize) -> bool| {
        let rows: Vec<usize> = (0..n).filter(|&i| keep(i)).collect();
        let depths = rows.iter().map(|&i| depths[i] - u32::from(up(i))).collect();
        (rows, depths)
    };
    let mut found = vec![kept(&|i| i < n / 2, &|_| false)];
    for (node, &end) in ends.iter().enumerate() {
        let end = end as usize;
        found.push(kept(&|i| i < node || i >= end, &|_| false));
        if end > node + 1 {
            found.push(kept(&|i| i != node, &|i| i > node && i < end));
        }
    }
    found.retain(|(rows, _)| rows.len() < n);
    found
}

/// Returns the rows without one half, and without one row.
fn fewer_rows<T: Clone + 'static>(rows: &[T]) -> impl Iterator<Item = Vec<T>> + use<T> {
    let (n, rows) = (rows.len(), rows.to_vec());
    let halves = [0..n / 2, n / 2..n].into_iter().filter(move |half| half.len() < n);
    let ones = (0..n).map(|i| i..i + 1);
    halves.chain(ones).map(move |without| [&rows[..without.start], &rows[without.end..]].concat())
}

/// Returns the marks with one less.
fn fewer_marks(marks: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
    let marks = marks.to_vec();
    let marked: Vec<usize> = (0..marks.len()).filter(|&i| marks[i] != 0).collect();
    marked.into_iter().map(move |i| {
        let mut fewer = marks.clone();
        fewer[i] = 0;
        fewer
    })
}

/// Returns the numbers with a smaller one.
fn smaller_numbers(numbers: &[u32]) -> impl Iterator<Item = Vec<u32>> + use<> {
    let numbers = numbers.to_vec();
    let smaller: Vec<(usize, u32)> = numbers
        .iter()
        .enumerate()
        .flat_map(|(i, &number)| [0, number / 2, number.saturating_sub(1)].map(|smaller| (i, smaller)))
        .filter(|&(i, smaller)| smaller < numbers[i])
        .collect();
    smaller.into_iter().map(move |(i, number)| {
        let mut smaller = numbers.clone();
        smaller[i] = number;
        smaller
    })
}

/// Makes the types `Arbitrary` of quickcheck.
#[cfg(feature = "quickcheck")]
mod with_quickcheck {
    use quickcheck::{Arbitrary, Gen};

    use super::{Drawn, Forest, MarkedForest, Marks, NumberedForest, Numbers, Rng};

    macro_rules! arbitrary {
        ($($ty:ident)*) => {$(
            impl Arbitrary for $ty {
                fn arbitrary(source: &mut Gen) -> $ty {
                    let n = usize::arbitrary(source) % (source.size() + 1);
                    $ty::drawn(&mut Rng::new(u64::arbitrary(source)), n)
                }
                fn shrink(&self) -> Box<dyn Iterator<Item = $ty>> {
                    self.smaller()
                }
            }
        )*};
    }
    arbitrary!(Forest MarkedForest NumberedForest Marks Numbers);
}

#[cfg(feature = "proptest")]
mod with_proptest;
#[cfg(feature = "proptest")]
pub use with_proptest::{Drawing, MostRows, Shrinking};
