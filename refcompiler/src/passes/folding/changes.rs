//! The changes of nodes, given the forms of values: [edits and cuts](crate::passes::cuts).
//!
//! ```text
//! MUL (NAME x, LITERAL 8)             SHL (NAME x, LITERAL 3)                two edits
//! SUB (LITERAL 0, NAME x)             NEGATE (NAME x)                        an edit, a cut of the literal
//! MUL (MUL (NAME x, 5), LITERAL 7)    MUL (NAME x, LITERAL 35)               an edit, a cut around the other operand
//! CHOOSE (TEST 1, THEN x, OTHERWISE)  ASCRIBE x                              an edit, a cut around the part
//! ```

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::forms::{Change, Form, Is, change, type_of};
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::cuts::{Cut, Cuts, Edit, Edits, no_cut};

/// The kinds of a node that a conditional expression leaves, and of other branches.
const WITH_ELSE: Kinds = Kinds::of(&[Kind::IfElse, Kind::Choose]);

/// One function in a count of functions and declarations.
const FUNCTION: u64 = 1 << 32;

/// Returns the edit of a read of a constant variable.
#[device(map)]
fn read(e: usize, reads: &[u32], nodes: &Nodes) -> Edit {
    let i = NodeId::new(reads[e]);
    let value = NodeId::new(nodes.data[i]).plus(1);
    Edit { node: i.get(), kind: Kind::Literal, ty: nodes.ty[i], data: nodes.data[value] }
}

/// Returns the edits of reads of constant variables.
pub fn of_reads<B: Backend>(backend: &B, nodes: &Nodes<B>, reads: &B::Vec<u32>) -> Result<Edits<B>> {
    backend.map(read::of(reads, nodes).rows(reads.len()))
}

/// Returns whether an operator changes.
#[device(compact)]
fn is_changed(r: usize, forms: &[Form]) -> bool {
    let change = change(forms[r]);
    (change != Change::Stays) & (change != Change::Decided) & (change != Change::Constant)
}

/// Returns the edit of an operator.
#[device(map)]
fn operator(e: usize, changed: &[u32], found: &[u32], forms: &[Form], nodes: &Nodes) -> Edit {
    let r = changed[e] as usize;
    let i = NodeId::new(found[r]);
    let ty = nodes.ty[i];
    match change(forms[r]) {
        Change::Literal => Edit { node: i.get(), kind: Kind::Literal, ty: type_of(i, nodes), data: forms[r].bits },
        Change::Negate => Edit { node: i.get(), kind: Kind::Negate, ty, data: 0 },
        Change::Complement => Edit { node: i.get(), kind: Kind::Complement, ty, data: 0 },
        Change::Shift => Edit { node: i.get(), kind: Kind::Shl, ty, data: 0 },
        _ => Edit { node: NO_NODE, kind: Kind::Empty, ty, data: 0 },
    }
}

/// Returns the edit of the operand of a shift or of a merged operator that is a number.
#[device(map)]
fn number(e: usize, changed: &[u32], found: &[u32], forms: &[Form], end: &[u32]) -> Edit {
    let r = changed[e] as usize;
    let change = change(forms[r]);
    let left = found[r] + 1;
    let operand = if forms[r].child == 0 { end[left as usize] } else { left };
    let has_number = (change == Change::Shift) | (change == Change::Merge);
    Edit { node: if has_number { operand } else { NO_NODE }, kind: Kind::Literal, ty: Type::Int, data: forms[r].bits }
}

/// Returns the row of a node in the walk.
#[device]
fn row_of(node: u32, found: &[u32]) -> usize {
    let mut low = 0usize;
    let mut high = found.len();
    while low < high {
        let middle = (low + high) / 2;
        if found[middle] < node {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the first node of an operand.
#[device]
fn operand_of(i: u32, child: u32, end: &[u32]) -> u32 {
    if child == 0 { i + 1 } else { end[i as usize + 1] }
}

/// Returns the cut of an operator.
#[device(map)]
fn cut(e: usize, changed: &[u32], found: &[u32], forms: &[Form], end: &[u32]) -> Cut {
    let r = changed[e] as usize;
    let i = found[r];
    let last = end[i as usize];
    let change = change(forms[r]);
    match change {
        Change::Shift => no_cut(),
        Change::Merge => {
            let inner = operand_of(i, forms[r].child, end);
            let first = operand_of(inner, forms[row_of(inner, found)].child, end);
            Cut { from: inner, first, last: end[first as usize], end: end[inner as usize], up: 1 }
        }
        Change::Literal => Cut { from: i + 1, first: last, last, end: last, up: 0 },
        _ => {
            let first = operand_of(i, forms[r].child, end);
            let moves = (change == Change::Operand) as u32;
            Cut { from: i + 1 - moves, first, last: end[first as usize], end: last, up: moves }
        }
    }
}

/// Returns whether the change of an operator can let another rule apply, or let the operator above merge.
#[device(compact)]
fn opens(e: usize, changed: &[u32], forms: &[Form]) -> bool {
    let form = forms[changed[e] as usize];
    let is = Is::from_code(form.is as u8);
    let has_number = (is == Is::Sum) | (is == Is::Difference) | (is == Is::Product) | (is == Is::Shifted);
    let change = change(form);
    (change == Change::Merge) | (has_number & (change == Change::Operand))
}

/// The changes of operators.
pub struct Operators<B: Backend> {
    /// Their edits.
    pub edits: Edits<B>,
    /// The edits of the numbers that are operands of changed operators, which come after all others.
    pub numbers: Edits<B>,
    /// The cuts.
    pub cuts: Cuts<B>,
    /// `true` if another round can change more.
    pub is_open: bool,
}

/// Returns the changes of operators. `found` are the nodes of the forms.
pub fn of_operators<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    found: &B::Vec<u32>,
    forms: &B::Vec<Form>,
) -> Result<Operators<B>> {
    let changed = backend.compact(is_changed::of(forms))?;
    Ok(Operators {
        edits: backend.map(operator::of(&changed, found, forms, nodes))?,
        numbers: backend.map(number::of(&changed, found, forms, end))?,
        cuts: backend.map(cut::of(&changed, found, forms, end))?,
        is_open: !backend.compact(opens::of(&changed, forms))?.is_empty(),
    })
}

/// Returns whether a branch or loop has a known condition that decides what is left of it.
#[device(compact)]
fn is_decided(r: usize, forms: &[Form]) -> bool {
    change(forms[r]) == Change::Decided
}

/// Returns [`FUNCTION`] for a function, and 1 for a declaration.
#[device(scan(Sum))]
fn counted(i: NodeId, nodes: &Nodes) -> u64 {
    let kind = nodes.kind[i];
    kind.is_function() as u64 * FUNCTION + kind.is_declaration() as u64
}

/// Returns whether a branch or loop can go: its subtree has no function, and no declaration if it is a conditional expression.
#[device(compact)]
fn can_go(d: usize, decided: &[u32], found: &[u32], nodes: &Nodes, end: &[u32], counts: &[u64]) -> bool {
    let i = found[decided[d] as usize];
    let below = counts[end[i as usize] as usize - 1] - counts[i as usize];
    let is_choice = nodes.kind[NodeId::new(i)] == Kind::Choose;
    if is_choice { below == 0 } else { below < FUNCTION }
}

/// Returns the part of a branch that is left, [`NO_NODE`] if nothing is.
#[device]
fn part(i: NodeId, form: Form, nodes: &Nodes, end: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    // The condition, or the TEST with it.
    let first = end[i.index() + 1];
    if kind.is_loop() {
        NO_NODE
    } else if form.bits != 0 {
        first
    } else if WITH_ELSE.contains(kind) {
        end[first as usize]
    } else {
        NO_NODE
    }
}

/// Returns the edit of a branch or loop: an empty block if nothing is left, and another kind for the part of a conditional expression.
#[device(map)]
fn branch(d: usize, gone: &[u32], found: &[u32], forms: &[Form], nodes: &Nodes, end: &[u32]) -> Edit {
    let r = gone[d] as usize;
    let i = NodeId::new(found[r]);
    let left = part(i, forms[r], nodes, end);
    if left == NO_NODE {
        return Edit { node: i.get(), kind: Kind::Block, ty: Type::Void, data: 0 };
    }
    let of = NodeId::new(left);
    let is_choice = nodes.kind[i] == Kind::Choose;
    Edit { node: if is_choice { left } else { NO_NODE }, kind: Kind::Ascribe, ty: nodes.ty[of], data: nodes.data[of] }
}

/// Returns the cut of a branch or loop.
#[device(map)]
fn branch_cut(d: usize, gone: &[u32], found: &[u32], forms: &[Form], nodes: &Nodes, end: &[u32]) -> Cut {
    let r = gone[d] as usize;
    let i = found[r];
    let last = end[i as usize];
    let left = part(NodeId::new(i), forms[r], nodes, end);
    if left == NO_NODE {
        Cut { from: i + 1, first: last, last, end: last, up: 0 }
    } else {
        Cut { from: i, first: left, last: end[left as usize], end: last, up: 1 }
    }
}

/// Returns whether a branch is a conditional expression.
#[device(compact)]
fn is_choice(d: usize, decided: &[u32], found: &[u32], nodes: &Nodes) -> bool {
    nodes.kind[NodeId::new(found[decided[d] as usize])] == Kind::Choose
}

/// The changes of branches and loops.
pub struct Branches<B: Backend> {
    /// Their edits.
    pub edits: Edits<B>,
    /// The cuts.
    pub cuts: Cuts<B>,
    /// `true` if a conditional expression is decided, so that another round finds the form of its part, or that it can go.
    pub has_choice: bool,
}

/// Returns the changes of branches and loops with known conditions, if there are any. `found` are the nodes of the forms.
pub fn of_branches<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    found: &B::Vec<u32>,
    forms: &B::Vec<Form>,
) -> Result<Option<Branches<B>>> {
    let decided = backend.compact(is_decided::of(forms))?;
    if decided.is_empty() {
        return Ok(None);
    }
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, counted::of(nodes).rows(nodes.len()), Sum)?;
    let going = backend.compact(can_go::of(&decided, found, nodes, end, &counts).rows(decided.len()))?;
    if going.is_empty() {
        return Ok(None);
    }
    let gone = backend.map(row::of(&going, &decided))?;
    let choices = backend.compact(is_choice::of(&decided, found, nodes).rows(decided.len()))?;
    Ok(Some(Branches {
        edits: backend.map(branch::of(&gone, found, forms, nodes, end).rows(gone.len()))?,
        cuts: backend.map(branch_cut::of(&gone, found, forms, nodes, end).rows(gone.len()))?,
        has_choice: !choices.is_empty(),
    }))
}

/// Returns the row of a branch that goes.
#[device(map)]
fn row(g: usize, going: &[u32], decided: &[u32]) -> u32 {
    decided[going[g] as usize]
}
