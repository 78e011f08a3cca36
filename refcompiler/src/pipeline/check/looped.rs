//! The invariants of a tree without operations on whole arrays: none is left, and a variable is used after its declaration.

use super::{Broken, broken};
use crate::ir::kinds::{ACCESSES, ELEMENTWISE, Kind, Kinds, Type, WITH_LAMBDA};
use crate::ir::multiloops::OF_MULTILOOPS;
use crate::pipeline::columns::Columns;

/// Kinds that the pass `loops` replaces.
const REPLACED: Kinds = WITH_LAMBDA.union(OF_MULTILOOPS).union(Kinds::of(&[Kind::Lambda, Kind::Where]));

/// Kinds of operations on numbers.
const OF_NUMBERS: Kinds = ELEMENTWISE.union(ACCESSES);

/// Checks the table `loops`.
pub fn looped(columns: &Columns) -> Result<(), Broken> {
    let kinds = columns.get::<Kind>("loops", "kind");
    let types = columns.get::<Type>("loops", "ty");
    let data = columns.get::<u32>("loops", "data");
    for (i, &kind) in kinds.iter().enumerate() {
        let is_number = matches!(types[i], Type::Int | Type::Float | Type::Void);
        if REPLACED.contains(kind) || (OF_NUMBERS.contains(kind) && !is_number) {
            return broken(i, format!("it is about whole arrays: {} of type {}", kind.name(), types[i].text()));
        }
        if kind.is_variable() {
            let declaration = data[i] as usize;
            if declaration >= i || !matches!(kinds[declaration], Kind::Param | Kind::Declare | Kind::Count) {
                return broken(i, "it names no variable declared before it");
            }
        }
    }
    Ok(())
}
