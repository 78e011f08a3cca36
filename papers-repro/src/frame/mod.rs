//! What every paper needs: machines, sweeps, records, plots, the report.

pub mod machines;
pub mod plot;
pub mod record;
pub mod report;
pub mod sweep;

pub use benches::failure;
