//! The invariants of a tree with MULTILOOPs: no other operation on whole arrays is left, each MULTILOOP has the parts that its yield needs,
//! with types that agree, and a variable is used where it is in scope.

use super::{Broken, broken};
use crate::ir::kinds::{ELEMENTWISE, Kind, Kinds, Type, WITH_LAMBDA};
use crate::ir::multiloops::ALL_ELEMENTS;
use crate::pipeline::columns::Columns;

/// Kinds that the pass `multiloops` replaces.
const REPLACED: Kinds = WITH_LAMBDA.union(Kinds::of(&[Kind::Where]));

/// The kinds that declare a variable.
const DECLARATIONS: Kinds =
    Kinds::of(&[Kind::Param, Kind::Declare, Kind::Count, Kind::Input, Kind::Element, Kind::Key]);

/// The tree, with its relations.
struct Forest {
    kind: Vec<Kind>,
    ty: Vec<Type>,
    data: Vec<u32>,
    parent: Vec<usize>,
    end: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl Forest {
    fn of(columns: &Columns, pass: &str) -> Forest {
        let depth = columns.get::<u32>(pass, "depth");
        let n = depth.len();
        let (mut parent, mut end, mut children) = (vec![usize::MAX; n], vec![n; n], vec![Vec::new(); n]);
        let mut path: Vec<usize> = Vec::new();
        for i in 0..n {
            while path.len() > depth[i] as usize {
                end[path.pop().unwrap_or_default()] = i;
            }
            if let Some(&above) = path.last() {
                parent[i] = above;
                children[above].push(i);
            }
            path.push(i);
        }
        let (kind, ty, data) = (columns.get(pass, "kind"), columns.get(pass, "ty"), columns.get(pass, "data"));
        Forest { kind, ty, data, parent, end, children }
    }

    /// The kind of the parent, `Empty` of a root.
    fn above(&self, i: usize) -> Kind {
        self.kind.get(self.parent[i]).copied().unwrap_or(Kind::Empty)
    }

    /// Returns whether node `i` is where the variable of node `d` is known. A DECLARE is checked by later passes.
    fn is_in_scope(&self, d: usize, i: usize) -> bool {
        let is_bound = !matches!(self.kind[d], Kind::Declare | Kind::Count);
        d < i && (!is_bound || self.parent[d] == usize::MAX || i < self.end[self.parent[d]])
    }

    /// The references of a node.
    fn names(&self, i: usize) -> Result<(), Broken> {
        let target = self.data[i] as usize;
        let known = |kinds: Kinds| self.kind.get(target).is_some_and(|&kind| kinds.contains(kind));
        let found = match self.kind[i] {
            kind if kind.is_variable() => known(DECLARATIONS) && self.is_in_scope(target, i),
            Kind::View => known(Kinds::of(&[Kind::Input])) && self.parent[target] == self.parent[i] && target < i,
            Kind::Read => known(Kinds::of(&[Kind::Input, Kind::View])) && self.is_in_scope(target, i),
            Kind::Lambda => known(Kinds::of(&[Kind::Input])) && self.is_in_scope(target, i),
            _ => true,
        };
        if found { Ok(()) } else { broken(i, format!("it names nothing in scope: {}", self.kind[i].name())) }
    }

    /// The type of a READ, if its input has numbers.
    fn read(&self, i: usize) -> Result<(), Broken> {
        let target = self.data[i] as usize;
        let is_view = self.kind[target] == Kind::View;
        let array = self.ty[if is_view { self.data[target] as usize } else { target }];
        if array.is_composite() || (array.rank() > 1 && !is_view) {
            return Ok(());
        }
        if !array.is_array() || self.ty[i] != array.element().of_value() {
            return broken(i, format!("it is a {} of a {}", self.ty[i].text(), array.text()));
        }
        Ok(())
    }

    /// A variable has the type of its value.
    fn variable(&self, i: usize) -> Result<(), Broken> {
        let [value] = self.children[i][..] else { return broken(i, "it has not one value") };
        if self.ty[value] != self.ty[i] {
            return broken(i, format!("it is a {} with a {}", self.ty[i].text(), self.ty[value].text()));
        }
        Ok(())
    }

    /// The parts of a MULTILOOP.
    fn multiloop(&self, m: usize) -> Result<(), Broken> {
        let Some((&lambda, inputs)) = self.children[m].split_last() else { return broken(m, "it has no parts") };
        let is_before = |&i: &usize| matches!(self.kind[i], Kind::Input | Kind::View | Kind::Expression);
        if self.kind[lambda] != Kind::Lambda || !inputs.iter().all(is_before) {
            return broken(m, "its parts are not inputs, checks and views, and then a LAMBDA");
        }
        let Some((&yields, mapped)) = self.children[lambda].split_last() else {
            return broken(lambda, "it has no yield");
        };
        let of_body = |&i: &usize| matches!(self.kind[i], Kind::Element | Kind::Key | Kind::Param);
        if !self.kind[yields].is_yield() || !mapped.iter().all(of_body) {
            return broken(lambda, "its parts are not elements, and then a yield");
        }
        self.yields(m, yields, inputs, mapped)
    }

    /// The guard, the value and the operator of a yield.
    fn yields(&self, m: usize, y: usize, inputs: &[usize], mapped: &[usize]) -> Result<(), Broken> {
        let (value, guard) = match self.children[y][..] {
            [value] => (value, None),
            [guard, value] if self.kind[y] == Kind::YieldCollect => (value, Some(guard)),
            _ => return broken(y, "it has not one value"),
        };
        if guard.is_some_and(|guard| self.ty[guard] != Type::Int) {
            return broken(y, "its guard is no int");
        }
        if self.ty[value] != self.ty[y] {
            return broken(y, format!("it is a {} with a {}", self.ty[y].text(), self.ty[value].text()));
        }
        let first = inputs.iter().find(|&&i| self.kind[i] == Kind::Input).copied();
        let so_far: Vec<usize> = mapped.iter().copied().filter(|&i| self.kind[i] == Kind::Param).collect();
        let has_key = mapped.first().is_some_and(|&i| self.kind[i] == Kind::Key);
        let is_reduction = self.kind[y] != Kind::YieldCollect;
        if so_far.len() != is_reduction as usize || has_key != (self.kind[y] == Kind::YieldBucket) {
            return broken(y, "its operator has other parameters");
        }
        if so_far.iter().any(|&p| Some(self.ty[p]) != first.map(|i| self.ty[i])) {
            return broken(y, "its first value has another type than its operator");
        }
        if self.kind[y] == Kind::YieldReduce && self.ty[m] != self.ty[y] {
            return broken(y, "its value has another type than the result");
        }
        let is_number = self.data[m] & ALL_ELEMENTS == 0 || self.ty[m].element().of_value() == self.ty[y];
        if is_number { Ok(()) } else { broken(y, "its value is no element of the result") }
    }
}

/// Checks the table that a pass has left.
pub fn multiloops(columns: &Columns, pass: &str) -> Result<(), Broken> {
    let forest = Forest::of(columns, pass);
    for (i, &kind) in forest.kind.iter().enumerate() {
        if REPLACED.contains(kind) || (ELEMENTWISE.contains(kind) && forest.ty[i].is_array()) {
            return broken(i, format!("it is no MULTILOOP: {} of type {}", kind.name(), forest.ty[i].text()));
        }
        // A body that was fused is a SEQUENCE.
        let is_fused = kind == Kind::Element && forest.above(i) == Kind::Sequence;
        let is_in_body = (matches!(kind, Kind::Element | Kind::Key) || kind.is_yield()) && !is_fused;
        let above = forest.above(i);
        // The inputs of a result that was declared stay in its block.
        let is_operand = matches!(kind, Kind::Input | Kind::View) && above != Kind::Block;
        let is_in_multiloop = (is_operand || kind == Kind::Lambda) && above != Kind::Multiloop;
        if (is_in_body && above != Kind::Lambda) || is_in_multiloop {
            return broken(i, format!("it is a part of no MULTILOOP: {}", kind.name()));
        }
        forest.names(i)?;
        match kind {
            Kind::Multiloop => forest.multiloop(i)?,
            Kind::Read => forest.read(i)?,
            Kind::Input | Kind::Element | Kind::Key => forest.variable(i)?,
            _ => {}
        }
    }
    Ok(())
}
