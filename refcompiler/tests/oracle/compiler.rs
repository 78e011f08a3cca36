//! The passes from the tree to frames, one node after another. Nothing of the passes is used, only their vocabulary.

use refcompiler::ir::frame::Frame;
use refcompiler::ir::kinds::{OPERATORS, Operator, kind, role, ty};
use refcompiler::ir::operators::{Operands, Value};
use refcompiler::ir::registers::{NOWHERE, SPILLED};
use refcompiler::ir::tree::Tree;
use refcompiler::target::riscv::registers::*;

/// A node after lifting and the resolution of variables.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub depth: u32,
    pub kind: u8,
    pub ty: u8,
    /// The node's data; a name's declaration.
    pub data: u32,
    pub hops: u32,
    /// `data` and `aux` after the pass `variables`.
    pub placed: u32,
    pub aux: u32,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

/// A row with all that passes find out about it.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub kind: u8,
    pub ty: u8,
    pub role: u8,
    pub data: u32,
    pub aux: u32,
    pub operand: u32,
    pub target: u32,
    pub ints: u32,
    pub floats: u32,
    pub place: u8,
    /// ARG: the word of the stack it goes to, if it goes there.
    pub word: u32,
    pub function: usize,
    /// The node.
    pub node: usize,
}

/// A location of an argument: a register, or a word of the stack.
#[derive(Clone, Copy, PartialEq)]
enum Passed {
    Register(u8),
    Stack(u32),
}

/// The calling convention, argument by argument.
#[derive(Default)]
struct Convention {
    ints: u8,
    floats: u8,
    words: u32,
}

impl Convention {
    fn next(&mut self, is_float: bool) -> Passed {
        if is_float && self.floats < 8 {
            self.floats += 1;
            Passed::Register(FA0 + self.floats - 1)
        } else if self.ints < 8 {
            self.ints += 1;
            Passed::Register(A0 + self.ints - 1)
        } else {
            self.words += 1;
            Passed::Stack(self.words - 1)
        }
    }
}

/// Returns the children of each node, and its parent.
fn relatives(depths: &[u32]) -> Vec<(Option<usize>, Vec<usize>)> {
    let mut all: Vec<(Option<usize>, Vec<usize>)> = vec![(None, Vec::new()); depths.len()];
    let mut path: Vec<usize> = Vec::new();
    for (i, &depth) in depths.iter().enumerate() {
        path.truncate(depth as usize);
        all[i].0 = path.last().copied();
        if let Some(parent) = all[i].0 {
            all[parent].1.push(i);
        }
        path.push(i);
    }
    all
}

fn is_function(k: u8) -> bool {
    matches!(k, kind::FUNCTION | kind::EXTERN)
}

/// Returns the nodes with every function as a root.
pub fn lifted(tree: &Tree) -> Vec<Node> {
    let family = relatives(&tree.depth);
    // The function of each node, and how many functions are around that.
    let mut scope: Vec<(usize, u32)> = Vec::new();
    for (i, &(parent, _)) in family.iter().enumerate() {
        let above = parent.map(|parent| scope[parent]);
        scope.push(match above {
            _ if is_function(tree.kind[i]) => (i, above.map_or(0, |(_, level)| level + 1)),
            above => above.expect("a root is a function"),
        });
    }
    let mut order: Vec<usize> = (0..tree.len()).collect();
    order.sort_by_key(|&i| scope[i].0);
    let mut position = vec![0; tree.len()];
    for (at, &old) in order.iter().enumerate() {
        position[old] = at as u32;
    }
    let level_of = |id: u32| tree.functions[id as usize].node.map_or(0, |node| scope[node as usize].1);
    let mut nodes: Vec<Node> = Vec::new();
    for &old in &order {
        let (function, level) = scope[old];
        let data = tree.data[old];
        let (data, hops) = match tree.kind[old] {
            k if is_variable(k) => (position[data as usize], level - scope[data as usize].1),
            kind::CALL if level_of(data) > 0 => (data, level + 2 - level_of(data)),
            kind::FUNCTION => (data, level),
            _ => (data, 0),
        };
        let depth = tree.depth[old] - tree.depth[function];
        nodes.push(Node { depth, kind: tree.kind[old], ty: tree.ty[old], data, hops, ..Node::default() });
    }
    let depths: Vec<u32> = nodes.iter().map(|node| node.depth).collect();
    for (node, (parent, children)) in nodes.iter_mut().zip(relatives(&depths)) {
        (node.parent, node.children) = (parent, children);
    }
    nodes
}

/// Fills in offsets of variables, and where parameters arrive.
pub fn variables(nodes: &mut [Node]) {
    let (mut slot, mut convention) = (0, Convention::default());
    for node in nodes.iter_mut() {
        (node.placed, node.aux) = (node.data, node.hops);
        if is_function(node.kind) {
            (slot, convention) = (0, Convention::default());
        }
        if !matches!(node.kind, kind::PARAM | kind::DECLARE | kind::COUNT) {
            continue;
        }
        node.placed = (-12 - 4 * slot) as u32;
        slot += if node.kind == kind::COUNT { 2 } else { 1 };
        node.aux = u32::from(!node.children.is_empty());
        if node.kind == kind::PARAM {
            match convention.next(node.ty == ty::FLOAT) {
                Passed::Register(register) => node.aux = register.into(),
                Passed::Stack(word) => (node.placed, node.aux) = (4 * word, 64 + word),
            }
        }
    }
}

fn is_variable(k: u8) -> bool {
    matches!(k, kind::NAME | kind::DATA | kind::EXTENT | kind::ASSIGN | kind::ADDRESS)
}

fn is_value(k: u8) -> bool {
    !matches!(
        k,
        kind::FUNCTION
            | kind::EXTERN
            | kind::HEADER
            | kind::PARAM
            | kind::BLOCK
            | kind::EMPTY
            | kind::EXPRESSION
            | kind::RETURN
            | kind::IF
            | kind::IF_ELSE
            | kind::WHILE
            | kind::FOR
            | kind::TEST
            | kind::THEN
            | kind::OTHERWISE
            | kind::ARG
            | kind::STORE
            | kind::STORE_BYTE
            | kind::STORE_SHORT
    )
}

fn is_check(k: u8) -> bool {
    matches!(k, kind::CHECK_INDEX | kind::CHECK_SIZE | kind::CHECK_EQUAL)
}

pub fn is_pure(k: u8) -> bool {
    let has_effect =
        matches!(k, kind::DECLARE | kind::ASSIGN | kind::CALL | kind::COUNT | kind::CHOOSE | kind::SEQUENCE);
    is_value(k) && !has_effect && !is_check(k)
}

/// Returns the number of operands of a row.
pub fn operands(row: &Row) -> usize {
    match row.kind {
        kind::DECLARE => row.aux as usize,
        kind::COUNT | kind::THEN | kind::OTHERWISE => 1,
        kind::ASSIGN | kind::ARG | kind::CAST | kind::ASCRIBE | kind::NEGATE | kind::NOT | kind::COMPLEMENT => 1,
        kind::SQRT | kind::ABS | kind::SEQUENCE => 1,
        kind::LOAD | kind::LOAD_BYTE | kind::LOAD_SHORT => 1,
        kind::CALL | kind::CHOOSE | kind::LITERAL | kind::NAME | kind::DATA | kind::EXTENT | kind::ADDRESS => 0,
        kind::STORE | kind::STORE_BYTE | kind::STORE_SHORT | kind::ADD_WORDS | kind::ADD_SHORTS => 2,
        k if is_binary(k) || is_check(k) => 2,
        _ => 0,
    }
}

/// Returns the language's line about a binary operator.
fn line(k: u8) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.kind.code() == k)
}

pub fn is_binary(k: u8) -> bool {
    line(k).is_some()
}

fn is_comparison(k: u8) -> bool {
    line(k).is_some_and(|line| (line.operands, line.value) == (Operands::Number, Value::Truth))
}

/// Returns the type of a row's value.
pub fn value(row: &Row) -> u8 {
    match row.kind {
        k if is_comparison(k) => ty::INT,
        k if is_value(k) => row.ty,
        _ => ty::VOID,
    }
}

pub fn calls(row: &Row) -> bool {
    row.kind == kind::CALL || (row.kind == kind::REM && row.ty == ty::FLOAT)
}

/// Returns whether the parent of each node, or the statement around it, ignores its value.
fn unused(nodes: &[Node]) -> Vec<bool> {
    let mut unused: Vec<bool> = Vec::new();
    for node in nodes {
        unused.push(node.parent.is_some_and(|p| match nodes[p].kind {
            kind::EXPRESSION => true,
            k => is_pure(k) && unused[p],
        }));
    }
    unused
}

/// Returns the rows, with the columns of `flatten`.
pub fn rows(nodes: &[Node]) -> Vec<Row> {
    fn emit(i: usize, nodes: &[Node], order: &mut Vec<usize>) {
        for &child in &nodes[i].children {
            emit(child, nodes, order);
        }
        if nodes[i].kind == kind::CALL {
            order.extend(&nodes[i].children);
        }
        if nodes[i].kind != kind::ARG {
            order.push(i);
        }
    }
    let mut order = Vec::new();
    for root in (0..nodes.len()).filter(|&i| nodes[i].parent.is_none()) {
        emit(root, nodes, &mut order);
    }
    let mut row_of = vec![0u32; nodes.len()];
    for (r, &i) in order.iter().enumerate() {
        row_of[i] = r as u32;
    }
    let unused = unused(nodes);
    let mut function = 0;
    let mut rows = Vec::new();
    for &i in &order {
        let node = &nodes[i];
        let dead = unused[i] && is_pure(node.kind);
        let parent = node.parent.map(|p| &nodes[p]);
        let above = parent.map_or(kind::EMPTY, |parent| parent.kind);
        let ignored = node.kind == kind::PARAM && above == kind::EXTERN;
        let k = if dead || ignored { kind::EMPTY } else { node.kind };
        let role = match parent {
            None => role::NONE,
            Some(_) if is_value(node.kind) && unused[i] => role::DISCARDED,
            Some(_) if is_value(node.kind) => match above {
                kind::ARG => role::ARGUMENT,
                kind::RETURN => role::RETURNED,
                kind::IF | kind::IF_ELSE | kind::WHILE | kind::FOR | kind::TEST => role::CONDITION,
                _ => role::OPERAND,
            },
            Some(_) if node.kind == kind::FOR => role::CONDITION,
            Some(_) if node.kind == kind::THEN => role::JUMP,
            Some(p) if matches!(above, kind::IF_ELSE | kind::WHILE) && p.children[1] == i => role::JUMP,
            Some(_) => role::NONE,
        };
        let target = match parent {
            None => 0,
            Some(p) if role == role::ARGUMENT => row_of[p.parent.expect("a call")],
            Some(p) if role == role::JUMP && above == kind::WHILE => {
                let mut first = p.children[0];
                while let Some(&child) = nodes[first].children.first() {
                    first = child;
                }
                row_of[first]
            }
            Some(p) if above == kind::TEST => {
                let choice = &nodes[p.parent.expect("a conditional expression")];
                row_of[choice.children[1]] + 1
            }
            Some(_) if node.kind == kind::FOR => row_of[node.children[0]] + 1,
            Some(_) if node.kind == kind::COUNT => row_of[node.parent.expect("a loop")] + 1,
            Some(p) if role == role::CONDITION && above != kind::WHILE => row_of[p.children[1]] + 1,
            Some(_) => row_of[node.parent.expect("it has a parent")],
        };
        let is_store = matches!(k, kind::STORE | kind::STORE_BYTE | kind::STORE_SHORT);
        let is_scaled = matches!(k, kind::ADD_WORDS | kind::ADD_SHORTS);
        let takes_first = k == kind::ARG || is_store || is_scaled || is_binary(k) || is_check(k);
        rows.push(Row {
            kind: k,
            ty: if is_comparison(k) { nodes[node.children[0]].ty } else { node.ty },
            role,
            data: match node.kind {
                k if is_variable(k) => nodes[node.data as usize].placed,
                kind::FOR => nodes[node.children[0]].placed,
                _ => node.placed,
            },
            aux: node.aux,
            operand: if takes_first { row_of[node.children[0]] } else { row_of[i].saturating_sub(1) },
            target,
            function,
            node: i,
            ..Row::default()
        });
        function += usize::from(is_function(node.kind));
    }
    rows
}

const INT_ORDER: [u8; 16] = [T3, T4, T5, T6, S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11];
const FLOAT_ORDER: [u8; 22] =
    [FT2, FT3, FT4, FT5, FT6, FT7, FT8, FT9, FT10, FT11, FS0, FS1, FS2, FS3, FS4, FS5, FS6, FS7, FS8, FS9, FS10, FS11];

/// Fills in the locations of values: the values that wait are a stack.
pub fn allocate(rows: &mut [Row]) {
    let mut stack: Vec<(usize, bool)> = Vec::new();
    // Where arguments go, by the row of their value and by their own row.
    let mut passed: Vec<Option<Passed>> = vec![None; rows.len()];
    for call in (0..rows.len()).filter(|&r| rows[r].kind == kind::CALL) {
        let first = (0..call).rev().find(|&r| rows[r].kind != kind::ARG).map_or(0, |r| r + 1);
        let mut convention = Convention::default();
        for r in first..call {
            let place = convention.next(rows[r].ty == ty::FLOAT);
            passed[r] = Some(place);
            passed[rows[r].operand as usize] = Some(place);
        }
    }
    for r in 0..rows.len() {
        if rows[r].kind == kind::ARG {
            // The values of later arguments are above it.
            stack.retain(|&(value, _)| value != rows[r].operand as usize);
        } else {
            stack.truncate(stack.len() - operands(&rows[r]));
        }
        let count = |float: bool| stack.iter().filter(|(_, is_float)| *is_float == float).count() as u32;
        (rows[r].ints, rows[r].floats) = (count(false), count(true));
        let row = rows[r].clone();
        let value = value(&row);
        let is_float = value == ty::FLOAT;
        let height = if is_float { row.floats } else { row.ints } as usize;
        let order: &[u8] = if is_float { &FLOAT_ORDER } else { &INT_ORDER };
        let waits_over_call = || rows[r + 1..(row.target as usize).max(r + 1)].iter().any(calls);
        rows[r].place = match (row.kind, row.role) {
            (kind::ARG, _) => match passed[r].expect("an argument of a call") {
                Passed::Register(register) => register,
                Passed::Stack(_) => SPILLED,
            },
            (_, role::DISCARDED) => NOWHERE,
            _ if value == ty::VOID => NOWHERE,
            (_, role::RETURNED) => {
                if is_float {
                    FA0
                } else {
                    A0
                }
            }
            (_, role) if role != role::CONDITION && waits_over_call() => SPILLED,
            (_, role::ARGUMENT) => match passed[r].expect("a value of an argument") {
                Passed::Register(register) if (register >= 32) == is_float => register,
                _ => order.get(height).copied().unwrap_or(SPILLED),
            },
            _ => order.get(height).copied().unwrap_or(SPILLED),
        };
        if let (kind::ARG, Some(Passed::Stack(word))) = (row.kind, passed[r]) {
            rows[r].word = word;
        }
        if matches!(row.role, role::OPERAND | role::ARGUMENT) {
            stack.push((r, is_float));
        }
        if is_function(row.kind) {
            assert!(stack.is_empty(), "a value waits at the end of a function");
        }
    }
    // The parts of a conditional expression leave their values where the expression has its own.
    for r in (0..rows.len()).filter(|&r| matches!(rows[r].kind, kind::THEN | kind::OTHERWISE)).collect::<Vec<_>>() {
        rows[r].place = rows[rows[r].target as usize].place;
    }
}

/// Returns the frame of each function.
pub fn frames(rows: &[Row]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for rows in rows.chunk_by(|a, b| a.function == b.function) {
        let most = |count: &dyn Fn(&Row) -> u32| rows.iter().map(count).max().unwrap_or(0);
        let value = |row: &Row| row.kind != kind::ARG;
        let saved = |row: &Row, order: &[u8], temporaries: usize| {
            order[temporaries..].iter().position(|&s| value(row) && row.place == s).map_or(0, |at| at as u32 + 1)
        };
        let ints = most(&|row| saved(row, &INT_ORDER, 4));
        let floats = most(&|row| saved(row, &FLOAT_ORDER, 10));
        let spills = most(&|row| if value(row) && row.place == SPILLED { row.ints + row.floats + 1 } else { 0 });
        let outgoing = most(&|row| if !value(row) && row.place == SPILLED { row.word + 1 } else { 0 });
        let variables = most(&|row| match row.kind {
            kind::DECLARE => (-(row.data as i32) - 8) as u32 / 4,
            kind::COUNT => (-(row.data as i32) - 4) as u32 / 4,
            kind::PARAM if row.aux < 64 => (-(row.data as i32) - 8) as u32 / 4,
            _ => 0,
        });
        let calls = u32::from(rows.iter().any(calls));
        let nested = u32::from(rows.iter().any(|row| row.kind == kind::FUNCTION && row.aux > 0));
        let words = outgoing + spills + ints + floats + variables;
        let mut bytes = 0;
        if words > 0 || calls > 0 || nested > 0 {
            bytes = words * 4 + 8;
            bytes += (16 - bytes % 16) % 16;
        }
        frames.push(Frame {
            bytes,
            spills: 4 * outgoing,
            saves: 4 * (outgoing + spills),
            ints,
            floats,
            calls,
            nested,
            held: 0,
        });
    }
    frames
}

/// Returns the saved registers of a frame with their offsets from sp.
pub fn saved_registers(frame: &Frame) -> Vec<(u8, u32)> {
    let ints = INT_ORDER[4..].iter().take(frame.ints as usize);
    let floats = FLOAT_ORDER[10..].iter().take(frame.floats as usize);
    ints.chain(floats).enumerate().map(|(k, &register)| (register, frame.saves + 4 * k as u32)).collect()
}
