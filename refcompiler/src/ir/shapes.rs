//! The shapes of types: the rank, whether a type has no array, and the type of its elements.

use treepar::device::device;

use super::kinds::Type;
use super::tree::Composite;

/// The bit of a shape that says that a type has no array. The bits below are the rank, those above the type of an element.
const FLAT: u32 = 256;

/// Returns the shape of each type by its code: its rank, whether it has no array, and the type of its elements.
pub fn shapes(composites: &[Composite]) -> Vec<u32> {
    let shape = |rank: u32, is_flat: bool, element: u8| {
        rank | if is_flat && rank == 0 { FLAT } else { 0 } | (element as u32) << 16
    };
    let number = |code| Type::from_code(code);
    let mut shapes: Vec<u32> =
        (0..128).map(|code| shape(number(code).rank(), true, number(code).element().code())).collect();
    for composite in composites {
        // Fields have types of earlier rows.
        let is_flat = composite.fields.iter().all(|field| shapes[field.ty as usize] & FLAT != 0);
        let is_element =
            |other: &Composite| other.rank == 0 && other.name == composite.name && other.fields == composite.fields;
        let element = composites.iter().position(is_element).map_or(0, |row| Type::of_composite(row as u32).code());
        shapes.push(shape(composite.rank, is_flat, element));
    }
    shapes.resize(256, 0);
    shapes
}

/// Returns the rank of a node's type, whether it has no array, and the type of its elements.
#[device(map)]
pub fn shape(i: usize, types: &[Type], shapes: &[u32]) -> (u32, u32, Type) {
    let shape = shapes[types[i].code() as usize];
    (shape & 255, (shape >> 8) & 1, Type::from_code((shape >> 16) as u8))
}
