//! The invariants of a tree without composites: no composite type is left, and a variable is used after its declaration.

use super::{Broken, broken};
use crate::ir::kinds::{Kind, Type};
use crate::pipeline::columns::Columns;

/// Kinds that the pass `structs` replaces.
const REPLACED: [Kind; 7] =
    [Kind::Struct, Kind::Field, Kind::AssignField, Kind::Destructure, Kind::Zip, Kind::Unzip, Kind::Split];

/// Checks the table `structs`.
pub fn split(columns: &Columns) -> Result<(), Broken> {
    let kinds = columns.get::<Kind>("structs", "kind");
    let types = columns.get::<Type>("structs", "ty");
    let data = columns.get::<u32>("structs", "data");
    for i in 0..kinds.len() {
        if REPLACED.contains(&kinds[i]) || types[i].is_composite() {
            return broken(i, format!("it is about composites: {} of type {}", kinds[i].name(), types[i].code()));
        }
        if kinds[i].is_variable() {
            let declares = |kind| matches!(kind, Kind::Param | Kind::Declare | Kind::Count);
            let declaration = data[i] as usize;
            if declaration >= i || !declares(kinds[declaration]) {
                return broken(i, "it names no variable declared before it");
            }
        }
    }
    Ok(())
}
