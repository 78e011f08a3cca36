//! Images for a device, from NVRTC or from the cache.
//!
//! | NVRTC | image |
//! |---|---|
//! | not newer than the driver | PTX, which the driver assembles |
//! | newer, of the driver's major version | a binary for the device, because the driver would refuse the PTX |
//! | of a newer major version, or none | from the cache, if the driver accepts it |

use super::cache::{Cache, Key};
use super::compile::{self, Compiler, Program};
use super::device::Device;
use super::image::{Architecture, Image};
use super::status::Version;
use crate::machine::{Error, Result, Unit};

/// A driver and a device that load images.
#[derive(Clone, Copy, Debug)]
struct Loader {
    driver: Version,
    capability: (u32, u32),
}

impl Loader {
    fn of(device: &Device) -> Loader {
        Loader { driver: device.driver_version(), capability: device.capability() }
    }

    /// Returns whether it accepts code from this compiler for this architecture.
    fn takes(self, compiler: Version, architecture: Architecture) -> bool {
        let (major, minor) = self.capability;
        match architecture {
            Architecture::Virtual(number) => compiler <= self.driver && number <= major * 10 + minor,
            Architecture::Real(number) => {
                compiler.major <= self.driver.major && number / 10 == major && number % 10 <= minor
            }
        }
    }

    /// Returns the target for a compiler with these architectures; `None` if no code of it is accepted.
    fn target(self, compiler: Version, known: &[u32]) -> Option<Architecture> {
        let ptx = compiler <= self.driver;
        let kind = if ptx { Architecture::Virtual } else { Architecture::Real };
        let taken = known.iter().map(|number| kind(*number)).filter(|it| self.takes(compiler, *it));
        taken.max().or_else(|| compile::OLDEST_ARCHITECTURE.parse().ok().filter(|_| ptx))
    }
}

/// Returns the image of a unit for a device. It comes from the cache, or is compiled and kept there.
///
/// # Errors
/// If the cache has none: [`Error::NoCompiler`] without a compiler, [`Error::CompilerTooNew`] if the driver accepts no code of
/// the compiler; [`Error::Source`] and [`Error::Compile`].
pub(super) fn image(unit: &dyn Unit, device: &Device, cache: &Cache, compiler: Option<Compiler>) -> Result<Image> {
    let loader = Loader::of(device);
    let options = compile::options();
    let found = compile::compiler(unit.name(), compiler).and_then(|(nvrtc, version)| {
        let target = loader.target(version, &nvrtc.architectures().unwrap_or_default());
        let (unit, found, driver) = (unit.name().to_owned(), version.to_string(), loader.driver.to_string());
        Ok((nvrtc, version, target.ok_or(Error::CompilerTooNew { unit, found, driver })?))
    });
    let (nvrtc, version, architecture) = match found {
        Ok(found) => found,
        Err(none) => {
            let kept = cache.find(unit.key(), &options, |compiler, kept| loader.takes(compiler, kept));
            return kept.ok_or(none);
        }
    };
    let key = Key { unit: unit.key(), compiler: version, architecture, options: &options };
    if let Some(image) = cache.get(&key) {
        return Ok(image);
    }
    let program = Program::compile(nvrtc, unit.name(), &unit.source()?, &architecture.to_string())?;
    let cubin = match architecture {
        Architecture::Virtual(_) => None,
        Architecture::Real(_) => Some(program.cubin()?),
    };
    let image = Image { ptx: program.ptx()?, cubin };
    cache.put(&key, &image);
    Ok(image)
}

#[cfg(test)]
mod tests {
    use Architecture::{Real, Virtual};

    use super::*;

    const KNOWN: &[u32] = &[52, 60, 75, 80, 86, 89, 90, 100, 120];

    fn version(major: u32, minor: u32) -> Version {
        Version { major, minor }
    }

    #[test]
    fn ptx_is_of_the_newest_architecture_that_both_know() {
        let target = |capability, known| Loader { driver: version(12, 4), capability }.target(version(12, 4), known);
        for (capability, number) in [((7, 5), 75), ((8, 7), 86), ((9, 0), 90), ((12, 1), 120)] {
            assert_eq!(target(capability, KNOWN), Some(Virtual(number)));
        }
        assert_eq!(target((9, 0), &[]), Some(Virtual(75)), "a compiler that does not say");
    }

    #[test]
    fn a_newer_compiler_makes_a_binary_within_one_major_version() {
        let target = |capability, compiler| Loader { driver: version(12, 4), capability }.target(compiler, KNOWN);
        assert_eq!(target((8, 7), version(12, 5)), Some(Real(86)));
        assert_eq!(target((9, 0), version(12, 9)), Some(Real(90)));
        assert_eq!(target((7, 2), version(12, 9)), None, "no binary of another architecture runs");
        assert_eq!(target((9, 0), version(13, 0)), None);
        assert_eq!(target((9, 0), version(11, 8)), Some(Virtual(90)));
    }

    #[test]
    fn loaded_code_is_not_newer_than_driver_and_device() {
        let loader = Loader { driver: version(12, 4), capability: (8, 6) };
        for (compiler, architecture, taken) in [
            (version(12, 4), Virtual(86), true),
            (version(12, 0), Virtual(75), true),
            (version(12, 5), Virtual(75), false),
            (version(12, 4), Virtual(89), false),
            (version(12, 9), Real(86), true),
            (version(12, 9), Real(80), true),
            (version(12, 9), Real(75), false),
            (version(12, 9), Real(89), false),
            (version(13, 0), Real(86), false),
        ] {
            assert_eq!(loader.takes(compiler, architecture), taken, "{compiler} {architecture}");
        }
    }
}
