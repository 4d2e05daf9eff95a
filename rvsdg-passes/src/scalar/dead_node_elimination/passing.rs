//! States that nodes only pass: what is done to them there is not observed once the values of the nodes are not.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Origin, OriginDef, Type, User};
use smallvec::SmallVec;

/// The nodes of a body whose states all pass: each state that goes out is one that comes in.
///
/// Of a simple node, its operation decides. States pass a γ if they pass its regions from the same entry variable, and a θ if each
/// passes its body to itself. A θ that may not end carries a state for that (`io`), as an order among what may not return, so it is
/// none of these.
pub(super) struct Passing {
    /// For state outputs of such nodes, the input that it is.
    inputs: SecondaryMap<Origin, PackedOption<User>>,
}

impl Passing {
    /// Finds the nodes, given those simple nodes. Linear in the graph.
    pub fn new(graph: &Graph, is_passed: impl Fn(Node) -> bool) -> Passing {
        let mut passing = Passing { inputs: SecondaryMap::with_capacity(graph.origin_bound()) };
        // Those in a structural node come after it.
        let nodes: Vec<Node> = graph.all_nodes().collect();
        for &node in nodes.iter().rev() {
            let states: SmallVec<[usize; 4]> =
                (0..graph.outputs(node).len()).filter(|&at| graph.ty(graph.output(node, at)).is_state()).collect();
            if states.is_empty() {
                continue;
            }
            let input = |&at: &usize| match graph.kind(node) {
                NodeKind::Simple(_) if is_passed(node) => {
                    // States come last and in one order on both sides.
                    let from_end = graph.outputs(node).len() - at;
                    Some(graph.inputs(node)[graph.inputs(node).len() - from_end])
                }
                NodeKind::Gamma => passing.through_gamma(graph, Gamma::new(graph, node)?, at),
                NodeKind::Theta => passing.through_theta(graph, Theta::new(graph, node)?, at),
                NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => None,
            };
            let inputs: Option<SmallVec<[User; 4]>> = states.iter().map(input).collect();
            for (at, input) in states.into_iter().zip(inputs.into_iter().flatten()) {
                passing.inputs[graph.output(node, at)] = input.into();
            }
        }
        passing
    }

    /// The state that a state output of a node that states pass is before it.
    pub fn before(&self, graph: &Graph, output: Origin) -> Option<Origin> {
        self.inputs[output].expand().map(|input| graph.origin(input))
    }

    /// Whether a node has states, which all pass it.
    pub fn is_passed(&self, graph: &Graph, node: Node) -> bool {
        graph.outputs(node).iter().any(|&output| self.inputs[output].is_some())
    }

    fn through_gamma(&self, graph: &Graph, gamma: Gamma, at: usize) -> Option<User> {
        let mut entries = gamma.regions(graph).iter().map(|&region| {
            let argument = self.start(graph, graph.result(region, at))?;
            Gamma::entry_var_of_argument(graph, argument).map(|(_, entry)| entry.input)
        });
        let first = entries.next()??;
        entries.all(|entry| entry == Some(first)).then_some(first)
    }

    fn through_theta(&self, graph: &Graph, theta: Theta, at: usize) -> Option<User> {
        let variable = theta.loop_var(graph, at);
        if graph.ty(variable.pre) == Type::IO {
            return None;
        }
        let passes = self.start(graph, graph.origin(variable.post))? == variable.pre;
        passes.then_some(variable.input)
    }

    /// The argument of its region that a state is, past nodes that states pass.
    fn start(&self, graph: &Graph, mut state: Origin) -> Option<Origin> {
        loop {
            match graph.def(state) {
                OriginDef::Argument(..) => return Some(state),
                OriginDef::Output(..) => state = self.before(graph, state)?,
            }
        }
    }
}
