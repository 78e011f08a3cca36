//! What can go wrong in a call of the library.

/// An error of treepar: the caller's data, or the machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns that go together differ in length.
    #[error("column `{array}` has {found} rows where {expected} were expected")]
    LengthMismatch {
        /// The column that is too short or too long.
        array: &'static str,
        /// Rows expected.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// More rows than a `u32` index can name.
    #[error("`{array}` would have {found} rows; the limit is {limit}")]
    TooManyRows {
        /// The column.
        array: &'static str,
        /// Rows asked for.
        found: u64,
        /// Rows possible.
        limit: u64,
    },
    /// A depth that is no depth of a preorder forest: the first is 0, each at most one more than the one before.
    #[error("depth {found} at node {index} is more than the possible {limit}")]
    InvalidDepth {
        /// The node.
        index: usize,
        /// Its depth.
        found: u64,
        /// The greatest depth that could stand there.
        limit: u64,
    },
    /// A parent that does not stand before its child, or is not on the path of the node before.
    #[error("node {index} has parent {found}, which is no open node there")]
    InvalidParent {
        /// The node.
        index: usize,
        /// Its parent.
        found: u64,
    },
    /// Brackets of which one closes nothing, or that are open at the end.
    #[error("brackets do not match at place {index}, where {open} are open")]
    UnbalancedBrackets {
        /// The bracket that closes nothing, or the number of brackets.
        index: usize,
        /// Brackets open there.
        open: u64,
    },
    /// An index outside the array that it points into.
    #[error("`{array}` holds index {found} at row {index}; the limit is {limit}")]
    IndexOutOfRange {
        /// The column of indices.
        array: &'static str,
        /// The row.
        index: usize,
        /// The index found.
        found: u64,
        /// The first index that is too large.
        limit: u64,
    },
    /// Two rows of a scatter with one target (found in debug builds).
    #[error("two rows of a scatter write to index {target}")]
    DuplicateTarget {
        /// The target.
        target: u64,
    },
    /// Segment offsets that fall, or do not end inside the column.
    #[error("segment offset {found} at segment {index} is out of order (limit {limit})")]
    InvalidOffset {
        /// The segment.
        index: usize,
        /// Its offset.
        found: u64,
        /// The greatest offset that could stand there.
        limit: u64,
    },
    /// The threads of a pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

/// A result of treepar.
pub type Result<T> = std::result::Result<T, Error>;
