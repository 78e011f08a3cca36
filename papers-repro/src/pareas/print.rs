//! Prints generated functions as Par text.

use std::fmt::Write as _;

use super::draw::{Draw, Kind, Node};
use super::signature::{Signature, Type};

/// A variable in scope.
#[derive(Clone, Copy)]
enum Variable {
    Parameter(usize),
    Declared(usize),
}

/// The state of printing a function.
struct Printer<'a> {
    nodes: &'a [Node],
    out: &'a mut String,
    ints: Vec<Variable>,
    floats: Vec<Variable>,
    declared: usize,
}

/// Appends the text of function `f` to a program.
pub fn print(f: usize, signature: &Signature, draw: &Draw, out: &mut String) {
    let mut printer = Printer { nodes: &draw.nodes, out, ints: Vec::new(), floats: Vec::new(), declared: 0 };
    printer.word(format_args!("fn f{f}["));
    for (k, &ty) in signature.parameters.iter().enumerate() {
        printer.word(format_args!("{}p{k}: {}", if k > 0 { ", " } else { "" }, name_of(ty)));
        printer.variables(ty).push(Variable::Parameter(k));
    }
    printer.word(format_args!("]"));
    if let Some(ty) = signature.result {
        printer.word(format_args!(": {}", name_of(ty)));
    }
    printer.word(format_args!(" "));
    printer.node(0);
    printer.out.push('\n');
}

fn name_of(ty: Type) -> &'static str {
    match ty {
        Type::Int => "int",
        Type::Float => "float",
    }
}

impl Printer<'_> {
    fn word(&mut self, text: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
    }

    fn variables(&mut self, ty: Type) -> &mut Vec<Variable> {
        match ty {
            Type::Int => &mut self.ints,
            Type::Float => &mut self.floats,
        }
    }

    /// Prints a variable in scope, chosen by the node's index. Returns `false` if there is none.
    fn name(&mut self, at: u32, ty: Type) -> bool {
        let variables = self.variables(ty);
        let chosen = at.wrapping_mul(0x9e37_79b1) as usize % variables.len().max(1);
        match variables.get(chosen).copied() {
            Some(Variable::Parameter(k)) => self.word(format_args!("p{k}")),
            Some(Variable::Declared(k)) => self.word(format_args!("v{k}")),
            None => return false,
        }
        true
    }

    fn literal(&mut self, at: u32, ty: Type) {
        match ty {
            Type::Int => self.word(format_args!("{}", at % 1000)),
            Type::Float => self.word(format_args!("{}.5", at % 100)),
        }
    }

    /// Prints a child in parentheses, with text before and after it.
    fn enclosed(&mut self, before: &str, child: u32, after: &str) {
        self.word(format_args!("{before}("));
        self.node(child);
        self.word(format_args!("{after})"));
    }

    fn block(&mut self, children: &[u32]) {
        let (ints, floats) = (self.ints.len(), self.floats.len());
        self.out.push_str("{\n");
        for &child in children {
            self.node(child);
            self.out.push('\n');
        }
        self.out.push('}');
        self.ints.truncate(ints);
        self.floats.truncate(floats);
    }

    fn condition(&mut self, word: &str, children: &[u32]) {
        self.word(format_args!("{word} "));
        self.node(children[0]);
        self.out.push(' ');
        self.node(children[1]);
        let Some(&other) = children.get(2) else { return };
        match self.nodes[other as usize].kind {
            Kind::If | Kind::IfElse => {
                let nodes = self.nodes;
                self.out.push(' ');
                self.condition("elif", &nodes[other as usize].children);
            }
            _ => {
                self.out.push_str(" else ");
                self.node(other);
            }
        }
    }

    fn declaration(&mut self, ty: Type, value: Option<u32>) {
        let k = self.declared;
        self.declared += 1;
        match value {
            Some(value) => {
                self.word(format_args!("var v{k} = "));
                self.node(value);
            }
            None => self.word(format_args!("var v{k}: {}", name_of(ty))),
        }
        // The variable is not in scope in its own initial value.
        self.variables(ty).push(Variable::Declared(k));
    }

    fn node(&mut self, at: u32) {
        let nodes = self.nodes;
        let Node { kind, children } = &nodes[at as usize];
        match *kind {
            Kind::Block => self.block(children),
            Kind::Empty => self.out.push(';'),
            Kind::Expression => {
                self.node(children[0]);
                self.out.push(';');
            }
            Kind::Return => {
                self.out.push_str("return");
                if let Some(&value) = children.first() {
                    self.out.push(' ');
                    self.node(value);
                }
                self.out.push(';');
            }
            Kind::If | Kind::IfElse => self.condition("if", children),
            Kind::While => self.condition("while", children),
            Kind::Declare(ty) => self.declaration(ty, children.first().copied()),
            Kind::Assign(ty) => {
                if self.name(at, ty) {
                    self.out.push_str(" = ");
                    self.node(children[0]);
                } else {
                    self.enclosed("-", children[0], "");
                }
            }
            Kind::Call(f) => {
                self.word(format_args!("f{f}["));
                for (k, &argument) in children.iter().enumerate() {
                    self.out.push_str(if k > 0 { ", " } else { "" });
                    self.node(argument);
                }
                self.out.push(']');
            }
            Kind::Argument(_) => self.node(children[0]),
            Kind::Literal(ty) => self.literal(at, ty),
            Kind::Name(ty) => {
                if !self.name(at, ty) {
                    self.literal(at, ty);
                }
            }
            Kind::Cast(ty) => self.enclosed(name_of(ty), children[0], ""),
            Kind::Ascribe(Type::Int) => self.enclosed("", children[0], " : int"),
            Kind::Ascribe(Type::Float) => self.enclosed("", children[0], " : float"),
            Kind::Unary(operator) => self.enclosed(operator, children[0], ""),
            Kind::Binary(operator) => {
                self.out.push('(');
                self.node(children[0]);
                self.word(format_args!(" {operator} "));
                self.node(children[1]);
                self.out.push(')');
            }
            // The generator replaces all open nodes.
            Kind::Statement | Kind::Last | Kind::Effect | Kind::Value(_) | Kind::Elif => {}
        }
    }
}
