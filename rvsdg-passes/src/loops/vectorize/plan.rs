//! Whether a loop may execute several iterations at once, and how its parts are vectorized.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::Surroundings;
use rvsdg_analysis::copying::may_copy;
use rvsdg_analysis::dependence::{
    Access, Accesses, Addresses, Carried, Dependence, Earlier, Group, Obstacle, Pattern, Reduction, ReductionKind,
    carried, first_order, groups,
};
use rvsdg_analysis::dereferenceable::{bytes_at, may_speculate_loads};
use rvsdg_analysis::evolution::{Evolution, Repetitions};
use rvsdg_analysis::memory::Objects;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::safety::{has_states, is_speculatable};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::{Target, UnknownTarget, scalar_bits};
use rvsdg_core::fold::Int;
use rvsdg_core::graph::SourceId;
use rvsdg_core::layout::Layouts;
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin};

use super::cost;
use super::dependences::{Check, Dependences, Range, computes_much, dependences, load_again};
use super::flatten::Flat;
use super::order::order;
use crate::lanes::{Scalar, is_lanewise};
use crate::loops::unroll::full;
use crate::memory::superword;
use crate::pass::PassCx;

/// The maximum number of loads and stores in a loop: they are compared pair by pair.
pub const MAX_ACCESSES: usize = 48;
/// With at most this many iterations, a loop's values fit into registers once it is unrolled.
const FEW: u128 = 8;
/// The same if vectors would have to be put together from parts, or taken apart.
const FEW_WITH_GAPS: u128 = 16;
/// How many iterations are executed at once of a loop that may be left early: so many are executed one by one once it is left.
const MAX_BEFORE_EXIT: u64 = 32;
/// The maximum number of operations in a loop.
pub(super) const MAX_SIZE: usize = 512;

/// Why a loop stays as it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decline {
    Target(UnknownTarget),
    /// It is said that the loop is not to be vectorized.
    Hint,
    /// The trip count cannot be computed before the loop.
    Count,
    ControlFlow,
    /// A conditional load might not be dereferenceable in all iterations.
    ConditionalLoad,
    /// A load that decides about an early exit may be of no memory in iterations after it.
    LoadAfterExit,
    /// A conditional store has gaps.
    ConditionalStore,
    Effects,
    Call,
    Ordered,
    /// The range of an access cannot be computed before the loop.
    Bounds,
    /// An access has gaps.
    Stride,
    /// Iterations depend on recent ones.
    Dependence,
    /// Too many ranges would have to be compared.
    Checks,
    /// A variable depends on itself otherwise than as a reduction.
    Recurrence,
    /// An operation, type or use of a value that cannot be in lanes.
    Operation,
    Size,
    /// Its iterations one after the other are faster.
    Unrolled,
    Cost,
}

impl From<Scalar> for Decline {
    fn from(reason: Scalar) -> Decline {
        match reason {
            Scalar::Effects => Decline::Effects,
            Scalar::Call => Decline::Call,
            Scalar::Operation => Decline::Operation,
        }
    }
}

impl From<Obstacle> for Decline {
    fn from(obstacle: Obstacle) -> Decline {
        match obstacle {
            Obstacle::ControlFlow => Decline::ControlFlow,
            Obstacle::Effects => Decline::Effects,
            Obstacle::Call => Decline::Call,
            Obstacle::Ordered => Decline::Ordered,
            Obstacle::Size => Decline::Operation,
        }
    }
}

/// The vector form of a loop variable.
#[derive(Clone, Debug)]
pub(super) enum Role {
    State,
    Unchanged,
    /// A number, for the first lane; a vector variable if its lanes are needed.
    Induction {
        step: Int,
        wide: bool,
    },
    /// An address, for the first lane.
    Pointer(i64),
    /// One variable for each part.
    Reduction(Reduction),
    /// The lanes of the previous iterations.
    Recurrence,
    /// The lanes of earlier iterations, which are loaded again.
    Reloaded(Earlier),
    /// Whether an iteration leaves the loop early, which the lanes decide together: it starts as false.
    Leaves,
}

/// How a node of the body is executed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Use {
    /// Once, for the first lane or because all lanes are the same.
    pub once: bool,
    /// For all lanes.
    pub wide: bool,
}

/// How a loop is vectorized.
pub(super) struct Plan {
    pub theta: Theta,
    pub evolution: Evolution,
    pub repetitions: Repetitions,
    pub known: Option<u128>,
    /// The maximum trip count, if known.
    pub at_most: Option<u128>,
    /// By variable.
    pub roles: Vec<Role>,
    pub accesses: Accesses,
    /// The nodes to emit, each after those that it needs.
    pub order: Vec<(Node, Use)>,
    /// The variable that says whether an iteration leaves the loop early, and how many of the first nodes compute that.
    pub leaves: Option<(LoopVar, usize)>,
    /// Values that are the same in all lanes.
    pub uniform: FxHashSet<Origin>,
    /// The accesses whose addresses decrease: the last lane is the first in memory.
    pub falling: FxHashSet<Node>,
    /// For accesses with gaps, the number of bytes by which they move.
    pub strides: FxHashMap<Node, i64>,
    /// Interleaved accesses, which fill each other's gaps.
    pub groups: Vec<Group>,
    /// The group of an access that belongs to one, and its position there.
    pub group_of: FxHashMap<Node, (usize, u32)>,
    /// For each group, whether it is accessed in whole vectors rather than lane by lane.
    pub whole: Vec<bool>,
    /// Conditional loads that may be speculated, with the known alignment.
    pub speculated: Vec<(Node, u8)>,
    /// Conditional stores, with the truth values of their conditions.
    pub masks: FxHashMap<Node, Origin>,
    pub ranges: Vec<Range>,
    pub checks: Vec<Check>,
    /// The number of lanes of a vector.
    pub lanes: u32,
    /// The number of vectors for each value.
    pub parts: usize,
    /// The minimum trip count from which the new loop pays.
    pub least: u64,
}

/// The instruction that a loop's remarks refer to: its branch.
pub(crate) fn source(graph: &Graph, theta: Theta) -> Option<SourceId> {
    graph.producer(graph.origin(theta.predicate(graph))).and_then(|node| graph.source(node))
}

impl Plan {
    /// The plan for a loop without conditionals, or for a flattened [copy](Flat) of one with conditionals.
    pub(super) fn of(
        graph: &Graph,
        theta: Theta,
        flat: Option<&Flat>,
        numbers: &mut Numbering,
        objects: &Objects<'_>,
        target: Target,
        cx: &PassCx,
    ) -> Result<Plan, Decline> {
        if graph.nodes(theta.body(graph)).nth(MAX_SIZE).is_some() {
            return Err(Decline::Size);
        }
        let evolution = Evolution::of(graph, theta);
        let layouts = cx.surroundings().and_then(|surroundings| surroundings.layouts()).ok_or(Decline::Bounds)?;
        let mut addresses = Addresses::of(graph, &evolution, layouts).ok_or(Decline::Bounds)?;
        let accesses = Accesses::of(graph, theta, &mut addresses)?;
        if accesses.list().len() > MAX_ACCESSES {
            return Err(Decline::Checks);
        }
        let data = cx.surroundings().and_then(Surroundings::data_layout);
        let repetitions = evolution.repetitions(graph, data).ok_or(Decline::Count)?;
        let known = repetitions.known_iterations(graph, theta);
        // Not every access of a flattened loop is executed in every iteration.
        let objects_of = data.filter(|_| flat.is_none());
        let at_most = known.or_else(|| evolution.iterations_at_most(graph, objects_of));
        if !repetitions.is_exact(known) {
            return Err(Decline::Count);
        }
        let leaves = flat.and_then(|flat| flat.leaves).map(|index| theta.loop_var(graph, index));
        // What the trip count is computed from may not be defined if the first iteration leaves the loop.
        if leaves.is_some() && known.is_none() {
            return Err(Decline::Count);
        }
        let mut roles = roles(graph, &evolution, &addresses, leaves)?;
        let deciding = match leaves {
            Some(leaves) => deciding(graph, theta, leaves, &roles)?,
            None => FxHashSet::default(),
        };
        let speculated = match flat {
            Some(flat) => speculated(graph, flat, &deciding, accesses.list(), known, addresses.layouts(), cx)?,
            None => Vec::new(),
        };
        // A loop with stores cannot be repeated from the start, which the order of zeros may require.
        let asks_for_zeros =
            |role: &Role| matches!(role, Role::Reduction(of) if matches!(of.kind, ReductionKind::FloatChoice(_)));
        if roles.iter().any(asks_for_zeros) && accesses.list().iter().any(|access| access.writes) {
            return Err(Decline::Recurrence);
        }
        let patterns = patterns(graph, &accesses)?;
        let has_spare = addresses.layouts().data().alloca_space() == 0;
        let masks = masks(flat, &accesses, &patterns, has_spare)?;
        let marks = Marks::of(graph, theta, cx, &mut roles, &accesses, &patterns, &masks)?;
        if computes_much(graph, &marks.uses) {
            load_again(graph, numbers, objects, flat, &accesses, &mut addresses, &mut roles);
        }
        let Dependences { ranges, checks, width, forwarded } =
            dependences(graph, numbers, objects, &accesses, &masks, &deciding, &roles)?;
        // The same holds for ranges.
        if leaves.is_some() && !checks.is_empty() {
            return Err(Decline::Checks);
        }
        let steps = accesses.list().iter().zip(&patterns);
        let strides = steps.filter_map(|(access, pattern)| match *pattern {
            Pattern::Strided(step) => Some((access.node, step)),
            _ => None,
        });
        let strides: FxHashMap<Node, i64> = strides.collect();
        let has_gaps = !strides.is_empty();
        if known.is_some_and(|known| is_better_unrolled(graph, theta, known, has_gaps, accesses.list())) {
            return Err(Decline::Unrolled);
        }
        let come_together = |a: &Access, b: &Access| {
            deciding.contains(&a.node) == deciding.contains(&b.node) || seeded::is_active(Bug::VecExitGroup)
        };
        let (groups, group_of) = groups(accesses.list(), come_together, |a, b| {
            // If nothing is known of two accesses, their ranges are compared.
            let found = Accesses::dependence(graph, numbers, objects, a, b);
            matches!(found, Dependence::Independent | Dependence::Unknown)
        });
        let moving = accesses.list().iter().zip(&patterns);
        let falling =
            moving.filter(|(_, pattern)| **pattern == Pattern::Reverse).map(|(access, _)| access.node).collect();
        let mut order = order(graph, theta, &roles, &accesses, &marks.uses, &masks)?;
        order.sort_by_key(|(node, _)| !deciding.contains(node));
        let first = order.iter().take_while(|(node, _)| deciding.contains(node)).count();
        if !may_copy(graph, cx.surroundings(), theta.node()) {
            return Err(Decline::Operation);
        }
        let mut plan = Plan {
            theta,
            evolution,
            repetitions,
            known,
            at_most,
            roles,
            accesses,
            order,
            leaves: leaves.map(|leaves| (leaves, first)),
            uniform: marks.uniform,
            falling,
            strides,
            whole: vec![false; groups.len()],
            groups,
            group_of,
            speculated,
            masks,
            ranges,
            checks,
            lanes: 1,
            parts: 1,
            least: 0,
        };
        // Neighbouring elements of an iteration may be lanes instead.
        let may_save = !plan.strides.is_empty() && flat.is_none();
        let body = theta.body(graph);
        let saved = if may_save { superword::saved(graph, body, numbers, objects, target, cx) } else { 0 };
        let width = if leaves.is_some() { width.min(MAX_BEFORE_EXIT) } else { width };
        let limits = cost::Limits { width, forwarded, saved };
        let chosen = cost::choose(graph, &plan, flat, target, cx, limits).ok_or(Decline::Cost)?;
        (plan.lanes, plan.parts, plan.least) = (chosen.lanes, chosen.parts, chosen.least);
        plan.whole = chosen.whole;
        Ok(plan)
    }
}

/// Whether a loop that would be unrolled fully is faster so: what its vectors would load has often been stored just before by parts, or
/// will be loaded by parts, so that they wait for memory, whereas parts of small stack objects become values.
fn is_better_unrolled(graph: &Graph, theta: Theta, iterations: u128, has_gaps: bool, accesses: &[Access]) -> bool {
    let is_in_object = |access: &Access| {
        let address = access.address.as_ref();
        address.is_some_and(|address| address.position().is_some() && full::is_object(graph, address.root()))
    };
    let is_few = if has_gaps { iterations <= FEW_WITH_GAPS } else { iterations <= FEW };
    is_few && (has_gaps || accesses.iter().any(is_in_object)) && full::fits(graph, theta, iterations, full::MAX_FULL)
}

fn roles(
    graph: &Graph,
    evolution: &Evolution,
    addresses: &Addresses<'_>,
    leaves: Option<LoopVar>,
) -> Result<Vec<Role>, Decline> {
    let theta = evolution.theta();
    let mut others = FxHashSet::default();
    let mut roles = Vec::new();
    for variable in theta.loop_vars(graph) {
        if leaves.is_some_and(|leaves| leaves.index == variable.index) {
            roles.push(Role::Leaves);
            continue;
        }
        roles.push(match carried(graph, evolution, addresses, variable) {
            Carried::State => Role::State,
            Carried::Unchanged => Role::Unchanged,
            Carried::Induction(step) => Role::Induction { step, wide: false },
            Carried::Pointer(step) => Role::Pointer(step),
            Carried::Reduction(reduction) => {
                scalar_bits(graph.pool(), graph.ty(variable.pre)).filter(|&bits| bits > 1).ok_or(Decline::Operation)?;
                Role::Reduction(reduction)
            }
            Carried::Other => {
                scalar_bits(graph.pool(), graph.ty(variable.pre)).ok_or(Decline::Recurrence)?;
                others.insert(variable.pre);
                Role::Recurrence
            }
        });
    }
    if first_order(graph, theta, &others) { Ok(roles) } else { Err(Decline::Recurrence) }
}

/// The nodes that compute whether an iteration leaves the loop early. They are executed in iterations after one that leaves.
///
/// # Errors
/// If that depends on what earlier iterations did, or is not defined in such iterations.
fn deciding(graph: &Graph, theta: Theta, leaves: LoopVar, roles: &[Role]) -> Result<FxHashSet<Node>, Decline> {
    let mut found = FxHashSet::default();
    let mut pending = vec![graph.origin(leaves.post)];
    while let Some(origin) = pending.pop() {
        let Some(node) = graph.producer(origin) else {
            let (_, variable) = Theta::loop_var_of_argument(graph, origin).ok_or(Decline::Operation)?;
            debug_assert_eq!(graph.scope(origin), theta.body(graph));
            match roles[variable.index] {
                Role::Unchanged | Role::Induction { .. } | Role::Pointer(_) | Role::Leaves => continue,
                Role::State | Role::Reduction(_) | Role::Recurrence | Role::Reloaded(_) => {
                    return Err(Decline::Recurrence);
                }
            }
        };
        if !found.insert(node) {
            continue;
        }
        let is_load = matches!(graph.op(node), Some(Op::Load(_)));
        if !is_load && !is_speculatable(graph, node) && !seeded::is_active(Bug::VecExitDivision) {
            return Err(Decline::ControlFlow);
        }
        pending.extend(graph.input_origins(node).filter(|&input| !graph.ty(input).is_state()));
    }
    Ok(found)
}

/// The access pattern of each access.
fn patterns(graph: &Graph, accesses: &Accesses) -> Result<Vec<Pattern>, Decline> {
    let pattern = |access: &Access| {
        let address = access.address.as_ref().ok_or(Decline::Bounds)?;
        // The lanes of a vector have no gaps between them.
        let bits = scalar_bits(graph.pool(), access.ty).filter(|&bits| i64::from(bits) == 8 * access.size);
        bits.ok_or(Decline::Operation)?;
        match address.pattern(access.size) {
            known @ (Pattern::Consecutive | Pattern::Reverse) => Ok(known),
            // No two lanes overlap.
            Pattern::Strided(step) if step % access.size == 0 => Ok(Pattern::Strided(step)),
            Pattern::Uniform if !access.writes => Ok(Pattern::Uniform),
            Pattern::Uniform => Err(Decline::Dependence),
            Pattern::Strided(_) | Pattern::Unknown => Err(Decline::Stride),
        }
    };
    accesses.list().iter().map(pattern).collect()
}

/// The conditional loads that may be speculated: because every iteration accesses that memory, or because it is in an object of known
/// size from the first iteration to the last. The alignment is what the other access promises, because the load's own promises hold only
/// under its condition. Loads that decide about an early exit are made where no other access is, in iterations after it.
fn speculated(
    graph: &Graph,
    flat: &Flat,
    deciding: &FxHashSet<Node>,
    list: &[Access],
    known: Option<u128>,
    layouts: &mut Layouts,
    cx: &PassCx,
) -> Result<Vec<(Node, u8)>, Decline> {
    let mut found = Vec::new();
    let may_speculate = may_speculate_loads(graph, cx.surroundings());
    let may_not_be = |access: &&Access| deciding.contains(&access.node) || flat.conditional.contains(&access.node);
    for access in list.iter().filter(|access| !access.writes).filter(may_not_be) {
        let address = access.address.as_ref().ok_or(Decline::Bounds)?;
        let mut others = list.iter().filter(|_| !deciding.contains(&access.node));
        let twin = others.find(|other| {
            !flat.conditional.contains(&other.node)
                && other.size >= access.size
                && other.address.as_ref().is_some_and(|other| {
                    other.distance_to(address) == Some(0) && other.step().is_some() && other.step() == address.step()
                })
        });
        if let Some(Op::Load(twin) | Op::Store(twin)) = twin.and_then(|twin| graph.op(twin.node)) {
            found.push((access.node, twin.align_log2));
            continue;
        }
        let mut is_inside = || {
            may_speculate.then_some(())?;
            let (first, step) = (address.position()?, i128::from(address.step()?));
            let last = first.checked_add(step.checked_mul(i128::try_from(known?).ok()? - 1)?)?;
            let end = first.max(last).checked_add(access.size.into())?;
            let bytes = bytes_at(graph, cx.surroundings(), layouts, address.root())?;
            Some(first.min(last) >= 0 && end <= bytes.into())
        };
        if is_inside() != Some(true) && !seeded::is_active(Bug::VecBeyond) {
            return Err(if deciding.contains(&access.node) {
                Decline::LoadAfterExit
            } else {
                Decline::ConditionalLoad
            });
        }
        found.push((access.node, 0));
    }
    Ok(found)
}

/// The conditional stores, with their conditions.
fn masks(
    flat: Option<&Flat>,
    accesses: &Accesses,
    patterns: &[Pattern],
    has_spare: bool,
) -> Result<FxHashMap<Node, Origin>, Decline> {
    let mut masks = FxHashMap::default();
    let Some(flat) = flat else { return Ok(masks) };
    for (access, pattern) in accesses.list().iter().zip(patterns) {
        if access.writes && flat.conditional.contains(&access.node) {
            if !has_spare || !matches!(pattern, Pattern::Consecutive | Pattern::Reverse) {
                return Err(Decline::ConditionalStore);
            }
            masks.insert(access.node, flat.conditions[&access.node]);
        }
    }
    Ok(masks)
}

/// The required forms of each value.
pub(super) struct Marks {
    pub uses: FxHashMap<Node, Use>,
    pub uniform: FxHashSet<Origin>,
}

impl Marks {
    /// Starts from stores and next values of variables, and finds the values that they depend on.
    fn of(
        graph: &Graph,
        theta: Theta,
        cx: &PassCx,
        roles: &mut [Role],
        accesses: &Accesses,
        patterns: &[Pattern],
        masks: &FxHashMap<Node, Origin>,
    ) -> Result<Marks, Decline> {
        let uniform = uniform(graph, theta, roles, accesses, patterns);
        let mut marks = Marks { uses: Default::default(), uniform };
        let mut pending: Vec<(Origin, bool)> = Vec::new();
        for access in accesses.list().iter().filter(|access| access.writes) {
            marks.uses.insert(access.node, Use { once: false, wide: true });
            pending.extend([(graph.input(access.node, 0), true), (graph.input(access.node, 1), false)]);
            pending.extend(masks.get(&access.node).map(|&mask| (mask, true)));
        }
        for (variable, role) in theta.loop_vars(graph).zip(roles.iter()) {
            if let Role::Reduction(_) | Role::Recurrence | Role::Reloaded(_) | Role::Leaves = role {
                pending.push((graph.origin(variable.post), true));
            }
        }
        while let Some((origin, wide)) = pending.pop() {
            let wide = wide && !marks.uniform.contains(&origin);
            let Some(node) = graph.producer(origin) else {
                let (_, variable) = Theta::loop_var_of_argument(graph, origin).ok_or(Decline::Operation)?;
                match &mut roles[variable.index] {
                    Role::Unchanged => {}
                    Role::Induction { wide: lanes, .. } => {
                        scalar_bits(graph.pool(), graph.ty(origin)).ok_or(Decline::Operation)?;
                        *lanes |= wide;
                    }
                    Role::Pointer(_) if !wide => {}
                    Role::Reduction(_) | Role::Leaves if wide => {}
                    // Its next value is needed anyway.
                    Role::Recurrence | Role::Reloaded(_) if wide => {}
                    _ => return Err(Decline::Operation),
                }
                continue;
            };
            let known = marks.uses.entry(node).or_insert(Use { once: false, wide: false });
            let flag = if wide { &mut known.wide } else { &mut known.once };
            if std::mem::replace(flag, true) {
                continue;
            }
            match graph.op(node) {
                Some(Op::Load(_)) => {
                    // The first lane of a moving load is not a value from which addresses may be computed.
                    if !wide && !marks.uniform.contains(&origin) {
                        return Err(Decline::Operation);
                    }
                    pending.push((graph.input(node, 0), false));
                }
                _ if wide => {
                    is_lanewise(graph, cx.surroundings(), node)?;
                    let inputs = graph.input_origins(node);
                    let skipped = usize::from(matches!(graph.op(node), Some(Op::Call(_))));
                    pending.extend(inputs.skip(skipped).map(|input| (input, true)));
                }
                Some(op) if !matches!(op, Op::Call(_) | Op::Match(_) | Op::Ext(_)) => {
                    pending.extend(graph.input_origins(node).map(|input| (input, false)));
                }
                Some(Op::Call(_)) => return Err(Decline::Call),
                _ => return Err(Decline::Operation),
            }
        }
        Ok(marks)
    }
}

/// The values that are the same in every iteration.
fn uniform(
    graph: &Graph,
    theta: Theta,
    roles: &[Role],
    accesses: &Accesses,
    patterns: &[Pattern],
) -> FxHashSet<Origin> {
    let unchanged = theta.loop_vars(graph).zip(roles).filter(|(_, role)| matches!(role, Role::Unchanged));
    let mut uniform: FxHashSet<Origin> = unchanged.map(|(variable, _)| variable.pre).collect();
    // Whether anything stores there during the loop is a dependence like others.
    let stays: FxHashSet<Node> = accesses
        .list()
        .iter()
        .zip(patterns)
        .filter(|(_, pattern)| **pattern == Pattern::Uniform)
        .map(|(access, _)| access.node)
        .collect();
    for node in graph.topological(theta.body(graph)) {
        let same = match graph.op(node) {
            Some(Op::Load(_)) => stays.contains(&node),
            Some(Op::Call(_) | Op::Match(_) | Op::Ext(_)) | None => false,
            Some(_) => !has_states(graph, node) && graph.input_origins(node).all(|input| uniform.contains(&input)),
        };
        if same {
            uniform.extend(graph.outputs(node).iter().filter(|&&output| !graph.ty(output).is_state()));
        }
    }
    uniform
}
