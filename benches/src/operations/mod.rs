//! What is measured: operations, ours on any backend and plain, with their inputs.
//!
//! ```text
//! data     columns and forests, always the same
//! columns  operations on plain columns
//! sorts    of them those that sort or group
//! trees    operations on forests
//! plain    and the plain code for those
//! ```

pub mod columns;
pub mod data;
mod plain;
pub mod sorts;
pub mod trees;

use treepar::depth::Depths;
use treepar::{Backend, Cpu, Element, Result};

use columns::Brackets;
use data::Data;
use sorts::Pair;

/// What limits an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pass over columns: measured against a copy of the same bytes.
    Pass,
    /// Reads and writes columns in order.
    Memory,
    /// Follows indices or keys.
    Random,
    /// Sorts.
    Sort,
}

/// An operation with its plain counterpart.
pub struct Operation<B: Backend> {
    /// Its name; of a peer, with the peer's.
    pub name: &'static str,
    /// What limits it.
    pub kind: Kind,
    /// Bytes of its input for each row.
    pub input: f64,
    /// treepar's.
    pub ours: Ours<B>,
    /// Plain code, which leaves the same answer.
    pub plain: Plain,
}

/// Of treepar.
pub type Ours<B> = fn(&B, &Data<B>) -> Result<Answer<B>>;

/// Of nothing but loops.
pub type Plain = fn(&Data<Cpu>, &mut Scratch);

impl<B: Backend> Operation<B> {
    /// From its name, its kind and the bytes of its input for each row.
    pub fn new((name, kind, input): (&'static str, Kind, f64), ours: Ours<B>, plain: Plain) -> Operation<B> {
        Operation { name, kind, input, ours, plain }
    }

    /// Bytes that must move: all of n rows of input once, and of the answer. What the algorithm at hand moves is more
    /// where it has columns between; that is what a backend counts.
    pub fn bytes(&self, n: usize, answer: &Rows) -> f64 {
        self.input * n as f64 + answer.bytes() as f64
    }
}

/// Where plain code writes: what it needs is kept from run to run, so that none meets fresh memory but the first.
#[derive(Default)]
pub struct Scratch {
    /// The answer.
    pub out: Vec<u32>,
    /// How many rows of `out` are the answer, where not all.
    pub rows: Option<usize>,
    /// Its second column.
    pub second: Vec<u32>,
    /// Its column of bytes.
    pub bytes: Vec<u8>,
    /// Its column of wide keys.
    pub wide: Vec<u64>,
    /// Its column of brackets.
    pub brackets: Vec<Brackets>,
    /// Memory between.
    pub spare: Vec<u32>,
    /// More of it.
    pub spare_two: [Vec<u32>; 2],
    /// Pairs to sort.
    pub pairs: Vec<Pair>,
    /// Pairs to sort by wide keys.
    pub wide_pairs: Vec<(u64, u32)>,
}

impl Scratch {
    /// Memory for n rows.
    pub fn new(n: usize) -> Scratch {
        let column = || Vec::with_capacity(n);
        Scratch { out: column(), second: column(), spare: column(), ..Scratch::default() }
    }

    /// Makes some rows the answer.
    pub fn fill(&mut self, rows: impl Iterator<Item = u32>) {
        self.out.clear();
        self.out.extend(rows);
    }
}

/// The columns of an answer.
pub struct Answer<B: Backend> {
    out: Option<B::Vec<u32>>,
    second: Option<B::Vec<u32>>,
    bytes: Option<B::Vec<u8>>,
    wide: Option<B::Vec<u64>>,
    brackets: Option<B::Vec<Brackets>>,
    forest: Option<Depths<B>>,
    number: Option<u32>,
}

impl<B: Backend> Answer<B> {
    const NONE: Answer<B> =
        Answer { out: None, second: None, bytes: None, wide: None, brackets: None, forest: None, number: None };

    /// One column.
    pub fn column(out: B::Vec<u32>) -> Answer<B> {
        Answer { out: Some(out), ..Answer::NONE }
    }

    /// Two columns.
    pub fn pair((out, second): (B::Vec<u32>, B::Vec<u32>)) -> Answer<B> {
        Answer { out: Some(out), second: Some(second), ..Answer::NONE }
    }

    /// Wide keys, and a column that goes with them.
    pub fn wide((wide, out): (B::Vec<u64>, B::Vec<u32>)) -> Answer<B> {
        Answer { out: Some(out), wide: Some(wide), ..Answer::NONE }
    }

    /// One column of bytes.
    pub fn bytes(bytes: B::Vec<u8>) -> Answer<B> {
        Answer { bytes: Some(bytes), ..Answer::NONE }
    }

    /// One column of brackets.
    pub fn brackets(brackets: B::Vec<Brackets>) -> Answer<B> {
        Answer { brackets: Some(brackets), ..Answer::NONE }
    }

    /// The depths of a forest.
    pub fn forest(forest: Depths<B>) -> Answer<B> {
        Answer { forest: Some(forest), ..Answer::NONE }
    }

    /// A number.
    pub fn number(number: u32) -> Answer<B> {
        Answer { number: Some(number), ..Answer::NONE }
    }

    /// What it says, on the host.
    pub fn download(&self, backend: &B) -> Result<Rows> {
        fn rows<T: Element, B: Backend>(backend: &B, column: &Option<B::Vec<T>>) -> Result<Option<Vec<T>>> {
            column.as_ref().map(|column| backend.download(column)).transpose()
        }
        Ok(Rows {
            out: match (self.number, &self.forest) {
                (Some(number), _) => Some(vec![number]),
                (None, Some(forest)) => Some(backend.download(forest.depths())?),
                (None, None) => rows(backend, &self.out)?,
            },
            second: rows(backend, &self.second)?,
            bytes: rows(backend, &self.bytes)?,
            wide: rows(backend, &self.wide)?,
            brackets: rows(backend, &self.brackets)?,
        })
    }
}

/// An answer on the host.
pub struct Rows {
    out: Option<Vec<u32>>,
    second: Option<Vec<u32>>,
    bytes: Option<Vec<u8>>,
    wide: Option<Vec<u64>>,
    brackets: Option<Vec<Brackets>>,
}

impl Rows {
    /// Bytes of all columns.
    fn bytes(&self) -> usize {
        fn of<T: Element>(column: &Option<Vec<T>>) -> usize {
            column.as_ref().map_or(0, |rows| size_of_val(&rows[..]))
        }
        of(&self.out) + of(&self.second) + of(&self.bytes) + of(&self.wide) + of(&self.brackets)
    }

    /// Whether plain code has left the same.
    pub fn equals(&self, plain: &Scratch) -> bool {
        fn same<T: Element>(ours: &Option<Vec<T>>, plain: &[T]) -> bool {
            ours.as_ref().is_none_or(|ours| ours[..] == *plain)
        }
        same(&self.out, &plain.out[..plain.rows.unwrap_or(plain.out.len())])
            && same(&self.second, &plain.second)
            && same(&self.bytes, &plain.bytes)
            && same(&self.wide, &plain.wide)
            && same(&self.brackets, &plain.brackets)
    }

    /// The first row in which it differs from another answer of the operation, in words.
    pub fn difference(&self, expected: &Rows) -> Option<String> {
        fn one<T: Element>(name: &str, found: &Option<Vec<T>>, expected: &Option<Vec<T>>) -> Option<String> {
            let (found, expected) = (found.as_ref()?, expected.as_ref()?);
            first_difference(found, expected).map(|difference| format!("{name}{difference}"))
        }
        one("", &self.out, &expected.out)
            .or_else(|| one("second column, ", &self.second, &expected.second))
            .or_else(|| one("", &self.bytes, &expected.bytes))
            .or_else(|| one("keys, ", &self.wide, &expected.wide))
            .or_else(|| one("", &self.brackets, &expected.brackets))
    }
}

/// The first row in which two columns differ, in words.
pub fn first_difference<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) -> Option<String> {
    if let Some(row) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
        return Some(format!("row {row} is {:?} instead of {:?}", found[row], expected[row]));
    }
    let (found, expected) = (found.len(), expected.len());
    (found != expected).then(|| format!("{found} rows instead of {expected}"))
}
