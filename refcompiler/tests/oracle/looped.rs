//! Operations on whole arrays as loops: the tree that the pass `loops` makes, built again node by node from the rules in words.

use std::collections::HashMap;

use refcompiler::ir::kinds::{OPERATORS, Type};
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
#[derive(Clone)]
struct Node {
    kind: u8,
    ty: u8,
    data: Data,
    declares: Option<Variable>,
    children: Vec<Node>,
}

/// A variable and its type.
#[derive(Clone, Copy)]
struct Typed(Variable, u8);

fn node(kind: u8, ty: u8, data: u32, children: Vec<Node>) -> Node {
    Node { kind, ty, data: Data::Number(data), declares: None, children }
}

fn name(Typed(variable, ty): Typed) -> Node {
    Node { kind: kind::NAME, ty, data: Data::Of(variable), declares: None, children: Vec::new() }
}

fn assign(Typed(variable, ty): Typed, value: Node) -> Node {
    statement(Node { kind: kind::ASSIGN, ty, data: Data::Of(variable), declares: None, children: vec![value] })
}

fn literal(value: u32) -> Node {
    node(kind::LITERAL, ty::INT, value, Vec::new())
}

fn statement(value: Node) -> Node {
    node(kind::EXPRESSION, ty::VOID, 0, vec![value])
}

fn int(kind: u8, children: Vec<Node>) -> Node {
    node(kind, ty::INT, 0, children)
}

fn size(array: Typed, k: u32) -> Node {
    node(kind::SIZE, ty::INT, k, vec![name(array)])
}

fn block(statements: Vec<Node>) -> Node {
    node(kind::BLOCK, ty::VOID, 0, statements)
}

/// A statement that prints a character.
fn print_char(c: u8) -> Node {
    let argument = node(kind::ARG, ty::INT, 0, vec![literal(c as u32)]);
    statement(node(kind::CALL, ty::VOID, runtime::PRINT_CHAR, vec![argument]))
}

/// The product of all extents of an array.
fn count_of(array: Typed, rank: u32) -> Node {
    let arg = |k, value| node(kind::ARG, ty::INT, k, vec![value]);
    let arguments = vec![arg(0, name(array)), arg(1, literal(0)), arg(2, literal(rank))];
    node(kind::CALL, ty::INT, runtime::COUNT_OF, arguments)
}

struct Looping<'a> {
    tree: &'a Tree,
    children: Vec<Vec<usize>>,
    parents: Vec<Option<usize>>,
    hidden: usize,
    /// Parameters of functions that are arguments.
    parameters: HashMap<usize, Variable>,
}

/// Returns the tree with loops instead of operations on whole arrays.
pub fn looped(tree: &Tree) -> Tree {
    // Trees are deep.
    std::thread::scope(|scope| {
        let run = || looped_here(tree);
        let thread = std::thread::Builder::new().stack_size(4 << 30).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("a tree with loops")
    })
}

fn looped_here(tree: &Tree) -> Tree {
    let mut children = vec![Vec::new(); tree.len()];
    let mut parents = Vec::new();
    let (mut path, mut roots): (Vec<usize>, Vec<usize>) = Default::default();
    for i in 0..tree.len() {
        path.truncate(tree.depth[i] as usize);
        parents.push(path.last().copied());
        path.last().map_or(&mut roots, |&above| &mut children[above]).push(i);
        path.push(i);
    }
    let mut looping = Looping { tree, children, parents, hidden: 0, parameters: HashMap::new() };
    let forest: Vec<Node> = roots.into_iter().map(|root| looping.visit(root)).collect();
    let mut out = Tree {
        functions: tree.functions.clone(),
        composites: tree.composites.clone(),
        arrays: true,
        ..Tree::default()
    };
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

const ELEMENTWISE: [u8; 7] =
    [kind::NEGATE, kind::NOT, kind::COMPLEMENT, kind::CAST, kind::SQRT, kind::ABS, kind::WHERE];

/// The logarithm of the bytes of an element.
fn shift(array: u8) -> u32 {
    match Type::from_code(array).element() {
        Type::Byte => 0,
        Type::Short => 1,
        _ => 2,
    }
}

/// The type of an element that is read.
fn number(array: u8) -> u8 {
    if shift(array) < 2 { ty::INT } else { Type::from_code(array).element().code() }
}

impl Looping<'_> {
    fn rank(&self, ty: u8) -> u32 {
        let ty = Type::from_code(ty);
        if ty.is_composite() { self.tree.composites[ty.composite() as usize].rank } else { ty.rank() }
    }

    /// Returns whether a type has no array in it.
    fn is_flat(&self, ty: u8) -> bool {
        let fields = || &self.tree.composites[Type::from_code(ty).composite() as usize].fields;
        self.rank(ty) == 0
            && (!Type::from_code(ty).is_composite() || fields().iter().all(|field| self.is_flat(field.ty)))
    }

    fn borrows(ty: u8) -> u32 {
        (ty != ty::INT && ty != ty::FLOAT) as u32
    }

    /// The declaration of a new variable as a statement, and the variable.
    fn declare(&mut self, ty: u8, borrows: u32, value: Option<Node>) -> (Node, Typed) {
        self.hidden += 1;
        let variable = Variable::Hidden(self.hidden);
        let declaration = node(kind::DECLARE, ty, borrows, value.into_iter().collect());
        (statement(Node { declares: Some(variable), ..declaration }), Typed(variable, ty))
    }

    /// A variable for a value of the old tree.
    fn hold(&mut self, i: usize, statements: &mut Vec<Node>) -> Typed {
        let value = self.visit(i);
        let ty = self.tree.ty[i];
        let (declaration, variable) = self.declare(ty, Self::borrows(ty), Some(value));
        statements.push(declaration);
        variable
    }

    fn equal(position: u32, a: Node, b: Node) -> Node {
        statement(node(kind::CHECK_EQUAL, ty::INT, position, vec![a, b]))
    }

    /// A loop over as many iterations as the value says. An operation gives it its position.
    fn repeat(&mut self, position: u32, count: Node, body: impl FnOnce(&mut Self, Typed) -> Vec<Node>) -> Node {
        self.hidden += 1;
        let variable = Variable::Hidden(self.hidden);
        let head = Node { declares: Some(variable), ..int(kind::COUNT, vec![count]) };
        let statements = body(self, Typed(variable, ty::INT));
        node(kind::FOR, ty::VOID, position, vec![head, block(statements)])
    }

    /// Declares a parameter as a variable with an element.
    fn element(&mut self, parameter: usize, array: Typed, at: Node, statements: &mut Vec<Node>) -> Typed {
        let ty = self.tree.ty[parameter];
        let value = node(kind::INDEX, ty, 0, vec![name(array), at]);
        let (declaration, variable) = self.declare(ty, Self::borrows(ty), Some(value));
        statements.push(declaration);
        self.parameters.insert(parameter, variable.0);
        variable
    }

    /// Writes a value to an element of the result. Rows are checked.
    fn put(&self, made: Typed, at: Node, position: u32, value: Node) -> Node {
        let position = if self.is_flat(value.ty) { 0 } else { position };
        node(kind::UPDATE, value.ty, position, vec![name(made), at, value])
    }

    /// In the first iteration, makes the result of rows like one.
    fn first_row(&self, made: Typed, i: Typed, array: Typed, row: Typed) -> Node {
        let rows = node(kind::NEW_ROWS, made.1, 0, vec![size(array, 0), name(row)]);
        node(kind::IF, ty::VOID, 0, vec![int(kind::NOT, vec![name(i)]), block(vec![assign(made, rows)])])
    }

    fn made(&mut self, i: usize, array: Typed, is_flat: bool, statements: &mut Vec<Node>) -> Typed {
        let ty = self.tree.ty[i];
        let value = is_flat.then(|| node(kind::NEW, ty, 0, vec![size(array, 0)]));
        let (declaration, made) = self.declare(ty, is_flat as u32, value);
        statements.push(declaration);
        made
    }

    fn sequence(&self, i: usize, mut statements: Vec<Node>, value: Node) -> Node {
        statements.push(value);
        node(kind::SEQUENCE, self.tree.ty[i], 0, statements)
    }

    fn second_order(&mut self, i: usize) -> Node {
        let (tree, ty, position) = (self.tree, self.tree.ty[i], self.tree.data[i]);
        let (lambda, operands) = (self.children[i][0], self.children[i][1..].to_vec());
        let nodes = self.children[lambda].clone();
        let (&value, parameters) = nodes.split_last().expect("the value of a function");
        let is_flat = self.is_flat(tree.ty[lambda]);
        let mut s = Vec::new();
        let result = match tree.kind[i] {
            kind::MAP => {
                let arrays: Vec<Typed> = operands.iter().map(|&operand| self.hold(operand, &mut s)).collect();
                s.extend(arrays[1..].iter().map(|&a| Self::equal(position, size(arrays[0], 0), size(a, 0))));
                let made = self.made(i, arrays[0], is_flat, &mut s);
                s.push(self.repeat(position.max(1), size(arrays[0], 0), |this, at| {
                    let mut s = Vec::new();
                    for (&parameter, &array) in parameters.iter().zip(&arrays) {
                        this.element(parameter, array, name(at), &mut s);
                    }
                    if is_flat {
                        let value = this.visit(value);
                        s.push(this.put(made, name(at), position, value));
                    } else {
                        let row = this.hold(value, &mut s);
                        s.push(this.first_row(made, at, arrays[0], row));
                        s.push(this.put(made, name(at), position, name(row)));
                    }
                    s
                }));
                if is_flat { name(made) } else { node(kind::GIVE, ty, 0, vec![name(made)]) }
            }
            kind::REDUCE | kind::REDOMAP | kind::FOLD_RIGHT | kind::SCAN => {
                let seed = self.visit(operands[0]);
                let (declaration, sum) = self.declare(tree.ty[operands[0]], 0, Some(seed));
                s.push(declaration);
                let arrays: Vec<Typed> = operands[1..].iter().map(|&operand| self.hold(operand, &mut s)).collect();
                s.extend(arrays[1..].iter().map(|&a| Self::equal(position, size(arrays[0], 0), size(a, 0))));
                let is_scan = tree.kind[i] == kind::SCAN;
                let made = is_scan.then(|| self.made(i, arrays[0], is_flat, &mut s));
                let from_end = tree.kind[i] == kind::FOLD_RIGHT;
                s.push(self.repeat(position.max(1), size(arrays[0], 0), |this, at| {
                    let mut s = Vec::new();
                    let sum_at = if from_end { 1 } else { 0 };
                    this.parameters.insert(parameters[sum_at], sum.0);
                    let others = parameters.iter().enumerate().filter(|&(k, _)| k != sum_at);
                    for ((_, &parameter), &array) in others.zip(&arrays) {
                        let last = int(kind::SUB, vec![size(array, 0), literal(1)]);
                        let at = if from_end { int(kind::SUB, vec![last, name(at)]) } else { name(at) };
                        this.element(parameter, array, at, &mut s);
                    }
                    let value = this.visit(value);
                    s.push(assign(Typed(sum.0, tree.ty[lambda]), value));
                    if let Some(made) = made {
                        if !is_flat {
                            s.push(this.first_row(made, at, arrays[0], sum));
                        }
                        s.push(this.put(made, name(at), position, name(sum)));
                    }
                    s
                }));
                let result = made.unwrap_or(sum);
                if is_flat { name(result) } else { node(kind::GIVE, ty, 0, vec![name(result)]) }
            }
            kind::FILTER => {
                let array = self.hold(operands[0], &mut s);
                let like = node(kind::NEW_LIKE, ty, 0, vec![name(array)]);
                let (declaration, made) = self.declare(ty, 1, Some(like));
                let (second, filled) = self.declare(ty::INT, 0, None);
                s.extend([declaration, second]);
                s.push(self.repeat(position.max(1), size(array, 0), |this, at| {
                    let mut s = Vec::new();
                    let x = this.element(parameters[0], array, name(at), &mut s);
                    let value = this.visit(value);
                    let keep = vec![
                        this.put(made, name(filled), 0, name(x)),
                        assign(filled, int(kind::ADD, vec![name(filled), literal(1)])),
                    ];
                    s.push(node(kind::IF, ty::VOID, 0, vec![value, block(keep)]));
                    s
                }));
                node(kind::TRUNCATE, ty, 0, vec![name(made), name(filled)])
            }
            _ => {
                let held: Vec<Typed> = operands.iter().map(|&operand| self.hold(operand, &mut s)).collect();
                let [e, n, keys, values] = held[..] else { panic!("the operands of group") };
                s.push(Self::equal(position, size(keys, 0), size(values, 0)));
                let all = node(kind::REPLICATE, ty, position, vec![name(n), name(e)]);
                let (declaration, made) = self.declare(ty, 1, Some(all));
                s.push(declaration);
                s.push(self.repeat(position.max(1), size(keys, 0), |this, at| {
                    let mut s = Vec::new();
                    let key = node(kind::INDEX, ty::INT, 0, vec![name(keys), name(at)]);
                    let key = node(kind::CHECK_INDEX, ty::INT, position, vec![key, name(n)]);
                    let (declaration, key) = this.declare(ty::INT, 0, Some(key));
                    s.push(declaration);
                    this.element(parameters[0], made, name(key), &mut s);
                    this.element(parameters[1], values, name(at), &mut s);
                    let value = this.visit(value);
                    s.push(this.put(made, name(key), position, value));
                    s
                }));
                name(made)
            }
        };
        self.sequence(i, s, result)
    }

    fn is_element_function(&self, i: usize) -> bool {
        let is_saturating = (runtime::ADD_INTS..=runtime::SUB_SHORTS).contains(&self.tree.data[i]);
        let is_function = (runtime::FLOOR..=runtime::COS).contains(&self.tree.data[i]) || is_saturating;
        self.tree.kind[i] == kind::CALL && is_function
    }

    fn is_elementwise(&self, i: usize) -> bool {
        let k = self.tree.kind[i];
        let is_binary = OPERATORS.iter().any(|operator| operator.kind.code() == k);
        let is_operation = is_binary || ELEMENTWISE.contains(&k);
        Type::from_code(self.tree.ty[i]).is_array() && (is_operation || self.is_element_function(i))
    }

    /// One loop over all elements of the result.
    fn elementwise(&mut self, i: usize) -> Node {
        let (tree, ty) = (self.tree, self.tree.ty[i]);
        let (element, rank) = (number(ty), self.rank(ty));
        let is_call = tree.kind[i] == kind::CALL;
        let position = if is_call { self.parents[i].map_or(0, |around| tree.data[around]) } else { tree.data[i] };
        let nodes = self.children[i].clone();
        let mut s = Vec::new();
        let mut operands: Vec<Typed> = Vec::new();
        for operand in nodes {
            let value = if is_call { self.children[operand][0] } else { operand };
            operands.push(self.hold(value, &mut s));
        }
        let rank_of = |this: &Self, operand: Typed| this.rank(operand.1);
        let reference = operands.iter().position(|&o| rank_of(self, o) == rank).expect("an operand of full rank");
        for (k, &operand) in operands.iter().enumerate() {
            let lower = rank_of(self, operand);
            for dimension in (0..lower).filter(|_| k != reference) {
                let expected = size(operands[reference], rank - lower + dimension);
                s.push(Self::equal(position, expected, size(operand, dimension)));
            }
        }
        let address = |Typed(variable, _): Typed| Node { kind: kind::DATA, ..name(Typed(variable, ty::INT)) };
        let mut places = Vec::new();
        for &operand in &operands {
            let lower = rank_of(self, operand);
            let (mut from, mut count) = (None, None);
            if lower > 0 {
                let (declaration, variable) = self.declare(ty::INT, 0, Some(address(operand)));
                s.push(declaration);
                from = Some(variable);
            }
            if lower > 0 && lower < rank {
                let (declaration, variable) = self.declare(ty::INT, 0, Some(count_of(operand, lower)));
                s.push(declaration);
                count = Some(variable);
            }
            places.push((operand, from, count));
        }
        let like = node(kind::NEW_LIKE, ty, 0, vec![name(operands[reference])]);
        let (declaration, made) = self.declare(ty, 1, Some(like));
        s.push(declaration);
        let (declaration, count) = self.declare(ty::INT, 0, Some(count_of(made, rank)));
        s.push(declaration);
        let (declaration, to) = self.declare(ty::INT, 0, Some(address(made)));
        s.push(declaration);
        let own = tree.kind[i];
        s.push(self.repeat(position.max(1), name(count), |_, at| {
            let add = |ty| [kind::ADD, kind::ADD_SHORTS, kind::ADD_WORDS][shift(ty) as usize];
            let parts = places.iter().enumerate().map(|(k, &(operand, from, count))| {
                let element = number(operand.1);
                let value = from.map_or_else(
                    || name(operand),
                    |from| {
                        let at = count.map_or(name(at), |count| int(kind::REM, vec![name(at), name(count)]));
                        let load = [kind::LOAD_BYTE, kind::LOAD_SHORT, kind::LOAD][shift(operand.1) as usize];
                        node(load, element, 0, vec![int(add(operand.1), vec![name(from), at])])
                    },
                );
                match (own, k) {
                    (kind::CALL, _) => node(kind::ARG, element, k as u32, vec![value]),
                    (kind::WHERE, 0) => node(kind::TEST, ty::VOID, 0, vec![value]),
                    (kind::WHERE, 1) => node(kind::THEN, element, 0, vec![value]),
                    (kind::WHERE, _) => node(kind::OTHERWISE, element, 0, vec![value]),
                    _ => node(kind::ASCRIBE, element, 0, vec![value]),
                }
            });
            let data = if is_call { tree.data[i] } else { 0 };
            let value = node(if own == kind::WHERE { kind::CHOOSE } else { own }, element, data, parts.collect());
            let place = int(add(ty), vec![name(to), name(at)]);
            let store = [kind::STORE_BYTE, kind::STORE_SHORT, kind::STORE][shift(ty) as usize];
            vec![node(store, element, 0, vec![place, value])]
        }));
        self.sequence(i, s, name(made))
    }

    /// The loops over some indices and the ones that are missing, which print an array of structs or tuples.
    fn print(&mut self, array: Typed, indices: &mut Vec<Typed>) -> Vec<Node> {
        let composites = &self.tree.composites;
        let own = &composites[Type::from_code(array.1).composite() as usize];
        if indices.len() as u32 == own.rank {
            let entry = composites.iter().position(|c| c.rank == 0 && c.name == own.name && c.fields == own.fields);
            let entry = Type::of_composite(entry.expect("the type of an element") as u32).code();
            let nodes = std::iter::once(name(array)).chain(indices.iter().map(|&index| name(index)));
            let element = node(kind::INDEX, entry, 0, nodes.collect());
            return vec![statement(node(kind::PRINT, ty::VOID, 1, vec![element]))];
        }
        let open = print_char(b'[');
        let count = size(array, indices.len() as u32);
        let repeat = self.repeat(0, count, |this, at| {
            let comma = block(vec![print_char(b','), print_char(b' ')]);
            let mut s = vec![node(kind::IF, ty::VOID, 0, vec![name(at), comma])];
            indices.push(at);
            s.extend(this.print(array, indices));
            indices.pop();
            s
        });
        vec![open, repeat, print_char(b']')]
    }

    fn visit(&mut self, i: usize) -> Node {
        let prints = self.tree.kind[i] == kind::EXPRESSION && self.tree.kind[i + 1] == kind::PRINT;
        if prints && Type::from_code(self.tree.ty[i + 2]).is_composite() && self.rank(self.tree.ty[i + 2]) > 0 {
            let mut statements = Vec::new();
            let array = self.hold(i + 2, &mut statements);
            statements.extend(self.print(array, &mut Vec::new()));
            statements.extend((self.tree.data[i + 1] == 0).then(|| print_char(b'\n')));
            return block(statements);
        }
        let k = self.tree.kind[i];
        if (kind::MAP..=kind::GROUP).contains(&k) {
            return self.second_order(i);
        }
        if self.is_elementwise(i) {
            return self.elementwise(i);
        }
        let data = self.tree.data[i];
        let children = self.children[i].clone().into_iter().map(|child| self.visit(child)).collect();
        let data = if [kind::NAME, kind::ASSIGN, kind::ADDRESS].contains(&k) {
            let variable = data as usize;
            Data::Of(self.parameters.get(&variable).copied().unwrap_or(Variable::Old(variable)))
        } else {
            Data::Number(data)
        };
        Node { kind: k, ty: self.tree.ty[i], data, declares: Some(Variable::Old(i)), children }
    }
}
