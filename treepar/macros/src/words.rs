//! Types as words: constants are written as words, and twins are compared by them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Returns the conversion of an element or row to the words of its fields. The feature `twins` adds the conversion back.
pub fn of_element(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    // The fields of a packed struct are copied.
    let words = to_words(name, fields.iter().map(|field| quote!({ self.#field })));
    let from_words = if cfg!(feature = "twins") { from_words(name, fields) } else { TokenStream::new() };
    quote!(#words #from_words)
}

/// Returns both conversions of a type that only twins take: nothing without the feature.
pub fn of_twins(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    if !cfg!(feature = "twins") {
        return TokenStream::new();
    }
    let words = to_words(name, fields.iter().map(|field| quote!(self.#field)));
    let from_words = from_words(name, fields);
    quote!(#words #from_words)
}

fn to_words(name: &impl ToTokens, values: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote! {
        impl ::treepar::device::Words for #name {
            fn write(&self, words: &mut ::std::vec::Vec<u64>) {
                #(::treepar::device::Words::write(&#values, words);)*
            }
        }
    }
}

fn from_words(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    quote! {
        impl ::treepar::device::FromWords for #name {
            fn read(words: &mut dyn ::core::iter::Iterator<Item = u64>) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(#name { #(#fields: ::treepar::device::FromWords::read(words)?),* })
            }
        }
    }
}
