//! Functions that are each called once form trees. The body of such a function, except for waiting calls in it, is copied once: directly
//! into the function at the root of its tree, instead of into its caller, then with that into the caller's caller, and so on.
//!
//! A call *waits* if it is inlined, is the only call of its callee, and its own function is called once too. When the call of its
//! function is inlined and does not wait, all calls that wait in that function are inlined at their final place; if it is declined, they
//! are inlined into their function. The body of a function whose only call was inlined becomes [empty](stub).

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::call_graph::DirectCalls;
use rvsdg_core::build::Router;
use rvsdg_core::graph::Described;
use rvsdg_core::sources::SourceMap;
use rvsdg_core::{Body, Graph, Module, Node, Op, SourceId, Symbol};

use super::by_value::{self, Copied};
use super::decline::Decline;
use super::pass::{Look, Run};
use super::splice::{Splice, splice};

/// A waiting call.
#[derive(Copy, Clone)]
pub(super) struct Waiting {
    /// The call, in the graph of its function.
    pub call: Node,
    /// The context variable that it calls.
    pub context: u32,
    pub callee: Body,
}

/// A call that is inlined now, with the results of the ω-level edits.
pub(super) struct Site {
    call: Place,
    callee: Body,
    /// For each context variable of the callee, the caller's, or `u32::MAX` if it is unused.
    contexts: Vec<u32>,
    /// The parameters that are passed by value, and the caller's context variable of the copy intrinsic.
    copied: Vec<Copied>,
    copy: u32,
    sources: SourceMap,
    /// The context variables of the callee whose calls wait in it.
    waiting: Vec<u32>,
    /// Whether the callee is unused afterwards. Never for a call that was copied with another body, because the original still exists.
    is_only_use: bool,
}

/// The location of a call.
#[derive(Copy, Clone)]
enum Place {
    /// In the caller.
    Caller(Node),
    /// The copy of a waiting call: by the index of its site in the list, and of the call in that site's callee.
    Copy(usize, usize),
}

impl Run<'_> {
    /// The sites of a call of `callee` in `body` and of all calls that wait in the callee; the first one has index `first` in its list.
    /// Adds context variables to the caller.
    pub(super) fn sites(
        &mut self,
        body: Body,
        call: Node,
        callee: Body,
        first: usize,
        look: Look,
    ) -> Result<Vec<Site>, Decline> {
        let source = self.module.bodies[body].graph().and_then(|graph| graph.source(call));
        let mut sites = Vec::new();
        let mut calls = vec![(Place::Caller(call), source, callee)];
        while let Some((place, source, callee)) = calls.pop() {
            let site = self.site(body, place, source, callee, look)?;
            let graph = self.module.bodies[callee].graph().ok_or(Decline::Untouched)?;
            let waiting = self.waiting.get(&callee).map_or(&[][..], Vec::as_slice);
            for (index, waiting) in waiting.iter().enumerate().rev() {
                let source = site.sources.copies().and_then(|_| site.sources.get(graph.source(waiting.call)?));
                calls.push((Place::Copy(first + sites.len(), index), source, waiting.callee));
            }
            sites.push(site);
        }
        Ok(sites)
    }

    fn site(
        &mut self,
        body: Body,
        call: Place,
        source: Option<SourceId>,
        callee: Body,
        look: Look,
    ) -> Result<Site, Decline> {
        let waiting: Vec<u32> = self.waiting.get(&callee).into_iter().flatten().map(|call| call.context).collect();
        let called: FxHashSet<u32> = waiting.iter().copied().collect();
        let graph = self.module.bodies[callee].graph().ok_or(Decline::Untouched)?;
        let symbols = &self.contexts[&callee];
        let needed: Vec<Option<Symbol>> = symbols
            .iter()
            .zip(graph.arguments(graph.root()))
            .enumerate()
            .map(|(index, (&symbol, &argument))| {
                (graph.has_users(argument) && !called.contains(&(index as u32))).then_some(symbol)
            })
            .collect();
        // Of a parameter that is a constant, what is passed is that constant, or what the original passes.
        let changed = graph.described_arguments().into_iter();
        let changed = changed.filter(|(_, now)| matches!(now, Described::Origin(_)));
        let changed = changed.filter_map(|(at, _)| Some(at.checked_sub(symbols.len())? as u32)).collect();
        let mut contexts = Vec::with_capacity(needed.len());
        for symbol in needed {
            contexts.push(match symbol {
                Some(symbol) => self.context(body, symbol)?,
                None => u32::MAX,
            });
        }
        let copied = by_value::parameters(self.module, self.module.bodies[callee].symbol)?;
        let copy = if copied.is_empty() { u32::MAX } else { self.memory_copy(body)? };
        let mut sources = SourceMap::default();
        if !self.module.sources.extents(callee).is_empty() {
            let source = source.ok_or(Decline::NoOriginal)?;
            sources = self
                .module
                .sources
                .inline(body, source, callee, &self.summaries[&callee].extents, changed)
                .ok_or(Decline::ModuleGrowth)?;
        }
        let is_only_use = look == Look::First && self.uses.is_called_once(self.module.bodies[callee].symbol);
        Ok(Site { call, callee, contexts, copied, copy, sources, waiting, is_only_use })
    }

    /// The sites of calls that wait in a function which was not inlined itself.
    pub(super) fn sites_of_waiting(&mut self, body: Body) -> Vec<Site> {
        let mut sites = Vec::new();
        for waiting in self.waiting.remove(&body).unwrap_or_default() {
            // The symbols of a waiting call are available there.
            let more = self.sites(body, waiting.call, waiting.callee, sites.len(), Look::First);
            sites.extend(more.into_iter().flatten());
        }
        sites
    }

    /// Replaces calls of `graph`, which is a body of the module.
    pub(super) fn splice(&self, graph: &mut Graph, sites: &[Site]) {
        let mut routes = Router::default();
        // By site, the copies of the calls that waited in its callee, except dead ones.
        let mut copies: Vec<Vec<Option<Node>>> = Vec::with_capacity(sites.len());
        let mut unmapped = Vec::new();
        for Site { call, callee, contexts, copied, copy, sources, waiting, .. } in sites {
            let call = match *call {
                Place::Caller(call) => Some(call),
                Place::Copy(site, index) => copies[site][index],
            };
            let Some(call) = call else {
                copies.push(vec![None; waiting.len()]);
                continue;
            };
            let catching = self.catching(graph, call, *callee);
            let tails = self.summaries[callee].tails;
            let (callee, exit) = match &catching {
                Some((callee, exit)) => (callee, *exit),
                None => (self.module.bodies[*callee].graph().expect("an untouched body is not inlined"), None),
            };
            let calls: FxHashMap<u32, Node> = match waiting.is_empty() {
                true => FxHashMap::default(),
                false => DirectCalls::of(callee, contexts.len())
                    .calls
                    .into_iter()
                    .map(|(node, context)| (context, node))
                    .collect(),
            };
            let waiting: Vec<Option<Node>> = waiting.iter().map(|context| calls.get(context).copied()).collect();
            let sources = sources.clone();
            let splice_in =
                Splice { call, callee, exit, contexts, copied, copy: *copy, sources, tails, waiting: &waiting };
            copies.push(splice(graph, &mut routes, splice_in, &mut unmapped));
        }
        for node in unmapped {
            if !graph.has_users(graph.output(node, 0)) {
                graph.remove(node);
            }
        }
    }

    /// Empties the bodies that `sites` inlined.
    pub(super) fn empty(&mut self, bodies: &[Body]) {
        for &body in bodies {
            self.waiting.remove(&body);
            if let Some(graph) = self.module.bodies[body].graph_mut() {
                *graph = stub(graph);
            }
        }
    }

    /// The bodies of functions whose only call is among the sites.
    pub(super) fn taken(&self, sites: &[Site]) -> Vec<Body> {
        sites.iter().filter(|site| site.is_only_use).map(|site| site.callee).collect()
    }

    /// Whether calls in a function may wait for a call of it: it is called once, by a function that is visited later.
    pub(super) fn may_wait(&self, body: Body) -> bool {
        self.uses.is_called_once(self.module.bodies[body].symbol) && !self.order.is_entered(body)
    }
}

/// The waiting calls of a graph, by callee.
pub(super) fn find_waiting(
    module: &Module,
    symbols: &[Symbol],
    calls: &[(Node, u32)],
    callees: &[Body],
) -> Vec<Waiting> {
    let bodies: FxHashMap<Symbol, Body> = callees.iter().map(|&body| (module.bodies[body].symbol, body)).collect();
    let called = calls.iter().filter_map(|&(call, context)| {
        let &callee = bodies.get(&symbols[context as usize])?;
        Some(Waiting { call, context, callee })
    });
    called.collect()
}

/// A body with the same arguments that does nothing and returns poison, for a function that is never called.
fn stub(graph: &Graph) -> Graph {
    let mut stub = Graph::new(graph.pool().clone());
    let root = stub.root();
    let mut states = Vec::new();
    for &argument in graph.arguments(graph.root()) {
        let ty = graph.ty(argument);
        let argument = stub.add_argument(root, ty);
        if ty.is_state() {
            states.push(argument);
        }
    }
    for origin in graph.result_origins(graph.root()) {
        let ty = graph.ty(origin);
        let result = match states.iter().find(|&&state| stub.ty(state) == ty) {
            Some(&state) => state,
            None => {
                let poison = stub.pool().poison(ty);
                let node = stub.add_simple(root, Op::Const(poison), &[], &[ty]);
                stub.output(node, 0)
            }
        };
        stub.add_result(root, result);
    }
    stub
}
