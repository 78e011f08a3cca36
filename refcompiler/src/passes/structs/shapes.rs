//! The composite types of a program as one column: the leaves of each type, and where each field begins among them.
//!
//! ```text
//! struct P { x: int, data: [float] }    leaves of P      int  [float]     field 0 begins at 0, field 1 at 1
//! [(P, int)]                            its leaves       [int]  [[float]]  [int]
//! ```
//!
//! A leaf is a number or an array of numbers. Its rank is the sum of the ranks around it. The column has six words for each type:
//! the number of leaves, four positions in the column, and the number of dimensions. The positions are of its leaves' types, of its
//! leaves that are arrays, of its fields, and of its text, the characters and leaves that `print` writes.

use treepar::device::device;

use crate::ir::kinds::Type;
use crate::ir::tree::Composite;

/// Words of a type.
const HEAD: u32 = 6;
/// The offsets of these words.
const LEAVES: u32 = 0;
const TYPES: u32 = 1;
const ARRAYS: u32 = 2;
const FIELDS: u32 = 3;
const TEXT: u32 = 4;
const RANK: u32 = 5;
/// Is set in an item of a text that is a character, not a leaf.
const CHARACTER: u32 = 1 << 31;

/// Returns the types of the leaves of a type, given the leaves of all composite types before it.
fn leaves_of(ty: Type, known: &[Vec<Type>]) -> Vec<Type> {
    if ty.is_composite() { known[ty.composite() as usize].clone() } else { vec![ty] }
}

/// Returns the leaves of each composite type.
pub fn leaf_types(composites: &[Composite]) -> Vec<Vec<Type>> {
    let mut known: Vec<Vec<Type>> = Vec::new();
    for composite in composites {
        let fields = composite.fields.iter().flat_map(|field| leaves_of(Type::from_code(field.ty), &known));
        let leaves = fields.map(|leaf| leaf.array(leaf.rank() + composite.rank)).collect();
        known.push(leaves);
    }
    known
}

/// Appends the text of a value in the syntax of literals: characters, and leaves from `leaf` on.
fn text(ty: Type, leaf: &mut u32, composites: &[Composite], items: &mut Vec<u32>) {
    let composite = if ty.is_composite() { composites.get(ty.composite() as usize) } else { None };
    let Some(composite) = composite.filter(|composite| composite.rank == 0) else {
        items.push(*leaf);
        *leaf += 1;
        return;
    };
    let (open, close) = if composite.name.is_empty() { ("(", ")") } else { ("[", "]") };
    let characters = |text: &str| text.bytes().map(|byte| CHARACTER | byte as u32).collect::<Vec<u32>>();
    items.extend(characters(&composite.name));
    items.extend(characters(open));
    for (k, field) in composite.fields.iter().enumerate() {
        if k > 0 {
            items.extend(characters(", "));
        }
        text(Type::from_code(field.ty), leaf, composites, items);
    }
    items.extend(characters(close));
}

/// Returns the column.
pub fn shapes(composites: &[Composite]) -> Vec<u32> {
    let known = leaf_types(composites);
    let mut words = vec![0; HEAD as usize * composites.len()];
    for (k, composite) in composites.iter().enumerate() {
        let head = HEAD as usize * k;
        words[head + LEAVES as usize] = known[k].len() as u32;
        words[head + RANK as usize] = composite.rank;
        words[head + TYPES as usize] = words.len() as u32;
        // A variable for a narrow number is an int.
        words.extend(known[k].iter().map(|leaf| leaf.of_value().code() as u32));
        words[head + ARRAYS as usize] = words.len() as u32;
        let arrays: Vec<u32> = (0..).zip(&known[k]).filter(|(_, leaf)| leaf.is_array()).map(|(g, _)| g).collect();
        words.push(arrays.len() as u32);
        words.extend(arrays);
        let mut items = Vec::new();
        text(Type::of_composite(k as u32), &mut 0, composites, &mut items);
        words[head + TEXT as usize] = words.len() as u32;
        words.push(items.len() as u32);
        words.extend(items);
        words[head + FIELDS as usize] = words.len() as u32;
        let mut first = 0;
        for field in &composite.fields {
            words.push(first);
            first += leaves_of(Type::from_code(field.ty), &known).len() as u32;
        }
    }
    words
}

/// Returns a word of a composite type.
#[device]
fn word(ty: Type, which: u32, shapes: &[u32]) -> u32 {
    shapes[(HEAD * ty.composite() + which) as usize]
}

/// Returns the number of leaves of a type: 1 of numbers and arrays of numbers.
#[device]
pub fn leaves(ty: Type, shapes: &[u32]) -> u32 {
    if ty.is_composite() {
        return word(ty, LEAVES, shapes);
    }
    (ty != Type::Void) as u32
}

/// Returns the number of dimensions of a composite type: 0 of a struct or a tuple.
#[device]
pub fn rank(ty: Type, shapes: &[u32]) -> u32 {
    word(ty, RANK, shapes)
}

/// Returns the type of leaf `g`.
#[device]
pub fn leaf_type(ty: Type, g: u32, shapes: &[u32]) -> Type {
    if ty.is_composite() { Type::from_code(shapes[(word(ty, TYPES, shapes) + g) as usize] as u8) } else { ty }
}

/// Returns the number of leaves of a composite type that are arrays.
#[device]
pub fn arrays(ty: Type, shapes: &[u32]) -> u32 {
    shapes[word(ty, ARRAYS, shapes) as usize]
}

/// Returns the leaf that is array `a` among them.
#[device]
pub fn array_leaf(ty: Type, a: u32, shapes: &[u32]) -> u32 {
    shapes[(word(ty, ARRAYS, shapes) + 1 + a) as usize]
}

/// Returns the first leaf of a field.
#[device]
pub fn field_leaf(ty: Type, field: u32, shapes: &[u32]) -> u32 {
    shapes[(word(ty, FIELDS, shapes) + field) as usize]
}

/// Returns the number of items of the text of a composite type.
#[device]
pub fn text_length(ty: Type, shapes: &[u32]) -> u32 {
    shapes[word(ty, TEXT, shapes) as usize]
}

/// Returns item `k` of the text, or the end of the line after all items.
#[device]
pub fn text_item(ty: Type, k: u32, shapes: &[u32]) -> u32 {
    if k == text_length(ty, shapes) {
        return CHARACTER | 10;
    }
    shapes[(word(ty, TEXT, shapes) + 1 + k) as usize]
}

/// Returns whether an item is a character.
#[device]
pub fn is_character(item: u32) -> bool {
    item & CHARACTER != 0
}

/// Returns the character of an item.
#[device]
pub fn character(item: u32) -> u32 {
    item & !CHARACTER
}
