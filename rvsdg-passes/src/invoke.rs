//! Invokes that become calls, which several passes find.

use rvsdg_core::op::{CallExits, CallInfo, RETURNS};
use rvsdg_core::{Graph, Node, Op, Origin, Type};

/// Turns an invoke into a call, whose callee does not unwind or unwinds out of the function; the decision after it becomes known.
/// `merged` says that the invoke is several ones of the original.
pub(crate) fn to_call(graph: &mut Graph, invoke: Node, merged: bool) -> Node {
    let Some(Op::Invoke(info)) = graph.op(invoke) else { unreachable!("only invokes become calls") };
    let pool = graph.pool().clone();
    let old = pool.call(info);
    let (effects, clauses) = (old.effects.count(), old.exits.clauses());
    let call = Op::Call(pool.intern_call(CallInfo { exits: CallExits::Return, ..old.clone() }));
    let mut inputs: Vec<_> = graph.input_origins(invoke).collect();
    inputs.drain(inputs.len() - effects - clauses..inputs.len() - effects);
    let outputs = graph.outputs(invoke).to_vec();
    let [results @ .., pad, predicate] = &outputs[..outputs.len() - effects] else {
        unreachable!("an invoke has what its landing pad is given, and a predicate")
    };
    let kept: Vec<Origin> = results.iter().chain(&outputs[outputs.len() - effects..]).copied().collect();
    let types: Vec<Type> = kept.iter().map(|&output| graph.ty(output)).collect();
    let region = graph.region_of(invoke);
    let new = graph.add_simple(region, call, &inputs, &types);
    graph.set_source(new, graph.source(invoke));
    if let Some(motion) = graph.motion(invoke) {
        graph.set_moved(new, motion);
    }
    let poison = Op::Const(pool.poison(graph.ty(*pad)));
    for (output, op) in [(*pad, poison), (*predicate, Op::CtlConst { value: RETURNS, of: 2 })] {
        let node = graph.add_simple(region, op, &[], &[graph.ty(output)]);
        graph.move_before(node, invoke);
        graph.divert_users(output, graph.output(node, 0));
    }
    graph.move_before(new, invoke);
    for (index, output) in kept.into_iter().enumerate() {
        let to = graph.output(new, index);
        graph.set_origin_source(to, graph.origin_source(output));
        graph.divert_users(output, to);
    }
    if merged {
        graph.note_merge(invoke, new);
    }
    graph.remove(invoke);
    new
}
