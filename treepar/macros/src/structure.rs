//! Device structs: rows of columns, laid out as in C.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct, parse_quote};

use crate::newtype::{described, no_repr};
use crate::parse::errors::Errors;
use crate::parse::types;
use crate::words;

/// Expands a device struct: its C layout, the traits of an element, and its description for the registry.
pub fn expand(mut structure: ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    let is_usable = check(&mut structure, &mut errors);
    let errors = errors.into_tokens();
    if !is_usable {
        return quote!(#errors #[allow(unused)] #structure);
    }
    // A refused struct stays an element, so that its uses cause no further errors.
    let layout = if errors.is_some() { quote!(C, packed) } else { quote!(C) };
    let name = &structure.ident;
    let types: Vec<_> = structure.fields.iter().map(|field| &field.ty).collect();
    let fields: Vec<_> = structure.fields.iter().flat_map(|field| &field.ident).collect();
    let texts = fields.iter().map(ToString::to_string);
    let words = words::of_element(name, &fields);
    let parts = quote! {
        fields: &[#((#texts, <#types as ::treepar::device::Described>::TYPE)),*],
        is_element: true,
    };
    let described = described(name, quote!(Struct), parts);
    quote! {
        #errors
        #[repr(#layout)]
        #[derive(
            Clone, Copy, Debug, Default, PartialEq,
            ::treepar::device::bytemuck::Pod, ::treepar::device::bytemuck::Zeroable,
        )]
        #[bytemuck(crate = "::treepar::device::bytemuck")]
        #structure

        impl ::treepar::device::Element for #name {}
        impl ::treepar::device::Receiver for #name {}
        #words
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

/// Reports the errors of a device struct or row, and replaces refused fields by `u32`.
///
/// Returns `false` if there is no such struct.
pub fn check(structure: &mut ItemStruct, errors: &mut Errors) -> bool {
    if !structure.generics.params.is_empty() {
        errors.outside(&structure.generics, "a generic struct", "write one struct per type");
    }
    no_repr(&structure.attrs, errors);
    structure.attrs.retain(|attribute| !attribute.path().is_ident("repr"));
    match &mut structure.fields {
        Fields::Named(fields) if !fields.named.is_empty() => {
            for field in &mut fields.named {
                let before = errors.count();
                types::element(&field.ty, errors);
                if errors.count() > before {
                    field.ty = parse_quote!(u32);
                }
            }
            return structure.generics.params.is_empty();
        }
        Fields::Named(_) => errors.outside(&structure.ident, "a struct without fields", "give it one"),
        _ => errors.outside(&structure.ident, "a struct without names for its fields", "name them"),
    }
    false
}
