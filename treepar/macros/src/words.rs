//! Types as words: constants are written so, and twins are compared by them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The conversion of a type to the words of its fields. The conversion back is there with the feature `twins`.
pub fn of_element(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    let from_words = from_words(name, fields);
    quote! {
        impl ::treepar::device::Words for #name {
            fn write(&self, words: &mut ::std::vec::Vec<u64>) {
                #(::treepar::device::Words::write(&{ self.#fields }, words);)*
            }
        }
        #from_words
    }
}

/// The same for a type that only twins take or return: nothing without the feature.
pub fn of_twins(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    if !cfg!(feature = "twins") {
        return TokenStream::new();
    }
    let from_words = from_words(name, fields);
    quote! {
        impl ::treepar::device::Words for #name {
            fn write(&self, words: &mut ::std::vec::Vec<u64>) {
                #(::treepar::device::Words::write(&self.#fields, words);)*
            }
        }
        #from_words
    }
}

fn from_words(name: &impl ToTokens, fields: &[impl ToTokens]) -> TokenStream {
    if !cfg!(feature = "twins") {
        return TokenStream::new();
    }
    quote! {
        impl ::treepar::device::FromWords for #name {
            fn read(words: &mut dyn ::core::iter::Iterator<Item = u64>) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(#name { #(#fields: ::treepar::device::FromWords::read(words)?),* })
            }
        }
    }
}
