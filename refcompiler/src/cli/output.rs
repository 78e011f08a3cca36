//! Writes files completely or not at all, and never over an input.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use refcompiler::object::Sink;
use same_file::Handle;

use super::interrupt;

/// The destination of output.
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file that is replaced when everything has been written.
    File(PathBuf),
    /// An existing device or pipe.
    Device(PathBuf),
}

/// The permissions of a new file, before the user's mask is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    File,
    Executable,
}

/// Returns the system's message for an error, without its number.
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
    /// Returns the destination that a path names. An error if it is one of the inputs.
    ///
    /// Files are compared by identity, so links to an input are found under any name.
    pub fn of(path: &Path, inputs: &[PathBuf]) -> Result<Destination, String> {
        let (destination, handle) = if path == Path::new("-") {
            (Destination::Stdout, Handle::stdout())
        } else {
            match fs::metadata(path) {
                Ok(there) if !there.is_file() && !there.is_dir() => return Ok(Destination::Device(path.to_path_buf())),
                _ => (Destination::File(path.to_path_buf()), Handle::from_path(path)),
            }
        };
        let Ok(handle) = handle.and_then(regular) else { return Ok(destination) };
        for input in inputs {
            let other = if input == Path::new("-") {
                Handle::stdin()
            } else if input.is_file() {
                Handle::from_path(input)
            } else {
                // Opening a pipe would wait for its writer.
                continue;
            };
            if other.is_ok_and(|other| other == handle) {
                let same = if path == input {
                    "an input".to_string()
                } else {
                    format!("the same file as {}", name(input, "the standard input"))
                };
                let output = name(path, "standard output");
                return Err(format!("cannot write {output}: it is {same}; choose another output with `-o`"));
            }
        }
        Ok(destination)
    }

    /// Writes all of `bytes`, as [`write_by`](Destination::write_by) does.
    pub fn write(&self, bytes: &[u8], permissions: Permissions) -> Result<(), String> {
        self.write_by(permissions, |out| out.write_all(bytes)).map(drop)
    }

    /// Writes what `write` writes, and returns the number of its bytes.
    ///
    /// A file is written under a temporary name in the same folder, then renamed. A reader of the old file sees it
    /// completely, and an error or an interrupt leaves it unchanged.
    pub fn write_by(
        &self,
        permissions: Permissions,
        write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
    ) -> Result<usize, String> {
        let mut bytes = 0;
        let write = |out: &mut dyn Write, new: Option<&File>| {
            let mut out = Out { out, new, bytes: &mut bytes };
            write(&mut out).and_then(|()| out.flush())
        };
        let (result, name) = match self {
            Destination::Stdout => (write(&mut io::stdout().lock(), None), "standard output".to_string()),
            Destination::Device(path) => {
                let file = fs::OpenOptions::new().write(true).open(path);
                (file.and_then(|mut file| write(&mut file, None)), format!("`{}`", path.display()))
            }
            Destination::File(path) => {
                let write = |file: &File| write(&mut &*file, Some(file));
                (replace(path, permissions, write), format!("`{}`", path.display()))
            }
        };
        match result {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("cannot write {name}: {}", reason(&error)))
            }
            _ => Ok(bytes),
        }
    }
}

/// Output whose bytes are counted.
pub struct Out<'a> {
    out: &'a mut dyn Write,
    /// The file that it is, if it is new.
    new: Option<&'a File>,
    bytes: &'a mut usize,
}

/// The bytes of a file that are worth a request to the system to reserve them.
#[cfg(target_os = "linux")]
const RESERVED_BYTES: u64 = 1 << 16;

impl Sink for Out<'_> {
    /// Reserves the bytes of a large new file. Without that, some file systems find room for a file when it replaces another one,
    /// and begin to write it to the disk, while the caller waits.
    #[cfg(target_os = "linux")]
    fn begin(&mut self, bytes: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match self.new {
            Some(file) if bytes >= RESERVED_BYTES => match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
                Err(error @ (Errno::NOSPC | Errno::DQUOT)) => Err(error.into()),
                // Not every file system can reserve bytes.
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn begin(&mut self, _bytes: u64) -> io::Result<()> {
        let _ = self.new;
        Ok(())
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        *self.bytes += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The inputs by identity, so that each output is compared with all of them at once.
pub struct Identities<'a> {
    inputs: HashMap<Identity, &'a PathBuf>,
    /// The standard input, if it is an input.
    stdin: Option<&'a PathBuf>,
    bytes: Vec<u64>,
}

/// Device and number of a file.
#[cfg(unix)]
type Identity = (u64, u64);
/// The name of a file without links.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_path: &Path, metadata: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _metadata: &fs::Metadata) -> Option<Identity> {
    path.canonicalize().ok()
}

impl<'a> Identities<'a> {
    /// Asks the system for the identity of each input. Inputs that do not exist have none.
    pub fn of(inputs: &'a [PathBuf]) -> Identities<'a> {
        let stdin = inputs.iter().find(|input| *input == Path::new("-"));
        let mut found = Identities { inputs: HashMap::new(), stdin, bytes: Vec::with_capacity(inputs.len()) };
        for input in inputs {
            let metadata = fs::metadata(input).ok().filter(|metadata| metadata.is_file() && input != Path::new("-"));
            found.bytes.push(metadata.as_ref().map_or(0, fs::Metadata::len));
            if let Some(identity) = metadata.and_then(|metadata| identity(input, &metadata)) {
                found.inputs.entry(identity).or_insert(input);
            }
        }
        found
    }

    /// Returns the bytes of input `k` if it is a file, else 0.
    pub fn bytes(&self, k: usize) -> u64 {
        self.bytes[k]
    }

    /// Returns the destination that a path names. An error if it is one of the inputs.
    pub fn destination(&self, path: &Path) -> Result<Destination, String> {
        let Ok(metadata) = fs::metadata(path) else { return Ok(Destination::File(path.to_path_buf())) };
        let same = identity(path, &metadata).and_then(|identity| self.inputs.get(&identity).copied());
        let suspects: Vec<PathBuf> = same.into_iter().chain(self.stdin).cloned().collect();
        Destination::of(path, &suspects)
    }
}

/// Returns the default output for an input: its name with another extension, in the current folder.
pub fn default_name(input: &Path, extension: &str) -> PathBuf {
    let stem = if input == Path::new("-") { Path::new("stdin") } else { input };
    PathBuf::from(stem.file_name().unwrap_or_default()).with_extension(extension)
}

/// Returns a path as a message prints it.
pub fn name(path: &Path, standard: &str) -> String {
    if path == Path::new("-") { standard.to_string() } else { format!("`{}`", path.display()) }
}

/// Refuses handles of terminals, pipes and devices: these may be input and output at once.
fn regular(handle: Handle) -> io::Result<Handle> {
    if handle.as_file().metadata()?.is_file() { Ok(handle) } else { Err(io::ErrorKind::Unsupported.into()) }
}

fn replace(path: &Path, permissions: Permissions, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".refc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system removes the bits of the user's mask.
        let mode = if permissions == Permissions::Executable { 0o777 } else { 0o666 };
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = permissions;
    let file = interrupt::create(|| builder.tempfile_in(folder))?;
    let temporary = file.path().to_path_buf();
    let replaced = write(file.as_file()).and_then(|()| file.persist(path).map(drop).map_err(|error| error.error));
    interrupt::finished(&temporary);
    // Asked only now, because each question is a system call.
    replaced.map_err(|error| if path.is_dir() { io::Error::other("it is a directory") } else { error })
}
