//! Decides which calls of a function are inlined.

use rustc_hash::FxHashSet;
use rvsdg_analysis::callee::{argument_of_root, call_has, takes};
use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::function::attributes;
use rvsdg_core::attribute::{Attribute, AttributeKind, has_any};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{CallExits, CallInfo, TailKind};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Module, Node, Op, Region, Symbol};

use super::Options;
use super::attributes;
use super::by_value;
use super::decline::Decline;
use super::specialize::{Operand, specialized};
use super::summary::{Summary, call_cost, is_body_of_kernel, static_count};

/// Thresholds set by attributes, as in LLVM: `inlinehint` raises the threshold to the first, `cold` lowers it to the second, `optsize`
/// and `minsize` of the caller to the others.
const HINT: u32 = 325;
const COLD: u32 = 25;
const OPT_SIZE: u32 = 50;
const MIN_SIZE: u32 = 5;

/// How many times as much a callee may cost on GPUs if the call is in a loop: calls there pass operands and results through memory. LLVM
/// allows as much for all calls; code that is executed once then becomes longer, and no faster.
const ON_GPU: u32 = 11;

/// A caller with more nodes gets no more callees, so that passes that are not linear in practice stay usable.
const MAX_CALLER_NODES: u32 = 40_000;

/// How many times what a callee in nested loops may cost all copies of a function may cost that are made for calls that pass functions:
/// with them as operands it calls functions that are known, which can be inlined too.
const CALLED_OPERANDS: u32 = 16;

/// How much a module may grow: to this multiple of its nodes, plus what a small module may always grow by.
pub(super) const MAX_GROWTH: u64 = 2;
pub(super) const FREE_GROWTH: u64 = 20_000;

/// The maximum growth in bytes of the stack frame of a recursive function.
const MAX_RECURSIVE_FRAME: u64 = 1024;

/// Why a call is inlined.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// It is marked `alwaysinline`.
    Always,
    /// It is the only use of a function that is not visible outside.
    Once,
    /// It is cheap.
    Cost,
}

impl Reason {
    /// The counter of calls inlined for this reason.
    pub fn counter(self) -> &'static str {
        match self {
            Reason::Always => "inlined_always",
            Reason::Once => "inlined_once",
            Reason::Cost => "inlined_by_cost",
        }
    }
}

/// What is known of a callee.
pub(super) struct Callee<'m> {
    pub symbol: Symbol,
    /// Its body, unless it stays untouched, and the symbols of its context variables.
    pub body: Option<(&'m Graph, &'m [Symbol])>,
    pub summary: &'m Summary,
    /// Whether this call is its only use.
    pub only_use: bool,
    /// The number of its direct calls in the module.
    pub calls: u32,
    /// Whether it has original instructions.
    pub has_sources: bool,
}

/// The calling function.
pub(super) struct Caller<'m> {
    pub module: &'m Module,
    pub symbol: Symbol,
    pub graph: &'m Graph,
    /// The symbols of its context variables.
    pub contexts: &'m [Symbol],
    /// Its cold regions: those that end unreachably, or call functions marked `cold`.
    pub cold: FxHashSet<Region>,
    /// Whether it may be recursive.
    pub recursive: bool,
    /// The number of its nodes, including everything inlined so far.
    pub nodes: u32,
}

impl Caller<'_> {
    /// The cold regions of a body. Linear in the graph.
    pub fn cold_regions(graph: &Graph) -> FxHashSet<Region> {
        let is_cold = |node: &Node| match graph.op(*node) {
            Some(Op::Unreachable) => true,
            Some(Op::Call(_) | Op::Invoke(_)) => call_has(graph, None, *node, &[AttributeKind::Cold]),
            _ => false,
        };
        graph.all_nodes().filter(is_cold).map(|node| graph.region_of(node)).collect()
    }

    /// Whether a region, or one around it, is cold. The whole body is not.
    fn is_cold(&self, mut region: Region) -> bool {
        while let Some(node) = self.graph.parent(region) {
            if self.cold.contains(&region) {
                return true;
            }
            region = self.graph.region_of(node);
        }
        false
    }

    /// Whether a call is cold, so that its callee should not increase the size of the function.
    fn calls_cold(&self, call: Node, callee: Symbol) -> bool {
        let Some(Op::Call(info) | Op::Invoke(info)) = self.graph.op(call) else { return false };
        let site = self.module.pool.attributes(self.module.pool.call(info).attributes);
        let theirs = attributes(self.module, callee);
        site.function_has(AttributeKind::Cold)
            || theirs.is_some_and(|list| list.function_has(AttributeKind::Cold))
            || self.is_cold(self.graph.region_of(call))
    }

    /// Whether at least so many loops are around a call.
    fn is_in_loops(&self, call: Node, loops: usize) -> bool {
        let graph = self.graph;
        let around = std::iter::successors(Some(call), |&node| graph.parent(graph.region_of(node)));
        around.filter(|&node| Theta::new(graph, node).is_some()).nth(loops - 1).is_some()
    }

    /// Whether it is optimized for size.
    fn is_small(&self) -> bool {
        let mine = attributes(self.module, self.symbol);
        mine.is_some_and(|list| list.function_has(AttributeKind::OptSize) || list.function_has(AttributeKind::MinSize))
    }

    /// What is known of an operand of a call.
    fn operand(&self, call: Node, index: usize) -> Operand {
        let graph = self.graph;
        let origin = graph.input(call, index);
        match graph.producer(origin).and_then(|node| Some((node, graph.op(node)?))) {
            Some((_, Op::Const(_))) => Operand::Constant,
            Some((node, Op::Alloca { .. })) if static_count(graph, node).is_some() => Operand::Object,
            Some(_) => Operand::Unknown,
            None => match argument_of_root(graph, origin).and_then(|argument| self.contexts.get(argument)) {
                Some(&symbol) => match self.module.symbols[symbol].kind {
                    SymbolKind::Function { .. } => Operand::Function,
                    SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => {
                        Operand::Constant
                    }
                },
                None => Operand::Unknown,
            },
        }
    }
}

/// The decision about a call.
pub(super) struct Verdict {
    pub outcome: Result<Reason, Decline>,
    /// The cost of the callee and its limit, if they were computed.
    pub weight: Option<(u32, u32)>,
}

impl From<Decline> for Verdict {
    fn from(reason: Decline) -> Verdict {
        Verdict { outcome: Err(reason), weight: None }
    }
}

/// Whether a call is inlined.
pub(super) fn decide(caller: &Caller<'_>, call: Node, callee: &Callee<'_>, options: &Options) -> Verdict {
    let outcome = allowed(caller, call, callee);
    match (outcome, options.threshold) {
        (Ok(None), Some(threshold)) => pays(caller, call, callee, threshold, options.hot),
        // The caller would no longer be small enough for its own callers, because of cold code.
        (Ok(Some(Reason::Once)), Some(threshold)) if !caller.is_small() && caller.calls_cold(call, callee.symbol) => {
            pays(caller, call, callee, threshold, options.hot)
        }
        (outcome, _) => {
            Verdict { outcome: outcome.and_then(|reason| reason.ok_or(Decline::CalledOften)), weight: None }
        }
    }
}

/// The reason to inline a call regardless of cost; `None` if the cost decides.
fn allowed(caller: &Caller<'_>, call: Node, callee: &Callee<'_>) -> Result<Option<Reason>, Decline> {
    let Caller { module, graph, .. } = caller;
    let pool = &*module.pool;
    let check = |good: bool, reason: Decline| if good { Ok(()) } else { Err(reason) };
    let (Some(Op::Call(info)) | Some(Op::Invoke(info))) = graph.op(call) else {
        unreachable!("calls are `call` or `invoke`")
    };
    let info = pool.call(info);
    let summary = callee.summary;
    check(!graph.has_funclets(), Decline::Funclets)?;
    match summary.refusal {
        Some(reason) => return Err(reason),
        None => signature(module, info, callee.symbol)?,
    }
    let pad = match &info.exits {
        CallExits::Return => None,
        // The values of the landing pad come before the predicate.
        CallExits::Unwind(_) => Some(graph.output(call, graph.outputs(call).len() - info.effects.count() - 2)),
        CallExits::UnwindToFunclet | CallExits::Labels(_) => return Err(Decline::Funclets),
    };
    check(pad.is_none_or(|pad| summary.unwinds.fits(graph.ty(pad))), Decline::Unwinds)?;
    check(!callee.has_sources || graph.source(call).is_some(), Decline::NoOriginal)?;
    let site = pool.attributes(info.attributes);
    check(!has_any(&site.function, &[AttributeKind::NoInline, AttributeKind::NoDuplicate]), Decline::CallNoInline)?;
    let (Some(mine), Some(theirs)) = (attributes(module, caller.symbol), attributes(module, callee.symbol)) else {
        return Err(Decline::Signature);
    };
    attributes::compatible(mine, theirs, &module.header.triple)?;
    environment(module, caller.symbol, callee.symbol)?;
    check(!caller.recursive || summary.frame <= MAX_RECURSIVE_FRAME, Decline::RecursiveFrame)?;

    let is_marked = site.function_has(AttributeKind::AlwaysInline) || theirs.function_has(AttributeKind::AlwaysInline);
    if is_marked || is_body_of_kernel(module, callee.symbol) {
        return Ok(Some(Reason::Always));
    }
    check(caller.nodes.saturating_add(summary.nodes) <= MAX_CALLER_NODES, Decline::CallerSize)?;
    Ok(callee.only_use.then_some(Reason::Once))
}

/// Whether the callee is cheap enough; `threshold` is for a call of which nothing else is known, `hot` for one in nested loops.
fn pays(caller: &Caller<'_>, call: Node, callee: &Callee<'_>, mut threshold: u32, hot: u32) -> Verdict {
    let Caller { module, graph, .. } = caller;
    let Callee { summary, .. } = callee;
    let (Some(mine), Some(theirs)) = (attributes(module, caller.symbol), attributes(module, callee.symbol)) else {
        return Decline::Signature.into();
    };
    if mine.function_has(AttributeKind::MinSize) {
        threshold = threshold.min(MIN_SIZE);
    } else if mine.function_has(AttributeKind::OptSize) {
        threshold = threshold.min(OPT_SIZE);
    } else if theirs.function_has(AttributeKind::InlineHint) {
        threshold = threshold.max(HINT);
    }
    let mut limit_of_copies = 0;
    if caller.calls_cold(call, callee.symbol) {
        threshold = threshold.min(COLD);
    } else {
        if !caller.is_small() {
            limit_of_copies = hot.saturating_mul(CALLED_OPERANDS) / callee.calls.max(1);
        }
        if caller.is_in_loops(call, 2) && !caller.is_small() {
            threshold = threshold.max(hot);
        }
        if summary.straight {
            threshold += threshold / 2;
        }
        if Machine::of_triple(&module.header.triple).is_some() && caller.is_in_loops(call, 1) {
            threshold = threshold.saturating_mul(ON_GPU);
        }
    }
    // The savings of inlining: the call and the passing of its operands.
    let saved = graph.op(call).map_or(0, |op| call_cost(graph, call, op));
    threshold = threshold.saturating_add(saved);
    let mut cost = summary.cost;
    if cost > threshold
        && let Some((body, contexts)) = callee.body
    {
        let operand = |index: usize| match theirs.params.get(index - 1).and_then(|set| by_value::passed(set)) {
            Some(_) => Operand::Object,
            None => caller.operand(call, index),
        };
        let operands: Vec<Operand> = (1..graph.inputs(call).len()).map(operand).collect();
        let passes_function = operands.contains(&Operand::Function);
        // A body many times too large cannot become small enough.
        let most = if passes_function { threshold.max(limit_of_copies) } else { threshold };
        if operands.iter().any(|&operand| operand != Operand::Unknown) && cost / 8 <= most {
            let with_operands = specialized(module, body, contexts, &operands);
            cost = with_operands.cost;
            if with_operands.calls_operand {
                threshold = most;
            }
        }
    }
    let outcome = if cost <= threshold { Ok(Reason::Cost) } else { Err(Decline::Cost) };
    Verdict { outcome, weight: Some((cost, threshold)) }
}

/// Whether a call matches its callee's signature, and can be inlined.
fn signature(module: &Module, info: &CallInfo, callee: Symbol) -> Result<(), Decline> {
    if !takes(&module.symbols[callee], info) {
        return Err(Decline::Signature);
    }
    match info.tail {
        TailKind::MustTail | TailKind::Returned => return Err(Decline::CallMustTail),
        TailKind::None | TailKind::Tail | TailKind::NoTail => {}
    }
    if !info.bundles.is_empty() {
        return Err(Decline::Bundles);
    }
    let site = module.pool.attributes(info.attributes);
    let theirs = attributes(module, callee).map_or(&[][..], |list| &list.params);
    for index in 0..site.params.len().max(theirs.len()) {
        let [mine, theirs] = [&site.params[..], theirs].map(|params| params.get(index).map_or(&[][..], |set| set));
        let is_own = |set: &[Attribute]| has_any(set, AttributeKind::OWN);
        let by_value = by_value::passed(mine).filter(|_| info.effects.mem);
        if (is_own(mine) || is_own(theirs)) && (by_value.is_none() || by_value != by_value::passed(theirs)) {
            return Err(Decline::Parameter);
        }
    }
    by_value::parameters(module, callee).map(drop)
}

/// Whether a caller can have the callee's personality and garbage collector.
pub(super) fn environment(module: &Module, caller: Symbol, callee: Symbol) -> Result<(), Decline> {
    let [mine, theirs] = [caller, callee].map(|symbol| &module.symbols[symbol].kind);
    let SymbolKind::Function { personality: my_personality, gc: my_gc, .. } = mine else { return Ok(()) };
    let SymbolKind::Function { personality, gc, .. } = theirs else { return Ok(()) };
    if personality.is_some() && my_personality.is_some() && personality != my_personality {
        return Err(Decline::Personality);
    }
    if gc.is_some() && gc != my_gc {
        return Err(Decline::Collector);
    }
    Ok(())
}
