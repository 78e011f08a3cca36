//! Device methods: functions of a device type, which other device functions call as `x.is_binary()` or `Kind::of(x)`.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ImplItem, ItemFn, ItemImpl, Type};

use crate::function;
use crate::parse::errors::Errors;

/// Expands `#[device] impl T { .. }`: the functions, and their list for the code generator.
pub fn expand(item: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    if let Some((path, _)) = &item.trait_ {
        errors.outside(path, "a trait", "write the methods of the type itself");
    }
    if !item.generics.params.is_empty() {
        errors.outside(&item.generics, "a generic `impl`", "write one `impl` per type");
    }
    let of = &*item.self_ty;
    let (mut twins, mut listed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for member in &item.items {
        let ImplItem::Fn(member) = member else {
            twins.push(member.to_token_stream());
            continue;
        };
        let written = ItemFn {
            attrs: member.attrs.clone(),
            modifiers: member.modifiers.clone(),
            vis: member.vis.clone(),
            sig: member.sig.clone(),
            block: Box::new(member.block.clone()),
        };
        let named = match syn::parse2(with_self(written.to_token_stream(), of)) {
            Ok(named) => named,
            Err(error) => {
                errors.add(error);
                continue;
            }
        };
        let name = member.sig.ident.to_string();
        let (twin, def) = function::method(&named, of, &written);
        twins.push(twin);
        match def {
            Ok(def) => listed.push(quote!((#name, #def))),
            Err(errors) => refused.push(errors),
        }
    }
    let errors = errors.into_tokens();
    quote! {
        #errors
        #(#refused)*
        impl #of {
            #(#twins)*
            /// The device methods.
            #[doc(hidden)]
            pub const DEVICE_METHODS: ::treepar::device::Methods = &[#(#listed),*];
        }
    }
}

/// Replaces `Self` by the type, so that the text means the same outside the `impl`.
fn with_self(tokens: TokenStream, of: &Type) -> TokenStream {
    let each = |token: TokenTree| match token {
        TokenTree::Ident(name) if name == "Self" => {
            let same = |mut token: TokenTree| {
                token.set_span(name.span());
                token
            };
            of.to_token_stream().into_iter().map(same).collect()
        }
        TokenTree::Group(group) => {
            let mut same = Group::new(group.delimiter(), with_self(group.stream(), of));
            same.set_span(group.span());
            TokenTree::Group(same).into()
        }
        other => TokenStream::from(other),
    };
    tokens.into_iter().flat_map(each).collect()
}
