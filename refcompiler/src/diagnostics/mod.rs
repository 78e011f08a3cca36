//! Errors of a program: rows of (code, place, what was expected, what was found), and how they are printed.

mod render;

use std::ops::Range;

pub use render::{MAX_PRINTED, render};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What kind of error a row is; the text of a code does not change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name),*];
            /// The code as printed.
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// A character that no token has.
    UnknownCharacter = "E0101";
    /// Letters and digits that are no number.
    MalformedNumber = "E0102";
    /// A number beyond its type.
    NumberTooLarge = "E0103";
    /// Something else was expected here.
    Unexpected = "E0201";
    /// A bracket that is not closed, or closed by another.
    Unclosed = "E0202";
    /// What stands left of `=` is no variable.
    NotAssignable = "E0203";
    /// A function where none may stand, or an `extern` that is not at top level.
    Misplaced = "E0204";
    /// A name that nothing declares.
    Undeclared = "E0301";
    /// A name that is declared twice in one scope.
    Redeclared = "E0302";
    /// An `extern` that does not agree with the function it names.
    Conflicting = "E0303";
    /// A value of the wrong type.
    TypeMismatch = "E0401";
    /// Too many or too few arguments.
    ArgumentCount = "E0402";
    /// `void` where a value must be.
    VoidValue = "E0403";
    /// An operation that its operands' type does not have.
    NoOperation = "E0404";
    /// A path through a function that does not return its value.
    MissingReturn = "E0501";
    /// `return` with a value where none is expected, or without where one is.
    WrongReturn = "E0502";
    /// An executable without `main`.
    MissingMain = "E0601";
    /// A `main` of another form than an executable needs.
    WrongMain = "E0602";
}

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of error.
    pub code: Code,
    /// Where, as positions in all sources.
    pub span: Range<u32>,
    /// What is wrong.
    pub message: String,
    /// What stands at the mark: what was expected.
    pub label: String,
    /// Other places that matter, with what they say.
    pub others: Vec<(Range<u32>, String)>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(code: Code, span: Range<u32>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, span, message: message.into(), label: String::new(), others: Vec::new(), help: None }
    }

    /// With a text at the mark.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// With another place.
    pub fn other(mut self, span: Range<u32>, label: impl Into<String>) -> Diagnostic {
        self.others.push((span, label.into()));
        self
    }

    /// With advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
