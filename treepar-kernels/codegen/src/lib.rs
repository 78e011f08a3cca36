//! CUDA C++ from device functions.
//!
//! `#[device]` puts the syntax tree of each function into the registry. This crate finds the type of each node and prints
//! C++ with the same meaning: integers wrap, casts saturate or truncate as `as` does, shifts mask, every literal has its
//! type. The operators are functions of `kernels/types.cuh`, which compilers for GPUs and for hosts read.
//!
//! ```
//! use treepar::device::{DeviceFn, device};
//!
//! /// The middle of two.
//! #[device]
//! fn middle(a: u32, b: u32) -> u32 {
//!     a / 2 + b / 2 + (a & b & 1)
//! }
//!
//! let text = treepar_codegen::translate(&[middle::DEF])?;
//! assert!(text.contains("__device__ inline u32"));
//! assert!(text.contains("return add(add(div(a, u32(2u)), div(b, u32(2u))), u32(u32(a & b) & u32(1u)));"));
//! # Ok::<(), treepar_codegen::Error>(())
//! ```

mod canonical;
mod copies;
mod emit;
mod shell;
mod types;
mod unit;

use std::collections::HashSet;
use std::sync::OnceLock;

use treepar_device::Def;

pub use canonical::Canonical;
pub use copies::{expand_items, map_items};
pub use shell::{entries, entry};
pub use unit::{Grouping, Kernels, TOGETHER, unit_of, units};

pub use types::{spelled, text};

/// A device function that has no translation. This is a bug of this crate, since `#[device]` has checked the function.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: device function `{function}`: {what}")]
pub struct Error {
    /// The function.
    pub function: &'static str,
    /// The file of the function.
    pub file: &'static str,
    /// The line of its attribute.
    pub line: u32,
    /// The construct without a translation.
    pub what: String,
}

pub use treepar_kernels::sources::TYPES;

/// Returns the templates as one text. It includes `emulator.hpp` instead of `machine.cuh` if `TREEPAR_EMULATE` is defined.
pub fn templates() -> &'static str {
    use treepar_kernels::sources::{MACHINE, TEMPLATES, WORDS};
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let templates = TEMPLATES.join("\n");
        let text = format!(
            "{TYPES}\n{WORDS}\n#ifdef TREEPAR_EMULATE\n#include \"emulator.hpp\"\n#else\n{MACHINE}\n#endif\n\n{templates}"
        );
        text.replace("#pragma once\n\n", "")
    })
}

/// Returns the C++ of functions and of all functions that they call. A function comes after its callees, structs first.
///
/// # Errors
/// The first function without a translation.
pub fn translate(functions: &[&'static Def]) -> Result<String, Error> {
    let mut text = Text::default();
    for function in functions {
        text.add(function)?;
    }
    let Text { structs, bodies, .. } = text;
    let text = format!("namespace treepar {{\n\n{}{bodies}}}  // namespace treepar\n", structs.text());
    Ok(format!("{}{text}", operators(&text)))
}

/// Returns the operators outside `types.cuh` that a text uses. Texts without them do not change when operators are added.
fn operators(text: &str) -> String {
    use treepar_kernels::sources::{METHODS, NUMBERS};
    let code = || text.lines().filter(|line| !line.starts_with("//"));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let uses = |name: &str| {
        code().any(|line| {
            line.match_indices(name).any(|(at, _)| {
                let (before, after) = (line[..at].chars().next_back(), line[at + name.len()..].chars().next());
                !before.is_some_and(is_word) && !after.is_some_and(is_word)
            })
        })
    };
    let uses_methods = code().any(|line| line.contains("rust::"));
    let uses_numbers = uses_methods || ["i8", "i16", "f64"].into_iter().any(uses);
    let parts = [(uses_numbers, NUMBERS), (uses_methods, METHODS)];
    parts.iter().filter(|(is_used, _)| *is_used).map(|(_, part)| part.replace("#pragma once\n\n", "") + "\n").collect()
}

/// The name of a function in C++: its path, with two underscores between the parts.
pub fn name(function: &Def) -> String {
    types::path(function.module, function.name)
}

/// The text of some functions.
#[derive(Default)]
struct Text {
    structs: types::Structs,
    bodies: String,
    /// The functions in the text, and those whose calls are being added.
    done: HashSet<String>,
    open: Vec<String>,
}

impl Text {
    /// Adds a function after the functions that it calls.
    fn add(&mut self, function: &'static Def) -> Result<(), Error> {
        let name = name(function);
        if self.done.contains(&name) {
            return Ok(());
        }
        if self.open.contains(&name) {
            // A cycle of functions does not compile in Rust; one through a method does.
            return Err(emit::failure(function, "a call of itself: use a loop, or a walk over the tree".into()));
        }
        self.open.push(name);
        let (text, methods) = emit::function(function)?;
        for called in function.calls.iter().copied().chain(methods).chain(function.reset) {
            self.add(called)?;
        }
        self.structs.add(function);
        self.bodies.push_str(&text);
        self.done.extend(self.open.pop());
        Ok(())
    }
}
