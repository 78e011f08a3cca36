//! One run of a program: time and memory.
//!
//! The system reports the memory of a program's children only as the maximum of all children. Therefore each run is the
//! only child of a process of its own, which this program starts from its own executable.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// The first argument of the process that runs a program once.
pub const ONE_RUN: &str = "--one-run";

/// The resources that one run of a program used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The time from the start to the end.
    pub seconds: f64,
    /// The time of all cores together.
    pub cpu_seconds: f64,
    /// The part of this time that is spent in the program itself, and not in the system.
    pub user_seconds: f64,
    /// The largest memory of a process: of the program, or of one that it started. It is at least the memory of the
    /// process that starts the program.
    pub peak_bytes: Option<u64>,
}

impl Usage {
    fn line(&self) -> String {
        let peak_bytes = self.peak_bytes.unwrap_or(0);
        format!("{} {} {} {peak_bytes}", self.seconds, self.cpu_seconds, self.user_seconds)
    }

    fn parse(line: &str) -> Option<Usage> {
        let mut words = line.split_whitespace();
        let mut time = || words.next()?.parse::<f64>().ok();
        let (seconds, cpu_seconds, user_seconds) = (time()?, time()?, time()?);
        let peak_bytes = Some(words.next()?.parse().ok()?).filter(|&bytes| bytes > 0);
        words.next().is_none().then_some(Usage { seconds, cpu_seconds, user_seconds, peak_bytes })
    }
}

/// Runs a program once, in a process of its own. It reads the file `input`, or nothing.
///
/// # Errors
/// A message with the program's own messages if it fails.
pub fn run(program: &Path, arguments: &[OsString], folder: &Path, input: Option<&Path>) -> Result<Usage, String> {
    let shown = || format!("{} {}", program.display(), arguments.join(" ".as_ref()).display());
    let here = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let opened = input.map(|path| File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display())));
    let mut command = Command::new(here);
    command.current_dir(folder).arg(ONE_RUN).arg(program).args(arguments);
    command.stdin(opened.transpose()?.map_or_else(Stdio::null, Stdio::from));
    let finished = command.output().map_err(|e| format!("cannot run `{}`: {e}", shown()))?;
    if !finished.status.success() {
        return Err(format!("`{}` failed: {}", shown(), String::from_utf8_lossy(&finished.stderr).trim()));
    }
    let line = String::from_utf8_lossy(&finished.stdout);
    Usage::parse(&line).ok_or_else(|| format!("`{}` was not measured: {line:?}", shown()))
}

/// The process that [`run`] starts: runs a program once and prints its time and memory.
pub fn one_run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = arguments.next() else {
        eprintln!("no program to run");
        return ExitCode::FAILURE;
    };
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status();
    let seconds = start.elapsed().as_secs_f64();
    match status {
        Ok(status) if status.success() => {
            let (user_seconds, system_seconds, peak_bytes) = used_by_children();
            let cpu_seconds = user_seconds + system_seconds;
            println!("{}", Usage { seconds, cpu_seconds, user_seconds, peak_bytes }.line());
            ExitCode::SUCCESS
        }
        Ok(status) => {
            eprintln!("{status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the seconds of all cores, in programs and in the system, and the peak memory of the children that have ended.
#[cfg(unix)]
fn used_by_children() -> (f64, f64, Option<u64>) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;

    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    // Apple's systems count bytes, all others kibibytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or((0.0, 0.0, None), |usage| {
        let peak = u64::try_from(usage.max_rss()).ok().filter(|&peak| peak > 0);
        (seconds(usage.user_time()), seconds(usage.system_time()), peak.map(|peak| peak * unit))
    })
}

#[cfg(not(unix))]
fn used_by_children() -> (f64, f64, Option<u64>) {
    (0.0, 0.0, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_survives_its_line() {
        for peak_bytes in [None, Some(123_456_789)] {
            let usage = Usage { seconds: 0.012_345_678_9, cpu_seconds: 1e-6, user_seconds: 1e-7, peak_bytes };
            assert_eq!(Usage::parse(&usage.line()), Some(usage));
        }
    }

    #[test]
    fn other_lines_are_no_usage() {
        for line in ["", "1.0", "1.0 2.0 3.0", "a b c d", "1 2 3 4 5", "1 2 3 -4"] {
            assert_eq!(Usage::parse(line), None, "{line}");
        }
    }
}
