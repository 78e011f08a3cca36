//! Variants: a form of a program with a level, a list of passes and a processor. A line of `data/variants.json` adds one.

use refcompiler::ir::lanes::Cpu;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output};
use refcompiler::target::Target;
use serde::Deserialize;

/// A variant of a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The name in tables and in the record.
    pub name: String,
    /// The form of the computation in the program's text, which the program reads.
    #[serde(default)]
    pub form: u32,
    /// The level of optimisation.
    #[serde(default)]
    pub level: u8,
    /// The passes that are added to the level and removed from it, as for `refc --passes`.
    #[serde(default)]
    pub passes: String,
    /// The instructions that code for x86-64 may have, as for `refc --cpu`.
    #[serde(default)]
    pub cpu: Processor,
}

/// A processor, as `refc --cpu` names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Processor {
    /// Any machine: vectors have 16 bytes.
    #[default]
    Baseline,
    /// A machine with AVX2: vectors have 32 bytes.
    Avx2,
    /// A machine with AVX-512: vectors have 64 bytes.
    Avx512,
}

/// The variants of each paper.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variants {
    /// The thesis on L0.
    pub l0: Vec<Variant>,
    /// The examples of LMS.
    pub lms_examples: Vec<Variant>,
    /// The query of LMS.
    pub lms_query: Vec<Variant>,
    /// The step of SPADE.
    pub lms_spade: Vec<Variant>,
    /// Vector Pascal.
    pub vector_pascal: Vec<Variant>,
}

impl Variants {
    /// Reads the table, which is included in the executable.
    pub fn new() -> Variants {
        serde_json::from_str(include_str!("../../data/variants.json")).expect("the file is ours")
    }
}

impl Processor {
    /// Returns the processor of the compiler.
    fn cpu(self) -> Cpu {
        match self {
            Processor::Baseline => Cpu::Baseline,
            Processor::Avx2 => Cpu::Avx2,
            Processor::Avx512 => Cpu::Avx512,
        }
    }

    /// Returns the name for `refc --cpu`.
    fn name(self) -> &'static str {
        match self {
            Processor::Baseline => "baseline",
            Processor::Avx2 => "avx2",
            Processor::Avx512 => "avx512",
        }
    }

    /// Returns whether this machine runs code for the processor.
    pub fn is_here(self) -> bool {
        self.cpu().is_of_host()
    }
}

impl Variant {
    /// Returns the settings of an executable, or `None` if this compiler lacks one of the passes.
    pub fn settings(&self, target: Target) -> Option<Settings<'static>> {
        let mut optimisations = Optimisations::of_level(self.level);
        if !self.passes.is_empty() {
            optimisations.change(&self.passes).ok()?;
        }
        // Only code for x86-64 has vectors.
        let cpu = if target == Target::X86_64 { self.cpu.cpu() } else { Cpu::Baseline };
        Some(Settings { optimisations, cpu, ..Goal { target, output: Output::Executable }.into() })
    }

    /// Returns the options of `refc` that select the passes and the processor.
    pub fn options(&self) -> String {
        let mut text = format!("-O{}", self.level);
        if !self.passes.is_empty() {
            text += &format!(" --passes {}", self.passes);
        }
        if self.cpu != Processor::Baseline {
            text += &format!(" --cpu {}", self.cpu.name());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_whose_pass_does_not_exist_is_absent() {
        let variant = |passes: &str| Variant { passes: passes.into(), ..Variant::default() };
        let passes = |passes: &str| Some(variant(passes).settings(Target::Riscv32)?.optimisations);
        assert_eq!(passes(""), Some(Optimisations::default()));
        assert!(passes("+fusion").is_some_and(|passes| passes.fusion && !passes.inlining));
        assert_eq!(passes("+fission"), None);
        assert_eq!(variant("+fusion,-inlining").options(), "-O0 --passes +fusion,-inlining");
    }

    #[test]
    fn only_code_for_x86_64_has_wide_vectors() {
        let variant: Variant = serde_json::from_str(r#"{ "name": "v", "level": 1, "cpu": "avx2" }"#).unwrap();
        let cpu = |target| variant.settings(target).unwrap().cpu;
        assert_eq!((cpu(Target::X86_64), cpu(Target::Riscv32)), (Cpu::Avx2, Cpu::Baseline));
        assert_eq!(variant.options(), "-O1 --cpu avx2");
        assert!(Processor::Baseline.is_here());
        assert!(serde_json::from_str::<Variant>(r#"{ "name": "v", "cpus": "avx2" }"#).is_err());
    }

    #[test]
    fn names_are_unique() {
        let all = Variants::new();
        for table in [all.l0, all.lms_examples, all.lms_query, all.lms_spade, all.vector_pascal] {
            let mut names: Vec<String> = table.into_iter().map(|variant| variant.name).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
