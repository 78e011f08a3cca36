//! The memory of `refc`.
//!
//! Exhausted memory is an error like any other: a message and exit status 1, without an output file. Rust aborts where a
//! collection cannot grow. The allocator here forwards to the system's and ends the process first.
//!
//! Large compilations use huge pages if the system has them.

#![expect(unsafe_code, reason = "an allocator is an unsafe trait, and the C library's options are foreign functions")]

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

/// Requests huge pages for the next `bytes` bytes of memory. Returns `false` if that has been done before, or cannot be.
///
/// The system provides a page when it is first written to. For a page of 4 KiB this takes longer than most passes need to
/// fill it. The call makes the C library take memory from the system in one large step, and keep what is freed. So
/// neighbouring blocks share a page. Other systems and C libraries ignore the request.
pub fn prefer_huge_pages(bytes: usize) -> bool {
    huge::prefer(bytes)
}

/// Provides as many bytes of the memory with huge pages, whole pages only.
///
/// A thread that fills a page first waits until the system has cleared it, and all threads that allocate wait with it. So a thread with
/// nothing else to do calls this.
pub fn provide_huge_pages(bytes: usize) {
    huge::provide(bytes);
}

/// The bytes of stack that the front end and the passes need on a thread that also runs parts of other threads.
const STACK_BYTES: usize = 1 << 19;

/// The bytes of a thread's stack, unless it is the first thread.
const THREAD_STACK_BYTES: usize = 2 << 20;

/// The bytes that the system and Rust need next to a stack: for its guard, and for signal handlers.
const NEXT_TO_STACK_BYTES: usize = 64 << 10;

/// Makes the stack of this thread large enough for large programs.
///
/// The system lets the stack of the first thread grow when it is used. If memory is exhausted then, the system ends the process,
/// and no error can be reported. So this looks for memory, and comes before large blocks of memory.
pub fn reserve_stack() {
    expect_addresses(STACK_BYTES + NEXT_TO_STACK_BYTES);
    grow_stack();
}

/// Makes the stack grow. The first instructions of a function touch its part of the stack, so the caller looks for memory.
#[inline(never)]
fn grow_stack() {
    // A reference to a constant would be one to static memory.
    let mut stack = [0u8; STACK_BYTES];
    std::hint::black_box(&mut stack);
}

/// Ends the process with an error if too little memory is left for some more threads. Returns whether memory is limited.
///
/// A thread that has been started and then finds no memory for its signal handlers aborts the process.
pub fn expect_memory_of_threads(threads: usize) -> bool {
    expect_addresses(threads.saturating_mul(THREAD_STACK_BYTES + NEXT_TO_STACK_BYTES))
}

/// Ends the process with an error if its addresses are limited, as by `ulimit -v`, and fewer than `bytes` are left. Returns whether they
/// are limited.
#[cfg(target_os = "linux")]
fn expect_addresses(bytes: usize) -> bool {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    use rustix::process::{Resource, getrlimit};

    if getrlimit(Resource::As).current.is_none() {
        return false;
    }
    // SAFETY: the memory is new, nobody uses it, and it is given back at once.
    let found = unsafe {
        mmap_anonymous(std::ptr::null_mut(), bytes.max(1), ProtFlags::empty(), MapFlags::PRIVATE)
            .and_then(|memory| munmap(memory, bytes.max(1)))
    };
    if found.is_err() {
        out_of_memory(bytes);
    }
    true
}

/// Returns `false`: of other systems this is not known.
#[cfg(not(target_os = "linux"))]
fn expect_addresses(_bytes: usize) -> bool {
    false
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod huge {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ffi::{c_int, c_void};
    use std::ptr::without_provenance_mut;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    const M_TRIM_THRESHOLD: c_int = -1;
    const M_TOP_PAD: c_int = -2;
    const M_MMAP_THRESHOLD: c_int = -3;
    const M_ARENA_MAX: c_int = -8;
    const MADV_HUGEPAGE: c_int = 14;
    const MADV_POPULATE_WRITE: c_int = 23;

    /// The bytes of a huge page.
    const PAGE: usize = 2 << 20;
    /// The bytes before a block that the C library needs for itself.
    const HEADER: usize = 16;
    /// The least and the most bytes of the step, if the process may have so many. Memory that is not written to costs nothing.
    const LEAST: usize = 256 << 20;
    const MOST: usize = 1 << 30;
    /// The bytes of a block that is smaller than those that the system provides one by one.
    const BLOCK: usize = 16 << 20;

    /// `true` after the first request.
    static IS_PREFERRED: AtomicBool = AtomicBool::new(false);
    /// The address of the first huge page, 0 without one.
    static FIRST: AtomicUsize = AtomicUsize::new(0);

    pub fn prefer(bytes: usize) -> bool {
        if IS_PREFERRED.swap(true, Ordering::Relaxed) {
            return false;
        }
        // SAFETY: the function has this type in the C library. The options change only where blocks come from.
        let set = |option, value: usize| unsafe { mallopt(option, value as c_int) };
        set(M_ARENA_MAX, 1);
        set(M_MMAP_THRESHOLD, 2 * BLOCK);
        set(M_TRIM_THRESHOLD, c_int::MAX as usize);
        // The block makes the C library take a step, a smaller one if the process may not have so much. When it is freed, its memory
        // stays and serves the next blocks. An allocation that fails here is not an error.
        let (layout, mut step) = (Layout::new::<[u8; BLOCK]>(), bytes.clamp(LEAST, MOST));
        let block = loop {
            set(M_TOP_PAD, step);
            // SAFETY: the block has bytes.
            let block = unsafe { System.alloc(layout) };
            if !block.is_null() || step < BLOCK {
                break block;
            }
            step /= 4;
        };
        set(M_TOP_PAD, PAGE);
        if block.is_null() {
            return false;
        }
        let start = block.addr();
        let first = start.next_multiple_of(PAGE);
        let gap = (first - start).saturating_sub(HEADER);
        // SAFETY: the function has this type in the C library. Advice does not change the content of memory, and parts of
        // the range that are not memory are passed over. The block is freed once. The memory before the first huge page has small ones,
        // so a block of its own keeps it from others for the rest of the process.
        unsafe {
            madvise(block.wrapping_add(first - start).cast(), step, MADV_HUGEPAGE);
            System.dealloc(block, layout);
            if let Ok(gap) = Layout::array::<u8>(gap)
                && gap.size() > 0
            {
                System.alloc(gap);
            }
        }
        FIRST.store(first, Ordering::Relaxed);
        true
    }

    pub fn provide(bytes: usize) {
        let first = FIRST.load(Ordering::Relaxed);
        if first == 0 {
            return;
        }
        for page in 0..bytes.min(MOST) / PAGE {
            // SAFETY: the function has this type in the C library. The content of memory does not change, and a page that is not memory is
            // refused.
            unsafe {
                madvise(without_provenance_mut(first + page * PAGE), PAGE, MADV_POPULATE_WRITE);
            }
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod huge {
    pub fn prefer(_bytes: usize) -> bool {
        false
    }

    pub fn provide(_bytes: usize) {}
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
    end();
}

/// Ends the process without the destructors of threads, which allocate.
#[cfg(unix)]
fn end() -> ! {
    unsafe extern "C" {
        fn _exit(status: std::ffi::c_int) -> !;
    }
    // SAFETY: the function has this type in the C library, and may be called at any time.
    unsafe { _exit(super::FAILED.into()) }
}

#[cfg(not(unix))]
fn end() -> ! {
    std::process::exit(super::FAILED.into())
}
