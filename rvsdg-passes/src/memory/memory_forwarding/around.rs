//! Forwarding around loops: a load that finds what the previous iteration had at the address that it used then.

use rustc_hash::FxHashMap;
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::memory::{Location, LoopSummaries, Position, Sizes, states};
use rvsdg_analysis::numbering::{Def, Numbering, Vn};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::build::Router;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin};

use super::hoist::{MAX_ACCESSES, certain_loads, is_computable, load_before};
use crate::pass::PassCx;

/// How many values per loop are carried to the next iteration only to be read once.
const MAX_REUSED: usize = 4;

/// A value that may be loop-carried: the value that a load [reads at another location in the next iteration](find), or the value of a
/// location, [whatever changes it during an iteration](add_settled).
pub(super) struct Around {
    /// The loop.
    pub theta: Theta,
    /// The location that a load in it reads.
    pub place: Location,
    /// The location with that value which the previous iteration accessed.
    pub before: Location,
    /// The value for the first iteration, loaded before the loop; `None` if forwarding knows it.
    pub first: Option<Origin>,
    /// The load that alternatives [repeat](super::restore) which may change the location.
    pub restored: Option<Node>,
}

/// Finds the loads of innermost loops that read what the previous iteration read or wrote, and loads before the loop what they read in
/// the first iteration.
///
/// In the first iteration they are executed before anything that may not return, so the load before the loop is safe. If positions are
/// the same and both accesses are executed, the addresses are the same: neither is poison.
pub(super) fn find(graph: &mut Graph, numbers: &mut Numbering, summaries: &LoopSummaries, cx: &PassCx) -> Vec<Around> {
    if summaries.is_empty() {
        return Vec::new();
    }
    let nests = LoopNests::of(graph);
    let sizes = Sizes::new(cx.surroundings().and_then(Surroundings::layouts));
    let mut router = Router::default();
    let mut found = Vec::new();
    for theta in nests.loops() {
        let Some(summary) = summaries.of(theta.node()).filter(|summary| summary.count() <= MAX_ACCESSES) else {
            continue;
        };
        if !nests.is_innermost(theta) {
            continue;
        }
        let variables = Variables::of(graph, numbers, theta);
        let mut reused = 0;
        for (load, place, before) in variables.matches(graph, &sizes, numbers, theta, summary.places().collect()) {
            let is_stored = summary.writes_at(before);
            let Some(addr) = variables.in_first_iteration(graph, numbers, place.addr) else { continue };
            if (!is_stored && reused == MAX_REUSED) || !cx.rewrite("load-around-loop", graph, load) {
                continue;
            }
            reused += usize::from(!is_stored);
            let Some(new) = load_before(graph, numbers, &mut router, load, addr, theta) else { continue };
            found.push(Around { theta, place, before, first: Some(graph.output(new, 0)), restored: None });
        }
    }
    found
}

/// A location that something in a loop changes, but whose value is known at the end of each iteration.
#[derive(Copy, Clone)]
pub(super) struct Settled {
    /// The loop.
    pub theta: Theta,
    /// The location.
    pub place: Location,
    /// A load that every iteration executes first; `None` if the value before the loop is known.
    pub load: Option<Node>,
    /// The load that alternatives [repeat](super::restore) which may change the location.
    pub restored: Option<Node>,
}

/// Adds locations that something in a loop changes, but whose value is known at the end of each iteration. The value before the loop is
/// loaded there, unless forwarding knows it. Returns whether any were added.
pub(super) fn add_settled(
    graph: &mut Graph,
    numbers: &mut Numbering,
    summaries: &LoopSummaries,
    settled: &[Settled],
    around: &mut Vec<Around>,
    cx: &PassCx,
) -> bool {
    let mut router = Router::default();
    let before = around.len();
    let mut reused: FxHashMap<Node, usize> = FxHashMap::default();
    for &Settled { theta, place, load, restored } in settled {
        let is_stored = summaries.of(theta.node()).is_some_and(|summary| summary.writes_at(place));
        let reused = reused.entry(theta.node()).or_default();
        if (!is_stored && *reused == MAX_REUSED) || !cx.rewrite("load-around-loop", graph, load.unwrap_or(theta.node()))
        {
            continue;
        }
        *reused += usize::from(!is_stored);
        let first = load.and_then(|load| load_before(graph, numbers, &mut router, load, place.addr, theta));
        let first = first.map(|load| graph.output(load, 0));
        around.push(Around { theta, place, before: place, first, restored });
    }
    if around.len() == before {
        return false;
    }
    // Those of a loop must be adjacent.
    around.sort_by_key(|carried| carried.theta.node());
    true
}

/// The variables of a loop that change, by value number.
pub(super) struct Variables {
    /// Their values in the first iteration.
    pub first: FxHashMap<Vn, Vn>,
    /// Their values in the next iteration.
    pub next: FxHashMap<Vn, Vn>,
}

impl Variables {
    pub(super) fn of(graph: &Graph, numbers: &mut Numbering, theta: Theta) -> Variables {
        let (mut first, mut next) = (FxHashMap::default(), FxHashMap::default());
        for variable in theta.loop_vars(graph) {
            if graph.origin(variable.post) != variable.pre && !graph.ty(variable.pre).is_state() {
                let pre = numbers.get(graph, variable.pre);
                first.insert(pre, numbers.get(graph, graph.origin(variable.input)));
                next.insert(pre, numbers.get(graph, graph.origin(variable.post)));
            }
        }
        Variables { first, next }
    }

    /// The first iteration's value of an address that [starts](Self::starts), if it can be computed before the loop.
    pub(super) fn in_first_iteration(&self, graph: &Graph, numbers: &mut Numbering, addr: Vn) -> Option<Vn> {
        let first = numbers.substituted(graph, addr, |vn| self.first.get(&vn).copied());
        is_computable(graph, numbers, first).then_some(first)
    }

    /// Loads with their locations, and the location that the previous iteration accessed.
    pub(super) fn matches(
        &self,
        graph: &Graph,
        sizes: &Sizes,
        numbers: &mut Numbering,
        theta: Theta,
        places: Vec<Location>,
    ) -> Vec<(Node, Location, Location)> {
        let pool = graph.pool();
        let outer = graph.region_of(theta.node());
        let loads = certain_loads(graph, numbers, states::start(graph, theta.body(graph)), |numbers, place| {
            !numbers.is_visible(place.addr, outer)
                && is_computable(graph, numbers, place.addr)
                && self.starts(numbers, place.addr, |leaf| numbers.is_visible(leaf, outer))
        });
        let mut positions: Vec<(Location, Option<Position>)> = Vec::new();
        let mut found = Vec::new();
        for (load, place) in loads {
            let is_fixed = |vn| numbers.is_visible(vn, outer);
            let Some(position) = Position::of(pool, sizes, numbers, place.addr) else { continue };
            // The address of the next iteration must be one that this iteration accesses.
            let next = position.advanced(pool, sizes, numbers, |vn| self.next.get(&vn).copied(), is_fixed);
            let Some(next) = next else { continue };
            if positions.is_empty() {
                positions =
                    places.iter().map(|&place| (place, Position::of(pool, sizes, numbers, place.addr))).collect();
            }
            let same = |(before, position): &&(Location, Option<Position>)| {
                before.ty == place.ty && position.as_ref().is_some_and(|position| next.is(position))
            };
            if let Some(&(before, _)) = positions.iter().find(same).filter(|(before, _)| *before != place) {
                found.push((load, place, before));
            }
        }
        found
    }

    /// Whether everything that an address depends on is known before the loop.
    pub(super) fn starts(&self, numbers: &Numbering, addr: Vn, is_outside: impl Fn(Vn) -> bool) -> bool {
        let mut pending = vec![addr];
        while let Some(vn) = pending.pop() {
            match numbers.def(vn) {
                Def::Leaf(_) if is_outside(vn) || self.first.contains_key(&vn) => {}
                Def::Leaf(_) => return false,
                Def::Node(_, inputs) => pending.extend(inputs),
            }
        }
        true
    }
}
