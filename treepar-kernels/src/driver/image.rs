//! Images: compiled units that a device can load, and their architectures.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// A compiled unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// The PTX, which has the parameters of the entries.
    pub(super) ptx: String,
    /// The binary, if it is loaded instead of the PTX.
    pub(super) cubin: Option<Vec<u8>>,
}

/// A target architecture: 75 is compute capability 7.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Architecture {
    /// `compute_75`: PTX, for devices of this capability and newer ones.
    Virtual(u32),
    /// `sm_75`: a binary, for devices of this capability and newer ones of its major version.
    Real(u32),
}

/// The name of a virtual architecture without its number.
const VIRTUAL: &str = "compute_";
/// The name of a real one without its number.
const REAL: &str = "sm_";

impl Architecture {
    /// Returns the extension of its files.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Architecture::Virtual(_) => "ptx",
            Architecture::Real(_) => "cubin",
        }
    }
}

impl Display for Architecture {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Architecture::Virtual(number) => write!(f, "{VIRTUAL}{number}"),
            Architecture::Real(number) => write!(f, "{REAL}{number}"),
        }
    }
}

impl FromStr for Architecture {
    type Err = ();

    fn from_str(name: &str) -> std::result::Result<Architecture, ()> {
        let after = |prefix| name.strip_prefix(prefix)?.parse().ok();
        let architecture = after(VIRTUAL).map(Architecture::Virtual);
        architecture.or_else(|| after(REAL).map(Architecture::Real)).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::Architecture::{self, Real, Virtual};

    #[test]
    fn names_of_architectures_are_read_and_written() {
        for (architecture, name) in [(Virtual(75), "compute_75"), (Real(120), "sm_120")] {
            assert_eq!((architecture.to_string().as_str(), name.parse()), (name, Ok(architecture)));
        }
        for name in ["", "75", "sm_", "sm_90a", "compute_-1"] {
            assert_eq!(name.parse::<Architecture>(), Err(()), "{name}");
        }
    }
}
