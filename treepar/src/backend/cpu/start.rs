//! The core that a new thread begins on.
//!
//! Some systems start a thread on the core of the thread that started it, even if other cores are idle, and move it only after some
//! milliseconds. Many programs are compiled by then. So a new thread that finds itself on that core goes to another one. After that the
//! system is free to move it as before.

#[cfg(all(target_os = "linux", not(miri)))]
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The core of a thread that starts others.
#[derive(Clone, Copy)]
#[cfg(all(target_os = "linux", not(miri)))]
pub struct Core(usize);

#[cfg(all(target_os = "linux", not(miri)))]
impl Core {
    /// Returns the core of the calling thread.
    pub fn current() -> Core {
        Core(sched_getcpu())
    }

    /// Moves the calling thread, the `index`-th of those that share work, away from this core. The cores that the process may use
    /// take turns. An error of the system leaves the thread where it is.
    pub fn leave(self, index: usize) {
        if sched_getcpu() != self.0 {
            return;
        }
        let Ok(allowed) = sched_getaffinity(None) else { return };
        let Some(core) = self.another(&allowed, index) else { return };
        let mut only = CpuSet::new();
        only.set(core);
        if sched_setaffinity(None, &only).is_ok() {
            let _ = sched_setaffinity(None, &allowed);
        }
    }

    /// Returns the allowed core `index` places after this one, in a circle; `None` if that is this core.
    fn another(self, allowed: &CpuSet, index: usize) -> Option<usize> {
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
        let own = cores.iter().position(|&core| core == self.0)?;
        Some(cores[(own + index) % cores.len()]).filter(|&core| core != self.0)
    }
}

/// Stands for any core.
#[derive(Clone, Copy)]
#[cfg(not(all(target_os = "linux", not(miri))))]
pub struct Core;

#[cfg(not(all(target_os = "linux", not(miri))))]
impl Core {
    /// Returns nothing in particular.
    pub fn current() -> Core {
        Core
    }

    /// Leaves the thread where it is.
    pub fn leave(self, _index: usize) {}
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    fn set(cores: &[usize]) -> CpuSet {
        let mut set = CpuSet::new();
        cores.iter().for_each(|&core| set.set(core));
        set
    }

    #[test]
    fn threads_take_turns_on_the_allowed_cores() {
        let others = |core, allowed: &[usize]| [0, 1, 2, 3].map(|index| Core(core).another(&set(allowed), index));
        assert_eq!(others(1, &[0, 1]), [None, Some(0), None, Some(0)]);
        assert_eq!(others(7, &[2, 7, 9]), [None, Some(9), Some(2), None]);
        assert_eq!(others(3, &[3]), [None; 4]);
        // A core that has been taken from the process.
        assert_eq!(others(5, &[0, 1]), [None; 4]);
    }

    #[test]
    fn threads_keep_the_cores_that_they_may_use() {
        let before = sched_getaffinity(None).expect("the system knows the cores");
        let after = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                for index in 0..4 {
                    Core::current().leave(index);
                }
                sched_getaffinity(None)
            });
            thread.join().expect("the thread does not panic")
        });
        assert_eq!(after.expect("the system knows the cores"), before);
    }
}
