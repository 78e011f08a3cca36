//! The device subset: the part of Rust that runs on every machine.
//!
//! ```text
//! #[device] fn --treepar-macros--> Body, as bytes in a Def --infer--> a type per node --treepar-codegen--> CUDA C++
//! ```
//!
//! | module | content |
//! |---|---|
//! | [`types`] | scalars, descriptions of device types, values of constants |
//! | [`tree`] | the syntax tree of a device function |
//! | [`methods`] | the methods of scalars, indices and enums |
//! | [`infer`] | the type of each node |
//! | [`templates`] | the roles of device functions: template names, parameters, stages |

mod bytes;
pub mod infer;
pub mod methods;
pub mod templates;
pub mod tree;
pub mod types;

use tree::Encoded;
use types::{Constant, Type};

/// The ways in which a device function takes a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar or struct by value.
    Value,
    /// A column of the type.
    Column,
    /// A table.
    Table,
}

/// A parameter of a device function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// How the function takes it.
    pub shape: Shape,
    /// The type; of a column, its element's type.
    pub ty: Type,
}

/// A twin on the CPU, from words to words. It returns `None` if words are missing.
pub type Twin = fn(&[u64]) -> Option<Vec<u64>>;

/// A device function: one source for the twin on the CPU and the twin on the GPU.
pub struct Def {
    /// The name in Rust; of a method, the type's name and its own: `Kind::is_binary`.
    pub name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
    /// The file that declares it.
    pub file: &'static str,
    /// The line of its attribute.
    pub line: u32,
    /// The parameters in order.
    pub parameters: &'static [Parameter],
    /// The type of the result.
    pub output: Type,
    /// The syntax tree, as bytes.
    pub body: Encoded,
    /// The types that the tree names, besides scalars.
    pub types: &'static [Type],
    /// The constants that the tree reads by name, as rustc evaluated them.
    pub constants: &'static [(&'static str, &'static dyn Constant)],
    /// The device functions that the tree calls by name.
    pub calls: &'static [&'static Def],
    /// The identity, if the function is a monoid.
    pub identity: Option<&'static dyn Constant>,
    /// The function that returns whether an element hides all elements before it, if the function is a monoid with resets.
    pub reset: Option<&'static Def>,
    /// The twin on the CPU, with the feature `twins`.
    pub twin: Option<Twin>,
}

impl std::fmt::Debug for Def {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}::{}", self.module, self.name)
    }
}
