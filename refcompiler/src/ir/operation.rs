//! A row with the registers and offsets of its instructions.

use treepar::device::device;

use super::kinds::{Kind, Role, Type};
use super::rows::RowId;

/// The offset of a value that is not in memory. Offsets in memory are multiples of 4.
pub const NO_OFFSET: u32 = u32::MAX;

/// In [`Operation::memory`]: the left operand is spilled.
pub const LEFT: u8 = 1;
/// The right operand is spilled.
pub const RIGHT: u8 = 2;
/// The value is stored.
pub const STORE: u8 = 4;

/// A row with its registers and offsets.
#[device]
pub struct Operation {
    /// The kind.
    pub kind: Kind,
    /// The type of the operands, or of the value without operands.
    pub ty: Type,
    /// The use of the value.
    pub role: Role,
    /// The values in memory: bits `LEFT`, `RIGHT` and `STORE`.
    pub memory: u8,
    /// The register of the left or only operand when the operation begins.
    pub left: u8,
    /// The register of the right operand.
    pub right: u8,
    /// The register for the value. If the value has no register, this is `source`.
    pub destination: u8,
    /// The register that holds the value after the operation.
    pub source: u8,
    /// The offset from sp at which the left operand is spilled, or [`NO_OFFSET`].
    pub left_at: u32,
    /// The offset of the right operand.
    pub right_at: u32,
    /// The offset at which the value is stored.
    pub store_at: u32,
    /// LITERAL: bits. CALL: function id. DECLARE, NAME, ASSIGN, ADDRESS: offset of the variable from the upper end of its frame.
    /// LOAD, STORE: distance from the address.
    pub data: u32,
    /// `aux` of the row: often the number of static links from here to the variable or to the callee's frame.
    pub hops: u32,
    /// The row to jump to.
    pub target: RowId,
}
