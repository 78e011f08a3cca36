//! The library's errors.

/// An error of a machine that a GPU backend runs on.
pub use treepar_kernels::machine::Error as MachineError;

/// An error of treepar, caused by the caller's data or by the machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns that belong together differ in length.
    #[error("column `{array}` has {found} rows; expected {expected}")]
    LengthMismatch {
        /// The column that is too short or too long.
        array: &'static str,
        /// The expected number of rows.
        expected: usize,
        /// The actual number of rows.
        found: usize,
    },
    /// A column would have more rows than a `u32` index can name.
    #[error("`{array}` would have {found} rows; the limit is {limit}")]
    TooManyRows {
        /// The column.
        array: &'static str,
        /// The number of rows requested.
        found: u64,
        /// The greatest possible number of rows.
        limit: u64,
    },
    /// A depth that is impossible in preorder. The first depth is 0, and each is at most one more than the one before.
    #[error("node {index} has depth {found}; the limit there is {limit}")]
    InvalidDepth {
        /// The node.
        index: usize,
        /// The node's depth.
        found: u64,
        /// The greatest depth that is possible for this node.
        limit: u64,
    },
    /// A parent that is impossible in preorder.
    #[error("node {index} has parent {found}, which is neither the node before nor one of its ancestors")]
    InvalidParent {
        /// The node.
        index: usize,
        /// The node's parent.
        found: u64,
    },
    /// A closing bracket without an opening one, or opening brackets that are never closed.
    #[error("brackets are not balanced: {open} are open at index {index}")]
    UnbalancedBrackets {
        /// The index of the closing bracket, or the number of brackets.
        index: usize,
        /// The number of open brackets there.
        open: u64,
    },
    /// A symbol that does not fit the symbols before it, or symbols that end too early.
    #[error("symbol {index} does not fit the symbols before it")]
    MisplacedSymbol {
        /// The row of the symbol, or the number of symbols.
        index: usize,
    },
    /// An index outside the array that it refers to.
    #[error("`{array}` has index {found} in row {index}; the limit is {limit}")]
    IndexOutOfRange {
        /// The column of indices.
        array: &'static str,
        /// The row.
        index: usize,
        /// The index in that row.
        found: u64,
        /// The first index that is too large.
        limit: u64,
    },
    /// A row, or the end of a range of rows, that a column does not have.
    #[error("row {found} is out of range for a column of {rows} rows")]
    RowOutOfRange {
        /// The row, or the end of the range.
        found: usize,
        /// The column's number of rows.
        rows: usize,
    },
    /// Two rows of a scatter or of a permutation with the same index. A scatter reports it in debug builds only.
    #[error("two rows have the same target, index {target}")]
    DuplicateTarget {
        /// The index.
        target: u64,
    },
    /// Segment offsets that decrease, or that exceed the number of rows.
    #[error("segment {index} has offset {found}; the limit there is {limit}")]
    InvalidOffset {
        /// The segment.
        index: usize,
        /// The segment's offset.
        found: u64,
        /// The greatest offset that is possible for this segment.
        limit: u64,
    },
    /// Rows that decrease although they must not.
    #[error("`{array}` decreases at row {index}: {found} after {before}")]
    NotSorted {
        /// The column.
        array: &'static str,
        /// The row.
        index: usize,
        /// The row's value.
        found: u64,
        /// The greater value before it.
        before: u64,
    },
    /// Links that never end.
    #[error("row {index} of `{array}` is on a cycle, or leads to one")]
    Cycle {
        /// The column of links.
        array: &'static str,
        /// The first such row.
        index: usize,
    },
    /// Sizes, counts or indices that contradict each other.
    #[error("`{array}` does not describe a valid forest: node {index} has {found}")]
    NoSuchForest {
        /// The column.
        array: &'static str,
        /// The first node at which the nearest forest differs.
        index: usize,
        /// The column's value at that node.
        found: u64,
    },
    /// An operation that is declared as a monoid but breaks a law of monoids. It is found in debug builds only.
    #[error("`{monoid}` is not a monoid: the law of {law} fails for the rows from {index} on")]
    NotAMonoid {
        /// The device function.
        monoid: &'static str,
        /// The law.
        law: &'static str,
        /// The first of the rows for which it fails.
        index: usize,
    },
    /// An operand that is not computed before the instruction that uses it.
    #[error("instruction {instruction} has operand {found}, which is not an earlier instruction")]
    InvalidOperand {
        /// The instruction.
        instruction: usize,
        /// The instruction's operand.
        found: u64,
    },
    /// A path matrix with the wrong encoding.
    #[error("this operation requires path matrices with the {expected} encoding")]
    Encoding {
        /// The encoding that is required.
        expected: &'static str,
    },
    /// A column of a backend other than the one that was called. Each GPU backend has its own memory and order of work.
    #[error("a column belongs to another backend; download it from there and upload it here")]
    OtherBackend,
    /// An Arrow array with nulls. A column has a value in every row.
    #[error("the Arrow array has {nulls} nulls; replace them, or leave out their rows")]
    Nulls {
        /// The number of nulls.
        nulls: usize,
    },
    /// Too little memory on the machine.
    #[error("out of memory: cannot allocate a column of {bytes} bytes")]
    OutOfMemory {
        /// The size requested.
        bytes: u64,
    },
    /// An error of the machine that a GPU backend runs on.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Threads that could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The number of threads requested.
        threads: usize,
        /// The limit that it exceeds, or the system's message.
        reason: String,
    },
}

impl Error {
    /// Returns whether the host or the device had too little memory. Less data or another backend may help.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::OutOfMemory { .. } => true,
            Error::Machine(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}

/// The result of a call of treepar.
pub type Result<T> = std::result::Result<T, Error>;
