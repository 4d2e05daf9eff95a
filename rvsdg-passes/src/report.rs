//! What came of running a pipeline.

use std::collections::BTreeMap;
use std::time::Duration;

use rustc_hash::FxHashSet;
use rvsdg_core::Body;
use serde::Serialize;

/// What came of running a pipeline: independent of the number of threads but for the times.
#[derive(Clone, Debug, Default)]
pub struct Report {
    passes: Vec<PassReport>,
    changed: FxHashSet<Body>,
    omega_changed: bool,
    executions: u64,
    declined: Option<String>,
}

/// What came of all executions of one pass.
#[derive(Clone, Debug, Serialize)]
pub struct PassReport {
    /// The pass.
    pub name: &'static str,
    /// How often it was executed: once per body, or module, and place in the pipeline, be it that it surely changes nothing.
    pub executions: u64,
    /// How many executions changed something.
    pub changed: u64,
    /// How many executions were left out by the bisection limit.
    pub skipped: u64,
    /// Time spent in it, summed over all threads, in seconds.
    pub seconds: f64,
    /// What it counted.
    pub counters: BTreeMap<&'static str, u64>,
}

impl Report {
    pub(crate) fn declining(reason: String) -> Report {
        Report { declined: Some(reason), ..Report::default() }
    }

    /// What in the module passes cannot handle, if they left all of it as it was.
    pub fn declined(&self) -> Option<&str> {
        self.declined.as_deref()
    }

    /// One report per pass of the pipeline, in the order of first execution.
    pub fn passes(&self) -> &[PassReport] {
        &self.passes
    }

    /// Whether a pass changed the body.
    pub fn is_changed(&self, body: Body) -> bool {
        self.changed.contains(&body)
    }

    /// Whether a pass changed the ω level: definitions, imports or context variables.
    pub fn is_omega_changed(&self) -> bool {
        self.omega_changed
    }

    /// How many executions were numbered, whether they were carried out or not.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    pub(crate) fn pass(&mut self, name: &'static str) -> &mut PassReport {
        let index = self.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            self.passes.push(PassReport {
                name,
                executions: 0,
                changed: 0,
                skipped: 0,
                seconds: 0.0,
                counters: BTreeMap::new(),
            });
            self.passes.len() - 1
        });
        &mut self.passes[index]
    }

    pub(crate) fn set_body_changed(&mut self, body: Body) {
        self.changed.insert(body);
    }

    pub(crate) fn set_omega_changed(&mut self) {
        self.omega_changed = true;
    }

    pub(crate) fn set_executions(&mut self, executions: u64) {
        self.executions = executions;
    }
}

impl PassReport {
    pub(crate) fn add_time(&mut self, time: Duration) {
        self.seconds += time.as_secs_f64();
    }

    pub(crate) fn count(&mut self, counters: &[(&'static str, u64)]) {
        for &(name, amount) in counters {
            *self.counters.entry(name).or_default() += amount;
        }
    }
}
