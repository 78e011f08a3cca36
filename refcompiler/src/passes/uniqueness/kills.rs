//! Kills: where control goes after a consumption, as intervals of positions, and the reads in them.
//!
//! ```text
//! while c {  if p {  f[a] + b[0];  ..  }  ..  }  ..
//!            |       AAAA   BBBBBBBBB  BBBB   BBBB       f consumes a; the rest of each region around
//! LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL             the whole loop, in its next iteration
//! ```
//!
//! An interval kills the values of a class that are older than it. A read is an error if an interval of its value's class
//! contains it, and began after its value was made. Of the intervals that contain a read, the one that begins last is the one
//! that kills the youngest values; so it suffices, and is a nearest smaller value.
//!
//! A merge of a dead value is dead too, which is an error only if it is read. This passes from merge to merge in rounds.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::aliases::{Aliases, Given};
use super::heads::{Heads, is_consumed};
use super::places::{Places, end_of_region, first_position, position, position_of_point};
use super::{NONE, Program, ProgramOn, is_kept_apart, is_update, target_of_update};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::classes::alone;
use crate::passes::ssa::merges::MergeId;
use crate::passes::ssa::values::{OPEN, POINTS};

/// An index of an interval.
#[device(index)]
pub struct KillId(u32);

/// An interval of positions in which older values of a class are dead.
#[device(columns(Kills, index = KillId))]
pub struct Kill {
    /// The class.
    pub class: u32,
    /// The first position.
    pub start: u32,
    /// The position after the last.
    pub end: u32,
    /// Values made before this position are dead.
    pub older: u32,
    /// The node that consumes.
    pub consumer: u32,
}

/// The intervals of one level.
const INTERVALS: u32 = 3;

/// Returns whether a node consumes an array: an update, or an argument of a unique parameter.
#[device(compact)]
fn consumes(i: NodeId, nodes: &Nodes, places: &Places, heads: &Heads, unique: &[u32]) -> bool {
    match nodes.kind[i] {
        Kind::Arg => is_consumed(i, NodeId::new(places.parent[i]), nodes, heads, unique),
        _ => is_update(nodes.kind[i]),
    }
}

/// Returns the value that a node consumes.
#[device]
fn consumed_value(node: u32, nodes: &Nodes, definitions: &[u32]) -> u32 {
    if nodes.kind[NodeId::new(node)] == Kind::Arg {
        return node;
    }
    // The variable of an update.
    let name = target_of_update(NodeId::new(node), nodes);
    let definition = definitions[name.index()];
    if definition == NONE { nodes.data[name] } else { definition }
}

/// Returns the class that a consumer consumes.
#[device(map)]
fn consumed_class(c: usize, consumers: &[u32], nodes: &Nodes, definitions: &[u32], class: &[u32]) -> u32 {
    class[consumed_value(consumers[c], nodes, definitions) as usize]
}

/// Returns the number of intervals of a consumer.
#[device(scan(Sum))]
fn intervals(c: usize, consumers: &[u32], places: &Places) -> u32 {
    INTERVALS * places.levels[NodeId::new(consumers[c])]
}

/// Returns interval `k` of consumer `c`.
#[device(expand)]
fn kill(c: usize, k: usize, consumers: &[u32], classes: &[u32], program: &Program) -> Kill {
    let consumer = consumers[c];
    let level = k as u32 / INTERVALS;
    let part = k as u32 % INTERVALS;
    // The node that runs as a whole around the consumer, and the region around it.
    let mut hole = consumer;
    let mut region = program.places.around[NodeId::new(consumer)].region;
    let mut again = false;
    for _left in 0..level {
        let parent = program.places.parent[NodeId::new(region)];
        let is_condition = program.nodes.kind[NodeId::new(region)] == Kind::While;
        hole = if is_condition { region } else { parent };
        let is_while = program.nodes.kind[NodeId::new(hole)] == Kind::While;
        again = !is_condition && program.nodes.kind[NodeId::new(hole)].is_loop();
        let outside = if is_while { program.places.parent[NodeId::new(hole)] } else { hole };
        region = program.places.around[NodeId::new(outside)].region;
    }
    let last = position(hole, program.nodes, program.end);
    let kind = program.nodes.kind[NodeId::new(region)];
    let end_of_part = end_of_region(region, program.nodes, program.end);
    let mut start = last;
    let mut stop = end_of_part;
    let mut older = last;
    if part == 0 {
        start = first_position(program.places.around[NodeId::new(hole)].statement, program.nodes);
        stop = first_position(hole, program.nodes);
        older = start;
    } else if part == 1 {
        if again {
            older = position_of_point(hole, OPEN, program.nodes, program.end);
        } else if (program.nodes.kind[NodeId::new(hole)] == Kind::Arg)
            | (program.nodes.kind[NodeId::new(hole)] == Kind::While)
        {
            // After the argument; after the interval that begins where the body leaves the loop.
            start += 1;
            older = start;
        }
    } else {
        let parent = program.places.parent[NodeId::new(region)];
        let is_condition = kind == Kind::While;
        let is_body = kind == Kind::Block && parent != NONE && program.nodes.kind[NodeId::new(parent)].is_loop();
        let whole = if is_condition { region } else { parent };
        let mut body = region;
        if is_condition {
            body = program.end[(region + 1) as usize];
        }
        let repeats = (is_condition || is_body) && program.places.leaves[NodeId::new(body)] == 0;
        if repeats {
            start = position_of_point(whole, OPEN, program.nodes, program.end);
            older = start;
        } else {
            stop = start;
        }
    }
    Kill { class: classes[c], start, end: stop, older, consumer }
}

/// Returns the position at which a value is made.
#[device]
fn made(value: u32, program: &Program) -> u32 {
    let n = program.nodes.kind.len() as u32;
    if value < n {
        return position(value, program.nodes, program.end);
    }
    let point = value - n;
    position_of_point(
        program.merges.statement[MergeId::new(point / POINTS)],
        point % POINTS,
        program.nodes,
        program.end,
    )
}

/// Returns the position at which the value of operand `o` reaches its merge.
#[device]
fn arrival(o: u32, program: &Program) -> u32 {
    let statement = program.merges.statement[MergeId::new(o / 2)];
    let kind = program.nodes.kind[NodeId::new(statement)];
    let last = position(statement, program.nodes, program.end);
    if o % 2 == 0 {
        let open = position_of_point(statement, OPEN, program.nodes, program.end);
        return if kind.is_loop() {
            open - 1
        } else {
            position(program.end[(statement + 1) as usize], program.nodes, program.end)
        };
    }
    // Without another branch, after the end of the only one; else in the last one, or in the body.
    if kind == Kind::If { last - 1 } else { last - 5 }
}

/// Returns the class and the position of a use, and the position at which its value was made. A use is a read or an operand.
#[device(map)]
fn sought(u: usize, used: &[u32], reads: &[u32], class: &[u32], program: &Program) -> (u64, u32) {
    let count = reads.len();
    let is_read = u < count;
    let value = used[u];
    // Never dead: an operand that does not come, and a variable that is kept apart.
    let n = program.nodes.kind.len() as u32;
    if value == NONE || is_read && value < n && is_kept_apart(value, program.memory) {
        return ((NONE as u64) << 32, NONE);
    }
    let k = u;
    let at =
        if is_read { position(reads[k], program.nodes, program.end) } else { arrival((u - count) as u32, program) };
    ((class[value as usize] as u64) << 32 | at as u64, made(value, program))
}

#[device(map)]
fn key_of_kill(k: KillId, kills: &Kills) -> u64 {
    (kills.class[k] as u64) << 32 | kills.start[k] as u64
}

/// Returns the rank of a sorted row: an interval that ends later has a smaller one.
#[device(map)]
fn closeness(r: usize, keys: &[u64], order: &[u32], kills: &Kills) -> u32 {
    let row = order[r];
    let end = if row < kills.end.len() as u32 { kills.end[KillId::new(row)] } else { keys[r] as u32 };
    NONE - end
}

/// Returns the number of a sorted use, and the consumer that kills it or [`NONE`].
#[device(map)]
fn killer(r: usize, keys: &[u64], order: &[u32], nearest: &[u32], kills: &Kills, made: &[u32]) -> (u32, u32) {
    let count = kills.end.len() as u32;
    let row = order[r];
    if row < count {
        return (NONE, NONE);
    }
    let use_ = row - count;
    let found = nearest[r];
    if found == NONE {
        return (use_, NONE);
    }
    let k = order[found as usize];
    let is_same = keys[found as usize] >> 32 == keys[r] >> 32;
    if !is_same || k >= count || kills.older[KillId::new(k)] <= made[use_ as usize] {
        return (use_, NONE);
    }
    (use_, kills.consumer[KillId::new(k)])
}

/// Returns the consumer that killed a value which reaches a merge, [`NONE`] if it lives.
#[device]
fn killer_of_operand(o: u32, reads: u32, killers: &[u32], dead: &[u32], operands: &[u32], n: u32) -> u32 {
    let killer = killers[(reads + o) as usize];
    let value = operands[o as usize];
    if killer != NONE || value == NONE || value < n {
        return killer;
    }
    dead[((value - n) / POINTS) as usize]
}

/// Returns the consumer that killed the value of merge `m`, [`NONE`] if it lives.
#[device(map)]
fn dead_merge(m: usize, dead: &[u32], reads: u32, killers: &[u32], operands: &[u32], n: u32) -> u32 {
    if dead[m] != NONE {
        return dead[m];
    }
    let first = killer_of_operand(2 * m as u32, reads, killers, dead, operands, n);
    if first != NONE { first } else { killer_of_operand(2 * m as u32 + 1, reads, killers, dead, operands, n) }
}

/// Returns 1 for a merge that has died.
#[device(reduce(Sum))]
fn died(m: usize, dead: &[u32]) -> u32 {
    (dead[m] != NONE) as u32
}

/// Returns the consumer that killed the value of read `r`, [`NONE`] if it lives.
#[device(map)]
fn killer_of_read(r: usize, values: &[u32], killers: &[u32], dead: &[u32], n: u32) -> u32 {
    let value = values[r];
    let k = r;
    if killers[k] != NONE || value < n { killers[k] } else { dead[((value - n) / POINTS) as usize] }
}

/// Values that are consumed, and reads of them.
pub struct Consumed<B: Backend> {
    /// The nodes that consume.
    pub consumers: B::Vec<u32>,
    /// The class of each.
    pub classes: B::Vec<u32>,
    /// The consumer that killed the value of each read of a variable, or [`NONE`].
    pub killers: B::Vec<u32>,
}

/// Returns the values that are consumed, and the reads that see dead values.
pub fn consumed<B: Backend>(backend: &B, given: &Given<'_, B>, aliases: &Aliases<B>) -> Result<Consumed<B>> {
    let Given { program, signatures, flow } = given;
    let ProgramOn { nodes, places, merges, .. } = *program;
    let Aliases { reads, values, operands, class } = aliases;
    let n = nodes.len() as u32;
    let consumers = backend.compact(consumes::of(nodes, places, &signatures.heads, &signatures.unique))?;
    let classes = backend.map(consumed_class::of(&consumers, nodes, &flow.definitions, class))?;
    let (offsets, total) = backend.scan(ScanKind::Exclusive, intervals::of(&consumers, places), Sum)?;
    let call = kill::of(&consumers, &classes, program);
    let kills: Kills<B> = backend.expand(&offsets, total as usize, call)?;

    let used = backend.concat(&[values, operands])?;
    let uses = used.len();
    let (sought, made) = backend.map(sought::of(&used, reads, class, program))?;
    let keys = backend.concat(&[&backend.map(key_of_kill::of(&kills))?, &sought])?;
    let (keys, order) = backend.sort_by_key(&keys, &alone(backend, total as usize + uses)?)?;
    let nearest = backend.previous_smaller(&backend.map(closeness::of(&keys, &order, &kills))?)?;
    let (uses_found, found) = backend.map(killer::of(&keys, &order, nearest.column(), &kills, &made))?;
    let mut killers = backend.filled(uses, NONE)?;
    backend.scatter(&mut killers, &uses_found, &found)?;

    let mut dead = backend.filled(merges.len(), NONE)?;
    let mut count = 0;
    loop {
        dead = backend.map(dead_merge::of(&dead, reads.len() as u32, &killers, operands, n))?;
        let now = backend.reduce(died::of(&dead), Sum)?;
        if now == count {
            break;
        }
        count = now;
    }
    let killers = backend.map(killer_of_read::of(values, &killers, &dead, n).rows(reads.len()))?;
    Ok(Consumed { consumers, classes, killers })
}
