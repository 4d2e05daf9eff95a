//! Assumptions in loops.

use rvsdg_analysis::callee::is_assume;
use rvsdg_analysis::loop_nest::is_in_loop;
use rvsdg_core::{Graph, Node};

use crate::pass::{BodyPass, Change, PassCx};

/// Removes calls of `llvm.assume` in loops. As calls they prevent loop optimizations, and what they say has been used by then.
pub struct Assumptions;

impl BodyPass for Assumptions {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let assumptions: Vec<Node> = graph
            .all_nodes()
            .filter(|&node| is_assume(graph, cx.surroundings(), node) && is_in_loop(graph, node))
            .collect();
        let mut change = Change::Unchanged;
        for node in assumptions {
            if !cx.rewrite("assumption", graph, node) {
                continue;
            }
            let others = graph.inputs(node).len() - graph.outputs(node).len();
            for index in 0..graph.outputs(node).len() {
                let (state, before) = (graph.output(node, index), graph.input(node, others + index));
                debug_assert!(graph.ty(state).is_state(), "an assumption gives no value");
                graph.divert_users(state, before);
            }
            graph.remove(node);
            cx.count("assumptions", 1);
            change = Change::Changed;
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}
