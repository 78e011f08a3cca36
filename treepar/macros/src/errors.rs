//! What is wrong with an item: all of it, each at its place.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

/// The errors found so far.
#[derive(Default)]
pub struct Errors(Option<Error>);

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
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The code that makes rustc report them.
    pub fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(Error::into_compile_error)
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
