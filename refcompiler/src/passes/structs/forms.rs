//! The rules: which form a node has, and the template of each form.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::facts::{Facts, is_found};
use super::pieces::Piece;
use super::shapes::{arrays, leaves, text_length};
use super::slots::{Slot, Template, pieces};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{CONCAT, COPY, PERM, RESHAPE};

/// The parts of a rule.
const LEAD: usize = 0;
const HEAD: usize = 1;
const TAIL: usize = 2;
/// Three for each role of a child: before it, its depth, and after it.
const CHILDREN: usize = 3;
const PARTS: usize = CHILDREN + 9;

/// The roles of children.
const NUMBER: usize = 0;
const FIRST: usize = 1;
const OTHER: usize = 2;

/// Translates pieces in brackets. Those with a star are repeated, together with the one in brackets, which is repeated in each
/// repetition, and the one after it.
macro_rules! slot {
    () => {
        0
    };
    ($first:ident) => {
        pieces(Piece::$first, Piece::Nothing, Piece::Nothing, Piece::Nothing, Piece::Nothing)
    };
    ($group:ident*) => {
        pieces(Piece::Nothing, Piece::$group, Piece::Nothing, Piece::Nothing, Piece::Nothing)
    };
    ($group:ident [$inner:ident*]*) => {
        pieces(Piece::Nothing, Piece::$group, Piece::$inner, Piece::Nothing, Piece::Nothing)
    };
    ($group:ident [$inner:ident*] $close:ident*) => {
        pieces(Piece::Nothing, Piece::$group, Piece::$inner, Piece::$close, Piece::Nothing)
    };
    ($first:ident, $group:ident*) => {
        pieces(Piece::$first, Piece::$group, Piece::Nothing, Piece::Nothing, Piece::Nothing)
    };
    ($group:ident*, $last:ident) => {
        pieces(Piece::Nothing, Piece::$group, Piece::Nothing, Piece::Nothing, Piece::$last)
    };
}

/// Declares the forms, each with its template: the lead; the head; the pieces around a child that is no composite and its depth,
/// around a first child that is one, and around another; the tail.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident =>
        [$($lead:tt)*]
        [$($head:tt)*]
        $(([$($before:tt)*] $step:literal [$($after:tt)*]))*;
        [$($tail:tt)*];)*) => {
        /// The form of a node, which determines its template.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        const RULES: [u32; PARTS * Form::COUNT] = {
            let parts: [[u32; PARTS]; Form::COUNT] = [$([
                slot!($($lead)*),
                slot!($($head)*),
                slot!($($tail)*),
                $(
                    slot!($($before)*),
                    $step,
                    slot!($($after)*),
                )*
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
    Plain => [] [Same] ([] 1 []) ([] 1 []) ([] 1 []); [];
    /// A statement about a composite: what is below stands for it.
    Gone => [] [] ([] 0 []) ([] 0 []) ([] 0 []); [];
    /// A composite in variables that others know: NAME, FIELD, UNZIP, DECLARE.
    Found => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [Copy*];
    /// `p = e`.
    Assign => [Declare*] [] ([] 0 []) ([] 0 [AssignLeaf*]) ([] 0 []); [Copy*];
    /// `P[x, y]` and `(x, y)`.
    Struct => [Declare*] [] ([AssignPart] 2 []) ([] 0 []) ([] 0 []); [];
    /// A composite that is computed below: ASCRIBE, SEQUENCE.
    Inside => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [];
    /// `if[c, x, y]` of composites.
    Branches => [Declare*] [Branches] ([] 1 []) ([] 1 []) ([] 1 []); [];
    /// `x` of it.
    Branch => [] [Branch] ([] 1 []) ([] 1 []) ([] 1 []); [];
    /// A call with a composite result.
    Call => [Declare*] [Call, OutArgument*] ([] 2 []) ([] 2 []) ([] 2 []); [Give*];
    /// An argument in variables that others know.
    LeafArguments => [] [] ([] 0 []) ([] 0 []) ([] 0 []); [LeafArgument*];
    /// Another argument that is a composite.
    Arguments => [] [FirstArgument] ([] 2 []) ([] 2 []) ([] 2 []); [FirstValue, OtherArgument*];
    /// The first child of a function with a composite result.
    Header => [] [Same] ([] 0 []) ([] 0 []) ([] 0 []); [OutParameter*];
    /// A parameter that is a composite.
    Parameters => [] [Parameter*] ([] 0 []) ([] 0 []) ([] 0 []); [];
    /// `return e` of a composite.
    Return => [] [] ([] 0 []) ([] 0 []) ([] 0 []); [StoreLeaf*, Return];
    /// A number or an array in a composite in variables that others know.
    Selected => [] [] ([] 0 []) ([] 0 []) ([] 0 []); [Selected];
    /// The same in another composite.
    SelectedLater => [] [Sequence] ([] 1 []) ([] 1 []) ([] 1 []); [SelectedLast];
    /// `a[i]`.
    Index => [Declare*] [] ([Index] 3 [Extent]) ([] 0 []) ([] 0 []); [IndexLeaf [IndexName*]*];
    /// The same without checks.
    IndexFreely => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [IndexLeaf [IndexName*]*];
    /// `a[i] = e`.
    Update => [] [] ([Index] 3 [Extent]) ([] 0 []) ([] 0 [UpdateLeaf [UpdateName*] UpdateValue*]); [];
    /// The same without checks.
    UpdateFreely => [] [] ([Number] 2 []) ([] 0 []) ([] 0 [UpdateLeaf [UpdateName*] UpdateValue*]); [];
    /// `size[a]` of a variable.
    Size => [] [Same] ([] 1 []) ([] 1 []) ([] 1 []); [SizeLeaf];
    /// The same of another value.
    SizeLater => [] [Sequence] ([] 1 []) ([] 1 []) ([] 1 []); [SizeLater];
    /// `replicate[n, v]`.
    Replicate => [Declare*] [] ([Size] 3 [Zero]) ([] 0 []) ([] 0 [ReplicateLeaf*]); [];
    /// `[x, y]`.
    Array => [Declare*] [DeclareElement*] ([] 0 []) ([] 0 [FirstElement*]) ([] 0 [OtherElement*]); [];
    /// `copy[a]`.
    CopyCall => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [CopyLeaf*];
    /// `concat[a, b]`.
    JoinCall => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [CopyLeaf [OtherLeaf*]*];
    /// `perm[a, ..]` and `reshape[a, ..]`.
    ShapeCall => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [CopyLeaf [OtherOperand*]*];
    /// The last argument of these.
    Shape => [] [] ([Array] 2 []) ([] 0 []) ([] 0 []); [];
    /// `zip[a, b]`.
    Zip => [Declare*] [] ([AssignPart] 2 []) ([] 0 []) ([] 0 []); [EqualExtent*];
    /// `split[a, n]`.
    Split => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [SplitLeaf*];
    /// The same of an array of numbers.
    SplitNumbers => [Declare*] [] ([Number] 2 []) ([Array] 2 []) ([] 0 []); [SplitLeaf*];
    /// An array with some extents.
    New => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [NewLeaf [NewExtent*]*];
    /// One with the extents of another.
    NewLike => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [LikeLeaf*];
    /// One for some rows.
    NewRows => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 [RowsLeaf*]); [];
    /// The array of a variable.
    Give => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [GiveLeaf*];
    /// An array without its last rows.
    Truncate => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [TruncateLeaf*];
    /// `a[lo..hi]`.
    Slice => [Declare*] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [SliceLeaf [SliceBounds*]*];
    /// `a[lo..hi] = e`.
    UpdateSlice => [] [] ([Number] 2 []) ([] 0 []) ([] 0 [UpdateSliceLeaf [UpdateBounds*] UpdateValue*]); [];
    /// `lo..hi` and `..`.
    Bounds => [] [] ([Number] 2 []) ([] 0 []) ([] 0 []); [];
    /// `print[e]`.
    Print => [] [] ([] 0 []) ([] 0 []) ([] 0 []); [PrintItem*];
    /// A variable of `var (x, y) = e` that is a composite.
    Unpack => [Declare*] [] ([] 0 []) ([] 0 []) ([] 0 []); [Unpack*];
    /// The same of one that is not.
    UnpackNumber => [Statement] [SameInner] ([] 0 []) ([] 0 []) ([] 0 []); [UnpackedValue];
}

/// Returns whether node `i` is a value that is a composite.
#[device]
fn is_composite(i: NodeId, nodes: &Nodes) -> bool {
    nodes.ty[i].is_composite()
}

/// Returns whether the value of a node is in the variables of a NAME below it.
#[device]
fn is_named(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    (nodes.kind[NodeId::new(facts.base[i])] == Kind::Name) & (facts.context[i].target.node == NO_NODE)
}

/// Returns the form of a composite value, or of a part of one.
#[device]
fn composite(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    match nodes.kind[i] {
        Kind::Param => Form::Parameters,
        Kind::Arg => {
            if is_shaped(nodes.data[NodeId::new(facts.parent[i])]) {
                Form::Gone
            } else if is_named(i.plus(1), nodes, facts) {
                Form::LeafArguments
            } else {
                Form::Arguments
            }
        }
        Kind::Name | Kind::Field | Kind::Unzip => Form::Found,
        Kind::Declare => {
            if is_unpacked(i, nodes, facts) {
                Form::Unpack
            } else {
                Form::Found
            }
        }
        Kind::Assign => Form::Assign,
        Kind::Struct => Form::Struct,
        Kind::Ascribe | Kind::Sequence => Form::Inside,
        Kind::Choose => Form::Branches,
        Kind::Then | Kind::Otherwise => Form::Branch,
        Kind::Call => match nodes.data[i] {
            COPY => Form::CopyCall,
            CONCAT => Form::JoinCall,
            PERM | RESHAPE => Form::ShapeCall,
            _ => Form::Call,
        },
        _ => array(i, nodes),
    }
}

/// Returns the form of an operation on arrays of composites.
#[device]
fn array(i: NodeId, nodes: &Nodes) -> Form {
    let is_checked = nodes.data[i] != 0;
    match nodes.kind[i] {
        Kind::Index => {
            if is_checked {
                Form::Index
            } else {
                Form::IndexFreely
            }
        }
        Kind::Update => {
            if is_checked {
                Form::Update
            } else {
                Form::UpdateFreely
            }
        }
        Kind::Replicate => Form::Replicate,
        Kind::Array => Form::Array,
        Kind::Zip => Form::Zip,
        Kind::Split => {
            if is_composite(i.plus(1), nodes) {
                Form::Split
            } else {
                Form::SplitNumbers
            }
        }
        Kind::New => Form::New,
        Kind::NewLike => Form::NewLike,
        Kind::NewRows => Form::NewRows,
        Kind::Give => Form::Give,
        Kind::Truncate => Form::Truncate,
        Kind::Slice => Form::Slice,
        Kind::UpdateSlice => Form::UpdateSlice,
        _ => Form::Plain,
    }
}

/// Returns whether a function of the runtime is applied to each leaf of its argument.
#[device]
fn is_shaped(id: u32) -> bool {
    (id == COPY) | (id == CONCAT) | (id == PERM) | (id == RESHAPE)
}

/// Returns whether a DECLARE is a variable of `var (x, y) = e`.
#[device]
pub fn is_unpacked(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let parent = NodeId::new(facts.parent[i]);
    !parent.is_none() && (nodes.kind[parent] == Kind::Destructure) & (facts.before[i].children > 0)
}

/// Returns whether the only or first child of a node is a composite.
#[device]
fn holds_composite(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    facts.children[i] > 0 && is_composite(i.plus(1), nodes)
}

/// Returns the form of a node.
#[device]
pub fn form(i: NodeId, nodes: &Nodes, facts: &Facts) -> Form {
    let kind = nodes.kind[i];
    if is_composite(i, nodes) & !kind.is_function() {
        return composite(i, nodes, facts);
    }
    let parent = NodeId::new(facts.parent[i]);
    match kind {
        Kind::Header => {
            if is_composite(parent, nodes) {
                Form::Header
            } else {
                Form::Plain
            }
        }
        Kind::Expression => {
            let prints = (facts.children[i] > 0) && (nodes.kind[i.plus(1)] == Kind::Print);
            let printed = if prints { i.plus(1) } else { i };
            if holds_composite(printed, nodes, facts) { Form::Gone } else { Form::Plain }
        }
        Kind::Destructure => Form::Gone,
        Kind::Range | Kind::All => {
            if is_composite(parent, nodes) {
                Form::Bounds
            } else {
                Form::Plain
            }
        }
        Kind::Print => {
            if holds_composite(i, nodes, facts) {
                Form::Print
            } else {
                Form::Plain
            }
        }
        Kind::Return => {
            if holds_composite(i, nodes, facts) {
                Form::Return
            } else {
                Form::Plain
            }
        }
        Kind::Test => {
            if is_composite(parent, nodes) {
                Form::Gone
            } else {
                Form::Plain
            }
        }
        Kind::Size => {
            if !holds_composite(i, nodes, facts) {
                Form::Plain
            } else if is_named(i.plus(1), nodes, facts) {
                Form::Size
            } else {
                Form::SizeLater
            }
        }
        Kind::Arg => {
            let is_last = is_composite(parent, nodes) & is_shaped(nodes.data[parent]);
            if is_last { Form::Shape } else { Form::Plain }
        }
        Kind::Field => {
            if is_named(i, nodes, facts) {
                Form::Selected
            } else {
                Form::SelectedLater
            }
        }
        Kind::Declare => {
            if is_unpacked(i, nodes, facts) {
                Form::UnpackNumber
            } else {
                Form::Plain
            }
        }
        _ => Form::Plain,
    }
}

/// Returns a part of a form's rule.
#[device]
fn part(form: Form, part: usize) -> u32 {
    RULES[form.code() as usize * PARTS + part]
}

/// Returns how often a repeated piece of a node's template occurs.
#[device]
fn times(group: Piece, i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    let ty = nodes.ty[i];
    let target = facts.context[i].target.node;
    match group {
        Piece::Nothing => 0,
        Piece::Declare => {
            let is_own = (target == i.get()) | (nodes.kind[i] == Kind::Declare);
            let is_computed = (target == NO_NODE) & !is_found(nodes.kind[i]);
            if is_own | is_computed { leaves(ty, shapes) } else { 0 }
        }
        Piece::Copy => {
            if target == NO_NODE {
                0
            } else {
                leaves(ty, shapes)
            }
        }
        Piece::Give => {
            if is_borrowed(i, nodes, facts) {
                arrays(ty, shapes)
            } else {
                0
            }
        }
        Piece::StoreLeaf | Piece::DeclareElement | Piece::SplitLeaf => leaves(nodes.ty[i.plus(1)], shapes),
        Piece::OutParameter => leaves(nodes.ty[NodeId::new(facts.parent[i])], shapes),
        Piece::OtherArgument => leaves(ty, shapes) - 1,
        Piece::PrintItem => text_length(nodes.ty[i.plus(1)], shapes) + (nodes.data[i] == 0) as u32,
        Piece::EqualExtent => facts.children[i] - 1,
        _ => leaves(ty, shapes),
    }
}

/// Returns whether the variables for a value are hidden ones, which borrow their arrays, or those of a DECLARE that does.
#[device]
fn is_borrowed(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let target = facts.context[i].target.node;
    if target == NO_NODE {
        return true;
    }
    let node = NodeId::new(target);
    (nodes.kind[node] != Kind::Declare) | (nodes.data[node] == 1)
}

/// Returns pieces of the template of node `i` as a slot.
#[device]
fn slot(pieces: u32, i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Slot {
    let slot = Slot { pieces, times: 0u32, inner_times: 0u32 };
    let group = slot.group();
    let inner_times = match group {
        Piece::IndexLeaf | Piece::SliceLeaf => facts.children[i] - 1,
        Piece::UpdateLeaf | Piece::UpdateSliceLeaf => facts.children[i] - 2,
        Piece::NewLeaf => facts.children[i],
        _ => 1,
    };
    Slot { pieces, times: times(group, i, nodes, facts, shapes), inner_times }
}

/// Returns the first part about a child of the rule of its parent.
#[device]
fn role(i: NodeId, nodes: &Nodes, facts: &Facts) -> usize {
    let is_range = (nodes.kind[i] == Kind::Range) | (nodes.kind[i] == Kind::All);
    let is_split = (nodes.kind[NodeId::new(facts.parent[i])] == Kind::Split) & (facts.before[i].children == 0);
    let role = if !is_composite(i, nodes) & !is_split & !is_range {
        NUMBER
    } else if is_range | (facts.before[i].children == 0) {
        FIRST
    } else {
        OTHER
    };
    CHILDREN + 3 * role
}

/// Returns the template of a node.
#[device(map)]
pub fn template(i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Template {
    let own = form(i, nodes, facts);
    let lead = slot(part(own, LEAD), i, nodes, facts, shapes);
    let head = slot(part(own, HEAD), i, nodes, facts, shapes);
    let tail = slot(part(own, TAIL), i, nodes, facts, shapes);
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        let nothing = slot(0u32, i, nodes, facts, shapes);
        return Template { before: nothing, lead, head, tail, after: nothing, step: 1u32 };
    }
    let above = form(parent, nodes, facts);
    let role = role(i, nodes, facts);
    Template {
        before: slot(part(above, role), parent, nodes, facts, shapes),
        lead,
        head,
        tail,
        after: slot(part(above, role + 2), parent, nodes, facts, shapes),
        step: part(above, role + 1),
    }
}
