//! Writing files whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where output goes.
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file that is replaced when all is written.
    File(PathBuf),
    /// Something that is there and is no regular file: a device, a pipe.
    Device(PathBuf),
}

/// The rights that a new file gets, less those that the user masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    File,
    Executable,
}

/// What the system says of an error, without its number.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            text[..end].to_lowercase()
        }
    }
}

impl Destination {
    /// The destination that a path names.
    pub fn of(path: &Path) -> Destination {
        if path == Path::new("-") {
            return Destination::Stdout;
        }
        match fs::metadata(path) {
            Ok(there) if !there.is_file() && !there.is_dir() => Destination::Device(path.to_path_buf()),
            _ => Destination::File(path.to_path_buf()),
        }
    }

    /// Writes all of `bytes`.
    ///
    /// A file is written under a name of its own in the same folder, and renamed when it is whole: whoever reads the
    /// old one meanwhile sees it whole, and an error or an interrupt leaves it as it was.
    pub fn write(&self, bytes: &[u8], permissions: Permissions) -> Result<(), String> {
        let (result, name) = match self {
            Destination::Stdout => {
                let mut out = io::stdout().lock();
                (out.write_all(bytes).and_then(|()| out.flush()), "standard output".to_string())
            }
            Destination::Device(path) => {
                let write = || {
                    let mut file = fs::OpenOptions::new().write(true).open(path)?;
                    file.write_all(bytes)?;
                    file.flush()
                };
                (write(), path.display().to_string())
            }
            Destination::File(path) => (replace(path, bytes, permissions), path.display().to_string()),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(format!("cannot write `{name}`: {}", reason(&error))),
            Ok(()) => Ok(()),
        }
    }
}

fn replace(path: &Path, bytes: &[u8], permissions: Permissions) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".refc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away what the user masks.
        let mode = if permissions == Permissions::Executable { 0o777 } else { 0o666 };
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = permissions;
    let mut file = builder.tempfile_in(folder)?;
    remove_on_interrupt(file.path());
    file.write_all(bytes)?;
    file.flush()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What a shell shows for a program ended by SIGINT.
const STATUS_INTERRUPTED: i32 = 130;

/// Lets an interrupt remove an unfinished file.
fn remove_on_interrupt(path: &Path) {
    let path = path.to_path_buf();
    // Where no handler can be set, an interrupt at the wrong moment leaves the file under its own name.
    let _ = ctrlc::set_handler(move || {
        let _ = fs::remove_file(&path);
        std::process::exit(STATUS_INTERRUPTED);
    });
}
