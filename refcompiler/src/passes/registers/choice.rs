//! The choice of the variables that get the registers of a pool.
//!
//! ```text
//! lives          depth   class   at least this class, to the root     most in heavier classes below     has a register
//! a              0       9       1                                    1 (b)                             1 + 0 < 2
//! |  b           1       11      1                                    0                                 0 + 0 < 2
//! |  |  c        2       3       3                                    2 (a, b)                          no: 2 + 0 = 2
//! |  d           1       3       2                                    1 (a)                             1 + 0 < 2
//! ```
//!
//! A variable gets one of k registers if the variables of heavier classes and those of its class around it take fewer than k at all points
//! of its life. Of the variables with a register that live at a point, consider those in the lightest class, and of these the innermost:
//! all the others are counted there. So there are never more than k. Some variables stay in the frame although there is a register, since
//! variables that get none are counted too.
//!
//! A walk to the leaves counts the classes, 16 numbers of 4 bits that end at 15. A walk to the roots finds the greatest counts below.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::lives::{LifeId, Lives};
use super::uses::rows_below;
use crate::ir::held::{Pool, held_data, pool_register, pool_size};
use crate::target::Target;

/// The least class of a variable for which a function saves a register.
const WORTH_SAVING: u32 = 3;

/// A bit in each of 16 numbers.
const ONES: u64 = 0x1111_1111_1111_1111;

/// Every second number.
const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;

/// For each class, the number of variables of this class or a heavier one: 4 bits each, at most 15.
#[device]
pub struct Counts {
    /// Ints.
    ints: u64,
    /// Floats.
    floats: u64,
}

/// Returns counts with one more variable of a class.
#[device]
pub fn with(counts: u64, class: u32) -> u64 {
    let full = counts & counts >> 1 & counts >> 2 & counts >> 3 & ONES;
    let up_to_class = ONES >> (60 - 4 * class);
    counts + (up_to_class & !full)
}

/// Returns the count of a class and the heavier ones.
#[device]
pub fn count(counts: u64, class: u32) -> u32 {
    if class > 15 { 0 } else { (counts >> (4 * class) & 15) as u32 }
}

/// Returns the greater number of each pair in the lower halves of bytes.
#[device]
fn greater_bytes(a: u64, b: u64) -> u64 {
    let high = ONES & !EVEN;
    let is_a = ((a | high) - b) & high;
    let all = (is_a >> 4) * 15;
    b ^ ((a ^ b) & all)
}

/// Returns the greater number of each of 16 pairs.
#[device]
pub fn greater(a: u64, b: u64) -> u64 {
    greater_bytes(a & EVEN, b & EVEN) | greater_bytes(a >> 4 & EVEN, b >> 4 & EVEN) << 4
}

#[device(monoid(identity = Counts { ints: 0, floats: 0 }))]
fn greatest(a: Counts, b: Counts) -> Counts {
    Counts { ints: greater(a.ints, b.ints), floats: greater(a.floats, b.floats) }
}

/// An index of a variable that may get a register of a pool.
#[device(index)]
pub struct MemberId(u32);

/// A variable that may get a register of a pool.
#[device(columns(Members, index = MemberId))]
struct Member {
    /// The declaration.
    node: u32,
    /// The first node after its life.
    end: u32,
    /// The class of its weight.
    class: u32,
    /// 1 for a float.
    is_float: u32,
}

/// The numbers of variables with registers, here and above.
#[device]
pub struct Held {
    /// Ints.
    ints: u32,
    /// Floats.
    floats: u32,
}

/// Returns whether the variable of life `l` may get a register of a pool. `registers` are the registers of the pools before.
#[device(compact)]
pub fn of_pool(l: LifeId, lives: &Lives, registers: &[u32], pool: Pool, target: Target) -> bool {
    let has_one = pool_size(target, pool, lives.is_float[l] != 0) > 0;
    if pool == Pool::Arguments {
        return (lives.has_call[l] == 0) & has_one;
    }
    (registers[l.index()] == 0) & (lives.class[l] >= WORTH_SAVING) & has_one
}

/// Returns the life `members[m]`.
#[device(map)]
fn member(m: usize, members: &[u32], lives: &Lives) -> Member {
    let l = LifeId::new(members[m]);
    Member { node: lives.node[l], end: lives.end[l], class: lives.class[l], is_float: lives.is_float[l] }
}

/// Returns the first member that begins after the life of member `m`, and 1.
#[device(accumulate)]
fn ending(m: MemberId, members: &Members, nodes: &[u32]) -> (u32, u32) {
    (rows_below(nodes, members.end[m]), 1)
}

/// Returns the number of lives around member `m`, given the number of lives that have ended before the member before.
#[device(scan_map(ended, Sum))]
fn depth(m: usize, before: u32, endings: &[u32]) -> u32 {
    m as u32 - before - endings[m]
}

#[device(scanned)]
fn ended(m: usize, endings: &[u32]) -> u32 {
    endings[m]
}

#[device(walk_down)]
fn living(m: MemberId, above: Counts, members: &Members) -> Counts {
    let class = members.class[m];
    if members.is_float[m] != 0 {
        Counts { ints: above.ints, floats: with(above.floats, class) }
    } else {
        Counts { ints: with(above.ints, class), floats: above.floats }
    }
}

/// Returns the greatest counts here and below.
#[device(walk_up(greatest))]
fn most(m: usize, below: Counts, living: &[Counts]) -> Counts {
    greatest(living[m], below)
}

/// Returns 1 if member `m` gets a register, else 0.
#[device(map)]
fn has_register(m: MemberId, members: &Members, living: &[Counts], most: &[Counts], pool: Pool, target: Target) -> u32 {
    let is_float = members.is_float[m] != 0;
    let class = members.class[m];
    let here = if is_float { living[m.index()].floats } else { living[m.index()].ints };
    let below = if is_float { most[m.index()].floats } else { most[m.index()].ints };
    // The others of its class around it.
    let heavier = count(here, class + 1);
    let equal = count(here, class).max(heavier + 1) - heavier - 1;
    (count(below, class + 1) + equal < pool_size(target, pool, is_float)) as u32
}

#[device(walk_down)]
fn held(m: MemberId, above: Held, members: &Members, has_register: &[u32]) -> Held {
    let has = has_register[m.index()];
    let floats = members.is_float[m];
    Held { ints: above.ints + has * (1 - floats), floats: above.floats + has * floats }
}

/// Returns one more than the register of member `m`, 0 if it gets none.
#[device(map)]
fn register(m: MemberId, members: &Members, has_register: &[u32], held: &[Held], pool: Pool, target: Target) -> u32 {
    if has_register[m.index()] == 0 {
        return 0;
    }
    let is_float = members.is_float[m] != 0;
    let held = held[m.index()];
    let around = if is_float { held.floats } else { held.ints } - 1;
    pool_register(target, pool, is_float, around) as u32 + 1
}

/// Returns one more than the register of each member, 0 if it gets none.
pub fn choose<B: Backend>(
    backend: &B,
    target: Target,
    pool: Pool,
    lives: &Lives<B>,
    members: &B::Vec<u32>,
) -> Result<B::Vec<u32>> {
    let members: Members<B> = backend.map(member::of(members, lives))?;
    let mut endings = backend.filled(members.len(), 0u32)?;
    backend.accumulate(&mut endings, ending::of(&members, &members.node))?;
    let (depth, _) = backend.scan_map_later(ended::of(&endings), Sum, depth::of(&endings))?;
    let parents = backend.previous_smaller(&depth)?;
    let none = Counts { ints: 0, floats: 0 };
    let living = backend.walk_down(&parents, none, living::of(&members))?;
    let most = backend.walk_up(&parents, most::of(&living), greatest)?;
    let has_register = backend.map(has_register::of(&members, &living, &most, pool, target))?;
    let nothing = Held { ints: 0, floats: 0 };
    let held = backend.walk_down(&parents, nothing, held::of(&members, &has_register))?;
    backend.map(register::of(&members, &has_register, &held, pool, target))
}

/// Returns whether the variable of life `l` has a register.
#[device(compact)]
pub fn with_register(l: usize, registers: &[u32]) -> bool {
    registers[l] != 0
}

/// Returns the declaration in row `kept[k]` and the data of its register.
#[device(map)]
pub fn held_node(k: usize, kept: &[u32], lives: &Lives, registers: &[u32]) -> (u32, u32) {
    let l = LifeId::new(kept[k]);
    let hides_nan = (lives.is_float[l] != 0) & (lives.shows_nan[l] == 0);
    (lives.node[l], held_data(registers[l.index()] - 1, hides_nan as u32))
}
