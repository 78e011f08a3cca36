//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::*;
use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OWN, VOID, arg, constant, expression, node, own, pieces};

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
    /// Before the LAMBDA: the first extent of an array is that of the first array.
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
    /// Its body, instead of the LAMBDA.
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
    NewRows = [
        node(1, Kind::If, VOID),
        node(2, Kind::Not, INT),
        int(3, Source::Counter),
        node(2, Kind::Block, VOID),
        expression(3),
        item(4, Kind::Assign, RESULT, Source::Made, 0),
        node(5, Kind::NewRows, RESULT),
        size(6),
        array(7, 0),
        name(6, Source::Row),
    ];
    /// Then it is a row of the result.
    PutRow = [
        item(1, Kind::Update, OWN, Source::Position, 0),
        name(2, Source::Made),
        int(2, Source::Counter),
        name(2, Source::Row),
    ];
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
    NewSeedRows = [
        node(1, Kind::If, VOID),
        node(2, Kind::Not, INT),
        int(3, Source::Counter),
        node(2, Kind::Block, VOID),
        expression(3),
        item(4, Kind::Assign, RESULT, Source::Made, 0),
        node(5, Kind::NewRows, RESULT),
        size(6),
        array(7, 0),
        name(6, Source::Seed),
    ];
    /// Then.
    PutSeedRow = [
        item(1, Kind::Update, OWN, Source::Position, 0),
        name(2, Source::Made),
        int(2, Source::Counter),
        name(2, Source::Seed),
    ];
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

    /// After the operands of an operation on elements: an extent of another operand is that of the first of full rank.
    EqualOther = [
        expression(1),
        item(2, Kind::CheckEqual, INT, Source::Position, 0),
        item(3, Kind::Size, INT, Source::ReferenceExtent, 0),
        name(4, Source::Reference),
        item(3, Kind::Size, INT, Source::OtherExtent, 0),
        item(4, Kind::Name, VARIABLE, Source::Other, 0),
    ];
    /// The same of a second one.
    EqualSecond = [
        expression(1),
        item(2, Kind::CheckEqual, INT, Source::Position, 0),
        item(3, Kind::Size, INT, Source::ReferenceExtent, 1),
        name(4, Source::Reference),
        item(3, Kind::Size, INT, Source::OtherExtent, 1),
        item(4, Kind::Name, VARIABLE, Source::Other, 1),
    ];
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
    FirstData = [expression(1), declare(2, INT), load(3, INT, 0), operand(4, 0)];
    /// The same of the second operand.
    SecondData = [expression(1), declare(2, INT), load(3, INT, 0), operand(4, 1)];
    /// The same of the third operand.
    ThirdData = [expression(1), declare(2, INT), load(3, INT, 0), operand(4, 2)];
    /// The number of bytes of the first operand.
    FirstBytes = [
        expression(1),
        declare(2, INT),
        node(3, Kind::Shl, INT),
        count_of(4),
        arg(5, 0),
        operand(6, 0),
        arg(5, 1),
        constant(6, 0),
        arg(5, 2),
        number(6, Source::OperandRank, 0),
        number(4, Source::Shift, 0),
    ];
    /// The same of the second operand.
    SecondBytes = [
        expression(1),
        declare(2, INT),
        node(3, Kind::Shl, INT),
        count_of(4),
        arg(5, 0),
        operand(6, 1),
        arg(5, 1),
        constant(6, 0),
        arg(5, 2),
        number(6, Source::OperandRank, 1),
        number(4, Source::Shift, 1),
    ];
    /// The same of the third operand.
    ThirdBytes = [
        expression(1),
        declare(2, INT),
        node(3, Kind::Shl, INT),
        count_of(4),
        arg(5, 0),
        operand(6, 2),
        arg(5, 1),
        constant(6, 0),
        arg(5, 2),
        number(6, Source::OperandRank, 2),
        number(4, Source::Shift, 2),
    ];
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
    FirstNumber = [wrapper(5, 0), operand(6, 0)];
    /// The same of the second operand.
    SecondNumber = [wrapper(5, 1), operand(6, 1)];
    /// The same of the third operand.
    ThirdNumber = [wrapper(5, 2), operand(6, 2)];
    /// An element of the first operand, of full rank.
    FirstElement = [
        wrapper(5, 0),
        load(6, OPERAND, 0),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 0),
        int(8, Source::Offset),
    ];
    /// The same of the second operand.
    SecondElement = [
        wrapper(5, 1),
        load(6, OPERAND, 1),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 1),
        int(8, Source::Offset),
    ];
    /// The same of the third operand.
    ThirdElement = [
        wrapper(5, 2),
        load(6, OPERAND, 2),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 2),
        int(8, Source::Offset),
    ];
    /// An element of the first operand, of a lower rank.
    FirstRepeated = [
        wrapper(5, 0),
        load(6, OPERAND, 0),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 0),
        node(8, Kind::Rem, INT),
        int(9, Source::Offset),
        int_of(9, Source::Bytes, 0),
    ];
    /// The same of the second operand.
    SecondRepeated = [
        wrapper(5, 1),
        load(6, OPERAND, 1),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 1),
        node(8, Kind::Rem, INT),
        int(9, Source::Offset),
        int_of(9, Source::Bytes, 1),
    ];
    /// The same of the third operand.
    ThirdRepeated = [
        wrapper(5, 2),
        load(6, OPERAND, 2),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 2),
        node(8, Kind::Rem, INT),
        int(9, Source::Offset),
        int_of(9, Source::Bytes, 2),
    ];

    /// An element of the first operand, of full rank and with another size than those of the result.
    FirstOther = [
        wrapper(5, 0),
        load(6, OPERAND, 0),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 0),
        node(8, Kind::Shl, INT),
        int(9, Source::Counter),
        number(9, Source::Shift, 0),
    ];
    /// The same of a lower rank.
    FirstOtherRepeated = [
        wrapper(5, 0),
        load(6, OPERAND, 0),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 0),
        node(8, Kind::Rem, INT),
        node(9, Kind::Shl, INT),
        int(10, Source::Counter),
        number(10, Source::Shift, 0),
        int_of(9, Source::Bytes, 0),
    ];
    /// An element of the second operand, of full rank and with another size than those of the result.
    SecondOther = [
        wrapper(5, 1),
        load(6, OPERAND, 1),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 1),
        node(8, Kind::Shl, INT),
        int(9, Source::Counter),
        number(9, Source::Shift, 1),
    ];
    /// The same of a lower rank.
    SecondOtherRepeated = [
        wrapper(5, 1),
        load(6, OPERAND, 1),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 1),
        node(8, Kind::Rem, INT),
        node(9, Kind::Shl, INT),
        int(10, Source::Counter),
        number(10, Source::Shift, 1),
        int_of(9, Source::Bytes, 1),
    ];
    /// An element of the third operand, of full rank and with another size than those of the result.
    ThirdOther = [
        wrapper(5, 2),
        load(6, OPERAND, 2),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 2),
        node(8, Kind::Shl, INT),
        int(9, Source::Counter),
        number(9, Source::Shift, 2),
    ];
    /// The same of a lower rank.
    ThirdOtherRepeated = [
        wrapper(5, 2),
        load(6, OPERAND, 2),
        node(7, Kind::Add, INT),
        int_of(8, Source::Data, 2),
        node(8, Kind::Rem, INT),
        node(9, Kind::Shl, INT),
        int(10, Source::Counter),
        number(10, Source::Shift, 2),
        int_of(9, Source::Bytes, 2),
    ];

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
