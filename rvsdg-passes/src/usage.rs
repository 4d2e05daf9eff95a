//! What executions cost.

use std::ops::Add;
use std::time::{Duration, Instant};

use crate::parallel;

/// What a thread has used of its processor, and its process of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Time on the processor.
    pub cpu: Duration,
    /// The most memory that the process ever had at one time, in KiB.
    pub peak_kib: u64,
}

/// Reads what the calling thread has used so far. Passes know nothing of the machine they run on: who runs them brings it.
pub type Meter = fn() -> Usage;

/// What one execution cost.
#[derive(Copy, Clone, Debug, Default)]
pub struct Cost {
    /// Time on the wall.
    pub wall: Duration,
    /// When it began; `None` for what was not executed.
    pub start: Option<Instant>,
    /// The thread: 0 outside of a pool, else one more than its number in the pool.
    pub thread: usize,
    /// Time on the processor, and by how much the peak of memory rose, where there is a meter.
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
    /// Does something, and what it cost.
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
