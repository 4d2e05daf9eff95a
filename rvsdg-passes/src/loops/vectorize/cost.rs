//! Chooses how many lanes and parts a loop gets: as many as make an iteration cheapest.

use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::dependence::ReductionKind;
use rvsdg_analysis::target::{Target, scalar_bits};
use rvsdg_core::structural::LoopVar;
use rvsdg_core::{Graph, Node, Op, Type};

use super::flatten::Flat;
use super::plan::{Plan, Role, Use};
use crate::pass::PassCx;

/// The cost of counting and branching, once for all lanes.
const OVERHEAD: u32 = 2;
/// The cost of comparing two ranges.
const CHECK: u32 = 8;
/// The cost of a branch in the original loop, including mispredictions.
const BRANCH: u32 = 2;
/// The cost of deciding which lanes store, or whether one leaves the loop.
const DECIDING: u32 = 3;
/// If only an upper bound of the trip count is known, the new loop must have at least this many iterations by it.
const FEWEST_STEPS: u64 = 4;
/// The cost of combining one half of the lanes of a reduction with the other.
const COMBINING: u32 = 2;
/// What an unrolled iteration costs in proportion to one in a loop.
const UNROLLED: (u64, u64) = (3, 4);
/// What a loop whose trip count is known must cost with fewer parts, in proportion to its cost with more.
const FEWER: (u64, u64) = (7, 8);
/// A loop of this cost keeps a processor busy; smaller ones are interleaved up to it. LLVM's `SmallLoopCost`.
const SMALL: u32 = 20;
/// After this many vectors, stored values are in the cache.
const FORGOTTEN: u64 = 32;
/// How many values are live at once in a long body.
const LIVE: u32 = 6;

/// The chosen numbers.
pub(super) struct Choice {
    pub lanes: u32,
    pub parts: usize,
    pub least: u64,
    /// For each group of accesses, whether it is accessed in whole vectors.
    pub whole: Vec<bool>,
}

/// Limits that accesses impose, and what the loop is compared with.
pub(super) struct Limits {
    /// How many iterations may be executed at once.
    pub width: u64,
    /// The distances in iterations after which stored values are loaded again.
    pub forwarded: Vec<u64>,
    /// By how much an iteration gets cheaper by vectors of neighbouring elements.
    pub saved: u32,
}

impl Limits {
    /// Whether store-to-load forwarding of the processor works for vectors of this many lanes: a load that overlaps two recently stored
    /// vectors waits until they are in the cache.
    fn forwards(&self, lanes: u64) -> bool {
        self.forwarded.iter().all(|&distance| distance % lanes == 0 || distance / lanes >= FORGOTTEN)
    }
}

/// The number of lanes for which an iteration is cheapest, if it is cheaper than a scalar one.
pub(super) fn choose(
    graph: &Graph,
    plan: &Plan,
    flat: Option<&Flat>,
    target: Target,
    cx: &PassCx,
    limits: Limits,
) -> Option<Choice> {
    let costs = Costs { graph, plan, target, cx };
    let narrowest = costs.narrowest()?;
    let at_most = plan.at_most.map(|most| u64::try_from(most).unwrap_or(u64::MAX));
    // A count of at most this size fits the type in which it is computed.
    let fitting = 1 << plan.repetitions.bound.bits().saturating_sub(2).min(32);
    let limit = at_most.unwrap_or(u64::MAX).min(limits.width).min(fitting);
    let most = (target.register_bits / narrowest.max(8)).max(2);
    let scalar = flat.map_or_else(|| costs.of(1), |flat| costs.branching(flat));
    // Scalar loads with gaps are folded into the operations that use them.
    let worth = if plan.strides.is_empty() { scalar } else { scalar - limits.saved.max(scalar / 8).min(scalar) };
    let mut best: Option<(u32, u32)> = None;
    let mut lanes = 2;
    while lanes <= most && u64::from(lanes) <= limit {
        let cost = costs.of(lanes);
        if limits.forwards(lanes.into())
            && cost < worth * lanes
            && best.is_none_or(|(other, before)| cost * other < before * lanes)
        {
            best = Some((lanes, cost));
        }
        lanes *= 2;
    }
    let (lanes, cost) = best?;
    let mut parts = costs.parts(lanes, cost);
    // The remaining iterations are scalar; with a small upper bound of the trip count, they are a larger share.
    let fits = |parts: u32| {
        let step = u64::from(lanes * parts);
        let is_worth = |most: u64| match plan.known {
            Some(_) => most / step >= 2 || most.is_multiple_of(step),
            None => most / step >= FEWEST_STEPS,
        };
        step <= limit && at_most.is_none_or(is_worth)
    };
    while parts > 1 && !fits(parts) {
        parts /= 2;
    }
    let count = plan.known.and_then(|count| u64::try_from(count).ok());
    if let Some(count) = count {
        // Scalar iterations that are left may cost more than fewer parts.
        let total = |parts: u32| {
            let step = u64::from(lanes * parts);
            (count / step).saturating_mul((parts * cost).into()).saturating_add(count % step * u64::from(scalar))
        };
        let fewer = (0..parts.ilog2()).rev().map(|log| 1 << log).min_by_key(|&fewer| total(fewer));
        parts = fewer.filter(|&fewer| total(fewer) < total(parts) / FEWER.1 * FEWER.0).unwrap_or(parts);
    }
    let step = u64::from(lanes * parts);
    let gain = u64::from((scalar * lanes).saturating_sub(cost).max(1));
    let checks = u64::from(CHECK) * plan.checks.len() as u64;
    // A loop that may be left early has an iteration left.
    let least = step * (1 + checks.div_ceil(gain * u64::from(parts))) + u64::from(plan.leaves.is_some());
    if at_most.is_some_and(|most| most < least) || plan.known.is_none() && !fits(parts) || least > fitting {
        return None;
    }
    if let Some(count) = count.filter(|&count| count / step < FEWEST_STEPS && !count.is_multiple_of(step)) {
        let vectors = count / step * u64::from(parts * cost) + u64::from(costs.combining(lanes));
        let new = vectors + count % step * u64::from(scalar);
        // Without vectors, so few iterations are unrolled.
        if new * UNROLLED.1 > count * u64::from(worth) * UNROLLED.0 {
            return None;
        }
    }
    let whole = (0..plan.groups.len()).map(|group| costs.is_whole(group, lanes)).collect();
    Some(Choice { lanes, parts: parts as usize, least, whole })
}

struct Costs<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    target: Target,
    cx: &'a PassCx,
}

impl Costs<'_> {
    /// The width of the narrowest value in lanes.
    fn narrowest(&self) -> Option<u32> {
        let values = self.plan.order.iter().filter(|(_, used)| used.wide).flat_map(|&(node, _)| {
            let graph = self.graph;
            let stored = matches!(graph.op(node), Some(Op::Store(_))).then(|| graph.ty(graph.input(node, 0)));
            graph.outputs(node).iter().map(move |&output| graph.ty(output)).chain(stored)
        });
        values.filter_map(|ty| scalar_bits(self.graph.pool(), ty)).filter(|&bits| bits > 1).min()
    }

    /// The cost of an iteration of the new loop with one part.
    fn of(&self, lanes: u32) -> u32 {
        let nodes = self.plan.order.iter().map(|&(node, used)| self.node(node, used, lanes));
        let variables = self.plan.theta.loop_vars(self.graph).zip(&self.plan.roles);
        let carried = variables.map(|(variable, role)| match role {
            Role::Induction { wide: true, .. } => self.registers(self.graph.ty(variable.pre), lanes),
            Role::Reduction(of) if of.kind == ReductionKind::Last && lanes > 1 => {
                // The iteration numbers are counted and selected like the values.
                4 * self.registers(self.graph.ty(variable.pre), lanes)
            }
            Role::Reloaded(_) if lanes > 1 => {
                let bits = scalar_bits(self.graph.pool(), self.graph.ty(variable.pre));
                self.target.access_cost(lanes, bits.unwrap_or(64))
            }
            Role::Recurrence if lanes > 1 => 2 * self.registers(self.graph.ty(variable.pre), lanes),
            _ => 0,
        });
        let deciding = if self.plan.leaves.is_some() && lanes > 1 { DECIDING } else { 0 };
        OVERHEAD + deciding + nodes.chain(carried).sum::<u32>()
    }

    /// The cost of an iteration of the original loop with conditionals, assuming that each alternative is executed every other time.
    fn branching(&self, flat: &Flat) -> u32 {
        let mut always = OVERHEAD + BRANCH * flat.branches;
        let mut sometimes = 0;
        for &(node, used) in self.plan.order.iter().filter(|(node, _)| !flat.choices.contains(node)) {
            let part = if flat.speculated.contains(&node) { &mut sometimes } else { &mut always };
            *part += self.node(node, used, 1);
        }
        always + sometimes / 2
    }

    /// The cost of combining the lanes of reductions after the loop.
    fn combining(&self, lanes: u32) -> u32 {
        let reductions = self.plan.roles.iter().filter(|role| matches!(role, Role::Reduction(_))).count() as u32;
        reductions * (COMBINING * lanes.ilog2() + 1)
    }

    fn registers(&self, ty: Type, lanes: u32) -> u32 {
        self.target.registers_for(lanes, scalar_bits(self.graph.pool(), ty).unwrap_or(64))
    }

    fn node(&self, node: Node, used: Use, lanes: u32) -> u32 {
        let (graph, pool) = (self.graph, self.graph.pool());
        let Some(op) = graph.op(node) else { return 0 };
        let bits = |ty: Type| scalar_bits(pool, ty).unwrap_or(64);
        let uniform = |origin| self.plan.uniform.contains(&origin);
        let access = |is_wide: bool, ty| self.target.access_cost(if is_wide { lanes } else { 1 }, bits(ty));
        let falls = lanes > 1 && self.plan.falling.contains(&node);
        let turning = |ty| if falls { self.target.reversal_cost(lanes, bits(ty)) } else { 0 };
        match op {
            Op::Const(_) => 0,
            Op::Load(_) | Op::Store(_) if lanes > 1 && self.plan.strides.contains_key(&node) => {
                self.strided(node, lanes)
            }
            Op::Load(_) => {
                let value = graph.output(node, 0);
                // A value that all lanes share must be spread.
                access(!uniform(value), graph.ty(value))
                    + u32::from(uniform(value) && lanes > 1)
                    + turning(graph.ty(value))
            }
            Op::Store(_) => {
                let ty = graph.ty(graph.input(node, 0));
                let is_some = lanes > 1 && self.plan.masks.contains_key(&node);
                let some = if is_some { DECIDING + lanes + turning(ty) } else { 0 };
                access(true, ty) + turning(ty) + some
            }
            // Addresses are part of accesses.
            Op::Gep { .. } => 0,
            _ => {
                let (ty, from) = (graph.ty(graph.output(node, 0)), graph.input_origins(node).last());
                let from = from.map_or(ty, |from| graph.ty(from));
                let wide = match op {
                    _ if !used.wide => 0,
                    Op::Call(_) => match intrinsic(graph, self.cx.surroundings(), node) {
                        Some(of) => self.target.intrinsic_cost(of, lanes, bits(ty)),
                        None => 1,
                    },
                    _ => self.target.cost(pool, op, from, ty, lanes),
                };
                wide + u32::from(used.once)
            }
        }
    }

    /// The cost of an access with gaps. For a group in whole vectors, all of its cost is that of its first access.
    fn strided(&self, node: Node, lanes: u32) -> u32 {
        match self.plan.group_of.get(&node) {
            Some(&(group, _)) if self.is_whole(group, lanes) => {
                let is_first = self.plan.groups[group].members[0].0 == node;
                if is_first { self.in_whole(group, lanes) } else { 0 }
            }
            _ => self.target.one_by_one_cost(lanes, self.accessed_bits(node)),
        }
    }

    fn accessed_bits(&self, node: Node) -> u32 {
        let value = if let Some(Op::Load(_)) = self.graph.op(node) {
            self.graph.output(node, 0)
        } else {
            self.graph.input(node, 0)
        };
        scalar_bits(self.graph.pool(), self.graph.ty(value)).unwrap_or(64)
    }

    /// Whether a group is accessed in whole vectors, of which lanes are selected.
    fn is_whole(&self, group: usize, lanes: u32) -> bool {
        let members = &self.plan.groups[group].members;
        let apart = members.iter().map(|&(node, _)| self.target.one_by_one_cost(lanes, self.accessed_bits(node)));
        self.in_whole(group, lanes) <= apart.sum()
    }

    fn in_whole(&self, group: usize, lanes: u32) -> u32 {
        let group = &self.plan.groups[group];
        let bits = self.accessed_bits(group.members[0].0);
        let vectors = (group.factor * (lanes - 1) + group.span).div_ceil(lanes);
        let shuffles = if group.writes { group.factor } else { group.members.len() as u32 } * (vectors - 1);
        vectors * self.target.access_cost(lanes, bits)
            + shuffles * self.target.shuffle_cost(lanes, bits, group.factor == 2)
    }

    /// How many parts a loop of this cost gets (interleaving).
    fn parts(&self, lanes: u32, cost: u32) -> u32 {
        let variables = self.plan.theta.loop_vars(self.graph).zip(&self.plan.roles);
        let reductions = variables.filter(|(_, role)| matches!(role, Role::Reduction(_)));
        let live = |(variable, role): (LoopVar, &Role)| {
            // Including the iteration numbers.
            let times = if matches!(role, Role::Reduction(of) if of.kind == ReductionKind::Last) { 3 } else { 1 };
            times * self.registers(self.graph.ty(variable.pre), lanes)
        };
        let live: u32 = reductions.map(live).sum();
        let widest = self.plan.order.iter().filter(|(_, used)| used.wide).map(|&(node, _)| {
            let outputs = self.graph.outputs(node).iter().filter(|&&output| !self.graph.ty(output).is_state());
            outputs.map(|&output| self.registers(self.graph.ty(output), lanes)).max().unwrap_or(1)
        });
        let each = live + widest.max().unwrap_or(1) * LIVE.min(self.plan.order.len() as u32);
        let wanted = if live > 0 && cost <= 2 * SMALL {
            // Each waits for the previous operation; with several parts, fewer iterations wait.
            self.target.max_interleave.max(if lanes > 1 { 4 } else { 1 })
        } else {
            self.target.max_interleave.min(SMALL / cost.max(1))
        };
        let mut parts = 1;
        while parts * 2 <= wanted && parts * 2 * each <= 2 * self.target.registers {
            parts *= 2;
        }
        parts
    }
}
