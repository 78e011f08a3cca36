//! The rules of uniqueness, by a walk over the statements that keeps the memory of each variable. Nothing of the pass is used.
//!
//! The walk begins again as long as values have joined, and repeats the body of a loop as long as more variables are dead.

use std::collections::{BTreeMap, BTreeSet};

use refcompiler::ir::kinds::{Type, kind};
use refcompiler::ir::tree::{Tree, runtime};

/// A value that can share memory: a node that defines a variable, or a merge at a loop or branch of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Node(u32),
    Merge(u32, u32),
}

/// The name of a rule and the node that breaks it.
pub type Breach = (&'static str, u32);

/// The memory of the variables in scope, and which of them were consumed.
#[derive(Clone, Debug, PartialEq)]
struct State(BTreeMap<u32, (Value, bool)>);

struct Walk<'a> {
    tree: &'a Tree,
    children: Vec<Vec<u32>>,
    parent: Vec<Option<u32>>,
    end: Vec<u32>,
    /// Variables that a nested function uses too.
    apart: BTreeSet<u32>,
    class: BTreeMap<Value, Value>,
    has_joined: bool,
    breaches: BTreeSet<Breach>,
    /// The reads so far, and their values.
    log: Vec<(u32, Value)>,
    /// For each expression around that is whole: its root, the reads before it, and those before the part of it that is walked.
    whole: Vec<(u32, usize, usize)>,
    lambda: bool,
    function: u32,
}

/// Returns the breaches of the rules in a program.
pub fn breaches(tree: &Tree) -> BTreeSet<Breach> {
    let n = tree.len();
    let (mut children, mut parent, mut open): (Vec<Vec<u32>>, Vec<Option<u32>>, Vec<u32>) =
        (vec![Vec::new(); n], vec![None; n], Vec::new());
    let mut end = vec![n as u32; n];
    for i in 0..n as u32 {
        while open.len() > tree.depth[i as usize] as usize {
            end[open.pop().unwrap() as usize] = i;
        }
        parent[i as usize] = open.last().copied();
        if let Some(&above) = open.last() {
            children[above as usize].push(i);
        }
        open.push(i);
    }
    let function_of = |mut i: u32| {
        while tree.kind[i as usize] != kind::FUNCTION {
            let Some(above) = parent[i as usize] else { break };
            i = above;
        }
        i
    };
    let accesses = (0..n as u32).filter(|&i| matches!(tree.kind[i as usize], kind::NAME | kind::ASSIGN));
    let apart = accesses
        .filter(|&i| function_of(i) != function_of(tree.data[i as usize]))
        .map(|i| tree.data[i as usize])
        .collect();
    let mut walk = Walk {
        tree,
        children,
        parent,
        end,
        apart,
        class: BTreeMap::new(),
        has_joined: true,
        breaches: BTreeSet::new(),
        log: Vec::new(),
        whole: Vec::new(),
        lambda: false,
        function: 0,
    };
    while std::mem::take(&mut walk.has_joined) {
        walk.breaches.clear();
        walk.log.clear();
        for i in (0..n as u32).filter(|&i| tree.kind[i as usize] == kind::FUNCTION) {
            walk.function(i);
        }
    }
    walk.breaches
}

impl Walk<'_> {
    fn kind(&self, i: u32) -> u8 {
        self.tree.kind[i as usize]
    }

    fn shares(&self, i: u32) -> bool {
        self.type_shares(self.tree.ty[i as usize])
    }

    fn type_shares(&self, ty: u8) -> bool {
        let ty = Type::from_code(ty);
        if !ty.is_composite() {
            return ty.is_array();
        }
        let composite = &self.tree.composites[ty.composite() as usize];
        composite.rank > 0 || composite.fields.iter().any(|field| self.type_shares(field.ty))
    }

    /// Returns the NAME in a target.
    fn target(&self, mut i: u32) -> u32 {
        while self.kind(i) == kind::FIELD {
            i = self.children[i as usize][0];
        }
        i
    }

    fn class(&self, value: Value) -> Value {
        let mut class = value;
        while let Some(&above) = self.class.get(&class) {
            class = above;
        }
        class
    }

    fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.has_joined = true;
            self.class.insert(a, b);
        }
    }

    /// Returns whether control does not continue after a node.
    fn leaves(&self, i: u32) -> bool {
        match self.kind(i) {
            kind::RETURN => true,
            kind::BLOCK => self.children[i as usize].iter().any(|&child| self.leaves(child)),
            kind::IF_ELSE => self.children[i as usize][1..].iter().all(|&child| self.leaves(child)),
            _ => false,
        }
    }

    fn function(&mut self, i: u32) {
        self.function = i;
        let mut state = State(BTreeMap::new());
        for &variable in self.apart.iter().filter(|&&variable| self.shares(variable) && variable < i) {
            let mut scope = self.parent[variable as usize];
            while scope.is_some_and(|scope| !matches!(self.kind(scope), kind::BLOCK | kind::FUNCTION)) {
                scope = self.parent[scope.unwrap() as usize];
            }
            if scope.is_some_and(|scope| i < self.end[scope as usize]) {
                state.0.insert(variable, (Value::Node(variable), false));
            }
        }
        for child in self.children[i as usize].clone() {
            match self.kind(child) {
                kind::PARAM if self.shares(child) => {
                    state.0.insert(child, (Value::Node(child), false));
                }
                kind::BLOCK => self.statement(child, &mut state),
                _ => {}
            }
        }
    }

    fn block(&mut self, i: u32, state: &mut State) {
        let before: Vec<u32> = state.0.keys().copied().collect();
        for child in self.children[i as usize].clone() {
            self.statement(child, state);
        }
        state.0.retain(|variable, _| before.contains(variable));
    }

    /// Returns the variables from before that a subtree assigns, but none that is kept apart.
    fn assigned(&self, i: u32, state: &State) -> BTreeSet<u32> {
        let targets = (i..self.end[i as usize]).filter_map(|k| match self.kind(k) {
            kind::ASSIGN => Some(self.tree.data[k as usize]),
            kind::UPDATE => Some(self.tree.data[self.target(k + 1) as usize]),
            kind::ASSIGN_FIELD => Some(self.tree.data[self.target(self.children[k as usize][1]) as usize]),
            _ => None,
        });
        targets.filter(|target| state.0.contains_key(target) && !self.apart.contains(target)).collect()
    }

    /// Returns the state after a merge of several sides at a statement. `start` is the state from which all begin.
    fn merged(&mut self, i: u32, assigned: &BTreeSet<u32>, start: &State, sides: &[Option<State>]) -> State {
        let held: Vec<Value> =
            start.0.iter().filter(|(variable, _)| !assigned.contains(variable)).map(|(_, &(value, _))| value).collect();
        for side in sides.iter().flatten() {
            for &variable in assigned {
                let (value, merge) = (side.0[&variable].0, Value::Merge(i, variable));
                if held.iter().any(|&other| self.class(other) == self.class(value)) {
                    self.join(merge, value);
                }
                for &other in assigned {
                    if self.class(side.0[&other].0) == self.class(value) {
                        self.join(merge, Value::Merge(i, other));
                    }
                }
            }
        }
        let mut state = start.clone();
        for (variable, (value, dead)) in &mut state.0 {
            if assigned.contains(variable) {
                (*value, *dead) = (Value::Merge(i, *variable), false);
            }
            *dead |= sides.iter().flatten().any(|side| side.0[variable].1);
        }
        state
    }

    fn statement(&mut self, i: u32, state: &mut State) {
        let children = self.children[i as usize].clone();
        match self.kind(i) {
            kind::BLOCK => self.block(i, state),
            kind::FUNCTION => {}
            kind::IF | kind::IF_ELSE => {
                self.expression(children[0], state);
                let assigned: BTreeSet<u32> =
                    children[1..].iter().flat_map(|&child| self.assigned(child, state)).collect();
                let mut sides = Vec::new();
                for &child in &children[1..] {
                    let mut side = state.clone();
                    self.statement(child, &mut side);
                    sides.push((!self.leaves(child)).then_some(side));
                }
                if children.len() == 2 {
                    sides.push(Some(state.clone()));
                }
                *state = self.merged(i, &assigned, state, &sides);
            }
            kind::WHILE | kind::FOR => {
                let is_for = self.kind(i) == kind::FOR;
                if is_for {
                    let count = self.children[children[0] as usize][0];
                    self.expression(count, state);
                }
                let assigned = self.assigned(if is_for { children[1] } else { i }, state);
                let start = state.clone();
                let mut back = None;
                loop {
                    let mut head = self.merged(i, &assigned, &start, &[Some(start.clone()), back.clone()]);
                    if !is_for {
                        self.expression(children[0], &mut head);
                    }
                    let mut body = head.clone();
                    self.statement(children[1], &mut body);
                    let next = (!self.leaves(children[1])).then(|| {
                        State(body.0.into_iter().filter(|(variable, _)| start.0.contains_key(variable)).collect())
                    });
                    *state = head;
                    if next == back {
                        break;
                    }
                    back = next;
                }
            }
            kind::UPDATE => {
                self.whole.push((i, self.log.len(), self.log.len()));
                let name = self.target(children[0]);
                let target = self.tree.data[name as usize];
                let consumed = self.read(name, state);
                for &child in &children[1..children.len() - 1] {
                    self.value(child, state);
                }
                let row = self.value(children[children.len() - 1], state);
                self.whole.pop();
                self.consume(i, consumed, state);
                if row.is_some_and(|row| self.class(row) == self.class(consumed)) {
                    self.breaches.insert(("row", children[children.len() - 1]));
                }
                if !self.apart.contains(&target) {
                    state.0.insert(target, (Value::Node(i), false));
                }
            }
            kind::ASSIGN_FIELD => {
                self.whole.push((i, self.log.len(), self.log.len()));
                let value = self.value(children[0], state);
                let name = self.target(children[1]);
                if self.shares(name) {
                    let before = self.read(name, state);
                    let target = self.tree.data[name as usize];
                    let is_apart = self.apart.contains(&target);
                    self.all(vec![Some(Value::Node(if is_apart { target } else { i })), Some(before), value]);
                    if !is_apart {
                        state.0.insert(target, (Value::Node(i), false));
                    }
                }
                self.whole.pop();
            }
            kind::RETURN if !children.is_empty() => {
                let value = self.expression_in(i, children[0], state);
                let is_unique = self.tree.data[self.function as usize + 1] == 1;
                if is_unique && value.is_some_and(|value| self.plain(value).is_some() || self.is_apart(value)) {
                    self.breaches.insert(("result", children[0]));
                }
            }
            _ => {
                for &child in &children {
                    self.expression_in(i, child, state);
                }
            }
        }
    }

    /// Walks an expression that is whole.
    fn expression(&mut self, i: u32, state: &mut State) -> Option<Value> {
        self.expression_in(i, i, state)
    }

    fn expression_in(&mut self, root: u32, i: u32, state: &mut State) -> Option<Value> {
        self.whole.push((root, self.log.len(), self.log.len()));
        let value = self.value(i, state);
        self.whole.pop();
        value
    }

    fn read(&mut self, i: u32, state: &State) -> Value {
        let variable = self.tree.data[i as usize];
        if self.apart.contains(&variable) {
            return Value::Node(variable);
        }
        let Some(&(value, dead)) = state.0.get(&variable) else { return Value::Node(variable) };
        self.log.push((i, value));
        if dead {
            self.breaches.insert(("used", i));
        }
        value
    }

    /// Returns a plain parameter of the class of a value.
    fn plain(&self, value: Value) -> Option<u32> {
        let class = self.class(value);
        let is_plain = |&i: &u32| {
            let is_parameter = self.kind(i) == kind::PARAM && self.tree.data[i as usize] == 0 && self.shares(i);
            let is_lambda = self.parent[i as usize].is_some_and(|above| self.kind(above) == kind::LAMBDA);
            is_parameter && !is_lambda && self.class(Value::Node(i)) == class
        };
        (0..self.tree.len() as u32).find(is_plain)
    }

    fn is_apart(&self, value: Value) -> bool {
        let is_own = |&variable: &u32| self.class(Value::Node(variable)) == self.class(value);
        self.apart.iter().copied().filter(|&variable| self.shares(variable)).any(|variable| is_own(&variable))
    }

    /// Consumes a value: `i` is an update, or an argument.
    fn consume(&mut self, i: u32, value: Value, state: &mut State) {
        let class = self.class(value);
        let is_update = self.kind(i) == kind::UPDATE;
        let is_own = is_update && self.apart.contains(&self.tree.data[self.target(i + 1) as usize]);
        if self.plain(value).is_some() {
            self.breaches.insert(("parameter", i));
        } else if self.is_apart(value) && !is_own {
            self.breaches.insert(("shared", i));
        } else if self.lambda {
            self.breaches.insert(("lambda", i));
        }
        // The other uses in the same expressions, of values from before them.
        let mut found = Vec::new();
        if !is_update {
            for &(root, start, hole) in &self.whole {
                for &(read, value) in &self.log[start..hole] {
                    let made = match value {
                        Value::Node(node) | Value::Merge(node, _) => node,
                    };
                    if self.class(value) == class && !(root..self.end[root as usize]).contains(&made) {
                        found.push(("used", read));
                    }
                }
            }
        }
        self.breaches.extend(found);
        let variables: Vec<u32> = state.0.keys().copied().collect();
        for variable in variables {
            let (value, dead) = state.0[&variable];
            if self.class(value) == class && !self.apart.contains(&variable) {
                state.0.insert(variable, (value, true));
            } else {
                state.0.insert(variable, (value, dead));
            }
        }
    }

    /// Joins some values. Returns one of them.
    fn all(&mut self, values: Vec<Option<Value>>) -> Option<Value> {
        let values: Vec<Value> = values.into_iter().flatten().collect();
        for pair in values.windows(2) {
            self.join(pair[0], pair[1]);
        }
        values.first().copied()
    }

    /// Walks a value. Returns the value that it may share memory with.
    fn value(&mut self, i: u32, state: &mut State) -> Option<Value> {
        let children = self.children[i as usize].clone();
        let found = match self.kind(i) {
            kind::NAME if self.shares(i) => Some(self.read(i, state)),
            kind::DECLARE => {
                let value = children.first().and_then(|&child| self.value(child, state));
                if !self.shares(i) {
                    return None;
                }
                if let Some(value) = value {
                    self.join(Value::Node(i), value);
                }
                state.0.insert(i, (Value::Node(i), false));
                Some(Value::Node(i))
            }
            kind::ASSIGN => {
                let value = self.value(children[0], state);
                let variable = self.tree.data[i as usize];
                if !self.shares(i) {
                    return None;
                }
                let target = Value::Node(if self.apart.contains(&variable) { variable } else { i });
                let node = self.all(vec![Some(target), value]);
                if !self.apart.contains(&variable) {
                    state.0.insert(variable, (Value::Node(i), false));
                }
                node
            }
            kind::CHOOSE => {
                let hole = self.log.len();
                self.value(children[0], state);
                let log = self.whole.len() - 1;
                let before = std::mem::replace(&mut self.whole[log].2, hole);
                let assigned: BTreeSet<u32> =
                    children[1..].iter().flat_map(|&child| self.assigned(child, state)).collect();
                let (mut sides, mut values) = (Vec::new(), Vec::new());
                for &child in &children[1..] {
                    let mut side = state.clone();
                    let inner = self.children[child as usize][0];
                    values.push(self.expression(inner, &mut side));
                    sides.push(Some(side));
                }
                self.whole[log].2 = before;
                *state = self.merged(i, &assigned, state, &sides);
                self.all(values)
            }
            kind::CALL => self.call(i, &children, state),
            kind::LAMBDA => {
                let around = std::mem::replace(&mut self.lambda, true);
                let mut values = Vec::new();
                let mut inner = state.clone();
                for &child in &children {
                    if self.kind(child) == kind::PARAM {
                        inner.0.insert(child, (Value::Node(child), false));
                    } else {
                        values.push(self.expression(child, &mut inner));
                    }
                }
                self.lambda = around;
                self.all(values)
            }
            _ => {
                let mut values = Vec::new();
                for &child in &children {
                    let value = self.value(child, state);
                    values.push(value);
                }
                match self.kind(i) {
                    kind::ASCRIBE | kind::REPLICATE | kind::FILTER | kind::REDUCE | kind::FOLD_RIGHT | kind::STRUCT => {
                        self.all(values)
                    }
                    kind::TEST | kind::FIELD => values[0],
                    kind::MAP if self.shares(children[0]) => self.all(values),
                    kind::INDEX | kind::SLICE if self.shares(i) => values[0],
                    _ => None,
                }
            }
        };
        if self.shares(i) { found } else { None }
    }

    fn call(&mut self, i: u32, children: &[u32], state: &mut State) -> Option<Value> {
        let function = self.tree.data[i as usize];
        let head = self.tree.functions[function as usize].node;
        let is_new = matches!(function, runtime::COPY | runtime::IOTA)
            || head.is_some_and(|head| self.tree.data[head as usize + 1] == 1);
        let mut kept = Vec::new();
        for (k, &child) in children.iter().enumerate() {
            let hole = self.log.len();
            let log = self.whole.len() - 1;
            let value = self.value(self.children[child as usize][0], state);
            let parameter = head.map(|head| head as usize + 2 + k);
            if parameter.is_some_and(|parameter| self.tree.data[parameter] == 1) {
                if let Some(value) = value {
                    let before = std::mem::replace(&mut self.whole[log].2, hole);
                    self.consume(child, value, state);
                    self.whole[log].2 = before;
                }
            } else if !is_new && (function != runtime::CONCAT || k == 0) {
                kept.push(value);
            }
        }
        self.all(kept)
    }
}
