//! What every paper needs: sweeps, statistics, records, plots, the report.

pub mod machine;
pub mod plot;
pub mod record;
pub mod report;
pub mod statistics;
pub mod sweep;
