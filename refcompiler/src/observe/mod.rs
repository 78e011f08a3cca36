//! Observers of the pipeline: they see each table when its pass has ended.

pub mod check;
pub mod columns;
pub mod listing;
