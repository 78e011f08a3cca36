//! Returns: functions whose end can be reached although they have a value.
//!
//! ```text
//! fn f[x: int]: int {          block: falls if all its statements fall       no
//!     if x { return 1; }       if without else: falls                        yes
//!     while 1 { }              loop: falls unless its condition is a literal that is true    no
//! }
//! ```
//!
//! A statement *falls* if the statement after it can be reached. If the body of each function with a value ends with a
//! `return`, this pass is not needed. Otherwise one walk up over the statements decides, as the sequential front end
//! does: a condition is known only if it is a literal.
//!
//! Cost: work O(n), one compact, one map, one search, one walk of h steps and one reduce over statements; 1 byte per node.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::nodes::NodeId;
use crate::ir::syntax::TreeNodes;

/// No row and no node.
const NONE: u32 = u32::MAX;

/// The statements that matter. Others fall.
const STATEMENTS: Kinds =
    Kinds::of(&[Kind::Function, Kind::Block, Kind::Return, Kind::If, Kind::IfElse, Kind::While, Kind::For]);

#[device(compact)]
fn is_statement(i: NodeId, nodes: &TreeNodes) -> bool {
    STATEMENTS.contains(nodes.kind[i])
}

#[device(map)]
fn depth(s: usize, statements: &[u32], nodes: &TreeNodes) -> u32 {
    nodes.depth[NodeId::new(statements[s])]
}

/// Statements one after another, or the parts of an `if`.
#[device]
pub struct Paths {
    /// 1 if all fall.
    pub all: u32,
    /// 1 if any that can be reached falls.
    pub any: u32,
}

#[device(monoid(identity = Paths { all: 1, any: 0 }))]
fn add_paths(a: Paths, b: Paths) -> Paths {
    Paths { all: a.all & b.all, any: a.any | b.any }
}

/// Returns whether the condition of `node` is a literal with the truth value `truth`.
#[device]
fn is_known(node: NodeId, truth: bool, nodes: &TreeNodes, data: &[u32]) -> bool {
    let condition = node.plus(1);
    nodes.kind[condition] == Kind::Literal && (data[condition.index()] != 0) == truth
}

/// Returns whether statement `s` falls. `parents` are rows.
#[device(walk_up(add_paths))]
fn falls(s: usize, children: Paths, statements: &[u32], parents: &[u32], nodes: &TreeNodes, data: &[u32]) -> Paths {
    let node = NodeId::new(statements[s]);
    let falls = match nodes.kind[node] {
        Kind::Return => false,
        Kind::Block => children.all != 0,
        Kind::If => children.all != 0 || !is_known(node, true, nodes, data),
        Kind::IfElse => children.any != 0,
        Kind::While => !is_known(node, true, nodes, data),
        // A function inside another one, or a `for`, which may have no iteration.
        _ => true,
    };
    let mut is_dead = false;
    if parents[s] != NONE {
        let parent = NodeId::new(statements[parents[s] as usize]);
        if nodes.kind[parent] == Kind::IfElse {
            let is_then = node.get() == nodes.end[parent.plus(1)];
            is_dead = is_known(parent, !is_then, nodes, data);
        }
    }
    Paths { all: falls as u32, any: (falls && !is_dead) as u32 }
}

/// Returns 1 for the body of a function with a value if its end can be reached.
#[device(reduce(Sum))]
fn missing(s: usize, statements: &[u32], parents: &[u32], paths: &[Paths], nodes: &TreeNodes, types: &[Type]) -> u32 {
    if parents[s] == NONE {
        return 0;
    }
    let parent = NodeId::new(statements[parents[s] as usize]);
    let is_body = nodes.kind[parent] == Kind::Function && nodes.kind[NodeId::new(statements[s])] == Kind::Block;
    (is_body && types[parent.index()] != Type::Void && paths[s].all != 0) as u32
}

/// Returns the number of functions whose end can be reached although they have a value. `data` has the values of literals.
pub fn returns<B: Backend>(backend: &B, nodes: &TreeNodes<B>, data: &B::Vec<u32>, types: &B::Vec<Type>) -> Result<u32> {
    let statements = backend.compact(is_statement::of(nodes))?;
    let depths = backend.map(depth::of(&statements, nodes))?;
    let parents: Parents<B> = backend.previous_smaller(&depths)?;
    let call = falls::of(&statements, parents.column(), nodes, data);
    let paths = backend.walk_up(&parents, call, add_paths)?;
    backend.reduce(missing::of(&statements, parents.column(), &paths, nodes, types), Sum)
}
