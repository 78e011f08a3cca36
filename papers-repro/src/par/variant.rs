//! Variants: a form of a program with a level and a list of passes. A line of `data/variants.json` adds one.

use refcompiler::pipeline::settings::Optimisations;
use serde::Deserialize;

/// A variant of a program.
#[derive(Clone, Debug, Deserialize)]
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
}

/// The variants of each paper.
#[derive(Deserialize)]
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

impl Variant {
    /// Returns the passes, or `None` if this compiler lacks one of them.
    pub fn optimisations(&self) -> Option<Optimisations> {
        let mut passes = Optimisations::of_level(self.level);
        if !self.passes.is_empty() {
            passes.change(&self.passes).ok()?;
        }
        Some(passes)
    }

    /// Returns the options of `refc` that select the passes.
    pub fn options(&self) -> String {
        let mut text = format!("-O{}", self.level);
        if !self.passes.is_empty() {
            text += &format!(" --passes {}", self.passes);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_whose_pass_does_not_exist_is_absent() {
        let variant = |passes: &str| Variant { name: "v".into(), form: 0, level: 0, passes: passes.into() };
        assert_eq!(variant("").optimisations(), Some(Optimisations::default()));
        assert!(variant("+fusion").optimisations().is_some_and(|passes| passes.fusion && !passes.inlining));
        assert_eq!(variant("+fission").optimisations(), None);
        assert_eq!(variant("+fusion,-inlining").options(), "-O0 --passes +fusion,-inlining");
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
