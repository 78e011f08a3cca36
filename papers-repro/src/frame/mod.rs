//! The parts shared by all papers.
//!
//! ```text
//! options   the options of a measurement
//! backends  the backends to measure
//! sweep     runs measurements, with progress and interruption
//! record    the measurements as JSON
//! report    the report as HTML
//! plot      its plots
//! ```

pub mod backends;
pub mod options;
pub mod plot;
pub mod record;
pub mod report;
pub mod sweep;
