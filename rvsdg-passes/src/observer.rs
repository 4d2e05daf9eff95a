//! Observers of a pipeline run: dumps, logs and bisection messages.

use rvsdg_core::{Module, Symbol};

use crate::pass::Change;
use crate::remark::Remark;
use crate::usage::Cost;

/// One execution of a stage of a pass on a body or on the module.
#[derive(Copy, Clone, Debug)]
pub struct Execution<'a> {
    /// Its number, starting from 1: stages are numbered in pipeline order, and within a stage, bodies in module order. The numbers of two
    /// runs on one module are the same for any number of threads, up to the first difference in what passes do.
    pub number: u64,
    /// The pass.
    pub pass: &'static str,
    /// The function; `None` for the module.
    pub function: Option<Symbol>,
    /// Whether it changed something; `None` if the bisection limit left it out.
    pub change: Option<Change>,
    /// What it cost, and when and on which thread it ran; empty if it was left out or skipped as a known no-op.
    pub cost: Cost,
    /// How many rewrites it requested ([`PassCx::rewrite`](crate::PassCx::rewrite)).
    pub rewrites: u64,
    /// The last rewrite that the bisection limit allowed: rule and node. `None` unless the execution reached the limit.
    pub last_rewrite: Option<&'a str>,
    /// Its remarks, if the observer [wants them](Observer::wants_remarks): about rewrites that it made, its own, and its counters.
    pub remarks: &'a [Remark],
}

/// Watches a pipeline run. All calls come from the thread that runs the manager, in the same order for any number of
/// threads.
///
/// ```
/// use rvsdg_core::Module;
/// use rvsdg_core::text::parse_module;
/// use rvsdg_passes::{Execution, Manager, Observer, Pipeline};
///
/// #[derive(Default)]
/// struct Log(Vec<String>);
///
/// impl Observer for Log {
///     fn executed(&mut self, module: &Module, execution: &Execution<'_>) {
///         let place = execution.function.map_or("the module", |symbol| &*module.symbols[symbol].name);
///         self.0.push(format!("{} on {place}", execution.pass));
///     }
/// }
///
/// let mut module = parse_module(
///     "module \"example\"
/// @f = function void ()
/// lambda @f [] (mem0, io0) {
///   yield mem0, io0
/// }
/// export @f
/// ",
/// )?;
/// let mut log = Log::default();
/// Manager::default().run_observed(&mut module, &Pipeline::parse("cne")?, &mut log)?;
/// assert!(log.0.contains(&"common-node-elimination on f".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer {
    /// Whether the observer wants to see the module between any two stages. This has a cost: body stages are not run together, body by
    /// body, and graphs keep what was removed, so that ids mean the same in all stages.
    fn wants_every_stage(&self) -> bool {
        false
    }

    /// Whether the observer wants the remarks of a pass.
    fn wants_remarks(&self, _pass: &'static str) -> bool {
        false
    }

    /// Called after executions, in the order of their numbers.
    fn executed(&mut self, _module: &Module, _execution: &Execution<'_>) {}

    /// Called before a stage of `pass` runs, if [`Observer::wants_every_stage`].
    fn stage_begins(&mut self, _module: &Module, _pass: &'static str) {}

    /// Called after a stage of `pass` has run on all it runs on, if [`Observer::wants_every_stage`].
    fn stage_done(&mut self, _module: &Module, _pass: &'static str) {}

    /// Work on all bodies in parallel has ended.
    fn bodies_done(&mut self) {}
}

/// Observes nothing.
impl Observer for () {}
