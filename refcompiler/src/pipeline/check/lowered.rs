//! The invariants of a tree without arrays: only numbers are left, statements are where they belong, and a variable is used
//! after its declaration.

use super::{Broken, broken};
use crate::ir::kinds::{Kind, Type};
use crate::pipeline::columns::Columns;

/// Kinds that the pass `arrays` replaces.
const REPLACED: [Kind; 16] = [
    Kind::Array,
    Kind::Index,
    Kind::Update,
    Kind::Size,
    Kind::Replicate,
    Kind::New,
    Kind::NewLike,
    Kind::NewRows,
    Kind::Give,
    Kind::Truncate,
    Kind::Slice,
    Kind::UpdateSlice,
    Kind::Range,
    Kind::All,
    Kind::Shaped,
    Kind::Print,
];

/// Kinds of statements that this pass makes, besides blocks.
const STATEMENTS: [Kind; 5] = [Kind::Expression, Kind::Store, Kind::StoreByte, Kind::StoreShort, Kind::Return];

/// A node whose subtree has not ended.
struct Open {
    node: usize,
    /// The number of its children so far.
    children: u32,
    /// The kind of the last of them.
    last: Option<Kind>,
}

/// Checks the table of a pass: `arrays`, or one after it.
pub fn lowered(columns: &Columns, pass: &str) -> Result<(), Broken> {
    let depth = columns.get::<u32>(pass, "depth");
    let kinds = columns.get::<Kind>(pass, "kind");
    let types = columns.get::<Type>(pass, "ty");
    let data = columns.get::<u32>(pass, "data");
    let mut open: Vec<Open> = Vec::new();
    for i in 0..=kinds.len() {
        let level = depth.get(i).map_or(0, |&depth| depth as usize);
        if level > open.len() {
            return broken(i, "its depth is greater than that of its children");
        }
        while open.len() > level {
            ended(&kinds, &open.pop().expect("an open node"))?;
        }
        if i == kinds.len() {
            return Ok(());
        }
        let kind = kinds[i];
        if REPLACED.contains(&kind) || types[i].is_array() || types[i].is_narrow() {
            return broken(i, format!("it is about arrays: {} of type {}", kind.name(), types[i].text()));
        }
        if kind.is_variable() {
            let declaration = data[i] as usize;
            let declares = |kind| matches!(kind, Kind::Param | Kind::Declare | Kind::Count);
            if declaration >= i || !declares(kinds[declaration]) {
                return broken(i, "it names no variable declared before it");
            }
        }
        if let Some(above) = open.last_mut() {
            let around = kinds[above.node];
            let holds = matches!(around, Kind::Block | Kind::Sequence | Kind::Expression);
            if STATEMENTS.contains(&kind) && !holds {
                return broken(i, "it is a statement where a value belongs");
            }
            if around == Kind::Sequence && above.last.is_some_and(Kind::is_value) {
                return broken(i, "it comes after the value of a sequence");
            }
            above.children += 1;
            above.last = Some(kind);
        }
        open.push(Open { node: i, children: 0, last: None });
    }
    Ok(())
}

/// Checks the children of a node.
fn ended(kinds: &[Kind], &Open { node, children, last }: &Open) -> Result<(), Broken> {
    let expected = match kinds[node] {
        Kind::Address => 0..=0,
        Kind::Load | Kind::LoadByte | Kind::LoadShort => 1..=1,
        Kind::Store | Kind::StoreByte | Kind::StoreShort => 2..=2,
        Kind::CheckIndex | Kind::CheckSize | Kind::CheckEqual | Kind::CheckSlice => 2..=2,
        Kind::Sequence => 2..=u32::MAX,
        _ => 0..=u32::MAX,
    };
    if !expected.contains(&children) {
        return broken(node, format!("it has {children} children"));
    }
    match last {
        Some(last) if kinds[node] == Kind::Sequence && !last.is_value() => broken(node, "it ends without a value"),
        _ => Ok(()),
    }
}
