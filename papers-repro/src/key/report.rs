//! The Key paper's section of the report.

use serde::Deserialize;

use super::{ACCUMULATING, FUNCTIONAL, INDEX, MATRIX, MOST, NEAREST, NEAREST_ONE, ORDINAL};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::Record;
use crate::frame::report::{Section, short, short_or_dash};

#[derive(Deserialize)]
struct Published {
    source: String,
    machine: String,
    peak_speedup: Peaks,
}

#[derive(Deserialize)]
struct Peaks {
    functional: f64,
    accumulating: f64,
}

const FIGURE: &str = "figure 1";

/// Nodes from which on ours has to be the fastest.
const LARGE: f64 = 1e4;

/// A tree of the sweep.
struct Case {
    name: String,
    depth: u32,
    branching: u32,
    nodes: f64,
}

/// The number of a tree that a slice varies.
type Varied = fn(&Case) -> u32;

/// The trees of a record.
fn cases(record: &Record) -> Vec<Case> {
    record
        .of(FIGURE)
        .filter(|m| m.variant == NEAREST)
        .filter_map(|m| {
            let number = |name| m.number(name);
            Some(Case {
                name: m.case.clone(),
                depth: number("depth")? as u32,
                branching: number("branching")? as u32,
                nodes: number("nodes")?,
            })
        })
        .collect()
}

/// What is written of a record.
pub fn section(record: &Record) -> Section {
    let published: Published = serde_json::from_str(include_str!("../../data/key.json")).expect("the file is ours");
    let mut section = Section::new("Key paper: flattening expressions (section 6, Figure 1)", record);
    section.text(
        "A full tree is flattened: every inner node is an expression, and becomes a row of its own parts, innermost first, \
         with references where nested expressions stood. The functional form returns lists that its callers put together; \
         the accumulating form writes to one list, and has its tree in an arena. Ours finds the expression that each node \
         is in without a path matrix and places every row by prefix sums. All variants gave the same rows on every tree.",
    );
    let cases = cases(record);
    let seconds = |case: &str, variant: &str| record.median(FIGURE, case, variant, "");
    let speedups = |variant: &'static str| -> Vec<(i32, i32, f64)> {
        cases
            .iter()
            .filter_map(|case| {
                let ratio = seconds(&case.name, variant)? / seconds(&case.name, NEAREST)?;
                Some((case.depth as i32, case.branching as i32, ratio))
            })
            .collect()
    };
    let peak = |variant| speedups(variant).iter().map(|cell| cell.2).fold(0.0, f64::max);
    section.text(format!("The paper's figures: {}. Its machine: {}.", published.source, published.machine));
    section.table(
        "Peak speed-ups over the recursive forms",
        &["recursive form", "paper, GPU", "here, all cores"],
        vec![
            vec!["functional".into(), short(published.peak_speedup.functional), short(peak(FUNCTIONAL))],
            vec!["accumulating".into(), short(published.peak_speedup.accumulating), short(peak(ACCUMULATING))],
        ],
    );
    section.text(
        "A GPU's threads against one core of a processor is another contest than the cores of one processor against one of \
         them: here the most that parallel work can bring is the number of cores, and what goes beyond it the data's \
         layout has brought.",
    );
    for (variant, name) in [(FUNCTIONAL, "key-speedup-functional"), (ACCUMULATING, "key-speedup-accumulating")] {
        let caption = format!("Speed-up over the {variant} form, by depth and branching; white is 1");
        section.plot(name, &caption, Plot::Heat { axes: ("depth", "branching"), cells: speedups(variant) });
    }
    for (name, title, fixed) in [
        ("key-slice-branching-2", "branching 2", Slice::Branching(2)),
        ("key-slice-depth-5", "depth 5", Slice::Depth(5)),
    ] {
        slice(&mut section, record, &cases, name, title, fixed);
    }
    section
}

/// The cases of one plane of the surfaces.
#[derive(Clone, Copy)]
enum Slice {
    Branching(u32),
    Depth(u32),
}

fn slice(section: &mut Section, record: &Record, cases: &[Case], name: &str, title: &str, fixed: Slice) {
    let (axis, at): (&'static str, Varied) = match fixed {
        Slice::Branching(_) => ("depth", |case| case.depth),
        Slice::Depth(_) => ("branching", |case| case.branching),
    };
    let chosen: Vec<&Case> = cases
        .iter()
        .filter(|case| match fixed {
            Slice::Branching(branching) => case.branching == branching,
            Slice::Depth(depth) => case.depth == depth,
        })
        .filter(|case| at(case) < MOST)
        .collect();
    section.heading(&format!("The slice at {title}"));
    let seconds = |case: &str, variant: &str| record.median(FIGURE, case, variant, "");
    let lines = [FUNCTIONAL, ACCUMULATING, NEAREST, NEAREST_ONE, INDEX, ORDINAL]
        .map(|variant| Line {
            name: variant.into(),
            points: chosen
                .iter()
                .filter_map(|case| Some((f64::from(at(case)), seconds(&case.name, variant)? / case.nodes * 1e9)))
                .collect(),
            published: false,
        })
        .into_iter()
        .filter(|line| !line.points.is_empty())
        .collect();
    section.plot(
        name,
        &format!("Nanoseconds a node at {title}"),
        Plot::Lines { axes: (axis, "ns a node"), log_x: false, lines },
    );
    let rows = chosen
        .iter()
        .map(|case| {
            let per_node = |variant| short_or_dash(seconds(&case.name, variant).map(|s| s / case.nodes * 1e9));
            let over = |variant| {
                short_or_dash(seconds(&case.name, variant).zip(seconds(&case.name, NEAREST)).map(|(a, b)| a / b))
            };
            vec![
                at(case).to_string(),
                format!("{}", case.nodes),
                per_node(FUNCTIONAL),
                per_node(ACCUMULATING),
                per_node(NEAREST),
                per_node(NEAREST_ONE),
                per_node(INDEX),
                per_node(MATRIX),
                per_node(ORDINAL),
                over(FUNCTIONAL),
                over(ACCUMULATING),
            ]
        })
        .collect();
    section.table(
        &format!("At {title}: nanoseconds a node, and speed-up of ours on all cores"),
        &[
            axis,
            "nodes",
            FUNCTIONAL,
            ACCUMULATING,
            "ours",
            "ours, one thread",
            "index matrix",
            "making it",
            "inner product",
            "over functional",
            "over accumulating",
        ],
        rows,
    );
    section.text(verdict(
        &chosen,
        axis,
        at,
        &seconds,
        FUNCTIONAL,
        "lists are short and few where nodes are wide: there is \
        little to put together, and an allocation serves many rows",
    ));
    section.text(verdict(&chosen, axis, at, &seconds, ACCUMULATING, "that form has its children in lists that were made \
        before the clock started, reads each once and writes each row once, some 20 bytes a node in order. Ours has only \
        the depths, and moves about 120 bytes a node in ten passes: parents, a walk, counts, a scan, places, rows. The \
        cores of this machine share one path to memory, so that they cannot make up for six times the traffic; a GPU's \
        memory can"));
}

/// Where ours is slower than a form, and why.
fn verdict(
    chosen: &[&Case],
    axis: &str,
    at: Varied,
    seconds: &dyn Fn(&str, &str) -> Option<f64>,
    form: &str,
    why: &str,
) -> String {
    let large: Vec<_> = chosen.iter().filter(|case| case.nodes >= LARGE).collect();
    let is_slower = |case: &&&&Case| {
        seconds(&case.name, form).zip(seconds(&case.name, NEAREST)).is_some_and(|(theirs, ours)| ours >= theirs)
    };
    let slower: Vec<String> = large.iter().filter(is_slower).map(|case| at(case).to_string()).collect();
    match (slower.len(), large.len()) {
        (0, _) => format!("From 10,000 nodes on ours is faster than the {form} form throughout this slice."),
        (some, all) if some == all => {
            format!("From 10,000 nodes on ours is slower than the {form} form throughout this slice: {why}.")
        }
        _ => format!(
            "From 10,000 nodes on ours is slower than the {form} form at {axis} {}, and faster elsewhere: {why}.",
            slower.join(", ")
        ),
    }
}
