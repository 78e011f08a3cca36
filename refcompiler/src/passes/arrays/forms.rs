//! The rules: the forms of nodes, and the template of each form.

use treepar::device::device;

use super::pieces::Piece;
use super::slots::Slot;
use crate::passes::templates::rules::{CHILDREN, forms};
use crate::passes::templates::slots::repeats;

/// The roles of children.
pub const FIRST: usize = 0;
pub const OTHER: usize = 1;

forms! { 2 roles:
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) [];
    /// `a[i, j]` of a variable.
    Element => [Element] ([] 2 []) ([] 1 []) [];
    /// `a` of `a[i, j]` and of `a[i, j] = x;`.
    Indexed => [Data] ([] 1 []) ([] 1 []) [];
    /// `f[x][i, j]`, and `a[i, j]` if an index assigns an array.
    LaterElement => [Sequence] ([Temporary] 3 [LaterElement]) ([] 1 []) [];
    /// `a[i]` with fewer indices than dimensions.
    Row => [Address] ([Temporary] 3 [Row]) ([] 1 []) [];
    /// `a[i, j] = x;`.
    Store => [Store] ([] 2 []) ([] 1 []) [];
    /// The same, if an array is assigned in it.
    LaterStore => [LaterStore] ([InnerTemporary] 4 [LaterAddress]) ([] 1 []) [];
    /// `a[i] = row;`.
    StoreRow => [StoreRow] ([Temporary] 3 [Temporary]) ([Temporary] 3 [EqualExtent(times), SetRow]) [];
    /// `[x, y]` of numbers.
    Vector => [Vector] ([StoreElement] 2 []) ([StoreElement] 2 []) [Result];
    /// `[x, y]` of arrays.
    Rows => [Rows] ([Temporary] 3 [RowsLike, SetNextRow]) ([AssignRow] 3 [EqualRow(times), SetNextRow]) [Result];
    /// `size[a, k]`.
    Size => [Size] ([] 1 []) ([] 1 []) [];
    /// `size[a]` of a variable, where it limits an index.
    Limit => [] ([] 0 []) ([] 0 []) [];
    /// `a` of it.
    Limited => [Limit] ([] 1 []) ([] 1 []) [];
    /// `replicate[n, x]` of an int.
    Fill => [Fill] ([] 3 [Filled]) ([] 2 []) [];
    /// The same of a float.
    FillFloat => [FillFloat] ([] 3 [FilledFloat]) ([] 2 []) [];
    /// The same of an array.
    FillRows => [FillRows] ([] 3 [FilledRows]) ([] 2 []) [];
    /// An array with some extents.
    New => [New] ([StoreExtent] 2 []) ([StoreExtent] 2 []) [Sized];
    /// An array with the extents of another.
    NewLike => [NewLike] ([] 2 []) ([] 2 []) [Copied];
    /// An array of rows with the extents of one.
    NewRows => [NewRows] ([] 2 [NewRow]) ([] 2 []) [];
    /// The array of a variable, which does not own it any more.
    Give => [Give] ([] 1 []) ([] 1 []) [];
    /// An array without its last rows.
    Truncate => [Truncate] ([] 2 [Truncated]) ([] 2 []) [];
    /// `iota[n]`.
    CountUp => [CountUp] ([] 1 []) ([] 1 []) [];
    /// The argument of `iota`.
    Counted => [Counted] ([] 2 []) ([] 2 []) [Zero];
    /// `copy[a]`.
    CopyArray => [CopyArray] ([] 1 []) ([] 1 []) [Copied];
    /// `concat[a, b]`.
    Join => [Address] ([] 1 []) ([] 1 []) [EqualArguments(times), Join];
    /// An argument of `concat` and `reshape`.
    Joined => [Argument] ([] 2 []) ([] 2 []) [];
    /// `a[lo..hi]`. Its dimensions have pieces of their own.
    Slice => [Slice] ([Temporary] 3 [Plan]) ([] 1 []) [Sliced];
    /// `a[lo..hi] = x;`.
    UpdateSlice => [UpdateSlice] ([Temporary] 3 [Plan]) ([] 1 []) [];
    /// `lo..hi`.
    Range => [] ([LowBound] 1 []) ([HighBound] 1 []) [CheckBounds];
    /// `lo..`.
    OpenRange => [] ([LowBound] 1 []) ([NoBound] 1 []) [CheckBounds];
    /// `..`.
    All => [] ([] 1 []) ([] 1 []) [];
    /// An array whose extents are checked.
    Shaped => [Address] ([Temporary] 3 []) ([] 1 []) [Result];
    /// `perm[a, order]`.
    Permute => [Permute] ([] 1 []) ([] 1 []) [Permuted];
    /// `reshape[a, extents]`.
    Reshape => [Address] ([] 1 []) ([] 1 []) [Reshape];
    /// `print[x]` of an int.
    PrintNumber => [PrintNumber] ([] 2 []) ([] 2 []) [Stays];
    /// The same of a float.
    PrintFloat => [PrintFloat] ([] 2 []) ([] 2 []) [Stays];
    /// The same of an array of ints.
    PrintNumbers => [PrintNumbers] ([] 2 []) ([] 2 []) [ArrayStays];
    /// The same of an array of floats.
    PrintFloats => [PrintFloats] ([] 2 []) ([] 2 []) [ArrayStays];
    /// `var x = e` and `x = e` of an array.
    Owner => [Same] ([Own] 3 [Owned]) ([] 1 []) [];
    /// `var x: [int];`.
    Empty => [Empty, Owned] ([] 1 []) ([] 1 []) [];
    /// An array for a variable of the caller: \[NAME, array\].
    StoreOwned => [StoreOwned] ([] 1 []) ([OwnStored] 3 [Owned]) [];
    /// `return;` in a function whose result are arrays in variables of the caller.
    ReturnOuts => [LeaveOuts] ([] 1 []) ([] 1 []) [];
    /// The block of a function with a mark.
    Body => [Body, TakeParameter(times)] ([] 1 []) ([] 1 []) [];
    /// The same of a function without a result.
    VoidBody => [Body, TakeParameter(times)] ([] 1 []) ([] 1 []) [Leave];
    /// A loop with a mark.
    Loop => [Loop] ([] 1 []) ([] 1 []) [];
    /// The body of a loop with a mark.
    LoopBody => [Same] ([] 1 []) ([] 1 []) [Compact];
    /// `return;` in a function with a mark.
    ReturnVoid => [LeaveVoid] ([] 1 []) ([] 1 []) [];
    /// `return f[];` of a call without a result.
    ReturnCall => [CallFirst] ([] 1 []) ([] 1 []) [LeaveLast];
    /// `return x;` of an int.
    ReturnInt => [Same] ([LeaveInt] 3 []) ([] 1 []) [];
    /// The same of a float.
    ReturnFloat => [Same] ([LeaveFloat] 3 []) ([] 1 []) [];
    /// The same of an array.
    ReturnArray => [Same] ([LeaveArray] 3 [LeftArray]) ([] 1 []) [];
    /// The same of an array that may be the one of a unique parameter.
    ReturnUnique => [Same] ([LeaveUnique] 3 [LeftArray]) ([] 1 []) [];
}

/// Returns how much deeper the linear index of an access is than the access, 0 of a form without one.
#[device]
pub fn depth_of_indices(form: Form) -> u32 {
    match form {
        Form::Element | Form::Store => 2,
        Form::Row | Form::StoreRow | Form::LaterElement | Form::LaterStore => 3,
        _ => 0,
    }
}
