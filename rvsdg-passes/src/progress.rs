//! The progress of a run, for display from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pipeline::Pipeline;

/// The progress of a run. All stages of the pipeline count the same, and within a stage all bodies.
///
/// ```
/// use std::sync::Arc;
///
/// use rvsdg_core::text::parse_module;
/// use rvsdg_passes::progress::Progress;
/// use rvsdg_passes::{Manager, Pipeline};
///
/// let mut module = parse_module("module \"example\"\n")?;
/// let progress = Arc::new(Progress::default());
/// let manager = Manager { progress: Some(progress.clone()), ..Manager::default() };
/// manager.run(&mut module, &Pipeline::parse("cne,dne")?)?;
/// let (done, all) = progress.so_far();
/// assert!(done == all && all > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    all: AtomicU64,
    /// The weight of one stage: the number of bodies, at least one.
    stage: AtomicU64,
}

impl Progress {
    /// How much is done, and the total: 0 before the run begins.
    pub fn so_far(&self) -> (u64, u64) {
        let all = self.all.load(Ordering::Relaxed);
        (self.done.load(Ordering::Relaxed).min(all), all)
    }

    /// A run of a pipeline over this many bodies begins.
    pub(crate) fn begin(&self, pipeline: &Pipeline, bodies: usize) {
        let stages = pipeline.passes().iter().map(|pass| pass.stages.len() as u64).sum::<u64>();
        let stage = bodies.max(1) as u64;
        self.done.store(0, Ordering::Relaxed);
        self.stage.store(stage, Ordering::Relaxed);
        self.all.store(stages * stage, Ordering::Relaxed);
    }

    /// Work on this many bodies is done.
    pub(crate) fn add(&self, bodies: usize) {
        self.done.fetch_add(bodies as u64, Ordering::Relaxed);
    }

    /// This many stages are done.
    pub(crate) fn reached(&self, stages: usize) {
        self.done.store(stages as u64 * self.stage.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
