//! The pass: levels of the call graph, each planned, committed and spliced.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use rvsdg_core::module::{Code, SymbolKind};
use rvsdg_core::op::{CallExits, CallInfo};
use rvsdg_core::sources::SourceMap;
use rvsdg_core::structural::Lambda;
use rvsdg_core::{Body, Graph, Module, Node, Op, Symbol};

use super::decline::Decline;
use super::omega::{Levels, Places, Uses};
use super::plan::{Callee, Caller, FREE_GROWTH, MAX_GROWTH, Reason, Verdict, decide};
use super::routes::Routes;
use super::scan::{Scan, scan};
use super::splice::{Splice, splice};
use super::summary::{Summary, Unwinding, may_unwind};
use super::unwind::{self, Exit, Handler};
use super::{Options, attributes};
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
        for level in std::mem::take(&mut run.levels.levels) {
            run.level(&level, cx);
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

/// A call that is inlined, with what the ω level had to say.
struct Site {
    call: Node,
    callee: Body,
    contexts: Vec<u32>,
    sources: SourceMap,
}

struct Run<'a> {
    module: &'a mut Module,
    options: Options,
    levels: Levels,
    uses: Uses,
    places: Places,
    lambdas: FxHashMap<Body, Lambda>,
    /// The body of each function that has one.
    bodies: FxHashMap<Symbol, Body>,
    /// The symbols of context variables.
    contexts: FxHashMap<Body, Vec<Symbol>>,
    /// What the bodies of levels to come do.
    scans: FxHashMap<Body, Scan>,
    /// Of levels that are done.
    summaries: FxHashMap<Body, Summary>,
    /// Nodes of all bodies, and how many more there may be.
    nodes: u64,
    limit: u64,
    change: Change,
}

impl<'a> Run<'a> {
    fn new(module: &'a mut Module, options: Options) -> Self {
        let lambdas: Vec<Lambda> = module.lambdas();
        let contexts: FxHashMap<Body, Vec<Symbol>> =
            lambdas.iter().map(|&lambda| (lambda.body(), module.context_symbols(lambda))).collect();
        let graphs: Vec<(Body, &Graph)> =
            lambdas.iter().filter_map(|l| Some((l.body(), module.bodies[l.body()].graph()?))).collect();
        let scans: FxHashMap<Body, Scan> = graphs
            .par_iter()
            .map(|&(body, graph)| (body, scan(graph, contexts[&body].len())))
            .collect::<Vec<_>>()
            .into_iter()
            .collect();
        let nodes = graphs.iter().map(|(_, graph)| graph.node_count() as u64).sum();
        let bodies: FxHashMap<Symbol, Body> =
            lambdas.iter().map(|lambda| (module.bodies[lambda.body()].symbol, lambda.body())).collect();
        let edges = scans.iter().map(|(&body, scan)| {
            let called = scan.calls.iter().map(|&(_, context)| contexts[&body][context as usize]);
            (body, called.filter_map(|symbol| bodies.get(&symbol).copied()).collect())
        });
        let order: FxHashMap<Symbol, usize> =
            module.order.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect();
        let mut all: Vec<Body> = lambdas.iter().map(|lambda| lambda.body()).collect();
        all.sort_by_key(|&body| order.get(&module.bodies[body].symbol).copied());
        let levels = Levels::new(&all, &edges.collect());
        let uses = Uses::new(module, &contexts, &scans);
        let places = Places::new(module);
        let lambdas = lambdas.into_iter().map(|lambda| (lambda.body(), lambda)).collect();
        Run {
            options,
            levels,
            uses,
            places,
            lambdas,
            bodies,
            contexts,
            scans,
            summaries: FxHashMap::default(),
            nodes,
            limit: nodes * MAX_GROWTH + FREE_GROWTH,
            change: Change::Unchanged,
            module,
        }
    }

    fn level(&mut self, bodies: &[Body], cx: &PassCx) {
        let plans: Vec<Vec<Choice>> = bodies.par_iter().map(|&body| self.plan(body)).collect();
        let mut work = Vec::new();
        for (&body, choices) in bodies.iter().zip(plans) {
            let sites = self.commit(body, choices, cx);
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
        let done: Vec<(Body, Graph)> = work
            .into_par_iter()
            .with_max_len(1)
            .map(|(body, mut graph, sites)| {
                let mut routes = Routes::default();
                for Site { call, callee, contexts, sources } in sites {
                    let catching = run.catching(&graph, call, callee);
                    let tails = run.summaries[&callee].tails;
                    let (callee, exit) = match &catching {
                        Some((callee, exit)) => (callee, *exit),
                        None => (run.module.bodies[callee].graph().expect("an untouched body is not inlined"), None),
                    };
                    splice(&mut graph, &mut routes, Splice { call, callee, exit, contexts, sources, tails });
                }
                (body, graph.renumbered())
            })
            .collect();
        for (body, graph) in done {
            self.module.bodies[body].code = Code::Graph(graph);
            cx.body_changed(body);
            self.change = Change::Changed;
        }
        let summaries: Vec<Summary> = bodies.par_iter().map(|&body| self.summary(body)).collect();
        self.summaries.extend(bodies.iter().copied().zip(summaries));
    }

    fn plan(&self, body: Body) -> Vec<Choice> {
        let Some(scan) = self.scans.get(&body) else { return Vec::new() };
        let graph = self.module.bodies[body].graph().expect("only graphs are scanned");
        let component = self.levels.component[&body];
        let mut caller = Caller {
            module: self.module,
            symbol: self.module.bodies[body].symbol,
            graph,
            recursive: self.levels.cyclic.contains(&component),
            nodes: graph.node_count() as u32,
        };
        let mut choices = Vec::new();
        for &(call, context) in &scan.calls {
            let symbol = self.contexts[&body][context as usize];
            let Some(&callee) = self.bodies.get(&symbol) else { continue };
            let recursive = self.levels.component[&callee] == component;
            let verdict = match self.summaries.get(&callee) {
                Some(summary) if !recursive => {
                    let graph = self.module.bodies[callee].graph();
                    let known = Callee {
                        symbol,
                        body: graph.map(|graph| (graph, self.contexts[&callee].len())),
                        summary,
                        only_use: self.uses.once.contains(&symbol),
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
    fn commit(&mut self, body: Body, choices: Vec<Choice>, cx: &PassCx) -> Vec<Site> {
        let mut sites = Vec::new();
        for Choice { call, callee, verdict: Verdict { outcome, weight } } in choices {
            let site = outcome.and_then(|reason| {
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
                let site = self.site(body, call, callee)?;
                if reason != Reason::Once {
                    self.nodes += nodes;
                }
                cx.count(reason.counter(), 1);
                cx.count("inlined_unwinding", u64::from(unwinds));
                Ok((site, reason))
            });
            let outcome = match &site {
                Ok((_, reason)) => Ok(*reason),
                Err(decline) => Err(*decline),
            };
            cx.remark(|| self.remark(body, call, callee, &Verdict { outcome, weight }));
            match site {
                Ok((site, _)) => sites.push(site),
                Err(decline) => cx.count(decline.counter(), 1),
            }
        }
        sites
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

    fn site(&mut self, body: Body, call: Node, callee: Body) -> Result<Site, Decline> {
        let graph = self.module.bodies[callee].graph().ok_or(Decline::Untouched)?;
        let symbols = &self.contexts[&callee];
        let needed: Vec<Option<Symbol>> = symbols
            .iter()
            .zip(graph.arguments(graph.root()))
            .map(|(&symbol, &argument)| graph.has_users(argument).then_some(symbol))
            .collect();
        let mut contexts = Vec::with_capacity(needed.len());
        for symbol in needed {
            let Some(symbol) = symbol else {
                contexts.push(u32::MAX);
                continue;
            };
            let known = self.contexts[&body].iter().position(|&known| known == symbol);
            let index = match known {
                Some(index) => index as u32,
                None => {
                    let lambda = self.lambdas[&body];
                    let index = self.places.add_context(self.module, lambda, symbol).ok_or(Decline::Context)?;
                    self.contexts.get_mut(&body).expect("every body has its contexts").push(symbol);
                    self.change = Change::Changed;
                    index
                }
            };
            contexts.push(index);
        }
        let mut sources = SourceMap::default();
        if !self.module.sources.extents(callee).is_empty() {
            let graph = self.module.bodies[body].graph().ok_or(Decline::Untouched)?;
            let source = graph.source(call).ok_or(Decline::NoOriginal)?;
            sources = self.module.sources.inline(body, source, callee).ok_or(Decline::ModuleGrowth)?;
        }
        self.merge_symbols(self.module.bodies[body].symbol, self.module.bodies[callee].symbol);
        Ok(Site { call, callee, contexts, sources })
    }

    /// The body of a callee that may unwind into an `invoke`, and where that learns of it.
    fn catching(&self, caller: &Graph, call: Node, callee: Body) -> Option<(Graph, Option<Exit>)> {
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
            may_unwind(self.module, info, context.map(|context| &symbols[context as usize]))
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

    fn summary(&self, body: Body) -> Summary {
        let Some(graph) = self.module.bodies[body].graph() else { return Summary::untouched() };
        let contexts = &self.contexts[&body];
        let scan = scan(graph, contexts.len());
        Summary::new(self.module, self.module.bodies[body].symbol, graph, contexts, &scan)
    }
}
