//! Interrupts and requests to terminate: an unfinished file is removed, a running program is ended, and its output is written.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::Duration;

use super::process;

/// The status of a program that SIGINT ended, as shells report it. SIGTERM and SIGHUP have it as well.
pub const INTERRUPTED: i32 = 130;

/// The names of the files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The buffered output of the running program, if any.
static OUTPUT: Mutex<Option<BufWriter<Stdout>>> = Mutex::new(None);

/// Bytes that a program's output is buffered for, unless it goes to a terminal.
const BUFFER_BYTES: usize = 1 << 16;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles SIGINT, SIGTERM and SIGHUP from now on.
fn handle() {
    static ONCE: Once = Once::new();
    // If no handler can be set, an interrupt at the wrong moment leaves a temporary file.
    ONCE.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            // Both locks are kept, so that nothing is written or created afterwards.
            let unfinished = lock(&UNFINISHED);
            for path in &*unfinished {
                let _ = fs::remove_file(path);
            }
            let _program = process::end();
            let _output = flush_unless_blocked();
            std::process::exit(INTERRUPTED);
        });
    });
}

/// Writes the buffered output, unless another thread has been writing for 200 ms, because nobody reads.
fn flush_unless_blocked() -> Option<MutexGuard<'static, Option<BufWriter<Stdout>>>> {
    for _ in 0..20 {
        let mut output = match OUTPUT.try_lock() {
            Ok(output) => output,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
        };
        if let Some(output) = &mut *output {
            let _ = output.flush();
        }
        return Some(output);
    }
    None
}

/// Creates a temporary file. An interrupt removes it until [`finished`] is called.
pub fn create(new: impl FnOnce() -> io::Result<tempfile::NamedTempFile>) -> io::Result<tempfile::NamedTempFile> {
    handle();
    let mut unfinished = lock(&UNFINISHED);
    let file = new()?;
    unfinished.push(file.path().to_path_buf());
    Ok(file)
}

/// Runs a program to its end. An interrupt ends it.
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    handle();
    process::run(command)
}

/// Ends the protection of the temporary file, which has its final name or has been removed.
pub fn finished(path: &Path) {
    lock(&UNFINISHED).retain(|unfinished| unfinished != path);
}

/// Removes the temporary files if memory is exhausted. Allocates nothing.
pub fn remove_unfinished() {
    if let Ok(unfinished) = UNFINISHED.try_lock() {
        for path in &*unfinished {
            let _ = fs::remove_file(path);
        }
    }
}

/// Standard output for a running program.
///
/// On a terminal each line appears at once. Otherwise output is buffered. An interrupt writes the buffer.
pub struct ProgramOutput;

impl ProgramOutput {
    pub fn new() -> ProgramOutput {
        handle();
        // Rust's standard output is itself buffered by line.
        let capacity = if io::stdout().is_terminal() { 0 } else { BUFFER_BYTES };
        *lock(&OUTPUT) = Some(BufWriter::with_capacity(capacity, io::stdout()));
        ProgramOutput
    }
}

impl Write for ProgramOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&OUTPUT).as_mut().map_or(Ok(bytes.len()), |output| output.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&OUTPUT).as_mut().map_or(Ok(()), |output| output.flush())
    }
}
