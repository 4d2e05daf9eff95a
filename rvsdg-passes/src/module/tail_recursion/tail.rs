//! Calls in tail position: nothing is done after them, except an operation that can be accumulated before.

use rustc_hash::FxHashMap;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::fold;
use rvsdg_core::op::{FastMath, IntBinary};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Type, Use};

use super::decline::Decline;

/// How many calls of one function may become iterations.
pub(super) const MAX_CALLS: usize = 256;

/// How many steps are followed from a call to the results of the function.
const MAX_STEPS: usize = 1000;

/// The accumulation of results: an associative and commutative operation without flags.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Accumulation {
    /// The operation.
    pub(super) op: Op,
    /// The type of the operands and of the result.
    pub(super) ty: Type,
}

impl Accumulation {
    /// The accumulation of a node's operation, if it has a neutral element to start with.
    fn of(graph: &Graph, node: Node) -> Option<Accumulation> {
        let ty = graph.ty(graph.output(node, 0));
        let op = match graph.op(node)? {
            Op::IntBinary { op: IntBinary::Sub, .. } if seeded::is_active(Bug::TreDifference) => {
                return Some(Accumulation { op: Op::IntBinary { op: IntBinary::Add, flags: Default::default() }, ty });
            }
            Op::IntBinary { op, .. } => Op::IntBinary { op, flags: Default::default() },
            Op::FloatBinary { op, flags } if flags.contains(FastMath::REASSOC | FastMath::NSZ) => {
                Op::FloatBinary { op, flags: FastMath::REASSOC | FastMath::NSZ }
            }
            _ => return None,
        };
        fold::neutral_const(graph.pool(), op, ty)?;
        Some(Accumulation { op, ty })
    }
}

/// A call in tail position.
pub(super) struct TailCall {
    /// The call.
    pub(super) call: Node,
    /// The γ that the call's results pass through, and the alternatives that are executed together with the call.
    chosen: FxHashMap<Node, usize>,
    /// The operations applied to the result, with the position of the operand that the result is.
    pub(super) operations: Vec<(Node, usize)>,
}

impl TailCall {
    /// Whether two calls are mutually exclusive.
    fn excludes(&self, other: &TailCall) -> bool {
        let (fewer, more) = if self.chosen.len() < other.chosen.len() { (self, other) } else { (other, self) };
        fewer.chosen.iter().any(|(node, alternative)| more.chosen.get(node).is_some_and(|other| other != alternative))
    }

    /// Whether a node is in an alternative that is never executed together with the call.
    pub(super) fn excludes_node(&self, graph: &Graph, node: Node) -> bool {
        let mut region = graph.region_of(node);
        while let Some(parent) = graph.parent(region) {
            let position = graph.subregions(parent).iter().position(|&alternative| alternative == region);
            if self.chosen.get(&parent).is_some_and(|&chosen| position != Some(chosen)) {
                return true;
            }
            region = graph.region_of(parent);
        }
        false
    }
}

/// The calls of a body that become iterations of one loop.
#[derive(Default)]
pub(super) struct TailCalls {
    /// The calls.
    pub(super) calls: Vec<TailCall>,
    /// All operations applied to results, with the position of the operand that leads to calls.
    pub(super) operations: FxHashMap<Node, usize>,
    /// The accumulation that all of those perform.
    pub(super) accumulation: Option<Accumulation>,
}

impl TailCalls {
    /// A call in tail position that is compatible with those found so far.
    pub(super) fn find(&self, graph: &Graph, call: Node) -> Result<TailCall, Decline> {
        let mut path = Path::of(graph, call)?;
        path.follow()?;
        let found = TailCall { call, chosen: path.chosen, operations: path.operations };
        if self.calls.len() == MAX_CALLS {
            return Err(Decline::Many);
        }
        let mut accumulation = self.accumulation;
        for &(node, operand) in &found.operations {
            let own = Accumulation::of(graph, node).ok_or(Decline::Operation)?;
            let is_other = *accumulation.get_or_insert(own) != own;
            if is_other || self.operations.get(&node).is_some_and(|&known| known != operand) {
                return Err(Decline::Operation);
            }
        }
        if !self.calls.iter().all(|other| found.excludes(other)) {
            return Err(Decline::Position);
        }
        Ok(found)
    }

    /// Adds a call that was found.
    pub(super) fn take(&mut self, graph: &Graph, found: TailCall) {
        for &(node, operand) in &found.operations {
            self.operations.insert(node, operand);
            self.accumulation = Accumulation::of(graph, node);
        }
        self.calls.push(found);
    }
}

/// The paths of a call's outputs to the results of the function.
struct Path<'g> {
    graph: &'g Graph,
    chosen: FxHashMap<Node, usize>,
    /// The current value of each output, and the result that it must become.
    ways: Vec<(Origin, usize)>,
    operations: Vec<(Node, usize)>,
}

/// The next step of an output.
enum Step {
    /// It is a result of the function.
    Result(usize),
    /// It is another value.
    Origin(Origin),
    /// It is an operand of an operation.
    Operation(Node, usize),
    /// It may become known later.
    Unknown,
}

impl<'g> Path<'g> {
    fn of(graph: &'g Graph, call: Node) -> Result<Path<'g>, Decline> {
        let mut chosen = FxHashMap::default();
        let mut region = graph.region_of(call);
        while let Some(parent) = graph.parent(region) {
            if Theta::new(graph, parent).is_some() {
                return Err(Decline::Loop);
            }
            if chosen.len() == MAX_STEPS {
                return Err(Decline::Many);
            }
            let alternative = graph.subregions(parent).iter().position(|&other| other == region);
            chosen.insert(parent, alternative.expect("a region is one of its node's"));
            region = graph.region_of(parent);
        }
        if chosen.is_empty() {
            return Err(Decline::Always);
        }
        let results = graph.results(graph.root()).len();
        let ways = graph.outputs(call).iter().map(|&output| {
            let result = match graph.ty(output) {
                Type::MEM => results - 2,
                Type::IO => results - 1,
                _ => 0,
            };
            (output, result)
        });
        Ok(Path { graph, chosen, ways: ways.collect(), operations: Vec::new() })
    }

    /// Follows all outputs to the results. What one of them passes through may determine where another goes.
    fn follow(&mut self) -> Result<(), Decline> {
        let mut steps = 0;
        while !self.ways.is_empty() {
            let before = steps;
            for (mut origin, result) in std::mem::take(&mut self.ways) {
                let is_value = !self.graph.ty(origin).is_state();
                loop {
                    match self.step(origin, is_value) {
                        Step::Result(index) if index == result => break,
                        Step::Result(_) => return Err(Decline::Position),
                        Step::Origin(next) => origin = next,
                        Step::Operation(node, operand) => {
                            self.operations.push((node, operand));
                            origin = self.graph.output(node, 0);
                        }
                        Step::Unknown => {
                            self.ways.push((origin, result));
                            break;
                        }
                    }
                    steps += 1;
                    if steps == MAX_STEPS {
                        return Err(Decline::Many);
                    }
                }
            }
            if steps == before && !self.ways.is_empty() {
                return Err(Decline::Position);
            }
        }
        Ok(())
    }

    fn step(&mut self, origin: Origin, is_value: bool) -> Step {
        let graph = self.graph;
        let mut users = graph.users_of(origin);
        let (Some(user), None) = (users.next(), users.next()) else {
            let skips = is_value && seeded::is_active(Bug::TreUsed);
            return if skips { Step::Result(0) } else { Step::Unknown };
        };
        match graph.site(user) {
            Use::Result(region, index) => match graph.parent(region) {
                None => Step::Result(index as usize),
                // A region on the path is that of a γ.
                Some(gamma) => Step::Origin(graph.output(gamma, index as usize)),
            },
            Use::Input(node, index) => {
                let index = index as usize;
                if let Some(gamma) = Gamma::new(graph, node) {
                    return match (Gamma::argument_index(index), self.alternative(gamma)) {
                        (Some(argument), Some(alternative)) => {
                            self.chosen.insert(node, alternative);
                            Step::Origin(graph.arguments(gamma.regions(graph)[alternative])[argument])
                        }
                        _ => Step::Unknown,
                    };
                }
                match graph.op(node) {
                    Some(Op::IntBinary { .. } | Op::FloatBinary { .. }) if is_value => Step::Operation(node, index),
                    Some(Op::Store(_)) if !is_value && seeded::is_active(Bug::TreStore) => {
                        Step::Origin(graph.output(node, 0))
                    }
                    _ => Step::Unknown,
                }
            }
        }
    }

    /// The alternative of a γ that is executed together with the call.
    fn alternative(&self, gamma: Gamma) -> Option<usize> {
        let graph = self.graph;
        if let Some(&alternative) = self.chosen.get(&gamma.node()) {
            return Some(alternative);
        }
        let predicate = self.source(graph.origin(gamma.predicate(graph)))?;
        match graph.op(graph.producer(predicate)?)? {
            Op::CtlConst { value, .. } => Some(value as usize),
            Op::Match(table) => {
                let operand = self.source(graph.input(graph.producer(predicate)?, 0))?;
                Some(graph.pool().table(table).alternative(graph.pool(), fold::int(graph, operand)?) as usize)
            }
            _ => None,
        }
    }

    /// The operation output that a value is, when the call is executed.
    fn source(&self, mut origin: Origin) -> Option<Origin> {
        let graph = self.graph;
        for _ in 0..MAX_STEPS {
            origin = match graph.def(origin) {
                OriginDef::Output(node, index) => match Gamma::new(graph, node) {
                    Some(gamma) => {
                        let alternative = *self.chosen.get(&node)?;
                        graph.result(gamma.regions(graph)[alternative], index as usize)
                    }
                    None => return Some(origin),
                },
                OriginDef::Argument(region, index) => {
                    let gamma = Gamma::new(graph, graph.parent(region)?)?;
                    graph.input(gamma.node(), index as usize + 1)
                }
            };
        }
        None
    }
}
