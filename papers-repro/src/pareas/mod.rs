//! The Pareas thesis's chapter 5: code generation by the size of the source, the length of functions, and the shape of
//! the tree.

mod program;
pub mod report;
mod shape;

use std::collections::BTreeMap;

use refcompiler::frontend::{Sources, parse_program};
use refcompiler::pipeline::{Output, compile};
use refcompiler::tree::Tree;
use serde::Deserialize;
use treepar::{Backend, Cpu};

use crate::frame::sweep::{Place, Sweep};
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
}

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
/// From source text to object code.
pub const WHOLE: &str = "whole compiler";

/// Measures the three experiments.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let published = Published::new();
    let cpu = Cpu::new();
    cpu.adopt_current_thread();
    let one = Cpu::with_threads(1);
    let limit = sweep.options.nodes() as f64 * 1.3;
    let sizes = published.table_5_2.iter().cloned().chain(larger(&published.table_5_2)).collect();
    let experiments =
        [("source file size", sizes), ("function length", published.table_5_4), ("tree shape", published.table_5_6)];
    let cases: Vec<(&str, Shape)> = experiments
        .into_iter()
        .flat_map(|(name, shapes)| shapes.into_iter().map(move |shape| (name, shape)))
        .filter(|(_, shape)| shape.nodes <= limit)
        .collect();
    sweep.plan(cases.iter().map(|(_, shape)| shape.nodes as u64 + 20_000).sum());
    for (experiment, wanted) in cases {
        if sweep.is_interrupted() {
            return Ok(());
        }
        sweep.step(0, &format!("{experiment}, {}", wanted.case));
        one_case(sweep, &cpu, &one, experiment, &wanted)?;
        sweep.keep()?;
        sweep.step(wanted.nodes as u64 + 20_000, "");
    }
    Ok(())
}

/// Beyond the thesis: its largest program two, five and ten times over.
fn larger(table: &[Shape]) -> Vec<Shape> {
    let Some(largest) = table.last() else { return Vec::new() };
    let times = |factor: f64| Shape {
        case: format!("{}MB", largest.bytes * factor / 1e6),
        bytes: largest.bytes * factor,
        nodes: largest.nodes * factor,
        width: largest.width * factor,
        functions: largest.functions * factor,
        ..largest.clone()
    };
    [2.0, 5.0, 10.0].map(times).to_vec()
}

fn one_case(sweep: &mut Sweep, cpu: &Cpu, one: &Cpu, experiment: &str, wanted: &Shape) -> Result<(), String> {
    let (program, _) = program(wanted, sweep.options.seed)?;
    let text = program.text();
    drop(program);
    let tree = parse(&text)?;
    let reached = Shape::of(&wanted.case, &tree.depth, text.len());
    if reached.distance(wanted) > TOLERANCE {
        eprintln!("{experiment}, {}: the shape is off by {:.0} %", wanted.case, 100.0 * reached.distance(wanted));
    }
    let numbers = [
        ("bytes", reached.bytes),
        ("nodes", reached.nodes),
        ("width", reached.width),
        ("height", reached.height),
        ("functions", reached.functions),
        ("longest", reached.longest),
    ];
    for (variant, backend) in [("all cores", cpu), ("one thread", one)] {
        stages(sweep, backend, experiment, &wanted.case, variant, &numbers, &tree)?;
    }
    let place = Place { experiment, case: &wanted.case, variant: "all cores", stage: WHOLE };
    sweep.measure(&place, &numbers, || {
        let tree = parse(&text)?;
        compile(cpu, &tree, Output::Object, &mut ()).map(drop).map_err(|error| error.to_string())
    })
}

fn parse(text: &str) -> Result<Tree, String> {
    let mut sources = Sources::new();
    sources.add("generated.par", text.as_bytes().to_vec()).map_err(|error| error.to_string())?;
    parse_program(&sources).map_err(|errors| format!("a generated program is wrong: {:?}", errors.first()))
}

/// Runs the pipeline as often as the options ask, and records what each of the thesis's stages took.
fn stages(
    sweep: &mut Sweep,
    backend: &impl Backend,
    experiment: &str,
    case: &str,
    variant: &str,
    numbers: &[(&str, f64)],
    tree: &Tree,
) -> Result<(), String> {
    let mut seconds = vec![Vec::new(); STAGES.len()];
    let mut totals = Vec::new();
    for run in 0..=sweep.options.runs() {
        if sweep.is_interrupted() {
            break;
        }
        let timings = compile(backend, tree, Output::Object, &mut ()).map_err(|error| error.to_string())?.timings;
        // The first does not count.
        if run == 0 {
            continue;
        }
        let of = |passes: &[&str]| -> f64 {
            timings.iter().filter(|t| passes.contains(&t.pass)).map(|t| t.time.as_secs_f64()).sum()
        };
        for (k, (_, passes)) in STAGES.iter().enumerate() {
            seconds[k].push(of(passes));
        }
        totals.push(STAGES.iter().map(|(_, passes)| of(passes)).sum());
    }
    for ((stage, _), seconds) in STAGES.iter().zip(seconds) {
        sweep.add(&Place { experiment, case, variant, stage }, numbers, seconds);
    }
    sweep.add(&Place { experiment, case, variant, stage: TOTAL }, numbers, totals);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_programs_have_the_shapes_of_the_tables_and_compile() {
        let published = Published::new();
        let shapes = published.table_5_2.iter().chain(&published.table_5_4).chain(&published.table_5_6);
        let cpu = Cpu::with_threads(2);
        for wanted in shapes.filter(|shape| shape.nodes < 200_000.0) {
            let (program, expected) = program(wanted, 1).unwrap();
            let text = program.text();
            let tree = parse(&text).unwrap();
            assert_eq!(tree.depth, program.depths(), "the generator knows the tree of its text");
            let reached = Shape::of(&wanted.case, &tree.depth, 0);
            assert_eq!(reached, expected);
            assert!(reached.distance(wanted) <= TOLERANCE, "{reached:?} for {wanted:?}");
            compile(&cpu, &tree, Output::Object, &mut ()).unwrap();
        }
    }
}
