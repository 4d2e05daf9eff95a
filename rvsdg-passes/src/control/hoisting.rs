//! Loop-invariant code motion on demand: computes values that do not change in a loop before it.

use rustc_hash::FxHashMap;
use rvsdg_analysis::invariant::Invariants;
use rvsdg_core::{Graph, Motion, Op, Origin};

/// Hoists invariants out of loops, each once.
#[derive(Default)]
pub(crate) struct Hoisting {
    /// The value before its loop that is a copy of a value of the body.
    copies: FxHashMap<Origin, Origin>,
}

impl Hoisting {
    /// The value before the loop that always equals an [available](Invariants::is_available) value of its body; the operations that
    /// compute it are copied there.
    pub(crate) fn hoist(&mut self, graph: &mut Graph, invariants: &Invariants, origin: Origin) -> Origin {
        if let Some(outer) = invariants.outside(origin).or_else(|| self.copies.get(&origin).copied()) {
            return outer;
        }
        let node = graph.producer(origin).expect("an available value that is no argument is an output");
        let inputs: Vec<Origin> = graph.input_origins(node).collect();
        let inputs: Vec<Origin> = inputs.into_iter().map(|input| self.hoist(graph, invariants, input)).collect();
        let outputs: Vec<_> = graph.outputs(node).iter().map(|&output| graph.ty(output)).collect();
        let op: Op = graph.op(node).expect("what may be executed anywhere is simple");
        let loop_node = invariants.theta().node();
        let copy = graph.add_simple(graph.region_of(loop_node), op, &inputs, &outputs);
        graph.move_before(copy, loop_node);
        graph.set_source(copy, graph.source(node));
        graph.set_moved(copy, Motion::Speculated);
        for index in 0..outputs.len() {
            self.copies.insert(graph.output(node, index), graph.output(copy, index));
        }
        self.copies[&origin]
    }
}
