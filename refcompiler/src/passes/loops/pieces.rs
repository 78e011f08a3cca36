//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::*;
use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OWN, VOID, arg, constant, expression, node, own, pieces};

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

/// Returns a variable for the address of the data of operand `c`.
const fn address(c: u32) -> [Item; 4] {
    [expression(1), declare(2, INT), load(3, INT, 0), operand(4, c)]
}

/// Returns a variable for the number of bytes of operand `c`.
const fn bytes(c: u32) -> [Item; 11] {
    [
        expression(1),
        declare(2, INT),
        node(3, Kind::Shl, INT),
        count_of(4),
        arg(5, 0),
        operand(6, c),
        arg(5, 1),
        constant(6, 0),
        arg(5, 2),
        number(6, Source::OperandRank, c),
        number(4, Source::Shift, c),
    ]
}

/// Returns operand `c`, a number.
const fn number_of(c: u32) -> [Item; 2] {
    [wrapper(5, c), operand(6, c)]
}

/// Returns an element of operand `c`, of full rank.
const fn element(c: u32) -> [Item; 5] {
    [wrapper(5, c), load(6, OPERAND, c), node(7, Kind::Add, INT), int_of(8, Source::Data, c), int(8, Source::Offset)]
}

/// Returns an element of operand `c`, of a lower rank.
const fn repeated(c: u32) -> [Item; 7] {
    [
        wrapper(5, c),
        load(6, OPERAND, c),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, c),
        node(8, Kind::Rem, INT),
        int(9, Source::Offset),
        int_of(9, Source::Bytes, c),
    ]
}

/// Returns an element of operand `c`, of full rank and with another size than the elements of the result.
const fn other(c: u32) -> [Item; 7] {
    [
        wrapper(5, c),
        load(6, OPERAND, c),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, c),
        node(8, Kind::Shl, INT),
        int(9, Source::Counter),
        number(9, Source::Shift, c),
    ]
}

/// Returns an element of operand `c`, of a lower rank and with another size than the elements of the result.
const fn other_repeated(c: u32) -> [Item; 9] {
    [
        wrapper(5, c),
        load(6, OPERAND, c),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, c),
        node(8, Kind::Rem, INT),
        node(9, Kind::Shl, INT),
        int(10, Source::Counter),
        number(10, Source::Shift, c),
        int_of(9, Source::Bytes, c),
    ]
}

/// Returns the result of an operation, made in the first iteration like the row of a variable.
const fn new_rows(row: Source) -> [Item; 10] {
    [
        node(1, Kind::If, VOID),
        node(2, Kind::Not, INT),
        int(3, Source::Counter),
        node(2, Kind::Block, VOID),
        expression(3),
        item(4, Kind::Assign, RESULT, Source::Made, 0),
        node(5, Kind::NewRows, RESULT),
        size(6),
        array(7, 0),
        name(6, row),
    ]
}

/// Returns the statement that makes the row of a variable a row of the result.
const fn put_row(row: Source) -> [Item; 4] {
    [item(1, Kind::Update, OWN, Source::Position, 0), name(2, Source::Made), int(2, Source::Counter), name(2, row)]
}

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];
    /// Statements and a value.
    Sequence = [node(0, Kind::Sequence, OWN)];

    /// Before an operand: a variable for it.
    Hold = [expression(1), hold(2, CHILD)];
    /// Instead of an argument of a call: a variable for its value.
    HoldArgument = [expression(0), hold(1, OWN)];
    /// Before the LAMBDA: the first extents of an array and of the first array agree.
    EqualSize = [
        expression(1),
        item(2, Kind::CheckEqual, INT, Source::Position, 0),
        size(3),
        array(4, 0),
        size(3),
        name(4, Source::NextArray),
    ];
    /// An array of numbers for the result.
    New = [expression(1), borrow(2, OWN), node(3, Kind::New, OWN), size(4), array(5, 0)];
    /// A variable for an array of rows, whose extents the first iteration knows.
    NewOwner = [expression(1), declare(2, OWN)];
    /// An array for at most all elements, and how many it has.
    Like = [
        expression(1),
        borrow(2, OWN),
        node(3, Kind::NewLike, OWN),
        array(4, 0),
        expression(1),
        declare(2, INT),
    ];
    /// The result of `group` before its first iteration.
    Replicate = [
        expression(1),
        borrow(2, OWN),
        item(3, Kind::Replicate, OWN, Source::Position, 0),
        int(4, Source::Total),
        name(4, Source::Seed),
    ];
    /// The loop.
    Loop = [node(1, Kind::For, VOID), node(2, Kind::Count, INT), size(3), array(4, 0)];
    /// The body of the loop, instead of the LAMBDA.
    Block = [node(0, Kind::Block, VOID)];

    /// Instead of a parameter: an element.
    Element = [
        expression(0),
        hold(1, OWN),
        node(2, Kind::Index, OWN),
        name(3, Source::NextArray),
        int(3, Source::Counter),
    ];
    /// The same, from the last element to the first.
    ElementFromEnd = [
        expression(0),
        hold(1, OWN),
        node(2, Kind::Index, OWN),
        array(3, 0),
        node(3, Kind::Sub, INT),
        node(4, Kind::Sub, INT),
        size(5),
        array(6, 0),
        constant(5, 1),
        int(4, Source::Counter),
    ];
    /// The same, for the result of a key so far.
    ElementOfKey = [
        expression(0),
        declare(1, INT),
        item(2, Kind::CheckIndex, INT, Source::Position, 0),
        node(3, Kind::Index, INT),
        array(4, 0),
        int(4, Source::Counter),
        int(3, Source::Total),
        expression(0),
        hold(1, OWN),
        node(2, Kind::Index, OWN),
        name(3, Source::Made),
        int(3, Source::Key),
    ];

    /// Before the value of the LAMBDA: it is an element of the result.
    Put = [node(1, Kind::Update, OWN), name(2, Source::Made), int(2, Source::Counter)];
    /// After it, if it is a row: the first row says how long all are.
    NewRows = new_rows(Source::Row);
    /// Then it is a row of the result.
    PutRow = put_row(Source::Row);
    /// Before the value: it is the reduction so far.
    Assign = [expression(1), item(2, Kind::Assign, OWN, Source::Seed, 0)];
    /// After it: an element of the result.
    PutSeed = [
        node(1, Kind::Update, OWN),
        name(2, Source::Made),
        int(2, Source::Counter),
        name(2, Source::Seed),
    ];
    /// The same, if it is a row.
    NewSeedRows = new_rows(Source::Seed);
    /// Then.
    PutSeedRow = put_row(Source::Seed);
    /// Before the value: it says whether the element is kept.
    If = [node(1, Kind::If, VOID)];
    /// After it.
    Keep = [
        node(2, Kind::Block, VOID),
        node(3, Kind::Update, PARAMETER),
        name(4, Source::Made),
        int(4, Source::Filled),
        name(4, Source::Parameter),
        expression(3),
        item(4, Kind::Assign, INT, Source::Filled, 0),
        node(5, Kind::Add, INT),
        int(6, Source::Filled),
        constant(6, 1),
    ];
    /// Before the value: it is the result of its key.
    PutKey = [node(1, Kind::Update, OWN), name(2, Source::Made), int(2, Source::Key)];
    /// The same, if it is a row.
    PutKeyRow = [
        item(1, Kind::Update, OWN, Source::Position, 0),
        name(2, Source::Made),
        int(2, Source::Key),
    ];

    /// The result, at last.
    Made = [name(1, Source::Made)];
    /// The same, of a variable that owns it.
    GiveMade = [node(1, Kind::Give, OWN), name(2, Source::Made)];
    /// The result of a reduction.
    Seed = [name(1, Source::Seed)];
    /// The same, of a variable that owns it.
    GiveSeed = [node(1, Kind::Give, OWN), name(2, Source::Seed)];
    /// The elements that were kept.
    Truncate = [node(1, Kind::Truncate, OWN), name(2, Source::Made), int(2, Source::Filled)];

    /// After the operands of an operation on elements: an extent of another operand equals an extent of the first operand of full rank.
    EqualOther = equal_extent(0);
    /// The same of a second one.
    EqualSecond = equal_extent(1);
    /// The result, its number of elements and the address of its data.
    Result = [
        expression(1),
        borrow(2, OWN),
        node(3, Kind::NewLike, OWN),
        name(4, Source::Reference),
        expression(1),
        declare(2, INT),
        count_of(3),
        arg(4, 0),
        name(5, Source::Made),
        arg(4, 1),
        constant(5, 0),
        arg(4, 2),
        number(5, Source::Rank, 0),
        expression(1),
        declare(2, INT),
        load(3, INT, 0),
        name(4, Source::Made),
    ];
    /// The address of the data of the first operand.
    FirstData = address(0);
    /// The same of the second operand.
    SecondData = address(1);
    /// The same of the third operand.
    ThirdData = address(2);
    /// The number of bytes of the first operand.
    FirstBytes = bytes(0);
    /// The same of the second operand.
    SecondBytes = bytes(1);
    /// The same of the third operand.
    ThirdBytes = bytes(2);
    /// One loop over all elements, with the operation.
    Elements = [
        node(1, Kind::For, VOID),
        node(2, Kind::Count, INT),
        int(3, Source::Elements),
        node(2, Kind::Block, VOID),
        expression(3),
        declare(4, INT),
        node(5, Kind::Shl, INT),
        int(6, Source::Counter),
        number(6, Source::MadeShift, 0),
        node(3, Kind::Store, ELEMENT),
        node(4, Kind::Add, INT),
        int(5, Source::MadeData),
        int(5, Source::Offset),
        item(4, Kind::Empty, ELEMENT, Source::Operation, 0),
    ];
    /// The first operand, a number.
    FirstNumber = number_of(0);
    /// The same of the second operand.
    SecondNumber = number_of(1);
    /// The same of the third operand.
    ThirdNumber = number_of(2);
    /// An element of the first operand, of full rank.
    FirstElement = element(0);
    /// The same of the second operand.
    SecondElement = element(1);
    /// The same of the third operand.
    ThirdElement = element(2);
    /// An element of the first operand, of a lower rank.
    FirstRepeated = repeated(0);
    /// The same of the second operand.
    SecondRepeated = repeated(1);
    /// The same of the third operand.
    ThirdRepeated = repeated(2);

    /// An element of the first operand, of full rank and with another size than the elements of the result.
    FirstOther = other(0);
    /// The same of a lower rank.
    FirstOtherRepeated = other_repeated(0);
    /// An element of the second operand, of full rank and with another size.
    SecondOther = other(1);
    /// The same of a lower rank.
    SecondOtherRepeated = other_repeated(1);
    /// An element of the third operand, of full rank and with another size.
    ThirdOther = other(2);
    /// The same of a lower rank.
    ThirdOtherRepeated = other_repeated(2);

    /// `print` of an array of structs or tuples, for each dimension: its loop, with `[` before it and a comma between elements.
    Open (2) = [
        expression(1),
        print(2),
        arg(3, 0),
        constant(4, b'[' as u32),
        node(1, Kind::For, VOID),
        node(2, Kind::Count, INT),
        item(3, Kind::Size, INT, Source::Dimension, 0),
        operand(4, 0),
        node(2, Kind::Block, VOID),
        node(3, Kind::If, VOID),
        int(4, Source::Index),
        node(4, Kind::Block, VOID),
        expression(5),
        print(6),
        arg(7, 0),
        constant(8, b',' as u32),
        expression(5),
        print(6),
        arg(7, 0),
        constant(8, b' ' as u32),
    ];
    /// In the loops: an element, without its indices.
    PrintEntry = [
        expression(1),
        item(2, Kind::Print, VOID, Source::Constant, 1),
        node(3, Kind::Index, ENTRY),
        operand(4, 0),
    ];
    /// An index.
    Indices = [int(4, Source::Index)];
    /// After each loop.
    Close (-2) = [expression(1), print(2), arg(3, 0), constant(4, b']' as u32)];
    /// The end of the line.
    EndLine = [expression(1), print(2), arg(3, 0), constant(4, b'\n' as u32)];
}
