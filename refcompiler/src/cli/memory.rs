//! Exhausted memory is an error like any other: a message and exit status 1, without an output file.
//!
//! Rust aborts where a collection cannot grow. The allocator here forwards to the system's and ends the process first.

#![expect(unsafe_code, reason = "an allocator is an unsafe trait; this one only forwards to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct Reporting;

#[global_allocator]
static ALLOCATOR: Reporting = Reporting;

// SAFETY: each function passes its arguments to the system's allocator and returns its result.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller meets the requirements of `GlobalAlloc`, which the system's allocator shares.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        checked(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(bytes);
    }
    memory
}

/// `true` after the first failure of any thread.
static REPORTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// `true` if this thread is ending the process.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

/// Reports the error and ends the process, without allocating.
#[cold]
fn out_of_memory(bytes: usize) {
    if ENDING.replace(true) {
        // Ending the process failed as well: the caller gets no memory, and aborts.
        return;
    }
    while REPORTED.swap(true, Ordering::Relaxed) {
        // Another thread is ending the process.
        std::thread::sleep(Duration::from_millis(10));
    }
    super::interrupt::remove_unfinished();
    super::error(&format_args!("out of memory: cannot allocate {bytes} bytes"));
    std::process::exit(super::FAILED.into());
}
