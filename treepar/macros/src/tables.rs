//! Several tables and columns together, as one parameter.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Fields, ItemStruct, Type, Visibility};

use crate::newtype::described;
use crate::parse::errors::Errors;
use crate::parse::types;
use crate::table::of_table;
use crate::words;

const FORM: &str = "several tables together are declared as `#[device(tables)] struct Both { rows: &Rows, x: &[u32] }`: \
    each field is a table or a column";

/// A field: a column with its element, or a table.
enum Part {
    Column(Type),
    Table(Type),
}

impl Part {
    fn of(ty: &Type, errors: &mut Errors) -> Option<Part> {
        let inner = match ty {
            Type::Reference(reference) if reference.lifetime.is_none() && reference.mutability.is_none() => {
                &*reference.elem
            }
            _ => {
                errors.at(ty, FORM);
                return None;
            }
        };
        let before = errors.count();
        let part = match inner {
            Type::Slice(slice) => {
                types::element(&slice.elem, errors);
                Part::Column((*slice.elem).clone())
            }
            Type::Path(_) if types::scalar(inner).is_none() => {
                types::value(inner, errors);
                Part::Table(inner.clone())
            }
            _ => {
                errors.at(ty, FORM);
                return None;
            }
        };
        (errors.count() == before).then_some(part)
    }

    /// Returns a type, by the element of a column or the table.
    fn ty(&self, column: impl Fn(&Type) -> TokenStream, table: TokenStream) -> TokenStream {
        match self {
            Part::Column(element) => column(element),
            Part::Table(of) => of_table(of, table),
        }
    }
}

/// Expands the struct: references to its tables on a backend, in host memory, and as device functions read them.
pub fn expand(structure: ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    if !structure.generics.params.is_empty() {
        errors.outside(&structure.generics, "a generic struct", "write one struct per type");
    }
    let Fields::Named(found) = &structure.fields else {
        return Error::new(structure.ident.span(), FORM).into_compile_error();
    };
    if found.named.is_empty() {
        errors.at(&structure.ident, FORM);
    }
    let parts: Vec<Part> = found.named.iter().filter_map(|field| Part::of(&field.ty, &mut errors)).collect();
    if let Some(errors) = errors.into_tokens() {
        return errors;
    }
    let (name, vis) = (&structure.ident, &structure.vis);
    let (on, host, view) = (format_ident!("{name}On"), format_ident!("Host{name}"), format_ident!("{name}View"));
    let docs: Vec<_> = structure.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    let fields: Vec<_> = found.named.iter().flat_map(|field| &field.ident).collect();
    let texts: Vec<_> = fields.iter().map(ToString::to_string).collect();
    let heads: Vec<_> = found
        .named
        .iter()
        .map(|field| {
            let docs = field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
            let vis = if let Visibility::Inherited = field.vis { vis } else { &field.vis };
            quote!(#(#docs)* #vis)
        })
        .collect();
    let refs = parts.iter().map(|part| match part {
        Part::Column(element) => quote!(&'a B::Vec<#element>),
        // Not the item of the trait, whose lifetime could not become shorter.
        Part::Table(table) => quote!(&'a #table<B>),
    });
    let hosts = parts.iter().map(|part| part.ty(|element| quote!(::std::vec::Vec<#element>), quote!(Host)));
    let views = parts.iter().map(|part| part.ty(|element| quote!(&'a [#element]), quote!(View<'a>)));
    let types = parts.iter().map(|part| match part {
        Part::Column(ty) | Part::Table(ty) => quote!(<#ty as ::treepar::device::Described>::TYPE),
    });
    let viewed = parts.iter().zip(&fields).map(|(part, field)| match part {
        Part::Column(_) => quote!(&tables.#field[..]),
        Part::Table(table) => of_table(table, quote!(view(tables.#field))),
    });
    let viewed_host = parts.iter().zip(&fields).map(|(part, field)| match part {
        Part::Column(_) => quote!(&tables.#field[..]),
        Part::Table(table) => of_table(table, quote!(view_host(&tables.#field))),
    });
    let lengths = parts.iter().zip(&fields).zip(&texts).map(|((part, field), text)| match part {
        Part::Column(_) => quote!(visitor(#text, tables.#field.len())),
        Part::Table(table) => of_table(table, quote!(visit_lengths::<B>(tables.#field, &[], visitor))),
    });
    let arguments = parts.iter().zip(&fields).map(|(part, field)| match part {
        Part::Column(_) => quote!(visitor.column(tables.#field)),
        Part::Table(table) => of_table(table, quote!(visit_arguments::<B>(tables.#field, visitor))),
    });
    let trimmed = parts.iter().zip(&fields).map(|(part, field)| match part {
        Part::Column(_) => quote!(self.#field),
        Part::Table(_) => quote!(::treepar::device::TableView::trimmed(self.#field)),
    });
    let described = described(name, quote!(Table), quote! { fields: &[#((#texts, #types)),*], is_element: false, });
    let host_words = words::of_twins(&host, &fields);
    let (name_doc, on_doc, host_doc, view_doc) = (
        format!("Device functions take these as `&{name}`, and their callers pass a reference to [`{on}`]."),
        format!("References to the tables of [`{name}`] on a backend."),
        format!("The tables of [`{name}`] in host memory."),
        format!("The tables of [`{name}`] as device functions read them on the CPU."),
    );
    quote! {
        #(#docs)*
        #[doc = ""]
        #[doc = #name_doc]
        #[derive(Clone, Copy, Debug)]
        #vis enum #name {}

        #[doc = #on_doc]
        #vis struct #on<'a, B: ::treepar::Backend + 'a = ::treepar::Cpu> {
            #(#heads #fields: #refs,)*
        }

        #[doc = #host_doc]
        #[derive(Clone, Debug, Default, PartialEq)]
        #vis struct #host {
            #(#heads #fields: #hosts,)*
        }

        #[doc = #view_doc]
        #[derive(Clone, Copy)]
        #vis struct #view<'a> {
            #(#heads #fields: #views,)*
        }

        #described

        const _: () = {
            use ::treepar::backend::Column as _;

            impl<'a, B: ::treepar::Backend + 'a> ::core::clone::Clone for #on<'a, B> {
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl<'a, B: ::treepar::Backend + 'a> ::core::marker::Copy for #on<'a, B> {}

            #host_words

            impl ::treepar::device::TableView for #view<'_> {
                #[inline(always)]
                fn are_several(&self) -> bool {
                    true
                }
                #[inline(always)]
                fn trimmed(self) -> Self {
                    #view { #(#fields: #trimmed),* }
                }
            }

            // Tables have lengths of their own, so that they have no row in common at which all could be cut.
            impl ::treepar::device::Until for #view<'_> {
                #[inline(always)]
                fn until(self, _: usize) -> Self {
                    self
                }
            }

            impl ::treepar::device::Table for #name {
                type Host = #host;
                type On<'a, B: ::treepar::Backend + 'a> = &'a #on<'a, B>;
                type View<'a> = #view<'a>;
                #[inline(always)]
                fn view<'a>(tables: Self::On<'a, ::treepar::Cpu>) -> Self::View<'a> {
                    #view { #(#fields: #viewed),* }
                }
                fn view_host(tables: &#host) -> #view<'_> {
                    #view { #(#fields: #viewed_host),* }
                }
                fn visit_lengths<'a, B: ::treepar::Backend + 'a>(
                    tables: &'a #on<'a, B>,
                    fields: &[&str],
                    visitor: &mut dyn ::core::ops::FnMut(&'static str, usize),
                ) {
                    for field in fields {
                        match *field {
                            #(#texts => #lengths,)*
                            _ => {}
                        }
                    }
                }
                fn visit_arguments<'a, B: ::treepar::Backend + 'a>(
                    tables: &'a #on<'a, B>,
                    visitor: &mut impl ::treepar::device::ArgVisitor<B>,
                ) {
                    #(#arguments;)*
                }
            }
        };
    }
}
