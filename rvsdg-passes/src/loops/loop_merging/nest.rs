//! Nests that can be merged: where their parts are, and why others stay.

use rustc_hash::FxHashSet;
use rvsdg_analysis::callee::is_convergent;
use rvsdg_analysis::copying::{may_unroll, size_within};
use rvsdg_analysis::divergence::Divergence;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_analysis::trace::outward;
use rvsdg_core::graph::{Use, WalkItem};
use rvsdg_core::hints::{Hint, LoopHints};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type};

use super::{AROUND_PER_INNER, MAX_AROUND, is_constant};

/// Why a nest stays.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Decline {
    /// There are several loops in the outer one, or the only one is deeper than in one conditional.
    Shape,
    /// The alternative with the inner loop does something after it.
    After,
    /// Threads leave the inner loop together.
    Uniform,
    Convergent,
    /// Hints ask for something, or forbid everything.
    Said,
    /// An operation depends on the place where it is.
    Fixed,
    /// A state does not pass through the loops as one chain.
    States,
    Cost,
}

/// Two loops, one of which is in the other, and what is around the inner one.
pub(super) struct Nest {
    pub outer: Theta,
    pub inner: Theta,
    pub guard: Option<Guard>,
    /// What the inner loop, or the conditional around it, depends on, in the outer loop's body; in topological order.
    pub before: Vec<Node>,
    /// The other nodes there, in topological order.
    pub after: Vec<Node>,
    pub states: Vec<State>,
}

/// A conditional in the outer loop with the inner loop in one alternative.
#[derive(Copy, Clone)]
pub(super) struct Guard {
    pub gamma: Gamma,
    pub alternative: usize,
}

impl Guard {
    pub(super) fn region(self, graph: &Graph) -> Region {
        self.gamma.regions(graph)[self.alternative]
    }
}

/// A state that changes in the outer loop.
pub(super) struct State {
    pub ty: Type,
    /// The variable of the outer loop.
    pub outer: usize,
    /// The variable of the inner loop.
    pub inner: Option<usize>,
    /// The exit variable of the conditional around the inner loop.
    pub exit: Option<usize>,
    /// The state that enters the inner loop or the conditional, or else passes by them.
    pub crossing: Origin,
}

impl Nest {
    /// The nest of a loop with the loop in it, or why it stays; `None` for a loop without loops in it.
    pub(super) fn of(
        graph: &Graph,
        outer: Theta,
        divergence: &Divergence,
        surroundings: &Surroundings,
    ) -> Option<Result<Nest, Decline>> {
        let (inner, guard) = match inner_loop(graph, outer) {
            Inner::None => return None,
            Inner::Several => return Some(Err(Decline::Shape)),
            Inner::One(inner, guard) => (inner, guard),
        };
        Some(Nest::with(graph, outer, inner, guard, divergence, surroundings))
    }

    fn with(
        graph: &Graph,
        outer: Theta,
        inner: Theta,
        guard: Option<Guard>,
        divergence: &Divergence,
        surroundings: &Surroundings,
    ) -> Result<Nest, Decline> {
        if !divergence.parts_threads(graph, inner.node()) {
            return Err(Decline::Uniform);
        }
        let convergent = is_convergent(graph, Some(surroundings), outer.node());
        if convergent && !seeded::is_active(Bug::LmgConvergent) {
            return Err(Decline::Convergent);
        }
        if [outer, inner].iter().any(|&theta| forbids(graph.loop_hints(theta.node()))) {
            return Err(Decline::Said);
        }
        if !may_unroll(graph, Some(surroundings), outer) || !may_move(graph, outer) {
            return Err(Decline::Fixed);
        }
        let nest = Nest::parts(graph, outer, inner, guard)?;
        if nest.guard.is_some_and(|guard| nest.does_more(graph, guard)) {
            return Err(Decline::After);
        }
        let around = nest.size_around(graph);
        let inside = size_of(graph, graph.nodes(inner.body(graph)), MAX_AROUND);
        if around > MAX_AROUND || around > AROUND_PER_INNER * inside {
            return Err(Decline::Cost);
        }
        Ok(nest)
    }

    fn parts(graph: &Graph, outer: Theta, inner: Theta, guard: Option<Guard>) -> Result<Nest, Decline> {
        let anchor = guard.map_or(inner.node(), |guard| guard.gamma.node());
        let needed = dependences(graph, anchor);
        let [mut before, mut after] = [(); 2].map(|()| Vec::new());
        for node in graph.topological(outer.body(graph)).into_iter().filter(|&node| node != anchor) {
            if needed.contains(&node) { before.push(node) } else { after.push(node) }
        }
        let mut nest = Nest { outer, inner, guard, before, after, states: Vec::new() };
        for ty in [Type::MEM, Type::IO] {
            let state = nest.state(graph, ty, &needed)?;
            nest.states.extend(state);
        }
        Ok(nest)
    }

    /// How a state passes through the nest; `None` where it does not change.
    fn state(&self, graph: &Graph, ty: Type, needed: &FxHashSet<Node>) -> Result<Option<State>, Decline> {
        let inner = only(graph, ty, graph.outputs(self.inner.node()))?;
        let gamma = self.guard.map(|guard| guard.gamma.node());
        let exit = gamma.map_or(Ok(None), |gamma| only(graph, ty, graph.outputs(gamma)))?;
        let inputs: Vec<Origin> = gamma.map_or_else(Vec::new, |gamma| graph.input_origins(gamma).collect());
        let entry = only(graph, ty, &inputs)?;
        let outer = only(graph, ty, graph.outputs(self.outer.node()))?;
        let outer = outer.filter(|&index| !self.outer.loop_var(graph, index).is_invariant(graph));
        let Some(outer) = outer else {
            return if inner.is_some() || entry.is_some() || exit.is_some() { Err(Decline::States) } else { Ok(None) };
        };
        let is_left = |guard: Guard| {
            let result = exit.map(|exit| graph.result(guard.region(graph), exit));
            result == inner.map(|inner| graph.output(self.inner.node(), inner))
        };
        let passes = match self.guard {
            None => true,
            Some(guard) => entry.is_some() == exit.is_some() && (inner.is_none() || is_left(guard)),
        };
        let crossing = match (entry, inner, self.guard) {
            (Some(entry), ..) => Some(inputs[entry]),
            (None, Some(inner), None) => Some(graph.input(self.inner.node(), inner)),
            (None, ..) => self.passing_by(graph, outer, ty, needed),
        };
        match crossing.filter(|_| passes) {
            Some(crossing) => Ok(Some(State { ty, outer, inner, exit, crossing })),
            None => Err(Decline::States),
        }
    }

    /// The only state that goes from before the inner loop to after it.
    fn passing_by(&self, graph: &Graph, outer: usize, ty: Type, needed: &FxHashSet<Node>) -> Option<Origin> {
        let start = [self.outer.loop_var(graph, outer).pre].into_iter();
        let made = self.before.iter().flat_map(|&node| graph.outputs(node).iter().copied());
        let leaves = |&origin: &Origin| {
            graph.ty(origin) == ty
                && graph.users_of(origin).any(|user| match graph.site(user) {
                    Use::Input(node, _) => !needed.contains(&node),
                    Use::Result(..) => true,
                })
        };
        let mut found = start.chain(made).filter(leaves);
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether the alternative with the inner loop does something that this does not depend on.
    fn does_more(&self, graph: &Graph, guard: Guard) -> bool {
        let needed = dependences(graph, self.inner.node());
        graph
            .nodes(guard.region(graph))
            .any(|node| node != self.inner.node() && !needed.contains(&node) && !is_constant(graph, node))
    }

    /// The operations of the outer loop that are not in the inner one; more than the limit if there are more.
    fn size_around(&self, graph: &Graph) -> usize {
        let around = self.before.iter().chain(&self.after).copied();
        let alternatives = self.guard.iter().flat_map(|guard| guard.gamma.regions(graph));
        let guarded = alternatives.flat_map(|&region| graph.nodes(region)).filter(|&node| node != self.inner.node());
        size_of(graph, around.chain(guarded), MAX_AROUND)
    }
}

/// The loop in a loop.
enum Inner {
    None,
    One(Theta, Option<Guard>),
    Several,
}

fn inner_loop(graph: &Graph, outer: Theta) -> Inner {
    let mut found = Inner::None;
    for node in graph.nodes(outer.body(graph)) {
        let here = match (Theta::new(graph, node), Gamma::new(graph, node)) {
            (Some(theta), _) => Inner::One(theta, None),
            (None, Some(gamma)) => guarded(graph, gamma),
            (None, None) => Inner::None,
        };
        found = match (found, here) {
            (found, Inner::None) => found,
            (Inner::None, here) => here,
            (Inner::One(..) | Inner::Several, Inner::One(..) | Inner::Several) => return Inner::Several,
        };
    }
    found
}

/// The loop in a conditional.
fn guarded(graph: &Graph, gamma: Gamma) -> Inner {
    let mut found = Inner::None;
    for (alternative, &region) in gamma.regions(graph).iter().enumerate() {
        for node in graph.nodes(region) {
            let is_loop = |inner: Node| graph.kind(inner) == NodeKind::Theta;
            let has_loop = |&region: &Region| {
                graph.walk_region(region).any(|item| matches!(item, WalkItem::Node(inner) if is_loop(inner)))
            };
            match (&found, Theta::new(graph, node)) {
                (Inner::None, Some(theta)) => found = Inner::One(theta, Some(Guard { gamma, alternative })),
                (_, None) if !graph.subregions(node).iter().any(has_loop) => {}
                (_, Some(_) | None) => return Inner::Several,
            }
        }
    }
    found
}

/// The nodes of its region that a node depends on.
fn dependences(graph: &Graph, node: Node) -> FxHashSet<Node> {
    let mut found = FxHashSet::default();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let producers = graph.input_origins(node).filter_map(|origin| graph.producer(origin));
        pending.extend(producers.filter(|&producer| found.insert(producer)));
    }
    found
}

/// Whether a hint asks for another transformation, or nothing may transform the loop.
fn forbids(hints: LoopHints) -> bool {
    let asks = |hint: Hint| match hint {
        Hint::Wanted | Hint::Wholly | Hint::Times(_) => true,
        Hint::Unsaid | Hint::Never => false,
    };
    asks(hints.unroll) || asks(hints.vectorize) || (hints.unroll, hints.vectorize) == (Hint::Never, Hint::Never)
}

/// Whether everything in a loop may be in a conditional: nothing in it is a branch of its own kind, and the symbols of constants are known
/// wherever these are.
fn may_move(graph: &Graph, outer: Theta) -> bool {
    graph.walk_region(outer.body(graph)).all(|item| {
        let WalkItem::Node(node) = item else { return true };
        let op = graph.op(node);
        let branches = matches!(op, Some(Op::Invoke(_) | Op::CallBr(_) | Op::IndirectBr(_) | Op::Funclet(_)));
        let is_movable = !matches!(op, Some(Op::Const(_)))
            || graph.input_origins(node).all(|origin| comes_from_before(graph, outer, origin));
        !branches && is_movable
    })
}

/// Whether a value is a constant, or enters a loop and does not change in it.
fn comes_from_before(graph: &Graph, outer: Theta, mut origin: Origin) -> bool {
    loop {
        let OriginDef::Argument(region, index) = graph.def(origin) else {
            return graph.producer(origin).is_some_and(|node| is_constant(graph, node));
        };
        match outward(graph, region, index) {
            Some((_, node)) if node == outer.node() => return true,
            Some((around, _)) => origin = around,
            None => return false,
        }
    }
}

/// The position of the value of a type, of which there is at most one.
fn only(graph: &Graph, ty: Type, origins: &[Origin]) -> Result<Option<usize>, Decline> {
    let mut found = (0..origins.len()).filter(|&index| graph.ty(origins[index]) == ty);
    let first = found.next();
    if found.next().is_some() { Err(Decline::States) } else { Ok(first) }
}

/// The number of operations of nodes and in them, or more than the limit.
fn size_of(graph: &Graph, nodes: impl Iterator<Item = Node>, limit: usize) -> usize {
    let mut size = 0;
    for node in nodes {
        size += size_within(graph, node, limit);
        if size > limit {
            break;
        }
    }
    size
}
