//! The form of all operations on whole arrays between the passes `multiloops` and `loops`.
//!
//! ```text
//! MULTILOOP                                  data: flags; ty: the type of the result
//!   INPUT value | check | VIEW, ..           evaluated once, in order
//!   LAMBDA                                   data: the INPUT whose first extent, or whose extents, the loop has
//!     ELEMENT value | KEY value | PARAM, ..  the mapped part: what the operator works on. A PARAM is the reduction so far
//!     yield guard?, value                    data: as of INDEX; ty: the type of the value
//! ```
//!
//! An INPUT declares a variable, like an ELEMENT. In the body, a READ is the element of an INPUT at the index of the iteration: the row
//! of that index, or the number at that index of a VIEW. A VIEW is an array of numbers as one sequence; the sequence of one with a lower rank
//! than the result is repeated. A VIEW has the type of the result of its operation.
//!
//! After [`fusion`](crate::passes::fusion), INPUTs, checks and VIEWs of operations whose bodies have moved are statements of a block too, and
//! bodies of later MULTILOOPs read them. A SEQUENCE, the value of a body that has moved, can have ELEMENTs too.
//!
//! | yield | its value, for each iteration | result |
//! |---|---|---|
//! | COLLECT | is an element of the result; with a guard only where that is not 0 | an array |
//! | REDUCE | replaces the PARAM, whose first value is the first INPUT | the last value |
//! | SCAN | does that, and is an element of the result | an array |
//! | BUCKET | replaces the PARAM, which is the element of the result that the KEY says; first all are the first INPUT | an array with as many elements as the second INPUT says |

use super::kinds::{Kind, Kinds, YIELDS};

/// A flag of a MULTILOOP: one iteration for each number of the result, whatever its rank.
pub const ALL_ELEMENTS: u32 = 1;
/// Another: from the last element to the first.
pub const FROM_END: u32 = 2;

/// The kinds that only this form has.
pub const OF_MULTILOOPS: Kinds =
    YIELDS.union(Kinds::of(&[Kind::Multiloop, Kind::Input, Kind::View, Kind::Element, Kind::Key, Kind::Read]));
