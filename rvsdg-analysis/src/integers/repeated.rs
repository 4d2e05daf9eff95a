//! The values of loop variables when the loop continues.

use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, fold};
use smallvec::SmallVec;

use crate::conditions::REPEAT;
use crate::invariant::follow_out;

/// How many alternatives are visited, nested ones included.
const MAX_ALTERNATIVES: usize = 8;

/// The possible next values of a variable if there is another iteration: the results of alternatives that do not leave the loop, except
/// poison. Each in the outermost region where it is the same.
pub(crate) fn next_values(graph: &Graph, theta: Theta, variable: LoopVar) -> SmallVec<[Origin; 2]> {
    let mut found = SmallVec::new();
    let mut pending: SmallVec<[[Origin; 2]; 4]> = SmallVec::new();
    pending.push([variable.post, theta.predicate(graph)].map(|user| graph.origin(user)));
    let mut looked_at = 0;
    while let Some([value, predicate]) = pending.pop() {
        let producer = graph.producer(predicate);
        if let Some(Op::CtlConst { value, .. }) = producer.and_then(|node| graph.op(node))
            && value != REPEAT
        {
            continue;
        }
        let alternatives = conditional(graph, value).map(|(node, output)| (graph.subregions(node), node, output));
        if let Some((regions, node, output)) = alternatives
            && looked_at + regions.len() <= MAX_ALTERNATIVES
        {
            looked_at += regions.len();
            let decides = conditional(graph, predicate).filter(|&(decider, _)| decider == node);
            pending.extend(regions.iter().map(|&region| {
                let predicate = decides.map_or(predicate, |(_, index)| graph.result(region, index));
                [graph.result(region, output), predicate]
            }));
            continue;
        }
        let value = follow_out(graph, value).0;
        if !fold::is_poison(graph, value) && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The conditional that defines a value, and the index of the output.
fn conditional(graph: &Graph, origin: Origin) -> Option<(Node, usize)> {
    match graph.def(origin) {
        OriginDef::Output(node, output) if graph.kind(node) == NodeKind::Gamma => Some((node, output as usize)),
        OriginDef::Output(..) | OriginDef::Argument(..) => None,
    }
}
