//! Replaces a call by its callee's body.

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::Copier;
use rvsdg_core::op::{CallInfo, TailKind};
use rvsdg_core::sources::SourceMap;
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Type};

use super::by_value::{self, Copied};
use super::routes;
use super::summary::static_count;
use super::unwind::Exit;

/// A call to be replaced, and the values for the callee's context.
pub(super) struct Splice<'m> {
    /// The call, a `call` or an `invoke`.
    pub call: Node,
    /// The body of the callee; if it may unwind into an `invoke`, it takes the operands of its clauses after its parameters.
    pub callee: &'m Graph,
    /// Where in the body an `invoke` learns of the exceptional exit, if there is one.
    pub exit: Option<Exit>,
    /// For each context variable of the callee, the caller's for the same symbol; one without is poison.
    pub contexts: &'m [u32],
    /// The parameters that are passed by value, and the caller's context variable of the copy intrinsic.
    pub copied: &'m [Copied],
    pub copy: u32,
    /// The numbers of copies of instructions.
    pub sources: SourceMap,
    /// Whether the callee has calls marked `tail`.
    pub tails: bool,
    /// Calls of the callee whose copies are requested. They have outputs.
    pub waiting: &'m [Option<Node>],
}

/// Replaces the call. Allocations of the callee become allocations at the start of the caller, made once per call of the caller. The
/// placeholders for context variables that the caller does not have are added to `unmapped`.
pub(super) fn splice(
    graph: &mut Graph,
    routes: &mut Router,
    splice: Splice<'_>,
    unmapped: &mut Vec<Node>,
) -> Vec<Option<Node>> {
    let Splice { call, callee, exit, contexts, copied, copy, sources, tails, waiting } = splice;
    let pool = graph.pool().clone();
    let (Some(Op::Call(info)) | Some(Op::Invoke(info))) = graph.op(call) else {
        unreachable!("what is inlined is a call")
    };
    let info = pool.call(info).clone();
    let region = graph.region_of(call);
    if let Some((copies, at)) = sources.copies() {
        graph.add_inlined(copies, at);
    }
    let mut copier = Copier::with_sources(sources);
    let (from, to) = (callee.root(), graph.root());

    let parameters = &callee.arguments(from)[contexts.len()..];
    let (parameters, states) = parameters.split_at(parameters.len() - 2);
    for (&argument, &context) in callee.arguments(from).iter().zip(contexts) {
        if !callee.has_users(argument) {
            continue;
        }
        let origin = match graph.arguments(to).get(context as usize) {
            Some(&origin) => routes.route(graph, origin, region),
            None => {
                let ty = callee.ty(argument);
                // Not shared, because it is replaced once the value is known.
                let poison = Insert::before(graph, call).node(Op::Const(pool.poison(ty)), &[], &[ty]);
                unmapped.push(poison);
                graph.output(poison, 0)
            }
        };
        copier.substitute(argument, origin);
    }
    for (index, &parameter) in parameters.iter().enumerate() {
        let passed = match copied.iter().find(|parameter| parameter.index == index) {
            Some(parameter) => by_value::copy(graph, routes, call, parameter, copy),
            None => graph.input(call, 1 + index),
        };
        copier.substitute(parameter, passed);
    }
    // Allocations come first: they change the state at the start of the caller, where the call may be.
    let order = callee.topological(from);
    let is_static =
        |node: Node| matches!(callee.op(node), Some(Op::Alloca { .. })) && static_count(callee, node).is_some();
    for &node in order.iter().filter(|&&node| is_static(node)) {
        let pointer = hoist(graph, callee, node, &copier);
        let pointer = routes.route(graph, pointer, region);
        copier.substitute(callee.output(node, 0), pointer);
    }
    let results: Vec<Origin> = callee.result_origins(from).collect();
    let mut ends = Vec::new();
    for (position, ty) in [Type::MEM, Type::IO].into_iter().enumerate() {
        let (argument, result) = (states[position], results[results.len() - 2 + position]);
        let taken = graph.input_origins(call).find(|&origin| graph.ty(origin) == ty);
        let output = graph.outputs(call).iter().copied().find(|&output| graph.ty(output) == ty);
        if let (Some(taken), Some(output)) = (taken, output) {
            copier.substitute(argument, taken);
            ends.push(End::Output(output, result));
        } else if argument != result {
            let (state, user) = routes::state_at(graph, call, ty);
            copier.substitute(argument, state);
            ends.extend(user.map(|user| End::User(user, result)));
        }
    }

    for node in order {
        if is_static(node) {
            let state = copier.get(callee.input(node, 1)).expect("the state before it was copied");
            copier.substitute(callee.output(node, 1), state);
            continue;
        }
        let copy = copier.copy_node(callee, node, graph, region);
        graph.move_before(copy, call);
        if tails && info.tail != TailKind::Tail && !seeded::is_active(Bug::IlnTailMark) {
            unmark_tail_calls(graph, copy);
        }
    }

    let value = |origin: Origin| copier.get(origin).expect("what the callee returns was copied");
    for end in ends {
        match end {
            End::Output(output, result) => graph.divert_users(output, value(result)),
            End::User(user, result) => graph.divert(user, value(result)),
        }
    }
    let mut values = graph.outputs(call).to_vec();
    values.retain(|&output| !graph.ty(output).is_state());
    if let Some(Op::Invoke(_)) = graph.op(call) {
        let [pad, predicate] = values.split_off(values.len() - 2)[..] else { unreachable!("an invoke has both") };
        if let Some(exit) = exit {
            graph.divert_users(pad, value(exit.pad));
            graph.divert_users(predicate, value(exit.predicate));
        } else {
            let ty = graph.ty(pad);
            let mut at = Insert::before(graph, call);
            let poison = at.node(Op::Const(pool.poison(ty)), &[], &[ty]);
            let returns = at.predicate(0, 2);
            graph.divert_users(pad, graph.output(poison, 0));
            graph.divert_users(predicate, returns);
        }
    }
    for (&output, &result) in values.iter().zip(&results) {
        graph.divert_users(output, value(result));
    }
    graph.remove(call);
    copier.copy_descriptions(callee, graph);
    waiting.iter().map(|&call| graph.producer(value(callee.output(call?, 0)))).collect()
}

/// How a state continues after the call.
enum End {
    /// The call produced it: its users take the callee's result.
    Output(Origin, Origin),
    /// The call did not: the user of the state at its position takes the callee's result.
    User(rvsdg_core::User, Origin),
}

/// Inserts an allocation of the callee at the start of the caller.
fn hoist(graph: &mut Graph, callee: &Graph, alloca: Node, copier: &Copier) -> Origin {
    let root = graph.root();
    let count = callee.producer(callee.input(alloca, 0)).expect("its size is a constant");
    let count = Copier::new().copy_node(callee, count, graph, root);
    graph.set_source(count, None);
    let op = callee.op(alloca).expect("an allocation is a simple node");
    let (pointer, node) = allocate(graph, op, count, callee.ty(callee.output(alloca, 0)));
    graph.set_source(node, copier.source(callee.source(alloca)));
    pointer
}

/// Inserts an allocation of constant size at the start of a body; returns its address.
pub(crate) fn allocate(graph: &mut Graph, op: Op, count: Node, ty: Type) -> (Origin, Node) {
    let root = graph.root();
    let memory = graph.arguments(root).iter().rev().copied().find(|&argument| graph.ty(argument) == Type::MEM);
    let memory = memory.expect("a body has a memory state");
    let next = graph.users_of(memory).next();
    let inputs = [graph.output(count, 0), memory];
    let node = graph.add_simple(root, op, &inputs, &[ty, Type::MEM]);
    graph.move_to_front(node);
    graph.move_to_front(count);
    if let Some(next) = next {
        graph.divert(next, graph.output(node, 1));
    }
    (graph.output(node, 0), node)
}

/// Calls marked `tail` promise not to access the stack of their function. That stack now belongs to the caller, which may have passed
/// addresses of it to the callee.
fn unmark_tail_calls(graph: &mut Graph, node: Node) {
    let pool = graph.pool().clone();
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        nodes.extend(graph.subregions(node).iter().flat_map(|&region| graph.nodes(region)));
        if let NodeKind::Simple(Op::Call(call)) = graph.kind(node)
            && pool.call(call).tail == TailKind::Tail
        {
            let info = CallInfo { tail: TailKind::None, ..pool.call(call).clone() };
            graph.set_op(node, Op::Call(pool.intern_call(info)));
        }
    }
}
