//! Files of results.

use std::io::Write;
use std::path::Path;

/// Writes a file completely or not at all: it writes a temporary file first and then renames it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot write `{}`: {error}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    let file = file.persist(path).map_err(|error| failed(error.error))?;
    // Temporary files are readable only by their owner; results should be readable by everyone.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644)).map_err(failed)?;
    }
    drop(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_whole(&path, b"before").unwrap();
        write_whole(&path, b"after").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"after");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = write_whole(Path::new("/nowhere/at/all.json"), b"").unwrap_err();
        assert!(error.contains("/nowhere/at/all.json"), "{error}");
    }
}
