//! The effects of the functions of a program, which optimisations ask about at calls.

use treepar::Backend;
use treepar::device::device;

use super::nodes::FunctionId;
use super::table::tables;

/// The effects of a function.
#[device(columns(Effects, index = FunctionId))]
pub struct Effect {
    /// 1 for a nested function. A call of it may change variables of the functions around it.
    pub is_nested: u32,
    /// 1 for a function that may consume an argument.
    pub consumes: u32,
    /// 1 for a function that only computes a number from numbers, and ends.
    pub is_pure: u32,
}

impl<B: Backend> Effects<B> {
    /// Returns the effects of no function.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn none(backend: &B) -> treepar::Result<Effects<B>> {
        Ok(Effects { is_nested: backend.allocate(0)?, consumes: backend.allocate(0)?, is_pure: backend.allocate(0)? })
    }
}

tables!(Effects);
