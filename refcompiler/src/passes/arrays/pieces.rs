//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::{
    ELEMENT, Source, call, check, data, declare, item, literal, load, load_element, name, store_element,
};
use crate::ir::kinds::Kind;
use crate::ir::tree::runtime::*;
use crate::passes::templates::items::{
    FLOAT, INT, Item, VOID, arg, constant, expression, float_arg, node, own, pieces,
};

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];

    /// `a[i, j]`: the address of the data of `a` is read first.
    Element = [load_element(0), node(1, Kind::AddWords, ELEMENT)];
    /// Instead of `a`.
    Data = [item(0, Kind::Data, INT, Source::Variable, 0)];
    /// The same, of an array that needs a variable.
    Sequence = [node(0, Kind::Sequence, ELEMENT)];
    /// Before the array.
    Temporary = [expression(1), declare(2)];
    /// After it.
    LaterElement = [load_element(1), node(2, Kind::AddWords, ELEMENT), item(3, Kind::Data, INT, Source::Indexed, 0)];

    /// A row, after the array.
    Row = [
        call(1, ROW_VIEW, INT),
        arg(2, 0),
        name(3, Source::Indexed, 0),
        arg(2, 1),
        literal(3, Source::Shape, 0),
        arg(2, 2),
        literal(3, Source::Indices, 0),
        arg(2, 3),
    ];
    /// A sequence whose value is an address.
    Address = [node(0, Kind::Sequence, INT)];

    /// Horner's rule, for each index but one.
    Horner (2) = [node(0, Kind::Add, INT), node(1, Kind::Mul, INT)];
    /// Before the first index.
    FirstIndex = [check(0, Kind::CheckIndex)];
    /// After it.
    FirstExtent = [item(1, Kind::Extent, INT, Source::Indexed, 0)];
    /// Before another index.
    OtherIndex = [check(1, Kind::CheckIndex)];
    /// After it.
    OtherExtent = [load(2, Source::IndexExtent, 0), name(3, Source::Indexed, 0)];
    /// After all but the last: the index so far is multiplied by the next extent.
    NextExtent = [load(0, Source::IndexExtent, 1), name(1, Source::Indexed, 0)];

    /// `a[i, j] = x`.
    Store = [store_element(0), node(1, Kind::AddWords, ELEMENT)];
    /// The same, if `a` needs a variable.
    LaterStore = [store_element(0), node(1, Kind::Sequence, INT)];
    /// Before the array.
    InnerTemporary = [expression(2), declare(3)];
    /// After it.
    LaterAddress = [node(2, Kind::AddWords, ELEMENT), item(3, Kind::Data, INT, Source::Indexed, 0)];

    /// `a[i] = row`.
    StoreRow = [node(0, Kind::Block, VOID)];
    /// For each extent of the row.
    EqualExtent = [
        expression(1),
        check(2, Kind::CheckEqual),
        load(3, Source::RowExtent, 0),
        name(4, Source::Indexed, 0),
        load(3, Source::Extent, 0),
        name(4, Source::Before, 0),
    ];
    /// At last.
    SetRow = [
        expression(1),
        call(2, SET_ROW, VOID),
        arg(3, 0),
        name(4, Source::Indexed, 0),
        arg(3, 1),
        literal(4, Source::Shape, 0),
        arg(3, 2),
        literal(4, Source::Indices, 0),
        arg(3, 3),
        name(4, Source::Start, 5),
        arg(3, 4),
        name(4, Source::Before, 0),
    ];

    /// `[x, y]` of numbers.
    Vector = [
        node(0, Kind::Sequence, INT),
        expression(1),
        declare(2),
        call(3, ALLOCATE, INT),
        arg(4, 0),
        constant(5, 1),
        arg(4, 1),
        literal(5, Source::Words, 0),
        item(1, Kind::Store, INT, Source::Constant, 4),
        name(2, Source::Start, 2),
        literal(2, Source::Count, 0),
    ];
    /// Before each number.
    StoreElement = [item(1, Kind::Store, ELEMENT, Source::Element, 0), name(2, Source::Start, 2)];
    /// At last.
    Result = [name(1, Source::Start, 2)];
    /// `[x, y]` of rows: a variable for the array. The one for the row comes before the first row.
    Rows = [node(0, Kind::Sequence, INT), expression(1), declare(2)];
    /// After the first row.
    RowsLike = [
        expression(1),
        item(2, Kind::Assign, INT, Source::Start, 2),
        call(3, ROWS_LIKE, INT),
        arg(4, 0),
        literal(5, Source::Count, 0),
        arg(4, 1),
        literal(5, Source::Shape, 1),
        arg(4, 2),
        name(5, Source::Start, 4),
    ];
    /// Before another row.
    AssignRow = [expression(1), item(2, Kind::Assign, INT, Source::Start, 4)];
    /// After it, for each of its extents.
    EqualRow = [
        expression(1),
        check(2, Kind::CheckEqual),
        load(3, Source::Extent, 1),
        name(4, Source::Start, 2),
        load(3, Source::Extent, 0),
        name(4, Source::Start, 4),
    ];
    /// After each row.
    SetNextRow = [
        expression(1),
        call(2, SET_ROW, VOID),
        arg(3, 0),
        name(4, Source::Start, 2),
        arg(3, 1),
        literal(4, Source::Shape, 0),
        arg(3, 2),
        constant(4, 1),
        arg(3, 3),
        literal(4, Source::Child, 0),
        arg(3, 4),
        name(4, Source::Start, 4),
    ];

    /// `size[a, k]`.
    Size = [load(0, Source::AskedExtent, 0)];
    /// The first extent of a variable.
    Limit = [item(0, Kind::Extent, INT, Source::Variable, 0)];
    /// `replicate[n, x]`.
    Fill = [call(0, FILL, INT), arg(1, 0), check(2, Kind::CheckSize)];
    /// The same of a float.
    FillFloat = [call(0, FILL_FLOAT, INT), arg(1, 0), check(2, Kind::CheckSize)];
    /// The same of an array.
    FillRows = [call(0, FILL_ROWS, INT), arg(1, 0), check(2, Kind::CheckSize)];
    /// After the size.
    Filled = [constant(3, 0), arg(1, 1)];
    /// The same of a float.
    FilledFloat = [constant(3, 0), float_arg(1, 1)];
    /// The same of an array.
    FilledRows = [constant(3, 0), arg(1, 1), literal(2, Source::Shape, 1), arg(1, 2)];
    /// `iota[n]`.
    CountUp = [call(0, COUNT_UP, INT)];
    /// The argument of `iota`.
    Counted = [own(0), check(1, Kind::CheckSize)];
    /// At last.
    Zero = [constant(2, 0)];
    /// `copy[a]`.
    CopyArray = [call(0, COPY_ARRAY, INT)];
    /// At last.
    Copied = [arg(1, 1), literal(2, Source::Shape, 0)];
    /// An array with some extents: a temporary without data first.
    New = [
        node(0, Kind::Sequence, INT),
        expression(1),
        declare(2),
        call(3, ALLOCATE, INT),
        arg(4, 0),
        literal(5, Source::Rank, 0),
        arg(4, 1),
        constant(5, 0),
    ];
    /// Before each extent.
    StoreExtent = [item(1, Kind::Store, INT, Source::IndexExtent, 1), name(2, Source::Start, 2)];
    /// At last.
    Sized = [call(1, SIZED, INT), arg(2, 0), name(3, Source::Start, 2), arg(2, 1), literal(3, Source::Shape, 0)];
    /// An array with the extents of another.
    NewLike = [call(0, ARRAY_LIKE, INT), arg(1, 0)];
    /// An array of rows with the extents of one.
    NewRows = [call(0, ROWS_LIKE, INT), arg(1, 0)];
    /// After the number of rows.
    NewRow = [arg(1, 1), literal(2, Source::Shape, 1), arg(1, 2)];
    /// The array of a variable, which does not own it any more.
    Give = [
        node(0, Kind::Sequence, INT),
        item(1, Kind::Store, INT, Source::Minus, 4),
        name(2, Source::Indexed, 0),
        constant(2, 0),
    ];
    /// An array without its last rows.
    Truncate = [call(0, TRUNCATED, INT), arg(1, 0)];
    /// After the array.
    Truncated = [arg(1, 1), literal(2, Source::Shape, 0), arg(1, 2)];
    /// Before an argument of `concat[a, b]`.
    Argument = [expression(0), declare(1)];
    /// After both, for each extent but the first.
    EqualArguments = [
        expression(1),
        check(2, Kind::CheckEqual),
        load(3, Source::Extent, 1),
        name(4, Source::Argument, 0),
        load(3, Source::Extent, 1),
        name(4, Source::Argument, 1),
    ];
    /// At last.
    Join = [
        call(1, JOIN, INT),
        arg(2, 0),
        name(3, Source::Argument, 0),
        arg(2, 1),
        name(3, Source::Argument, 1),
        arg(2, 2),
        literal(3, Source::Shape, 0),
    ];

    /// A slice: a variable for its bounds. The one for the array comes before the array.
    Slice = [node(0, Kind::Sequence, INT), expression(1), declare(2)];
    /// After the array.
    Plan = [
        expression(1),
        item(2, Kind::Assign, INT, Source::Start, 2),
        call(3, SLICE_PLAN, INT),
        arg(4, 0),
        name(5, Source::Indexed, 0),
        arg(4, 1),
        literal(5, Source::FirstRank, 0),
    ];
    /// At last.
    Sliced = [
        call(1, SLICED, INT),
        arg(2, 0),
        name(3, Source::Indexed, 0),
        arg(2, 1),
        literal(3, Source::FirstShape, 0),
        arg(2, 2),
        name(3, Source::Start, 2),
    ];
    /// Before an index of a slice, whose upper bound says so.
    IndexBound = [
        item(1, Kind::Store, INT, Source::Bound, 1),
        name(2, Source::Start, 2),
        literal(2, Source::Minus, 1),
        item(1, Kind::Store, INT, Source::Bound, 0),
        name(2, Source::Start, 2),
        check(2, Kind::CheckIndex),
    ];
    /// After it.
    BoundExtent = [load(3, Source::IndexExtent, 0), name(4, Source::Indexed, 0)];
    /// Before the lower bound of a range.
    LowBound = [item(0, Kind::Store, INT, Source::OwnBound, 0), name(1, Source::Plan, 0)];
    /// Before the upper bound.
    HighBound = [item(0, Kind::Store, INT, Source::OwnBound, 1), name(1, Source::Plan, 0)];
    /// Before the literal that a range without an upper bound has.
    NoBound = [expression(0)];
    /// After the bounds.
    CheckBounds = [
        expression(0),
        check(1, Kind::CheckSlice),
        call(2, SLICE_CHECK, INT),
        arg(3, 0),
        name(4, Source::Plan, 0),
        arg(3, 1),
        literal(4, Source::Dimension, 0),
        constant(2, 0),
    ];
    /// `a[lo..hi] = x`: variables for the bounds and for the extents of the slice.
    UpdateSlice = [node(0, Kind::Block, VOID), expression(1), declare(2), expression(1), declare(2)];
    /// Before a number.
    FilledSlice = [expression(1), declare(2), call(3, FILL, INT), arg(4, 0), constant(5, 1), arg(4, 1)];
    /// The same of a float.
    FilledFloatSlice =
        [expression(1), declare(2), call(3, FILL_FLOAT, INT), arg(4, 0), constant(5, 1), float_arg(4, 1)];
    /// After an array.
    SliceExtents = [
        expression(1),
        item(2, Kind::Assign, INT, Source::Start, 4),
        call(3, SLICE_EXTENTS, INT),
        arg(4, 0),
        name(5, Source::Start, 2),
        arg(4, 1),
        literal(5, Source::FirstRank, 0),
        arg(4, 2),
        literal(5, Source::ValueRank, 0),
    ];
    /// For each extent of it.
    EqualSlice = [
        expression(1),
        check(2, Kind::CheckEqual),
        load(3, Source::Extent, 0),
        name(4, Source::Start, 4),
        load(3, Source::Extent, 0),
        name(4, Source::Before, 0),
    ];
    /// At last.
    SetSlice = [
        expression(1),
        call(2, SET_SLICE, VOID),
        arg(3, 0),
        name(4, Source::Indexed, 0),
        arg(3, 1),
        literal(4, Source::FirstShape, 0),
        arg(3, 2),
        name(4, Source::Start, 2),
        arg(3, 3),
        name(4, Source::Before, 0),
        arg(3, 4),
        literal(4, Source::ValueRank, 0),
    ];
    /// The same of a number.
    FillSlice = [
        expression(1),
        call(2, SET_SLICE, VOID),
        arg(3, 0),
        name(4, Source::Indexed, 0),
        arg(3, 1),
        literal(4, Source::FirstShape, 0),
        arg(3, 2),
        name(4, Source::Start, 2),
        arg(3, 3),
        name(4, Source::Before, 4),
        arg(3, 4),
        constant(4, 0),
    ];
    /// Before an extent that an array should have.
    ShapedExtent = [expression(1), check(2, Kind::CheckEqual)];
    /// `perm[a, order]`.
    Permute = [call(0, PERMUTED, INT)];
    /// At last.
    Permuted = [arg(1, 2), literal(2, Source::Shape, 0)];
    /// After the arguments of `reshape[a, extents]`.
    Reshape = [
        expression(1),
        check(2, Kind::CheckSize),
        call(3, FIRST_NEGATIVE, INT),
        arg(4, 0),
        name(5, Source::Argument, 1),
        constant(3, 0),
        expression(1),
        check(2, Kind::CheckEqual),
        call(3, RESHAPED_COUNT, INT),
        arg(4, 0),
        name(5, Source::Argument, 0),
        arg(4, 1),
        literal(5, Source::FirstRank, 0),
        arg(4, 2),
        name(5, Source::Argument, 1),
        arg(4, 3),
        literal(5, Source::Rank, 0),
        call(3, PRODUCT_OF, INT),
        arg(4, 0),
        name(5, Source::Argument, 1),
        call(1, RESHAPED, INT),
        arg(2, 0),
        name(3, Source::Argument, 0),
        arg(2, 1),
        literal(3, Source::FirstRank, 0),
        arg(2, 2),
        name(3, Source::Argument, 1),
        arg(2, 3),
        literal(3, Source::Rank, 0),
    ];
    /// `print[x]` of an int.
    PrintNumber = [call(0, PRINT_NUMBER, VOID), arg(1, 0)];
    /// The same of a float.
    PrintFloat = [call(0, PRINT_FLOAT_NUMBER, VOID), float_arg(1, 0)];
    /// At last.
    Stays = [arg(1, 1), literal(2, Source::Data, 0)];
    /// The same of an array of ints.
    PrintNumbers = [call(0, PRINT_NUMBERS, VOID), arg(1, 0)];
    /// The same of an array of floats.
    PrintFloats = [call(0, PRINT_FLOATS, VOID), arg(1, 0)];
    /// At last.
    ArrayStays = [arg(1, 1), literal(2, Source::Shape, 0), arg(1, 2), literal(2, Source::Data, 0)];

    /// Before the value of a variable.
    Own = [call(1, OWN, INT), arg(2, 0), item(3, Kind::Address, INT, Source::Variable, 0), arg(2, 1)];
    /// After it.
    Owned = [arg(2, 2), literal(3, Source::Shape, 0), arg(2, 3), name(3, Source::Mark, 0)];
    /// `var x: [int];`.
    Empty = [
        own(0),
        call(1, OWN, INT),
        arg(2, 0),
        item(3, Kind::Address, INT, Source::Variable, 0),
        arg(2, 1),
        call(3, EMPTY, INT),
        arg(4, 0),
        literal(5, Source::Rank, 0),
    ];

    /// The block of a function: the mark.
    Body = [own(0), expression(1), declare(2), data(3), call(4, ARENA, INT)];
    /// For each unique parameter.
    TakeParameter = [
        expression(1),
        item(2, Kind::Assign, INT, Source::Unique, 0),
        item(3, Kind::Call, INT, Source::UniqueCall, TAKE),
        arg(4, 0),
        item(5, Kind::Address, INT, Source::Unique, 0),
        arg(4, 1),
        name(5, Source::Unique, 0),
        arg(4, 2),
        literal(5, Source::UniqueShape, 0),
    ];
    /// The end of a function without a result.
    Leave = [expression(1), call(2, LEAVE, VOID), arg(3, 0), name(4, Source::Mark, 0)];
    /// `return;`.
    LeaveVoid = [expression(0), call(1, LEAVE, VOID), arg(2, 0), name(3, Source::Mark, 0), own(0)];
    /// The same in a function whose result are arrays in variables of the caller.
    LeaveOuts = [
        expression(0),
        call(1, LEAVE_OUTS, VOID),
        arg(2, 0),
        name(3, Source::Mark, 0),
        arg(2, 1),
        name(3, Source::FirstOut, 0),
        arg(2, 2),
        name(3, Source::LastOut, 0),
        own(0),
    ];
    /// `[out, array]`: the caller's variable at that address becomes the owner.
    StoreOwned = [node(0, Kind::Store, INT)];
    /// Before the array.
    OwnStored = [call(1, OWN, INT), arg(2, 0), name(3, Source::Indexed, 0), arg(2, 1)];
    /// `return f[];` of a call without a result.
    CallFirst = [item(0, Kind::Expression, VOID, Source::Data, 0)];
    /// After it.
    LeaveLast = [
        expression(0),
        call(1, LEAVE, VOID),
        arg(2, 0),
        name(3, Source::Mark, 0),
        node(0, Kind::Return, VOID),
    ];
    /// `return x;`, before an int.
    LeaveInt = [call(1, LEAVE_INT, INT), arg(2, 0), name(3, Source::Mark, 0), arg(2, 1)];
    /// The same, of a float.
    LeaveFloat = [call(1, LEAVE_FLOAT, FLOAT), arg(2, 0), name(3, Source::Mark, 0), float_arg(2, 1)];
    /// The same, of an array.
    LeaveArray = [call(1, LEAVE_ARRAY, INT), arg(2, 0), name(3, Source::Mark, 0), arg(2, 1)];
    /// The same, of an array that may be the one of a unique parameter.
    LeaveUnique = [call(1, LEAVE_UNIQUE, INT), arg(2, 0), name(3, Source::Mark, 0), arg(2, 1)];
    /// After either.
    LeftArray = [arg(2, 2), literal(3, Source::Shape, 0)];
    /// A loop: variables for the address of the top of memory, and for the mark.
    Loop = [
        expression(0),
        declare(1),
        call(2, ARENA, INT),
        expression(0),
        declare(1),
        data(2),
        name(3, Source::Start, 1),
        own(0),
    ];
    /// The end of its body. It does nothing if the iteration has left no blocks.
    Compact = [
        node(1, Kind::If, VOID),
        node(2, Kind::Ne, INT),
        data(3),
        name(4, Source::LoopTop, 0),
        name(3, Source::LoopMark, 0),
        node(2, Kind::Block, VOID),
        expression(3),
        call(4, COMPACT, VOID),
        arg(5, 0),
        name(6, Source::LoopMark, 0),
    ];
}
