//! Settings of a device, and their text form.

use std::sync::Arc;

use treepar_executor::Machine;

/// The variable that names the settings of the library's device.
const VARIABLE: &str = "TREEPAR_STAND_IN";

/// The properties of a device of the stand-in.
///
/// The text form is a list of settings, separated by commas. A setting that is not listed has its default.
///
/// | setting | meaning | default |
/// |---|---|---|
/// | `multiprocessors=N` | multiprocessors | 4 |
/// | `blocks=N` | blocks that one multiprocessor runs at a time | 2 |
/// | `memory=N` | bytes of memory | 4294967296 |
/// | `seed=N` | the order in which warps run | 0 |
/// | `turn=N` | instructions of a warp until another one may continue | 256 |
/// | `patience=N` | instructions without an effect after which a launch counts as a deadlock | 33554432 |
/// | `limit=N` | instructions of warps after which a launch is too long | |
/// | `races` | find races in shared memory | |
/// | `lanes` | run the lanes of a diverged warp in any order | |
/// | `stores` | deliver stores late and in any order, as far as fences allow | |
/// | `loads` | let loads return older values, as far as fences allow | |
/// | `unwritten` | allow reads of memory that nothing has written | |
/// | `uncounted` | do not count sectors and conflicts of banks | |
/// | `at-once` | do work when it is queued, not when something waits for it | |
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine that runs kernels: multiprocessors, resident blocks, modes and seed.
    pub machine: Machine,
    /// The bytes of its memory.
    pub memory: u64,
    /// `true` if work waits in the queue of its stream until something waits for the stream.
    pub queues: bool,
    /// A change of the text of each module before it is loaded, such as a planted fault.
    pub rewrite: Option<Rewrite>,
}

/// A change of PTX.
#[derive(Clone)]
pub struct Rewrite(Arc<dyn Fn(&str) -> String + Send + Sync>);

impl Rewrite {
    /// Returns the change that a function makes.
    pub fn new(change: impl Fn(&str) -> String + Send + Sync + 'static) -> Rewrite {
        Rewrite(Arc::new(change))
    }

    /// Returns the changed text.
    pub fn of(&self, ptx: &str) -> String {
        (self.0)(ptx)
    }
}

impl std::fmt::Debug for Rewrite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rewrite")
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { machine: Machine::default(), memory: 4 << 30, queues: true, rewrite: None }
    }
}

impl Settings {
    /// Returns the settings that `TREEPAR_STAND_IN` names; the defaults if it is not set.
    ///
    /// # Errors
    /// As `parse`, and if the variable is not text.
    pub fn of_environment() -> Result<Settings, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => text.parse().map_err(|error| format!("{VARIABLE}: {error}")),
            Err(std::env::VarError::NotPresent) => Ok(Settings::default()),
            Err(error) => Err(format!("{VARIABLE}: {error}")),
        }
    }
}

/// Returns the number of a setting.
fn number<N: TryFrom<u64>>(name: &str, value: Option<&str>, least: u64) -> Result<N, String> {
    let value = value.ok_or_else(|| format!("`{name}` needs a number: {name}=4"))?;
    let number = value.parse::<u64>().ok().filter(|&number| number >= least);
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| format!("`{name}={value}`: `{value}` is no number from {least} on that fits"))
}

/// Returns `true` for a setting without a value.
fn switch(name: &str, value: Option<&str>) -> Result<bool, String> {
    if value.is_some() { Err(format!("`{name}` takes no value")) } else { Ok(true) }
}

impl std::str::FromStr for Settings {
    type Err = String;

    /// Reads the text form.
    ///
    /// # Errors
    /// The setting that is unknown, or whose number is missing, superfluous or out of range.
    fn from_str(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for setting in text.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) = match setting.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (setting, None),
            };
            let machine = &mut settings.machine;
            let mode = &mut machine.mode;
            match name {
                "multiprocessors" => machine.multiprocessors = number(name, value, 1)?,
                "blocks" => machine.resident_blocks = number(name, value, 1)?,
                "memory" => settings.memory = number(name, value, 0)?,
                "seed" => machine.seed = number(name, value, 0)?,
                "turn" => machine.turn = number(name, value, 1)?,
                "patience" => machine.patience = number(name, value, 1)?,
                "limit" => machine.limit = number(name, value, 1)?,
                "races" => mode.races = switch(name, value)?,
                "lanes" => mode.independent_lanes = switch(name, value)?,
                "stores" => mode.late_stores = switch(name, value)?,
                "loads" => mode.early_loads = switch(name, value)?,
                "unwritten" => mode.unwritten_reads = !switch(name, value)?,
                "uncounted" => mode.counts = !switch(name, value)?,
                "at-once" => settings.queues = !switch(name, value)?,
                _ => return Err(format!("`{name}` is no setting")),
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn settings_are_read_from_text() {
        let read: Settings =
            "multiprocessors=3, blocks=1,seed=18446744073709551615,races,lanes,,at-once".parse().unwrap();
        assert_eq!((read.machine.multiprocessors, read.machine.resident_blocks), (3, 1));
        assert_eq!(read.machine.seed, u64::MAX);
        assert!(read.machine.mode.races && read.machine.mode.independent_lanes && !read.machine.mode.late_stores);
        assert!(!read.queues && read.machine.mode.unwritten_reads);
        let read: Settings = "stores,loads,unwritten,uncounted,memory=0,turn=1,patience=9,limit=8".parse().unwrap();
        assert!(read.machine.mode.late_stores && read.machine.mode.early_loads);
        assert!(read.queues && !read.machine.mode.unwritten_reads && !read.machine.mode.counts);
        assert_eq!((read.memory, read.machine.turn, read.machine.patience, read.machine.limit), (0, 1, 9, 8));
    }

    #[test]
    fn settings_that_are_wrong_are_named() {
        let wrong = |text: &str| text.parse::<Settings>().unwrap_err();
        assert_eq!(wrong("races,colour"), "`colour` is no setting");
        assert_eq!(wrong("blocks"), "`blocks` needs a number: blocks=4");
        assert_eq!(wrong("blocks=0"), "`blocks=0`: `0` is no number from 1 on that fits");
        assert_eq!(wrong("blocks=4294967296"), "`blocks=4294967296`: `4294967296` is no number from 1 on that fits");
        assert_eq!(wrong("seed=-1"), "`seed=-1`: `-1` is no number from 0 on that fits");
        assert_eq!(wrong("races=1"), "`races` takes no value");
    }
}
