//! Uniqueness: finds uses of arrays that were consumed before, and consumptions that are not allowed.
//!
//! ```text
//! var b = a;       a and b may share memory: one class
//! a[0] = 1;        consumes the class; a has a new value
//! print[b];        error: b has an old one
//! ```
//!
//! The passes of [`ssa`](crate::passes::ssa) find the value that each read sees, where an update counts as an assignment.
//! `aliases` puts values that may share memory in one class. `kills` finds the reads that a consumption reaches. `LANGUAGE.md`
//! states the rules.
//!
//! Variables that nested functions read stay in memory, and have one value. Nothing else consumes it but their own updates.
//!
//! Cost: n nodes, u consumptions in at most h regions each, m merges: work O(n + (u h + m) log n) and the work of `ssa`. The number of
//! templates is fixed, except for log n rounds for classes, a round for each time that merges join classes that they share, and a
//! round for each merge in the longest chain of dead ones.
//! Source: Henriksen's thesis on L0, section 3; the rules with assignments are ours.

mod aliases;

mod heads;
mod kills;
mod places;

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, Node, NodeId, Nodes, Structure};
use crate::passes::ssa::merges::{Merges, merges};
use crate::passes::ssa::values::values;
use crate::passes::ssa::{in_memory, nestings};
use aliases::{Given, aliases};
pub use heads::{Signatures, signatures};
use kills::consumed;
use places::{Places, places};

/// No node.
const NONE: u32 = u32::MAX;
/// The most nodes: positions have eight values for each.
const MOST_NODES: u64 = 1 << 28;

/// The rules of uniqueness that a program can break.
#[device]
pub enum Rule {
    /// No rule is broken.
    Kept,
    /// The node reads an array that the other one consumed.
    Used,
    /// The node consumes an array that may be that of the other one, a plain parameter.
    Parameter,
    /// The node consumes an array that may be that of the other one, a variable that nested functions read.
    Shared,
    /// The node consumes an array in a lambda, which the other one reads.
    Lambda,
    /// The node is a row that may be part of the array that the other one updates.
    Row,
    /// The node is a unique result that may be the array of the other one, a plain parameter or a variable.
    Result,
}

/// An index of a breach.
#[device(index)]
pub struct BreachId(u32);

/// A breach of a rule.
#[device(columns(Breaches, index = BreachId))]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The node that breaks it.
    pub node: u32,
    /// The other node of the rule.
    pub other: u32,
}

/// The columns of a part of a program that the rules are about.
pub struct Input<'a, B: Backend> {
    /// The nodes as the front end made them.
    pub nodes: &'a Nodes<B>,
    /// For each code of a type, 1 if its values can share memory.
    pub shared: &'a B::Vec<u8>,
    /// The heads of all functions of the program.
    pub signatures: &'a Signatures<B>,
}

/// The tables of a part of a program that the analysis asks.
#[device(tables)]
struct Program {
    nodes: &Nodes,
    places: &Places,
    /// The end of each subtree.
    end: &[u32],
    /// 1 for each type whose values can share memory, otherwise 0.
    shared: &[u8],
    /// More than 0 for each variable that is kept apart.
    memory: &[u32],
    merges: &Merges,
}

/// Returns whether a variable stays in memory.
#[device]
fn is_kept_apart(variable: u32, memory: &[u32]) -> bool {
    memory[variable as usize] > 0
}

/// Returns whether a node consumes the variable that its target names.
#[device]
fn is_update(kind: Kind) -> bool {
    (kind == Kind::Update) | (kind == Kind::UpdateSlice)
}

/// Returns the NAME in the target of an update. The fields around it are at most as many as the program has types of structs.
#[device]
fn target_of_update(i: NodeId, nodes: &Nodes) -> NodeId {
    let mut found = i.plus(1);
    while nodes.kind[found] == Kind::Field {
        found = found.plus(1);
    }
    found
}

/// Returns the NAME in the target of an assignment of a field.
#[device]
fn target_of_field(i: NodeId, end: &[u32]) -> NodeId {
    NodeId::new(end[i.index()] - 1)
}

/// Returns a node with updates, and assignments of fields, as assignments, which the passes of static single assignment know.
#[device(map)]
fn as_assignment(i: NodeId, nodes: &Nodes, end: &[u32]) -> Node {
    let kind = nodes.kind[i];
    let is_field = kind == Kind::AssignField;
    let mut node = Node { depth: nodes.depth[i], kind, ty: nodes.ty[i], data: nodes.data[i] };
    if is_field | is_update(kind) {
        let target = if is_field { target_of_field(i, end) } else { target_of_update(i, nodes) };
        node.kind = Kind::Assign;
        node.data = nodes.data[target];
    }
    node
}

/// Returns 1 for an access to a variable of a function around.
#[device(map)]
fn hops(i: NodeId, nodes: &Nodes, places: &Places) -> u32 {
    let is_access = nodes.kind[i].is_variable();
    let declaration = if is_access { NodeId::new(nodes.data[i]) } else { i };
    (places.around[declaration].function != places.around[i].function) as u32
}

/// Returns the reasons for which a variable is kept apart, one more if it is none that can share memory.
#[device(map)]
fn kept_apart(i: NodeId, reasons: &[u32], nodes: &Nodes, shared: &[u8]) -> u32 {
    let declares = (nodes.kind[i] == Kind::Param) | nodes.kind[i].is_declaration();
    reasons[i.index()] + (declares & (shared[nodes.ty[i].code() as usize] == 0)) as u32
}

#[device(compact)]
fn is_plain(i: NodeId, nodes: &Nodes, places: &Places, shared: &[u8]) -> bool {
    nodes.kind[i] == Kind::Param
        && nodes.data[i] == 0
        && shared[nodes.ty[i].code() as usize] == 1
        && nodes.kind[NodeId::new(places.parent[i])] != Kind::Lambda
}

#[device(compact)]
fn is_apart(i: NodeId, nodes: &Nodes, shared: &[u8], memory: &[u32]) -> bool {
    let is_variable = (nodes.kind[i] == Kind::Declare) | (nodes.kind[i] == Kind::Param);
    is_variable && shared[nodes.ty[i].code() as usize] == 1 && is_kept_apart(i.get(), memory)
}

#[device(intern)]
fn class_of(k: usize, nodes: &[u32], class: &[u32]) -> u64 {
    class[nodes[k] as usize] as u64
}

#[device(compact)]
fn is_first(k: usize, first: &[u32]) -> bool {
    first[k] == k as u32
}

/// Returns the class of a chosen node, and the node.
#[device(map)]
fn chosen(k: usize, firsts: &[u32], nodes: &[u32], class: &[u32]) -> (u32, u32) {
    let node = nodes[firsts[k] as usize];
    (class[node as usize], node)
}

/// Returns for each class the first of some nodes that it has, [`NONE`] if it has none.
fn first_of_class<B: Backend>(backend: &B, nodes: &B::Vec<u32>, class: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    let first = backend.intern(class_of::of(nodes, class).rows(nodes.len()))?;
    let firsts = backend.compact(is_first::of(&first))?;
    let (classes, chosen) = backend.map(chosen::of(&firsts, nodes, class))?;
    let mut found = backend.filled(class.len(), NONE)?;
    backend.scatter(&mut found, &classes, &chosen)?;
    Ok(found)
}

/// Members of each class, [`NONE`] where it has none.
#[device(tables)]
struct Members {
    /// A plain parameter.
    plain: &[u32],
    /// A variable that is kept apart.
    apart: &[u32],
    /// A read.
    named: &[u32],
}

#[device]
fn breach(rule: Rule, node: u32, other: u32) -> Breach {
    Breach { rule: if other == NONE { Rule::Kept } else { rule }, node, other }
}

#[device(map)]
fn breach_of_read(r: usize, reads: &[u32], killers: &[u32]) -> Breach {
    breach(Rule::Used, reads[r], killers[r])
}

/// Returns the breach of a consumer that must not consume its array.
#[device(map)]
fn breach_of_consumer(c: usize, consumers: &[u32], classes: &[u32], program: &Program, members: &Members) -> Breach {
    let node = consumers[c];
    let class = classes[c] as usize;
    if members.plain[class] != NONE {
        return breach(Rule::Parameter, node, members.plain[class]);
    }
    let consumer = NodeId::new(node);
    let is_own = is_update(program.nodes.kind[consumer])
        && is_kept_apart(program.nodes.data[target_of_update(consumer, program.nodes)], program.memory);
    if !is_own && members.apart[class] != NONE {
        return breach(Rule::Shared, node, members.apart[class]);
    }
    let is_inside = program.places.around[NodeId::new(node)].lambda != NONE;
    breach(Rule::Lambda, node, if is_inside { members.named[class] } else { NONE })
}

/// Returns the breach of an update with a row of its own array.
#[device(map)]
fn breach_of_row(c: usize, consumers: &[u32], classes: &[u32], program: &Program, class: &[u32]) -> Breach {
    let node = consumers[c];
    let mut value = node + 1;
    while program.end[value as usize] < program.end[node as usize] {
        value = program.end[value as usize];
    }
    // The value of a slice is copied first, if it overlaps.
    let is_update = program.nodes.kind[NodeId::new(node)] == Kind::Update;
    let is_row = is_update && program.shared[program.nodes.ty[NodeId::new(value)].code() as usize] == 1;
    let is_own = is_row && class[value as usize] == classes[c];
    breach(Rule::Row, value, if is_own { node } else { NONE })
}

#[device(compact)]
fn returns_unique(i: NodeId, nodes: &Nodes, places: &Places, end: &[u32]) -> bool {
    let function = places.around[i].function;
    nodes.kind[i] == Kind::Return && end[i.index()] > i.get() + 1 && nodes.data[NodeId::new(function + 1)] == 1
}

#[device(map)]
fn breach_of_result(r: usize, returns: &[u32], class: &[u32], members: &Members) -> Breach {
    let value = returns[r] + 1;
    let class = class[value as usize] as usize;
    let plain = members.plain[class];
    breach(Rule::Result, value, if plain != NONE { plain } else { members.apart[class] })
}

#[device(compact)]
fn is_broken(b: BreachId, breaches: &Breaches) -> bool {
    breaches.rule[b] != Rule::Kept
}

#[device(map)]
fn taken(k: usize, broken: &[u32], breaches: &Breaches) -> Breach {
    let b = BreachId::new(broken[k]);
    Breach { rule: breaches.rule[b], node: breaches.node[b], other: breaches.other[b] }
}

/// Returns the breaches of the rules of uniqueness in a part.
///
/// # Errors
/// [`TooManyRows`](treepar::Error::TooManyRows) for more than 2^28 nodes.
pub fn breaches<B: Backend>(backend: &B, input: &Input<'_, B>) -> Result<Breaches<B>> {
    let Input { nodes, shared, signatures } = *input;
    let (found, limit) = (nodes.len() as u64, MOST_NODES);
    if found > limit {
        return Err(treepar::Error::TooManyRows { array: "nodes", found, limit });
    }
    let (parent, end) = backend.nearest_smaller(&nodes.depth)?;
    let structure = Structure { parent, end };
    let places = places(backend, nodes, &structure)?;

    let assignments: Nodes<B> = backend.map(as_assignment::of(nodes, &structure.end))?;
    let nesting = nestings(backend, &assignments, &structure)?;
    let hops = backend.map(hops::of(&assignments, &places))?;
    let lifted = Lifted { nodes: assignments, structure, hops };
    let reasons = in_memory(backend, &lifted, &nesting)?;
    let memory = backend.map(kept_apart::of(&reasons, &lifted.nodes, shared))?;
    let merges = merges(backend, &lifted, &nesting, &memory)?;
    let flow = values(backend, &lifted, &memory, &merges)?;
    let end = &lifted.structure.end;

    let program = ProgramOn { nodes, places: &places, end, shared, memory: &memory, merges: &merges };
    let given = Given { program, signatures, flow: &flow };
    let found = aliases(backend, &given)?;
    let consumed = consumed(backend, &given, &found)?;
    let plain = first_of_class(backend, &backend.compact(is_plain::of(nodes, &places, shared))?, &found.class)?;
    let apart = first_of_class(backend, &backend.compact(is_apart::of(nodes, shared, &memory))?, &found.class)?;
    let named = first_of_class(backend, &found.reads, &found.class)?;
    let members = MembersOn { plain: &plain, apart: &apart, named: &named };
    let (consumers, classes) = (&consumed.consumers, &consumed.classes);
    let of_reads: Breaches<B> = backend.map(breach_of_read::of(&found.reads, &consumed.killers))?;
    let call = breach_of_consumer::of(consumers, classes, &program, &members);
    let of_consumers: Breaches<B> = backend.map(call.rows(consumers.len()))?;
    let call = breach_of_row::of(consumers, classes, &program, &found.class);
    let of_rows: Breaches<B> = backend.map(call.rows(consumers.len()))?;
    let returns = backend.compact(returns_unique::of(nodes, &places, end))?;
    let call = breach_of_result::of(&returns, &found.class, &members);
    let of_results: Breaches<B> = backend.map(call.rows(returns.len()))?;
    let all = [&of_reads, &of_consumers, &of_rows, &of_results];
    let breaches = Breaches {
        rule: backend.concat(&all.map(|table| &table.rule))?,
        node: backend.concat(&all.map(|table| &table.node))?,
        other: backend.concat(&all.map(|table| &table.other))?,
    };
    let broken = backend.compact(is_broken::of(&breaches))?;
    backend.map(taken::of(&broken, &breaches))
}
