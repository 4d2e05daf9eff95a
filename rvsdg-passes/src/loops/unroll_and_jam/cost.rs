//! Chooses how many iterations a nest executes at once: as many as make one cheapest.

use rustc_hash::FxHashMap;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::dependence::NestAccess;
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::target::{Target, scalar_bits};
use rvsdg_core::hints::Hint;
use rvsdg_core::op::FloatBinary;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};

use super::plan::{Plan, all_nodes};
use crate::loops::vectorize::is_vectorizable;
use crate::pass::PassCx;

/// How many simple operations a processor executes in a cycle.
const WIDTH: u32 = 3;
/// The size of a cache line in bytes.
const LINE: i64 = 64;
/// The cost of fetching a cache line, in simple operations.
const FETCH: u32 = 12;
/// The cost of counting and branching in each iteration of an inner loop.
const OVERHEAD: u32 = 2;
/// How many streams of addresses a processor prefetches.
const STREAMS: u32 = 8;
/// An upper bound for the cost of fetches, so that sums do not overflow.
const MAX_FETCHED: u32 = 1 << 18;
/// The unit in which costs are compared.
const SCALE: u32 = 64;

/// The chosen numbers.
pub(super) struct Choice {
    pub lanes: u32,
    pub parts: usize,
    pub least: u64,
}

/// The numbers of lanes and parts for which an iteration is cheapest, if that is cheaper than now.
pub(super) fn choose(
    graph: &Graph,
    plan: &Plan,
    numbers: &mut Numbering,
    objects: &Objects<'_>,
    target: Target,
    cx: &PassCx,
    block: u64,
) -> Option<Choice> {
    let mut costs = Costs { graph, plan, target, cx, vectors: FxHashMap::default(), accesses: FxHashMap::default() };
    costs.accesses.extend(plan.nest.accesses.iter().map(|access| (access.node, access)));
    let widest = costs.widest();
    let is_forbidden = |theta: Theta| graph.loop_hints(theta.node()).vectorize == Hint::Never;
    for inner in &plan.nest.inner {
        let lanes = target.register_bits / widest.max(8);
        let makes = !is_forbidden(inner.theta) && is_vectorizable(graph, inner.theta, numbers, objects, target, cx);
        costs.vectors.insert(inner.theta.node(), if makes { lanes } else { 1 });
    }
    let known = plan.known.map(|known| u64::try_from(known).unwrap_or(u64::MAX));
    // A count of at most this size fits the type in which it is computed.
    let fitting = 1 << plan.repetitions.bound.bits().saturating_sub(2).min(32);
    let limit = known.unwrap_or(u64::MAX).min(block).min(fitting);
    let now = costs.now();
    let mut best: Option<(u32, u32, u32)> = None;
    let vector = target.register_bits / widest.max(8);
    for lanes in [1, vector] {
        if lanes > 1 && (!plan.marks.has_vectors || is_forbidden(plan.nest.theta)) {
            continue;
        }
        for parts in [1, 2, 4, 8] {
            // Lanes cannot execute iterations one after the other.
            if lanes > 1 && !plan.ordered.is_empty() {
                continue;
            }
            if !(2..=limit).contains(&u64::from(lanes * parts)) || (lanes == 1 && vector == 1 && parts == 1) {
                continue;
            }
            let Some(cost) = costs.of(lanes, parts).map(|cost| with_rest(cost, lanes * parts, now, known)) else {
                continue;
            };
            // The gain must be a fifth.
            if cost * 5 < now * 4 && best.is_none_or(|(_, _, other)| cost < other) {
                best = Some((lanes, parts, cost));
            }
        }
    }
    let (lanes, parts, _) = best?;
    Some(Choice { lanes, parts: parts as usize, least: u64::from(lanes * parts) })
}

/// The cost of an iteration if `step` at once cost this much for each, and those that are left over cost what they cost now.
fn with_rest(cost: u32, step: u32, now: u32, known: Option<u64>) -> u32 {
    let Some(count) = known.filter(|&count| count > 0) else { return cost };
    let left = count % u64::from(step);
    let sum = u128::from(count - left) * u128::from(cost) + u128::from(left) * u128::from(now);
    u32::try_from(sum / u128::from(count)).expect("it is between the two costs")
}

struct Costs<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    target: Target,
    cx: &'a PassCx,
    /// How many iterations of each inner loop are executed at once anyway, because it will be vectorized.
    vectors: FxHashMap<Node, u32>,
    accesses: FxHashMap<Node, &'a NestAccess>,
}

impl Costs<'_> {
    fn is_wide(&self, origin: Origin) -> bool {
        self.plan.marks.wide.contains(&origin) && self.plan.nest.steps.step(origin).is_none()
    }

    fn bits(&self, ty: Type) -> u32 {
        scalar_bits(self.graph.pool(), ty).unwrap_or(64)
    }

    /// The width of the widest value in lanes.
    fn widest(&self) -> u32 {
        let nodes = self.plan.nest.inner.iter().flat_map(|inner| all_nodes(self.graph, inner.theta.body(self.graph)));
        let outputs = nodes.flat_map(|node| self.graph.outputs(node).to_vec()).filter(|&output| self.is_wide(output));
        outputs.map(|output| self.bits(self.graph.ty(output))).max().unwrap_or(64)
    }

    /// The current cost of an iteration of each inner loop.
    fn now(&self) -> u32 {
        let cost = |theta: Theta| {
            let work = OVERHEAD
                + all_nodes(self.graph, theta.body(self.graph))
                    .into_iter()
                    .map(|node| self.node(node, 1, 1))
                    .sum::<u32>();
            let fetched = self.fetched(theta, 1);
            (work.max(self.latency(theta)) + fetched) * SCALE / self.vectors[&theta.node()]
        };
        self.plan.nest.inner.iter().map(|inner| cost(inner.theta)).sum()
    }

    /// The cost of an iteration of each inner loop for one iteration of the outer loop. `None` if there are not enough registers.
    fn of(&self, lanes: u32, parts: u32) -> Option<u32> {
        let mut sum = 0;
        for inner in &self.plan.nest.inner {
            let theta = inner.theta;
            let nodes = all_nodes(self.graph, theta.body(self.graph));
            let work = OVERHEAD + nodes.iter().map(|&node| self.node(node, lanes, parts)).sum::<u32>();
            let carried = theta.loop_vars(self.graph).filter(|variable| self.is_wide(variable.pre));
            let carried: u32 = carried.map(|variable| parts * self.registers(self.graph.ty(variable.pre), lanes)).sum();
            let streams = nodes.iter().filter_map(|node| self.accesses.get(node));
            let streams = streams.filter(|access| access.step.abs() >= LINE && access.inner_step != 0).count() as u32;
            if carried + 4 > self.target.registers || streams * lanes * parts > 2 * STREAMS {
                return None;
            }
            let fetched = self.fetched(theta, lanes * parts);
            // A vectorized loop in which outer iterations are executed one after the other stays vectorized.
            let vectors = if self.plan.ordered.is_empty() { 1 } else { self.vectors[&theta.node()] };
            sum += (work.max(self.latency(theta)) + fetched) * SCALE / vectors;
        }
        Some(sum / (lanes * parts))
    }

    fn registers(&self, ty: Type, lanes: u32) -> u32 {
        self.target.registers_for(lanes, self.bits(ty))
    }

    /// The cost of fetches in an iteration of an inner loop, for `block` iterations of the outer loop.
    fn fetched(&self, theta: Theta, block: u32) -> u32 {
        let nodes = all_nodes(self.graph, theta.body(self.graph));
        let lines = nodes.iter().filter_map(|node| self.accesses.get(node)).map(|access| {
            let each = (access.inner_step.abs() * i64::from(FETCH)).min(LINE * i64::from(FETCH));
            // Different iterations share cache lines, or touch others.
            let shared = (access.step.abs() * i64::from(block - 1) + access.size + LINE - 1) / LINE;
            each * shared.clamp(1, i64::from(block))
        });
        u32::try_from(lines.sum::<i64>() / LINE).unwrap_or(u32::MAX).min(MAX_FETCHED)
    }

    /// The cost of a node, in all parts.
    fn node(&self, node: Node, lanes: u32, parts: u32) -> u32 {
        let (graph, pool) = (self.graph, self.graph.pool());
        let Some(op) = graph.op(node) else { return 0 };
        let access = |ty: Type| {
            let bits = self.bits(ty);
            let step = self.accesses.get(&node).map_or(0, |access| access.step);
            let each =
                if lanes > 1 && step != i64::from(bits / 8) { 2 * lanes } else { self.target.access_cost(lanes, bits) };
            // A value that each iteration passes to the next in one location is loaded and stored once.
            let is_once = step == 0 && self.plan.ordered.contains(&node);
            if is_once { each } else { parts * each }
        };
        let moved = self.plan.moved.contains(&node);
        match op {
            // Addresses are part of accesses.
            Op::Const(_) | Op::Gep { .. } => 0,
            Op::Load(_) | Op::Store(_) if moved && lanes * parts > 1 => 0,
            Op::Load(_) => {
                let value = graph.output(node, 0);
                if self.is_wide(value) { access(graph.ty(value)) } else { 1 + u32::from(lanes > 1) }
            }
            Op::Store(_) => access(graph.ty(graph.input(node, 0))),
            _ => {
                let Some(&output) = graph.outputs(node).first() else { return 0 };
                let (ty, from) = (graph.ty(output), graph.input_origins(node).last());
                let from = from.map_or(ty, |from| graph.ty(from));
                let each = match op {
                    Op::Call(_) => match intrinsic(graph, self.cx.surroundings(), node) {
                        Some(of) => self.target.intrinsic_cost(of, lanes, self.bits(ty)),
                        None => 1,
                    },
                    _ => self.target.cost(pool, op, from, ty, lanes),
                };
                if self.is_wide(output) { parts * each } else { 1 }
            }
        }
    }

    /// How long an iteration of an inner loop waits for the previous one, in simple operations.
    fn latency(&self, theta: Theta) -> u32 {
        let graph = self.graph;
        let variables: Vec<_> = theta.loop_vars(graph).filter(|variable| self.is_wide(variable.pre)).collect();
        let mut waits: FxHashMap<Origin, u32> = variables.iter().map(|variable| (variable.pre, 0)).collect();
        for node in graph.topological(theta.body(graph)) {
            let longest = graph.input_origins(node).filter_map(|input| waits.get(&input)).max().copied();
            let Some(longest) = longest else { continue };
            for &output in graph.outputs(node) {
                waits.insert(output, longest + self.cycles(node, output) * WIDTH);
            }
        }
        let posts = variables.iter().filter_map(|variable| waits.get(&graph.origin(variable.post)));
        posts.max().copied().unwrap_or(0)
    }

    /// The latency of an operation in cycles.
    fn cycles(&self, node: Node, output: Origin) -> u32 {
        let is_float = matches!(self.graph.pool().type_kind(self.graph.ty(output)), TypeKind::Float | TypeKind::Double);
        match self.graph.op(node) {
            Some(Op::FloatBinary { op: FloatBinary::FDiv, .. }) => 13,
            // A product and a sum, of which only the sum is on the critical path.
            Some(Op::Call(_)) if is_float => 4,
            Some(Op::FloatBinary { .. } | Op::Call(_) | Op::Cast { .. }) if is_float => 4,
            _ => 1,
        }
    }
}
