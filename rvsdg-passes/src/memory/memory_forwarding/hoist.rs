//! Inserts loads: before a loop whose every iteration reads a location that only its own stores change, so that forwarding turns the
//! location into a loop variable; before loops for locations whose value forwarding knows at the end of each iteration; and in the only
//! alternative of a γ that does not know the value of a later load.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::memory::{Effect, Location, LoopSummaries, Objects, Writes, effect, states, tag};
use rvsdg_analysis::numbering::{Def, Numbering, Vn};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Motion, Node, Op, Origin, Region, Type, Use};

use super::forward::MAX_FACTS;
use crate::pass::PassCx;

/// How many locations are considered per loop. Each becomes a value that is live throughout the loop.
const MAX_PLACES: usize = 16;

/// In a loop that accesses more locations than this, only those that nothing in it changes are considered: forwarding would forget
/// others.
pub(super) const MAX_ACCESSES: usize = MAX_FACTS - MAX_PLACES;

/// In a loop that accesses more locations than this, none is considered, which bounds the work.
const MAX_LARGE: usize = 1024;

/// An address with more operations than this is not computed before a loop.
const MAX_ADDRESS: usize = 24;

/// Loads that every iteration of a loop executes, each with its location.
pub(super) type CertainLoads = Vec<(Node, Location)>;

/// The results of inserting loads before loops.
#[derive(Default)]
pub(super) struct Hoisted {
    /// The new loads before loops.
    pub inserted: Vec<Node>,
    /// By loop: certain loads before any write, from locations that something else in the loop may change.
    pub changing: FxHashMap<Node, CertainLoads>,
}

/// Inserts loads before loops.
pub(super) fn run(
    graph: &mut Graph,
    numbers: &mut Numbering,
    objects: &Objects,
    summaries: &LoopSummaries,
    cx: &PassCx,
) -> Hoisted {
    let mut hoisted = Hoisted::default();
    if summaries.is_empty() {
        return hoisted;
    }
    let mut loops: Vec<Theta> = graph.all_nodes().filter_map(|node| Theta::new(graph, node)).collect();
    // Inner ones first: loads inserted before them are considered for the loops around them.
    loops.reverse();
    let mut router = Router::default();
    for theta in loops {
        let Some(summary) = summaries.of(theta.node()) else { continue };
        if summary.count() > MAX_LARGE {
            continue;
        }
        let is_large = summary.count() > MAX_ACCESSES;
        objects.look_inside(Some(theta.node()));
        let mut unwritten = None;
        for (load, place) in candidates(graph, numbers, theta) {
            let tag = tag(graph, load);
            let writes = summary.writes(graph, numbers, objects, place, tag).0;
            if writes == Writes::Unknown {
                if unwritten.get_or_insert_with(|| loads_before_writes(graph, numbers, theta)).contains(&load) {
                    hoisted.changing.entry(theta.node()).or_default().push((load, place));
                }
                continue;
            }
            if is_large && writes != Writes::None || !cx.rewrite("load-before-loop", graph, load) {
                continue;
            }
            hoisted.inserted.extend(load_before(graph, numbers, &mut router, load, place.addr, theta));
        }
    }
    objects.look_inside(None);
    hoisted
}

/// Loads before a loop what a load in it reads if its address is `addr`, which is invariant in the loop.
pub(super) fn load_before(
    graph: &mut Graph,
    numbers: &mut Numbering,
    router: &mut Router,
    load: Node,
    addr: Vn,
    theta: Theta,
) -> Option<Node> {
    let Some(Op::Load(access)) = graph.op(load) else { return None };
    let ty = graph.ty(graph.output(load, 0));
    let address = materialize(graph, numbers, router, addr, Spot::Before(theta.node()));
    let state = states::before(graph, theta.node()).expect("a loop on the chain takes the memory state");
    let source = graph.source(load);
    let mut at = Insert::before(graph, theta.node()).source(source).moved(Some(Motion::Hoisted));
    let new = at.node(Op::Load(access), &[address, state], &[ty, Type::MEM]);
    let after = graph.output(new, 1);
    let users: Vec<_> = graph.users_of(state).collect();
    for user in users {
        if matches!(graph.site(user), Use::Input(node, _) if node == theta.node()) {
            graph.divert(user, after);
        }
    }
    Some(new)
}

/// Loads at the end of an alternative of a γ what a load after it reads, from the address with a value number; returns the value.
pub(super) fn load_at_end(
    graph: &mut Graph,
    numbers: &mut Numbering,
    router: &mut Router,
    load: Node,
    addr: Vn,
    alternative: Region,
) -> Origin {
    let op = graph.op(load).expect("a load is an operation");
    let ty = graph.ty(graph.output(load, 0));
    let address = materialize(graph, numbers, router, addr, Spot::End(alternative));
    let end = graph.results(alternative).iter().copied().find(|&result| graph.ty(graph.origin(result)) == Type::MEM);
    let end = end.expect("a γ on the chain gives the memory state");
    let state = graph.origin(end);
    // It does not get the source of the later load: what debug information says there does not hold here.
    let new = Insert::end(graph, alternative).node(op, &[address, state], &[ty, Type::MEM]);
    graph.divert(end, graph.output(new, 1));
    graph.output(new, 0)
}

/// The loads that an iteration executes before anything else on the memory chain.
fn loads_before_writes(graph: &Graph, numbers: &mut Numbering, theta: Theta) -> FxHashSet<Node> {
    let mut found = FxHashSet::default();
    let mut state = states::start(graph, theta.body(graph));
    while let Some(Use::Input(node, _)) = state.and_then(|state| states::user(graph, state))
        && matches!(graph.op(node), Some(Op::Load(_)))
        && let Effect::Read(_, true) = effect(graph, numbers, None, node)
    {
        found.insert(node);
        state = states::after(graph, node);
    }
    found
}

/// Loads that every iteration executes before anything that may not return, from invariant addresses.
pub(super) fn candidates(graph: &Graph, numbers: &mut Numbering, theta: Theta) -> CertainLoads {
    let start = states::start(graph, theta.body(graph));
    computable_loads(graph, numbers, start, graph.region_of(theta.node()))
}

/// Loads that are executed after a state, before anything that may not return, from addresses that can be computed from what is available
/// in `outer`.
pub(super) fn computable_loads(
    graph: &Graph,
    numbers: &mut Numbering,
    start: Option<Origin>,
    outer: Region,
) -> CertainLoads {
    certain_loads(graph, numbers, start, |numbers, place| {
        numbers.is_visible(place.addr, outer) && is_computable(graph, numbers, place.addr)
    })
}

/// Some of the loads that are executed after a state, before anything that may not return, one per location.
pub(super) fn certain_loads(
    graph: &Graph,
    numbers: &mut Numbering,
    start: Option<Origin>,
    suits: impl Fn(&Numbering, Location) -> bool,
) -> CertainLoads {
    let mut found = Vec::new();
    let mut seen: FxHashSet<Location> = FxHashSet::default();
    let mut state = start;
    while let Some(Use::Input(node, _)) = state.and_then(|state| states::user(graph, state)) {
        if states::has_io(graph, node) || found.len() == MAX_PLACES {
            break;
        }
        if Gamma::new(graph, node).is_none()
            && Theta::new(graph, node).is_none()
            && let Effect::Read(place, true) = effect(graph, numbers, None, node)
            && suits(numbers, place)
            && seen.insert(place)
        {
            found.push((node, place));
        }
        state = states::after(graph, node);
    }
    found
}

/// Whether an address can be computed wherever its operands are available.
pub(super) fn is_computable(graph: &Graph, numbers: &Numbering, addr: Vn) -> bool {
    let mut pending = vec![addr];
    let mut looked_at = 0;
    while let Some(vn) = pending.pop() {
        looked_at += 1;
        if looked_at > MAX_ADDRESS {
            return false;
        }
        if let Def::Node(op, inputs) = numbers.def(vn) {
            if !op.is_speculatable(graph.pool()) {
                return false;
            }
            pending.extend(inputs);
        }
    }
    true
}

/// Where something is inserted.
#[derive(Copy, Clone)]
pub(super) enum Spot {
    /// Directly before a node.
    Before(Node),
    /// At the end of a region.
    End(Region),
}

impl Spot {
    fn insert(self, graph: &mut Graph) -> Insert<'_> {
        match self {
            Spot::Before(node) => Insert::before(graph, node),
            Spot::End(region) => Insert::end(graph, region),
        }
    }
}

/// Computes the value with a value number anew.
pub(super) fn materialize(
    graph: &mut Graph,
    numbers: &mut Numbering,
    router: &mut Router,
    vn: Vn,
    spot: Spot,
) -> Origin {
    enum Step {
        Visit(Vn),
        Build(Vn),
    }
    let region = spot.insert(graph).region();
    let mut steps = vec![Step::Visit(vn)];
    let mut done: Vec<Origin> = Vec::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Visit(vn) => match numbers.def(vn) {
                &Def::Leaf(origin) => done.push(router.route(graph, origin, region)),
                Def::Node(_, inputs) => {
                    steps.push(Step::Build(vn));
                    steps.extend(inputs.iter().rev().map(|&input| Step::Visit(input)));
                }
            },
            Step::Build(vn) => {
                let Def::Node(op, inputs) = numbers.def(vn) else { continue };
                let inputs = done.split_off(done.len() - inputs.len());
                let mut at = spot.insert(graph);
                let output = match *op {
                    Op::Const(constant) if inputs.is_empty() => at.constant(constant),
                    // The result must have the number `vn`, so it is not folded into something with another number.
                    op => {
                        let node = at.node(op, &inputs, &[numbers.ty(vn)]);
                        graph.output(node, 0)
                    }
                };
                numbers.set(output, vn);
                done.push(output);
            }
        }
    }
    let origin = done.pop().expect("the last step gives the value");
    numbers.set(origin, vn);
    origin
}
