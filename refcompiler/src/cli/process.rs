//! The process of a program that runs on this machine, so that an interrupt can end it.

#[cfg(unix)]
mod own {
    use std::io;
    use std::process::{Command, ExitStatus};
    use std::sync::{Mutex, MutexGuard};

    use rustix::process::{Pid, Signal, kill_process};

    use crate::interrupt::lock;

    /// The process, if there is one.
    static PROGRAM: Mutex<Option<Pid>> = Mutex::new(None);

    /// Runs a program to its end.
    pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
        let mut program = lock(&PROGRAM);
        let mut child = command.spawn()?;
        *program = Some(Pid::from_child(&child));
        drop(program);
        let status = child.wait();
        *lock(&PROGRAM) = None;
        status
    }

    /// Ends the process. None begins or is waited for while the result exists.
    pub fn end() -> MutexGuard<'static, Option<Pid>> {
        let program = lock(&PROGRAM);
        if let Some(process) = *program {
            // It may have ended.
            let _ = kill_process(process, Signal::TERM);
        }
        program
    }
}

#[cfg(not(unix))]
mod own {
    use std::io;
    use std::process::{Command, ExitStatus};

    /// Runs a program to its end.
    pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
        command.status()
    }

    /// Does nothing: an interrupt reaches the process too.
    pub fn end() {}
}

pub use own::{end, run};
