//! The attribute's argument: the templates that a device function fills.

use syn::parse::{Parse, ParseBuffer, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, FnArg, Ident, ItemFn, Path, Result, ReturnType, Token, Type, parenthesized, token};

use super::types;
use treepar_device::templates;

/// The role of a device function.
pub enum Role {
    /// `#[device]`: called by other device functions only.
    Helper,
    /// `#[device(map)]` and the like: templates that take `f(i, ..)`.
    Row(Vec<Template>),
    /// `#[device(scanned)]`: `f(i, ..)`, whose rows a `scan_map` or `positions` of another function combines.
    Scanned,
    /// `#[device(expand)]`: `f(owner, k, ..)`.
    Expand,
    /// `#[device(monoid(identity = e))]`: an associative `f(a, b)`; `inexact` where only nearly so, `reset = g` where
    /// `f(a, b)` is b for each b with `g(b)`.
    Monoid {
        /// The identity.
        identity: Expr,
        /// `true` if the laws hold to the last bit.
        exact: bool,
        /// The device function that returns whether an element hides all elements before it.
        reset: Option<Path>,
    },
    /// `#[device(scan_map(f, m))]`: `f(i, before, ..)` after a scan of f by m.
    ScanMap(Path, Path),
    /// `#[device(positions(f, m))]`: `f(w, before, ..)`, a word of marks, after a scan of f by m.
    Positions(Path, Path),
    /// `#[device(walk_down)]`: `f(i, parent, ..)`.
    WalkDown,
    /// `#[device(walk_up(m))]`: `f(i, children, ..)`.
    WalkUp(Path),
    /// `#[device(walk_slots)]`: `f(i, slots, ..)`.
    WalkSlots,
}

/// A template that a function of one row fills, with the monoid where it has one.
pub struct Template {
    /// The name: `map`, `scan`.
    pub name: Ident,
    /// The monoid that combines the rows.
    pub monoid: Option<Path>,
}

impl Role {
    /// Returns a role that a function with a refused attribute may have, so that its uses bring no errors of their own.
    pub fn unknown(function: &ItemFn) -> Role {
        let is_row = match function.sig.inputs.first() {
            Some(FnArg::Typed(typed)) => match &*typed.ty {
                Type::Path(_) if types::scalar(&typed.ty).is_some() => {
                    matches!(types::name(&typed.ty).as_deref(), Some("usize" | "u32"))
                }
                ty => matches!(ty, Type::Path(_)),
            },
            _ => false,
        };
        let is_truth = |ty| types::name(ty).as_deref() == Some("bool");
        match &function.sig.output {
            ReturnType::Type(_, ty) if is_row && !is_truth(ty) => Role::Row(Vec::new()),
            _ => Role::Helper,
        }
    }

    /// Returns the template that states the role's parameters.
    fn template(&self) -> Option<&'static templates::Template> {
        templates::of(match self {
            Role::Helper => "",
            Role::Row(_) | Role::Scanned => "map",
            Role::Expand => "expand",
            Role::Monoid { .. } => "monoid",
            Role::ScanMap(..) => "scan_map",
            Role::Positions(..) => "positions",
            Role::WalkDown => "walk_down",
            Role::WalkUp(_) => "walk_up",
            Role::WalkSlots => "walk_slots",
        })
    }

    /// Returns how many leading parameters are the template's own, and how all are written.
    pub fn own(&self) -> (usize, &'static str) {
        self.template().map_or((0, ".."), |template| (template.own, template.form))
    }

    /// Returns how many of them number rows.
    pub fn indices(&self) -> usize {
        self.template().map_or(0, |template| template.indices)
    }
}

const FORMS: &str = "a role of a device function is `map`, `compact`, `accumulate`, `intern`, `reduce(monoid)`, \
    `scan(monoid)`, `segmented_scan(monoid)`, `expand`, `expand_rows`, `monoid(identity = value)`, `scan_map(function, monoid)`, \
    `positions(function, monoid)`, `scanned`, `walk_down`, `walk_up(monoid)` or `walk_slots`; none for a function that only device \
    functions call";

impl Parse for Role {
    fn parse(input: ParseStream) -> Result<Role> {
        if input.is_empty() {
            return Ok(Role::Helper);
        }
        let mut templates = Vec::new();
        loop {
            let name: Ident = input.parse().map_err(|error| Error::new(error.span(), FORMS))?;
            match name.to_string().as_str() {
                "map" | "compact" | "accumulate" | "intern" | "expand_rows" => {
                    templates.push(Template { name, monoid: None })
                }
                "reduce" | "scan" | "segmented_scan" => {
                    let inner = argument(input, &name, "combines by a monoid: `{}(monoid)`")?;
                    for monoid in Punctuated::<Path, Token![,]>::parse_terminated(&inner)? {
                        templates.push(Template { name: name.clone(), monoid: Some(monoid) });
                    }
                }
                "scanned" => return end(input, &name, Role::Scanned),
                "expand" => return end(input, &name, Role::Expand),
                "walk_down" => return end(input, &name, Role::WalkDown),
                "walk_slots" => return end(input, &name, Role::WalkSlots),
                "walk_up" => {
                    let inner = argument(input, &name, "combines by a monoid: `{}(monoid)`")?;
                    return end(input, &name, Role::WalkUp(inner.parse()?));
                }
                "monoid" => {
                    const FORM: &str = "a monoid is declared as `monoid(identity = value)`";
                    let inner = argument(input, &name, "names its identity: `{}(identity = value)`")?;
                    let key: Ident = inner.parse().map_err(|error| Error::new(error.span(), FORM))?;
                    if key != "identity" || !inner.peek(Token![=]) {
                        return Err(Error::new(key.span(), FORM));
                    }
                    inner.parse::<Token![=]>()?;
                    if inner.is_empty() {
                        return Err(Error::new(key.span(), FORM));
                    }
                    let identity = inner.parse()?;
                    let (mut exact, mut reset) = (true, None);
                    if inner.parse::<Option<Token![,]>>()?.is_some() {
                        const AFTER: &str = "only `inexact` or `reset = function` can follow the identity";
                        let word: Ident = inner.parse()?;
                        if word == "reset" && inner.parse::<Option<Token![=]>>()?.is_some() {
                            reset = Some(inner.parse().map_err(|error| Error::new(error.span(), AFTER))?);
                        } else if word == "inexact" {
                            exact = false;
                        } else {
                            return Err(Error::new(word.span(), AFTER));
                        }
                    }
                    return end(input, &name, Role::Monoid { identity, exact, reset });
                }
                "scan_map" | "positions" => {
                    const FORM: &str = "names a function and a monoid: `{}(function, monoid)`";
                    let inner = argument(input, &name, FORM)?;
                    let function = inner.parse()?;
                    if inner.parse::<Option<Token![,]>>()?.is_none() || inner.is_empty() {
                        return Err(missing(&name, FORM));
                    }
                    let monoid = inner.parse()?;
                    let role = if name == "scan_map" { Role::ScanMap } else { Role::Positions };
                    return end(input, &name, role(function, monoid));
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

/// Returns the tokens in the parentheses after `name`; an error with `form` where there are none.
fn argument<'a>(input: ParseStream<'a>, name: &Ident, form: &str) -> Result<ParseBuffer<'a>> {
    if !input.peek(token::Paren) {
        return Err(missing(name, form));
    }
    let inner;
    parenthesized!(inner in input);
    if inner.is_empty() { Err(missing(name, form)) } else { Ok(inner) }
}

/// Returns the error that a role lacks its argument.
fn missing(name: &Ident, form: &str) -> Error {
    Error::new(name.span(), format!("`{name}` {}", form.replace("{}", &name.to_string())))
}

fn end(input: ParseStream, name: &Ident, role: Role) -> Result<Role> {
    if input.is_empty() {
        return Ok(role);
    }
    Err(Error::new(name.span(), format!("role `{name}` stands alone: write one function a role")))
}
