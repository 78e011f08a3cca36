//! Device structs: rows of columns, laid out as in C.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Fields, ItemStruct, Result};

/// The struct with its C layout and the traits that let columns hold it.
pub fn expand(structure: ItemStruct) -> Result<TokenStream> {
    if !structure.generics.params.is_empty() {
        return Err(Error::new_spanned(structure.generics, "a device struct has no generics: write one struct a type"));
    }
    let Fields::Named(fields) = &structure.fields else {
        return Err(Error::new_spanned(&structure.ident, "a device struct has named fields"));
    };
    let name = &structure.ident;
    let types = fields.named.iter().map(|field| &field.ty);
    Ok(quote! {
        #[repr(C)]
        #[derive(
            Clone, Copy, Debug, Default, PartialEq,
            ::treepar::device::bytemuck::Pod, ::treepar::device::bytemuck::Zeroable,
        )]
        #[bytemuck(crate = "::treepar::device::bytemuck")]
        #structure

        impl ::treepar::device::Element for #name {}
        const _: () = {
            const fn each_field_is_an_element<T: ::treepar::device::Element>() {}
            #(each_field_is_an_element::<#types>();)*
        };
    })
}
