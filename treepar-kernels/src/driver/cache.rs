//! PTX of a user's own device functions, kept on disk between runs.
//!
//! A file is named by what it was compiled from and by what, and opens with its length and checksum. It is written
//! under another name and renamed, so that a reader sees all of it or none, also when two processes write it. What is
//! not as it was written is ignored and written again. The directory may be deleted at any time.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::status::Version;

/// A directory of compiled units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Nothing is kept where there is none.
    directory: Option<PathBuf>,
}

/// What a compiled unit was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The digest of its text.
    pub unit: u128,
    /// The version of the compiler.
    pub compiler: Version,
    /// The architecture that it was compiled for.
    pub architecture: &'a str,
    /// The options that it was compiled with.
    pub options: &'a str,
}

impl Cache {
    /// The user's ([`folder::of_user`](crate::folder::of_user)).
    pub fn of_user() -> Cache {
        Cache { directory: crate::folder::of_user() }
    }

    /// In a directory, which is made when something is kept.
    pub fn at(directory: impl Into<PathBuf>) -> Cache {
        Cache { directory: Some(directory.into()) }
    }

    /// What was kept for a key, if it is whole.
    pub fn get(&self, key: &Key<'_>) -> Option<String> {
        let text = fs::read_to_string(self.directory.as_ref()?.join(file_name(key))).ok()?;
        let (first, ptx) = text.split_once('\n')?;
        (first == header(key, ptx)).then(|| ptx.to_owned())
    }

    /// Keeps what was compiled. A cache that cannot be written is no error: it is compiled again next time.
    pub fn put(&self, key: &Key<'_>, ptx: &str) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(directory) = &self.directory else { return };
        let path = directory.join(file_name(key));
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{}-{count}.tmp", std::process::id()));
        let write = || {
            fs::create_dir_all(directory)?;
            let mut file = fs::File::create_new(&draft)?;
            writeln!(file, "{}", header(key, ptx))?;
            file.write_all(ptx.as_bytes())?;
            drop(file);
            fs::rename(&draft, &path)
        };
        if write().is_err() {
            let _ = fs::remove_file(&draft);
        }
    }
}

fn file_name(key: &Key<'_>) -> String {
    format!("{:032x}-nvrtc{}-{}.ptx", key.unit, key.compiler, key.architecture)
}

/// The first line of a file, a comment of PTX.
fn header(key: &Key<'_>, ptx: &str) -> String {
    format!("// treepar 1, {}, {} bytes, checksum {:016x}", key.options, ptx.len(), checksum(ptx.as_bytes()))
}

/// FNV-1a: against disks and interrupted writes, not against people.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key<'static> =
        Key { unit: 0x17, compiler: Version { major: 12, minor: 4 }, architecture: "compute_75", options: "-a -b" };
    const PTX: &str = ".version 8.4\n.target sm_75\n";

    fn files(cache: &Cache) -> Vec<PathBuf> {
        let directory = cache.directory.as_ref().unwrap();
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("made/when/needed"));
        assert_eq!(cache.get(&KEY), None);
        cache.put(&KEY, PTX);
        assert_eq!(cache.get(&KEY).as_deref(), Some(PTX));
        let name = "00000000000000000000000000000017-nvrtc12.4-compute_75.ptx";
        assert_eq!(files(&cache), [cache.directory.as_ref().unwrap().join(name)]);
    }

    #[test]
    fn each_part_of_a_key_counts() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.put(&KEY, PTX);
        for other in [
            Key { unit: 0x18, ..KEY },
            Key { compiler: Version { major: 12, minor: 5 }, ..KEY },
            Key { architecture: "compute_90", ..KEY },
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
        cache.put(&KEY, PTX);
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[], &[0xff; 40], &flipped] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.get(&KEY), None);
            cache.put(&KEY, PTX);
            assert_eq!(cache.get(&KEY).as_deref(), Some(PTX));
        }
    }

    #[test]
    fn readers_and_writers_at_once_see_all_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let text = PTX.repeat(2000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        cache.put(&KEY, &text);
                        // On Windows a file that is being read cannot be replaced, and the old one is as good.
                        assert_eq!(cache.get(&KEY).as_deref(), Some(text.as_str()));
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
            cache.put(&KEY, PTX);
            assert_eq!(cache.get(&KEY), None);
        }
    }
}
