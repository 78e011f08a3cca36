//! Work on rayon's threads, compiled once for all templates.
//!
//! rayon's functions are generic over closures, and each device function brings its own. Compiled for each of them,
//! rayon would be most of a program's code. So closures are called through pointers here, once per block of rows. For the same
//! reason a template has two parts: a loop over the rows of a block, compiled for each device function, and the code that shares
//! blocks among threads, which takes the loop as a `&dyn Fn` and is compiled once for each type of columns.

/// Runs both closures, at the same time if a thread is free, and returns their results.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut left, mut right) = (None, None);
    join_any(&mut || left = called(&mut a), &mut || right = called(&mut b));
    left.zip(right).expect("rayon calls both closures")
}

fn join_any(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    // Elsewhere rayon would start threads of its own, as many as the machine has cores. Tests of blocks let it.
    debug_assert!(cfg!(test) || rayon::current_thread_index().is_some(), "work is shared on a backend's threads only");
    rayon::join(a, b);
}

/// Runs a closure on a thread of `workers`, where [`join`] reaches the others, and returns its result.
pub fn install<R: Send>(workers: &rayon::ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut result) = (Some(work), None);
    install_any(workers, &mut || result = called(&mut work));
    result.expect("rayon calls the closure")
}

fn install_any(workers: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    workers.install(work);
}

/// Calls a closure that was not called before.
fn called<R>(work: &mut Option<impl FnOnce() -> R>) -> Option<R> {
    work.take().map(|work| work())
}
