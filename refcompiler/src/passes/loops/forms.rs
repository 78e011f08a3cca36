//! The rules: which form a node has, and the template of each form.

use treepar::device::device;

use super::elements::{after_operands, is_elementwise, loop_of_elements};
use super::facts::{Facts, has_lambda};
use super::pieces::Piece;
use super::slots::{Slot, Template, runs};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The parts of a rule.
const HEAD: usize = 0;
const TAIL: usize = 1;
const BEFORE_FIRST: usize = 2;
const AFTER_FIRST: usize = 3;
const BEFORE_OTHER: usize = 4;
const AFTER_OTHER: usize = 5;
const PARTS: usize = 6;

/// Returns how often a piece occurs: once, or as often as [`times`] says.
macro_rules! repeats {
    () => {
        0
    };
    (times) => {
        1
    };
}

/// Declares the forms, each with its template: the head; the pieces around the first child and by how much it is deeper;
/// the same of the other children; the tail. The first children of an operation are its LAMBDA, and of a LAMBDA its parameters.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident =>
        [$($head:ident),*]
        ([$($before:ident $(($before_times:ident))?),*] $step:literal [$($after:ident),*])
        ([$($before_other:ident),*] $other_step:literal [$($after_other:ident),*])
        [$($tail:ident $(($tail_times:ident))?),*];)*) => {
        /// The form of a node, which determines its template.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        const LISTS: [[(u64, u16); PARTS]; Form::COUNT] = [$([
            runs(&[$((Piece::$head, 0)),*]),
            runs(&[$((Piece::$tail, repeats!($($tail_times)?))),*]),
            runs(&[$((Piece::$before, repeats!($($before_times)?))),*]),
            runs(&[$((Piece::$after, 0)),*]),
            runs(&[$((Piece::$before_other, 0)),*]),
            runs(&[$((Piece::$after_other, 0)),*]),
        ]),*];

        /// By how much the first child and the others are deeper.
        const STEPS: [u32; 2 * Form::COUNT] = {
            let steps: [[u32; 2]; Form::COUNT] = [$([$step, $other_step]),*];
            let mut flat = [0; 2 * Form::COUNT];
            let mut i = 0;
            while i < flat.len() {
                flat[i] = steps[i / 2][i % 2];
                i += 1;
            }
            flat
        };
    };
}

forms! {
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) [];
    /// `map[f, a, ..]` to numbers.
    Map => [Sequence] ([EqualSize(times), New, Loop] 2 []) ([Hold] 3 []) [Made];
    /// Its LAMBDA.
    MapBody => [Block] ([] 1 []) ([Put] 2 []) [];
    /// `map[f, a, ..]` to rows.
    MapRows => [Sequence] ([EqualSize(times), NewOwner, Loop] 2 []) ([Hold] 3 []) [GiveMade];
    /// Its LAMBDA.
    MapRowsBody => [Block] ([] 1 []) ([Hold] 3 [NewRows, PutRow]) [];
    /// `reduce[f, e, a]`, `foldr[f, e, a]` and `redomap[f, g, e, a, ..]` with a number as result.
    Reduce => [Sequence] ([EqualSize(times), Loop] 2 []) ([Hold] 3 []) [Seed];
    /// The same with an array.
    ReduceRows => [Sequence] ([EqualSize(times), Loop] 2 []) ([Hold] 3 []) [GiveSeed];
    /// Their LAMBDA.
    ReduceBody => [Block] ([] 1 []) ([Assign] 3 []) [];
    /// `scan[f, e, a]` of numbers.
    Scan => [Sequence] ([New, Loop] 2 []) ([Hold] 3 []) [Made];
    /// Its LAMBDA.
    ScanBody => [Block] ([] 1 []) ([Assign] 3 [PutSeed]) [];
    /// `scan[f, e, a]` of rows.
    ScanRows => [Sequence] ([NewOwner, Loop] 2 []) ([Hold] 3 []) [GiveMade];
    /// Its LAMBDA.
    ScanRowsBody => [Block] ([] 1 []) ([Assign] 3 [NewSeedRows, PutSeedRow]) [];
    /// `filter[p, a]`.
    Filter => [Sequence] ([Like, Loop] 2 []) ([Hold] 3 []) [Truncate];
    /// Its LAMBDA.
    FilterBody => [Block] ([] 1 []) ([If] 2 [Keep]) [];
    /// `group[f, e, n, keys, values]`.
    Group => [Sequence] ([EqualSize(times), Replicate, Loop] 2 []) ([Hold] 3 []) [Made];
    /// Its LAMBDA, with a number as value.
    GroupBody => [Block] ([] 1 []) ([PutKey] 2 []) [];
    /// The same with a row.
    GroupRowsBody => [Block] ([] 1 []) ([PutKeyRow] 2 []) [];
    /// A parameter that is an element.
    Element => [Element] ([] 1 []) ([] 1 []) [];
    /// The same, from the last element to the first.
    ElementFromEnd => [ElementFromEnd] ([] 1 []) ([] 1 []) [];
    /// A parameter that is the reduction so far: the variable of the operation.
    Accumulator => [] ([] 1 []) ([] 1 []) [];
    /// The same of `group`.
    ElementOfKey => [ElementOfKey] ([] 1 []) ([] 1 []) [];
    /// An operation on the elements of arrays. The pieces of its operands depend on their ranks.
    Elementwise => [Sequence] ([Hold] 3 []) ([Hold] 3 []) [Made];
    /// The same, if it is a call.
    ElementwiseCall => [Sequence] ([] 1 []) ([] 1 []) [Made];
    /// An argument of such a call.
    Argument => [HoldArgument] ([] 2 []) ([] 2 []) [];
    /// `print` of an array of structs or tuples. The pieces after the array depend on its rank.
    Print => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times)];
    /// The same with the end of the line.
    PrintLine => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times), EndLine];
    /// The statement that it is.
    PrintStatement => [Block] ([] 0 []) ([] 1 []) [];
}

/// The pieces of all forms.
const PIECES: [u64; PARTS * Form::COUNT] = {
    let mut flat = [0; PARTS * Form::COUNT];
    let mut i = 0;
    while i < flat.len() {
        flat[i] = LISTS[i / PARTS][i % PARTS].0;
        i += 1;
    }
    flat
};

/// How often they occur.
const REPEATS: [u16; PARTS * Form::COUNT] = {
    let mut flat = [0; PARTS * Form::COUNT];
    let mut i = 0;
    while i < flat.len() {
        flat[i] = LISTS[i / PARTS][i % PARTS].1;
        i += 1;
    }
    flat
};

/// Returns the form of a LAMBDA, given that of its operation.
#[device]
fn body(i: NodeId, above: Form, facts: &Facts) -> Form {
    match above {
        Form::Map => Form::MapBody,
        Form::MapRows => Form::MapRowsBody,
        Form::Scan => Form::ScanBody,
        Form::ScanRows => Form::ScanRowsBody,
        Form::Filter => Form::FilterBody,
        Form::Group => {
            if facts.flat[i] == 1 {
                Form::GroupBody
            } else {
                Form::GroupRowsBody
            }
        }
        _ => Form::ReduceBody,
    }
}

/// Returns the form of parameter `p` of a LAMBDA.
#[device]
fn parameter(p: u32, operation: Kind) -> Form {
    match operation {
        Kind::Map | Kind::Filter => Form::Element,
        Kind::FoldRight => {
            if p == 0 {
                Form::ElementFromEnd
            } else {
                Form::Accumulator
            }
        }
        Kind::Group => {
            if p == 0 {
                Form::ElementOfKey
            } else {
                Form::Element
            }
        }
        _ => {
            if p == 0 {
                Form::Accumulator
            } else {
                Form::Element
            }
        }
    }
}

/// Returns the form of an operation with a LAMBDA.
#[device]
fn operation(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    // Whether its LAMBDA yields no array.
    let is_flat = facts.flat[i.plus(1)] == 1;
    match nodes.kind[i] {
        Kind::Map => {
            if is_flat {
                Form::Map
            } else {
                Form::MapRows
            }
        }
        Kind::Scan => {
            if is_flat {
                Form::Scan
            } else {
                Form::ScanRows
            }
        }
        Kind::Filter => Form::Filter,
        Kind::Group => Form::Group,
        _ => {
            if is_flat {
                Form::Reduce
            } else {
                Form::ReduceRows
            }
        }
    }
}

/// Returns the form of a node.
#[device]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let kind = nodes.kind[i];
    let parent = NodeId::new(facts.parent[i]);
    if has_lambda(kind) {
        return operation(i, nodes, facts);
    }
    if kind == Kind::Lambda {
        return body(i, operation(parent, nodes, facts), facts);
    }
    if (kind == Kind::Param) && nodes.kind[parent] == Kind::Lambda {
        return parameter(facts.child[i], nodes.kind[NodeId::new(facts.parent[parent])]);
    }
    if is_elementwise(i, nodes) {
        return if kind == Kind::Call { Form::ElementwiseCall } else { Form::Elementwise };
    }
    if prints_entries(i, nodes, facts) {
        return if nodes.data[i] == 1 { Form::Print } else { Form::PrintLine };
    }
    if (kind == Kind::Expression) && prints_entries(i.plus(1), nodes, facts) {
        return Form::PrintStatement;
    }
    if (kind == Kind::Arg) && is_elementwise(parent, nodes) { Form::Argument } else { Form::Plain }
}

/// Returns whether a node is a `print` of an array of structs or tuples.
#[device]
fn prints_entries(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[i] == Kind::Print) && (nodes.ty[i.plus(1)].is_composite() & (facts.rank[i.plus(1)] > 0))
}

/// Returns how often the repeated pieces of an operation occur: for each array that is compared with its first, or for each
/// dimension that is printed.
#[device]
fn times(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    match nodes.kind[i] {
        Kind::Print => facts.rank[i.plus(1)],
        Kind::Map => facts.children[i] - 2,
        Kind::Redomap => facts.children[i] - 3,
        Kind::Group => 1,
        _ => 0,
    }
}

/// Returns a part of a form's rule.
#[device]
fn part(form: Form, part: usize, times: u32) -> Slot {
    let at = form.code() as usize * PARTS + part;
    Slot { pieces: PIECES[at], times, repeats: REPEATS[at], more: 0u16 }
}

/// Returns whether a node has the rule of the first child.
#[device]
fn is_first(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let parent = NodeId::new(facts.parent[i]);
    if nodes.kind[parent] == Kind::Lambda { nodes.kind[i] == Kind::Param } else { facts.child[i] == 0 }
}

/// Returns what comes before a node on behalf of its parent.
#[device]
fn before(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return part(Form::Plain, BEFORE_FIRST, 0);
    }
    let which = if is_first(i, nodes, facts) { BEFORE_FIRST } else { BEFORE_OTHER };
    part(form(parent, nodes, facts), which, times(parent, nodes, facts))
}

/// Returns what comes after a node on behalf of its parent.
#[device]
fn after(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return part(Form::Plain, AFTER_FIRST, 0);
    }
    if (facts.child[i] + 1 == facts.children[parent]) && is_elementwise(parent, nodes) {
        return after_operands(parent, nodes, facts);
    }
    let which = if is_first(i, nodes, facts) { AFTER_FIRST } else { AFTER_OTHER };
    part(form(parent, nodes, facts), which, 0)
}

/// Returns by how much a node is deeper than its parent.
#[device]
fn step(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return 1;
    }
    let above = form(parent, nodes, facts).code() as usize;
    STEPS[2 * above + if is_first(i, nodes, facts) { 0 } else { 1 }]
}

/// Returns the template of a node.
#[device(map)]
pub fn loop_template(i: NodeId, nodes: &Nodes, facts: &Facts) -> Template {
    let form = form(i, nodes, facts);
    let rule = part(form, TAIL, times(i, nodes, facts));
    let tail = if is_elementwise(i, nodes) { loop_of_elements(i, nodes, facts) } else { rule };
    Template {
        before: before(i, nodes, facts),
        head: part(form, HEAD, 0),
        tail,
        after: after(i, nodes, facts),
        step: step(i, nodes, facts),
    }
}
