//! What remains of a loop that is unrolled fully: its iterations are simulated one after the other, as in LLVM's
//! `analyzeLoopUnrollCost`.

use rustc_hash::FxHashMap;
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::copying::size_within;
use rvsdg_analysis::execution::{Value, can_be_executed, result, start};
use rvsdg_analysis::safety::{has_states, is_speculatable};
use rvsdg_analysis::surroundings::{Context, Surroundings};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Region};

use super::full::{accesses, is_object};

/// The maximum depth of conditionals in the loop.
const MAX_DEPTH: u32 = 8;

/// What is known of a value in an iteration.
#[derive(Copy, Clone)]
enum Known {
    /// The value.
    Value(Value),
    /// It will be a constant.
    Constant,
    /// It is an address at a known distance from a stack object, or in it.
    InObject,
    /// It is such an address for a variable that never changes.
    InConstant,
}

/// How many operations of all iterations remain, not counting those that will be constant, what iterations decide not to do, addresses
/// at known distances, and accesses of known parts of stack objects; more than `limit` if there are more.
pub(super) fn remains(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    theta: Theta,
    iterations: usize,
    limit: usize,
) -> usize {
    let mut simulation = Simulation { graph, surroundings, known: FxHashMap::default(), remain: 0, limit };
    for variable in theta.loop_vars(graph) {
        let known = start(graph, variable).map(Known::Value);
        simulation.set(variable.pre, known.or_else(|| simulation.address(variable.pre)));
    }
    for _ in 0..iterations {
        if simulation.region(theta.body(graph), MAX_DEPTH).is_none() {
            return limit + 1;
        }
        let next: Vec<Option<Known>> =
            theta.loop_vars(graph).map(|variable| simulation.get(graph.origin(variable.post))).collect();
        for (variable, known) in theta.loop_vars(graph).zip(next) {
            simulation.set(variable.pre, known);
        }
    }
    simulation.remain
}

struct Simulation<'g> {
    graph: &'g Graph,
    surroundings: Option<&'g Surroundings>,
    known: FxHashMap<Origin, Known>,
    remain: usize,
    limit: usize,
}

impl Simulation<'_> {
    fn get(&self, origin: Origin) -> Option<Known> {
        self.known.get(&origin).copied()
    }

    fn set(&mut self, origin: Origin, known: Option<Known>) {
        match known {
            Some(known) => self.known.insert(origin, known),
            None => self.known.remove(&origin),
        };
    }

    fn is_constant(&self, origin: Origin) -> bool {
        matches!(self.get(origin), Some(Known::Value(_) | Known::Constant))
    }

    /// What is known of the address of an object or variable.
    fn address(&self, origin: Origin) -> Option<Known> {
        if is_object(self.graph, origin) {
            return Some(Known::InObject);
        }
        match self.surroundings?.context(argument_of_root(self.graph, origin)?)? {
            Context::Variable { constant: true, .. } => Some(Known::InConstant),
            Context::Variable { .. } | Context::Function { .. } | Context::Other => None,
        }
    }

    /// Counts the operations of a node that will not be simplified. `None` if there are too many.
    fn count(&mut self, node: Node) -> Option<()> {
        self.remain += size_within(self.graph, node, self.limit);
        for &output in self.graph.outputs(node) {
            self.set(output, None);
        }
        (self.remain <= self.limit).then_some(())
    }

    /// At most `depth` calls deep.
    fn region(&mut self, region: Region, depth: u32) -> Option<()> {
        for node in self.graph.topological(region) {
            match self.graph.kind(node) {
                NodeKind::Simple(op) => self.operation(node, op)?,
                NodeKind::Gamma => self.alternative(Gamma::new(self.graph, node)?, depth.checked_sub(1)?)?,
                _ if self.is_executed(node) => {
                    for &output in self.graph.outputs(node) {
                        self.set(output, Some(Known::Constant));
                    }
                }
                _ => self.count(node)?,
            }
        }
        Some(())
    }

    fn operation(&mut self, node: Node, op: Op) -> Option<()> {
        let graph = self.graph;
        if let Some(address) = accesses(graph, node) {
            match (self.get(address).or_else(|| self.address(address)), op) {
                (Some(Known::InObject), _) => {}
                (Some(Known::InConstant), Op::Load(_)) => self.set(graph.output(node, 0), Some(Known::Constant)),
                _ => return self.count(node),
            }
            return Some(());
        }
        let Some(&output) = graph.outputs(node).first() else { return self.count(node) };
        if let Op::Gep { .. } = op {
            if !graph.input_origins(node).skip(1).all(|index| self.is_constant(index)) {
                return self.count(node);
            }
            let base = graph.input(node, 0);
            let known = self.get(base).or_else(|| self.address(base));
            self.set(output, known);
            return Some(());
        }
        let known = if can_be_executed(op) { result(graph, node, op, |origin| self.value(origin)) } else { None };
        let is_known = || {
            (is_speculatable(graph, node) || can_be_executed(op))
                && graph.input_origins(node).all(|input| self.is_constant(input))
        };
        match known {
            Some(value) => self.set(output, Some(Known::Value(value))),
            None if is_known() => self.set(output, Some(Known::Constant)),
            None => return self.count(node),
        }
        Some(())
    }

    fn value(&self, origin: Origin) -> Option<Value> {
        match self.get(origin) {
            Some(Known::Value(value)) => Some(value),
            Some(Known::Constant | Known::InObject | Known::InConstant) | None => None,
        }
    }

    /// Continues in the alternative that an iteration chooses.
    fn alternative(&mut self, gamma: Gamma, depth: u32) -> Option<()> {
        let graph = self.graph;
        let Some(Value::Predicate { value, .. }) = self.value(graph.origin(gamma.predicate(graph))) else {
            return self.count(gamma.node());
        };
        let chosen = value as usize;
        for variable in gamma.entry_vars(graph) {
            let known = self.get(graph.origin(variable.input));
            self.set(variable.argument(graph, gamma, chosen), known);
        }
        self.region(gamma.regions(graph)[chosen], depth)?;
        for variable in gamma.exit_vars(graph) {
            let known = self.get(graph.origin(variable.result(graph, gamma, chosen)));
            self.set(variable.output, known);
        }
        Some(())
    }

    /// Whether an inner loop will be executed at compile time: it has no effects, and all that it depends on is known.
    fn is_executed(&self, node: Node) -> bool {
        let graph = self.graph;
        let is_pure = |item| match item {
            WalkItem::Node(node) => graph.op(node).is_none_or(can_be_executed),
            WalkItem::Enter(_) | WalkItem::Leave(_) => true,
        };
        !has_states(graph, node)
            && graph.input_origins(node).all(|input| self.is_constant(input))
            && graph.walk_region(graph.subregions(node)[0]).all(is_pure)
    }
}
