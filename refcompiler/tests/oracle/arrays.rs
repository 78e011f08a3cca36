//! Arrays as plain values: extents, and words in row-major order.

use std::rc::Rc;

use refcompiler::ir::kinds::Type;

/// An array. Clones share it until one of them is changed.
#[derive(Clone, Debug)]
pub struct Array {
    /// The extent of each dimension.
    pub extents: Vec<u32>,
    /// The elements, the last index the fastest.
    pub words: Vec<u32>,
}

/// A value of a program.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number, by its bits.
    Word(u32),
    /// An array.
    Array(Rc<Array>),
}

impl Value {
    /// Returns the value of a variable that has none: zero, or an array of extents 0.
    pub fn zero(ty: u8) -> Value {
        match Type::from_code(ty).rank() {
            0 => Value::Word(0),
            rank => Array::value(vec![0; rank as usize], Vec::new()),
        }
    }

    /// Returns a number.
    pub fn word(&self) -> u32 {
        match self {
            Value::Word(word) => *word,
            Value::Array(_) => panic!("an array where a number belongs"),
        }
    }

    /// Returns an array.
    pub fn array(&self) -> &Array {
        match self {
            Value::Word(_) => panic!("a number where an array belongs"),
            Value::Array(array) => array,
        }
    }
}

/// An index that is out of range, a size that is negative, or extents that differ: what the line on standard error says.
pub type Failure = String;

/// Returns the extents and words of rows, a number having no extents.
fn parts(value: &Value) -> (&[u32], &[u32]) {
    match value {
        Value::Word(word) => (&[], std::slice::from_ref(word)),
        Value::Array(array) => (&array.extents, &array.words),
    }
}

/// Compares two extents.
fn equal(a: u32, b: u32) -> Result<(), Failure> {
    if a == b { Ok(()) } else { Err(format!("the extents {} and {} differ", a as i32, b as i32)) }
}

/// Compares all extents of two values, in order.
fn equal_extents(a: &[u32], b: &[u32]) -> Result<(), Failure> {
    a.iter().zip(b).try_for_each(|(&a, &b)| equal(a, b))
}

/// Returns a size that is not negative.
pub fn checked_size(n: u32) -> Result<u32, Failure> {
    if (n as i32) < 0 { Err(format!("the size {} is negative", n as i32)) } else { Ok(n) }
}

/// Returns an index that is in range.
pub fn checked_index(i: u32, extent: u32) -> Result<u32, Failure> {
    if i < extent { Ok(i) } else { Err(format!("index {} is out of range: the extent is {}", i as i32, extent as i32)) }
}

/// Returns an extent that equals another.
pub fn checked_equal(a: u32, b: u32) -> Result<u32, Failure> {
    equal(a, b).map(|()| a)
}

impl Array {
    fn value(extents: Vec<u32>, words: Vec<u32>) -> Value {
        Value::Array(Rc::new(Array { extents, words }))
    }

    /// Returns the first word and the number of words of a row, of which some indices are given.
    fn range(&self, indices: &[u32]) -> std::ops::Range<usize> {
        let (known, rest) = self.extents.split_at(indices.len());
        let at = known.iter().zip(indices).fold(0, |at, (&extent, &i)| at * extent as usize + i as usize);
        let length: usize = rest.iter().map(|&extent| extent as usize).product();
        at * length..(at + 1) * length
    }

    /// Returns an element or a row. The indices are in range.
    pub fn row(&self, indices: &[u32]) -> Value {
        let words = &self.words[self.range(indices)];
        match &self.extents[indices.len()..] {
            [] => Value::Word(words[0]),
            extents => Array::value(extents.to_vec(), words.to_vec()),
        }
    }

    /// Changes an element or a row. The indices are in range.
    pub fn update(&mut self, indices: &[u32], value: &Value) -> Result<(), Failure> {
        let (extents, words) = parts(value);
        equal_extents(&self.extents[indices.len()..], extents)?;
        let range = self.range(indices);
        self.words[range].copy_from_slice(words);
        Ok(())
    }

    /// Returns the array of some rows.
    pub fn literal(rows: &[Value]) -> Result<Value, Failure> {
        let first = parts(&rows[0]).0;
        for row in rows {
            equal_extents(first, parts(row).0)?;
        }
        let extents = [&[rows.len() as u32], first].concat();
        let words = rows.iter().flat_map(|row| parts(row).1.iter().copied());
        Ok(Array::value(extents, words.collect()))
    }

    /// Returns n times a value.
    pub fn replicate(n: u32, value: &Value) -> Value {
        let (extents, words) = parts(value);
        Array::value([&[n], extents].concat(), words.repeat(n as usize))
    }

    /// Returns the numbers below n.
    pub fn iota(n: u32) -> Value {
        Array::value(vec![n], (0..n).collect())
    }

    /// Returns the rows of one array before those of another.
    pub fn concat(a: &Array, b: &Array) -> Result<Value, Failure> {
        equal_extents(&a.extents[1..], &b.extents[1..])?;
        let mut extents = a.extents.clone();
        extents[0] += b.extents[0];
        Ok(Array::value(extents, [a.words.as_slice(), &b.words].concat()))
    }
}
