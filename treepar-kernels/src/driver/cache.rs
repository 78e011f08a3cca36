//! A cache on disk of units that NVRTC compiled.
//!
//! A file's name contains the unit's key, the compiler and the architecture; its first line the length and a checksum. A file
//! is written under another name and renamed, so that a reader sees all of it or nothing, even if two processes write it. A
//! damaged file is ignored and replaced. The directory may be deleted at any time.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::image::{Architecture, Image};
use super::status::Version;

/// A directory of compiled units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Without a directory, nothing is kept.
    directory: Option<PathBuf>,
}

/// The key of a compiled unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<'a> {
    /// The unit's key.
    pub(super) unit: u128,
    /// The version of the compiler.
    pub(super) compiler: Version,
    /// The target architecture.
    pub(super) architecture: Architecture,
    /// The compiler's options.
    pub(super) options: &'a str,
}

impl Cache {
    /// Returns the cache in the user's directory ([`folder::of_user`](crate::folder::of_user)).
    pub fn of_user() -> Cache {
        Cache { directory: crate::folder::of_user() }
    }

    /// Returns a cache in a directory, which is created when it is first written.
    pub fn at(directory: impl Into<PathBuf>) -> Cache {
        Cache { directory: Some(directory.into()) }
    }

    /// Returns the image with a key, unless its file is missing or damaged.
    pub(super) fn get(&self, key: &Key<'_>) -> Option<Image> {
        let bytes = fs::read(self.directory.as_ref()?.join(file_name(key))).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (first, rest) = (&bytes[..end], &bytes[end + 1..]);
        // PTX contains no zero byte: one separates it from the binary.
        let (ptx, cubin) = match rest.iter().position(|byte| *byte == 0) {
            Some(end) => (&rest[..end], Some(rest[end + 1..].to_vec())),
            None => (rest, None),
        };
        let image = Image { ptx: String::from_utf8(ptx.to_vec()).ok()?, cubin };
        (first == header(key, rest).as_bytes()).then_some(image)
    }

    /// Returns an undamaged image of a unit from any compiler with these options that is `fit`: the one with the newest
    /// architecture, and among these with the newest compiler.
    pub(super) fn find(&self, unit: u128, options: &str, fit: impl Fn(Version, Architecture) -> bool) -> Option<Image> {
        let files = fs::read_dir(self.directory.as_ref()?).ok()?;
        let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let mut kept: Vec<_> = names.filter_map(|name| made_by(unit, &name)).collect();
        kept.retain(|(architecture, compiler)| fit(*compiler, *architecture));
        kept.sort_unstable();
        let keys = kept.into_iter().rev().map(|(architecture, compiler)| Key { unit, compiler, architecture, options });
        keys.into_iter().find_map(|key| self.get(&key))
    }

    /// Writes an image. If that fails, the unit is compiled again next time.
    pub(super) fn put(&self, key: &Key<'_>, image: &Image) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(directory) = &self.directory else { return };
        let path = directory.join(file_name(key));
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut rest = image.ptx.clone().into_bytes();
        if let Some(cubin) = &image.cubin {
            rest.push(0);
            rest.extend(cubin);
        }
        let draft = path.with_extension(format!("{}-{count}.tmp", std::process::id()));
        let write = || {
            fs::create_dir_all(directory)?;
            let mut file = fs::File::create_new(&draft)?;
            writeln!(file, "{}", header(key, &rest))?;
            file.write_all(&rest)?;
            drop(file);
            fs::rename(&draft, &path)
        };
        if write().is_err() {
            let _ = fs::remove_file(&draft);
        }
    }
}

fn file_name(key: &Key<'_>) -> String {
    format!("{:032x}-nvrtc{}-{}.{}", key.unit, key.compiler, key.architecture, key.architecture.suffix())
}

/// Returns the architecture and the compiler in the name of a file with this unit.
fn made_by(unit: u128, name: &str) -> Option<(Architecture, Version)> {
    let (version, architecture) = name.strip_prefix(&format!("{unit:032x}-nvrtc"))?.split_once('-')?;
    let (major, minor) = version.split_once('.')?;
    let (architecture, _) = architecture.split_once('.')?;
    let compiler = Version { major: major.parse().ok()?, minor: minor.parse().ok()? };
    Some((architecture.parse().ok()?, compiler))
}

/// Returns the first line of a file, a comment of PTX.
fn header(key: &Key<'_>, rest: &[u8]) -> String {
    format!("// treepar 1, {}, {} bytes, checksum {:016x}", key.options, rest.len(), checksum(rest))
}

/// Computes FNV-1a, which protects against faulty disks and interrupted writes only.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key<'static> = Key {
        unit: 0x17,
        compiler: Version { major: 12, minor: 4 },
        architecture: Architecture::Virtual(75),
        options: "-a -b",
    };

    fn text() -> Image {
        Image { ptx: ".version 8.4\n.target sm_75\n".to_owned(), cubin: None }
    }

    fn files(cache: &Cache) -> Vec<PathBuf> {
        let directory = cache.directory.as_ref().unwrap();
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("made/when/needed"));
        assert_eq!(cache.get(&KEY), None);
        cache.put(&KEY, &text());
        assert_eq!(cache.get(&KEY), Some(text()));
        let name = "00000000000000000000000000000017-nvrtc12.4-compute_75.ptx";
        assert_eq!(files(&cache), [cache.directory.as_ref().unwrap().join(name)]);
    }

    #[test]
    fn a_binary_is_kept_beside_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let key = Key { architecture: Architecture::Real(90), ..KEY };
        let image = Image { cubin: Some(vec![0x7f, b'\n', 0, 0xff, 0]), ..text() };
        cache.put(&KEY, &text());
        cache.put(&key, &image);
        assert_eq!((cache.get(&key), cache.get(&KEY)), (Some(image), Some(text())));
        assert!(folder.path().join("00000000000000000000000000000017-nvrtc12.4-sm_90.cubin").exists());
    }

    #[test]
    fn what_any_compiler_made_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let image = |name: &str| Image { ptx: name.to_owned(), cubin: None };
        let version = |minor| Version { major: 12, minor };
        for (number, minor) in [(75, 9), (80, 2), (80, 10), (86, 1), (90, 0)] {
            let key = Key { architecture: Architecture::Virtual(number), compiler: version(minor), ..KEY };
            cache.put(&key, &image(&format!("{number} {minor}")));
        }
        cache.put(&Key { unit: 0x18, ..KEY }, &image("another unit"));
        fs::write(folder.path().join("00000000000000000000000000000017-nvrtc.ptx"), "no version").unwrap();
        let find = |most| {
            let fit = |_, architecture| architecture <= Architecture::Virtual(most);
            cache.find(KEY.unit, KEY.options, fit).map(|image| image.ptx)
        };
        assert_eq!(find(90).as_deref(), Some("90 0"));
        assert_eq!(find(80).as_deref(), Some("80 10"), "the newest compiler, as a number");
        assert_eq!(find(70), None);
        let damaged = Key { architecture: Architecture::Virtual(80), compiler: version(10), ..KEY };
        fs::write(folder.path().join(file_name(&damaged)), "").unwrap();
        assert_eq!(find(80).as_deref(), Some("80 2"));
        assert_eq!(cache.find(KEY.unit, "-a", |_, _| true), None, "other options");
        assert_eq!(Cache { directory: None }.find(KEY.unit, KEY.options, |_, _| true), None);
    }

    #[test]
    fn each_part_of_a_key_counts() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.put(&KEY, &text());
        for other in [
            Key { unit: 0x18, ..KEY },
            Key { compiler: Version { major: 12, minor: 5 }, ..KEY },
            Key { architecture: Architecture::Virtual(90), ..KEY },
            Key { architecture: Architecture::Real(75), ..KEY },
            Key { options: "-a", ..KEY },
        ] {
            assert_eq!(cache.get(&other), None, "{other:?}");
        }
    }

    #[test]
    fn what_is_damaged_is_ignored_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let path = folder.path().join(file_name(&KEY));
        cache.put(&KEY, &text());
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[], &[0xff; 40], &flipped] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.get(&KEY), None);
            cache.put(&KEY, &text());
            assert_eq!(cache.get(&KEY), Some(text()));
        }
    }

    #[test]
    fn readers_and_writers_at_once_see_all_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let long = Image { ptx: text().ptx.repeat(2000), cubin: None };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        cache.put(&KEY, &long);
                        // On Windows a file that is being read cannot be replaced, and the old one is as good.
                        assert_eq!(cache.get(&KEY).as_ref(), Some(&long));
                    }
                });
            }
        });
        assert_eq!(files(&cache).len(), 1, "drafts are left behind");
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, "").unwrap();
        for cache in [Cache::at(file.join("below")), Cache { directory: None }] {
            cache.put(&KEY, &text());
            assert_eq!(cache.get(&KEY), None);
        }
    }
}
