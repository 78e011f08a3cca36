//! Device functions: the Rust function itself, and the type that carries it to the templates.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, FnArg, Ident, ItemFn, Pat, Path, Result, ReturnType, Token, Type, parenthesized};

use crate::subset;

/// What a device function fills: the attribute's argument.
pub enum Role {
    /// `#[device]`: called by other device functions only.
    Helper,
    /// `#[device(map)]` and the like: templates that take `f(i, ..)`.
    Row(Vec<Template>),
    /// `#[device(expand)]`: `f(owner, k, ..)`.
    Expand,
    /// `#[device(monoid(identity = e))]`: an associative `f(a, b)`.
    Monoid(Expr),
    /// `#[device(scan_map(f, m))]`: `f(i, before, ..)` after a scan of f by m.
    ScanMap(Path, Path),
    /// `#[device(walk_down)]`: `f(i, parent, ..)`.
    WalkDown,
    /// `#[device(walk_up)]`: `f(i, children, ..)`.
    WalkUp(Path),
}

/// A template that a function of one row fills, with the monoid where it has one.
pub struct Template {
    name: Ident,
    monoid: Option<Path>,
}

const FORMS: &str = "a role of a device function is `map`, `compact`, `reduce(monoid)`, `scan(monoid)`, \
    `segmented_scan(monoid)`, `expand`, `monoid(identity = value)`, `scan_map(function, monoid)`, `walk_down` or \
    `walk_up(monoid)`; none for a function that only device functions call";

impl Parse for Role {
    fn parse(input: ParseStream) -> Result<Role> {
        if input.is_empty() {
            return Ok(Role::Helper);
        }
        let mut templates = Vec::new();
        loop {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "map" | "compact" => templates.push(Template { name, monoid: None }),
                "reduce" | "scan" | "segmented_scan" => {
                    let inner;
                    parenthesized!(inner in input);
                    for monoid in Punctuated::<Path, Token![,]>::parse_terminated(&inner)? {
                        templates.push(Template { name: name.clone(), monoid: Some(monoid) });
                    }
                }
                "expand" => return end(input, Role::Expand),
                "walk_down" => return end(input, Role::WalkDown),
                "walk_up" => {
                    let inner;
                    parenthesized!(inner in input);
                    return end(input, Role::WalkUp(inner.parse()?));
                }
                "monoid" => {
                    let inner;
                    parenthesized!(inner in input);
                    let key: Ident = inner.parse()?;
                    if key != "identity" {
                        return Err(Error::new(key.span(), "a monoid is declared as `monoid(identity = value)`"));
                    }
                    inner.parse::<Token![=]>()?;
                    return end(input, Role::Monoid(inner.parse()?));
                }
                "scan_map" => {
                    let inner;
                    parenthesized!(inner in input);
                    let function = inner.parse()?;
                    inner.parse::<Token![,]>()?;
                    return end(input, Role::ScanMap(function, inner.parse()?));
                }
                _ => return Err(Error::new(name.span(), FORMS)),
            }
            if input.is_empty() {
                return Ok(Role::Row(templates));
            }
            input.parse::<Token![,]>()?;
        }
    }
}

fn end(input: ParseStream, role: Role) -> Result<Role> {
    if input.is_empty() { Ok(role) } else { Err(input.error("this role stands alone")) }
}

/// A parameter beyond the template's own: a column or a scalar.
struct Argument {
    name: Ident,
    ty: Type,
    /// The element type where the parameter is a slice.
    column: Option<Type>,
}

/// The function, its type, and what each role adds.
pub fn expand(role: Role, function: ItemFn) -> Result<TokenStream> {
    let (uses, errors) = subset::check(&function);
    let errors = errors.map(Error::into_compile_error);
    if errors.is_some() {
        // A function of the same head stays, so that neither its body nor what names it brings errors of its own.
        let (vis, sig) = (&function.vis, &function.sig);
        return Ok(quote! { #errors #[allow(unused, clippy::all)] #vis #sig { ::core::unimplemented!() } });
    }
    let name = &function.sig.ident;
    let vis = &function.vis;
    let parameters = parameters(&function)?;
    let output: Type = match &function.sig.output {
        ReturnType::Type(_, ty) => (**ty).clone(),
        ReturnType::Default => {
            return Err(Error::new_spanned(
                &function.sig,
                "a device function returns its result: templates write, device functions do not",
            ));
        }
    };

    let own = match &role {
        Role::Helper => parameters.len(),
        Role::Row(_) => 1,
        Role::Expand | Role::Monoid(_) | Role::ScanMap(..) | Role::WalkDown | Role::WalkUp(_) => 2,
    };
    if parameters.len() < own {
        return Err(Error::new_spanned(&function.sig, format!("this role takes {own} parameters of its own first")));
    }
    let (leading, rest) = parameters.split_at(own);
    check_role(&role, leading, &output)?;

    let def = def(&function, &parameters, &output, &uses);
    let columns = column_fn(name, rest);
    let roles = role_impl(&role, name, leading, rest, &output);
    let doc = format!("The device function `{name}` as a type, for the templates.");
    Ok(quote! {
        // Columns are parameters, and what clippy would write instead is not in the subset.
        #[allow(
            clippy::too_many_arguments,
            clippy::manual_range_contains,
            clippy::manual_div_ceil,
            clippy::manual_is_multiple_of,
            clippy::implicit_saturating_sub,
            clippy::collapsible_else_if,
            clippy::match_like_matches_macro
        )]
        #[inline(always)]
        #function

        #[doc = #doc]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #vis enum #name {}

        #def
        #columns
        #roles
    })
}

/// The template's own parameters and the result must be those of the role.
fn check_role(role: &Role, leading: &[Argument], output: &Type) -> Result<()> {
    let is = |ty: &Type, expected: &str| text(ty) == expected;
    let indices = match role {
        Role::Helper | Role::Monoid(_) => 0,
        Role::Expand => 2,
        _ => 1,
    };
    for argument in &leading[..indices] {
        if !is(&argument.ty, "usize") {
            return Err(Error::new_spanned(
                &argument.ty,
                "this role begins with the number of a row: expected `usize`",
            ));
        }
    }
    match role {
        Role::Row(templates) => {
            for template in templates {
                if template.name == "compact" && !is(output, "bool") {
                    return Err(Error::new_spanned(output, "a predicate of `compact` returns `bool`"));
                }
                if template.name != "compact" && (is(output, "bool") || is(output, "usize")) {
                    return Err(Error::new_spanned(
                        output,
                        "this is no element of a column: return `u8` for truth, `u32` for an index",
                    ));
                }
            }
        }
        Role::Monoid(_) => {
            for argument in leading {
                if text(&argument.ty) != text(output) {
                    return Err(Error::new_spanned(
                        &argument.ty,
                        "a monoid takes two values of the type that it returns",
                    ));
                }
            }
        }
        Role::WalkDown | Role::WalkUp(_) if text(&leading[1].ty) != text(output) => {
            return Err(Error::new_spanned(&leading[1].ty, "a walk carries what it returns: expected the same type"));
        }
        _ => {}
    }
    Ok(())
}

fn parameters(function: &ItemFn) -> Result<Vec<Argument>> {
    function
        .sig
        .inputs
        .iter()
        .map(|input| {
            let FnArg::Typed(typed) = input else {
                return Err(Error::new_spanned(input, "a device function has no `self`: pass columns and scalars"));
            };
            let Pat::Ident(pattern) = &*typed.pat else {
                return Err(Error::new_spanned(&typed.pat, "a parameter of a device function is a plain name"));
            };
            let column = match &*typed.ty {
                Type::Reference(reference) => match &*reference.elem {
                    Type::Slice(slice) if reference.mutability.is_none() => Some((*slice.elem).clone()),
                    _ => {
                        return Err(Error::new_spanned(
                            &typed.ty,
                            "a device function reads columns as `&[T]` and takes scalars by value",
                        ));
                    }
                },
                _ => None,
            };
            Ok(Argument { name: pattern.ident.clone(), ty: (*typed.ty).clone(), column })
        })
        .collect()
}

fn text(tokens: &impl quote::ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn def(function: &ItemFn, parameters: &[Argument], output: &Type, uses: &subset::Uses) -> TokenStream {
    let name = &function.sig.ident;
    let name_text = name.to_string();
    let parameter_names = parameters.iter().map(|p| p.name.to_string());
    let parameter_types = parameters.iter().map(|p| text(&p.ty));
    let output = text(output);
    let source = text(function);
    let constants = &uses.constants;
    let constant_names = constants.iter().map(text);
    let calls = &uses.calls;
    quote! {
        impl ::treepar::device::DeviceFn for #name {
            const DEF: &'static ::treepar::device::Def = &::treepar::device::Def {
                name: #name_text,
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
                parameters: &[#(::treepar::device::Parameter { name: #parameter_names, ty: #parameter_types }),*],
                output: #output,
                source: #source,
                constants: || ::std::vec![#((#constant_names, ::treepar::device::Value::from(#constants))),*],
                calls: &[#(<#calls as ::treepar::device::DeviceFn>::DEF),*],
            };
        }
    }
}

fn column_fn(name: &Ident, rest: &[Argument]) -> TokenStream {
    let types = rest.iter().map(|argument| match &argument.column {
        Some(element) => quote!(&'a B::Vec<#element>),
        None => {
            let ty = &argument.ty;
            quote!(#ty)
        }
    });
    let host_types = rest.iter().map(|argument| match &argument.column {
        Some(element) => quote!(&'a [#element]),
        None => {
            let ty = &argument.ty;
            quote!(#ty)
        }
    });
    let indices: Vec<_> = (0..rest.len()).map(syn::Index::from).collect();
    let host_values = rest.iter().zip(&indices).map(|(argument, index)| match argument.column {
        Some(_) => quote!(&args.#index[..]),
        None => quote!(args.#index),
    });
    let visits = rest.iter().zip(&indices).map(|(argument, index)| match argument.column {
        Some(_) => quote!(visitor.column(args.#index)),
        None => quote!(visitor.scalar(args.#index)),
    });
    quote! {
        #[allow(clippy::unused_unit)]
        impl ::treepar::device::ColumnFn for #name {
            type Args<'a, B: ::treepar::Backend + 'a> = (#(#types,)*);
            type HostArgs<'a> = (#(#host_types,)*);
            #[inline(always)]
            fn host_args<'a>(args: Self::Args<'a, ::treepar::Cpu>) -> Self::HostArgs<'a> {
                let _ = &args;
                (#(#host_values,)*)
            }
            fn visit<'a, B: ::treepar::Backend + 'a>(
                args: Self::Args<'a, B>,
                visitor: &mut impl ::treepar::device::ArgVisitor<B>,
            ) {
                let _ = (&args, &visitor);
                #(#visits;)*
            }
        }
    }
}

fn role_impl(role: &Role, name: &Ident, leading: &[Argument], rest: &[Argument], output: &Type) -> TokenStream {
    let indices: Vec<_> = (0..rest.len()).map(syn::Index::from).collect();
    let pass = quote!(#(args.#indices),*);
    match role {
        Role::Helper => quote!(),
        Role::Row(templates) => {
            let registered = templates.iter().map(|template| {
                let marker = format_ident!("{}", camel(&template.name.to_string()));
                match &template.monoid {
                    None => register(name, &template.name.to_string(), quote!(#marker), &[]),
                    Some(monoid) => register(name, &template.name.to_string(), quote!(#marker<#monoid>), &[monoid]),
                }
            });
            quote! {
                impl ::treepar::device::RowFn for #name {
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(i, #pass)
                    }
                }
                #(#registered)*
            }
        }
        Role::Expand => {
            let registered = register(name, "expand", quote!(Expand), &[]);
            quote! {
                impl ::treepar::device::ExpandFn for #name {
                    type Output = #output;
                    #[inline(always)]
                    fn call(owner: usize, k: usize, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(owner, k, #pass)
                    }
                }
                #registered
            }
        }
        Role::Monoid(identity) => quote! {
            impl ::treepar::device::Monoid for #name {
                type T = #output;
                const IDENTITY: #output = #identity;
                #[inline(always)]
                fn combine(a: #output, b: #output) -> #output {
                    #name(a, b)
                }
            }
        },
        Role::ScanMap(scanned, monoid) => {
            let before = &leading[1].ty;
            let registered = register(name, "scan_map", quote!(ScanMap<#scanned, #monoid>), &[scanned, monoid]);
            quote! {
                impl ::treepar::device::CarryFn for #name {
                    type Carry = #before;
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, carry: #before, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(i, carry, #pass)
                    }
                }
                #registered
            }
        }
        Role::WalkDown | Role::WalkUp(_) => {
            let carry = &leading[1].ty;
            let registered = match role {
                Role::WalkUp(monoid) => register(name, "walk_up", quote!(WalkUp<#monoid>), &[monoid]),
                _ => register(name, "walk_down", quote!(WalkDown), &[]),
            };
            quote! {
                impl ::treepar::device::CarryFn for #name {
                    type Carry = #carry;
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, carry: #carry, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(i, carry, #pass)
                    }
                }
                #registered
            }
        }
    }
}

/// States that `name` fills a template, to the compiler (trait `In`) and to the registry.
fn register(name: &Ident, template: &str, marker: TokenStream, others: &[&Path]) -> TokenStream {
    quote! {
        impl ::treepar::device::In<::treepar::device::template::#marker> for #name {}
        ::treepar::device::submit! {
            ::treepar::device::Kernel {
                template: #template,
                functions: &[
                    <#name as ::treepar::device::DeviceFn>::DEF,
                    #(<#others as ::treepar::device::DeviceFn>::DEF),*
                ],
            }
        }
    }
}

/// `segmented_scan` -> `SegmentedScan`.
fn camel(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
