//! Store sinking: a location that only stores of a loop access is stored once after the loop, with the value of the last iteration.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::{Effect, Location, LoopSummaries, Objects, Writes, effect, states};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, Type};

use super::hoist::{MAX_ACCESSES, Spot, is_computable, materialize};
use crate::pass::PassCx;

/// Inserts stores after loops; returns the stores in the loops that they replace.
///
/// Every iteration executes these stores, nothing else in the loop writes the location, and nothing in it reads it, nor can anybody if a
/// call in the loop does not return.
pub(super) fn run(
    graph: &mut Graph,
    numbers: &mut Numbering,
    objects: &Objects,
    summaries: &LoopSummaries,
    cx: &PassCx,
) -> Vec<Node> {
    let mut loops: Vec<Theta> = graph.all_nodes().filter_map(|node| Theta::new(graph, node)).collect();
    // Inner ones first, so that the next round finds what left an inner loop at its new position.
    loops.reverse();
    let mut router = Router::default();
    let mut sunk = Vec::new();
    for theta in loops {
        let Some(summary) = summaries.of(theta.node()).filter(|summary| summary.count() <= MAX_ACCESSES) else {
            continue;
        };
        objects.look_inside(Some(theta.node()));
        for (store, place) in last_stores(graph, numbers, theta) {
            let is_read = summary.reads(graph, numbers, objects, place) && !seeded::is_active(Bug::MvfSinkRead);
            let others = summary.writes(graph, numbers, objects, place, None);
            if is_read || others != (Writes::Same, false) || !cx.rewrite("store-after-loop", graph, store) {
                continue;
            }
            store_after(graph, numbers, &mut router, store, place, theta);
            sunk.push(store);
        }
    }
    objects.look_inside(None);
    sunk
}

/// The plain stores that every iteration executes, to invariant addresses, the last one first: those outside of its inner loops and
/// conditionals, if nothing else after them writes the same location.
pub(super) fn last_stores(graph: &Graph, numbers: &mut Numbering, theta: Theta) -> Vec<(Node, Location)> {
    let outer = graph.region_of(theta.node());
    let mut found: Vec<(Node, Location)> = Vec::new();
    let mut written_after: FxHashSet<Location> = FxHashSet::default();
    let mut state = states::end(graph, theta.body(graph));
    while let Some(node) = state.and_then(|state| graph.producer(state)) {
        for &region in graph.subregions(node) {
            for item in graph.walk_region(region) {
                if let WalkItem::Node(inner) = item
                    && let Effect::Write(place, _) = effect(graph, numbers, None, inner)
                {
                    written_after.insert(place);
                }
            }
        }
        if let Effect::Write(place, is_store) = effect(graph, numbers, None, node) {
            let is_last = !written_after.contains(&place) || seeded::is_active(Bug::MvfSinkOverwritten);
            if is_store && is_last && numbers.is_visible(place.addr, outer) && is_computable(graph, numbers, place.addr)
            {
                found.push((node, place));
            } else {
                written_after.insert(place);
            }
        }
        state = states::before(graph, node);
    }
    found
}

/// Stores after a loop what a store in it stored in the last iteration.
fn store_after(
    graph: &mut Graph,
    numbers: &mut Numbering,
    router: &mut Router,
    store: Node,
    place: Location,
    theta: Theta,
) {
    let Some(op @ Op::Store(_)) = graph.op(store) else { return };
    let outer = graph.region_of(theta.node());
    let address = materialize(graph, numbers, router, place.addr, Spot::Before(theta.node()));
    let value = left(graph, theta, graph.input(store, 0));
    let state = states::after(graph, theta.node()).expect("a loop on the chain gives the memory state");
    let users: Vec<_> = graph.users_of(state).collect();
    let source = graph.source(store);
    let new = Insert::end(graph, outer).source(source).node(op, &[value, address, state], &[Type::MEM]);
    let after = graph.output(new, 0);
    users.into_iter().for_each(|user| graph.divert(user, after));
}

/// The value after a loop of a value of its last iteration.
fn left(graph: &mut Graph, theta: Theta, value: Origin) -> Origin {
    let known = theta.loop_vars(graph).find(|variable| graph.origin(variable.post) == value);
    if let Some(variable) = known {
        return variable.output;
    }
    let ty = graph.ty(value);
    // Each iteration computes it before it is used.
    let start = Insert::before(graph, theta.node()).poison(ty);
    let variable = theta.add_loop_var(graph, start);
    graph.divert(variable.post, value);
    variable.output
}
