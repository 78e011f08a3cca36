//! The sources of the data and of the types of new nodes, and the nodes that have them.

use treepar::device::device;

use crate::ir::kinds::Kind;
use crate::ir::tree::runtime::{COUNT_OF, PRINT_CHAR};
use crate::passes::templates::items::{INT, Item, OTHER_TYPES, VOID, sources};

sources! {
    /// One more than the position that an error names.
    Position,
    /// The same, or 1 if no error is possible: the mark of the loop of an operation.
    Mark,
    /// `data` of the owner.
    Kept,
    /// 1 if a variable for a parameter or a child borrows.
    Borrows,
    /// The rank of the result.
    Rank,
    /// The rank of the input.
    InputRank,
    /// The dimension: the number of the repetition.
    Dimension,
    /// The input that has the extent. From here on, sources are variables.
    Extent,
    /// The input of a VIEW or READ.
    Input,
    /// The value that a reduction begins with.
    Seed,
    /// The number of elements of a result of keys.
    Total,
    /// The result.
    Made,
    /// The variable that the result is assigned to.
    Over,
    /// The number of elements so far.
    Filled,
    /// The number of the iteration.
    Counter,
    /// The key of the iteration.
    Key,
    /// The row that an iteration has made.
    Row,
    /// The address of the data of a view.
    Data,
    /// The number of elements of a view.
    Count,
    /// The number of elements of the result.
    Elements,
    /// The address of the data of the result.
    MadeData,
    /// The array that is printed.
    Printed,
    /// The index of that dimension.
    Index,
}

/// The type of the elements of the result.
pub const ELEMENT: u32 = OTHER_TYPES;
/// The type of the child.
pub const CHILD: u32 = OTHER_TYPES + 1;
/// The type of the variable.
pub const VARIABLE: u32 = OTHER_TYPES + 2;
/// The type of the elements of the input.
pub const READ: u32 = OTHER_TYPES + 3;
/// The type of the result.
pub const RESULT: u32 = OTHER_TYPES + 4;
/// The type of an element of the array that is printed.
pub const ENTRY: u32 = OTHER_TYPES + 5;

/// A variable that holds an array without owning it.
pub const fn borrow(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Constant, 1)
}

/// A variable for a number, or for an array that it owns.
pub const fn declare(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Constant, 0)
}

/// A variable for a child or parameter: numbers are its own, arrays are borrowed.
pub const fn hold(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Declare, ty, Source::Borrows, 0)
}

/// A literal whose value is a source.
pub const fn number(depth: u32, source: Source) -> Item {
    item(depth, Kind::Literal, INT, source, 0)
}

/// The address of the elements of the array in a variable.
pub const fn data(depth: u32, source: Source) -> Item {
    item(depth, Kind::Data, INT, source, 0)
}

/// A variable that is an int.
pub const fn int(depth: u32, source: Source) -> Item {
    item(depth, Kind::Name, INT, source, 0)
}

/// A variable.
pub const fn name(depth: u32, source: Source) -> Item {
    item(depth, Kind::Name, VARIABLE, source, 0)
}

/// An extent of an array, which follows.
pub const fn size(depth: u32) -> Item {
    item(depth, Kind::Size, INT, Source::Constant, 0)
}

/// A call that yields the number of elements of an array.
pub const fn count_of(depth: u32) -> Item {
    item(depth, Kind::Call, INT, Source::Constant, COUNT_OF)
}

/// A word or an element at an address that follows.
pub const fn load(depth: u32, ty: u32) -> Item {
    item(depth, Kind::Load, ty, Source::Constant, 0)
}

/// A call that prints a character.
pub const fn print(depth: u32) -> Item {
    item(depth, Kind::Call, VOID, Source::Constant, PRINT_CHAR)
}
