//! Lifting: nested parts of a tree become trees of their own (Key paper, section 4).
//!
//! ```text
//! node      0 1 2 3 4 5 6 7 8       marked: functions
//! depth     0 1 2 3 4 4 4 2 3
//! marked    F . F . . . . . .
//!
//! row       0 1 2 3 4   5 6 7 8 9
//! depth     0 1 2 2 3   0 1 2 2 2
//! origin    0 1 2 7 8   2 3 4 5 6
//! role      F . V . .   F . . . .   a new root, nodes, and V where a lifted part stood: it refers to row 5
//! ```
//!
//! This is Key by the nearest marked ancestor. Since these keys come from a tree, no sort is needed. The nodes between a
//! node and the root of its part belong to parts that have ended, and a prefix sum of their sizes counts them.

use crate::ancestor::Of;
use crate::backend::{Checked, Columns, check_length, own};
use crate::depth::{Depths, NO_NODE};
use crate::device::{Outputs, device};
use crate::monoid::index_u32;
use crate::{Backend, Column, Result};

/// The role of a row of a lifted forest, in the column [`Lifted::role`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// A node that moved with the part it belongs to.
    Node = 0,
    /// The new root of a part, which represents the marked node.
    Root = 1,
    /// The leaf that replaces a marked node and refers to its part.
    Reference = 2,
}

const NODE: u8 = Role::Node as u8;
const ROOT: u8 = Role::Root as u8;
const REFERENCE: u8 = Role::Reference as u8;

/// A forest whose marked nodes are roots.
pub struct Lifted<B: Backend> {
    /// The parts, one after another.
    pub forest: Depths<B>,
    /// The node that each row was, or stands for.
    pub origin: B::Vec<u32>,
    /// The [`Role`] of each row, as a number.
    pub role: B::Vec<u8>,
    /// For a reference the row of the root it refers to, else [`NO_NODE`].
    pub target: B::Vec<u32>,
}

/// The rows of a lifted forest without their depths and targets.
pub struct Flat<B: Backend> {
    /// The node that each row was, or stands for.
    pub origin: B::Vec<u32>,
    /// The [`Role`] of each row, as a number.
    pub role: B::Vec<u8>,
}

/// A row of a lifted forest, as an [`Executor`](crate::backend::Executor) makes it.
#[derive(Clone, Copy, Debug)]
pub struct LiftedRow {
    /// The depth.
    pub depth: u32,
    /// The node that the row was, or stands for.
    pub origin: u32,
    /// The [`Role`], as a number.
    pub role: u8,
    /// For a reference the row of the root it refers to, else [`NO_NODE`].
    pub target: u32,
}

impl LiftedRow {
    /// Returns the root of a part.
    #[inline(always)]
    pub(crate) fn root(origin: u32) -> LiftedRow {
        LiftedRow { depth: 0, origin, role: ROOT, target: NO_NODE }
    }

    /// Returns a node of a part, or the reference to its own part if there is a `target`.
    #[inline(always)]
    pub(crate) fn part(origin: u32, depth: u32, target: u32) -> LiftedRow {
        LiftedRow { depth, origin, role: if target == NO_NODE { NODE } else { REFERENCE }, target }
    }
}

/// Counts over a run of nodes: nodes inside marked subtrees, marked nodes, and marked roots.
#[device]
struct Counts {
    owned: u32,
    marked: u32,
    dropped: u32,
}

#[device(monoid(identity = Counts { owned: 0, marked: 0, dropped: 0 }))]
fn add(a: Counts, b: Counts) -> Counts {
    Counts {
        owned: a.owned.wrapping_add(b.owned),
        marked: a.marked.wrapping_add(b.marked),
        dropped: a.dropped.wrapping_add(b.dropped),
    }
}

#[device(scanned)]
fn counts(i: usize, mark: &[u8], depth: &[u32], size: &[u32]) -> Counts {
    if mark[i] != 0 {
        Counts { owned: size[i], marked: 1, dropped: (depth[i] == 0) as u32 }
    } else {
        Counts { owned: 0, marked: 0, dropped: 0 }
    }
}

/// Returns base offsets: for each node, of its own row; for a marked node also of its subtree's rows and root. All are
/// modulo 2^32. See Note: rows.
#[device(scan_map(counts, add))]
fn bases(i: usize, before: Counts, mark: &[u8], owner: &[u32], size: &[u32], backwards: bool) -> (u32, u32, u32) {
    let node = i as u32;
    let passed = if owner[i] == NO_NODE { before.owned.wrapping_add(before.dropped) } else { before.owned };
    let own = node.wrapping_sub(passed);
    let part = before.owned.wrapping_add(before.marked);
    if mark[i] == 0 {
        (own, 0, NO_NODE)
    } else if backwards {
        let root = part.wrapping_add(size[i]).wrapping_add(1);
        (own, before.marked.wrapping_add(1).wrapping_add(node).wrapping_neg(), root.wrapping_neg())
    } else {
        (own, part.wrapping_add(before.owned).wrapping_add(size[i]).wrapping_sub(node), part)
    }
}

/// Returns the row of each node, and of each marked node's root; [`NO_NODE`] for none.
#[device(map)]
fn places(
    i: usize,
    mark: &[u8],
    depth: &[u32],
    owner: &[u32],
    base: &[u32],
    part: &[u32],
    root: &[u32],
    first_part: u32,
    outside: u32,
) -> (u32, u32) {
    let g = owner[i];
    // Nothing replaces a marked root, since nothing refers to it.
    let own = if mark[i] != 0 && depth[i] == 0 {
        NO_NODE
    } else if g == NO_NODE {
        outside.wrapping_add(base[i])
    } else {
        first_part.wrapping_add(part[g as usize]).wrapping_add(base[i])
    };
    (own, if mark[i] != 0 { first_part.wrapping_add(root[i]) } else { NO_NODE })
}

#[device(map)]
fn rows(row: usize, origin: &[u32], root: &[u32], mark: &[u8], owner: &[u32], depth: &[u32]) -> (u32, u8, u32) {
    let node = origin[row] as usize;
    let g = owner[node];
    if root[node] == row as u32 {
        (0, ROOT, NO_NODE)
    } else {
        let new_depth = if g == NO_NODE { depth[node] } else { depth[node] - depth[g as usize] };
        if mark[node] != 0 { (new_depth, REFERENCE, root[node]) } else { (new_depth, NODE, NO_NODE) }
    }
}

/// Lifts the subtrees of marked nodes out of the forest. This is function lifting if functions are marked, and expression
/// flattening if expressions are.
///
/// A part has a new root, which represents the marked node, and the nodes whose nearest marked ancestor it is, in order.
/// A marked node among them becomes a leaf that refers to its own part. Nodes without a marked ancestor stay as they are,
/// before all parts. A marked root moves as a whole, and nothing replaces it. Parts are in the order of the marked nodes.
/// With `backwards` the last part comes first and the unchanged nodes come last: the order in which nested operands are
/// evaluated.
///
/// # Shape    depths\[n\], mark\[n\] (0 or not) -> m = n + marked nodes that are not roots: depths\[m\], origin\[m\],
///   role\[m\], target\[m\]
/// # Cost     work O(n); on a CPU 10 bytes per node and 13 per row, in two loops over blocks of nodes, whose stacks have 12 bytes for
///   each node that waits for its part; on a GPU as many steps as parents, a walk down, a histogram and a scan, and about 120 bytes per
///   node
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length, [`TooManyRows`](crate::Error::TooManyRows) if m is too large
/// # Source   Key paper, sections 4.1 and 4.2: Key with `hd`, `dp` and `rf`; here also for forests, for nodes without a
///   marked ancestor, and for marked leaves, whose parts Key would not show
/// # Example
/// ```
/// use treepar::{Backend, Cpu, depth::Depths, key::lift};
/// let cpu = Cpu::new();
/// let tree = Depths::new(cpu.upload(&[0, 1, 2, 3, 4, 4, 4, 2, 3])?)?;
/// let functions = cpu.upload(&[1u8, 0, 1, 0, 0, 0, 0, 0, 0])?;
/// let lifted = lift(&tree, &functions, false)?;
/// assert_eq!(cpu.download(lifted.forest.depths())?, [0, 1, 2, 2, 3, 0, 1, 2, 2, 2]);
/// assert_eq!(cpu.download(&lifted.origin)?, [0, 1, 2, 7, 8, 2, 3, 4, 5, 6]);
/// assert_eq!(cpu.download(&lifted.role)?, [1, 0, 2, 0, 0, 1, 0, 0, 0, 0]);
/// assert_eq!(cpu.read(&lifted.target, 2)?, 5);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn lift<B: Backend>(forest: &Depths<B>, mark: &B::Vec<u8>, backwards: bool) -> Result<Lifted<B>> {
    let row = |row: LiftedRow| (row.depth, row.origin, row.role, row.target);
    Ok(match lifted(forest, mark, backwards, &row)? {
        Some((depth, origin, role, target)) => Lifted { forest: Depths::assume(depth), origin, role, target },
        None => by_templates(forest, mark, backwards)?,
    })
}

/// Returns the rows of [`lift`] without their depths and targets. With `backwards` this is expression flattening: the order in
/// which nested operands are evaluated, and what each row stands for.
///
/// # Shape    depths\[n\], mark\[n\] (0 or not) -> m = n + marked nodes that are not roots: origin\[m\], role\[m\]
/// # Cost     work O(n); on a CPU 10 bytes per node and 5 per row, in two loops over blocks of nodes; on a GPU as [`lift`]
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length, [`TooManyRows`](crate::Error::TooManyRows) if m is too large
/// # Source   Key paper, sections 4.2 and 6
/// # Example
/// ```
/// use treepar::{Backend, Cpu, depth::Depths, key::flatten};
/// let cpu = Cpu::new();
/// // v <- (a + b) / c
/// let tree = Depths::new(cpu.upload(&[0, 1, 2, 2, 2, 1, 1])?)?;
/// let expressions = cpu.upload(&[1u8, 1, 0, 0, 0, 0, 0])?;
/// let flat = flatten(&tree, &expressions, true)?;
/// assert_eq!(cpu.download(&flat.origin)?, [1, 2, 3, 4, 0, 1, 5, 6]);
/// assert_eq!(cpu.download(&flat.role)?, [1, 0, 0, 0, 1, 2, 0, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn flatten<B: Backend>(forest: &Depths<B>, mark: &B::Vec<u8>, backwards: bool) -> Result<Flat<B>> {
    let row = |row: LiftedRow| (row.origin, row.role);
    if let Some((origin, role)) = lifted(forest, mark, backwards, &row)? {
        return Ok(Flat { origin, role });
    }
    let Lifted { origin, role, .. } = by_templates(forest, mark, backwards)?;
    Ok(Flat { origin, role })
}

/// Returns the columns that `row` chooses, if the backend makes them in one template.
fn lifted<B: Backend, O: Outputs>(
    forest: &Depths<B>,
    mark: &B::Vec<u8>,
    backwards: bool,
    row: &(impl Fn(LiftedRow) -> O + Sync),
) -> Result<Option<Columns<O, B>>> {
    let backend = forest.backend();
    check_length("mark", forest.len(), mark.len())?;
    own(backend, mark)?;
    backend.run_lift(Checked, forest.depths(), mark, backwards, row)
}

/// Lifts by templates of the backend.
fn by_templates<B: Backend>(forest: &Depths<B>, mark: &B::Vec<u8>, backwards: bool) -> Result<Lifted<B>> {
    let (n, depth, backend) = (forest.len(), forest.depths(), forest.backend());
    let owner = forest.parents()?.nearest_marked(mark, Of::Exclusive)?;
    let size = backend.histogram(&owner, n)?;
    let ((base, part, root), all) =
        backend.scan_map(counts::of(mark, depth, &size), add, bases::of(mark, &owner, &size, backwards))?;
    let outside = n - (all.owned + all.dropped) as usize;
    let m = outside + all.owned as usize + all.marked as usize;
    let (first_part, outside_at) = if backwards { (m - outside, m - outside) } else { (outside, 0) };
    let (place, root) =
        backend.map(places::of(mark, depth, &owner, &base, &part, &root, first_part as u32, outside_at as u32))?;
    let nodes = backend.map(index_u32::of().rows(n))?;
    let mut origin = backend.allocate(m)?;
    backend.scatter(&mut origin, &place, &nodes)?;
    backend.scatter(&mut origin, &root, &nodes)?;
    let (new_depth, role, target) = backend.map(rows::of(&origin, &root, mark, &owner, depth))?;
    Ok(Lifted { forest: Depths::assume(new_depth), origin, role, target })
}

// Note: rows
//
// Let g be the nearest marked ancestor of node i, P(i) how many nodes belong to the parts of marked nodes before i, and
// M(i) how many nodes before i are marked. Marked nodes between g and i are not above i, so that their subtrees are over
// at i, and the i - g - 1 nodes between hold P(i) - P(g) - size(g) that belong to them; the others belong to g. The part
// of g begins with its root, P(g) + M(g) rows after the first part, so that the row of i, counted from there, is
//     P(g) + M(g) + 1 + (i - g - 1) - (P(i) - P(g) - size(g)) = [2 P(g) + M(g) + size(g) - g] + [i - P(i)].
// Backwards the root of g is P(g) + M(g) + size(g) + 1 rows before the end of all parts. The row of i, counted from
// there, is [- M(g) - 1 - g] + [i - P(i)].
// A node without a marked ancestor has row i - P(i), minus the number of earlier marked roots, which are dropped.
