//! A checked program on a backend: the result of the front end, and the input of the passes after it.

use treepar::Backend;

use super::nodes::Nodes;
use super::tree::Function;

/// A checked program.
pub struct Program<B: Backend> {
    /// The nodes: the functions of all inputs, then the functions of the runtime that they use.
    pub nodes: Nodes<B>,
    /// The functions by id: first the runtime, then the program in preorder, then nested functions of the runtime.
    pub functions: Vec<Function>,
    /// The number of possible warnings, 0 if it was not asked for.
    pub doubts: u32,
}
