//! Properties of your own code, checked on every backend of the build.
//!
//! A property is a function of a backend, a generator and a number of rows, which panics if it does not hold. [`properties!`](crate::properties!)
//! makes a test of each:
//!
//! ```
//! use treepar::prelude::*;
//!
//! #[device(map)]
//! fn saturated(i: usize, x: &[u32], y: &[u32]) -> u32 {
//!     if x[i] > y[i] { x[i] - y[i] } else { 0 }
//! }
//!
//! treepar_laws::properties! {
//!     /// Differences end at 0.
//!     fn saturated_matches_std(backend, rng, n) {
//!         let (x, y) = (rng.column(n), rng.column(n));
//!         let (on_x, on_y) = (backend.upload(&x).unwrap(), backend.upload(&y).unwrap());
//!         let found = backend.map(saturated::of(&on_x, &on_y)).unwrap();
//!         let expected: Vec<u32> = x.iter().zip(&y).map(|(x, y)| x.saturating_sub(*y)).collect();
//!         assert_eq!(backend.download(&found).unwrap(), expected);
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! | backend | name | available |
//! |---|---|---|
//! | [`Cpu`] | `cpu, 1 thread`, `cpu, 2 threads`, .. | always, on 1, 2, 3 and 7 threads |
//! | `Emulated` | `emulator, seed 1`, `emulator, seed 2` | with the feature `emulate`, if there is a C++ compiler |
//! | `Cuda` | `cuda` | with the feature `cuda`, if there is a driver with a device |
//!
//! Your crate names the features, and its tests need no other change:
//!
//! ```toml
//! [features]
//! cuda = ["treepar-laws/cuda"]
//! emulate = ["treepar-laws/emulate"]
//!
//! [dev-dependencies]
//! treepar-laws = "0.1" # from where treepar comes: a version, a path or a repository
//! ```
//!
//! These features turn on those of treepar with the same names. A library that gives its users `Cuda` also has `treepar/cuda` among its
//! own.
//!
//! The numbers of rows are around the edges of blocks: from 0 to 100,003, or to 20,000 on the emulator and `cuda`. The generator draws
//! numbers, columns, masks and forests. A text is made of parts that [`Rng::one_of`] draws; `n` is then its number of lines or bytes.
//!
//! The driver of `cuda` can be the stand-in of treepar's repository, which runs PTX on the host: its dynamic library is a
//! `libcuda.so.1`. Kernels of your own device functions need NVRTC there, as on a GPU.
//!
//! A failure names the backend, and a case that was shrunk to fewer rows. Failing cases print nothing meanwhile.
//!
//! ```text
//! property saturated_matches_std fails on `cpu, 2 threads` for 8243217:8193: assertion `left == right` failed ..
//! ```
//!
//! | variable | meaning |
//! |---|---|
//! | `TREEPAR_CASES` | the number of cases on the CPU, 30 without it; a third of them runs on `cuda`, and a fifth on the emulator |
//! | `TREEPAR_LONGEST` | the most rows of a case |
//! | `TREEPAR_SEED` | the seed that cases are drawn from |
//! | `TREEPAR_CASE` | `seed:n`, as a failure names it: runs only this case |

/// The trait of all backends, for the code that [`properties!`](crate::properties!) makes.
pub use treepar::Backend;
use treepar::Cpu;

use crate::drawn::{Case, Rng};
use crate::{Law, Plan};

/// The number of cases on the CPU.
const CASES: u64 = 30;

/// The numbers of threads of the CPU.
const THREADS: [usize; 4] = [1, 2, 3, 7];

/// The most rows of a case on a slow backend: several tiles of every template.
#[cfg(any(feature = "cuda", feature = "emulate"))]
const SLOW_ROWS: usize = 20_000;

/// A property that holds on any backend. [`properties!`](crate::properties!) declares them.
pub trait Property {
    /// The property's name.
    const NAME: &'static str;
    /// Panics if the property does not hold for `n` rows of data drawn by the generator.
    fn holds<B: Backend>(backend: &B, rng: &mut Rng, n: usize);
}

/// The backends on which a property was checked, and the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The name of each backend on which it was checked, with the number of cases.
    pub checked: Vec<(String, u64)>,
    /// The name of each backend of the build that the machine does not have, with the reason.
    pub missing: Vec<(String, String)>,
}

/// Checks a property on every backend of the build, as the variables of the environment say. A test made by [`properties!`](crate::properties!)
/// calls it.
///
/// # Panics
/// If the property fails. The message names the backend and the case.
pub fn check<P: Property>() {
    let plan = Plan::from_environment(CASES);
    let case = Case::from_environment();
    match run::<P>(plan, case) {
        Ok(report) => {
            for (name, cases) in report.checked {
                println!("{}: {cases} cases on `{name}`", P::NAME);
            }
            for (name, reason) in report.missing {
                println!("{}: not on `{name}`: {reason}", P::NAME);
            }
        }
        Err(failure) => panic!("{failure}"),
    }
}

/// Checks the cases of a plan on every backend of the build, or only `case`.
///
/// # Errors
/// The first failure: the property, the backend, and the smallest case that was found to fail.
/// # Example
/// ```
/// use treepar::prelude::*;
/// use treepar_laws::drawn::Rng;
/// use treepar_laws::properties::{Property, run};
/// use treepar_laws::Plan;
///
/// struct Short;
/// impl Property for Short {
///     const NAME: &'static str = "short";
///     fn holds<B: Backend>(_: &B, _: &mut Rng, n: usize) {
///         assert!(n < 100, "{n} rows are too many");
///     }
/// }
///
/// let failure = run::<Short>(Plan { cases: 10, longest: 1000, seed: 7 }, None).unwrap_err();
/// assert!(failure.starts_with("property short fails on `cpu, 1 thread` for "));
/// assert!(failure.ends_with(":100: 100 rows are too many"));
/// ```
pub fn run<P: Property>(plan: Plan, case: Option<Case>) -> Result<Report, String> {
    let mut report = Report::default();
    for threads in THREADS {
        let name = format!("cpu, {threads} thread{}", if threads == 1 { "" } else { "s" });
        run_on::<P, _>(&name, || Ok(Cpu::with_threads(threads)), plan, case, &mut report)?;
    }
    #[cfg(feature = "emulate")]
    for seed in [1, 2] {
        let new = || treepar::backend::gpu::Emulated::with_seed(seed);
        // A case takes a hundred times as long as it does on the CPU.
        run_on::<P, _>(&format!("emulator, seed {seed}"), new, slow(plan, 5), case, &mut report)?;
    }
    #[cfg(feature = "cuda")]
    run_on::<P, _>("cuda", treepar::backend::gpu::Cuda::new, slow(plan, 3), case, &mut report)?;
    Ok(report)
}

/// Returns a plan of fewer and shorter cases.
#[cfg(any(feature = "cuda", feature = "emulate"))]
fn slow(plan: Plan, times: u64) -> Plan {
    Plan { cases: plan.cases.div_ceil(times), longest: plan.longest.min(SLOW_ROWS), seed: plan.seed }
}

/// Checks a property on one backend, if there is one.
fn run_on<P: Property, B: Backend>(
    name: &str,
    new: impl FnOnce() -> treepar::Result<B>,
    plan: Plan,
    case: Option<Case>,
    report: &mut Report,
) -> Result<(), String> {
    let backend = match new() {
        Ok(backend) => backend,
        Err(reason) => {
            report.missing.push((name.into(), reason.to_string()));
            return Ok(());
        }
    };
    let law = Law { name: P::NAME, holds: P::holds::<B>, longest: usize::MAX };
    let failed = |(case, wrong): (Case, String)| {
        format!("property {} fails on `{name}` for {}:{}: {wrong}", P::NAME, case.seed, case.n)
    };
    let cases = match case {
        Some(case) => law.case(&backend, &case).map(|()| 1).map_err(|wrong| failed((case, wrong)))?,
        None => law.smallest_failure(&backend, plan).map_err(failed)?,
    };
    report.checked.push((name.into(), cases));
    Ok(())
}

/// Declares properties, each as a test on every backend of the build: see [`properties`](mod@crate::properties).
///
/// The parameters are a backend, `&B` of any [`Backend`](treepar::Backend); the generator that draws data, `&mut `[`Rng`](crate::drawn::Rng);
/// and the number of rows, a `usize`.
#[macro_export]
macro_rules! properties {
    ($($(#[$attribute:meta])* fn $name:ident($backend:ident, $rng:ident, $n:ident) $body:block)*) => {$(
        $(#[$attribute])*
        #[test]
        fn $name() {
            struct Holds;

            impl $crate::properties::Property for Holds {
                const NAME: &'static str = stringify!($name);
                fn holds<B: $crate::properties::Backend>(
                    $backend: &B,
                    $rng: &mut $crate::drawn::Rng,
                    $n: usize,
                ) $body
            }

            $crate::properties::check::<Holds>();
        }
    )*};
}
