//! Fusion as sequential rewriting of a tree: who is fused is decided one by one, and the new tree is written by one recursion.

use std::collections::{HashMap, HashSet};

use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::runtime;

/// How many rounds there are for results that are read more than once, and how many calls a pure function may be deep.
const ROUNDS: usize = 3;
const CALLS: usize = 8;

/// Returns the nodes after the pass.
pub fn fused(nodes: &HostNodes) -> HostNodes {
    let forest = Forest::of(nodes);
    let targets = forest.targets();
    let found = HostNodes { depth: Vec::new(), kind: Vec::new(), ty: Vec::new(), data: Vec::new() };
    let mut out = Writer { forest: &forest, targets, index: HashMap::new(), found, from: Vec::new() };
    for i in (0..forest.len()).filter(|&i| forest.parent[i].is_none()) {
        out.node(i, 0);
    }
    out.finish()
}

/// A write: of one variable or of any, at a time.
struct Write {
    variable: Option<usize>,
    time: usize,
}

/// A tree and its relations.
struct Forest<'a> {
    nodes: &'a HostNodes,
    parent: Vec<Option<usize>>,
    end: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// The function of each id.
    functions: HashMap<u32, usize>,
    /// The INPUTs that can be left out, with their producers.
    edges: Vec<(usize, usize)>,
    writes: Vec<Write>,
}

fn is_number(ty: Type) -> bool {
    ty == Type::Int || ty == Type::Float
}

fn is_of_elements(id: u32) -> bool {
    (runtime::FLOOR..=runtime::COS).contains(&id) || (runtime::ADD_INTS..=runtime::SUB_SHORTS).contains(&id)
}

impl<'a> Forest<'a> {
    fn of(nodes: &'a HostNodes) -> Forest<'a> {
        let n = nodes.depth.len();
        let (mut parent, mut end, mut children) = (vec![None; n], vec![n; n], vec![Vec::new(); n]);
        let mut path: Vec<usize> = Vec::new();
        for (i, &depth) in nodes.depth.iter().enumerate() {
            while path.len() > depth as usize {
                end[path.pop().expect("a node")] = i;
            }
            if let Some(&above) = path.last() {
                parent[i] = Some(above);
                children[above].push(i);
            }
            path.push(i);
        }
        let is_function = |&i: &usize| nodes.kind[i].is_function();
        let functions = (0..n).filter(is_function).map(|i| (nodes.data[i], i)).collect();
        let mut forest = Forest { nodes, parent, end, children, functions, edges: Vec::new(), writes: Vec::new() };
        forest.writes = (0..n).filter_map(|i| forest.write(i)).collect();
        forest.edges = forest.possible();
        forest
    }

    fn len(&self) -> usize {
        self.nodes.kind.len()
    }

    fn kind(&self, i: usize) -> Kind {
        self.nodes.kind[i]
    }

    fn data(&self, i: usize) -> usize {
        self.nodes.data[i] as usize
    }

    fn is(&self, i: Option<usize>, kind: Kind) -> bool {
        i.is_some_and(|i| self.kind(i) == kind)
    }

    /// The nodes around a node, from the inside.
    fn around(&self, i: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent[i], |&i| self.parent[i])
    }

    /// Returns the innermost node that is not executed as often as its parent.
    fn region(&self, i: usize) -> Option<usize> {
        let is_region = |&i: &usize| {
            let is_of_loop = self.parent[i].is_some_and(|parent| self.kind(parent).is_loop());
            is_of_loop || self.kind(i) == Kind::Lambda || self.kind(i).is_function()
        };
        std::iter::once(i).chain(self.around(i)).find(is_region)
    }

    /// The only child of a node, or the child of that if it is an ASCRIBE.
    fn value(&self, i: usize) -> Option<usize> {
        let &child = self.children[i].first()?;
        if self.kind(child) == Kind::Ascribe { self.children[child].first().copied() } else { Some(child) }
    }

    fn lambda(&self, m: usize) -> usize {
        *self.children[m].last().expect("a LAMBDA")
    }

    fn yields(&self, m: usize) -> usize {
        *self.children[self.lambda(m)].last().expect("a yield")
    }

    fn input_of_read(&self, read: usize) -> usize {
        let target = self.data(read);
        if self.kind(target) == Kind::View { self.data(target) } else { target }
    }

    /// The MULTILOOP that a variable is declared to be.
    fn declared(&self, d: usize) -> Option<usize> {
        let is_statement = self.kind(d) == Kind::Declare
            && self.is(self.parent[d], Kind::Expression)
            && self.is(self.around(d).nth(1), Kind::Block);
        let m = self.value(d).filter(|&m| is_statement && self.kind(m) == Kind::Multiloop)?;
        (self.nodes.ty[m] == self.nodes.ty[d]).then_some(m)
    }

    /// The MULTILOOP whose result an INPUT has.
    fn producer(&self, input: usize) -> Option<usize> {
        let value = self.value(input)?;
        match self.kind(value) {
            Kind::Multiloop => Some(value),
            Kind::Name => self.declared(self.data(value)),
            _ => None,
        }
    }

    /// Returns whether a function only computes, and ends after at most `calls` nested calls.
    fn is_pure(&self, id: u32, calls: usize) -> bool {
        let Some(&f) = self.functions.get(&id) else { return false };
        calls > 0
            && self.parent[f].is_none()
            && self.kind(f) == Kind::Function
            && (f..self.end[f]).all(|i| {
                let ty = self.nodes.ty[i];
                let is_plain = match self.kind(i) {
                    Kind::Function => i == f,
                    Kind::Call => is_of_elements(self.nodes.data[i]) || self.is_pure(self.nodes.data[i], calls - 1),
                    Kind::Header | Kind::Param | Kind::Block | Kind::Empty | Kind::Expression | Kind::Return => true,
                    Kind::If | Kind::IfElse | Kind::Declare | Kind::Assign | Kind::Arg => true,
                    Kind::Choose | Kind::Test | Kind::Then | Kind::Otherwise => true,
                    kind => kind.is_pure() && kind != Kind::Address,
                };
                is_plain && (is_number(ty) || ty == Type::Void)
            })
    }

    fn has_unique(&self, id: u32) -> bool {
        match self.functions.get(&id) {
            Some(&f) => self.children[f].iter().any(|&p| self.kind(p) == Kind::Param && self.data(p) == 1),
            None => id >= runtime::COUNT,
        }
    }

    /// Returns the write of a node.
    fn write(&self, i: usize) -> Option<Write> {
        let kind = self.kind(i);
        let (target, time) = match kind {
            Kind::Call => {
                let called = self.functions.get(&self.nodes.data[i])?;
                return self.parent[*called].map(|_| Write { variable: None, time: i });
            }
            Kind::Assign => (i, self.end[i]),
            Kind::AssignField => (self.end[i] - 1, self.end[i]),
            Kind::Update | Kind::UpdateSlice => {
                let names = (i + 1..).find(|&at| self.kind(at) != Kind::Field);
                (names.expect("a target"), self.end[i])
            }
            Kind::Name if !is_number(self.nodes.ty[i]) => {
                let ends = |&at: &usize| self.kind(at).is_function() || self.kind(at) == Kind::Multiloop;
                let mut calls = self.around(i).take_while(|at| !ends(at)).filter(|&at| self.kind(at) == Kind::Call);
                calls.any(|call| self.has_unique(self.nodes.data[call])).then_some((i, i))?
            }
            _ => return None,
        };
        Some(Write { variable: Some(self.data(target)), time })
    }

    /// Returns the time of the first write, after `m` begins, to a variable that it reads. A move must not pass it.
    fn until(&self, m: usize) -> usize {
        let mut until = usize::MAX;
        let mut i = m;
        while i < self.end[m] {
            if self.kind(i) == Kind::Input && is_number(self.nodes.ty[i]) {
                i = self.end[i];
                continue;
            }
            if self.kind(i) == Kind::Name {
                let is_of = |write: &&Write| write.variable.is_none_or(|v| v == self.data(i)) && write.time > i;
                until = self.writes.iter().filter(is_of).map(|write| write.time).fold(until, usize::min);
            }
            i += 1;
        }
        until
    }

    /// Returns whether a MULTILOOP collects numbers by a body that can move.
    fn can_move(&self, m: usize) -> bool {
        let (lambda, yields) = (self.lambda(m), self.yields(m));
        let ty = self.nodes.ty[m];
        let extent = self.nodes.ty[self.data(lambda)];
        let stays = |i: usize| match self.kind(i) {
            Kind::Element | Kind::Declare => !is_number(self.nodes.ty[i]),
            Kind::Call => !is_of_elements(self.nodes.data[i]) && !self.is_pure(self.nodes.data[i], CALLS),
            Kind::Choose | Kind::Test | Kind::Then | Kind::Otherwise | Kind::Arg | Kind::Lambda => false,
            Kind::Read | Kind::Size | Kind::YieldCollect | Kind::Sequence | Kind::Expression => false,
            kind => !kind.is_pure(),
        };
        self.kind(yields) == Kind::YieldCollect
            && self.children[yields].len() == 1
            && is_number(self.nodes.ty[yields])
            && ty.is_array()
            && extent.is_array()
            && extent.rank() == ty.rank()
            && !(lambda..self.end[lambda]).any(stays)
    }

    /// Returns the MULTILOOP whose body can replace an INPUT, with respect to the two MULTILOOPs only.
    fn fits(&self, input: usize) -> Option<usize> {
        let m = self.producer(input)?;
        let consumer = self.parent[input]?;
        let flags = self.nodes.data[consumer];
        let rank = if flags & 1 != 0 { self.nodes.ty[consumer].rank() } else { 1 };
        let lambda = self.lambda(consumer);
        let is_read = (lambda..self.end[lambda]).any(|i| self.kind(i) == Kind::Read && self.input_of_read(i) == input);
        let fits = is_read
            && flags & 2 == 0
            && self.nodes.ty[m].rank() == rank
            && self.region(m) == self.region(consumer)
            && self.can_move(m);
        fits.then_some(m)
    }

    /// The INPUTs that can be left out, if their producers can go where they are read.
    fn possible(&self) -> Vec<(usize, usize)> {
        let inputs: Vec<(usize, usize)> = (0..self.len())
            .filter(|&i| self.kind(i) == Kind::Input)
            .filter_map(|i| self.fits(i).map(|m| (i, m)))
            .collect();
        let names: HashSet<usize> = inputs.iter().filter_map(|&(input, _)| self.value(input)).collect();
        let uses = (0..self.len()).filter(|&i| self.kind(i).is_variable() && !names.contains(&i));
        let used: HashSet<usize> = uses.map(|i| self.data(i)).collect();
        let is_free = |&(input, _): &(usize, usize)| {
            let value = self.value(input).expect("a value");
            self.kind(value) == Kind::Multiloop || !used.contains(&self.data(value))
        };
        inputs.into_iter().filter(is_free).collect()
    }

    fn root(targets: &HashMap<usize, usize>, m: usize) -> usize {
        targets.get(&m).map_or(m, |&target| Self::root(targets, target))
    }

    /// The consumers of a producer.
    fn consumers(&self, m: usize) -> Vec<usize> {
        let of = self.edges.iter().filter(|edge| edge.1 == m);
        of.map(|edge| self.parent[edge.0].expect("a MULTILOOP")).collect()
    }

    /// The MULTILOOP that each fused producer becomes a part of.
    fn targets(&self) -> HashMap<usize, usize> {
        let producers: HashSet<usize> = self.edges.iter().map(|edge| edge.1).collect();
        let consumers: HashMap<usize, Vec<usize>> = producers.iter().map(|&m| (m, self.consumers(m))).collect();
        let until: HashMap<usize, usize> = producers.iter().map(|&m| (m, self.until(m))).collect();
        let only = |m: &usize| (consumers[m].len() == 1).then(|| (*m, consumers[m][0]));
        let all: HashMap<usize, usize> = producers.iter().filter_map(only).collect();
        let in_time = |m: &usize, root: usize| until[m] >= self.end[root];
        let mut targets = all.clone();
        targets.retain(|m, _| in_time(m, Self::root(&all, *m)));
        for _ in 0..ROUNDS {
            let host = |m: usize| Self::root(&targets, consumers[&m][0]);
            let can_go = |m: usize| {
                let root = host(m);
                let has_key = self.kind(self.yields(root)) == Kind::YieldBucket;
                let parts = producers.iter().filter(|&&part| Self::root(&targets, part) == m);
                !targets.contains_key(&m)
                    && consumers[&m].iter().all(|&consumer| Self::root(&targets, consumer) == root)
                    && (consumers[&m].len() == 1 || !self.nodes.ty[m].is_narrow())
                    && parts.into_iter().all(|p| in_time(p, root) && !(has_key && consumers[p].len() > 1))
            };
            let goes: HashSet<usize> = producers.iter().copied().filter(|&m| can_go(m)).collect();
            let target = |&m: &usize| if consumers[&m].len() == 1 { consumers[&m][0] } else { host(m) };
            let settled = goes.iter().filter(|&&m| !goes.contains(&host(m)));
            let new: Vec<(usize, usize)> = settled.map(|m| (*m, target(m))).collect();
            targets.extend(new);
        }
        targets
    }
}

/// Writes the new tree.
struct Writer<'a> {
    forest: &'a Forest<'a>,
    targets: HashMap<usize, usize>,
    /// The new node of an old one.
    index: HashMap<usize, usize>,
    found: HostNodes,
    /// The old node of each new one.
    from: Vec<usize>,
}

impl Writer<'_> {
    /// The fused producer of an INPUT.
    fn producer(&self, input: usize) -> Option<usize> {
        self.forest.producer(input).filter(|m| self.targets.contains_key(m))
    }

    fn is_shared(&self, m: usize) -> bool {
        self.forest.consumers(m).len() > 1
    }

    fn put(&mut self, i: usize, depth: u32, kind: Kind) {
        self.index.insert(i, self.found.kind.len());
        self.from.push(i);
        self.found.depth.push(depth);
        self.found.kind.push(kind);
        self.found.ty.push(self.forest.nodes.ty[i]);
        self.found.data.push(if kind == self.forest.kind(i) { self.forest.nodes.data[i] } else { 0 });
    }

    fn below(&mut self, i: usize, depth: u32) {
        for k in 0..self.forest.children[i].len() {
            self.node(self.forest.children[i][k], depth);
        }
    }

    /// The parts of a fused MULTILOOP besides its body.
    fn operands(&mut self, m: usize, depth: u32) {
        let forest = self.forest;
        for &part in forest.children[m].iter().filter(|&&part| part != forest.lambda(m)) {
            self.node(part, depth);
        }
    }

    /// The body of a fused MULTILOOP, as the value that replaces a READ.
    fn value(&mut self, m: usize, depth: u32) {
        let forest = self.forest;
        let (lambda, yields) = (forest.lambda(m), forest.yields(m));
        let has_elements = forest.children[lambda].len() > 1;
        self.put(lambda, depth, if has_elements { Kind::Sequence } else { Kind::Ascribe });
        for &child in forest.children[lambda].iter().filter(|&&child| child != yields) {
            self.node(child, depth + 1);
        }
        let narrowed = match forest.nodes.ty[m].element() {
            Type::Byte => Kind::NarrowByte,
            Type::Short => Kind::NarrowShort,
            _ => Kind::Ascribe,
        };
        self.put(yields, depth + 1, narrowed);
        self.below(yields, depth + 2);
    }

    /// The bodies that a MULTILOOP reads more than once, as its elements.
    fn elements(&mut self, root: usize, depth: u32) {
        let forest = self.forest;
        let mut shared: Vec<usize> = Vec::new();
        for &(_, m) in &forest.edges {
            let is_here = self.targets.contains_key(&m) && Forest::root(&self.targets, m) == root;
            if is_here && self.is_shared(m) && !shared.contains(&m) {
                shared.push(m);
            }
        }
        for m in shared {
            let yields = forest.yields(m);
            for &child in forest.children[forest.lambda(m)].iter().filter(|&&child| child != yields) {
                self.node(child, depth);
            }
            self.put(yields, depth, Kind::Element);
            self.below(yields, depth + 1);
        }
    }

    fn node(&mut self, i: usize, depth: u32) {
        let forest = self.forest;
        match forest.kind(i) {
            Kind::Expression => {
                let declared = forest.children[i].first().and_then(|&d| forest.declared(d));
                if let Some(m) = declared.filter(|m| self.targets.contains_key(m)) {
                    return self.operands(m, depth);
                }
            }
            Kind::Input => {
                if let Some(m) = self.producer(i) {
                    let is_own = forest.value(i) == Some(m);
                    if is_own {
                        self.operands(m, depth);
                    }
                    return;
                }
            }
            Kind::View if self.producer(forest.data(i)).is_some() => return,
            Kind::Read => {
                if let Some(m) = self.producer(forest.input_of_read(i)) {
                    return if self.is_shared(m) { self.put(i, depth, Kind::Name) } else { self.value(m, depth) };
                }
            }
            _ => {}
        }
        self.put(i, depth, forest.kind(i));
        if forest.kind(i) == Kind::Lambda {
            self.elements(forest.parent[i].expect("an operation"), depth + 1);
        }
        self.below(i, depth + 1);
    }

    /// The INPUT that has the extents of one that is left out.
    fn extent(&self, input: usize) -> usize {
        self.producer(input).map_or(input, |m| self.extent(self.forest.data(self.forest.lambda(m))))
    }

    fn finish(mut self) -> HostNodes {
        let forest = self.forest;
        for (new, &old) in self.from.iter().enumerate() {
            let kind = self.found.kind[new];
            let old_kind = forest.kind(old);
            if kind == Kind::Name && old_kind == Kind::Read {
                let m = self.producer(forest.input_of_read(old)).expect("a producer");
                self.found.data[new] = self.index[&forest.yields(m)] as u32;
            } else if kind == old_kind && (kind.is_variable() || matches!(kind, Kind::View | Kind::Read | Kind::Lambda))
            {
                let mut target = forest.data(old);
                if forest.kind(target) == Kind::Input && self.producer(target).is_some() {
                    target = self.extent(target);
                    if kind == Kind::Name {
                        self.found.ty[new] = forest.nodes.ty[target];
                    }
                }
                self.found.data[new] = self.index[&target] as u32;
            }
        }
        self.found
    }
}
