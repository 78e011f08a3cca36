//! Arrays as addresses: the tree that the pass `arrays` makes, built again node by node from the rules in words.

use std::collections::HashMap;

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Tree, kind, runtime, ty};

/// The declaration of a variable: a node of the old tree, or a new one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Old(usize),
    Hidden(usize),
}

#[derive(Clone)]
enum Data {
    Number(u32),
    Of(Variable),
}

/// A node of the new tree with its children.
struct Node {
    kind: u8,
    ty: u8,
    data: Data,
    declares: Option<Variable>,
    children: Vec<Node>,
}

fn node(kind: u8, ty: u8, data: u32, children: Vec<Node>) -> Node {
    Node { kind, ty, data: Data::Number(data), declares: None, children }
}

fn of(kind: u8, variable: Variable, children: Vec<Node>) -> Node {
    Node { kind, ty: ty::INT, data: Data::Of(variable), declares: None, children }
}

fn literal(value: u32) -> Node {
    node(kind::LITERAL, ty::INT, value, Vec::new())
}

fn name(variable: Variable) -> Node {
    of(kind::NAME, variable, Vec::new())
}

fn statement(value: Node) -> Node {
    node(kind::EXPRESSION, ty::VOID, 0, vec![value])
}

fn binary(kind: u8, a: Node, b: Node) -> Node {
    node(kind, ty::INT, 0, vec![a, b])
}

fn load(address: Node, offset: u32) -> Node {
    node(kind::LOAD, ty::INT, offset, vec![address])
}

/// A call of the runtime. The arguments with the numbers `floats` are floats, and the others ints.
fn call(id: u32, ty: u8, arguments: Vec<Node>, floats: &[usize]) -> Node {
    let arg = |(k, value)| {
        let ty = if floats.contains(&k) { ty::FLOAT } else { ty::INT };
        node(kind::ARG, ty, k as u32, vec![value])
    };
    node(kind::CALL, ty, id, arguments.into_iter().enumerate().map(arg).collect())
}

/// The bytes of an element.
fn bytes(array: Type) -> u32 {
    match array.element() {
        Type::Byte => 1,
        Type::Short => 2,
        _ => 4,
    }
}

/// The call for arrays of a type, of which argument `rank` is the rank: narrow ones have functions of their own, which get the
/// bytes of an element too.
fn of_array(array: Type, rank: usize, mut call: Node) -> Node {
    let bytes = bytes(array);
    let Data::Number(id) = call.data else { panic!("no call") };
    if bytes == 4 {
        return call;
    }
    call.data = Data::Number(match id {
        runtime::ROW_VIEW => runtime::NARROW_ROW_VIEW,
        runtime::SET_ROW => runtime::NARROW_SET_ROW,
        runtime::ROWS_LIKE => runtime::NARROW_ROWS_LIKE,
        runtime::FILL_ROWS => runtime::NARROW_FILL_ROWS,
        runtime::COPY_ARRAY => runtime::NARROW_COPY,
        runtime::JOIN => runtime::NARROW_JOIN,
        runtime::OWN => runtime::NARROW_OWN,
        runtime::LEAVE_ARRAY => runtime::NARROW_LEAVE,
        runtime::TAKE => runtime::NARROW_TAKE,
        runtime::LEAVE_UNIQUE => runtime::NARROW_UNIQUE,
        runtime::ARRAY_LIKE => runtime::NARROW_LIKE,
        runtime::SIZED => runtime::NARROW_SIZED,
        runtime::TRUNCATED => runtime::NARROW_TRUNCATED,
        runtime::PERMUTED => runtime::NARROW_PERMUTED,
        runtime::SLICED => runtime::NARROW_SLICED,
        runtime::SET_SLICE => runtime::NARROW_SET_SLICE,
        runtime::PRINT_NUMBERS => runtime::PRINT_NARROW,
        other => panic!("no function of arrays: {other}"),
    });
    let Data::Number(number) = &mut call.children[rank].children[0].data else { panic!("no rank") };
    *number |= bytes << 4;
    call
}

/// The function that fills an array of a type.
fn fill(array: Type) -> u32 {
    match bytes(array) {
        1 => runtime::FILL_BYTES,
        2 => runtime::FILL_SHORTS,
        _ => runtime::FILL,
    }
}

/// The kind of an access to an element of an array.
fn access(array: Type, is_store: bool) -> u8 {
    match (bytes(array), is_store) {
        (1, false) => kind::LOAD_BYTE,
        (1, true) => kind::STORE_BYTE,
        (2, false) => kind::LOAD_SHORT,
        (2, true) => kind::STORE_SHORT,
        (_, false) => kind::LOAD,
        (_, true) => kind::STORE,
    }
}

fn extent(array: Variable, k: usize) -> Node {
    load(name(array), 4 + 4 * k as u32)
}

fn arena() -> Node {
    call(runtime::ARENA, ty::INT, Vec::new(), &[])
}

fn mark() -> Node {
    load(arena(), 0)
}

struct Lowering<'a> {
    tree: &'a Tree,
    children: Vec<Vec<usize>>,
    hidden: usize,
    /// The marks of the functions around, innermost last.
    marks: Vec<Option<Variable>>,
    results: Vec<u8>,
    /// The unique parameters of each function around.
    uniques: Vec<Vec<usize>>,
}

/// Returns the tree with addresses instead of arrays.
pub fn lowered(tree: &Tree) -> Tree {
    // Trees are deep.
    std::thread::scope(|scope| {
        let run = || lowered_here(tree);
        let thread = std::thread::Builder::new().stack_size(4 << 30).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("a lowered tree")
    })
}

fn lowered_here(tree: &Tree) -> Tree {
    let mut children = vec![Vec::new(); tree.len()];
    let (mut path, mut roots): (Vec<usize>, Vec<usize>) = Default::default();
    for i in 0..tree.len() {
        path.truncate(tree.depth[i] as usize);
        path.last().map_or(&mut roots, |&above| &mut children[above]).push(i);
        path.push(i);
    }
    let mut lowering =
        Lowering { tree, children, hidden: 0, marks: Vec::new(), results: Vec::new(), uniques: Vec::new() };
    let forest: Vec<Node> = roots.into_iter().flat_map(|root| lowering.visit(root)).collect();
    let mut out = Tree { functions: tree.functions.clone(), ..Tree::default() };
    let (mut places, mut data) = (HashMap::new(), Vec::new());
    for root in &forest {
        write(root, 0, &mut out, &mut places, &mut data);
    }
    out.data = data
        .into_iter()
        .map(|data| match data {
            Data::Number(number) => number,
            Data::Of(variable) => places[&variable],
        })
        .collect();
    out.pos = vec![0; out.kind.len()];
    for function in &mut out.functions {
        function.node = function.node.map(|node| places[&Variable::Old(node as usize)]);
    }
    out
}

fn write(node: &Node, depth: u32, out: &mut Tree, places: &mut HashMap<Variable, u32>, data: &mut Vec<Data>) {
    if let Some(variable) = node.declares {
        places.insert(variable, out.kind.len() as u32);
    }
    out.depth.push(depth);
    out.kind.push(node.kind);
    out.ty.push(node.ty);
    data.push(node.data.clone());
    node.children.iter().for_each(|child| write(child, depth + 1, out, places, data));
}

impl Lowering<'_> {
    fn ty(&self, i: usize) -> Type {
        Type::from_code(self.tree.ty[i])
    }

    fn is_array(&self, i: usize) -> bool {
        self.ty(i).is_array()
    }

    fn below(&self, i: usize, is_one: &dyn Fn(usize) -> bool) -> bool {
        self.children[i].iter().any(|&child| is_one(child) || self.below(child, is_one))
    }

    /// Returns whether a declaration or an assignment is of a variable that borrows arrays, or gets its first array later.
    fn borrows(&self, i: usize) -> bool {
        let is_assignment = self.tree.kind[i] == kind::ASSIGN;
        let declaration = if is_assignment { self.tree.data[i] as usize } else { i };
        let is_later = !is_assignment && self.tree.data[i] == 2 && self.children[i].is_empty();
        is_later || (kind::DECLARE, 1) == (self.tree.kind[declaration], self.tree.data[declaration])
    }

    /// Returns whether something below a node needs memory of the arena.
    fn makes(&self, i: usize) -> bool {
        self.below(i, &|i| {
            let k = self.tree.kind[i];
            let makes = [
                kind::CALL,
                kind::ARRAY,
                kind::REPLICATE,
                kind::INDEX,
                kind::ASSIGN,
                kind::NEW,
                kind::NEW_LIKE,
                kind::NEW_ROWS,
                kind::SLICE,
                kind::GIVE,
                kind::STORE,
            ];
            let owns = (k == kind::DECLARE && self.tree.data[i] != 1) || (kind::PARAM, 1) == (k, self.tree.data[i]);
            k == kind::UPDATE_SLICE || self.is_array(i) && (makes.contains(&k) || owns)
        })
    }

    /// The declaration of a new variable as a statement, and the variable.
    fn declare(&mut self, value: Option<Node>) -> (Node, Variable) {
        self.hidden += 1;
        let variable = Variable::Hidden(self.hidden);
        let declaration = node(kind::DECLARE, ty::INT, 0, value.into_iter().collect());
        (statement(Node { declares: Some(variable), ..declaration }), variable)
    }

    fn one(&mut self, i: usize) -> Node {
        let mut nodes = self.visit(i);
        assert_eq!(nodes.len(), 1);
        nodes.pop().expect("a node")
    }

    fn own_mark(&self) -> Variable {
        self.marks.last().copied().flatten().expect("a mark")
    }

    fn own(&self, variable: Variable, value: Node, array: Type) -> Node {
        let address = of(kind::ADDRESS, variable, Vec::new());
        let arguments = vec![address, value, literal(array.rank()), name(self.own_mark())];
        of_array(array, 2, call(runtime::OWN, ty::INT, arguments, &[]))
    }

    fn leave(&self) -> Node {
        statement(call(runtime::LEAVE, ty::VOID, vec![name(self.own_mark())], &[]))
    }

    fn equal(&self, position: u32, a: Node, b: Node) -> Node {
        statement(node(kind::CHECK_EQUAL, ty::INT, position, vec![a, b]))
    }

    /// The linear index of some indices, each checked when it is known, if the access has a position.
    fn linear(&mut self, indices: &[usize], array: Variable, position: u32) -> Node {
        let mut sum: Option<Node> = None;
        for (k, &i) in indices.iter().enumerate() {
            let sum_before = sum.take().map(|sum| binary(kind::MUL, sum, extent(array, k)));
            let index = self.one(i);
            let checked = match position {
                0 => index,
                _ if k == 0 => {
                    node(kind::CHECK_INDEX, ty::INT, position, vec![index, of(kind::EXTENT, array, Vec::new())])
                }
                _ => node(kind::CHECK_INDEX, ty::INT, position, vec![index, extent(array, k)]),
            };
            sum = Some(match sum_before {
                Some(before) => binary(kind::ADD, before, checked),
                None => checked,
            });
        }
        sum.expect("an index")
    }

    /// The address of an element, given the variable that holds the array.
    fn element(&mut self, (array, ty): (Variable, Type), indices: &[usize], position: u32) -> Node {
        let linear = self.linear(indices, array, position);
        let add = [kind::ADD, kind::ADD_SHORTS, kind::ADD_WORDS][bytes(ty) as usize / 2];
        binary(add, of(kind::DATA, array, Vec::new()), linear)
    }

    fn sequence(mut statements: Vec<Node>, value: Node, ty: u8) -> Node {
        statements.push(value);
        node(kind::SEQUENCE, ty, 0, statements)
    }

    fn index(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let (array, indices) = nodes.split_first().expect("an array");
        let position = self.tree.data[i];
        let rank = self.ty(*array).rank();
        let assigns = self.below(i, &|i| self.tree.kind[i] == kind::ASSIGN && self.is_array(i));
        if self.is_array(i) {
            let value = self.one(*array);
            let (declaration, t) = self.declare(Some(value));
            let linear = self.linear(indices, t, position);
            let arguments = vec![name(t), literal(rank), literal(indices.len() as u32), linear];
            let view = of_array(self.ty(i), 1, call(runtime::ROW_VIEW, ty::INT, arguments, &[]));
            return Self::sequence(vec![declaration], view, ty::INT);
        }
        let ty = self.tree.ty[i];
        let value = self.one(*array);
        if self.tree.kind[*array] == kind::NAME && !assigns {
            let variable = Variable::Old(self.tree.data[*array] as usize);
            let address = self.element((variable, self.ty(*array)), indices, position);
            return node(access(self.ty(*array), false), ty, 0, vec![address]);
        }
        let (declaration, t) = self.declare(Some(value));
        let address = self.element((t, self.ty(*array)), indices, position);
        Self::sequence(vec![declaration], node(access(self.ty(*array), false), ty, 0, vec![address]), ty)
    }

    fn update(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let [array, indices @ .., new] = nodes.as_slice() else { panic!("an update without a value") };
        let position = self.tree.data[i];
        let assigns = self.below(i, &|i| self.tree.kind[i] == kind::ASSIGN && self.is_array(i));
        let value = self.one(*array);
        if self.is_array(i) {
            let (first, t) = self.declare(Some(value));
            let linear = self.linear(indices, t, position);
            let (second, row) = self.declare(Some(linear));
            let new_value = self.one(*new);
            let (third, v) = self.declare(Some(new_value));
            let mut statements = vec![first, second, third];
            let checked = if position == 0 { 0 } else { self.ty(i).rank() as usize };
            for k in 0..checked {
                statements.push(self.equal(position, extent(t, indices.len() + k), extent(v, k)));
            }
            let (rank, fixed) = (literal(self.ty(*array).rank()), literal(indices.len() as u32));
            let arguments = vec![name(t), rank, fixed, name(row), name(v)];
            statements.push(statement(of_array(self.ty(i), 1, call(runtime::SET_ROW, ty::VOID, arguments, &[]))));
            return node(kind::BLOCK, ty::VOID, 0, statements);
        }
        let address = if assigns {
            let (declaration, t) = self.declare(Some(value));
            let address = self.element((t, self.ty(*array)), indices, position);
            Self::sequence(vec![declaration], address, ty::INT)
        } else {
            let variable = Variable::Old(self.tree.data[*array] as usize);
            self.element((variable, self.ty(*array)), indices, position)
        };
        let new = self.one(*new);
        node(access(self.ty(*array), true), self.tree.ty[i], 0, vec![address, new])
    }

    fn array(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let (count, rank) = (nodes.len() as u32, self.ty(i).rank());
        if rank == 1 {
            let size = bytes(self.ty(i));
            let memory = call(runtime::ALLOCATE, ty::INT, vec![literal(1), literal((count * size).div_ceil(4))], &[]);
            let (declaration, t) = self.declare(Some(memory));
            let mut statements = vec![declaration];
            statements.push(node(kind::STORE, ty::INT, 4, vec![name(t), literal(count)]));
            for (k, &element) in nodes.iter().enumerate() {
                let value = self.one(element);
                let ty = if size == 4 { self.ty(i).element().code() } else { ty::INT };
                statements.push(node(access(self.ty(i), true), ty, 8 + size * k as u32, vec![name(t), value]));
            }
            return Self::sequence(statements, name(t), ty::INT);
        }
        let (declaration, t) = self.declare(None);
        let first = self.one(nodes[0]);
        let (second, row) = self.declare(Some(first));
        let like = call(runtime::ROWS_LIKE, ty::INT, vec![literal(count), literal(rank - 1), name(row)], &[]);
        let like = of_array(self.ty(i), 1, like);
        let mut statements = vec![declaration, second, statement(of(kind::ASSIGN, t, vec![like]))];
        for (k, &element) in nodes.iter().enumerate() {
            if k > 0 {
                let value = self.one(element);
                statements.push(statement(of(kind::ASSIGN, row, vec![value])));
                for k in 0..rank as usize - 1 {
                    statements.push(self.equal(self.tree.data[i], extent(t, 1 + k), extent(row, k)));
                }
            }
            let arguments = vec![name(t), literal(rank), literal(1), literal(k as u32), name(row)];
            statements.push(statement(of_array(self.ty(i), 1, call(runtime::SET_ROW, ty::VOID, arguments, &[]))));
        }
        Self::sequence(statements, name(t), ty::INT)
    }

    /// The bounds of a slice: statements, the variable for the bounds and the one for the array.
    fn slice(&mut self, i: usize, nodes: &[usize], others: Vec<Node>) -> (Vec<Node>, Variable, Variable) {
        let position = self.tree.data[i];
        let (first, plan) = self.declare(None);
        let mut statements = vec![first];
        statements.extend(others);
        let array = self.one(nodes[0]);
        let (declaration, t) = self.declare(Some(array));
        let rank = self.ty(nodes[0]).rank();
        let memory = call(runtime::SLICE_PLAN, ty::INT, vec![name(t), literal(rank)], &[]);
        statements.extend([declaration, statement(of(kind::ASSIGN, plan, vec![memory]))]);
        let set = |at: usize, value: Node| node(kind::STORE, ty::INT, 4 * at as u32, vec![name(plan), value]);
        for (k, &dimension) in nodes[1..].iter().enumerate() {
            match self.tree.kind[dimension] {
                kind::ALL => {}
                kind::RANGE => {
                    let (low, high) = (self.children[dimension][0], self.children[dimension][1]);
                    let low = self.one(low);
                    statements.push(set(1 + 3 * k, low));
                    let high = self.one(high);
                    let is_open = self.tree.data[dimension] == 1;
                    statements.push(if is_open { statement(high) } else { set(2 + 3 * k, high) });
                    let wrong = call(runtime::SLICE_CHECK, ty::INT, vec![name(plan), literal(k as u32)], &[]);
                    let check = node(kind::CHECK_SLICE, ty::INT, position, vec![wrong, literal(0)]);
                    statements.push(statement(check));
                }
                _ => {
                    statements.push(set(2 + 3 * k, literal(u32::MAX)));
                    let index = self.one(dimension);
                    let checked = node(kind::CHECK_INDEX, ty::INT, position, vec![index, extent(t, k)]);
                    statements.push(set(1 + 3 * k, checked));
                }
            }
        }
        (statements, plan, t)
    }

    fn update_slice(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let (&new, nodes) = nodes.split_last().expect("a value");
        let (second, extents) = self.declare(None);
        let (mut statements, plan, t) = self.slice(i, nodes, vec![second]);
        let (rank, ty) = (self.ty(nodes[0]).rank(), self.ty(i));
        let mut value = self.one(new);
        if ty.rank() == 0 {
            let (id, floats): (_, &[usize]) =
                if ty == Type::Float { (runtime::FILL_FLOAT, &[1]) } else { (fill(self.ty(nodes[0])), &[]) };
            value = call(id, ty::INT, vec![literal(1), value], floats);
        }
        let (declaration, v) = self.declare(Some(value));
        statements.push(declaration);
        if ty.rank() > 0 {
            let arguments = vec![name(plan), literal(rank), literal(ty.rank())];
            let found = call(runtime::SLICE_EXTENTS, ty::INT, arguments, &[]);
            statements.push(statement(of(kind::ASSIGN, extents, vec![found])));
        }
        for k in 0..ty.rank() as usize {
            statements.push(self.equal(self.tree.data[i], extent(extents, k), extent(v, k)));
        }
        let arguments = vec![name(t), literal(rank), name(plan), name(v), literal(ty.rank())];
        let set = of_array(self.ty(nodes[0]), 1, call(runtime::SET_SLICE, ty::VOID, arguments, &[]));
        statements.push(statement(set));
        node(kind::BLOCK, ty::VOID, 0, statements)
    }

    fn shaped(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let array = self.one(nodes[0]);
        let (declaration, t) = self.declare(Some(array));
        let mut statements = vec![declaration];
        for (k, &expected) in nodes[1..].iter().enumerate() {
            if self.tree.kind[expected] != kind::ALL {
                let expected = self.one(expected);
                statements.push(self.equal(self.tree.data[i], expected, extent(t, k)));
            }
        }
        Self::sequence(statements, name(t), ty::INT)
    }

    /// An array with some extents: they are written where they belong, before there is room for the data.
    fn new_array(&mut self, i: usize) -> Node {
        let rank = self.ty(i).rank();
        let memory = call(runtime::ALLOCATE, ty::INT, vec![literal(rank), literal(0)], &[]);
        let (declaration, t) = self.declare(Some(memory));
        let mut statements = vec![declaration];
        for (k, extent) in self.children[i].clone().into_iter().enumerate() {
            let extent = self.one(extent);
            statements.push(node(kind::STORE, ty::INT, 4 + 4 * k as u32, vec![name(t), extent]));
        }
        let sized = call(runtime::SIZED, ty::INT, vec![name(t), literal(rank)], &[]);
        Self::sequence(statements, of_array(self.ty(i), 1, sized), ty::INT)
    }

    fn replicate(&mut self, i: usize) -> Node {
        let (count, value) = (self.children[i][0], self.children[i][1]);
        let count = self.one(count);
        let count = node(kind::CHECK_SIZE, ty::INT, self.tree.data[i], vec![count, literal(0)]);
        let value = self.one(value);
        match (self.ty(i).rank(), self.ty(i).element()) {
            (1, Type::Float) => call(runtime::FILL_FLOAT, ty::INT, vec![count, value], &[1]),
            (1, _) => call(fill(self.ty(i)), ty::INT, vec![count, value], &[]),
            (rank, _) => {
                let rows = call(runtime::FILL_ROWS, ty::INT, vec![count, literal(rank - 1), value], &[]);
                of_array(self.ty(i), 1, rows)
            }
        }
    }

    /// A call of `iota`, `copy` or `concat`, below a node with its position.
    fn call_of_array(&mut self, i: usize, position: u32) -> Node {
        let arguments: Vec<usize> = self.children[i].iter().map(|&argument| self.children[argument][0]).collect();
        let rank = self.ty(i).rank();
        let mut values: Vec<Node> = Vec::new();
        match self.tree.data[i] {
            runtime::IOTA => {
                let count = self.one(arguments[0]);
                let count = node(kind::CHECK_SIZE, ty::INT, position, vec![count, literal(0)]);
                // The argument stays as it is.
                let id = self.children[i][0];
                let argument = node(kind::ARG, self.tree.ty[id], self.tree.data[id], vec![count]);
                node(kind::CALL, ty::INT, runtime::COUNT_UP, vec![argument])
            }
            runtime::PERM => {
                let array = self.one(arguments[0]);
                let order = self.one(arguments[1]);
                of_array(self.ty(i), 2, call(runtime::PERMUTED, ty::INT, vec![array, order, literal(rank)], &[]))
            }
            runtime::COPY => {
                let value = self.one(arguments[0]);
                of_array(self.ty(i), 1, call(runtime::COPY_ARRAY, ty::INT, vec![value, literal(rank)], &[]))
            }
            _ => {
                let mut statements = Vec::new();
                for &argument in &arguments {
                    let value = self.one(argument);
                    let (declaration, variable) = self.declare(Some(value));
                    statements.push(declaration);
                    values.push(name(variable));
                }
                let variable = |k: usize| match values[k].data {
                    Data::Of(variable) => variable,
                    Data::Number(_) => panic!("no variable"),
                };
                let (a, b) = (variable(0), variable(1));
                if self.tree.data[i] == runtime::RESHAPE {
                    let old = self.ty(arguments[0]).rank();
                    let negative = call(runtime::FIRST_NEGATIVE, ty::INT, vec![name(b)], &[]);
                    statements.push(statement(node(kind::CHECK_SIZE, ty::INT, position, vec![negative, literal(0)])));
                    let all = || vec![name(a), literal(old), name(b), literal(rank)];
                    let count = call(runtime::RESHAPED_COUNT, ty::INT, all(), &[]);
                    let product = call(runtime::PRODUCT_OF, ty::INT, vec![name(b)], &[]);
                    statements.push(self.equal(position, count, product));
                    return Self::sequence(statements, call(runtime::RESHAPED, ty::INT, all(), &[]), ty::INT);
                }
                for k in 1..rank as usize {
                    statements.push(self.equal(position, extent(a, k), extent(b, k)));
                }
                values.push(literal(rank));
                Self::sequence(statements, of_array(self.ty(i), 2, call(runtime::JOIN, ty::INT, values, &[])), ty::INT)
            }
        }
    }

    fn function(&mut self, i: usize) -> Node {
        let nodes = self.children[i].clone();
        let (&block, heads) = nodes.split_last().expect("a block");
        let mut parts: Vec<Node> = heads.iter().map(|&head| self.copy(head)).collect();
        self.results.push(self.tree.ty[i]);
        let is_unique =
            |&head: &usize| self.tree.kind[head] == kind::PARAM && self.is_array(head) && self.tree.data[head] == 1;
        let uniques: Vec<usize> = heads.iter().copied().filter(is_unique).collect();
        self.uniques.push(uniques.clone());
        let mut statements = Vec::new();
        if self.makes(i) {
            let (declaration, variable) = self.declare(Some(mark()));
            self.marks.push(Some(variable));
            statements.push(declaration);
            for param in uniques {
                let variable = Variable::Old(param);
                let address = of(kind::ADDRESS, variable, Vec::new());
                let operands = vec![address, name(variable), literal(self.ty(param).rank())];
                let taken = of_array(self.ty(param), 2, call(runtime::TAKE, ty::INT, operands, &[]));
                statements.push(statement(of(kind::ASSIGN, variable, vec![taken])));
            }
        } else {
            self.marks.push(None);
        }
        for k in 0..self.children[block].len() {
            statements.extend(self.visit(self.children[block][k]));
        }
        if self.tree.ty[i] == ty::VOID && self.makes(i) {
            statements.push(self.leave());
        }
        self.marks.pop();
        self.results.pop();
        self.uniques.pop();
        parts.push(Node { children: statements, ..self.copy(block) });
        Node { children: parts, ..self.copy(i) }
    }

    fn repeated(&mut self, i: usize) -> Vec<Node> {
        let (head, body) = (self.children[i][0], self.children[i][1]);
        let makes = self.makes(i);
        let mut nodes = Vec::new();
        let mut at_end = None;
        if makes {
            let (state, top) = self.declare(Some(arena()));
            let (declaration, mark) = self.declare(Some(load(name(top), 0)));
            nodes.extend([state, declaration]);
            let compact = statement(call(runtime::COMPACT, ty::VOID, vec![name(mark)], &[]));
            let has_blocks = binary(kind::NE, load(name(top), 0), name(mark));
            let compact = node(kind::BLOCK, ty::VOID, 0, vec![compact]);
            at_end = Some(node(kind::IF, ty::VOID, 0, vec![has_blocks, compact]));
        }
        let head = self.one(head);
        let mut body = self.one(body);
        body.children.extend(at_end);
        nodes.push(Node { children: vec![head, body], ..self.copy(i) });
        nodes
    }

    /// Returns whether a result may be the array of a unique parameter, which only the caller uses afterwards.
    fn is_unique_result(&self, value: usize) -> bool {
        let (uniques, data) = (self.uniques.last().expect("a function"), self.tree.data[value]);
        match self.tree.kind[value] {
            kind::NAME => uniques.contains(&(data as usize)),
            kind::CALL => data >= runtime::COUNT && !uniques.is_empty(),
            _ => false,
        }
    }

    fn returning(&mut self, i: usize) -> Vec<Node> {
        let value = self.children[i].first().copied();
        let result = *self.results.last().expect("a function");
        let Some(mark) = self.marks.last().copied().flatten() else {
            let children = value.map(|value| self.one(value)).into_iter().collect();
            return vec![Node { children, ..self.copy(i) }];
        };
        match (value, result) {
            (None, _) => vec![self.leave(), self.copy(i)],
            (Some(value), ty::VOID) => {
                let value = self.one(value);
                let data = self.tree.data[i];
                let first = node(kind::EXPRESSION, ty::VOID, data, vec![value]);
                vec![first, self.leave(), node(kind::RETURN, ty::VOID, 0, Vec::new())]
            }
            (Some(value), result) => {
                let id = if self.is_unique_result(value) { runtime::LEAVE_UNIQUE } else { runtime::LEAVE_ARRAY };
                let value = self.one(value);
                let rank = Type::from_code(result).rank();
                let value = match result {
                    ty::INT => call(runtime::LEAVE_INT, ty::INT, vec![name(mark), value], &[]),
                    ty::FLOAT => call(runtime::LEAVE_FLOAT, ty::FLOAT, vec![name(mark), value], &[1]),
                    _ => {
                        let left = call(id, ty::INT, vec![name(mark), value, literal(rank)], &[]);
                        of_array(Type::from_code(result), 2, left)
                    }
                };
                vec![Node { children: vec![value], ..self.copy(i) }]
            }
        }
    }

    /// The node without its children.
    fn copy(&self, i: usize) -> Node {
        let (k, data) = (self.tree.kind[i], self.tree.data[i]);
        let is_array = self.is_array(i);
        let data = match k {
            kind::NAME | kind::DATA | kind::ASSIGN | kind::ADDRESS => Data::Of(Variable::Old(data as usize)),
            kind::PARAM | kind::DECLARE | kind::ASCRIBE if is_array => Data::Number(0),
            _ => Data::Number(data),
        };
        let ty = if is_array { ty::INT } else { self.tree.ty[i] };
        Node { kind: k, ty, data, declares: Some(Variable::Old(i)), children: Vec::new() }
    }

    fn visit(&mut self, i: usize) -> Vec<Node> {
        let is_array = self.is_array(i);
        let k = self.tree.kind[i];
        vec![match k {
            kind::FUNCTION => self.function(i),
            kind::WHILE | kind::FOR => return self.repeated(i),
            kind::RETURN => return self.returning(i),
            kind::INDEX => self.index(i),
            kind::UPDATE => self.update(i),
            kind::ARRAY => self.array(i),
            // A check of an index has the first extent of a variable as one node.
            kind::CHECK_INDEX
                if (kind::SIZE, 0) == (self.tree.kind[self.children[i][1]], self.tree.data[self.children[i][1]])
                    && self.tree.kind[self.children[i][1] + 1] == kind::NAME =>
            {
                let index = self.one(self.children[i][0]);
                let array = Variable::Old(self.tree.data[self.children[i][1] + 1] as usize);
                Node { children: vec![index, of(kind::EXTENT, array, Vec::new())], ..self.copy(i) }
            }
            kind::SIZE => {
                let array = self.one(self.children[i][0]);
                load(array, 4 + 4 * self.tree.data[i])
            }
            kind::REPLICATE => self.replicate(i),
            kind::ASCRIBE if is_array && self.is_call_of_array(self.children[i][0]) => {
                let value = self.call_of_array(self.children[i][0], self.tree.data[i]);
                Node { children: vec![value], ..self.copy(i) }
            }
            kind::SLICE => {
                let (mut statements, plan, t) = self.slice(i, &self.children[i].clone(), Vec::new());
                let rank = self.ty(self.children[i][0]).rank();
                let value = call(runtime::SLICED, ty::INT, vec![name(t), literal(rank), name(plan)], &[]);
                statements.push(of_array(self.ty(i), 1, value));
                node(kind::SEQUENCE, ty::INT, 0, statements)
            }
            kind::UPDATE_SLICE => self.update_slice(i),
            kind::SHAPED => self.shaped(i),
            kind::PRINT => {
                let value = self.children[i][0];
                let (ty, stays) = (self.ty(value), literal(self.tree.data[i]));
                let value = self.one(value);
                match (ty.rank(), ty.element()) {
                    (0, Type::Float) => call(runtime::PRINT_FLOAT_NUMBER, ty::VOID, vec![value, stays], &[0]),
                    (0, _) => call(runtime::PRINT_NUMBER, ty::VOID, vec![value, stays], &[]),
                    (rank, element) => {
                        let of_floats = element == Type::Float;
                        let id = if of_floats { runtime::PRINT_FLOATS } else { runtime::PRINT_NUMBERS };
                        of_array(ty, 1, call(id, ty::VOID, vec![value, literal(rank), stays], &[]))
                    }
                }
            }
            kind::NEW => self.new_array(i),
            kind::NEW_LIKE => {
                let value = self.one(self.children[i][0]);
                let like = call(runtime::ARRAY_LIKE, ty::INT, vec![value, literal(self.ty(i).rank())], &[]);
                of_array(self.ty(i), 1, like)
            }
            kind::NEW_ROWS => {
                let (n, row) = (self.one(self.children[i][0]), self.one(self.children[i][1]));
                let rows = call(runtime::ROWS_LIKE, ty::INT, vec![n, literal(self.ty(i).rank() - 1), row], &[]);
                of_array(self.ty(i), 1, rows)
            }
            kind::GIVE => {
                let variable = self.one(self.children[i][0]);
                let array = Variable::Old(self.tree.data[self.children[i][0]] as usize);
                let disown = node(kind::STORE, ty::INT, 4u32.wrapping_neg(), vec![name(array), literal(0)]);
                Self::sequence(vec![disown], variable, ty::INT)
            }
            kind::TRUNCATE => {
                let (array, n) = (self.one(self.children[i][0]), self.one(self.children[i][1]));
                let rest = call(runtime::TRUNCATED, ty::INT, vec![array, literal(self.ty(i).rank()), n], &[]);
                of_array(self.ty(i), 1, rest)
            }
            kind::DECLARE | kind::ASSIGN if is_array && !self.borrows(i) => {
                let rank = self.ty(i).rank();
                let value = match self.children[i].first().copied() {
                    Some(value) => self.one(value),
                    None => call(runtime::EMPTY, ty::INT, vec![literal(rank)], &[]),
                };
                let data = self.tree.data[i] as usize;
                let variable = Variable::Old(if self.tree.kind[i] == kind::ASSIGN { data } else { i });
                Node { children: vec![self.own(variable, value, self.ty(i))], ..self.copy(i) }
            }
            _ => {
                let mut children = Vec::new();
                for k in 0..self.children[i].len() {
                    children.extend(self.visit(self.children[i][k]));
                }
                Node { children, ..self.copy(i) }
            }
        }]
    }

    fn is_call_of_array(&self, i: usize) -> bool {
        let of_array = [runtime::IOTA, runtime::COPY, runtime::CONCAT, runtime::PERM, runtime::RESHAPE];
        self.tree.kind[i] == kind::CALL && of_array.contains(&self.tree.data[i])
    }
}
