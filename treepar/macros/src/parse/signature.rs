//! The head of a device function: its parameters and result, checked against its role.

use syn::spanned::Spanned;
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, ReturnType, Type, parse_quote};

use super::errors::{Errors, plain, text};
use super::role::Role;
use super::types;
use treepar_device::Shape;

/// A parameter: a column, a table, a scalar or a struct.
pub struct Parameter {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: Type,
    /// The element type where it is a column.
    pub column: Option<Type>,
    /// The type of the columns where it is a table.
    pub table: Option<Type>,
}

impl Parameter {
    /// Returns how the function takes it.
    pub fn shape(&self) -> Shape {
        match (&self.column, &self.table) {
            (Some(_), _) => Shape::Column,
            (_, Some(_)) => Shape::Table,
            _ => Shape::Value,
        }
    }
}

/// The head of a device function that was understood.
pub struct Signature {
    /// All parameters, the template's own first.
    pub parameters: Vec<Parameter>,
    /// How many are the template's own.
    pub own: usize,
    /// The type of the result.
    pub output: Type,
    /// `true` if the role takes the template's own parameters and the result.
    pub fits: bool,
}

impl Signature {
    /// Makes a head that does not fit one that the role can have, so that its uses bring no errors of their own.
    pub fn mend(&mut self, role: &Role) {
        if self.fits {
            return;
        }
        let fills = |name| matches!(role, Role::Row(all) if all.iter().any(|template| template.name == name));
        self.output = match role {
            _ if fills("compact") => parse_quote!(bool),
            _ if fills("accumulate") => parse_quote!((u32, u32)),
            _ if fills("intern") => parse_quote!(u64),
            _ if fills("expand_rows") => parse_quote!((u32, u32, u32, u32, u32)),
            Role::Positions(..) => parse_quote!(u64),
            _ => parse_quote!(u32),
        };
        let indices = role.indices();
        // Words of marks are not of the type of the value before them.
        let output = if let Role::Positions(..) = role { parse_quote!(u32) } else { self.output.clone() };
        for (k, own) in self.parameters[..self.own].iter_mut().enumerate() {
            let is_slots = matches!(role, Role::WalkSlots) && k == 1;
            own.column = is_slots.then(|| output.clone());
            own.table = None;
            own.ty = match is_slots {
                true => parse_quote!(&[#output]),
                false if k < indices => parse_quote!(usize),
                false => output.clone(),
            };
        }
    }

    /// The template's own parameters.
    pub fn leading(&self) -> &[Parameter] {
        &self.parameters[..self.own]
    }

    /// Columns and scalars beyond the template's own parameters.
    pub fn rest(&self) -> &[Parameter] {
        &self.parameters[self.own..]
    }
}

/// Checks the head of `function`, a method of the type `of` if there is one.
///
/// Returns nothing where the parameters do not fit `role`.
pub fn check(function: &ItemFn, role: &Role, of: Option<&Type>, errors: &mut Errors) -> Option<Signature> {
    qualifiers(function, errors);
    let inputs: Vec<Option<Parameter>> = function.sig.inputs.iter().map(|input| parameter(input, of, errors)).collect();
    let output = match &function.sig.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => {
            errors.at(&function.sig, "a device function returns its result: templates write, device functions do not");
            None
        }
    };
    let parameters = inputs.into_iter().collect::<Option<Vec<_>>>()?;
    let output = output?;
    let (own, form) = role.own();
    if parameters.len() < own || matches!(role, Role::Monoid { .. }) && parameters.len() > own {
        let name = &function.sig.ident;
        errors.at(&function.sig, format_args!("the parameters of this role are `{name}({form})`"));
        return None;
    }
    let mut signature = Signature { parameters, own, output, fits: true };
    let before = errors.count();
    fits(&signature, role, errors);
    signature.fits = errors.count() == before;
    Some(signature)
}

/// Attributes that change no meaning.
pub fn attribute(attribute: &Attribute, errors: &mut Errors) {
    const KEPT: [&str; 9] = ["doc", "allow", "expect", "warn", "deny", "forbid", "must_use", "deprecated", "rustfmt"];
    let path = attribute.path();
    if !path.segments.first().is_some_and(|first| KEPT.iter().any(|kept| first.ident == kept)) {
        errors.outside(path, format_args!("attribute `{}`", plain(path)), "take it away");
    }
}

fn qualifiers(function: &ItemFn, errors: &mut Errors) {
    function.attrs.iter().for_each(|found| attribute(found, errors));
    let sig = &function.sig;
    if !sig.generics.params.is_empty() {
        if sig.generics.params.iter().all(|parameter| matches!(parameter, syn::GenericParam::Lifetime(_))) {
            errors.outside(&sig.generics, "a lifetime", "write `&[T]` without");
        } else {
            errors.outside(&sig.generics, "a generic parameter", "write one function per type");
        }
    }
    if let Some(clause) = &sig.generics.where_clause {
        errors.outside(clause, "a `where` clause", "write one function per type");
    }
    for (keyword, span) in [
        ("async", sig.asyncness.as_ref().map(Spanned::span)),
        ("unsafe", matches!(sig.safety, syn::Safety::Unsafe(_)).then(|| sig.safety.span())),
        ("extern", sig.abi.as_ref().map(Spanned::span)),
    ] {
        if let Some(span) = span {
            errors.add(Error::new(span, format!("`{keyword} fn` is not in the device subset: write `fn`")));
        }
    }
    if let Some(rest) = &sig.variadic {
        errors.outside(rest, "a variadic parameter", "name each parameter");
    }
}

fn parameter(input: &FnArg, of: Option<&Type>, errors: &mut Errors) -> Option<Parameter> {
    let typed = match (input, of) {
        (FnArg::Typed(typed), _) => typed,
        (FnArg::Receiver(receiver), Some(of)) => {
            if text(receiver) != "self" {
                errors.outside(input, "this receiver", "take `self` by value");
            }
            types::value(of, errors);
            let name = Ident::new("self", receiver.self_token.span());
            return Some(Parameter { name, ty: of.clone(), column: None, table: None });
        }
        (FnArg::Receiver(_), None) => {
            errors.outside(input, "`self`", "pass columns and scalars");
            return None;
        }
    };
    typed.attrs.iter().for_each(|found| attribute(found, errors));
    let name = match &*typed.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(pattern.ident.clone()),
        other => {
            errors.outside(other, "a parameter that is no plain name", "name it");
            None
        }
    };
    let (mut column, mut table, before) = (None, None, errors.count());
    match &*typed.ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => {
                if reference.mutability.is_some() {
                    let instead = "read columns, `&[T]`; return the value, and the template writes it";
                    errors.outside(&typed.ty, "`&mut`", instead);
                }
                if let Some(lifetime) = &reference.lifetime {
                    errors.outside(lifetime, "a lifetime", "write `&[T]` without");
                }
                types::element(&slice.elem, errors);
                column = Some((*slice.elem).clone());
            }
            Type::Path(path) if types::scalar(&reference.elem).is_none() && reference.mutability.is_none() => {
                if let Some(lifetime) = &reference.lifetime {
                    errors.outside(lifetime, "a lifetime", "write `&Rows` without");
                }
                types::value(&reference.elem, errors);
                table = Some(Type::Path(path.clone()));
            }
            _ => types::value(&typed.ty, errors),
        },
        ty => types::value(ty, errors),
    }
    let mut ty = (*typed.ty).clone();
    if errors.count() > before {
        // Callers see this instead of a refused type.
        table = None;
        column = column.map(|_| parse_quote!(u32));
        ty = if column.is_some() { parse_quote!(&[u32]) } else { parse_quote!(u32) };
    }
    Some(Parameter { name: name?, ty, column, table })
}

/// Checks the template's own parameters and the result against the role.
fn fits(signature: &Signature, role: &Role, errors: &mut Errors) {
    let Signature { output, .. } = signature;
    for index in &signature.leading()[..role.indices()] {
        let is_index = match types::name(&index.ty).as_deref() {
            Some("usize" | "u32") => true,
            // rustc checks that it is an index.
            _ => matches!(index.ty, Type::Path(_)) && types::scalar(&index.ty).is_none(),
        };
        if !is_index {
            errors.at(&index.ty, "this parameter numbers a row: expected `usize`, `u32` or an index");
        }
    }
    let same = |ty: &Type| text(ty) == text(output);
    match role {
        Role::Helper => types::result(output, errors),
        Role::Row(templates) => {
            let predicate = types::name(output).as_deref() == Some("bool");
            let before = errors.count();
            for template in templates {
                if template.name == "compact" && !predicate {
                    errors.at(output, "a predicate of `compact` returns `bool`");
                }
                if template.name == "accumulate" && !types::is_pair(output, "u32") {
                    errors.at(output, "a function of `accumulate` returns an index and a weight, `(u32, u32)`");
                    continue;
                }
                if template.name == "intern" && !types::is(output, "u64") {
                    errors.at(output, "a function of `intern` returns a key, `u64`");
                    continue;
                }
                if template.name == "expand_rows" {
                    match types::made(output) {
                        Some(row) => types::element(row, errors),
                        None => errors.at(
                            output,
                            "a function of `expand_rows` returns four rows and how many of them it keeps, `(T, T, T, T, u32)`",
                        ),
                    }
                    continue;
                }
                if template.name != "compact" && predicate {
                    let name = &template.name;
                    errors.at(output, format_args!("`bool` is no element of a column: in `{name}` use `u8`, 0 or 1"));
                }
            }
            if errors.count() > before {
                return;
            }
            match templates.iter().any(|template| template.monoid.is_some()) {
                _ if predicate => {}
                true => types::element(output, errors),
                false => types::outputs(output, errors),
            }
        }
        Role::Scanned => types::element(output, errors),
        Role::Expand => types::outputs(output, errors),
        Role::ScanMap(..) | Role::Positions(..) => {
            let before = &signature.parameters[1];
            if before.column.is_some() {
                errors.at(&before.ty, "this parameter is what the scan found before the row: expected an element");
            } else if matches!(types::name(&before.ty).as_deref(), Some("bool" | "usize")) {
                types::element(&before.ty, errors);
            }
            match role {
                Role::Positions(..) if !types::is(output, "u64") => {
                    errors.at(output, "a function of `positions` returns the marks of 64 rows, `u64`");
                }
                Role::Positions(..) => {}
                _ => types::outputs(output, errors),
            }
        }
        Role::Monoid { .. } => {
            for side in signature.leading().iter().filter(|side| !same(&side.ty)) {
                errors.at(&side.ty, "a monoid takes two values of the type that it returns");
            }
            types::element(output, errors);
        }
        Role::WalkSlots => {
            let slots = &signature.parameters[1];
            if slots.column.as_ref().is_none_or(|element| text(element) != text(output)) {
                errors.at(&slots.ty, "this parameter holds what the children returned: expected `&[T]` of the result");
            }
            types::element(output, errors);
        }
        Role::WalkDown | Role::WalkUp(_) => {
            let carry = &signature.parameters[1];
            if !same(&carry.ty) {
                errors.at(&carry.ty, "a walk carries what it returns: expected the same type");
            }
            types::element(output, errors);
        }
    }
}
