//! Index newtypes and device enums: scalars with a meaning.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Fields, Ident, ItemEnum, ItemStruct, Visibility};

use crate::parse::errors::Errors;
use crate::parse::types;
use crate::words;

/// Expands `#[device(index)] struct RowId(u32);`.
pub fn index(structure: ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    let is_u32 = match &structure.fields {
        Fields::Unnamed(fields) => {
            fields.unnamed.len() == 1 && types::name(&fields.unnamed[0].ty).as_deref() == Some("u32")
        }
        _ => false,
    };
    let name = &structure.ident;
    if !is_u32 || !structure.generics.params.is_empty() {
        errors.at(name, format_args!("an index is a `u32`: write `struct {name}(u32);`"));
    }
    no_repr(&structure.attrs, &mut errors);
    let errors = errors.into_tokens();
    let (attributes, vis) = (&structure.attrs, &structure.vis);
    let newtype = newtype(attributes, vis, name, "u32");
    quote! {
        #errors
        #newtype
        #[allow(dead_code)]
        impl #name {
            /// The index of no row.
            pub const NONE: #name = #name(u32::MAX);
            /// Returns the index of row `row`.
            #[inline(always)]
            pub const fn new(row: u32) -> #name {
                #name(row)
            }
            /// Returns the row's number.
            #[inline(always)]
            pub const fn get(self) -> u32 {
                self.0
            }
            /// Returns the row's number for indexing.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
            /// Returns whether this is [`Self::NONE`].
            #[inline(always)]
            pub const fn is_none(self) -> bool {
                self.0 == u32::MAX
            }
            /// Returns the index `rows` rows later. The number wraps.
            #[inline(always)]
            pub const fn plus(self, rows: u32) -> #name {
                #name(self.0.wrapping_add(rows))
            }
            /// Returns the index `rows` rows earlier. The number wraps.
            #[inline(always)]
            pub const fn minus(self, rows: u32) -> #name {
                #name(self.0.wrapping_sub(rows))
            }
        }
        impl ::treepar::device::RowIndex for #name {
            #[inline(always)]
            fn from_row(i: usize) -> #name {
                #name(i as u32)
            }
        }
        impl ::treepar::device::Index for #name {
            #[inline(always)]
            fn row(self) -> usize {
                self.0 as usize
            }
        }
    }
}

/// Expands `#[device] enum Kind { .. }` to a newtype over `u8` with one constant per variant.
pub fn enumeration(item: ItemEnum) -> TokenStream {
    let mut errors = Errors::default();
    if !item.generics.params.is_empty() {
        errors.outside(&item.generics, "a generic enum", "write one enum per type");
    }
    no_repr(&item.attrs, &mut errors);
    let mut variants = Vec::new();
    for variant in &item.variants {
        if !matches!(variant.fields, Fields::Unit) {
            errors.outside(&variant.fields, "a variant with fields", "put the value into a column of its own");
        }
        if let Some((_, value)) = &variant.discriminant {
            errors.outside(value, "a code of a variant", "let the order number the variants from 0");
        }
        let taken = ["ALL", "COUNT"].into_iter().find(|taken| variant.ident == taken);
        if let Some(taken) = taken {
            errors.at(&variant.ident, format_args!("`{taken}` is a constant of each device enum: rename the variant"));
        } else {
            variants.push(&variant.ident);
        }
    }
    match item.variants.len() {
        0 => errors.outside(&item.ident, "an enum without variants", "give it one"),
        1..=256 => {}
        many => errors.at(&item.ident, format_args!("a device enum is a byte: {many} variants are more than 256")),
    }
    let errors = errors.into_tokens();
    let (name, vis) = (&item.ident, &item.vis);
    let newtype = newtype(&item.attrs, vis, name, "u8");
    let docs = item.variants.iter().map(|variant| variant.attrs.iter());
    let texts = variants.iter().map(ToString::to_string);
    let (codes, count) = (0..=255u8, variants.len());
    let cases = variants.iter().zip(texts).map(|(variant, text)| quote!(#name::#variant => #text));
    let constants = variants.iter().zip(docs).zip(codes).map(|((variant, docs), code)| {
        quote! {
            #(#docs)*
            pub const #variant: #name = #name(#code);
        }
    });
    quote! {
        #errors
        #newtype
        #[allow(non_upper_case_globals, dead_code)]
        impl #name {
            #(#constants)*
            /// The number of named values.
            pub const COUNT: usize = #count;
            /// All named values in order.
            pub const ALL: [#name; #count] = [#(#name::#variants),*];
            /// Returns the name of the value; `"?"` if it has none.
            pub const fn name(self) -> &'static str {
                match self {
                    #(#cases,)*
                    #[allow(unreachable_patterns)]
                    _ => "?",
                }
            }
            /// Returns the code: the value's position among the named values.
            #[inline(always)]
            pub const fn code(self) -> u8 {
                self.0
            }
            /// Returns the value of a code, whether or not it has a name.
            #[inline(always)]
            pub const fn from_code(code: u8) -> #name {
                #name(code)
            }
        }
    }
}

/// Reports a `repr`, which the attribute chooses.
pub fn no_repr(attributes: &[syn::Attribute], errors: &mut Errors) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        errors.at(attribute, "`#[device]` chooses the layout: remove `repr`");
    }
}

/// The type, an element of columns, and its description for the code generator.
fn newtype(attributes: &[syn::Attribute], vis: &Visibility, name: &Ident, repr: &str) -> TokenStream {
    let scalar = format_ident!("{repr}");
    let name_text = name.to_string();
    let debug = match repr {
        // An enum's value is its name.
        "u8" => quote! {
            impl ::core::fmt::Debug for #name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    match self.name() {
                        "?" => ::core::write!(f, "{}({})", #name_text, self.0),
                        name => f.write_str(name),
                    }
                }
            }
        },
        _ => quote! {
            impl ::core::fmt::Debug for #name {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    match self.is_none() {
                        true => ::core::write!(f, "{}(NONE)", #name_text),
                        false => ::core::write!(f, "{}({})", #name_text, self.0),
                    }
                }
            }
        },
    };
    let variant = format_ident!("{}", repr.to_uppercase());
    let described = described(name, quote!(Newtype), quote!(repr: ::treepar::device::Scalar::#variant,));
    let words = words::of_element(name, &[syn::Index::from(0)]);
    quote! {
        #(#attributes)*
        #[repr(transparent)]
        #[derive(
            Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            ::treepar::device::bytemuck::Pod, ::treepar::device::bytemuck::Zeroable,
        )]
        #[bytemuck(crate = "::treepar::device::bytemuck")]
        #vis struct #name(#scalar);

        #debug
        #described
        impl ::treepar::device::Receiver for #name {}
        impl ::treepar::device::Element for #name {}
        #words
    }
}

/// The description of a type: `kind` of `treepar::device::Type`, and the parts of it besides name and methods.
pub fn described(name: &Ident, kind: TokenStream, parts: TokenStream) -> TokenStream {
    let name_text = name.to_string();
    let description = match kind.to_string().as_str() {
        "Newtype" => quote!(Newtype),
        _ => quote!(Struct),
    };
    let span = Span::call_site().located_at(name.span());
    quote_spanned! {span=>
        impl ::treepar::device::Described for #name {
            const TYPE: ::treepar::device::Type =
                ::treepar::device::Type::#kind(&::treepar::device::#description {
                    name: #name_text,
                    module: ::core::module_path!(),
                    #parts
                    methods: || {
                        #[allow(unused_imports)]
                        use ::treepar::device::NoMethods as _;
                        <#name>::DEVICE_METHODS
                    },
                });
        }
    }
}
