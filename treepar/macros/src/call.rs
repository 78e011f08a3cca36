//! Call objects: the constructor `of`, and the columns that give a call its number of rows.
//!
//! ```text
//! fn f(i: usize, x: &[u32], y: &[u8], s: u32) -> u32 { x[i] + y[s as usize] }
//! -> f::of(&x, &y, s): Call<f, B, HasRows>       x is read at row i, so that it gives the number of rows
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{Expr, Ident, ItemFn, Pat};

use crate::function::of_table;
use crate::signature::{Parameter, Signature};

/// The constructor of call objects, in an `impl` of the function's type.
pub fn constructor(function: &ItemFn, signature: &Signature) -> TokenStream {
    let (name, vis) = (&function.sig.ident, &function.vis);
    let rest = signature.rest();
    let names: Vec<_> = rest.iter().map(|parameter| &parameter.name).collect();
    let types = rest.iter().map(parameter_type);
    let values = rest.iter().map(|parameter| {
        let name = &parameter.name;
        if parameter.column.is_some() { quote!(::treepar::Column::as_vec(#name)) } else { quote!(#name) }
    });
    let state = if row_columns(function, signature).is_empty() { quote!(NoRows) } else { quote!(HasRows) };
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
        (_, Some(table)) => {
            let columns = of_table(table, quote!(On<B>));
            quote!(&'a #columns)
        }
        _ => parameter.ty.to_token_stream(),
    }
}

/// The statements that show `visitor` the columns that the function reads at its own row.
pub fn visits_of_rows(function: &ItemFn, signature: &Signature) -> TokenStream {
    let visits = row_columns(function, signature).into_iter().map(|at| {
        let (index, parameter) = (syn::Index::from(at), &signature.rest()[at]);
        let name = parameter.name.to_string();
        match &parameter.table {
            Some(table) => of_table(table, quote!(visit_lengths::<B>(args.#index, visitor);)),
            None => quote!(visitor(#name, ::treepar::Column::len(args.#index));),
        }
    });
    quote!(#(#visits)*)
}

/// The positions of the columns, and of the tables, that are read at the row.
fn row_columns(function: &ItemFn, signature: &Signature) -> Vec<usize> {
    let Some(row) = signature.leading().first() else { return Vec::new() };
    let names = signature.rest().iter().map(|parameter| parameter.name.clone()).collect();
    let mut reads = Reads { row: row.name.clone(), names, found: Vec::new(), bound: Vec::new() };
    reads.visit_block(&function.block);
    let Reads { row, names, mut found, bound } = reads;
    // A name that is bound again may mean another value: its reads do not count.
    found.retain(|at| !bound.contains(&names[*at]) && !bound.contains(&row));
    found.retain(|&at| signature.rest()[at].column.is_some() || signature.rest()[at].table.is_some());
    found
}

/// Finds reads at the row, and names that the body binds.
struct Reads {
    row: Ident,
    names: Vec<Ident>,
    found: Vec<usize>,
    bound: Vec<Ident>,
}

impl Reads {
    fn position(&self, expr: &Expr) -> Option<usize> {
        self.names.iter().position(|name| is(expr, name))
    }
}

/// `true` if an expression is a name, in parentheses or not.
fn is(expr: &Expr, name: &Ident) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Paren(inner) => is(&inner.expr, name),
        Expr::Group(inner) => is(&inner.expr, name),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Reads {
    fn visit_expr_index(&mut self, read: &'ast syn::ExprIndex) {
        if is(&read.index, &self.row) {
            let found = match &*read.expr {
                Expr::Field(field) => self.position(&field.base),
                column => self.position(column),
            };
            self.found.extend(found.filter(|found| !self.found.contains(found)));
        }
        syn::visit::visit_expr_index(self, read);
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(name) = pattern {
            self.bound.push(name.ident.clone());
        }
        syn::visit::visit_pat(self, pattern);
    }
}
