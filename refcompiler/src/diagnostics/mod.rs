//! Errors and warnings as rows, and how they are printed: as text for people, as JSON for tools.

mod json;
mod render;

use std::ops::Range;

pub use json::{MAX_JSON, message_json, render_json};
pub use render::{MAX_PRINTED, render};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The kind of an error or warning. The text of a code never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name),*];
            /// Returns the code as printed.
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// A character that is not part of any token.
    UnknownCharacter = "E0101";
    /// Letters and digits that are not a number.
    MalformedNumber = "E0102";
    /// A number that its type cannot hold.
    NumberTooLarge = "E0103";
    /// A byte that is not UTF-8.
    NotUtf8 = "E0104";
    /// A string or character literal.
    TextLiteral = "E0105";
    /// A comment between `/*` and `*/`.
    BlockComment = "E0106";
    /// A token other than the one expected.
    Unexpected = "E0201";
    /// A bracket that is not closed, or closed by another bracket.
    Unclosed = "E0202";
    /// The left side of `=` is not a variable.
    NotAssignable = "E0203";
    /// An `extern` inside a function.
    Misplaced = "E0204";
    /// An operator of another language.
    UnknownOperator = "E0205";
    /// A keyword or a form of another language.
    ForeignWord = "E0206";
    /// A form that the compiler does not support yet.
    Unsupported = "E0207";
    /// A name that is not declared.
    Undeclared = "E0301";
    /// A name that is declared twice in one scope.
    Redeclared = "E0302";
    /// An `extern` that differs from the function of its name.
    Conflicting = "E0303";
    /// A value of the wrong type.
    TypeMismatch = "E0401";
    /// Too many or too few arguments.
    ArgumentCount = "E0402";
    /// `void` where a value is needed.
    VoidValue = "E0403";
    /// An operator that is not defined for the type of its operands.
    NoOperation = "E0404";
    /// A value that is not an array, where an array is needed.
    NotAnArray = "E0405";
    /// Extents, dimensions or indices that an array cannot have.
    WrongShape = "E0406";
    /// A path through a function that does not return a value.
    MissingReturn = "E0501";
    /// A `return` with an unexpected value, or without the expected one.
    WrongReturn = "E0502";
    /// An executable without `main`.
    MissingMain = "E0601";
    /// A `main` with parameters or with another type than `int`.
    WrongMain = "E0602";
    /// A use of an array after it was consumed.
    Consumed = "E0701";
    /// A consumption of an array that must stay as it is.
    NotConsumable = "E0702";
    /// An array that is updated with a row of its own.
    OwnRow = "E0703";
    /// A unique result that may be an array of the caller.
    NotUnique = "E0704";
    /// A variable that is never used.
    UnusedVariable = "W0301";
    /// A parameter that is never used.
    UnusedParameter = "W0302";
    /// A function that is never called.
    UnusedFunction = "W0303";
    /// A variable or parameter that is assigned but never read.
    NeverRead = "W0304";
    /// A statement that is never executed.
    Unreachable = "W0501";
    /// A condition whose value is always the same.
    ConstantCondition = "W0502";
    /// An assignment as a condition, without parentheses.
    AssignedCondition = "W0503";
    /// A statement that computes a value, and does nothing else.
    NoEffect = "W0504";
}

impl Code {
    /// Returns whether this is the code of an error. All other codes are warnings.
    pub fn is_error(self) -> bool {
        self.text().starts_with('E')
    }
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the error.
    pub code: Code,
    /// The marked bytes, as positions in all sources.
    pub span: Range<u32>,
    /// The sentence that describes the error.
    pub message: String,
    /// The text at the marked bytes, for example the expected type.
    pub label: String,
    /// Other spans that matter, each with a text.
    pub others: Vec<(Range<u32>, String)>,
    /// Advice on how to correct the error.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Returns a diagnostic without label, other spans and advice.
    pub fn new(code: Code, span: Range<u32>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, span, message: message.into(), label: String::new(), others: Vec::new(), help: None }
    }

    /// Sets the text at the marked bytes.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds another span.
    pub fn other(mut self, span: Range<u32>, label: impl Into<String>) -> Diagnostic {
        self.others.push((span, label.into()));
        self
    }

    /// Sets the advice.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        self.maybe_help(Some(help.into()))
    }

    /// Sets the advice, or removes it.
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help;
        self
    }
}

/// Returns "1 error", "2 warnings" or "2 errors, 1 warning".
fn summary(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.code.is_error()).count();
    let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    match (errors, diagnostics.len() - errors) {
        (0, warnings) => count(warnings, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}
