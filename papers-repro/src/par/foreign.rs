//! The same programs in other languages, for compilers that may be installed.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

use super::native::Native;

/// A program in another language.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    /// The compiler.
    pub compiler: &'static str,
    /// The options.
    pub options: &'static [&'static str],
    /// The text.
    pub text: &'static str,
    /// The extension of a file with the text.
    pub extension: &'static str,
}

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

impl Foreign {
    /// Compiles the program with some additional options, and the library of mathematical functions.
    ///
    /// # Errors
    /// The reason why no file can be written, or why the compiler cannot be started although it is installed.
    pub fn compiled(&self, more: &[&str]) -> Result<Built, String> {
        let native = Native::new()?;
        let source = native.path().with_extension(self.extension);
        std::fs::write(&source, self.text).map_err(|error| format!("cannot write `{}`: {error}", source.display()))?;
        let mut command = Command::new(self.compiler);
        command.args(self.options).args(more).arg(&source).arg("-o").arg(native.path()).arg("-lm").stdin(Stdio::null());
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

    /// Returns the note of a record about the compiler. `variant` is the name of what it compiles.
    pub fn note(&self, variant: &str, built: &Built) -> String {
        match built {
            Built::Ready { version, .. } => format!("`{}` is {version}", self.compiler),
            Built::Missing => format!("{variant} is left out: `{}` is not installed", self.compiler),
            Built::Failed(reason) => format!("{variant} is left out: `{}` fails: {reason}", self.compiler),
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
        let missing = Foreign { compiler: "a-compiler-that-nobody-has", options: &[], text: "", extension: "c" };
        assert!(matches!(missing.compiled(&[]), Ok(Built::Missing)));
        assert!(missing.note("C", &Built::Missing).ends_with("is not installed"));
        // A program that every machine has, and that compiles nothing.
        let failing = Foreign { compiler: "false", ..missing };
        assert!(matches!(failing.compiled(&[]), Ok(Built::Failed(reason)) if reason.contains("exit status")));
    }
}
