//! The laws of treepar: each operation against the plainest correct sequential code.
//!
//! A [`Law`] holds for any backend. treepar's own tests check all of them on each available backend, at lengths around
//! the edges of warps, blocks and tiles, on shapes that are hard; whoever writes a backend does the same:
//!
//! ```
//! use treepar::Cpu;
//! use treepar_laws::{Law, Plan, laws};
//!
//! let cpu = Cpu::with_threads(2);
//! let plan = Plan { cases: 2, longest: 300 };
//! let all: Vec<Law<Cpu>> = laws();
//! let run: u64 = all.iter().map(|law| law.check(&cpu, plan).unwrap()).sum();
//! assert_eq!(run, 2 * all.len() as u64);
//! ```
//!
//! A failure names the law and a case, `seed:n`, as small as shrinking could make it; [`Law::case`] runs that one.

mod ancestors;
mod dead;
pub mod drawn;
mod forests;
mod hostile;
mod keys;
mod masks;
mod monoids;
pub mod oracle;
mod paths;
mod templates;
mod walks;

use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "cuda")]
treepar::device::precompiled!("../ptx/units.bin");

use drawn::{Case, Rng};
use treepar::{Backend, Element, Result};

/// A property of an operation on any backend.
pub struct Law<B> {
    /// The law's name.
    pub name: &'static str,
    /// Panics where it does not hold for data drawn by the generator, of n rows.
    pub holds: fn(&B, &mut Rng, usize),
    /// Rows beyond which its oracle takes too long.
    pub longest: usize,
}

/// How many cases, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Cases of each law.
    pub cases: u64,
    /// Rows of the longest.
    pub longest: usize,
}

impl<B: Backend> Law<B> {
    /// The cases of a plan, always the same: the first go through the lengths, longest first.
    pub fn cases(&self, plan: Plan) -> Vec<Case> {
        let longest = plan.longest.min(self.longest);
        let mut seeds = Rng(0x7265_6573);
        (0..plan.cases).map(|k| Case::drawn(&mut seeds, k, longest)).collect()
    }

    /// Checks drawn cases, none of which is discarded. Returns their number, or the failure of the smallest case.
    pub fn check(&self, backend: &B, plan: Plan) -> std::result::Result<u64, String> {
        for case in self.cases(plan) {
            if let Err(wrong) = self.case(backend, &case) {
                let (case, wrong) = self.shrunk(backend, case, wrong, &|| true);
                return Err(format!("law {} fails for {}:{}: {wrong}", self.name, case.seed, case.n));
            }
        }
        Ok(plan.cases)
    }

    /// Checks one case.
    pub fn case(&self, backend: &B, case: &Case) -> std::result::Result<(), String> {
        let run = || (self.holds)(backend, &mut Rng(case.seed), case.n);
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let mut text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
            let cut = text.char_indices().nth(2000).map_or(text.len(), |(at, _)| at);
            text.truncate(cut);
            text
        })
    }

    /// Returns the smallest failing case found, with its failure. The search ends when `go_on` returns `false`.
    pub fn shrunk(&self, backend: &B, mut case: Case, mut wrong: String, go_on: &dyn Fn() -> bool) -> (Case, String) {
        while let Some((smaller, reason)) = case
            .smaller()
            .into_iter()
            .filter(|_| go_on())
            .find_map(|smaller| self.case(backend, &smaller).err().map(|reason| (smaller, reason)))
        {
            (case, wrong) = (smaller, reason);
        }
        (case, wrong)
    }
}

/// All laws.
pub fn laws<B: Backend>() -> Vec<Law<B>> {
    [
        templates::laws(),
        monoids::laws(),
        forests::laws(),
        walks::laws(),
        ancestors::laws(),
        keys::laws(),
        paths::laws(),
        dead::laws(),
        masks::laws(),
        hostile::laws(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Declares laws, each a function of a backend, a generator and a number of rows, and the list of them.
macro_rules! each_holds {
    ($($(#[longest($longest:expr)])? $name:ident($backend:ident, $rng:ident, $n:ident) $body:block)*) => {
        pub fn laws<B: treepar::Backend>() -> Vec<$crate::Law<B>> {
            vec![$($crate::Law {
                name: concat!(module_path!(), "::", stringify!($name)),
                holds: $name::<B>,
                longest: [usize::MAX $(, $longest)?].into_iter().min().unwrap_or(usize::MAX),
            }),*]
        }
        $(fn $name<B: treepar::Backend>($backend: &B, $rng: &mut $crate::drawn::Rng, $n: usize) $body)*
    };
}
pub(crate) use each_holds;

/// The column of some rows.
fn put<B: Backend, T: Element>(backend: &B, rows: &[T]) -> B::Vec<T> {
    backend.upload(rows).unwrap()
}

/// The rows of a result.
fn get<B: Backend, T: Element>(backend: &B, column: Result<B::Vec<T>>) -> Vec<T> {
    rows(backend, &column.unwrap())
}

/// The rows of a column.
fn rows<B: Backend, T: Element>(backend: &B, column: &B::Vec<T>) -> Vec<T> {
    backend.download(column).unwrap()
}
