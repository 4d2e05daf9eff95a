//! Conditionals with equal predicates.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::order::Orders;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::{IntPredicate, MatchTableId};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use super::nodes::CommonNodes;
use crate::pass::{BodyPass, Change, PassCx};

/// How many nodes between two conditionals are visited to find that the second does not depend on the first through them. Real
/// conditionals with one predicate are close, or far apart with calls in between.
const MAX_BETWEEN: usize = 64;

/// The stage of [common node elimination](super) for γ of one region with one predicate, or its negation: the second is merged into the
/// first, unless it needs something computed from the first one's results. If a region returns the same decision as its last γ,
/// the γ returns it. Then common nodes of the merged regions are eliminated.
pub struct CommonConditionals;

impl BodyPass for CommonConditionals {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut orders = Orders::default();
        let mut fused = 0;
        let mut regions = vec![graph.root()];
        while let Some(region) = regions.pop() {
            // The second may be what the region returns.
            if graph.nodes(region).any(|node| Gamma::new(graph, node).is_some()) {
                fused += Fusion::new(orders.topological(graph, region).to_vec()).run(graph, region, cx);
            }
            for node in graph.nodes(region) {
                regions.extend_from_slice(graph.subregions(node));
            }
        }
        cx.count("conditionals", fused);
        if fused == 0 {
            return Change::Unchanged;
        }
        let _ = CommonNodes.run(graph, cx);
        Change::Changed
    }
}

/// What a γ decides on.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Predicate {
    /// A predicate that is a variable.
    Origin(Origin),
    /// A `match` of a value.
    Match(Origin, MatchTableId),
    /// Whether a value is true.
    Truth(Origin),
    /// Whether two values are in a relation.
    Relation(IntPredicate, Origin, Origin),
}

/// The alternatives that a predicate chooses.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Sense {
    /// Alternative 1 if what is asked holds, or whichever is asked for.
    Asked,
    /// Alternative 0 if what is asked holds, else 1.
    Inverse,
}

impl Sense {
    fn of(is_asked: bool) -> Sense {
        if is_asked { Sense::Asked } else { Sense::Inverse }
    }

    /// The alternative of one conditional that corresponds to one of another with the same predicate.
    fn translate(self, other: Sense, alternative: usize) -> usize {
        if self == other { alternative } else { 1 - alternative }
    }
}

impl Predicate {
    fn of(graph: &Graph, predicate: Origin) -> (Predicate, Sense) {
        let Some(producer) = graph.producer(predicate) else { return (Predicate::Origin(predicate), Sense::Asked) };
        let Some(Op::Match(table)) = graph.op(producer) else { return (Predicate::Origin(predicate), Sense::Asked) };
        let on = graph.input(producer, 0);
        let data = graph.pool().table(table);
        let [holds, fails] = [true, false].map(|value| data.alternative(graph.pool(), Int::bool(value)));
        if graph.ty(on) != Type::I1 || data.alternatives != 2 || holds == fails {
            return (Predicate::Match(on, table), Sense::Asked);
        }
        let compare = graph.producer(on).map(|node| (node, graph.op(node)));
        let Some((node, Some(Op::ICmp { predicate, .. }))) = compare else {
            return (Predicate::Truth(on), Sense::of(holds == 1));
        };
        let inverse = arith::inverse(predicate);
        let asked = if (predicate as u8) < inverse as u8 { predicate } else { inverse };
        let [left, right] = [0, 1].map(|index| graph.input(node, index));
        (Predicate::Relation(asked, left, right), Sense::of((holds == 1) == (asked == predicate)))
    }
}

/// Where the regions of the first γ have a value.
#[derive(Copy, Clone)]
enum From {
    /// It is a result.
    Result(usize),
    /// It is an argument.
    Argument(usize),
}

/// How two γ become one.
enum How {
    /// At the first one's position, after moving these nodes before it.
    There(Vec<Node>),
    /// At the second one's position.
    Here,
}

/// The initial distance of positions.
const STEP: u64 = 1 << 20;

/// The γ of one region.
struct Fusion {
    order: Vec<Node>,
    /// Positions in a topological order, initially `STEP` apart.
    positions: FxHashMap<Node, u64>,
    /// The first free position before a γ, if it is not `STEP` before.
    free: FxHashMap<Node, u64>,
    /// The entry variables of γ that absorbed others, by origin.
    entries: FxHashMap<(Node, Origin), usize>,
    listed: FxHashSet<Node>,
    /// By γ, former outputs that became inputs of what it absorbed.
    passed: FxHashMap<Node, FxHashSet<Origin>>,
    /// The γ in `passed`.
    grown: Vec<Gamma>,
}

impl Fusion {
    fn new(order: Vec<Node>) -> Fusion {
        let positions = order.iter().enumerate().map(|(index, &node)| (node, (index as u64 + 1) * STEP)).collect();
        Fusion {
            order,
            positions,
            free: FxHashMap::default(),
            entries: FxHashMap::default(),
            listed: FxHashSet::default(),
            passed: FxHashMap::default(),
            grown: Vec::new(),
        }
    }

    fn position(&self, node: Node) -> u64 {
        self.positions.get(&node).copied().unwrap_or_default()
    }

    fn run(mut self, graph: &mut Graph, region: Region, cx: &PassCx) -> u64 {
        let mut last: FxHashMap<Predicate, (Gamma, Sense)> = FxHashMap::default();
        let mut fused = 0;
        for index in 0..self.order.len() {
            let Some(gamma) = Gamma::new(graph, self.order[index]) else { continue };
            let (predicate, sense) = Predicate::of(graph, graph.origin(gamma.predicate(graph)));
            if let Some(&(first, other)) = last.get(&predicate)
                && let Some(how) = self.how(graph, first, gamma)
                && cx.rewrite("conditionals", graph, gamma.node())
            {
                self.reorder(graph, first, gamma, how);
                self.join(graph, first, gamma, |alternative| other.translate(sense, alternative));
                fused += 1;
            } else {
                last.insert(predicate, (gamma, sense));
            }
        }
        fused += self.decide(graph, region, &last, cx);
        for gamma in self.grown {
            let passed = &self.passed[&gamma.node()];
            let goes = |&output: &Origin| passed.contains(&output) && !graph.has_users(output);
            let goes: SmallVec<[bool; 16]> = graph.outputs(gamma.node()).iter().map(goes).collect();
            gamma.retain_exit_vars(graph, |index| !goes[index]);
        }
        fused
    }

    /// How the second γ can be merged into the first, if nothing else is in the way.
    fn how(&self, graph: &Graph, first: Gamma, second: Gamma) -> Option<How> {
        if first.regions(graph).len() != second.regions(graph).len() {
            return None;
        }
        // Predicates must be used where they are defined.
        let mut inputs = graph.input_origins(second.node()).skip(1);
        if inputs.any(|origin| graph.pool().ctl_alternatives(graph.ty(origin)).is_some()) {
            return None;
        }
        if let Some(needed) = self.needed(graph, first, second) {
            let free = self.free.get(&first.node()).copied();
            let free = free.unwrap_or(self.position(first.node()) - STEP);
            if free + (needed.len() as u64) < self.position(first.node()) {
                return Some(How::There(needed));
            }
        }
        let end = self.position(second.node());
        let later = |user| match graph.site(user) {
            Use::Input(node, _) => self.position(node) >= end,
            Use::Result(..) => true,
        };
        let mut outputs = graph.outputs(first.node()).iter();
        outputs.all(|&output| graph.users_of(output).all(later)).then_some(How::Here)
    }

    /// The nodes after the first γ that the second needs, in order; `None` if they need the first, or are too many.
    fn needed(&self, graph: &Graph, first: Gamma, second: Gamma) -> Option<Vec<Node>> {
        let start = self.position(first.node());
        let mut seen: FxHashSet<Node> = FxHashSet::default();
        let mut needed: Vec<Node> = Vec::new();
        // The predicate is removed.
        for producer in graph.input_origins(second.node()).skip(1).filter_map(|origin| graph.producer(origin)) {
            if producer != first.node() && self.position(producer) > start && seen.insert(producer) {
                needed.push(producer);
            }
        }
        let mut next = 0;
        while next < needed.len() {
            for producer in graph.input_origins(needed[next]).filter_map(|origin| graph.producer(origin)) {
                if producer == first.node() || needed.len() > MAX_BETWEEN {
                    return None;
                }
                if self.position(producer) > start && seen.insert(producer) {
                    needed.push(producer);
                }
            }
            next += 1;
        }
        needed.sort_unstable_by_key(|&node| self.position(node));
        (needed.len() <= MAX_BETWEEN).then_some(needed)
    }

    /// Moves the first γ to the common position.
    fn reorder(&mut self, graph: &mut Graph, first: Gamma, second: Gamma, how: How) {
        match how {
            How::There(needed) => {
                let start = self.position(first.node());
                let mut free = self.free.get(&first.node()).copied().unwrap_or(start - STEP);
                for node in needed {
                    graph.move_before(node, first.node());
                    free += 1;
                    self.positions.insert(node, free);
                    self.free.insert(node, free);
                }
                self.free.insert(first.node(), free);
            }
            How::Here => {
                graph.move_before(first.node(), second.node());
                let position = self.position(second.node());
                self.positions.insert(first.node(), position);
                self.free.insert(first.node(), position);
            }
        }
    }

    /// Merges the second γ into the first. `other` says which of its alternatives is chosen together with one of the first.
    fn join(&mut self, graph: &mut Graph, first: Gamma, second: Gamma, other: impl Fn(usize) -> usize) {
        let pairs: SmallVec<[(Region, Region); 8]> = first
            .regions(graph)
            .iter()
            .enumerate()
            .map(|(alternative, &to)| (second.regions(graph)[other(alternative)], to))
            .collect();
        for index in 1..graph.inputs(second.node()).len() {
            self.bring(graph, first, second, index, &pairs);
        }
        for &(from, to) in &pairs {
            let nodes: Vec<Node> = graph.nodes(from).collect();
            for node in nodes {
                graph.move_to(node, to);
            }
            if let Some(end) = graph.end_source(from) {
                graph.set_end_source(to, Some(end));
            }
        }
        for index in 0..graph.outputs(second.node()).len() {
            let results: SmallVec<[Origin; 8]> = pairs.iter().map(|&(from, _)| graph.result(from, index)).collect();
            let output = graph.output(second.node(), index);
            let new = first.add_exit_var(graph, &results).output;
            let source = graph.origin_source(output);
            graph.set_origin_source(new, source);
            graph.divert_users(output, new);
        }
        self.close(graph, second);
    }

    /// Makes input `index` of the second γ available in the regions of the first.
    fn bring(&mut self, graph: &mut Graph, first: Gamma, second: Gamma, index: usize, pairs: &[(Region, Region)]) {
        let origin = graph.input(second.node(), index);
        let from = match graph.def(origin) {
            OriginDef::Output(node, position) if node == first.node() => {
                if !self.passed.contains_key(&node) {
                    self.grown.push(first);
                }
                self.passed.entry(node).or_default().insert(origin);
                From::Result(position as usize)
            }
            _ => {
                if self.listed.insert(first.node()) {
                    for variable in first.entry_vars(graph) {
                        self.entries.entry((first.node(), graph.origin(variable.input))).or_insert(variable.index);
                    }
                }
                let new = || first.add_entry_var(graph, origin).index;
                From::Argument(*self.entries.entry((first.node(), origin)).or_insert_with(new))
            }
        };
        for &(other, region) in pairs {
            let value = match from {
                From::Result(position) => graph.result(region, position),
                From::Argument(position) => graph.arguments(region)[position],
            };
            let argument = graph.arguments(other)[index - 1];
            graph.divert_users(argument, value);
        }
    }

    /// Removes a γ whose regions are empty, and its predicate.
    fn close(&self, graph: &mut Graph, gamma: Gamma) {
        let predicate = graph.origin(gamma.predicate(graph));
        for alternative in 0..gamma.regions(graph).len() {
            graph.retain_results(gamma.regions(graph)[alternative], |_| false);
        }
        graph.remove(gamma.node());
        if let Some(producer) = graph.producer(predicate)
            && matches!(graph.op(producer), Some(Op::Match(_)))
            && !graph.has_users(predicate)
        {
            graph.remove(producer);
        }
    }

    /// Makes predicates that a region returns results of its last γ, if that has made the same decision. Returns how many.
    fn decide(
        &self,
        graph: &mut Graph,
        region: Region,
        last: &FxHashMap<Predicate, (Gamma, Sense)>,
        cx: &PassCx,
    ) -> u64 {
        let mut decided = 0;
        for index in 0..graph.results(region).len() {
            let predicate = graph.result(region, index);
            let decision = graph.producer(predicate).filter(|&node| matches!(graph.op(node), Some(Op::Match(_))));
            let Some(decision) = decision.filter(|_| graph.has_one_user(predicate)) else { continue };
            let (asked, sense) = Predicate::of(graph, predicate);
            let Some(&(gamma, other)) = last.get(&asked).filter(|(gamma, _)| self.is_last(graph, region, *gamma))
            else {
                continue;
            };
            if !cx.rewrite("conditionals", graph, decision) {
                continue;
            }
            let alternatives: SmallVec<[Region; 8]> = gamma.regions(graph).into();
            let of = alternatives.len() as u32;
            let results: SmallVec<[Origin; 8]> = alternatives
                .iter()
                .enumerate()
                .map(|(index, &alternative)| {
                    Insert::end(graph, alternative).predicate(other.translate(sense, index) as u32, of)
                })
                .collect();
            let output = gamma.add_exit_var(graph, &results).output;
            graph.divert(graph.results(region)[index], output);
            graph.remove(decision);
            decided += 1;
        }
        decided
    }

    /// Whether nothing with an effect, and nothing that needs its results, comes after a γ in its region. Then no path gets another
    /// branch.
    fn is_last(&self, graph: &Graph, region: Region, gamma: Gamma) -> bool {
        let end = self.position(gamma.node());
        let is_end = |state: Origin| {
            !graph.ty(state).is_state() || graph.producer(state).is_none_or(|node| self.position(node) <= end)
        };
        let is_returned =
            |output: Origin| graph.users_of(output).all(|user| matches!(graph.site(user), Use::Result(..)));
        graph.result_origins(region).all(is_end)
            && graph.outputs(gamma.node()).iter().all(|&output| is_returned(output))
    }
}
