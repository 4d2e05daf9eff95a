//! What the benchmarks share: interleaved timing and medians.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

/// The median of some measurements.
///
/// # Panics
/// When there are none.
pub fn median<T: Copy + PartialOrd>(measurements: &[T]) -> T {
    let mut sorted = measurements.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("measurements are comparable"));
    sorted[sorted.len() / 2]
}

/// How long `work` takes once, and what it gives.
pub fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}
