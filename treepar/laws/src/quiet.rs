//! Panics that print nothing, while a search for the smallest failing case repeats them.

use std::cell::Cell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// The number of [`Quiet`]s of this thread.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// The number of [`Quiet`]s of all threads.
static ALL: AtomicUsize = AtomicUsize::new(0);

/// While it exists, panics of its thread print nothing, and neither do panics of a CPU's threads. Other tests print theirs.
pub struct Quiet(());

impl Quiet {
    pub fn new() -> Quiet {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = take_hook();
            set_hook(Box::new(move |panic| {
                let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with("treepar-"));
                let is_quiet = OWN.with(Cell::get) > 0 || is_worker && ALL.load(Ordering::Relaxed) > 0;
                if !is_quiet {
                    before(panic);
                }
            }));
        });
        OWN.with(|own| own.set(own.get() + 1));
        ALL.fetch_add(1, Ordering::Relaxed);
        Quiet(())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        OWN.with(|own| own.set(own.get() - 1));
        ALL.fetch_sub(1, Ordering::Relaxed);
    }
}
