//! γ-nodes: thesis definitions 1 and 2.

use smallvec::SmallVec;

use crate::graph::{Graph, Node, NodeKind, Origin, OriginDef, Region, Use, User};

/// A node known to be a γ. Input 0 is the predicate; input `i + 1` and argument `i` of each region are entry variable
/// `i`; result `i` of each region and output `i` are exit variable `i`.
///
/// The larger of two numbers:
///
/// ```
/// use rvsdg_core::build::Insert;
/// use rvsdg_core::op::IntPredicate;
/// use rvsdg_core::structural::Gamma;
/// use rvsdg_core::{Graph, Pool, Type};
///
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let [a, b, mem, io] = [Type::I32, Type::I32, Type::MEM, Type::IO].map(|ty| graph.add_argument(root, ty));
/// let mut at = Insert::end(&mut graph, root);
/// let greater = at.compare(IntPredicate::Sgt, a, b);
/// let predicate = at.decide(greater, 1);
/// let gamma = Gamma::add(&mut graph, root, predicate, 2);
/// let (first, second) = (gamma.add_entry_var(&mut graph, a), gamma.add_entry_var(&mut graph, b));
/// // Alternative 1 is for `a > b`.
/// let ends = [second.argument(&graph, gamma, 0), first.argument(&graph, gamma, 1)];
/// let max = gamma.add_exit_var(&mut graph, &ends);
/// for origin in [max.output, mem, io] {
///     graph.add_result(root, origin);
/// }
/// assert_eq!(gamma.entry_vars(&graph).len(), 2);
/// assert_eq!(Gamma::new(&graph, gamma.node()), Some(gamma));
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gamma(Node);

/// An entry variable: an input and the argument it becomes in each region.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct EntryVar {
    /// Position among the entry variables, and among each region's arguments.
    pub index: usize,
    /// The node's input.
    pub input: User,
}

/// An exit variable: an output and the result it comes from in each region.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ExitVar {
    /// Position among the outputs, and among each region's results.
    pub index: usize,
    /// The node's output.
    pub output: Origin,
}

impl Gamma {
    /// Adds a γ with `alternatives` empty regions to the end of `region`.
    pub fn add(graph: &mut Graph, region: Region, predicate: Origin, alternatives: usize) -> Gamma {
        let node = graph.add_node(region, NodeKind::Gamma, &[predicate], &[]);
        for _ in 0..alternatives {
            graph.add_region(node);
        }
        Gamma(node)
    }

    /// The node as a γ, when it is one.
    pub fn new(graph: &Graph, node: Node) -> Option<Gamma> {
        (graph.kind(node) == NodeKind::Gamma).then_some(Gamma(node))
    }

    /// The node.
    pub fn node(self) -> Node {
        self.0
    }

    /// The input that chooses the region.
    pub fn predicate(self, graph: &Graph) -> User {
        graph.inputs(self.0)[0]
    }

    /// The regions, by the predicate's value.
    pub fn regions(self, graph: &Graph) -> &[Region] {
        graph.subregions(self.0)
    }

    /// The entry variables in order.
    pub fn entry_vars(self, graph: &Graph) -> impl ExactSizeIterator<Item = EntryVar> + '_ {
        graph.inputs(self.0)[1..].iter().enumerate().map(|(index, &input)| EntryVar { index, input })
    }

    /// The argument of each region that input number `input` of the node becomes; `None` for the predicate.
    pub fn argument_index(input: usize) -> Option<usize> {
        input.checked_sub(1)
    }

    /// The exit variables in order.
    pub fn exit_vars(self, graph: &Graph) -> impl ExactSizeIterator<Item = ExitVar> + '_ {
        graph.outputs(self.0).iter().enumerate().map(|(index, &output)| ExitVar { index, output })
    }

    /// Routes `origin` into all regions.
    pub fn add_entry_var(self, graph: &mut Graph, origin: Origin) -> EntryVar {
        let ty = graph.ty(origin);
        let input = graph.add_input(self.0, origin);
        for alternative in 0..graph.subregions(self.0).len() {
            graph.add_argument(graph.subregions(self.0)[alternative], ty);
        }
        EntryVar { index: graph.inputs(self.0).len() - 2, input }
    }

    /// Routes one origin of each region, in order, out.
    pub fn add_exit_var(self, graph: &mut Graph, origins: &[Origin]) -> ExitVar {
        debug_assert_eq!(origins.len(), graph.subregions(self.0).len(), "an exit variable has one result per region");
        let output = graph.add_output(self.0, graph.ty(origins[0]));
        for (alternative, &origin) in origins.iter().enumerate() {
            graph.add_result(graph.subregions(self.0)[alternative], origin);
        }
        ExitVar { index: graph.outputs(self.0).len() - 1, output }
    }

    /// The entry variable an argument of one of the regions belongs to.
    pub fn entry_var_of_argument(graph: &Graph, argument: Origin) -> Option<(Gamma, EntryVar)> {
        let OriginDef::Argument(region, index) = graph.def(argument) else { return None };
        let gamma = Gamma::new(graph, graph.parent(region)?)?;
        let index = index as usize;
        Some((gamma, EntryVar { index, input: graph.inputs(gamma.0)[index + 1] }))
    }

    /// The exit variable a result of one of the regions belongs to.
    pub fn exit_var_of_result(graph: &Graph, result: User) -> Option<(Gamma, ExitVar)> {
        let Use::Result(region, index) = graph.site(result) else { return None };
        let gamma = Gamma::new(graph, graph.parent(region)?)?;
        let index = index as usize;
        Some((gamma, ExitVar { index, output: graph.outputs(gamma.0)[index] }))
    }

    /// Keeps the entry variables that `keep` accepts by index; the arguments of the others have no users.
    pub fn retain_entry_vars(self, graph: &mut Graph, mut keep: impl FnMut(usize) -> bool) {
        let kept: SmallVec<[bool; 16]> = (1..graph.inputs(self.0).len()).map(|input| keep(input - 1)).collect();
        if kept.iter().all(|&kept| kept) {
            return;
        }
        if graph.describes_values() {
            for index in (0..kept.len()).filter(|&index| !kept[index]) {
                let value = graph.input(self.0, index + 1);
                for alternative in 0..graph.subregions(self.0).len() {
                    graph.note_replaced(graph.arguments(graph.subregions(self.0)[alternative])[index], value);
                }
            }
        }
        graph.retain_inputs(self.0, |index| index == 0 || kept[index - 1]);
        for alternative in 0..graph.subregions(self.0).len() {
            graph.retain_arguments(graph.subregions(self.0)[alternative], |index| kept[index]);
        }
    }

    /// Keeps the exit variables that `keep` accepts by index; the outputs of the others have no users.
    pub fn retain_exit_vars(self, graph: &mut Graph, mut keep: impl FnMut(usize) -> bool) {
        let kept: SmallVec<[bool; 16]> = (0..graph.outputs(self.0).len()).map(&mut keep).collect();
        if kept.iter().all(|&kept| kept) {
            return;
        }
        graph.retain_outputs(self.0, |index| kept[index]);
        for alternative in 0..graph.subregions(self.0).len() {
            graph.retain_results(graph.subregions(self.0)[alternative], |index| kept[index]);
        }
    }
}

impl EntryVar {
    /// The argument in region number `alternative`.
    pub fn argument(self, graph: &Graph, gamma: Gamma, alternative: usize) -> Origin {
        graph.arguments(gamma.regions(graph)[alternative])[self.index]
    }
}

impl ExitVar {
    /// The result in region number `alternative`.
    pub fn result(self, graph: &Graph, gamma: Gamma, alternative: usize) -> User {
        graph.results(gamma.regions(graph)[alternative])[self.index]
    }
}
