//! Runs pipelines: order, threads, verification, time, counters, fuel, observers.

mod settled;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashMap;
use rvsdg_analysis::Surroundings;
use rvsdg_core::layout::DataLayout;
use rvsdg_core::structural::Lambda;
use rvsdg_core::verify::{Violation, verify_graph};
use rvsdg_core::{Body, Graph, Module, Symbol};

use crate::limits::{BisectLimit, Budget};
use crate::observer::{Execution, Observer};
use crate::parallel::{self, Threads};
use crate::pass::{BodyPass, BottomUpPass, Change, ModulePass, PassCx, PassResults, Stage};
use crate::pipeline::{Pipeline, PlannedPass};
use crate::progress::Progress;
use crate::report::Report;
use crate::usage::{Cost, Meter};
use settled::Settled;

/// How pipelines are run.
///
/// Bodies are processed in parallel, and consecutive body stages one body after the other, so that a body stays in a processor's cache.
/// The result does not depend on the number of threads.
///
/// ```
/// use rvsdg_core::text::parse_module;
/// use rvsdg_passes::{BisectLimit, Manager, Pipeline};
///
/// let module = parse_module(
///     "module \"example\"
/// @f = function i32 (i32)
/// lambda @f [] (v0: i32, mem0, io0) {
///   v1: i32 = add v0, v0
///   yield v0, mem0, io0
/// }
/// export @f
/// ",
/// )?;
/// // With all executions of passes, and with none.
/// for (bisect_limit, left) in [(None, 0), (Some("0".parse::<BisectLimit>()?), 1)] {
///     let mut optimized = module.clone();
///     let manager = Manager { verify_each: true, bisect_limit, ..Manager::default() };
///     manager.run(&mut optimized, &Pipeline::parse("dne")?)?;
///     let graph = optimized.bodies.values().find_map(|body| body.graph());
///     assert_eq!(graph.map(|graph| graph.node_count()), Some(left));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Manager {
    /// Whether to verify after every execution what it may have changed.
    pub verify_each: bool,
    /// Whether the module is known to be valid and need not be verified before the first pass. Imported and constructed modules are
    /// valid; a module that was built otherwise has to be verified, because passes may panic or produce nonsense on an invalid one.
    pub trust_input: bool,
    /// Where to stop. Bisecting it finds the execution that breaks a program, then the rewrite.
    pub bisect_limit: Option<BisectLimit>,
    /// What the run may spend.
    pub budget: Budget,
    /// Where bodies are processed.
    pub threads: Threads,
    /// Reads the processor time and memory; called before and after each execution.
    pub meter: Option<Meter>,
    /// Where the progress of a run is recorded.
    pub progress: Option<Arc<Progress>>,
}

/// A module is not valid: either it was not before the first pass, or a pass left it invalid.
#[derive(Debug)]
pub struct BrokenPass {
    /// The pass; `None` if the module was not valid before.
    pub pass: Option<&'static str>,
    /// The number of its execution.
    pub execution: u64,
    /// The name of the function; `None` for the module.
    pub function: Option<String>,
    /// What is wrong.
    pub violations: Vec<String>,
}

impl fmt::Display for BrokenPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pass, &self.function) {
            (None, _) => write!(f, "the module is not valid before the first pass")?,
            (Some(pass), None) => write!(f, "pass '{pass}' (execution {}) made the module invalid", self.execution)?,
            (Some(pass), Some(function)) => {
                write!(f, "pass '{pass}' (execution {}) made function '{function}' invalid", self.execution)?;
            }
        }
        self.violations.iter().try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

impl std::error::Error for BrokenPass {}

/// The outcome of one execution on a body; `None` instead of it if the bisection limit left it out. There is one for each body and stage
/// at a time, so those in which nothing happened are small.
#[derive(Default)]
struct Outcome {
    change: Change,
    cost: Cost,
    /// `None` if they are empty.
    results: Option<Box<PassResults>>,
    violations: Vec<Violation>,
}

/// A body and what was done to it.
struct Work<'m> {
    body: Body,
    symbol: Symbol,
    /// Its position in module order.
    position: u32,
    graph: &'m mut Graph,
    outcomes: Vec<Option<Outcome>>,
    settled: Settled,
    /// How many rewrites may still be made.
    left: Option<u64>,
}

impl<'m> Work<'m> {
    fn new(body: Body, symbol: Symbol, graph: &'m mut Graph) -> Work<'m> {
        Work { body, symbol, position: 0, graph, outcomes: Vec::new(), settled: Settled::default(), left: None }
    }
}

/// Executions of stages on bodies.
struct Done {
    /// The number of the first one.
    first: u64,
    /// Bodies in module order, with the outcome of each stage up to one that broke the body.
    bodies: Vec<(Body, Symbol, Vec<Option<Outcome>>)>,
}

/// A stage on bodies.
#[derive(Copy, Clone)]
struct BodyStage<'p> {
    pass: &'static str,
    /// Its number among the distinct stages of the pipeline.
    number: usize,
    stage: &'p dyn BodyPass,
}

/// Numbers of the distinct body stages of a pipeline. Stages are the same if they are at the same address.
#[derive(Default)]
struct Numbers(FxHashMap<(*const Stage, usize), usize>);

impl Numbers {
    fn stage<'p>(&mut self, pass: &PlannedPass, index: usize, stage: &'p dyn BodyPass) -> BodyStage<'p> {
        let count = self.0.len();
        let number = *self.0.entry((pass.stages.as_ptr(), index)).or_insert(count);
        BodyStage { pass: pass.entry.name, number, stage }
    }

    /// The stages of a nested pipeline that run on bodies.
    fn body_stages<'p>(&mut self, nested: &'p Pipeline) -> Vec<BodyStage<'p>> {
        let stages = nested.passes().iter().flat_map(|pass| pass.stages.iter().enumerate().map(move |it| (pass, it)));
        let bodies = stages.filter_map(|(pass, (index, stage))| match stage {
            Stage::Bodies(stage) => Some(self.stage(pass, index, &**stage)),
            Stage::Module(_) | Stage::BottomUp(_) => None,
        });
        bodies.collect()
    }
}

impl Manager {
    /// Runs a pipeline.
    ///
    /// # Errors
    /// When the module is not valid, unless it is [trusted](Manager::trust_input), and when [`Manager::verify_each`] finds that
    /// a pass made it so.
    pub fn run(&self, module: &mut Module, pipeline: &Pipeline) -> Result<Report, BrokenPass> {
        self.run_observed(module, pipeline, &mut ())
    }

    /// Runs a pipeline with an observer. A module whose data layout passes cannot handle stays as it is: [`Report::declined`].
    ///
    /// # Errors
    /// When the module is not valid, unless it is [trusted](Manager::trust_input), and when [`Manager::verify_each`] finds that
    /// a pass made it so.
    pub fn run_observed(
        &self,
        module: &mut Module,
        pipeline: &Pipeline,
        observer: &mut dyn Observer,
    ) -> Result<Report, BrokenPass> {
        if !self.trust_input
            && let Err(violations) = module.verify()
        {
            let violations = violations.iter().map(ToString::to_string).collect();
            return Err(BrokenPass { pass: None, execution: 0, function: None, violations });
        }
        let layout = DataLayout::parse(&module.header.data_layout);
        if let Some(reason) = layout.map_or_else(|error| Some(error.to_string()), |layout| layout.unsupported()) {
            return Ok(Report::declining(reason));
        }
        parallel::with(self.threads, || self.run_passes(module, pipeline, observer))
    }

    fn run_passes(
        &self,
        module: &mut Module,
        pipeline: &Pipeline,
        observer: &mut dyn Observer,
    ) -> Result<Report, BrokenPass> {
        let mut run = Run {
            manager: self,
            deadline: self.budget.time.and_then(|time| Instant::now().checked_add(time)),
            left: FxHashMap::default(),
            left_for_module: self.budget.rewrites,
            report: Report::default(),
            next: 1,
            module_changes: 1,
            surroundings: Default::default(),
            settled: FxHashMap::default(),
            observer,
        };
        let mut together: Vec<BodyStage> = Vec::new();
        let mut numbers = Numbers::default();
        let mut stages = 0;
        if let Some(progress) = &self.progress {
            progress.begin(pipeline, module.bodies.values().filter(|body| body.graph().is_some()).count());
        }
        for pass in pipeline.passes() {
            let name = pass.entry.name;
            for (index, stage) in pass.stages.iter().enumerate() {
                if run.observer.wants_every_stage() {
                    run.observer.stage_begins(module, name);
                }
                stages += 1;
                match stage {
                    Stage::Bodies(stage) => together.push(numbers.stage(pass, index, &**stage)),
                    Stage::Module(stage) => {
                        run.bodies(module, &std::mem::take(&mut together))?;
                        run.module(module, name, &**stage)?;
                    }
                    Stage::BottomUp(stage) => {
                        run.bodies(module, &std::mem::take(&mut together))?;
                        run.bottom_up(module, name, &**stage, &numbers.body_stages(&pass.nested))?;
                    }
                }
                if run.observer.wants_every_stage() {
                    run.bodies(module, &std::mem::take(&mut together))?;
                    run.observer.stage_done(module, name);
                }
                if let Some(progress) = self.progress.as_deref().filter(|_| together.is_empty()) {
                    progress.reached(stages);
                }
            }
        }
        run.bodies(module, &together)?;
        if let Some(progress) = &self.progress {
            progress.reached(stages);
        }
        run.report.set_executions(run.next - 1);
        Ok(run.report)
    }

    /// The context of an execution that may make this many rewrites; `None` if it is left out.
    fn context(
        &self,
        execution: u64,
        left: Option<u64>,
        deadline: Option<Instant>,
        wants_remarks: bool,
    ) -> Option<PassCx> {
        if left == Some(0) || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        let bisected = match self.bisect_limit {
            Some(limit) if execution > limit.executions => return None,
            Some(limit) if execution == limit.executions => limit.rewrites,
            _ => None,
        };
        let cx = match bisected.into_iter().chain(left).min() {
            Some(limit) => PassCx::with_rewrite_limit(limit),
            None => PassCx::new(),
        };
        Some(cx.until(deadline).wanting_remarks(wants_remarks))
    }
}

/// A pipeline being run.
struct Run<'a> {
    manager: &'a Manager,
    report: Report,
    /// The number of the next execution.
    next: u64,
    /// One more than the number of changes to the module around the bodies.
    module_changes: u64,
    /// The surroundings of bodies, and the value of [`Run::module_changes`] when they were computed.
    surroundings: (FxHashMap<Body, Arc<Surroundings>>, u64),
    settled: FxHashMap<Body, Settled>,
    /// When the time budget ends.
    deadline: Option<Instant>,
    /// How many rewrites may still be made in bodies in which some were made.
    left: FxHashMap<Body, u64>,
    /// How many rewrites module passes may still make.
    left_for_module: Option<u64>,
    observer: &'a mut dyn Observer,
}

impl Run<'_> {
    /// Runs stages one after the other on every body.
    fn bodies(&mut self, module: &mut Module, stages: &[BodyStage]) -> Result<(), BrokenPass> {
        if stages.is_empty() {
            return Ok(());
        }
        if stages.iter().any(|stage| stage.stage.wants_surroundings()) {
            self.look_around(module);
        }
        let surroundings = std::mem::take(&mut self.surroundings.0);
        let progress = self.manager.progress.as_deref();
        let done = self.execute_all(graphs_in_order(module), stages, &surroundings, progress);
        self.surroundings.0 = surroundings;
        self.record_all(module, stages, &done)
    }

    /// Runs stages one after the other on the bodies of some functions that were just changed.
    fn bodies_of(&mut self, module: &mut Module, functions: &[Lambda], stages: &[BodyStage]) -> Result<(), BrokenPass> {
        let surroundings = Surroundings::of_functions(module, functions);
        let mut graphs: Vec<(Body, Graph)> = Vec::with_capacity(functions.len());
        for body in functions.iter().map(|function| function.body()) {
            let empty = Graph::new(module.pool.clone());
            graphs.extend(module.bodies[body].graph_mut().map(|graph| (body, std::mem::replace(graph, empty))));
        }
        let work = graphs
            .iter_mut()
            .zip(0..)
            .map(|((body, graph), position)| Work { position, ..Work::new(*body, module.bodies[*body].symbol, graph) });
        if let Some(progress) = &self.manager.progress {
            progress.add(functions.len());
        }
        let done = self.execute_all(work.collect(), stages, &surroundings, None);
        for (body, graph) in graphs {
            *module.bodies[body].graph_mut().expect("its graph was taken") = graph;
        }
        self.record_all(module, stages, &done)
    }

    /// Runs stages one after the other on bodies, which are in module order.
    fn execute_all(
        &mut self,
        mut work: Vec<Work<'_>>,
        stages: &[BodyStage],
        surroundings: &FxHashMap<Body, Arc<Surroundings>>,
        progress: Option<&Progress>,
    ) -> Done {
        let (first, count) = (self.next, work.len() as u64);
        self.next += count * stages.len() as u64;
        let number = |stage: usize, position: u32| first + stage as u64 * count + u64::from(position);

        let remarks: Vec<bool> = stages.iter().map(|stage| self.observer.wants_remarks(stage.pass)).collect();
        let manager = self.manager;
        let keeps_ids = self.observer.wants_every_stage();
        for work in &mut work {
            work.settled = self.settled.remove(&work.body).unwrap_or_default();
            work.left = self.left.get(&work.body).copied().or(manager.budget.rewrites);
        }
        let deadline = self.deadline;
        // The largest bodies first, so that no thread is left alone with one at the end.
        work.sort_by_cached_key(|work| (std::cmp::Reverse(work.graph.node_count()), work.position));
        parallel::change_large(&mut work, |work| {
            work.outcomes.reserve_exact(stages.len());
            for (position, &BodyStage { number: stage_number, stage, .. }) in stages.iter().enumerate() {
                if let Some(progress) = progress {
                    progress.add(1);
                }
                let number = number(position, work.position);
                let Some(mut cx) = manager.context(number, work.left, deadline, remarks[position]) else {
                    work.outcomes.push(None);
                    continue;
                };
                let known = surroundings.get(&work.body).filter(|_| stage.wants_surroundings());
                if work.settled.is_settled(stage_number, known) {
                    work.outcomes.push(Some(Outcome::default()));
                    continue;
                }
                if let Some(known) = known {
                    cx = cx.with_surroundings(known.clone());
                }
                if let Some(last_end) = work.settled.last_end(stage_number, known, work.graph) {
                    cx = cx.with_last_end(last_end);
                }
                let outcome = execute(stage, work.graph, cx, manager);
                let results = outcome.results.as_deref();
                let rewrites = results.map_or(0, |results| results.rewrites);
                work.left = work.left.map(|left| left.saturating_sub(rewrites));
                let is_cut = results.is_some_and(|results| results.is_cut);
                work.settled.ran((stage_number, stage), known, outcome.change, is_cut, work.graph);
                let broken = !outcome.violations.is_empty();
                work.outcomes.push(Some(outcome));
                if broken {
                    return;
                }
            }
            if !keeps_ids {
                work.graph.shrink();
            }
        });

        self.observer.bodies_done();
        work.sort_by_cached_key(|work| work.position);
        let mut bodies = Vec::with_capacity(work.len());
        for work in work {
            self.settled.insert(work.body, work.settled);
            self.left.extend(work.left.map(|left| (work.body, left)));
            bodies.push((work.body, work.symbol, work.outcomes));
        }
        Done { first, bodies }
    }

    /// Reports executions in the order of their numbers.
    fn record_all(&mut self, module: &Module, stages: &[BodyStage], done: &Done) -> Result<(), BrokenPass> {
        let mut numbers = done.first..;
        for (stage, &BodyStage { pass, .. }) in stages.iter().enumerate() {
            for ((body, symbol, outcomes), number) in done.bodies.iter().zip(&mut numbers) {
                let Some(outcome) = outcomes.get(stage) else { continue };
                if let Some(outcome) = outcome {
                    if outcome.change.is_changed() {
                        self.report.set_body_changed(*body);
                    }
                    if !outcome.violations.is_empty() {
                        let function = Some(module.symbols[*symbol].name.to_string());
                        let violations = outcome.violations.iter().map(ToString::to_string).collect();
                        return Err(BrokenPass { pass: Some(pass), execution: number, function, violations });
                    }
                }
                self.record(module, number, pass, Some(*symbol), outcome.as_ref());
            }
        }
        Ok(())
    }

    /// Computes the surroundings of bodies, unless the module has not changed since the last time.
    fn look_around(&mut self, module: &Module) {
        let (known, at) = &self.surroundings;
        if *at != self.module_changes {
            let mut found = Surroundings::of_all(module);
            for (body, found) in &mut found {
                // Equal surroundings are stored once and then compare equal quickly.
                if let Some(known) = known.get(body).filter(|known| *known == found) {
                    *found = known.clone();
                }
            }
            self.surroundings = (found, self.module_changes);
        } else if cfg!(debug_assertions) {
            assert!(*known == Surroundings::of_all(module), "the module changed around bodies and no pass said so");
        }
    }

    /// Runs a stage on the module.
    fn module(&mut self, module: &mut Module, name: &'static str, pass: &dyn ModulePass) -> Result<(), BrokenPass> {
        let Some((number, cx)) = self.next_step(module, name) else { return Ok(()) };
        let before = cfg!(debug_assertions).then(|| hash_module(module));
        let (change, cost) = Cost::of(self.manager.meter, || pass.run(module, &cx));
        if let Some(before) = before.filter(|_| !change.is_changed()) {
            assert_eq!(before, hash_module(module), "pass '{name}' changed a module and did not say so");
        }
        self.module_done(module, number, name, change, cost, said(cx))
    }

    /// Runs a stage bottom-up on the call graph, and the nested body stages where it changed bodies. Each step is an execution; past the
    /// bisection limit there is none.
    fn bottom_up(
        &mut self,
        module: &mut Module,
        name: &'static str,
        pass: &dyn BottomUpPass,
        nested: &[BodyStage],
    ) -> Result<(), BrokenPass> {
        let Some((mut number, mut cx)) = self.next_step(module, name) else { return Ok(()) };
        let (mut run, mut cost) = Cost::of(self.manager.meter, || pass.start(module));
        loop {
            let before = cfg!(debug_assertions).then(|| hash_module(run.module()));
            let ((change, functions), spent) = Cost::of(self.manager.meter, || {
                let mut change = Change::Unchanged;
                while let Some(step) = run.step(&cx) {
                    change |= step.change;
                    if !nested.is_empty() && !step.functions.is_empty() {
                        return (change, step.functions);
                    }
                }
                (change, Vec::new())
            });
            if let Some(before) = before.filter(|_| !change.is_changed()) {
                assert_eq!(before, hash_module(run.module()), "pass '{name}' changed a module and did not say so");
            }
            self.module_done(run.module(), number, name, change, cost + spent, said(cx))?;
            cost = Cost::default();
            if functions.is_empty() {
                return Ok(());
            }
            self.bodies_of(run.module(), &functions, nested)?;
            let Some(next) = self.next_step(run.module(), name) else { return Ok(()) };
            (number, cx) = next;
        }
    }

    /// The number and context of the next execution on the module; `None` if it is left out.
    fn next_step(&mut self, module: &Module, name: &'static str) -> Option<(u64, PassCx)> {
        let number = self.next;
        self.next += 1;
        let wants_remarks = self.observer.wants_remarks(name);
        let cx = self.manager.context(number, self.left_for_module, self.deadline, wants_remarks);
        if cx.is_none() {
            self.record(module, number, name, None, None);
        }
        Some((number, cx?))
    }

    /// Records what a stage did to the module.
    fn module_done(
        &mut self,
        module: &Module,
        number: u64,
        name: &'static str,
        change: Change,
        cost: Cost,
        results: Option<Box<PassResults>>,
    ) -> Result<(), BrokenPass> {
        if let Some(results) = &results {
            self.left_for_module = self.left_for_module.map(|left| left.saturating_sub(results.rewrites));
            for &body in &results.changed_bodies {
                self.report.set_body_changed(body);
                self.settled.remove(&body);
            }
        }
        if change.is_changed() {
            self.report.set_omega_changed();
            self.module_changes += 1;
        }
        if self.manager.verify_each
            && let Err(violations) = module.verify()
        {
            let violations = violations.iter().map(ToString::to_string).collect();
            return Err(BrokenPass { pass: Some(name), execution: number, function: None, violations });
        }
        let outcome = Outcome { change, cost, results, violations: Vec::new() };
        self.record(module, number, name, None, Some(&outcome));
        Ok(())
    }

    fn record(
        &mut self,
        module: &Module,
        number: u64,
        pass: &'static str,
        function: Option<Symbol>,
        outcome: Option<&Outcome>,
    ) {
        let results = outcome.and_then(|outcome| outcome.results.as_deref());
        let report = self.report.pass(pass);
        match outcome {
            None => report.skipped += 1,
            Some(outcome) => {
                report.executions += 1;
                report.changed += u64::from(outcome.change.is_changed());
                report.add_cost(outcome.cost);
                if let Some(results) = results {
                    report.count(&results.counts);
                }
                if let Some(symbol) = function.filter(|_| self.manager.meter.is_some()) {
                    self.report.add_function(symbol, &module.symbols[symbol].name, pass, outcome.cost.wall);
                }
            }
        }
        let change = outcome.map(|outcome| outcome.change);
        let cost = outcome.map_or_else(Cost::default, |outcome| outcome.cost);
        let rewrites = results.map_or(0, |results| results.rewrites);
        let last_rewrite = results.and_then(|results| results.last_rewrite.as_deref());
        let remarks = results.map_or(&[][..], |results| &results.remarks);
        let execution = Execution { number, pass, function, change, cost, rewrites, last_rewrite, remarks };
        self.observer.executed(module, &execution);
    }
}

/// All bodies that are graphs, in the module order of their functions.
fn graphs_in_order(module: &mut Module) -> Vec<Work<'_>> {
    let place: FxHashMap<Symbol, usize> =
        module.order.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect();
    let mut work: Vec<Work<'_>> = module
        .bodies
        .iter_mut()
        .filter_map(|(body, data)| {
            let symbol = data.symbol;
            data.graph_mut().map(|graph| Work::new(body, symbol, graph))
        })
        .collect();
    work.sort_by_key(|work| place.get(&work.symbol).copied());
    for (position, work) in work.iter_mut().enumerate() {
        work.position = position as u32;
    }
    work
}

fn execute(pass: &dyn BodyPass, graph: &mut Graph, cx: PassCx, manager: &Manager) -> Outcome {
    let before = cfg!(debug_assertions).then(|| rvsdg_core::hash::hash_graph(graph));
    let (change, cost) = Cost::of(manager.meter, || {
        if graph.has_funclets() && !pass.keeps_funclets() {
            cx.count("bodies_with_funclets", 1);
            return Change::Unchanged;
        }
        pass.run(graph, &cx)
    });
    if let Some(before) = before.filter(|_| !change.is_changed()) {
        assert_eq!(before, rvsdg_core::hash::hash_graph(graph), "a pass changed a body and did not say so");
    }
    let violations = if manager.verify_each { verify_graph(graph) } else { Vec::new() };
    Outcome { change, cost, results: said(cx), violations }
}

/// The results of an execution, if there are any; the remark about its counters is last.
fn said(cx: PassCx) -> Option<Box<PassResults>> {
    cx.remark_counts();
    let results = cx.into_results();
    (results != PassResults::default()).then(|| Box::new(results))
}

/// Hashes of the ω level and of all bodies.
fn hash_module(module: &Module) -> Vec<u64> {
    let bodies = module.bodies.values().filter_map(|body| body.graph());
    std::iter::once(&module.omega).chain(bodies).map(rvsdg_core::hash::hash_graph).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rvsdg_core::text::parse_module;

    use super::*;
    use crate::pipeline::PlannedPass;
    use crate::registry::Entry;

    /// How often a stage ran, by its option.
    static RAN: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

    struct Counting(usize);

    impl BodyPass for Counting {
        fn run(&self, _: &mut Graph, _: &PassCx) -> Change {
            RAN[self.0].fetch_add(1, Ordering::Relaxed);
            Change::Unchanged
        }
    }

    #[test]
    fn a_stage_with_other_options_is_run_on_what_is_settled() {
        let pass = |option: usize| {
            PlannedPass::new(Entry::new("counting", "", move || vec![Stage::Bodies(Box::new(Counting(option)))]))
        };
        let (first, second) = (pass(0), pass(1));
        let pipeline: Pipeline = [&first, &second, &first, &second].into_iter().cloned().collect();
        let text =
            "module \"test\"\n@f = function void ()\nlambda @f [] (mem0, io0) {\n  yield mem0, io0\n}\nexport @f\n";
        let mut module = parse_module(text).unwrap();
        Manager::default().run(&mut module, &pipeline).unwrap();
        assert_eq!(RAN.each_ref().map(|ran| ran.load(Ordering::Relaxed)), [1, 1]);
    }
}
