//! Routing of values into nested regions.

use rustc_hash::FxHashMap;

use crate::graph::Use;
use crate::structural::{Gamma, LoopVar, Theta};
use crate::{Graph, Node, Origin, Region};

/// Routes values inwards, through invariant loop variables and through entry variables: existing ones if there are any, otherwise new
/// ones. Each variable is searched for once.
///
/// While a router is used, loop variables that do not come from [`Router::carry`] and are invariant must stay so, and variables must not
/// be removed.
///
/// ```
/// use rvsdg_core::build::Router;
/// use rvsdg_core::structural::Theta;
/// use rvsdg_core::{Graph, Pool, Type};
///
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let x = graph.add_argument(root, Type::I32);
/// let theta = Theta::add(&mut graph, root);
/// let body = theta.body(&graph);
/// let mut router = Router::new();
/// let inside = router.route(&mut graph, x, body);
/// assert_eq!(graph.scope(inside), body);
/// assert_eq!(router.route(&mut graph, x, body), inside);
/// assert_eq!(theta.loop_vars(&graph).len(), 1);
/// ```
#[derive(Default)]
pub struct Router {
    /// The position of the variable that brings a value into a node's regions.
    routes: FxHashMap<(Node, Origin), usize>,
    /// Where the variables of each loop start that will change.
    carried: FxHashMap<Node, Vec<usize>>,
}

impl Router {
    /// A router that knows of no variable.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value as available in `region`, which is the value's own region or inside it.
    ///
    /// # Panics
    /// When the value's region is not around `region`.
    pub fn route(&mut self, graph: &mut Graph, origin: Origin, region: Region) -> Origin {
        let home = graph.scope(origin);
        // Inwards from the innermost region where the value is.
        let mut path = Vec::new();
        let mut at = region;
        while at != home {
            path.push(at);
            at = graph.parent_region(at).expect("the value's region is around this one");
        }
        let mut value = origin;
        for region in path.into_iter().rev() {
            value = self.enter(graph, value, region);
        }
        value
    }

    /// The argument of `region` that is a value of the region around it.
    fn enter(&mut self, graph: &mut Graph, value: Origin, region: Region) -> Origin {
        let node = graph.parent(region).expect("an inner region is of a node");
        let carried = &self.carried;
        let index = *self.routes.entry((node, value)).or_insert_with(|| match Theta::new(graph, node) {
            Some(theta) => {
                let carried = carried.get(&node).map_or(&[][..], |carried| carried);
                let fits = |index| !carried.contains(&index) && theta.loop_var(graph, index).is_invariant(graph);
                input(graph, node, value, fits).unwrap_or_else(|| theta.add_loop_var(graph, value).index)
            }
            None => {
                let gamma = Gamma::new(graph, node).expect("a region is of a γ or a θ");
                let known = input(graph, node, value, |input| Gamma::argument_index(input).is_some());
                known.and_then(Gamma::argument_index).unwrap_or_else(|| gamma.add_entry_var(graph, value).index)
            }
        });
        graph.arguments(region)[index]
    }

    /// Adds a loop variable that starts as `start` and will change: no value is routed through it.
    pub fn carry(&mut self, graph: &mut Graph, theta: Theta, start: Origin) -> LoopVar {
        let variable = theta.add_loop_var(graph, start);
        self.carried.entry(theta.node()).or_default().push(variable.index);
        variable
    }
}

/// The position of an input of `node` that is `origin` and `fits`: searches the node's first inputs and the origin's first users, as many
/// of each as there are of the fewer.
fn input(graph: &Graph, node: Node, origin: Origin, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut inputs = graph.input_origins(node).enumerate();
    for user in graph.users_of(origin) {
        if let Use::Input(at, index) = graph.site(user)
            && at == node
            && fits(index as usize)
        {
            return Some(index as usize);
        }
        let (index, input) = inputs.next()?;
        if input == origin && fits(index) {
            return Some(index);
        }
    }
    None
}
