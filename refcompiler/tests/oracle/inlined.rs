//! Inlining as sequential rewriting of a tree of nodes with names.

use std::collections::HashMap;

use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::nodes::HostNodes;

const MOST_NODES: usize = 72;
const MOST_PARAMETERS: usize = 8;
const ROUNDS: usize = 6;
const PERIOD: usize = 8;

/// The effects of each function by id: whether it is nested, and whether it is pure.
pub type Effects = Vec<(bool, bool)>;

/// A node. Variables have names: the number of the node that declared them at first, or a new one.
#[derive(Clone)]
struct Node {
    kind: Kind,
    ty: Type,
    data: u32,
    name: u32,
    children: Vec<Node>,
}

impl Node {
    fn new(kind: Kind, ty: Type, name: u32, children: Vec<Node>) -> Node {
        Node { kind, ty, data: 0, name, children }
    }

    fn len(&self) -> usize {
        1 + self.children.iter().map(Node::len).sum::<usize>()
    }

    fn any(&self, holds: &impl Fn(&Node) -> bool) -> bool {
        holds(self) || self.children.iter().any(|child| child.any(holds))
    }

    fn is_number(&self) -> bool {
        self.ty == Type::Int || self.ty == Type::Float
    }
}

/// Reads the subtree of a node.
fn read(nodes: &HostNodes, i: &mut usize) -> Node {
    let own = *i;
    let kind = nodes.kind[own];
    let data = nodes.data[own];
    let name = if kind.is_variable() { data } else { own as u32 };
    let mut node = Node { kind, ty: nodes.ty[own], data, name, children: Vec::new() };
    *i += 1;
    while *i < nodes.depth.len() && nodes.depth[*i] > nodes.depth[own] {
        node.children.push(read(nodes, i));
    }
    node
}

/// Writes a subtree, with names in place of nodes.
fn write(node: &Node, depth: u32, out: &mut HostNodes) {
    out.depth.push(depth);
    out.kind.push(node.kind);
    out.ty.push(node.ty);
    out.data.push(if node.kind.is_variable() { node.name } else { node.data });
    node.children.iter().for_each(|child| write(child, depth + 1, out));
}

/// A function that can be inlined.
struct Body<'a> {
    parameters: Vec<u32>,
    declarations: &'a [Node],
    value: &'a Node,
}

fn body(function: &Node) -> Option<Body<'_>> {
    let is_allowed = |node: &Node| match node.kind {
        Kind::Expression | Kind::Return => node.data == 0,
        Kind::Ascribe => node.data == 0 && node.is_number(),
        Kind::Header | Kind::Block => true,
        Kind::Param | Kind::Declare | Kind::Call | Kind::Arg | Kind::Choose | Kind::Sequence => node.is_number(),
        Kind::Test | Kind::Then | Kind::Otherwise => node.is_number(),
        kind => kind.is_pure() && !kind.is_access() && kind != Kind::Address && node.is_number(),
    };
    let is_small = function.len() <= MOST_NODES;
    let (block, head) = function.children.split_last()?;
    let fits = function.kind == Kind::Function && function.is_number() && is_small;
    if !fits
        || head.len() > MOST_PARAMETERS + 1
        || !function.children.iter().all(|child| !child.any(&|node| !is_allowed(node)))
    {
        return None;
    }
    let (last, declarations) = block.children.split_last()?;
    let declares = |node: &Node| node.kind == Kind::Expression && node.children[0].kind == Kind::Declare;
    let parameters = head[1..].iter().map(|param| param.name).collect();
    let returns = last.kind == Kind::Return && !last.children.is_empty();
    (returns && declarations.iter().all(declares)).then(|| Body { parameters, declarations, value: &last.children[0] })
}

/// The uses of parameters in the order of evaluation, with the number of calls with effects before each, and whether it is certain.
fn uses(node: &Node, effects: &Effects, certain: bool, calls: &mut usize, found: &mut Vec<(u32, usize, bool)>) {
    let certain = certain && !matches!(node.kind, Kind::Then | Kind::Otherwise);
    node.children.iter().for_each(|child| uses(child, effects, certain, calls, found));
    if node.kind == Kind::Name {
        found.push((node.name, *calls, certain));
    }
    *calls += usize::from(node.kind == Kind::Call && !effects[node.data as usize].1);
}

struct Inliner<'a> {
    ready: HashMap<u32, &'a Node>,
    effects: &'a Effects,
    next: u32,
}

impl Inliner<'_> {
    /// Returns a node with its calls replaced.
    fn node(&mut self, node: &Node) -> Node {
        let children = node.children.iter().map(|child| self.node(child)).collect();
        match self.ready.get(&node.data) {
            Some(&function) if node.kind == Kind::Call && node.is_number() => self.call(node, children, function),
            _ => Node { children, ..node.clone() },
        }
    }

    fn call(&mut self, call: &Node, arguments: Vec<Node>, function: &Node) -> Node {
        let body = body(function).expect("a body");
        let effects = self.effects;
        let is_write = |node: &Node| {
            matches!(node.kind, Kind::Assign | Kind::AssignField | Kind::Update | Kind::UpdateSlice)
                || (node.kind == Kind::Call && effects[node.data as usize].0)
        };
        let is_stable = !call.children.iter().any(|argument| argument.any(&is_write));
        let mut found = Vec::new();
        let mut calls = 0;
        body.declarations.iter().chain([body.value]).for_each(|node| uses(node, effects, true, &mut calls, &mut found));
        let use_of = |parameter: u32| {
            let of_it: Vec<_> = (0..found.len()).filter(|&k| found[k].0 == parameter).collect();
            of_it.first().copied().filter(|&k| of_it.len() == 1 && found[k].1 == 0 && found[k].2)
        };
        // From the last argument on: arguments go to their uses, until one does not.
        let mut values: HashMap<u32, Node> = HashMap::new();
        let mut bound = Vec::new();
        let (mut limit, mut is_direct) = (usize::MAX, true);
        for ((k, mut argument), original) in arguments.into_iter().enumerate().zip(&call.children).rev() {
            let parameter = body.parameters[k];
            let value = argument.children.remove(0);
            let leaf = original.children[0].kind;
            if leaf == Kind::Literal || (leaf == Kind::Name && is_stable) {
                values.insert(parameter, value);
                continue;
            }
            let used = use_of(parameter);
            is_direct &= used.is_some_and(|used| used < limit);
            limit = used.unwrap_or(0);
            if is_direct {
                values.insert(parameter, value);
                continue;
            }
            self.next += 1;
            values.insert(parameter, Node::new(Kind::Name, argument.ty, self.next, Vec::new()));
            let declare = Node::new(Kind::Declare, argument.ty, self.next, vec![value]);
            self.next += 1;
            bound.push(Node::new(Kind::Expression, Type::Void, self.next, vec![declare]));
        }
        bound.reverse();
        let declared: Vec<Node> = body.declarations.iter().map(|node| self.copy(node, &mut values)).collect();
        let value = self.copy(body.value, &mut values);
        if bound.is_empty() && declared.is_empty() {
            return value;
        }
        bound.extend(declared);
        bound.push(value);
        self.next += 1;
        Node::new(Kind::Sequence, call.ty, self.next, bound)
    }

    /// Copies a node of a body. New names come into `values`.
    fn copy(&mut self, node: &Node, values: &mut HashMap<u32, Node>) -> Node {
        if node.kind == Kind::Name {
            return values[&node.name].clone();
        }
        let children = node.children.iter().map(|child| self.copy(child, values)).collect();
        self.next += 1;
        if node.kind == Kind::Declare {
            values.insert(node.name, Node::new(Kind::Name, node.ty, self.next, Vec::new()));
        }
        Node { name: self.next, children, ..node.clone() }
    }
}

/// The first function of a library that each function in it calls.
fn callees(library: &[Node]) -> HashMap<u32, u32> {
    fn first(node: &Node, ids: &[u32]) -> Option<u32> {
        let is_call = node.kind == Kind::Call && ids.contains(&node.data);
        if is_call { Some(node.data) } else { node.children.iter().find_map(|child| first(child, ids)) }
    }
    let ids: Vec<u32> = library.iter().map(|root| root.data).collect();
    library.iter().filter_map(|root| first(root, &ids).map(|callee| (root.data, callee))).collect()
}

/// The number of functions after one in its chain of calls, if the chain ends.
fn below(function: u32, called: &HashMap<u32, u32>) -> Option<usize> {
    let (mut at, mut count) = (function, 0);
    while let Some(&next) = called.get(&at) {
        (at, count) = (next, count + 1);
        if count > called.len() {
            return None;
        }
    }
    Some(count)
}

/// Returns the nodes after the pass.
pub fn inlined(nodes: &HostNodes, effects: &Effects) -> HostNodes {
    let (mut i, mut roots) = (0, Vec::new());
    while i < nodes.depth.len() {
        roots.push(read(nodes, &mut i));
    }
    let mut library: Vec<Node> = roots.iter().filter(|root| body(root).is_some()).cloned().collect();
    let called = callees(&library);
    let is_cut = |root: &Node| below(root.data, &called).is_some_and(|count| count % PERIOD == PERIOD - 1);
    let mut next = 1 << 30;
    let mut count = 0;
    for round in 0..=ROUNDS {
        let candidates: HashMap<u32, &Node> =
            library.iter().filter(|root| body(root).is_some() && !is_cut(root)).map(|root| (root.data, root)).collect();
        let waits = |root: &Node| root.any(&|node| node.kind == Kind::Call && candidates.contains_key(&node.data));
        let ready: HashMap<u32, &Node> =
            candidates.iter().filter(|(_, root)| !waits(root)).map(|(&id, &root)| (id, root)).collect();
        let is_last = ready.len() == count || round == ROUNDS;
        count = ready.len();
        let mut inliner = Inliner { ready, effects, next };
        let replaced = if is_last { &roots } else { &library };
        let replaced: Vec<Node> = replaced.iter().map(|root| inliner.node(root)).collect();
        next = inliner.next;
        if is_last {
            roots = replaced;
            break;
        }
        library = replaced;
    }
    let mut out = HostNodes { depth: Vec::new(), kind: Vec::new(), ty: Vec::new(), data: Vec::new() };
    let mut index = HashMap::new();
    declared(&roots, &mut 0, &mut index);
    roots.iter().for_each(|root| write(root, 0, &mut out));
    for (kind, data) in out.kind.iter().zip(&mut out.data) {
        if kind.is_variable() {
            *data = index[data];
        }
    }
    out
}

/// Finds the new node of each name.
fn declared(nodes: &[Node], next: &mut u32, index: &mut HashMap<u32, u32>) {
    for node in nodes {
        if !node.kind.is_variable() {
            index.insert(node.name, *next);
        }
        *next += 1;
        declared(&node.children, next, index);
    }
}
