//! The options of messages, and how errors and warnings of a program are printed.

use clap::ValueEnum;
use refcompiler::diagnostics::{Diagnostic, message_json, render, render_json};
use refcompiler::frontend::sequential::{Extent, Sources, check_program};
use refcompiler::ir::tree::Tree;

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
    /// Prints errors or warnings of a program.
    fn print(&self, sources: &Sources, diagnostics: &[Diagnostic], colored: bool) {
        match self.error_format {
            Format::Text => eprint!("{}", render(sources, diagnostics, colored)),
            Format::Json => eprint!("{}", render_json(sources, diagnostics)),
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
    pub fn check(&self, sources: &Sources, extent: Extent, colored: bool) -> Option<Tree> {
        match check_program(sources, extent) {
            Ok((tree, warnings)) => {
                if !warnings.is_empty() && self.wants_warnings() {
                    let warnings: Vec<_> = warnings.iter().map(|warning| warning.diagnostic(sources)).collect();
                    self.print(sources, &warnings, colored);
                    if self.warnings == Warnings::Error {
                        if !self.print_error(WARNINGS_FAIL) {
                            eprintln!("refc: {WARNINGS_FAIL}");
                        }
                        return None;
                    }
                }
                Some(tree)
            }
            Err(errors) => {
                self.print(sources, &errors, colored);
                None
            }
        }
    }
}

const WARNINGS_FAIL: &str = "warnings are errors because of `-W error`";
