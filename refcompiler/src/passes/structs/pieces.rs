//! The pieces that templates are made of: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the place of the
//! parent. The other pieces of a node count from its own place. `g` is the number of the repetition: a leaf.

use treepar::device::device;

use super::super::templates::{Item, pieces};
use crate::ir::kinds::{Kind, Type};

/// Where the data of a node comes from. `c` is the number that follows.
#[device]
pub enum Source {
    /// The node itself: kind, type and data of the owner of the template.
    Own,
    /// `c`.
    Constant,
    /// `g + c`.
    Leaf,
    /// Whether the variables of leaves borrow or own their arrays.
    Holds,
    /// Whether the array of a parameter is unique.
    Unique,
    /// The variable for leaf `g` of the value.
    Dest,
    /// The variable for the value of a child that is no composite.
    Part,
    /// The variable of leaf `g` before it is copied.
    Home,
    /// The variable for leaf `g` of the first child, or of what it selects.
    First,
    /// The same, after the leaves that the owner skips.
    Selected,
    /// The variable for array `g` of the value.
    Given,
    /// The leaf of a DECLARE in what its parent destructures.
    Unpacked,
    /// The argument, counted in leaves.
    Index,
    /// Out parameter `g` of the function.
    Out,
}

/// The types of the nodes of pieces.
pub const VOID: u32 = Type::Void.code() as u32;
pub const INT: u32 = Type::Int.code() as u32;
/// That of the owner.
pub const OWN: u32 = 3;
/// That of leaf `g` of the owner.
pub const LEAF: u32 = 4;
/// That of leaf `g` of the first child of the owner.
pub const OF_FIRST: u32 = 5;
/// That of the child.
pub const CHILD: u32 = 6;
/// That of leaf `g + 1` of the owner.
pub const NEXT: u32 = 7;
/// That of array `g` among the leaves of the owner.
pub const GIVEN: u32 = 8;
/// That of leaf 0 of the owner.
pub const OUTER: u32 = 9;

const fn item(depth: u32, kind: Kind, ty: u32, source: Source, number: u32) -> Item {
    Item::new(depth, kind, ty, source.code(), number)
}

const fn own(depth: u32) -> Item {
    item(depth, Kind::Empty, VOID, Source::Own, 0)
}

/// A node without data.
const fn node(depth: u32, kind: Kind, ty: u32) -> Item {
    item(depth, kind, ty, Source::Constant, 0)
}

const fn expression(depth: u32) -> Item {
    node(depth, Kind::Expression, VOID)
}

const fn name(depth: u32, ty: u32, source: Source) -> Item {
    item(depth, Kind::Name, ty, source, 0)
}

const fn assign(depth: u32, ty: u32, source: Source) -> Item {
    item(depth, Kind::Assign, ty, source, 0)
}

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];
    /// The same below another.
    SameInner = [own(1)];
    /// A statement with a value.
    Statement = [expression(0)];
    /// The variable of a leaf of the value.
    Declare = [expression(0), item(1, Kind::Declare, LEAF, Source::Holds, 0)];
    /// A leaf is copied to where it belongs.
    Copy = [expression(0), assign(1, LEAF, Source::Dest), name(2, LEAF, Source::Home)];
    /// A leaf is assigned to the variable.
    AssignLeaf = [expression(0), assign(1, LEAF, Source::Home), name(2, LEAF, Source::First)];
    /// Before a field that is no composite.
    AssignPart = [expression(0), assign(1, CHILD, Source::Part)];
    /// Statements before a value.
    Sequence = [node(0, Kind::Sequence, OWN)];
    /// `if[c, x, y]` of composites.
    Branches = [node(0, Kind::IfElse, VOID)];
    /// `x` of it.
    Branch = [node(0, Kind::Block, VOID)];

    /// A call with a composite result.
    Call = [expression(0), own(1)];
    /// The address of the variable for a leaf of it.
    OutArgument = [item(2, Kind::Arg, INT, Source::Leaf, 0), item(3, Kind::Address, INT, Source::Dest, 0)];
    /// After the call, its arrays are temporaries.
    Give = [expression(0), node(1, Kind::Give, GIVEN), name(2, GIVEN, Source::Given)];
    /// A leaf of an argument.
    LeafArgument = [item(0, Kind::Arg, LEAF, Source::Index, 0), name(1, LEAF, Source::First)];
    /// The first leaf of an argument that is computed.
    FirstArgument = [item(0, Kind::Arg, OUTER, Source::Index, 0), node(1, Kind::Sequence, OUTER)];
    /// At last.
    FirstValue = [name(2, OUTER, Source::First)];
    /// Another leaf of it.
    OtherArgument = [item(0, Kind::Arg, NEXT, Source::Index, 1), item(1, Kind::Name, NEXT, Source::First, 1)];
    /// A parameter for the address of a variable of the caller.
    OutParameter = [node(0, Kind::Param, INT)];
    /// A parameter for a leaf.
    Parameter = [item(0, Kind::Param, LEAF, Source::Unique, 0)];
    /// A leaf of the result.
    StoreLeaf = [node(0, Kind::Store, OF_FIRST), name(1, INT, Source::Out), name(1, OF_FIRST, Source::First)];
    /// The end of a function with a composite result.
    Return = [node(0, Kind::Return, VOID)];

    /// A number or an array in a composite.
    Selected = [name(0, OWN, Source::Selected)];
    /// The same after statements.
    SelectedLast = [name(1, OWN, Source::Selected)];
    /// A variable of `var (x, y) = e` that is a composite.
    Unpack = [expression(0), assign(1, LEAF, Source::Home), name(2, LEAF, Source::Unpacked)];
    /// The same of one that is not.
    UnpackedValue = [name(2, OWN, Source::Unpacked)];
}
