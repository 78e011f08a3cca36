//! Data-parallel tree algorithms for compilers.
//!
//! A tree is a depth vector: the depth of each node in preorder. Algorithms are compositions of a few templates, which
//! a [`Backend`] runs; what a template does for a row is a [`device`] function, written once for every backend.
//!
//! ```
//! use treepar::{Backend, Cpu, ancestor::{Of, nearest_marked}, depth::Depths};
//!
//! // f( +( a *( b c ) ) ): which function is each node in?
//! let cpu = Cpu::new();
//! let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 2, 3, 3])?)?;
//! let is_function = cpu.upload(&[1, 0, 0, 0, 0, 0])?;
//! let function = nearest_marked(&cpu, &tree.parents(&cpu)?, &is_function, Of::Itself)?;
//! assert_eq!(cpu.download(&function)?, [0, 0, 0, 0, 0, 0]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`backend`] | the templates, and the machines that run them |
//! | [`device`](mod@device) | what a template runs for a row |
//! | [`depth`] | forests: parents, ends, sizes, child indices, level order, postorder |
//! | [`ancestor`] | nearest marked ancestors |
//! | [`key`] | rows grouped by equal keys |
//! | [`scan`], [`segment`], [`sort`], [`compact`] | the primitives on plain columns, by the monoids of [`monoid`] |
//!
//! Below some thousand rows a template is a plain loop on the calling thread; data of a few nodes is served as well
//! by a recursive walk.

extern crate self as treepar;

pub mod ancestor;
pub mod backend;
pub mod compact;
pub mod dee;
pub mod depth;
pub mod device;
mod error;
pub mod key;
pub mod mask;
pub mod monoid;
pub mod path;
pub mod scan;
pub mod segment;
pub mod sort;
pub mod walk;

pub use backend::cpu::Cpu;
pub use backend::{Backend, Column};
pub use device::Element;
pub use error::{Error, Result};
