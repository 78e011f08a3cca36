//! The type of each node of a function's tree.
//!
//! rustc has checked the types; this pass finds them again. It visits each node once. The type of a node follows from its
//! children, except for an integer literal without a suffix. Such a literal gets a variable. The first value of a known
//! type that meets it resolves the variable. A variable that remains at the end is an `i32`, as in Rust.

use crate::methods::{self, Own, Typing};
use crate::tree::{Body, Id, List, Node, Ty};
use crate::types::{Scalar, Type, UNIT};
use crate::{Def, Shape};

/// The types of a function's tree.
#[derive(Clone, Debug)]
pub struct Types {
    /// The type of each node; of a column, its element's type.
    pub nodes: Vec<Type>,
    /// The type of each local; of a column, its element's type.
    pub locals: Vec<Type>,
}

/// A type that is being found.
#[derive(Clone, Debug)]
enum Term {
    Known(Type),
    /// A variable: an integer.
    Integer(usize),
    Tuple(Vec<Term>),
    /// The type of an expression that does not return.
    Never,
}

const BOOL: Term = Term::Known(Type::Scalar(Scalar::Bool));
const U32: Term = Term::Known(Type::Scalar(Scalar::U32));
const USIZE: Term = Term::Known(Type::Scalar(Scalar::Usize));
const NOTHING: Term = Term::Known(UNIT);

/// The knowledge about a variable.
#[derive(Clone, Copy, Debug)]
enum Variable {
    Free,
    Is(Type),
    /// The same as an earlier one.
    Same(usize),
}

struct Inference<'a> {
    function: &'a Def,
    body: &'a Body,
    constants: Vec<Type>,
    nodes: Vec<Term>,
    locals: Vec<Term>,
    variables: Vec<Variable>,
    /// Variables with the scalar that each is if no other value resolves it.
    defaults: Vec<(usize, Scalar)>,
}

/// Infers the types of `body`, the function's tree.
///
/// # Errors
/// A call that names no device method.
pub fn infer(function: &Def, body: &Body) -> Result<Types, String> {
    let mut inference = Inference {
        function,
        body,
        constants: function.constants.iter().map(|(_, constant)| constant.value().ty).collect(),
        nodes: vec![NOTHING; body.nodes.len()],
        locals: vec![NOTHING; body.locals.len()],
        variables: Vec::new(),
        defaults: Vec::new(),
    };
    for (local, parameter) in inference.locals.iter_mut().zip(function.parameters) {
        *local = Term::Known(parameter.ty);
    }
    let result = inference.node(body.root)?;
    inference.unify(&result, &Term::Known(function.output));
    for (variable, scalar) in std::mem::take(&mut inference.defaults) {
        inference.unify(&Term::Integer(variable), &Term::Known(Type::Scalar(scalar)));
    }
    let mut integers = Vec::new();
    for variable in &inference.variables {
        integers.push(match *variable {
            Variable::Free => Type::Scalar(Scalar::I32),
            Variable::Is(ty) => ty,
            Variable::Same(earlier) => integers[earlier],
        });
    }
    let resolved = |term: &Term| match *term {
        Term::Known(ty) => ty,
        Term::Integer(variable) => integers[variable],
        Term::Tuple(_) | Term::Never => UNIT,
    };
    Ok(Types {
        nodes: inference.nodes.iter().map(resolved).collect(),
        locals: inference.locals.iter().map(resolved).collect(),
    })
}

impl Inference<'_> {
    /// Infers the type of a node, and remembers it.
    fn node(&mut self, id: Id) -> Result<Term, String> {
        let term = self.term(id)?;
        self.nodes[id as usize] = term.clone();
        Ok(term)
    }

    /// Infers the type of a node, of which a type is expected.
    fn expect(&mut self, id: Id, expected: &Term) -> Result<(), String> {
        let found = self.node(id)?;
        self.unify(&found, expected);
        Ok(())
    }

    fn term(&mut self, id: Id) -> Result<Term, String> {
        Ok(match self.body.node(id) {
            Node::Nothing | Node::Any => NOTHING,
            Node::Boolean(_) => BOOL,
            Node::Int(_, Some(scalar)) => Term::Known(Type::Scalar(scalar)),
            Node::Int(_, None) => {
                self.variables.push(Variable::Free);
                Term::Integer(self.variables.len() - 1)
            }
            Node::Float(_, scalar) => Term::Known(Type::Scalar(scalar)),
            Node::Local(local) => self.locals[local as usize].clone(),
            Node::Constant(constant) => Term::Known(self.constants[constant as usize]),
            Node::Neg(value) | Node::Not(value) => self.node(value)?,
            Node::Binary(op, left, right) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                if op.is_shift() {
                    self.default(&right, Scalar::U32);
                    return Ok(left);
                }
                self.unify(&left, &right);
                match op {
                    _ if op.is_comparison() => BOOL,
                    _ => self.join(left, right),
                }
            }
            Node::Cast(value, ty) => {
                let (from, to) = (self.node(value)?, self.ty(ty));
                if let Type::Scalar(scalar) = to
                    && scalar.is_integer()
                {
                    self.default(&from, scalar);
                }
                Term::Known(to)
            }
            Node::Field(base, name) => {
                let (base, name) = (self.known(base)?, self.body.name(name));
                Term::Known(base.field(name).ok_or_else(|| format!("field `{name}` of `{base:?}`"))?)
            }
            Node::Index(column, row) => {
                let element = self.node(column)?;
                let row = self.node(row)?;
                // A column of a table takes the table's index, which is known. Other columns take `usize`.
                self.unify(&row, &USIZE);
                element
            }
            Node::Len(column) => {
                self.node(column)?;
                USIZE
            }
            Node::Call(function, arguments) => self.call(self.function.calls[function as usize], 0, arguments)?,
            Node::Associated(ty, name, arguments) => {
                let (ty, name) = (self.ty(ty), self.body.name(name));
                match (ty, ty.method(name)) {
                    (_, Some(function)) => self.call(function, 0, arguments)?,
                    (Type::Newtype(of), None) if methods::is_constructor(name) => {
                        for &argument in self.body.list(arguments) {
                            self.expect(argument, &Term::Known(Type::Scalar(of.repr)))?;
                        }
                        Term::Known(ty)
                    }
                    _ => return Err(format!("`{name}`, which is not a device function of `{ty:?}`")),
                }
            }
            Node::Method(receiver, name, arguments) => self.method(receiver, self.body.name(name), arguments)?,
            Node::Struct(ty, names, values) => {
                let ty = self.ty(ty);
                for (&name, &value) in self.body.list(names).iter().zip(self.body.list(values)) {
                    let name = self.body.name(name);
                    let field = ty.field(name).ok_or_else(|| format!("field `{name}` of `{ty:?}`"))?;
                    self.expect(value, &Term::Known(field))?;
                }
                Term::Known(ty)
            }
            Node::Tuple(parts) => {
                Term::Tuple(self.body.list(parts).iter().map(|&part| self.node(part)).collect::<Result<_, _>>()?)
            }
            Node::Block(statements, value) => {
                let mut leaves = false;
                for &statement in self.body.list(statements) {
                    leaves |= matches!(self.node(statement)?, Term::Never);
                }
                match value {
                    Some(value) => self.node(value)?,
                    None if leaves => Term::Never,
                    None => NOTHING,
                }
            }
            Node::If(condition, then, other) => {
                self.expect(condition, &BOOL)?;
                let then = self.node(then)?;
                match other {
                    Some(other) => {
                        let other = self.node(other)?;
                        self.join(then, other)
                    }
                    None => NOTHING,
                }
            }
            Node::Match(subject, arms) => {
                let subject = self.node(subject)?;
                let mut found = Term::Never;
                for &arm in self.body.list(arms) {
                    let Node::Arm(pattern, value) = self.body.node(arm) else { continue };
                    self.pattern(pattern, &subject)?;
                    let value = self.node(value)?;
                    found = self.join(found, value);
                }
                found
            }
            Node::Arm(..) | Node::Bind(_) | Node::Range(..) | Node::Either(_) => NOTHING,
            Node::Let(local, ty, value) => {
                let value = self.node(value)?;
                let ty = ty.map(|ty| Term::Known(self.ty(ty)));
                if let Some(ty) = &ty {
                    self.unify(&value, ty);
                }
                self.locals[local as usize] = ty.unwrap_or(value);
                NOTHING
            }
            Node::LetTuple(locals, value) => {
                let parts = self.node(value)?;
                for (&local, part) in self.body.list(locals).iter().zip(parts.parts()) {
                    self.locals[local as usize] = part;
                }
                NOTHING
            }
            Node::Assign(target, value) => {
                let target = self.node(target)?;
                self.expect(value, &target)?;
                NOTHING
            }
            Node::Update(op, target, value) => {
                let (target, value) = (self.node(target)?, self.node(value)?);
                match op.is_shift() {
                    true => self.default(&value, Scalar::U32),
                    false => self.unify(&target, &value),
                }
                NOTHING
            }
            Node::For(local, start, end, block) => {
                let (start, end) = (self.node(start)?, self.node(end)?);
                self.unify(&start, &end);
                self.locals[local as usize] = start;
                self.node(block)?;
                NOTHING
            }
            Node::While(condition, block) => {
                self.expect(condition, &BOOL)?;
                self.node(block)?;
                NOTHING
            }
            Node::Break | Node::Continue => Term::Never,
            Node::Return(value) => {
                self.expect(value, &Term::Known(self.function.output))?;
                Term::Never
            }
        })
    }

    /// Infers a value whose type must be known by now, as in rustc.
    fn known(&mut self, id: Id) -> Result<Type, String> {
        match self.node(id)? {
            Term::Known(ty) => Ok(ty),
            Term::Integer(variable) => {
                let root = self.root(variable);
                match self.variables[root] {
                    Variable::Is(ty) => Ok(ty),
                    _ => Err("a method of a literal without a type".into()),
                }
            }
            Term::Tuple(_) | Term::Never => Err("a method of what is no value".into()),
        }
    }

    fn method(&mut self, receiver: Id, name: &str, arguments: List) -> Result<Term, String> {
        let of = self.known(receiver)?;
        if let (Type::Newtype(newtype), Some(own)) = (of, methods::of_newtype(name)) {
            for &argument in self.body.list(arguments) {
                self.expect(argument, &U32)?;
            }
            return Ok(match own {
                Own::Scalar => Term::Known(Type::Scalar(newtype.repr)),
                Own::Index => USIZE,
                Own::IsNone => BOOL,
                Own::Plus | Own::Minus => Term::Known(of),
            });
        }
        if let Some(function) = of.method(name) {
            return self.call(function, 1, arguments);
        }
        let method = methods::of_scalar(name).filter(|_| of.scalar().is_some());
        let method = method.ok_or_else(|| format!("`{name}`, which is not a device method of `{of:?}`"))?;
        let scalar = of.scalar().unwrap_or(Scalar::U32);
        let term = |typing| match typing {
            Typing::U32 => U32,
            Typing::Bool => BOOL,
            Typing::Unsigned => Term::Known(Type::Scalar(scalar.unsigned())),
            Typing::Float if scalar.bits() == 64 => Term::Known(Type::Scalar(Scalar::F64)),
            Typing::Float => Term::Known(Type::Scalar(Scalar::F32)),
            Typing::Same | Typing::None => Term::Known(of),
        };
        for &argument in self.body.list(arguments) {
            self.expect(argument, &term(method.argument))?;
        }
        Ok(term(method.result))
    }

    /// Infers the arguments of a call, of which the first ones are known.
    fn call(&mut self, function: &Def, known: usize, arguments: List) -> Result<Term, String> {
        for (&argument, parameter) in self.body.list(arguments).iter().zip(&function.parameters[known..]) {
            let found = self.node(argument)?;
            if parameter.shape == Shape::Value {
                self.unify(&found, &Term::Known(parameter.ty));
            }
        }
        Ok(Term::Known(function.output))
    }

    fn pattern(&mut self, id: Id, subject: &Term) -> Result<(), String> {
        match self.body.node(id) {
            Node::Any => Ok(()),
            Node::Bind(local) => {
                self.locals[local as usize] = subject.clone();
                Ok(())
            }
            Node::Range(start, end, _) => {
                start.into_iter().chain(end).try_for_each(|bound| self.expect(bound, subject))
            }
            Node::Either(cases) => self.body.list(cases).iter().try_for_each(|&case| self.pattern(case, subject)),
            _ => self.expect(id, subject),
        }
    }

    fn ty(&self, ty: Ty) -> Type {
        match ty {
            Ty::Scalar(scalar) => Type::Scalar(scalar),
            Ty::Named(at) => self.function.types[at as usize],
        }
    }

    /// Makes two types one.
    fn unify(&mut self, a: &Term, b: &Term) {
        match (a, b) {
            (&Term::Integer(a), &Term::Integer(b)) => {
                let (a, b) = (self.root(a), self.root(b));
                let (earlier, later) = (a.min(b), a.max(b));
                if a != b {
                    if let ty @ Variable::Is(_) = self.variables[later] {
                        self.variables[earlier] = ty;
                    }
                    self.variables[later] = Variable::Same(earlier);
                }
            }
            (&Term::Integer(variable), &Term::Known(ty)) | (&Term::Known(ty), &Term::Integer(variable)) => {
                let root = self.root(variable);
                if let Variable::Free = self.variables[root] {
                    self.variables[root] = Variable::Is(ty);
                }
            }
            (Term::Tuple(_), _) | (_, Term::Tuple(_)) => {
                a.parts().iter().zip(&b.parts()).for_each(|(a, b)| self.unify(a, b));
            }
            _ => {}
        }
    }

    /// Makes the types of two branches one, and returns it.
    fn join(&mut self, a: Term, b: Term) -> Term {
        self.unify(&a, &b);
        match (&a, &b) {
            (Term::Never, _) | (Term::Integer(_) | Term::Tuple(_), Term::Known(_)) => b,
            _ => a,
        }
    }

    /// Sets the type of a literal for the case that no other value resolves it.
    fn default(&mut self, term: &Term, scalar: Scalar) {
        if let Term::Integer(variable) = term {
            self.defaults.push((*variable, scalar));
        }
    }

    /// Returns the variable that stands for all that are the same, and shortens the way to it.
    fn root(&mut self, mut variable: usize) -> usize {
        while let Variable::Same(earlier) = self.variables[variable] {
            if let Variable::Same(first) = self.variables[earlier] {
                self.variables[variable] = Variable::Same(first);
            }
            variable = earlier;
        }
        variable
    }
}

impl Term {
    /// Returns the types of a tuple's parts.
    fn parts(&self) -> Vec<Term> {
        match self {
            Term::Tuple(parts) => parts.clone(),
            Term::Known(Type::Tuple(parts)) => parts.iter().copied().map(Term::Known).collect(),
            _ => Vec::new(),
        }
    }
}
