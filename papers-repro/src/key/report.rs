//! The Key paper's section of the report.

use serde::Deserialize;

use super::{ACCUMULATING, ALL_CORES, BYTES, FIGURE, FUNCTIONAL, Form, GPU, MOST, ONE_THREAD, Ours};
use crate::claims::{Claim, Measured};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::{Label, Record};
use crate::frame::report::{Section, short, short_or_dash, thousands};

#[derive(Deserialize)]
struct Published {
    source: String,
    machine: String,
}

/// The input of a recursive form. treepar always has the vector of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    /// The tree with its lists of children.
    Tree,
    /// The vector of depths: each run builds the tree first.
    Depths,
}

impl Input {
    /// Returns the name of a form's variant with this input.
    fn variant(self, form: Form) -> &'static str {
        match self {
            Input::Tree => form.from_tree,
            Input::Depths => form.from_depths,
        }
    }

    /// Returns the input as part of a sentence.
    fn text(self) -> &'static str {
        match self {
            Input::Tree => "from its own tree",
            Input::Depths => "from the same depths",
        }
    }
}

const FORMS: [Form; 2] = [FUNCTIONAL, ACCUMULATING];
const INPUTS: [Input; 2] = [Input::Tree, Input::Depths];

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
        .filter(|m| m.variant == FUNCTIONAL.from_tree)
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

/// Returns the median seconds of a variant on a tree.
fn seconds(record: &Record, case: &Case, variant: &str) -> Option<f64> {
    record.median(&Label { experiment: FIGURE, case: &case.name, variant, stage: "" })
}

/// Returns the speed-up of one variant over another on a tree.
fn speedup(record: &Record, case: &Case, over: &str, of: &str) -> Option<f64> {
    Some(seconds(record, case, over)? / seconds(record, case, of)?)
}

/// Returns the greatest speed-up of a variant on any tree.
fn peak(record: &Record, over: &str, of: &str) -> Option<f64> {
    cases(record).iter().filter_map(|case| speedup(record, case, over, of)).reduce(f64::max)
}

/// Returns the least speed-up of a variant on trees of at least [`LARGE`] nodes.
fn least(record: &Record, over: &str, of: &str) -> Option<f64> {
    let cases = cases(record);
    let large = cases.iter().filter(|case| case.nodes >= LARGE);
    large.filter_map(|case| speedup(record, case, over, of)).reduce(f64::min)
}

/// Returns the greatest speed-up over a recursive form, on all cores or on a GPU.
fn peak_of_all(record: &Record, form: Form, input: Input) -> Option<f64> {
    let of = |subject: &Subject| peak(record, input.variant(form), subject.ours.nearest);
    SUBJECTS.iter().filter_map(of).reduce(f64::max)
}

/// Returns the share of the trees of at least [`LARGE`] nodes on which treepar is faster than both recursive forms from the same
/// depths.
fn consistent(record: &Record) -> Option<f64> {
    let cases = cases(record);
    let faster: Vec<bool> = cases
        .iter()
        .filter(|case| case.nodes >= LARGE)
        .filter_map(|case| {
            let over = FORMS.map(|form| speedup(record, case, form.from_depths, ALL_CORES.nearest));
            Some(over.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().all(|ratio| ratio > 1.0))
        })
        .collect();
    share(&faster)
}

/// Returns the share of the cases that are true, unless there are none.
fn share(cases: &[bool]) -> Option<f64> {
    (!cases.is_empty()).then(|| cases.iter().filter(|&&is| is).count() as f64 / cases.len() as f64)
}

/// Returns the median of the times with an index path matrix over those without, on trees of at least [`LARGE`] nodes.
fn without_matrix(record: &Record) -> Option<f64> {
    let cases = cases(record);
    let large = cases.iter().filter(|case| case.nodes >= LARGE);
    let mut ratios: Vec<f64> =
        large.filter_map(|case| speedup(record, case, ALL_CORES.index, ALL_CORES.nearest)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Yields the bytes per node that flattening moves on the CPU.
fn bytes_per_node(record: &Record) -> impl Iterator<Item = f64> {
    record.of(BYTES).filter(|m| m.variant == ALL_CORES.nearest).filter_map(|m| m.number("bytes per node"))
}

/// Returns the measured value of a claim or goal.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let value = match claim.id.strip_prefix("key-")? {
        "functional" => peak_of_all(record, FUNCTIONAL, Input::Tree),
        "accumulating" => peak_of_all(record, ACCUMULATING, Input::Tree),
        "functional-depths" => peak_of_all(record, FUNCTIONAL, Input::Depths),
        "accumulating-depths" => peak_of_all(record, ACCUMULATING, Input::Depths),
        "ratio" => {
            let [functional, accumulating] = FORMS.map(|form| peak_of_all(record, form, Input::Tree));
            functional.zip(accumulating).map(|(functional, accumulating)| functional / accumulating)
        }
        "consistent" => consistent(record),
        "matrix" => without_matrix(record),
        "mutation" => {
            let cases = cases(record);
            let ratios =
                cases.iter().filter_map(|case| speedup(record, case, FUNCTIONAL.from_tree, ACCUMULATING.from_tree));
            let faster: Vec<bool> = ratios.map(|ratio| ratio > 1.0).collect();
            share(&faster)
        }
        "goal-functional" => least(record, FUNCTIONAL.from_depths, ALL_CORES.nearest),
        "goal-accumulating" => least(record, ACCUMULATING.from_depths, ALL_CORES.nearest),
        "goal-functional-one" => least(record, FUNCTIONAL.from_depths, ONE_THREAD.nearest),
        "goal-accumulating-one" => least(record, ACCUMULATING.from_depths, ONE_THREAD.nearest),
        "goal-bytes" => bytes_per_node(record).reduce(f64::max),
        _ => None,
    };
    value.map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let [functional, accumulating] =
        FORMS.map(|form| INPUTS.map(|input| short_or_dash(peak_of_all(record, form, input))));
    format!(
        "Flattening is up to {} times as fast as the functional recursion and {} times as fast as the accumulating one, each from \
         its own tree; from the same depths, up to {} and {} times.",
        functional[0], accumulating[0], functional[1], accumulating[1]
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
         list, and the tree is in an arena. treepar flattens without a path matrix, in one loop over the nodes of each \
         block. All variants computed the same rows on every tree.",
    );
    section.text(
        "There are two comparisons. In the first, each form starts with its own input: the recursive forms with a tree whose lists of \
         children are ready, and treepar with the vector of depths. In the second, all start with that vector, so the times of \
         the recursive forms include building the tree. The paper does not say which it measured. The accumulating form keeps the \
         memory of its list and arena from run to run, as treepar does with its columns.",
    );
    section.text(format!("Published figures: {}. Published hardware: {}.", published.source, published.machine));
    let cases = cases(record);
    let subjects = subjects(record);
    peaks(&mut section, record, &subjects);
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
    if let Some((low, high)) =
        bytes_per_node(record).map(|bytes| (bytes, bytes)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    {
        section.text(format!(
            "By the counters of treepar, flattening on the CPU moves {} to {} bytes per node: it reads depths and marks twice, and writes \
             each row once.",
            short(low),
            short(high)
        ));
    }
    for subject in &subjects {
        for (input, name) in INPUTS.iter().zip(["", "-same-input"]) {
            for form in FORMS {
                let cells = cases.iter().filter_map(|case| {
                    let ratio = speedup(record, case, input.variant(form), subject.ours.nearest)?;
                    Some((case.depth as i32, case.branching as i32, ratio))
                });
                let caption = format!(
                    "Speed-up of treepar {} over the {} form {}, by depth and branching; white means equal",
                    subject.location,
                    form.name,
                    input.text()
                );
                let name = format!("key-speedup-{}{name}{}", form.name, subject.suffix);
                let published = crate::claims::published(&format!("key-{}", form.name));
                let see = format!(
                    "Red cells are trees on which treepar is faster, and blue ones on which the recursive form is; the circle is the \
                     greatest speed-up, which is {} times in the paper.",
                    short(published)
                );
                let plot = Plot::Heat { axes: ("depth", "branching"), cells: cells.collect(), published };
                section.plot(&name, &caption, &see, plot);
            }
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

/// Adds a table of the greatest speed-ups, and of the least ones on large trees.
fn peaks(section: &mut Section, record: &Record, subjects: &[&Subject]) {
    let mut ours: Vec<(String, &'static str)> = Vec::new();
    for subject in subjects {
        ours.push((subject.name.into(), subject.ours.nearest));
        ours.extend(subject.one_thread.map(|one| ("one thread".into(), one.nearest)));
    }
    let rows = FORMS.iter().flat_map(|&form| INPUTS.map(|input| (form, input))).map(|(form, input)| {
        let paper = crate::claims::published(&format!("key-{}", form.name));
        let mut cells = vec![format!("{}, {}", form.name, input.text()), short(paper)];
        for (_, variant) in &ours {
            let over = input.variant(form);
            cells.extend([peak(record, over, variant), least(record, over, variant)].map(short_or_dash));
        }
        cells
    });
    let heads =
        ours.iter().flat_map(|(name, _)| [format!("greatest, {name}"), format!("least from 10,000 nodes on, {name}")]);
    let head: Vec<String> =
        ["recursive form".into(), "paper, on a GPU: greatest".into()].into_iter().chain(heads).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    section.table("Speed-up over the recursive forms", &head, rows.collect());
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
    let mut variants: Vec<&str> = FORMS.iter().flat_map(|&form| INPUTS.map(|input| input.variant(form))).collect();
    for Subject { ours, one_thread, .. } in subjects {
        variants.push(ours.nearest);
        variants.extend(one_thread.map(|one| one.nearest));
        variants.extend([ours.index, ours.ordinal]);
    }
    let lines = variants
        .into_iter()
        .map(|variant| Line {
            name: variant.replace("flatten", "treepar"),
            points: chosen
                .iter()
                .filter_map(|case| Some((f64::from(at(case)), seconds(record, case, variant)? / case.nodes * 1e9)))
                .collect(),
            published: false,
        })
        .filter(|line| !line.points.is_empty())
        .collect();
    section.plot(
        name,
        &format!("Nanoseconds per node at {title}"),
        "A form is better the lower its line; the distance between two lines is their speed-up. The paper has no times of this slice.",
        Plot::Lines { axes: (axis, "ns per node"), log_x: false, lines, marks: Vec::new() },
    );
    for subject in subjects {
        let (caption, head, rows) = slice_table(record, subject, &chosen, (axis, at));
        section.table(&format!("At {title}: {caption}"), &head, rows);
        let compared = FORMS.iter().flat_map(|&form| INPUTS.map(|input| (form, input)));
        let verdicts = compared.map(|(form, input)| verdict(record, subject, &chosen, (axis, at), form, input));
        section.text(verdicts.collect::<Vec<_>>().join(" "));
    }
}

/// Returns the caption, the header and the rows of a slice's table for one backend.
fn slice_table(
    record: &Record,
    subject: &Subject,
    chosen: &[&Case],
    (axis, at): (&'static str, Varied),
) -> (String, Vec<&'static str>, Vec<Vec<String>>) {
    let ours = &subject.ours;
    let columns = [
        ("functional", Some(FUNCTIONAL.from_tree)),
        ("from depths", Some(FUNCTIONAL.from_depths)),
        ("accumulating", Some(ACCUMULATING.from_tree)),
        ("from depths", Some(ACCUMULATING.from_depths)),
        ("treepar", Some(ours.nearest)),
        ("treepar, one thread", subject.one_thread.map(|one| one.nearest)),
        ("index matrix", Some(ours.index)),
        ("its construction", ours.matrix),
        ("inner product", Some(ours.ordinal)),
    ];
    let columns = columns.into_iter().filter_map(|(name, variant)| Some((name, variant?)));
    let (names, variants): (Vec<&str>, Vec<&str>) = columns.unzip();
    let rows = chosen.iter().map(|case| {
        let per_node = |variant: &&str| short_or_dash(seconds(record, case, variant).map(|s| s / case.nodes * 1e9));
        let over = |form: Form| short_or_dash(speedup(record, case, form.from_depths, ours.nearest));
        let mut cells = vec![at(case).to_string(), thousands(&case.nodes.to_string())];
        cells.extend(variants.iter().map(per_node));
        cells.extend(FORMS.map(over));
        cells
    });
    let mut head = vec![axis, "nodes"];
    head.extend(names);
    head.extend(["over functional", "over accumulating"]);
    let caption = format!(
        "nanoseconds per node, and the speed-up of treepar {} over both forms from the same depths",
        subject.location
    );
    (caption, head, rows.collect())
}

/// The reasons why treepar on all cores can be slower than a recursive form.
const WHY: [(Form, Input, &str); 2] = [
    (
        FUNCTIONAL,
        Input::Tree,
        " If nodes have many children, the functional form has few and short lists: there is little to concatenate, \
         and an allocation serves many rows.",
    ),
    (
        ACCUMULATING,
        Input::Tree,
        " The accumulating form starts with lists of children that were built before the clock started. treepar has to find out which nodes \
         belong to each expression.",
    ),
];

/// Describes the trees on which treepar is slower than a recursive form, with the reason.
fn verdict(
    record: &Record,
    subject: &Subject,
    chosen: &[&Case],
    (axis, at): (&str, Varied),
    form: Form,
    input: Input,
) -> String {
    let pair = |case: &Case| speedup(record, case, input.variant(form), subject.ours.nearest);
    let large: Vec<_> = chosen.iter().filter(|case| case.nodes >= LARGE && pair(case).is_some()).collect();
    let is_slower = |case: &&&&Case| pair(case).is_some_and(|ratio| ratio <= 1.0);
    let slower: Vec<String> = large.iter().filter(is_slower).map(|case| at(case).to_string()).collect();
    let is_here = |why: &&(Form, Input, &str)| (why.0, why.1) == (form, input) && subject.name == ALL;
    let why = WHY.iter().find(is_here).map_or("", |why| why.2);
    let (location, form) = (subject.location, format!("the {} form {}", form.name, input.text()));
    let trees = "On trees of at least 10,000 nodes";
    match (slower.len(), large.len()) {
        (_, 0) => format!("This slice has no measurements {location} of trees with at least 10,000 nodes for {form}."),
        (0, _) => format!("{trees}, treepar {location} is always faster than {form}."),
        (some, all) if some == all => {
            format!("{trees}, treepar {location} is always slower than {form}.{why}")
        }
        _ => format!(
            "{trees}, treepar {location} is slower than {form} at {axis} {}, and otherwise faster.{why}",
            slower.join(", ")
        ),
    }
}
