//! The laws of `treepar-laws` on every backend at hand, each a test of its own.
//!
//! `TREEPAR_CASES` sets how many cases each law is checked with; a failure names its case, and `TREEPAR_CASE=seed:n`
//! runs that one alone.

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
    // What a law that fails says is shown once, of its smallest case.
    if the_case().is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let run = Arc::new(AtomicU64::new(0));
    let mut trials = Vec::new();
    // The laws call backends from several threads at once; data of one is the next one's fresh memory.
    for threads in [1, 2, 4, 7] {
        stamp(&mut trials, &format!("cpu_{threads}"), Arc::new(Cpu::with_threads(threads)), &run);
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{} cases of laws were checked", run.load(Ordering::Relaxed));
    conclusion.exit();
}

/// A test for each law on a backend.
fn stamp<B: Backend + Send + 'static>(trials: &mut Vec<Trial>, name: &str, backend: Arc<B>, run: &Arc<AtomicU64>) {
    for law in laws::<B>() {
        let (backend, run) = (Arc::clone(&backend), Arc::clone(run));
        let name = format!("{name}::{}", law.name.trim_start_matches("treepar_laws::"));
        trials.push(Trial::test(name, move || {
            if let Some(case) = the_case() {
                run.fetch_add(1, Ordering::Relaxed);
                return law.case(&*backend, &case).map_err(Failed::from);
            }
            let cases = std::env::var("TREEPAR_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
            let checked = law.check(&*backend, Plan { cases, longest: usize::MAX })?;
            run.fetch_add(checked, Ordering::Relaxed);
            if checked < cases { Err(format!("{checked} of {cases} cases were checked").into()) } else { Ok(()) }
        }));
    }
}

/// The case that the environment names.
fn the_case() -> Option<Case> {
    let text = std::env::var("TREEPAR_CASE").ok()?;
    let (seed, n) = text.split_once(':')?;
    Some(Case { seed: seed.parse().ok()?, n: n.parse().ok()? })
}
