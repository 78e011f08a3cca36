//! The Key paper's section of the report.

use serde::Deserialize;

use super::{ACCUMULATING, ALL_CORES, FUNCTIONAL, GPU, MOST, ONE_THREAD, Ours};
use crate::claims::{Claim, Measured};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::Record;
use crate::frame::report::{Section, short, short_or_dash};

#[derive(Deserialize)]
struct Published {
    source: String,
    machine: String,
}

const FIGURE: &str = "figure 1";

/// A backend that a record may contain.
struct Subject {
    /// The names of its variants.
    ours: Ours,
    /// The name of the backend.
    name: &'static str,
    /// The backend as part of a sentence.
    location: &'static str,
    /// The suffix of its plots' names.
    suffix: &'static str,
    /// The variants of a single thread, if they belong to this backend.
    one_thread: Option<Ours>,
}

/// The name of the CPU backend.
const ALL: &str = "all cores";

const SUBJECTS: [Subject; 2] = [
    Subject { ours: ALL_CORES, name: ALL, location: "on all cores", suffix: "", one_thread: Some(ONE_THREAD) },
    Subject { ours: GPU, name: "GPU", location: "on the GPU", suffix: "-gpu", one_thread: None },
];

/// Returns the backends of a record.
fn subjects(record: &Record) -> Vec<&'static Subject> {
    let has = |subject: &&Subject| record.of(FIGURE).any(|m| m.variant == subject.ours.nearest);
    SUBJECTS.iter().filter(has).collect()
}

/// The number of nodes from which on treepar is expected to be the fastest.
const LARGE: f64 = 1e4;

/// A tree of the record.
struct Case {
    name: String,
    depth: u32,
    branching: u32,
    nodes: f64,
}

/// The property of a tree that varies in a slice.
type Varied = fn(&Case) -> u32;

/// Returns the trees of a record.
fn cases(record: &Record) -> Vec<Case> {
    record
        .of(FIGURE)
        .filter(|m| m.variant == FUNCTIONAL)
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

/// Returns the greatest speed-up over a recursive form, on all cores or on a GPU.
fn peak(record: &Record, form: &str) -> Option<f64> {
    let seconds = |case: &str, variant: &str| record.median(FIGURE, case, variant, "");
    let speedup = |case: &Case, ours: &Ours| Some(seconds(&case.name, form)? / seconds(&case.name, ours.nearest)?);
    let cases = cases(record);
    let all = cases.iter().flat_map(|case| SUBJECTS.iter().filter_map(|subject| speedup(case, &subject.ours)));
    all.reduce(f64::max)
}

/// Returns the measured value of a claim.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let form = claim.id.strip_prefix("key-")?;
    peak(record, form).map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let [functional, accumulating] = [FUNCTIONAL, ACCUMULATING].map(|form| short_or_dash(peak(record, form)));
    format!(
        "Flattening is up to {functional} times as fast as the functional recursion, and {accumulating} times as fast as the \
         accumulating one."
    )
}

/// Returns the section of a record.
pub fn section(record: &Record) -> Section {
    let published: Published = serde_json::from_str(include_str!("../../data/key.json")).expect("the file is ours");
    let mut section = Section::new("Key paper: flattening expressions (section 6, Figure 1)", record);
    section.text(
        "A full tree is flattened. Each inner node is an expression and becomes a group of rows, its head and its \
         parts. Nested expressions come first and are replaced by references. In the functional form, each call \
         returns a list, and its caller concatenates the lists. In the accumulating form, all calls append to one \
         list, and the tree is in an arena. treepar finds the expression around each node without a path matrix, and \
         computes the index of each row by prefix sums. All variants computed the same rows on every tree.",
    );
    let cases = cases(record);
    let seconds = |case: &str, variant: &str| record.median(FIGURE, case, variant, "");
    let speedups = |variant: &'static str, ours: &Ours| -> Vec<(i32, i32, f64)> {
        cases
            .iter()
            .filter_map(|case| {
                let ratio = seconds(&case.name, variant)? / seconds(&case.name, ours.nearest)?;
                Some((case.depth as i32, case.branching as i32, ratio))
            })
            .collect()
    };
    let peak = |variant, ours| speedups(variant, ours).iter().map(|cell| cell.2).fold(0.0, f64::max);
    let subjects = subjects(record);
    section.text(format!("Published figures: {}. Published hardware: {}.", published.source, published.machine));
    let mut head = vec!["recursive form".to_string(), "paper, GPU".into()];
    head.extend(subjects.iter().map(|subject| format!("here, {}", subject.name)));
    let rows = [FUNCTIONAL, ACCUMULATING].map(|variant| {
        let paper = crate::claims::published(&format!("key-{variant}"));
        let here = subjects.iter().map(|subject| short(peak(variant, &subject.ours)));
        [variant.to_string(), short(paper)].into_iter().chain(here).collect()
    });
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    section.table("Peak speed-up over the recursive forms", &head, rows.into());
    if subjects.iter().any(|subject| subject.name == ALL) {
        section.text(
            "The published speed-ups compare a GPU with one core of a CPU. Here, all cores of a CPU are compared with \
             one of them. Parallel work can gain at most a factor equal to the number of cores; any further gain comes \
             from the data layout.",
        );
    }
    if subjects.iter().any(|subject| subject.name != ALL) {
        section.text(
            "On the GPU, inputs are uploaded before the clock starts, and each run includes the wait for its end. The \
             recursive forms ran on one core of the CPU.",
        );
    }
    for subject in &subjects {
        for (variant, name) in [(FUNCTIONAL, "key-speedup-functional"), (ACCUMULATING, "key-speedup-accumulating")] {
            let caption = format!(
                "Speed-up of treepar {} over the {variant} form, by depth and branching; white means equal",
                subject.location
            );
            let cells = speedups(variant, &subject.ours);
            let name = format!("{name}{}", subject.suffix);
            let see = "Red cells are trees on which treepar is faster, and blue ones on which the recursive form is.";
            section.plot(&name, &caption, see, Plot::Heat { axes: ("depth", "branching"), cells });
        }
    }
    for (name, title, fixed) in [
        ("key-slice-branching-2", "branching 2", Slice::Branching(2)),
        ("key-slice-depth-5", "depth 5", Slice::Depth(5)),
    ] {
        slice(&mut section, record, &subjects, &cases, name, title, fixed);
    }
    section
}

/// A slice through the trees: one fixed property.
#[derive(Clone, Copy)]
enum Slice {
    Branching(u32),
    Depth(u32),
}

fn slice(
    section: &mut Section,
    record: &Record,
    subjects: &[&Subject],
    cases: &[Case],
    name: &str,
    title: &str,
    fixed: Slice,
) {
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
    section.heading(&format!("Slice at {title}"));
    let seconds = |case: &str, variant: &str| record.median(FIGURE, case, variant, "");
    let mut variants = vec![FUNCTIONAL, ACCUMULATING];
    for Subject { ours, one_thread, .. } in subjects {
        variants.push(ours.nearest);
        variants.extend(one_thread.map(|one| one.nearest));
        variants.extend([ours.index, ours.ordinal]);
    }
    let lines = variants
        .into_iter()
        .map(|variant| Line {
            name: variant.into(),
            points: chosen
                .iter()
                .filter_map(|case| Some((f64::from(at(case)), seconds(&case.name, variant)? / case.nodes * 1e9)))
                .collect(),
            published: false,
        })
        .filter(|line| !line.points.is_empty())
        .collect();
    section.plot(
        name,
        &format!("Nanoseconds per node at {title}"),
        "A form is better the lower its line; the distance between two lines is their speed-up.",
        Plot::Lines { axes: (axis, "ns per node"), log_x: false, lines, marks: Vec::new() },
    );
    for subject in subjects {
        let (caption, head, rows) = slice_table(subject, &chosen, &seconds, (axis, at));
        section.table(&format!("At {title}: {caption}"), &head, rows);
        for form in [FUNCTIONAL, ACCUMULATING] {
            section.text(verdict(subject, &chosen, (axis, at), &seconds, form));
        }
    }
}

/// Returns the median seconds of a variant on a case.
type Seconds<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// Returns the caption, the header and the rows of a slice's table for one backend.
fn slice_table(
    subject: &Subject,
    chosen: &[&Case],
    seconds: Seconds<'_>,
    (axis, at): (&'static str, Varied),
) -> (String, Vec<&'static str>, Vec<Vec<String>>) {
    let ours = &subject.ours;
    let columns = [
        (FUNCTIONAL, Some(FUNCTIONAL)),
        (ACCUMULATING, Some(ACCUMULATING)),
        ("treepar", Some(ours.nearest)),
        ("treepar, one thread", subject.one_thread.map(|one| one.nearest)),
        ("index matrix", Some(ours.index)),
        ("its construction", ours.matrix),
        ("inner product", Some(ours.ordinal)),
    ];
    let columns = columns.into_iter().filter_map(|(name, variant)| Some((name, variant?)));
    let (names, variants): (Vec<&str>, Vec<&str>) = columns.unzip();
    let rows = chosen.iter().map(|case| {
        let per_node = |variant: &&str| short_or_dash(seconds(&case.name, variant).map(|s| s / case.nodes * 1e9));
        let over = |variant| {
            short_or_dash(seconds(&case.name, variant).zip(seconds(&case.name, ours.nearest)).map(|(a, b)| a / b))
        };
        let mut cells = vec![at(case).to_string(), format!("{}", case.nodes)];
        cells.extend(variants.iter().map(per_node));
        cells.extend([over(FUNCTIONAL), over(ACCUMULATING)]);
        cells
    });
    let mut head = vec![axis, "nodes"];
    head.extend(names);
    head.extend(["speed-up over functional", "speed-up over accumulating"]);
    (format!("nanoseconds per node and speed-up of treepar {}", subject.location), head, rows.collect())
}

/// The reasons why treepar on all cores can be slower than a recursive form.
const WHY: [(&str, &str); 2] = [
    (
        FUNCTIONAL,
        " If nodes have many children, the functional form has few and short lists: there is little to concatenate, \
         and an allocation serves many rows.",
    ),
    (
        ACCUMULATING,
        " The accumulating form starts with lists of children that were built before the clock started. It reads each \
         list once and writes each row once, in order: about 20 bytes per node. treepar starts with depths and moves \
         about 120 bytes per node in ten passes. The cores of this host share one path to memory, so they cannot make \
         up for six times the traffic.",
    ),
];

/// Describes the trees on which treepar is slower than a recursive form, with the reason.
fn verdict(
    subject: &Subject,
    chosen: &[&Case],
    (axis, at): (&str, Varied),
    seconds: Seconds<'_>,
    form: &str,
) -> String {
    let ours = subject.ours.nearest;
    let pair = |case: &Case| seconds(&case.name, form).zip(seconds(&case.name, ours));
    let large: Vec<_> = chosen.iter().filter(|case| case.nodes >= LARGE && pair(case).is_some()).collect();
    let is_slower = |case: &&&&Case| pair(case).is_some_and(|(theirs, ours)| ours >= theirs);
    let slower: Vec<String> = large.iter().filter(is_slower).map(|case| at(case).to_string()).collect();
    let why = WHY.iter().find(|why| why.0 == form && subject.name == ALL).map_or("", |why| why.1);
    let location = subject.location;
    let trees = "On trees of at least 10,000 nodes";
    match (slower.len(), large.len()) {
        (_, 0) => format!("This slice has no measurements {location} of trees with at least 10,000 nodes."),
        (0, _) => format!("{trees}, treepar {location} is always faster than the {form} form."),
        (some, all) if some == all => {
            format!("{trees}, treepar {location} is always slower than the {form} form.{why}")
        }
        _ => format!(
            "{trees}, treepar {location} is slower than the {form} form at {axis} {}, and otherwise faster.{why}",
            slower.join(", ")
        ),
    }
}
