//! The reason of each node why its loop stays as it is, and the facts about the values of a loop.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::{Min, Or};
use treepar::{Backend, Column, Result};

use super::context::{Facts, Use, is_same, is_shift, least_or_greatest};
use super::lanes::{is_saturating, is_shift_by_literal, takes_elements};
use crate::ir::kinds::{Kind, Kinds, Type, YIELDING_NAN};
use crate::ir::lanes::Cpu;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{ADD_BYTES, SUB_BYTES};

/// The reason why a loop stays as it is.
#[device]
pub enum Reason {
    /// There is none.
    None,
    /// A call.
    Call,
    /// An access of another element than the one of the iteration.
    Element,
    /// The number of the iteration is a value.
    Counter,
    /// A division of ints.
    Division,
    /// A reduction of floats, or by another operator.
    Reduction,
    /// Another statement.
    Statement,
    /// Another operation.
    Operation,
    /// A shift by a number other than a literal, without AVX2.
    Shift,
    /// A literal number of iterations, too small for vectors.
    Few,
    /// Too many arrays.
    Streams,
    /// Too many variables and numbers.
    Held,
    /// Too deep an expression.
    Waiting,
}

impl Reason {
    /// Returns the reason as text.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Call => "a call",
            Reason::Element => "an access of another element than the one of the iteration",
            Reason::Counter => "the number of the iteration as a value",
            Reason::Division => "a division of ints",
            Reason::Reduction => "a reduction of floats, in order, or by another operator",
            Reason::Statement => "a statement",
            Reason::Operation => "an operation without vectors",
            Reason::Shift => "a shift by a number that is not a literal, without AVX2",
            Reason::Few => "few iterations",
            Reason::Streams => "more than 5 arrays",
            Reason::Held => "more than 8 variables and numbers",
            Reason::Waiting => "an expression with more than 6 waiting vectors",
            _ => "",
        }
    }
}

/// The operations on vectors whose low bits depend on the low bits of their operands.
const LOW_BITS: Kinds = Kinds::of(&[
    Kind::Literal,
    Kind::Ascribe,
    Kind::Arg,
    Kind::Sequence,
    Kind::Load,
    Kind::LoadShort,
    Kind::LoadByte,
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Complement,
    Kind::Negate,
    // In lanes of these bits they change nothing.
    Kind::NarrowByte,
    Kind::NarrowShort,
]);

/// The operations that are defined for vectors, except for operations with rules of their own.
const OPERATIONS: Kinds = LOW_BITS.union(Kinds::of(&[
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
    Kind::Eq,
    Kind::Ne,
    Kind::Lt,
    Kind::Le,
    Kind::Gt,
    Kind::Ge,
    Kind::Land,
    Kind::Lor,
    Kind::Not,
    Kind::Abs,
    Kind::Sqrt,
]));

/// The values of a ring.
const RING: Kinds = LOW_BITS.union(Kinds::of(&[Kind::Name]));

/// The kinds that hand on the value of an operand.
const PASSES: Kinds = Kinds::of(&[Kind::Ascribe, Kind::Sequence, Kind::Choose, Kind::Then, Kind::Otherwise]);

/// The operations that yield a new NaN.
const ARITHMETIC: Kinds = YIELDING_NAN;

/// The number of iterations from which on a loop with a literal number has vectors.
const FEW: u32 = 8;

/// In the facts about a subtree: elements of 8, 16 and 32 bits.
pub const BYTES: u32 = 1;
pub const SHORTS: u32 = 2;
pub const WORDS: u32 = 4;
/// An operation that needs lanes of 32 bits.
pub const WIDE: u32 = 8;
/// A NaN that is replaced.
pub const CANONICAL: u32 = 16;
/// The value may be another NaN than the canonical one.
pub const ANY_NAN: u32 = 32;
/// A store.
pub const STORES: u32 = 64;
/// The last statement stores a value that may be another NaN than the canonical one.
pub const WATCHED: u32 = 128;

/// The verdict on a node.
#[device(columns(Verdicts, index = NodeId))]
pub struct Verdict {
    /// The reason that the node gives.
    pub reason: Reason,
    /// The first node of a loop with a reason, [`NO_NODE`] if there is none.
    pub first: u32,
    /// The facts about its subtree.
    pub facts: u32,
    /// The number of assignments in its loop to the variable of the node.
    pub assigned: u32,
    /// The assignment if there is one only, [`NO_NODE`] otherwise.
    pub assigner: u32,
}

/// Returns whether a node reads or assigns a variable in a counted loop.
#[device(compact)]
fn uses_variable(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let kind = nodes.kind[i];
    (kind.is_read() | (kind == Kind::Assign)) & (facts.context[i].around != NO_NODE)
}

/// Returns the loop and the variable of a use.
#[device(intern)]
fn variable_in_loop(u: usize, uses: &[u32], nodes: &Nodes, facts: &Facts) -> u64 {
    let i = NodeId::new(uses[u]);
    (facts.context[i].around as u64) << 32 | nodes.data[i] as u64
}

/// Counts the assignments of each variable in a loop, in the row of its first use.
#[device(accumulate)]
fn count(u: usize, uses: &[u32], first: &[u32], nodes: &Nodes) -> (u32, u32) {
    (first[u], (nodes.kind[NodeId::new(uses[u])] == Kind::Assign) as u32)
}

/// Returns the row of the first use of the variable that only use `u` assigns in its loop, [`NO_NODE`] for other uses, and the node.
#[device(map)]
fn only(u: usize, uses: &[u32], first: &[u32], nodes: &Nodes, assigned: &[u32]) -> (u32, u32) {
    let is_only = nodes.kind[NodeId::new(uses[u])] == Kind::Assign && assigned[first[u] as usize] == 1;
    (if is_only { first[u] } else { NO_NODE }, uses[u])
}

/// Returns the number of assignments to the variable of use `u`, and the only one.
#[device(map)]
fn of_use(u: usize, first: &[u32], assigned: &[u32], assigner: &[u32]) -> (u32, u32) {
    (assigned[first[u] as usize], assigner[first[u] as usize])
}

/// The assignments to variables in loops, by the nodes that use them.
struct Assignments<B: Backend> {
    assigned: B::Vec<u32>,
    assigner: B::Vec<u32>,
}

/// Returns the assignments.
fn assignments<B: Backend>(backend: &B, nodes: &Nodes<B>, facts: &Facts<B>) -> Result<Assignments<B>> {
    let n = nodes.len();
    let uses = backend.compact(uses_variable::of(nodes, facts).rows(n))?;
    let first = backend.intern(variable_in_loop::of(&uses, nodes, facts).rows(uses.len()))?;
    let mut count_of_first = backend.filled(uses.len(), 0u32)?;
    backend.accumulate(&mut count_of_first, count::of(&uses, &first, nodes))?;
    let mut only_of_first = backend.filled(uses.len(), NO_NODE)?;
    let (to, node) = backend.map(only::of(&uses, &first, nodes, &count_of_first))?;
    backend.scatter(&mut only_of_first, &to, &node)?;
    let (counts, nodes_of_uses) = backend.map(of_use::of(&first, &count_of_first, &only_of_first))?;
    let mut assigned = backend.filled(n, 0u32)?;
    let mut assigner = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut assigned, &uses, &counts)?;
    backend.scatter(&mut assigner, &uses, &nodes_of_uses)?;
    Ok(Assignments { assigned, assigner })
}

/// Returns whether a node reads a variable.
#[device]
fn names(i: NodeId, variable: u32, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Name) & (nodes.data[i] == variable)
}

/// Returns whether an assignment in loop `f` is a reduction.
#[device]
fn is_reduction(a: NodeId, f: u32, nodes: &Nodes, facts: &Facts, assigned: &[u32]) -> bool {
    let variable = nodes.data[a];
    let value = a.plus(1);
    if (variable > f) | (nodes.ty[a] != Type::Int) || assigned[a.index()] != 1 {
        return false;
    }
    if nodes.kind[value] == Kind::Choose {
        let is_first = nodes.data[value.plus(6)] == variable;
        let is_second = nodes.data[value.plus(8)] == variable;
        return least_or_greatest(value, nodes, facts.end[value]) != 0 && is_first != is_second;
    }
    if !nodes.kind[value].has_two_operands() {
        return false;
    }
    let is_left = names(value.plus(1), variable, nodes);
    let is_right = names(NodeId::new(facts.end[value.plus(1)]), variable, nodes);
    match nodes.kind[value] {
        Kind::Add | Kind::Mul | Kind::And | Kind::Or | Kind::Xor | Kind::Land | Kind::Lor => is_left != is_right,
        Kind::Sub => is_left & !is_right,
        _ => false,
    }
}

/// Returns whether a NAME is the reduction so far in the assignment `a` of loop `f`.
#[device]
fn is_so_far(i: NodeId, a: NodeId, f: u32, facts: &Facts) -> bool {
    let parent = facts.parent[i];
    let value = a.get() + 1;
    (facts.context[a].around == f) & ((parent == value) | (facts.parent[NodeId::new(parent)] == value))
}

/// Returns the reason of a variable that is read as a value in loop `f`.
#[device]
fn of_name(i: NodeId, f: u32, nodes: &Nodes, facts: &Facts, assigned: &[u32], assigner: &[u32]) -> Reason {
    let variable = nodes.data[i];
    if variable == f + 1 {
        return Reason::Counter;
    }
    if (variable > f) & (variable < facts.end[NodeId::new(f)]) {
        return if nodes.kind[NodeId::new(variable)] == Kind::Declare { Reason::None } else { Reason::Operation };
    }
    if assigned[i.index()] == 0 {
        return Reason::None;
    }
    let a = NodeId::new(assigner[i.index()]);
    if !a.is_none() && is_so_far(i, a, f, facts) { Reason::None } else { Reason::Reduction }
}

/// Returns the reason of a value.
#[device]
fn of_value(i: NodeId, nodes: &Nodes, facts: &Facts, cpu: Cpu) -> Reason {
    let kind = nodes.kind[i];
    let is_float = nodes.ty[i] == Type::Float;
    if OPERATIONS.contains(kind) {
        return Reason::None;
    }
    if is_shift(kind) {
        let is_possible = is_shift_by_literal(i, nodes, facts) || cpu != Cpu::Baseline;
        return if is_possible { Reason::None } else { Reason::Shift };
    }
    match kind {
        Kind::Call => {
            if is_saturating(i, nodes) && takes_elements(i, nodes, facts) {
                Reason::None
            } else {
                Reason::Call
            }
        }
        Kind::Div | Kind::Rem => {
            if is_float {
                if kind == Kind::Div { Reason::None } else { Reason::Call }
            } else {
                Reason::Division
            }
        }
        Kind::Cast => Reason::None,
        _ => Reason::Operation,
    }
}

/// Returns the reason of a statement in loop `f`, or of the only child of one.
#[device]
fn of_statement(i: NodeId, f: u32, nodes: &Nodes, facts: &Facts, assigned: &[u32]) -> Reason {
    let kind = nodes.kind[i];
    let is_in_expression = nodes.kind[NodeId::new(facts.parent[i])] == Kind::Expression;
    let has_value = facts.end[i] > i.get() + 1;
    match kind {
        Kind::Expression | Kind::Store | Kind::StoreShort | Kind::StoreByte => {
            if is_in_expression {
                Reason::Statement
            } else {
                Reason::None
            }
        }
        Kind::Declare => {
            if is_in_expression & has_value {
                Reason::None
            } else {
                Reason::Statement
            }
        }
        Kind::Assign => {
            if is_in_expression && is_reduction(i, f, nodes, facts, assigned) {
                Reason::None
            } else {
                Reason::Reduction
            }
        }
        Kind::Call => Reason::Call,
        _ => Reason::Statement,
    }
}

/// Returns whether a node is a sum of an address and an index for the access around it.
#[device]
fn is_sum(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let access = NodeId::new(facts.parent[i]);
    let sum = match nodes.kind[access] {
        Kind::LoadByte | Kind::StoreByte => Kind::Add,
        Kind::LoadShort | Kind::StoreShort => Kind::AddShorts,
        _ => Kind::AddWords,
    };
    (nodes.kind[i] == sum) & (nodes.data[access] == 0)
}

/// Returns the reason of a node.
#[device(map)]
fn reason(i: NodeId, nodes: &Nodes, facts: &Facts, assigned: &[u32], assigner: &[u32], cpu: Cpu) -> Reason {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return Reason::None;
    }
    if nodes.kind[i] == Kind::For {
        // The reason of a loop with others around it, or without anything after it.
        return Reason::Statement;
    }
    let f = facts.context[parent].around;
    if f == NO_NODE {
        return Reason::None;
    }
    let kind = nodes.kind[i];
    if (facts.context[i].around != f) | (kind == Kind::While) {
        return Reason::Statement;
    }
    let variable = nodes.data[i];
    let is_outside = variable < f && assigned[i.index()] == 0;
    match facts.context[i].place {
        Use::Number => {
            let is_few = (kind == Kind::Literal) & (nodes.data[i] < FEW) & (nodes.kind[parent] == Kind::Count);
            if is_few {
                Reason::Few
            } else if kind.is_pure() {
                Reason::None
            } else {
                Reason::Statement
            }
        }
        Use::Statement => of_statement(i, f, nodes, facts, assigned),
        Use::Value => {
            if kind == Kind::Name {
                of_name(i, f, nodes, facts, assigned, assigner)
            } else {
                of_value(i, nodes, facts, cpu)
            }
        }
        Use::Sum => {
            if is_sum(i, nodes, facts) {
                Reason::None
            } else {
                Reason::Element
            }
        }
        Use::Base => {
            let is_address = (kind == Kind::Name) | (kind == Kind::Data);
            if is_address & is_outside { Reason::None } else { Reason::Element }
        }
        Use::Index | Use::Checked => {
            let is_check = (kind == Kind::CheckIndex) & (facts.context[i].place == Use::Index);
            if is_check || (kind == Kind::Name) & (variable == f + 1) { Reason::None } else { Reason::Element }
        }
        Use::Limit => {
            let is_extent = (kind == Kind::Name) | (kind == Kind::Extent);
            if is_extent & is_outside { Reason::None } else { Reason::Element }
        }
        Use::Other => Reason::Operation,
        _ => Reason::None,
    }
}

/// Returns the first node with a reason in the subtree of a node.
#[device(walk_up(Min))]
fn first_below(i: usize, below: u32, reasons: &[Reason]) -> u32 {
    if reasons[i] == Reason::None { below } else { below.min(i as u32) }
}

/// Returns the first node with a reason in a counted loop.
#[device(map)]
fn first_of_loop(i: NodeId, nodes: &Nodes, facts: &Facts, first: &[u32]) -> u32 {
    if facts.context[i].place != Use::Loop {
        return NO_NODE;
    }
    let body = facts.end[i.plus(1)] as usize;
    let is_complete = facts.end[NodeId::new(body as u32)] == facts.end[i];
    // Something always follows the loop of an operation, and a loop that others could see.
    if !is_complete | (facts.end[i] as usize >= nodes.len()) {
        return i.get();
    }
    first[i.index() + 1].min(first[body])
}

/// Returns whether a NaN is replaced before a node of a counted loop uses its operand.
#[device]
fn observes(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let kind = nodes.kind[i];
    let is_float = nodes.ty[i] == Type::Float;
    let is_statement = (facts.context[i].place == Use::Statement) & ((kind == Kind::Declare) | (kind == Kind::Store));
    let is_value = (facts.context[i].place == Use::Value) & ((kind == Kind::Negate) | (kind == Kind::Abs));
    is_float & (is_statement | is_value)
}

/// Returns whether a NaN of the operand of a node is replaced.
#[device]
pub fn replaces_nan(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> bool {
    if !observes(i, nodes, facts) {
        return false;
    }
    let operand = if nodes.kind[i] == Kind::Store { facts.end[i.plus(1)] } else { i.get() + 1 };
    (verdicts.facts[NodeId::new(operand)] & ANY_NAN) != 0
}

/// Returns whether a node is the last statement of its loop and stores a value that may be another NaN than the canonical one.
#[device]
pub fn is_watched(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> bool {
    let is_last = facts.end[i] == facts.end[NodeId::new(facts.context[i].around)];
    (nodes.kind[i] == Kind::Store) & is_last && replaces_nan(i, nodes, facts, verdicts)
}

/// Returns the facts about the subtree of a node, given the facts about the subtrees of its children.
#[device(walk_up(Or))]
fn subtree(i: NodeId, below: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let kind = nodes.kind[i];
    let place = facts.context[i].place;
    let inherited = below & !ANY_NAN;
    if (place != Use::Value) & (place != Use::Statement) {
        return inherited;
    }
    let is_float = nodes.ty[i] == Type::Float;
    let is_store = (kind == Kind::Store) | (kind == Kind::StoreShort) | (kind == Kind::StoreByte);
    let mut found = inherited | if is_store { STORES } else { 0 };
    match kind {
        Kind::Load | Kind::Store => {
            found |= WORDS;
        }
        Kind::LoadShort | Kind::StoreShort | Kind::NarrowShort => {
            found |= SHORTS;
        }
        Kind::LoadByte | Kind::StoreByte | Kind::NarrowByte => {
            found |= BYTES;
        }
        Kind::Call => {
            let is_of_bytes = (nodes.data[i] == ADD_BYTES) | (nodes.data[i] == SUB_BYTES);
            found |= if is_of_bytes { BYTES } else { SHORTS };
        }
        _ => {}
    }
    if place == Use::Statement {
        let is_canonical = observes(i, nodes, facts) & ((below & ANY_NAN) != 0);
        let is_last = facts.end[i] == facts.end[NodeId::new(facts.context[i].around)];
        found |= if is_canonical { CANONICAL } else { 0 };
        found |= if is_canonical & is_store & is_last { WATCHED } else { 0 };
        return found | if kind == Kind::Assign { WIDE } else { 0 };
    }
    let is_ring = RING.contains(kind)
        || is_same(i, nodes)
        || is_saturating(i, nodes)
        || ((kind == Kind::Shl) && is_shift_by_literal(i, nodes, facts));
    found |= if is_ring & !is_float { 0 } else { WIDE };
    if is_float & ARITHMETIC.contains(kind) {
        return found | ANY_NAN;
    }
    if PASSES.contains(kind) || is_same(i, nodes) {
        return found | (below & ANY_NAN);
    }
    if observes(i, nodes, facts) & ((below & ANY_NAN) != 0) {
        return found | CANONICAL;
    }
    found
}

/// Returns the verdicts.
pub fn verdicts<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, facts): (&Parents<B>, &Facts<B>),
    cpu: Cpu,
) -> Result<Verdicts<B>> {
    let n = nodes.len();
    let Assignments { assigned, assigner } = assignments(backend, nodes, facts)?;
    let reason = backend.map(reason::of(nodes, facts, &assigned, &assigner, cpu).rows(n))?;
    let first = backend.walk_up(parents, first_below::of(&reason), Min)?;
    let first = backend.map(first_of_loop::of(nodes, facts, &first).rows(n))?;
    let found = backend.walk_up(parents, subtree::of(nodes, facts), Or)?;
    Ok(Verdicts { reason, first, facts: found, assigned, assigner })
}
