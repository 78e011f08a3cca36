//! The laws of `treepar-laws` on every available backend, one test each.
//!
//! `TREEPAR_CASES` sets how many cases each law is checked with; a failure names its case, and `TREEPAR_CASE=seed:n`
//! runs only that case.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use treepar::{Backend, Cpu};
use treepar_laws::drawn::Case;
use treepar_laws::{Plan, laws};

/// Cases of each law on each backend.
const CASES: u64 = 30;

fn main() {
    let arguments = Arguments::from_args();
    // The message of a failing law is shown once, for its smallest case.
    if the_case().is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let run = Arc::new(AtomicU64::new(0));
    let mut trials = Vec::new();
    // The laws call backends from several threads at once; data of one is the next one's fresh memory.
    for threads in [1, 2, 4, 7] {
        stamp(&mut trials, &format!("cpu_{threads}"), Arc::new(Cpu::with_threads(threads)), &run, plan(usize::MAX));
    }
    #[cfg(feature = "emulate")]
    for seed in [1, 2] {
        let emulated = treepar::backend::gpu::Emulated::with_seed(seed).unwrap();
        // A case takes a hundred times as long as on the CPU.
        let plan = Plan { cases: plan(0).cases.div_ceil(5), longest: EMULATED_ROWS };
        stamp(&mut trials, &format!("emulated_{seed}"), Arc::new(emulated), &run, plan);
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{} cases of laws were checked", run.load(Ordering::Relaxed));
    conclusion.exit();
}

/// As many cases as the environment says, of any length up to `longest`.
fn plan(longest: usize) -> Plan {
    let cases = std::env::var("TREEPAR_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    Plan { cases, longest }
}

/// Rows that laws give to the emulator: several tiles of every template, and seconds.
#[cfg(feature = "emulate")]
const EMULATED_ROWS: usize = 20_000;

/// A test for each law on a backend.
fn stamp<B: Backend + Send + 'static>(
    trials: &mut Vec<Trial>,
    name: &str,
    backend: Arc<B>,
    run: &Arc<AtomicU64>,
    plan: Plan,
) {
    for law in laws::<B>() {
        let (backend, run) = (Arc::clone(&backend), Arc::clone(run));
        let name = format!("{name}::{}", law.name.trim_start_matches("treepar_laws::"));
        trials.push(Trial::test(name, move || {
            if let Some(case) = the_case() {
                run.fetch_add(1, Ordering::Relaxed);
                return law.case(&*backend, &case).map_err(Failed::from);
            }
            let checked = law.check(&*backend, plan)?;
            run.fetch_add(checked, Ordering::Relaxed);
            if checked < plan.cases {
                return Err(format!("{checked} of {} cases were checked", plan.cases).into());
            }
            Ok(())
        }));
    }
}

/// The case that the environment names.
fn the_case() -> Option<Case> {
    let text = std::env::var("TREEPAR_CASE").ok()?;
    let (seed, n) = text.split_once(':')?;
    Some(Case { seed: seed.parse().ok()?, n: n.parse().ok()? })
}
