//! The rules: the forms of nodes, and the template of each form.

use treepar::device::device;

use super::pieces::Piece;
use super::slots::Slot;
use crate::passes::templates::rules::{CHILDREN, forms};
use crate::passes::templates::slots::repeats;

/// The roles of children: a number or an array of numbers.
pub const NUMBER: usize = 0;
/// A first child that is a composite.
pub const FIRST: usize = 1;
/// Another child that is a composite, or an index of an array of a field.
pub const OTHER: usize = 2;

forms! { 3 roles:
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) ([] 1 []) [];
    /// A statement about a composite: the nodes below replace it.
    Gone => [] ([] 0 []) ([] 0 []) ([] 0 []) [];
    /// `var (x, y) = e`.
    Destructure => [] ([Statement] 1 [UnpackedValue]) ([] 0 []) ([] 0 []) [];
    /// A composite in variables that others know: NAME, FIELD, UNZIP, DECLARE.
    Found => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [Copy(times)];
    /// `p = e`.
    Assign => [Declare(times)] ([] 0 []) ([] 0 [AssignLeaf(times)]) ([] 0 []) [Copy(times)];
    /// `p.x = e` of a number or an array of numbers.
    AssignField => [AssignNumber] ([] 2 []) ([] 0 []) ([] 0 []) [];
    /// The same of a composite.
    AssignLeaves => [] ([] 0 []) ([] 0 []) ([] 0 []) [AssignTarget(times)];
    /// `P[x, y]` and `(x, y)`.
    Struct => [Declare(times)] ([AssignPart] 2 []) ([] 0 []) ([] 0 []) [];
    /// A composite that is computed below: ASCRIBE, SEQUENCE.
    Inside => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [];
    /// `if[c, x, y]` of composites.
    Branches => [Declare(times), Branches] ([] 1 []) ([] 1 []) ([] 1 []) [];
    /// `x` of it.
    Branch => [Branch] ([] 1 []) ([] 1 []) ([] 1 []) [];
    /// A call with a composite result.
    Call => [Declare(times), Call, OutArgument(times)] ([] 2 []) ([] 2 []) ([] 2 []) [Give(times)];
    /// An argument in variables that others know.
    LeafArguments => [] ([] 0 []) ([] 0 []) ([] 0 []) [LeafArgument(times)];
    /// Another argument that is a composite.
    Arguments => [FirstArgument] ([] 2 []) ([] 2 []) ([] 2 []) [FirstValue, OtherArgument(times)];
    /// The first child of a function with a composite result.
    Header => [Same] ([] 0 []) ([] 0 []) ([] 0 []) [OutParameter(times)];
    /// A parameter that is a composite.
    Parameters => [Parameter(times)] ([] 0 []) ([] 0 []) ([] 0 []) [];
    /// `return e` of a composite.
    Return => [] ([] 0 []) ([] 0 []) ([] 0 []) [StoreLeaf(times), Return];
    /// A number or an array in a composite in variables that others know.
    Selected => [] ([] 0 []) ([] 0 []) ([] 0 []) [Selected];
    /// The same in another composite.
    SelectedLater => [Sequence] ([] 1 []) ([] 1 []) ([] 1 []) [SelectedLast];
    /// `a[i].x`, a number, where others know the variables of `a`: `a.x[i]`.
    SelectedElement => [Element] ([] 1 []) ([] 1 []) ([] 1 []) [];
    /// `a[i]` of it.
    ElementIndex => [] ([CheckElement] 1 [ElementExtent]) ([] 0 []) ([] 0 []) [];
    /// The same without checks.
    ElementIndexFreely => [] ([] 0 []) ([] 0 []) ([] 0 []) [];
    /// `a.x[i]` and `a.x[i] = e`.
    FieldAccess => [Same] ([] 1 []) ([] 1 []) ([CheckField] 2 [FieldExtent]) [];
    /// `a[i]`.
    Index => [Declare(times)] ([Index] 3 [Extent]) ([] 0 []) ([] 0 []) [IndexLeaf(times), IndexName(inner)];
    /// The same without checks.
    IndexFreely => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 []) [IndexLeaf(times), IndexName(inner)];
    /// `a[i] = e`.
    Update => [] ([Index] 3 [Extent]) ([] 0 []) ([] 0 [UpdateLeaf(times), UpdateName(inner), UpdateValue(each)]) [];
    /// The same without checks.
    UpdateFreely => [] ([Number] 2 []) ([] 0 []) ([] 0 [UpdateLeaf(times), UpdateName(inner), UpdateValue(each)]) [];
    /// `size[a]` of a variable.
    Size => [Same] ([] 1 []) ([] 1 []) ([] 1 []) [SizeLeaf];
    /// The same of another value.
    SizeLater => [Sequence] ([] 1 []) ([] 1 []) ([] 1 []) [SizeLater];
    /// `replicate[n, v]`.
    Replicate => [Declare(times)] ([Size] 3 [Zero]) ([] 0 []) ([] 0 [ReplicateLeaf(times)]) [];
    /// `[x, y]`.
    Array => [Declare(times), DeclareElement(times)] ([] 0 []) ([] 0 [FirstElement(times)]) ([] 0 [OtherElement(times)]) [];
    /// `copy[a]`.
    CopyCall => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [CopyLeaf(times)];
    /// `concat[a, b]`.
    JoinCall => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [CopyLeaf(times), OtherLeaf(inner)];
    /// `perm[a, ..]` and `reshape[a, ..]`.
    ShapeCall => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [CopyLeaf(times), OtherOperand(inner)];
    /// The last argument of these.
    Shape => [] ([Array] 2 []) ([] 0 []) ([] 0 []) [];
    /// `zip[a, b]`.
    Zip => [Declare(times)] ([AssignPart] 2 []) ([] 0 []) ([] 0 []) [EqualExtent(times)];
    /// `split[a, n]`.
    Split => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 []) [SplitLeaf(times)];
    /// The same of an array of numbers.
    SplitNumbers => [Declare(times)] ([Number] 2 []) ([Array] 2 []) ([] 0 []) [SplitLeaf(times)];
    /// An array with some extents.
    New => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 []) [NewLeaf(times), NewExtent(inner)];
    /// One with the extents of another.
    NewLike => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [LikeLeaf(times)];
    /// One for some rows.
    NewRows => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 [RowsLeaf(times)]) [];
    /// The array of a variable.
    Give => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [GiveLeaf(times)];
    /// An array without its last rows.
    Truncate => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 []) [TruncateLeaf(times)];
    /// `a[lo..hi]`.
    Slice => [Declare(times)] ([Number] 2 []) ([] 0 []) ([] 0 []) [SliceLeaf(times), SliceBounds(inner)];
    /// `a[lo..hi] = e`.
    UpdateSlice => [] ([Number] 2 []) ([] 0 []) ([] 0 [UpdateSliceLeaf(times), UpdateBounds(inner), UpdateValue(each)]) [];
    /// `lo..hi` and `..`.
    Bounds => [] ([Number] 2 []) ([] 0 []) ([] 0 []) [];
    /// `print[e]`.
    Print => [] ([] 0 []) ([] 0 []) ([] 0 []) [PrintItem(times)];
    /// A variable of `var (x, y) = e` that is a composite.
    Unpack => [Declare(times)] ([] 0 []) ([] 0 []) ([] 0 []) [Unpack(times)];
}
