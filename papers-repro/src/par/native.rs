//! Processor time of executables on this machine.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::frame::sweep::Sweep;

/// An executable in a folder of its own, which is removed with it.
pub struct Native {
    path: PathBuf,
    _folder: TempDir,
}

/// A run that has ended.
pub struct Ran {
    /// The output.
    pub output: String,
    /// The processor time in seconds, or the elapsed time if the system does not report it.
    pub seconds: f64,
}

/// The processor time that all repetitions of a measurement take, at least, in seconds: in short measurements, and in others.
const LONG_ENOUGH: [f64; 2] = [0.02, 0.1];

/// The most repetitions of a measurement.
const MOST: u64 = 1 << 24;

impl Native {
    /// Writes an executable.
    ///
    /// # Errors
    /// The reason why it cannot be written.
    pub fn of_bytes(bytes: &[u8]) -> Result<Native, String> {
        let native = Native::new()?;
        let error = |error| format!("cannot write `{}`: {error}", native.path.display());
        std::fs::write(&native.path, bytes).map_err(error)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&native.path, std::fs::Permissions::from_mode(0o700)).map_err(error)?;
        }
        Ok(native)
    }

    /// Returns an executable that does not exist yet: a compiler writes it.
    ///
    /// # Errors
    /// The reason why there is no folder for it.
    pub fn new() -> Result<Native, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot create a folder: {error}"))?;
        Ok(Native { path: folder.path().join("program"), _folder: folder })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs the executable.
    ///
    /// # Errors
    /// The message of a program that fails.
    pub fn run(&self, input: &str) -> Result<Ran, String> {
        let failed = |error| format!("cannot run `{}`: {error}", self.path.display());
        let start = Instant::now();
        let mut child = Command::new(&self.path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        // A program that ends without reading all input closes the pipe, which is not an error.
        child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
        let mut output = String::new();
        child.stdout.take().map(|mut stdout| stdout.read_to_string(&mut output)).transpose().map_err(failed)?;
        let elapsed = start.elapsed().as_secs_f64();
        // The program has closed its output, so it has ended or does so at once.
        let seconds = processor_seconds(child.id()).unwrap_or(elapsed);
        let mut errors = String::new();
        child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut errors)).transpose().map_err(failed)?;
        let status = child.wait().map_err(failed)?;
        if !status.success() {
            return Err(format!("`{}` ended with {status}: {errors}", self.path.display()));
        }
        Ok(Ran { output, seconds })
    }

    /// Measures the seconds of one repetition, in each of the runs that the options request. `input` returns the input for a number
    /// of repetitions. Returns the output of a run with one repetition too.
    ///
    /// # Errors
    /// As [`Native::run`].
    pub fn measure(&self, sweep: &Sweep, input: impl Fn(u64) -> String) -> Result<(String, Vec<f64>), String> {
        let output = self.run(&input(1))?.output;
        let [short, long] = LONG_ENOUGH;
        let least = if sweep.options.quick { short } else { long };
        let empty = || self.run(&input(0)).map(|ran| ran.seconds);
        let start = empty()?;
        let mut times = 1;
        loop {
            let taken = self.run(&input(times))?.seconds - start;
            if taken >= least || times >= MOST {
                break;
            }
            // At most 16 times as many, since short times are not precise.
            let wanted = (times as f64 * least * 1.2 / taken.max(1e-4)).ceil() as u64;
            times = wanted.clamp(times + 1, times * 16);
        }
        let mut seconds = Vec::new();
        while seconds.len() < sweep.options.runs() && !sweep.is_interrupted() {
            let (before, with) = (empty()?, self.run(&input(times))?.seconds);
            seconds.push((with - before).max(0.0) / times as f64);
        }
        Ok((output, seconds))
    }
}

/// Returns the processor time of a process that has not been waited for, if the system reports it.
fn processor_seconds(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
