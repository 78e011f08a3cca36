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
    /// An operation with a LAMBDA.
    Operation => [Multiloop] ([EqualSize(times)] 1 []) ([Input] 2 []) [];
    /// The LAMBDA of `map`.
    MapBody => [Body] ([] 1 []) ([Collect] 2 []) [];
    /// The LAMBDA of `reduce`, `foldr` and `redomap`.
    ReduceBody => [Body] ([] 1 []) ([Reduce] 2 []) [];
    /// The LAMBDA of `scan`.
    ScanBody => [Body] ([] 1 []) ([Scan] 2 []) [];
    /// The LAMBDA of `filter`.
    FilterBody => [Body] ([] 1 []) ([Keep] 2 [Kept]) [];
    /// The LAMBDA of `group`.
    GroupBody => [Body] ([] 1 []) ([Bucket] 2 []) [];
    /// A parameter that is an element.
    Element => [Element] ([] 1 []) ([] 1 []) [];
    /// A parameter that is the result of a key so far.
    OfKey => [Key, Same] ([] 1 []) ([] 1 []) [];
    /// An operation on the elements of arrays. The pieces after its operands depend on their ranks.
    Elementwise => [Multiloop] ([Input] 2 []) ([Input] 2 []) [];
    /// The same, if it is a call.
    ElementwiseCall => [Multiloop] ([] 1 []) ([] 1 []) [];
    /// An argument of such a call.
    Argument => [InputArgument] ([] 1 []) ([] 1 []) [];
}
