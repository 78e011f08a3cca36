//! Faults planted in the committed PTX, and the laws that find them, on the stand-in for the driver.
//!
//! Each fault is planted everywhere in a unit of each template that can have it. Then the laws that use the unit run until one
//! fails.

#![cfg(feature = "cuda")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use treepar::Backend;
use treepar::backend::gpu::Cuda;
use treepar_codegen::{Grouping, units};
use treepar_laws::{Law, Plan, cuda_laws};
use treepar_stand_in::{Machine, Mode, ModuleId, Rewrite, Settings, add_device, symbol, take_counts};

/// The cases of each law: several tiles of most templates.
const PLAN: Plan = Plan { cases: 3, longest: 20_000, seed: Plan::SEED };

/// The modules of a template in which a fault is planted, one after the other, until it is found. A fault can be without effect
/// in one: nothing depends on the order of rows that are never kept.
const MOST_MODULES: usize = 4;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A wrong computation.
    Function,
    /// A missing barrier.
    Race,
    /// A missing fence, or an access with a weaker order.
    Order,
}

impl Kind {
    /// Returns the mode of the machine in which the fault shows.
    fn mode(self) -> Mode {
        match self {
            Kind::Function => Mode { counts: false, ..Mode::default() },
            Kind::Race => Mode { races: true, independent_lanes: true, counts: false, ..Mode::default() },
            Kind::Order => Mode { late_stores: true, early_loads: true, counts: false, ..Mode::default() },
        }
    }
}

/// A fault, as a change of each line. `None` leaves the line.
type Change = fn(&str) -> Option<String>;

/// Whether a fault can have an effect in a module with this text.
type Matters = fn(&str) -> bool;

/// The faults that are planted.
const FAULTS: [(Kind, &str, Change, Matters); 12] = [
    (
        Kind::Function,
        "shuffles return the lane's own value",
        |line| {
            // A shuffle with a predicate tells whether there is such a lane.
            let operands = line.strip_prefix("shfl.sync.").filter(|_| !line.contains('|'))?.split_once(' ')?.1;
            let mut operands = operands.split(", ");
            Some(format!("mov.b32 {}, {};", operands.next()?, operands.next()?))
        },
        always,
    ),
    (
        Kind::Function,
        "ballots lose the first lane",
        |line| {
            let target = line.strip_prefix("vote.sync.ballot.b32 ")?.split(',').next()?;
            Some(format!("{line}\nand.b32 {target}, {target}, 0xfffffffe;"))
        },
        always,
    ),
    (
        Kind::Function,
        "tickets skip a tile",
        |line| {
            line.starts_with("atom.global.add.u64")
                .then(|| line.replace(", 1;", ", 2;"))
                .filter(|changed| changed != line)
        },
        always,
    ),
    (Kind::Function, "a least becomes a greatest", |line| changed(line, "min.u32", "max.u32"), always),
    (Kind::Function, "less becomes greater", |line| changed(line, "setp.lt.u32", "setp.gt.u32"), always),
    (Kind::Function, "stores to memory are lost", |line| line.contains("st.global").then(String::new), always),
    (Kind::Function, "stores to shared memory are lost", |line| line.contains("st.shared").then(String::new), always),
    (Kind::Function, "sums become differences", |line| changed(line, "add.s32", "sub.s32"), always),
    (Kind::Race, "no barrier of the block", |line| line.starts_with("bar.sync").then(String::new), always),
    (Kind::Race, "no barrier of the warp", |line| line.starts_with("bar.warp.sync").then(String::new), orders_lanes),
    (Kind::Order, "no fence", |line| line.starts_with("fence.").then(String::new), has_fence),
    (Kind::Order, "status words without order", |line| changed(line, "ld.relaxed.gpu.global", "ld.global"), has_fence),
];

/// Returns `true`: the fault can have an effect in every module.
fn always(_: &str) -> bool {
    true
}

/// Returns whether a module orders accesses to several words. A status word that contains its value needs no order.
fn has_fence(text: &str) -> bool {
    text.contains("fence.")
}

/// Returns whether a barrier of a warp orders accesses. A barrier before a vote does not: the vote waits for the lanes, too.
fn orders_lanes(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.starts_with("setp."));
    while lines.by_ref().any(|line| line.starts_with("bar.warp.sync")) {
        if lines.next().is_some_and(|line| !line.starts_with("vote.sync")) {
            return true;
        }
    }
    false
}

/// Returns the line with an instruction replaced, if it has it.
fn changed(line: &str, from: &str, to: &str) -> Option<String> {
    line.contains(from).then(|| line.replace(from, to))
}

/// Returns the text with a fault in each line that can have it; `None` if none can.
fn planted_in(text: &str, change: Change) -> Option<String> {
    let lines: Vec<Option<String>> = text.lines().map(change).collect();
    lines.iter().any(Option::is_some).then(|| {
        let lines = text.lines().zip(&lines).map(|(line, changed)| changed.as_deref().unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// Returns a backend on a new device of the stand-in, and the number of the device.
#[expect(unsafe_code, reason = "the driver is replaced")]
fn stand_in(settings: Settings) -> (Cuda, usize) {
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(symbol) }.unwrap();
    let ordinal = add_device(settings);
    let gpu = Cuda::with_device(ordinal).unwrap();
    gpu.keep_memory(0);
    (gpu, ordinal)
}

fn settings(mode: Mode, rewrite: Option<Rewrite>) -> Settings {
    let machine = Machine { mode, patience: 1 << 21, limit: 1 << 24, ..Machine::default() };
    Settings { machine, rewrite, ..Settings::default() }
}

/// A module that laws use.
struct Used {
    /// The PTX.
    text: String,
    /// The laws that launch one of its kernels, and the templates that each runs in all cases.
    laws: Vec<(usize, u64)>,
}

/// Returns the modules that the laws use.
fn used(laws: &[Law<Cuda>]) -> BTreeMap<ModuleId, Used> {
    let texts = Arc::new(Mutex::new(BTreeMap::new()));
    let seen = Arc::clone(&texts);
    let listen = Rewrite::new(move |ptx| {
        seen.lock().unwrap().insert(ModuleId::of(ptx), ptx.to_owned());
        ptx.to_owned()
    });
    // The modules of each law, with the templates that it runs. Each thread has a device of its own.
    let threads = rayon::current_num_threads();
    let launched = |thread: usize| {
        let (gpu, ordinal) = stand_in(settings(Kind::Function.mode(), Some(listen.clone())));
        let own = laws.iter().enumerate().skip(thread).step_by(threads);
        own.map(|(k, law)| (k, launches(law, &gpu, ordinal))).collect::<Vec<_>>()
    };
    let mut launched: Vec<_> = (0..threads).into_par_iter().flat_map_iter(launched).collect();
    launched.sort_by_key(|(k, _)| *k);
    let mut used: BTreeMap<ModuleId, Used> = BTreeMap::new();
    for (k, (modules, templates)) in launched {
        for module in modules {
            let text = || texts.lock().unwrap()[&module].clone();
            used.entry(module).or_insert_with(|| Used { text: text(), laws: Vec::new() }).laws.push((k, templates));
        }
    }
    used
}

/// Returns the modules that a law launches, and the templates that it runs.
fn launches(law: &Law<Cuda>, gpu: &Cuda, ordinal: usize) -> (BTreeSet<ModuleId>, u64) {
    let before = gpu.counters().templates;
    if let Err(wrong) = law.check(gpu, PLAN) {
        // Shows the message, which the hook of the test does not.
        let _ = std::panic::take_hook();
        panic!("without a fault: {wrong}");
    }
    let templates = gpu.counters().templates - before;
    (take_counts(ordinal).kernels.into_keys().map(|id| id.module).collect(), templates)
}

/// Returns the name of the law that fails on a module with a fault, and the first line of its failure. It is also a failure if the
/// results are right and cost other templates: a wrong hash of a string only makes `intern` look again.
fn found(laws: &[Law<Cuda>], used: &Used, kind: Kind, text: String) -> Option<(&'static str, String)> {
    let module = ModuleId::of(&used.text);
    let rewrite = Rewrite::new(move |ptx| if ModuleId::of(ptx) == module { text.clone() } else { ptx.to_owned() });
    let (gpu, _) = stand_in(settings(kind.mode(), Some(rewrite)));
    used.laws.iter().find_map(|&(k, expected)| {
        let before = gpu.counters().templates;
        let failure = laws[k].cases(PLAN).iter().find_map(|case| laws[k].case(&gpu, case).err());
        let templates = gpu.counters().templates - before;
        let failure =
            failure.or_else(|| (templates != expected).then(|| format!("{templates} templates, not {expected}")))?;
        Some((laws[k].name, failure.lines().next().unwrap_or_default().to_owned()))
    })
}

/// Returns the modules with kernels of each template, those that most laws use first.
fn by_template(used: &BTreeMap<ModuleId, Used>) -> BTreeMap<&'static str, Vec<&Used>> {
    let mut modules: BTreeMap<&str, Vec<&Used>> = BTreeMap::new();
    for unit in units(Grouping::Function) {
        let Some(entry) = unit.entries().into_iter().next() else { continue };
        let declared = format!(".entry {entry}(");
        let Some(module) = used.values().find(|module| module.text.contains(&declared)) else { continue };
        let templates: BTreeSet<&str> = unit.kernels().iter().map(|kernel| kernel.template).collect();
        for template in templates {
            modules.entry(template).or_default().push(module);
        }
    }
    for modules in modules.values_mut() {
        modules.sort_by_key(|module| std::cmp::Reverse(module.laws.len()));
    }
    modules
}

#[test]
fn every_planted_fault_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let laws = cuda_laws();
    let used = used(&laws);
    let templates = by_template(&used);
    let planted: Vec<_> = templates
        .iter()
        .flat_map(|(template, modules)| FAULTS.iter().map(move |fault| (template, modules, fault)))
        .collect();
    // Each fault has a device of its own.
    let lines: Vec<_> = planted
        .par_iter()
        .filter_map(|(template, modules, (kind, fault, change, matters))| {
            let can = modules.iter().filter(|module| matters(&module.text));
            let mut can = can.filter_map(|module| Some((module, planted_in(&module.text, *change)?))).peekable();
            can.peek()?;
            let by = can.take(MOST_MODULES).find_map(|(module, text)| found(&laws, module, *kind, text));
            let shown = by.as_ref().map_or("NOT FOUND".to_owned(), |(law, failure)| format!("{law}: {failure:.100}"));
            let line = format!("{template:16} {:8} {fault:34} {shown}", format!("{kind:?}"));
            Some((line, by.is_none().then(|| format!("{template}: {fault}"))))
        })
        .collect();
    println!("{:16} {:8} {:34} found by", "template", "kind", "fault");
    lines.iter().for_each(|(line, _)| println!("{line}"));
    let missed: Vec<String> = lines.into_iter().filter_map(|(_, missed)| missed).collect();
    let _ = std::panic::take_hook();
    assert!(missed.is_empty(), "not found:\n{}", missed.join("\n"));
}
