//! Whether the iterations of an outer loop may be executed in lockstep, and how its values are mapped to lanes.

use rustc_hash::FxHashSet;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::copying::may_copy;
use rvsdg_analysis::dependence::{MAX_BLOCK, Meeting, Nest, NestAccess, Parting};
use rvsdg_analysis::evolution::{Evolution, Repetitions};
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::safety::has_states;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::{Target, UnknownTarget, scalar_bits};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region};

use super::cost;
use crate::lanes::is_lanewise;
use crate::pass::PassCx;

/// The maximum number of loads and stores in a nest: they are compared pair by pair.
const MAX_ACCESSES: usize = 48;
/// The maximum number of pairs of areas that are compared before a nest.
const MAX_CHECKS: usize = 12;
/// The maximum number of operations in a nest.
const MAX_SIZE: usize = 512;

/// Why a nest stays as it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Decline {
    Target(UnknownTarget),
    /// The trip count of the outer loop cannot be computed before it.
    Count,
    /// Its iterations do not execute in lockstep.
    Parting(Parting),
    /// A variable of the outer loop depends on the previous iteration.
    Carried,
    /// Iterations depend on recent ones.
    Dependence,
    /// Too many ranges would have to be compared.
    Checks,
    /// An operation, type or use of a value that cannot be in lanes.
    Operation,
    Size,
    Cost,
}

/// How a nest is jammed.
pub(super) struct Plan {
    pub nest: Nest,
    pub evolution: Evolution,
    pub repetitions: Repetitions,
    pub known: Option<u128>,
    pub marks: Marks,
    /// Invariant accesses of inner loops: loads that are hoisted, and stores that are sunk.
    pub moved: FxHashSet<Node>,
    /// Accesses of inner loops that iterations of the outer loop make one after another, in each iteration of the inner one; none in
    /// lockstep.
    pub ordered: FxHashSet<Node>,
    /// Accesses whose areas must be disjoint from those of others.
    pub checks: Vec<[Vec<usize>; 2]>,
    /// The number of lanes of a vector; one for scalars.
    pub lanes: u32,
    /// The number of vectors for each value.
    pub parts: usize,
    /// The minimum trip count from which the new loop pays.
    pub least: u64,
}

impl Plan {
    pub(super) fn of(
        graph: &Graph,
        theta: Theta,
        numbers: &mut Numbering,
        objects: &Objects<'_>,
        target: Target,
        cx: &PassCx,
    ) -> Result<Plan, Decline> {
        let surroundings = cx.surroundings().ok_or(Decline::Target(UnknownTarget::NoTriple))?;
        if graph.walk_region(theta.body(graph)).nth(2 * MAX_SIZE).is_some() {
            return Err(Decline::Size);
        }
        let evolution = Evolution::of(graph, theta);
        let repetitions = evolution.repetitions(graph, surroundings.data_layout()).ok_or(Decline::Count)?;
        let known = repetitions.known_iterations(graph, theta);
        if !repetitions.is_exact(known) {
            return Err(Decline::Count);
        }
        let mut nest = Nest::of(graph, &evolution, surroundings, &FxHashSet::default()).map_err(Decline::Parting)?;
        if nest.inner.iter().any(|inner| !inner.repetitions.is_exact(inner.known)) {
            return Err(Decline::Parting(Parting::Count));
        }
        if nest.accesses.len() > MAX_ACCESSES {
            return Err(Decline::Checks);
        }
        let Meetings { lockstep, sequence, checks, moved, mut ordered } = meetings(graph, &nest, numbers, objects)?;
        let mut block = lockstep;
        if lockstep >= 2 {
            ordered.clear();
        } else if sequence >= 2 && nest.inner.iter().all(|inner| is_flat(graph, inner.theta)) {
            block = sequence;
            let changing = if seeded::is_active(Bug::JamStale) { FxHashSet::default() } else { ordered.clone() };
            nest = Nest::of(graph, &evolution, surroundings, &changing).map_err(Decline::Parting)?;
        } else {
            return Err(Decline::Dependence);
        }
        let carries = |&variable: &rvsdg_core::structural::LoopVar| {
            !graph.ty(variable.pre).is_state() && nest.steps.step(variable.pre).is_none()
        };
        if theta.loop_vars(graph).any(|variable| carries(&variable)) {
            return Err(Decline::Carried);
        }
        let marks = Marks::of(graph, &nest, cx)?;
        if !may_copy(graph, cx.surroundings(), theta.node()) {
            return Err(Decline::Operation);
        }
        let mut plan =
            Plan { nest, evolution, repetitions, known, marks, moved, ordered, checks, lanes: 1, parts: 1, least: 0 };
        let chosen = cost::choose(graph, &plan, numbers, objects, target, cx, block).ok_or(Decline::Cost)?;
        (plan.lanes, plan.parts, plan.least) = (chosen.lanes, chosen.parts, chosen.least);
        Ok(plan)
    }
}

/// The requirements of the accesses of a nest.
struct Meetings {
    /// How many iterations may be executed at once in lockstep.
    lockstep: u64,
    /// How many iterations may be executed at once if each iteration of the inner loops executes them one after another.
    sequence: u64,
    checks: Vec<[Vec<usize>; 2]>,
    moved: FxHashSet<Node>,
    /// Accesses of inner loops that overlap others.
    ordered: FxHashSet<Node>,
}

/// Whether an innermost loop consists of operations only.
fn is_flat(graph: &Graph, theta: Theta) -> bool {
    graph.nodes(theta.body(graph)).all(|node| graph.op(node).is_some())
}

fn meetings(graph: &Graph, nest: &Nest, numbers: &mut Numbering, objects: &Objects<'_>) -> Result<Meetings, Decline> {
    let list = &nest.accesses;
    let (mut lockstep, mut sequence) = (MAX_BLOCK, MAX_BLOCK);
    let mut ordered: FxHashSet<Node> = FxHashSet::default();
    let mut checks: Vec<[Vec<usize>; 2]> = Vec::new();
    // An access that overlaps another in its loop is neither hoisted nor sunk.
    let mut stays: FxHashSet<Node> = FxHashSet::default();
    for (index, a) in list.iter().enumerate() {
        for (position, b) in list.iter().enumerate().skip(index).filter(|(_, b)| a.writes || b.writes) {
            match nest.meeting(graph, numbers, objects, a, b) {
                Meeting::Never => {}
                Meeting::After { lockstep: apart, sequence: order } => {
                    if !seeded::is_active(Bug::JamDistance) {
                        lockstep = lockstep.min(apart);
                    }
                    sequence = sequence.min(order);
                    if a.inner == b.inner {
                        ordered.extend([a.node, b.node]);
                        if index != position {
                            stays.extend([a.node, b.node]);
                        }
                    }
                }
                Meeting::Unknown if index == position || a.is_at(b) => return Err(Decline::Dependence),
                Meeting::Unknown => {
                    // Accesses from the same pointer are compared one by one, others by the whole area of their pointer.
                    let is_one = a.root == b.root;
                    let fits = |&(x, y): &(usize, usize)| {
                        let of = |one: usize, other: &NestAccess| {
                            if is_one { list[one].is_at(other) } else { list[one].root == other.root }
                        };
                        of(x, a) && of(y, b) || of(x, b) && of(y, a)
                    };
                    let known = checks.iter_mut().find(|[x, y]| fits(&(x[0], y[0])));
                    match known {
                        _ if seeded::is_active(Bug::JamOverlap) => {}
                        Some([x, y]) if !is_one => {
                            let (of_a, of_b) = if list[x[0]].root == a.root { (x, y) } else { (y, x) };
                            add(list, of_a, index);
                            add(list, of_b, position);
                        }
                        Some(_) => {}
                        None => checks.push([vec![index], vec![position]]),
                    }
                }
            }
        }
    }
    if checks.len() > MAX_CHECKS {
        return Err(Decline::Checks);
    }
    let moves = |access: &&NestAccess| {
        let Some(inner) = access.inner.filter(|_| access.inner_step == 0 && !stays.contains(&access.node)) else {
            return false;
        };
        let theta = nest.inner[inner].theta;
        let address = graph.input(access.node, usize::from(access.writes));
        graph.region_of(access.node) == theta.body(graph)
            && Theta::loop_var_of_argument(graph, address)
                .is_some_and(|(of, variable)| of == theta && variable.is_invariant(graph))
    };
    let moved = list.iter().filter(moves).map(|access| access.node).collect();
    ordered.retain(|node| list.iter().any(|access| access.node == *node && access.inner.is_some()));
    Ok(Meetings { lockstep, sequence, checks, moved, ordered })
}

/// Adds an access to those of an area, unless one of them covers the same memory.
fn add(list: &[NestAccess], area: &mut Vec<usize>, index: usize) {
    if !area.iter().any(|&other| list[other].is_at(&list[index])) {
        area.push(index);
    }
}

/// The required forms of each value.
pub(super) struct Marks {
    /// Values for the first lane, or for all.
    pub once: FxHashSet<Origin>,
    /// Values in lanes.
    pub wide: FxHashSet<Origin>,
    /// Conditionals and loops that are needed.
    pub needed: FxHashSet<Node>,
    /// Whether all values in lanes can be vectors.
    pub has_vectors: bool,
}

impl Marks {
    /// Starts from stores and predicates, and finds the values that they depend on.
    fn of(graph: &Graph, nest: &Nest, cx: &PassCx) -> Result<Marks, Decline> {
        let mut marks = Marks {
            once: FxHashSet::default(),
            wide: FxHashSet::default(),
            needed: FxHashSet::from_iter([nest.theta.node()]),
            has_vectors: true,
        };
        let mut pending: Vec<(Origin, bool)> = Vec::new();
        for item in graph.walk_region(nest.theta.body(graph)) {
            let WalkItem::Node(node) = item else { continue };
            if let Some(Op::Store(_)) = graph.op(node) {
                pending.extend([(graph.input(node, 0), true), (graph.input(node, 1), false)]);
            } else if graph.op(node).is_none() && has_states(graph, node) {
                marks.need(graph, node, &mut pending);
            }
        }
        while let Some((origin, wide)) = pending.pop() {
            if graph.ty(origin).is_state() {
                continue;
            }
            let moves = nest.steps.step(origin).is_some();
            if !wide && !moves {
                return Err(Decline::Operation);
            }
            if !if wide { &mut marks.wide } else { &mut marks.once }.insert(origin) {
                continue;
            }
            if wide {
                marks.has_vectors &= scalar_bits(graph.pool(), graph.ty(origin)).is_some();
            }
            if let Some(node) = graph.producer(origin) {
                if wide && moves {
                    pending.push((origin, false));
                } else {
                    marks.output(graph, cx, (node, origin, wide), &mut pending)?;
                }
            } else if let Some((_, entry)) = Gamma::entry_var_of_argument(graph, origin) {
                pending.push((graph.origin(entry.input), wide));
            } else if let Some((theta, variable)) = Theta::loop_var_of_argument(graph, origin) {
                if theta == nest.theta || wide && moves && !variable.is_invariant(graph) {
                    pending.extend(wide.then_some((origin, false)));
                } else {
                    pending.extend([(graph.origin(variable.input), wide), (graph.origin(variable.post), wide)]);
                    marks.need(graph, theta.node(), &mut pending);
                }
            } else {
                return Err(Decline::Operation);
            }
        }
        Ok(marks)
    }

    /// Marks the operands of an output.
    fn output(
        &mut self,
        graph: &Graph,
        cx: &PassCx,
        (node, origin, wide): (Node, Origin, bool),
        pending: &mut Vec<(Origin, bool)>,
    ) -> Result<(), Decline> {
        if let Some(gamma) = Gamma::new(graph, node) {
            self.need(graph, node, pending);
            let exit = gamma.exit_vars(graph).find(|exit| exit.output == origin).ok_or(Decline::Operation)?;
            for alternative in 0..gamma.regions(graph).len() {
                pending.push((graph.origin(exit.result(graph, gamma, alternative)), wide));
            }
            return Ok(());
        }
        if let Some((_, variable)) = Theta::loop_var_of_output(graph, origin) {
            self.need(graph, node, pending);
            pending.push((variable.pre, wide));
            return Ok(());
        }
        let inputs = graph.input_origins(node);
        match graph.op(node) {
            Some(Op::Load(_)) => pending.push((graph.input(node, 0), false)),
            _ if has_states(graph, node) => return Err(Decline::Operation),
            Some(Op::Call(_)) => {
                intrinsic(graph, cx.surroundings(), node).ok_or(Decline::Operation)?;
                self.has_vectors &= !wide || is_lanewise(graph, cx.surroundings(), node).is_ok();
                pending.push((graph.input(node, 0), false));
                pending.extend(inputs.skip(1).map(|input| (input, wide)));
            }
            Some(Op::Ext(_)) | None => return Err(Decline::Operation),
            Some(Op::Match(_) | Op::CtlConst { .. }) if wide => return Err(Decline::Operation),
            Some(_) => {
                self.has_vectors &= !wide || is_lanewise(graph, cx.surroundings(), node).is_ok();
                pending.extend(inputs.map(|input| (input, wide)));
            }
        }
        Ok(())
    }

    /// Marks a conditional or a loop.
    fn need(&mut self, graph: &Graph, node: Node, pending: &mut Vec<(Origin, bool)>) {
        let mut at = Some(node);
        while let Some(node) = at.filter(|&node| self.needed.insert(node)) {
            if let Some(gamma) = Gamma::new(graph, node) {
                pending.push((graph.origin(gamma.predicate(graph)), false));
            } else if let Some(theta) = Theta::new(graph, node) {
                pending.push((graph.origin(theta.predicate(graph)), false));
            }
            // A node in a region needs the node that owns the region.
            at = graph.parent(graph.region_of(node));
        }
    }
}

/// All nodes of a region, including nested ones.
pub(super) fn all_nodes(graph: &Graph, region: Region) -> Vec<Node> {
    let node = |item| if let WalkItem::Node(node) = item { Some(node) } else { None };
    graph.walk_region(region).filter_map(node).collect()
}
