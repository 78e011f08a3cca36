//! Files of results, and the options of programs that record times.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::host::{Host, commit, now};
use crate::idle::{Conditions, Observer};

/// The options of a program that records times.
#[derive(clap::Args)]
pub struct Options {
    /// Write the results to this file as CSV, unless the machine is busy
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Wait up to this many seconds for idle cores before recording
    #[arg(long, value_name = "SECONDS", default_value_t = 0, requires = "record")]
    wait: u64,

    /// Record even if the machine is busy; the record says so
    #[arg(long, requires = "record")]
    allow_busy: bool,
}

impl Options {
    /// Starts to observe the machine. Before a record, waits until it is idle.
    ///
    /// # Errors
    /// There is no folder for the record, or the machine stays busy.
    pub fn observe(&self, program: &str) -> Result<Observer, String> {
        let folder =
            self.record.as_ref().and_then(|path| path.parent()).filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(format!("cannot write a record: there is no folder `{}`", folder.display()));
        }
        let start = Instant::now();
        let mut said = false;
        loop {
            let observer = Observer::start();
            if self.record.is_none() {
                return Ok(observer);
            }
            match observer.conditions().admit(self.allow_busy) {
                Ok(_) => return Ok(observer),
                Err(refusal) if start.elapsed() >= Duration::from_secs(self.wait) => return Err(refusal),
                Err(_) if said => {}
                Err(_) => {
                    eprintln!("{program}: waiting up to {} s for idle cores", self.wait);
                    said = true;
                }
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Prints the conditions, and writes the record if one is wanted: the lines of [`head`], and rows as CSV.
    ///
    /// # Errors
    /// The machine was busy, or the file cannot be written.
    pub fn write(
        &self,
        program: &str,
        observer: &Observer,
        properties: &[(&str, String)],
        csv: &str,
    ) -> Result<(), String> {
        let conditions = observer.conditions();
        eprintln!("{program}: {}", conditions.text());
        let Some(path) = &self.record else { return Ok(()) };
        let objections = conditions.admit(self.allow_busy)?;
        write_whole(path, (head(properties, &conditions, &objections) + csv).as_bytes())
    }
}

/// Returns the lines before the rows of a record, which help to judge it. `objections` is empty if the machine was
/// idle.
pub fn head(properties: &[(&str, String)], conditions: &Conditions, objections: &[String]) -> String {
    let machine = if objections.is_empty() { "idle".to_string() } else { format!("BUSY: {}", objections.join("; ")) };
    let first = [("date", now()), ("commit", commit()), ("host", Host::here().text())];
    let last = [("conditions", conditions.text()), ("machine", machine)];
    first.iter().chain(properties).chain(&last).map(|(key, value)| format!("# {key}: {value}\n")).collect()
}

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
