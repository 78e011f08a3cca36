//! What a device function may hold: the part of Rust that CUDA C++ can say with the same meaning.
//!
//! The check is a list of what is allowed; all else is rejected where it stands, with what to write instead. Every
//! error of a function is reported.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Block, Error, Expr, ExprCall, ExprIndex, ExprMethodCall, FnArg, GenericArgument, Ident, ItemFn, Lit, Local, Pat,
    Path, PathArguments, RangeLimits, ReturnType, Stmt, Type, UnOp,
};

/// The names that a body uses: what the generated C++ needs beside the body itself.
#[derive(Default)]
pub struct Uses {
    /// Device functions called.
    pub calls: Vec<Path>,
    /// Constants read: paths whose last segment is in capitals.
    pub constants: Vec<Path>,
}

/// Scalars of the subset.
const SCALARS: [&str; 9] = ["u8", "u16", "u32", "u64", "i32", "i64", "f32", "bool", "usize"];

/// Methods of the subset: each has an exact counterpart in CUDA C++.
const METHODS: [&str; 15] = [
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_shl",
    "wrapping_shr",
    "min",
    "max",
    "count_ones",
    "leading_zeros",
    "trailing_zeros",
    "rotate_left",
    "rotate_right",
    "to_bits",
    "len",
];

/// Functions and constants of primitive types: `f32::from_bits`, `u32::MAX`.
const INTRINSICS: [&str; 5] = ["from_bits", "MAX", "MIN", "BITS", "INFINITY"];

/// Checks `function`; returns what it uses, and the errors.
pub fn check(function: &ItemFn) -> (Uses, Option<Error>) {
    let mut checker =
        Checker { uses: Uses::default(), errors: None, name: function.sig.ident.clone(), parameters: Vec::new() };
    checker.signature(function);
    checker.block(&function.block);
    (checker.uses, checker.errors)
}

struct Checker {
    uses: Uses,
    errors: Option<Error>,
    name: Ident,
    /// The columns among the parameters.
    parameters: Vec<Ident>,
}

impl Checker {
    fn reject(&mut self, place: &impl ToTokens, message: impl std::fmt::Display) {
        self.error(Error::new_spanned(place, message));
    }

    fn reject_at(&mut self, place: Span, message: &str) {
        self.error(Error::new(place, message));
    }

    fn error(&mut self, error: Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    fn signature(&mut self, function: &ItemFn) {
        let sig = &function.sig;
        if !sig.generics.params.is_empty() || sig.generics.where_clause.is_some() {
            self.reject(&sig.generics, "a device function has no generics: write one function a type");
        }
        for (keyword, span) in [
            ("const", sig.constness.as_ref().map(Spanned::span)),
            ("async", sig.asyncness.as_ref().map(Spanned::span)),
            ("unsafe", matches!(sig.safety, syn::Safety::Unsafe(_)).then(|| sig.safety.span())),
            ("extern", sig.abi.as_ref().map(Spanned::span)),
        ] {
            if let Some(span) = span {
                self.reject_at(span, &format!("a device function is not `{keyword}`: take the keyword away"));
            }
        }
        for input in &sig.inputs {
            let FnArg::Typed(typed) = input else { continue };
            match &*typed.ty {
                Type::Reference(reference) => {
                    if let Some(lifetime) = &reference.lifetime {
                        self.reject(lifetime, "a device function has no lifetimes: write `&[T]`");
                    }
                    if let (Type::Slice(slice), Pat::Ident(name)) = (&*reference.elem, &*typed.pat) {
                        self.parameters.push(name.ident.clone());
                        self.element(&slice.elem);
                    }
                }
                ty => self.ty(ty),
            }
        }
        if let ReturnType::Type(_, ty) = &sig.output {
            match &**ty {
                Type::Tuple(tuple) if !tuple.elems.is_empty() => tuple.elems.iter().for_each(|ty| self.ty(ty)),
                ty => self.ty(ty),
            }
        }
    }

    /// The element of a column.
    fn element(&mut self, ty: &Type) {
        match name_of(ty).as_deref() {
            Some("bool") => self.reject(ty, "`bool` is no element of a column: use `u8`, 0 or 1"),
            Some("usize") => self.reject(ty, "`usize` is no element of a column: use `u32`"),
            _ => self.ty(ty),
        }
    }

    /// A type of a scalar, local or result.
    fn ty(&mut self, ty: &Type) {
        let alternative = match ty {
            Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
                Some(last) if matches!(last.arguments, PathArguments::None) => {
                    let name = last.ident.to_string();
                    match name.as_str() {
                        "i8" | "i16" | "isize" => "use `i32` or `i64`",
                        "u128" | "i128" => "use two `u64`",
                        "f64" => "use `f32`",
                        "char" => "use `u32`",
                        "str" | "String" => "device functions have no text",
                        _ => return,
                    }
                }
                _ => "use a scalar or a `#[device]` struct, which have no generic arguments",
            },
            Type::Reference(_) => "take scalars by value and columns as `&[T]`",
            Type::Array(_) | Type::Slice(_) => "use a `const` table, or one variable each",
            Type::Tuple(_) => "use a `#[device]` struct; tuples are results only",
            Type::ImplTrait(_) | Type::TraitObject(_) => "write one function a type",
            _ => "use u8, u16, u32, u64, i32, i64, f32, bool, usize or a `#[device]` struct",
        };
        self.reject(ty, format_args!("type `{}` is not in the device subset: {alternative}", text(ty)));
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, _) => self.expr(expr),
                Stmt::Item(item) => self.reject(item, "no items inside a device function: put them beside it"),
                Stmt::Macro(found) => self.macro_call(&found.mac),
            }
        }
    }

    fn macro_call(&mut self, found: &syn::Macro) {
        let name = text(&found.path);
        let alternative = match name.as_str() {
            "panic" | "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "unreachable" | "todo"
            | "unimplemented" => "a kernel cannot stop: return a value that a later pass checks",
            "print" | "println" | "eprintln" | "dbg" => "a kernel prints nothing: download the column",
            "vec" | "format" => "a kernel allocates nothing: use the template's outputs",
            _ => "write its expansion, in the subset",
        };
        self.reject(found, format_args!("macro `{name}!` in a device function: {alternative}"));
    }

    fn local(&mut self, local: &Local) {
        self.binding(&local.pat, true);
        match &local.init {
            None => self.reject(local, "a variable without a value: give it one"),
            Some(init) => {
                self.expr(&init.expr);
                if let Some((_, other)) = &init.diverge {
                    self.reject(other, "`let .. else` in a device function: use `if`");
                }
            }
        }
    }

    /// A pattern that binds: a name, or names in a tuple.
    fn binding(&mut self, pattern: &Pat, tuples: bool) {
        match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {}
            Pat::Wild(_) => {}
            Pat::Type(typed) => {
                self.binding(&typed.pat, tuples);
                self.ty(&typed.ty);
            }
            Pat::Tuple(tuple) if tuples => tuple.elems.iter().for_each(|pattern| self.binding(pattern, false)),
            other => self.reject(other, "a pattern in a device function is a name, or a tuple of names"),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number)
                    if matches!(
                        number.suffix(),
                        "" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" | "usize" | "f32"
                    ) => {}
                Lit::Float(number) if matches!(number.suffix(), "" | "f32") => {}
                Lit::Bool(_) => {}
                other => self.reject(other, "a literal of a device function is an integer, an `f32` or a `bool`"),
            },
            Expr::Path(path) if path.qself.is_none() => self.path(&path.path),
            Expr::Paren(inner) => self.expr(&inner.expr),
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Binary(binary) => {
                if is_assignment(&binary.op) {
                    self.target(&binary.left);
                } else {
                    self.expr(&binary.left);
                }
                self.expr(&binary.right);
            }
            Expr::Unary(unary) => {
                if let UnOp::Deref(_) = unary.op {
                    self.reject(
                        expr,
                        "`*` of a reference in a device function: there are none but columns; index them",
                    );
                }
                self.expr(&unary.expr);
            }
            Expr::Assign(assign) => {
                self.target(&assign.left);
                self.expr(&assign.right);
            }
            Expr::Cast(cast) => {
                self.expr(&cast.expr);
                self.ty(&cast.ty);
            }
            Expr::Index(index) => self.index(index),
            Expr::Field(field) => {
                if let syn::Member::Unnamed(_) = field.member {
                    self.reject(expr, "a tuple's field in a device function: take it apart by `let (a, b) = ..`");
                }
                self.expr(&field.base);
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Struct(literal) => {
                if let Some(rest) = &literal.rest {
                    self.reject(rest, "`..` in a struct of a device function: name every field");
                }
                literal.fields.iter().for_each(|field| self.expr(&field.expr));
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|expr| self.expr(expr)),
            Expr::Block(block) => {
                self.label(&block.label);
                self.block(&block.block);
            }
            Expr::If(choice) => {
                self.expr(&choice.cond);
                self.block(&choice.then_branch);
                if let Some((_, other)) = &choice.else_branch {
                    self.expr(other);
                }
            }
            Expr::Match(choice) => self.choice(choice),
            Expr::ForLoop(repeat) => {
                self.label(&repeat.label);
                self.binding(&repeat.pat, false);
                match &*repeat.expr {
                    Expr::Range(range)
                        if matches!(range.limits, RangeLimits::HalfOpen(_))
                            && range.start.is_some()
                            && range.end.is_some() =>
                    {
                        range.start.iter().chain(&range.end).for_each(|bound| self.expr(bound));
                    }
                    other => self.reject(other, "a `for` of a device function counts: `for i in a..b`"),
                }
                self.block(&repeat.body);
            }
            Expr::While(repeat) => {
                self.label(&repeat.label);
                self.expr(&repeat.cond);
                self.block(&repeat.body);
            }
            Expr::Break(leave) => {
                if let Some(label) = &leave.label {
                    self.reject(label, "a label in a device function: use a variable that ends the loops");
                }
                if let Some(value) = &leave.expr {
                    self.reject(value, "`break` with a value: assign a variable");
                }
            }
            Expr::Continue(next) => {
                if let Some(label) = &next.label {
                    self.reject(label, "a label in a device function: use a variable that ends the loops");
                }
            }
            Expr::Return(result) => {
                if let Some(value) = &result.expr {
                    self.expr(value);
                }
            }
            other => self.reject(other, rejection(other)),
        }
    }

    fn label(&mut self, label: &Option<syn::Label>) {
        if let Some(label) = label {
            self.reject(label, "a label in a device function: use a variable that ends the loops");
        }
    }

    /// What stands left of an assignment: a local or a field of one.
    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Path(path) if path.path.get_ident().is_some() => {}
            Expr::Field(field) if matches!(field.member, syn::Member::Named(_)) => self.target(&field.base),
            Expr::Paren(inner) => self.target(&inner.expr),
            Expr::Index(_) => {
                self.reject(target, "a device function writes no column: return the value, and its template writes it")
            }
            other => self.reject(other, "an assignment in a device function is to a local or a field of one"),
        }
    }

    fn index(&mut self, index: &ExprIndex) {
        if let Expr::Range(range) = &*index.index {
            self.reject(range, "a part of a column in a device function: pass the bounds and index by them");
        } else {
            self.expr(&index.index);
        }
        match &*index.expr {
            Expr::Path(path) => self.path(&path.path),
            other => self.reject(other, "only a column or a `const` table is indexed, by its name"),
        }
    }

    fn choice(&mut self, choice: &syn::ExprMatch) {
        self.expr(&choice.expr);
        for arm in &choice.arms {
            self.constant_pattern(&arm.pat);
            self.expr(&arm.body);
        }
    }

    /// A pattern of constants; a name alone binds, which only the last arm's may.
    fn constant_pattern(&mut self, pattern: &Pat) {
        match pattern {
            Pat::Wild(_) | Pat::Lit(_) | Pat::Range(_) => {}
            Pat::Or(either) => either.cases.iter().for_each(|pattern| self.constant_pattern(pattern)),
            Pat::Paren(inner) => self.constant_pattern(&inner.pat),
            Pat::Path(path) => self.path(&path.path),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => self.path(&name.ident.clone().into()),
            other => {
                self.reject(other, "a pattern of a `match` in a device function is a constant, a range, `|` or `_`")
            }
        }
    }

    /// A name that is read.
    fn path(&mut self, path: &Path) {
        if let Some(arguments) = generic_arguments(path) {
            self.reject(arguments, "generic arguments in a device function: write one function a type");
        }
        if is_capital(path) && !is_intrinsic(path) && !self.uses.constants.contains(path) {
            self.uses.constants.push(path.clone());
        }
    }

    fn call(&mut self, call: &ExprCall) {
        match &*call.func {
            Expr::Path(function) if function.qself.is_none() => {
                let path = &function.path;
                if let Some(arguments) = generic_arguments(path) {
                    self.reject(arguments, "generic arguments in a device function: write one function a type");
                } else if path.is_ident(&self.name) {
                    self.reject(path, "a device function does not call itself: use a loop, or a walk over the tree");
                } else if matches!(text(path).as_str(), "Some" | "None" | "Ok" | "Err") {
                    self.reject(path, "no `Option` or `Result` in a device function: use a reserved value");
                } else if !is_intrinsic(path) && !self.uses.calls.contains(path) {
                    self.uses.calls.push(path.clone());
                }
            }
            other => self.reject(other, "a device function calls device functions by their names"),
        }
        call.args.iter().for_each(|argument| match argument {
            // Columns are passed on as they are.
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.parameters.contains(name)) => {}
            argument => self.expr(argument),
        });
    }

    fn method(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        if !METHODS.contains(&name.as_str()) {
            let alternative = match name.as_str() {
                "iter" | "into_iter" | "map" | "filter" | "sum" | "fold" | "enumerate" | "zip" => {
                    "use `for i in a..b` and an index"
                }
                "unwrap" | "expect" | "get" | "checked_add" | "checked_sub" | "checked_mul" => {
                    "no `Option` in the subset: compare first"
                }
                "wrapping_div" | "wrapping_rem" | "pow" | "abs" | "sqrt" | "saturating_sub" | "saturating_add" => {
                    "write it with `if` and the operators"
                }
                _ => "write a device function",
            };
            self.reject(&call.method, format_args!("method `{name}` is not in the device subset: {alternative}"));
        }
        if let Some(turbofish) = &call.turbofish {
            self.reject(turbofish, "generic arguments in a device function: write one function a type");
        }
        self.expr(&call.receiver);
        call.args.iter().for_each(|argument| self.expr(argument));
    }
}

fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign,
        SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// What to write in place of an expression that is never allowed.
fn rejection(expr: &Expr) -> &'static str {
    match expr {
        Expr::Closure(_) => "a closure in a device function: write a device function",
        Expr::Macro(_) => "a macro in a device function: write its expansion, in the subset",
        Expr::Reference(_) => "a reference in a device function: pass scalars by value and columns by their names",
        Expr::Loop(_) => "`loop` in a device function: use `while` with the condition to go on",
        Expr::Let(_) => "`if let` and `while let` in a device function: compare",
        Expr::Try(_) => "`?` in a device function: return a reserved value",
        Expr::Unsafe(_) => "`unsafe` in a device function: the subset needs none",
        Expr::Array(_) | Expr::Repeat(_) => "an array in a device function: use a `const` table, or one variable each",
        Expr::Range(_) => "a range in a device function stands in `for i in a..b` only",
        Expr::Async(_) | Expr::Await(_) => "nothing is asynchronous in a device function",
        _ => "this is not in the device subset; see the table at `treepar::device`",
    }
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The name of a type that is a plain path.
fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The first generic arguments of a path.
fn generic_arguments(path: &Path) -> Option<&syn::AngleBracketedGenericArguments> {
    path.segments.iter().find_map(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(arguments)
            if arguments.args.iter().any(|a| !matches!(a, GenericArgument::Lifetime(_))) =>
        {
            Some(arguments)
        }
        _ => None,
    })
}

fn is_capital(path: &Path) -> bool {
    let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// Whether a path names something of a primitive type, such as `u32::MAX` or `f32::from_bits`.
fn is_intrinsic(path: &Path) -> bool {
    path.segments.len() == 2
        && SCALARS.iter().any(|name| path.segments[0].ident == name)
        && INTRINSICS.iter().any(|name| path.segments[1].ident == name)
}
