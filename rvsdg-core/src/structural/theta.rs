//! θ-nodes: thesis definition 3.

use smallvec::SmallVec;

use crate::graph::{Graph, Node, NodeKind, Origin, OriginDef, Region, Use, User};

/// A node known to be a θ. Input `i`, argument `i`, result `i + 1` and output `i` are loop variable `i`; result 0 is the
/// predicate, `ctl(2)`, which repeats the loop with 1.
///
/// A loop that halves a number until none of its bits is left:
///
/// ```
/// use rvsdg_core::build::Insert;
/// use rvsdg_core::op::{IntBinary, IntPredicate};
/// use rvsdg_core::structural::Theta;
/// use rvsdg_core::{Graph, Pool, Type, text};
///
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let [number, mem, io] = [Type::I32, Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
/// let theta = Theta::add(&mut graph, root);
/// let left = theta.add_loop_var(&mut graph, number);
/// let body = theta.body(&graph);
/// let mut at = Insert::end(&mut graph, body);
/// let (zero, one) = (at.int(Type::I32, 0), at.int(Type::I32, 1));
/// let half = at.binary(IntBinary::LShr, left.pre, one);
/// let more = at.compare(IntPredicate::Ne, half, zero);
/// let again = at.decide(more, 1);
/// graph.divert(left.post, half);
/// graph.divert(theta.predicate(&graph), again);
/// for origin in [left.output, mem, io] {
///     graph.add_result(root, origin);
/// }
/// assert!(!left.is_invariant(&graph));
/// assert!(text::print_graph(&graph).contains("theta (v2: i32 = v0)"), "{}", text::print_graph(&graph));
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Theta(Node);

/// A loop variable: the value before the loop (`input`), at the start of an iteration (`pre`), at its end (`post`), and
/// after the loop (`output`).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct LoopVar {
    /// Position among the loop variables.
    pub index: usize,
    /// The node's input.
    pub input: User,
    /// The region's argument.
    pub pre: Origin,
    /// The region's result.
    pub post: User,
    /// The node's output.
    pub output: Origin,
}

impl Theta {
    /// Adds a θ to the end of `region`. It is incomplete until its predicate is set with
    /// `graph.divert(theta.predicate(graph), …)`.
    pub fn add(graph: &mut Graph, region: Region) -> Theta {
        let node = graph.add_node(region, NodeKind::Theta, &[], &[]);
        let body = graph.add_region(node);
        graph.add_open_result(body);
        Theta(node)
    }

    /// The node as a θ, when it is one.
    pub fn new(graph: &Graph, node: Node) -> Option<Theta> {
        (graph.kind(node) == NodeKind::Theta).then_some(Theta(node))
    }

    /// The node.
    pub fn node(self) -> Node {
        self.0
    }

    /// The loop's body.
    pub fn body(self, graph: &Graph) -> Region {
        graph.subregions(self.0)[0]
    }

    /// The result that decides about repetition.
    pub fn predicate(self, graph: &Graph) -> User {
        graph.results(self.body(graph))[0]
    }

    /// The loop variables in order.
    pub fn loop_vars(self, graph: &Graph) -> impl ExactSizeIterator<Item = LoopVar> + '_ {
        (0..graph.inputs(self.0).len()).map(move |index| self.loop_var(graph, index))
    }

    /// Loop variable number `index`.
    pub fn loop_var(self, graph: &Graph, index: usize) -> LoopVar {
        let body = self.body(graph);
        LoopVar {
            index,
            input: graph.inputs(self.0)[index],
            pre: graph.arguments(body)[index],
            post: graph.results(body)[index + 1],
            output: graph.outputs(self.0)[index],
        }
    }

    /// Adds a loop variable that starts as `origin` and, until its `post` is diverted, does not change.
    pub fn add_loop_var(self, graph: &mut Graph, origin: Origin) -> LoopVar {
        let ty = graph.ty(origin);
        let body = self.body(graph);
        let input = graph.add_input(self.0, origin);
        let pre = graph.add_argument(body, ty);
        let post = graph.add_result(body, pre);
        let output = graph.add_output(self.0, ty);
        LoopVar { index: graph.inputs(self.0).len() - 1, input, pre, post, output }
    }

    /// The loop variable an argument of the body belongs to.
    pub fn loop_var_of_argument(graph: &Graph, argument: Origin) -> Option<(Theta, LoopVar)> {
        let OriginDef::Argument(region, index) = graph.def(argument) else { return None };
        let theta = Theta::new(graph, graph.parent(region)?)?;
        Some((theta, theta.loop_var(graph, index as usize)))
    }

    /// The loop variable a result of the body belongs to; `None` for the predicate.
    pub fn loop_var_of_result(graph: &Graph, result: User) -> Option<(Theta, LoopVar)> {
        let Use::Result(region, index @ 1..) = graph.site(result) else { return None };
        let theta = Theta::new(graph, graph.parent(region)?)?;
        Some((theta, theta.loop_var(graph, index as usize - 1)))
    }

    /// The loop variable an output belongs to.
    pub fn loop_var_of_output(graph: &Graph, output: Origin) -> Option<(Theta, LoopVar)> {
        let OriginDef::Output(node, index) = graph.def(output) else { return None };
        let theta = Theta::new(graph, node)?;
        Some((theta, theta.loop_var(graph, index as usize)))
    }

    /// Keeps the loop variables that `keep` accepts by index; `pre` and `output` of the others must have no users, except the `post` of a
    /// variable that is removed too.
    pub fn retain_loop_vars(self, graph: &mut Graph, mut keep: impl FnMut(usize) -> bool) {
        let kept: SmallVec<[bool; 16]> = (0..graph.inputs(self.0).len()).map(&mut keep).collect();
        if kept.iter().all(|&kept| kept) {
            return;
        }
        let body = self.body(graph);
        graph.retain_results(body, |index| index == 0 || kept[index - 1]);
        graph.retain_inputs(self.0, |index| kept[index]);
        graph.retain_arguments(body, |index| kept[index]);
        graph.retain_outputs(self.0, |index| kept[index]);
    }
}

impl LoopVar {
    /// Whether every iteration passes the variable on unchanged.
    pub fn is_invariant(self, graph: &Graph) -> bool {
        graph.origin(self.post) == self.pre
    }
}
