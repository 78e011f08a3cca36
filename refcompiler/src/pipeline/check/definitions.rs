//! The invariants of static single assignment form: a definition has been reached wherever its value is read.

use super::{Broken, broken};
use crate::ir::kinds::{Kind, Type};
use crate::pipeline::columns::Columns;

/// The nodes of a merge: itself and two reads.
const MERGE: usize = 3;

/// The program, and the definitions that have been reached where the check is.
struct Reached {
    kinds: Vec<Kind>,
    types: Vec<Type>,
    data: Vec<u32>,
    parent: Vec<u32>,
    end: Vec<u32>,
    /// Marks of the definitions that have been reached.
    is_reached: Vec<bool>,
    /// The definitions that have been reached, in order.
    trail: Vec<usize>,
}

/// Checks the table `ssa`.
pub fn definitions(columns: &Columns) -> Result<(), Broken> {
    let kinds = columns.get::<Kind>("ssa", "kind");
    let n = kinds.len();
    let mut reached = Reached {
        kinds,
        types: columns.get("ssa", "ty"),
        data: columns.get("ssa", "data"),
        parent: columns.get("ssa", "parent"),
        end: columns.get("ssa", "end"),
        is_reached: vec![false; n],
        trail: Vec::new(),
    };
    // The open nodes, and the definitions that had been reached before each.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for i in 0..=n {
        while let Some((node, before)) =
            open.last().copied().filter(|&(node, _)| i == n || reached.end[node] as usize <= i)
        {
            open.pop();
            reached.close(node, before)?;
        }
        if i < n {
            open.push((i, reached.trail.len()));
        }
    }
    Ok(())
}

impl Reached {
    fn above(&self, i: usize) -> Option<(usize, Kind)> {
        let parent = self.parent[i];
        (parent != u32::MAX).then(|| (parent as usize, self.kinds[parent as usize]))
    }

    fn reach(&mut self, definition: usize) {
        self.is_reached[definition] = true;
        self.trail.push(definition);
    }

    /// Checks that read `i` is of a definition that has been reached, with its type.
    fn read(&self, i: usize) -> Result<(), Broken> {
        let definition = self.data[i] as usize;
        match self.kinds.get(definition).copied() {
            Some(Kind::Let | Kind::Phi | Kind::Head | Kind::Param | Kind::Count) => {}
            _ => return broken(i, "it reads no definition"),
        }
        if !self.is_reached[definition] {
            return broken(i, format!("it reads the value of node {definition}, which may not have been reached"));
        }
        if self.types[definition] != self.types[i] {
            return broken(i, format!("its type is not that of node {definition}"));
        }
        Ok(())
    }

    /// Checks node `i`, whose subtree has been checked. `before` is the number of definitions that were reached before it.
    fn close(&mut self, i: usize, before: usize) -> Result<(), Broken> {
        let above = self.above(i);
        match self.kinds[i] {
            Kind::Param | Kind::Count => self.reach(i),
            // The reads of a merge are checked where control comes from.
            Kind::Use if matches!(above, Some((_, Kind::Phi | Kind::Head))) => {}
            Kind::Use => self.read(i)?,
            Kind::Let => {
                self.of_variable(i)?;
                self.reach(i);
            }
            Kind::Head | Kind::Phi => self.merge(i)?,
            _ => {}
        }
        match above {
            None => self.leave(before),
            Some((branch, Kind::If | Kind::IfElse | Kind::Choose)) if i != branch + 1 && self.kinds[i] != Kind::Phi => {
                let is_first = self.end[branch + 1] as usize == i;
                let mut phi = self.end[i] as usize;
                while phi < self.end[branch] as usize && self.kinds[phi] != Kind::Phi {
                    phi = self.end[phi] as usize;
                }
                for phi in (phi..self.end[branch] as usize).step_by(MERGE) {
                    self.read(phi + if is_first { 1 } else { 2 })?;
                }
                self.leave(before);
            }
            Some((repeated, kind @ (Kind::While | Kind::For))) if self.kinds[i] == Kind::Block => {
                let first = if kind == Kind::For { self.end[repeated + 1] as usize } else { repeated + 1 };
                for head in (first..i).step_by(MERGE).take_while(|&head| self.kinds[head] == Kind::Head) {
                    self.read(head + 2)?;
                }
                self.leave(before);
            }
            _ => {}
        }
        Ok(())
    }

    /// Forgets the definitions after the first `before`.
    fn leave(&mut self, before: usize) {
        for definition in self.trail.drain(before..) {
            self.is_reached[definition] = false;
        }
    }

    /// Checks that definition `i` is of a variable.
    fn of_variable(&self, i: usize) -> Result<(), Broken> {
        match self.kinds.get(self.data[i] as usize).copied() {
            Some(Kind::Let | Kind::Param) => Ok(()),
            _ => broken(i, "it defines the value of no variable"),
        }
    }

    /// Checks a PHI or HEAD whose statement has been reached.
    fn merge(&mut self, i: usize) -> Result<(), Broken> {
        self.of_variable(i)?;
        let is_merge = self.end[i] as usize == i + MERGE && self.kinds[i + 1..i + MERGE] == [Kind::Use; 2];
        let fits = match self.above(i) {
            Some((_, Kind::While | Kind::For)) => self.kinds[i] == Kind::Head,
            Some((_, Kind::If | Kind::IfElse | Kind::Choose)) => self.kinds[i] == Kind::Phi,
            _ => false,
        };
        if !is_merge || !fits {
            return broken(i, "it is no merge of a loop or branch");
        }
        // The value before the loop; without an `else`, the value before the branch.
        match self.above(i) {
            Some((_, Kind::While | Kind::For)) => self.read(i + 1)?,
            Some((_, Kind::If)) => self.read(i + 2)?,
            _ => {}
        }
        self.reach(i);
        Ok(())
    }
}
