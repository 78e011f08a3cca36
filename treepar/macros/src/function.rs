//! Device functions: the Rust function itself, and the type that carries it to the templates.

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Ident, ItemFn, Path, Result, Type};

use crate::call;
use crate::parse::body::{self, Parsed};
use crate::parse::errors::{Errors, plain};
use crate::parse::role::Role;
use crate::parse::signature::{self, Parameter, Signature};
use crate::parse::types;
use crate::table::of_table;
use treepar_device::methods::METHODS;

/// Expands a device function: the function, its type, and the traits of its role.
///
/// If the function is refused, all errors, and the declarations that its uses need.
pub fn expand(role: Result<Role>, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let any_template = role.is_err().then(|| {
        let name = &function.sig.ident;
        quote!(impl<X> ::treepar::device::In<X> for #name {})
    });
    let role = role.unwrap_or_else(|error| {
        errors.add(error);
        Role::unknown(&function)
    });
    let host = host_form(&mut function, &role, &mut errors);
    let mut parsed = Parsed::default();
    let mut signature = signature::check(&function, &role, None, &mut errors);
    let name = &function.sig.ident;
    if let Some(signature) = &mut signature {
        parsed = body::parse(&function, &name.to_string(), signature, &mut errors);
        signature.mend(&role);
    }
    let errors = errors.into_tokens();
    if function.sig.receiver().is_some() {
        // In an `impl`, which declares no types.
        return quote!(#errors);
    }
    if errors.is_some() {
        // The head and the reads remain. Names in the body may cause further errors.
        (parsed.calls, parsed.constants, parsed.types) = Default::default();
    }

    let is_monoid = matches!(role, Role::Monoid { .. });
    let refused = signature.as_ref().filter(|_| errors.is_some());
    let twin = if is_monoid {
        monoid(&function, refused, errors.is_some())
    } else {
        function_and_type(&function, host.as_ref(), refused, errors.is_some())
    };
    let traits = signature.map(|signature| {
        let def = def(&name.to_string(), &quote!(#name), &role, &signature, &parsed);
        // Functions that call each other are a cycle of `DEF`s, which rustc reports at the function's name.
        let place = Span::call_site().located_at(name.span());
        let def = quote_spanned! {place=>
            impl ::treepar::device::DeviceFn for #name {
                const DEF: &'static ::treepar::device::Def = #def;
            }
        };
        let is_called = matches!(role, Role::Helper | Role::Monoid { .. });
        let columns = (!is_called).then(|| column_fn(&function, &signature, &parsed, host.is_some()));
        let of = (!is_called).then(|| call::constructor(&function, &signature, &parsed));
        let roles = role_impl(&role, name, &signature);
        quote!(#def #columns #of #roles #any_template)
    });
    quote! {
        #errors
        #twin
        #traits
    }
}

/// Takes the attribute `#[host(path)]` off a function: the path of the function that the CPU calls instead.
fn host_form(function: &mut ItemFn, role: &Role, errors: &mut Errors) -> Option<Path> {
    // A monoid keeps the attribute, which is refused like others.
    let at = function.attrs.iter().position(|attribute| attribute.path().is_ident("host"))?;
    if matches!(role, Role::Monoid { .. }) {
        return None;
    }
    let host = function.attrs.remove(at).parse_args();
    host.map_err(|error| errors.add(error)).ok()
}

/// A function that calls its form for the CPU. rustc checks the body as written too.
fn host_twin(function: &ItemFn, host: &Path) -> TokenStream {
    let written = cpu_twin(function, false);
    let ItemFn { attrs, vis, sig, .. } = with_views(function);
    let names = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(&typed.pat),
        syn::FnArg::Receiver(_) => None,
    });
    quote! {
        #(#attrs)*
        #[inline(always)]
        #vis #sig { #host(#(#names),*) }
        const _: () = {
            #[allow(dead_code)]
            #written
        };
    }
}

/// The function, and the type of its name.
fn function_and_type(
    function: &ItemFn,
    host: Option<&Path>,
    refused: Option<&Signature>,
    rejected: bool,
) -> TokenStream {
    let (name, vis) = (&function.sig.ident, &function.vis);
    let twin = match (refused, host) {
        (Some(signature), _) => refused_twin(function, signature),
        (None, Some(host)) if !rejected => host_twin(function, host),
        (None, _) => cpu_twin(function, rejected),
    };
    let doc = format!("The device function `{name}` as a type, for the templates.");
    quote! {
        #twin

        #[doc = #doc]
        #[allow(non_camel_case_types)]
        #vis enum #name {}
    }
}

/// A monoid: a value of its name, which is called like the function that it was.
fn monoid(function: &ItemFn, refused: Option<&Signature>, rejected: bool) -> TokenStream {
    let (name, vis) = (&function.sig.ident, &function.vis);
    let docs = function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let mut combine = function.clone();
    combine.sig.ident = Ident::new("combine", name.span());
    let (combine, callable) = match refused {
        Some(signature) => {
            let types = signature.parameters.iter().map(|parameter| parameter.ty.to_token_stream()).collect();
            (refused_twin(&combine, signature), Some(callable(name, types, &signature.output)))
        }
        None => {
            (cpu_twin(&combine, rejected), signature_of(function).map(|(types, output)| callable(name, types, output)))
        }
    };
    quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #vis struct #name;

        #[allow(dead_code)]
        impl #name {
            #combine
        }

        #callable
    }
}

/// The types of the parameters and of the result.
fn signature_of(function: &ItemFn) -> Option<(Vec<TokenStream>, &Type)> {
    let types = function.sig.inputs.iter().map(|input| match input {
        syn::FnArg::Typed(typed) => Some(typed.ty.to_token_stream()),
        syn::FnArg::Receiver(_) => None,
    });
    match &function.sig.output {
        syn::ReturnType::Type(_, output) => Some((types.collect::<Option<_>>()?, output)),
        syn::ReturnType::Default => None,
    }
}

/// Lets the value of a monoid be called.
fn callable(name: &Ident, inputs: Vec<TokenStream>, output: &Type) -> TokenStream {
    quote! {
        impl ::core::ops::Deref for #name {
            type Target = fn(#(#inputs),*) -> #output;
            #[inline(always)]
            fn deref(&self) -> &Self::Target {
                const COMBINE: <#name as ::core::ops::Deref>::Target = #name::combine;
                &COMBINE
            }
        }
    }
}

/// A method of a device type: the twin, and the registry's entry of the method, or the errors.
pub fn method(
    function: &ItemFn,
    of: &Type,
    written: &ItemFn,
) -> (TokenStream, std::result::Result<TokenStream, TokenStream>) {
    let (mut errors, mut parsed) = (Errors::default(), Parsed::default());
    let signature = signature::check(function, &Role::Helper, Some(of), &mut errors);
    let name = format!("{}::{}", plain(of), function.sig.ident);
    if let Some(signature) = &signature {
        parsed = body::parse(function, &name, signature, &mut errors);
    }
    let errors = errors.into_tokens();
    let twin = cpu_twin(written, errors.is_some());
    match (signature, errors) {
        (Some(signature), None) => {
            let ident = &function.sig.ident;
            (twin, Ok(def(&name, &quote!(<#of>::#ident), &Role::Helper, &signature, &parsed)))
        }
        (_, errors) => (twin, Err(errors.unwrap_or_default())),
    }
}

/// A function as its callers see it, where it is refused.
fn refused_twin(function: &ItemFn, signature: &Signature) -> TokenStream {
    let (vis, name, output) = (&function.vis, &function.sig.ident, &signature.output);
    let parameters = signature.parameters.iter().map(|Parameter { name, ty, table, .. }| match table {
        Some(table) => {
            let view = of_table(table, quote!(View<'_>));
            quote!(#name: #view)
        }
        None => quote!(#name: #ty),
    });
    quote!(#[allow(unused, clippy::all)] #vis fn #name(#(#parameters),*) -> #output { ::core::unimplemented!() })
}

/// The function as the CPU calls it: tables are views, receivers of device methods are checked, and with the feature `twins` loops
/// count their steps.
fn with_views(function: &ItemFn) -> ItemFn {
    struct Body {
        counts_steps: bool,
    }
    impl VisitMut for Body {
        fn visit_expr_while_mut(&mut self, repeat: &mut syn::ExprWhile) {
            syn::visit_mut::visit_expr_while_mut(self, repeat);
            if self.counts_steps {
                repeat.body.stmts.insert(0, syn::parse_quote!(::treepar::device::step();));
            }
        }
        fn visit_expr_method_call_mut(&mut self, call: &mut syn::ExprMethodCall) {
            syn::visit_mut::visit_expr_method_call_mut(self, call);
            if call.method != "len" && !METHODS.iter().any(|method| call.method == method.name) {
                let receiver = &call.receiver;
                let place = Span::call_site().located_at(call.method.span());
                *call.receiver = syn::Expr::Verbatim(quote_spanned!(place=> ::treepar::device::receiver(#receiver)));
            }
        }
    }
    let mut function = function.clone();
    for input in &mut function.sig.inputs {
        if let syn::FnArg::Typed(typed) = input
            && let Type::Reference(reference) = &*typed.ty
            && let Type::Path(_) = &*reference.elem
        {
            *typed.ty = Type::Verbatim(of_table(&reference.elem, quote!(View<'_>)));
        }
    }
    // A `const fn` cannot count.
    let counts_steps = cfg!(feature = "twins") && function.sig.constness.is_none();
    Body { counts_steps }.visit_block_mut(&mut function.block);
    function
}

/// The function; only its head if `rejected`, so that its callers cause no further errors.
fn cpu_twin(function: &ItemFn, rejected: bool) -> TokenStream {
    let function = with_views(function);
    let (vis, sig) = (&function.vis, &function.sig);
    if rejected {
        return quote!(#[allow(unused, clippy::all)] #vis #sig { ::core::unimplemented!() });
    }
    let function = with_parentheses(function.to_token_stream());
    quote! {
        // Columns are parameters, and clippy's alternatives are not in the subset.
        #[allow(
            clippy::too_many_arguments,
            clippy::manual_range_contains,
            clippy::manual_div_ceil,
            clippy::manual_is_multiple_of,
            clippy::implicit_saturating_sub,
            clippy::needless_range_loop,
            clippy::collapsible_else_if,
            clippy::match_like_matches_macro
        )]
        #[inline(always)]
        #function
    }
}

/// The registry's entry of the function `name_text`, which is called as `name`.
fn def(name_text: &str, name: &TokenStream, role: &Role, signature: &Signature, parsed: &Parsed) -> TokenStream {
    let parameter_names = signature.parameters.iter().map(|p| p.name.to_string());
    let parameter_types = signature.parameters.iter().map(|p| p.column.as_ref().or(p.table.as_ref()).unwrap_or(&p.ty));
    let shapes = signature.parameters.iter().map(|p| format_ident!("{}", format!("{:?}", p.shape())));
    let Parsed { body, calls, constants, types } = parsed;
    let constant_names = constants.iter().map(plain);
    let body = Literal::byte_string(&body.encode());
    let output_type = &signature.output;
    let identity = match role {
        Role::Monoid { .. } if signature.fits => quote! {
            ::core::option::Option::Some(&<#name as ::treepar::device::Monoid<#output_type>>::IDENTITY)
        },
        _ => quote!(::core::option::Option::None),
    };
    let reset = match role {
        Role::Monoid { reset: Some(reset), .. } if signature.fits => {
            quote!(::core::option::Option::Some(<#reset as ::treepar::device::DeviceFn>::DEF))
        }
        _ => quote!(::core::option::Option::None),
    };
    let twin = twin(name, signature);
    quote! {
        &::treepar::device::Def {
            name: #name_text,
            module: ::core::module_path!(),
            file: ::core::file!(),
            line: ::core::line!(),
            parameters: &[#(::treepar::device::Parameter {
                name: #parameter_names,
                shape: ::treepar::device::Shape::#shapes,
                ty: <#parameter_types as ::treepar::device::Described>::TYPE,
            }),*],
            output: <#output_type as ::treepar::device::Described>::TYPE,
            body: ::treepar::device::tree::Encoded::new(#body),
            constants: &[#((#constant_names, &#constants)),*],
            types: &[#(<#types as ::treepar::device::Described>::TYPE),*],
            identity: #identity,
            reset: #reset,
            twin: #twin,
            calls: &[#(<#calls as ::treepar::device::DeviceFn>::DEF),*],
        }
    }
}

/// Returns the twin of a function, from words to words. There is none without the feature `twins`: only tests call it, and it is
/// compiled for each device function.
fn twin(name: &TokenStream, signature: &Signature) -> TokenStream {
    if !cfg!(feature = "twins") {
        return quote!(::core::option::Option::None);
    }
    let words: Vec<_> = (0..signature.parameters.len()).map(|k| format_ident!("p{k}")).collect();
    let reads = signature.parameters.iter().zip(&words).map(|(parameter, word)| {
        let ty = match (&parameter.column, &parameter.table) {
            (Some(element), _) => quote!(::std::vec::Vec<#element>),
            (_, Some(table)) => of_table(table, quote!(Host)),
            _ => parameter.ty.to_token_stream(),
        };
        quote!(let #word: #ty = ::treepar::device::FromWords::read(&mut words)?;)
    });
    let passes =
        signature.parameters.iter().zip(&words).map(|(parameter, word)| match (&parameter.column, &parameter.table) {
            (Some(_), _) => quote!(&#word),
            (_, Some(table)) => of_table(table, quote!(view_host(&#word))),
            _ => quote!(#word),
        });
    quote! {
        ::core::option::Option::Some(|words| {
            let mut words = words.iter().copied();
            #(#reads)*
            let mut out = ::std::vec::Vec::new();
            ::treepar::device::Words::write(&::treepar::device::limited(|| #name(#(#passes),*)), &mut out);
            ::core::option::Option::Some(out)
        })
    }
}

/// Puts parentheses around groups without delimiters, unless a group is a path or a single token.
///
/// `macro_rules!` replaces `$e:expr` by such a group, and rustc ignores its bounds in the output of an attribute.
fn with_parentheses(tokens: TokenStream) -> TokenStream {
    let each = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let inner = with_parentheses(group.stream());
            let mut same = match group.delimiter() {
                Delimiter::None if is_path(&inner) => return inner,
                Delimiter::None => Group::new(Delimiter::Parenthesis, inner),
                written => Group::new(written, inner),
            };
            same.set_span(group.span());
            TokenTree::Group(same).into()
        }
        other => TokenStream::from(other),
    };
    tokens.into_iter().flat_map(each).collect()
}

/// Returns whether tokens stay together without parentheses: one token, or names with `::` between.
fn is_path(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(_));
    tokens.len() == 1
        || tokens.iter().all(|token| is_colon(token) || is_name(token))
            && !tokens.windows(2).any(|pair| is_name(&pair[0]) && is_name(&pair[1]))
}

/// The trait that passes columns and scalars to the function. A form for the CPU may read other rows than the function does.
fn column_fn(function: &ItemFn, signature: &Signature, parsed: &Parsed, has_host_form: bool) -> TokenStream {
    let name = &function.sig.ident;
    let rest = signature.rest();
    let rows = call::visits_of_rows(signature, parsed);
    let types = rest.iter().map(|argument| match (&argument.column, &argument.table) {
        (Some(element), _) => quote!(&'a B::Vec<#element>),
        (_, Some(table)) => of_table(table, quote!(On<'a, B>)),
        _ => argument.ty.to_token_stream(),
    });
    let host_types = rest.iter().map(|argument| match (&argument.column, &argument.table) {
        (Some(element), _) => quote!(&'a [#element]),
        (_, Some(table)) => of_table(table, quote!(View<'a>)),
        _ => argument.ty.to_token_stream(),
    });
    let indices: Vec<_> = (0..rest.len()).map(syn::Index::from).collect();
    let host_values = rest.iter().zip(&indices).map(|(argument, index)| match (&argument.column, &argument.table) {
        (Some(_), _) => quote!(&args.#index[..]),
        (_, Some(table)) => of_table(table, quote!(view(args.#index))),
        _ => quote!(args.#index),
    });
    let cut = indices.iter().enumerate().map(|(at, index)| {
        if has_host_form { quote!(args.#index) } else { call::cut(function, signature, parsed, at) }
    });
    let visits = rest.iter().zip(&indices).map(|(argument, index)| match (&argument.column, &argument.table) {
        (Some(_), _) => quote!(visitor.column(args.#index)),
        (_, Some(table)) => of_table(table, quote!(visit_arguments::<B>(args.#index, visitor))),
        _ => quote!(visitor.scalar(args.#index)),
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
            #[inline(always)]
            fn until(args: Self::HostArgs<'_>, end: usize) -> Self::HostArgs<'_> {
                let _ = (&args, end);
                (#(#cut,)*)
            }
            fn visit<'a, B: ::treepar::Backend + 'a>(
                args: Self::Args<'a, B>,
                visitor: &mut impl ::treepar::device::ArgVisitor<B>,
            ) {
                let _ = (&args, &visitor);
                #(#visits;)*
            }
            fn visit_rows<'a, B: ::treepar::Backend + 'a>(
                args: Self::Args<'a, B>,
                visitor: &mut dyn ::core::ops::FnMut(&'static str, usize),
            ) {
                let _ = (&args, &visitor);
                #rows
            }
        }
    }
}

/// Quotes tokens whose local variables cannot hide a function of the user with the same name.
macro_rules! hygienic {
    ($($tokens:tt)*) => {
        quote_spanned!(Span::mixed_site() => $($tokens)*)
    };
}

/// The trait that the templates of the role call.
fn role_impl(role: &Role, name: &Ident, signature: &Signature) -> TokenStream {
    let Signature { output, .. } = signature;
    let (leading, rest) = (signature.leading(), signature.rest());
    let indices: Vec<_> = (0..rest.len()).map(syn::Index::from).collect();
    let passed = rest.iter().zip(&indices).map(|(argument, index)| match &argument.table {
        Some(_) => hygienic!(::treepar::device::TableView::trimmed(args.#index)),
        None => hygienic!(args.#index),
    });
    let pass = hygienic!(#(#passed),*);
    // Rows come as `usize`; the function may take them as an index.
    let row = |k: usize, name: &str| {
        let (ty, name) = (&leading[k].ty, Ident::new(name, Span::mixed_site()));
        match types::name(ty).as_deref() {
            Some("usize") => hygienic!(#name),
            _ => hygienic!(<#ty as ::treepar::device::RowIndex>::from_row(#name)),
        }
    };
    match role {
        Role::Helper => hygienic!(),
        Role::Row(_) | Role::Scanned => {
            let i = row(0, "i");
            let templates = if let Role::Row(templates) = role { &templates[..] } else { &[] };
            let registered = templates.iter().map(|template| {
                let marker = format_ident!("{}", camel(&template.name.to_string()));
                match &template.monoid {
                    None => register(name, &template.name.to_string(), hygienic!(#marker), &[]),
                    Some(monoid) => {
                        let def = monoid_def(monoid, output);
                        register(name, &template.name.to_string(), hygienic!(#marker<#monoid>), &[def])
                    }
                }
            });
            hygienic! {
                impl ::treepar::device::RowFn for #name {
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(#i, #pass)
                    }
                }
                #(#registered)*
            }
        }
        Role::Expand => {
            let (owner, k) = (row(0, "owner"), row(1, "k"));
            let registered = register(name, "expand", hygienic!(Expand), &[]);
            hygienic! {
                impl ::treepar::device::ExpandFn for #name {
                    type Output = #output;
                    #[inline(always)]
                    fn call(owner: usize, k: usize, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(#owner, #k, #pass)
                    }
                }
                #registered
            }
        }
        // A refused monoid's identity may be of another type.
        Role::Monoid { .. } if !signature.fits => hygienic!(),
        Role::Monoid { identity, exact, reset } => {
            let reset = reset.as_ref().map(|reset| {
                hygienic! {
                    const RESETS: bool = true;
                    #[inline(always)]
                    fn resets(a: #output) -> bool {
                        #reset(a)
                    }
                }
            });
            hygienic! {
                impl ::treepar::device::Monoid<#output> for #name {
                    const FUNCTION: &'static ::treepar::device::Def = <#name as ::treepar::device::DeviceFn>::DEF;
                    const IDENTITY: #output = #identity;
                    const EXACT: bool = #exact;
                    #[inline(always)]
                    fn combine(a: #output, b: #output) -> #output {
                        #name::combine(a, b)
                    }
                    #reset
                }
            }
        }
        Role::ScanMap(scanned, monoid) | Role::Positions(scanned, monoid) => {
            let (before, i) = (&leading[1].ty, row(0, "i"));
            let functions = [hygienic!(<#scanned as ::treepar::device::DeviceFn>::DEF), monoid_def(monoid, before)];
            let template = if let Role::Positions(..) = role { "positions" } else { "scan_map" };
            let marker = format_ident!("{}", camel(template));
            let registered = register(name, template, hygienic!(#marker<#scanned, #monoid>), &functions);
            hygienic! {
                impl ::treepar::device::CarryFn for #name {
                    type Carry = #before;
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, carry: #before, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(#i, carry, #pass)
                    }
                }
                #registered
            }
        }
        Role::WalkSlots => {
            let i = row(0, "i");
            let registered = register(name, "walk_slots", hygienic!(WalkSlots), &[]);
            hygienic! {
                impl ::treepar::device::SlotsFn for #name {
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, slots: &[#output], args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(#i, slots, #pass)
                    }
                }
                #registered
            }
        }
        Role::WalkDown | Role::WalkUp(_) => {
            let (carry, i) = (&leading[1].ty, row(0, "i"));
            let registered = match role {
                Role::WalkUp(monoid) => {
                    register(name, "walk_up", hygienic!(WalkUp<#monoid>), &[monoid_def(monoid, output)])
                }
                _ => register(name, "walk_down", hygienic!(WalkDown), &[]),
            };
            hygienic! {
                impl ::treepar::device::CarryFn for #name {
                    type Carry = #carry;
                    type Output = #output;
                    #[inline(always)]
                    fn call(i: usize, carry: #carry, args: Self::HostArgs<'_>) -> #output {
                        let _ = &args;
                        #name(#i, carry, #pass)
                    }
                }
                #registered
            }
        }
    }
}

/// The device function of a monoid on elements of a type.
fn monoid_def(monoid: &Path, element: &Type) -> TokenStream {
    quote!(<#monoid as ::treepar::device::Monoid<#element>>::FUNCTION)
}

/// States that `name` fills a template, to the compiler (trait `In`) and to the registry.
fn register(name: &Ident, template: &str, marker: TokenStream, others: &[TokenStream]) -> TokenStream {
    quote! {
        impl ::treepar::device::In<::treepar::device::template::#marker> for #name {}
        ::treepar::device::submit! {
            ::treepar::device::Kernel {
                template: #template,
                functions: &[
                    <#name as ::treepar::device::DeviceFn>::DEF,
                    #(#others),*
                ],
            }
        }
    }
}

/// `segmented_scan` -> `SegmentedScan`.
fn camel(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
