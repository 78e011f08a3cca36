//! The new nodes.

use treepar::device::device;

use super::context::{Facts, Use, bare, is_marked};
use super::lanes::{
    access, converts, in_memory, is_idempotent, is_mask, is_shift_by_literal, neutral, of_accumulators, operation,
    reduction, scale_of_access, splat,
};
use super::registers::{Registers, is_invariant, is_unrolled};
use super::sizes::{
    AFTER, AGAIN, BEFORE, FILLED, REST, RUNS, SINGLE, Sizes, VECTOR, changed_loop, combined, counted, is_doubled, own,
    position as position_of, vector_of, watches,
};
use super::verdict::{Verdicts, replaces_nan};
use crate::ir::kinds::{Kind, Type};
use crate::ir::lanes::{Cpu, Lanes, counts, with_memory};
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

/// Returns whether a run has the second accumulators.
#[device]
fn is_second(run: u32) -> bool {
    vector_of(run) & 1 != 0
}

/// Returns the number of the held vector with the reduction so far in a run.
#[device]
fn accumulator(assign: NodeId, run: u32, f: NodeId, plan: &Plan) -> u32 {
    if is_second(run) & is_doubled(assign, plan.facts, plan.registers) {
        return plan.registers.second[f] + plan.registers.reductions[assign] - plan.registers.reductions[f];
    }
    held(assign, f, plan)
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
    let vectors = if run == SINGLE { 1 } else { plan.registers.vectors[f] };
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
    literal(neutral(all))
}

/// Returns a literal whose bits leave the elements of whole vectors.
#[device]
fn mask_of_whole(f: NodeId, depth: u32, plan: &Plan, cpu: Cpu) -> Node {
    node(depth, Kind::Literal, Type::Int, 0u32.wrapping_sub(count(f, plan, cpu)))
}

/// Returns node `k` of the number of elements of whole vectors of loop `f`: `n & -lanes`, or `n & ~(n >> 31) & -lanes` if the number `n`
/// may be negative.
#[device]
fn whole(k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let depth = plan.nodes.depth[f] + 2;
    if k == 0 {
        return node(depth, Kind::And, Type::Int, 0);
    }
    if is_marked(f, plan.nodes) {
        return if k == 1 { all_elements(f, depth + 1, plan) } else { mask_of_whole(f, depth + 1, plan, cpu) };
    }
    match k {
        1 => node(depth + 1, Kind::And, Type::Int, 0),
        2 => all_elements(f, depth + 2, plan),
        3 => node(depth + 2, Kind::Complement, Type::Int, 0),
        4 => node(depth + 3, Kind::Shr, Type::Int, 0),
        5 => all_elements(f, depth + 4, plan),
        6 => node(depth + 4, Kind::Literal, Type::Int, 31),
        _ => mask_of_whole(f, depth + 1, plan, cpu),
    }
}

/// Returns node `k` of the statement `v = if[e < v, e & -lanes, v]`, where `v` is the number of elements of whole vectors, and node `i` the
/// extent `e` of an array. So the loop over vectors has no index that is out of range, and the loop over the rest has the checks.
#[device]
fn limited(i: NodeId, k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let depth = plan.nodes.depth[f];
    let whole = whole_elements(f, depth, plan).data;
    match k {
        0 => node(depth, Kind::Expression, Type::Void, 0),
        1 => node(depth + 1, Kind::Assign, Type::Int, whole),
        2 => node(depth + 2, Kind::Choose, Type::Int, 0),
        3 => node(depth + 3, Kind::Test, Type::Int, 0),
        4 => node(depth + 4, Kind::Lt, Type::Int, 0),
        5 => copied(i, depth + 5, plan),
        6 => whole_elements(f, depth + 5, plan),
        7 => node(depth + 3, Kind::Then, Type::Int, 0),
        8 => node(depth + 4, Kind::And, Type::Int, 0),
        9 => copied(i, depth + 5, plan),
        10 => mask_of_whole(f, depth + 5, plan, cpu),
        11 => node(depth + 3, Kind::Otherwise, Type::Int, 0),
        _ => whole_elements(f, depth + 4, plan),
    }
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
        let own = counted(f, plan.nodes);
        if k >= own {
            return filled(k - own, depth, literal(NAN), 0, Lanes::SplatInt, cpu);
        }
        return whole(k - 2, f, plan, cpu);
    }
    if place == Use::Limit {
        return limited(i, k, f, plan, cpu);
    }
    if place == Use::Base {
        return copied(i, depth + 1, plan);
    }
    if plan.nodes.kind[i] == Kind::Assign {
        if k < FILLED {
            return filled(k, depth, first_number(i, plan), held(i, f, plan), Lanes::SplatInt, cpu);
        }
        let number = literal(neutral(reduction(i, plan.nodes, plan.facts)));
        return filled(k - FILLED, depth, number, accumulator(i, AGAIN, f, plan), Lanes::SplatInt, cpu);
    }
    // The operand of a base follows it.
    if (place == Use::Statement) && k < FILLED * watches(i, plan.nodes, plan.facts, plan.verdicts, plan.registers) {
        let watch = plan.registers.watch[f] + k / FILLED;
        return filled(k % FILLED, depth, literal(0), watch, Lanes::SplatInt, cpu);
    }
    if is_invariant(i, plan.nodes, plan.facts, plan.verdicts) {
        let copy = copied(i, 0, plan);
        // A literal is its bits, which need no float register.
        let ty = if copy.kind == Kind::Literal { Type::Int } else { copy.ty };
        let number = Number { data: copy.data, kind: copy.kind, ty, unused: 0u16 };
        return filled(k, depth, number, held(i, f, plan), splat(ty, bits), cpu);
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
    let assigner = NodeId::new(plan.verdicts.assigner[i]);
    if assigner.is_none() { i } else { assigner }
}

/// Returns the data of an operation on the elements of access `i` in a run: the operation, its stream, and the distance to the vector
/// in bytes.
#[device]
fn data_on(i: NodeId, lanes: Lanes, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> u32 {
    let elements = vector_of(run) * count(f, plan, cpu);
    lanes.data(cpu, stream(i, f, plan), elements << scale_of_access(plan.nodes.kind[i]))
}

/// Returns the data of an access of elements in a run.
#[device]
fn access_data(i: NodeId, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> u32 {
    data_on(i, access(plan.nodes.kind[i], plan.registers.lanes[f]), run, f, plan, cpu)
}

/// Returns a value as an operation on vectors, at a depth, in a run.
#[device]
fn value(i: NodeId, depth: u32, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let kind = plan.nodes.kind[i];
    let bits = plan.registers.lanes[f];
    if (kind == Kind::Name) | (kind == Kind::Literal) {
        let holder = holder(i, f, plan);
        let is_so_far = plan.nodes.kind[holder] == Kind::Assign;
        let number = if is_so_far { accumulator(holder, run, f, plan) } else { held(holder, f, plan) };
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
    let operand = NodeId::new(in_memory(i, plan.nodes, plan.facts, plan.verdicts, bits, cpu));
    if !operand.is_none() {
        let data = with_memory(data_on(operand, lanes, run, f, plan, cpu), scale_of_access(plan.nodes.kind[operand]));
        return node(depth, Kind::VectorUnary, Type::Float, data);
    }
    let mut vector = Kind::VectorBinary;
    if lanes == Lanes::Select {
        vector = Kind::VectorSelect;
    } else if kind.is_unary() {
        vector = Kind::VectorUnary;
    }
    node(depth, vector, Type::Float, lanes.data(cpu, 0, 0))
}

/// Returns node `k` of the nodes of a node in a loop over vectors, in one of the runs from [`VECTOR`] to [`SINGLE`].
#[device]
fn in_loop(i: NodeId, k: u32, run: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let last = own(i, VECTOR, plan.sizes) - 1;
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
            return whole_elements(f, depth, plan);
        }
        let before = if run == SINGLE { step(VECTOR, f, plan, cpu) } else { 0 };
        return node(depth, Kind::VectorCount, Type::Int, counts(step(run, f, plan, cpu), before));
    }
    let converts = converts(i, plan.nodes, plan.facts) as u32;
    if k < converts {
        let lanes = if is_mask(kind) { Lanes::TruthOfMask } else { Lanes::MaskOfInt };
        return node(depth, Kind::VectorUnary, Type::Float, lanes.data(cpu, 0, 0));
    }
    if k > converts && replaces_nan(i, plan.nodes, plan.facts, plan.verdicts) {
        if watches(i, plan.nodes, plan.facts, plan.verdicts, plan.registers) != 0 {
            let watch = plan.registers.watch[f] + is_second(run) as u32;
            return node(depth, Kind::VectorUnary, Type::Float, Lanes::Watch.data(cpu, watch, 0));
        }
        return node(depth, Kind::VectorUnary, Type::Float, Lanes::Canonical.data(cpu, 0, 0));
    }
    if place == Use::Value {
        return value(i, depth, run, f, plan, cpu);
    }
    if kind.is_access() {
        return node(depth, Kind::VectorWrite, Type::Float, access_data(i, run, f, plan, cpu));
    }
    let number = if kind == Kind::Assign { accumulator(i, run, f, plan) } else { held(i, f, plan) };
    node(depth, Kind::VectorWrite, Type::Float, Lanes::Hold.data(cpu, number, 0))
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

/// Returns node `k` of the loop after loop `f` that replaces NaNs in the array that node `i` stores to. It has no iteration unless a vector
/// that watches has a NaN.
#[device]
fn corrected(i: NodeId, k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    let depth = plan.nodes.depth[f];
    let watch = plan.registers.watch[f];
    let lanes = count(f, plan, cpu);
    let has_two = is_unrolled(f, plan.registers);
    match k {
        0 => return node(depth, Kind::VectorLoop, Type::Void, lanes),
        1 => return node(depth + 1, Kind::VectorCount, Type::Int, counts(lanes, 0)),
        2 => return node(depth + 2, Kind::And, Type::Int, 0),
        3 => return node(depth + 3, Kind::VectorReduce, Type::Float, Lanes::OrAll.data(cpu, 0, 0)),
        4 => return node(depth + 4, Kind::VectorUnary, Type::Float, Lanes::IsNan.data(cpu, 0, 0)),
        _ => {}
    }
    if has_two & (k == 5) {
        return node(depth + 5, Kind::VectorBinary, Type::Float, Lanes::AddFloat.data(cpu, 0, 0));
    }
    if has_two & (k < 8) {
        return node(depth + 6, Kind::VectorRead, Type::Float, Lanes::Held.data(cpu, watch + k - 6, 0));
    }
    match k - 2 * has_two as u32 {
        5 => node(depth + 5, Kind::VectorRead, Type::Float, Lanes::Held.data(cpu, watch, 0)),
        6 => whole_elements(f, depth + 3, plan),
        7 => node(depth + 1, Kind::Block, Type::Void, 0),
        8 => node(depth + 2, Kind::VectorWrite, Type::Float, access_data(i, SINGLE, f, plan, cpu)),
        9 => node(depth + 3, Kind::VectorUnary, Type::Float, Lanes::Canonical.data(cpu, 0, 0)),
        _ => node(depth + 4, Kind::VectorRead, Type::Float, data_on(i, Lanes::LoadWords, SINGLE, f, plan, cpu)),
    }
}

/// Returns node `k` of the nodes after loop `f` that a node has.
#[device]
fn after(i: NodeId, k: u32, f: NodeId, plan: &Plan, cpu: Cpu) -> Node {
    if plan.nodes.kind[i] != Kind::Assign {
        return corrected(i, k, f, plan, cpu);
    }
    let depth = plan.nodes.depth[f];
    let all = reduction(i, plan.nodes, plan.facts);
    let more = combined(i, plan.nodes, plan.facts);
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
    let is_doubled = is_doubled(i, plan.facts, plan.registers);
    if is_doubled & (k == 3 + more) {
        return node(inner + 1, Kind::VectorBinary, Type::Float, of_accumulators(all).data(cpu, 0, 0));
    }
    let number = if is_doubled & (k == 5 + more) { accumulator(i, AGAIN, f, plan) } else { held(i, f, plan) };
    node(inner + 1 + is_doubled as u32, Kind::VectorRead, Type::Float, Lanes::Held.data(cpu, number, 0))
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
        Use::Index | Use::Checked => {
            if plan.nodes.kind[i] == Kind::CheckIndex {
                return copied(i, depth, plan);
            }
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
            VECTOR..=SINGLE => in_loop(i, k, run, f, plan, cpu),
            AFTER => {
                let is_last = k + 1 == own(i, AFTER, plan.sizes);
                let ends = (i.get() + 1 == plan.facts.end[f]) & is_last;
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
