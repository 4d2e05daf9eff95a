//! Loop versioning: copies of loops in which locations that may alias are assumed disjoint; address comparisons before the loop choose.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::evolution::{Evolution, Repetitions};
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::memory::{
    Effect, Location, LoopSummaries, LoopSummary, Objects, Position, Sizes, Writes, effect, states, tag,
};
use rvsdg_analysis::numbering::{Numbering, Vn};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::hints::{LoopHints, LoopRole};
use rvsdg_core::op::{CastOp, IntBinary};
use rvsdg_core::structural::Theta;
use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Graph, Node, Origin, Type, TypeKind, Use};

use super::around::Variables;
use super::body::{self, Assumed};
use super::hoist::{MAX_ACCESSES, Spot, candidates, is_computable, materialize};
use super::sink;
use crate::loops::copies;
use crate::loops::ranges::{Extent, apart};
use crate::loops::trips::count_before;
use crate::pass::{BodyPass, Change, PassCx};

/// How many pairs of ranges are compared before a loop.
const MAX_PAIRS: usize = 6;

/// How many iterations make up for the comparison of a pair: each saves at least one load.
const ITERATIONS_PER_PAIR: usize = 4;

/// The maximum number of operations of a loop that is copied.
const MAX_SIZE: usize = 64;

/// The stage of [loop versioning](crate::loops::loop_versioning) for one body.
pub struct LoopVersions;

impl BodyPass for LoopVersions {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let assumed = make(graph, cx);
        if assumed.is_empty() {
            return Change::Unchanged;
        }
        cx.count("loops", assumed.len() as u64);
        // The copies themselves are a change.
        let _ = body::run(graph, cx, &assumed);
        Change::Changed
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Puts loops into conditionals if that is profitable.
fn make(graph: &mut Graph, cx: &PassCx) -> Vec<Assumed> {
    let nests = LoopNests::of(graph);
    if nests.loops().next().is_none() {
        return Vec::new();
    }
    let surroundings = cx.surroundings();
    let mut summaries = LoopSummaries::new(graph, surroundings);
    let mut numbers = Numbering::new(graph, |numbers, visit| summaries.visit(graph, numbers, visit));
    if !summaries.any_access {
        return Vec::new();
    }
    let objects = Objects::new(graph, &numbers, surroundings);
    let mut router = Router::default();
    let mut duplicator = Duplicator::new();
    let mut assumed = Vec::new();
    for theta in nests.loops() {
        let Some(summary) = summaries.of(theta.node()).filter(|summary| summary.count() <= MAX_ACCESSES) else {
            continue;
        };
        let hints = graph.loop_hints(theta.node());
        if !nests.is_innermost(theta)
            || hints.role != LoopRole::Plain
            || !may_copy(graph, cx.surroundings(), theta.node())
        {
            continue;
        }
        let evolution = Evolution::of(graph, theta);
        let Some(repetitions) = evolution.repetitions(graph, surroundings.and_then(Surroundings::data_layout)) else {
            continue;
        };
        let known = repetitions.known_iterations(graph, theta);
        if !repetitions.is_exact(known) || size_within(graph, theta.node(), MAX_SIZE) > MAX_SIZE {
            continue;
        }
        let variables = Variables::of(graph, &mut numbers, theta);
        let Some(mut plan) = Plan::new(graph, objects.sizes(), &mut numbers, theta, &variables) else { continue };
        plan.find(graph, &mut numbers, &objects, summary, &variables);
        let least = (plan.pairs.len() * ITERATIONS_PER_PAIR) as u128;
        if plan.pairs.is_empty()
            || known.is_some_and(|iterations| iterations < least)
            || !cx.rewrite("version", graph, theta.node())
        {
            continue;
        }
        let known = Known { variables: &variables, repetitions: &repetitions };
        let condition = plan.compare(graph, &mut numbers, &mut router, &evolution, &known);
        let outputs: Vec<Origin> = graph.outputs(theta.node()).to_vec();
        let (gamma, other) = copies::choose(graph, theta, condition, &mut duplicator);
        graph.set_loop_hints(theta.node(), LoopHints { role: LoopRole::Version, ..hints });
        graph.set_loop_hints(other, LoopHints { role: LoopRole::Fallback, ..hints });
        for (index, old) in outputs.into_iter().enumerate() {
            numbers.replace(old, graph.output(gamma.node(), index));
        }
        assumed.push(Assumed { theta: theta.node(), pairs: plan.pairs_of_nodes() });
    }
    assumed
}

/// Facts about a loop.
struct Known<'a> {
    variables: &'a Variables,
    repetitions: &'a Repetitions,
}

/// Accesses at fixed distances from each other, which move by the same distance in each iteration.
struct Range {
    /// The first one found.
    access: Location,
    position: Position,
    /// Relative to that access.
    extent: Extent,
    members: Vec<(Location, Node)>,
}

/// The comparisons before a loop.
struct Plan {
    theta: Theta,
    ranges: Vec<Range>,
    pairs: Vec<(usize, usize)>,
}

impl Plan {
    /// The ranges of what every iteration accesses, if all accesses are executed.
    fn new(graph: &Graph, sizes: &Sizes, numbers: &mut Numbering, theta: Theta, variables: &Variables) -> Option<Plan> {
        let body = theta.body(graph);
        let has_io = |item| matches!(item, WalkItem::Node(node) if states::has_io(graph, node));
        if graph.walk_region(body).any(has_io) {
            return None;
        }
        let outer = graph.region_of(theta.node());
        let mut plan = Plan { theta, ranges: Vec::new(), pairs: Vec::new() };
        let mut state = states::start(graph, body);
        while let Some(Use::Input(node, _)) = state.and_then(|state| states::user(graph, state)) {
            if graph.op(node).is_some()
                && let Effect::Read(access, true) | Effect::Write(access, true) = effect(graph, numbers, None, node)
                && is_computable(graph, numbers, access.addr)
                && variables.starts(numbers, access.addr, |leaf| numbers.is_visible(leaf, outer))
                && variables.in_first_iteration(graph, numbers, access.addr).is_some()
            {
                plan.add(graph, sizes, numbers, variables, access, node);
            }
            state = states::after(graph, node);
        }
        Some(plan)
    }

    fn add(
        &mut self,
        graph: &Graph,
        sizes: &Sizes,
        numbers: &Numbering,
        variables: &Variables,
        access: Location,
        node: Node,
    ) -> Option<()> {
        if let Some(range) = self.range_of(access) {
            // Some of these accesses may be removed.
            self.ranges[range].members.push((access, node));
            return Some(());
        }
        let pool = graph.pool();
        if *pool.type_kind(numbers.ty(access.addr)) != TypeKind::Ptr(0) {
            return None;
        }
        let size = sizes.access(pool, access.ty)?;
        let position = Position::of(pool, sizes, numbers, access.addr)?;
        let outer = graph.region_of(self.theta.node());
        let is_fixed = |vn| numbers.is_visible(vn, outer);
        let next = position.advanced(pool, sizes, numbers, |vn| variables.next.get(&vn).copied(), is_fixed)?;
        let stride = position.distance_to(&next)?;
        for range in &mut self.ranges {
            if let Some(distance) = range.position.distance_to(&position) {
                range.extent.low = range.extent.low.min(distance);
                range.extent.high = range.extent.high.max(distance.checked_add(size)?);
                range.members.push((access, node));
                return Some(());
            }
        }
        let high = if seeded::is_active(Bug::LvrLastByte) { 0 } else { size };
        let extent = Extent { stride, low: 0, high };
        self.ranges.push(Range { access, position, extent, members: vec![(access, node)] });
        Some(())
    }

    fn range_of(&self, access: Location) -> Option<usize> {
        self.ranges.iter().position(|range| range.members.iter().any(|&(known, _)| known == access))
    }

    /// Finds the pairs that must be disjoint for loads to be forwarded and for stores to be sunk after the loop.
    fn find(
        &mut self,
        graph: &Graph,
        numbers: &mut Numbering,
        objects: &Objects,
        summary: &LoopSummary,
        variables: &Variables,
    ) {
        let mut wanted: Vec<([Location; 2], Option<AccessTag>)> = Vec::new();
        let around = variables.matches(graph, objects.sizes(), numbers, self.theta, summary.places().collect());
        wanted.extend(around.iter().filter(|of| summary.writes_at(of.2)).map(|of| ([of.1, of.2], None)));
        for (load, place) in candidates(graph, numbers, self.theta) {
            let tag = tag(graph, load);
            if summary.writes(graph, numbers, objects, place, tag).0 == Writes::Unknown {
                wanted.push(([place, place], tag));
            }
        }
        wanted.extend(around.iter().filter(|of| !summary.writes_at(of.2)).map(|of| ([of.1, of.2], None)));
        for (places, tag) in wanted {
            let more = self.needed(graph, numbers, objects, summary, places, tag);
            self.want(more);
        }
        for (_, place) in sink::last_stores(graph, numbers, self.theta) {
            let more = self.needed_after(graph, numbers, objects, summary, place);
            self.want(more);
        }
    }

    /// Adds pairs if they are known and not too many.
    fn want(&mut self, more: Option<Vec<(usize, usize)>>) {
        self.pairs.extend(more.filter(|more| self.pairs.len() + more.len() <= MAX_PAIRS).into_iter().flatten());
    }

    /// The additional pairs that must be disjoint so that a location is changed only by accesses of it and of the location that it was in
    /// the previous iteration, as loads with a tag see it.
    fn needed(
        &self,
        graph: &Graph,
        numbers: &Numbering,
        objects: &Objects,
        summary: &LoopSummary,
        places: [Location; 2],
        tag: Option<AccessTag>,
    ) -> Option<Vec<(usize, usize)>> {
        if summary.calls_write(graph, numbers, objects, places[0]) {
            return None;
        }
        let mut pairs = Vec::new();
        for (write, how) in summary.written() {
            for place in places {
                if write == place
                    || places.contains(&write)
                    || objects.are_disjoint(graph, numbers, write, place)
                    || objects.is_unseen(graph, numbers, (write, how), (place, tag))
                {
                    continue;
                }
                self.add_pair(&mut pairs, place, write)?;
            }
        }
        Some(pairs)
    }

    /// The additional pairs that must be disjoint so that nothing else accesses the location of a store.
    fn needed_after(
        &self,
        graph: &Graph,
        numbers: &Numbering,
        objects: &Objects,
        summary: &LoopSummary,
        place: Location,
    ) -> Option<Vec<(usize, usize)>> {
        if summary.calls_access(graph, numbers, objects, place) {
            return None;
        }
        let mut pairs = Vec::new();
        for other in summary.places() {
            if other != place && !objects.are_disjoint(graph, numbers, other, place) {
                self.add_pair(&mut pairs, place, other)?;
            }
        }
        Some(pairs)
    }

    /// Adds the pair of two locations' ranges if it is new; `None` if no comparison before the loop can tell them apart.
    fn add_pair(&self, pairs: &mut Vec<(usize, usize)>, place: Location, other: Location) -> Option<()> {
        let (a, b) = (self.range_of(place)?, self.range_of(other)?);
        let (a, b) = (a.min(b), a.max(b));
        if self.ranges[a].position.base() == self.ranges[b].position.base() {
            return None;
        }
        if !self.pairs.contains(&(a, b)) && !pairs.contains(&(a, b)) {
            pairs.push((a, b));
        }
        Some(())
    }

    fn pairs_of_nodes(&self) -> Vec<(Node, Node)> {
        let members = |range: usize| self.ranges[range].members.iter().map(|&(_, node)| node);
        self.pairs.iter().flat_map(|&(a, b)| members(a).flat_map(move |a| members(b).map(move |b| (a, b)))).collect()
    }

    /// Computes before the loop whether the pairs are disjoint.
    ///
    /// Every iteration makes all these accesses, and all iterations are executed, unless something is undefined: so ranges do not wrap
    /// around, and no compared value is poison.
    fn compare(
        &self,
        graph: &mut Graph,
        numbers: &mut Numbering,
        router: &mut Router,
        evolution: &Evolution,
        known: &Known,
    ) -> Origin {
        let theta = self.theta;
        let repeated = count_before(graph, theta, known.repetitions, evolution);
        let repeated = Insert::before(graph, theta.node()).cast(CastOp::ZExt, repeated, Type::I64);
        let mut ends: Vec<Option<[Origin; 2]>> = self.ranges.iter().map(|_| None).collect();
        let mut all: Option<Origin> = None;
        for &(a, b) in &self.pairs {
            for index in [a, b] {
                if ends[index].is_none() {
                    let range = &self.ranges[index];
                    let first: Vn =
                        numbers.substituted(graph, range.access.addr, |vn| known.variables.first.get(&vn).copied());
                    let first = materialize(graph, numbers, router, first, Spot::Before(theta.node()));
                    let at = &mut Insert::before(graph, theta.node());
                    ends[index] = Some(range.extent.ends(at, first, repeated));
                }
            }
            let (Some(a), Some(b)) = (ends[a], ends[b]) else { continue };
            let mut at = Insert::before(graph, theta.node());
            let apart = apart(&mut at, a, b);
            let both = if seeded::is_active(Bug::LvrAnyPair) { IntBinary::Or } else { IntBinary::And };
            all = Some(all.map_or(apart, |all| at.binary(both, all, apart)));
        }
        all.expect("there are pairs")
    }
}
