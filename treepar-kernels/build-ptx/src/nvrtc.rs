//! Which NVRTC makes the PTX that is committed: one version, the same for everyone.

use treepar_kernels::driver::{OLDEST_ARCHITECTURE, Version, compile, compiler_version};
use treepar_kernels::machine::Result;

use crate::failure::Failure;

/// The version whose PTX is committed: its ISA, 8.0, is the oldest of CUDA 12.
pub const VERSION: Version = Version { major: 12, minor: 0 };

/// The oldest architecture that the kernels live with.
pub const ARCHITECTURE: &str = OLDEST_ARCHITECTURE;

/// Fails where NVRTC is missing, or is another version than [`VERSION`].
pub fn ready() -> std::result::Result<(), Failure> {
    match compiler_version() {
        Some(VERSION) => Ok(()),
        Some(other) => Err(Failure::Nvrtc { found: other.to_string(), needed: VERSION.to_string() }),
        None => Err(Failure::NoNvrtc),
    }
}

/// The PTX of a unit's source.
pub fn ptx(unit: &str, source: &str) -> Result<String> {
    compile(unit, source, ARCHITECTURE)
}
