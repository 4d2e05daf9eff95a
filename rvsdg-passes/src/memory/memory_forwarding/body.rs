//! The pass on one body: turns findings into edits.

use rustc_hash::FxHashSet;
use rvsdg_analysis::memory::{LoopSummaries, Objects};
use rvsdg_analysis::numbering::Numbering;
use rvsdg_core::build::Insert;
use rvsdg_core::op::CastOp;
use rvsdg_core::{Graph, Node, Origin};

use super::forward::{Forward, Found};
use super::values::{Def, Value};
use super::{around, copies, dead, hoist, sink};
use crate::pass::{BodyPass, Change, PassCx};

/// The maximum number of rounds: a forwarded value may be an address that enables more forwarding.
const MAX_ROUNDS: u32 = 4;

/// For a value made of more values than this, the loads on whose promises it depends are not determined: all lose their promises.
const MAX_VALUES: usize = 32;

/// The stage of [memory forwarding](super) for one body.
pub struct MemoryValues;

impl BodyPass for MemoryValues {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::when(copies::run(graph, cx) > 0);
        change |= run(graph, cx, &[]);
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Accesses of a loop that are assumed not to overlap.
pub(super) struct Assumed {
    /// The loop.
    pub theta: Node,
    /// Pairs of loads and stores in it that are disjoint in all its iterations.
    pub pairs: Vec<(Node, Node)>,
}

/// All rounds on one body.
pub(super) fn run(graph: &mut Graph, cx: &PassCx, assumed: &[Assumed]) -> Change {
    let mut change = Change::Unchanged;
    for _ in 0..MAX_ROUNDS {
        let (changed, again) = round(graph, cx, assumed);
        change |= changed;
        if !again {
            break;
        }
        cx.count("rounds", 1);
    }
    change
}

/// One round: returns whether it changed anything, and whether another round may find more.
fn round(graph: &mut Graph, cx: &PassCx, assumed: &[Assumed]) -> (Change, bool) {
    let surroundings = cx.surroundings();
    let mut summaries = LoopSummaries::new(graph, surroundings);
    let mut numbers = Numbering::new(graph, |numbers, visit| summaries.visit(graph, numbers, visit));
    if !summaries.any_access {
        return (Change::Unchanged, false);
    }
    let mut objects = Objects::new(graph, &numbers, surroundings);
    for assumed in assumed {
        objects.assume(graph, &mut numbers, assumed.theta, &assumed.pairs);
    }
    let hoisted = hoist::run(graph, &mut numbers, &objects, &summaries, cx);
    let mut around = around::find(graph, &mut numbers, &summaries, cx);
    let mut found = Forward::new(graph, &mut numbers, &objects, &summaries, &hoisted.changing, &around).run();
    if around::add_settled(graph, &mut numbers, &summaries, &found.settled, &mut around, cx) {
        found = Forward::new(graph, &mut numbers, &objects, &summaries, &hoisted.changing, &around).run();
    }
    let mut inserted = hoisted.inserted;
    inserted.extend(around.iter().filter_map(|carried| graph.producer(carried.first?)));
    // A value that cannot be carried must not prevent other forwarding.
    for keeps_rest in [true, false] {
        let incomplete = found.values.incomplete();
        let mut fails = found.around.iter().filter(|(_, pre)| incomplete.contains(*pre)).map(|of| of.0).peekable();
        if fails.peek().is_none() {
            break;
        }
        let fails: FxHashSet<usize> = fails.collect();
        let mut number = 0..;
        around.retain(|_| keeps_rest && number.next().is_some_and(|number| !fails.contains(&number)));
        found = Forward::new(graph, &mut numbers, &objects, &summaries, &hoisted.changing, &around).run();
    }
    let forwarded = forward(graph, &mut numbers, found, cx);
    for &load in &inserted {
        if graph.is_live(load) && !graph.has_users(graph.output(load, 0)) {
            bypass(graph, load);
        }
    }
    cx.count("loads_before_loops", inserted.len() as u64);
    cx.count("around_loops", around.len() as u64);
    let refreshed = (forwarded > 0 || !inserted.is_empty()).then(|| objects.refreshed(graph, &numbers));
    let mut removed = 0;
    for store in dead::stores(graph, &mut numbers, refreshed.as_ref().unwrap_or(&objects), &summaries) {
        if cx.rewrite("dead-store", graph, store) {
            bypass(graph, store);
            removed += 1;
        }
    }
    cx.count("stores", removed);
    // Addresses may depend on removed loads: if any were removed, the next round looks for stores to sink.
    let mut sunk = 0;
    if forwarded + removed == 0 {
        for store in sink::run(graph, &mut numbers, &objects, &summaries, cx) {
            bypass(graph, store);
            sunk += 1;
        }
    }
    cx.count("stores_after_loops", sunk);
    let again = forwarded + removed + sunk > 0;
    (Change::when(again || !inserted.is_empty()), again)
}

/// Redirects users of loads to the values found, and removes redundant stores; returns how many.
fn forward(graph: &mut Graph, numbers: &mut Numbering, found: Found, cx: &PassCx) -> u64 {
    let Found { loads, stores, values, around: _, settled: _ } = found;
    let incomplete = values.incomplete();
    let mut wanted: Vec<(Node, Value)> = loads;
    wanted.retain(|&(load, value)| !incomplete.contains(value) && cx.rewrite("forward-load", graph, load));
    let mut large = Vec::new();
    let mut sources: Vec<Vec<Node>> = Vec::with_capacity(wanted.len());
    for &(_, value) in &wanted {
        let loads = values.loads(graph, value, MAX_VALUES);
        if loads.is_none() {
            large.push(value);
        }
        sources.push(loads.unwrap_or_default());
    }
    let large = values.all_loads(graph, large.into_iter());
    let stores: Vec<Node> = stores.into_iter().filter(|&store| cx.rewrite("unchanging-store", graph, store)).collect();
    let mut built = values.build(graph, numbers, wanted.iter().map(|&(_, value)| value));
    let origins: Vec<Origin> =
        wanted.iter().map(|&(load, value)| built.origin(graph, value, graph.region_of(load))).collect();
    for store in &stores {
        bypass(graph, *store);
    }
    cx.count("loads", wanted.len() as u64);
    cx.count(
        "zeros",
        wanted.iter().filter(|&&(_, value)| matches!(values.def(value), Def::Constant(_))).count() as u64,
    );
    cx.count("unchanging_stores", stores.len() as u64);
    let count = (wanted.len() + stores.len()) as u64;
    // Later ones first: a value may be the result of an earlier load.
    for (((load, _), from), origin) in wanted.into_iter().zip(sources).zip(origins).rev() {
        let output = graph.output(load, 0);
        let ty = graph.ty(output);
        let replacement = Insert::before(graph, load).cast(CastOp::BitCast, origin, ty);
        for source in from {
            graph.note_merge(load, source);
        }
        graph.divert_users(output, replacement);
        bypass(graph, load);
    }
    for load in large {
        if graph.is_live(load) {
            graph.forget_promises(load);
        }
    }
    count
}

/// Removes a node whose values have no users, and connects states past it.
pub(super) fn bypass(graph: &mut Graph, node: Node) {
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        let ty = graph.ty(output);
        let before = graph.input_origins(node).find(|&origin| ty.is_state() && graph.ty(origin) == ty);
        if let Some(before) = before {
            graph.divert_users(output, before);
        }
    }
    graph.remove(node);
}
