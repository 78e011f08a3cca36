//! The papers: how each is measured, reported and compared.

use crate::claims::{Claim, Measured};
use crate::frame::backends::{Backends, Timed};
use crate::frame::record::Record;
use crate::frame::report::Section;
use crate::frame::sweep::Sweep;
use crate::{key, l0, lms, pareas, vector_pascal};

/// A paper.
pub struct Paper {
    /// The short name: of its command, its record and its section.
    pub short: &'static str,
    /// The name.
    pub name: &'static str,
    /// Returns the section of a record.
    pub section: fn(&Record) -> Section,
    /// Returns the measured value of a claim.
    pub measured: fn(&Record, &Claim) -> Option<Measured>,
    /// Returns what was found, in one sentence.
    pub headline: fn(&Record) -> String,
}

/// The papers, in the order of the report.
pub const PAPERS: [Paper; 5] = [
    Paper {
        short: "key",
        name: "Key",
        section: key::report::section,
        measured: key::report::measured,
        headline: key::report::headline,
    },
    Paper {
        short: "pareas",
        name: "Pareas",
        section: pareas::report::section,
        measured: pareas::claims::measured,
        headline: pareas::claims::headline,
    },
    Paper {
        short: "l0",
        name: "L0",
        section: l0::report::section,
        measured: l0::report::measured,
        headline: l0::report::headline,
    },
    Paper {
        short: "lms",
        name: "LMS",
        section: lms::report::section,
        measured: lms::report::measured,
        headline: lms::report::headline,
    },
    Paper {
        short: "vector-pascal",
        name: "Vector Pascal",
        section: vector_pascal::report::section,
        measured: vector_pascal::report::measured,
        headline: vector_pascal::report::headline,
    },
];

/// Measures a paper.
///
/// # Errors
/// The reason why a measurement failed.
pub fn measure<G: Timed>(paper: &Paper, sweep: &mut Sweep, backends: &Backends<G>) -> Result<(), String> {
    match paper.short {
        "key" => key::measure(sweep, backends),
        "pareas" => pareas::measure(sweep, backends),
        "l0" => l0::measure(sweep),
        "lms" => lms::measure(sweep),
        _ => vector_pascal::measure(sweep),
    }
}
