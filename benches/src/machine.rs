//! The machine that is measured.

use std::process::Command;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// What a reader must know to compare figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Operating system and architecture.
    pub system: String,
    /// GPU and driver, where there is one.
    pub gpu: Option<String>,
}

impl Machine {
    /// The machine at hand.
    pub fn here() -> Machine {
        Machine {
            processor: line("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_bytes("MemTotal").unwrap_or(0),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            gpu: None,
        }
    }

    /// In a line.
    pub fn text(&self) -> String {
        let gpu = self.gpu.as_ref().map_or(String::new(), |gpu| format!(", {gpu}"));
        let gib = self.memory_bytes as f64 / f64::from(1 << 30);
        format!("{}, {} cores, {gib:.0} GiB, {}{gpu}", self.processor, self.cores, self.system)
    }
}

/// Bytes of memory that nothing uses, where the system tells.
pub fn available_bytes() -> Option<u64> {
    memory_bytes("MemAvailable")
}

fn memory_bytes(key: &str) -> Option<u64> {
    let kibibytes: u64 = line("/proc/meminfo", key)?.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// What a file of keys and values has for a key.
fn line(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The time, in UTC.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The commit of the code: the one that `GIT_COMMIT` named when this was built, else that of the repository in which it
/// runs, which ends in `-dirty` where files differ from it.
pub fn commit() -> String {
    let built = option_env!("GIT_COMMIT").filter(|commit| !commit.is_empty());
    built.map_or_else(commit_here, str::to_string)
}

fn commit_here() -> String {
    let git = Command::new("git").args(["describe", "--always", "--dirty", "--exclude", "*"]).output();
    git.ok()
        .filter(|output| output.status.success())
        .map_or_else(|| "unknown".into(), |output| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
