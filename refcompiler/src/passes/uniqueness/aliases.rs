//! Aliases: the edges between values that may share memory.
//!
//! A value is a node, or a merge of a variable at a loop or branch. A node has the value of its child where the language says
//! so; a read has that of its definition. An update makes a new value.
//!
//! A merge is new too, and joins what its variable has in common with others on either side:
//!
//! ```text
//! b = a      while c { .. b[0] = 1; a = b; .. }
//! before the loop, a and b are in one class: the merges of a and of b are joined
//! ```
//!
//! Two variables that swap their arrays in a loop stay apart. A merge is also joined with the class that comes to it if another
//! variable, which the statement does not assign, is in that class. Joins make classes larger, so they are repeated until there
//! is not new.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Max;
use treepar::{Backend, Column, Result};

use super::heads::{Heads, Signatures, is_consumed};
use super::places::{Places, position, position_of_point};
use super::{NONE, Program, ProgramOn, is_kept_apart, target_of_field};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{FunctionId, NodeId, Nodes};
use crate::ir::tree::runtime;
use crate::passes::classes::{Edges, alone, joined};
use crate::passes::ssa::merges::{MergeId, Merges};
use crate::passes::ssa::values::{CLOSE, Events, OPEN, POINTS, Rank, Values};

/// Returns whether a call shares memory with an argument that it does not consume.
#[device]
fn call_keeps(argument: NodeId, call: NodeId, nodes: &Nodes, heads: &Heads, unique: &[u32]) -> bool {
    let function = nodes.data[call];
    if (function == runtime::COPY) | (function == runtime::IOTA) {
        return false;
    }
    if function == runtime::CONCAT {
        return nodes.data[argument] == 0;
    }
    heads.is_new[FunctionId::new(function)] == 0 && !is_consumed(argument, call, nodes, heads, unique)
}

/// Returns whether node `i` and its parent share memory, if both can.
#[device]
fn shares(i: NodeId, parent: NodeId, program: &Program, heads: &Heads, unique: &[u32]) -> bool {
    match program.nodes.kind[parent] {
        Kind::Declare | Kind::Assign | Kind::Ascribe | Kind::Arg | Kind::Then | Kind::Otherwise | Kind::Choose => true,
        Kind::Index | Kind::Slice | Kind::Shaped => i.get() == parent.get() + 1,
        Kind::Replicate | Kind::Filter | Kind::Struct | Kind::Field | Kind::Zip | Kind::Unzip | Kind::Split => true,
        Kind::Destructure | Kind::AssignField => true,
        Kind::Reduce | Kind::FoldRight | Kind::Redomap => true,
        Kind::Lambda => program.nodes.kind[i] != Kind::Param,
        Kind::Map => program.shared[program.nodes.ty[parent.plus(1)].code() as usize] == 1,
        Kind::Call => call_keeps(i, parent, program.nodes, heads, unique),
        _ => false,
    }
}

#[device(compact)]
fn is_part(i: NodeId, program: &Program, heads: &Heads, unique: &[u32]) -> bool {
    let above = program.places.parent[i];
    if above == NONE || program.shared[program.nodes.ty[i].code() as usize] == 0 {
        return false;
    }
    let parent = NodeId::new(above);
    let is_whole = (program.shared[program.nodes.ty[parent].code() as usize] == 1)
        | (program.nodes.kind[parent] == Kind::Destructure);
    is_whole && shares(i, parent, program, heads, unique)
}

#[device(map)]
fn parent_of(k: usize, parts: &[u32], places: &Places) -> u32 {
    places.parent[NodeId::new(parts[k])]
}

/// Returns whether a node assigns a field: the new value of its variable shares memory with the old one.
#[device(compact)]
fn is_field(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::AssignField
}

/// Returns the NAME in the target of an assignment of a field.
#[device(map)]
fn target_of(k: usize, fields: &[u32], end: &[u32]) -> u32 {
    target_of_field(NodeId::new(fields[k]), end).get()
}

/// Returns whether a node reads a variable, or assigns one that is kept apart: whatever this one gets, it keeps.
#[device(compact)]
fn is_read(i: NodeId, nodes: &Nodes, shared: &[u8], memory: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let is_access = kind == Kind::Name || kind == Kind::Assign && is_kept_apart(nodes.data[i], memory);
    is_access && shared[nodes.ty[i].code() as usize] == 1
}

/// Returns the value that a read has: a definition, or a variable that stays in memory.
#[device(map)]
fn value_of(k: usize, reads: &[u32], nodes: &Nodes, definitions: &[u32]) -> u32 {
    let read = reads[k];
    let definition = definitions[read as usize];
    if definition == NONE { nodes.data[NodeId::new(read)] } else { definition }
}

/// An index of a segment.
#[device(index)]
pub struct SegmentId(u32);

/// A run of positions in which a variable has one value.
#[device(columns(Segments, index = SegmentId))]
struct Segment {
    start: u32,
    end: u32,
    value: u32,
}

#[device(compact)]
fn begins_segment(r: Rank, events: &Events, nodes: &Nodes) -> bool {
    let event = events.event[r];
    event as usize >= nodes.kind.len() || nodes.kind[NodeId::new(event)] != Kind::Name
}

/// Returns the end of the scope of a variable.
#[device]
fn end_of_scope(variable: u32, program: &Program) -> u32 {
    let i = NodeId::new(variable);
    let scope =
        if program.nodes.kind[i] == Kind::Param { program.places.parent[i] } else { program.places.around[i].scope };
    position(scope, program.nodes, program.end) + 4
}

#[device(map)]
fn segment(s: usize, begins: &[u32], keys: &[u64], events: &Events, program: &Program) -> Segment {
    let r = begins[s] as usize;
    let variable = (keys[r] >> 34) as u32;
    let mut last = end_of_scope(variable, program);
    if s + 1 < begins.len() {
        let next = keys[begins[s + 1] as usize];
        if (next >> 34) as u32 == variable {
            last = 2 * next as u32;
        }
    }
    let value = events.event[Rank::new(events.link[Rank::new(begins[s])])];
    Segment { start: 2 * keys[r] as u32, end: last, value }
}

#[device(compact)]
fn stays(i: NodeId, nodes: &Nodes, shared: &[u8], memory: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let is_variable = (kind == Kind::Param) | (kind == Kind::Declare);
    is_variable && is_kept_apart(i.get(), memory) && shared[nodes.ty[i].code() as usize] == 1
}

/// Returns the segment of a variable that stays in memory.
#[device(map)]
fn segment_in_memory(k: usize, variables: &[u32], program: &Program) -> Segment {
    let variable = variables[k];
    Segment {
        start: position(variable, program.nodes, program.end),
        end: end_of_scope(variable, program),
        value: variable,
    }
}

#[device(map)]
fn key_of_segment(k: SegmentId, segments: &Segments, class: &[u32]) -> u64 {
    (class[segments.value[k] as usize] as u64) << 32 | segments.start[k] as u64
}

/// Returns the class and the end of a sorted segment.
#[device(scan(Max))]
fn reach(k: usize, keys: &[u64], order: &[u32], segments: &Segments) -> u64 {
    keys[k] & 0xffff_ffff_0000_0000 | segments.end[SegmentId::new(order[k])] as u64
}

/// Segments, sorted by class and start.
#[device(tables)]
struct Reaches {
    /// The class and the start of each segment.
    keys: &[u64],
    /// The class, and the greatest end of the segments of this class so far.
    ends: &[u64],
}

/// Returns the id of the value of merge `m`.
#[device]
fn value_of_merge(m: u32, program: &Program) -> u32 {
    let statement = program.merges.statement[MergeId::new(m)];
    let is_loop = program.nodes.kind[NodeId::new(statement)].is_loop();
    program.nodes.kind.len() as u32 + POINTS * m + if is_loop { OPEN } else { CLOSE }
}

/// Returns the value that reaches merge `o / 2`, on side `o % 2`; [`NONE`] if control does not come from there.
#[device]
fn operand(o: u32, program: &Program, definitions: &[u32]) -> u32 {
    let m = o / 2;
    let side = o % 2;
    let statement = program.merges.statement[MergeId::new(m)];
    let kind = program.nodes.kind[NodeId::new(statement)];
    // The block that ends there.
    let mut part = program.end[(statement + 1) as usize];
    if kind.is_loop() {
        part = if side == 0 { NONE } else { part };
    } else if side == 1 {
        let has_other = kind != Kind::If;
        part = if has_other { program.end[part as usize] } else { NONE };
    }
    if part != NONE && program.places.leaves[NodeId::new(part)] == 1 {
        return NONE;
    }
    definitions[program.nodes.kind.len() + (POINTS * m + 1 + side) as usize]
}

/// Returns the statement and side, and the class of an operand.
#[device(intern)]
fn side_and_class(o: usize, merges: &Merges, operands: &[u32], class: &[u32]) -> u64 {
    let statement = merges.statement[MergeId::new(o as u32 / 2)];
    let value = operands[o];
    let class = if value == NONE { NONE } else { class[value as usize] };
    ((2 * statement + o as u32 % 2) as u64) << 32 | class as u64
}

/// Returns whether another variable, which the statement of a merge does not assign, has the class.
#[device]
fn is_held(statement: u32, class: u32, program: &Program, reaches: &Reaches) -> bool {
    let at = position_of_point(statement, OPEN, program.nodes, program.end);
    let key = (class as u64) << 32 | at as u64;
    let mut low = 0u32;
    let mut high = reaches.keys.len() as u32;
    while low < high {
        let middle = (low + high) / 2;
        if reaches.keys[middle as usize] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // The segments of the class that begin before the statement, if there are any, and the greatest of their ends.
    low > 0 && reaches.ends[(low - 1) as usize] > key
}

/// Returns the value that the merge of operand `o` is joined with: itself, if with none.
#[device(map)]
fn joined_with(o: usize, program: &Program, operands: &[u32], first: &[u32], class: &[u32], reaches: &Reaches) -> u32 {
    let m = o as u32 / 2;
    if operands[o] == NONE {
        return value_of_merge(m, program);
    }
    let class = class[operands[o] as usize];
    if is_held(program.merges.statement[MergeId::new(m)], class, program, reaches) {
        return class;
    }
    value_of_merge(first[o] / 2, program)
}

/// Returns the merge of operand `o`.
#[device(map)]
fn merge_of(o: usize, program: &Program) -> u32 {
    value_of_merge(o as u32 / 2, program)
}

#[device(map)]
fn operand_of(o: usize, program: &Program, definitions: &[u32]) -> u32 {
    operand(o as u32, program, definitions)
}

/// The values of arrays and their classes.
pub struct Aliases<B: Backend> {
    /// The reads of variables.
    pub reads: B::Vec<u32>,
    /// The value of each.
    pub values: B::Vec<u32>,
    /// The values that reach the merges, two each.
    pub operands: B::Vec<u32>,
    /// The class of each value.
    pub class: B::Vec<u32>,
}

/// The facts about a program that the analysis has before it asks for aliases.
pub struct Given<'a, B: Backend> {
    pub program: ProgramOn<'a, B>,
    /// The heads of all functions.
    pub signatures: &'a Signatures<B>,
    pub flow: &'a Values<B>,
}

/// Returns the segments of all variables.
fn segments<B: Backend>(backend: &B, given: &Given<'_, B>) -> Result<Segments<B>> {
    let Given { program, flow, .. } = given;
    let ProgramOn { nodes, shared, memory, .. } = *program;
    let begins = backend.compact(begins_segment::of(&flow.events, nodes).rows(flow.keys.len()))?;
    let moving: Segments<B> = backend.map(segment::of(&begins, &flow.keys, &flow.events, program))?;
    let variables = backend.compact(stays::of(nodes, shared, memory))?;
    let staying: Segments<B> = backend.map(segment_in_memory::of(&variables, program))?;
    Ok(Segments {
        start: backend.concat(&[&moving.start, &staying.start])?,
        end: backend.concat(&[&moving.end, &staying.end])?,
        value: backend.concat(&[&moving.value, &staying.value])?,
    })
}

/// Returns the values of all reads, and the classes of all values.
pub fn aliases<B: Backend>(backend: &B, given: &Given<'_, B>) -> Result<Aliases<B>> {
    let Given { program, signatures, flow } = given;
    let ProgramOn { nodes, places, end, shared, memory, merges } = *program;
    let parts = backend.compact(is_part::of(program, &signatures.heads, &signatures.unique))?;
    let wholes = backend.map(parent_of::of(&parts, places))?;
    let reads = backend.compact(is_read::of(nodes, shared, memory))?;
    let values = backend.map(value_of::of(&reads, nodes, &flow.definitions))?;
    let fields = backend.compact(is_field::of(nodes))?;
    let targets = backend.map(target_of::of(&fields, end))?;
    let edges =
        Edges { from: backend.concat(&[&parts, &reads, &targets])?, to: backend.concat(&[&wholes, &values, &fields])? };
    let class = alone(backend, flow.definitions.len())?;
    let (mut class, _) = joined(backend, class, &edges)?;

    let sides = 2 * merges.len();
    let from = backend.map(merge_of::of(program).rows(sides))?;
    let operands = backend.map(operand_of::of(program, &flow.definitions).rows(sides))?;
    let mut edges = Edges { from, to: backend.filled(0, 0)? };
    let segments = segments(backend, given)?;
    let numbers = alone(backend, segments.len())?;
    let mut joins = sides > 0;
    while joins {
        let keys = backend.map(key_of_segment::of(&segments, &class))?;
        let (keys, order) = backend.sort_by_key(&keys, &numbers)?;
        let (reached, _) = backend.scan(ScanKind::Inclusive, reach::of(&keys, &order, &segments), Max)?;
        let first = backend.intern(side_and_class::of(merges, &operands, &class).rows(sides))?;
        let reaches = ReachesOn { keys: &keys, ends: &reached };
        let call = joined_with::of(program, &operands, &first, &class, &reaches);
        edges.to = backend.map(call.rows(sides))?;
        (class, joins) = joined(backend, class, &edges)?;
    }
    Ok(Aliases { reads, values, operands, class })
}
