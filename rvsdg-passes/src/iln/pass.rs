//! The pass: levels of the call graph, each planned, committed and spliced. Calls that wait are those of [trees](super::tree).

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use rvsdg_analysis::CallGraph;
use rvsdg_analysis::call_graph::{DirectCalls, FunctionUses};
use rvsdg_analysis::function::may_unwind;
use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::op::{CallExits, CallInfo};
use rvsdg_core::{Body, Graph, Module, Node, Op, Symbol};

use super::decline::Decline;
use super::omega::Places;
use super::plan::{Callee, Caller, FREE_GROWTH, MAX_GROWTH, Reason, Verdict, decide};
use super::summary::{Summary, Unwinding};
use super::tree::{self, Site, Waiting};
use super::unwind::{self, Exit, Handler};
use super::{Options, attributes};
use crate::calls::call_graph;
use crate::pass::{Change, ModulePass, PassCx};
use crate::remark::{Remark, RemarkKind, Value};

/// The one stage of [inlining](super).
pub struct Inline {
    /// What is inlined.
    pub options: Options,
}

impl ModulePass for Inline {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let mut run = Run::new(module, self.options);
        for level in 0..run.calls.components().levels().len() {
            run.level(level, cx);
        }
        run.change
    }
}

/// What is decided about a call.
struct Choice {
    call: Node,
    callee: Body,
    verdict: Verdict,
}

pub(super) struct Run<'a> {
    pub(super) module: &'a mut Module,
    options: Options,
    /// The calls before anything was inlined.
    pub(super) calls: CallGraph,
    pub(super) uses: FunctionUses,
    places: Places,
    /// The symbols of context variables.
    pub(super) contexts: FxHashMap<Body, Vec<Symbol>>,
    /// By body that was added to: the context variable of each symbol.
    numbers: FxHashMap<Body, FxHashMap<Symbol, u32>>,
    /// Of levels that are done.
    pub(super) summaries: FxHashMap<Body, Summary>,
    /// Of levels that are done: the calls that wait in each body with some.
    pub(super) waiting: FxHashMap<Body, Vec<Waiting>>,
    /// Nodes of all bodies, and how many more there may be.
    nodes: u64,
    limit: u64,
    change: Change,
}

impl<'a> Run<'a> {
    fn new(module: &'a mut Module, options: Options) -> Self {
        let calls = call_graph(module);
        let uses = FunctionUses::of(module, &calls);
        let contexts = calls.bodies().iter().map(|&body| (body, calls.contexts(body).to_vec())).collect();
        let graphs = calls.bodies().iter().filter_map(|&body| module.bodies[body].graph());
        let nodes = graphs.map(|graph| graph.node_count() as u64).sum();
        let places = Places::new(module);
        Run {
            options,
            calls,
            uses,
            places,
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

    fn level(&mut self, level: usize, cx: &PassCx) {
        let bodies = self.calls.components().levels()[level].clone();
        let plans: Vec<Vec<Choice>> = bodies.par_iter().map(|&body| self.plan(body)).collect();
        let mut work = Vec::new();
        let mut waiting: Vec<Vec<Body>> = Vec::with_capacity(bodies.len());
        for (&body, choices) in bodies.iter().zip(plans) {
            let Committed { sites, waiting: own, declined } = self.commit(body, choices, cx);
            work.push((body, sites));
            waiting.push(own);
            work.extend(declined.into_iter().map(|callee| (callee, self.sites_of_waiting(callee))));
        }
        self.replace(work, cx);
        let run = &*self;
        let summaries: Vec<(Summary, Vec<Waiting>)> =
            bodies.par_iter().zip(&waiting).map(|(&body, callees)| run.summary(body, callees)).collect();
        for (&body, (summary, waiting)) in bodies.iter().zip(summaries) {
            self.summaries.insert(body, summary);
            if !waiting.is_empty() {
                self.waiting.insert(body, waiting);
            }
        }
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
        let done: Vec<(Body, Graph, Vec<Body>)> = work
            .into_par_iter()
            .with_max_len(1)
            .map(|(body, mut graph, sites)| {
                run.splice(&mut graph, &sites);
                (body, graph.renumbered(), run.taken(&sites))
            })
            .collect();
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
        let components = self.calls.components();
        let mut caller = Caller {
            module: self.module,
            symbol: self.module.bodies[body].symbol,
            graph,
            recursive: components.is_recursive(body),
            nodes: graph.node_count() as u32,
        };
        let mut choices = Vec::new();
        for (call, symbol) in self.calls.calls(body) {
            let Some(callee) = self.calls.definition(symbol) else { continue };
            let recursive = components.of_body(callee) == components.of_body(body);
            let verdict = match self.summaries.get(&callee) {
                Some(summary) if !recursive => {
                    let graph = self.module.bodies[callee].graph();
                    let known = Callee {
                        symbol,
                        body: graph.map(|graph| (graph, self.contexts[&callee].len())),
                        summary,
                        only_use: self.uses.is_called_once(symbol),
                        recursive,
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

    /// Does what concerns the ω level, and drops what the module has no room for.
    fn commit(&mut self, body: Body, choices: Vec<Choice>, cx: &PassCx) -> Committed {
        let mut committed = Committed::default();
        let may_wait = self.may_wait(body);
        for Choice { call, callee, verdict: Verdict { outcome, weight } } in choices {
            let waits = may_wait
                && self.may_wait(callee)
                && self.module.bodies[body].graph().is_some_and(|graph| !graph.outputs(call).is_empty());
            let first = committed.sites.len();
            let sites = outcome.and_then(|reason| {
                let nodes = u64::from(self.summaries[&callee].nodes);
                if reason == Reason::Cost && self.nodes + nodes > self.limit {
                    return Err(Decline::ModuleGrowth);
                }
                let graph = self.module.bodies[body].graph().ok_or(Decline::Untouched)?;
                let unwinds = matches!(graph.op(call), Some(Op::Invoke(_)))
                    && self.summaries[&callee].unwinds != Unwinding::Never;
                if !cx.allows_rewrite(reason.counter(), graph, call) {
                    return Err(Decline::Bisection);
                }
                let sites = if waits { Vec::new() } else { self.sites(body, call, callee, first)? };
                self.merge_symbols(self.module.bodies[body].symbol, self.module.bodies[callee].symbol);
                if reason != Reason::Once {
                    self.nodes += nodes;
                }
                cx.count(reason.counter(), 1);
                cx.count("inlined_unwinding", u64::from(unwinds));
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

    /// What is said about a call: LLVM's names and words, where it has them.
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

    /// The context variable of a body for a symbol, which is added when there is none.
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

    /// The body of a callee that may unwind into an `invoke`, and where that learns of it.
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

    /// The caller takes over what the callee's code needs of its function.
    fn merge_symbols(&mut self, caller: Symbol, callee: Symbol) {
        let SymbolKind::Function { attributes: theirs, personality: their_personality, gc: their_gc, .. } =
            self.module.symbols[callee].kind.clone()
        else {
            return;
        };
        let pool = self.module.pool.clone();
        let SymbolKind::Function { attributes, personality, gc, .. } = &mut self.module.symbols[caller].kind else {
            return;
        };
        *attributes = attributes::merge(&pool, *attributes, theirs);
        if personality.is_none() {
            *personality = their_personality;
        }
        if gc.is_none() {
            *gc = their_gc;
        }
    }

    /// What callers need to know of a body, with calls that wait for what it calls of `callees`.
    fn summary(&self, body: Body, callees: &[Body]) -> (Summary, Vec<Waiting>) {
        let Some(graph) = self.module.bodies[body].graph() else { return (Summary::untouched(), Vec::new()) };
        let contexts = &self.contexts[&body];
        let direct = DirectCalls::of(graph, contexts.len());
        let waiting = tree::find_waiting(self.module, contexts, &direct.calls, callees);
        let summaries = waiting.iter().map(|waiting| (waiting.call, &self.summaries[&waiting.callee])).collect();
        let symbol = self.module.bodies[body].symbol;
        (Summary::new(self.module, symbol, graph, contexts, &direct, &summaries), waiting)
    }
}

/// What is done about the calls of a body.
#[derive(Default)]
struct Committed {
    sites: Vec<Site>,
    /// Callees whose calls wait.
    waiting: Vec<Body>,
    /// Callees in which calls wait and whose own call is not inlined.
    declined: Vec<Body>,
}
