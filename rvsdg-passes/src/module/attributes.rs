//! Function attribute inference: the effects that functions cannot have, from their bodies, so that calls of them take fewer states.
//!
//! ```text
//! lambda @sum [] (v0: i32, v1: i32, mem0, io0) {
//!   v2: i32 = add v0, v1
//!   yield v2, mem0, io0
//! }
//!
//! lambda @f [@sum] (v0: i32, mem0, io0) {
//!   v1: i32, mem1, io1 = call i32 (i32, i32) @sum(v0, v0), mem0, io0
//!   yield v1, mem1, io1
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! lambda @f [@sum] (v0: i32, mem0, io0) {
//!   v1: i32 = call i32 (i32, i32) @sum(v0, v0)
//!   yield v1, mem0, io0
//! }
//! ```
//!
//! and `@sum` is `nounwind willreturn memory(none)`, as by LLVM's pass `function-attrs`. An invoke of a function
//! that does not unwind becomes a call.
//!
//! Functions are visited bottom-up on the call graph; those that call each other together. Inferred are:
//!
//! - *unwinds*: a call that may unwind out of the function, or `resume`;
//! - *io*: an operation that takes the io state, a θ that takes it (which may not terminate), or recursion (likewise);
//! - *memory*: loads and stores, except of the function's own allocations, and the effects of calls;
//! - *parameters*: whether a pointer argument may be captured, and what is done to the memory it points to (`captures`);
//! - *results* of calls: the `range` that the callee declares, or that the kernel's launch bounds give a thread number.
//!
//! Only exact definitions count: the linker must not replace them, not even by one compiled from the same source, because that
//! one may have been optimized differently and have effects that were removed here.
//!
//! Cost: linear in the size of the module.
//!
//! Left out: facts about a call that depend on its arguments; read-only calls that need not be ordered among each other; effects on
//! memory that only the arguments point to (`memory(argmem)`); operations that are undefined for some values, which take the io state
//! and so keep it.

pub mod library;

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::CallGraph;
use rvsdg_analysis::callee::takes;
use rvsdg_analysis::captures::PointerUse;
use rvsdg_analysis::divergence::LaunchBounds;
use rvsdg_analysis::function::{
    FunctionEffects, ModRef, ParameterUses, attributes, has_attribute, is_exact, is_opaque, may_unwind, parameter_uses,
};
use rvsdg_core::attribute::{Access, Attribute, AttributeKind, AttributeList, Captures, MemoryEffects, has, has_any};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::op::{CallExits, CallInfo, Effects};
use rvsdg_core::{Body, Graph, Module, Node, Op, Symbol, Type};

use crate::invoke;
use crate::module::calls::call_graph;
use crate::parallel;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The one stage of the pass.
pub struct FunctionAttributes;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(FunctionAttributes))]
}

impl ModulePass for FunctionAttributes {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let calls = call_graph(module);
        let facts = facts_of_all(module, &calls);
        let uses = parameters_of_all(module, &calls);
        let mut change = Change::Unchanged;
        for &body in calls.bodies() {
            let symbol = module.bodies[body].symbol;
            if let Some(facts) = facts.get(&symbol) {
                change |= promise(module, symbol, *facts, cx);
            }
            if let Some(uses) = uses.get(&symbol) {
                change |= promise_of_parameters(module, symbol, uses, cx);
            }
            change |= relax(module, &calls, body, &facts, cx);
            change |= promise_of_results(module, &calls, body, cx);
        }
        change
    }
}

/// The effects of each function with an exact definition.
fn facts_of_all(module: &Module, calls: &CallGraph) -> FxHashMap<Symbol, FunctionEffects> {
    let mut known: FxHashMap<Symbol, FunctionEffects> = FxHashMap::default();
    // The functions of each component; a call of one that the linker may replace is a call of an unknown function.
    let mut members: FxHashMap<u32, FxHashSet<Symbol>> = FxHashMap::default();
    let components = calls.components();
    for &body in calls.bodies() {
        let symbol = module.bodies[body].symbol;
        if components.is_recursive(body) && is_final(module, symbol) {
            members.entry(components.of_body(body)).or_default().insert(symbol);
        }
    }
    let alone = FxHashSet::default();
    for level in components.levels() {
        let each: Vec<(Body, FunctionEffects)> = parallel::map(level, |&body| {
            let own = members.get(&components.of_body(body)).unwrap_or(&alone);
            (body, inspect(module, calls, body, &known, own).unwrap_or(FunctionEffects::ANYTHING))
        });
        // Functions that call each other have the effects of all of them; `inspect` knows that they may not terminate.
        let mut together: FxHashMap<u32, FunctionEffects> = FxHashMap::default();
        for &(body, facts) in &each {
            let sum = together.entry(components.of_body(body)).or_insert(FunctionEffects::NOTHING);
            *sum = sum.and(facts);
        }
        for (body, _) in each {
            let symbol = module.bodies[body].symbol;
            if is_final(module, symbol) {
                known.insert(symbol, together[&components.of_body(body)]);
            }
        }
    }
    known
}

/// The uses of parameters by each function with an exact definition.
fn parameters_of_all(module: &Module, calls: &CallGraph) -> FxHashMap<Symbol, ParameterUses> {
    let mut known = FxHashMap::default();
    let components = calls.components();
    for level in components.levels() {
        let mut members: FxHashMap<u32, Vec<Body>> = FxHashMap::default();
        for &body in level.iter().filter(|&&body| is_final(module, module.bodies[body].symbol)) {
            members.entry(components.of_body(body)).or_default().push(body);
        }
        let members: Vec<Vec<Body>> = members.into_values().collect();
        let found = parallel::map(&members, |members| parameter_uses(module, calls, members, &known));
        known.extend(found.into_iter().flatten());
    }
    known
}

/// The effects of a body except those of calls of functions of its `own` component; `None` for one that stays untouched.
fn inspect(
    module: &Module,
    calls: &CallGraph,
    body: Body,
    known: &FxHashMap<Symbol, FunctionEffects>,
    own: &FxHashSet<Symbol>,
) -> Option<FunctionEffects> {
    let graph = module.bodies[body].graph()?;
    Some(FunctionEffects::of_body(module, graph, calls.calls(body), known, own))
}

/// Removes states from calls whose callees do not need them, and turns invokes whose callees do not unwind into calls.
fn relax(
    module: &mut Module,
    calls: &CallGraph,
    body: Body,
    facts: &FxHashMap<Symbol, FunctionEffects>,
    cx: &PassCx,
) -> Change {
    let caller = module.bodies[body].symbol;
    let Some(graph) = module.bodies[body].graph() else { return Change::Unchanged };
    if graph.has_funclets() || has_attribute(module, caller, AttributeKind::PresplitCoroutine) {
        return Change::Unchanged;
    }
    let mut relaxed: Vec<(Node, Effects)> = Vec::new();
    let mut invokes: Vec<Node> = Vec::new();
    for (call, callee) in calls.calls(body) {
        let Some(Op::Call(info) | Op::Invoke(info)) = graph.op(call) else { continue };
        let info = module.pool.call(info);
        let known = facts.get(&callee).filter(|_| can_relax(module, info, callee)).copied();
        let facts = known.unwrap_or(FunctionEffects::ANYTHING);
        if let CallExits::Unwind(_) = info.exits {
            let unwinds = facts.unwinds && may_unwind(module, info, Some(callee));
            if !unwinds && cx.rewrite("invoke-to-call", graph, call) {
                invokes.push(call);
            }
            continue;
        }
        let io = info.effects.io && facts.io;
        let mem = info.effects.mem && (io || facts.memory != ModRef::None);
        let effects = Effects { mem, io };
        if effects != info.effects && cx.rewrite("fewer-states", graph, call) {
            relaxed.push((call, effects));
        }
    }
    if relaxed.is_empty() && invokes.is_empty() {
        return Change::Unchanged;
    }
    cx.count("calls_with_fewer_states", relaxed.len() as u64);
    cx.count("invokes_to_calls", invokes.len() as u64);
    let graph = module.bodies[body].graph_mut().expect("it was looked at");
    let merged: FxHashSet<Node> = graph.merges().into_iter().map(|(node, _)| node).collect();
    for (call, effects) in relaxed {
        set_effects(graph, call, effects, merged.contains(&call));
    }
    for invoke in invokes {
        invoke::to_call(graph, invoke, merged.contains(&invoke));
    }
    cx.body_changed(body);
    Change::Changed
}

/// Whether facts from the body of a function hold for all its calls.
fn is_final(module: &Module, symbol: Symbol) -> bool {
    is_exact(module, symbol) && !is_opaque(module, symbol)
}

/// Whether a call has no more effects than its callee's body.
fn can_relax(module: &Module, info: &CallInfo, callee: Symbol) -> bool {
    takes(&module.symbols[callee], info)
        && matches!(info.exits, CallExits::Return | CallExits::Unwind(_))
        && !info.tail.ends_function()
        && info.bundles.is_empty()
        && info.assembly.is_none()
        && !module.pool.attributes(info.attributes).function_has(AttributeKind::Convergent)
        && !has_attribute(module, callee, AttributeKind::Convergent)
}

/// Sets the states of a call; those that it no longer takes bypass it. If other calls were `merged` into it, it keeps only the promises
/// that all of them have.
fn set_effects(graph: &mut Graph, call: Node, effects: Effects, merged: bool) {
    let Some(Op::Call(info)) = graph.op(call) else { unreachable!("only calls are relaxed") };
    let pool = graph.pool().clone();
    let info = CallInfo { effects, ..pool.call(info).clone() };
    let keeps = |ty: Type| !ty.is_state() || effects.types().any(|state| state == ty);
    let inputs: Vec<_> = graph.input_origins(call).filter(|&origin| keeps(graph.ty(origin))).collect();
    let outputs = graph.outputs(call).to_vec();
    let types: Vec<Type> = outputs.iter().map(|&output| graph.ty(output)).filter(|&ty| keeps(ty)).collect();
    let new = graph.add_simple(graph.region_of(call), Op::Call(pool.intern_call(info)), &inputs, &types);
    graph.move_before(new, call);
    graph.set_source(new, graph.source(call));
    if let Some(motion) = graph.motion(call) {
        graph.set_moved(new, motion);
    }
    let mut next = 0;
    for output in outputs {
        let ty = graph.ty(output);
        let to = if keeps(ty) {
            next += 1;
            graph.output(new, next - 1)
        } else {
            let taken = graph.input_origins(call).find(|&origin| graph.ty(origin) == ty);
            taken.expect("a call produces the states that it takes")
        };
        if keeps(ty) {
            graph.set_origin_source(to, graph.origin_source(output));
        }
        graph.divert_users(output, to);
    }
    if merged {
        graph.note_merge(call, new);
    }
    graph.remove(call);
}

/// Adds the facts about a function to its attributes.
fn promise(module: &mut Module, symbol: Symbol, facts: FunctionEffects, cx: &PassCx) -> Change {
    let pool = module.pool.clone();
    let SymbolKind::Function { attributes, .. } = &mut module.symbols[symbol].kind else { return Change::Unchanged };
    let old = pool.attributes(*attributes);
    let mut function: Vec<Attribute> = old.function.to_vec();
    let mut added: Vec<(Attribute, &str)> = Vec::new();
    if !facts.unwinds && !old.function_has(AttributeKind::NoUnwind) {
        added.push((AttributeKind::NoUnwind.into(), "nounwind"));
    }
    if !facts.io && !facts.unwinds && !old.function_has(AttributeKind::WillReturn) {
        added.push((AttributeKind::WillReturn.into(), "willreturn"));
    }
    let all = |access| Attribute::Memory(MemoryEffects::all(access));
    match facts.memory {
        ModRef::None if !old.function.contains(&all(Access::None)) => {
            function.retain(|attribute| !attribute.is(AttributeKind::Memory));
            added.push((all(Access::None), "memory_none"));
        }
        ModRef::Read if old.memory().is_none() => added.push((all(Access::Read), "memory_read")),
        ModRef::None | ModRef::Read | ModRef::Write => {}
    }
    if added.is_empty() {
        return Change::Unchanged;
    }
    let mut params = old.params.clone();
    for (attribute, counter) in added {
        if attribute.is(AttributeKind::Memory) {
            params.iter_mut().for_each(without_writable);
        }
        function.push(attribute);
        cx.count(counter, 1);
    }
    *attributes =
        pool.intern_attributes(AttributeList { function: function.into(), result: old.result.clone(), params });
    Change::Changed
}

/// Writes down at calls between which numbers results are: as the function that is called says, or for numbers of threads as the launch
/// bounds of the kernel say.
fn promise_of_results(module: &mut Module, calls: &CallGraph, body: Body, cx: &PassCx) -> Change {
    let pool = module.pool.clone();
    let Some(graph) = module.bodies[body].graph() else { return Change::Unchanged };
    let launch = LaunchBounds::of(module, module.bodies[body].symbol);
    let is_range = |attribute: &&Attribute| attribute.is(AttributeKind::Range);
    let promised = |(call, callee): (Node, Symbol)| {
        let Some(Op::Call(info)) = graph.op(call) else { return None };
        let info = pool.call(info);
        let (list, declared) = (pool.attributes(info.attributes), attributes(module, callee)?);
        let own = list.result.iter().find(is_range);
        let known = if own.is_some() { list } else { declared }.result_range();
        let launched = launch.and_then(|launch| launch.results(&module.symbols[callee].name));
        let range = match launched.filter(|range| known.is_none_or(|known| range.count < known.count)) {
            Some(range) => Attribute::Range(range),
            None => declared.result.iter().find(is_range).filter(|_| own.is_none())?.clone(),
        };
        if !takes(&module.symbols[callee], info) {
            return None;
        }
        let others = list.result.iter().filter(|attribute| !is_range(attribute));
        let result = others.cloned().chain([range]).collect();
        let attributes = pool.intern_attributes(AttributeList { result, ..list.clone() });
        Some((call, pool.intern_call(CallInfo { attributes, ..info.clone() })))
    };
    let promised = calls.calls(body).filter_map(promised);
    let promised: Vec<_> = promised.filter(|&(call, _)| cx.rewrite("range-of-result", graph, call)).collect();
    if promised.is_empty() {
        return Change::Unchanged;
    }
    let graph = module.bodies[body].graph_mut().expect("it was looked at");
    promised.into_iter().for_each(|(call, info)| graph.set_op(call, Op::Call(info)));
    cx.body_changed(body);
    Change::Changed
}

/// Adds the facts about a function's parameters to their attributes.
fn promise_of_parameters(module: &mut Module, symbol: Symbol, uses: &[PointerUse], cx: &PassCx) -> Change {
    let pool = module.pool.clone();
    let SymbolKind::Function { attributes, .. } = &mut module.symbols[symbol].kind else { return Change::Unchanged };
    let old = pool.attributes(*attributes);
    let mut params: Vec<Box<[Attribute]>> = old.params.to_vec();
    let mut change = Change::Unchanged;
    for (index, how) in uses.iter().enumerate().filter(|(_, how)| **how != PointerUse::ANY) {
        let known = params.get(index).map_or(&[][..], |list| list);
        // What is said of the caller's object need not hold for the callee's own. Special registers are left alone, too.
        if has_any(known, AttributeKind::OWN) || has_any(known, &[AttributeKind::SwiftSelf, AttributeKind::Nest]) {
            continue;
        }
        let mut added: Vec<Attribute> = Vec::new();
        if !how.captured && !has(known, AttributeKind::Captures) {
            added.push(Attribute::Captures(if how.tested { Captures::IS_NULL } else { Captures::NONE }));
        }
        // Accesses through another pointer that was computed from it and stored are unknown.
        let is_written = has_any(known, &[AttributeKind::Writable, AttributeKind::Initializes]);
        if !how.captured && !has_any(known, &ACCESSES) {
            let access = match (how.read, how.written) {
                (false, false) => Some(AttributeKind::ReadNone).filter(|_| !is_written),
                (true, false) => Some(AttributeKind::ReadOnly).filter(|_| !is_written),
                (false, true) => Some(AttributeKind::WriteOnly),
                (true, true) => None,
            };
            added.extend(access.map(Attribute::Plain));
        }
        if added.is_empty() {
            continue;
        }
        change = Change::Changed;
        cx.count("parameter_attributes", added.len() as u64);
        let list = extended(known, &added);
        if params.len() <= index {
            params.resize_with(index + 1, Box::default);
        }
        params[index] = list;
    }
    if change == Change::Changed {
        let list = AttributeList { function: old.function.clone(), result: old.result.clone(), params: params.into() };
        *attributes = pool.intern_attributes(list);
    }
    change
}

/// Attributes of how a pointer is accessed, of which a parameter has one.
const ACCESSES: [AttributeKind; 3] = [AttributeKind::ReadNone, AttributeKind::ReadOnly, AttributeKind::WriteOnly];

/// Attributes with further ones, except where one of the same kind is among them. Memory that is only read is known better if only that of
/// arguments is.
fn extended(known: &[Attribute], new: &[Attribute]) -> Box<[Attribute]> {
    let kind =
        |attribute: &Attribute| attribute.kind().map(|kind| if ACCESSES.contains(&kind) { ACCESSES[0] } else { kind });
    let mut list = known.to_vec();
    for attribute in new {
        match list.iter_mut().find(|known| kind(known) == kind(attribute)) {
            Some(Attribute::Memory(effects))
                if *effects == MemoryEffects::all(Access::Read)
                    && *attribute == Attribute::Memory(MemoryEffects::of_arguments(Access::Read)) =>
            {
                *effects = MemoryEffects::of_arguments(Access::Read);
            }
            Some(_) => {}
            None => list.push(attribute.clone()),
        }
    }
    list.into()
}

/// Removes `writable` from a parameter of a function that writes nothing: it is the only combination of attributes of a function and its
/// parameters that LLVM's verifier rejects.
fn without_writable(param: &mut Box<[Attribute]>) {
    if has(param, AttributeKind::Writable) {
        *param = param.iter().filter(|attribute| !attribute.is(AttributeKind::Writable)).cloned().collect();
    }
}
