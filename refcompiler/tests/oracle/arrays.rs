//! Arrays, structs and tuples as plain values. An array of structs is a list of the arrays of its fields.

use std::ops::Range;
use std::rc::Rc;

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::Tree;

/// An array of numbers. Clones share it until one of them is changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The extent of each dimension.
    pub extents: Vec<u32>,
    /// The elements, the last index the fastest.
    pub words: Vec<u32>,
}

/// A value of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, by its bits.
    Word(u32),
    /// An array.
    Array(Rc<Array>),
    /// The fields of a struct or a tuple. Of an array of them, the arrays of their fields.
    List(Rc<Vec<Value>>),
}

/// An index that is out of range, a size that is negative, or extents that differ: the line on standard error.
pub type Failure = String;

/// One dimension of a slice, checked.
#[derive(Clone, Copy, Debug)]
pub enum Dimension {
    /// An index, which takes the dimension away.
    At(u32),
    /// The indices from one to before another.
    Range(u32, u32),
}

impl Value {
    /// Returns a list of fields.
    pub fn list(fields: impl IntoIterator<Item = Value>) -> Value {
        Value::List(Rc::new(fields.into_iter().collect()))
    }

    fn array_of(extents: Vec<u32>, words: Vec<u32>) -> Value {
        Value::Array(Rc::new(Array { extents, words }))
    }

    /// Returns the value of a variable that has none: zeros, and arrays of extents 0.
    pub fn zero(tree: &Tree, ty: u8) -> Value {
        Value::new(tree, ty, &[])
    }

    /// Returns the value whose numbers have the low bits of these, if a type is narrow, or that of arrays of narrow elements.
    pub fn cut(self, ty: u8) -> Value {
        let cut = |word: u32| match Type::from_code(ty).element() {
            _ if Type::from_code(ty).is_composite() => word,
            Type::Byte => word & 0xff,
            Type::Short => word as i16 as u32,
            _ => word,
        };
        match &self {
            Value::Word(word) => Value::Word(cut(*word)),
            Value::Array(array) if array.words.iter().any(|&word| cut(word) != word) => {
                Value::array_of(array.extents.clone(), array.words.iter().map(|&word| cut(word)).collect())
            }
            _ => self,
        }
    }

    /// Returns a value of a type with some extents, then extents 0, and zeros.
    pub fn new(tree: &Tree, ty: u8, extents: &[u32]) -> Value {
        fn made(tree: &Tree, ty: u8, outer: u32, extents: &[u32]) -> Value {
            let ty = Type::from_code(ty);
            if ty.is_composite() {
                let composite = &tree.composites[ty.composite() as usize];
                let fields = composite.fields.iter();
                return Value::list(fields.map(|field| made(tree, field.ty, outer + composite.rank, extents)));
            }
            let rank = (ty.rank() + outer) as usize;
            if rank == 0 {
                return Value::Word(0);
            }
            let mut all = extents.to_vec();
            all.resize(rank, 0);
            let count = all.iter().product::<u32>() as usize;
            Value::array_of(all, vec![0; count])
        }
        made(tree, ty, 0, extents)
    }

    /// Returns a number.
    pub fn word(&self) -> u32 {
        match self {
            Value::Word(word) => *word,
            other => panic!("where a number belongs: {other:?}"),
        }
    }

    /// Returns an array of numbers.
    pub fn array(&self) -> &Array {
        match self {
            Value::Array(array) => array,
            other => panic!("where an array of numbers belongs: {other:?}"),
        }
    }

    /// Returns the fields of a struct or a tuple, or their arrays.
    pub fn fields(&self) -> &[Value] {
        match self {
            Value::List(fields) => fields,
            other => panic!("where a struct or a tuple belongs: {other:?}"),
        }
    }

    /// Returns the field that a path of fields leads to.
    pub fn at(&mut self, path: &[usize]) -> &mut Value {
        path.iter().fold(self, |value, &field| match value {
            Value::List(fields) => &mut Rc::make_mut(fields)[field],
            other => panic!("where a struct or a tuple belongs: {other:?}"),
        })
    }

    /// Returns whether two values are the same in memory.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => Rc::ptr_eq(a, b),
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns the extents of an array of numbers, the extents of the first field of others, and none of a number.
    pub fn extents(&self) -> &[u32] {
        match self {
            Value::Word(_) => &[],
            Value::Array(array) => &array.extents,
            Value::List(fields) => fields[0].extents(),
        }
    }

    /// Applies a function to each array of numbers in a value.
    pub fn each(&self, f: &mut impl FnMut(&Array) -> Result<Value, Failure>) -> Result<Value, Failure> {
        match self {
            Value::Word(_) => panic!("a number where an array belongs"),
            Value::Array(array) => f(array),
            Value::List(fields) => {
                Ok(Value::List(Rc::new(fields.iter().map(|v| v.each(f)).collect::<Result<_, _>>()?)))
            }
        }
    }

    /// Returns an element or a row. The indices are in range.
    pub fn row(&self, indices: &[u32]) -> Value {
        self.each(&mut |array| Ok(array.row(indices))).expect("a row that is there")
    }

    /// Changes an element or a row. The indices are in range.
    pub fn update(&mut self, indices: &[u32], value: &Value) -> Result<(), Failure> {
        match self {
            Value::Word(_) => panic!("an update of a number"),
            Value::Array(array) => {
                let (extents, words) = parts(value);
                equal_extents(&array.extents[indices.len()..], extents)?;
                let range = array.range(indices);
                Rc::make_mut(array).words[range].copy_from_slice(words);
                Ok(())
            }
            Value::List(fields) => {
                let mut fields = Rc::make_mut(fields).iter_mut().zip(value.fields());
                fields.try_for_each(|(field, value)| field.update(indices, value))
            }
        }
    }

    /// Returns the array of some rows.
    pub fn literal(rows: &[Value]) -> Result<Value, Failure> {
        if let Value::List(fields) = &rows[0] {
            let column = |k: usize| rows.iter().map(|row| row.fields()[k].clone()).collect::<Vec<_>>();
            let fields = (0..fields.len()).map(|k| Value::literal(&column(k)));
            return Ok(Value::List(Rc::new(fields.collect::<Result<_, _>>()?)));
        }
        let first = parts(&rows[0]).0;
        for row in rows {
            equal_extents(first, parts(row).0)?;
        }
        let extents = [&[rows.len() as u32], first].concat();
        let words = rows.iter().flat_map(|row| parts(row).1.iter().copied());
        Ok(Value::array_of(extents, words.collect()))
    }

    /// Returns n times a value.
    pub fn replicate(n: u32, value: &Value) -> Value {
        match value {
            Value::List(fields) => Value::list(fields.iter().map(|field| Value::replicate(n, field))),
            value => {
                let (extents, words) = parts(value);
                Value::array_of([&[n], extents].concat(), words.repeat(n as usize))
            }
        }
    }

    /// Returns the numbers below n.
    pub fn iota(n: u32) -> Value {
        Value::array_of(vec![n], (0..n).collect())
    }

    /// Returns the rows of one array, followed by the rows of another.
    pub fn concat(a: &Value, b: &Value) -> Result<Value, Failure> {
        if let (Value::List(a), Value::List(b)) = (a, b) {
            let fields = a.iter().zip(b.iter()).map(|(a, b)| Value::concat(a, b));
            return Ok(Value::List(Rc::new(fields.collect::<Result<_, _>>()?)));
        }
        let (a, b) = (a.array(), b.array());
        equal_extents(&a.extents[1..], &b.extents[1..])?;
        let mut extents = a.extents.clone();
        extents[0] += b.extents[0];
        Ok(Value::array_of(extents, [a.words.as_slice(), &b.words].concat()))
    }

    /// Returns the rows for which `keeps` is true.
    pub fn filter(&self, keeps: &[bool]) -> Value {
        self.each(&mut |array| {
            let length = array.extents[1..].iter().product::<u32>() as usize;
            let kept = || (0..keeps.len()).filter(|&i| keeps[i]);
            let words = kept().flat_map(|i| array.words[i * length..(i + 1) * length].iter().copied());
            let mut extents = array.extents.clone();
            extents[0] = kept().count() as u32;
            Ok(Value::array_of(extents, words.collect()))
        })
        .expect("a part of an array")
    }

    /// Returns a slice. Dimensions that are not given are whole.
    pub fn slice(&self, dimensions: &[Dimension]) -> Value {
        self.each(&mut |array| {
            let extents = array.slice_extents(dimensions);
            let words = array.slice_places(dimensions).into_iter().map(|place| array.words[place]);
            let words = words.collect::<Vec<_>>();
            Ok(if extents.is_empty() { Value::Word(words[0]) } else { Value::array_of(extents, words) })
        })
        .expect("a part of an array")
    }

    /// Changes a slice. A value of lower rank is repeated.
    pub fn update_slice(&mut self, dimensions: &[Dimension], value: &Value) -> Result<(), Failure> {
        match self {
            Value::Word(_) => panic!("an update of a number"),
            Value::Array(array) => {
                let (extents, words) = parts(value);
                let own = array.slice_extents(dimensions);
                equal_extents(&own[own.len() - extents.len()..], extents)?;
                let places = array.slice_places(dimensions);
                let array = Rc::make_mut(array);
                for (k, place) in places.into_iter().enumerate() {
                    array.words[place] = words[k % words.len()];
                }
                Ok(())
            }
            Value::List(fields) => {
                let mut fields = Rc::make_mut(fields).iter_mut().zip(value.fields());
                fields.try_for_each(|(field, value)| field.update_slice(dimensions, value))
            }
        }
    }

    /// Returns an array with its dimensions in another order: dimension k of the result is dimension `order[k]`. Other
    /// dimensions stay.
    pub fn perm(&self, order: &[u32]) -> Value {
        self.each(&mut |array| {
            let rank = array.extents.len();
            let from = (0..rank).map(|k| order.get(k).map_or(k, |&from| from as usize)).collect::<Vec<_>>();
            let extents = from.iter().map(|&k| array.extents[k]).collect::<Vec<_>>();
            let words = indices_below(&extents).into_iter().map(|indices| {
                let mut old = vec![0; rank];
                from.iter().zip(indices).for_each(|(&k, index)| old[k] = index);
                array.words[array.range(&old).start]
            });
            Ok(Value::array_of(extents.clone(), words.collect()))
        })
        .expect("the same elements")
    }

    /// Returns an array with other extents instead of its first `rank` ones.
    pub fn reshape(&self, rank: usize, new: &[u32]) -> Result<Value, Failure> {
        self.each(&mut |array| {
            let product = |extents: &[u32]| extents.iter().fold(1u64, |n, &extent| n.saturating_mul(extent.into()));
            for &n in new {
                checked_size(n)?;
            }
            if product(new) != product(&array.extents[..rank]) {
                return Err("the numbers of elements differ".to_string());
            }
            Ok(Value::array_of([new, &array.extents[rank..]].concat(), array.words.clone()))
        })
    }
}

/// Returns the extents and words of rows, a number having no extents.
fn parts(value: &Value) -> (&[u32], &[u32]) {
    match value {
        Value::Word(word) => (&[], std::slice::from_ref(word)),
        Value::Array(array) => (&array.extents, &array.words),
        Value::List(_) => panic!("a list where a number or an array of numbers belongs"),
    }
}

/// Returns all indices below some extents, the last index the fastest.
fn indices_below(extents: &[u32]) -> Vec<Vec<u32>> {
    extents.iter().fold(vec![Vec::new()], |all, &extent| {
        let longer = |indices: &Vec<u32>| (0..extent).map(|i| [indices.as_slice(), &[i]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// Applies a function of numbers to all elements. The ranks of arrays align at the right, and a value of lower rank is repeated.
pub fn elementwise<E>(
    values: &[Value],
    fail: impl Fn(Failure) -> E,
    mut f: impl FnMut(&[u32]) -> Result<u32, E>,
) -> Result<Value, E> {
    // Most operands are numbers.
    match *values {
        [Value::Word(a)] => return f(&[a]).map(Value::Word),
        [Value::Word(a), Value::Word(b)] => return f(&[a, b]).map(Value::Word),
        _ => {}
    }
    let shapes = values.iter().map(Value::extents).collect::<Vec<_>>();
    let longest = *shapes.iter().max_by_key(|extents| extents.len()).expect("an operand");
    for extents in &shapes {
        equal_extents(&longest[longest.len() - extents.len()..], extents).map_err(&fail)?;
    }
    let count = longest.iter().product::<u32>() as usize;
    let mut words = Vec::new();
    for at in 0..count {
        let operands = values.iter().map(|value| parts(value).1).map(|words| words[at % words.len()]);
        words.push(f(&operands.collect::<Vec<_>>())?);
    }
    Ok(if longest.is_empty() { Value::Word(words[0]) } else { Value::array_of(longest.to_vec(), words) })
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

/// Returns the bounds of a slice, if they are in range.
pub fn checked_range(low: u32, high: u32, extent: u32) -> Result<Dimension, Failure> {
    if low <= high && high <= extent {
        return Ok(Dimension::Range(low, high));
    }
    Err(format!("the range {}..{} is not in 0..{}", low as i32, high as i32, extent as i32))
}

/// Returns an extent that equals another.
pub fn checked_equal(a: u32, b: u32) -> Result<u32, Failure> {
    equal(a, b).map(|()| a)
}

impl Array {
    /// Returns the first word and the number of words of a row, of which some indices are given.
    fn range(&self, indices: &[u32]) -> Range<usize> {
        let (known, rest) = self.extents.split_at(indices.len());
        let at = known.iter().zip(indices).fold(0, |at, (&extent, &i)| at * extent as usize + i as usize);
        let length: usize = rest.iter().map(|&extent| extent as usize).product();
        at * length..(at + 1) * length
    }

    fn row(&self, indices: &[u32]) -> Value {
        let words = &self.words[self.range(indices)];
        match &self.extents[indices.len()..] {
            [] => Value::Word(words[0]),
            extents => Value::array_of(extents.to_vec(), words.to_vec()),
        }
    }

    /// Returns the bounds of a slice in each dimension.
    fn bounds(&self, dimensions: &[Dimension]) -> Vec<Range<u32>> {
        let bounds = |(k, &extent)| match dimensions.get(k) {
            None => 0..extent,
            Some(&Dimension::At(i)) => i..i + 1,
            Some(&Dimension::Range(low, high)) => low..high,
        };
        self.extents.iter().enumerate().map(bounds).collect()
    }

    fn slice_extents(&self, dimensions: &[Dimension]) -> Vec<u32> {
        let is_kept = |&(k, _): &(usize, Range<u32>)| !matches!(dimensions.get(k), Some(Dimension::At(_)));
        self.bounds(dimensions)
            .into_iter()
            .enumerate()
            .filter(is_kept)
            .map(|(_, bounds)| bounds.end - bounds.start)
            .collect()
    }

    /// Returns the number of each element of a slice.
    fn slice_places(&self, dimensions: &[Dimension]) -> Vec<usize> {
        let bounds = self.bounds(dimensions);
        let all = indices_below(&bounds.iter().map(|bounds| bounds.end - bounds.start).collect::<Vec<_>>());
        let place = |indices: Vec<u32>| {
            let indices = indices.iter().zip(&bounds).map(|(i, bounds)| i + bounds.start).collect::<Vec<_>>();
            self.range(&indices).start
        };
        all.into_iter().map(place).collect()
    }
}
