//! Expression flattening: nodes become rows in evaluation order, one operation each (Key paper, section 4.2).
//!
//! ```text
//! x = a + f[b, 1];     preorder   assign add name(a) call arg name(b) arg literal(1)
//!                      rows       name(a) name(b) literal(1) arg arg call add assign
//!                      operand                            1   2       0
//! ```
//!
//! Rows are in postorder, which follows from a node's subtree end and depth, except for arguments. The rows of a call's
//! arguments move their values to where the callee expects them. They come together directly before the call, when
//! all values are computed. So a node in argument k of a call moves k rows forward, for each call around it. A walk down
//! adds these up.
//!
//! The same walk finds dead expressions (Pareas, sections 3.4 and 4.5), in one walk instead of a fixpoint:
//!
//! ```text
//! f[1] + x * 2;     dead: + * x 2     discarded: the value of f[1], whose call stays     needed: 1
//! ```
//!
//! A value is unused if the nearest node above it that is not pure is an expression statement. A pure node with an
//! unused value is dead. The row of a dead node becomes EMPTY. A call or assignment stays, and its value is discarded.
//!
//! If variables have registers, the condition of a `while` comes after its body. So an iteration has one branch and no jump. The row of the
//! block becomes the first of the loop and jumps to the condition:
//!
//! ```text
//! while a { b; c; }    a, else to end    b    c    block: to a
//!                      block: to a    b    c    a, again from b
//! ```
//!
//! Each row gets a role, which is the use of its value. It also gets the row of its left operand (another
//! operand is the row before), and the row that it jumps to or that uses its value. Comparisons get the type of their
//! operands.
//!
//! If variables have registers, rows get the forms that instructions for them have. The rows of these variables have kinds of their own. A
//! literal that an instruction can contain becomes a part of the row that uses it, and its own row becomes EMPTY. On RISC-V, a comparison of
//! ints whose value only a branch uses becomes a part of the branch.
//!
//! On x86-64, each operation on floats learns whether any row depends on the bits of a NaN that it yields.
//!
//! Cost: work O(n), one walk, one scatter, one map of 23 bytes per row.
//! Source: Key paper and Pareas as above. A test shows that treepar's `dee` finds the same dead expressions.

use treepar::device::device;
use treepar::monoid::index_u32;
use treepar::{Backend, Result};

use crate::ir::held::{held_data, held_register, held_slot, is_held};
use crate::ir::kinds::{BY_BRANCH, FIRST_EXTENT, Kind, Role, Type};
use crate::ir::nodes::{Functions, Lifted, NodeId, Nodes, Structure, Variables};
use crate::ir::positions::{AS_BEFORE, Positions};
use crate::ir::row_form::{RowForm, contained, with_literal};
use crate::ir::rows::{Heads, Row, RowId, Rows, before};

/// The forest, with the context that a walk passes down and the row of each node.
#[device(columns(Paths, index = NodeId))]
struct Path {
    parent: u32,
    end: u32,
    context: u32,
    row: u32,
}

/// The forest.
#[device(tables)]
struct Forest {
    parent: &[u32],
    end: &[u32],
}

/// Returns whether node `i` is the condition or the body of a `while`.
#[device]
fn is_in_while(i: NodeId, nodes: &Nodes, forest: &Forest) -> bool {
    let p = NodeId::new(forest.parent[i.index()]);
    !p.is_none() && nodes.kind[p] == Kind::While
}

/// Returns whether node `i`, which is in a `while`, is its condition.
#[device]
fn is_tested(i: NodeId, forest: &Forest) -> bool {
    forest.parent[i.index()] + 1 == i.get()
}

/// Passed from parent to child. Bit 0: the values below are unused. Other bits: the number of rows by which the
/// subtree moves forward, less than 0 if it moves backward: because of arguments around it, and if `turns`, because of loops.
#[device(walk_down)]
fn context(i: NodeId, parent: u32, nodes: &Nodes, forest: &Forest, turns: bool) -> u32 {
    let kind = nodes.kind[i];
    let mut moves = if kind == Kind::Arg { nodes.data[i] } else { 0 };
    if turns && is_in_while(i, nodes, forest) {
        let p = forest.parent[i.index()] as usize;
        // The condition moves behind the body. The statements move to its rows but the first, which the block gets.
        moves = if is_tested(i, forest) {
            forest.end[i.index()].wrapping_sub(forest.end[p])
        } else {
            i.get() - p as u32 - 2
        };
    }
    let unused_below = (kind.is_pure() & ((parent & 1) != 0)) | (kind == Kind::Expression);
    (moves_of(parent).wrapping_add(moves)) << 1 | unused_below as u32
}

/// Returns the number of rows by which a subtree with a context moves forward.
#[device]
fn moves_of(context: u32) -> u32 {
    (context as i32 >> 1) as u32
}

/// Returns the row of each node.
#[device(map)]
fn row(i: NodeId, nodes: &Nodes, forest: &Forest, context: &[u32], parameters: &[u32], turns: bool) -> u32 {
    let is_argument = nodes.kind[i] == Kind::Arg;
    let after = if is_argument { NodeId::new(forest.parent[i.index()]) } else { i };
    let row = (forest.end[after.index()] - 1 - nodes.depth[after]).wrapping_sub(moves_of(context[after.index()]));
    if is_argument {
        return row - parameters[nodes.data[after] as usize] + nodes.data[i];
    }
    let is_turned = turns && is_in_while(i, nodes, forest) && !is_tested(i, forest);
    if is_turned { row - (forest.end[i.index()] - i.get()) } else { row }
}

/// Returns the role of node `i` with parent `p`. A FOR is a condition too: control continues in its body if there is another
/// iteration.
#[device]
fn role_of(i: NodeId, p: NodeId, nodes: &Nodes, paths: &Paths, turns: bool) -> Role {
    let above = nodes.kind[p];
    let is_unused = (paths.context[p] & 1) != 0;
    if turns & (above == Kind::While) & (i.get() == p.get() + 1) {
        return Role::Again;
    }
    if nodes.kind[i].is_value() {
        return if is_unused { Role::Discarded } else { Role::below(above) };
    }
    if nodes.kind[i].is_counted() {
        return Role::Condition;
    }
    if nodes.kind[i] == Kind::Then {
        return Role::Jump;
    }
    let is_second = (above == Kind::IfElse || above == Kind::While) && paths.end[p.plus(1)] == i.get();
    if is_second { Role::Jump } else { Role::None }
}

/// Returns the target of node `i` with role `role` and parent `p`.
#[device]
fn target_of(i: NodeId, p: NodeId, role: Role, nodes: &Nodes, paths: &Paths, turns: bool) -> u32 {
    // Most nodes take the first way out.
    if (role != Role::Argument) & (role != Role::Jump) & !role.branches() {
        return paths.row[p];
    }
    if role == Role::Again {
        // To the first row after the block's.
        return paths.row[NodeId::new(paths.end[i])] + 1;
    }
    if role == Role::Argument {
        return paths.row[NodeId::new(paths.parent[p])];
    }
    if turns && nodes.kind[p] == Kind::While {
        // To the first row of the condition's subtree.
        return paths.row[p.plus(1)] - (paths.end[p.plus(1)] - p.get() - 2);
    }
    if nodes.kind[p] == Kind::While && role == Role::Jump {
        // Back to the first row of the loop's subtree.
        return paths.row[p] - (paths.end[p] - p.get() - 1);
    }
    if nodes.kind[i].is_counted() {
        // To the first row of the body, which follows the COUNT.
        return paths.row[i.plus(1)] + 1;
    }
    if nodes.kind[p].is_counted() && role == Role::Condition {
        return paths.row[p] + 1;
    }
    if nodes.kind[p] != Kind::While && role == Role::Condition {
        // Past the first block and the jump at its end.
        return paths.row[NodeId::new(paths.end[i])] + 1;
    }
    paths.row[p]
}

/// Returns the first child of a node that has one.
#[device]
fn first_child(i: NodeId) -> NodeId {
    i.plus(1)
}

/// Returns whether node `i` is a literal that the instruction of node `p` contains, its right operand.
#[device]
fn is_contained(i: NodeId, p: NodeId, nodes: &Nodes, form: RowForm) -> bool {
    (nodes.kind[i] == Kind::Literal)
        & (nodes.ty[i] == Type::Int)
        & (i.get() != p.get() + 1)
        & form.contains(nodes.kind[p], nodes.data[i])
}

/// Returns whether no row depends on the bits of a NaN that is an operand of node `p`.
#[device]
fn ignores_nan_bits(p: NodeId, nodes: &Nodes, variables: &Variables, turns: bool) -> bool {
    let kind = nodes.kind[p];
    if !turns {
        return kind.ignores_nan_bits(nodes.ty[p]);
    }
    let is_assignment = kind == Kind::Assign;
    let variable = if is_assignment { NodeId::new(variables.data[p]) } else { p };
    let data = variables.data[variable];
    let is_unseen = is_held(data) & (held_slot(data) != 0);
    kind.ignores_nan_bits(nodes.ty[p]) | ((is_assignment | (kind == Kind::Declare)) & is_unseen)
}

/// Returns row `r`.
#[device(map)]
fn flat(r: RowId, node: &[u32], nodes: &Nodes, variables: &Variables, paths: &Paths, form: RowForm) -> Row {
    let i = NodeId::new(node[r.index()]);
    let own = nodes.kind[i];
    let p = NodeId::new(paths.parent[i]);
    let mut role = Role::None;
    let mut target = 0u32;
    let mut is_empty = false;
    let mut ignores_nan = false;
    // Only then are variables in registers, and literals in instructions.
    let turns = form.has_registers();
    if !p.is_none() {
        role = role_of(i, p, nodes, paths, turns);
        target = target_of(i, p, role, nodes, paths, turns);
        is_empty = ((role == Role::Discarded) & own.is_pure())
            | ((own == Kind::Param) & (nodes.kind[p] == Kind::Extern))
            | (turns && is_contained(i, p, nodes, form));
        ignores_nan = form.yields_any_nan() && ignores_nan_bits(p, nodes, variables, turns);
    }
    let kind = if is_empty { Kind::Empty } else { own };
    // The first operand of a row with two, and the declaration of a variable: each read from one of two nodes.
    let ty = nodes.ty[if kind.is_comparison() { i.plus(1) } else { i }];
    let takes_first = kind.has_two_operands() | (kind == Kind::Arg);
    let first = if takes_first { i.plus(1) } else { i };
    let named = if own.is_variable() { NodeId::new(variables.data[i]) } else { i };
    let declared = if own == Kind::For { first_child(i) } else { named };
    let right = before(r);
    let mut data = variables.data[declared];
    let mut aux = variables.aux[i];
    let mut kind = kind;
    if turns && kind.is_holdable() && is_held(data) {
        if (own == Kind::Data) | (own == Kind::Extent) {
            data = held_data(held_register(data) as u32, if own == Kind::Extent { FIRST_EXTENT } else { 0 });
        }
        // An assignment has a value.
        aux |= (own == Kind::Assign) as u32;
        kind = own.held();
    }
    if turns && kind.takes_literal() {
        let literal = NodeId::new(node[right.index()]);
        if is_contained(literal, i, nodes, form) && paths.parent[literal] == i.get() {
            data = contained(own, nodes.data[literal]);
            aux = 1;
            kind = with_literal(own);
        }
    }
    if turns & (own == Kind::Block) & (role == Role::Jump) {
        aux = (nodes.kind[p] == Kind::While) as u32;
    }
    if form == RowForm::HeldRiscv32 {
        let compares_ints = kind.is_comparison() & (ty == Type::Int) & (aux == 0);
        aux = if compares_ints & role.branches() { BY_BRANCH } else { aux };
    }
    aux |= (ignores_nan & kind.yields_nan() & ty.is_float()) as u32;
    Row {
        kind,
        ty,
        role,
        data,
        aux,
        operand: if takes_first { RowId::new(paths.row[first]) } else { right },
        target: RowId::new(target),
    }
}

/// Returns the position of row `r`. A jump at the end of a block belongs to the last statement of the block, a jump to the condition of a
/// loop to this condition, and an instruction that contains a literal to the literal.
#[device(map)]
fn position(r: RowId, rows: &Rows, node: &[u32], positions: &[u32]) -> u32 {
    let has_literal = rows.kind[r].has_literal(rows.ty[r], rows.aux[r]);
    let enters = rows.kind[r].enters_loop(rows.aux[r]);
    let other = if enters { rows.target[r] } else { before(r) };
    let of = if enters | has_literal { other } else { r };
    if (rows.role[r] == Role::Jump) & !enters { AS_BEFORE } else { positions[node[of.index()] as usize] }
}

/// Functions are the roots. A function has as many rows as nodes, so its first row has the number of its first node.
#[device(compact)]
fn is_root(i: NodeId, nodes: &Nodes) -> bool {
    nodes.depth[i] == 0
}

/// Returns the first row of each function.
pub fn heads<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<Heads<B>> {
    Ok(Heads { row: backend.compact(is_root::of(&lifted.nodes))? })
}

/// Turns nodes into rows of a form.
pub fn flatten<B: Backend>(
    backend: &B,
    form: RowForm,
    lifted: Lifted<B>,
    variables: Variables<B>,
    functions: &Functions<B>,
    positions: &mut Positions<B>,
) -> Result<Rows<B>> {
    let Lifted { nodes, structure: Structure { parent, end }, .. } = lifted;
    let n = nodes.len();
    let turns = form.has_registers();
    let forest = ForestOn { parent: parent.column(), end: &end };
    let context = backend.walk_down(&parent, 0, context::of(&nodes, &forest, turns))?;
    let row = backend.map(row::of(&nodes, &forest, &context, &functions.parameters, turns).rows(n))?;
    let parent = parent.into_column();
    let mut node = backend.allocate(n)?;
    backend.scatter(&mut node, &row, &backend.map(index_u32::of().rows(n))?)?;
    let paths = Paths { parent, end, context, row };
    let rows = backend.map(flat::of(&node, &nodes, &variables, &paths, form).rows(n))?;
    positions.change(|of_nodes| backend.map(position::of(&rows, &node, of_nodes)))?;
    Ok(rows)
}
