//! Compilers of other languages for the same expression, if they are installed.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

use crate::par::native::Native;

/// A compiler with its options, and the form of the expression.
pub struct Peer {
    /// The name in the record.
    pub name: &'static str,
    /// The compiler.
    pub compiler: &'static str,
    /// The form, as the programs in Par number them.
    pub form: u32,
    /// The options.
    options: &'static [&'static str],
    /// The text.
    text: &'static str,
    /// The extension of a file with the text.
    extension: &'static str,
    /// The options for each type of elements.
    of_elements: &'static [(&'static str, &'static [&'static str])],
}

const C: &str = include_str!("../../programs/vector-pascal/expression.c");
const FORTRAN: &str = include_str!("../../programs/vector-pascal/expression.f90");
const TYPES_OF_C: &[(&str, &[&str])] = &[
    ("short", &["-DTYPE=int16_t", "-DWIDE=int32_t", "-DFORMAT=\"%d\""]),
    ("float", &["-DTYPE=float", "-DWIDE=float", "-DFORMAT=\"%g\""]),
];
const TYPES_OF_FORTRAN: &[(&str, &[&str])] = &[
    ("short", &["-cpp", "-DKIND_OF=integer(2)", "-DCONVERT(x)=int(x,2)"]),
    ("float", &["-cpp", "-DKIND_OF=real(4)", "-DCONVERT(x)=real(x,4)"]),
];

const fn c(name: &'static str, form: u32, options: &'static [&'static str]) -> Peer {
    Peer { name, compiler: "gcc", form, options, text: C, extension: "c", of_elements: TYPES_OF_C }
}

/// The compilers. Without `-march=native`, vectors have 16 bytes.
pub const PEERS: [Peer; 6] = [
    c("gcc, scalar, two loops", 0, &["-O2", "-fno-tree-vectorize"]),
    c("gcc, scalar", 1, &["-O2", "-fno-tree-vectorize"]),
    c("gcc -O3, two loops", 0, &["-O3"]),
    c("gcc -O3", 1, &["-O3"]),
    c("gcc -O3 -march=native", 1, &["-O3", "-march=native"]),
    Peer {
        name: "gfortran -O3",
        compiler: "gfortran",
        form: 1,
        options: &["-O3"],
        text: FORTRAN,
        extension: "f90",
        of_elements: TYPES_OF_FORTRAN,
    },
];

/// The result of a compiler.
pub enum Built {
    /// An executable.
    Ready {
        /// The executable.
        native: Native,
        /// The first line with which the compiler describes its version.
        version: String,
    },
    /// The compiler is not installed.
    Missing,
    /// The compiler fails, with its last message.
    Failed(String),
}

impl Peer {
    /// Compiles the expression for a type of elements.
    ///
    /// # Errors
    /// The reason why no file can be written, or why the compiler cannot be started although it is installed.
    pub fn compiled(&self, elements: &str) -> Result<Built, String> {
        let native = Native::new()?;
        let source = native.path().with_extension(self.extension);
        std::fs::write(&source, self.text).map_err(|error| format!("cannot write `{}`: {error}", source.display()))?;
        let defined =
            self.of_elements.iter().find(|(name, _)| *name == elements).map_or(&[][..], |(_, options)| options);
        let mut command = Command::new(self.compiler);
        command.args(self.options).args(defined).arg(&source).arg("-o").arg(native.path()).stdin(Stdio::null());
        match command.output() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Built::Missing),
            Err(error) => Err(format!("cannot run `{}`: {error}", self.compiler)),
            Ok(output) if output.status.success() => Ok(Built::Ready { native, version: self.version() }),
            Ok(output) => {
                let messages = String::from_utf8_lossy(&output.stderr);
                let last = messages.lines().rfind(|line| !line.trim().is_empty());
                Ok(Built::Failed(last.map_or_else(|| output.status.to_string(), |line| line.trim().to_string())))
            }
        }
    }

    /// Returns the first line with which the compiler describes its version.
    fn version(&self) -> String {
        let output = Command::new(self.compiler).arg("--version").stdin(Stdio::null()).output();
        let text = output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.lines().next().unwrap_or("of an unknown version").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_and_one_that_fails_are_reported() {
        let missing = Peer { compiler: "a-compiler-that-nobody-has", ..PEERS[0] };
        assert!(matches!(missing.compiled("short"), Ok(Built::Missing)));
        // A program that every machine has, and that compiles nothing.
        let failing = Peer { compiler: "false", ..PEERS[0] };
        assert!(matches!(failing.compiled("short"), Ok(Built::Failed(reason)) if reason.contains("exit status")));
    }
}
