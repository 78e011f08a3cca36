//! Device structs: rows of columns, laid out as in C.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct};

use crate::errors::Errors;
use crate::newtype::{described, no_repr};
use crate::types;

/// The struct with its C layout, the traits that let columns hold it, and what the registry knows of it.
pub fn expand(structure: ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    check(&structure, &mut errors);
    if let Some(errors) = errors.into_tokens() {
        return quote!(#errors #[allow(unused)] #structure);
    }
    let name = &structure.ident;
    let types: Vec<_> = structure.fields.iter().map(|field| &field.ty).collect();
    let fields: Vec<_> = structure.fields.iter().flat_map(|field| &field.ident).collect();
    let texts = fields.iter().map(ToString::to_string);
    let parts = quote! {
        fields: &[#((#texts, <#types as ::treepar::device::Described>::TYPE)),*],
        is_element: true,
    };
    let described = described(name, quote!(Struct), parts);
    quote! {
        #[repr(C)]
        #[derive(
            Clone, Copy, Debug, Default, PartialEq,
            ::treepar::device::bytemuck::Pod, ::treepar::device::bytemuck::Zeroable,
        )]
        #[bytemuck(crate = "::treepar::device::bytemuck")]
        #structure

        impl ::treepar::device::Element for #name {}
        impl ::treepar::device::Receiver for #name {}
        impl ::treepar::device::Words for #name {
            fn read(words: &mut dyn ::core::iter::Iterator<Item = u64>) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(#name { #(#fields: ::treepar::device::Words::read(words)?),* })
            }
            fn write(&self, words: &mut ::std::vec::Vec<u64>) {
                #(::treepar::device::Words::write(&self.#fields, words);)*
            }
        }
        #described
        const _: () = {
            const fn each_field_is_an_element<T: ::treepar::device::Element>() {}
            #(each_field_is_an_element::<#types>();)*
            assert!(
                ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#types>())*,
                "a device struct has no padding: put wide fields first, and fields of its own for bytes that remain",
            );
        };
    }
}

fn check(structure: &ItemStruct, errors: &mut Errors) {
    if !structure.generics.params.is_empty() {
        errors.outside(&structure.generics, "a generic struct", "write one struct a type");
    }
    no_repr(&structure.attrs, errors);
    match &structure.fields {
        Fields::Named(fields) if !fields.named.is_empty() => {
            for field in &fields.named {
                types::element(&field.ty, &mut Vec::new(), errors);
            }
        }
        Fields::Named(_) => errors.outside(&structure.ident, "a struct without fields", "give it one"),
        _ => errors.outside(&structure.ident, "a struct without names for its fields", "name them"),
    }
}
