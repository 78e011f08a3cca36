//! Operations on whole arrays, structs and tuples in the interpreter: functions as arguments, slices, shapes and `print`.

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{kind, runtime, ty};

use super::arrays::{
    Dimension, Failure, Value, checked_equal, checked_index, checked_range, checked_size, elementwise,
};
use super::interpreter::{Interpreter, Stop, general};

impl Interpreter<'_> {
    /// Returns the value of `checked`. A failure ends the program if node `i` checks, and is undefined otherwise.
    pub(super) fn checked_at<T>(&self, i: usize, checked: Result<T, Failure>) -> Result<T, Stop> {
        let is_checked = self.tree.data[i] != 0;
        checked.map_err(|_| if is_checked { Stop::Exit(134) } else { Stop::Unchecked(i) })
    }

    /// Computes indices of the access in node `i`, each checked before the next is computed.
    pub(super) fn indices(&mut self, array: &Value, nodes: &[usize], i: usize) -> Result<Vec<u32>, Stop> {
        let mut indices = Vec::new();
        for (k, &node) in nodes.iter().enumerate() {
            let index = self.word(node)?;
            indices.push(self.checked_at(i, checked_index(index, array.extents()[k]))?);
        }
        Ok(indices)
    }

    /// Computes the dimensions of a slice, each checked before the next is computed.
    pub(super) fn dimensions(&mut self, array: &Value, nodes: &[usize]) -> Result<Vec<Dimension>, Stop> {
        let mut dimensions = Vec::new();
        for (k, &node) in nodes.iter().enumerate() {
            let extent = array.extents()[k];
            dimensions.push(match self.tree.kind[node] {
                kind::ALL => Dimension::Range(0, extent),
                kind::RANGE => {
                    let low = self.word(self.children[node][0])?;
                    let high = self.word(self.children[node][1])?;
                    let high = if self.tree.data[node] == 1 { extent } else { high };
                    Self::checked(checked_range(low, high, extent))?
                }
                _ => {
                    let index = self.word(node)?;
                    Dimension::At(Self::checked(checked_index(index, extent))?)
                }
            });
        }
        Ok(dimensions)
    }

    /// Computes a function that is an argument.
    fn apply(&mut self, lambda: usize, arguments: &[Value]) -> Result<Value, Stop> {
        let nodes = self.children[lambda].clone();
        let (&value, parameters) = nodes.split_last().expect("the value of a function");
        assert_eq!(parameters.len(), arguments.len(), "arguments of a function");
        for (&parameter, argument) in parameters.iter().zip(arguments) {
            self.set(parameter, argument.clone());
        }
        self.value(value)
    }

    /// Computes values, and checks that they have equally many rows. Returns that number.
    fn equally_many(values: &[Value]) -> Result<u32, Stop> {
        let n = values[0].extents()[0];
        for value in values {
            Self::checked(checked_equal(n, value.extents()[0]))?;
        }
        Ok(n)
    }

    fn values(&mut self, nodes: &[usize]) -> Result<Vec<Value>, Stop> {
        nodes.iter().map(|&node| self.value(node)).collect()
    }

    /// Adds a row to others, whose extents are equal.
    fn push(rows: &mut Vec<Value>, row: Value) -> Result<(), Stop> {
        if let Some(first) = rows.first() {
            Self::checked(Value::literal(&[first.clone(), row.clone()]))?;
        }
        rows.push(row);
        Ok(())
    }

    /// Returns the array of some rows, with extents 0 if there are none.
    fn array_of_rows(&self, i: usize, rows: &[Value]) -> Result<Value, Stop> {
        if rows.is_empty() { Ok(Value::zero(self.tree, self.tree.ty[i])) } else { Self::checked(Value::literal(rows)) }
    }

    /// Computes a node whose function is its first child.
    fn second_order(&mut self, i: usize, nodes: &[usize]) -> Result<Value, Stop> {
        let f = nodes[0];
        let values = self.values(&nodes[1..])?;
        let row = |value: &Value, at: u32| value.row(&[at]);
        match self.tree.kind[i] {
            kind::MAP => {
                let mut rows = Vec::new();
                for at in 0..Self::equally_many(&values)? {
                    let arguments = values.iter().map(|value| row(value, at)).collect::<Vec<_>>();
                    let made = self.apply(f, &arguments)?;
                    Self::push(&mut rows, made)?;
                }
                self.array_of_rows(i, &rows)
            }
            kind::REDUCE | kind::REDOMAP => {
                let mut sum = values[0].clone();
                for at in 0..Self::equally_many(&values[1..])? {
                    let rows = values[1..].iter().map(|value| row(value, at));
                    let arguments = std::iter::once(sum.clone()).chain(rows).collect::<Vec<_>>();
                    sum = self.apply(f, &arguments)?;
                }
                Ok(sum)
            }
            kind::FOLD_RIGHT => {
                let mut sum = values[0].clone();
                for at in (0..values[1].extents()[0]).rev() {
                    sum = self.apply(f, &[row(&values[1], at), sum])?;
                }
                Ok(sum)
            }
            kind::SCAN => {
                let (mut rows, mut sum) = (Vec::new(), values[0].clone());
                for at in 0..values[1].extents()[0] {
                    sum = self.apply(f, &[sum, row(&values[1], at)])?;
                    Self::push(&mut rows, sum.clone())?;
                }
                self.array_of_rows(i, &rows)
            }
            kind::FILTER => {
                let mut keeps = Vec::new();
                for at in 0..values[0].extents()[0] {
                    keeps.push(self.apply(f, &[row(&values[0], at)])?.word() != 0);
                }
                Ok(values[0].filter(&keeps))
            }
            _ => self.group(f, &values),
        }
    }

    fn group(&mut self, f: usize, values: &[Value]) -> Result<Value, Stop> {
        let [e, n, keys, values] = values else { panic!("the operands of group") };
        let count = Self::equally_many(&[keys.clone(), values.clone()])?;
        let n = Self::checked(checked_size(n.word()))?;
        let mut sums = Value::replicate(n, e);
        for at in 0..count {
            let key = Self::checked(checked_index(keys.row(&[at]).word(), n))?;
            let sum = self.apply(f, &[sums.row(&[key]), values.row(&[at])])?;
            Self::checked(sums.update(&[key], &sum))?;
        }
        Ok(sums)
    }

    /// Returns the value of an operation on whole arrays, or on structs and tuples; `None` for other nodes.
    pub(super) fn whole_value(&mut self, i: usize, nodes: &[usize]) -> Result<Option<Value>, Stop> {
        let data = self.tree.data[i];
        Ok(Some(match self.tree.kind[i] {
            kind::MAP | kind::REDUCE | kind::FOLD_RIGHT | kind::REDOMAP | kind::SCAN | kind::FILTER | kind::GROUP => {
                self.second_order(i, nodes)?
            }
            kind::WHERE => {
                let values = self.values(nodes)?;
                let choose = |words: &[u32]| Ok(if words[0] != 0 { words[1] } else { words[2] });
                elementwise(&values, |_| Stop::Exit(134), choose)?
            }
            kind::SLICE => {
                let array = self.value(nodes[0])?;
                array.slice(&self.dimensions(&array, &nodes[1..])?)
            }
            kind::SPLIT => {
                let (array, n) = (self.value(nodes[0])?, self.word(nodes[1])?);
                let extent = array.extents()[0];
                Self::checked(checked_range(0, n, extent))?;
                Value::list([0..n, n..extent].map(|part| array.slice(&[Dimension::Range(part.start, part.end)])))
            }
            kind::PRINT => {
                let value = self.value(nodes[0])?;
                let mut text = self.text(self.tree.ty[nodes[0]], &value);
                if data == 0 {
                    text.push('\n');
                }
                self.output.extend(text.into_bytes());
                Value::Word(0)
            }
            kind::STRUCT => Value::list(self.values(nodes)?),
            kind::FIELD => self.value(nodes[0])?.fields()[data as usize].clone(),
            kind::ZIP => {
                let values = self.values(nodes)?;
                Self::equally_many(&values)?;
                Value::list(values)
            }
            kind::UNZIP => self.value(nodes[0])?,
            kind::SHAPED => {
                let array = self.value(nodes[0])?;
                for (k, &node) in nodes[1..].iter().enumerate() {
                    if self.tree.kind[node] != kind::ALL {
                        let n = self.word(node)?;
                        Self::checked(checked_equal(n, array.extents()[k]))?;
                    }
                }
                array
            }
            kind::NEW => {
                let extents = self.values(nodes)?.iter().map(Value::word).collect::<Vec<_>>();
                Value::new(self.tree, self.tree.ty[i], &extents)
            }
            kind::NEW_LIKE => self.value(nodes[0])?,
            kind::NEW_ROWS => Value::replicate(self.word(nodes[0])?, &self.value(nodes[1])?),
            kind::GIVE => {
                let declaration = self.tree.data[nodes[0]] as usize;
                let value = self.variable(declaration);
                self.set(declaration, Value::zero(self.tree, self.tree.ty[declaration]));
                value
            }
            kind::TRUNCATE => {
                let array = self.value(nodes[0])?;
                let n = self.word(nodes[1])?;
                array.slice(&[Dimension::Range(0, n)])
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the value of a function that comes with the compiler and has arrays or composite values; `None` of others.
    pub(super) fn call_of_arrays(&mut self, i: usize, name: &str, arguments: &[Value]) -> Result<Option<Value>, Stop> {
        let id = self.tree.data[i];
        let is_number = |value: &Value| matches!(value, Value::Word(_));
        if id >= runtime::COUNT || arguments.iter().all(is_number) && name != "iota" {
            return Ok(None);
        }
        let dimensions = |value: &Value| value.array().words.clone();
        let made = match name {
            "iota" => checked_size(arguments[0].word()).map(Value::iota),
            "copy" => Ok(arguments[0].clone()),
            "concat" => Value::concat(&arguments[0], &arguments[1]),
            "perm" => Ok(arguments[0].perm(&dimensions(&arguments[1]))),
            "reshape" => {
                let array = self.tree.ty[self.children[i][0]];
                arguments[0].reshape(self.item(array).1 as usize, &dimensions(&arguments[1]))
            }
            _ => {
                let function = self.tree.functions[id as usize].node.expect("a function of numbers") as usize;
                let call = |words: &[u32]| {
                    let words = words.iter().map(|&word| Value::Word(word)).collect::<Vec<_>>();
                    Ok(self.call(function, None, &words)?.word())
                };
                return elementwise(arguments, |_| Stop::Exit(134), call).map(Some);
            }
        };
        Self::checked(made).map(Some)
    }

    /// Returns the type of the elements of an array, and its rank.
    fn item(&self, ty: u8) -> (u8, u32) {
        let of = Type::from_code(ty);
        if of.is_composite() {
            return (ty, self.tree.composites[of.composite() as usize].rank);
        }
        (of.element().code(), of.rank())
    }

    /// Returns the text of a value: arrays and structs in the syntax of literals.
    fn text(&self, ty: u8, value: &Value) -> String {
        let (item, rank) = self.item(ty);
        self.text_of_rank(item, rank, value)
    }

    /// Does the same for an array of elements of a type, which may be that of an array of them.
    fn text_of_rank(&self, item: u8, rank: u32, value: &Value) -> String {
        if rank > 0 {
            let rows = (0..value.extents()[0]).map(|k| self.text_of_rank(item, rank - 1, &value.row(&[k])));
            return format!("[{}]", rows.collect::<Vec<_>>().join(", "));
        }
        match item {
            ty::INT | ty::BYTE | ty::SHORT => (value.word() as i32).to_string(),
            ty::FLOAT => general(f32::from_bits(value.word())),
            _ => {
                let composite = &self.tree.composites[Type::from_code(item).composite() as usize];
                let fields = composite.fields.iter().zip(value.fields());
                let fields = fields.map(|(field, value)| self.text(field.ty, value)).collect::<Vec<_>>().join(", ");
                if composite.name.is_empty() { format!("({fields})") } else { format!("{}[{fields}]", composite.name) }
            }
        }
    }
}
