//! Threads for work on bodies: a pool, or none for one thread.

use thiserror::Error;

/// The system has no more threads.
#[derive(Debug, Error)]
#[error("no threads: {0}")]
pub struct ThreadsError(String);

/// Threads that were started.
pub(crate) struct Workers {
    #[cfg(feature = "rayon")]
    pool: Option<rayon::ThreadPool>,
}

/// Takes work that may be done later, in any order.
pub(crate) trait Spawn<'s> {
    /// Whether there is only one thread.
    fn is_alone(&self) -> bool;

    /// Does it, at the latest before the scope ends.
    fn spawn(&self, work: Box<dyn FnOnce() + Send + 's>);
}

struct Alone;

impl<'s> Spawn<'s> for Alone {
    fn is_alone(&self) -> bool {
        true
    }

    fn spawn(&self, work: Box<dyn FnOnce() + Send + 's>) {
        work();
    }
}

#[cfg(feature = "rayon")]
struct Pool<'a, 's>(&'a rayon::Scope<'s>);

#[cfg(feature = "rayon")]
impl<'s> Spawn<'s> for Pool<'_, 's> {
    fn is_alone(&self) -> bool {
        false
    }

    fn spawn(&self, work: Box<dyn FnOnce() + Send + 's>) {
        self.0.spawn(|_| work());
    }
}

impl Workers {
    /// A pool with this many threads; 0 is one per processor. One thread is the caller's own.
    #[cfg(feature = "rayon")]
    pub fn start(threads: usize) -> Result<Workers, ThreadsError> {
        if threads == 1 {
            return Ok(Workers { pool: None });
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| ThreadsError(error.to_string()))?;
        // A pool of one thread would only add overhead.
        Ok(Workers { pool: Some(pool).filter(|pool| pool.current_num_threads() > 1) })
    }

    /// The caller's own thread.
    #[cfg(not(feature = "rayon"))]
    pub fn start(_: usize) -> Result<Workers, ThreadsError> {
        Ok(Workers {})
    }

    /// Whether there is only the caller's own thread.
    pub fn is_alone(&self) -> bool {
        #[cfg(feature = "rayon")]
        return self.pool.is_none();
        #[cfg(not(feature = "rayon"))]
        true
    }

    /// Does something that uses rayon's current pool with these threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }

    /// Does something that hands out work, and returns when all of it is done.
    pub fn scope<'s, R>(&self, work: impl FnOnce(&dyn Spawn<'s>) -> R) -> R {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            return pool.in_place_scope(|scope| work(&Pool(scope)));
        }
        work(&Alone)
    }

    /// What `work` makes of each item, in order. Each is worth a thread's while, and the first ones are begun first.
    pub fn map<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        #[cfg(feature = "rayon")]
        if let Some(pool) = &self.pool {
            use rayon::prelude::*;
            return pool.install(|| items.into_par_iter().with_max_len(1).map(work).collect());
        }
        items.into_iter().map(work).collect()
    }
}
