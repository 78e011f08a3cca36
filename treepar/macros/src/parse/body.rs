//! Blocks, statements and patterns of a device function.
//!
//! The parser accepts a list of constructs. It refuses all others at their spans, and each message names an alternative.
//! It reports every error of a function. A refused construct is [`Node::Nothing`] in the tree, which is then dropped.

use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, Block, Expr, Ident, ItemFn, Local, Pat, Path, RangeLimits, Stmt, Type};

use super::errors::{Errors, plain};
use super::paths::is_constant;
use super::signature::{self, Signature};
use super::types;
use treepar_device::Shape;
use treepar_device::tree::{Body, Id, List, Node, Ty};

/// A function's tree, and the items that it refers to by position.
#[derive(Default)]
pub struct Parsed {
    /// The tree.
    pub body: Body,
    /// The device functions that it calls.
    pub calls: Vec<Path>,
    /// The constants that it reads.
    pub constants: Vec<Path>,
    /// The types that it names, besides scalars.
    pub types: Vec<Type>,
}

impl Parsed {
    /// Returns the locals that are columns read at the row in local `row`, or tables of such columns, with their fields.
    pub fn reads_at(&self, row: u32) -> Vec<(u32, Vec<&str>)> {
        let mut found: Vec<(u32, Vec<&str>)> = Vec::new();
        for (local, field) in self.each_read_at(row) {
            let known = found.iter().position(|(other, _)| *other == local).unwrap_or_else(|| {
                found.push((local, Vec::new()));
                found.len() - 1
            });
            let fields = &mut found[known].1;
            fields.extend(field.filter(|field| !fields.contains(field)));
        }
        found
    }

    /// Returns whether column or table `local` is read at the row in local `row`, and used for nothing else.
    pub fn reads_only_at(&self, row: u32, local: u32) -> bool {
        let reads = self.each_read_at(row).filter(|(read, _)| *read == local).count();
        reads > 0 && reads == self.body.nodes.iter().filter(|node| **node == Node::Local(local)).count()
    }

    /// Returns the fields of table or tables `local` that are read at the row in local `row`, and used for nothing else.
    pub fn fields_read_only_at(&self, row: u32, local: u32) -> Vec<&str> {
        let nodes = || self.body.nodes.iter();
        let field_of = |node: &Node| match *node {
            Node::Field(of, name) if self.body.node(of) == Node::Local(local) => Some(self.body.name(name)),
            _ => None,
        };
        // Another function may read any field.
        let is_passed_on =
            nodes().filter(|node| **node == Node::Local(local)).count() > nodes().filter_map(field_of).count();
        let (_, mut fields) = self.reads_at(row).into_iter().find(|(read, _)| *read == local).unwrap_or_default();
        fields.retain(|&field| {
            let reads = self.each_read_at(row).filter(|&read| read == (local, Some(field))).count();
            !is_passed_on && reads == nodes().filter_map(field_of).filter(|&used| used == field).count()
        });
        fields
    }

    /// Returns the columns that are read at the row in local `row`: the local of a column or table, and the field.
    fn each_read_at(&self, row: u32) -> impl Iterator<Item = (u32, Option<&str>)> {
        self.body.nodes.iter().filter_map(move |node| {
            let Node::Index(mut of, at) = *node else { return None };
            let mut field = None;
            while let Node::Field(table, name) = self.body.node(of) {
                (of, field) = (table, Some(self.body.name(name)));
            }
            match self.body.node(of) {
                Node::Local(local) if self.body.node(at) == Node::Local(row) => Some((local, field)),
                _ => None,
            }
        })
    }
}

/// Parses the body of `function`, whose path is `name` and whose head is `signature`.
pub fn parse(function: &ItemFn, name: &str, signature: &Signature, errors: &mut Errors) -> Parsed {
    let mut parser = Parser { tree: Parsed::default(), errors, name, scope: Vec::new() };
    for parameter in &signature.parameters {
        parser.declare(&parameter.name, parameter.shape());
    }
    parser.tree.body.root = parser.block(&function.block, Place::Result);
    Attributes(parser.errors).visit_block(&function.block);
    parser.tree
}

/// Where an expression is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A statement: the value is not used. Assignments and loops are allowed only here.
    Statement,
    /// A value.
    Value,
    /// The function's result, or the value of a tuple of names. Tuples are allowed only here.
    Result,
}

pub(super) struct Parser<'a> {
    pub tree: Parsed,
    pub errors: &'a mut Errors,
    /// The function's own path.
    pub name: &'a str,
    /// Parameters and locals in scope, the innermost last, with their numbers.
    scope: Vec<(Ident, Shape, u32)>,
}

impl Parser<'_> {
    pub fn add(&mut self, node: Node) -> Id {
        self.tree.body.nodes.push(node);
        self.tree.body.nodes.len() as Id - 1
    }

    pub fn list(&mut self, children: &[u32]) -> List {
        let list = List(self.tree.body.lists.len() as u32, children.len() as u32);
        self.tree.body.lists.extend_from_slice(children);
        list
    }

    /// Returns the position of a name among the tree's names.
    pub fn named(&mut self, name: &impl ToString) -> u32 {
        position(&mut self.tree.body.names, name.to_string())
    }

    /// Checks a type, and returns it as the tree names it.
    pub fn ty(&mut self, ty: &Type) -> Ty {
        types::value(ty, self.errors);
        match types::scalar(ty) {
            Some(scalar) => Ty::Scalar(scalar),
            None => Ty::Named(position(&mut self.tree.types, ty.clone())),
        }
    }

    /// Returns the shape and the number of a path that is a name in scope.
    pub fn local_of(&self, path: &Path) -> Option<(Shape, u32)> {
        let name = path.get_ident()?;
        self.scope.iter().rev().find(|(local, ..)| local == name).map(|(_, shape, local)| (*shape, *local))
    }

    fn declare(&mut self, name: &Ident, shape: Shape) -> u32 {
        let local = self.anonymous(&name.to_string());
        self.scope.push((name.clone(), shape, local));
        local
    }

    /// Returns the number of a new local that no name in scope means.
    fn anonymous(&mut self, name: &str) -> u32 {
        self.tree.body.locals.push(name.to_string());
        self.tree.body.locals.len() as u32 - 1
    }

    pub fn block(&mut self, block: &Block, place: Place) -> Id {
        let outside = self.scope.len();
        let (mut statements, mut value) = (Vec::new(), None);
        for (at, stmt) in block.stmts.iter().enumerate() {
            statements.push(match stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, None) if at + 1 == block.stmts.len() => {
                    value = Some(self.expr(expr, place));
                    break;
                }
                Stmt::Expr(expr, _) => self.expr(expr, Place::Statement),
                Stmt::Item(item) => {
                    self.errors.outside(item, "an item inside a function", "put it next to the function");
                    continue;
                }
                Stmt::Macro(found) => self.macro_call(&found.mac),
            });
        }
        self.scope.truncate(outside);
        let statements = self.list(&statements);
        self.add(Node::Block(statements, value))
    }

    pub fn macro_call(&mut self, found: &syn::Macro) -> Id {
        let name = plain(&found.path);
        let instead = match name.as_str() {
            "panic" | "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne"
            | "unreachable" | "todo" | "unimplemented" => {
                "a kernel cannot stop; return a value that a later pass checks"
            }
            "print" | "println" | "eprint" | "eprintln" | "dbg" => "a kernel prints nothing; download the column",
            "vec" | "format" => "a kernel allocates nothing; use the template's outputs",
            "matches" => "use `match` or `==`",
            _ => "write its expansion",
        };
        self.errors.outside(found, format_args!("macro `{name}!`"), instead);
        self.add(Node::Nothing)
    }

    fn local(&mut self, local: &Local) -> Id {
        let Some(init) = &local.init else {
            self.errors.outside(local, "a variable without a value", "give it one");
            self.bind(&local.pat);
            return self.add(Node::Nothing);
        };
        let is_tuple = matches!(&local.pat, Pat::Tuple(_));
        if let (true, Expr::Path(path)) = (is_tuple, &*init.expr)
            && is_constant(&path.path)
        {
            self.errors.outside(path, "a constant that is a tuple", "use one constant for each value");
        }
        let value = self.expr(&init.expr, if is_tuple { Place::Result } else { Place::Value });
        if let Some((_, other)) = &init.diverge {
            self.errors.outside(other, "`let .. else`", "use `if`");
        }
        let node = match &local.pat {
            Pat::Tuple(tuple) => {
                let locals: Vec<u32> = tuple.elems.iter().map(|pattern| self.bind(pattern)).collect();
                Node::LetTuple(self.list(&locals), value)
            }
            Pat::Type(typed) => {
                let local = self.bind(&typed.pat);
                Node::Let(local, Some(self.ty(&typed.ty)), value)
            }
            pattern => Node::Let(self.bind(pattern), None, value),
        };
        self.add(node)
    }

    /// Declares the name that a pattern binds, and returns its number.
    fn bind(&mut self, pattern: &Pat) -> u32 {
        match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.declare(&name.ident, Shape::Value)
            }
            Pat::Wild(_) => self.anonymous("_"),
            other => {
                self.errors.outside(other, "this pattern", "name the value, or take a tuple apart into names");
                self.bind_all(other);
                self.anonymous("_")
            }
        }
    }

    /// Declares the names of a refused pattern, so that their uses cause no further errors.
    pub fn bind_all(&mut self, pattern: &Pat) {
        let mut names = Names(Vec::new());
        names.visit_pat(pattern);
        for name in names.0 {
            self.declare(&name, Shape::Value);
        }
    }

    pub fn for_loop(&mut self, repeat: &syn::ExprForLoop) -> Id {
        self.label(&repeat.label);
        let bounds = match &*repeat.expr {
            Expr::Range(syn::ExprRange {
                limits: RangeLimits::HalfOpen(_),
                start: Some(start),
                end: Some(end),
                ..
            }) => Some((self.expr(start, Place::Value), self.expr(end, Place::Value))),
            other => {
                self.errors.outside(other, "a `for` over anything but `a..b`", "count: `for i in a..b`");
                None
            }
        };
        let outside = self.scope.len();
        let local = self.bind(&repeat.pat);
        let block = self.block(&repeat.body, Place::Statement);
        self.scope.truncate(outside);
        self.add(bounds.map_or(Node::Nothing, |(start, end)| Node::For(local, start, end, block)))
    }

    pub fn choice(&mut self, choice: &syn::ExprMatch, place: Place) -> Id {
        let subject = self.expr(&choice.expr, Place::Value);
        let mut arms = Vec::new();
        for (at, arm) in choice.arms.iter().enumerate() {
            let outside = self.scope.len();
            let pattern = match &arm.pat {
                // A name takes all that is left.
                Pat::Ident(name) if at + 1 == choice.arms.len() && !is_constant(&name.ident.clone().into()) => {
                    let node = Node::Bind(self.bind(&arm.pat));
                    self.add(node)
                }
                pattern => self.constant_pattern(pattern),
            };
            let value = self.expr(&arm.body, place);
            arms.push(self.add(Node::Arm(pattern, value)));
            self.scope.truncate(outside);
        }
        let arms = self.list(&arms);
        self.add(Node::Match(subject, arms))
    }

    fn constant_pattern(&mut self, pattern: &Pat) -> Id {
        match pattern {
            Pat::Wild(_) => self.add(Node::Any),
            Pat::Lit(literal) => self.literal(&literal.lit),
            Pat::Range(range) => {
                let start = range.start.as_ref().map(|bound| self.expr(bound, Place::Value));
                let end = range.end.as_ref().map(|bound| self.expr(bound, Place::Value));
                self.add(Node::Range(start, end, matches!(range.limits, RangeLimits::Closed(_))))
            }
            Pat::Or(either) => {
                let cases: Vec<Id> = either.cases.iter().map(|pattern| self.constant_pattern(pattern)).collect();
                let cases = self.list(&cases);
                self.add(Node::Either(cases))
            }
            Pat::Paren(inner) => self.constant_pattern(&inner.pat),
            Pat::Path(path) if path.qself.is_none() => self.constant(&path.path),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let path = name.ident.clone().into();
                if is_constant(&path) {
                    return self.constant(&path);
                }
                self.errors.outside(pattern, "a name that takes all before the last arm", "write the constant");
                self.bind_all(pattern);
                self.add(Node::Any)
            }
            Pat::Guard(guard) => {
                self.errors.outside(&guard.guard, "a guard", "use `if` in the arm, or before the `match`");
                self.constant_pattern(&guard.pat)
            }
            other => {
                self.errors.outside(other, "this pattern", "use constants, ranges, `|` and `_`");
                self.bind_all(other);
                self.add(Node::Any)
            }
        }
    }

    pub fn label(&mut self, label: &Option<syn::Label>) {
        if let Some(label) = label {
            self.errors.outside(label, "a label", "use a variable that ends the loops");
        }
    }
}

/// Returns the position of an item in a list, and adds it if it is not there. Items are equal if their texts are: syn
/// compares its types only under a feature that doubles the time to compile it.
pub(super) fn position<T: ToTokens>(list: &mut Vec<T>, item: T) -> u32 {
    let text = plain(&item);
    let at = list.iter().position(|other| plain(other) == text).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    });
    at as u32
}

/// Finds the names that a pattern binds.
struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.0.push(name.ident.clone());
    }
}

/// Finds the attributes of a body.
struct Attributes<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Attributes<'_> {
    fn visit_attribute(&mut self, found: &'ast Attribute) {
        signature::attribute(found, self.0);
    }
}
