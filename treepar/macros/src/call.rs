//! Call objects: the constructor `of`, and the columns that give a call its number of rows.
//!
//! ```text
//! fn f(i: usize, x: &[u32], y: &[u8], s: u32) -> u32 { x[i] + y[s as usize] }
//! -> f::of(&x, &y, s): Call<f, B, HasRows>       x is read at row i, so that it gives the number of rows
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{ExprField, ItemFn, Member};

use crate::parse::body::Parsed;
use crate::parse::signature::{Parameter, Signature};
use crate::table::of_table;

/// The constructor of call objects, in an `impl` of the function's type.
pub fn constructor(function: &ItemFn, signature: &Signature, parsed: &Parsed) -> TokenStream {
    let (name, vis) = (&function.sig.ident, &function.vis);
    let rest = signature.rest();
    let names: Vec<_> = rest.iter().map(|parameter| &parameter.name).collect();
    let types = rest.iter().map(parameter_type);
    let values = rest.iter().map(|parameter| {
        let name = &parameter.name;
        if parameter.column.is_some() { quote!(::treepar::Column::as_vec(#name)) } else { quote!(#name) }
    });
    let state = if row_columns(signature, parsed).is_empty() { quote!(NoRows) } else { quote!(HasRows) };
    let doc = format!("Returns a call of [`{name}`] with these columns and scalars, for a template.");
    quote! {
        impl #name {
            #[doc = #doc]
            #[allow(clippy::too_many_arguments, dead_code)]
            #[inline]
            #vis fn of<'a, B: ::treepar::Backend + 'a>(
                #(#names: #types),*
            ) -> ::treepar::device::Call<'a, #name, B, ::treepar::device::#state> {
                ::treepar::device::Call::new((#(#values,)*))
            }
        }
    }
}

/// The type by which `of` takes a parameter.
fn parameter_type(parameter: &Parameter) -> TokenStream {
    match (&parameter.column, &parameter.table) {
        (Some(element), _) => quote!(&'a impl ::treepar::Column<Element = #element, Backend = B>),
        (_, Some(table)) => of_table(table, quote!(On<'a, B>)),
        _ => parameter.ty.to_token_stream(),
    }
}

/// The statements that show `visitor` the columns that the function reads at its own row.
pub fn visits_of_rows(signature: &Signature, parsed: &Parsed) -> TokenStream {
    let visits = row_columns(signature, parsed).into_iter().map(|(at, fields)| {
        let (index, parameter) = (syn::Index::from(at), &signature.rest()[at]);
        let name = parameter.name.to_string();
        match &parameter.table {
            Some(table) => of_table(table, quote!(visit_lengths::<B>(args.#index, &[#(#fields),*], visitor);)),
            None => quote!(visitor(#name, ::treepar::Column::len(args.#index));),
        }
    });
    quote!(#(#visits)*)
}

/// The positions of the columns, and of the tables with their fields, that are read at the row.
fn row_columns<'a>(signature: &Signature, parsed: &'a Parsed) -> Vec<(usize, Vec<&'a str>)> {
    if signature.own == 0 {
        return Vec::new();
    }
    let rest = |(local, fields)| Some(((local as usize).checked_sub(signature.own)?, fields));
    parsed.reads_at(0).into_iter().filter_map(rest).collect()
}

/// The value of the argument at position `at`, of which columns that the function reads at its own row only are cut at row `end`.
pub fn cut(function: &ItemFn, signature: &Signature, parsed: &Parsed, at: usize) -> TokenStream {
    let (index, parameter) = (syn::Index::from(at), &signature.rest()[at]);
    let local = (signature.own + at) as u32;
    if signature.own == 0 || (parameter.column.is_none() && parameter.table.is_none()) {
        return quote!(args.#index);
    }
    let is_read_only_there = parsed.reads_only_at(0, local);
    if parameter.column.is_some() {
        return if is_read_only_there {
            quote!(::treepar::device::Until::until(args.#index, end))
        } else {
            quote!(args.#index)
        };
    }
    let fields = parsed.fields_read_only_at(0, local);
    if fields.is_empty() {
        return quote!(args.#index);
    }
    let fields = fields.into_iter().map(|field| as_written(function, field));
    // The columns of one table have the same length; several tables have lengths of their own.
    let whole = is_read_only_there.then(|| quote!(else { view = ::treepar::device::Until::until(view, end); }));
    quote!({
        let mut view = args.#index;
        if ::treepar::device::TableView::are_several(&view) {
            #(view.#fields = ::treepar::device::Until::until(view.#fields, end);)*
        } #whole
        view
    })
}

/// A field's name where the function has it first, so that rustc reports a field that does not exist once, and there.
fn as_written(function: &ItemFn, field: &str) -> Ident {
    struct First<'a>(&'a str, Option<Ident>);
    impl Visit<'_> for First<'_> {
        fn visit_expr_field(&mut self, expression: &ExprField) {
            visit::visit_expr_field(self, expression);
            if let (Member::Named(name), None) = (&expression.member, &self.1)
                && name == self.0
            {
                self.1 = Some(name.clone());
            }
        }
    }
    let mut first = First(field, None);
    first.visit_block(&function.block);
    first.1.unwrap_or_else(|| Ident::new(field, Span::call_site()))
}
