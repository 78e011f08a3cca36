//! Slices through the trees: one property is fixed, and the other varies.

use super::claims::{ALL, Case, FORMS, INPUTS, Input, LARGE, Subject, seconds};
use super::{ACCUMULATING, FUNCTIONAL, Form, MOST};
use crate::frame::plot::{Line, Plot};
use crate::frame::record::{Gain, Record};
use crate::frame::report::{Section, short_or_dash, thousands};

/// The property of a tree that varies in a slice.
#[derive(Clone, Copy)]
struct Axis {
    /// The name.
    name: &'static str,
    /// Returns the property of a tree.
    of: fn(&Case) -> u32,
}

/// A slice.
pub struct Slice {
    /// The name of its plot's files.
    name: &'static str,
    /// The fixed property with its value.
    title: &'static str,
    /// Returns whether a tree belongs to the slice.
    has: fn(&Case) -> bool,
    /// The other property.
    axis: Axis,
}

/// The paper's slices.
pub const SLICES: [Slice; 2] = [
    Slice {
        name: "key-slice-branching-2",
        title: "branching 2",
        has: |case| case.branching == 2,
        axis: Axis { name: "depth", of: |case| case.depth },
    },
    Slice {
        name: "key-slice-depth-5",
        title: "depth 5",
        has: |case| case.depth == 5,
        axis: Axis { name: "branching", of: |case| case.branching },
    },
];

/// Adds a slice's plot, and a table for each backend.
pub fn slice(section: &mut Section, record: &Record, subjects: &[&Subject], cases: &[Case], slice: &Slice) {
    let Slice { name, title, has, axis } = *slice;
    let chosen: Vec<&Case> = cases.iter().filter(|case| has(case) && (axis.of)(case) < MOST).collect();
    section.heading(&format!("Slice at {title}"));
    let mut variants: Vec<&str> = FORMS.iter().flat_map(|&form| INPUTS.map(|input| input.variant(form))).collect();
    for Subject { ours, one_thread, .. } in subjects {
        variants.push(ours.nearest);
        variants.extend(one_thread.map(|one| one.nearest));
        variants.extend([ours.index, ours.ordinal]);
    }
    let per_node = |variant: &str, case: &Case| {
        Some((f64::from((axis.of)(case)), seconds(record, case, variant)? / case.nodes * 1e9))
    };
    let lines = variants.into_iter().map(|variant| Line {
        name: variant.replace("flatten", "treepar"),
        points: chosen.iter().filter_map(|case| per_node(variant, case)).collect(),
        published: false,
    });
    let lines = lines.filter(|line| !line.points.is_empty()).collect();
    section.plot(
        name,
        &format!("Nanoseconds per node at {title}"),
        "A form is better the lower its line; the distance between two lines is their speed-up. The paper has no times of this slice.",
        Plot::Lines { axes: (axis.name, "ns per node"), log_x: false, lines, marks: Vec::new() },
    );
    for subject in subjects {
        let (caption, head, rows) = table(record, subject, &chosen, axis);
        section.table(&format!("At {title}: {caption}"), &head, rows);
        let compared = FORMS.iter().flat_map(|&form| INPUTS.map(|input| (form, input)));
        let verdicts = compared.filter_map(|(form, input)| verdict(record, subject, &chosen, axis, form, input));
        let verdicts: Vec<String> = verdicts.collect();
        if !verdicts.is_empty() {
            let text = verdicts.join(" It is ");
            section.text(format!("On trees of at least 10,000 nodes, treepar {} is {text}", subject.location));
        }
    }
}

/// Returns the caption, the header and the rows of a slice's table for one backend.
fn table(
    record: &Record,
    subject: &Subject,
    chosen: &[&Case],
    axis: Axis,
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
        let over = |form: Form| short_or_dash(Gain { slow: form.from_depths, fast: ours.nearest }.on(record, case));
        let mut cells = vec![(axis.of)(case).to_string(), thousands(&case.nodes.to_string())];
        cells.extend(variants.iter().map(per_node));
        cells.extend(FORMS.map(over));
        cells
    });
    let mut head = vec![axis.name, "nodes"];
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

/// Describes the large trees on which treepar is slower than a recursive form, with the reason, as the end of a sentence. Returns `None`
/// if the slice has no large trees.
fn verdict(
    record: &Record,
    subject: &Subject,
    chosen: &[&Case],
    axis: Axis,
    form: Form,
    input: Input,
) -> Option<String> {
    let pair = Gain { slow: input.variant(form), fast: subject.ours.nearest };
    let large = chosen.iter().filter(|case| case.nodes >= LARGE);
    let large: Vec<(u32, f64)> = large.filter_map(|case| Some(((axis.of)(case), pair.on(record, case)?))).collect();
    let slower: Vec<String> = large.iter().filter(|(_, ratio)| *ratio <= 1.0).map(|(at, _)| at.to_string()).collect();
    let is_here = |why: &&(Form, Input, &str)| (why.0, why.1) == (form, input) && subject.name == ALL;
    let why = WHY.iter().find(is_here).map_or("", |why| why.2);
    let form = format!("the {} form {}", form.name, input.text());
    match (slower.len(), large.len()) {
        (_, 0) => None,
        (0, _) => Some(format!("always faster than {form}.")),
        (some, all) if some == all => Some(format!("always slower than {form}.{why}")),
        _ => Some(format!("slower than {form} at {} {}, and otherwise faster.{why}", axis.name, slower.join(", "))),
    }
}
