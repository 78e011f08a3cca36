//! Runs the same work for many units on all cores, with a progress bar.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::failure::Failure;

/// NVRTC's optimizer recurses deeply.
const STACK_BYTES: usize = 64 << 20;

/// `true` after an interrupt.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Makes Ctrl-C set the flag instead of ending the program.
    pub fn on_interrupt() -> Result<Stop, Failure> {
        let stop = Stop::default();
        let seen = stop.clone();
        ctrlc::set_handler(move || seen.0.store(true, Ordering::Relaxed))
            .map_err(|error| Failure::System(format!("Ctrl-C cannot be caught: {error}")))?;
        Ok(stop)
    }

    /// Fails if the flag is set.
    pub fn check(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

/// Returns the result of `one` for each item, in order, or all failures.
///
/// Writes a line to standard error: the number of items and the seconds.
pub fn each<T: Sync, R: Send>(
    done: &str,
    items: &[T],
    stop: &Stop,
    one: impl Fn(&T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let start = Instant::now();
    let bar = ProgressBar::new(items.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(done.to_string());
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| Failure::System(format!("threads cannot be started: {error}")))?;
    let results: Vec<Result<R, Failure>> = pool.install(|| {
        items
            .par_iter()
            .with_max_len(1)
            .map(|item| {
                stop.check()?;
                let result = one(item);
                bar.inc(1);
                // Ctrl-C also ends a running assembler, whose failure then means nothing.
                if result.is_err() {
                    stop.check()?;
                }
                result
            })
            .collect()
    });
    bar.finish_and_clear();
    let mut failures = Vec::new();
    let mut good = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(value) => good.push(value),
            Err(failure) => failures.push(failure),
        }
    }
    if let Some(failure) = Failure::all(failures) {
        return Err(failure);
    }
    eprintln!("{} {done} in {:.1} s", items.len(), start.elapsed().as_secs_f64());
    Ok(good)
}
