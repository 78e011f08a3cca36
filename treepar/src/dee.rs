//! Dead-expression elimination: what computes a value that nobody uses, and has no effect.
//!
//! A node of a tree, or an instruction of a stream, is live if it has an effect or a live one uses its value. Each
//! question has two answers here, which are the same mask: the thesis's loop, which goes one level of dead expressions
//! down in every round, and scans whose number does not grow with how deep expressions are.
//!
//! ```text
//! stream   0: const    1: const    2: add 0 1    3: const    4: store 3
//! effects  0           0           0             0           1
//! live     0           0           0             1           1
//! ```
//!
//! Masks are 1 for live. A pass finds the live rows by [`compact`](Backend::compact) of the mask.

use crate::ancestor::Of;
use crate::backend::check_length;
use crate::depth::{Depths, NO_NODE, Parents};
use crate::device::device;
use crate::monoid::Sum;
use crate::segment::owners;
use crate::{Backend, Column, Error, Result};

/// The live nodes or instructions.
pub struct Liveness<B: Backend> {
    /// 1 for live, 0 for dead.
    pub mask: B::Vec<u8>,
    /// The number of rounds of the loop, including the last, which changes nothing; 1 without a loop.
    pub rounds: usize,
}

/// Returns the live nodes of a tree of values, in which only the parent uses a node's value.
///
/// # Shape    depths\[n\], effect\[n\] (0 or not) -> mask\[n\] u8
/// # Cost     work O(n), one scan for any height, 6 bytes per node
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
/// # Source   Pareas, section 3.4.1, in one scan: a node is live if it or one above it has an effect
/// # Example
/// ```
/// use treepar::{Backend, Cpu, dee, depth::Depths};
/// let cpu = Cpu::new();
/// // a + b;  store(c + d)
/// let forest = Depths::new(cpu.upload(&[0, 1, 1, 0, 1, 2, 2])?)?;
/// let effects = cpu.upload(&[0u8, 0, 0, 1, 0, 0, 0])?;
/// let live = dee::tree_single_scan(&forest, &effects)?;
/// assert_eq!(cpu.download(&live.mask)?, [0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn tree_single_scan<B: Backend>(forest: &Depths<B>, effect: &B::Vec<u8>) -> Result<Liveness<B>> {
    Ok(Liveness { mask: forest.under_marked(effect, Of::Inclusive)?, rounds: 1 })
}

/// Returns the live nodes of a tree of values, by the loop of the thesis.
///
/// # Shape    parents\[n\], effect\[n\] (0 or not) -> mask\[n\] u8
/// # Cost     a round a level of dead nodes, each of work O(n): one map and one reduce; O(n h) in all
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
/// # Source   Pareas, section 4.5.1
/// # Example
/// ```
/// use treepar::{Backend, Cpu, dee, depth::Depths};
/// let cpu = Cpu::new();
/// let forest = Depths::new(cpu.upload(&[0, 1, 1, 0, 1, 2, 2])?)?;
/// let effects = cpu.upload(&[0u8, 0, 0, 1, 0, 0, 0])?;
/// let live = dee::tree_fixpoint(&forest.parents()?, &effects)?;
/// assert_eq!(cpu.download(&live.mask)?, [0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn tree_fixpoint<B: Backend>(parents: &Parents<B>, effect: &B::Vec<u8>) -> Result<Liveness<B>> {
    let (n, backend) = (parents.len(), parents.backend());
    check_length("effect", n, effect.len())?;
    fixpoint::<B>(backend.filled(n, 1)?, |live| backend.map(used_by_parent::of(live, parents, effect)))
}

/// Instructions with their operands, each given as the instruction that computes it.
pub struct Instructions<B: Backend> {
    offsets: B::Vec<u32>,
    operands: B::Vec<u32>,
    /// The instruction that each operand belongs to.
    user: B::Vec<u32>,
}

impl<B: Backend> Instructions<B> {
    /// Takes a stream of instructions, if operands are computed before they are used.
    ///
    /// # Shape    offset\[n\], where the operands of each begin; operand\[m\] instructions, or [`NO_NODE`]
    /// # Cost     work O(n + m), one expand and one compact
    /// # Errors   [`InvalidOffset`](crate::Error::InvalidOffset) if offsets fall; [`InvalidOperand`](crate::Error::InvalidOperand) at the first that does not come
    ///   before its instruction
    /// # Source   Pareas, section 3.3.2: registers are numbered as the instructions that write them
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, dee::{Instructions, stream_scans}};
    /// let cpu = Cpu::new();
    /// let (offsets, operands) = (cpu.upload(&[0, 0, 0, 2, 2])?, cpu.upload(&[0, 1, 3])?);
    /// let stream = Instructions::new(offsets, operands)?;
    /// let live = stream_scans(&stream, &cpu.upload(&[0u8, 0, 0, 0, 1])?)?;
    /// assert_eq!(cpu.download(&live.mask)?, [0, 0, 0, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(offsets: impl Column<Element = u32, Backend = B>, operands: B::Vec<u32>) -> Result<Instructions<B>> {
        let (offsets, backend) = (offsets.into_vec(), operands.backend());
        let user = owners(&offsets, operands.len())?;
        let wrong = backend.compact(comes_late::of(&operands, &user))?;
        if !wrong.is_empty() {
            let operand = backend.read(&wrong, 0)? as usize;
            let instruction = backend.read(&user, operand)? as usize;
            return Err(Error::InvalidOperand { instruction, found: backend.read(&operands, operand)?.into() });
        }
        Ok(Instructions { offsets, operands, user })
    }

    /// Takes a stream of instructions of `arity` operands each, [`NO_NODE`] for one that there is not.
    ///
    /// # Shape    operand\[n arity\], with the operands of an instruction adjacent
    /// # Cost     as [`Instructions::new`], and one map
    /// # Errors   as [`Instructions::new`]; [`LengthMismatch`](crate::Error::LengthMismatch) if the last instruction lacks operands
    /// # Source   Pareas, section 4.4: two operands a row
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, dee::Instructions, depth::NO_NODE};
    /// let cpu = Cpu::new();
    /// // Two constants, and their sum.
    /// let stream = Instructions::with_arity(2, cpu.upload(&[NO_NODE, NO_NODE, NO_NODE, NO_NODE, 0, 1])?)?;
    /// assert_eq!(stream.len(), 3);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn with_arity(arity: usize, operands: impl Column<Element = u32, Backend = B>) -> Result<Instructions<B>> {
        let operands = operands.into_vec();
        let n = operands.len().checked_div(arity).unwrap_or(0);
        if n * arity != operands.len() {
            return Err(Error::LengthMismatch { array: "operands", expected: n * arity, found: operands.len() });
        }
        let offsets = operands.backend().map(times::of(arity as u32).rows(n))?;
        Instructions::new(offsets, operands)
    }

    /// Returns the number of instructions.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Returns whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// How many live instructions use each value.
    fn uses(&self, live: &B::Vec<u8>) -> Result<B::Vec<u32>> {
        let used = live.backend().map(operand_of_live::of(live, &self.operands, &self.user))?;
        live.backend().histogram(&used, self.len())
    }
}

/// Returns the live instructions, by the loop of the thesis.
///
/// # Shape    n instructions, effect\[n\] (0 or not) -> mask\[n\] u8
/// # Cost     a round for each level of dead instructions, each of work O(n + m): one map, one histogram, one map, one
///   reduce
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many effects as instructions
/// # Source   Pareas, section 4.5.1; values may be used more than once here, so that uses are counted, not crossed out
/// # Example    at [`Instructions::new`]
pub fn stream_fixpoint<B: Backend>(stream: &Instructions<B>, effect: &B::Vec<u8>) -> Result<Liveness<B>> {
    let (n, backend) = (stream.len(), effect.backend());
    check_length("effect", n, effect.len())?;
    fixpoint::<B>(backend.filled(n, 1)?, |live| backend.map(has_use::of(&stream.uses(live)?, effect)))
}

/// Returns the live instructions, by scans: their number does not grow with how deep expressions are.
///
/// A value that is used once belongs to the expression of its user, so that instructions are a forest, whose roots are
/// those with an effect, those nobody uses, and those used more than once. In a stream that was written from trees,
/// expressions do not cross, and one scan finds all of them. Otherwise links are doubled, which takes
/// log2(length of an expression) steps. Values that are used more than once are looked at after each scan: as many
/// rounds as there are dead ones in a chain, one more than these, and none where there are no such values.
///
/// # Shape    n instructions, effect\[n\] (0 or not) -> mask\[n\] u8
/// # Cost     work O(n + m) a round: one histogram, one scan and some maps; once, a walk down and a previous-smaller
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many effects as instructions
/// # Source   the thesis's question, Pareas, section 3.4.1; its answer by [`Depths::under_marked`]
/// # Example    at [`Instructions::new`]
pub fn stream_scans<B: Backend>(stream: &Instructions<B>, effect: &B::Vec<u8>) -> Result<Liveness<B>> {
    let (n, backend) = (stream.len(), effect.backend());
    check_length("effect", n, effect.len())?;
    let all = backend.filled(n, 1u8)?;
    let uses = stream.uses(&all)?;
    let targets = backend.map(operand_used_once::of(&stream.operands, &uses))?;
    let mut user = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut user, &targets, &stream.user)?;
    let expressions = Expressions::<B>::new(user)?;

    // A value used more than once is taken for live until a round finds that nothing live uses it.
    let mut shared_live = all;
    let has_shared = backend.reduce(is_shared::of(&uses), Sum)? != 0;
    let mut rounds = 1;
    loop {
        let marks = backend.map(mark_of::of(effect, &uses, &shared_live))?;
        let live = expressions.under(&marks)?;
        if !has_shared {
            return Ok(Liveness { mask: live, rounds });
        }
        let next = backend.map(shared_is_live::of(&stream.uses(&live)?, &uses))?;
        if !changed::<B>(&shared_live, &next)? {
            return Ok(Liveness { mask: live, rounds });
        }
        shared_live = next;
        rounds += 1;
    }
}

/// Instructions as a forest, in which the parent of an instruction is its only user.
enum Expressions<B: Backend> {
    /// From the last instruction to the first this is a preorder.
    Nested(Depths<B>),
    /// Links from users to theirs, of 1, 2, 4 and so on steps.
    Crossing(Vec<B::Vec<u32>>),
}

impl<B: Backend> Expressions<B> {
    fn new(user: B::Vec<u32>) -> Result<Expressions<B>> {
        let (n, backend) = (user.len(), user.backend().clone());
        match Parents::new(backend.map(from_last::of(&user).rows(n))?) {
            Ok(parents) => Ok(Expressions::Nested(Depths::from_parents(&parents)?)),
            Err(Error::InvalidParent { .. }) => {
                let mut links = vec![user];
                while let Some(link) = links.last()
                    && backend.reduce(leads_on::of(link), Sum)? != 0
                {
                    let next = backend.map(twice::of(link))?;
                    links.push(next);
                }
                Ok(Expressions::Crossing(links))
            }
            Err(other) => Err(other),
        }
    }

    /// Returns for each instruction whether it is marked, or a direct or indirect user is.
    fn under(&self, marks: &B::Vec<u8>) -> Result<B::Vec<u8>> {
        let (n, backend) = (marks.len(), marks.backend());
        match self {
            Expressions::Nested(forest) => {
                let backwards = backend.map(mark_from_last::of(marks).rows(n))?;
                let under = forest.under_marked(&backwards, Of::Inclusive)?;
                backend.map(mark_from_last::of(&under).rows(n))
            }
            Expressions::Crossing(links) => {
                let mut live = backend.map(is_marked::of(marks))?;
                for link in links {
                    live = backend.map(or_of_linked::of(&live, link))?;
                }
                Ok(live)
            }
        }
    }
}

/// Repeats a step until it changes nothing.
fn fixpoint<B: Backend>(mut live: B::Vec<u8>, step: impl Fn(&B::Vec<u8>) -> Result<B::Vec<u8>>) -> Result<Liveness<B>> {
    for rounds in 1.. {
        let next = step(&live)?;
        let is_last = !changed::<B>(&live, &next)?;
        live = next;
        if is_last {
            return Ok(Liveness { mask: live, rounds });
        }
    }
    unreachable!("a live node that died stays dead, so that rounds are no more than nodes")
}

fn changed<B: Backend>(a: &B::Vec<u8>, b: &B::Vec<u8>) -> Result<bool> {
    Ok(a.backend().reduce(is_different::of(a, b), Sum)? != 0)
}

#[device(reduce(Sum))]
fn is_different(i: usize, a: &[u8], b: &[u8]) -> u32 {
    (a[i] != b[i]) as u32
}

#[device(map)]
fn used_by_parent(i: usize, live: &[u8], parent: &[u32], effect: &[u8]) -> u8 {
    let used = if parent[i] == NO_NODE { 0 } else { live[parent[i] as usize] };
    (effect[i] != 0 || used != 0) as u8
}

#[device(compact)]
fn comes_late(k: usize, operands: &[u32], user: &[u32]) -> bool {
    operands[k] != NO_NODE && operands[k] >= user[k]
}

#[device(map)]
fn times(i: usize, arity: u32) -> u32 {
    i as u32 * arity
}

#[device(map)]
fn operand_of_live(k: usize, live: &[u8], operands: &[u32], user: &[u32]) -> u32 {
    if live[user[k] as usize] != 0 { operands[k] } else { NO_NODE }
}

#[device(map)]
fn has_use(i: usize, uses: &[u32], effect: &[u8]) -> u8 {
    (effect[i] != 0 || uses[i] != 0) as u8
}

#[device(map)]
fn operand_used_once(k: usize, operands: &[u32], uses: &[u32]) -> u32 {
    if operands[k] != NO_NODE && uses[operands[k] as usize] == 1 { operands[k] } else { NO_NODE }
}

#[device(reduce(Sum))]
fn is_shared(i: usize, uses: &[u32]) -> u32 {
    (uses[i] > 1) as u32
}

#[device(map)]
fn mark_of(i: usize, effect: &[u8], uses: &[u32], shared_live: &[u8]) -> u8 {
    (effect[i] != 0 || (uses[i] > 1 && shared_live[i] != 0)) as u8
}

/// `live_uses` are those by live instructions; values used at most once keep their 1.
#[device(map)]
fn shared_is_live(i: usize, live_uses: &[u32], uses: &[u32]) -> u8 {
    (uses[i] < 2 || live_uses[i] != 0) as u8
}

#[device(map)]
fn from_last(i: usize, user: &[u32]) -> u32 {
    let found = user[user.len() - 1 - i];
    if found == NO_NODE { NO_NODE } else { user.len() as u32 - 1 - found }
}

#[device(map)]
fn mark_from_last(i: usize, mark: &[u8]) -> u8 {
    mark[mark.len() - 1 - i]
}

#[device(map)]
fn is_marked(i: usize, mark: &[u8]) -> u8 {
    (mark[i] != 0) as u8
}

#[device(map)]
fn or_of_linked(i: usize, live: &[u8], link: &[u32]) -> u8 {
    if link[i] == NO_NODE { live[i] } else { live[i] | live[link[i] as usize] }
}

#[device(map)]
fn twice(i: usize, link: &[u32]) -> u32 {
    if link[i] == NO_NODE { NO_NODE } else { link[link[i] as usize] }
}

#[device(reduce(Sum))]
fn leads_on(i: usize, link: &[u32]) -> u32 {
    (link[i] != NO_NODE && link[link[i] as usize] != NO_NODE) as u32
}
