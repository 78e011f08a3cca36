//! The rules: the forms of nodes, and the template of each form.

use treepar::device::device;

use super::pieces::Piece;
use super::slots::Slot;
use crate::passes::templates::rules::{CHILDREN, forms};
use crate::passes::templates::slots::repeats;

/// The roles of children: the LAMBDA of a MULTILOOP, the first child of another node.
pub const FIRST: usize = 0;
/// Other children.
pub const OTHER: usize = 1;

forms! { 2 roles:
    /// A node that stays.
    Plain => [Same] ([] 1 []) ([] 1 []) [];
    /// A MULTILOOP that collects numbers.
    Collect => [Sequence] ([New, Loop] 2 []) ([] 1 []) [Made];
    /// A MULTILOOP that collects rows.
    CollectRows => [Sequence] ([NewOwner, Loop] 2 []) ([] 1 []) [GiveMade];
    /// A MULTILOOP that collects all elements, whatever the rank.
    CollectAll => [Sequence] ([Result, LoopAll] 2 []) ([] 1 []) [Made];
    /// The same, assigned to a variable whose elements it may replace.
    CollectOver => [Sequence] ([ResultOver, LoopAll] 2 []) ([] 1 []) [Made];
    /// A MULTILOOP that collects elements with a guard.
    Keep => [Sequence] ([Like, Loop] 2 []) ([] 1 []) [Truncate];
    /// A MULTILOOP that reduces to a number.
    Reduce => [Sequence] ([Loop] 2 []) ([] 1 []) [Seed];
    /// A MULTILOOP that reduces to an array.
    ReduceRows => [Sequence] ([Loop] 2 []) ([] 1 []) [GiveSeed];
    /// A MULTILOOP that scans numbers.
    Scan => [Sequence] ([New, Loop] 2 []) ([] 1 []) [Made];
    /// A MULTILOOP that scans rows.
    ScanRows => [Sequence] ([NewOwner, Loop] 2 []) ([] 1 []) [GiveMade];
    /// A MULTILOOP that reduces by keys.
    Bucket => [Sequence] ([Replicate, Loop] 2 []) ([] 1 []) [Made];

    /// A LAMBDA.
    Body => [Block] ([] 1 []) ([] 1 []) [];
    /// An input or an element.
    Variable => [Variable] ([] 2 []) ([] 2 []) [];
    /// An input that stays in its variable.
    Named => [] ([] 1 []) ([] 1 []) [];
    /// The name of this variable.
    Name => [] ([] 1 []) ([] 1 []) [];
    /// A key.
    Key => [Key] ([] 3 [Total]) ([] 3 []) [];
    /// A parameter that is the reduction so far: the variable of the first input.
    Accumulator => [] ([] 1 []) ([] 1 []) [];
    /// A parameter that is the reduction of a key so far.
    OfKey => [OfKey] ([] 1 []) ([] 1 []) [];
    /// A view.
    View => [Address] ([] 1 []) ([] 1 []) [];
    /// A view of a lower rank than the result.
    RepeatedView => [Address, Count] ([] 1 []) ([] 1 []) [];

    /// The element of an input.
    ReadRow => [Row] ([] 1 []) ([] 1 []) [];
    /// The same, from the last element to the first.
    ReadRowFromEnd => [RowFromEnd] ([] 1 []) ([] 1 []) [];
    /// The element of a view.
    Read => [Element] ([] 1 []) ([] 1 []) [];
    /// The element of a view of a lower rank than the result.
    ReadRepeated => [Repeated] ([] 1 []) ([] 1 []) [];

    /// The yield of a MULTILOOP that collects numbers.
    YieldNumber => [Put] ([] 1 []) ([] 1 []) [];
    /// The yield of a row.
    YieldRow => [] ([HoldRow] 2 [NewRows, PutRow]) ([] 1 []) [];
    /// The yield of one of all elements.
    YieldElement => [Store] ([] 1 []) ([] 1 []) [];
    /// The yield of an element with a guard.
    YieldKept => [If] ([] 1 []) ([PutKept] 3 [CountKept]) [];
    /// The yield of a reduction.
    YieldReduction => [] ([Assign] 2 []) ([] 1 []) [];
    /// The yield of a scan of numbers.
    YieldScan => [] ([Assign] 2 [PutSeed]) ([] 1 []) [];
    /// The yield of a scan of rows.
    YieldScanRow => [] ([Assign] 2 [NewSeedRows, PutSeedRow]) ([] 1 []) [];
    /// The yield of the reduction of a key, a number.
    YieldBucket => [PutKey] ([] 1 []) ([] 1 []) [];
    /// The yield of the reduction of a key, a row.
    YieldBucketRow => [PutKeyRow] ([] 1 []) ([] 1 []) [];

    /// `print` of an array of structs or tuples. The pieces after the array depend on its rank.
    Print => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times)];
    /// The same with the end of the line.
    PrintLine => [] ([Hold] 3 []) ([] 1 []) [Open(times), PrintEntry, Indices(times), Close(times), EndLine];
    /// The statement around such a `print`.
    PrintStatement => [Block] ([] 0 []) ([] 1 []) [];
}
