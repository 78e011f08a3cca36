//! The instructions that compute each lane by itself, as a table: names, operands, and the function of one lane.
//!
//! A name that begins with `@` is not an instruction of PTX, but a part of one.

mod bits;
mod compare;
mod convert;
mod convert_float;
mod float;
mod float32;
mod integer;
mod select;

use super::registers::{Kind, Lane, Registers, each_lane};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Greatest number of operands that a row reads.
pub(crate) const OPERANDS: usize = 4;

/// Computes all lanes of a mask: registers, destination, sources, mask.
pub(crate) type Run = fn(&mut Registers, u32, &[u32; OPERANDS], u32);

/// An instruction that computes each lane by itself.
pub(crate) struct Row {
    pub names: &'static [&'static str],
    pub run: Run,
    pub to: Kind,
    pub from: &'static [Kind],
}

/// Returns the row with a name.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    static ROWS: OnceLock<HashMap<&str, &Row>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let tables = [bits::ROWS, compare::ROWS, convert::ROWS, convert_float::ROWS, float::ROWS, float32::ROWS];
        let all =
            tables.into_iter().chain([integer::ROWS, select::ROWS]).flat_map(|table| table.iter().copied().flatten());
        all.flat_map(|row| row.names.iter().map(move |&name| (name, row))).collect()
    });
    rows.get(name).copied()
}

/// Makes rows of `names => (operands) -> type { function of one lane };`.
macro_rules! rows {
    ($($($name:expr),+ => ($($arg:ident: $from:ty),*) -> $to:ty $body:block)*) => {
        &[$({
            fn run(registers: &mut Registers, to: u32, from: &[u32; OPERANDS], mask: u32) {
                let values = {
                    let mut next = from.iter();
                    $(let $arg = <$from as Lane>::column(registers, next.next().copied().unwrap_or_default());)*
                    each_lane::<$to>(|lane| {
                        $(let $arg = <$from as Lane>::get($arg, lane);)*
                        $body
                    })
                };
                <$to as Lane>::put(registers, to, mask, &values);
            }
            Row { names: &[$($name),+], run, to: <$to as Lane>::KIND, from: &[$(<$from as Lane>::KIND),*] }
        }),*]
    };
}
use rows;
