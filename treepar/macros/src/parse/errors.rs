//! The errors of an item, each at its span.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// The errors found so far.
#[derive(Default)]
pub struct Errors {
    all: Option<Error>,
    count: usize,
}

impl Errors {
    /// `message` at `place`.
    pub fn at(&mut self, place: &impl ToTokens, message: impl std::fmt::Display) {
        self.add(Error::new_spanned(place, message));
    }

    /// `thing` at `place` is outside the subset; `instead` says what to write in its stead.
    pub fn outside(&mut self, place: &impl ToTokens, thing: impl std::fmt::Display, instead: &str) {
        self.at(place, format_args!("{thing} is not in the device subset: {instead}"));
    }

    /// One more.
    pub fn add(&mut self, error: Error) {
        self.count += 1;
        match &mut self.all {
            Some(errors) => errors.combine(error),
            None => self.all = Some(error),
        }
    }

    /// Returns the number of errors.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The code that makes rustc report them.
    pub fn into_tokens(self) -> Option<TokenStream> {
        self.all.map(Error::into_compile_error)
    }
}

/// Tokens as text, for the registry.
pub fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// A type or path as one writes it, for messages.
pub fn plain(tokens: &impl ToTokens) -> String {
    let mut plain = text(tokens);
    for (spaced, written) in [(" :: ", "::"), (":: ", "::"), (" < ", "<"), (" >", ">"), ("& ", "&"), ("* ", "*")] {
        plain = plain.replace(spaced, written);
    }
    plain
}
