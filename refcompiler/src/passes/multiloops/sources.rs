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
    /// The dimension of the first operand of full rank whose extent is compared.
    ReferenceExtent,
    /// The dimension of the other operand whose extent is compared.
    OtherExtent,
    /// The operation of the owner, on elements.
    Operation,
    /// The node around operand `c` of that operation.
    Wrapper,
    /// The view of operand `c`.
    View,
    /// The first array of the operation. From here on, sources are inputs and elements.
    Array,
    /// The array of the parameter, or the array that a repetition compares.
    NextArray,
    /// The element of the first parameter.
    Parameter,
    /// The operand of full rank.
    Reference,
    /// The other operand that a check compares.
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
