//! The pieces of templates: runs of nodes in preorder, each with its depth, its type and the source of its data.
//!
//! A piece before or after a node belongs to the template of the node's parent, and its depths count from the depth of the
//! parent. The other pieces of a node count from its own depth.

use treepar::device::device;

use super::sources::*;
use crate::ir::kinds::Kind;
use crate::passes::templates::items::{INT, Item, OWN, VOID, expression, node, own, pieces};

pieces! {
    /// No node.
    Nothing = [];
    /// The node itself.
    Same = [own(0)];
    /// A statement with a value.
    Statement = [expression(0)];
    /// The variable of a leaf of the value.
    Declare = [expression(0), item(1, Kind::Declare, LEAF, Source::Holds, 0)];
    /// A leaf is copied to where it belongs.
    Copy = [expression(0), assign(1, LEAF, Source::Dest), name(2, LEAF, Source::Home)];
    /// A leaf is assigned to the variable.
    AssignLeaf = [expression(0), assign(1, LEAF, Source::Home), name(2, LEAF, Source::First)];
    /// The variable for a field, which is assigned.
    AssignNumber = [expression(0), assign(1, OWN, Source::Target)];
    /// A leaf of a field, which is assigned that of a value.
    AssignTarget = [expression(0), assign(1, LEAF, Source::Target), name(2, LEAF, Source::First)];
    /// Before a field that is a number or an array of numbers.
    AssignPart = [expression(0), assign(1, CHILD, Source::Part)];
    /// Statements before a value.
    Sequence = [node(0, Kind::Sequence, OWN)];
    /// `if[c, x, y]` of composites.
    Branches = [node(0, Kind::IfElse, VOID)];
    /// `x` of it.
    Branch = [node(0, Kind::Block, VOID)];

    /// A call with a composite result.
    Call = [expression(0), own(1)];
    /// The address of the variable for a leaf of it.
    OutArgument = [item(2, Kind::Arg, INT, Source::Leaf, 0), item(3, Kind::Address, INT, Source::Dest, 0)];
    /// After the call, its arrays are temporaries.
    Give = [expression(0), node(1, Kind::Give, GIVEN), name(2, GIVEN, Source::Given)];
    /// A leaf of an argument.
    LeafArgument = [item(0, Kind::Arg, LEAF, Source::Index, 0), name(1, LEAF, Source::First)];
    /// The first leaf of an argument that is computed.
    FirstArgument = [item(0, Kind::Arg, OUTER, Source::Index, 0), node(1, Kind::Sequence, OUTER)];
    /// At last.
    FirstValue = [name(2, OUTER, Source::First)];
    /// Another leaf of it.
    OtherArgument = [item(0, Kind::Arg, NEXT, Source::Index, 1), item(1, Kind::Name, NEXT, Source::First, 1)];
    /// A parameter for the address of a variable of the caller.
    OutParameter = [node(0, Kind::Param, INT)];
    /// A parameter for a leaf.
    Parameter = [item(0, Kind::Param, LEAF, Source::Unique, 0)];
    /// A leaf of the result.
    StoreLeaf = [node(0, Kind::Store, OF_FIRST), name(1, INT, Source::Out), name(1, OF_FIRST, Source::First)];
    /// The end of a function with a composite result.
    Return = [node(0, Kind::Return, VOID)];

    /// A number or an array in a composite.
    Selected = [name(0, OWN, Source::Selected)];
    /// The same after statements.
    SelectedLast = [name(1, OWN, Source::Selected)];
    /// A variable of `var (x, y) = e` that is a composite.
    Unpack = [expression(0), assign(1, LEAF, Source::Home), name(2, LEAF, Source::Unpacked)];
    /// The same of one that is not.
    UnpackedValue = [name(2, CHILD, Source::Unpacked)];

    /// `a[i].x`: an element of the array of the field, without a check of its own.
    Element = [node(0, Kind::Index, OWN), name(1, OWN, Source::Column)];
    /// Before an index of it. All arrays of the fields have the extents of the first.
    CheckElement = [item(0, Kind::CheckIndex, INT, Source::Data, 0)];
    /// After it.
    ElementExtent = [item(1, Kind::Size, INT, Source::Dimension, 0), name(2, OWN, Source::Table)];
    /// Before an index of `a.x[i]`.
    CheckField = [item(1, Kind::CheckIndex, INT, Source::Data, 0)];
    /// After it.
    FieldExtent = [item(2, Kind::Size, INT, Source::Dimension, 0), name(3, OWN, Source::Table)];
    /// `a[i]`: the variable for an index, checked.
    Index = [expression(0), node(1, Kind::Declare, INT), item(2, Kind::CheckIndex, INT, Source::Data, 0)];
    /// After the index.
    Extent = [item(3, Kind::Size, INT, Source::Dimension, 0), name(4, OUTER_FIRST, Source::First)];
    /// The variable for a number.
    Number = [expression(0), node(1, Kind::Declare, CHILD)];
    /// The variable for an array.
    Array = [expression(0), item(1, Kind::Declare, CHILD, Source::Constant, 1)];
    /// A leaf of an element.
    IndexLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        node(2, Kind::Index, LEAF),
        name(3, OF_FIRST, Source::First),
    ];
    /// An index of it.
    IndexName = [item(3, Kind::Name, INT, Source::Operand, 1)];
    /// `a[i] = e` of a leaf.
    UpdateLeaf = [item(0, Kind::Update, LEAF, Source::OfArray, 0), name(1, OF_FIRST, Source::First)];
    /// An index of it.
    UpdateName = [item(1, Kind::Name, INT, Source::Operand, 1)];
    /// At last.
    UpdateValue = [name(1, LEAF, Source::Value)];
    /// `size[a]`.
    SizeLeaf = [name(1, OUTER_FIRST, Source::First)];
    /// The same after statements.
    SizeLater = [own(1), name(2, OUTER_FIRST, Source::First)];
    /// The variable for a size, checked.
    Size = [expression(0), node(1, Kind::Declare, INT), item(2, Kind::CheckSize, INT, Source::Data, 0)];
    /// After the size.
    Zero = [literal(3, Source::Constant)];
    /// `replicate[n, v]` of a leaf.
    ReplicateLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::Replicate, LEAF, Source::Data, 0),
        name(3, INT, Source::Operand),
        name(3, OF_CHILD, Source::Value),
    ];
    /// The variable for a leaf of the elements of a literal.
    DeclareElement = [expression(0), item(1, Kind::Declare, OF_FIRST, Source::HoldsElement, 0)];
    /// After the first element: an array of as many.
    FirstElement = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::Replicate, LEAF, Source::Data, 0),
        literal(3, Source::Count),
        name(3, OF_CHILD, Source::Value),
    ];
    /// After another.
    OtherElement = [
        item(0, Kind::Update, OF_CHILD, Source::OfElement, 0),
        name(1, LEAF, Source::Dest),
        literal(1, Source::Child),
        name(1, OF_CHILD, Source::Value),
    ];
    /// `copy[a]` of a leaf.
    CopyLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::Ascribe, LEAF, Source::ParentData, 0),
        item(3, Kind::Call, LEAF, Source::Data, 0),
        node(4, Kind::Arg, OF_FIRST),
        item(5, Kind::Name, OF_FIRST, Source::Argument, 0),
    ];
    /// A second argument.
    OtherLeaf = [item(4, Kind::Arg, LEAF, Source::Constant, 1), item(5, Kind::Name, LEAF, Source::Argument, 1)];
    /// A second argument that is an array of numbers.
    OtherOperand = [
        item(4, Kind::Arg, INTS, Source::Constant, 1),
        item(5, Kind::Name, INTS, Source::Operand, 1),
    ];
    /// The extents of the arrays of `zip[a, b]`.
    EqualExtent = [
        expression(0),
        item(1, Kind::CheckEqual, INT, Source::Data, 0),
        node(2, Kind::Size, INT),
        name(3, OUTER, Source::Outermost),
        node(2, Kind::Size, INT),
        name(3, OTHER, Source::OtherField),
    ];
    /// `split[a, n]` of a leaf.
    SplitLeaf = [
        expression(0),
        assign(1, OF_FIRST, Source::Dest),
        item(2, Kind::Slice, OF_FIRST, Source::Data, 0),
        name(3, OF_FIRST, Source::Whole),
        node(3, Kind::Range, VOID),
        literal(4, Source::Constant),
        item(4, Kind::Name, INT, Source::Operand, 1),
        expression(0),
        assign(1, OF_FIRST, Source::Rest),
        item(2, Kind::Slice, OF_FIRST, Source::Data, 0),
        name(3, OF_FIRST, Source::Whole),
        item(3, Kind::Range, VOID, Source::Constant, 1),
        item(4, Kind::Name, INT, Source::Operand, 1),
        literal(4, Source::Constant),
    ];
    /// A new array for a leaf.
    NewLeaf = [expression(0), assign(1, LEAF, Source::Dest), node(2, Kind::New, LEAF)];
    /// An extent of it.
    NewExtent = [item(3, Kind::Name, INT, Source::Operand, 0)];
    /// One like a leaf.
    LikeLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        node(2, Kind::NewLike, LEAF),
        name(3, OF_FIRST, Source::First),
    ];
    /// The array of a variable for a leaf, or its number.
    GiveLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::Give, LEAF, Source::Gives, 0),
        name(3, OF_FIRST, Source::First),
    ];
    /// An array without its last rows.
    TruncateLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        node(2, Kind::Truncate, LEAF),
        name(3, OF_FIRST, Source::First),
        item(3, Kind::Name, INT, Source::Operand, 1),
    ];
    /// An array for rows like a leaf.
    RowsLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::NewRows, LEAF, Source::Rows, 0),
        name(3, INT, Source::Operand),
        name(3, OF_CHILD, Source::Value),
    ];
    /// `a[lo..hi]` of a leaf.
    SliceLeaf = [
        expression(0),
        assign(1, LEAF, Source::Dest),
        item(2, Kind::Slice, LEAF, Source::Data, 0),
        name(3, OF_FIRST, Source::First),
    ];
    /// A dimension of it.
    SliceBounds = [
        item(3, Kind::Range, BOUNDS, Source::Bounds, 0),
        name(4, INT, Source::Low),
        name(4, INT, Source::High),
    ];
    /// `a[lo..hi] = e` of a leaf.
    UpdateSliceLeaf = [item(0, Kind::UpdateSlice, LEAF, Source::Data, 0), name(1, OF_FIRST, Source::First)];
    /// A dimension of it.
    UpdateBounds = [
        item(1, Kind::Range, BOUNDS, Source::Bounds, 0),
        name(2, INT, Source::Low),
        name(2, INT, Source::High),
    ];
    /// An item of a text: a call for a character, or a leaf.
    PrintItem = [
        expression(0),
        item(1, Kind::Call, VOID, Source::Print, 0),
        item(2, Kind::Arg, PRINTED, Source::PrintArgument, 0),
        item(3, Kind::Literal, PRINTED, Source::PrintValue, 0),
    ];
}
