//! The papers: how each is measured, reported and compared.

use crate::claims::{Claim, Measured};
use crate::frame::backends::{Backends, Timed};
use crate::frame::record::Record;
use crate::frame::report::Section;
use crate::frame::sweep::Sweep;
use crate::{key, l0, lms, pareas, vector_pascal};

/// The way in which a paper is measured.
pub enum Experiments {
    /// The Key paper's trees, on each backend.
    Key,
    /// The Pareas thesis's programs, on each backend.
    Pareas,
    /// Programs in Par, which run on this machine and on the simulator.
    Programs(fn(&mut Sweep) -> Result<(), String>),
}

/// A paper.
pub struct Paper {
    /// The short name: of its command, its record and its section.
    pub short: &'static str,
    /// The name.
    pub name: &'static str,
    /// The author and the year, if it is known.
    pub author: &'static str,
    /// The measurements.
    pub experiments: Experiments,
    /// Returns the section of a record.
    pub section: fn(&Record) -> Section,
    /// Returns the measured value of a claim.
    pub measured: fn(&Record, &Claim) -> Option<Measured>,
    /// Returns the result of the rerun, in one sentence.
    pub headline: fn(&Record) -> String,
}

impl Paper {
    /// Returns whether this program itself is timed, and not an executable that refc writes.
    pub fn has_own_times(&self) -> bool {
        !matches!(self.experiments, Experiments::Programs(_))
    }
}

/// The papers, in the order of the report.
pub const PAPERS: [Paper; 5] = [
    Paper {
        short: "key",
        name: "Key",
        author: "Hsu",
        experiments: Experiments::Key,
        section: key::report::section,
        measured: key::claims::measured,
        headline: key::claims::headline,
    },
    Paper {
        short: "pareas",
        name: "Pareas",
        author: "Huijben 2021",
        experiments: Experiments::Pareas,
        section: pareas::report::section,
        measured: pareas::claims::measured,
        headline: pareas::claims::headline,
    },
    Paper {
        short: "l0",
        name: "L0",
        author: "Henriksen 2014",
        experiments: Experiments::Programs(l0::measure),
        section: l0::report::section,
        measured: l0::report::measured,
        headline: l0::report::headline,
    },
    Paper {
        short: "lms",
        name: "LMS",
        author: "Rompf and others",
        experiments: Experiments::Programs(lms::measure),
        section: lms::report::section,
        measured: lms::report::measured,
        headline: lms::report::headline,
    },
    Paper {
        short: "vector-pascal",
        name: "Vector Pascal",
        author: "Cockshott",
        experiments: Experiments::Programs(vector_pascal::measure),
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
    match paper.experiments {
        Experiments::Key => key::measure(sweep, backends),
        Experiments::Pareas => pareas::measure(sweep, backends),
        Experiments::Programs(measure) => measure(sweep),
    }
}
