//! Work on many bodies: in rayon's current thread pool, or sequentially if no pool is wanted or none is built in.

use std::cell::Cell;

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Where work on bodies is done. The result is the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Threads {
    /// In rayon's current thread pool. Without the feature `rayon`, as [`Threads::Current`].
    #[default]
    Pool,
    /// In this thread, one body after the other: no pool is used or started. The better choice for small modules, and inside threads of
    /// the caller.
    Current,
}

thread_local! {
    /// Whether this thread must not use others.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with the chosen threads.
pub(crate) fn with<R>(threads: Threads, work: impl FnOnce() -> R) -> R {
    /// Restores the previous choice, also if the work panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Before(ALONE.replace(ALONE.get() || threads == Threads::Current));
    work()
}

/// Whether the work is large enough to involve other threads.
#[cfg(feature = "rayon")]
fn is_shared(items: usize) -> bool {
    items > 1 && !ALONE.get()
}

/// The calling thread: 0 outside a pool, else one more than its number in the pool.
pub(crate) fn thread() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_thread_index().map_or(0, |index| index + 1);
    #[cfg(not(feature = "rayon"))]
    0
}

/// Maps `work` over the items, in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if is_shared(items.len()) {
        return items.par_iter().map(work).collect();
    }
    items.iter().map(work).collect()
}

/// Maps `work` over the items, in order. Each is large enough for a thread of its own; the first ones are started first.
pub(crate) fn map_large<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if is_shared(items.len()) {
        return items.into_par_iter().with_max_len(1).map(work).collect();
    }
    items.into_iter().map(work).collect()
}

/// Changes each item. Each is large enough for a thread of its own; the first ones are started first.
pub(crate) fn change_large<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    #[cfg(feature = "rayon")]
    if is_shared(items.len()) {
        return items.par_iter_mut().with_max_len(1).for_each(work);
    }
    items.iter_mut().for_each(work);
}
