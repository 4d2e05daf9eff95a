//! Pushes nodes out of loops.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use rvsdg_analysis::callee::is_convergent;
use rvsdg_analysis::memory::states;
use rvsdg_analysis::order::Orders;
use rvsdg_analysis::safety::{has_states, is_executed_wholly, is_movable, is_speculatable};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Motion, Node, Op, Origin, Region, Type, Use};

use crate::pass::{Change, PassCx};

/// How many loops a node may leave: its value is routed back through each of them, so many nodes in a deep nest would cost the square of
/// its depth.
pub const MAX_LEVELS: u8 = 32;

/// Facts about all loops of a body.
pub(super) struct Loops<'c> {
    cx: &'c PassCx,
    /// How many loops a node has left.
    levels: SecondaryMap<Node, u8>,
    /// Whether a γ or θ that was visited leaves memory unchanged.
    only_reads: SecondaryMap<Node, bool>,
    orders: Orders,
}

impl<'c> Loops<'c> {
    pub(super) fn new(graph: &Graph, cx: &'c PassCx) -> Loops<'c> {
        let nodes = graph.node_bound();
        Loops {
            cx,
            levels: SecondaryMap::with_capacity(nodes),
            only_reads: SecondaryMap::with_capacity(nodes),
            orders: Orders::default(),
        }
    }

    /// Moves nodes out of a loop; inner loops are processed first.
    pub(super) fn push_out(&mut self, graph: &mut Graph, theta: Theta) -> Change {
        let body = theta.body(graph);
        let only_reads = self.region_only_reads(graph, body);
        let mut invariant: FxHashMap<Origin, Origin> = FxHashMap::default();
        for variable in theta.loop_vars(graph) {
            if graph.origin(variable.post) == variable.pre && !graph.ty(variable.pre).is_state() {
                invariant.insert(variable.pre, graph.origin(variable.input));
            }
        }
        if invariant.is_empty() {
            return Change::Unchanged;
        }
        let is_certain = is_executed_wholly(graph, body);
        let mut leaving = Leaving {
            theta,
            outside: graph.region_of(theta.node()),
            invariant,
            copies: FxHashMap::default(),
            moved: Vec::new(),
        };
        let mut regions = vec![body];
        while let Some(region) = regions.pop() {
            for node in self.orders.topological(graph, region).to_vec() {
                if self.levels[node] < MAX_LEVELS {
                    let place = Place { certain: is_certain && region == body, direct: region == body, only_reads };
                    if self.leave(graph, node, place, &mut leaving) {
                        self.levels[node] += 1;
                        continue;
                    }
                } else {
                    self.cx.count("too_deep", 1);
                }
                if Theta::new(graph, node).is_none() {
                    leaving.enter(graph, node);
                    regions.extend_from_slice(graph.subregions(node));
                }
            }
        }
        leaving.bring_back(graph);
        Change::when(!leaving.moved.is_empty())
    }

    /// Moves a node out if that is correct.
    fn leave(&self, graph: &mut Graph, node: Node, place: Place, leaving: &mut Leaving) -> bool {
        match graph.op(node) {
            Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)) => false,
            Some(_) if !has_states(graph, node) => {
                let safe = is_speculatable(graph, node);
                if !(safe || place.certain && is_movable(graph, self.cx.surroundings(), node))
                    || !leaving.is_invariant(graph, node)
                    || !self.cx.rewrite("hoisted", graph, node)
                {
                    return false;
                }
                leaving.take(graph, node);
                graph.set_moved(node, if place.certain { Motion::Hoisted } else { Motion::Speculated });
                self.cx.count("hoisted", 1);
                self.cx.count("speculated", u64::from(!place.certain));
                true
            }
            Some(Op::Load(access)) => {
                let plain = access.is_plain();
                plain
                    && (place.certain || seeded::is_active(Bug::PshGuardedLoad))
                    && (place.only_reads || seeded::is_active(Bug::PshStateEdge))
                    && self.leave_with_state(graph, node, Type::MEM, leaving, "loads")
            }
            Some(op) if op.may_carry_io() => {
                let state = graph.inputs(node).last().map(|&input| graph.origin(input));
                // Nothing that might not return precedes the first effect of the loop.
                let first = state.is_some_and(|state| graph.producer(state).is_none());
                place.direct && first && self.leave_with_state(graph, node, Type::IO, leaving, "trapping")
            }
            Some(_) => false,
            None => {
                if !place.certain
                    || has_states(graph, node)
                    || is_convergent(graph, self.cx.surroundings(), node)
                    || !leaving.is_invariant(graph, node)
                    || !self.cx.rewrite("hoisted", graph, node)
                {
                    return false;
                }
                leaving.take(graph, node);
                self.cx.count("hoisted", 1);
                true
            }
        }
    }

    /// Moves out a node whose last input and output are a state, and inserts it into that state before the loop.
    fn leave_with_state(
        &self,
        graph: &mut Graph,
        node: Node,
        state: Type,
        leaving: &mut Leaving,
        counter: &'static str,
    ) -> bool {
        let (&[.., state_input], &[.., state_output]) = (graph.inputs(node), graph.outputs(node)) else { return false };
        let variable = leaving.theta.loop_vars(graph).find(|variable| graph.ty(variable.pre) == state);
        let Some(variable) = variable else { return false };
        if !leaving.is_invariant(graph, node) || !self.cx.rewrite(counter, graph, node) {
            return false;
        }
        graph.divert_users(state_output, graph.origin(state_input));
        graph.divert(state_input, graph.origin(variable.input));
        graph.divert(variable.input, state_output);
        leaving.take(graph, node);
        graph.set_moved(node, Motion::Hoisted);
        self.cx.count("hoisted", 1);
        self.cx.count(counter, 1);
        true
    }

    /// Whether a region returns the memory state unchanged except for plain loads. The answer for γ and θ inside is known; this one is
    /// recorded for the node that owns the region.
    fn region_only_reads(&mut self, graph: &Graph, region: Region) -> bool {
        let reads = self.find_region_only_reads(graph, region);
        if let Some(parent) = graph.parent(region) {
            self.only_reads[parent] = reads;
        }
        reads
    }

    fn find_region_only_reads(&mut self, graph: &Graph, region: Region) -> bool {
        let mut pending = vec![region];
        while let Some(region) = pending.pop() {
            let mut state = states::start(graph, region);
            while let Some(Use::Input(node, _)) = state.and_then(|state| states::user(graph, state)) {
                match graph.op(node) {
                    Some(Op::Load(access)) if !access.is_ordered() => {}
                    Some(_) => return false,
                    None if Theta::new(graph, node).is_some() => {
                        if !self.only_reads[node] {
                            return false;
                        }
                    }
                    None => pending.extend_from_slice(graph.subregions(node)),
                }
                state = states::after(graph, node);
            }
        }
        true
    }
}

/// The position of a node in the loop.
#[derive(Copy, Clone)]
struct Place {
    /// It is executed whenever the loop is.
    certain: bool,
    /// It is directly in the loop's body.
    direct: bool,
    /// The loop writes nothing.
    only_reads: bool,
}

/// The nodes that leave one loop.
struct Leaving {
    theta: Theta,
    /// The region that contains the loop.
    outside: Region,
    /// The outer values of invariant arguments in the loop.
    invariant: FxHashMap<Origin, Origin>,
    /// Copies of constants and predicates that nodes outside need, by the originals in the loop.
    copies: FxHashMap<Node, Node>,
    moved: Vec<Node>,
}

impl Leaving {
    /// Whether the operands of a node are invariant.
    fn is_invariant(&self, graph: &Graph, node: Node) -> bool {
        graph.input_origins(node).all(|origin| graph.ty(origin).is_state() || self.is_available(graph, origin))
    }

    /// Whether a value is available outside, or can be computed there from such values.
    fn is_available(&self, graph: &Graph, origin: Origin) -> bool {
        if self.is_outside(graph, origin) || self.invariant.contains_key(&origin) {
            return true;
        }
        let Some(producer) = graph.producer(origin) else { return false };
        match graph.op(producer) {
            Some(Op::Const(_) | Op::CtlConst { .. } | Op::Match(_)) => graph
                .input_origins(producer)
                .all(|origin| self.is_outside(graph, origin) || self.invariant.contains_key(&origin)),
            _ => false,
        }
    }

    fn is_outside(&self, graph: &Graph, origin: Origin) -> bool {
        graph.scope(origin) == self.outside
    }

    /// The outer value of an available value.
    fn outer(&mut self, graph: &mut Graph, origin: Origin) -> Origin {
        if self.is_outside(graph, origin) {
            return origin;
        }
        if let Some(&outer) = self.invariant.get(&origin) {
            return outer;
        }
        let producer = graph.producer(origin).expect("an available value that is no argument is an output");
        let copy = match self.copies.get(&producer) {
            Some(&copy) => copy,
            None => {
                let inputs: Vec<Origin> = graph
                    .input_origins(producer)
                    .map(|input| self.invariant.get(&input).copied().unwrap_or(input))
                    .collect();
                let op = graph.op(producer).expect("constants and predicates are simple");
                let (source, ty) = (graph.source(producer), graph.ty(origin));
                let copy = Insert::before(graph, self.theta.node()).source(source).node(op, &inputs, &[ty]);
                self.copies.insert(producer, copy);
                copy
            }
        };
        graph.output(copy, 0)
    }

    /// Moves an invariant node before the loop.
    fn take(&mut self, graph: &mut Graph, node: Node) {
        for index in 0..graph.inputs(node).len() {
            let input = graph.inputs(node)[index];
            let origin = graph.origin(input);
            if !graph.ty(origin).is_state() {
                let outer = self.outer(graph, origin);
                graph.divert(input, outer);
            }
        }
        graph.move_before(node, self.theta.node());
        self.moved.push(node);
    }

    /// Records which arguments of a γ in the loop are invariant.
    fn enter(&mut self, graph: &Graph, node: Node) {
        for &region in graph.subregions(node) {
            for (index, &argument) in graph.arguments(region).iter().enumerate() {
                let origin = graph.input(node, index + 1);
                if self.is_outside(graph, origin) {
                    self.invariant.insert(argument, origin);
                } else if let Some(&outer) = self.invariant.get(&origin) {
                    self.invariant.insert(argument, outer);
                }
            }
        }
    }

    /// Routes the values of nodes that left back to those that stayed.
    fn bring_back(&self, graph: &mut Graph) {
        let mut router = Router::default();
        for &node in &self.moved {
            for index in 0..graph.outputs(node).len() {
                let output = graph.output(node, index);
                let users: Vec<_> =
                    graph.users_of(output).filter(|&user| graph.user_scope(user) != self.outside).collect();
                for user in users {
                    let region = graph.user_scope(user);
                    let inside = router.route(graph, output, region);
                    graph.divert(user, inside);
                }
            }
        }
    }
}
