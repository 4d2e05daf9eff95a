//! The accesses of an innermost loop, and the dependences between them.

use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Type, Use};

use super::affine::{Addresses, Affine};
use super::distance::{Dependence, distances};
use crate::memory::{Location, Objects, states};
use crate::numbering::Numbering;

/// A load or store that every iteration executes.
#[derive(Clone, Debug)]
pub struct Access {
    /// The load or store.
    pub node: Node,
    /// Whether it is a store.
    pub writes: bool,
    /// The type of the value in memory.
    pub ty: Type,
    /// How many bytes it touches.
    pub size: i64,
    /// Its address, if that is an affine function of the iteration.
    pub address: Option<Affine>,
}

/// Why the accesses of a loop are unknown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Something in it is conditional or in an inner loop.
    ControlFlow,
    /// It may be left early, or has other observable effects.
    Effects,
    /// A call may access memory.
    Call,
    /// An access is volatile or atomic.
    Ordered,
    /// The size of an access is unknown.
    Size,
}

/// The loads and stores of an innermost loop whose iterations are executed from end to end.
#[derive(Debug)]
pub struct Accesses {
    list: Vec<Access>,
}

impl Accesses {
    /// The accesses of a loop, in the order of the memory state.
    ///
    /// # Errors
    /// The first reason why they are unknown.
    pub fn of(graph: &Graph, theta: Theta, addresses: &mut Addresses<'_>) -> Result<Accesses, Obstacle> {
        let body = theta.body(graph);
        let mut states = 0;
        for node in graph.nodes(body) {
            let NodeKind::Simple(op) = graph.kind(node) else { return Err(Obstacle::ControlFlow) };
            if let Op::Load(access) | Op::Store(access) = op
                && !access.is_plain()
            {
                return Err(Obstacle::Ordered);
            }
            if states::has_io(graph, node) || op.is_branch() || op.is_end() {
                return Err(Obstacle::Effects);
            }
            if op.effects(graph.pool()).mem {
                match op {
                    Op::Load(_) | Op::Store(_) => states += 1,
                    Op::Call(_) => return Err(Obstacle::Call),
                    _ => return Err(Obstacle::Effects),
                }
            }
        }
        let mut list = Vec::new();
        let mut state = states::start(graph, body);
        while let Some(Use::Input(node, _)) = state.and_then(|state| states::user(graph, state)) {
            let (writes, ty, pointer) = match graph.op(node) {
                Some(Op::Load(_)) => (false, graph.ty(graph.output(node, 0)), graph.input(node, 0)),
                Some(Op::Store(_)) => (true, graph.ty(graph.input(node, 0)), graph.input(node, 1)),
                _ => return Err(Obstacle::Effects),
            };
            let layout = addresses.layouts().of(graph.pool(), ty).map_err(|_| Obstacle::Size)?;
            let size = i64::try_from(layout.store).ok().filter(|&size| size > 0).ok_or(Obstacle::Size)?;
            list.push(Access { node, writes, ty, size, address: addresses.affine(graph, pointer) });
            state = states::after(graph, node);
        }
        // With several states, the order of one does not order the others.
        if list.len() == states { Ok(Accesses { list }) } else { Err(Obstacle::Effects) }
    }

    /// The accesses in order.
    pub fn list(&self) -> &[Access] {
        &self.list
    }

    /// The dependence between two accesses, of which the first comes first. Pairs of loads, and an access and itself, are treated like
    /// any others.
    pub fn dependence(
        graph: &Graph,
        numbers: &mut Numbering,
        objects: &Objects<'_>,
        a: &Access,
        b: &Access,
    ) -> Dependence {
        let (Some(first), Some(second)) = (&a.address, &b.address) else { return Dependence::Unknown };
        if let (Some(gap), Some(stride_a), Some(stride_b)) = (first.distance_to(second), first.step(), second.step()) {
            return distances(gap, [stride_a, stride_b], [a.size, b.size]);
        }
        let mut object = |origin: Origin| Location { addr: numbers.get(graph, origin), ty: Type::VOID };
        let (root_a, root_b) = (object(first.root()), object(second.root()));
        let apart = root_a != root_b && objects.are_disjoint(graph, numbers, root_a, root_b);
        if apart { Dependence::Independent } else { Dependence::Unknown }
    }
}
