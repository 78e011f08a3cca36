//! Composites as their leaves: the tree that the pass `structs` makes, built again node by node from the rules in words.

use std::collections::HashMap;

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Tree, kind, runtime, ty};

/// The declaration of a variable: a leaf of a node of the old tree, or a new node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Old(usize, usize),
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

/// A variable with the type of its values.
type Leaf = (Variable, u8);

fn node(kind: u8, ty: u8, data: u32, children: Vec<Node>) -> Node {
    Node { kind, ty, data: Data::Number(data), declares: None, children }
}

fn of(kind: u8, ty: u8, variable: Variable, children: Vec<Node>) -> Node {
    Node { kind, ty, data: Data::Of(variable), declares: None, children }
}

fn name((variable, ty): Leaf) -> Node {
    of(kind::NAME, ty, variable, Vec::new())
}

fn assign((variable, ty): Leaf, value: Node) -> Node {
    statement(of(kind::ASSIGN, ty, variable, vec![value]))
}

fn statement(value: Node) -> Node {
    node(kind::EXPRESSION, ty::VOID, 0, vec![value])
}

fn declaration((variable, ty): Leaf, data: u32) -> Node {
    statement(Node { declares: Some(variable), ..node(kind::DECLARE, ty, data, Vec::new()) })
}

fn sequence(mut statements: Vec<Node>, value: Node) -> Node {
    let ty = value.ty;
    statements.push(value);
    node(kind::SEQUENCE, ty, 0, statements)
}

fn literal(value: u32) -> Node {
    node(kind::LITERAL, ty::INT, value, Vec::new())
}

/// Appends statements that print a text.
fn characters(text: &str, statements: &mut Vec<Node>) {
    for byte in text.bytes() {
        let argument = node(kind::ARG, ty::INT, 0, vec![literal(byte as u32)]);
        statements.push(statement(node(kind::CALL, ty::VOID, runtime::PRINT_CHAR, vec![argument])));
    }
}

fn is_composite(ty: u8) -> bool {
    Type::from_code(ty).is_composite()
}

fn is_array(ty: u8) -> bool {
    Type::from_code(ty).is_array()
}

struct Splitting<'a> {
    tree: &'a Tree,
    children: Vec<Vec<usize>>,
    parent: Vec<usize>,
    end: Vec<usize>,
    hidden: usize,
    /// The out parameters of the functions around, innermost last.
    outs: Vec<Vec<Variable>>,
}

/// Returns the tree with leaves instead of composites.
pub fn split(tree: &Tree) -> Tree {
    // Trees are deep.
    std::thread::scope(|scope| {
        let run = || split_here(tree);
        let thread = std::thread::Builder::new().stack_size(4 << 30).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("a tree")
    })
}

fn split_here(tree: &Tree) -> Tree {
    let n = tree.len();
    let (mut children, mut parent, mut end) = (vec![Vec::new(); n], vec![usize::MAX; n], vec![n; n]);
    let (mut path, mut roots): (Vec<usize>, Vec<usize>) = Default::default();
    for (i, &depth) in tree.depth.iter().enumerate() {
        path.drain(depth as usize..).for_each(|ended| end[ended] = i);
        if let Some(&above) = path.last() {
            parent[i] = above;
        }
        path.last().map_or(&mut roots, |&above| &mut children[above]).push(i);
        path.push(i);
    }
    let mut splitting = Splitting { tree, children, parent, end, hidden: 0, outs: Vec::new() };
    let forest: Vec<Node> = roots.into_iter().flat_map(|root| splitting.statements(root)).collect();
    let mut out = Tree { functions: tree.functions.clone(), arrays: tree.arrays, ..Tree::default() };
    let (mut places, mut data) = (HashMap::new(), Vec::new());
    for root in &forest {
        write(root, 0, &mut out, &mut places, &mut data);
    }
    let place = |data| match data {
        Data::Number(number) => number,
        Data::Of(variable) => places[&variable],
    };
    out.data = data.into_iter().map(place).collect();
    out.pos = vec![0; out.kind.len()];
    for function in &mut out.functions {
        function.node = function.node.map(|node| places[&Variable::Old(node as usize, 0)]);
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

impl Splitting<'_> {
    /// The types of the leaves of a type.
    fn leaf_types(&self, ty: u8) -> Vec<u8> {
        if !is_composite(ty) {
            return vec![ty];
        }
        let composite = &self.tree.composites[Type::from_code(ty).composite() as usize];
        let fields = composite.fields.iter().flat_map(|field| self.leaf_types(field.ty));
        let deeper = |leaf| Type::from_code(leaf).array(Type::from_code(leaf).rank() + composite.rank).code();
        fields.map(deeper).collect()
    }

    /// The types of the variables for the leaves of a type: a narrow number is an int.
    fn variable_types(&self, ty: u8) -> Vec<u8> {
        let is_narrow = |&ty: &u8| matches!(ty, ty::BYTE | ty::SHORT);
        self.leaf_types(ty).into_iter().map(|ty| if is_narrow(&ty) { ty::INT } else { ty }).collect()
    }

    /// The leaves of a variable of the program.
    fn variable(&self, declaration: usize) -> Vec<Leaf> {
        let types = self.variable_types(self.tree.ty[declaration]);
        types.into_iter().enumerate().map(|(g, ty)| (Variable::Old(declaration, g), ty)).collect()
    }

    /// New variables for the leaves of a type, and their declarations.
    fn hidden(&mut self, ty: u8) -> (Vec<Node>, Vec<Leaf>) {
        let types = self.variable_types(ty);
        let leaf = |ty| {
            self.hidden += 1;
            (Variable::Hidden(self.hidden), ty)
        };
        let leaves: Vec<Leaf> = types.into_iter().map(leaf).collect();
        (leaves.iter().map(|&leaf| declaration(leaf, u32::from(is_array(leaf.1)))).collect(), leaves)
    }

    /// The first leaf of a field.
    fn first_leaf(&self, ty: u8, field: usize) -> usize {
        let composite = &self.tree.composites[Type::from_code(ty).composite() as usize];
        composite.fields[..field].iter().map(|field| self.leaf_types(field.ty).len()).sum()
    }

    /// Returns whether something may assign the variables of a value between its evaluation and its use.
    fn is_captured(&self, i: usize) -> bool {
        let parent = self.parent[i];
        if [kind::UPDATE, kind::UPDATE_SLICE, kind::ASSIGN_FIELD, kind::GIVE].contains(&self.tree.kind[parent]) {
            return false;
        }
        let user = if self.tree.kind[parent] == kind::ARG { self.parent[parent] } else { parent };
        (self.end[i]..self.end[user]).any(|k| [kind::CALL, kind::ASSIGN].contains(&self.tree.kind[k]))
    }

    /// Returns whether a composite is a variable, or fields of one, that are read where they are.
    fn is_named(&self, i: usize) -> bool {
        match self.tree.kind[i] {
            kind::NAME => !self.is_captured(i),
            kind::FIELD | kind::UNZIP => {
                let is_captured = is_composite(self.tree.ty[i]) && self.is_captured(i);
                !is_captured && self.is_named(self.children[i][0])
            }
            _ => false,
        }
    }

    /// The statements that compute a composite, and the variables of its leaves: `dest` if there are such.
    fn composite(&mut self, i: usize, dest: Option<Vec<Leaf>>) -> (Vec<Node>, Vec<Leaf>) {
        let is_found = [kind::NAME, kind::FIELD, kind::UNZIP, kind::ASSIGN].contains(&self.tree.kind[i]);
        let needs_variables = match self.tree.kind[i] {
            kind::DECLARE => false,
            _ => dest.is_none() && (!is_found || self.is_captured(i)),
        };
        let (mut statements, dest) = if needs_variables {
            let (declarations, leaves) = self.hidden(self.tree.ty[i]);
            (declarations, Some(leaves))
        } else {
            (Vec::new(), dest)
        };
        let first = self.children[i].first().copied();
        let found = match (self.tree.kind[i], first) {
            (kind::NAME, _) => self.variable(self.tree.data[i] as usize),
            (kind::FIELD, Some(value)) => {
                let (before, leaves) = self.composite(value, None);
                statements.extend(before);
                let skipped = self.first_leaf(self.tree.ty[value], self.tree.data[i] as usize);
                leaves[skipped..skipped + self.leaf_types(self.tree.ty[i]).len()].to_vec()
            }
            (kind::UNZIP, Some(value)) => {
                let (before, leaves) = self.composite(value, None);
                statements.extend(before);
                leaves
            }
            (kind::DECLARE, value) => {
                let own = self.variable(i);
                let data = if self.tree.data[i] == 1 { 1 } else { 2 * u32::from(value.is_some()) };
                statements.extend(own.iter().map(|&leaf| declaration(leaf, if is_array(leaf.1) { data } else { 0 })));
                if let Some(value) = value {
                    statements.extend(self.composite(value, Some(own.clone())).0);
                }
                own
            }
            (kind::ASSIGN, Some(value)) => {
                let own = self.variable(self.tree.data[i] as usize);
                let (before, leaves) = self.composite(value, None);
                statements.extend(before);
                statements.extend(own.iter().zip(leaves).map(|(&own, leaf)| assign(own, name(leaf))));
                own
            }
            _ => {
                let dest = dest.expect("variables");
                statements.extend(self.computed(i, &dest));
                return (statements, dest);
            }
        };
        let Some(dest) = dest else { return (statements, found) };
        statements.extend(dest.iter().zip(found).map(|(&to, from)| assign(to, name(from))));
        (statements, dest)
    }

    /// The statements that compute a composite in variables.
    fn computed(&mut self, i: usize, dest: &[Leaf]) -> Vec<Node> {
        let children = self.children[i].clone();
        let mut statements = Vec::new();
        match self.tree.kind[i] {
            kind::STRUCT => {
                let mut next = 0;
                for child in children {
                    let count = self.leaf_types(self.tree.ty[child]).len();
                    if is_composite(self.tree.ty[child]) {
                        statements.extend(self.composite(child, Some(dest[next..next + count].to_vec())).0);
                    } else {
                        let value = self.value(child);
                        statements.push(assign((dest[next].0, self.tree.ty[child]), value));
                    }
                    next += count;
                }
            }
            kind::ASCRIBE => statements = self.composite(children[0], Some(dest.to_vec())).0,
            kind::SEQUENCE => {
                let (&value, before) = children.split_last().expect("a value");
                for &child in before {
                    statements.extend(self.statements(child));
                }
                statements.extend(self.composite(value, Some(dest.to_vec())).0);
            }
            kind::CHOOSE => {
                let condition = self.value(self.children[children[0]][0]);
                let branches = children[1..].iter().map(|&part| {
                    let value = self.children[part][0];
                    let branch = self.composite(value, Some(dest.to_vec())).0;
                    node(kind::BLOCK, ty::VOID, 0, branch)
                });
                let parts = std::iter::once(condition).chain(branches).collect();
                statements.push(node(kind::IF_ELSE, ty::VOID, 0, parts));
            }
            kind::CALL if !self.is_shaped(i) => {
                let address = |&(variable, _): &Leaf| of(kind::ADDRESS, ty::INT, variable, Vec::new());
                let outs: Vec<Node> = dest.iter().map(address).collect();
                let call = self.call(i, outs);
                statements.push(statement(call));
                if !self.is_owner(dest) {
                    let give = |&leaf: &Leaf| statement(node(kind::GIVE, leaf.1, 0, vec![name(leaf)]));
                    statements.extend(dest.iter().filter(|leaf| is_array(leaf.1)).map(give));
                }
            }
            kind::CALL if self.is_shaped(i) => statements = self.shaped(i, dest),
            kind::INDEX => {
                let (before, array) = self.composite(children[0], None);
                statements = before;
                let (checks, indices) = self.indices(i, &children[1..], array[0]);
                statements.extend(checks);
                for (&to, from) in dest.iter().zip(array) {
                    let parts = std::iter::once(from).chain(indices.iter().copied()).map(name).collect();
                    statements.push(assign(to, node(kind::INDEX, to.1, 0, parts)));
                }
            }
            kind::SLICE => {
                let (before, array) = self.composite(children[0], None);
                statements = before;
                let dimensions = self.dimensions(&children[1..], &mut statements);
                for (&to, from) in dest.iter().zip(array) {
                    let parts = std::iter::once(name(from)).chain(dimensions.iter().cloned()).collect();
                    statements.push(assign(to, node(kind::SLICE, to.1, self.tree.data[i], parts)));
                }
            }
            kind::REPLICATE => {
                let count = self.value(children[0]);
                let position = self.tree.data[i];
                let checked = node(kind::CHECK_SIZE, ty::INT, position, vec![count, literal(0)]);
                let count = self.number(checked, &mut statements);
                let (before, leaves) = self.composite(children[1], None);
                statements.extend(before);
                for (&to, from) in dest.iter().zip(leaves) {
                    statements.push(assign(to, node(kind::REPLICATE, to.1, position, vec![name(count), name(from)])));
                }
            }
            kind::ARRAY => {
                let position = self.tree.data[i];
                let (before, element) = self.hidden(self.tree.ty[children[0]]);
                statements = before;
                for (k, &child) in children.iter().enumerate() {
                    statements.extend(self.composite(child, Some(element.clone())).0);
                    for (&to, &from) in dest.iter().zip(&element) {
                        if k == 0 {
                            let parts = vec![literal(children.len() as u32), name(from)];
                            statements.push(assign(to, node(kind::REPLICATE, to.1, position, parts)));
                        } else {
                            let data = if is_array(from.1) { position } else { 0 };
                            let parts = vec![name(to), literal(k as u32), name(from)];
                            statements.push(node(kind::UPDATE, from.1, data, parts));
                        }
                    }
                }
            }
            kind::ZIP => {
                let mut next = 0;
                let mut firsts = Vec::new();
                for child in children {
                    let count = self.leaf_types(self.tree.ty[child]).len();
                    firsts.push(dest[next]);
                    if is_composite(self.tree.ty[child]) {
                        statements.extend(self.composite(child, Some(dest[next..next + count].to_vec())).0);
                    } else {
                        let value = self.value(child);
                        statements.push(assign(dest[next], value));
                    }
                    next += count;
                }
                let extent = |leaf: Leaf| node(kind::SIZE, ty::INT, 0, vec![name(leaf)]);
                for &other in &firsts[1..] {
                    let sizes = vec![extent(firsts[0]), extent(other)];
                    statements.push(statement(node(kind::CHECK_EQUAL, ty::INT, self.tree.data[i], sizes)));
                }
            }
            kind::SPLIT => {
                let whole = if is_composite(self.tree.ty[children[0]]) {
                    let (before, leaves) = self.composite(children[0], None);
                    statements = before;
                    leaves
                } else {
                    let value = self.value(children[0]);
                    vec![self.held(value, &mut statements)]
                };
                let value = self.value(children[1]);
                let at = self.number(value, &mut statements);
                let position = self.tree.data[i];
                for (k, &from) in whole.iter().enumerate() {
                    let ranges = [(0, vec![literal(0), name(at)]), (1, vec![name(at), literal(0)])];
                    for (part, (open, bounds)) in ranges.into_iter().enumerate() {
                        let range = node(kind::RANGE, ty::VOID, open, bounds);
                        let slice = node(kind::SLICE, from.1, position, vec![name(from), range]);
                        statements.push(assign((dest[part * whole.len() + k].0, from.1), slice));
                    }
                }
            }
            kind::NEW => {
                let mut extents = Vec::new();
                for child in children {
                    let value = self.value(child);
                    extents.push(self.number(value, &mut statements));
                }
                for &to in dest {
                    let parts = extents.iter().copied().map(name).collect();
                    statements.push(assign(to, node(kind::NEW, to.1, 0, parts)));
                }
            }
            kind::NEW_LIKE | kind::GIVE | kind::TRUNCATE => {
                let (before, leaves) = self.composite(children[0], None);
                statements = before;
                let count = children.get(1).map(|&child| {
                    let value = self.value(child);
                    self.number(value, &mut statements)
                });
                for (&to, from) in dest.iter().zip(leaves) {
                    let parts = std::iter::once(from).chain(count).map(name).collect();
                    // A number has no owner.
                    let is_number = self.tree.kind[i] == kind::GIVE && !is_array(to.1);
                    let kind = if is_number { kind::ASCRIBE } else { self.tree.kind[i] };
                    statements.push(assign(to, node(kind, to.1, 0, parts)));
                }
            }
            kind::NEW_ROWS => {
                let value = self.value(children[0]);
                let count = self.number(value, &mut statements);
                let (before, leaves) = self.composite(children[1], None);
                statements.extend(before);
                for (&to, from) in dest.iter().zip(leaves) {
                    let parts = vec![name(count), name(from)];
                    let (kind, data) = if is_array(from.1) { (kind::NEW_ROWS, 0) } else { (kind::REPLICATE, 1) };
                    statements.push(assign(to, node(kind, to.1, data, parts)));
                }
            }
            other => panic!("no composite: {}", kind::NAMES[other as usize]),
        }
        statements
    }

    /// A hidden variable for a value, whose declaration becomes a statement.
    fn number(&mut self, value: Node, statements: &mut Vec<Node>) -> Leaf {
        self.hidden += 1;
        let (variable, ty) = (Variable::Hidden(self.hidden), value.ty);
        let declaration = node(kind::DECLARE, ty, 0, vec![value]);
        statements.push(statement(Node { declares: Some(variable), ..declaration }));
        (variable, ty)
    }

    /// The same for an array, which is borrowed.
    fn held(&mut self, value: Node, statements: &mut Vec<Node>) -> Leaf {
        let leaf = self.number(value, statements);
        let declaration = statements.last_mut().expect("a declaration");
        declaration.children[0].data = Data::Number(1);
        leaf
    }

    /// The statements that compute the indices of an access, and their variables.
    fn indices(&mut self, i: usize, indices: &[usize], array: Leaf) -> (Vec<Node>, Vec<Leaf>) {
        let (mut statements, mut variables) = (Vec::new(), Vec::new());
        let position = self.tree.data[i];
        for (k, &index) in indices.iter().enumerate() {
            let mut value = self.value(index);
            if position != 0 {
                let extent = node(kind::SIZE, ty::INT, k as u32, vec![name(array)]);
                value = node(kind::CHECK_INDEX, ty::INT, position, vec![value, extent]);
            }
            variables.push(self.number(value, &mut statements));
        }
        (statements, variables)
    }

    /// The element from which a node selects a number without copying others.
    fn selected_element(&self, i: usize) -> Option<usize> {
        if is_composite(self.tree.ty[i]) || is_array(self.tree.ty[i]) {
            return None;
        }
        let mut at = i;
        while self.tree.kind[at] == kind::FIELD {
            at = self.children[at][0];
        }
        (self.tree.kind[at] == kind::INDEX && self.is_named(self.children[at][0])).then_some(at)
    }

    /// The array of composites that an access is to: the outermost with a dimension for each index.
    fn table(&self, access: usize) -> usize {
        let indices = self.children[access].len() - 1 - usize::from(self.tree.kind[access] == kind::UPDATE);
        let mut at = self.children[access][0];
        while self.tree.kind[at] == kind::FIELD {
            let below = self.children[at][0];
            let ty = Type::from_code(self.tree.ty[below]);
            if (self.tree.composites[ty.composite() as usize].rank as usize) < indices {
                break;
            }
            at = below;
        }
        at
    }

    /// Returns whether a node is a checked access to numbers of a field of an array of composites, whose indices assign nothing.
    fn accesses_field(&self, i: usize) -> bool {
        let array = self.children[i][0];
        if is_composite(self.tree.ty[i]) || is_array(self.tree.ty[i]) || self.tree.data[i] == 0 {
            return false;
        }
        let end = match self.tree.kind[i] {
            kind::UPDATE => *self.children[i].last().expect("a value"),
            _ => self.end[i],
        };
        let has_effect = (self.end[array]..end).any(|k| [kind::CALL, kind::ASSIGN].contains(&self.tree.kind[k]));
        self.is_named(array) && self.table(i) != array && !has_effect
    }

    /// The indices of an access, with checks if it has checks.
    fn checked_indices(&mut self, access: usize, indices: &[usize]) -> Vec<Node> {
        let table = self.table(access);
        let position = self.tree.data[access];
        let mut nodes = Vec::new();
        for (k, &index) in indices.iter().enumerate() {
            let index = self.value(index);
            let (_, columns) = self.composite(table, None);
            let extent = node(kind::SIZE, ty::INT, k as u32, vec![name(columns[0])]);
            nodes.push(match position {
                0 => index,
                _ => node(kind::CHECK_INDEX, ty::INT, position, vec![index, extent]),
            });
        }
        nodes
    }

    /// The dimensions of a slice, whose numbers are in variables. An index becomes a sum with 0.
    fn dimensions(&mut self, dimensions: &[usize], statements: &mut Vec<Node>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for &dimension in dimensions {
            nodes.push(match self.tree.kind[dimension] {
                kind::ALL => node(kind::RANGE, ty::VOID, 1, vec![literal(0), literal(0)]),
                kind::RANGE => {
                    let mut bounds = Vec::new();
                    for bound in self.children[dimension].clone() {
                        let value = self.value(bound);
                        bounds.push(name(self.number(value, statements)));
                    }
                    node(kind::RANGE, ty::VOID, self.tree.data[dimension], bounds)
                }
                _ => {
                    let value = self.value(dimension);
                    let index = name(self.number(value, statements));
                    node(kind::ADD, ty::INT, 0, vec![index, literal(0)])
                }
            });
        }
        nodes
    }

    fn is_shaped(&self, i: usize) -> bool {
        [runtime::COPY, runtime::CONCAT, runtime::PERM, runtime::RESHAPE].contains(&self.tree.data[i])
    }

    /// The statements of `copy`, `concat`, `perm` and `reshape`: the same call for each leaf.
    fn shaped(&mut self, i: usize, dest: &[Leaf]) -> Vec<Node> {
        let (mut statements, mut arguments) = (Vec::new(), Vec::new());
        for argument in self.children[i].clone() {
            let value = self.children[argument][0];
            if is_composite(self.tree.ty[argument]) {
                let (before, leaves) = self.composite(value, None);
                statements.extend(before);
                arguments.push(leaves);
            } else {
                let value = self.value(value);
                let held = self.held(value, &mut statements);
                arguments.push(vec![held; dest.len()]);
            }
        }
        let position = self.tree.data[self.parent[i]];
        for (g, &to) in dest.iter().enumerate() {
            let argument =
                |(k, leaves): (usize, &Vec<Leaf>)| node(kind::ARG, leaves[g].1, k as u32, vec![name(leaves[g])]);
            let call = node(kind::CALL, to.1, self.tree.data[i], arguments.iter().enumerate().map(argument).collect());
            statements.push(assign(to, node(kind::ASCRIBE, to.1, position, vec![call])));
        }
        statements
    }

    /// The statements that print a value in the syntax of literals.
    fn printed(&self, ty: u8, leaves: &mut impl Iterator<Item = Leaf>, statements: &mut Vec<Node>) {
        let composite = is_composite(ty).then(|| &self.tree.composites[Type::from_code(ty).composite() as usize]);
        let Some(composite) = composite.filter(|composite| composite.rank == 0) else {
            let leaf = leaves.next().expect("a leaf");
            let value = node(kind::ASCRIBE, leaf.1, 0, vec![name(leaf)]);
            statements.push(statement(node(kind::PRINT, ty::VOID, 1, vec![value])));
            return;
        };
        let (open, close) = if composite.name.is_empty() { ("(", ")") } else { ("[", "]") };
        characters(&format!("{}{open}", composite.name), statements);
        for (k, field) in composite.fields.iter().enumerate() {
            characters(if k > 0 { ", " } else { "" }, statements);
            self.printed(field.ty, leaves, statements);
        }
        characters(close, statements);
    }

    /// Returns whether variables own the arrays that they hold.
    fn is_owner(&self, leaves: &[Leaf]) -> bool {
        let Variable::Old(declaration, _) = leaves[0].0 else { return false };
        self.tree.kind[declaration] == kind::DECLARE && self.tree.data[declaration] != 1
    }

    /// A call with the addresses of the variables for its result.
    fn call(&mut self, i: usize, outs: Vec<Node>) -> Node {
        let mut arguments: Vec<(u8, Node)> = outs.into_iter().map(|out| (ty::INT, out)).collect();
        for argument in self.children[i].clone() {
            let value = self.children[argument][0];
            if !is_composite(self.tree.ty[argument]) {
                let value = self.value(value);
                arguments.push((self.tree.ty[argument], value));
                continue;
            }
            let is_named = self.is_named(value);
            let (statements, leaves) = self.composite(value, None);
            let first = arguments.len();
            arguments.extend(leaves.into_iter().map(|leaf| (leaf.1, name(leaf))));
            if !is_named {
                let value = arguments[first].1.clone();
                arguments[first].1 = sequence(statements, value);
            }
        }
        let arg = |(k, (ty, value))| node(kind::ARG, ty, k as u32, vec![value]);
        let ty = if is_composite(self.tree.ty[i]) { ty::VOID } else { self.tree.ty[i] };
        node(kind::CALL, ty, self.tree.data[i], arguments.into_iter().enumerate().map(arg).collect())
    }

    /// The node without its children.
    fn copy(&self, i: usize) -> Node {
        let (k, data) = (self.tree.kind[i], self.tree.data[i]);
        let data = match k {
            kind::NAME | kind::DATA | kind::ASSIGN | kind::ADDRESS => Data::Of(Variable::Old(data as usize, 0)),
            _ => Data::Number(data),
        };
        Node { kind: k, ty: self.tree.ty[i], data, declares: Some(Variable::Old(i, 0)), children: Vec::new() }
    }

    /// A value that is not a composite, or another node that stays one.
    fn value(&mut self, i: usize) -> Node {
        let first = self.children[i].first().copied();
        match (self.tree.kind[i], first) {
            (kind::FIELD, Some(_)) if self.selected_element(i).is_some() => {
                let element = self.selected_element(i).expect("an element");
                let (_, columns) = self.composite(self.children[element][0], None);
                let mut path = i;
                let mut skipped = 0;
                while path != element {
                    path = self.children[path][0];
                    skipped += self.first_leaf(self.tree.ty[path], self.tree.data[self.parent[path]] as usize);
                }
                let mut children = vec![name(columns[skipped])];
                let indices = self.children[element][1..].to_vec();
                children.extend(self.checked_indices(element, &indices));
                node(kind::INDEX, self.tree.ty[i], 0, children)
            }
            (kind::INDEX | kind::UPDATE, Some(array)) if self.accesses_field(i) => {
                let last = self.children[i].len() - usize::from(self.tree.kind[i] == kind::UPDATE);
                let indices = self.children[i][1..last].to_vec();
                let mut children = vec![self.value(array)];
                children.extend(self.checked_indices(i, &indices));
                if let Some(&value) = self.children[i].get(last) {
                    children.push(self.value(value));
                }
                Node { data: Data::Number(0), children, ..self.copy(i) }
            }
            (kind::FIELD, Some(value)) => {
                let is_named = self.is_named(i);
                let (statements, leaves) = self.composite(value, None);
                let skipped = self.first_leaf(self.tree.ty[value], self.tree.data[i] as usize);
                let leaf = name((leaves[skipped].0, self.tree.ty[i]));
                if is_named { leaf } else { sequence(statements, leaf) }
            }
            (kind::SIZE, Some(array)) if is_composite(self.tree.ty[array]) => {
                let is_named = self.is_named(array);
                let (statements, leaves) = self.composite(array, None);
                let size = Node { children: vec![name(leaves[0])], ..self.copy(i) };
                if is_named { size } else { sequence(statements, size) }
            }
            (kind::CALL, _) => Node { declares: Some(Variable::Old(i, 0)), ..self.call(i, Vec::new()) },
            _ => {
                let mut children = Vec::new();
                for child in self.children[i].clone() {
                    children.extend(self.statements(child));
                }
                Node { children, ..self.copy(i) }
            }
        }
    }

    fn function(&mut self, i: usize) -> Node {
        let result = self.tree.ty[i];
        let mut parts = Vec::new();
        for child in self.children[i].clone() {
            match self.tree.kind[child] {
                kind::HEADER => {
                    let types = if is_composite(result) { self.leaf_types(result) } else { Vec::new() };
                    let has_arrays = types.iter().any(|&ty| is_array(ty));
                    let count = if has_arrays { types.len() as u32 } else { 0 };
                    parts.push(Node { data: Data::Number(count), ..self.copy(child) });
                    let mut outs = Vec::new();
                    for _ in types {
                        self.hidden += 1;
                        let variable = Variable::Hidden(self.hidden);
                        parts.push(Node { declares: Some(variable), ..node(kind::PARAM, ty::INT, 0, Vec::new()) });
                        outs.push(variable);
                    }
                    self.outs.push(outs);
                }
                kind::PARAM => {
                    for (variable, ty) in self.variable(child) {
                        let data = if is_array(ty) { self.tree.data[child] } else { 0 };
                        parts.push(Node { declares: Some(variable), ..node(kind::PARAM, ty, data, Vec::new()) });
                    }
                }
                _ => {
                    let block = self.value(child);
                    parts.push(block);
                }
            }
        }
        self.outs.pop();
        let ty = if is_composite(result) { ty::VOID } else { result };
        Node { children: parts, ty, ..self.copy(i) }
    }

    /// The leaves of a variable, or of fields of it.
    fn target(&self, i: usize) -> Vec<Leaf> {
        if self.tree.kind[i] == kind::NAME {
            return self.variable(self.tree.data[i] as usize);
        }
        let around = self.children[i][0];
        let first = self.first_leaf(self.tree.ty[around], self.tree.data[i] as usize);
        let count = self.leaf_types(self.tree.ty[i]).len();
        self.target(around)[first..first + count].to_vec()
    }

    /// Statements for a statement, or the one node for another.
    fn statements(&mut self, i: usize) -> Vec<Node> {
        let first = self.children[i].first().copied();
        match (self.tree.kind[i], first) {
            (kind::FUNCTION, _) => vec![self.function(i)],
            (kind::EXPRESSION, Some(value)) if is_composite(self.tree.ty[value]) => self.composite(value, None).0,
            (kind::RETURN, Some(value)) if is_composite(self.tree.ty[value]) => {
                let (mut statements, leaves) = self.composite(value, None);
                let outs = self.outs.last().expect("a function").clone();
                let store = |(leaf, out): (Leaf, Variable)| {
                    node(kind::STORE, leaf.1, 0, vec![name((out, ty::INT)), name(leaf)])
                };
                statements.extend(leaves.into_iter().zip(outs).map(store));
                statements.push(node(kind::RETURN, ty::VOID, 0, Vec::new()));
                statements
            }
            (kind::EXPRESSION, Some(print))
                if self.tree.kind[print] == kind::PRINT && is_composite(self.tree.ty[self.children[print][0]]) =>
            {
                let value = self.children[print][0];
                let (mut statements, leaves) = self.composite(value, None);
                self.printed(self.tree.ty[value], &mut leaves.into_iter(), &mut statements);
                characters(if self.tree.data[print] == 0 { "\n" } else { "" }, &mut statements);
                statements
            }
            (kind::ASSIGN_FIELD, Some(value)) => {
                let target = self.target(self.children[i][1]);
                if !is_composite(self.tree.ty[i]) {
                    let value = self.value(value);
                    return vec![assign(target[0], value)];
                }
                let (mut statements, leaves) = self.composite(value, None);
                statements.extend(target.into_iter().zip(leaves).map(|(to, from)| assign(to, name(from))));
                statements
            }
            (kind::UPDATE, Some(array)) if is_composite(self.tree.ty[i]) => {
                let children = self.children[i].clone();
                let [_, indices @ .., value] = children.as_slice() else { panic!("an update without a value") };
                let (mut statements, array) = self.composite(array, None);
                let (checks, indices) = self.indices(i, indices, array[0]);
                statements.extend(checks);
                let (before, leaves) = self.composite(*value, None);
                statements.extend(before);
                for (to, from) in array.into_iter().zip(leaves) {
                    let parts = std::iter::once(to).chain(indices.iter().copied()).chain([from]).map(name).collect();
                    let data = if is_array(from.1) { self.tree.data[i] } else { 0 };
                    statements.push(node(kind::UPDATE, from.1, data, parts));
                }
                statements
            }
            (kind::UPDATE_SLICE, Some(array)) if is_composite(self.tree.ty[i]) => {
                let children = self.children[i].clone();
                let [_, dimensions @ .., value] = children.as_slice() else { panic!("an update without a value") };
                let (mut statements, array) = self.composite(array, None);
                let dimensions = self.dimensions(dimensions, &mut statements);
                let (before, leaves) = self.composite(*value, None);
                statements.extend(before);
                for (to, from) in array.into_iter().zip(leaves) {
                    let parts =
                        std::iter::once(name(to)).chain(dimensions.iter().cloned()).chain([name(from)]).collect();
                    statements.push(node(kind::UPDATE_SLICE, from.1, self.tree.data[i], parts));
                }
                statements
            }
            (kind::DESTRUCTURE, Some(value)) => {
                let (mut statements, leaves) = self.composite(value, None);
                let mut next = leaves.into_iter();
                for declare in self.children[i].clone().into_iter().skip(1) {
                    if is_composite(self.tree.ty[declare]) {
                        let own = self.variable(declare);
                        let data = |ty| 2 * u32::from(is_array(ty));
                        statements.extend(own.iter().map(|&leaf| declaration(leaf, data(leaf.1))));
                        statements.extend(own.iter().map(|&leaf| assign(leaf, name(next.next().expect("a leaf")))));
                    } else {
                        let value = name(next.next().expect("a leaf"));
                        statements.push(statement(Node { children: vec![value], ..self.copy(declare) }));
                    }
                }
                statements
            }
            _ => vec![self.value(i)],
        }
    }
}
