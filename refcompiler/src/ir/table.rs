//! Tables: structs of columns that can show each column with its name.

use treepar::{Backend, Element, Result};

/// Sees the columns of a table one by one.
pub trait Visitor<B: Backend> {
    /// Sees one column.
    fn column<T: Element>(&mut self, name: &'static str, column: &B::Vec<T>) -> Result<()>;
}

/// A struct of columns on a backend.
pub trait Table<B: Backend> {
    /// Shows each column to a visitor, in order.
    fn visit(&self, visitor: &mut impl Visitor<B>) -> Result<()>;
}

/// Declares a table: a field `name: T` is a column of `T`.
macro_rules! table {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$meta])*
        pub struct $name<B: treepar::Backend> {
            $($(#[$doc])* pub $field: B::Vec<$ty>,)*
        }

        impl<B: treepar::Backend> $crate::ir::table::Table<B> for $name<B> {
            fn visit(&self, visitor: &mut impl $crate::ir::table::Visitor<B>) -> treepar::Result<()> {
                $(visitor.column(stringify!($field), &self.$field)?;)*
                Ok(())
            }
        }
    };
}
pub(crate) use table;
