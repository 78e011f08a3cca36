//! The operations to measure: treepar's version for any backend, plain sequential code, and their inputs.
//!
//! ```text
//! data     input columns and forests, the same in every run
//! columns  operations on plain columns
//! sorts    operations that sort or group
//! texts    operations of lexing and parsing
//! peers    crates of others for them
//! trees    operations on forests
//! plain    sequential code for operations on forests
//! ```

pub mod columns;
pub mod data;
#[cfg(feature = "peers")]
mod peers;
mod plain;
pub mod sorts;
pub mod texts;
pub mod trees;

use std::collections::{BTreeSet, HashMap};

use treepar::depth::Depths;
use treepar::{Backend, Cpu, Element, Result};

use columns::Brackets;
use data::{Data, Shape};
use sorts::Pair;

/// The resource that limits an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One pass over columns, compared with a copy of the same bytes.
    Pass,
    /// Reads and writes columns in order.
    Memory,
    /// Follows indices or keys.
    Random,
    /// Sorts or groups.
    Sort,
}

/// An operation and the plain code for it.
pub struct Operation<B: Backend> {
    /// The name. If another crate's algorithm replaces the plain code, its name follows a semicolon.
    pub name: &'static str,
    /// The limiting resource.
    pub kind: Kind,
    /// The input's bytes per row.
    pub input: f64,
    /// treepar's version.
    pub ours: Ours<B>,
    /// Plain code that computes the same answer.
    pub plain: Plain,
}

/// treepar's version of an operation.
pub type Ours<B> = fn(&B, &Data<B>) -> Result<Answer<B>>;

/// Plain sequential code for an operation.
pub type Plain = fn(&Data<Cpu>, &mut Scratch);

impl<B: Backend> Operation<B> {
    /// Creates an operation. The tuple is its name, its kind, and the input's bytes per row.
    pub fn new((name, kind, input): (&'static str, Kind, f64), ours: Ours<B>, plain: Plain) -> Operation<B> {
        Operation { name, kind, input, ours, plain }
    }

    /// Returns the bytes that any algorithm must move: `n` rows of input, and the answer. A particular algorithm may
    /// move more, through intermediate columns; a backend counts those.
    pub fn bytes(&self, n: usize, answer: &Rows) -> f64 {
        self.input * n as f64 + answer.bytes() as f64
    }
}

/// An operation to measure.
pub struct Wanted<B: Backend> {
    /// The name, without that of a peer.
    pub name: &'static str,
    /// `true` if its input is a forest.
    pub on_tree: bool,
    /// The operation.
    pub operation: Operation<B>,
}

/// Returns the operations for a shape. Operations on plain columns run only on a program's forest. An operation that
/// occurs again for another peer is returned once.
pub fn distinct<B: Backend>(shape: Shape) -> Vec<Wanted<B>> {
    let plain = if shape == Shape::Program { columns::operations() } else { Vec::new() };
    let plain = plain.into_iter().map(|operation| (false, operation));
    let all = plain.chain(trees::operations().into_iter().map(|operation| (true, operation)));
    let mut names = BTreeSet::new();
    all.map(|(on_tree, operation)| Wanted { name: without_peer(operation.name), on_tree, operation })
        .filter(|wanted| names.insert(wanted.name))
        .collect()
}

/// Returns an operation's name without its peer's.
fn without_peer(name: &'static str) -> &'static str {
    name.split(';').next().unwrap_or(name)
}

/// Memory for plain code. It is kept from run to run, so that only the first run allocates.
#[derive(Default)]
pub struct Scratch {
    /// The answer.
    pub out: Vec<u32>,
    /// The number of rows of `out` that belong to the answer; `None` means all.
    pub rows: Option<usize>,
    /// The answer's second column.
    pub second: Vec<u32>,
    /// The answer's column of bytes.
    pub bytes: Vec<u8>,
    /// The answer's column of 64-bit keys or words.
    pub wide: Vec<u64>,
    /// The answer's column of brackets.
    pub brackets: Vec<Brackets>,
    /// Temporary memory.
    pub spare: Vec<u32>,
    /// More temporary memory.
    pub spare_two: [Vec<u32>; 2],
    /// Pairs to sort.
    pub pairs: Vec<Pair>,
    /// Pairs to sort by 64-bit keys.
    pub wide_pairs: Vec<(u64, u32)>,
    /// The first row of each key.
    pub firsts: HashMap<u64, u32>,
    /// The input's text, for code that reads text; filled in the first run.
    pub text: String,
    /// The input's names, for code that reads text.
    pub names: Vec<String>,
}

impl Scratch {
    /// Allocates memory for `n` rows.
    pub fn new(n: usize) -> Scratch {
        let column = || Vec::with_capacity(n);
        Scratch { out: column(), second: column(), spare: column(), ..Scratch::default() }
    }

    /// Replaces the answer.
    pub fn fill(&mut self, rows: impl Iterator<Item = u32>) {
        self.out.clear();
        self.out.extend(rows);
    }
}

/// The answer's columns on a backend.
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

    /// An answer of one column.
    pub fn column(out: B::Vec<u32>) -> Answer<B> {
        Answer { out: Some(out), ..Answer::NONE }
    }

    /// An answer of two columns.
    pub fn pair((out, second): (B::Vec<u32>, B::Vec<u32>)) -> Answer<B> {
        Answer { out: Some(out), second: Some(second), ..Answer::NONE }
    }

    /// An answer of 64-bit keys and a payload column.
    pub fn wide((wide, out): (B::Vec<u64>, B::Vec<u32>)) -> Answer<B> {
        Answer { out: Some(out), wide: Some(wide), ..Answer::NONE }
    }

    /// An answer of a column of numbers and a column of bytes.
    pub fn with_bytes(out: B::Vec<u32>, bytes: B::Vec<u8>) -> Answer<B> {
        Answer { out: Some(out), bytes: Some(bytes), ..Answer::NONE }
    }

    /// An answer of one column of bytes.
    pub fn bytes(bytes: B::Vec<u8>) -> Answer<B> {
        Answer { bytes: Some(bytes), ..Answer::NONE }
    }

    /// An answer of one column of words.
    pub fn words(wide: B::Vec<u64>) -> Answer<B> {
        Answer { wide: Some(wide), ..Answer::NONE }
    }

    /// An answer of one column of brackets.
    pub fn brackets(brackets: B::Vec<Brackets>) -> Answer<B> {
        Answer { brackets: Some(brackets), ..Answer::NONE }
    }

    /// An answer that is a forest's depths.
    pub fn forest(forest: Depths<B>) -> Answer<B> {
        Answer { forest: Some(forest), ..Answer::NONE }
    }

    /// An answer of a forest's depths and a column.
    pub fn rows_of_forest((forest, second): (Depths<B>, B::Vec<u32>)) -> Answer<B> {
        Answer { second: Some(second), ..Answer::forest(forest) }
    }

    /// An answer that is one number.
    pub fn number(number: u32) -> Answer<B> {
        Answer { number: Some(number), ..Answer::NONE }
    }

    /// Copies the answer to the host.
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

/// An answer's columns on the host.
pub struct Rows {
    out: Option<Vec<u32>>,
    second: Option<Vec<u32>>,
    bytes: Option<Vec<u8>>,
    wide: Option<Vec<u64>>,
    brackets: Option<Vec<Brackets>>,
}

impl Rows {
    /// Returns the bytes of all columns.
    fn bytes(&self) -> usize {
        fn of<T: Element>(column: &Option<Vec<T>>) -> usize {
            column.as_ref().map_or(0, |rows| size_of_val(&rows[..]))
        }
        of(&self.out) + of(&self.second) + of(&self.bytes) + of(&self.wide) + of(&self.brackets)
    }

    /// Returns whether plain code has computed the same answer.
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

    /// Describes the first row that differs from another answer of the same operation.
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

/// Describes the first row in which two columns differ.
pub fn first_difference<T: PartialEq + std::fmt::Debug>(found: &[T], expected: &[T]) -> Option<String> {
    if let Some(row) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
        return Some(format!("row {row} is {:?} instead of {:?}", found[row], expected[row]));
    }
    let (found, expected) = (found.len(), expected.len());
    (found != expected).then(|| format!("{found} rows instead of {expected}"))
}
