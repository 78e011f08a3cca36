//! The Key paper's section of the report.

use serde::Deserialize;

use super::{ACCUMULATING, ALL_CORES, FUNCTIONAL, GPU, MOST, ONE_THREAD, Ours};
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

/// A machine whose measurements a record can have.
struct Subject {
    /// Its variants.
    ours: Ours,
    /// What it is.
    name: &'static str,
    /// Where ours ran.
    place: &'static str,
    /// What ends the names of its plots.
    suffix: &'static str,
    /// Where one thread of it ran, if that was measured.
    one_thread: Option<Ours>,
}

/// The name of the machine whose cores are measured.
const ALL: &str = "all cores";

const SUBJECTS: [Subject; 2] = [
    Subject { ours: ALL_CORES, name: ALL, place: "on all cores", suffix: "", one_thread: Some(ONE_THREAD) },
    Subject { ours: GPU, name: "GPU", place: "on the GPU", suffix: "-gpu", one_thread: None },
];

/// The machines of a record.
fn subjects(record: &Record) -> Vec<&'static Subject> {
    let has = |subject: &&Subject| record.of(FIGURE).any(|m| m.variant == subject.ours.nearest);
    SUBJECTS.iter().filter(has).collect()
}

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
    section.text(format!("The paper's figures: {}. Its machine: {}.", published.source, published.machine));
    let mut head = vec!["recursive form".to_string(), "paper, GPU".into()];
    head.extend(subjects.iter().map(|subject| format!("here, {}", subject.name)));
    let peaks = [(FUNCTIONAL, published.peak_speedup.functional), (ACCUMULATING, published.peak_speedup.accumulating)];
    let rows = peaks.map(|(variant, paper)| {
        let here = subjects.iter().map(|subject| short(peak(variant, &subject.ours)));
        [variant.to_string(), short(paper)].into_iter().chain(here).collect()
    });
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    section.table("Peak speed-ups over the recursive forms", &head, rows.into());
    if subjects.iter().any(|subject| subject.name == ALL) {
        section.text(
            "A GPU's threads against one core of a processor is another contest than the cores of one processor against \
             one of them: on all cores the most that parallel work can bring is the number of cores, and what goes beyond \
             it the data's layout has brought.",
        );
    }
    if subjects.iter().any(|subject| subject.name != ALL) {
        section.text(
            "On the GPU columns are there before the clock starts, and each run ends when all of its work is done. The \
             recursive forms ran on a core of the processor above.",
        );
    }
    for subject in &subjects {
        for (variant, name) in [(FUNCTIONAL, "key-speedup-functional"), (ACCUMULATING, "key-speedup-accumulating")] {
            let caption = format!(
                "Speed-up of ours {} over the {variant} form, by depth and branching; white is 1",
                subject.place
            );
            let cells = speedups(variant, &subject.ours);
            let name = format!("{name}{}", subject.suffix);
            section.plot(&name, &caption, Plot::Heat { axes: ("depth", "branching"), cells });
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

/// The cases of one plane of the surfaces.
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
    section.heading(&format!("The slice at {title}"));
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
        &format!("Nanoseconds a node at {title}"),
        Plot::Lines { axes: (axis, "ns a node"), log_x: false, lines },
    );
    for subject in subjects {
        let (caption, head, rows) = slice_table(subject, &chosen, &seconds, (axis, at));
        section.table(&format!("At {title}: {caption}"), &head, rows);
        for form in [FUNCTIONAL, ACCUMULATING] {
            section.text(verdict(subject, &chosen, (axis, at), &seconds, form));
        }
    }
}

/// Median seconds of a variant on a case.
type Seconds<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// Caption, head and rows: each case of a slice on one machine.
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
        ("ours", Some(ours.nearest)),
        ("ours, one thread", subject.one_thread.map(|one| one.nearest)),
        ("index matrix", Some(ours.index)),
        ("making it", ours.matrix),
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
    head.extend(["over functional", "over accumulating"]);
    (format!("nanoseconds a node, and speed-up of ours {}", subject.place), head, rows.collect())
}

/// Why ours can be slower on all cores than a form.
const WHY: [(&str, &str); 2] = [
    (
        FUNCTIONAL,
        ": lists are short and few where nodes are wide: there is little to put together, and an allocation serves many \
         rows",
    ),
    (
        ACCUMULATING,
        ": that form has its children in lists that were made before the clock started, reads each once and writes each \
         row once, some 20 bytes a node in order. Ours has only the depths, and moves about 120 bytes a node in ten \
         passes: parents, a walk, counts, a scan, places, rows. The cores of this machine share one path to memory, so \
         that they cannot make up for six times the traffic; a GPU's memory can",
    ),
];

/// Where ours is slower than a form, and why.
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
    let place = subject.place;
    match (slower.len(), large.len()) {
        (_, 0) => format!("No tree of this slice was measured {place} that has 10,000 nodes."),
        (0, _) => format!("From 10,000 nodes on ours {place} is faster than the {form} form throughout this slice."),
        (some, all) if some == all => {
            format!("From 10,000 nodes on ours {place} is slower than the {form} form throughout this slice{why}.")
        }
        _ => format!(
            "From 10,000 nodes on ours {place} is slower than the {form} form at {axis} {}, and faster elsewhere{why}.",
            slower.join(", ")
        ),
    }
}
