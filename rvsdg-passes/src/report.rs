//! The results of running a pipeline.

use std::collections::BTreeMap;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::{Body, Symbol};

use crate::usage::Cost;

/// The results of running a pipeline. They do not depend on the number of threads, except for the times.
///
/// ```
/// use rvsdg_core::text::parse_module;
/// use rvsdg_passes::{Manager, Pipeline};
///
/// let mut module = parse_module(
///     "module \"example\"
/// @f = function i32 (i32)
/// lambda @f [] (v0: i32, mem0, io0) {
///   v1: i32 = add v0, v0
///   yield v0, mem0, io0
/// }
/// export @f
/// ",
/// )?;
/// let report = Manager::default().run(&mut module, &Pipeline::parse("dne")?)?;
/// assert_eq!(report.passes().len(), 1);
/// assert!(report.is_changed(module.lambdas()[0].body()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Report {
    passes: Vec<PassReport>,
    changed: FxHashSet<Body>,
    omega_changed: bool,
    executions: u64,
    declined: Option<String>,
    functions: FxHashMap<Symbol, FunctionTimes>,
}

/// The time that passes spent in one function.
#[derive(Clone, Debug)]
struct FunctionTimes {
    name: Box<str>,
    total: Duration,
    passes: Vec<(&'static str, Duration)>,
}

/// A function in which passes spent much time.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SlowFunction {
    /// The function.
    pub function: Box<str>,
    /// Wall-clock time of all passes in it, in seconds.
    pub seconds: f64,
    /// The pass that took the largest part of that time.
    pub slowest_pass: &'static str,
    /// That part, in seconds.
    pub slowest_pass_seconds: f64,
}

/// The results of all executions of one pass.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PassReport {
    /// The pass.
    pub name: &'static str,
    /// How often it was executed: once per body, or module, and position in the pipeline, including runs that were skipped as known
    /// no-ops.
    pub executions: u64,
    /// How many executions changed something.
    pub changed: u64,
    /// How many executions were left out by the bisection limit or because the budget was spent.
    pub skipped: u64,
    /// Wall-clock time, summed over all threads, in seconds.
    pub seconds: f64,
    /// Processor time, in seconds; 0 without a [meter](crate::Manager::meter).
    pub cpu_seconds: f64,
    /// The increase of the process's peak memory while it ran, in KiB; 0 without a meter. With several threads, concurrent work is
    /// included.
    pub peak_kib: u64,
    /// Its counters.
    pub counters: BTreeMap<&'static str, u64>,
}

impl Report {
    pub(crate) fn declining(reason: String) -> Report {
        Report { declined: Some(reason), ..Report::default() }
    }

    /// The construct in the module that passes cannot handle, if they left all of it unchanged for that reason.
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

    /// How many executions were numbered, whether they ran or not.
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
                cpu_seconds: 0.0,
                peak_kib: 0,
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

    /// The functions in which passes spent most time, the slowest first, including those that were removed. Empty without a meter.
    pub fn slowest_functions(&self, count: usize) -> Vec<SlowFunction> {
        let mut functions: Vec<&FunctionTimes> = self.functions.values().collect();
        functions.sort_by(|a, b| (b.total, &a.name).cmp(&(a.total, &b.name)));
        let slow = functions.into_iter().take(count).filter_map(|function| {
            let &(slowest_pass, time) = function.passes.iter().rev().max_by_key(|(_, time)| *time)?;
            Some(SlowFunction {
                function: function.name.clone(),
                seconds: function.total.as_secs_f64(),
                slowest_pass,
                slowest_pass_seconds: time.as_secs_f64(),
            })
        });
        slow.collect()
    }

    pub(crate) fn add_function(&mut self, symbol: Symbol, name: &str, pass: &'static str, time: Duration) {
        if time.is_zero() {
            return;
        }
        let function = self.functions.entry(symbol).or_insert_with(|| FunctionTimes {
            name: name.into(),
            total: Duration::ZERO,
            passes: Vec::new(),
        });
        function.total += time;
        match function.passes.iter_mut().find(|(known, _)| *known == pass) {
            Some((_, spent)) => *spent += time,
            None => function.passes.push((pass, time)),
        }
    }

    pub(crate) fn set_executions(&mut self, executions: u64) {
        self.executions = executions;
    }
}

impl PassReport {
    /// Adds the results of other executions of the pass.
    pub fn add(&mut self, other: &PassReport) {
        self.executions += other.executions;
        self.changed += other.changed;
        self.skipped += other.skipped;
        self.seconds += other.seconds;
        self.cpu_seconds += other.cpu_seconds;
        self.peak_kib += other.peak_kib;
        for (&name, &amount) in &other.counters {
            *self.counters.entry(name).or_default() += amount;
        }
    }

    pub(crate) fn add_cost(&mut self, cost: Cost) {
        self.seconds += cost.wall.as_secs_f64();
        self.cpu_seconds += cost.used.cpu.as_secs_f64();
        self.peak_kib += cost.used.peak_kib;
    }

    pub(crate) fn count(&mut self, counters: &[(&'static str, u64)]) {
        for &(name, amount) in counters {
            *self.counters.entry(name).or_default() += amount;
        }
    }
}
