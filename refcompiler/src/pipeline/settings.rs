//! The target and the output of a compilation, and the optimisations on the way.

use super::{Goal, Output};
use crate::ir::lanes::Cpu;
use crate::source::Sources;

/// The target and the output of a compilation, and its optimisations.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The processor and the kind of file.
    pub goal: Goal,
    /// The passes that optimise.
    pub optimisations: Optimisations,
    /// The instructions that code for x86-64 may have.
    pub cpu: Cpu,
    /// The sources of the program, if the file describes their lines for debuggers.
    pub lines: Option<&'a Sources>,
}

impl From<Goal> for Settings<'_> {
    fn from(goal: Goal) -> Self {
        Settings { goal, optimisations: Optimisations::default(), cpu: Cpu::Baseline, lines: None }
    }
}

impl From<Output> for Settings<'_> {
    fn from(output: Output) -> Self {
        Goal::from(output).into()
    }
}

/// Defines the switches of the passes that optimise, with their names.
macro_rules! optimisations {
    ($($(#[$doc:meta])* $pass:ident,)*) => {
        /// The passes that optimise. By default none runs.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Optimisations {
            $($(#[$doc])* pub $pass: bool,)*
        }

        impl Optimisations {
            /// The names of the passes.
            pub const NAMES: &[&str] = &[$(stringify!($pass)),*];

            /// Returns the passes of a level: none of level 0, all of higher levels.
            pub fn of_level(level: u8) -> Optimisations {
                Optimisations { $($pass: level > 0,)* }
            }

            /// Returns the switch of the pass with a name.
            fn switch(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($pass) => Some(&mut self.$pass),)*
                    _ => None,
                }
            }
        }
    };
}

optimisations! {
    /// The pass [`inlining`](crate::passes::inlining).
    inlining,
    /// The pass [`fusion`](crate::passes::fusion).
    fusion,
    /// The pass [`vectors`](crate::passes::vectors), on x86-64.
    vectors,
    /// Two vectors per iteration, in the pass [`vectors`](crate::passes::vectors).
    unrolling,
    /// The pass [`contexts`](crate::passes::contexts).
    contexts,
    /// The pass [`folding`](crate::passes::folding).
    folding,
    /// The pass [`dead`](crate::passes::dead).
    dead,
    /// The pass [`checks`](crate::passes::checks).
    checks,
    /// The pass [`motion`](crate::passes::motion).
    motion,
    /// The pass [`strength`](crate::passes::strength).
    strength,
    /// The pass [`registers`](crate::passes::registers).
    registers,
}

/// A list of passes that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not `+` or `-` and one of these passes: {passes}", passes = Optimisations::NAMES.join(", "))]
pub struct UnknownPass(pub String);

impl Optimisations {
    /// Adds and removes the passes of a list, such as `+fusion` or `-fusion`.
    ///
    /// # Errors
    /// [`UnknownPass`] with the first item that is none.
    pub fn change(&mut self, list: &str) -> Result<(), UnknownPass> {
        for item in list.split(',') {
            let added = item.strip_prefix('+');
            let name = added.or(item.strip_prefix('-'));
            let switch = name.and_then(|name| self.switch(name));
            *switch.ok_or_else(|| UnknownPass(item.to_string()))? = added.is_some();
        }
        Ok(())
    }
}
