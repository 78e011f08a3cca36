//! What is measured: one operation, ours and plain.

use treepar::backend::cpu::CpuVec;
use treepar::{Cpu, Result};

use crate::data::Data;

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
pub struct Operation {
    /// Its name; of a peer, with the peer's.
    pub name: &'static str,
    /// What limits it.
    pub kind: Kind,
    /// Bytes that n rows must move.
    pub bytes: fn(f64) -> f64,
    /// treepar's.
    pub ours: fn(&Cpu, &Data) -> Result<Answer>,
    /// Plain code, which leaves the same answer.
    pub plain: fn(&Data, &mut Scratch),
}

/// Where plain code writes.
pub struct Scratch {
    /// The answer.
    pub out: Vec<u32>,
    /// Its second column.
    pub second: Vec<u32>,
    /// Its column of bytes.
    pub bytes: Vec<u8>,
    /// Its column of wide keys.
    pub wide: Vec<u64>,
    /// Memory between.
    pub spare: Vec<u32>,
    /// Pairs to sort.
    pub pairs: Vec<(u32, u32)>,
}

impl Scratch {
    /// Memory for n rows.
    pub fn new(n: usize) -> Scratch {
        let column = || Vec::with_capacity(n);
        Scratch {
            out: column(),
            second: column(),
            bytes: Vec::new(),
            wide: Vec::new(),
            spare: column(),
            pairs: Vec::new(),
        }
    }
}

/// The columns of an answer.
#[derive(Default)]
pub struct Answer {
    out: Option<CpuVec<u32>>,
    second: Option<CpuVec<u32>>,
    bytes: Option<CpuVec<u8>>,
    wide: Option<CpuVec<u64>>,
    number: Option<u32>,
}

impl From<CpuVec<u32>> for Answer {
    fn from(column: CpuVec<u32>) -> Answer {
        Answer { out: Some(column), ..Answer::default() }
    }
}

impl From<(CpuVec<u32>, CpuVec<u32>)> for Answer {
    fn from((out, second): (CpuVec<u32>, CpuVec<u32>)) -> Answer {
        Answer { out: Some(out), second: Some(second), ..Answer::default() }
    }
}

impl From<(CpuVec<u64>, CpuVec<u32>)> for Answer {
    fn from((wide, out): (CpuVec<u64>, CpuVec<u32>)) -> Answer {
        Answer { out: Some(out), wide: Some(wide), ..Answer::default() }
    }
}

impl From<CpuVec<u8>> for Answer {
    fn from(column: CpuVec<u8>) -> Answer {
        Answer { bytes: Some(column), ..Answer::default() }
    }
}

impl From<u32> for Answer {
    fn from(number: u32) -> Answer {
        Answer { number: Some(number), ..Answer::default() }
    }
}

impl Answer {
    /// Whether plain code has left the same.
    pub fn equals(&self, plain: &Scratch) -> bool {
        fn same<T: treepar::Element>(ours: &Option<CpuVec<T>>, plain: &[T]) -> bool {
            ours.as_ref().is_none_or(|ours| ours[..] == *plain)
        }
        same(&self.out, &plain.out)
            && same(&self.second, &plain.second)
            && same(&self.bytes, &plain.bytes)
            && same(&self.wide, &plain.wide)
            && self.number.is_none_or(|number| plain.out == [number])
    }
}
