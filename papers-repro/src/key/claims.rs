//! The measured values of the Key paper's claims, and the speed-ups of which they are made.

use super::{ACCUMULATING, ALL_CORES, BYTES, FIGURE, FUNCTIONAL, Form, GPU, ONE_THREAD, Ours};
use crate::claims::{Claim, Measured};
use crate::frame::record::{Gain, Label, Record};
use crate::frame::report::short_or_dash;

/// The input of a recursive form. treepar always has the vector of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The tree with its lists of children.
    Tree,
    /// The vector of depths: each run builds the tree first.
    Depths,
}

impl Input {
    /// Returns the name of a form's variant with this input.
    pub fn variant(self, form: Form) -> &'static str {
        match self {
            Input::Tree => form.from_tree,
            Input::Depths => form.from_depths,
        }
    }

    /// Returns the input as part of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Input::Tree => "from its own tree",
            Input::Depths => "from the same depths",
        }
    }
}

/// The forms, and their inputs.
pub const FORMS: [Form; 2] = [FUNCTIONAL, ACCUMULATING];
pub const INPUTS: [Input; 2] = [Input::Tree, Input::Depths];

/// A backend that a record may contain.
pub struct Subject {
    /// The names of its variants.
    pub ours: Ours,
    /// The name of the backend.
    pub name: &'static str,
    /// The backend as part of a sentence.
    pub location: &'static str,
    /// The suffix of its plots' names.
    pub suffix: &'static str,
    /// The variants of a single thread, if they belong to this backend.
    pub one_thread: Option<Ours>,
}

/// The name of the CPU backend.
pub const ALL: &str = "all cores";

/// The backends.
const SUBJECTS: [Subject; 2] = [
    Subject { ours: ALL_CORES, name: ALL, location: "on all cores", suffix: "", one_thread: Some(ONE_THREAD) },
    Subject { ours: GPU, name: "GPU", location: "on the GPU", suffix: "-gpu", one_thread: None },
];

/// Returns the backends of a record.
pub fn subjects(record: &Record) -> Vec<&'static Subject> {
    let has = |subject: &&Subject| record.of(FIGURE).any(|m| m.variant == subject.ours.nearest);
    SUBJECTS.iter().filter(has).collect()
}

/// The number of nodes from which on treepar is expected to be the fastest.
pub const LARGE: f64 = 1e4;

/// A tree of the record.
pub struct Case {
    /// The name.
    name: String,
    /// The depth.
    pub depth: u32,
    /// The children of each inner node.
    pub branching: u32,
    /// The number of nodes.
    pub nodes: f64,
}

/// Returns the trees of a record.
pub fn cases(record: &Record) -> Vec<Case> {
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

/// Returns the trees of at least [`LARGE`] nodes.
fn large(record: &Record) -> Vec<Case> {
    cases(record).into_iter().filter(|case| case.nodes >= LARGE).collect()
}

/// Returns the median seconds of a variant on a tree.
pub fn seconds(record: &Record, case: &Case, variant: &str) -> Option<f64> {
    record.median(&Label { experiment: FIGURE, case: &case.name, variant, stage: "" })
}

impl Gain<'_> {
    /// Returns the speed-up on a tree.
    pub fn on(self, record: &Record, case: &Case) -> Option<f64> {
        Some(seconds(record, case, self.slow)? / seconds(record, case, self.fast)?)
    }

    /// Returns the greatest speed-up on any tree.
    pub fn greatest(self, record: &Record) -> Option<f64> {
        cases(record).iter().filter_map(|case| self.on(record, case)).reduce(f64::max)
    }

    /// Returns the least speed-up on large trees.
    pub fn least(self, record: &Record) -> Option<f64> {
        large(record).iter().filter_map(|case| self.on(record, case)).reduce(f64::min)
    }
}

/// Returns the greatest speed-up over a recursive form, on all cores or on a GPU.
fn greatest_of_all(record: &Record, form: Form, input: Input) -> Option<f64> {
    let of = |subject: &Subject| Gain { slow: input.variant(form), fast: subject.ours.nearest }.greatest(record);
    SUBJECTS.iter().filter_map(of).reduce(f64::max)
}

/// Returns the share of some cases that are true, unless there are none.
fn share(cases: impl Iterator<Item = bool>) -> Option<f64> {
    let (all, found) = cases.fold((0, 0), |(all, found), is| (all + 1, found + usize::from(is)));
    (all > 0).then(|| found as f64 / f64::from(all))
}

/// Returns the share of the large trees on which treepar is faster than both recursive forms from the same depths.
fn consistent(record: &Record) -> Option<f64> {
    let faster = |case: &Case| {
        let over = FORMS.map(|form| Gain { slow: form.from_depths, fast: ALL_CORES.nearest }.on(record, case));
        Some(over.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().all(|ratio| ratio > 1.0))
    };
    share(large(record).iter().filter_map(faster))
}

/// Returns the share of the trees on which the accumulating form is faster than the functional one, each from its own tree.
fn mutation(record: &Record) -> Option<f64> {
    let pair = Gain { slow: FUNCTIONAL.from_tree, fast: ACCUMULATING.from_tree };
    share(cases(record).iter().filter_map(|case| Some(pair.on(record, case)? > 1.0)))
}

/// Returns the median of the times with an index path matrix over those without, on large trees.
fn without_matrix(record: &Record) -> Option<f64> {
    let pair = Gain { slow: ALL_CORES.index, fast: ALL_CORES.nearest };
    let mut ratios: Vec<f64> = large(record).iter().filter_map(|case| pair.on(record, case)).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Yields the bytes per node that flattening moves on the CPU.
pub fn bytes_per_node(record: &Record) -> impl Iterator<Item = f64> {
    record.of(BYTES).filter(|m| m.variant == ALL_CORES.nearest).filter_map(|m| m.number("bytes per node"))
}

/// Returns the measured value of a claim or goal.
pub fn measured(record: &Record, claim: &Claim) -> Option<Measured> {
    let least = |form: Form, ours: Ours| Gain { slow: form.from_depths, fast: ours.nearest }.least(record);
    let value = match claim.id.strip_prefix("key-")? {
        "functional" => greatest_of_all(record, FUNCTIONAL, Input::Tree),
        "accumulating" => greatest_of_all(record, ACCUMULATING, Input::Tree),
        "functional-depths" => greatest_of_all(record, FUNCTIONAL, Input::Depths),
        "accumulating-depths" => greatest_of_all(record, ACCUMULATING, Input::Depths),
        "ratio" => {
            let [functional, accumulating] = FORMS.map(|form| greatest_of_all(record, form, Input::Tree));
            functional.zip(accumulating).map(|(functional, accumulating)| functional / accumulating)
        }
        "consistent" => consistent(record),
        "matrix" => without_matrix(record),
        "mutation" => mutation(record),
        "goal-functional" => least(FUNCTIONAL, ALL_CORES),
        "goal-accumulating" => least(ACCUMULATING, ALL_CORES),
        "goal-functional-one" => least(FUNCTIONAL, ONE_THREAD),
        "goal-accumulating-one" => least(ACCUMULATING, ONE_THREAD),
        "goal-bytes" => bytes_per_node(record).reduce(f64::max),
        _ => None,
    };
    value.map(Measured::from)
}

/// Returns the result of the rerun, in one sentence.
pub fn headline(record: &Record) -> String {
    let [functional, accumulating] =
        FORMS.map(|form| INPUTS.map(|input| short_or_dash(greatest_of_all(record, form, input))));
    format!(
        "Flattening is up to {} times as fast as the functional recursion and {} times as fast as the accumulating one, each from \
         its own tree; from the same depths, up to {} and {} times.",
        functional[0], accumulating[0], functional[1], accumulating[1]
    )
}
