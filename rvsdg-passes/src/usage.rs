//! The cost of executions.

use std::ops::Add;
use std::time::{Duration, Instant};

use crate::parallel;

/// The processor time of a thread, and the memory of its process.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time.
    pub cpu: Duration,
    /// The peak memory of the process, in KiB.
    pub peak_kib: u64,
}

/// Reads the usage of the calling thread so far. Passes know nothing of the machine they run on, so the caller provides it.
pub type Meter = fn() -> Usage;

/// The cost of one execution.
#[derive(Copy, Clone, Debug, Default)]
pub struct Cost {
    /// Wall-clock time.
    pub wall: Duration,
    /// When it began; `None` if it did not run.
    pub start: Option<Instant>,
    /// The thread: 0 outside a pool, else one more than its number in the pool.
    pub thread: usize,
    /// Processor time and increase of peak memory, if there is a meter.
    pub used: Usage,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, more: Cost) -> Cost {
        let used = Usage { cpu: self.used.cpu + more.used.cpu, peak_kib: self.used.peak_kib + more.used.peak_kib };
        let (start, thread) = if self.start.is_some() { (self.start, self.thread) } else { (more.start, more.thread) };
        Cost { wall: self.wall + more.wall, start, thread, used }
    }
}

impl Cost {
    /// Runs `work`, and returns its result and cost.
    pub fn of<T>(meter: Option<Meter>, work: impl FnOnce() -> T) -> (T, Cost) {
        let before = meter.map(|meter| meter());
        let start = Instant::now();
        let result = work();
        let wall = start.elapsed();
        let used = meter.zip(before).map_or_else(Usage::default, |(meter, before)| {
            let after = meter();
            let cpu = after.cpu.saturating_sub(before.cpu);
            Usage { cpu, peak_kib: after.peak_kib.saturating_sub(before.peak_kib) }
        });
        (result, Cost { wall, start: Some(start), thread: parallel::thread(), used })
    }
}
