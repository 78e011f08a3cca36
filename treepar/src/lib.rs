//! Data-parallel tree algorithms for compilers.
//!
//! Most passes of a compiler ask questions about a tree: which function contains this node, how large is its subtree, who
//! uses its value. Here a tree is a column of depths, and each question is one operation on columns. It runs on all cores
//! or on a GPU. The code for a row is a [`device`](mod@device) function, written once for every backend.
//!
//! ```
//! use treepar::prelude::*;
//!
//! /// Returns the cost of a node.
//! #[device(map, reduce(Sum))]
//! fn cost(i: usize, is_function: &[u8], size: &[u32]) -> u32 {
//!     if is_function[i] != 0 { 10 + size[i] } else { 1 }
//! }
//!
//! fn main() -> Result<(), treepar::Error> {
//!     let cpu = Cpu::new();
//!     // f( a, g( b, c ), d )
//!     let tree = Depths::new(cpu.upload(&[0, 1, 1, 2, 2, 1])?)?;
//!     let is_function = cpu.upload(&[1, 0, 1, 0, 0, 0])?;
//!     let function = tree.parents()?.nearest_marked(&is_function, Of::Inclusive)?;
//!     assert_eq!(cpu.download(&function)?, [0, 0, 2, 2, 2, 0]);
//!     let sizes = tree.subtree_sizes()?;
//!     println!("nodes of each subtree: {:?}", cpu.download(&sizes)?);
//!     assert_eq!(cpu.reduce(cost::of(&is_function, &sizes), Sum)?, 33);
//!     Ok(())
//! }
//! ```
//!
//! # When to use it
//!
//! Use it for about ten thousand nodes or more: process many files together ([`Depths::concat`]). For fewer nodes an
//! operation is a plain loop on the calling thread, as fast as a recursive walk. Write a recursion for a few nodes, or for
//! a pass that must run in one order and cannot be expressed by columns.
//!
//! The [`guide`] turns a recursive pass into one on columns, step by step. It has a table of what one would write and its
//! counterpart here.
//!
//! [`Depths::concat`]: depth::Depths::concat
//!
//! # Vocabulary
//!
//! | word | meaning |
//! |---|---|
//! | column | an array on a [`Backend`], with a row for each node, token or instruction |
//! | depth vector | the depth of each node in preorder, which determines the tree ([`depth`]) |
//! | preorder | a node, then its subtrees in order; a subtree is a range of rows |
//! | parent vector | each node's parent; [`NO_NODE`](depth::NO_NODE) for a root |
//! | level order | by depth, in preorder within a level: siblings are adjacent |
//! | path matrix | each node's ancestors as a row ([`path`]) |
//! | Key | rows grouped by equal keys ([`key`](mod@key)) |
//! | lift | nested parts become separate trees, and references remain ([`key::lift`](key::lift())) |
//! | call object | a device function with its columns and scalars ([`call`]) |
//! | walk | values from the leaves up, or from the roots down ([`walk`]) |
//! | monoid | an associative operation with an identity ([`monoid`]) |
//! | template | a loop that runs a device function over rows, such as [`map`](Backend::map) or [`scan`](Backend::scan) |
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`depth`] | forests: parents, ends, sizes, child indices, level order, postorder, tours, and the ways back |
//! | [`host`] | forests on the host: built, drawn, and walked one node at a time |
//! | [`list`] | ranks of linked lists |
//! | [`ancestor`] | nearest marked ancestors, lowest common ones, nearest enclosing intervals |
//! | [`path`] | path matrices, and the questions of the Key paper |
//! | [`key`](mod@key) | Key on columns of any number; lifting |
//! | [`walk`] | walks up and down; sums of subtrees |
//! | [`dee`] | dead-expression elimination, on trees and on instructions |
//! | [`operators`] | operator-precedence parsing |
//! | [`segment`], [`sort`], [`group`], [`compact`], [`mask`] | the primitives on plain columns |
//! | [`text`] | texts as columns of words, searched eight bytes at once |
//! | [`monoid`] | ready-made monoids |
//! | [`backend`], [`call`], [`device`](mod@device) | the templates, the machines that run them, and device functions |
//! | [`guide`] | from a recursive pass to a data-parallel one |
//! | [`prelude`] | the names that most programs use |
//! | [`passes`] | the nineteen passes of the Key paper's Table 1 |
//!
//! # Cost
//!
//! Inputs have n nodes or rows, h levels, s segments and g groups. A *pass* reads and writes its columns once, in as many
//! parallel steps as the machine's scan takes: a few, or log n. Bytes are the bytes that must move, for 32-bit columns.
//!
//! | operation | work | steps | bytes per row |
//! |---|---|---|---|
//! | map, reduce, scan, segmented scan | n | 1 pass | columns read and written, once each |
//! | compact, partition | n | 1 pass | 4 to 8 |
//! | positions | n / 64 words | 1 pass | words read once, and 4 per marked row |
//! | expand_rows | n + m | 1 pass | 4 per owner, and 4 per row that is made |
//! | operators | n | 1 pass; on a GPU 4 calls for nearest keys and some passes | 8 per symbol and per node |
//! | accumulate | n | 1 pass | 8, in the order of the indices |
//! | intern | n | 1 pass | 4, and 16 at random places of a table |
//! | scatter, gather | n | 1 pass; of a gather on a GPU 2 | 12, in the order of the indices |
//! | sort by key | n per 8 bits | up to 4 passes, or 8 | 16 per pass |
//! | rows in the order of columns | n per 8 bits of each column | a sort, and a gather per column | 16 per pass |
//! | the k least or greatest keys | n + k | up to one count per 8 bits, usually 1 or 2; a compact, a sort of few | 4 per count and 4 |
//! | parents, ends | n | 1 pass | 8 |
//! | nearest smaller values in groups | n per 8 bits of the group | a sort, 6 passes | 16 per pass, and 48 |
//! | subtree sizes, postorder, next siblings | n | 2 passes | 16 to 20 |
//! | child indices | n | 7 passes, one of them a walk; 1 on the CPU | 60; 8 on the CPU |
//! | level order | n per 8 bits of h; n on the CPU | a sort, a compact; 2 passes on the CPU | 16 per pass, and 12; 12 on the CPU |
//! | list ranks | n log h, n on the CPU | log h maps; on the CPU 2 walks along each list | 16 per map |
//! | from unordered parents | as list ranks, and a sort by parent; n on the CPU | about 12 passes; on the CPU 1 on one thread | 36 on the CPU |
//! | nearest marked ancestor | n | 1 walk | 9 |
//! | under a marked ancestor; dead nodes | n | 1 pass for any h | 6 |
//! | walk up, walk down | n | 1 walk | 8 |
//! | subtree sums | n | 3 passes for any h; 1 on the CPU | 24; 12 on the CPU |
//! | strings: lengths, hashes, equal | n + m bytes | 1 pass | bytes read once, and 8 to 20 |
//! | states of an automaton; after each string | n bytes | 1 pass | 2 per byte; bytes read once |
//! | text of rows | n rows, m bytes | 1 pass on the CPU; on a GPU 4 | 4 per row, and what the function reads; m on the CPU |
//! | strings: intern, packed | n + m bytes | 3 passes; 5 | bytes twice, and about 40 |
//! | strings: sorted | n per 7 bytes that strings have in common | 2 sorts and 10 passes per 7 bytes | 16 or 24 per pass of a sort, and about 220 |
//! | brackets, from brackets | n | 1 pass on the CPU; on a GPU 4, and 3 | 6 on the CPU |
//! | lowest common ancestor | log n per pair | 1 pass | at most 64 reads per level of minima |
//! | Key | n per 8 bits of each column | a sort, a compact, 2 maps | 16 per pass, and 21 |
//! | lift; flatten | n | on the CPU 2 passes over blocks; on a GPU parents, walk, histogram, scan: 10 passes | on the CPU 10, and 13 or 5 per row; on a GPU about 120 |
//! | path matrix | n h | 2 passes | 8 h and the matrix |
//! | dead instructions, of trees | n | 8 passes for any h | about 60 |
//! | dead instructions, by the loop | n per round | as many rounds as dead values in a chain | about 20 per round |
//!
//! On the CPU a walk takes one pass over blocks of the preorder. One thread walks a path longer than an eighth of the
//! nodes.
//!
//! # Features
//!
//! | feature | adds | requirements |
//! |---|---|---|
//! | none | the backend [`Cpu`] | Rust |
//! | `cuda` | the backend `backend::gpu::Cuda` | to build, none; to run, NVIDIA's driver of CUDA 12.0 or newer and a device of compute capability 7.5 or newer; NVRTC for your own device functions |
//! | `arrow` | columns from and to Arrow arrays, in the module `arrow` | Rust |
//! | `emulate` | the backend `backend::gpu::Emulated`, for tests: the GPU's kernels on the host, each access checked | to run, a C++ compiler |
//!
//! Columns and passes are the same on each backend: a generic function takes `&impl Backend`, and the program chooses. The
//! page `docs/device-functions.md` of the repository shows how to write a device function and how to test it.
//!
//! # How to add a backend
//!
//! Implement [`Executor`] and [`Column`]; [`Backend`] is then implemented too. Device functions come as types: `call` is
//! the Rust function, and [`DEF`](device::DeviceFn::DEF) has its text, parameters and constants for a generator.
//! [`device::kernels`] lists all functions of a program. [`Cpu`] is the model. The laws of the crate `treepar-laws` check
//! any backend, as its front page shows. A device that takes the CUDA C++ of the templates needs only a
//! `treepar_kernels::machine::Machine`; `backend::gpu::Gpu` makes a backend of it.
//!
//! # Errors
//!
//! For any data an operation returns a result, or an [`Error`] that names the array and the row. Device functions are the
//! caller's code: an index outside a column panics on the CPU, is an error on the emulator, and is undefined behaviour on
//! a GPU.

#![deny(missing_docs)]

extern crate self as treepar;

pub mod ancestor;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod backend;
pub mod call;
pub mod compact;
pub mod dee;
pub mod depth;
pub mod device;
mod error;
pub mod group;
#[doc = include_str!("guide.md")]
pub mod guide {}
pub mod host;
pub mod key;
pub mod list;
pub mod mask;
pub mod monoid;
pub mod operators;
pub mod passes;
pub mod path;
pub mod prelude;
pub mod segment;
pub mod sort;
#[cfg(feature = "twins")]
mod steps;
pub mod text;
pub mod walk;

/// The programs of the page, as tests.
#[cfg(doctest)]
#[doc = include_str!("../device-functions.md")]
mod device_functions {}

/// The README's program, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(feature = "cuda")]
device::precompiled!("../ptx/units.bin");

pub use backend::cpu::Cpu;
pub use backend::{Backend, Column, Executor};
pub use device::Element;
pub use error::{Error, MachineError, Result};
