//! The rules: which form a node has, and the template of each form.

use treepar::device::device;

use super::facts::{Facts, assigns_arrays, is_marked, makes_arrays, outs};
use super::pieces::Piece;
use super::slots::{Slot, Template};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{CONCAT, COPY, IOTA, PERM, RESHAPE};

/// Up to three pieces, the second of which is repeated: 8 bits each.
const fn pieces(first: Piece, group: Piece, last: Piece) -> u32 {
    first.code() as u32 | (group.code() as u32) << 8 | (last.code() as u32) << 16
}

/// The parts of a rule.
const HEAD: usize = 0;
const TAIL: usize = 1;
const BEFORE_FIRST: usize = 2;
const FIRST_STEP: usize = 3;
const AFTER_FIRST: usize = 4;
const BEFORE_OTHER: usize = 5;
const OTHER_STEP: usize = 6;
const AFTER_OTHER: usize = 7;
/// How much deeper the linear index is than the node.
const INDICES: usize = 8;
const PARTS: usize = 9;

/// Translates pieces in brackets: none, one, a repeated one before or after it, or one, a repeated one and the last.
macro_rules! slot {
    () => {
        0
    };
    ($first:ident) => {
        pieces(Piece::$first, Piece::Nothing, Piece::Nothing)
    };
    ($first:ident, $group:ident*) => {
        pieces(Piece::$first, Piece::$group, Piece::Nothing)
    };
    ($group:ident*, $last:ident) => {
        pieces(Piece::Nothing, Piece::$group, Piece::$last)
    };
    ($first:ident, $last:ident) => {
        pieces(Piece::$first, Piece::Nothing, Piece::$last)
    };
}

/// Returns the number in brackets.
macro_rules! number {
    () => {
        0
    };
    ($number:literal) => {
        $number
    };
}

/// Declares the forms, each with its template: the head; the pieces around the first child and its depth; the same of
/// the other children; the tail. A linear index has its own pieces, at the depth after `indices`.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident =>
        [$($head:tt)*]
        ([$($before:tt)*] $step:literal [$($after:tt)*])
        $(indices $indices:literal)?
        ([$($before_other:tt)*] $other_step:literal [$($after_other:tt)*])
        [$($tail:tt)*];)*) => {
        /// The form of a node, which determines its template.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        const RULES: [u32; PARTS * Form::COUNT] = {
            let parts: [[u32; PARTS]; Form::COUNT] = [$([
                slot!($($head)*),
                slot!($($tail)*),
                slot!($($before)*),
                $step,
                slot!($($after)*),
                slot!($($before_other)*),
                $other_step,
                slot!($($after_other)*),
                number!($($indices)?),
            ]),*];
            let mut rules = [0; PARTS * Form::COUNT];
            let mut i = 0;
            while i < rules.len() {
                rules[i] = parts[i / PARTS][i % PARTS];
                i += 1;
            }
            rules
        };
    };
}

forms! {
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) [];
    /// `a[i, j]` of a variable.
    Element => [Element] ([Data] 3 [Shifted]) indices 3 ([] 1 []) [Words];
    /// `f[x][i, j]`, and `a[i, j]` if an index assigns an array.
    LaterElement => [Sequence] ([Temporary] 3 [LaterElement]) indices 4 ([] 1 []) [LaterWords];
    /// `a[i]` with fewer indices than dimensions.
    Row => [Address] ([Temporary] 3 [Row]) indices 3 ([] 1 []) [];
    /// `a[i, j] = x;`.
    Store => [Store] ([Data] 3 [Shifted]) indices 3 ([Words] 1 []) [];
    /// The same, if an array is assigned in it.
    LaterStore => [LaterStore] ([InnerTemporary] 4 [LaterAddress]) indices 4 ([LaterWords] 1 []) [];
    /// `a[i] = row;`.
    StoreRow => [StoreRow] ([Temporary] 3 [Temporary]) indices 3 ([Temporary] 3 [EqualExtent*, SetRow]) [];
    /// `[x, y]` of numbers.
    Vector => [Vector] ([StoreElement] 2 []) ([StoreElement] 2 []) [Result];
    /// `[x, y]` of arrays.
    Rows => [Rows] ([Temporary] 3 [RowsLike, SetNextRow]) ([AssignRow] 3 [EqualRow*, SetNextRow]) [Result];
    /// `size[a, k]`.
    Size => [Size] ([] 1 []) ([] 1 []) [];
    /// `replicate[n, x]` of an int.
    Fill => [Fill] ([] 3 [Filled]) ([] 2 []) [];
    /// The same of a float.
    FillFloat => [FillFloat] ([] 3 [FilledFloat]) ([] 2 []) [];
    /// The same of an array.
    FillRows => [FillRows] ([] 3 [FilledRows]) ([] 2 []) [];
    /// An array with some extents.
    New => [New] ([StoreExtent] 2 []) ([StoreExtent] 2 []) [Sized];
    /// An array with the extents of another.
    NewLike => [NewLike] ([] 2 []) ([] 2 []) [Copied];
    /// An array of rows with the extents of one.
    NewRows => [NewRows] ([] 2 [NewRow]) ([] 2 []) [];
    /// The array of a variable, which does not own it any more.
    Give => [Give] ([] 1 []) ([] 1 []) [];
    /// An array without its last rows.
    Truncate => [Truncate] ([] 2 [Truncated]) ([] 2 []) [];
    /// `iota[n]`.
    CountUp => [CountUp] ([] 1 []) ([] 1 []) [];
    /// Its argument.
    Counted => [Counted] ([] 2 []) ([] 2 []) [Zero];
    /// `copy[a]`.
    CopyArray => [CopyArray] ([] 1 []) ([] 1 []) [Copied];
    /// `concat[a, b]`.
    Join => [Address] ([] 1 []) ([] 1 []) [EqualArguments*, Join];
    /// Its arguments.
    Joined => [Argument] ([] 2 []) ([] 2 []) [];
    /// `a[lo..hi]`. Its dimensions have [pieces of their own](around_dimension).
    Slice => [Slice] ([Temporary] 3 [Plan]) ([] 1 []) [Sliced];
    /// `a[lo..hi] = x;`.
    UpdateSlice => [UpdateSlice] ([Temporary] 3 [Plan]) ([] 1 []) [];
    /// `lo..hi`.
    Range => [] ([LowBound] 1 []) ([HighBound] 1 []) [CheckBounds];
    /// `lo..`.
    OpenRange => [] ([LowBound] 1 []) ([NoBound] 1 []) [CheckBounds];
    /// `..`.
    All => [] ([] 1 []) ([] 1 []) [];
    /// An array whose extents are checked.
    Shaped => [Address] ([Temporary] 3 []) ([] 1 []) [Result];
    /// `perm[a, order]`.
    Permute => [Permute] ([] 1 []) ([] 1 []) [Permuted];
    /// `reshape[a, extents]`.
    Reshape => [Address] ([] 1 []) ([] 1 []) [Reshape];
    /// `print[x]` of an int.
    PrintNumber => [PrintNumber] ([] 2 []) ([] 2 []) [Stays];
    /// The same of a float.
    PrintFloat => [PrintFloat] ([] 2 []) ([] 2 []) [Stays];
    /// The same of an array of ints.
    PrintNumbers => [PrintNumbers] ([] 2 []) ([] 2 []) [ArrayStays];
    /// The same of an array of floats.
    PrintFloats => [PrintFloats] ([] 2 []) ([] 2 []) [ArrayStays];
    /// `var x = e` and `x = e` of an array.
    Owner => [Same] ([Own] 3 [Owned]) ([] 1 []) [];
    /// `var x: [int];`.
    Empty => [Empty, Owned] ([] 1 []) ([] 1 []) [];
    /// An array for a variable of the caller: \[NAME, array\].
    StoreOwned => [StoreOwned] ([] 1 []) ([OwnStored] 3 [Owned]) [];
    /// `return;` in a function whose result are arrays in variables of the caller.
    ReturnOuts => [LeaveOuts] ([] 1 []) ([] 1 []) [];
    /// The block of a function with a mark.
    Body => [Body, OwnParameter*] ([] 1 []) ([] 1 []) [];
    /// The same of a function without a result.
    VoidBody => [Body, OwnParameter*] ([] 1 []) ([] 1 []) [Leave];
    /// A loop with a mark.
    Loop => [Loop] ([] 1 []) ([] 1 []) [];
    /// Its body.
    LoopBody => [Same] ([] 1 []) ([] 1 []) [Compact];
    /// `return;` in a function with a mark.
    ReturnVoid => [LeaveVoid] ([] 1 []) ([] 1 []) [];
    /// `return f[];` of a call without a result.
    ReturnCall => [CallFirst] ([] 1 []) ([] 1 []) [LeaveLast];
    /// `return x;` of an int.
    ReturnInt => [Same] ([LeaveInt] 3 []) ([] 1 []) [];
    /// The same of a float.
    ReturnFloat => [Same] ([LeaveFloat] 3 []) ([] 1 []) [];
    /// The same of an array.
    ReturnArray => [Same] ([LeaveArray] 3 [LeftArray]) ([] 1 []) [];
}

/// Returns the form of `a[..]` or `a[..] = e`: one of three.
#[device]
fn indexing(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let is_update = nodes.kind[i] == Kind::Update;
    if nodes.ty[i].is_array() {
        return if is_update { Form::StoreRow } else { Form::Row };
    }
    let is_later = (nodes.kind[i.plus(1)] != Kind::Name) || assigns_arrays(i, facts);
    if is_update {
        return if is_later { Form::LaterStore } else { Form::Store };
    }
    if is_later { Form::LaterElement } else { Form::Element }
}

/// Returns the form of a block.
#[device]
fn block(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let parent = NodeId::new(facts.parent[i]);
    if nodes.kind[parent].is_loop() & makes_arrays(parent, facts) {
        return Form::LoopBody;
    }
    if (nodes.kind[parent] == Kind::Function) & makes_arrays(parent, facts) {
        // A function whose result is in variables of the caller ends with a RETURN.
        let is_void = (nodes.ty[parent] == Type::Void) & (nodes.data[parent.plus(1)] == 0);
        return if is_void { Form::VoidBody } else { Form::Body };
    }
    Form::Plain
}

/// Returns the form of a `return`.
#[device]
fn returning(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    if !is_marked(i, facts) {
        return Form::Plain;
    }
    let result = nodes.ty[function_around(i, facts)];
    if result == Type::Void {
        if outs(i, nodes, facts) > 0 {
            return Form::ReturnOuts;
        }
        return if facts.children[i] == 0 { Form::ReturnVoid } else { Form::ReturnCall };
    }
    if result.is_array() {
        return Form::ReturnArray;
    }
    if result == Type::Float { Form::ReturnFloat } else { Form::ReturnInt }
}

/// Returns the form of `replicate[n, x]`.
#[device]
fn replicate(ty: Type) -> Form {
    if ty.rank() > 1 {
        return Form::FillRows;
    }
    if ty.element() == Type::Float { Form::FillFloat } else { Form::Fill }
}

/// Returns the form of `print` of a value.
#[device]
fn printing(value: Type) -> Form {
    let is_float = value.element() == Type::Float;
    if value.rank() > 0 {
        return if is_float { Form::PrintFloats } else { Form::PrintNumbers };
    }
    if is_float { Form::PrintFloat } else { Form::PrintNumber }
}

/// Returns the form of a call, or of an argument of it.
#[device]
fn calling(id: u32, is_argument: bool) -> Form {
    match id {
        IOTA => {
            if is_argument {
                Form::Counted
            } else {
                Form::CountUp
            }
        }
        CONCAT => {
            if is_argument {
                Form::Joined
            } else {
                Form::Join
            }
        }
        RESHAPE => {
            if is_argument {
                Form::Joined
            } else {
                Form::Reshape
            }
        }
        PERM => {
            if is_argument {
                Form::Plain
            } else {
                Form::Permute
            }
        }
        COPY => {
            if is_argument {
                Form::Plain
            } else {
                Form::CopyArray
            }
        }
        _ => Form::Plain,
    }
}

/// Returns the node of the function around a node in its block.
#[device]
pub fn function_around(i: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.parent[NodeId::new(facts.body[i])])
}

/// Returns the form of a node.
#[device]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let is_array = nodes.ty[i].is_array();
    match nodes.kind[i] {
        Kind::Index | Kind::Update => indexing(i, nodes, facts),
        Kind::Array => {
            if nodes.ty[i].rank() > 1 {
                Form::Rows
            } else {
                Form::Vector
            }
        }
        Kind::Size => Form::Size,
        Kind::Replicate => replicate(nodes.ty[i]),
        Kind::Slice => Form::Slice,
        Kind::UpdateSlice => Form::UpdateSlice,
        Kind::Range => {
            if nodes.data[i] == 1 {
                Form::OpenRange
            } else {
                Form::Range
            }
        }
        Kind::All => Form::All,
        Kind::Shaped => Form::Shaped,
        Kind::Print => printing(nodes.ty[i.plus(1)]),
        Kind::New => Form::New,
        Kind::NewLike => Form::NewLike,
        Kind::NewRows => Form::NewRows,
        Kind::Give => Form::Give,
        Kind::Truncate => Form::Truncate,
        Kind::Call => calling(nodes.data[i], false),
        Kind::Arg => calling(nodes.data[NodeId::new(facts.parent[i])], true),
        Kind::Declare | Kind::Assign => {
            if !is_array || borrows(i, nodes) || is_later(i, nodes, facts) {
                Form::Plain
            } else if facts.children[i] > 0 {
                Form::Owner
            } else {
                Form::Empty
            }
        }
        Kind::Block => block(i, nodes, facts),
        Kind::While | Kind::For => {
            if makes_arrays(i, facts) {
                Form::Loop
            } else {
                Form::Plain
            }
        }
        Kind::Return => returning(i, nodes, facts),
        Kind::Store => {
            if is_array {
                Form::StoreOwned
            } else {
                Form::Plain
            }
        }
        _ => Form::Plain,
    }
}

/// Returns whether a declaration or an assignment is of a variable that borrows arrays.
#[device]
fn borrows(i: NodeId, nodes: &Nodes) -> bool {
    let declaration = if nodes.kind[i] == Kind::Assign { NodeId::new(nodes.data[i]) } else { i };
    (nodes.kind[declaration] == Kind::Declare) & (nodes.data[declaration] == 1)
}

/// Returns whether a node declares a variable that gets its array later.
#[device]
fn is_later(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[i] == Kind::Declare) & (nodes.data[i] == 2) & (facts.children[i] == 0)
}

/// Returns whether an access checks its indices and extents.
#[device]
fn is_checked(i: NodeId, nodes: &Nodes) -> bool {
    nodes.data[i] != 0
}

/// Returns the number of indices of an access.
#[device]
pub fn indices(i: NodeId, nodes: &Nodes) -> u32 {
    nodes.ty[i.plus(1)].rank() - nodes.ty[i].rank()
}

/// Returns a part of a form's rule.
#[device]
fn part(form: Form, part: usize) -> u32 {
    RULES[form.code() as usize * PARTS + part]
}

/// Returns pieces as a slot.
#[device]
fn slot(pieces: u32, times: u32) -> Slot {
    Slot {
        first: Piece::from_code(pieces as u8),
        group: Piece::from_code((pieces >> 8) as u8),
        last: Piece::from_code((pieces >> 16) as u8),
        shift: 0u8,
        times,
    }
}

/// Returns how often the repeated pieces of a form occur.
#[device]
fn times(i: NodeId, form: Form, nodes: &Nodes, facts: &Facts) -> u32 {
    match form {
        Form::StoreRow => nodes.ty[i].rank() * is_checked(i, nodes) as u32,
        Form::Rows | Form::Join => nodes.ty[i].rank() - 1,
        Form::Body | Form::VoidBody => facts.counts[i].uniques - facts.counts[NodeId::new(facts.parent[i])].uniques,
        _ => 0,
    }
}

/// What surrounds a node on behalf of its parent.
#[device]
struct Context {
    before: Slot,
    after: Slot,
    step: u32,
}

/// Returns what surrounds index `m` of `k`, of a linear index at some depth. By Horner's rule, `(i n + j) m + k`. Some are checked.
#[device]
fn around_index(m: u32, k: u32, depth: u32, checks: bool) -> Context {
    let later = (m > 0) as u32;
    // What is left of the index is multiplied by an extent for each later index: two nodes for each.
    let shift = depth + 2 * (k - 1 - m);
    let some_check = if later == 1 { Piece::OtherIndex } else { Piece::FirstIndex };
    let some_extent = if later == 1 { Piece::OtherExtent } else { Piece::FirstExtent };
    let check = if checks { some_check } else { Piece::Nothing };
    let extent = if checks { some_extent } else { Piece::Nothing };
    let next = if m + 1 < k { Piece::NextExtent } else { Piece::Nothing };
    let outer = if later == 1 { shift } else { depth };
    let times = if later == 1 { 0 } else { k - 1 };
    Context {
        before: Slot { first: Piece::Nothing, group: Piece::Horner, last: check, shift: outer as u8, times },
        after: Slot { first: extent, group: Piece::Nothing, last: next, shift: shift as u8, times: 0 },
        step: shift + checks as u32 + later,
    }
}

/// Returns the context of a child that has pieces before and after it.
#[device]
fn between(before: Piece, step: u32, after: Piece) -> Context {
    Context { before: slot(before.code() as u32, 0), after: slot(after.code() as u32, 0), step }
}

/// Returns what surrounds the value of `a[lo..hi] = x`.
#[device]
fn around_slice_value(ty: Type) -> Context {
    if ty.is_array() {
        let after = Slot {
            first: Piece::SliceExtents,
            group: Piece::EqualSlice,
            last: Piece::SetSlice,
            shift: 0u8,
            times: ty.rank(),
        };
        return Context { before: slot(Piece::Temporary.code() as u32, 0), after, step: 3 };
    }
    let fill = if ty == Type::Float { Piece::FilledFloatSlice } else { Piece::FilledSlice };
    between(fill, 5, Piece::FillSlice)
}

/// Returns what surrounds a child after the first of a slice, an update of one, or an array whose extents are checked.
#[device]
fn around_dimension(i: NodeId, parent: NodeId, nodes: &Nodes, facts: &Facts) -> Context {
    let is_last = facts.child[i] + 1 == facts.children[parent];
    if is_last & (nodes.kind[parent] == Kind::UpdateSlice) {
        return around_slice_value(nodes.ty[parent]);
    }
    if (nodes.kind[i] == Kind::Range) | (nodes.kind[i] == Kind::All) {
        return between(Piece::Nothing, 1, Piece::Nothing);
    }
    if nodes.kind[parent] == Kind::Shaped {
        return between(Piece::ShapedExtent, 3, Piece::BoundExtent);
    }
    between(Piece::IndexBound, 3, Piece::BoundExtent)
}

/// Returns what surrounds a node on behalf of its parent.
#[device]
fn context(i: NodeId, nodes: &Nodes, facts: &Facts) -> Context {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return Context { before: slot(0, 0), after: slot(0, 0), step: 1 };
    }
    let above = form(parent, nodes, facts);
    let child = facts.child[i];
    if child > 0 && part(above, INDICES) > 0 && child <= indices(parent, nodes) {
        return around_index(child - 1, indices(parent, nodes), part(above, INDICES), is_checked(parent, nodes));
    }
    if child > 0 && ((above == Form::Slice) | (above == Form::UpdateSlice) | (above == Form::Shaped)) {
        return around_dimension(i, parent, nodes, facts);
    }
    let times = times(parent, above, nodes, facts);
    let is_first = child == 0;
    let before = if is_first { part(above, BEFORE_FIRST) } else { part(above, BEFORE_OTHER) };
    let after = if is_first { part(above, AFTER_FIRST) } else { part(above, AFTER_OTHER) };
    let step = if is_first { part(above, FIRST_STEP) } else { part(above, OTHER_STEP) };
    Context { before: slot(before, times), after: slot(after, times), step }
}

/// Returns the template of a node.
#[device(map)]
pub fn template(i: NodeId, nodes: &Nodes, facts: &Facts) -> Template {
    let form = form(i, nodes, facts);
    let times = times(i, form, nodes, facts);
    let around = context(i, nodes, facts);
    Template {
        before: around.before,
        head: slot(part(form, HEAD), times),
        tail: slot(part(form, TAIL), times),
        after: around.after,
        step: around.step,
    }
}
