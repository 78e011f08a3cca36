//! The sources of the data and of the types of new nodes, and the nodes that have them.

use treepar::device::device;

use crate::ir::kinds::Kind;
use crate::ir::tree::runtime::{COUNT_OF, PRINT_CHAR};
use crate::passes::templates::items::{INT, Item, OTHER_TYPES, VOID, sources};

sources! {
    /// One more than the position that an error names.
    Position,
    /// 1 if a variable for the child borrows.
    Borrows,
    /// The rank of the result.
    Rank,
    /// The position of an extent that is compared, of the first operand of full rank.
    ReferenceExtent,
    /// The same of another operand.
    OtherExtent,
    /// The rank of operand `c`.
    OperandRank,
    /// 0, of an element of operand `c`.
    Loaded,
    /// The logarithm to base 2 of the bytes of an element of operand `c`.
    Shift,
    /// The same of the result.
    MadeShift,
    /// The dimension that the number of the repetition says.
    Dimension,
    /// The operation of an element: kind of the owner.
    Operation,
    /// The node around operand `c` in it.
    Wrapper,
    /// From here on, variables. Array `c` of the operation.
    Array,
    /// The array that the number of the repetition says.
    NextArray,
    /// The value that a reduction begins with.
    Seed,
    /// The number of elements of `group`.
    Total,
    /// The result.
    Made,
    /// The number of elements so far.
    Filled,
    /// The number of the iteration.
    Counter,
    /// The key of the iteration.
    Key,
    /// The parameter of the function, of which there is only one.
    Parameter,
    /// The row that an iteration has made.
    Row,
    /// The operand of full rank.
    Reference,
    /// The operand besides it, or the second of them.
    Other,
    /// Operand `c`.
    Operand,
    /// The address of the data of operand `c`.
    Data,
    /// The number of bytes of operand `c`.
    Bytes,
    /// The number of elements of the result.
    Elements,
    /// The address of the data of the result.
    MadeData,
    /// The distance of the element from the first of the result, in bytes.
    Offset,
    /// The index of that dimension.
    Index,
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
/// The type of the operation's result.
pub const RESULT: u32 = OTHER_TYPES + 6;
/// The type of an element of the first operand.
pub const ENTRY: u32 = OTHER_TYPES + 7;

/// A variable that holds an array without owning it.
pub const fn borrow(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Constant, 1)
}

/// A variable for a number, or for an array that it owns.
pub const fn declare(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Constant, 0)
}

/// A variable for the child or parameter: numbers are its own, arrays are borrowed.
pub const fn hold(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Borrows, 0)
}

/// A literal whose value is a number and a source.
pub const fn number(depth: u32, source: Source, number: u32) -> Item {
    item(depth, Kind::Literal, INT, source, number)
}

/// A variable that is an int.
pub const fn int(depth: u32, source: Source) -> Item {
    item(depth, Kind::Name, INT, source, 0)
}

/// The same of operand `c`.
pub const fn int_of(depth: u32, source: Source, c: u32) -> Item {
    item(depth, Kind::Name, INT, source, c)
}

/// A variable.
pub const fn name(depth: u32, source: Source) -> Item {
    item(depth, Kind::Name, VARIABLE, source, 0)
}

/// Array `c`.
pub const fn array(depth: u32, c: u32) -> Item {
    item(depth, Kind::Name, VARIABLE, Source::Array, c)
}

/// The variable that holds operand `c`.
pub const fn operand(depth: u32, c: u32) -> Item {
    item(depth, Kind::Name, VARIABLE, Source::Operand, c)
}

/// An extent of an array, which follows.
pub const fn size(depth: u32) -> Item {
    item(depth, Kind::Size, INT, Source::Constant, 0)
}

/// A call that yields the number of elements of an array.
pub const fn count_of(depth: u32) -> Item {
    item(depth, Kind::Call, INT, Source::Constant, COUNT_OF)
}

/// An element of operand `c`, at an address that follows.
pub const fn load(depth: u32, ty: u32, c: u32) -> Item {
    item(depth, Kind::Load, ty, Source::Loaded, c)
}

/// A call that prints a character.
pub const fn print(depth: u32) -> Item {
    item(depth, Kind::Call, VOID, Source::Constant, PRINT_CHAR)
}

/// The node around operand `c`.
pub const fn wrapper(depth: u32, c: u32) -> Item {
    item(depth, Kind::Ascribe, WRAPPER, Source::Wrapper, c)
}
