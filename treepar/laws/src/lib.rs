//! The laws of treepar. A law compares the results of an operation with plain sequential code.
//!
//! A [`Law`] holds for any backend. The tests of treepar check all laws on every available backend, at lengths around
//! the edges of warps, blocks and tiles, and on difficult shapes. The author of another backend can do the same:
//!
//! ```
//! use treepar::Cpu;
//! use treepar_laws::{Law, Plan, laws};
//!
//! let cpu = Cpu::with_threads(2);
//! let plan = Plan { cases: 2, longest: 300, seed: Plan::SEED };
//! let all: Vec<Law<Cpu>> = laws();
//! let run: u64 = all.iter().map(|law| law.check(&cpu, plan).unwrap()).sum();
//! assert_eq!(run, 2 * all.len() as u64);
//! ```
//!
//! A failure names the law and a case, `seed:n`, which has been shrunk. [`Law::case`] runs that case.
//!
//! The author of passes checks properties of their own on every backend: see [`properties`](mod@properties). The
//! features `quickcheck` and `proptest` add generators of forests, marks and numbers for these crates: see `arbitrary`.

mod ancestors;
#[cfg(any(feature = "quickcheck", feature = "proptest"))]
pub mod arbitrary;
mod dead;
pub mod drawn;
mod forests;
mod hostile;
mod keys;
mod lexing;
mod links;
mod masks;
mod monoids;
mod numbers;
mod operators;
pub mod oracle;
mod paths;
pub mod properties;
mod quiet;
mod scalars;
mod templates;
mod texts;
mod walks;

use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(feature = "cuda")]
treepar::device::precompiled!("../ptx/units.bin");

use drawn::{Case, Rng};
#[cfg(feature = "cuda")]
use treepar::backend::gpu::Cuda;
#[cfg(feature = "emulate")]
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Cpu, Element, Result};

/// A property of an operation, on some backend.
pub struct Law<B> {
    /// The law's name.
    pub name: &'static str,
    /// Panics if the law does not hold for n rows of data drawn by the generator.
    pub holds: fn(&B, &mut Rng, usize),
    /// The most rows for which the oracle is fast enough.
    pub longest: usize,
}

/// The cases that each law is checked with.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of cases per law.
    pub cases: u64,
    /// The number of rows of the longest case.
    pub longest: usize,
    /// The seed that all cases are drawn from.
    pub seed: u64,
}

impl Plan {
    /// The seed of plans that are the same in every run.
    pub const SEED: u64 = 0x7265_6573;

    /// Returns the plan that `TREEPAR_CASES`, `TREEPAR_LONGEST` and `TREEPAR_SEED` set, with `cases` cases of any length where
    /// they are not set.
    pub fn from_environment(cases: u64) -> Plan {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
        Plan {
            cases: number("TREEPAR_CASES").unwrap_or(cases),
            longest: number("TREEPAR_LONGEST").map_or(usize::MAX, |most| most as usize),
            seed: number("TREEPAR_SEED").unwrap_or(Plan::SEED),
        }
    }
}

impl<B: Backend> Law<B> {
    /// Returns the cases of a plan. The first have each length once, the longest first.
    pub fn cases(&self, plan: Plan) -> Vec<Case> {
        let longest = plan.longest.min(self.longest);
        let mut seeds = Rng::new(plan.seed);
        (0..plan.cases).map(|k| Case::drawn(&mut seeds, k, longest)).collect()
    }

    /// Checks the cases of a plan and returns their number. No case is discarded. The error describes the smallest case
    /// that was found to fail.
    pub fn check(&self, backend: &B, plan: Plan) -> std::result::Result<u64, String> {
        let failed =
            |(case, wrong): (Case, String)| format!("law {} fails for {}:{}: {wrong}", self.name, case.seed, case.n);
        self.smallest_failure(backend, plan).map_err(failed)
    }

    /// Checks the cases of a plan and returns their number. The error is the smallest case that was found to fail, with its
    /// message. Panics of failing cases print nothing.
    pub fn smallest_failure(&self, backend: &B, plan: Plan) -> std::result::Result<u64, (Case, String)> {
        let _quiet = quiet::Quiet::new();
        for case in self.cases(plan) {
            if let Err(wrong) = self.case(backend, &case) {
                return Err(self.shrunk(backend, case, wrong, &|| true));
            }
        }
        Ok(plan.cases)
    }

    /// Checks one case.
    pub fn case(&self, backend: &B, case: &Case) -> std::result::Result<(), String> {
        let run = || (self.holds)(backend, &mut Rng::new(case.seed), case.n);
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let mut text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
            let cut = text.char_indices().nth(2000).map_or(text.len(), |(at, _)| at);
            text.truncate(cut);
            text
        })
    }

    /// Shrinks a case that fails. Returns the smallest failing case that was found, with its failure. The search ends
    /// when `go_on` returns `false`.
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

/// Returns all laws for the CPU.
///
/// They are compiled here, once for all programs that check them. [`laws`] for another backend takes minutes to compile.
pub fn cpu_laws() -> Vec<Law<Cpu>> {
    laws()
}

/// Returns all laws for a GPU, or for a stand-in for it. They are compiled here, as those for the CPU.
#[cfg(feature = "cuda")]
pub fn cuda_laws() -> Vec<Law<Cuda>> {
    laws()
}

/// Returns all laws for the emulator of a GPU. They are compiled here, as those for the CPU.
#[cfg(feature = "emulate")]
pub fn emulated_laws() -> Vec<Law<Emulated>> {
    laws()
}

/// Returns all laws for any backend.
pub fn laws<B: Backend>() -> Vec<Law<B>> {
    [
        templates::laws(),
        monoids::laws(),
        numbers::laws(),
        scalars::laws(),
        forests::laws(),
        walks::laws(),
        ancestors::laws(),
        keys::laws(),
        paths::laws(),
        dead::laws(),
        masks::laws(),
        lexing::laws(),
        texts::laws(),
        links::laws(),
        operators::laws(),
        hostile::laws(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Declares laws and a function that lists them. Each is a function of a backend, a generator and a number of rows.
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

/// Uploads rows.
fn put<B: Backend, T: Element>(backend: &B, rows: &[T]) -> B::Vec<T> {
    backend.upload(rows).unwrap()
}

/// Downloads a result.
fn get<B: Backend, T: Element>(backend: &B, column: Result<B::Vec<T>>) -> Vec<T> {
    rows(backend, &column.unwrap())
}

/// Downloads a column.
fn rows<B: Backend, T: Element>(backend: &B, column: &B::Vec<T>) -> Vec<T> {
    backend.download(column).unwrap()
}
