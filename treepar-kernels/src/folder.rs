//! The cache directory for compiled kernels.

use std::ffi::OsStr;
use std::path::PathBuf;

use etcetera::BaseStrategy;

/// Returns the user's cache directory: `TREEPAR_CACHE` if it is set, or none if it is empty. Otherwise it is `treepar` in the
/// system's cache directory (`$XDG_CACHE_HOME`, `~/.cache`, `~/Library/Caches`, `%LOCALAPPDATA%`).
pub fn of_user() -> Option<PathBuf> {
    named_by(std::env::var_os("TREEPAR_CACHE").as_deref(), || {
        etcetera::base_strategy::choose_native_strategy().ok().map(|base| base.cache_dir())
    })
}

/// Returns the directory from a variable, or, if it is not set, one in the system's cache directory.
pub fn named_by(variable: Option<&OsStr>, caches: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    match variable {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None => caches().map(|caches| caches.join("treepar")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_precedes_the_system() {
        let system = || Some(PathBuf::from("caches"));
        assert_eq!(named_by(None, system), Some(PathBuf::from("caches").join("treepar")));
        assert_eq!(named_by(Some(OsStr::new("mine")), system), Some(PathBuf::from("mine")));
        assert_eq!(named_by(Some(OsStr::new("")), system), None);
        assert_eq!(named_by(None, || None), None);
    }
}
