//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::*;
use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OWN, expression, own, pieces};

/// Returns the check that an extent of operand `c` besides the reference equals an extent of the reference.
const fn equal_extent(c: u32) -> [Item; 6] {
    [
        expression(1),
        item(2, Kind::CheckEqual, INT, Source::Position, 0),
        item(3, Kind::Size, INT, Source::ReferenceExtent, c),
        name(4, Source::Reference),
        item(3, Kind::Size, INT, Source::OtherExtent, c),
        item(4, Kind::Name, VARIABLE, Source::Other, c),
    ]
}

/// Returns the view of operand `c`.
const fn view(c: u32) -> [Item; 1] {
    [item(1, Kind::View, OWN, Source::Operand, c)]
}

/// Returns operand `c`, a number.
const fn number(c: u32) -> [Item; 2] {
    [wrapper(4, c), item(5, Kind::Name, VARIABLE, Source::Operand, c)]
}

/// Returns an element of operand `c`.
const fn element(c: u32) -> [Item; 2] {
    [wrapper(4, c), item(5, Kind::Read, OPERAND, Source::View, c)]
}

/// Returns a yield around the value of a LAMBDA.
const fn yields(kind: Kind, ty: u32) -> [Item; 1] {
    [item(1, kind, ty, Source::Position, 0)]
}

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];
    /// Instead of an operation.
    Multiloop = [item(0, Kind::Multiloop, OWN, Source::Flags, 0)];
    /// Around an operand.
    Input = [item(1, Kind::Input, CHILD, Source::Borrows, 0)];
    /// Instead of an argument of a call.
    InputArgument = [item(0, Kind::Input, OWN, Source::Borrows, 0)];
    /// Before the LAMBDA: the first extents of an array and of the first array agree.
    EqualSize = [
        expression(1),
        item(2, Kind::CheckEqual, INT, Source::Position, 0),
        size(3),
        name(4, Source::Array),
        size(3),
        name(4, Source::NextArray),
    ];
    /// Instead of the LAMBDA: it names the input that has the extent.
    Body = [item(0, Kind::Lambda, OWN, Source::Array, 0)];
    /// Instead of a parameter: an element.
    Element = [item(0, Kind::Element, OWN, Source::Borrows, 0), item(1, Kind::Read, OWN, Source::NextArray, 0)];
    /// Before a parameter: the key of its value.
    Key = [item(0, Kind::Key, INT, Source::Constant, 0), item(1, Kind::Read, INT, Source::Array, 0)];

    /// Around the value of the LAMBDA: it is an element of the result.
    Collect = yields(Kind::YieldCollect, OWN);
    /// Around the value of the LAMBDA of a filter: `true` if the element is kept.
    Keep = yields(Kind::YieldCollect, PARAMETER);
    /// After the value of the LAMBDA of a filter: the element.
    Kept = [name(2, Source::Parameter)];
    /// Around the value of the LAMBDA: it is the reduction so far.
    Reduce = yields(Kind::YieldReduce, OWN);
    /// Around the value of the LAMBDA: it is the reduction so far, and an element of the result.
    Scan = yields(Kind::YieldScan, OWN);
    /// Around the value of the LAMBDA: it is the reduction of its key so far.
    Bucket = yields(Kind::YieldBucket, OWN);

    /// After the operands of an operation on elements: an extent of another operand equals an extent of the first operand of full rank.
    EqualOther = equal_extent(0);
    /// The same check of a second operand.
    EqualSecond = equal_extent(1);
    /// The view of the first operand.
    FirstView = view(0);
    /// The view of the second operand.
    SecondView = view(1);
    /// The view of the third operand.
    ThirdView = view(2);
    /// One loop over all elements, with the operation.
    Elements = [
        item(1, Kind::Lambda, ELEMENT, Source::Reference, 0),
        item(2, Kind::YieldCollect, ELEMENT, Source::Position, 0),
        item(3, Kind::Empty, ELEMENT, Source::Operation, 0),
    ];
    /// The first operand, a number.
    FirstNumber = number(0);
    /// The second operand, a number.
    SecondNumber = number(1);
    /// The third operand, a number.
    ThirdNumber = number(2);
    /// An element of the first operand.
    FirstElement = element(0);
    /// An element of the second operand.
    SecondElement = element(1);
    /// An element of the third operand.
    ThirdElement = element(2);
}
