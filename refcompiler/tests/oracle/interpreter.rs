//! The meaning of a program: a sequential interpreter of its tree, node by node.

use std::collections::HashMap;

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Function, Tree, kind, runtime, ty};

use super::arrays::{Failure, Value, checked_equal, checked_index, checked_size, elementwise};
use super::memory::{Memory, Place};
use super::operators::{OfFloats, operator};

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The bytes on standard output.
    pub output: Vec<u8>,
    /// The exit status.
    pub status: u8,
}

/// Why it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It took more steps than allowed.
    Steps,
    /// The calls were nested deeper than allowed.
    Depth,
    /// It ended with a status, outside of `main`.
    Exit(u8),
    /// It accessed memory at this address, where nothing is that it may access.
    Access(u32),
    /// An access without a check, in this node, is out of range.
    Unchecked(usize),
}

/// Runs `main` of a checked program.
pub fn interpret(tree: &Tree, input: &[u8], steps: u64, depth: usize) -> Result<Outcome, Stop> {
    run(tree, None, input, steps, depth)
}

/// Runs `main` of a program whose functions are all roots. `around` is the function around each, by id.
pub fn interpret_lifted(
    tree: &Tree,
    around: &[Option<u32>],
    input: &[u8],
    steps: u64,
    depth: usize,
) -> Result<Outcome, Stop> {
    run(tree, Some(around), input, steps, depth)
}

/// Returns the function around each function, by id.
pub fn functions_around(tree: &Tree) -> Vec<Option<u32>> {
    let interpreter = Interpreter::new(tree, None, b"", 0, 0);
    interpreter.around.iter().map(|around| around.map(|node| tree.data[node])).collect()
}

fn run(tree: &Tree, around: Option<&[Option<u32>]>, input: &[u8], steps: u64, depth: usize) -> Result<Outcome, Stop> {
    // Expressions and calls recurse: on a stack of their own, only touched as far as needed.
    std::thread::scope(|scope| {
        let run = || Interpreter::new(tree, around, input, steps, depth).main();
        let thread = std::thread::Builder::new().stack_size(4 << 30).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("the interpreter does not panic")
    })
}

struct Frame {
    /// The function's node.
    function: usize,
    /// The frame of the function around it.
    link: Option<usize>,
    /// The value of each variable, by the node that declares it, and of each definition.
    variables: HashMap<usize, Value>,
}

pub(super) struct Interpreter<'a> {
    pub(super) tree: &'a Tree,
    input: std::slice::Iter<'a, u8>,
    pub(super) children: Vec<Vec<usize>>,
    /// The function node around each function, by id.
    around: Vec<Option<usize>>,
    /// The function node around each node.
    function: Vec<usize>,
    frames: Vec<Frame>,
    memory: Memory,
    pub(super) output: Vec<u8>,
    steps: u64,
    depth: usize,
}

/// How a statement ends: with the next, or with the function's value.
enum Flow {
    Next,
    Return(Value),
}

impl<'a> Interpreter<'a> {
    fn new(tree: &'a Tree, around: Option<&[Option<u32>]>, input: &'a [u8], steps: u64, depth: usize) -> Self {
        let mut parent = vec![None; tree.len()];
        let mut children = vec![Vec::new(); tree.len()];
        let mut function = vec![usize::MAX; tree.len()];
        let mut path: Vec<usize> = Vec::new();
        for i in 0..tree.len() {
            path.truncate(tree.depth[i] as usize);
            if let Some(&above) = path.last() {
                parent[i] = Some(above);
                children[above].push(i);
                function[i] = function[above];
            }
            if tree.kind[i] == kind::FUNCTION {
                function[i] = i;
            }
            path.push(i);
        }
        let node_of = |id: u32| tree.functions[id as usize].node.map(|node| node as usize);
        let around = (0..tree.functions.len() as u32).map(|id| match around {
            Some(around) => around[id as usize].and_then(node_of),
            None => node_of(id).and_then(|node| parent[node]).map(|above| function[above]),
        });
        Interpreter {
            tree,
            input: input.iter(),
            around: around.collect(),
            children,
            function,
            frames: Vec::new(),
            memory: Memory::default(),
            output: Vec::new(),
            steps,
            depth,
        }
    }

    fn main(mut self) -> Result<Outcome, Stop> {
        let main = self.tree.functions.iter().find(|f| f.name == "main").expect("a main");
        let status = match self.call(main.node.expect("a defined main") as usize, None, &[]) {
            Ok(status) => status.word() as u8,
            Err(Stop::Exit(status)) => status,
            Err(stop) => return Err(stop),
        };
        Ok(Outcome { output: self.output, status })
    }

    pub(super) fn call(&mut self, function: usize, link: Option<usize>, arguments: &[Value]) -> Result<Value, Stop> {
        if self.frames.len() >= self.depth {
            return Err(Stop::Depth);
        }
        let parameters = self.children[function].iter().filter(|&&i| self.tree.kind[i] == kind::PARAM);
        let variables = parameters.copied().zip(arguments.iter().cloned()).collect();
        self.frames.push(Frame { function, link, variables });
        let body = *self.children[function].last().expect("a body");
        let flow = self.statement(body)?;
        self.frames.pop();
        self.memory.leave(self.frames.len());
        Ok(match flow {
            Flow::Return(value) => value,
            Flow::Next => Value::Word(0),
        })
    }

    pub(super) fn step(&mut self) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Steps)?;
        Ok(())
    }

    fn statement(&mut self, i: usize) -> Result<Flow, Stop> {
        self.step()?;
        let child = |k: usize| self.children[i][k];
        let k = self.tree.kind[i];
        match k {
            kind::BLOCK => {
                for k in 0..self.children[i].len() {
                    if let Flow::Return(value) = self.statement(self.children[i][k])? {
                        return Ok(Flow::Return(value));
                    }
                }
                Ok(Flow::Next)
            }
            kind::EXPRESSION => {
                self.value(child(0))?;
                Ok(Flow::Next)
            }
            kind::RETURN if self.children[i].is_empty() => Ok(Flow::Return(Value::Word(0))),
            kind::RETURN => Ok(Flow::Return(self.value(child(0))?)),
            kind::IF | kind::IF_ELSE => {
                let (condition, then, other) = (child(0), child(1), (k == kind::IF_ELSE).then(|| child(2)));
                let is_true = self.word(condition)? != 0;
                let chosen = if is_true { Some(then) } else { other };
                if let Some(Flow::Return(value)) = chosen.map(|chosen| self.statement(chosen)).transpose()? {
                    return Ok(Flow::Return(value));
                }
                self.merge(i, kind::PHI, usize::from(!is_true))?;
                Ok(Flow::Next)
            }
            kind::WHILE => {
                let parts = self.children[i].len() - 2;
                let (condition, body) = (child(parts), child(parts + 1));
                self.merge(i, kind::HEAD, 0)?;
                while self.word(condition)? != 0 {
                    if let Flow::Return(value) = self.statement(body)? {
                        return Ok(Flow::Return(value));
                    }
                    self.merge(i, kind::HEAD, 1)?;
                }
                Ok(Flow::Next)
            }
            kind::FOR => {
                let (count, body) = (child(0), child(self.children[i].len() - 1));
                let iterations = self.word(self.children[count][0])? as i32;
                self.merge(i, kind::HEAD, 0)?;
                for value in 0..iterations {
                    self.set(count, Value::Word(value as u32));
                    if let Flow::Return(value) = self.statement(body)? {
                        return Ok(Flow::Return(value));
                    }
                    self.merge(i, kind::HEAD, 1)?;
                }
                Ok(Flow::Next)
            }
            kind::UPDATE | kind::UPDATE_SLICE => {
                self.update(i)?;
                Ok(Flow::Next)
            }
            kind::ASSIGN_FIELD => {
                let (value, target) = (child(0), child(1));
                let value = self.value(value)?;
                let (declaration, path) = self.target(target);
                let mut whole = self.variable(declaration);
                *whole.at(&path) = value;
                self.set(declaration, whole);
                Ok(Flow::Next)
            }
            kind::DESTRUCTURE => {
                let value = self.value(child(0))?;
                for (k, field) in value.fields().iter().enumerate() {
                    self.set(self.children[i][k + 1], field.clone());
                }
                Ok(Flow::Next)
            }
            kind::STORE | kind::STORE_BYTE | kind::STORE_SHORT => {
                self.value(i)?;
                Ok(Flow::Next)
            }
            kind::EMPTY | kind::FUNCTION => Ok(Flow::Next),
            other => panic!("no statement: {}", kind::NAMES[other as usize]),
        }
    }

    /// Gives the merges of statement `i` the values of one of their reads, all at the same time.
    fn merge(&mut self, i: usize, kind: u8, read: usize) -> Result<(), Stop> {
        let merges =
            self.children[i].iter().copied().filter(|&merge| self.tree.kind[merge] == kind).collect::<Vec<_>>();
        let values =
            merges.iter().map(|&merge| self.value(self.children[merge][read])).collect::<Result<Vec<_>, _>>()?;
        let frame = self.frames.last_mut().expect("a frame");
        frame.variables.extend(merges.into_iter().zip(values));
        Ok(())
    }

    /// The frame that holds the variables of `function`, seen from the innermost.
    fn frame_of(&self, function: usize) -> usize {
        let mut frame = self.frames.len() - 1;
        while self.frames[frame].function != function {
            frame = self.frames[frame].link.expect("a function around");
        }
        frame
    }

    pub(super) fn set(&mut self, declaration: usize, value: Value) {
        let frame = self.frame_of(self.function[declaration]);
        self.frames[frame].variables.insert(declaration, value);
    }

    /// Returns the value of a variable. A variable that no declaration has reached yet has any value.
    pub(super) fn variable(&self, declaration: usize) -> Value {
        let frame = self.frame_of(self.function[declaration]);
        let found = self.frames[frame].variables.get(&declaration);
        found.cloned().unwrap_or_else(|| Value::zero(self.tree, self.tree.ty[declaration]))
    }

    /// Returns a value that `checked` allows, and ends the program otherwise.
    pub(super) fn checked<T>(checked: Result<T, Failure>) -> Result<T, Stop> {
        checked.map_err(|_| Stop::Exit(134))
    }

    /// Returns the index of a word, if the current function may access it.
    fn place(&self, address: u32) -> Result<Place, Stop> {
        let function = self.frames.last().expect("a frame").function;
        let is_runtime = self.tree.data[function] < runtime::COUNT;
        self.memory.place(address, is_runtime).ok_or(Stop::Access(address))
    }

    /// Reads a word, or the whole value of a variable: after `structs`, a variable that an address names may have an array.
    fn load(&self, address: u32) -> Result<Value, Stop> {
        Ok(match self.place(address)? {
            Place::State(k) => Value::Word(self.memory.state(k)),
            Place::Arena(k) => Value::Word(self.memory.word(k)),
            Place::Variable(frame, declaration) => {
                let found = self.frames[frame].variables.get(&declaration);
                found.cloned().unwrap_or_else(|| Value::zero(self.tree, self.tree.ty[declaration]))
            }
        })
    }

    fn store(&mut self, address: u32, value: Value) -> Result<(), Stop> {
        match self.place(address)? {
            Place::State(k) => self.memory.set_state(k, value.word()),
            Place::Arena(k) => self.memory.set_word(k, value.word()),
            Place::Variable(frame, declaration) => {
                self.frames[frame].variables.insert(declaration, value);
            }
        }
        Ok(())
    }

    /// Returns the declaration of the variable that a target names, and the fields from there to the target.
    fn target(&self, mut node: usize) -> (usize, Vec<usize>) {
        let mut path = Vec::new();
        while self.tree.kind[node] == kind::FIELD {
            path.push(self.tree.data[node] as usize);
            node = self.children[node][0];
        }
        path.reverse();
        (self.tree.data[node] as usize, path)
    }

    fn update(&mut self, i: usize) -> Result<(), Stop> {
        let nodes = self.children[i].clone();
        let [target, indices @ .., value] = nodes.as_slice() else { panic!("an update without a value") };
        let (declaration, path) = self.target(*target);
        let mut whole = self.variable(declaration);
        let array = whole.clone().at(&path).clone();
        let is_slice = self.tree.kind[i] == kind::UPDATE_SLICE;
        let (indices, dimensions) = match is_slice {
            true => (Vec::new(), self.dimensions(&array, indices)?),
            false => (self.indices(&array, indices, i)?, Vec::new()),
        };
        drop(array);
        let value = self.value(*value)?.cut(self.tree.ty[*target]);
        // Taken from the variable, so that a large array that nobody shares need not be copied. If the value has given the
        // variable another array, that one stays.
        let is_current = self.variable(declaration).is_same(&whole);
        if is_current {
            self.set(declaration, Value::Word(0));
        }
        let updated = match is_slice {
            true => whole.at(&path).update_slice(&dimensions, &value),
            false => whole.at(&path).update(&indices, &value),
        };
        self.checked_at(i, updated)?;
        if is_current {
            self.set(declaration, whole);
        }
        Ok(())
    }

    pub(super) fn word(&mut self, i: usize) -> Result<u32, Stop> {
        Ok(self.value(i)?.word())
    }

    pub(super) fn value(&mut self, i: usize) -> Result<Value, Stop> {
        let value = self.value_of_ints(i)?;
        // Code that only passes on a value need not look at all of its elements.
        let passes = matches!(self.tree.kind[i], kind::NAME | kind::USE | kind::ASSIGN | kind::DECLARE | kind::ASCRIBE)
            || matches!(self.tree.kind[i], kind::CHOOSE | kind::SEQUENCE | kind::CALL);
        Ok(if passes { value } else { value.cut(self.tree.ty[i]) })
    }

    /// Computes a value, whose elements may be too large for their type.
    fn value_of_ints(&mut self, i: usize) -> Result<Value, Stop> {
        self.step()?;
        let k = self.tree.kind[i];
        let data = self.tree.data[i];
        match k {
            kind::LITERAL => return Ok(Value::Word(data)),
            kind::NAME => return Ok(self.variable(data as usize)),
            kind::DATA | kind::EXTENT => {
                let distance = if k == kind::DATA { 0 } else { 4 };
                return self.load(self.variable(data as usize).word().wrapping_add(distance));
            }
            kind::USE => {
                let found = self.frames.last().expect("a frame").variables.get(&(data as usize));
                return Ok(found.expect("a definition that has been reached").clone());
            }
            kind::CALL => return self.call_value(i),
            kind::CHOOSE => {
                let part = |me: &Self, k: usize| me.children[me.children[i][k]][0];
                let is_true = self.word(part(self, 0))? != 0;
                let value = self.value(part(self, if is_true { 1 } else { 2 }))?;
                self.merge(i, kind::PHI, usize::from(!is_true))?;
                return Ok(value);
            }
            kind::INDEX => {
                let nodes = self.children[i].clone();
                let array = self.value(nodes[0])?;
                let indices = self.indices(&array, &nodes[1..], i)?;
                return Ok(array.row(&indices));
            }
            kind::REPLICATE => {
                let (n, value) = (self.children[i][0], self.children[i][1]);
                let n = self.word(n)?;
                let n = Self::checked(checked_size(n))?;
                return Ok(Value::replicate(n, &self.value(value)?));
            }
            kind::SEQUENCE => {
                let nodes = self.children[i].clone();
                let (&value, statements) = nodes.split_last().expect("a value");
                for &statement in statements {
                    if let Flow::Return(_) = self.statement(statement)? {
                        panic!("a return inside a value");
                    }
                }
                return self.value(value);
            }
            kind::ADDRESS => {
                let frame = self.frame_of(self.function[data as usize]);
                return Ok(Value::Word(self.memory.address_of(frame, data as usize)));
            }
            _ => {}
        }
        let nodes = self.children[i].clone();
        if let Some(value) = self.whole_value(i, &nodes)? {
            return Ok(value);
        }
        let mut operands = Vec::new();
        for child in nodes {
            operands.push(self.value(child)?);
        }
        match k {
            kind::DECLARE | kind::LET => {
                let value = operands.pop().unwrap_or_else(|| Value::zero(self.tree, self.tree.ty[i]));
                self.set(i, value.clone());
                return Ok(value);
            }
            kind::ASSIGN => {
                self.set(data as usize, operands[0].clone());
                return Ok(operands.remove(0));
            }
            kind::ASCRIBE => return Ok(operands.remove(0)),
            kind::ARRAY => return Self::checked(Value::literal(&operands)),
            kind::SIZE => return Ok(Value::Word(operands[0].extents()[data as usize])),
            kind::LOAD => return self.load(operands[0].word().wrapping_add(data)),
            kind::LOAD_BYTE | kind::LOAD_SHORT => {
                let address = operands[0].word().wrapping_add(data);
                let word = self.load(address & !3)?.word() >> (8 * (address & 3));
                return Ok(Value::Word(if k == kind::LOAD_BYTE { word & 0xff } else { word as i16 as u32 }));
            }
            kind::STORE_BYTE | kind::STORE_SHORT => {
                let address = operands[0].word().wrapping_add(data);
                let mask = if k == kind::STORE_BYTE { 0xff } else { 0xffff } << (8 * (address & 3));
                let word = self.load(address & !3)?.word() & !mask;
                let new = operands[1].word() << (8 * (address & 3)) & mask;
                self.store(address & !3, Value::Word(word | new))?;
                return Ok(Value::Word(0));
            }
            // In the runtime, a statement of the expression.
            kind::STORE => {
                self.store(operands[0].word().wrapping_add(data), operands.remove(1))?;
                return Ok(Value::Word(0));
            }
            _ => {}
        }
        let from = self.children[i].first().map_or(ty::VOID, |&child| element(self.tree.ty[child]));
        let to = element(self.tree.ty[i]);
        elementwise(
            &operands,
            |_| Stop::Exit(134),
            |operands| {
                self.step()?;
                Ok(match k {
                    kind::CAST => cast(operands[0], from, to),
                    kind::ADD_WORDS => operands[0].wrapping_add(operands[1].wrapping_mul(4)),
                    kind::ADD_SHORTS => operands[0].wrapping_add(operands[1].wrapping_mul(2)),
                    kind::CHECK_INDEX => Self::checked(checked_index(operands[0], operands[1]))?,
                    kind::CHECK_SIZE => Self::checked(checked_size(operands[0]))?,
                    kind::CHECK_EQUAL => Self::checked(checked_equal(operands[0], operands[1]))?,
                    kind::CHECK_SLICE if operands[0] != 0 => return Err(Stop::Exit(134)),
                    kind::CHECK_SLICE => 0,
                    _ if from == ty::FLOAT => float_operation(k, operands),
                    _ => int_operation(k, operands),
                })
            },
        )
    }

    fn call_value(&mut self, i: usize) -> Result<Value, Stop> {
        let mut arguments = Vec::new();
        for argument in self.children[i].clone() {
            arguments.push(self.value(self.children[argument][0])?);
        }
        let id = self.tree.data[i];
        let tree = self.tree;
        let Function { name, node, .. } = &tree.functions[id as usize];
        if let Some(value) = self.call_of_arrays(i, name, &arguments)? {
            return Ok(value);
        }
        if let Some(node) = *node
            && !matches!(id, runtime::PRINT_INT | runtime::PRINT_FLOAT)
        {
            // The link of a nested function is the innermost frame of the function around it.
            let link = self.around[id as usize].map(|around| self.frame_of(around));
            return self.call(node as usize, link, &arguments);
        }
        match self.tree.functions[id as usize].name.as_str() {
            "arena" => return Ok(Value::Word(self.memory.reserve())),
            "out_of_memory" => return Err(Stop::Exit(134)),
            _ => {}
        }
        let arguments: Vec<u32> = arguments.iter().map(Value::word).collect();
        match id {
            runtime::ALLOCATE => {
                let made = self.memory.allocate(arguments[0], arguments[1]);
                return made.map(Value::Word).ok_or(Stop::Exit(134));
            }
            runtime::COPY_WORDS => {
                for k in 0..arguments[2] {
                    let word = self.load(arguments[1] + 4 * k)?;
                    self.store(arguments[0] + 4 * k, word)?;
                }
                return Ok(Value::Word(0));
            }
            _ => {}
        }
        match id {
            runtime::PRINT_INT => self.output.extend((arguments[0] as i32).to_string().into_bytes()),
            runtime::PRINT_FLOAT => self.output.extend(general(f32::from_bits(arguments[0])).into_bytes()),
            runtime::PRINT_CHAR => self.output.push(arguments[0] as u8),
            // Standard error is not part of the outcome.
            runtime::PRINT_ERROR => {}
            runtime::EXIT => return Err(Stop::Exit(arguments[0] as u8)),
            runtime::BITS | runtime::FLOAT_OF_BITS => return Ok(Value::Word(arguments[0])),
            runtime::HIGH_PRODUCT => {
                let product = u64::from(arguments[0]) * u64::from(arguments[1]);
                return Ok(Value::Word((product >> 32) as u32));
            }
            runtime::ASSERT if arguments[0] == 0 => return Err(Stop::Exit(134)),
            runtime::ASSERT => {}
            runtime::READ_CHAR => {
                return Ok(Value::Word(self.input.next().map_or(u32::MAX, |&byte| byte.into())));
            }
            _ => panic!("no function of machine code: {}", self.tree.functions[id as usize].name),
        }
        Ok(Value::Word(0))
    }
}

/// Returns the type of the numbers that are read from an array; of a number, its type.
fn element(ty: u8) -> u8 {
    match Type::from_code(ty).element().code() {
        ty::BYTE | ty::SHORT => ty::INT,
        element => element,
    }
}

fn cast(value: u32, from: u8, to: u8) -> u32 {
    match (from, to) {
        (ty::INT, ty::FLOAT) => (value as i32 as f32).to_bits(),
        (ty::FLOAT, ty::INT) if f32::from_bits(value).is_nan() => i32::MAX as u32,
        (ty::FLOAT, ty::INT) => f32::from_bits(value) as i32 as u32,
        _ => value,
    }
}

/// The NaN that RISC-V's arithmetic yields.
const NAN: u32 = 0x7fc0_0000;

/// The bits of a result of RISC-V's arithmetic.
fn canonical(x: f32) -> u32 {
    if x.is_nan() { NAN } else { x.to_bits() }
}

fn float_operation(k: u8, operands: &[u32]) -> u32 {
    let (a, b) = match *operands {
        [a, b] => (f32::from_bits(a), f32::from_bits(b)),
        [a] if k == kind::NEGATE => return a ^ 0x8000_0000,
        [a] if k == kind::ABS => return a & 0x7fff_ffff,
        [a] if k == kind::SQRT => return canonical(f32::from_bits(a).sqrt()),
        _ => panic!("no operation on floats: {}", kind::NAMES[k as usize]),
    };
    match operator(k).of_floats {
        OfFloats::Float(value) => canonical(value(a, b)),
        OfFloats::Truth(value) => u32::from(value(a, b)),
        OfFloats::No => panic!("no operation on floats: {}", kind::NAMES[k as usize]),
    }
}

fn int_operation(k: u8, operands: &[u32]) -> u32 {
    let a = operands[0] as i32;
    let number = match k {
        kind::NEGATE => a.wrapping_neg(),
        kind::ABS => a.wrapping_abs(),
        kind::NOT => i32::from(a == 0),
        kind::COMPLEMENT => !a,
        _ => (operator(k).of_ints)(a, operands[1] as i32),
    };
    number as u32
}

/// A float as C's `%g` prints it.
pub fn general(x: f32) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    if x.is_infinite() {
        return if x < 0.0 { "-inf" } else { "inf" }.to_string();
    }
    let scientific = format!("{:.5e}", f64::from(x));
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let trim = |text: String| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    };
    if (-4..6).contains(&exponent) {
        trim(format!("{:.*}", (5 - exponent) as usize, f64::from(x)))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa.to_string()), exponent.abs())
    }
}
