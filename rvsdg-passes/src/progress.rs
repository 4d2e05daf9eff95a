//! How far a run is, for who shows it from another thread.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pipeline::Pipeline;

/// How far a run is. Each stage of the pipeline counts as much as another, and within a stage each body.
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
    /// What one stage is worth: the number of bodies, at least one.
    stage: AtomicU64,
}

impl Progress {
    /// How much is done, and how much there is to do: 0 before the run begins.
    pub fn so_far(&self) -> (u64, u64) {
        let all = self.all.load(Ordering::Relaxed);
        (self.done.load(Ordering::Relaxed).min(all), all)
    }

    /// A run of a pipeline over so many bodies begins.
    pub(crate) fn begin(&self, pipeline: &Pipeline, bodies: usize) {
        let stages = pipeline.passes().iter().map(|pass| pass.stages.len() as u64).sum::<u64>();
        let stage = bodies.max(1) as u64;
        self.done.store(0, Ordering::Relaxed);
        self.stage.store(stage, Ordering::Relaxed);
        self.all.store(stages * stage, Ordering::Relaxed);
    }

    /// Something was done to so many bodies.
    pub(crate) fn add(&self, bodies: usize) {
        self.done.fetch_add(bodies as u64, Ordering::Relaxed);
    }

    /// So many stages are over.
    pub(crate) fn reached(&self, stages: usize) {
        self.done.store(stages as u64 * self.stage.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
