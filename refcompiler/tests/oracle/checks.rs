//! Checks of indices that counted loops and earlier checks imply, node by node.

use std::collections::HashMap;

use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::runtime;

use super::nodes::relations;

/// A variable, or an extent of its array from 1 on.
type Term = (usize, u32);

struct Checks<'a> {
    nodes: &'a HostNodes,
    end: Vec<usize>,
    parent: Vec<Option<usize>>,
}

/// The known part of a number.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    Literal(i64),
    /// A class, and the summand.
    Sum(usize, i64),
}

/// Returns the nodes without checks that loops imply.
pub fn without_checks(nodes: &HostNodes) -> HostNodes {
    let n = nodes.kind.len();
    let (parent, end) = relations(nodes);
    let checks = Checks { nodes, end, parent };
    let (classes, literals) = checks.classes();
    let repeated = checks.repeated(&classes, &literals);
    let holds: Vec<bool> = (0..n).map(|i| repeated[i] || checks.holds(i, &classes, &literals)).collect();
    let (mut out, mut at) = (HostNodes::default(), vec![0; n]);
    for i in 0..n {
        let (mut gone, mut removed, mut below) = (holds[i], 0, i);
        while let Some(above) = checks.parent[below] {
            if holds[above] {
                removed += 1;
                gone |= below != above + 1;
            }
            below = above;
        }
        at[i] = out.kind.len() as u32;
        if !gone {
            out.depth.push(nodes.depth[i] - removed);
            out.kind.push(nodes.kind[i]);
            out.ty.push(nodes.ty[i]);
            out.data.push(nodes.data[i]);
        }
    }
    for i in 0..out.kind.len() {
        if out.kind[i].is_variable() {
            out.data[i] = at[out.data[i] as usize];
        }
    }
    out
}

impl Checks<'_> {
    fn kind(&self, i: usize) -> Kind {
        self.nodes.kind[i]
    }

    fn data(&self, i: usize) -> u32 {
        self.nodes.data[i]
    }

    fn above(&self, i: usize) -> usize {
        self.parent[i].expect("a node around")
    }

    fn function(&self, i: usize) -> usize {
        let mut at = i;
        while !self.kind(at).is_function() {
            at = self.above(at);
        }
        at
    }

    fn is_call(&self, i: usize, names: &[u32]) -> bool {
        self.kind(i) == Kind::Call && names.contains(&self.data(i))
    }

    fn is_stable(&self, variable: usize) -> bool {
        let takes = [runtime::TAKE, runtime::NARROW_TAKE];
        let is_declared = match self.kind(variable) {
            Kind::Param | Kind::Count => true,
            Kind::Declare => {
                let mut at = variable;
                while !matches!(self.kind(at), Kind::Block | Kind::Then | Kind::Otherwise) {
                    at = self.above(at);
                }
                self.kind(at) == Kind::Block && self.end[variable] > variable + 1
            }
            _ => false,
        };
        let changes = |i: usize| match self.kind(i) {
            Kind::Assign => !self.is_call(i + 1, &takes),
            Kind::Address => {
                let call = self.above(self.above(i));
                let owner = if self.kind(call) == Kind::Call { self.above(call) } else { i };
                let takes = self.kind(owner) == Kind::Assign
                    && self.data(owner) as usize == variable
                    && self.is_call(call, &takes);
                owner != variable && !takes
            }
            _ => false,
        };
        let writes =
            |&i: &usize| matches!(self.kind(i), Kind::Assign | Kind::Address) && self.data(i) as usize == variable;
        is_declared && !(0..self.nodes.kind.len()).filter(writes).any(changes)
    }

    fn term(&self, i: usize) -> Option<Term> {
        let (variable, slot) = match self.kind(i) {
            Kind::Name => (self.data(i), 0),
            Kind::Extent => (self.data(i), 1),
            Kind::Load if (4..64).contains(&self.data(i)) && self.kind(i + 1) == Kind::Name => {
                (self.data(i + 1), self.data(i) / 4)
            }
            _ => return None,
        };
        let variable = variable as usize;
        let is_own = self.function(variable) == self.function(i);
        (is_own && self.is_stable(variable)).then_some((variable, slot))
    }

    /// The call that makes an array whose first extent is a checked number.
    fn made(&self, i: usize, check: usize) -> Option<usize> {
        if self.kind(check) != Kind::CheckSize || i != check + 1 {
            return None;
        }
        let argument = self.above(check);
        let call = self.parent[argument]?;
        let functions = [
            runtime::FILL,
            runtime::FILL_FLOAT,
            runtime::FILL_BYTES,
            runtime::FILL_SHORTS,
            runtime::COUNT_UP,
            runtime::FILL_ROWS,
            runtime::NARROW_FILL_ROWS,
        ];
        let first = self.kind(argument) == Kind::Arg && self.data(argument) == 0;
        (first && self.is_call(call, &functions)).then_some(call)
    }

    /// The nodes of an array literal, given the number of its elements and its store.
    fn literal(&self, i: usize, store: usize) -> Option<usize> {
        let sequence = self.above(store);
        let variable = sequence + 2;
        let names = |i: usize| self.kind(i) == Kind::Name && self.data(i) as usize == variable;
        let is_new = self.kind(sequence) == Kind::Sequence
            && self.kind(variable) == Kind::Declare
            && self.is_call(variable + 1, &[runtime::ALLOCATE]);
        (is_new && i == store + 2 && names(store + 1) && names(self.end[sequence] - 1)).then_some(sequence)
    }

    /// The number that the value of a node is, by where the node is: a new variable, or an extent of its array.
    fn defined(&self, i: usize) -> Option<Term> {
        let above = self.parent[i]?;
        if self.kind(above) == Kind::Declare {
            return self.is_stable(above).then_some((above, 0));
        }
        let mut call = if self.kind(above) == Kind::Store && self.data(above) == 4 {
            self.literal(i, above)?
        } else {
            self.made(i, above)?
        };
        let rows = [runtime::FILL_ROWS, runtime::NARROW_FILL_ROWS];
        let mut slot = 1;
        loop {
            let above = self.parent[call]?;
            if self.kind(above) == Kind::Declare {
                return (self.is_stable(above) && slot <= 15).then_some((above, slot));
            }
            if self.kind(above) == Kind::Ascribe {
                call = above;
                continue;
            }
            let next = self.parent[above]?;
            let argument = self.data(above);
            if self.is_call(next, &rows) && argument == 2 {
                slot += 1;
            } else {
                let owns = self.is_call(next, &[runtime::OWN, runtime::NARROW_OWN]) && argument == 1;
                let copies = self.is_call(next, &[runtime::COPY_ARRAY, runtime::NARROW_COPY]) && argument == 0;
                if !owns && !copies {
                    return None;
                }
            }
            call = next;
        }
    }

    /// Returns whether a check is before everything that may rely on it.
    fn is_early(&self, i: usize) -> bool {
        if self.kind(i) != Kind::CheckEqual {
            return false;
        }
        let statement = self.above(i);
        let function = self.function(i);
        self.kind(statement) == Kind::Expression
            && self.above(self.above(statement)) == function
            && !(function..i).any(|j| {
                self.kind(j) == Kind::CheckIndex || self.kind(j) == Kind::Call && self.data(j) >= runtime::COUNT
            })
    }

    fn classes(&self) -> (HashMap<Term, usize>, HashMap<usize, i64>) {
        let n = self.nodes.kind.len();
        let mut classes: HashMap<Term, usize> = HashMap::new();
        let mut members: Vec<Vec<Term>> = Vec::new();
        let mut known = Vec::new();
        for i in 0..n {
            let pair = if self.is_early(i) {
                self.term(i + 1).zip(self.term(self.end[i + 1]))
            } else {
                if self.kind(i) == Kind::Literal {
                    known.extend(self.defined(i).map(|term| (term, i64::from(self.data(i) as i32))));
                }
                self.defined(i).zip(self.term(i))
            };
            let Some((a, b)) = pair else { continue };
            for term in [a, b] {
                classes.entry(term).or_insert_with(|| {
                    members.push(vec![term]);
                    members.len() - 1
                });
            }
            let (from, to) = (classes[&a], classes[&b]);
            if from != to {
                for term in std::mem::take(&mut members[from]) {
                    classes.insert(term, to);
                    members[to].push(term);
                }
            }
        }
        let mut literals = HashMap::new();
        for (term, literal) in known {
            let next = members.len();
            let class = *classes.entry(term).or_insert(next);
            if class == next {
                members.push(vec![term]);
            }
            literals.entry(class).or_insert(literal);
        }
        (classes, literals)
    }

    /// The operand of a sum that is not a literal, and the literal.
    fn split(&self, i: usize) -> (usize, i64) {
        if !matches!(self.kind(i), Kind::Add | Kind::Sub) || self.nodes.ty[i] != Type::Int {
            return (i, 0);
        }
        let (left, right) = (i + 1, self.end[i + 1]);
        let literal = |i: usize| i64::from(self.data(i) as i32);
        match (self.kind(left), self.kind(right)) {
            (_, Kind::Literal) if self.kind(i) == Kind::Add => (left, literal(right)),
            (_, Kind::Literal) => (left, i64::from(0i32.wrapping_sub(self.data(right) as i32))),
            (Kind::Literal, _) if self.kind(i) == Kind::Add => (right, literal(left)),
            _ => (i, 0),
        }
    }

    fn number(&self, i: usize, classes: &HashMap<Term, usize>, literals: &HashMap<usize, i64>) -> Option<Number> {
        let (base, added) = self.split(i);
        let wrapped = |value: i64| Number::Literal(i64::from(value as i32));
        if self.kind(base) == Kind::Literal {
            return Some(wrapped(i64::from(self.data(base) as i32) + added));
        }
        let term = self.term(base)?;
        // A term that equals no other has a class of its own.
        let class = classes.get(&term).copied().unwrap_or(usize::MAX - term.0 * 16 - term.1 as usize);
        match literals.get(&class) {
            Some(&literal) => Some(wrapped(literal + added)),
            None => Some(Number::Sum(class, added)),
        }
    }

    /// A number that a bound is at most, and whether it may be less because a counter is subtracted from it.
    fn bound(
        &self,
        i: usize,
        classes: &HashMap<Term, usize>,
        literals: &HashMap<usize, i64>,
    ) -> Option<(Number, bool)> {
        let (base, added) = self.split(i);
        if self.kind(base) != Kind::Sub || self.nodes.ty[base] != Type::Int {
            return self.number(i, classes, literals).map(|number| (number, false));
        }
        let right = self.end[base + 1];
        let counter = self.data(right) as usize;
        let is_counter = self.kind(right) == Kind::Name && self.kind(counter) == Kind::Count;
        if !is_counter || self.function(counter) != self.function(i) {
            return None;
        }
        let most = 1 << 24;
        let total = match self.number(base + 1, classes, literals)? {
            Number::Literal(value) => Number::Literal(i64::from((value + added) as i32)),
            Number::Sum(class, value) => Number::Sum(class, i64::from((value + added) as i32)),
        };
        // The difference does not wrap.
        let is_small = match (self.number(counter + 1, classes, literals)?, total) {
            (Number::Literal(bound), Number::Literal(value)) => bound <= most && value >= -most,
            (Number::Literal(bound), Number::Sum(..)) => bound <= most,
            (Number::Sum(of, less), Number::Sum(class, _)) => of == class && (-most..=0).contains(&less),
            _ => false,
        };
        is_small.then_some((total, true))
    }

    /// Returns whether each node is a check with the same index and extent as an earlier one, after which nothing changes.
    fn repeated(&self, classes: &HashMap<Term, usize>, literals: &HashMap<usize, i64>) -> Vec<bool> {
        let n = self.nodes.kind.len();
        let mut earlier: HashMap<(usize, bool, i64), Vec<usize>> = HashMap::new();
        let mut repeated = vec![false; n];
        for p in (0..n).filter(|&i| self.kind(i) == Kind::CheckIndex) {
            let (index, _) = self.split(p + 1);
            let extent = match self.number(self.end[p + 1], classes, literals) {
                Some(Number::Literal(extent)) if extent >= 0 => (false, extent),
                Some(Number::Sum(class, 0)) => (true, class as i64),
                _ => continue,
            };
            let variable = self.data(index) as usize;
            if self.kind(index) != Kind::Name
                || self.function(variable) != self.function(p)
                || self.is_refused(variable)
            {
                continue;
            }
            let group = earlier.entry((variable, extent.0, extent.1)).or_default();
            repeated[p] = group.iter().rev().take(8).any(|&q| self.implies(q, p, variable));
            group.push(p);
        }
        repeated
    }

    fn is_refused(&self, variable: usize) -> bool {
        (0..self.nodes.kind.len()).any(|i| match self.kind(i) {
            Kind::Address => self.data(i) as usize == variable,
            Kind::Assign => self.data(i) as usize == variable && self.function(i) != self.function(variable),
            _ => false,
        })
    }

    fn implies(&self, q: usize, p: usize, variable: usize) -> bool {
        let around = |i: usize| std::iter::successors(Some(i), |&at| self.parent[at]);
        let is_loop = |i: usize| self.kind(i).is_loop() || self.kind(i).is_counted();
        let is_region = |&i: &usize| {
            let above = self.parent[i];
            let is_part = above.is_some_and(|above| {
                i != above + 1 && (is_loop(above) || matches!(self.kind(above), Kind::If | Kind::IfElse))
            });
            is_part || self.kind(i).is_function() || matches!(self.kind(i), Kind::Then | Kind::Otherwise | Kind::Block)
        };
        let region = around(q).find(is_region).expect("a function");
        let bodies = around(p).take_while(|&i| !self.kind(i).is_function()).filter(|&i| {
            let above = self.parent[i];
            above.is_some_and(|above| is_loop(above) && (self.kind(above) == Kind::While || i != above + 1))
        });
        let loops: Vec<usize> = bodies.map(|body| self.above(body)).filter(|&above| above > q).collect();
        let until = loops.last().map_or(p, |&outermost| self.end[outermost]);
        let is_written = (0..self.nodes.kind.len()).any(|i| {
            let writes = self.kind(i) == Kind::Assign && self.data(i) as usize == variable;
            writes && q < self.end[i] && self.end[i] <= until
        });
        self.split(q + 1).1 == self.split(p + 1).1 && p < self.end[region] && loops.len() <= 8 && !is_written
    }

    fn holds(&self, i: usize, classes: &HashMap<Term, usize>, literals: &HashMap<usize, i64>) -> bool {
        if self.kind(i) != Kind::CheckIndex {
            return false;
        }
        let (index, added) = self.split(i + 1);
        let counter = self.data(index) as usize;
        if self.kind(index) != Kind::Name
            || self.kind(counter) != Kind::Count
            || self.function(counter) != self.function(i)
            || !(0..=1 << 24).contains(&added)
        {
            return false;
        }
        let limit = self.end[i + 1];
        match (self.bound(counter + 1, classes, literals), self.number(limit, classes, literals)) {
            (Some((Number::Literal(bound), _)), Some(Number::Literal(limit))) => bound + added <= limit,
            (Some((Number::Sum(of, less), is_less)), Some(Number::Sum(class, 0))) => {
                let is_extent = self.kind(limit) != Kind::Name;
                let is_certain = less == 0 && !is_less || is_extent;
                of == class && (-(1 << 24)..=0).contains(&less) && added + less <= 0 && is_certain
            }
            _ => false,
        }
    }
}
