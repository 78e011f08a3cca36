//! The names that most programs use: `use treepar::prelude::*;`.

pub use crate::ancestor::Of;
pub use crate::backend::Later;
pub use crate::backend::ScanKind::{self, Exclusive, Inclusive};
pub use crate::depth::{Depths, NO_NODE, Parents};
pub use crate::device::device;
pub use crate::monoid::{And, Max, Min, Or, Product, Sum, Xor};
pub use crate::{Backend, Column, Cpu};
