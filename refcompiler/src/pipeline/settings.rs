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

/// The passes that optimise. By default none runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optimisations {
    /// The pass [`inlining`](crate::passes::inlining).
    pub inlining: bool,
    /// The pass [`fusion`](crate::passes::fusion).
    pub fusion: bool,
    /// The pass [`vectors`](crate::passes::vectors), on x86-64.
    pub vectors: bool,
    /// The pass [`folding`](crate::passes::folding).
    pub folding: bool,
    /// The pass [`checks`](crate::passes::checks).
    pub checks: bool,
    /// The pass [`motion`](crate::passes::motion).
    pub motion: bool,
    /// The pass [`registers`](crate::passes::registers).
    pub registers: bool,
}

/// A list of passes that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not `+` or `-` and one of these passes: inlining, fusion, vectors, folding, checks, motion, registers"
)]
pub struct UnknownPass(pub String);

impl Optimisations {
    /// Returns the passes of a level: none of level 0, all of higher levels but [`vectors`](Self::vectors), which is asked for by name.
    pub fn of_level(level: u8) -> Optimisations {
        let all = level > 0;
        Optimisations {
            inlining: all,
            fusion: all,
            vectors: false,
            folding: all,
            checks: all,
            motion: all,
            registers: all,
        }
    }

    /// Adds and removes the passes of a list, such as `+fusion` or `-fusion`.
    ///
    /// # Errors
    /// [`UnknownPass`] with the first item that is none.
    pub fn change(&mut self, list: &str) -> Result<(), UnknownPass> {
        for item in list.split(',') {
            match item {
                "+inlining" => self.inlining = true,
                "-inlining" => self.inlining = false,
                "+fusion" => self.fusion = true,
                "-fusion" => self.fusion = false,
                "+vectors" => self.vectors = true,
                "-vectors" => self.vectors = false,
                "+folding" => self.folding = true,
                "-folding" => self.folding = false,
                "+checks" => self.checks = true,
                "-checks" => self.checks = false,
                "+motion" => self.motion = true,
                "-motion" => self.motion = false,
                "+registers" => self.registers = true,
                "-registers" => self.registers = false,
                _ => return Err(UnknownPass(item.to_string())),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_change_levels() {
        let mut optimisations = Optimisations::of_level(0);
        assert_eq!(optimisations, Optimisations::default());
        optimisations.change("-fusion,+fusion").unwrap();
        assert_eq!(optimisations, Optimisations { fusion: true, ..Optimisations::default() });
        optimisations.change("+inlining,+folding,+checks,+motion,+registers").unwrap();
        assert_eq!(optimisations, Optimisations::of_level(1));
        optimisations.change("-fusion,-inlining,+vectors,-vectors,-folding,-checks,-motion,-registers").unwrap();
        assert_eq!(optimisations, Optimisations::default());
        for list in ["fusion", "", "+fission", "+fusion,"] {
            let unknown = list.rsplit(',').next().unwrap_or_default().to_string();
            assert_eq!(optimisations.change(list), Err(UnknownPass(unknown)), "{list}");
        }
    }
}
