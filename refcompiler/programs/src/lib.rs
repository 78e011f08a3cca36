//! Random valid programs, for whatever compiles them: refc's own tests, and checks of other machines.
//!
//! ```text
//! seed --program--> Program --to_string--> Par        with a meaning: it ends, and prints what it computes
//!                      |------c_text-----> C          which means the same
//!                      `------shrink-----> a smaller one that still fails
//!      `-program_with_breach--> Planted              a program that the rules of uniqueness refuse, and where
//! Tree --program_of--> Program                         of the functions of the runtime
//! Tree --lowered--> Tree                               which means the same, with the kinds after the lowering of arrays
//! seed ----tree----> Tree                             columns alone, up to many tiles: to be compiled, not run
//! ```
//!
//! ```
//! let text = refcompiler_programs::program(1).to_string();
//! assert!(text.contains("fn main[]: int"));
//! ```

mod array_tree;
mod arrays;
mod breaches;
mod c;
mod draw;
mod expressions;
mod lowered;
mod narrow;
mod number;
mod par;
mod read;
mod rng;
mod shrink;
mod struct_tree;
pub mod syntax;
mod tree;
mod uniqueness;
mod whole;
mod whole_tree;

pub use array_tree::array_tree;
pub use breaches::{Planted, Token, program_with_breach};
pub use c::{SUPPORT, c_text, library};
pub use draw::{
    array_program, composite_program, lambda_program, larger_program, program, program_with_builtins, struct_program,
    typed_program, whole_program,
};
pub use lowered::lowered;
pub use number::{damaged, number};
pub use par::{BITS, batch};
pub use rng::Rng;
pub use shrink::shrink;
pub use struct_tree::struct_tree;
pub use tree::{larger_tree, tree, trees};
pub use whole_tree::whole_tree;
