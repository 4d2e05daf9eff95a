//! Results of direct calls that the caller already knows.

use rustc_hash::FxHashMap;
use rvsdg_analysis::call_graph::calls_input;
use rvsdg_analysis::function::is_exact;
use rvsdg_analysis::trace::inner_users;
use rvsdg_core::attribute::{AttributeKind, has_any};
use rvsdg_core::build::Insert;
use rvsdg_core::module::{Body, SymbolKind};
use rvsdg_core::op::{CallInfo, Effects};
use rvsdg_core::{Const, Graph, Module, Node, Op, Origin, OriginDef, Pool, Symbol, Type, TypeKind};

use super::values::InvariantValues;
use crate::pass::{BodyPass, Change, ModulePass, PassCx};

/// The stage of [invariant value redirection](super) for calls.
pub struct InvariantCalls;

/// What is known about calls of a function.
struct Summary {
    function_type: Type,
    convention: u32,
    result: Option<Returned>,
    /// The states that the function may change.
    effects: Effects,
}

/// A value that a function always returns.
#[derive(Copy, Clone)]
enum Returned {
    /// An argument, by position.
    Argument(usize),
    /// A constant without symbols.
    Constant(Const),
}

impl ModulePass for InvariantCalls {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let mut summaries: FxHashMap<Symbol, Summary> = FxHashMap::default();
        let mut change = Change::Unchanged;
        // Callees come first, except in recursion, where nothing is known of the callee then.
        for lambda in module.lambdas() {
            let body = lambda.body();
            let context = module.context_symbols(lambda);
            let known: Vec<Option<&Summary>> = context.iter().map(|symbol| summaries.get(symbol)).collect();
            let Some(graph) = module.bodies[body].graph_mut() else { continue };
            // In bodies with funclets, states keep operations in their funclet.
            let may_change = !graph.has_funclets() && known.iter().any(Option::is_some);
            if may_change && redirect_calls(graph, &known, cx).is_changed() {
                change = Change::Changed;
                cx.body_changed(body);
                let _ = InvariantValues.run(graph, cx);
            }
            if let Some(summary) = summarize(module, body, context.len()) {
                summaries.insert(module.bodies[body].symbol, summary);
            }
        }
        change
    }
}

/// Functions with these attributes must not be inspected, or execute more than their body; their calls are left alone.
const OPAQUE: &[AttributeKind] = &[
    AttributeKind::Naked,
    AttributeKind::OptNone,
    AttributeKind::PresplitCoroutine,
    AttributeKind::ReturnsTwice,
    AttributeKind::Convergent,
];

fn summarize(module: &Module, body: Body, context: usize) -> Option<Summary> {
    let function = module.bodies[body].symbol;
    let symbol = &module.symbols[function];
    let pool = &module.pool;
    let graph = module.bodies[body].graph()?;
    let &SymbolKind::Function { convention, attributes, .. } = &symbol.kind else { return None };
    let attributes = pool.attributes(attributes);
    let is_opaque = has_any(&attributes.function, OPAQUE);
    if !is_exact(module, function) || is_opaque || !attributes.params_are_arguments() {
        return None;
    }
    let TypeKind::Function { result, params, .. } = pool.type_kind(symbol.value_type) else { return None };
    let root = graph.root();
    let argument = |origin| match graph.def(origin) {
        OriginDef::Argument(region, index) if region == root => (index as usize).checked_sub(context),
        _ => None,
    };
    let results: Vec<Origin> = graph.result_origins(root).collect();
    let (&[mem, io], values) = results.split_last_chunk::<2>().map(|(values, states)| (states, values))?;
    let io = argument(io) != Some(params.len() + 1);
    // If a function may not return, what follows it must stay after it, memory accesses included.
    let effects = Effects { mem: io || argument(mem) != Some(params.len()), io };
    let returned = match values {
        [value] if *result != Type::VOID => match graph.producer(*value).and_then(|node| graph.op(node)) {
            Some(Op::Const(constant)) if pool.holes(constant) == 0 => Some(Returned::Constant(constant)),
            Some(_) => None,
            None => argument(*value).filter(|&index| index < params.len()).map(Returned::Argument),
        },
        _ => None,
    };
    let summary = Summary { function_type: symbol.value_type, convention, result: returned, effects };
    (returned.is_some() || effects != Effects::ALL).then_some(summary)
}

/// Redirects the results of calls of known functions. `known` has, for each context variable, what is known of it.
fn redirect_calls(graph: &mut Graph, known: &[Option<&Summary>], cx: &PassCx) -> Change {
    let pool = graph.pool().clone();
    let mut calls: Vec<(Node, &Summary)> = Vec::new();
    for (&summary, &context) in known.iter().zip(graph.arguments(graph.root())) {
        let Some(summary) = summary else { continue };
        inner_users(graph, &[context], |node, input| {
            if let Some(Op::Call(call)) = graph.op(node)
                && input == 0
                && calls_input(&pool, Op::Call(call))
                && is_plain(&pool, pool.call(call), summary)
            {
                calls.push((node, summary));
            }
        });
    }
    let (mut values, mut states) = (0, 0);
    for (node, summary) in calls {
        let Some(Op::Call(call)) = graph.op(node) else { continue };
        let info = pool.call(call);
        if let Some(returned) = summary.result {
            values += u64::from(redirect_result(graph, node, returned, cx));
        }
        let effects =
            Effects { mem: info.effects.mem && summary.effects.mem, io: info.effects.io && summary.effects.io };
        if effects != info.effects && cx.allows_rewrite("call_states", graph, node) {
            states += (info.effects.count() - effects.count()) as u64;
            drop_states(graph, node, info.effects, effects);
            graph.set_op(node, Op::Call(pool.intern_call(CallInfo { effects, ..info.clone() })));
        }
    }
    cx.count("call_results", values);
    cx.count("call_states", states);
    Change::when(values + states > 0)
}

/// Whether a call does exactly what its callee does.
fn is_plain(pool: &Pool, info: &CallInfo, summary: &Summary) -> bool {
    let attributes = pool.attributes(info.attributes);
    info.function_type == summary.function_type
        && info.convention == summary.convention
        && info.bundles.is_empty()
        && info.metadata.is_empty()
        && !info.tail.ends_function()
        && !has_any(&attributes.function, OPAQUE)
        && attributes.params_are_arguments()
}

fn redirect_result(graph: &mut Graph, node: Node, returned: Returned, cx: &PassCx) -> bool {
    let output = graph.output(node, 0);
    if !graph.has_users(output) || !cx.allows_rewrite("call_results", graph, node) {
        return false;
    }
    let replacement = match returned {
        Returned::Argument(index) => graph.input(node, index + 1),
        Returned::Constant(constant) => {
            let region = graph.region_of(node);
            Insert::front(graph, region).constant(constant)
        }
    };
    graph.divert_users(output, replacement);
    true
}

/// Lets states that a call no longer takes bypass it.
fn drop_states(graph: &mut Graph, node: Node, before: Effects, after: Effects) {
    let kept: Vec<bool> = before.types().map(|ty| if ty == Type::MEM { after.mem } else { after.io }).collect();
    let inputs = graph.inputs(node).len() - kept.len();
    let outputs = graph.outputs(node).len() - kept.len();
    for (index, _) in kept.iter().enumerate().filter(|&(_, &kept)| !kept) {
        graph.divert_users(graph.output(node, outputs + index), graph.input(node, inputs + index));
    }
    graph.retain_outputs(node, |index| index < outputs || kept[index - outputs]);
    graph.retain_inputs(node, |index| index < inputs || kept[index - inputs]);
}
