//! Runs the parts in order and divides the remaining time among them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use treepar::Cpu;

use crate::failure::Failure;
use crate::gpu_check::record::{Part, PartName};
use crate::gpu_check::run::Run;
use crate::gpu_check::subject::Subject;
use crate::gpu_check::{laws, passes, primitives, programs};
use crate::kernel_counts::Model;

/// The error that the device no longer answers.
pub struct Lost;

/// The context of a part's checks: the backends to compare, and the time.
pub struct Check<'a, B> {
    /// The run.
    pub run: &'a Run,
    /// The backend under check.
    pub subject: &'a B,
    /// The CPU backend to compare with.
    pub reference: &'a Cpu,
    /// The time when the part must end.
    pub deadline: Instant,
}

/// Returns a part's weight. The remaining time is divided by the weights of the remaining parts.
fn weight(part: PartName) -> f64 {
    match part {
        PartName::Laws => 25.0,
        PartName::Programs => 15.0,
        PartName::Primitives => 35.0,
        PartName::Passes => 25.0,
    }
}

/// Runs the requested parts. Parts after a lost device are skipped.
pub fn run<B: Subject>(run: &Run, subject: &B, reference: &Cpu) {
    // Panics are caught and reported as failed checks.
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
            run.skipped(1, "the device no longer answers".into());
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
    /// Returns the model of the device's time.
    pub fn model(&self) -> &'static Model {
        Model::of(&self.subject.device().name)
    }

    /// Returns the seconds left for this part.
    pub fn seconds_left(&self) -> f64 {
        self.deadline.saturating_duration_since(Instant::now()).as_secs_f64()
    }

    /// Returns whether this part's time is up.
    pub fn is_late(&self) -> bool {
        self.seconds_left() == 0.0
    }

    /// Records a failed check. Returns [`Lost`] if the device no longer answers.
    pub fn failed(&self, what: impl Into<String>, wrong: impl Into<String>) -> Result<(), Lost> {
        self.run.failed(what, wrong);
        if caught(|| Ok(self.subject.is_alive())).is_ok_and(|alive| alive) {
            return Ok(());
        }
        self.run.failed("the device", "it no longer answers; the remaining checks are skipped");
        Err(Lost)
    }
}

/// Runs some work and turns a panic into a failure.
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
    fn a_panic_is_a_failure_with_its_message() {
        assert_eq!(caught(|| Ok(3)), Ok(3));
        let wrong = caught::<()>(|| panic!("at row {}", 7));
        assert_eq!(wrong, Err(Failure::Other("panicked: at row 7".into())));
    }
}
