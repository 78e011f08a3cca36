//! The Pareas thesis's chapter 5: code generation by the size of the source, the length of functions, and the shape of
//! the tree; and beyond it the whole compiler from source text, on programs ten times as large.

mod draw;
mod print;
mod random;
pub mod report;
mod shape;

use std::collections::BTreeMap;
use std::time::Instant;

use refcompiler::frontend::{Sources, parse_program};
use refcompiler::object::write_relocatable;
use refcompiler::pipeline::{Output, Timing, compile};
use refcompiler::tree::Tree;
use serde::Deserialize;
use treepar::{Backend, Cpu};

use crate::frame::sweep::{Place, Sweep, with_backends};
use shape::{Shape, TOLERANCE, program};

/// The published tables.
#[derive(Deserialize)]
pub struct Published {
    source: String,
    machine: String,
    table_5_2: Vec<Shape>,
    table_5_3: Vec<Runtime>,
    table_5_4: Vec<Shape>,
    table_5_5: Vec<Runtime>,
    table_5_6: Vec<Shape>,
    table_5_7: Vec<BTreeMap<String, serde_json::Value>>,
    table_5_8: Vec<Runtime>,
}

/// A row of tables 5.3, 5.5 and 5.8.
#[derive(Deserialize)]
struct Runtime {
    case: String,
    minimum_ms: f64,
    maximum_ms: f64,
    deviation_ms: f64,
}

impl Published {
    /// The file beside the code.
    pub fn new() -> Published {
        serde_json::from_str(include_str!("../../data/pareas.json")).expect("the file is ours")
    }

    /// Programs larger than the thesis's largest, of the same kind.
    fn larger(&self) -> Vec<Shape> {
        let Some(largest) = self.table_5_2.last() else { return Vec::new() };
        [2.0, 5.0, 10.0].map(|factor| largest.scaled(&format!("{}MB", factor * largest.bytes / 1e6), factor)).to_vec()
    }
}

/// The experiments, as the record has them.
pub const SIZE: &str = "source file size";
pub const LENGTH: &str = "function length";
pub const SHAPE: &str = "tree shape";

/// The thesis's stages, with the passes of ours that do their work.
pub const STAGES: [(&str, &[&str]); 6] = [
    ("preprocessing", &["function table", "structure", "lift", "variables", "heads"]),
    ("optimization", &["flatten"]),
    ("register allocation", &["allocate", "frames"]),
    ("instruction generation", &["select"]),
    ("jump linking", &["link"]),
    ("postprocessing", &["encode"]),
];

/// All stages: what the thesis calls the total.
pub const TOTAL: &str = "total";
/// The tree to the machine and the words back: no part of the total.
pub const TRANSFERS: &str = "transfers";
/// From source text to an object file, and its parts.
pub const WHOLE: &str = "whole compiler";
pub const FRONT_END: &str = "front end";
pub const OBJECT: &str = "object file";

/// The machine's parts that run.
pub const ALL_CORES: &str = "all cores";
pub const ONE_THREAD: &str = "one thread";

/// Bytes of memory for each node, at most: text, tree, and the columns of the passes.
const MEMORY_A_NODE: f64 = 130.0;

/// Nodes from which on a program is larger than the thesis's, and how often it is run, seconds each time.
const LARGE: f64 = 2e7;
const LARGE_RUNS: usize = 5;

/// Measures the three experiments, and those beyond them.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let published = Published::new();
    let limit = sweep.options.nodes() as f64 * 1.3;
    let sizes = published.table_5_2.iter().cloned().chain(published.larger()).collect();
    let experiments = [(SIZE, sizes), (LENGTH, published.table_5_4), (SHAPE, published.table_5_6)];
    let cases: Vec<(&str, Shape)> = experiments
        .into_iter()
        .flat_map(|(name, shapes)| shapes.into_iter().map(move |shape| (name, shape)))
        .filter(|(_, shape)| shape.nodes <= limit)
        .collect();
    let weight = |sweep: &Sweep, shape: &Shape| (shape.nodes as u64 + 20_000) * (1 + runs_of(sweep, shape) as u64);
    sweep.plan(cases.iter().map(|(_, shape)| weight(sweep, shape)).sum());
    for (experiment, wanted) in cases {
        if sweep.is_interrupted() {
            return Ok(());
        }
        sweep.step(0, &format!("{experiment}, {}", wanted.case));
        if sweep.has_room(&format!("{experiment}, {}", wanted.case), MEMORY_A_NODE * wanted.nodes) {
            with_backends(|cpu, one| one_case(sweep, [cpu, one], experiment, &wanted))?;
            sweep.keep()?;
        }
        sweep.step(weight(sweep, &wanted), "");
    }
    Ok(())
}

/// How often a program is run.
fn runs_of(sweep: &Sweep, shape: &Shape) -> usize {
    if shape.nodes > LARGE { sweep.options.runs().min(LARGE_RUNS) } else { sweep.options.runs() }
}

fn one_case(sweep: &mut Sweep, [cpu, one]: [&Cpu; 2], experiment: &str, wanted: &Shape) -> Result<(), String> {
    let (text, _) = program(wanted, sweep.options.seed);
    let mut sources = Sources::new();
    sources.add("generated.par", text.into_bytes()).map_err(|error| error.to_string())?;
    let tree = parse(&sources)?;
    let reached = Shape::of(&wanted.case, &tree.depth, sources.bytes());
    if reached.distance(wanted) > TOLERANCE {
        let percent = 100.0 * reached.distance(wanted);
        sweep.note(format!("{experiment}, {}: the shape is off by {percent:.0} %", wanted.case));
    }
    let numbers = [
        ("bytes", reached.bytes),
        ("nodes", reached.nodes),
        ("width", reached.width),
        ("height", reached.height),
        ("functions", reached.functions),
        ("longest", reached.longest),
    ];
    let place = |variant, stage| Place { experiment, case: &wanted.case, variant, stage };
    let runs = runs_of(sweep, wanted);
    for (variant, backend) in [(ALL_CORES, cpu), (ONE_THREAD, one)] {
        for (stage, seconds) in stages(sweep, backend, runs, &tree)? {
            sweep.add(&place(variant, stage), &numbers, seconds);
        }
    }
    drop(tree);
    for (stage, seconds) in whole(sweep, cpu, runs, &sources)? {
        sweep.add(&place(ALL_CORES, stage), &numbers, seconds);
    }
    Ok(())
}

fn parse(sources: &Sources) -> Result<Tree, String> {
    parse_program(sources).map_err(|errors| format!("a generated program is wrong: {:?}", errors.first()))
}

/// Seconds of some passes.
fn seconds_of(timings: &[Timing], passes: &[&str]) -> f64 {
    timings.iter().filter(|timing| passes.contains(&timing.pass)).map(|timing| timing.time.as_secs_f64()).sum()
}

const MOVES: [&str; 2] = ["upload", "download"];

/// Seconds of each of the thesis's stages, run by run, after one that does not count.
fn stages(
    sweep: &Sweep,
    backend: &impl Backend,
    runs: usize,
    tree: &Tree,
) -> Result<Vec<(&'static str, Vec<f64>)>, String> {
    let names = STAGES.iter().map(|(stage, _)| *stage).chain([TOTAL, TRANSFERS]);
    let mut table: Vec<(&str, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
    for run in 0..=runs {
        if sweep.is_interrupted() {
            break;
        }
        let timings = compile(backend, tree, Output::Object, &mut ()).map_err(|error| error.to_string())?.timings;
        if run == 0 {
            continue;
        }
        let parts = STAGES.map(|(_, passes)| seconds_of(&timings, passes));
        let all = parts.into_iter().chain([parts.iter().sum(), seconds_of(&timings, &MOVES)]);
        table.iter_mut().zip(all).for_each(|((_, seconds), value)| seconds.push(value));
    }
    Ok(table)
}

/// Seconds from source text to an object file, and of what the stages leave out, after a run that does not count.
fn whole(sweep: &Sweep, cpu: &Cpu, runs: usize, sources: &Sources) -> Result<Vec<(&'static str, Vec<f64>)>, String> {
    let mut table = [WHOLE, FRONT_END, OBJECT].map(|name| (name, Vec::new()));
    for run in 0..=runs {
        if sweep.is_interrupted() {
            break;
        }
        let start = Instant::now();
        let tree = parse(sources)?;
        let parsed = start.elapsed();
        let compiled = compile(cpu, &tree, Output::Object, &mut ()).map_err(|error| error.to_string())?;
        drop(tree);
        let compiled_at = start.elapsed();
        let file = write_relocatable(&compiled.image).map_err(|error| format!("cannot write ELF: {error}"))?;
        let end = start.elapsed();
        drop((compiled, std::hint::black_box(file)));
        if run > 0 {
            let all = [end, parsed, end - compiled_at];
            table.iter_mut().zip(all).for_each(|((_, seconds), time)| seconds.push(time.as_secs_f64()));
        }
    }
    Ok(table.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_of(text: String) -> Tree {
        let mut sources = Sources::new();
        sources.add("test.par", text.into_bytes()).unwrap();
        parse(&sources).unwrap()
    }

    #[test]
    fn generated_programs_have_the_shapes_of_the_tables_and_compile() {
        let published = Published::new();
        let shapes = published.table_5_2.iter().chain(&published.table_5_4).chain(&published.table_5_6);
        let cpu = Cpu::with_threads(2);
        for wanted in shapes.filter(|shape| shape.nodes < 1_000_000.0) {
            let (text, expected) = program(wanted, 1);
            let bytes = text.len();
            let tree = tree_of(text);
            let reached = Shape::of(&wanted.case, &tree.depth, bytes);
            assert_eq!(reached, expected, "the generator knows the tree of its text");
            assert!(reached.distance(wanted) <= TOLERANCE, "{reached:?} for {wanted:?}");
            compile(&cpu, &tree, Output::Object, &mut ()).unwrap();
        }
    }

    #[test]
    fn every_pass_has_a_stage() {
        let tree = tree_of("fn f[]: int { return 1; }".into());
        let timings = compile(&Cpu::with_threads(1), &tree, Output::Object, &mut ()).unwrap().timings;
        let stage = |pass: &str| STAGES.iter().filter(|(_, passes)| passes.contains(&pass)).count();
        for timing in timings {
            let times = stage(timing.pass) + usize::from(MOVES.contains(&timing.pass));
            assert_eq!(times, 1, "pass {}", timing.pass);
        }
    }

    #[test]
    fn larger_programs_go_to_500_mb() {
        let larger = Published::new().larger();
        let cases: Vec<&str> = larger.iter().map(|shape| shape.case.as_str()).collect();
        assert_eq!(cases, ["100MB", "250MB", "500MB"]);
        assert_eq!(larger[2].nodes, 123_011_460.0);
    }
}
