//! What can go wrong in a call of the library.

/// Why a machine of a GPU's backend cannot do what was asked for.
pub use treepar_kernels::machine::Error as MachineError;

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
    /// Rows that are to stand in rising order, and do not.
    #[error("`{array}` falls at row {index}: {found} after {before}")]
    NotSorted {
        /// The column.
        array: &'static str,
        /// The row that is less than the one before it.
        index: usize,
        /// What stands there.
        found: u64,
        /// What stands before it.
        before: u64,
    },
    /// A view that no forest has: sizes, counts or places that contradict each other.
    #[error("no forest has `{array}` {found} at node {index}")]
    NoSuchForest {
        /// The view.
        array: &'static str,
        /// The first node at which the nearest forest differs.
        index: usize,
        /// What the view says there.
        found: u64,
    },
    /// An operation that is declared as a monoid, and breaks a law of monoids (found in debug builds).
    #[error("`{monoid}` is no monoid: {law} fails on the rows from {index} on")]
    NotAMonoid {
        /// The device function.
        monoid: &'static str,
        /// The law.
        law: &'static str,
        /// The first row of those it fails on.
        index: usize,
    },
    /// An operand that is not computed before its instruction.
    #[error("instruction {instruction} has operand {found}, which does not come before it")]
    InvalidOperand {
        /// The instruction.
        instruction: usize,
        /// Its operand.
        found: u64,
    },
    /// A path matrix of the other encoding.
    #[error("this asks for path matrices of the {expected} encoding")]
    Encoding {
        /// The encoding asked for.
        expected: &'static str,
    },
    /// A column of another backend than the one that was called: its machine has it in an order and memory of its own.
    #[error("a column is another backend's: a GPU takes its own columns; download it there, and upload it here")]
    OtherBackend,
    /// Memory that the machine does not have.
    #[error("out of memory: a column of {bytes} bytes was asked for")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// The machine that a backend runs on: there is none, or it failed.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The threads of a pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// Whether memory was too small, the host's or a device's: less data, or another backend, may do.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::OutOfMemory { .. } => true,
            Error::Machine(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}

/// A result of treepar.
pub type Result<T> = std::result::Result<T, Error>;
