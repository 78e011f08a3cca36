//! The computer that runs a measurement.

use std::process::Command;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// The computer's properties that affect measurements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's model name.
    pub processor: String,
    /// The number of cores available to the program.
    pub cores: usize,
    /// The memory's size in bytes.
    pub memory_bytes: u64,
    /// The operating system and architecture.
    pub system: String,
    /// The GPU and its driver, if one is measured.
    pub gpu: Option<String>,
}

impl Host {
    /// Returns the current computer, without its GPU.
    pub fn here() -> Host {
        Host {
            processor: line("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_bytes("MemTotal").unwrap_or(0),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            gpu: None,
        }
    }

    /// Returns a description in one line.
    pub fn text(&self) -> String {
        let gpu = self.gpu.as_ref().map_or(String::new(), |gpu| format!(", {gpu}"));
        let gib = self.memory_bytes as f64 / f64::from(1 << 30);
        format!("{}, {} cores, {gib:.0} GiB, {}{gpu}", self.processor, self.cores, self.system)
    }
}

/// The name of the stand-in for a GPU.
pub const STAND_IN: &str = treepar_stand_in::NAME;

/// Returns whether this name of a GPU is that of the stand-in, on which no time is a measurement.
pub fn is_stand_in(gpu: &str) -> bool {
    gpu.starts_with(STAND_IN)
}

/// Processor time in ticks since the computer and this process started.
#[derive(Clone, Copy)]
struct Ticks {
    /// The time of one core, idle or busy.
    elapsed: f64,
    /// The busy time of all cores.
    busy: f64,
    /// The time used by this process.
    own: f64,
}

/// Measures how many cores other programs use.
pub struct OtherLoad(Option<Ticks>);

impl OtherLoad {
    /// Starts a measurement.
    pub fn start() -> OtherLoad {
        OtherLoad(Ticks::now())
    }

    /// Returns the average number of cores that other programs have used since the start, or `None` if that is unknown.
    pub fn cores(&self) -> Option<f64> {
        self.0?.others_until(Ticks::now()?)
    }
}

impl Ticks {
    fn now() -> Option<Ticks> {
        let read = |file| std::fs::read_to_string(file).ok();
        Ticks::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    /// Parses `/proc/stat` and `/proc/self/stat`.
    fn parse(system: &str, process: &str) -> Option<Ticks> {
        let mut lines = system.lines();
        let all: Vec<f64> = lines.next()?.strip_prefix("cpu ")?.split_whitespace().flat_map(str::parse).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        let all = all.get(..8)?;
        let cores = lines.take_while(|line| line.starts_with("cpu")).count();
        let total: f64 = all.iter().sum();
        // The process's name is in parentheses and may contain spaces. Times follow: own and children's, user and
        // system.
        let fields: Vec<&str> = process.rsplit_once(')')?.1.split_whitespace().collect();
        let own = fields.get(11..15)?.iter().flat_map(|field| field.parse::<f64>()).sum();
        Some(Ticks { elapsed: total / cores as f64, busy: total - all[3] - all[4], own })
    }

    fn others_until(self, end: Ticks) -> Option<f64> {
        let elapsed = end.elapsed - self.elapsed;
        let others = (end.busy - self.busy) - (end.own - self.own);
        (elapsed > 0.0).then(|| (others / elapsed).max(0.0))
    }
}

/// Returns the load average of the last minute: programs that run or wait for a core or a disk.
pub fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes of memory that are available to programs, if the system reports them.
pub fn available_bytes() -> Option<u64> {
    memory_bytes("MemAvailable")
}

fn memory_bytes(key: &str) -> Option<u64> {
    let kibibytes: u64 = line("/proc/meminfo", key)?.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the value of a key in a file of `key: value` lines.
fn line(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// Returns the current time in UTC.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// Returns the commit of the code: the value of `GIT_COMMIT` during the build, or the commit of the repository around
/// the current folder. The latter ends in `-dirty` if files have changed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_programs_load_excludes_this_process_and_idle_time() {
        let start =
            Ticks::parse("cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0\ncpu1 0\n", "1 (a) b) R 1 1 1 1 1 1 1 1 1 1 0 0 0 0 9");
        // In 100 ticks of two cores, 90 are idle and this process uses 60.
        let end = Ticks::parse(
            "cpu  40 10 50 80 10 4 5 1 0 0\ncpu0 0\ncpu1 0\nintr 7",
            "1 (a b) R 1 1 1 1 1 1 1 1 1 1 30 20 7 3 9",
        );
        let others = start.unwrap().others_until(end.unwrap()).unwrap();
        assert!((others - 0.5).abs() < 1e-9, "{others}");
    }
}
