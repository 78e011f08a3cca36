//! The Key paper's section of the report.

use serde::Deserialize;

use super::claims::{ALL, FORMS, INPUTS, Subject, bytes_per_node, cases, subjects};
use super::slices::{SLICES, slice};
use crate::frame::plot::Plot;
use crate::frame::record::{Gain, Record};
use crate::frame::report::{Section, short, short_or_dash};

#[derive(Deserialize)]
struct Published {
    source: String,
    machine: String,
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
                let pair = Gain { slow: input.variant(form), fast: subject.ours.nearest };
                let cells = cases.iter().filter_map(|case| {
                    let ratio = pair.on(record, case)?;
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
    for each in &SLICES {
        slice(&mut section, record, &subjects, &cases, each);
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
            let pair = Gain { slow: input.variant(form), fast: variant };
            cells.extend([pair.greatest(record), pair.least(record)].map(short_or_dash));
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
