//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::*;
use crate::ir::kinds::{FIRST_EXTENT, Kind};
use crate::passes::templates::items::{INT, Item, OWN, VOID, arg, constant, expression, node, own, pieces};

/// Returns the result, made in the first iteration like the row of a variable.
const fn new_rows(row: Source) -> [Item; 10] {
    [
        node(0, Kind::If, VOID),
        node(1, Kind::Not, INT),
        int(2, Source::Counter),
        node(1, Kind::Block, VOID),
        expression(2),
        item(3, Kind::Assign, RESULT, Source::Made, 0),
        node(4, Kind::NewRows, RESULT),
        size(5),
        name(6, Source::Extent),
        name(5, row),
    ]
}

/// Returns the statement that makes the row of a variable a row of the result.
const fn put_row(row: Source) -> [Item; 4] {
    [item(0, Kind::Update, OWN, Source::Position, 0), name(1, Source::Made), int(1, Source::Counter), name(1, row)]
}

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];
    /// Statements and a value.
    Sequence = [node(0, Kind::Sequence, OWN)];
    /// The body of the loop, instead of the LAMBDA.
    Block = [node(0, Kind::Block, VOID)];

    /// Instead of an input or an element: a variable.
    Variable = [expression(0), item(1, Kind::Declare, OWN, Source::Kept, 0)];
    /// Instead of a key, which is checked.
    Key = [expression(0), declare(1, INT), item(2, Kind::CheckIndex, INT, Source::Position, 0)];
    /// After the value of a key: the number of keys.
    Total = [int(3, Source::Total)];
    /// Instead of a parameter: the result of a key so far.
    OfKey = [
        expression(0),
        hold(1, OWN),
        node(2, Kind::Index, OWN),
        name(3, Source::Made),
        int(3, Source::Key),
    ];
    /// Instead of a view: the address of the data.
    Address = [expression(0), declare(1, INT), data(2, Source::Input)];
    /// After the address of a view: its number of elements.
    Count = [
        expression(0),
        declare(1, INT),
        count_of(2),
        arg(3, 0),
        name(4, Source::Input),
        arg(3, 1),
        constant(4, 0),
        arg(3, 2),
        number(4, Source::InputRank),
    ];

    /// An array of numbers for the result.
    New = [expression(1), borrow(2, OWN), node(3, Kind::New, OWN), size(4), name(5, Source::Extent)];
    /// A variable for an array of rows, whose extents the first iteration knows.
    NewOwner = [expression(1), declare(2, OWN)];
    /// An array with room for all elements, and the number of elements so far.
    Like = [
        expression(1),
        borrow(2, OWN),
        node(3, Kind::NewLike, OWN),
        name(4, Source::Extent),
        expression(1),
        declare(2, INT),
    ];
    /// The result of all keys before the first iteration.
    Replicate = [
        expression(1),
        borrow(2, OWN),
        item(3, Kind::Replicate, OWN, Source::Position, 0),
        int(4, Source::Total),
        name(4, Source::Seed),
    ];
    /// An array like an input, its number of elements and the address of its data.
    Result = [
        expression(1),
        borrow(2, OWN),
        node(3, Kind::NewLike, OWN),
        name(4, Source::Extent),
        expression(1),
        declare(2, INT),
        count_of(3),
        arg(4, 0),
        name(5, Source::Made),
        arg(4, 1),
        constant(5, 0),
        arg(4, 2),
        number(5, Source::Rank),
        expression(1),
        declare(2, INT),
        data(3, Source::Made),
    ];
    /// The same, with one dimension. If the variable that the result is assigned to has an array of its own with this extent, the result is that array.
    ResultOver = [
        expression(1),
        borrow(2, OWN),
        node(3, Kind::Choose, OWN),
        node(4, Kind::Test, VOID),
        node(5, Kind::Land, INT),
        node(6, Kind::Eq, INT),
        size(7),
        name(8, Source::Over),
        size(7),
        name(8, Source::Extent),
        // The data follow the extent, and do not belong to another array or to C.
        node(6, Kind::Eq, INT),
        data(7, Source::Over),
        node(7, Kind::Add, INT),
        int(8, Source::Over),
        constant(8, FIRST_EXTENT + 4),
        node(4, Kind::Then, OWN),
        name(5, Source::Over),
        node(4, Kind::Otherwise, OWN),
        node(5, Kind::NewLike, OWN),
        name(6, Source::Extent),
        expression(1),
        declare(2, INT),
        size(3),
        name(4, Source::Made),
        expression(1),
        declare(2, INT),
        data(3, Source::Made),
    ];
    /// The loop.
    Loop = [item(1, Kind::For, VOID, Source::Mark, 0), node(2, Kind::Count, INT), size(3), name(4, Source::Extent)];
    /// The loop over all elements.
    LoopAll = [item(1, Kind::For, VOID, Source::Mark, 0), node(2, Kind::Count, INT), int(3, Source::Elements)];

    /// The row or number of the iteration.
    Row = [node(0, Kind::Index, OWN), name(1, Source::Input), int(1, Source::Counter)];
    /// The same, from the last to the first.
    RowFromEnd = [
        node(0, Kind::Index, OWN),
        name(1, Source::Input),
        node(1, Kind::Sub, INT),
        node(2, Kind::Sub, INT),
        size(3),
        name(4, Source::Input),
        constant(3, 1),
        int(2, Source::Counter),
    ];
    /// The element of a view.
    Element = [load(0, READ), node(1, Kind::AddWords, READ), int(2, Source::Data), int(2, Source::Counter)];
    /// The element of a view of a lower rank than the result.
    Repeated = [
        load(0, READ),
        node(1, Kind::AddWords, READ),
        int(2, Source::Data),
        node(2, Kind::Rem, INT),
        int(3, Source::Counter),
        int(3, Source::Count),
    ];

    /// Before a value: it is an element of the result.
    Put = [node(0, Kind::Update, OWN), name(1, Source::Made), int(1, Source::Counter)];
    /// Before a value: it is one of all elements of the result.
    Store = [
        node(0, Kind::Store, ELEMENT),
        node(1, Kind::AddWords, ELEMENT),
        int(2, Source::MadeData),
        int(2, Source::Counter),
    ];
    /// Before a row: a variable for it.
    HoldRow = [expression(0), hold(1, CHILD)];
    /// After a row: the first row has the extents of all rows.
    NewRows = new_rows(Source::Row);
    /// After that: the row becomes a row of the result.
    PutRow = put_row(Source::Row);
    /// Before a value: it is the reduction so far.
    Assign = [expression(0), item(1, Kind::Assign, OWN, Source::Seed, 0)];
    /// After the reduction so far: it is an element of the result.
    PutSeed = [
        node(0, Kind::Update, OWN),
        name(1, Source::Made),
        int(1, Source::Counter),
        name(1, Source::Seed),
    ];
    /// After the reduction so far, if it is a row: the first row has the extents of all rows.
    NewSeedRows = new_rows(Source::Seed);
    /// After that: the reduction so far becomes a row of the result.
    PutSeedRow = put_row(Source::Seed);
    /// Before a guard.
    If = [node(0, Kind::If, VOID)];
    /// After a guard, before the value: it is the next element of the result.
    PutKept = [
        node(1, Kind::Block, VOID),
        node(2, Kind::Update, OWN),
        name(3, Source::Made),
        int(3, Source::Filled),
    ];
    /// After the value: one more element.
    CountKept = [
        expression(2),
        item(3, Kind::Assign, INT, Source::Filled, 0),
        node(4, Kind::Add, INT),
        int(5, Source::Filled),
        constant(5, 1),
    ];
    /// Before a value: it is the result of its key.
    PutKey = [node(0, Kind::Update, OWN), name(1, Source::Made), int(1, Source::Key)];
    /// Before a row: it is the result of its key.
    PutKeyRow = [
        item(0, Kind::Update, OWN, Source::Position, 0),
        name(1, Source::Made),
        int(1, Source::Key),
    ];

    /// At the end: the result.
    Made = [name(1, Source::Made)];
    /// The same, of a variable that owns it.
    GiveMade = [node(1, Kind::Give, OWN), name(2, Source::Made)];
    /// The result of a reduction.
    Seed = [name(1, Source::Seed)];
    /// The same, of a variable that owns it.
    GiveSeed = [node(1, Kind::Give, OWN), name(2, Source::Seed)];
    /// The elements that were kept.
    Truncate = [node(1, Kind::Truncate, OWN), name(2, Source::Made), int(2, Source::Filled)];

    /// Before an array that is printed: a variable for it.
    Hold = [expression(1), hold(2, CHILD)];
    /// `print` of an array of structs or tuples, for each dimension: its loop, with `[` before it and a comma between elements.
    Open (2) = [
        expression(1),
        print(2),
        arg(3, 0),
        constant(4, b'[' as u32),
        node(1, Kind::For, VOID),
        node(2, Kind::Count, INT),
        item(3, Kind::Size, INT, Source::Dimension, 0),
        name(4, Source::Printed),
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
        name(4, Source::Printed),
    ];
    /// An index.
    Indices = [int(4, Source::Index)];
    /// After each loop.
    Close (-2) = [expression(1), print(2), arg(3, 0), constant(4, b']' as u32)];
    /// The end of the line.
    EndLine = [expression(1), print(2), arg(3, 0), constant(4, b'\n' as u32)];
}
