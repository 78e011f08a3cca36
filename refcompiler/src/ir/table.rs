//! Tables as the pipeline shows them to observers.

use treepar::Backend;
use treepar::device::ColumnVisitor;

/// The columns that a pass leaves.
pub trait Table<B: Backend> {
    /// Shows each column with its name to a visitor, in order.
    fn visit(&self, visitor: &mut impl ColumnVisitor<B>);
}

/// Implements [`Table`] for structs of columns, by the visitor of `#[device(columns)]`.
macro_rules! tables {
    ($($name:ident),*) => {
        $(impl<B: treepar::Backend> $crate::ir::table::Table<B> for $name<B> {
            fn visit(&self, visitor: &mut impl treepar::device::ColumnVisitor<B>) {
                $name::visit(self, visitor);
            }
        })*
    };
}
pub(crate) use tables;
