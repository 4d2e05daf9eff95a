//! Who watches a pipeline run: dumps, logs and bisection messages.

use rvsdg_core::{Module, Symbol};

use crate::pass::Change;
use crate::remark::Remark;

/// One execution of a stage of a pass on a body or on the module.
#[derive(Copy, Clone, Debug)]
pub struct Execution<'a> {
    /// Its number, starting from 1: stages count in the order of the pipeline, within a stage bodies in the order of
    /// the module. The numbers of two runs over one module are the same for any number of threads, up to the first
    /// difference in what passes do.
    pub number: u64,
    /// The pass.
    pub pass: &'static str,
    /// The function; `None` for the module.
    pub function: Option<Symbol>,
    /// Whether it changed something; `None` when the bisection limit left it out.
    pub change: Option<Change>,
    /// How many rewrites it asked for ([`PassCx::rewrite`](crate::PassCx::rewrite)).
    pub rewrites: u64,
    /// The last rewrite that the bisection limit allowed: rule and node. `None` unless the execution came to the limit.
    pub last_rewrite: Option<&'a str>,
    /// What the pass said, if the observer [wants remarks](Observer::wants_remarks): about rewrites that it made, what it said
    /// itself, and what it counted.
    pub remarks: &'a [Remark],
}

/// Watches a pipeline run. All calls come from the thread that runs the manager, in the same order for any number of
/// threads.
pub trait Observer {
    /// Whether the observer wants to see the module between any two stages. It costs that stages on bodies are not run
    /// together, body by body, and that graphs keep what was removed, so that ids mean the same in all stages.
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

/// Sees nothing.
impl Observer for () {}
