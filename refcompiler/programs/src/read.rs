//! Checked trees as programs, so that functions of the runtime print as C.

use refcompiler::ir::kinds::{BINARY, Kind};
use refcompiler::ir::tree::{Tree, kind, runtime, ty};

use crate::syntax::{Callee, Expr, Function, Program, Stmt, Ty, Variable, type_of_code};

/// Returns the program of a tree. Its variables have new names.
///
/// # Panics
/// If the tree has a form that random programs do not have.
pub fn program_of(tree: &Tree) -> Program {
    let mut reader = Reader {
        tree,
        children: vec![Vec::new(); tree.len()],
        function_of: vec![None; tree.functions.len()],
        variable_of: vec![usize::MAX; tree.len()],
        program: Program { variables: Vec::new(), functions: Vec::new(), composites: Vec::new() },
    };
    let mut path: Vec<usize> = Vec::new();
    let mut bodies = Vec::new();
    for i in 0..tree.len() {
        path.truncate(tree.depth[i] as usize);
        if let Some(&above) = path.last() {
            reader.children[above].push(i);
        }
        let around = path.iter().rev().find(|&&node| tree.kind[node] == kind::FUNCTION);
        let around = around.and_then(|&node| reader.function_of[tree.data[node] as usize]);
        match tree.kind[i] {
            kind::FUNCTION => bodies.push((i, reader.function(i, around))),
            kind::PARAM | kind::DECLARE => reader.variable(i, around.expect("a function")),
            _ => {}
        }
        path.push(i);
    }
    for (node, id) in bodies {
        let body = *reader.children[node].last().expect("a body");
        reader.program.functions[id].body = reader.statements(body);
    }
    reader.program
}

struct Reader<'a> {
    tree: &'a Tree,
    children: Vec<Vec<usize>>,
    /// The functions of the program by their id in the tree.
    function_of: Vec<Option<usize>>,
    /// The variables by the nodes that declare them.
    variable_of: Vec<usize>,
    program: Program,
}

impl Reader<'_> {
    /// Adds the function at node `i`, without its body.
    fn function(&mut self, i: usize, parent: Option<usize>) -> usize {
        let row = self.tree.data[i] as usize;
        let id = self.program.functions.len();
        self.function_of[row] = Some(id);
        self.program.functions.push(Function {
            name: self.tree.functions[row].name.clone(),
            parameters: Vec::new(),
            result: type_of_code(self.tree.ty[i]),
            unique: false,
            body: Vec::new(),
            parent,
        });
        id
    }

    /// Adds the variable that node `i` declares.
    fn variable(&mut self, i: usize, function: usize) {
        let v = self.program.variables.len();
        self.variable_of[i] = v;
        self.program.variables.push(Variable {
            name: format!("v{v}"),
            ty: self.ty(i),
            function,
            fixed: false,
            unique: false,
            sizes: Vec::new(),
        });
        if self.tree.kind[i] == kind::PARAM {
            self.program.functions[function].parameters.push(v);
        }
    }

    fn ty(&self, i: usize) -> Ty {
        type_of_code(self.tree.ty[i]).expect("a value")
    }

    fn statements(&self, block: usize) -> Vec<Stmt> {
        self.children[block].iter().map(|&i| self.statement(i)).collect()
    }

    fn statement(&self, i: usize) -> Stmt {
        let children = &self.children[i];
        let expr = |k: usize| self.expr(children[k]);
        match self.tree.kind[i] {
            kind::EMPTY => Stmt::Empty,
            kind::EXPRESSION => Stmt::Expr(expr(0)),
            kind::BLOCK => Stmt::Block(self.statements(i)),
            kind::IF => Stmt::If(expr(0), self.statements(children[1]), None),
            kind::IF_ELSE => {
                let other = match self.tree.kind[children[2]] {
                    kind::BLOCK => self.statements(children[2]),
                    _ => vec![self.statement(children[2])],
                };
                Stmt::If(expr(0), self.statements(children[1]), Some(other))
            }
            kind::WHILE => Stmt::While(expr(0), self.statements(children[1])),
            kind::RETURN => Stmt::Return(children.first().map(|&value| self.expr(value))),
            kind::FUNCTION => Stmt::Function(self.function_of[self.tree.data[i] as usize].expect("a function")),
            other => panic!("no statement of random programs: {}", kind::NAMES[other as usize]),
        }
    }

    fn expr(&self, i: usize) -> Expr {
        let children = &self.children[i];
        let data = self.tree.data[i];
        let operand = |k: usize| Box::new(self.expr(children[k]));
        match self.tree.kind[i] {
            kind::LITERAL if self.tree.ty[i] == ty::FLOAT => {
                let text = f32::from_bits(data).to_string();
                Expr::Float(if text.contains('.') { text } else { text + ".0" }.into())
            }
            kind::LITERAL => Expr::Int(data as i32, false),
            kind::NAME => Expr::Name(self.variable_of[data as usize]),
            kind::ASSIGN => Expr::Assign(self.variable_of[data as usize], operand(0)),
            kind::DECLARE => Expr::Declare(self.variable_of[i], children.first().map(|_| operand(0)), true),
            kind::NEGATE => Expr::Unary("-", operand(0)),
            kind::NOT => Expr::Unary("!", operand(0)),
            kind::COMPLEMENT => Expr::Unary("~", operand(0)),
            kind::CAST => Expr::Cast(self.ty(i), operand(0)),
            kind::ASCRIBE => Expr::Ascribe(self.ty(i), operand(0)),
            kind::SQRT => Expr::Call(Callee::Builtin(runtime::SQRT), vec![*operand(0)]),
            kind::ABS => Expr::Call(Callee::Builtin(runtime::ABS), vec![*operand(0)]),
            kind::CALL => {
                let callee = self.function_of[data as usize].map_or(Callee::Builtin(data), Callee::Own);
                Expr::Call(callee, children.iter().map(|&argument| self.expr(self.children[argument][0])).collect())
            }
            other if BINARY.contains(Kind::from_code(other)) => {
                Expr::Binary(Kind::from_code(other), operand(0), operand(1))
            }
            other => panic!("no value of random programs: {}", kind::NAMES[other as usize]),
        }
    }
}
