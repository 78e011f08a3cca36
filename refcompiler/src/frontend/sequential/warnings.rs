//! Warnings while they are collected: a code and a span, so that a program without warnings pays nothing.

use std::ops::Range;

use super::errors;
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Sources;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The kind of the warning.
    pub code: Code,
    /// The marked bytes, as positions in all sources.
    pub span: Range<u32>,
}

impl Warning {
    /// Returns the warning with its text, which quotes the source.
    pub fn diagnostic(&self, sources: &Sources) -> Diagnostic {
        errors::warning(self.code, self.span.clone(), sources.text(self.span.clone()))
    }
}
