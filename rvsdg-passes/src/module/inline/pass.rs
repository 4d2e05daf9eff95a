//! The pass: levels of the call graph, each planned, committed and spliced, and visited again once it is simplified. Waiting calls are
//! those of [trees](super::tree).

use rustc_hash::FxHashMap;
use rvsdg_analysis::call_graph::{BottomUp, DirectCalls, FunctionUses};
use rvsdg_analysis::constant_memory::ConstantMemory;
use rvsdg_analysis::function::may_unwind;
use rvsdg_analysis::{CallGraph, VariableUses};
use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::op::{CallExits, CallInfo};
use rvsdg_core::{Body, Graph, Module, Node, Op, Symbol};

use super::decline::Decline;
use super::plan::{Callee, Caller, FREE_GROWTH, MAX_GROWTH, Reason, Verdict, decide, environment};
use super::summary::{self, CALL, Summary, Unwinding};
use super::tree::{self, Site, Waiting};
use super::unwind::{self, Exit, Handler};
use super::{Options, attributes};
use crate::module::calls::call_graph;
use crate::module::constant_loads::{Mentioning, calls_library, replace_loads};
use crate::module::memory_calls::MemoryCall;
use crate::module::places::Places;
use crate::parallel;
use crate::pass::{BottomUpPass, BottomUpRun, Change, PassCx, Step};
use crate::remark::{Remark, RemarkKind, Value};

/// The one stage of [inlining](super).
pub struct Inline {
    /// Which calls are inlined.
    pub options: Options,
}

/// How often a level is visited again for calls that inlining exposed. Each visit considers calls of the functions inlined in the one
/// before.
const MAX_LOOKS: u32 = 3;

impl BottomUpPass for Inline {
    fn start<'m>(&self, module: &'m mut Module) -> Box<dyn BottomUpRun + 'm> {
        Box::new(Run::new(module, self.options))
    }
}

/// A level whose bodies have changed.
struct Open {
    /// For each body of the level, the functions whose calls wait in it.
    waiting: Vec<Vec<Body>>,
    /// Bodies of earlier levels that had waiting calls.
    resolved: Vec<Body>,
    /// The bodies changed by the last visit, without those with waiting calls, and their node counts at that time.
    changed: Vec<(Body, u64)>,
    /// The number of visits.
    looks: u32,
}

impl BottomUpRun for Run<'_> {
    fn step(&mut self, cx: &PassCx) -> Option<Step> {
        loop {
            let open = match self.open.take() {
                Some(open) => self.look_again(open, cx),
                None if self.next == self.order.levels().len() => {
                    let change = std::mem::take(&mut self.change);
                    return change.is_changed().then(|| Step { change, functions: Vec::new() });
                }
                None => self.begin(cx),
            };
            if open.changed.is_empty() {
                self.finish(&open);
                continue;
            }
            let functions = open.changed.iter().map(|&(body, _)| self.calls.lambda(body)).collect();
            self.open = Some(open);
            return Some(Step { change: std::mem::take(&mut self.change), functions });
        }
    }

    fn module(&mut self) -> &mut Module {
        self.module
    }
}

/// The decision about a call.
struct Choice {
    call: Node,
    callee: Body,
    verdict: Verdict,
}

pub(super) struct Run<'a> {
    pub(super) module: &'a mut Module,
    options: Options,
    /// The first unfinished level, and its state if it was begun.
    next: usize,
    open: Option<Open>,
    /// The call graph before inlining.
    pub(super) calls: CallGraph,
    pub(super) uses: FunctionUses,
    pub(super) order: BottomUp,
    places: Places,
    /// The module's constant memory.
    memory: Option<ConstantMemory>,
    /// The symbols of context variables.
    pub(super) contexts: FxHashMap<Body, Vec<Symbol>>,
    /// For each body with added context variables, the context variable of each symbol.
    numbers: FxHashMap<Body, FxHashMap<Symbol, u32>>,
    /// The summaries of bodies of finished levels.
    pub(super) summaries: FxHashMap<Body, Summary>,
    /// For bodies of finished levels, the calls that wait in them, if any.
    pub(super) waiting: FxHashMap<Body, Vec<Waiting>>,
    /// The number of nodes of all bodies, and how many more there may be.
    nodes: u64,
    limit: u64,
    change: Change,
}

impl<'a> Run<'a> {
    fn new(module: &'a mut Module, options: Options) -> Self {
        let calls = call_graph(module);
        let uses = FunctionUses::of(module, &calls);
        let order = order(module, &calls, &uses);
        let contexts = calls.bodies().iter().map(|&body| (body, calls.contexts(body).to_vec())).collect();
        let graphs = calls.bodies().iter().filter_map(|&body| module.bodies[body].graph());
        let nodes = graphs.map(|graph| graph.node_count() as u64).sum();
        let places = Places::new(module);
        Run {
            options,
            next: 0,
            open: None,
            calls,
            uses,
            order,
            places,
            memory: ConstantMemory::of(module, &VariableUses::default()),
            contexts,
            numbers: FxHashMap::default(),
            summaries: FxHashMap::default(),
            waiting: FxHashMap::default(),
            nodes,
            limit: nodes * MAX_GROWTH + FREE_GROWTH,
            change: Change::Unchanged,
            module,
        }
    }

    /// Inlines calls of the bodies of the next level.
    fn begin(&mut self, cx: &PassCx) -> Open {
        let bodies = self.order.levels()[self.next].clone();
        let plans: Vec<Vec<Choice>> = {
            let run = &*self;
            parallel::map(&bodies, |&body| run.plan(body))
        };
        let mut work = Vec::new();
        let mut waiting: Vec<Vec<Body>> = Vec::with_capacity(bodies.len());
        let (mut done, mut resolved) = (Vec::new(), Vec::new());
        for (&body, choices) in bodies.iter().zip(plans) {
            let Committed { sites, waiting: own, declined } = self.commit(body, choices, Look::First, cx);
            if !sites.is_empty() && own.is_empty() {
                done.push(body);
            }
            work.push((body, sites));
            waiting.push(own);
            for callee in declined {
                let sites = self.sites_of_waiting(callee);
                if !sites.is_empty() {
                    // Nobody takes it until it is done again.
                    self.summaries.remove(&callee);
                    resolved.push(callee);
                    work.push((callee, sites));
                }
            }
        }
        self.replace(work, cx);
        done.extend(&resolved);
        Open { waiting, resolved, changed: self.sizes(done), looks: 1 }
    }

    /// Inlines calls in simplified bodies of the level that could not be decided before: they came with an inlined callee, or they call a
    /// pointer or pass an argument that has become known.
    fn look_again(&mut self, mut open: Open, cx: &PassCx) -> Open {
        let bodies: Vec<Body> = open.changed.iter().map(|&(body, _)| body).collect();
        let before: u64 = open.changed.iter().map(|&(_, nodes)| nodes).sum();
        let after: u64 = self.sizes(bodies.clone()).iter().map(|&(_, nodes)| nodes).sum();
        self.nodes = (self.nodes + after).saturating_sub(before);
        if open.looks > MAX_LOOKS {
            return Open { changed: Vec::new(), ..open };
        }
        bodies.iter().for_each(|&body| self.know_pointers(body, cx));
        let plans: Vec<Vec<Choice>> = {
            let run = &*self;
            parallel::map(&bodies, |&body| run.plan_again(body))
        };
        let mut work = Vec::new();
        let mut done = Vec::new();
        for (body, choices) in bodies.into_iter().zip(plans) {
            let Committed { sites, .. } = self.commit(body, choices, Look::Again, cx);
            if !sites.is_empty() {
                done.push(body);
                work.push((body, sites));
            }
        }
        self.replace(work, cx);
        open.looks += 1;
        Open { changed: self.sizes(done), ..open }
    }

    /// Folds loads from constant memory, so that loaded functions can be called directly.
    fn know_pointers(&mut self, body: Body, cx: &PassCx) {
        let Some(mut memory) = self.memory.take() else { return };
        if self.contexts[&body].iter().any(|&symbol| memory.has(symbol))
            && replace_loads(&mut memory, &mut InRun { run: self, body }, cx) > 0
        {
            cx.body_changed(body);
            self.change = Change::Changed;
        }
        self.memory = Some(memory);
    }

    /// Computes the summaries of a level.
    fn finish(&mut self, open: &Open) {
        let level = self.order.levels()[self.next].iter().copied().zip(open.waiting.iter().map(Vec::as_slice));
        let bodies: Vec<(Body, &[Body])> = level.chain(open.resolved.iter().map(|&body| (body, &[][..]))).collect();
        let run = &*self;
        let summaries: Vec<(Summary, Vec<Waiting>)> =
            parallel::map(&bodies, |&(body, callees)| run.summary(body, callees));
        for ((body, _), (summary, waiting)) in bodies.into_iter().zip(summaries) {
            self.summaries.insert(body, summary);
            if !waiting.is_empty() {
                self.waiting.insert(body, waiting);
            }
        }
        self.next += 1;
    }

    /// Bodies in module order, with their node counts.
    fn sizes(&self, mut bodies: Vec<Body>) -> Vec<(Body, u64)> {
        bodies.sort_by_key(|body| self.calls.position(*body));
        let nodes = |body: Body| self.module.bodies[body].graph().map_or(0, |graph| graph.node_count() as u64);
        bodies.into_iter().map(|body| (body, nodes(body))).collect()
    }

    /// Replaces the calls at sites of bodies.
    fn replace(&mut self, sites: Vec<(Body, Vec<Site>)>, cx: &PassCx) {
        let mut work = Vec::new();
        for (body, sites) in sites {
            if sites.is_empty() {
                continue;
            }
            let empty = Code::Graph(Graph::new(self.module.pool.clone()));
            let Code::Graph(graph) = std::mem::replace(&mut self.module.bodies[body].code, empty) else {
                unreachable!("calls were found in a graph")
            };
            work.push((body, graph, sites));
        }
        let run = &*self;
        let done: Vec<(Body, Graph, Vec<Body>)> = parallel::map_large(work, |(body, mut graph, sites)| {
            run.splice(&mut graph, &sites);
            (body, graph.renumbered(), run.taken(&sites))
        });
        for (body, graph, taken) in done {
            self.module.bodies[body].code = Code::Graph(graph);
            cx.body_changed(body);
            self.change = Change::Changed;
            self.empty(&taken);
            taken.into_iter().for_each(|body| cx.body_changed(body));
        }
    }

    fn plan(&self, body: Body) -> Vec<Choice> {
        let Some(graph) = self.module.bodies[body].graph() else { return Vec::new() };
        self.choices(body, graph, self.calls.calls(body), Look::First)
    }

    fn plan_again(&self, body: Body) -> Vec<Choice> {
        let Some(graph) = self.module.bodies[body].graph() else { return Vec::new() };
        let contexts = &self.contexts[&body];
        let direct = DirectCalls::of(graph, contexts.len());
        let calls = direct.calls.iter().map(|&(call, context)| (call, contexts[context as usize]));
        let mut choices = self.choices(body, graph, calls, Look::Again);
        choices.retain(|choice| choice.verdict.outcome.is_ok());
        choices
    }

    fn choices(
        &self,
        body: Body,
        graph: &Graph,
        calls: impl Iterator<Item = (Node, Symbol)>,
        look: Look,
    ) -> Vec<Choice> {
        let mut caller = Caller {
            module: self.module,
            symbol: self.module.bodies[body].symbol,
            graph,
            contexts: &self.contexts[&body],
            cold: Caller::cold_regions(graph),
            recursive: self.calls.components().is_recursive(body),
            nodes: graph.node_count() as u32,
        };
        let mut choices = Vec::new();
        for (call, symbol) in calls {
            let Some(callee) = self.calls.definition(symbol) else { continue };
            // A call that came with a callee may lead back to it.
            let may_enter = look == Look::First || !self.order.is_entered(callee);
            let verdict = match self.summaries.get(&callee) {
                Some(summary) if may_enter => {
                    let graph = self.module.bodies[callee].graph();
                    let known = Callee {
                        symbol,
                        body: graph.map(|graph| (graph, &self.contexts[&callee][..])),
                        summary,
                        only_use: look == Look::First && self.uses.is_called_once(symbol),
                        calls: self.uses.calls(symbol),
                        has_sources: !self.module.sources.extents(callee).is_empty(),
                    };
                    decide(&caller, call, &known, &self.options)
                }
                _ => Decline::Recursive.into(),
            };
            if verdict.outcome.is_ok() {
                caller.nodes = caller.nodes.saturating_add(self.summaries[&callee].nodes);
            }
            choices.push(Choice { call, callee, verdict });
        }
        choices
    }

    /// Performs the edits at the ω level, and drops calls for which the module has no room.
    fn commit(&mut self, body: Body, choices: Vec<Choice>, look: Look, cx: &PassCx) -> Committed {
        let mut committed = Committed::default();
        let may_wait = look == Look::First && self.may_wait(body);
        for Choice { call, callee, verdict: Verdict { outcome, weight } } in choices {
            let waits = may_wait
                && self.may_wait(callee)
                && self.module.bodies[body].graph().is_some_and(|graph| !graph.outputs(call).is_empty());
            let first = committed.sites.len();
            let sites = outcome.and_then(|reason| {
                // A body that costs no more than a call does not increase anything.
                let grows = weight.is_none_or(|(cost, _)| cost > CALL);
                let nodes = if grows { u64::from(self.summaries[&callee].nodes) } else { 0 };
                if reason == Reason::Cost && grows && self.nodes + nodes > self.limit {
                    return Err(Decline::ModuleGrowth);
                }
                // A call inlined before it may have given the caller a personality.
                environment(self.module, self.module.bodies[body].symbol, self.module.bodies[callee].symbol)?;
                let graph = self.module.bodies[body].graph().ok_or(Decline::Untouched)?;
                let unwinds = matches!(graph.op(call), Some(Op::Invoke(_)))
                    && self.summaries[&callee].unwinds != Unwinding::Never;
                if !cx.allows_rewrite(reason.counter(), graph, call) {
                    return Err(Decline::Bisection);
                }
                let sites = if waits { Vec::new() } else { self.sites(body, call, callee, first, look)? };
                self.merge_symbols(self.module.bodies[body].symbol, self.module.bodies[callee].symbol);
                if reason != Reason::Once {
                    self.nodes += nodes;
                }
                cx.count(reason.counter(), 1);
                cx.count("inlined_unwinding", u64::from(unwinds));
                let components = self.calls.components();
                let in_cycle = components.of_body(body) == components.of_body(callee);
                cx.count("inlined_in_cycle", u64::from(in_cycle));
                Ok((sites, reason))
            });
            let outcome = match &sites {
                Ok((_, reason)) => Ok(*reason),
                Err(decline) => Err(*decline),
            };
            cx.remark(|| self.remark(body, call, callee, &Verdict { outcome, weight }));
            match sites {
                Ok(_) if waits => committed.waiting.push(callee),
                Ok((sites, _)) => committed.sites.extend(sites),
                Err(decline) => {
                    cx.count(decline.counter(), 1);
                    committed.declined.extend(self.waiting.contains_key(&callee).then_some(callee));
                }
            }
        }
        committed
    }

    /// The remark about a call, with LLVM's names and words where it has them.
    fn remark(&self, body: Body, call: Node, callee: Body, verdict: &Verdict) -> Remark {
        let (kind, name) = match verdict.outcome {
            Ok(Reason::Always) => (RemarkKind::Passed, "AlwaysInline"),
            Ok(Reason::Once | Reason::Cost) => (RemarkKind::Passed, "Inlined"),
            Err(Decline::Cost) => (RemarkKind::Missed, "TooCostly"),
            Err(Decline::NoInline | Decline::CallNoInline) => (RemarkKind::Missed, "NeverInline"),
            Err(_) => (RemarkKind::Missed, "NotInlined"),
        };
        let [caller, callee] = [body, callee].map(|body| self.module.bodies[body].symbol);
        let source = self.module.bodies[body].graph().and_then(|graph| graph.source(call));
        let passed = kind == RemarkKind::Passed;
        let mut remark = Remark::new(kind, name)
            .of(caller)
            .at(source)
            .words("'")
            .with("Callee", Value::Function(callee))
            .words(if passed { "' inlined into '" } else { "' not inlined into '" })
            .with("Caller", Value::Function(caller))
            .words("'");
        if let Some((cost, threshold)) = verdict.weight {
            remark = remark
                .words(" (cost=")
                .with("Cost", Value::Number(cost.into()))
                .words(", threshold=")
                .with("Threshold", Value::Number(threshold.into()))
                .words(")");
        }
        match verdict.outcome {
            Ok(Reason::Once) => remark.words(": ").with("Reason", Value::Text("its only call".into())),
            Ok(Reason::Always | Reason::Cost) => remark,
            Err(decline) => remark.words(" because ").with("Reason", Value::Text(decline.text().into())),
        }
    }

    /// The context variable of a body for a symbol, added if there is none.
    pub(super) fn context(&mut self, body: Body, symbol: Symbol) -> Result<u32, Decline> {
        let symbols = self.contexts.get_mut(&body).expect("every body has its contexts");
        let numbers = self.numbers.entry(body).or_insert_with(|| symbols.iter().copied().zip(0..).collect());
        if let Some(&number) = numbers.get(&symbol) {
            return Ok(number);
        }
        let lambda = self.calls.lambda(body);
        let number = self.places.add_context(self.module, lambda, symbol).ok_or(Decline::Context)?;
        symbols.push(symbol);
        numbers.insert(symbol, number);
        self.change = Change::Changed;
        Ok(number)
    }

    /// The context variable of a body for the copy intrinsic.
    pub(super) fn memory_copy(&mut self, body: Body) -> Result<u32, Decline> {
        let copy = MemoryCall::Copy.declaration(&self.module.pool);
        let (symbol, import) = copy.import(self.module).ok_or(Decline::Context)?;
        if let Some(origin) = import {
            self.places.add(self.module, symbol, origin);
            self.change = Change::Changed;
        }
        self.context(body, symbol)
    }

    /// The body of a callee that may unwind into an `invoke`, and where the exceptional exit is observed.
    pub(super) fn catching(&self, caller: &Graph, call: Node, callee: Body) -> Option<(Graph, Option<Exit>)> {
        let Some(Op::Invoke(info)) = caller.op(call) else { return None };
        if self.summaries[&callee].unwinds == Unwinding::Never {
            return None;
        }
        let info = caller.pool().call(info);
        let CallExits::Unwind(pad) = info.exits.clone() else { return None };
        let pad_output = caller.outputs(call).len() - info.effects.count() - 2;
        let first = caller.inputs(call).len() - info.effects.count() - pad.clauses.len();
        let clauses = caller.input_origins(call).skip(first).take(pad.clauses.len());
        let clauses = clauses.map(|operand| caller.ty(operand)).collect();
        let handler = Handler { ty: caller.ty(caller.output(call, pad_output)), clauses, pad };
        let symbols = &self.contexts[&callee];
        let may_unwind = |info: &CallInfo, context: Option<u32>| {
            may_unwind(self.module, info, context.map(|context| symbols[context as usize]))
        };
        let graph = self.module.bodies[callee].graph().expect("an untouched body is not inlined");
        Some(unwind::catch(graph, symbols.len(), may_unwind, &handler))
    }

    /// Adds what the callee's code requires of its function to the caller.
    fn merge_symbols(&mut self, caller: Symbol, callee: Symbol) {
        let SymbolKind::Function { attributes: theirs, personality: their_personality, .. } =
            self.module.symbols[callee].kind.clone()
        else {
            return;
        };
        let pool = self.module.pool.clone();
        let SymbolKind::Function { attributes, personality, .. } = &mut self.module.symbols[caller].kind else {
            return;
        };
        *attributes = attributes::merge(&pool, *attributes, theirs);
        if personality.is_none() {
            *personality = their_personality;
        }
    }

    /// The summary of a body for its callers, with the calls of `callees` that wait in it.
    fn summary(&self, body: Body, callees: &[Body]) -> (Summary, Vec<Waiting>) {
        let Some(graph) = self.module.bodies[body].graph() else { return (Summary::untouched(), Vec::new()) };
        let contexts = &self.contexts[&body];
        let direct = DirectCalls::of(graph, contexts.len());
        let waiting = tree::find_waiting(self.module, contexts, &direct.calls, callees);
        let summaries = waiting.iter().map(|waiting| (waiting.call, &self.summaries[&waiting.callee])).collect();
        let symbol = self.module.bodies[body].symbol;
        let mut summary = Summary::new(self.module, symbol, graph, contexts, &direct, &summaries);
        if self.module.sources.extents(body).len() > 1 {
            summary.extents = self.module.sources.needed(body, &graph.mentioned_sources());
        }
        (summary, waiting)
    }
}

/// A body of a run.
struct InRun<'r, 'm> {
    run: &'r mut Run<'m>,
    body: Body,
}

impl Mentioning for InRun<'_, '_> {
    fn graph(&self) -> Option<&Graph> {
        self.run.module.bodies[self.body].graph()
    }

    fn graph_mut(&mut self) -> Option<&mut Graph> {
        self.run.module.bodies[self.body].graph_mut()
    }

    fn contexts(&self) -> &[Symbol] {
        &self.run.contexts[&self.body]
    }

    fn calls_library(&self) -> bool {
        calls_library(self.run.module, self.run.module.bodies[self.body].symbol)
    }

    fn context(&mut self, symbol: Symbol) -> Option<u32> {
        self.run.context(self.body, symbol).ok()
    }
}

/// The order in which bodies are visited. Among functions that call each other, calls that would hardly be inlined anyway are ignored.
fn order(module: &Module, calls: &CallGraph, uses: &FunctionUses) -> BottomUp {
    BottomUp::of(calls, |body| {
        let symbol = module.bodies[body].symbol;
        match module.bodies[body].graph() {
            Some(_) if uses.is_called_once(symbol) => 0,
            Some(graph) if summary::function(module, symbol).is_ok() => graph.node_count() as u32,
            _ => u32::MAX,
        }
    })
}

/// Whether the calls of a body are the original ones.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Look {
    First,
    Again,
}

/// The decisions about the calls of a body.
#[derive(Default)]
struct Committed {
    sites: Vec<Site>,
    /// Callees whose calls wait.
    waiting: Vec<Body>,
    /// Callees with waiting calls whose own call is not inlined.
    declined: Vec<Body>,
}
