//! The options of messages, and how errors and warnings of a program are printed.

use clap::ValueEnum;
use refcompiler::diagnostics::{Diagnostic, message_json, render, render_json};
use refcompiler::frontend::sequential::{Extent, Sources, Warning, check_program};
use refcompiler::frontend::uniqueness::unique_on_cpu;
use refcompiler::ir::tree::Tree;
use treepar::Cpu;

use crate::backend::adopt_thread;

/// The options of messages.
#[derive(Debug, clap::Args)]
pub struct Messages {
    /// Do not print warnings
    #[arg(short = 'w', long, global = true, help_heading = "Messages")]
    no_warnings: bool,

    /// Set the level of warnings
    #[arg(short = 'W', long, value_enum, value_name = "LEVEL", default_value = "all", global = true)]
    #[arg(help_heading = "Messages")]
    warnings: Warnings,

    /// Print messages in this format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", global = true, help_heading = "Messages")]
    error_format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Warnings {
    /// Print warnings
    All,
    /// Print warnings, and fail if there are any
    Error,
    /// Do not print warnings
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the marked lines, for people
    Text,
    /// One JSON object per line, for tools
    Json,
}

impl Messages {
    /// Returns errors or warnings of a program as they are printed.
    fn text(&self, sources: &Sources, diagnostics: &[Diagnostic], colored: bool) -> String {
        match self.error_format {
            Format::Text => render(sources, diagnostics, colored),
            Format::Json => render_json(sources, diagnostics),
        }
    }

    /// Prints an error that is not about a program, if it must be in another format than text. Returns whether it did.
    pub fn print_error(&self, message: &str) -> bool {
        let is_json = self.error_format == Format::Json;
        if is_json {
            eprint!("{}", message_json(message));
        }
        is_json
    }

    /// Returns whether warnings are printed.
    pub fn wants_warnings(&self) -> bool {
        !self.no_warnings && self.warnings != Warnings::None
    }

    /// Returns the checked tree of the inputs. Prints errors and warnings. Returns `None` if they stop the compilation.
    pub fn check(&self, cpu: &Cpu, sources: &Sources, extent: Extent, colored: bool) -> Option<Tree> {
        let (tree, printed) = self.checked(cpu, sources, extent, colored);
        eprint!("{printed}");
        tree
    }

    /// As [`Messages::check`], but returns errors and warnings as they are to be printed, too.
    pub fn checked(&self, cpu: &Cpu, sources: &Sources, extent: Extent, colored: bool) -> (Option<Tree>, String) {
        let unique = |checked: (Tree, Vec<Warning>)| {
            if checked.0.arrays {
                adopt_thread(cpu, checked.0.len());
            }
            unique_on_cpu(cpu, checked, sources)
        };
        match check_program(sources, extent).and_then(unique) {
            Ok((tree, warnings)) if warnings.is_empty() || !self.wants_warnings() => (Some(tree), String::new()),
            Ok((tree, warnings)) => {
                let warnings: Vec<_> = warnings.iter().map(|warning| warning.diagnostic(sources)).collect();
                let printed = self.text(sources, &warnings, colored);
                if self.warnings != Warnings::Error {
                    return (Some(tree), printed);
                }
                let failed = match self.error_format {
                    Format::Text => format!("refc: {WARNINGS_FAIL}\n"),
                    Format::Json => message_json(WARNINGS_FAIL),
                };
                (None, printed + &failed)
            }
            Err(errors) => (None, self.text(sources, &errors, colored)),
        }
    }
}

const WARNINGS_FAIL: &str = "warnings are errors because of `-W error`";
