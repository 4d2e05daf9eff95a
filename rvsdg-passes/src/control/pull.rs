//! Node pull-in (sinking): moves nodes whose values only one alternative of a conditional uses into that alternative.
//!
//! ```text
//! v3: i32 = mul v0, v1
//! v4: i32 = gamma v2 (v0, v3) {
//! case 0 (v5: i32, v6: i32) {
//!   yield v5
//! }
//! case 1 (v7: i32, v8: i32) {
//!   yield v8
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v4: i32 = gamma v2 (v0, v1) {
//! case 0 (v5: i32, v6: i32) {
//!   yield v5
//! }
//! case 1 (v7: i32, v8: i32) {
//!   v3: i32 = mul v7, v8
//!   yield v3
//! }
//! ```
//!
//! The node is then executed only where it is needed. Regions are visited from the outside in, and each node of a region after all
//! of its users, so that whole expressions move, and as far in as possible. Candidates are:
//!
//! - simple nodes without states: executing them less often cannot make anything undefined;
//! - γ and θ without states, which have no effect and terminate; a γ together with its predicate;
//! - plain loads, if nothing happens to memory between them and the conditional.
//!
//! Nothing moves into a loop, where it would be executed more often. Constants are copied to their uses.
//!
//! In a loop whose iterations load where the next one branches, as those of interpreters, the loads move to the branch (`dispatch`).
//!
//! Running it again finds nothing, unless [`MAX_LEVELS`] stopped it.
//!
//! Statistics: `dispatches` with joined loads; `pulled` nodes, counted once for every conditional that they enter, of which `loads` and
//! `structural` ones; `too_deep` nodes that stay because they already entered [`MAX_LEVELS`] conditionals.
//!
//! Cost: linear in the number of edges, times the number of conditionals that a node enters, which is bounded.
//!
//! Left out: copies into several alternatives if some alternatives do not use a value; calls and stores, which are on state chains.
//!
//! Thesis B1.7, "node pull-in".

mod dispatch;
mod entries;

use cranelift_entity::SecondaryMap;
use rvsdg_analysis::callee::is_convergent;
use rvsdg_analysis::order::{Orders, structural_bottom_up};
use rvsdg_analysis::safety::{has_states, is_movable};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Motion, Node, Op, Origin, Region, Type, Use};

use crate::pass::{BodyPass, Change, PassCx, Stage};
use entries::Entries;

/// How many conditionals a node may enter: each costs a variable for each operand, so many nodes before a deep nest would cost the square
/// of its depth.
pub const MAX_LEVELS: u8 = 32;

/// The stage of [node pull-in](self).
pub struct PullIn;

impl BodyPass for PullIn {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut orders = Orders::default();
        let mut levels: SecondaryMap<Node, u8> = SecondaryMap::with_capacity(graph.node_bound());
        let mut change = Change::Unchanged;
        for node in structural_bottom_up(graph) {
            if let Some(theta) = Theta::new(graph, node) {
                change |= dispatch::join(graph, theta, cx);
            }
        }
        let mut regions = vec![graph.root()];
        while let Some(region) = regions.pop() {
            let order = orders.topological(graph, region);
            let mut entries = Entries::default();
            for &node in order.iter().rev() {
                let Some(place) = only_user(graph, node) else { continue };
                if levels[node] >= MAX_LEVELS {
                    cx.count("too_deep", 1);
                    continue;
                }
                let Some(kind) = kind(graph, cx, node, place) else { continue };
                if !cx.rewrite("pulled", graph, node) {
                    break;
                }
                pull(graph, node, place, kind, &mut entries);
                levels[node] += 1;
                cx.count("pulled", 1);
                cx.count("loads", u64::from(kind == Kind::Load));
                cx.count("structural", u64::from(kind == Kind::Structural));
                change = Change::Changed;
            }
            entries.clean(graph);
            for node in graph.nodes(region) {
                regions.extend_from_slice(graph.subregions(node));
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(PullIn))]
}

/// An alternative of a γ.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Place {
    gamma: Gamma,
    alternative: usize,
}

impl Place {
    fn region(self, graph: &Graph) -> Region {
        self.gamma.regions(graph)[self.alternative]
    }
}

/// How a node moves.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Simple,
    /// Removed from the memory state before the γ, and inserted into it in the alternative.
    Load,
    Structural,
}

/// The only alternative that uses a node's values, not counting states.
fn only_user(graph: &Graph, node: Node) -> Option<Place> {
    let mut place: Option<Place> = None;
    // A γ may have an input that none of its alternatives uses.
    let mut only: Option<Gamma> = None;
    for &output in graph.outputs(node) {
        if graph.ty(output).is_state() {
            continue;
        }
        for user in graph.users_of(output) {
            let Use::Input(consumer, position) = graph.site(user) else { return None };
            let gamma = Gamma::new(graph, consumer)?;
            if position == 0 || *only.get_or_insert(gamma) != gamma {
                return None;
            }
            for (alternative, &region) in gamma.regions(graph).iter().enumerate() {
                if !graph.has_users(graph.arguments(region)[position as usize - 1]) {
                    continue;
                }
                if place.is_some_and(|place| place.alternative != alternative)
                    && !seeded::is_active(Bug::PllAlternatives)
                {
                    return None;
                }
                place = Some(Place { gamma, alternative });
            }
        }
    }
    place
}

/// How a node may move, if it may.
fn kind(graph: &Graph, cx: &PassCx, node: Node, place: Place) -> Option<Kind> {
    match graph.op(node) {
        Some(Op::Const(_) | Op::CtlConst { .. }) => None,
        Some(Op::Load(access)) => {
            let plain = access.is_plain();
            let &[_, state] = graph.outputs(node) else { return None };
            let next = graph.users_of(state).next()?;
            let enters = matches!(graph.site(next), Use::Input(next, _) if next == place.gamma.node());
            let is_passed = seeded::is_active(Bug::PllLoad) && memory_of(graph, place.gamma.node()).is_some();
            (plain && (enters || is_passed)).then_some(Kind::Load)
        }
        Some(_) if seeded::is_active(Bug::PllConvergent) && !has_states(graph, node) => Some(Kind::Simple),
        Some(_) => is_movable(graph, cx.surroundings(), node).then_some(Kind::Simple),
        // Predicates are used where they are defined.
        None if has_states(graph, node)
            || brings_predicates(graph, node)
            || is_convergent(graph, cx.surroundings(), node) =>
        {
            None
        }
        None => match Gamma::new(graph, node) {
            None => Some(Kind::Structural),
            Some(gamma) => {
                let predicate = graph.origin(gamma.predicate(graph));
                let op = graph.producer(predicate).and_then(|producer| graph.op(producer));
                let comes_along = match op {
                    Some(Op::Match(_)) => graph.has_one_user(predicate),
                    Some(Op::CtlConst { .. }) => true,
                    _ => false,
                };
                comes_along.then_some(Kind::Structural)
            }
        },
    }
}

/// Whether predicates enter the regions of a γ or θ.
fn brings_predicates(graph: &Graph, node: Node) -> bool {
    let variables = usize::from(Gamma::new(graph, node).is_some());
    graph.input_origins(node).skip(variables).any(|origin| graph.pool().ctl_alternatives(graph.ty(origin)).is_some())
}

/// Moves a node to the start of an alternative.
fn pull(graph: &mut Graph, node: Node, place: Place, kind: Kind, entries: &mut Entries) {
    let region = place.region(graph);
    let outside = graph.region_of(node);
    // The alternative then uses the node itself.
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        if graph.ty(output).is_state() {
            continue;
        }
        let inputs: Vec<_> = graph.users_of(output).collect();
        for user in inputs {
            if let Use::Input(consumer, position) = graph.site(user)
                && consumer == place.gamma.node()
                && position > 0
            {
                let argument = graph.arguments(region)[position as usize - 1];
                graph.divert_users(argument, output);
                entries.leave(place.gamma, position as usize - 1);
            }
        }
    }
    if kind == Kind::Load {
        bypass(graph, node, place);
    }
    move_in(graph, node, region);
    graph.set_moved(node, Motion::Sunk);
    for index in 0..graph.inputs(node).len() {
        let input = graph.inputs(node)[index];
        let origin = graph.origin(input);
        if graph.scope(origin) != outside {
            continue;
        }
        let inside = inner(graph, origin, place, entries);
        graph.divert(input, inside);
    }
}

fn move_in(graph: &mut Graph, node: Node, region: Region) {
    graph.move_to(node, region);
    graph.move_to_front(node);
}

/// Routes a value from outside a γ into one of its alternatives.
fn inner(graph: &mut Graph, origin: Origin, place: Place, entries: &mut Entries) -> Origin {
    let region = place.region(graph);
    let producer = graph.producer(origin);
    match producer.and_then(|producer| Some((producer, graph.op(producer)?))) {
        Some((producer, op @ (Op::Const(_) | Op::CtlConst { .. }))) if graph.inputs(producer).is_empty() => {
            let ty = graph.ty(origin);
            let copy = Insert::front(graph, region).node(op, &[], &[ty]);
            graph.output(copy, 0)
        }
        Some((producer, Op::Match(_))) => {
            move_in(graph, producer, region);
            let input = graph.inputs(producer)[0];
            let operand = graph.origin(input);
            let inside = inner(graph, operand, place, entries);
            graph.divert(input, inside);
            origin
        }
        _ => entries.router.route(graph, origin, region),
    }
}

/// The memory-state input of a node.
fn memory_of(graph: &Graph, node: Node) -> Option<usize> {
    graph.input_origins(node).position(|origin| graph.ty(origin) == Type::MEM)
}

/// Removes a load from the memory state before a γ, and inserts it into that state in an alternative.
fn bypass(graph: &mut Graph, load: Node, place: Place) {
    let memory = graph.inputs(load)[memory_of(graph, load).expect("a load takes memory")];
    let state = *graph.outputs(load).last().expect("a load gives memory");
    let next = graph.users_of(state).next().expect("states are used once");
    let position = memory_of(graph, place.gamma.node()).expect("the state enters the γ");
    let argument = graph.arguments(place.region(graph))[position - 1];
    graph.divert(next, graph.origin(memory));
    graph.divert_users(argument, state);
    graph.divert(memory, argument);
}
