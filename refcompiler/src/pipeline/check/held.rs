//! The invariants of variables in registers: wherever a variable is read, its register has its value, and keeps it until the row that
//! takes the value.
//!
//! Each function is run once, with the names of variables for values. A loop begins with the writes that any of its trips may do.

use super::{Broken, broken};
use crate::ir::held::{Pool, held_register, held_slot, is_held, pool_register, pool_size};
use crate::ir::kinds::{Kind, Type};
use crate::ir::registers::{STACK, argument_location};
use crate::pipeline::columns::Columns;
use crate::target::Target;

/// The content of a register: a variable, and the time of its last change.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Content {
    variable: usize,
    since: usize,
}

/// The contents of all registers that are known.
type Contents = [Option<Content>; STACK as usize];

/// A value that a row takes from a register.
struct Read {
    node: usize,
    register: usize,
    content: Content,
}

/// A node whose subtree has not ended.
struct Open {
    node: usize,
    children: usize,
    /// The values that its row takes from registers.
    reads: Vec<Read>,
    /// The contents where control meets again.
    other: Option<Box<Contents>>,
}

struct Run {
    kinds: Vec<Kind>,
    types: Vec<Type>,
    data: Vec<u32>,
    end: Vec<u32>,
    hops: Vec<u32>,
    /// The registers that calls change.
    arguments: Vec<usize>,
    contents: Contents,
    /// The parameters whose arguments come in registers.
    arrived: Vec<usize>,
    time: usize,
}

/// Checks the table `registers`.
pub fn held(columns: &Columns, target: Target) -> Result<(), Broken> {
    let pool = |float| (0..pool_size(target, Pool::Arguments, float)).map(move |k| (float, k));
    let arguments = pool(false).chain(pool(true));
    let mut run = Run {
        kinds: columns.get("registers", "kind"),
        types: columns.get("registers", "ty"),
        data: columns.get("registers", "data"),
        end: columns.get("registers", "end"),
        hops: columns.get("registers", "hops"),
        arguments: arguments.map(|(float, k)| pool_register(target, Pool::Arguments, float, k).into()).collect(),
        contents: [None; STACK as usize],
        arrived: Vec::new(),
        time: 0,
    };
    let mut open: Vec<Open> = Vec::new();
    for i in 0..=run.kinds.len() {
        while open.last().is_some_and(|last| i == run.kinds.len() || run.end[last.node] as usize <= i) {
            let last = open.pop().expect("an open node");
            run.close(last, &mut open)?;
        }
        if i == run.kinds.len() {
            break;
        }
        if let Some(above) = open.last_mut() {
            if above.children == 1 && run.kinds[above.node].is_control() {
                // The condition.
                run.take(above)?;
            }
            run.enter_part(above);
            above.children += 1;
        }
        if run.kinds[i].is_function() {
            run.begin(i, target);
        }
        open.push(Open { node: i, children: 0, reads: Vec::new(), other: None });
    }
    Ok(())
}

impl Run {
    /// Returns the variable that a node accesses or declares, and its register.
    fn variable(&self, i: usize) -> Option<(usize, usize)> {
        let kind = self.kinds[i];
        let declares = kind == Kind::Param || kind.is_declaration();
        if !declares && !kind.is_variable() {
            return None;
        }
        let declaration = if declares { i } else { self.data[i] as usize };
        let data = self.hops[declaration];
        is_held(data).then(|| (declaration, held_register(data).into()))
    }

    fn now(&mut self) -> usize {
        self.time += 1;
        self.time
    }

    /// Begins a function: its arguments are in registers. The node of a parameter stands for its argument.
    fn begin(&mut self, function: usize, target: Target) {
        self.contents = [None; STACK as usize];
        self.arrived.clear();
        let (mut ints, mut floats) = (0, 0);
        let parameters = (function + 1..self.kinds.len()).filter(|&i| self.kinds[i] != Kind::Header);
        for i in parameters.take_while(|&i| self.kinds[i] == Kind::Param).collect::<Vec<_>>() {
            let is_float = self.types[i] == Type::Float;
            let at = argument_location(target, is_float, ints, floats);
            *if is_float { &mut floats } else { &mut ints } += 1;
            if at < STACK {
                self.contents[at as usize] = Some(Content { variable: i, since: 0 });
                self.arrived.push(i);
            }
        }
    }

    fn write(&mut self, variable: usize, register: usize) -> Content {
        let content = Content { variable, since: self.now() };
        self.contents[register] = Some(content);
        content
    }

    /// Forgets the registers of arguments.
    fn call(&mut self) {
        for &register in &self.arguments {
            self.contents[register] = None;
        }
    }

    /// Makes the writes that nodes may do, any number of times.
    fn repeat(&mut self, nodes: std::ops::Range<usize>) {
        let outside = nodes.start;
        for i in nodes {
            let kind = self.kinds[i];
            if kind.changes_registers(self.types[i]) {
                self.call();
            }
            if !(kind == Kind::Assign || kind.is_declaration()) {
                continue;
            }
            if let Some((variable, register)) = self.variable(i) {
                let is_own = self.contents[register].is_some_and(|content| content.variable == variable);
                let since = self.now();
                let is_kept = is_own && variable < outside;
                self.contents[register] = is_kept.then_some(Content { variable, since });
            }
        }
    }

    /// Joins the contents on two ways.
    fn join(&mut self, other: &Contents) {
        let since = self.now();
        for (own, other) in self.contents.iter_mut().zip(other) {
            *own = match (*own, *other) {
                (a, b) if a == b => a,
                (Some(a), Some(b)) if a.variable == b.variable => Some(Content { variable: a.variable, since }),
                _ => None,
            };
        }
    }

    /// Enters the next part of a loop or branch.
    fn enter_part(&mut self, above: &mut Open) {
        let (start, end) = (above.node, self.end[above.node] as usize);
        match (self.kinds[start], above.children) {
            (Kind::While, 0) => self.repeat(start..end),
            (Kind::For, 1) => {
                above.other = Some(Box::new(self.contents));
                self.repeat(start + 2..end);
                if let Some((variable, register)) = self.variable(start + 1) {
                    self.write(variable, register);
                }
            }
            (Kind::If | Kind::IfElse | Kind::Choose | Kind::While, 1) => above.other = Some(Box::new(self.contents)),
            (Kind::IfElse | Kind::Choose, 2) => {
                let other = above.other.replace(Box::new(self.contents));
                self.contents = *other.expect("the contents after the condition");
            }
            _ => {}
        }
    }

    /// Takes the values that a row reads from registers.
    fn take(&self, row: &mut Open) -> Result<(), Broken> {
        for Read { node, register, content } in row.reads.drain(..) {
            if self.contents[register] != Some(content) {
                return broken(node, format!("its register changes before row {} takes its value", row.node));
            }
        }
        Ok(())
    }

    /// Ends a node. `open` are the nodes above.
    fn close(&mut self, mut last: Open, open: &mut [Open]) -> Result<(), Broken> {
        let i = last.node;
        let kind = self.kinds[i];
        self.take(&mut last)?;
        match (kind, last.other) {
            (Kind::While, Some(other)) => self.contents = *other,
            (_, Some(other)) => self.join(&other),
            _ => {}
        }
        if self.arrived.contains(&i) && !self.contents.contains(&Some(Content { variable: i, since: 0 })) {
            return broken(i, "its argument has been overwritten");
        }
        let is_write = matches!(kind, Kind::Assign | Kind::Param) || kind.is_declaration();
        if let Some((variable, register)) = self.variable(i) {
            let found = self.contents[register].filter(|content| content.variable == variable);
            let content = match found {
                _ if is_write => self.write(variable, register),
                Some(content) => content,
                None => return broken(i, format!("register {register} has another value than its variable")),
            };
            let is_value = matches!(kind, Kind::Name | Kind::Assign | Kind::Declare);
            let is_shown = |above: &Open| {
                let (user, ty) = (self.kinds[above.node], self.types[above.node]);
                !user.ignores_nan_bits(ty) && (kind == Kind::Name || user != Kind::Expression)
            };
            let shows_nan = is_value && open.last().is_some_and(is_shown);
            if shows_nan && self.types[variable] == Type::Float && held_slot(self.hops[variable]) != 0 {
                return broken(i, "it may read a NaN with other bits than on RISC-V");
            }
            // A check has the value of its first operand, and an argument is moved with the others.
            let checks = |above: &Open| self.kinds[above.node].is_check() && above.children == 1;
            let up = usize::from(open.last().is_some_and(checks));
            let passes = |at: usize| self.kinds[open[at].node] == Kind::Arg;
            let up = up + usize::from(open.len().checked_sub(1 + up).is_some_and(passes));
            if let Some(user) = open.len().checked_sub(1 + up).filter(|_| is_value) {
                open[user].reads.push(Read { node: i, register, content });
            }
        }
        if kind.changes_registers(self.types[i]) || kind == Kind::Arg {
            self.call();
        }
        Ok(())
    }
}
