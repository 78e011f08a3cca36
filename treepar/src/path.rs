//! Path matrices: for each node the path that leads to it, as a row (Key paper, section 3.2).
//!
//! ```text
//!          0                 depth   ordinal   index
//!        / | \                 0      1 0 0    1 0 0
//!       1  4  5                1      1 1 0    1 2 0
//!      / \                     2      1 1 1    1 2 3
//!     2   3                    2      1 1 2    1 2 4
//!                              1      1 2 0    1 5 0
//!                              1      1 3 0    1 6 0
//! ```
//!
//! Column l of a row holds the ancestor at depth l, and a row ends with zeros. In the [`Encoding::Ordinal`] an entry
//! counts the nodes of its depth from 1 on; in the [`Encoding::Index`] it is the ancestor's number plus one. Either way
//! rows rise lexicographically, are all different, and an ancestor's row is a prefix of its descendants'.
//!
//! A matrix holds n times h entries, of one, two or four bytes, whichever is enough. For a single question the
//! operations of [`ancestor`](crate::ancestor) and [`depth`](crate::depth) need no matrix and cost O(n); take a matrix
//! where rows travel with nodes that have left their tree, as names of lifted nodes.

use crate::ancestor::Of;
use crate::backend::{ScanKind, check_length};
use crate::depth::Depths;
use crate::device::device;
use crate::key::{Groups, KeyColumn, Order, group_columns};
use crate::monoid::{Max, Sum};
use crate::sort::check_rows;
use crate::{Backend, Column, Error, Result};

/// The meaning of the entries of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The ancestor's index among all nodes of its depth, from 1 (section 3.2.1).
    Ordinal,
    /// The ancestor's number plus one (section 6).
    Index,
}

/// Paths of nodes, a row each.
pub struct PathMatrix<B: Backend> {
    entries: Entries<B>,
    encoding: Encoding,
    rows: usize,
    columns: usize,
}

/// Entries row by row, as wide as the greatest needs.
enum Entries<B: Backend> {
    U8(B::Vec<u8>),
    U16(B::Vec<u16>),
    U32(B::Vec<u32>),
}

/// Runs code on the entries, with the device functions of their width.
macro_rules! by_width {
    ($entries:expr, $row:ident, $kernels:ident => $code:expr) => {
        match $entries {
            Entries::U8($row) => {
                use rows_u8 as $kernels;
                $code
            }
            Entries::U16($row) => {
                use rows_u16 as $kernels;
                $code
            }
            Entries::U32($row) => {
                use rows_u32 as $kernels;
                $code
            }
        }
    };
}

/// The same, for code that yields entries again.
macro_rules! to_entries {
    ($entries:expr, $row:ident, $kernels:ident => $code:expr) => {
        match $entries {
            Entries::U8($row) => {
                use rows_u8 as $kernels;
                Entries::U8($code)
            }
            Entries::U16($row) => {
                use rows_u16 as $kernels;
                Entries::U16($code)
            }
            Entries::U32($row) => {
                use rows_u32 as $kernels;
                Entries::U32($code)
            }
        }
    };
}

/// Entry (level, node) of the matrix on its side: 1 where the node is at that level (`Fd∘.=⍳h`).
#[device(segmented_scan(Sum))]
fn is_at_level(k: usize, depth: &[u32], n: u32) -> u32 {
    (depth[(k as u32 % n) as usize] == k as u32 / n) as u32
}

/// The same, with the node's number plus one in place of 1.
#[device(segmented_scan(Max))]
fn node_at_level(k: usize, depth: &[u32], n: u32) -> u32 {
    let node = k as u32 % n;
    if depth[node as usize] == k as u32 / n { node + 1 } else { 0 }
}

#[device(map)]
fn column_start(level: usize, n: u32) -> u32 {
    level as u32 * n
}

impl<B: Backend> PathMatrix<B> {
    /// The path matrix of a forest.
    ///
    /// # Shape    depth\[n\] -> n rows of h entries
    /// # Cost     work O(n h): one segmented scan and one map, as many steps as these; 4 n h bytes in addition to the matrix
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if n h entries are more than rows can be
    /// # Source   Key paper, section 3.2.1: outer product, sum scan, mask; the index form, section 6
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?;
    /// let ordinal = PathMatrix::new(&forest, Encoding::Ordinal)?;
    /// assert_eq!(ordinal.download()?[3..], [[1, 1, 2], [1, 2, 0], [1, 3, 0]]);
    /// let index = PathMatrix::new(&forest, Encoding::Index)?;
    /// assert_eq!(index.download()?[3..], [[1, 2, 4], [1, 5, 0], [1, 6, 0]]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(forest: &Depths<B>, encoding: Encoding) -> Result<PathMatrix<B>> {
        let (n, h, depth, backend) = (forest.len(), forest.height()?, forest.depths(), forest.backend());
        let size = n.saturating_mul(h);
        let limit = u64::from(u32::MAX) - 1;
        if size as u64 > limit {
            return Err(Error::TooManyRows { array: "path matrix", found: size as u64, limit });
        }
        let starts = backend.map(column_start::of(n as u32).rows(h))?;
        let (greatest, sideways) = match encoding {
            Encoding::Ordinal => {
                let widest = backend.reduce(&backend.histogram(depth, h)?, Max)?;
                let counts = backend.segmented_scan(
                    ScanKind::Inclusive,
                    &starts,
                    is_at_level::of(depth, n as u32).rows(size),
                    Sum,
                )?;
                (widest, counts)
            }
            Encoding::Index => {
                let nodes = backend.segmented_scan(
                    ScanKind::Inclusive,
                    &starts,
                    node_at_level::of(depth, n as u32).rows(size),
                    Max,
                )?;
                (n as u32, nodes)
            }
        };
        let entries = match greatest {
            0..=0xff => Entries::U8(backend.map(rows_u8::masked::of(&sideways, depth, n as u32, h as u32).rows(size))?),
            0x100..=0xffff => {
                Entries::U16(backend.map(rows_u16::masked::of(&sideways, depth, n as u32, h as u32).rows(size))?)
            }
            _ => Entries::U32(backend.map(rows_u32::masked::of(&sideways, depth, n as u32, h as u32).rows(size))?),
        };
        Ok(PathMatrix { entries, encoding, rows: n, columns: h })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the number of columns: the height of the forest.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the meaning of the entries.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Bytes of an entry: 1, 2 or 4.
    pub fn entry_bytes(&self) -> usize {
        match self.entries {
            Entries::U8(_) => 1,
            Entries::U16(_) => 2,
            Entries::U32(_) => 4,
        }
    }

    /// The rows, on the host.
    pub fn download(&self) -> Result<Vec<Vec<u32>>> {
        let all = self.backend().download(&self.widened()?)?;
        Ok((0..self.rows).map(|i| all[i * self.columns..][..self.columns].to_vec()).collect())
    }

    /// The depth of each row's node: its first zero less one. `u32::MAX` for an empty path, of which every entry is 0.
    ///
    /// # Shape    -> depth\[n\] u32
    /// # Cost     work O(n h), one map
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.2.2: `¯1+C⍳0`
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// assert_eq!(paths.depths()?[..], [0, 1, 2, 2, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn depths(&self) -> Result<B::Vec<u32>> {
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::depth::of(row, self.columns as u32).rows(self.rows)))
    }

    /// Returns whether rows a and b are one path: 1 or 0 for each pair.
    ///
    /// # Shape    a\[m\], b\[m\] rows -> answer\[m\] u8
    /// # Cost     work O(m h), two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of rows
    /// # Source   Key paper, section 3.2, question 1
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// assert_eq!(paths.same(&cpu.upload(&[1, 2])?, &cpu.upload(&[1, 3])?)?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn same(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<B::Vec<u8>> {
        self.check_pairs(a, b)?;
        let h = self.columns as u32;
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::same::of(row, a, b, h)))
    }

    /// Returns whether rows a and b are different children of one parent, or both roots.
    ///
    /// # Shape    a\[m\], b\[m\] rows -> answer\[m\] u8
    /// # Cost     work O(m h), two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of rows
    /// # Source   Key paper, section 3.2, question 2: they differ in the last entry that is not zero
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// assert_eq!(paths.siblings(&cpu.upload(&[2, 2, 1])?, &cpu.upload(&[3, 4, 5])?)?[..], [1, 0, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn siblings(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<B::Vec<u8>> {
        self.check_pairs(a, b)?;
        let h = self.columns as u32;
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::siblings::of(row, a, b, h)))
    }

    /// Returns whether row a comes before row b in preorder.
    ///
    /// # Shape    a\[m\], b\[m\] rows -> answer\[m\] u8
    /// # Cost     work O(m h), two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of rows
    /// # Source   Key paper, section 3.2, question 3: lexicographic order
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// assert_eq!(paths.earlier(&cpu.upload(&[2, 5])?, &cpu.upload(&[4, 1])?)?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn earlier(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<B::Vec<u8>> {
        self.check_pairs(a, b)?;
        let h = self.columns as u32;
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::earlier::of(row, a, b, h)))
    }

    /// Returns whether rows a and b are equally deep.
    ///
    /// # Shape    a\[m\], b\[m\] rows -> answer\[m\] u8
    /// # Cost     work O(m h), two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of rows
    /// # Source   Key paper, section 3.2, question 4
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// assert_eq!(paths.same_depth(&cpu.upload(&[1, 1])?, &cpu.upload(&[4, 2])?)?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn same_depth(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<B::Vec<u8>> {
        self.check_pairs(a, b)?;
        let h = self.columns as u32;
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::same_depth::of(row, a, b, h)))
    }

    /// Returns whether row b is an ancestor of row a.
    ///
    /// # Shape    a\[m\], b\[m\] rows -> answer\[m\] u8
    /// # Cost     work O(m h), two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of rows
    /// # Source   Key paper, section 3.2, question 5: `a∧.(=∨0=⊢)b`, which counts a node among its ancestors
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, ancestor::Of, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?;
    /// let paths = PathMatrix::new(&forest, Encoding::Ordinal)?;
    /// let (a, b) = (cpu.upload(&[3, 4, 2])?, cpu.upload(&[1, 1, 2])?);
    /// assert_eq!(cpu.download(&paths.has_ancestor(&a, &b, Of::Inclusive)?)?, [1, 0, 1]);
    /// assert_eq!(cpu.download(&paths.has_ancestor(&a, &b, Of::Exclusive)?)?, [1, 0, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn has_ancestor(&self, a: &B::Vec<u32>, b: &B::Vec<u32>, of: Of) -> Result<B::Vec<u8>> {
        self.check_pairs(a, b)?;
        let (h, itself) = (self.columns as u32, of == Of::Inclusive);
        by_width!(&self.entries, row, kernels => {
            self.backend().map(kernels::has_ancestor::of(row, a, b, h, itself))
        })
    }

    /// Each row without its last entry: the parent's path, empty for a root.
    ///
    /// # Shape    -> n rows of h entries
    /// # Cost     work O(n h), one map
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.2.2: `Fcp←Fc×Fd∘.>⍳1+⌈/Fd`
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// let parents = paths.parents()?.download()?;
    /// assert_eq!(parents[..4], [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0]]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn parents(&self) -> Result<PathMatrix<B>> {
        let h = self.columns as u32;
        let entries =
            to_entries!(&self.entries, row, kernels => self.backend().map(kernels::without_last::of(row, h))?);
        Ok(PathMatrix { entries, ..*self })
    }

    /// Some rows, in their order: `bv⌿C` with the rows that a mask marks, `C[i;]` with any.
    ///
    /// # Shape    row\[m\] -> m rows of h entries
    /// # Cost     work O(m h), one map
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) at the first that is not a row
    /// # Source   Key paper, section 3.2.2: `Fp←('F'=Ft)⌿Fc` and `Fk←Fp[Fi;]`
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// let selected = paths.select(&cpu.upload(&[3, 0])?)?;
    /// assert_eq!(selected.download()?, [[1, 1, 2], [1, 0, 0]]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn select(&self, rows: &B::Vec<u32>) -> Result<PathMatrix<B>> {
        check_rows("rows", rows, self.rows)?;
        let (size, h) = (rows.len().saturating_mul(self.columns), self.columns as u32);
        let entries = to_entries!(&self.entries, row, kernels => self.backend().map(kernels::selected::of(row, rows, h).rows(size))?);
        Ok(PathMatrix { entries, rows: rows.len(), ..*self })
    }

    /// Returns for each pair whether the row of `other` is a prefix of the row here: the general inner product.
    ///
    /// # Shape    n rows, p rows -> answer\[n p\] u8, row by row
    /// # Cost     work O(n p h), one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the matrices differ in columns, [`TooManyRows`](crate::Error::TooManyRows) if n p answers are
    ///   more than rows can be
    /// # Source   Key paper, section 3.2.2: `C∧.(=∨0=)⍉P`
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// let some = paths.select(&cpu.upload(&[1, 4])?)?;
    /// // Node 1 is above nodes 1, 2 and 3, and node 4 above itself.
    /// assert_eq!(paths.matches(&some)?[..], [0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn matches(&self, other: &PathMatrix<B>) -> Result<B::Vec<u8>> {
        self.check_columns(other)?;
        let size = self.rows.saturating_mul(other.rows);
        let (h, p) = (self.columns as u32, other.rows as u32);
        match (&self.entries, &other.entries) {
            (Entries::U8(a), Entries::U8(b)) => self.backend().map(rows_u8::matches::of(a, b, h, p).rows(size)),
            (Entries::U16(a), Entries::U16(b)) => self.backend().map(rows_u16::matches::of(a, b, h, p).rows(size)),
            _ => {
                let (a, b) = (self.widened()?, other.widened()?);
                self.backend().map(rows_u32::matches::of(&a, &b, h, p).rows(size))
            }
        }
    }

    /// Returns for each row here the last row of `other` that is a prefix of it, or [`NO_NODE`](crate::depth::NO_NODE). If
    /// the rows of `other` are in preorder, this is its nearest ancestor among them.
    ///
    /// # Shape    n rows, p rows -> row\[n\] u32
    /// # Cost     work O(n p h), one map, 4 n bytes written; nothing of n p is stored
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the matrices differ in columns
    /// # Source   Key paper, section 3.2.2: `(C∧.(=∨0=)⍉P)⌈.×⍳≢P`, which has 0 both for none and for the first
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{Depths, NO_NODE}, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// let some = paths.select(&cpu.upload(&[1, 4])?)?;
    /// assert_eq!(paths.nearest(&some)?[..], [NO_NODE, 0, 0, 0, 1, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn nearest(&self, other: &PathMatrix<B>) -> Result<B::Vec<u32>> {
        self.check_columns(other)?;
        let (h, p) = (self.columns as u32, other.rows as u32);
        match (&self.entries, &other.entries) {
            (Entries::U8(a), Entries::U8(b)) => self.backend().map(rows_u8::nearest::of(a, b, h, p).rows(self.rows)),
            (Entries::U16(a), Entries::U16(b)) => self.backend().map(rows_u16::nearest::of(a, b, h, p).rows(self.rows)),
            _ => {
                let (a, b) = (self.widened()?, other.widened()?);
                self.backend().map(rows_u32::nearest::of(&a, &b, h, p).rows(self.rows))
            }
        }
    }

    /// The nearest marked ancestor of each row's node, or [`NO_NODE`](crate::depth::NO_NODE), by the entries of its row.
    ///
    /// # Shape    mark\[nodes\] (0 or not) -> node\[n\] u32
    /// # Cost     work O(n h), one map
    /// # Errors   [`Encoding`](crate::Error::Encoding) unless entries are indices, [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a row names a node that
    ///   has no mark
    /// # Source   Key paper, section 6: `⌈/C×t=T[C]`
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, ancestor::Of, depth::{Depths, NO_NODE}, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?;
    /// let paths = PathMatrix::new(&forest, Encoding::Index)?;
    /// let marked = cpu.upload(&[0u8, 1, 0, 1, 0, 0])?;
    /// let found = paths.nearest_marked(&marked, Of::Inclusive)?;
    /// assert_eq!(cpu.download(&found)?, [NO_NODE, 1, 1, 3, NO_NODE, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn nearest_marked(&self, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u32>> {
        if self.encoding != Encoding::Index {
            return Err(Error::Encoding { expected: "index" });
        }
        let (h, itself) = (self.columns as u32, of == Of::Inclusive);
        // Rows rise, so that the greatest entry of the matrix is the last of one of its rows.
        let last = self.last_entries()?;
        let greatest = self.backend().reduce(&last, Max)?;
        if greatest as usize > mark.len() {
            return Err(Error::RowOutOfRange { found: greatest as usize - 1, rows: mark.len() });
        }
        by_width!(&self.entries, row, kernels => {
            self.backend().map(kernels::nearest_marked::of(row, mark, h, itself).rows(self.rows))
        })
    }

    /// Groups rows by path.
    ///
    /// # Shape    n rows -> permutation\[n\], offsets\[g\], u32
    /// # Cost     that of [`group_columns`] with one column, or two of ordinals; of sorted ordinals with h
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.3, with paths as keys: a path's length and last entry identify it in its
    ///   forest
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, key::Order, path::{Encoding, PathMatrix}};
    /// let cpu = Cpu::new();
    /// let paths = PathMatrix::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?, Encoding::Ordinal)?;
    /// // The children of no node, of the root, and of node 1.
    /// assert_eq!(paths.parents()?.key(Order::Sorted)?.sizes()?[..], [1, 3, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn key(&self, order: Order) -> Result<Groups<B>> {
        let last = self.last_entries()?;
        match (self.encoding, order) {
            (Encoding::Index, _) => group_columns(&[KeyColumn::U32(&last)], order),
            (Encoding::Ordinal, Order::FirstAppearance) => {
                let depth = self.depths()?;
                group_columns(&[KeyColumn::U32(&depth), KeyColumn::U32(&last)], order)
            }
            (Encoding::Ordinal, Order::Sorted) => {
                let h = self.columns as u32;
                let column = |l: u32| by_width!(&self.entries, row, kernels => self.backend().map(kernels::column::of(row, l, h).rows(self.rows)));
                let columns = (0..h).map(column).collect::<Result<Vec<_>>>()?;
                // A matrix without columns has only empty paths.
                let mut keys: Vec<_> = columns.iter().map(KeyColumn::U32).collect();
                keys.push(KeyColumn::U32(&last));
                group_columns(&keys, order)
            }
        }
    }

    /// The last entry of each row that is not zero; 0 of an empty path.
    fn last_entries(&self) -> Result<B::Vec<u32>> {
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::last::of(row, self.columns as u32).rows(self.rows)))
    }

    fn backend(&self) -> &B {
        match &self.entries {
            Entries::U8(row) => row.backend(),
            Entries::U16(row) => row.backend(),
            Entries::U32(row) => row.backend(),
        }
    }

    fn widened(&self) -> Result<B::Vec<u32>> {
        by_width!(&self.entries, row, kernels => self.backend().map(kernels::widened::of(row)))
    }

    fn check_pairs(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<()> {
        check_length("b", a.len(), b.len())?;
        check_rows("a", a, self.rows)?;
        check_rows("b", b, self.rows)
    }

    fn check_columns(&self, other: &PathMatrix<B>) -> Result<()> {
        if self.encoding != other.encoding {
            return Err(Error::Encoding {
                expected: if self.encoding == Encoding::Index { "index" } else { "ordinal" },
            });
        }
        check_length("path columns", self.columns, other.columns)
    }
}

/// Device functions on rows of `h` entries of one width.
macro_rules! rows {
    ($($module:ident: $ty:ident;)*) => {$(
        mod $module {
            use crate::depth::NO_NODE;
            use crate::device::device;

            /// Entry (i, l) from the matrix on its side, if node i is as deep as l (`Fm×+⍀Fb`).
            #[device(map)]
            pub fn masked(k: usize, sideways: &[u32], depth: &[u32], n: u32, h: u32) -> $ty {
                let i = k as u32 / h;
                let level = k as u32 % h;
                if depth[i as usize] >= level { sideways[(level * n + i) as usize] as $ty } else { 0 }
            }

            #[device(map)]
            pub fn widened(k: usize, entries: &[$ty]) -> u32 {
                entries[k] as u32
            }

            #[device(map)]
            pub fn column(i: usize, entries: &[$ty], level: u32, h: u32) -> u32 {
                entries[i * h as usize + level as usize] as u32
            }

            /// How many entries of row i are not zero.
            #[device]
            fn length(i: usize, entries: &[$ty], h: u32) -> u32 {
                let row = i * h as usize;
                let mut length = 0u32;
                while length < h && entries[row + length as usize] != 0 {
                    length += 1;
                }
                length
            }

            /// How many entries rows a and b begin with alike, zeros too.
            #[device]
            fn common(a: usize, b: usize, entries: &[$ty], h: u32) -> u32 {
                let mut length = 0u32;
                while length < h
                    && entries[a * h as usize + length as usize] == entries[b * h as usize + length as usize]
                {
                    length += 1;
                }
                length
            }

            #[device(map)]
            pub fn depth(i: usize, entries: &[$ty], h: u32) -> u32 {
                length(i, entries, h).wrapping_sub(1)
            }

            #[device(map)]
            pub fn last(i: usize, entries: &[$ty], h: u32) -> u32 {
                let length = length(i, entries, h);
                if length == 0 { 0 } else { entries[i * h as usize + length as usize - 1] as u32 }
            }

            #[device(map)]
            pub fn same(k: usize, entries: &[$ty], a: &[u32], b: &[u32], h: u32) -> u8 {
                (common(a[k] as usize, b[k] as usize, entries, h) == h) as u8
            }

            #[device(map)]
            pub fn siblings(k: usize, entries: &[$ty], a: &[u32], b: &[u32], h: u32) -> u8 {
                let (i, j) = (a[k] as usize, b[k] as usize);
                let length_i = length(i, entries, h);
                let length_j = length(j, entries, h);
                (length_i == length_j && common(i, j, entries, h).wrapping_add(1) == length_i) as u8
            }

            #[device(map)]
            pub fn earlier(k: usize, entries: &[$ty], a: &[u32], b: &[u32], h: u32) -> u8 {
                let (i, j) = (a[k] as usize, b[k] as usize);
                let same = common(i, j, entries, h) as usize;
                (same < h as usize && entries[i * h as usize + same] < entries[j * h as usize + same]) as u8
            }

            #[device(map)]
            pub fn same_depth(k: usize, entries: &[$ty], a: &[u32], b: &[u32], h: u32) -> u8 {
                (length(a[k] as usize, entries, h) == length(b[k] as usize, entries, h)) as u8
            }

            #[device(map)]
            pub fn has_ancestor(k: usize, entries: &[$ty], a: &[u32], b: &[u32], h: u32, itself: bool) -> u8 {
                let (i, j) = (a[k] as usize, b[k] as usize);
                let same = common(i, j, entries, h);
                (same >= length(j, entries, h) && (itself || same < h)) as u8
            }

            #[device(map)]
            pub fn without_last(k: usize, entries: &[$ty], h: u32) -> $ty {
                let ends = k as u32 % h + 1 == h;
                if !ends && entries[k + 1] != 0 { entries[k] } else { 0 }
            }

            #[device(map)]
            pub fn selected(k: usize, entries: &[$ty], rows: &[u32], h: u32) -> $ty {
                entries[rows[k / h as usize] as usize * h as usize + k % h as usize]
            }

            /// Returns whether row b of `others` is a prefix of row a.
            #[device]
            fn is_prefix(a: usize, b: usize, entries: &[$ty], others: &[$ty], h: u32) -> bool {
                let mut at = 0u32;
                let mut goes_on = true;
                while at < h && goes_on {
                    let entry = others[b * h as usize + at as usize];
                    goes_on = entry != 0 && entry == entries[a * h as usize + at as usize];
                    at += goes_on as u32;
                }
                at == h || others[b * h as usize + at as usize] == 0
            }

            #[device(map)]
            pub fn matches(k: usize, entries: &[$ty], others: &[$ty], h: u32, p: u32) -> u8 {
                is_prefix(k / p as usize, k % p as usize, entries, others, h) as u8
            }

            #[device(map)]
            pub fn nearest(i: usize, entries: &[$ty], others: &[$ty], h: u32, p: u32) -> u32 {
                let mut row = p;
                let mut found = NO_NODE;
                while row > 0 && found == NO_NODE {
                    row -= 1;
                    if is_prefix(i, row as usize, entries, others, h) {
                        found = row;
                    }
                }
                found
            }

            #[device(map)]
            pub fn nearest_marked(i: usize, entries: &[$ty], mark: &[u8], h: u32, itself: bool) -> u32 {
                let mut at = length(i, entries, h);
                if !itself && at > 0 {
                    at -= 1;
                }
                let mut found = NO_NODE;
                while at > 0 && found == NO_NODE {
                    at -= 1;
                    let node = entries[i * h as usize + at as usize] as u32 - 1;
                    if mark[node as usize] != 0 {
                        found = node;
                    }
                }
                found
            }
        }
    )*};
}

rows! {
    rows_u8: u8;
    rows_u16: u16;
    rows_u32: u32;
}
