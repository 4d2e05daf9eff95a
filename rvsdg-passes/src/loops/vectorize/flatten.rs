//! If-conversion of loops on a copy: it executes all alternatives in every iteration and selects among their results. The copy is made
//! for analysis and as the template for vectors; it is never executed.
//!
//! The accesses of alternatives follow each other in the copy, which keeps what is known of their order. Stores to one address at the end
//! of all alternatives become one store of the selected value. All other accesses of an alternative are [conditional](Flat::conditional):
//! the plan decides whether every iteration may make them. Of a loop that may be left early, the copy is one that [is not](early).

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::op::{BinaryFlags, CastFlags, GepFlags, IntBinary, IntPredicate, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Motion, Node, NodeKind, Op, Origin, Region, Type};

use super::early;
use super::plan::{Decline, MAX_SIZE};
use crate::lanes::is_lanewise;
use crate::pass::PassCx;

/// How many values may be selected from for a conditional.
const MAX_CASES: usize = 8;
/// The depth to which two addresses are compared.
const DEPTH: u32 = 4;

/// A loop without its conditionals.
pub(crate) struct Flat {
    /// The copy, beside the loop.
    pub theta: Theta,
    /// The loads and stores that are conditional in the loop.
    pub conditional: FxHashSet<Node>,
    /// For each store among them, a truth value of the copy that says whether an iteration makes it. It is not poison unless the loop is
    /// undefined, because the loop branches on it.
    pub conditions: FxHashMap<Node, Origin>,
    /// The nodes that are conditional in the loop.
    pub speculated: FxHashSet<Node>,
    /// The selects among alternatives.
    pub choices: FxHashSet<Node>,
    /// How many conditionals there were.
    pub branches: u32,
    /// The copy's own variable that says whether an iteration leaves the loop early, if any may.
    pub leaves: Option<usize>,
}

impl Flat {
    /// The copy of a loop, if all of its conditionals can be flattened and the trip count without early exits can be computed.
    pub(crate) fn of(
        graph: &mut Graph,
        theta: Theta,
        duplicator: &mut Duplicator,
        cx: &PassCx,
    ) -> Result<Flat, Decline> {
        let is_left_early = early::is_left_early(graph, theta);
        if nodes_in(graph, theta.body(graph)).nth(MAX_SIZE).is_some() {
            return Err(Decline::ControlFlow);
        }
        if !is_left_early {
            check(graph, theta, cx)?;
        }
        duplicator.begin();
        let copy = duplicator.copy_nodes(graph, &[theta.node()], graph.region_of(theta.node()))[0];
        graph.move_before(copy, theta.node());
        let theta = Theta::new(graph, copy).expect("the copy of a loop is a loop");
        let mut flat = Flat {
            theta,
            conditional: FxHashSet::default(),
            conditions: FxHashMap::default(),
            speculated: FxHashSet::default(),
            choices: FxHashSet::default(),
            branches: 0,
            leaves: None,
        };
        if is_left_early {
            let stays = early::stay(graph, theta);
            (flat.leaves, flat.branches) = stays.map_or((None, 0), |(leaves, exits)| (Some(leaves), exits));
            if let Err(reason) = stays.ok_or(Decline::ControlFlow).and_then(|_| check(graph, theta, cx)) {
                flat.remove(graph);
                return Err(reason);
            }
        }
        let known: FxHashSet<Node> = nodes_in(graph, theta.body(graph)).collect();
        // Inner ones are opened first.
        let gammas: Vec<Gamma> =
            nodes_in(graph, theta.body(graph)).filter_map(|node| Gamma::new(graph, node)).collect();
        for gamma in gammas.into_iter().rev() {
            flat.branches += 1;
            flat.open(graph, gamma);
        }
        let added = graph.nodes(theta.body(graph)).filter(|node| !known.contains(node));
        flat.choices = added.filter(|&node| !matches!(graph.op(node), Some(Op::Store(_)))).collect();
        Ok(flat)
    }

    fn replace_condition(&mut self, old: Origin, new: Origin) {
        self.conditions.values_mut().filter(|holds| **holds == old).for_each(|holds| *holds = new);
    }

    /// Removes the copy.
    pub(crate) fn remove(self, graph: &mut Graph) {
        let start = self.leaves.and_then(|leaves| graph.producer(graph.input(self.theta.node(), leaves)));
        graph.remove(self.theta.node());
        if let Some(start) = start.filter(|&start| !graph.has_users(graph.output(start, 0))) {
            graph.remove(start);
        }
    }

    /// Moves the contents of a conditional before it, and selects among the results of its alternatives.
    fn open(&mut self, graph: &mut Graph, gamma: Gamma) {
        let node = gamma.node();
        let regions: Vec<Region> = gamma.regions(graph).to_vec();
        let orders: Vec<Vec<Node>> = regions.iter().map(|&region| graph.topological(region)).collect();
        let decision = graph.producer(graph.origin(gamma.predicate(graph))).expect("a match decides");
        let choice = Choice::of(graph, decision);
        let mut memory = None;
        for index in 1..graph.inputs(node).len() {
            let input = graph.input(node, index);
            if graph.ty(input) == Type::MEM {
                memory = Some(input);
                continue;
            }
            for &region in &regions {
                let argument = graph.arguments(region)[index - 1];
                graph.divert_users(argument, input);
                self.replace_condition(argument, input);
            }
        }
        let state = graph.outputs(node).iter().position(|&output| graph.ty(output) == Type::MEM);
        let ends = state.map_or_else(Vec::new, |state| common_stores(graph, &regions, state, &self.conditional));
        for (alternative, (&region, order)) in regions.iter().zip(orders).enumerate() {
            let mut holds = None;
            if let Some(memory) = &mut memory {
                let start = graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == Type::MEM);
                graph.divert_users(start.expect("it enters all alternatives"), *memory);
                *memory = state.map_or(*memory, |state| graph.result(region, state));
            }
            for inner in order {
                if matches!(graph.op(inner), Some(Op::Match(_) | Op::CtlConst { .. }))
                    || ends.iter().any(|end| end.contains(&inner))
                {
                    continue;
                }
                graph.move_before(inner, node);
                graph.set_moved(inner, Motion::Speculated);
                self.speculated.insert(inner);
                if let Some(Op::Load(_) | Op::Store(_)) = graph.op(inner) {
                    self.conditional.insert(inner);
                }
                if let Some(Op::Store(_)) = graph.op(inner) {
                    let holds = *holds.get_or_insert_with(|| choice.holds(graph, node, alternative));
                    let holds = match self.conditions.get(&inner) {
                        Some(&within) if seeded::is_active(Bug::VecAround) => within,
                        // A condition inside may be poison if this alternative is not executed.
                        Some(&within) => {
                            let mut at = Insert::before(graph, node);
                            let no = at.int(Type::I1, 0);
                            at.select(holds, within, no)
                        }
                        None => holds,
                    };
                    self.conditions.insert(inner, holds);
                }
            }
        }
        for end in ends {
            let values: Vec<Origin> = end.iter().map(|&store| graph.input(store, 0)).collect();
            let address = graph.input(end[0], 1);
            let access = end.iter().filter_map(|&store| access(graph, store)).reduce(weaker);
            let before = memory.expect("what is stored is in memory");
            let value = choice.make(graph, node, &values);
            let op = Op::Store(access.expect("these are stores"));
            let store = Insert::before(graph, node).node(op, &[value, address, before], &[Type::MEM]);
            memory = Some(graph.output(store, 0));
        }
        for index in 0..graph.outputs(node).len() {
            let output = graph.output(node, index);
            let values: Vec<Origin> = regions.iter().map(|&region| graph.result(region, index)).collect();
            let value = match memory {
                Some(memory) if Some(index) == state => memory,
                _ if graph.ty(output).is_state() => values[0],
                _ if !graph.has_users(output) => continue,
                _ => choice.make(graph, node, &values),
            };
            graph.divert_users(output, value);
            self.replace_condition(output, value);
        }
        for &region in &regions {
            graph.retain_results(region, |_| false);
            // Stores that were merged, and predicates.
            let rest: Vec<Node> = graph.nodes(region).collect();
            for &inner in rest.iter().rev() {
                graph.remove(inner);
            }
        }
        graph.remove(node);
    }
}

/// Turns a load of the copy into one that may be executed in every iteration.
pub(super) fn make_unconditional(graph: &mut Graph, load: Node, align_log2: u8) {
    let Some(Op::Load(access)) = graph.op(load) else { return };
    graph.set_op(load, Op::Load(MemAccess { align_log2: align_log2.min(access.align_log2), tag: None, ..access }));
    keep_no_promises(graph, graph.input(load, 0));
}

/// Removes the flags of an address of the copy that may be violated if its condition does not hold.
pub(super) fn keep_no_promises(graph: &mut Graph, address: Origin) {
    if seeded::is_active(Bug::VecPromises) {
        return;
    }
    let mut pending = vec![address];
    let mut seen: FxHashSet<Origin> = FxHashSet::default();
    while let Some(origin) = pending.pop() {
        if !seen.insert(origin) {
            continue;
        }
        let Some(node) = graph.producer(origin) else {
            pending.extend(Theta::loop_var_of_argument(graph, origin).map(|(_, variable)| graph.origin(variable.post)));
            continue;
        };
        let op = match graph.op(node) {
            Some(Op::IntBinary { op, .. }) => Op::IntBinary { op, flags: BinaryFlags::NONE },
            Some(Op::Gep { source, .. }) => Op::Gep { source, flags: GepFlags::NONE },
            Some(Op::Cast { op, .. }) => Op::Cast { op, flags: CastFlags::default() },
            Some(op @ Op::Select(_)) => op,
            _ => continue,
        };
        graph.set_op(node, op);
        pending.extend(graph.input_origins(node));
    }
}

/// The conditions of the alternatives between which a `match` decides.
pub(super) struct Choice {
    /// All alternatives but one, each with the truth value by which it is chosen.
    questions: Vec<(usize, Origin)>,
    otherwise: usize,
}

impl Choice {
    /// Computes the truth values before the `match`.
    pub(super) fn of(graph: &mut Graph, decision: Node) -> Choice {
        let Some(Op::Match(table)) = graph.op(decision) else { unreachable!("a match decides") };
        let pool = graph.pool().clone();
        let (table, value) = (pool.table(table), graph.input(decision, 0));
        if graph.ty(value) == Type::I1 {
            let [no, yes] = [0, 1].map(|truth| table.alternative(&pool, rvsdg_core::fold::Int::new(1, truth)) as usize);
            let questions = if yes == no { Vec::new() } else { vec![(yes, value)] };
            return Choice { questions, otherwise: no };
        }
        let mut questions: Vec<(usize, Origin)> = Vec::new();
        for &(case, alternative) in &table.cases {
            if alternative == table.default {
                continue;
            }
            let mut at = Insert::before(graph, decision);
            let case = at.constant(case);
            let is_it = at.compare(IntPredicate::Eq, value, case);
            match questions.iter_mut().find(|(other, _)| *other == alternative as usize) {
                Some((_, any)) => *any = at.binary(IntBinary::Or, *any, is_it),
                None => questions.push((alternative as usize, is_it)),
            }
        }
        Choice { questions, otherwise: table.default as usize }
    }

    /// Computes, before a node, whether an alternative is chosen.
    pub(super) fn holds(&self, graph: &mut Graph, before: Node, alternative: usize) -> Origin {
        let mut at = Insert::before(graph, before);
        let mut questions = self.questions.iter();
        let holds = if alternative == self.otherwise {
            let any = questions.map(|&(_, question)| question).reduce(|a, b| at.binary(IntBinary::Or, a, b));
            any.map(|any| at.not(any))
        } else {
            questions.find(|(other, _)| *other == alternative).map(|&(_, question)| question)
        };
        holds.unwrap_or_else(|| at.int(Type::I1, u64::from(alternative == self.otherwise)))
    }

    /// Selects one of several values, by alternative, before a node.
    fn make(&self, graph: &mut Graph, before: Node, values: &[Origin]) -> Origin {
        let mut chosen = values[self.otherwise];
        for &(alternative, question) in &self.questions {
            let value = values[alternative];
            if value == chosen || is_poison(graph, value) {
                continue;
            }
            // Any value may replace poison.
            chosen = if is_poison(graph, chosen) {
                value
            } else {
                Insert::before(graph, before).select(question, value, chosen)
            };
        }
        chosen
    }
}

fn is_poison(graph: &Graph, origin: Origin) -> bool {
    let Some(Op::Const(constant)) = graph.producer(origin).and_then(|node| graph.op(node)) else { return false };
    matches!(graph.pool().constant(constant), Constant::Poison(_))
}

fn nodes_in(graph: &Graph, region: Region) -> impl Iterator<Item = Node> + '_ {
    graph.walk_region(region).filter_map(|item| match item {
        WalkItem::Node(node) => Some(node),
        WalkItem::Enter(_) | WalkItem::Leave(_) => None,
    })
}

/// Whether all conditionals of a loop only choose between values and accesses, and its trip count can be computed.
fn check(graph: &Graph, theta: Theta, cx: &PassCx) -> Result<(), Decline> {
    if !is_flattenable(graph, theta, cx) {
        return Err(Decline::ControlFlow);
    }
    let layout = cx.surroundings().and_then(|known| known.data_layout());
    Evolution::of(graph, theta).repetitions(graph, layout).map(|_| ()).ok_or(Decline::Count)
}

/// Whether all conditionals of a loop only choose between values and accesses.
fn is_flattenable(graph: &Graph, theta: Theta, cx: &PassCx) -> bool {
    let body = theta.body(graph);
    nodes_in(graph, body).all(|node| match graph.kind(node) {
        NodeKind::Gamma => Gamma::new(graph, node).is_some_and(|gamma| chooses(graph, gamma)),
        NodeKind::Simple(_) if graph.region_of(node) == body => true,
        NodeKind::Simple(Op::Load(access) | Op::Store(access)) => access.is_plain(),
        NodeKind::Simple(Op::Match(_) | Op::CtlConst { .. }) => true,
        NodeKind::Simple(Op::Call(_)) => is_lanewise(graph, cx.surroundings(), node).is_ok(),
        NodeKind::Simple(_) => is_speculatable(graph, node),
        _ => false,
    })
}

/// Whether a conditional's predicate comes from an integer and its results can be selected in lanes.
fn chooses(graph: &Graph, gamma: Gamma) -> bool {
    let decision = graph.producer(graph.origin(gamma.predicate(graph))).and_then(|node| graph.op(node));
    let Some(Op::Match(table)) = decision else { return false };
    let regions = gamma.regions(graph);
    let mut states = 0;
    let gives = |exit: rvsdg_core::structural::ExitVar| {
        let ty = graph.ty(exit.output);
        if ty == Type::MEM {
            states += 1;
            return states == 1;
        }
        if ty.is_state() {
            let enters = |&region: &Region| {
                let result = graph.result(region, exit.index);
                let place = graph.arguments(region).iter().position(|&argument| argument == result)?;
                Some(graph.input(gamma.node(), place + 1))
            };
            let first = enters(&regions[0]);
            return first.is_some() && regions.iter().all(|region| enters(region) == first);
        }
        !graph.has_users(exit.output) || scalar_bits(graph.pool(), ty).is_some()
    };
    graph.pool().table(table).cases.len() <= MAX_CASES && gamma.exit_vars(graph).all(gives)
}

/// The stores at the end of all alternatives that are to one address each, in order; they are removed from the memory states of the
/// alternatives.
fn common_stores(graph: &mut Graph, regions: &[Region], state: usize, conditional: &FxHashSet<Node>) -> Vec<Vec<Node>> {
    let mut ends: Vec<Vec<Node>> = Vec::new();
    loop {
        let last = |&region: &Region| {
            let result = graph.result(region, state);
            let node = graph.producer(result).filter(|_| graph.has_one_user(result))?;
            // A store that only some of the iterations in an alternative make is not common to all.
            let always = !conditional.contains(&node) || seeded::is_active(Bug::VecMergedSome);
            (always && matches!(graph.op(node), Some(Op::Store(_)))).then_some(node)
        };
        let Some(stores) = regions.iter().map(last).collect::<Option<Vec<Node>>>() else { break };
        let first = stores[0];
        let same = stores[1..].iter().all(|&store| {
            let [a, b] = [first, store].map(|store| graph.input(store, 0));
            let is_there = seeded::is_active(Bug::VecMerged)
                || is_same(graph, graph.input(first, 1), graph.input(store, 1), DEPTH);
            graph.ty(a) == graph.ty(b) && is_there
        });
        if !same {
            break;
        }
        for (&region, &store) in regions.iter().zip(&stores) {
            let before = graph.input(store, 2);
            graph.divert(graph.results(region)[state], before);
        }
        ends.push(stores);
    }
    ends.reverse();
    ends
}

/// Whether two values are equal expressions of equal values. At most `DEPTH` calls deep.
fn is_same(graph: &Graph, a: Origin, b: Origin, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(first), Some(second)) = (graph.producer(a), graph.producer(b)) else { return false };
    let (of, other) = (graph.op(first), graph.op(second));
    depth > 0
        && of == other
        && matches!(of, Some(Op::Const(_) | Op::Gep { .. } | Op::IntBinary { .. } | Op::Cast { .. }))
        && graph.inputs(first).len() == graph.inputs(second).len()
        && graph.input_origins(first).zip(graph.input_origins(second)).all(|(a, b)| is_same(graph, a, b, depth - 1))
}

fn access(graph: &Graph, node: Node) -> Option<MemAccess> {
    match graph.op(node) {
        Some(Op::Load(access) | Op::Store(access)) => Some(access),
        _ => None,
    }
}

/// The properties that both of two accesses have.
fn weaker(a: MemAccess, b: MemAccess) -> MemAccess {
    MemAccess {
        align_log2: a.align_log2.min(b.align_log2),
        tag: a.tag.filter(|_| a.tag == b.tag),
        nonnull: a.nonnull && b.nonnull,
        ..a
    }
}
