//! `#[device]`: the single source of both twins of a kernel. Its reference stands at `treepar::device`.

mod function;
mod structure;
mod subset;

use proc_macro::TokenStream;

/// Marks a function or struct that runs on every backend; see `treepar::device`.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand(attribute.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(attribute: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> syn::Result<proc_macro2::TokenStream> {
    match syn::parse2::<syn::Item>(item)? {
        syn::Item::Fn(function) => function::expand(syn::parse2(attribute)?, function),
        syn::Item::Struct(structure) if attribute.is_empty() => structure::expand(structure),
        syn::Item::Struct(_) => {
            Err(syn::Error::new_spanned(attribute, "a device struct takes no options: write `#[device]` alone"))
        }
        other => Err(syn::Error::new_spanned(other, "`#[device]` stands before a function or a struct")),
    }
}
