//! The new nodes.

use treepar::device::device;

use super::context::{Facts, Use, bare};
use super::lanes::{access, converts, is_idempotent, is_mask, is_shift_by_literal, operation, reduction, splat};
use super::registers::{Registers, is_invariant};
use super::sizes::{
    AFTER, AGAIN, BEFORE, COUNTED, REST, RUNS, SINGLE, Sizes, VECTOR, changed_loop, combined, is_unrolled, length,
    position as position_of,
};
use super::verdict::{Verdicts, replaces_nan};
use crate::ir::kinds::{Kind, Type};
use crate::ir::lanes::{Cpu, Lanes, counted};
use crate::ir::nodes::{Node, NodeId, Nodes};

/// The canonical NaN.
const NAN: u32 = 0x7fc0_0000;

/// The tables that the new nodes are made of.
#[device(tables)]
pub struct Plan {
    nodes: &Nodes,
    facts: &Facts,
    verdicts: &Verdicts,
    registers: &Registers,
    sizes: &Sizes,
}

/// Returns a node.
#[device]
fn node(depth: u32, kind: Kind, ty: Type, data: u32) -> Node {
    Node { depth, kind, ty, data }
}

/// Returns the new index of the declaration of a variable.
#[device]
fn declaration(d: NodeId, plan: &Plan) -> u32 {
    let f = changed_loop(d, plan.facts, plan.registers);
    let run = if f.is_none() | (plan.facts.context[d].place == Use::Number) { BEFORE } else { REST };
    position_of(d, run, f, plan.facts, plan.sizes)
}

/// Returns an old node at a depth.
#[device]
fn copied(i: NodeId, depth: u32, plan: &Plan) -> Node {
    let kind = plan.nodes.kind[i];
    let data = plan.nodes.data[i];
    let is_variable = kind.is_variable();
    let new = if is_variable { declaration(NodeId::new(data), plan) } else { data };
    node(depth, kind, plan.nodes.ty[i], new)
}

/// Returns a read of the variable with the number of elements of loop `f`.
#[device]
fn all_elements(f: NodeId, depth: u32, plan: &Plan) -> Node {
    node(depth, Kind::Name, Type::Int, position_of(f, BEFORE, f, plan.facts, plan.sizes) + 1)
}

/// Returns a read of the variable with the number of elements of whole vectors.
#[device]
fn whole_elements(f: NodeId, depth: u32, plan: &Plan) -> Node {
    let body = NodeId::new(plan.facts.end[f.plus(1)]);
    node(depth, Kind::Name, Type::Int, position_of(body, BEFORE, f, plan.facts, plan.sizes) + 1)
}

/// Returns the number of the held vector that a node has. The one of the canonical NaN is 0.
#[device]
fn held(i: NodeId, f: NodeId, plan: &Plan) -> u32 {
    plan.registers.held[i] - plan.registers.held[f]
}

/// Returns the stream of an access.
#[device]
fn stream(i: NodeId, f: NodeId, plan: &Plan) -> u32 {
    plan.registers.streams[NodeId::new(plan.registers.first_access[i])] - plan.registers.streams[f]
}

/// Returns the number of lanes of a loop.
#[device]
fn count(f: NodeId, plan: &Plan, cpu: Cpu) -> u32 {
    8 * cpu.vector_bytes() / plan.registers.lanes[f]
}

/// Returns the number of elements of an iteration.
#[device]
fn step(run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> u32 {
    let vectors = if run != SINGLE && is_unrolled(f, plan.facts) { 2 } else { 1 };
    vectors * count(f, plan, cpu)
}

/// A number that fills a vector: a literal or a variable.
#[device]
struct Number {
    data: u32,
    kind: Kind,
    ty: Type,
    unused: u16,
}

/// Returns node `k` of the three that fill a held vector: `operation` with a number in all lanes.
#[device]
fn filled(k: u32, depth: u32, number: Number, held: u32, operation: Lanes, cpu: Cpu) -> Node {
    match k {
        0 => node(depth, Kind::VectorWrite, Type::Float, Lanes::Hold.data(cpu, held, 0)),
        1 => node(depth + 1, Kind::VectorSplat, number.ty, operation.data(cpu, 0, 0)),
        _ => node(depth + 2, number.kind, number.ty, number.data),
    }
}

/// Returns an int literal.
#[device]
fn literal(number: u32) -> Number {
    Number { data: number, kind: Kind::Literal, ty: Type::Int, unused: 0u16 }
}

/// Returns the number with which the lanes of a reduction begin: the reduction so far, or the neutral one.
#[device]
fn first_number(assign: NodeId, plan: &Plan) -> Number {
    let all = reduction(assign, plan.nodes, plan.facts);
    if is_idempotent(all) {
        let variable = declaration(NodeId::new(plan.nodes.data[assign]), plan);
        return Number { data: variable, kind: Kind::Name, ty: Type::Int, unused: 0u16 };
    }
    literal((all == Lanes::ProductAll) as u32)
}

/// Returns node `k` of the nodes before loop `f` that a node has.
#[device]
fn before(i: NodeId, k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let depth = plan.nodes.depth[f];
    let bits = plan.registers.lanes[f];
    let place = plan.facts.context[i].place;
    if place == Use::Number {
        return copied(i, plan.nodes.depth[i], plan);
    }
    if (place == Use::Loop) | ((place == Use::Body) & (k < 2)) {
        let kind = if k == 0 { Kind::Expression } else { Kind::Declare };
        return node(depth + k, kind, if k == 0 { Type::Void } else { Type::Int }, 0);
    }
    if place == Use::Body {
        if k >= COUNTED {
            return filled(k - COUNTED, depth, literal(NAN), 0, Lanes::SplatInt, cpu);
        }
        return match k {
            2 => node(depth + 2, Kind::And, Type::Int, 0),
            3 => all_elements(f, depth + 3, plan),
            _ => node(depth + 3, Kind::Literal, Type::Int, 0u32.wrapping_sub(count(f, plan, cpu))),
        };
    }
    if place == Use::Base {
        return copied(i, depth + 1, plan);
    }
    if plan.nodes.kind[i] == Kind::Assign {
        let number = first_number(i, plan);
        return filled(k, depth, number, held(i, f, plan), Lanes::SplatInt, cpu);
    }
    if is_invariant(i, plan.nodes, plan.facts, plan.verdicts) {
        let copy = copied(i, 0, plan);
        let number = Number { data: copy.data, kind: copy.kind, ty: copy.ty, unused: 0u16 };
        return filled(k, depth, number, held(i, f, plan), splat(plan.nodes.ty[i], bits), cpu);
    }
    node(depth, Kind::VectorBase, Type::Int, stream(i, f, plan))
}

/// Returns the node with which a node has the value in its held vector.
#[device]
fn holder(i: NodeId, f: NodeId, plan: &Plan) -> NodeId {
    if plan.nodes.kind[i] == Kind::Literal {
        return i;
    }
    let variable = NodeId::new(plan.nodes.data[i]);
    if variable.get() > f.get() {
        return variable;
    }
    let assigner = NodeId::new(plan.verdicts.assigner[variable]);
    if assigner.is_none() { i } else { assigner }
}

/// Returns the data of an access of elements in a run: the operation, its stream, and the distance to the vector in bytes.
#[device]
fn access_data(i: NodeId, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> u32 {
    let kind = plan.nodes.kind[i];
    let element = match kind {
        Kind::LoadByte | Kind::StoreByte => 1u32,
        Kind::LoadShort | Kind::StoreShort => 2u32,
        _ => 4u32,
    };
    let distance = if run == AGAIN { element * count(f, plan, cpu) } else { 0 };
    access(kind, plan.registers.lanes[f]).data(cpu, stream(i, f, plan), distance)
}

/// Returns a value as an operation on vectors, at a depth, in a run.
#[device]
fn value(i: NodeId, depth: u32, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let kind = plan.nodes.kind[i];
    let bits = plan.registers.lanes[f];
    if (kind == Kind::Name) | (kind == Kind::Literal) {
        let number = held(holder(i, f, plan), f, plan);
        return node(depth, Kind::VectorRead, Type::Float, Lanes::Held.data(cpu, number, 0));
    }
    if kind.is_access() {
        return node(depth, Kind::VectorRead, Type::Float, access_data(i, run, f, plan, cpu));
    }
    if kind == Kind::Sequence {
        return node(depth, Kind::Sequence, Type::Float, 0);
    }
    let lanes = operation(i, plan.nodes, plan.facts, bits);
    if is_shift_by_literal(i, plan.nodes, plan.facts) {
        let amount = plan.nodes.data[bare(NodeId::new(plan.facts.end[i.plus(1)]), plan.nodes)] & 31;
        return node(depth, Kind::VectorUnary, Type::Float, lanes.data(cpu, 0, amount));
    }
    let mut vector = Kind::VectorBinary;
    if lanes == Lanes::Select {
        vector = Kind::VectorSelect;
    } else if kind.is_unary() {
        vector = Kind::VectorUnary;
    }
    node(depth, vector, Type::Float, lanes.data(cpu, 0, 0))
}

/// Returns node `k` of the nodes of a node in a loop over vectors, in run [`VECTOR`], [`AGAIN`] or [`SINGLE`].
#[device]
fn in_loop(i: NodeId, k: u32, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let last = length(i, VECTOR, plan.nodes, plan.facts, plan.verdicts, plan.registers) - 1;
    let depth = plan.sizes.depth[i] + k - last;
    let kind = plan.nodes.kind[i];
    let place = plan.facts.context[i].place;
    if place == Use::Loop {
        return node(depth, Kind::VectorLoop, Type::Void, step(run, f, plan, cpu));
    }
    if place == Use::Body {
        return node(depth, Kind::Block, Type::Void, 0);
    }
    if place == Use::Count {
        if k == 1 {
            return all_elements(f, depth, plan);
        }
        let before = if run == SINGLE { step(VECTOR, f, plan, cpu) } else { 0 };
        return node(depth, Kind::VectorCount, Type::Int, counted(step(run, f, plan, cpu), before));
    }
    let converts = converts(i, plan.nodes, plan.facts) as u32;
    if k < converts {
        let lanes = if is_mask(kind) { Lanes::TruthOfMask } else { Lanes::MaskOfInt };
        return node(depth, Kind::VectorUnary, Type::Float, lanes.data(cpu, 0, 0));
    }
    if k > converts && replaces_nan(i, plan.nodes, plan.facts, plan.verdicts) {
        return node(depth, Kind::VectorUnary, Type::Float, Lanes::Canonical.data(cpu, 0, 0));
    }
    if place == Use::Value {
        return value(i, depth, run, f, plan, cpu);
    }
    let data =
        if kind.is_access() { access_data(i, run, f, plan, cpu) } else { Lanes::Hold.data(cpu, held(i, f, plan), 0) };
    node(depth, Kind::VectorWrite, Type::Float, data)
}

/// Returns the operator that combines the reduction so far with that of the lanes.
#[device]
fn combination(reduction: Lanes) -> Kind {
    match reduction {
        Lanes::ProductAll => Kind::Mul,
        Lanes::XorAll => Kind::Xor,
        _ => Kind::Add,
    }
}

/// Returns node `k` of the nodes after loop `f` that a node has.
#[device]
fn after(i: NodeId, k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let depth = plan.nodes.depth[f];
    let all = reduction(i, plan.nodes, plan.facts);
    let more = combined(i, plan.nodes, plan.facts) - 4;
    let variable = declaration(NodeId::new(plan.nodes.data[i]), plan);
    if k == 0 {
        return node(depth, Kind::Expression, Type::Void, 0);
    }
    if k == 1 {
        return node(depth + 1, Kind::Assign, Type::Int, variable);
    }
    if (k == 2) & (more > 0) {
        return node(depth + 2, combination(all), Type::Int, 0);
    }
    if (k == 3) & (more > 0) {
        return node(depth + 3, Kind::Name, Type::Int, variable);
    }
    let inner = depth + 2 + more / 2;
    if k == 2 + more {
        return node(inner, Kind::VectorReduce, Type::Float, all.data(cpu, 0, 0));
    }
    node(inner + 1, Kind::VectorRead, Type::Float, Lanes::Held.data(cpu, held(i, f, plan), 0))
}

/// Returns node `k` of the nodes of a node in the loop over the rest.
#[device]
fn in_rest(i: NodeId, k: u32, f: NodeId, plan: &Plan) -> Node {
    let depth = plan.nodes.depth[i];
    match plan.facts.context[i].place {
        Use::Loop => return node(depth, Kind::For, Type::Void, 0),
        Use::Count => {
            return match k {
                0 => node(depth, Kind::Count, plan.nodes.ty[i], plan.nodes.data[i]),
                1 => node(depth + 1, Kind::Sub, Type::Int, 0),
                2 => all_elements(f, depth + 2, plan),
                _ => whole_elements(f, depth + 2, plan),
            };
        }
        Use::Index => {
            return match k {
                0 => node(depth, Kind::Add, Type::Int, 0),
                1 => whole_elements(f, depth + 1, plan),
                _ => copied(i, depth + 1, plan),
            };
        }
        _ => {}
    }
    copied(i, depth, plan)
}

/// Returns new node `k` of row `r`, run `r % RUNS` of node `r / RUNS`: its index, its depth, kind, type and data, and the old node that it
/// belongs to.
#[device(expand)]
pub fn written(r: usize, k: u32, plan: &Plan, cpu: Cpu) -> (u32, u32, Kind, Type, u32, u32) {
    let i = NodeId::new(r as u32 / RUNS);
    let run = r as u32 % RUNS;
    let f = changed_loop(i, plan.facts, plan.registers);
    let to = position_of(i, run, f, plan.facts, plan.sizes) + k;
    let mut new = copied(i, plan.nodes.depth[i], plan);
    if !f.is_none() {
        new = match run {
            BEFORE => before(i, k, f, plan, cpu),
            VECTOR | AGAIN | SINGLE => in_loop(i, k, run, f, plan, cpu),
            AFTER => {
                let own = length(i, AFTER, plan.nodes, plan.facts, plan.verdicts, plan.registers);
                let ends = (i.get() + 1 == plan.facts.end[f]) & (k + 1 == own);
                if ends {
                    node(plan.nodes.depth[f], Kind::VectorEnd, Type::Void, Lanes::Hold.data(cpu, 0, 0))
                } else {
                    after(i, k, f, plan, cpu)
                }
            }
            _ => in_rest(i, k, f, plan),
        };
    }
    (to, new.depth, new.kind, new.ty, new.data, i.get())
}

/// Returns the position of a new node in the sources.
#[device(map)]
pub fn position(k: usize, origins: &[u32], positions: &[u32]) -> u32 {
    positions[origins[k] as usize]
}
