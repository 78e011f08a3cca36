//! The CUDA C++ of units, and how PTX is known to be of it.

use treepar_codegen::Kernels;
use treepar_kernels::machine::Unit as _;

use crate::failure::Failure;

/// The text of a unit.
#[derive(Clone, Debug)]
pub struct Source {
    /// The unit's name.
    pub name: String,
    /// The unit's key.
    pub key: u128,
    /// A digest of the text without its lines of comment, which name lines of files.
    pub digest: u128,
    /// The text.
    pub text: String,
}

/// The text of each unit.
pub fn sources(units: &[&'static Kernels]) -> Result<Vec<Source>, Failure> {
    let source = |unit: &&'static Kernels| {
        let text = unit.source()?;
        Ok(Source { name: unit.name().to_string(), key: unit.key(), digest: digest(&text), text })
    };
    units.iter().map(source).collect()
}

fn digest(text: &str) -> u128 {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    treepar_kernels::digest::Digest::of(&code.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn comments_do_not_count() {
        assert_eq!(digest("// f, a.rs:1\nint f;\n"), digest("  // f, a.rs:2\n// more\nint f;\n"));
        assert_ne!(digest("int f;\n"), digest("int g;\n"));
    }
}
