//! Tables: a row's struct, with one column per field.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Ident, ItemStruct, Path, Result, Token, Type, Visibility, parenthesized};

use crate::newtype::described;
use crate::parse::errors::Errors;
use crate::{structure, words};

/// The attribute's argument: `columns(Rows, index = RowId)`.
pub struct Columns {
    name: Ident,
    index: Path,
}

const FORM: &str = "a table is declared as `#[device(columns(Rows, index = RowId))]`: the name of the struct of columns, \
    and the index that reads them";

impl Parse for Columns {
    fn parse(input: ParseStream) -> Result<Columns> {
        let (start, form) = (input.span(), |error: Error| Error::new(error.span(), FORM));
        let word: Ident = input.parse().map_err(form)?;
        if word != "columns" || input.is_empty() {
            return Err(Error::new(start, FORM));
        }
        let inner;
        parenthesized!(inner in input);
        if inner.is_empty() {
            return Err(Error::new(start, FORM));
        }
        let name: Ident = inner.parse().map_err(form)?;
        if inner.is_empty() {
            return Err(Error::new(name.span(), FORM));
        }
        inner.parse::<Token![,]>().map_err(form)?;
        let key: Ident = inner.parse().map_err(form)?;
        if key != "index" {
            return Err(Error::new(key.span(), FORM));
        }
        inner.parse::<Token![=]>().map_err(form)?;
        let index = inner.parse()?;
        inner.parse::<Option<Token![,]>>()?;
        if !inner.is_empty() || !input.is_empty() {
            return Err(Error::new(name.span(), FORM));
        }
        Ok(Columns { name, index })
    }
}

/// Expands the row's struct, its columns on a backend, in host memory, and as device functions read them.
pub fn expand(columns: Columns, mut structure: ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    let is_usable = structure::check(&mut structure, &mut errors);
    let errors = errors.into_tokens();
    if !is_usable {
        return quote!(#errors #[allow(unused)] #structure);
    }
    let vis = structure.vis.clone();
    for field in &mut structure.fields {
        if matches!(field.vis, Visibility::Inherited) {
            field.vis = vis.clone();
        }
    }
    let Columns { name: table, index } = columns;
    let row = &structure.ident;
    let host = format_ident!("Host{table}");
    let view = format_ident!("{table}View");
    let types: Vec<_> = structure.fields.iter().map(|field| &field.ty).collect();
    let seen: Vec<_> = structure.fields.iter().map(|field| &field.vis).collect();
    let fields: Vec<_> = structure.fields.iter().flat_map(|field| &field.ident).collect();
    let (first, texts) = (&fields[0], fields.iter().map(ToString::to_string).collect::<Vec<_>>());
    let docs: Vec<Vec<_>> = structure
        .fields
        .iter()
        .map(|field| field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect())
        .collect();
    let table_text = table.to_string();
    let parts = |is_element: bool| {
        quote! {
            fields: &[#((#texts, <#types as ::treepar::device::Described>::TYPE)),*],
            is_element: #is_element,
        }
    };
    let (row_described, table_described) =
        (described(row, quote!(Struct), parts(false)), described(&table, quote!(Table), parts(false)));
    let (row_words, host_words) = (words::of_element(row, &fields), words::of_twins(&host, &fields));
    let (table_doc, host_doc, view_doc) = (
        format!(
            "Columns on a backend, one per field of [`{row}`]. An index into them is a [`{index}`].",
            index = crate::parse::errors::plain(&index)
        ),
        format!("The columns of [`{table}`] in host memory."),
        format!("The columns of [`{table}`] as device functions read them on the CPU."),
    );
    quote! {
        #errors
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #structure

        #[doc = #table_doc]
        #vis struct #table<B: ::treepar::Backend = ::treepar::Cpu> {
            #(#(#docs)* #seen #fields: B::Vec<#types>,)*
        }

        #[doc = #host_doc]
        #[derive(Clone, Debug, Default, PartialEq)]
        #vis struct #host {
            #(#(#docs)* #seen #fields: ::std::vec::Vec<#types>,)*
        }

        #[doc = #view_doc]
        #[derive(Clone, Copy)]
        #vis struct #view<'a> {
            #(#(#docs)* #seen #fields: ::treepar::device::ColumnView<'a, #index, #types>,)*
        }

        #row_described
        #table_described

        const _: () = {
            use ::treepar::backend::Column as _;

            impl ::treepar::device::Receiver for #row {}
            #row_words

            #[allow(dead_code)]
            impl<B: ::treepar::Backend> #table<B> {
                /// The names of the columns.
                pub const COLUMNS: &'static [&'static str] = &[#(#texts),*];
                /// Returns the number of rows.
                pub fn len(&self) -> usize {
                    self.#first.len()
                }
                /// Returns whether there is no row.
                pub fn is_empty(&self) -> bool {
                    self.len() == 0
                }
                /// Copies columns to a backend.
                ///
                /// # Errors
                /// `LengthMismatch` if the columns differ in length; the backend's errors.
                pub fn upload(backend: &B, host: &#host) -> ::treepar::Result<#table<B>> {
                    let expected = host.len();
                    for (array, found) in [#((#texts, host.#fields.len())),*] {
                        if found != expected {
                            return ::core::result::Result::Err(
                                ::treepar::Error::LengthMismatch { array, expected, found },
                            );
                        }
                    }
                    ::core::result::Result::Ok(#table { #(#fields: backend.upload(&host.#fields)?),* })
                }
                /// Copies the columns to host memory. Waits once.
                ///
                /// # Errors
                /// The backend's errors.
                pub fn download(&self, backend: &B) -> ::treepar::Result<#host> {
                    #(let mut #fields = ::std::vec::Vec::new();)*
                    let mut downloads = ::treepar::backend::Downloads::new(backend);
                    #(downloads.add(&self.#fields, &mut #fields)?;)*
                    downloads.run()?;
                    ::core::result::Result::Ok(#host { #(#fields),* })
                }
                /// Shows each column with its name to a visitor.
                pub fn visit(&self, visitor: &mut impl ::treepar::device::ColumnVisitor<B>) {
                    #(visitor.column::<#types>(#texts, &self.#fields);)*
                }
            }

            impl<B: ::treepar::Backend> ::core::fmt::Debug for #table<B> {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.debug_struct(#table_text).field("rows", &self.len()).field("columns", &Self::COLUMNS).finish()
                }
            }

            #[allow(dead_code)]
            impl #host {
                /// Returns the number of rows.
                pub fn len(&self) -> usize {
                    self.#first.len()
                }
                /// Returns whether there is no row.
                pub fn is_empty(&self) -> bool {
                    self.#first.is_empty()
                }
                /// Returns a row.
                pub fn row(&self, row: #index) -> #row {
                    let row = ::treepar::device::Index::row(row);
                    #row { #(#fields: self.#fields[row]),* }
                }
                /// Appends a row.
                pub fn push(&mut self, row: #row) {
                    #(self.#fields.push(row.#fields);)*
                }
            }

            impl ::core::iter::FromIterator<#row> for #host {
                fn from_iter<I: ::core::iter::IntoIterator<Item = #row>>(rows: I) -> #host {
                    let mut columns = <#host as ::core::default::Default>::default();
                    rows.into_iter().for_each(|row| columns.push(row));
                    columns
                }
            }

            #host_words

            #[allow(dead_code)]
            #[allow(clippy::len_without_is_empty)]
            impl #view<'_> {
                /// Returns the number of rows.
                #[inline(always)]
                pub fn len(&self) -> usize {
                    self.#first.len()
                }
            }

            impl ::treepar::device::TableView for #view<'_> {
                #[inline(always)]
                fn are_several(&self) -> bool {
                    false
                }
                #[inline(always)]
                fn trimmed(self) -> Self {
                    let n = self.#first.len() #(.min(self.#fields.len()))*;
                    ::treepar::device::Until::until(self, n)
                }
            }

            impl ::treepar::device::Until for #view<'_> {
                #[inline(always)]
                fn until(self, end: usize) -> Self {
                    #view { #(#fields: ::treepar::device::Until::until(self.#fields, end)),* }
                }
            }

            impl ::treepar::device::Table for #table {
                type Host = #host;
                type On<'a, B: ::treepar::Backend + 'a> = &'a #table<B>;
                type View<'a> = #view<'a>;
                #[inline(always)]
                fn view<'a>(columns: Self::On<'a, ::treepar::Cpu>) -> Self::View<'a> {
                    #view { #(#fields: ::treepar::device::ColumnView::new(&columns.#fields[..])),* }
                }
                fn view_host(columns: &#host) -> #view<'_> {
                    #view { #(#fields: ::treepar::device::ColumnView::new(&columns.#fields[..])),* }
                }
                fn visit_lengths<'a, B: ::treepar::Backend + 'a>(
                    columns: &'a #table<B>,
                    _: &[&str],
                    visitor: &mut dyn ::core::ops::FnMut(&'static str, usize),
                ) {
                    #(visitor(#texts, columns.#fields.len());)*
                }
                fn visit_arguments<'a, B: ::treepar::Backend + 'a>(
                    columns: &'a #table<B>,
                    visitor: &mut impl ::treepar::device::ArgVisitor<B>,
                ) {
                    #(visitor.column(&columns.#fields);)*
                }
            }

            #vis struct RowsMut<'a> {
                #(#fields: &'a mut [#types],)*
            }

            impl ::treepar::device::Outputs for #row {
                type Vecs<B: ::treepar::Backend> = #table<B>;
                type Slices<'a> = RowsMut<'a>;
                fn visit<B: ::treepar::Backend>(
                    columns: &#table<B>,
                    visitor: &mut impl ::treepar::device::ArgVisitor<B>,
                ) {
                    <#table as ::treepar::device::Table>::visit_arguments(columns, visitor);
                }
                fn allocate<B: ::treepar::Backend>(backend: &B, n: usize) -> ::treepar::Result<#table<B>> {
                    ::core::result::Result::Ok(#table { #(#fields: backend.allocate::<#types>(n)?),* })
                }
                fn slices(columns: &mut #table) -> RowsMut<'_> {
                    RowsMut { #(#fields: &mut columns.#fields[..]),* }
                }
                const BYTES: usize = 0 #(+ ::core::mem::size_of::<#types>())*;
            }

            impl<'a> ::treepar::device::Slices for RowsMut<'a> {
                type Row = #row;
                fn split_at(self, middle: usize) -> (Self, Self) {
                    #(let #fields = self.#fields.split_at_mut(middle);)*
                    (RowsMut { #(#fields: #fields.0),* }, RowsMut { #(#fields: #fields.1),* })
                }
                #[inline(always)]
                fn set(&mut self, i: usize, row: #row) {
                    #(self.#fields[i] = row.#fields;)*
                }
                #[inline(always)]
                fn truncate(self, n: usize) -> Self {
                    RowsMut { #(#fields: &mut self.#fields[..n]),* }
                }
            }
        };
    }
}

/// Returns an item of a table's trait. An error is reported at the type.
pub fn of_table(table: &Type, item: TokenStream) -> TokenStream {
    let place = Span::call_site().located_at(table.span());
    let item = item.into_iter().map(|mut token| {
        token.set_span(place);
        token
    });
    let item = TokenStream::from_iter(item);
    quote_spanned!(place=> <#table as ::treepar::device::Table>::#item)
}
