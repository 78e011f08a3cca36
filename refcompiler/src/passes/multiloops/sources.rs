//! The sources of the data and of the types of new nodes, and the nodes that have them.

use treepar::device::device;

use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OTHER_TYPES, sources};

sources! {
    /// One more than the position that an error names.
    Position,
    /// The flags of a MULTILOOP.
    Flags,
    /// 1 if a variable for the child borrows.
    Borrows,
    /// The position of an extent that is compared, of the first operand of full rank.
    ReferenceExtent,
    /// The same of another operand.
    OtherExtent,
    /// The operation of an element: kind of the owner.
    Operation,
    /// The node around operand `c` in it.
    Wrapper,
    /// The view of operand `c`.
    View,
    /// From here on, inputs and elements. The first array of the operation.
    Array,
    /// The array that the number of the repetition says, or of the parameter.
    NextArray,
    /// The element of the first parameter.
    Parameter,
    /// The operand of full rank.
    Reference,
    /// The operand besides it, or the second of them.
    Other,
    /// Operand `c`.
    Operand,
}

/// The type of the elements of the owner of the template.
pub const ELEMENT: u32 = OTHER_TYPES;
/// The type of the child.
pub const CHILD: u32 = OTHER_TYPES + 1;
/// The type of the variable.
pub const VARIABLE: u32 = OTHER_TYPES + 2;
/// The type of the elements of operand `c`.
pub const OPERAND: u32 = OTHER_TYPES + 3;
/// The type of the node around operand `c`.
pub const WRAPPER: u32 = OTHER_TYPES + 4;
/// The type of the first parameter of the LAMBDA.
pub const PARAMETER: u32 = OTHER_TYPES + 5;

/// A variable.
pub const fn name(depth: u32, source: Source) -> Item {
    item(depth, Kind::Name, VARIABLE, source, 0)
}

/// The first extent of an array, which follows.
pub const fn size(depth: u32) -> Item {
    item(depth, Kind::Size, INT, Source::Constant, 0)
}

/// The node around operand `c`.
pub const fn wrapper(depth: u32, c: u32) -> Item {
    item(depth, Kind::Ascribe, WRAPPER, Source::Wrapper, c)
}
