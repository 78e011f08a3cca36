//! `@list`: names of inputs in a file, one per line.
//!
//! White space around a name is removed. Empty lines and lines that begin with `#` name nothing. There are no quotes or
//! escapes, so a name can contain any other character. A list cannot name a list.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::output::{name, reason};

/// The line that named each file of a list, for messages.
#[derive(Debug, Default)]
pub struct Origins(HashMap<PathBuf, String>);

impl Origins {
    /// Returns the file's name as a message prints it, with the list and the line that contain it.
    pub fn name(&self, file: &Path) -> String {
        let origin = self.0.get(file).map_or("", String::as_str);
        format!("{}{origin}", name(file, "`<stdin>`"))
    }

    /// Replaces each `@list` by the names in the list. `@-` is a list from standard input.
    pub fn expand(&mut self, files: &mut Vec<PathBuf>) -> Result<(), String> {
        let mut expanded = Vec::with_capacity(files.len());
        for file in files.drain(..) {
            match list_name(&file) {
                Some(list) => self.read(&list, &mut expanded)?,
                None => expanded.push(file),
            }
        }
        *files = expanded;
        Ok(())
    }

    fn read(&mut self, list: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
        let shown = name(list, "standard input");
        let mut bytes = Vec::new();
        let read = if list == Path::new("-") {
            io::stdin().lock().read_to_end(&mut bytes).map(drop)
        } else {
            std::fs::read(list).map(|read| bytes = read)
        };
        read.map_err(|error| format!("cannot read the list {shown}: {}", reason(&error)))?;
        for (line, text) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let text = text.trim_ascii();
            if text.is_empty() || text[0] == b'#' {
                continue;
            }
            let origin = format!("line {} of {shown}", line + 1);
            let path = path(text).ok_or_else(|| format!("{origin} is not the name of a file"))?;
            if list == Path::new("-") && path == Path::new("-") {
                return Err(format!("{origin} names standard input, which contains the list"));
            }
            self.0.entry(path.clone()).or_insert(format!(" ({origin})"));
            files.push(path);
        }
        Ok(())
    }
}

/// Returns the file of `@file`.
fn list_name(file: &Path) -> Option<PathBuf> {
    let bytes = file.as_os_str().as_encoded_bytes().strip_prefix(b"@")?;
    path(bytes)
}

/// Returns the path that some bytes of a list or of the command line name, if they can name one.
#[cfg(unix)]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    (!bytes.is_empty() && !bytes.contains(&0)).then(|| OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty() && !text.contains('\0'))?;
    Some(OsStr::new(text).into())
}
