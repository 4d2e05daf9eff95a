//! Common context variables at the ω level.

use rustc_hash::FxHashMap;
use rvsdg_core::structural::{Lambda, Phi};
use rvsdg_core::{Module, Node};

use crate::pass::{Change, ModulePass, PassCx};

/// The stage of [common node elimination](super) for the ω level: of context variables with one origin, the first gets all users. Bodies
/// that stay untouched keep theirs.
pub struct CommonContext;

impl ModulePass for CommonContext {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        let mut diverted = 0;
        // A φ comes before the nodes in it, so that its merged variables are equal origins for theirs.
        let nodes: Vec<Node> = module.omega.all_nodes().collect();
        for node in nodes {
            if let Some(lambda) = Lambda::new(&module.omega, node) {
                let same = equal_inputs(module, node);
                let body = lambda.body();
                let Some(graph) = module.bodies[body].graph_mut() else { continue };
                let before = diverted;
                for (index, first) in same {
                    let arguments = graph.arguments(graph.root());
                    let (from, to) = (arguments[index], arguments[first]);
                    if graph.has_users(from) {
                        graph.divert_users(from, to);
                        diverted += 1;
                    }
                }
                if diverted > before {
                    cx.body_changed(body);
                }
            } else if let Some(phi) = Phi::new(&module.omega, node) {
                for (index, first) in equal_inputs(module, node) {
                    let arguments = module.omega.arguments(phi.region(&module.omega));
                    let (from, to) = (arguments[index], arguments[first]);
                    if module.omega.has_users(from) {
                        module.omega.divert_users(from, to);
                        diverted += 1;
                    }
                }
            }
        }
        cx.count("context_variables", diverted);
        Change::when(diverted > 0)
    }
}

/// Inputs of a node whose origin an earlier input has, each with the first such input.
fn equal_inputs(module: &Module, node: Node) -> Vec<(usize, usize)> {
    let mut first = FxHashMap::default();
    let inputs = module.omega.input_origins(node).enumerate();
    inputs.map(|(index, origin)| (index, *first.entry(origin).or_insert(index))).filter(|(a, b)| a != b).collect()
}
