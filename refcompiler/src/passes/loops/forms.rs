//! The rules: the forms of nodes, and the template of each form.

use treepar::device::device;

use super::pieces::Piece;
use super::slots::Slot;
use crate::passes::templates::rules::{CHILDREN, forms};
use crate::passes::templates::slots::repeats;

/// The roles of children: the LAMBDA of an operation, a parameter of a LAMBDA, the first child of another node.
pub const FIRST: usize = 0;
/// Other children.
pub const OTHER: usize = 1;

forms! { 2 roles:
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) [];
    /// `map[f, a, ..]` to numbers.
    Map => [Sequence] ([EqualSize(times), New, Loop] 2 []) ([Hold] 3 []) [Made];
    /// The LAMBDA of that.
    MapBody => [Block] ([] 1 []) ([Put] 2 []) [];
    /// `map[f, a, ..]` to rows.
    MapRows => [Sequence] ([EqualSize(times), NewOwner, Loop] 2 []) ([Hold] 3 []) [GiveMade];
    /// The LAMBDA of that.
    MapRowsBody => [Block] ([] 1 []) ([Hold] 3 [NewRows, PutRow]) [];
    /// `reduce[f, e, a]`, `foldr[f, e, a]` and `redomap[f, g, e, a, ..]` with a number as result.
    Reduce => [Sequence] ([EqualSize(times), Loop] 2 []) ([Hold] 3 []) [Seed];
    /// The same with an array.
    ReduceRows => [Sequence] ([EqualSize(times), Loop] 2 []) ([Hold] 3 []) [GiveSeed];
    /// The LAMBDA of these.
    ReduceBody => [Block] ([] 1 []) ([Assign] 3 []) [];
    /// `scan[f, e, a]` of numbers.
    Scan => [Sequence] ([New, Loop] 2 []) ([Hold] 3 []) [Made];
    /// The LAMBDA of that.
    ScanBody => [Block] ([] 1 []) ([Assign] 3 [PutSeed]) [];
    /// `scan[f, e, a]` of rows.
    ScanRows => [Sequence] ([NewOwner, Loop] 2 []) ([Hold] 3 []) [GiveMade];
    /// The LAMBDA of that.
    ScanRowsBody => [Block] ([] 1 []) ([Assign] 3 [NewSeedRows, PutSeedRow]) [];
    /// `filter[p, a]`.
    Filter => [Sequence] ([Like, Loop] 2 []) ([Hold] 3 []) [Truncate];
    /// The LAMBDA of that.
    FilterBody => [Block] ([] 1 []) ([If] 2 [Keep]) [];
    /// `group[f, e, n, keys, values]`.
    Group => [Sequence] ([EqualSize(times), Replicate, Loop] 2 []) ([Hold] 3 []) [Made];
    /// The LAMBDA of `group`, with a number as value.
    GroupBody => [Block] ([] 1 []) ([PutKey] 2 []) [];
    /// The same with a row.
    GroupRowsBody => [Block] ([] 1 []) ([PutKeyRow] 2 []) [];
    /// A parameter that is an element.
    Element => [Element] ([] 1 []) ([] 1 []) [];
    /// The same, from the last element to the first.
    ElementFromEnd => [ElementFromEnd] ([] 1 []) ([] 1 []) [];
    /// A parameter that is the reduction so far: the variable of the operation.
    Accumulator => [] ([] 1 []) ([] 1 []) [];
    /// The same of `group`.
    ElementOfKey => [ElementOfKey] ([] 1 []) ([] 1 []) [];
    /// An operation on the elements of arrays. The pieces of its operands depend on their ranks.
    Elementwise => [Sequence] ([Hold] 3 []) ([Hold] 3 []) [Made];
    /// The same, if it is a call.
    ElementwiseCall => [Sequence] ([] 1 []) ([] 1 []) [Made];
    /// An argument of such a call.
    Argument => [HoldArgument] ([] 2 []) ([] 2 []) [];
    /// `print` of an array of structs or tuples. The pieces after the array depend on its rank.
    Print => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times)];
    /// The same with the end of the line.
    PrintLine => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times), EndLine];
    /// The statement that it is.
    PrintStatement => [Block] ([] 0 []) ([] 1 []) [];
}
