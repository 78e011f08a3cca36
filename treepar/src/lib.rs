//! Data-parallel tree algorithms for compilers.
//!
//! A compiler's passes are mostly questions about a tree: which function is this node in, what is below it, who uses its
//! value. Here a tree is a column of depths, and each question one operation on columns, which runs on all cores, or on a
//! GPU. What an operation does to a row is a [`device`](mod@device) function, written once for every machine.
//!
//! ```
//! use treepar::ancestor::{Of, nearest_marked};
//! use treepar::{Backend, Cpu, depth::Depths, walk::subtree_sums};
//!
//! fn main() -> Result<(), treepar::Error> {
//!     let cpu = Cpu::new();
//!     // f( a, g( b, c ), d )
//!     let tree = Depths::new(&cpu, cpu.upload(&[0, 1, 1, 2, 2, 1])?)?;
//!     let is_function = cpu.upload(&[1, 0, 1, 0, 0, 0])?;
//!     let function = nearest_marked(&cpu, &tree.parents(&cpu)?, &is_function, Of::Itself)?;
//!     assert_eq!(cpu.download(&function)?, [0, 0, 2, 2, 2, 0]);
//!     let sizes = subtree_sums(&cpu, &tree, &cpu.filled(6, 1u32)?)?;
//!     println!("nodes below each: {:?}", cpu.download(&sizes)?);
//!     Ok(())
//! }
//! ```
//!
//! # When to use it, and when not
//!
//! Where there are some ten thousand nodes or more: files together, not each alone ([`Depths::concat`]). Below that, an
//! operation is a plain loop on the calling thread, no worse than a recursive walk, and no better. For a few nodes, or
//! for a pass that must run in one order and cannot be said as columns, write the recursion.
//!
//! [`Depths::concat`]: depth::Depths::concat
//!
//! # Vocabulary
//!
//! | word | meaning |
//! |---|---|
//! | column | an array on a [`Backend`], with a row for each node, token, instruction |
//! | depth vector | the depth of each node in preorder: it alone is the tree ([`depth`]) |
//! | preorder | a node, then its subtrees in order; a subtree is a range of rows |
//! | parent vector | each node's parent; [`NO_NODE`](depth::NO_NODE) for a root |
//! | level order | by depth, in preorder inside a level: siblings stand together |
//! | path matrix | each node's ancestors as a row ([`path`]) |
//! | Key | rows grouped by equal keys ([`key`](mod@key)) |
//! | lift | nested parts become trees of their own, references stay ([`key::lift`](key::lift())) |
//! | walk | values from the leaves up, or from the roots down ([`walk`]) |
//! | monoid | an associative operation with an identity ([`monoid`]) |
//! | template | what runs a device function over rows: [`map`](Backend::map), [`scan`](Backend::scan) and the like |
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`depth`] | forests: parents, ends, sizes, child indices, level order, postorder, tours, and the ways back |
//! | [`ancestor`] | nearest marked ancestors, lowest common ones, nearest enclosing intervals |
//! | [`path`] | path matrices, and all that the Key paper asks of them |
//! | [`key`](mod@key) | Key on columns of any number; lifting |
//! | [`walk`] | walks up and down; sums of subtrees |
//! | [`dee`] | dead-expression elimination, on trees and on instructions |
//! | [`scan`], [`segment`], [`sort`], [`compact`], [`mask`] | the primitives on plain columns |
//! | [`monoid`] | monoids ready made |
//! | [`backend`], [`device`](mod@device) | the templates, the machines that run them, and what runs on them |
//! | [`passes`] | the nineteen passes of the Key paper's Table 1, by this API |
//!
//! # Cost
//!
//! Of n nodes or rows, h levels, s segments, g groups. A *pass* reads and writes its columns once, with as many parallel
//! steps as the machine's scan has: a few, or log n. Bytes are those that must move, of 32-bit columns.
//!
//! | operation | work | steps | bytes a row |
//! |---|---|---|---|
//! | map, reduce, scan, segmented scan | n | 1 pass | columns read and written, once each |
//! | compact, partition | n | 1 pass | 4 to 8 |
//! | scatter, gather | n | 1 pass | 12, in the order of the indices |
//! | sort by key | n for each 8 bits | up to 4 passes, or 8 | 16 a pass |
//! | parents, ends | n | 1 pass | 8 |
//! | subtree sizes, postorder, next siblings | n | 2 passes | 16 |
//! | child indices | n | 6 passes, one a walk | 60 |
//! | level order | n for each 8 bits of h | a sort, a compact | 16 a pass, and 12 |
//! | nearest marked ancestor | n | 1 walk | 9 |
//! | under a marked ancestor; dead nodes | n | 1 pass, whatever h | 6 |
//! | walk up, walk down | n | 1 walk | 8 |
//! | subtree sums | n | 3 passes, whatever h | 24 |
//! | lowest common ancestor | log n a pair | 1 pass | 64 reads a level of minima at most |
//! | Key | n for each 8 bits, of each column | a sort, a compact, 2 maps | 16 a pass, and 21 |
//! | lift | n | parents, walk, histogram, scan: 10 passes | about 120 |
//! | path matrix | n h | 2 passes | 8 h and the matrix |
//! | dead instructions, of trees | n | 8 passes, whatever h | about 60 |
//! | dead instructions, by the loop | n a round | as many rounds as dead values in a chain | about 20 a round |
//!
//! A walk takes one pass over blocks of the preorder on the CPU, where a path longer than an eighth of the nodes is
//! walked by one thread.
//!
//! # Features
//!
//! | feature | what it adds | needs |
//! |---|---|---|
//! | none | the backend [`Cpu`] | Rust |
//! | `cuda` | the backend `backend::gpu::Cuda` | to build, no CUDA; to run, NVIDIA's driver of CUDA 12.0 or newer and a device of compute capability 7.5 or newer; NVRTC for device functions of your own |
//! | `emulate` | the backend `backend::gpu::Emulated`, for tests: the GPU's kernels on the host, each access checked | to run, a C++ compiler |
//!
//! Columns and passes are the same on each: a generic function takes `&impl Backend`, and the program chooses. How to
//! write a device function for all of them, and how to test it, is the page `docs/device-functions.md` of the repository.
//!
//! # How to add a backend
//!
//! Implement [`Backend`]: a column type and the templates. Device functions come as types, with the Rust function as
//! their `call` and with [`DEF`](device::DeviceFn::DEF), which holds their text, parameters and constants for a
//! generator; [`device::kernels`] lists all that a program uses. Then check it with the laws of the crate
//! `treepar-laws`, which hold for any backend: its front page shows how. [`Cpu`] is the model. A device that takes the
//! CUDA C++ of the templates needs less: a `treepar_kernels::machine::Machine`, of which `backend::gpu::Gpu` makes a
//! backend.
//!
//! # Errors
//!
//! Whatever the caller's data, an operation yields a result or an [`Error`] that names the array and the row. Device
//! functions are the caller's code: to index outside a column panics on the CPU, is an error on the emulator, and is
//! undefined behaviour on a GPU.

#![deny(missing_docs)]

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
pub mod passes;
pub mod path;
pub mod scan;
pub mod segment;
pub mod sort;
pub mod walk;

/// The page's programs, as tests.
#[cfg(doctest)]
#[doc = include_str!("../device-functions.md")]
mod device_functions {}

pub use backend::cpu::Cpu;
pub use backend::{Backend, Column};
pub use device::Element;
pub use error::{Error, MachineError, Result};
