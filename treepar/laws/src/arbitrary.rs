//! Generators of data for the crate [`quickcheck`]: forests, marks and numbers of the kinds that laws draw.
//!
//! ```
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
//! ```
//!
//! A failing value is shrunk: a forest by whole subtrees and by single nodes, marks and numbers by rows and by values.

use quickcheck::{Arbitrary, Gen};

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

/// Returns a generator of laws and a number of rows, up to the size of `source`.
fn drawn(source: &mut Gen) -> (Rng, usize) {
    let n = usize::arbitrary(source) % (source.size() + 1);
    (Rng::new(u64::arbitrary(source)), n)
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

impl Arbitrary for Forest {
    fn arbitrary(source: &mut Gen) -> Forest {
        let (mut rng, n) = drawn(source);
        Forest { depths: rng.forest(n) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Forest>> {
        Box::new(smaller_forests(&self.depths).into_iter().map(|(_, depths)| Forest { depths }))
    }
}

impl Arbitrary for MarkedForest {
    fn arbitrary(source: &mut Gen) -> MarkedForest {
        let (mut rng, n) = drawn(source);
        MarkedForest { depths: rng.forest(n), marks: rng.mask(n) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = MarkedForest>> {
        let (depths, marks) = (self.depths.clone(), self.marks.clone());
        let fewer_marks = smaller_marks(&marks).map(move |marks| MarkedForest { depths: depths.clone(), marks });
        let forests = smaller_forests(&self.depths).into_iter();
        let fewer_nodes =
            forests.map(move |(rows, depths)| MarkedForest { depths, marks: rows.iter().map(|&i| marks[i]).collect() });
        Box::new(fewer_nodes.chain(fewer_marks))
    }
}

impl Arbitrary for NumberedForest {
    fn arbitrary(source: &mut Gen) -> NumberedForest {
        let (mut rng, n) = drawn(source);
        NumberedForest { depths: rng.forest(n), numbers: rng.column(n) }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = NumberedForest>> {
        let (depths, numbers) = (self.depths.clone(), self.numbers.clone());
        let smaller = smaller_numbers(&numbers).map(move |numbers| NumberedForest { depths: depths.clone(), numbers });
        let forests = smaller_forests(&self.depths).into_iter();
        let fewer = forests.map(move |(rows, depths)| {
            let numbers = rows.iter().map(|&i| numbers[i]).collect();
            NumberedForest { depths, numbers }
        });
        Box::new(fewer.chain(smaller))
    }
}

/// Returns the marks with one row less.
fn smaller_marks(marks: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
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
    let smaller: Vec<(usize, u32)> =
        (0..numbers.len()).flat_map(|i| numbers[i].shrink().take(3).map(move |number| (i, number))).collect();
    smaller.into_iter().map(move |(i, number)| {
        let mut smaller = numbers.clone();
        smaller[i] = number;
        smaller
    })
}

impl Arbitrary for Marks {
    fn arbitrary(source: &mut Gen) -> Marks {
        let (mut rng, n) = drawn(source);
        Marks(rng.mask(n))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Marks>> {
        Box::new(self.0.shrink().map(Marks))
    }
}

impl Arbitrary for Numbers {
    fn arbitrary(source: &mut Gen) -> Numbers {
        let (mut rng, n) = drawn(source);
        Numbers(rng.column(n))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Numbers>> {
        Box::new(self.0.shrink().map(Numbers))
    }
}
