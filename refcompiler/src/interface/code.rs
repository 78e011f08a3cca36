//! The code between functions with arrays of Par and of C, as functions without arrays in the tree.
//!
//! ```text
//! fn f[a: [int]]: [int] { .. }          `f.fn` is the function. `f` makes a view of C's array, calls it and copies the result
//! extern fn g[a: [int]]: [int];         `g.extern` passes the data and the extents of its array to `g` of C
//! ```
//!
//! No name of a function of a program ends in `.fn` or `.extern`, because these are keywords.

use Value::{Number, Of};

use super::{Head, Parameter, heads};
use crate::frontend::sequential::runtime_tree;
use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::Type;
use crate::ir::tree::runtime::*;
use crate::ir::tree::{Function, Linkage, Tree, kind, ty};

/// The offset of an array's first extent.
const EXTENTS: u32 = 4;

/// A variable: its declaration, and its type.
#[derive(Clone, Copy)]
struct Variable {
    node: u32,
    ty: u8,
}

/// An argument.
#[derive(Clone, Copy)]
enum Value {
    Of(Variable),
    Number(u32),
}

/// Appends functions to a tree. Nodes are in preorder, so each function is written from the top down.
struct Writer {
    tree: Tree,
    /// The functions of the runtime that are called.
    called: Vec<u32>,
    /// The position of the head of the function.
    pos: u32,
}

impl Writer {
    fn node(&mut self, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
        self.tree.depth.push(depth);
        self.tree.kind.push(kind);
        self.tree.ty.push(ty);
        self.tree.data.push(data);
        self.tree.pos.push(self.pos);
        self.tree.len() as u32 - 1
    }

    fn name(&mut self, depth: u32, variable: Variable) {
        self.node(depth, kind::NAME, variable.ty, variable.node);
    }

    fn literal(&mut self, depth: u32, value: u32) {
        self.node(depth, kind::LITERAL, ty::INT, value);
    }

    /// Writes the word at an offset from the address in a variable.
    fn load(&mut self, depth: u32, offset: u32, variable: Variable) {
        self.node(depth, kind::LOAD, ty::INT, offset);
        self.name(depth + 1, variable);
    }

    /// Begins an argument at a depth, whose value is one deeper.
    fn argument(&mut self, depth: u32, index: u32, ty: u8) -> u32 {
        self.node(depth, kind::ARG, ty, index);
        depth + 1
    }

    /// Begins a call of a function of the runtime.
    fn call(&mut self, depth: u32, ty: u8, id: u32) {
        self.node(depth, kind::CALL, ty, id);
        self.called.push(id);
    }

    /// Writes arguments of a call, from some index on.
    fn arguments(&mut self, depth: u32, first: u32, values: &[Value]) {
        for (k, &value) in (first..).zip(values) {
            match value {
                Of(variable) => {
                    let depth = self.argument(depth, k, variable.ty);
                    self.name(depth, variable);
                }
                Number(number) => {
                    let depth = self.argument(depth, k, ty::INT);
                    self.literal(depth, number);
                }
            }
        }
    }

    /// Writes a call of a function of the runtime.
    fn call_of(&mut self, depth: u32, ty: u8, id: u32, values: &[Value]) {
        self.call(depth, ty, id);
        self.arguments(depth + 1, 0, values);
    }

    /// Begins a statement of an expression at depth 3.
    fn statement(&mut self) {
        self.node(2, kind::EXPRESSION, ty::VOID, 0);
    }

    /// Begins the declaration of a variable, whose value is at depth 4.
    fn declare(&mut self, ty: u8) -> Variable {
        self.statement();
        Variable { node: self.node(3, kind::DECLARE, ty, 0), ty }
    }

    /// Begins a check, whose values are one deeper.
    fn check(&mut self, depth: u32, kind: u8) {
        self.node(depth, kind, ty::INT, self.pos + 1);
        self.called.push(CHECK_FAILED);
    }

    /// Begins a function with some parameters. Returns them.
    fn function(&mut self, id: u32, result: u8, parameters: &[u8]) -> Vec<Variable> {
        let node = self.node(0, kind::FUNCTION, result, id);
        self.tree.functions[id as usize].node = Some(node);
        self.node(1, kind::HEADER, ty::VOID, 0);
        let found = parameters.iter().map(|&ty| Variable { node: self.node(1, kind::PARAM, ty, 0), ty }).collect();
        self.node(1, kind::BLOCK, ty::VOID, 0);
        found
    }

    /// Declares a variable with the top of the arena.
    fn mark(&mut self) -> Variable {
        let mark = self.declare(ty::INT);
        self.node(4, kind::LOAD, ty::INT, 0);
        self.call(5, ty::INT, ARENA);
        mark
    }

    fn leave(&mut self, mark: Variable) {
        self.statement();
        self.call_of(3, ty::VOID, LEAVE, &[Of(mark)]);
    }

    /// Begins the call of a function whose result is no array, at some depth, so that memory is released when it has returned. A
    /// function without a result needs a [`leave`](Writer::leave) after it.
    fn returned(&mut self, mark: Variable, result: u8) -> u32 {
        let leave = match result {
            ty::INT => LEAVE_INT,
            ty::FLOAT => LEAVE_FLOAT,
            _ => {
                self.statement();
                return 3;
            }
        };
        self.node(2, kind::RETURN, ty::VOID, 0);
        self.call_of(3, result, leave, &[Of(mark)]);
        self.argument(4, 1, result)
    }
}

/// Returns the types of a function's parameters in C.
fn parameters_in_c(head: &Head) -> Vec<u8> {
    let mut types = Vec::new();
    for Parameter { ty, .. } in &head.parameters {
        let count = if ty.is_array() { 1 + ty.rank() as usize } else { 1 };
        types.extend(std::iter::repeat_n(if ty.is_array() { ty::INT } else { ty.code() }, count));
    }
    if head.result.is_array() {
        types.extend([ty::INT; 3]);
    }
    types
}

/// Writes the function that C calls. The function of Par gets another name.
fn export(w: &mut Writer, head: &Head) {
    w.pos = w.tree.pos[head.node];
    let types = parameters_in_c(head);
    let own = &mut w.tree.functions[head.id as usize];
    let name = own.name.clone();
    own.name += ".fn";
    own.linkage = Linkage::Local;
    let id = w.tree.functions.len() as u32;
    w.tree.functions.push(Function { name, node: None, parameters: types.len() as u32, linkage: Linkage::Global });
    let result = if head.result.is_array() { ty::VOID } else { head.result.code() };
    let variables = w.function(id, result, &types);
    let mark = w.mark();
    let (mut next, mut values) = (variables.iter().copied(), Vec::new());
    for parameter in &head.parameters {
        let first = next.next().expect("a parameter");
        if !parameter.ty.is_array() {
            values.push(Of(first));
            continue;
        }
        let rank = parameter.ty.rank();
        let view = w.declare(ty::INT);
        let is_given = u32::from(parameter.is_unique);
        w.call_of(4, ty::INT, FOREIGN_VIEW, &[Of(first), Number(rank), Number(is_given)]);
        for (k, extent) in (0..rank).zip(&mut next) {
            w.node(2, kind::STORE, ty::INT, EXTENTS + 4 * k);
            w.name(3, view);
            w.check(3, kind::CHECK_SIZE);
            w.name(4, extent);
            w.literal(4, 0);
        }
        values.push(Of(view));
    }
    if !head.result.is_array() {
        let depth = w.returned(mark, result);
        w.node(depth, kind::CALL, result, head.id);
        w.arguments(depth + 1, 0, &values);
        if result == ty::VOID {
            w.leave(mark);
        }
        return;
    }
    let rank = Number(head.result.rank());
    let array = w.declare(ty::INT);
    w.node(4, kind::CALL, ty::INT, head.id);
    w.arguments(5, 0, &values);
    let [to, room, extents] = [0; 3].map(|_| Of(next.next().expect("a parameter")));
    w.statement();
    w.check(3, kind::CHECK_EQUAL);
    w.call_of(4, ty::INT, COUNT_OF, &[Of(array), Number(0), rank]);
    w.call_of(4, ty::INT, FITTING, &[Of(array), rank, room]);
    w.statement();
    w.call_of(3, ty::VOID, HAND_OVER, &[Of(array), rank, to, extents]);
    w.leave(mark);
}

/// Writes the function that passes its arrays to the one in C. Calls of the `extern` function become calls of it.
fn import(w: &mut Writer, head: &Head) {
    w.pos = w.tree.pos[head.node];
    let in_c = w.tree.functions.len() as u32;
    let parameters = parameters_in_c(head).len() as u32;
    let own = &mut w.tree.functions[head.id as usize];
    own.linkage = Linkage::Local;
    let name = own.name.clone();
    own.name += ".extern";
    w.tree.functions.push(Function { name, node: None, parameters, linkage: Linkage::Extern });
    w.tree.data[head.node] = in_c;
    let in_par = |ty: Type| if ty.is_array() { ty::INT } else { ty.code() };
    let types: Vec<u8> = head.parameters.iter().map(|parameter| in_par(parameter.ty)).collect();
    let variables = w.function(head.id, in_par(head.result), &types);
    let mark = w.mark();
    for (&variable, parameter) in variables.iter().zip(&head.parameters) {
        if parameter.ty.is_array() && parameter.is_unique {
            w.statement();
            w.node(3, kind::ASSIGN, ty::INT, variable.node);
            w.call(4, ty::INT, TAKE);
            let depth = w.argument(5, 0, ty::INT);
            w.node(depth, kind::ADDRESS, ty::INT, variable.node);
            w.arguments(5, 1, &[Of(variable), Number(parameter.ty.rank())]);
        }
    }
    if !head.result.is_array() {
        let depth = w.returned(mark, head.result.code());
        call_c(w, depth, (in_c, head), &variables);
        if head.result == Type::Void {
            w.leave(mark);
        }
        return;
    }
    let rank = head.result.rank();
    let array = w.declare(ty::INT);
    w.call_of(4, ty::INT, FOREIGN_ROOM, &[Number(rank)]);
    w.statement();
    let next = call_c(w, 3, (in_c, head), &variables);
    // The data, the room and the extents. The first extent is the room until C writes it.
    for offset in [0, EXTENTS] {
        let depth = w.argument(4, next + offset / EXTENTS, ty::INT);
        w.load(depth, offset, array);
    }
    let depth = w.argument(4, next + 2, ty::INT);
    w.node(depth, kind::ADD, ty::INT, 0);
    w.name(depth + 1, array);
    w.literal(depth + 1, EXTENTS);
    for k in 0..rank {
        w.statement();
        w.check(3, kind::CHECK_SIZE);
        w.load(4, EXTENTS + 4 * k, array);
        w.literal(4, 0);
    }
    w.node(2, kind::RETURN, ty::VOID, 0);
    w.call_of(3, ty::INT, LEAVE_ARRAY, &[Of(mark)]);
    let depth = w.argument(4, 1, ty::INT);
    w.call_of(depth, ty::INT, FOREIGN_RESULT, &[Of(array), Number(rank)]);
    w.arguments(4, 2, &[Number(rank)]);
}

/// Writes the call of a function in C with the parameters of a function of Par. Returns the index of the next argument.
fn call_c(w: &mut Writer, depth: u32, (id, head): (u32, &Head), variables: &[Variable]) -> u32 {
    let result = if head.result.is_array() { ty::VOID } else { head.result.code() };
    w.node(depth, kind::CALL, result, id);
    let mut next = 0;
    for (&variable, parameter) in variables.iter().zip(&head.parameters) {
        if !parameter.ty.is_array() {
            w.arguments(depth + 1, next, &[Of(variable)]);
            next += 1;
            continue;
        }
        // The address of the data, then the extents.
        for k in 0..=parameter.ty.rank() {
            let depth = w.argument(depth + 1, next, ty::INT);
            w.load(depth, 4 * k, variable);
            next += 1;
        }
    }
    next
}

/// Appends the functions of the runtime that a tree calls and lacks.
fn add_runtime(tree: &mut Tree, called: &[u32]) {
    let runtime = runtime_tree(BuiltinSet::of(called));
    for (id, function) in runtime.functions.iter().enumerate().take(COUNT as usize) {
        if tree.functions[id].linkage == Linkage::Absent && function.linkage == Linkage::Stub {
            tree.functions[id].linkage = Linkage::Stub;
        }
    }
    let mut start = 0;
    while start < runtime.len() {
        let end = (start + 1..runtime.len()).find(|&i| runtime.depth[i] == 0).unwrap_or(runtime.len());
        let id = runtime.data[start] as usize;
        if tree.functions[id].linkage == Linkage::Absent {
            let moved = (tree.len() as u32).wrapping_sub(start as u32);
            let is_variable = |i: usize| matches!(runtime.kind[i], kind::NAME | kind::ASSIGN | kind::ADDRESS);
            let data = |i: usize| if is_variable(i) { runtime.data[i].wrapping_add(moved) } else { runtime.data[i] };
            tree.functions[id] = Function { node: Some(tree.len() as u32), ..runtime.functions[id].clone() };
            tree.data.extend((start..end).map(data));
            tree.depth.extend(&runtime.depth[start..end]);
            tree.kind.extend(&runtime.kind[start..end]);
            tree.ty.extend(&runtime.ty[start..end]);
            tree.pos.extend(&runtime.pos[start..end]);
        }
        start = end;
    }
}

/// Returns the tree of an object with the functions between Par and C. A tree without arrays in the heads of its functions at top
/// level stays as it is.
pub fn with_interface(tree: Tree) -> Tree {
    let mut heads = heads(&tree);
    heads.retain(|head| head.has_arrays() && head.without_form().is_none());
    if heads.is_empty() {
        return tree;
    }
    let mut w = Writer { tree, called: Vec::new(), pos: 0 };
    for head in &heads {
        if head.is_extern { import(&mut w, head) } else { export(&mut w, head) }
    }
    let Writer { mut tree, called, .. } = w;
    add_runtime(&mut tree, &called);
    tree
}
