//! The lives of variables that can have registers.
//!
//! ```text
//! nodes      0 while     1 b    2 block   4 declare rest   8 assign a  9 b    10 assign b  11 rest    (of the example)
//! uses       variable    node   end of the row that takes the value, or of the outermost loop without the declaration
//! life       declare     the greatest end of its uses
//! ```
//!
//! Uses are sorted by variable. The end of a life is a maximum over them.
//!
//! Lives x and y overlap if y begins within x and ends after it. Then x is extended to the end of y. The first life after x that
//! ends later is y; if y begins within x, x ends where y ends after it is extended itself. So one search and one walk extend all. A test
//! compares this with repeated extension.

use treepar::backend::Offsets;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Lifted, NodeId, Nodes};
use crate::target::Target;
use crate::target::riscv::registers::ARGUMENTS;
use crate::target::x86_64::registers::INT_ARGUMENTS;

/// The statements and expressions around a node.
#[device]
pub struct Around {
    /// The innermost node here or above that is not the first operand of the node around it. Values of operands before it wait.
    waits: u32,
    /// The innermost loop around whose trips repeat the node, [`NO_NODE`] outside of loops. The number of iterations of a `for` is
    /// outside.
    innermost: u32,
    /// The innermost loop that contains the node.
    within: u32,
    /// Bit 0: a call is around. Bit 1: this part may not run, and is not in a block there. From bit 2 on: the number of loops around.
    flags: u32,
}

/// In [`Around::flags`].
const IN_CALL: u32 = 1;
const MAY_NOT_RUN: u32 = 2;
const LOOP: u32 = 4;

#[device(walk_down)]
fn around(i: NodeId, above: Around, kinds: &[Kind], types: &[Type], parents: &[u32]) -> Around {
    let parent = parents[i.index()];
    if parent == NO_NODE {
        return Around { waits: i.get(), innermost: NO_NODE, within: NO_NODE, flags: 0 };
    }
    let own = kinds[i.index()];
    let kind = kinds[parent as usize];
    let is_first = i.get() == parent + 1;
    let waits = !is_first & (kind.has_two_operands() | (kind == Kind::Call));
    let in_loop = kind.is_loop() & (own != Kind::Count);
    let branches = !is_first & ((kind == Kind::If) | (kind == Kind::IfElse) | (kind == Kind::Choose));
    let mut flags = above.flags + LOOP * in_loop as u32;
    if kind.is_call(types[parent as usize]) {
        flags |= IN_CALL;
    }
    if branches {
        flags |= MAY_NOT_RUN;
    }
    if own == Kind::Block {
        flags &= !MAY_NOT_RUN;
    }
    Around {
        waits: if waits { i.get() } else { above.waits },
        innermost: if in_loop { parent } else { above.innermost },
        within: if kind.is_loop() { parent } else { above.within },
        flags,
    }
}

/// An index of a variable that can have a register, in the order of declarations.
#[device(index)]
pub struct LifeId(u32);

/// The life of a variable.
#[device(columns(Lives, index = LifeId))]
pub struct Life {
    /// The declaration.
    pub node: u32,
    /// The first node after the life.
    pub end: u32,
    /// The class of its weight, from 1 to [`CLASSES`] - 1.
    pub class: u32,
    /// 1 for a float.
    pub is_float: u32,
    /// 1 if a call is in it, or an operation on vectors.
    pub has_call: u32,
    /// 1 if a row may depend on the bits of its value if that is NaN.
    pub shows_nan: u32,
}

/// The number of classes of weights.
pub const CLASSES: u32 = 16;

/// The facts about some uses of a variable.
#[device]
pub struct Used {
    /// The first node after them.
    end: u32,
    /// Their weight.
    weight: u32,
    /// 1 if the variable stays in the frame.
    stays: u32,
    /// 1 if one of them may depend on the bits of a NaN.
    shows_nan: u32,
}

/// The greatest weight.
const MOST_WEIGHT: u32 = 1 << 28;

#[device(monoid(identity = Used { end: 0, weight: 0, stays: 0, shows_nan: 0 }))]
fn together(a: Used, b: Used) -> Used {
    Used {
        end: a.end.max(b.end),
        weight: (a.weight + b.weight).min(MOST_WEIGHT),
        stays: a.stays | b.stays,
        shows_nan: a.shows_nan | b.shows_nan,
    }
}

#[device(compact)]
fn is_use(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_variable()
}

#[device(compact)]
fn is_declared(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Param) | nodes.kind[i].is_declaration()
}

#[device(compact)]
fn changes_registers(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].changes_registers(nodes.ty[i])
}

#[device(compact)]
fn is_loop(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_loop()
}

/// Returns the variable of use `k`.
#[device(map)]
fn variable(k: usize, uses: &[u32], nodes: &Nodes) -> u32 {
    nodes.data[NodeId::new(uses[k])]
}

/// Returns one more than the loop that contains loop `k`, 0 if there is none. Loops with the same number have nothing in common.
#[device(map)]
fn loop_around(k: usize, loops: &[u32], around: &[Around]) -> u32 {
    around[loops[k] as usize].within.wrapping_add(1)
}

/// Returns the number of rows below `limit` in a rising column.
#[device]
pub fn rows_below(column: &[u32], limit: u32) -> u32 {
    let mut low = 0usize;
    let mut high = column.len();
    while low < high {
        let middle = (low + high) / 2;
        if column[middle] < limit {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as u32
}

/// Returns the first use of declaration `v`.
#[device(map)]
fn first_use(v: usize, declarations: &[u32], variables: &[u32]) -> u32 {
    rows_below(variables, declarations[v])
}

/// Returns the end of the row that takes the value of node `u`.
#[device]
fn taken(u: NodeId, nodes: &Nodes, parents: &[u32], ends: &[u32]) -> u32 {
    let parent = parents[u.index()];
    // All arguments of a call move together.
    let is_argument = nodes.kind[NodeId::new(parent)] == Kind::Arg;
    let user = if is_argument { parents[parent as usize] } else { parent };
    ends[user as usize]
}

/// Returns the end of the outermost loop around node `u` that is in the loop `outside`, 0 if `u` is in no further loop. `loops` are
/// sorted by the loops around them, which are `outer`.
#[device]
fn loop_end(u: u32, outside: u32, outer: &[u32], loops: &[u32], ends: &[u32]) -> u32 {
    let key = outside.wrapping_add(1);
    let mut low = 0usize;
    let mut high = loops.len();
    while low < high {
        let middle = (low + high) / 2;
        if (outer[middle] < key) | ((outer[middle] == key) & (loops[middle] <= u)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low == 0 || outer[low - 1] != key {
        return 0;
    }
    let end = ends[loops[low - 1] as usize];
    if end > u { end } else { 0 }
}

/// Returns the facts that use `k` in the order of variables shows.
#[device(segmented_scan(together))]
fn used(
    k: usize,
    uses: &[u32],
    variables: &[u32],
    outer: &[u32],
    loops: &[u32],
    nodes: &Nodes,
    hops: &[u32],
    parents: &[u32],
    ends: &[u32],
    around: &[Around],
) -> Used {
    let u = NodeId::new(uses[k]);
    let v = NodeId::new(variables[k]);
    let kind = nodes.kind[u];
    let here = around[u.index()];
    let outside = around[v.index()].innermost;
    let taken = taken(u, nodes, parents, ends);
    let in_loop = if here.innermost == outside { 0 } else { loop_end(u.get(), outside, outer, loops, ends) };
    let is_overwritten = (kind == Kind::Assign) & (here.waits > v.get());
    let reaches_out = (hops[u.index()] > 0) | (kind == Kind::Address);
    Used {
        end: taken.max(in_loop),
        weight: 1 << (3 * (here.flags / LOOP).min(6)),
        stays: (is_overwritten | reaches_out) as u32,
        shows_nan: shows_nan(u, nodes, parents) as u32,
    }
}

/// Returns whether the node around node `u` may depend on the bits of its value if that is NaN. A statement does not use the value of
/// an assignment.
#[device]
fn shows_nan(u: NodeId, nodes: &Nodes, parents: &[u32]) -> bool {
    let parent = NodeId::new(parents[u.index()]);
    let above = nodes.kind[parent];
    let is_statement = (above == Kind::Expression) & ((nodes.kind[u] == Kind::Assign) | (nodes.kind[u] == Kind::Declare));
    !(above.ignores_nan_bits(nodes.ty[parent]) | is_statement)
}

/// Returns whether variable `v` can have a register.
#[device(compact)]
fn can_have_register(
    v: usize,
    declarations: &[u32],
    used: &[Used],
    nodes: &Nodes,
    parents: &[u32],
    around: &[Around],
    target: Target,
) -> bool {
    let i = NodeId::new(declarations[v]);
    let ty = nodes.ty[i];
    let all = if target == Target::X86_64 { INT_ARGUMENTS } else { ARGUMENTS };
    // A function begins with its header.
    let arrives = (nodes.kind[i] != Kind::Param) || i.get() - parents[i.index()] < 2 + all;
    ((ty == Type::Int) | (ty == Type::Float))
        & (used[v].weight != 0)
        & (used[v].stays == 0)
        & ((around[i.index()].flags & MAY_NOT_RUN) == 0)
        & arrives
}

/// Returns the end of the life of the variable in row `kept[k]`, before lives are extended.
#[device(map)]
fn own_end(
    k: usize,
    kept: &[u32],
    declarations: &[u32],
    used: &[Used],
    nodes: &Nodes,
    parents: &[u32],
    ends: &[u32],
) -> (u32, u32) {
    let v = kept[k] as usize;
    let i = NodeId::new(declarations[v]);
    let is_parameter = nodes.kind[i] == Kind::Param;
    // A counter lives until the end of its loop, and a declaration can be a value too.
    let own = if is_parameter { ends[i.index()] } else { taken(i, nodes, parents, ends) };
    (i.get(), own.max(used[v].end))
}

/// Returns a key of life `k` from the end, which is smaller for a later end.
#[device(map)]
fn end_key(k: usize, ends: &[u32]) -> u32 {
    NO_NODE - ends[ends.len() - 1 - k]
}

/// Returns the extended end of life `k` from the end. `above` is that of the life that begins next and ends later.
#[device(walk_down)]
fn extended(k: usize, above: u32, later: &[u32], nodes: &[u32], ends: &[u32]) -> u32 {
    let last = ends.len() - 1;
    let end = ends[last - k];
    let next = later[k];
    if next != NO_NODE && nodes[last - next as usize] < end { above } else { end }
}

/// Returns the life of the variable in row `kept[k]`.
#[device(map)]
fn life(
    k: usize,
    kept: &[u32],
    declarations: &[u32],
    used: &[Used],
    extended: &[u32],
    calls: &[u32],
    nodes: &Nodes,
    parents: &[u32],
    ends: &[u32],
    around: &[Around],
) -> Life {
    let v = kept[k] as usize;
    let i = NodeId::new(declarations[v]);
    let end = extended[kept.len() - 1 - k];
    let is_in_call = (around[i.index()].flags & IN_CALL) != 0;
    // Calls in the value come before the variable has it.
    let before = rows_below(calls, ends[i.index()]);
    Life {
        node: i.get(),
        end,
        class: (32 - used[v].weight.leading_zeros()).min(CLASSES - 1),
        is_float: (nodes.ty[i] == Type::Float) as u32,
        has_call: (is_in_call || rows_below(calls, end) > before) as u32,
        shows_nan: used[v].shows_nan | ((nodes.kind[i] == Kind::Declare) & shows_nan(i, nodes, parents)) as u32,
    }
}

/// Returns the ends of lives that are extended until they nest, from the last to the first. Lives begin at rising nodes.
fn extend<B: Backend>(backend: &B, nodes: &B::Vec<u32>, ends: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    let later = backend.previous_smaller(&backend.map(end_key::of(ends).rows(ends.len()))?)?;
    backend.walk_down(&later, 0, extended::of(later.column(), nodes, ends))
}

/// Returns the lives of the variables that can have registers.
pub fn lives<B: Backend>(backend: &B, target: Target, lifted: &Lifted<B>) -> Result<Lives<B>> {
    let Lifted { nodes, structure, hops } = lifted;
    let parents = structure.parent.column();
    let top = Around { waits: 0, innermost: NO_NODE, within: NO_NODE, flags: 0 };
    let around = backend.walk_down(&structure.parent, top, around::of(&nodes.kind, &nodes.ty, parents))?;
    let declarations = backend.compact(is_declared::of(nodes))?;
    let uses = backend.compact(is_use::of(nodes))?;
    let calls = backend.compact(changes_registers::of(nodes))?;
    let loops = backend.compact(is_loop::of(nodes))?;
    let (outer, loops) = backend.sort_by_key(&backend.map(loop_around::of(&loops, &around))?, &loops)?;
    let (variables, uses) = backend.sort_by_key(&backend.map(variable::of(&uses, nodes))?, &uses)?;
    let first = backend.map(first_use::of(&declarations, &variables))?;
    let first = Offsets::assume(backend, &first, uses.len())?;
    let ends = &structure.end;
    let of_uses = used::of(&uses, &variables, &outer, &loops, nodes, hops, parents, ends, &around);
    let used = backend.segmented_reduce_from(&first, of_uses, together)?;
    let kept = can_have_register::of(&declarations, &used, nodes, parents, &around, target);
    let kept = backend.compact(kept.rows(declarations.len()))?;
    let (node, end) = backend.map(own_end::of(&kept, &declarations, &used, nodes, parents, ends))?;
    let extended = extend(backend, &node, &end)?;
    let found = life::of(&kept, &declarations, &used, &extended, &calls, nodes, parents, ends, &around);
    backend.map(found.rows(kept.len()))
}

#[cfg(test)]
mod tests {
    use treepar::{Backend, Cpu};

    /// Returns the ends after each life is extended by the lives that begin in it, until nothing changes.
    fn repeated(lives: &[(u32, u32)]) -> Vec<u32> {
        let mut ends: Vec<u32> = lives.iter().map(|&(_, end)| end).collect();
        loop {
            let before = ends.clone();
            for i in 0..lives.len() {
                for j in i + 1..lives.len() {
                    if lives[j].0 < ends[i] {
                        ends[i] = ends[i].max(ends[j]);
                    }
                }
            }
            if ends == before {
                return ends;
            }
        }
    }

    #[test]
    fn extension_equals_repeated_extension() {
        let cpu = Cpu::with_threads(2);
        let mut state = 1u64;
        let mut draw = |limit: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % limit
        };
        for case in 0..2_000 {
            let count = draw(if case % 100 == 0 { 300 } else { 9 });
            let mut at = 0;
            let lives: Vec<(u32, u32)> = (0..count)
                .map(|_| {
                    at += 1 + draw(3);
                    (at, at + 1 + draw(if case % 3 == 0 { 30 } else { 6 }))
                })
                .collect();
            let (nodes, ends): (Vec<u32>, Vec<u32>) = lives.iter().copied().unzip();
            let (nodes, ends) = (cpu.upload(&nodes).unwrap(), cpu.upload(&ends).unwrap());
            let mut found = cpu.download(&super::extend(&cpu, &nodes, &ends).unwrap()).unwrap();
            found.reverse();
            assert_eq!(found, repeated(&lives), "{lives:?}");
        }
    }
}
