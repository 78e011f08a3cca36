//! The sources of the data and of the types of new nodes, and the nodes that have them. `g` is the number of the repetition: a
//! leaf.

use treepar::device::device;

use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OTHER_TYPES, sources};

sources! {
    /// `g + c`.
    Leaf,
    /// 1 if the variables of leaves borrow their arrays, 0 or 2 if they own them.
    Holds,
    /// 1 if the array of a parameter is unique.
    Unique,
    /// The data of the owner if leaf `g` is an array, else 0: an access without a check.
    OfArray,
    /// The same of the first child of a literal.
    OfElement,
    /// 1 if the variable for leaf `g` of an element borrows an array.
    HoldsElement,
    /// The data of the owner.
    Data,
    /// The data of the parent: one more than the position that an error names.
    ParentData,
    /// The dimension of an index.
    Dimension,
    /// The number of children.
    Count,
    /// The number of earlier children.
    Child,
    /// The variable for child `c + m`, where m is the number of the inner repetition.
    Operand,
    /// The variable for leaf `g` of the value.
    Dest,
    /// The variable for leaf `g` of the second child.
    Target,
    /// The variable for its first leaf.
    Outermost,
    /// The variable for the first leaf of its field `g + 1`.
    OtherField,
    /// A RANGE for a dimension of a slice; for an index, a sum with 0, which has as many nodes.
    Bounds,
    /// The variable for its lower bound, or for the index.
    Low,
    /// The variable for its upper bound.
    High,
    /// A PRINT of a leaf, or else a call for a character.
    Print,
    /// An ASCRIBE of a leaf, or else an argument.
    PrintArgument,
    /// A leaf, or else a character.
    PrintValue,
    /// One more than a position. The node is a REPLICATE if leaf `g` of the child is a number.
    Rows,
    /// No data. The node is an ASCRIBE if leaf `g` is a number.
    Gives,
    /// The variable for leaf `g` of the child.
    Value,
    /// The variable for leaf `g` of the value of argument `c`.
    Argument,
    /// The variable for leaf `g` of the array that is split.
    Whole,
    /// The variable for leaf `g` of its second part.
    Rest,
    /// The variable for the value of a child that is a number or an array of numbers.
    Part,
    /// The variable of leaf `g` before it is copied.
    Home,
    /// The variable for leaf `g` of the first child, or of the value that it selects from.
    First,
    /// The same, after the leaves that the owner skips.
    Selected,
    /// The variable for the array of the field that is selected from an element. The node has the array's type.
    Column,
    /// The variable for the first leaf of the array of composites that an access is to. The node has its type.
    Table,
    /// The variable for array `g` of the value.
    Given,
    /// The leaf of a DECLARE in the value that its parent destructures.
    Unpacked,
    /// The argument, counted in leaves.
    Index,
    /// Out parameter `g` of the function.
    Out,
}

/// The type of leaf `g` of the owner.
pub const LEAF: u32 = OTHER_TYPES;
/// The type of leaf `g` of the first child of the owner.
pub const OF_FIRST: u32 = OTHER_TYPES + 1;
/// The type of the child.
pub const CHILD: u32 = OTHER_TYPES + 2;
/// The type of leaf `g + 1` of the owner.
pub const NEXT: u32 = OTHER_TYPES + 3;
/// The type of array `g` among the leaves of the owner.
pub const GIVEN: u32 = OTHER_TYPES + 4;
/// The type of leaf 0 of the owner.
pub const OUTER: u32 = OTHER_TYPES + 5;
/// The type of leaf `g` of the child.
pub const OF_CHILD: u32 = OTHER_TYPES + 6;
/// The type of leaf 0 of the first child.
pub const OUTER_FIRST: u32 = OTHER_TYPES + 7;
/// The type of the first leaf of field `g + 1` of the owner.
pub const OTHER: u32 = OTHER_TYPES + 8;
/// The type of arrays of ints.
pub const INTS: u32 = OTHER_TYPES + 9;
/// The type of item `g` of the text of the first child.
pub const PRINTED: u32 = OTHER_TYPES + 10;
/// The type of a range, or of an index instead of one.
pub const BOUNDS: u32 = OTHER_TYPES + 11;

/// A literal with the value of a source.
pub const fn literal(depth: u32, source: Source) -> Item {
    item(depth, Kind::Literal, INT, source, 0)
}

/// A read of the variable of a source.
pub const fn name(depth: u32, ty: u32, source: Source) -> Item {
    item(depth, Kind::Name, ty, source, 0)
}

/// An assignment to the variable of a source.
pub const fn assign(depth: u32, ty: u32, source: Source) -> Item {
    item(depth, Kind::Assign, ty, source, 0)
}
