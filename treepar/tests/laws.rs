//! The laws of `treepar-laws` on every available backend, each as a test.
//!
//! `TREEPAR_CASES` sets the number of cases per law, `TREEPAR_LONGEST` the most rows of a case, and `TREEPAR_SEED` the seed
//! that the cases are drawn from. A failure names its case, and `TREEPAR_CASE=seed:n` runs only that one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use libtest_mimic::{Arguments, Failed, Trial};
use treepar::{Backend, Cpu};
use treepar_laws::drawn::Case;
use treepar_laws::{Law, Plan, cpu_laws};

/// The number of cases per law and backend.
const CASES: u64 = 30;

fn main() {
    let arguments = Arguments::from_args();
    // Only the failure of the smallest case is printed, not that of each case that shrinking tries.
    if Case::from_environment().is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let run = Arc::new(AtomicU64::new(0));
    let mut backends = Vec::new();
    // The laws call each backend from several threads at the same time, so new columns contain old data of other laws.
    for threads in [1, 2, 4, 7] {
        let name = format!("cpu_{threads}");
        backends.push(trials(&name, cpu_laws(), &run, plan(usize::MAX), move || Cpu::with_threads(threads)));
    }
    #[cfg(feature = "cuda")]
    for (name, settings) in executed::devices() {
        // A case takes far longer than on the CPU.
        let plan = Plan { cases: plan(0).cases.div_ceil(3), ..plan(executed::ROWS) };
        backends.push(trials(name, treepar_laws::cuda_laws(), &run, plan, move || executed::backend(settings)));
    }
    #[cfg(feature = "emulate")]
    for seed in [1, 2] {
        // A case takes a hundred times as long as it does on the CPU.
        let plan = Plan { cases: plan(0).cases.div_ceil(5), ..plan(EMULATED_ROWS) };
        let emulated = trials(&format!("emulated_{seed}"), treepar_laws::emulated_laws(), &run, plan, move || {
            treepar::backend::gpu::Emulated::with_seed(seed).unwrap()
        });
        // These tests need a C++ compiler.
        backends.push(emulated.into_iter().map(|trial| trial.with_ignored_flag(true)).collect());
    }
    let conclusion = libtest_mimic::run(&arguments, in_turn(backends));
    println!("{} cases of laws were checked, drawn from seed {}", run.load(Ordering::Relaxed), plan(0).seed);
    conclusion.exit();
}

/// Returns the plan that the environment sets, with cases of at most `longest` rows where it sets no other number.
fn plan(longest: usize) -> Plan {
    let plan = Plan::from_environment(CASES);
    Plan { longest: if std::env::var_os("TREEPAR_LONGEST").is_some() { plan.longest } else { longest }, ..plan }
}

/// The most rows per case on the emulator. They are several tiles of every template, and take seconds.
#[cfg(feature = "emulate")]
const EMULATED_ROWS: usize = 20_000;

/// GPUs of the stand-in for the driver, which run the committed PTX.
#[cfg(feature = "cuda")]
mod executed {
    use treepar::backend::gpu::Cuda;
    use treepar_stand_in::{Settings, add_device, symbol};

    /// The most rows per case.
    pub const ROWS: usize = 20_000;

    /// The devices on which the laws run. `TREEPAR_STAND_IN` names another one instead.
    pub fn devices() -> Vec<(&'static str, Settings)> {
        let settings = |text: &str| text.parse().unwrap();
        match std::env::var("TREEPAR_STAND_IN") {
            Ok(text) => vec![("executed", settings(&text))],
            Err(_) => vec![
                ("executed", settings("uncounted")),
                // A block does all the work of a reduction.
                ("executed_one_block", settings("uncounted,multiprocessors=1,blocks=1,seed=1")),
            ],
        }
    }

    /// Returns a backend on a new device with these settings. It keeps no memory, so that accesses beyond a column are found.
    #[expect(unsafe_code, reason = "the driver is replaced")]
    pub fn backend(settings: Settings) -> Cuda {
        // SAFETY: the stand-in has the driver's functions.
        unsafe { treepar_kernels::driver::use_driver(symbol) }.unwrap();
        let gpu = Cuda::with_device(add_device(settings)).unwrap();
        gpu.keep_memory(0);
        gpu
    }
}

/// Returns the tests of the backends in turn. A device runs one kernel at a time, so two tests of one device would wait for each other.
fn in_turn(backends: Vec<Vec<Trial>>) -> Vec<Trial> {
    let mut backends: Vec<_> = backends.into_iter().map(Vec::into_iter).collect();
    let longest = backends.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    (0..longest).flat_map(|_| backends.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect()
}

/// A test for each law on a backend.
fn trials<B: Backend + Send + 'static, F: FnOnce() -> B + Send + 'static>(
    name: &str,
    laws: Vec<Law<B>>,
    run: &Arc<AtomicU64>,
    plan: Plan,
    new: F,
) -> Vec<Trial> {
    let backend = Arc::new(LazyLock::new(new));
    let trial = |law: Law<B>| {
        let (backend, run) = (Arc::clone(&backend), Arc::clone(run));
        let name = format!("{name}::{}", law.name.trim_start_matches("treepar_laws::"));
        Trial::test(name, move || {
            if let Some(case) = Case::from_environment() {
                run.fetch_add(1, Ordering::Relaxed);
                return law.case(&backend, &case).map_err(Failed::from);
            }
            let checked = law.check(&backend, plan)?;
            run.fetch_add(checked, Ordering::Relaxed);
            if checked < plan.cases {
                return Err(format!("{checked} of {} cases were checked", plan.cases).into());
            }
            Ok(())
        })
    };
    laws.into_iter().map(trial).collect()
}
