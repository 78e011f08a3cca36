//! The parts one after another, each with its share of the time that is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use treepar::Cpu;

use crate::failure::Failure;
use crate::gpu_check::record::{Part, PartName};
use crate::gpu_check::run::Run;
use crate::gpu_check::subject::Subject;
use crate::gpu_check::{laws, passes, primitives, programs};

/// The device answers nothing more.
pub struct Lost;

/// What there is to check with: the machine, the one to compare with, and the time.
pub struct Check<'a, B> {
    /// The run.
    pub run: &'a Run,
    /// The machine under check.
    pub subject: &'a B,
    /// The one to compare with.
    pub reference: &'a Cpu,
    /// When the part's time is over.
    pub deadline: Instant,
}

/// What a part is worth of the time that it and those behind it have.
fn weight(part: PartName) -> f64 {
    match part {
        PartName::Laws => 25.0,
        PartName::Programs => 15.0,
        PartName::Primitives => 35.0,
        PartName::Passes => 25.0,
    }
}

/// Runs the parts that are asked for; a part that follows a lost device is skipped.
pub fn run<B: Subject>(run: &Run, subject: &B, reference: &Cpu) {
    // Panics are caught and told by what was checked.
    std::panic::set_hook(Box::new(|_| {}));
    let parts = run.parts();
    let mut is_lost = false;
    for (k, &part) in parts.iter().enumerate() {
        let started = Instant::now();
        run.record(|record| record.parts.push(Part::new(part)));
        let rest: f64 = parts[k..].iter().map(|&part| weight(part)).sum();
        let seconds = run.seconds_left() * weight(part) / rest;
        let check = Check { run, subject, reference, deadline: started + Duration::from_secs_f64(seconds) };
        if is_lost {
            run.skipped(1, "the device does not answer any more".into());
            continue;
        }
        eprintln!("{part}, for at most {seconds:.0} s");
        let done = caught(|| {
            Ok(match part {
                PartName::Laws => laws::check(&check),
                PartName::Programs => programs::check(&check),
                PartName::Primitives => primitives::check(&check),
                PartName::Passes => passes::check(&check),
            })
        });
        match done {
            Ok(Ok(())) => {}
            Ok(Err(Lost)) => is_lost = true,
            Err(failure) => run.failed(part.to_string(), failure.to_string()),
        }
        run.record(|record| {
            if let Some(part) = record.parts.last_mut() {
                part.seconds = started.elapsed().as_secs_f64();
            }
        });
    }
    drop(std::panic::take_hook());
}

impl<B: Subject> Check<'_, B> {
    /// Seconds that the part has left.
    pub fn seconds_left(&self) -> f64 {
        self.deadline.saturating_duration_since(Instant::now()).as_secs_f64()
    }

    /// Whether its time is over.
    pub fn is_late(&self) -> bool {
        self.seconds_left() == 0.0
    }

    /// Counts a failure; [`Lost`] where the device went with it.
    pub fn failed(&self, what: impl Into<String>, wrong: impl Into<String>) -> Result<(), Lost> {
        self.run.failed(what, wrong);
        if caught(|| Ok(self.subject.is_alive())).is_ok_and(|alive| alive) {
            return Ok(());
        }
        self.run.failed("the device", "does not answer any more; what follows is skipped");
        Err(Lost)
    }
}

/// Runs work whose panics are failures.
pub fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("with no message");
        Err(Failure::Other(format!("panicked: {text}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_that_says_what_it_said() {
        assert_eq!(caught(|| Ok(3)), Ok(3));
        let wrong = caught::<()>(|| panic!("at row {}", 7));
        assert_eq!(wrong, Err(Failure::Other("panicked: at row 7".into())));
    }
}
