//! The sources of the data and of the types of new nodes, and the nodes that have them.

use treepar::device::device;

use crate::ir::kinds::{Kind, Type};
use crate::passes::templates::items::{INT, Item, OTHER_TYPES, sources};

sources! {
    /// The data of the owner.
    Data,
    /// The variable `c` nodes after the first of the owner.
    Start,
    /// The variable that the piece before the child ends with, `c` nodes before its end.
    Before,
    /// The variable of argument `c`.
    Argument,
    /// The variable that holds the indexed array.
    Indexed,
    /// The variable that the owner declares, assigns or reads.
    Variable,
    /// The first parameter that is for the result.
    FirstOut,
    /// The last one.
    LastOut,
    /// The mark of the function.
    Mark,
    /// The variable of the loop with the address of the top of memory.
    LoopTop,
    /// The mark of the loop.
    LoopMark,
    /// The rank of the array, minus `c`.
    Rank,
    /// The shape of the array, whose rank is less by `c`: the rank, and 16 times the bytes of a narrow element.
    Shape,
    /// The same, with the rank of the first child.
    FirstShape,
    /// The function of the runtime `c`, for the elements of the array.
    Call,
    /// The same, for a unique parameter.
    UniqueCall,
    /// The number of words of the elements of a literal.
    Words,
    /// The number of indices.
    Indices,
    /// The number of children.
    Count,
    /// The number of earlier children.
    Child,
    /// One more than the position that an error names.
    Position,
    /// The offset of extent `c` and the number of the repetition.
    Extent,
    /// The same, after as many extents as there are indices.
    RowExtent,
    /// The offset of the extent that belongs to an index, or of the one `c` later.
    IndexExtent,
    /// The offset of the extent that the owner asks for.
    AskedExtent,
    /// `-c`.
    Minus,
    /// The rank of the first child.
    FirstRank,
    /// The rank of the owner's type.
    ValueRank,
    /// The variable with the bounds of the slice that the owner is a dimension of.
    Plan,
    /// The offset of bound `c` of a dimension of the owner.
    Bound,
    /// The offset of bound `c` of the dimension that the owner is.
    OwnBound,
    /// The number of the dimension that the owner is.
    Dimension,
    /// The offset of an element of a literal.
    Element,
    /// A unique parameter, by the number of the repetition.
    Unique,
    /// The shape of that parameter.
    UniqueShape,
}

/// The type of the elements of the array that the owner makes or accesses.
pub const ELEMENT: u32 = OTHER_TYPES;

/// A variable for a word.
pub const fn declare(depth: u32) -> Item {
    item(depth, Kind::Declare, INT, Source::Constant, 0)
}

/// A literal with the value of a source.
pub const fn literal(depth: u32, source: Source, number: u32) -> Item {
    item(depth, Kind::Literal, INT, source, number)
}

/// A read of the variable of a source.
pub const fn name(depth: u32, source: Source, number: u32) -> Item {
    item(depth, Kind::Name, INT, source, number)
}

/// A word of memory, at a distance that a source gives.
pub const fn load(depth: u32, source: Source, number: u32) -> Item {
    item(depth, Kind::Load, INT, source, number)
}

/// An element, whose address follows.
pub const fn load_element(depth: u32) -> Item {
    item(depth, Kind::Load, ELEMENT, Source::Constant, 0)
}

/// A write of an element, whose address follows.
pub const fn store_element(depth: u32) -> Item {
    item(depth, Kind::Store, ELEMENT, Source::Constant, 0)
}

/// A load of the first word of a block, whose address follows.
pub const fn data(depth: u32) -> Item {
    load(depth, Source::Constant, 0)
}

/// A check, with the position of the owner.
pub const fn check(depth: u32, kind: Kind) -> Item {
    item(depth, kind, INT, Source::Position, 0)
}

/// Returns a call of a function of the runtime, for the elements of the owner's array.
pub const fn call(depth: u32, id: u32, ty: u32) -> Item {
    item(depth, Kind::Call, ty, Source::Call, id)
}

/// Returns the type of a node. `element` is the type of the elements of the owner's array.
#[device]
pub fn type_of(item: Item, element: Type) -> Type {
    if item.ty() == ELEMENT { element } else { Type::from_code(item.ty() as u8) }
}
