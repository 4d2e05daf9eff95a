//! Outer loops whose iterations are executed in lockstep: the accesses of a loop with inner loops, and which of its iterations may
//! execute every access together, before the next one.
//!
//! An access is at `position + step · x + inner_step · t` in iteration x of the outer loop and t of the inner one. In lockstep, an access
//! of a later iteration precedes later accesses of an earlier iteration. So two accesses, one of which writes, must not overlap in
//! different iterations. That follows if they are in different objects, from their distance if they start from one pointer ([`meets`]),
//! or from ranges that are compared before the loop.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, Region, Type};

use super::accesses::Obstacle;
use super::affine::{Term, rooted, terms};
use super::distance::{Move, in_sequence, meets};
use super::steps::Steps;
use crate::evolution::{Evolution, Linear, Repetitions};
use crate::invariant::{follow_out, known_constant};
use crate::memory::{Location, Objects, states};
use crate::numbering::Numbering;
use crate::surroundings::Surroundings;

/// The depth to which an address is traced to its value in the first iterations.
const DEPTH: u32 = 8;
/// How many regions may enclose a value.
const MAX_LEVELS: u32 = 16;
/// The width of an address.
const BITS: u32 = 64;
/// The maximum number of iterations that are executed together.
pub const MAX_BLOCK: u64 = 32;

/// Why the iterations of a loop cannot be executed in lockstep.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Parting {
    /// An access or an effect prevents it.
    Access(Obstacle),
    /// There is no inner loop, or an inner loop has one, or too many regions are nested.
    Depth,
    /// Iterations may take different paths, or differ in the trip count of an inner loop.
    Ways,
    /// The trip count of an inner loop cannot be computed before the nest.
    Count,
    /// The range of an access cannot be computed before the nest.
    Bounds,
}

/// A load or store of a loop or of an inner loop.
#[derive(Clone, Debug)]
pub struct NestAccess {
    /// The load or store.
    pub node: Node,
    /// Whether it is a store.
    pub writes: bool,
    /// The type of the value in memory.
    pub ty: Type,
    /// How many bytes it touches.
    pub size: i64,
    /// The inner loop that contains it, by position.
    pub inner: Option<usize>,
    /// How many bytes it moves from one iteration of the outer loop to the next.
    pub step: i64,
    /// How many bytes it moves from one iteration of the inner loop to the next.
    pub inner_step: i64,
    /// A pointer of the region that contains the outer loop.
    pub base: Origin,
    /// Its distance in bytes from that pointer in the first iterations, in values of that region.
    pub offset: Linear,
    /// The pointer from which the base is computed, traced outwards as far as possible.
    pub root: Origin,
    /// Its distance in bytes from the root, in values traced outwards.
    position: Linear,
}

impl NestAccess {
    /// The distance in bytes from this access to another one in the first iterations, if both start from one pointer and it is known.
    pub fn distance_to(&self, other: &NestAccess) -> Option<i64> {
        if self.root != other.root {
            return None;
        }
        let distance = other.position.minus(&self.position).known()?.signed();
        i32::try_from(distance).ok().map(i64::from)
    }

    /// Whether it touches the same bytes as another one, iteration by iteration.
    pub fn is_at(&self, other: &NestAccess) -> bool {
        let same = |a: &NestAccess, b: &NestAccess| {
            (a.size, a.step, a.inner, a.inner_step) == (b.size, b.step, b.inner, b.inner_step)
        };
        same(self, other) && self.distance_to(other) == Some(0)
    }
}

/// An inner loop.
#[derive(Debug)]
pub struct InnerLoop {
    /// The loop.
    pub theta: Theta,
    /// Its exit condition.
    pub repetitions: Repetitions,
    /// Its trip count, if known.
    pub known: Option<u128>,
    /// The compared value at the end of its first iteration, in values of the region that contains the outer loop.
    pub first: Linear,
    /// The bound that it is compared with.
    pub bound: Linear,
}

/// The overlap of two accesses of different iterations.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// They never overlap, not even in one iteration.
    Never,
    /// Only in one iteration, or in iterations that are far apart.
    After {
        /// How many iterations may be executed in lockstep without an overlap.
        lockstep: u64,
        /// How many iterations may be executed one after another in each iteration of the inner loop that contains both: they may overlap
        /// there, but the one that is later in the outer loop is not in an earlier iteration of the inner one.
        sequence: u64,
    },
    /// Nothing is known. They do not overlap if the ranges that all iterations together touch do not.
    Unknown,
}

/// A loop with inner loops.
pub struct Nest {
    /// The outer loop.
    pub theta: Theta,
    /// How its values change from one iteration to the next.
    pub steps: Steps,
    /// The inner loops, in the order of the memory state.
    pub inner: Vec<InnerLoop>,
    /// All accesses.
    pub accesses: Vec<NestAccess>,
}

impl Nest {
    /// Analyzes a loop. `changing` has loads whose value may differ between iterations although their address does not.
    ///
    /// # Errors
    /// The first reason why its iterations cannot be executed in lockstep.
    pub fn of(
        graph: &Graph,
        evolution: &Evolution,
        surroundings: &Surroundings,
        changing: &FxHashSet<Node>,
    ) -> Result<Nest, Parting> {
        let theta = evolution.theta();
        let steps_of = |evolution: &Evolution| Steps::of(graph, evolution, surroundings.layouts()?, changing);
        let steps = steps_of(evolution).ok_or(Parting::Depth)?;
        let mut layouts = surroundings.layouts().ok_or(Parting::Bounds)?;
        let mut nest = Nest { theta, steps, inner: Vec::new(), accesses: Vec::new() };
        let mut found = Vec::new();
        let mut pending: Vec<(Region, Option<usize>, u32)> = vec![(theta.body(graph), None, 0)];
        while let Some((region, inner, depth)) = pending.pop() {
            if depth > MAX_LEVELS {
                return Err(Parting::Depth);
            }
            for node in graph.nodes(region) {
                if let Some(gamma) = Gamma::new(graph, node) {
                    if !nest.steps.is_same(graph.origin(gamma.predicate(graph))) {
                        return Err(Parting::Ways);
                    }
                    pending.extend(gamma.regions(graph).iter().map(|&region| (region, inner, depth + 1)));
                } else if let Some(of) = Theta::new(graph, node) {
                    if inner.is_some() {
                        return Err(Parting::Depth);
                    }
                    if !nest.steps.is_same(graph.origin(of.predicate(graph))) {
                        return Err(Parting::Ways);
                    }
                    nest.add_inner(graph, of)?;
                    pending.push((of.body(graph), Some(nest.inner.len() - 1), depth + 1));
                } else if let Some((writes, ty, pointer)) = access(graph, node)? {
                    found.push((node, inner, writes, ty, pointer));
                }
            }
        }
        if nest.inner.is_empty() {
            return Err(Parting::Depth);
        }
        let mut inner_steps: FxHashMap<usize, Steps> = FxHashMap::default();
        for (index, inner) in nest.inner.iter().enumerate() {
            let evolution = Evolution::of(graph, inner.theta);
            inner_steps.insert(index, steps_of(&evolution).ok_or(Parting::Depth)?);
        }
        for (node, inner, writes, ty, pointer) in found {
            let size = layouts.of(graph.pool(), ty).ok().and_then(|layout| i64::try_from(layout.store).ok());
            let size = size.filter(|&size| size > 0).ok_or(Parting::Access(Obstacle::Size))?;
            let small = |step: Option<Int>| i32::try_from(step?.signed()).ok().map(i64::from);
            let step = small(nest.steps.step(pointer)).ok_or(Parting::Bounds)?;
            let inner_step = match inner {
                Some(index) => small(inner_steps[&index].step(pointer)).ok_or(Parting::Bounds)?,
                None => 0,
            };
            let (base, offset) = nest.address(graph, &mut layouts, pointer).ok_or(Parting::Bounds)?;
            let (root, position) = rooted(graph, &mut layouts, base, followed(graph, &offset));
            nest.accesses.push(NestAccess {
                node,
                writes,
                ty,
                size,
                inner,
                step,
                inner_step,
                base,
                offset,
                root,
                position,
            });
        }
        Ok(nest)
    }

    fn add_inner(&mut self, graph: &Graph, theta: Theta) -> Result<(), Parting> {
        let evolution = Evolution::of(graph, theta);
        let repetitions = evolution.repetitions(graph, None).ok_or(Parting::Count)?;
        let known = repetitions.known_iterations(graph, theta);
        let first = self.outside(graph, &repetitions.first).ok_or(Parting::Count)?;
        let bound = self.outside(graph, &repetitions.bound).ok_or(Parting::Count)?;
        self.inner.push(InnerLoop { theta, repetitions, known, first, bound });
        Ok(())
    }

    /// How two accesses, which may be the same, overlap in different iterations of the outer loop.
    pub fn meeting(
        &self,
        graph: &Graph,
        numbers: &mut Numbering,
        objects: &Objects<'_>,
        a: &NestAccess,
        b: &NestAccess,
    ) -> Meeting {
        if let Some(gap) = a.distance_to(b) {
            let times = |access: &NestAccess| {
                let known = access.inner.map_or(Some(1), |index| self.inner[index].known)?;
                i64::try_from(known - 1).ok()
            };
            let moves = [
                Move { stride: -a.inner_step, times: times(a) },
                Move { stride: b.inner_step, times: times(b) },
                // Both later, equally far apart.
                Move { stride: b.step - a.step, times: None },
            ];
            let meets = |apart: i64| {
                let first = if apart < 0 { a.step } else { b.step };
                meets(gap + first * apart, &moves, [a.size, b.size])
            };
            let first = (1..MAX_BLOCK as i64).find(|&apart| meets(apart) || meets(-apart));
            let lockstep = match first {
                None if !meets(0) => return Meeting::Never,
                None => MAX_BLOCK,
                Some(apart) => apart as u64,
            };
            let sequence = if a.inner.is_some() && a.inner == b.inner {
                let [steps, inner, sizes] = [[a.step, b.step], [a.inner_step, b.inner_step], [a.size, b.size]];
                lockstep.max(in_sequence(gap, steps, inner, times(a), sizes, MAX_BLOCK))
            } else {
                lockstep
            };
            // If the ranges of all iterations are certain to overlap, a comparison is useless.
            if sequence > 1 || a.is_at(b) || moves[..2].iter().all(|by| by.times.is_some()) {
                return Meeting::After { lockstep, sequence };
            }
        }
        let mut object = |origin: Origin| Location { addr: numbers.get(graph, origin), ty: Type::VOID };
        let (root_a, root_b) = (object(a.root), object(b.root));
        if objects.are_disjoint(graph, numbers, root_a, root_b) { Meeting::Never } else { Meeting::Unknown }
    }

    /// The value in the first iterations: the initial value of a variable, or the input of a conditional; and whether it is of the region
    /// that contains the outer loop.
    fn first(&self, graph: &Graph, mut origin: Origin) -> (Origin, bool) {
        for _ in 0..MAX_LEVELS {
            if let Some((theta, variable)) = Theta::loop_var_of_argument(graph, origin) {
                origin = graph.origin(variable.input);
                if theta == self.theta {
                    return (origin, true);
                }
            } else if let Some((_, entry)) = Gamma::entry_var_of_argument(graph, origin) {
                origin = graph.origin(entry.input);
            } else {
                break;
            }
        }
        (origin, false)
    }

    /// An integer in the first iterations, in values of the region that contains the outer loop. At most `depth` calls deep.
    fn linear(&self, graph: &Graph, origin: Origin, depth: u32) -> Option<Linear> {
        if let Some(known) = known_constant(graph, origin).and_then(|known| Int::of_const(graph.pool(), known)) {
            return Some(Linear::constant(known));
        }
        let bits = rvsdg_core::fold::arith::width(graph.pool(), graph.ty(origin))?;
        let (origin, is_outside) = self.first(graph, origin);
        if is_outside {
            return Some(Linear::of(origin, bits));
        }
        if let Some(known) = known_constant(graph, origin).and_then(|known| Int::of_const(graph.pool(), known)) {
            return Some(Linear::constant(known));
        }
        let node = graph.producer(origin).filter(|_| depth > 0)?;
        let Some(Op::IntBinary { op, .. }) = graph.op(node) else { return None };
        let [a, b] = [0, 1].map(|index| self.linear(graph, graph.input(node, index), depth - 1));
        let (a, b) = (a?, b?);
        match op {
            IntBinary::Add => Some(a.plus(&b)),
            IntBinary::Sub => Some(a.minus(&b)),
            IntBinary::Mul => match (a.known(), b.known()) {
                (_, Some(by)) => Some(a.scaled(by)),
                (Some(by), None) => Some(b.scaled(by)),
                (None, None) => None,
            },
            IntBinary::Shl => Some(a.scaled(Int::new(bits, 1).shl(b.known()?)?)),
            _ => None,
        }
    }

    /// A linear combination of values of an inner loop in the first iterations.
    fn outside(&self, graph: &Graph, value: &Linear) -> Option<Linear> {
        value.terms().iter().try_fold(Linear::constant(value.offset()), |sum, &(origin, factor)| {
            Some(sum.plus(&self.linear(graph, origin, DEPTH)?.scaled(factor)))
        })
    }

    /// An address in the first iterations: a pointer of the region that contains the outer loop, and a distance in bytes.
    fn address(&self, graph: &Graph, layouts: &mut Layouts, pointer: Origin) -> Option<(Origin, Linear)> {
        let (mut at, mut sum) = (pointer, Linear::constant(Int::new(BITS, 0)));
        for _ in 0..DEPTH {
            let (origin, is_outside) = self.first(graph, at);
            if is_outside {
                return Some((origin, sum));
            }
            let node = graph.producer(origin)?;
            for term in terms(graph, layouts, node)? {
                sum = sum.plus(&match term {
                    Term::Bytes(bytes) => Linear::constant(bytes),
                    Term::Index(index, size) => self.linear(graph, index, DEPTH)?.scaled(size),
                });
            }
            at = graph.input(node, 0);
        }
        None
    }
}

/// A linear combination with values traced outwards.
fn followed(graph: &Graph, value: &Linear) -> Linear {
    value.terms().iter().fold(Linear::constant(value.offset()), |sum, &(origin, factor)| {
        let outer = follow_out(graph, origin).0;
        let known = known_constant(graph, outer).and_then(|known| Int::of_const(graph.pool(), known));
        let term = known.map_or_else(|| Linear::of(outer, factor.bits()), Linear::constant);
        sum.plus(&term.scaled(factor))
    })
}

/// The access that a simple node is, if any: whether it writes, the type in memory, and the address.
fn access(graph: &Graph, node: Node) -> Result<Option<(bool, Type, Origin)>, Parting> {
    let NodeKind::Simple(op) = graph.kind(node) else { return Err(Parting::Access(Obstacle::ControlFlow)) };
    if let Op::Load(access) | Op::Store(access) = op
        && !access.is_plain()
    {
        return Err(Parting::Access(Obstacle::Ordered));
    }
    if states::has_io(graph, node) || op.is_branch() || op.is_end() {
        return Err(Parting::Access(Obstacle::Effects));
    }
    match op {
        Op::Load(_) => Ok(Some((false, graph.ty(graph.output(node, 0)), graph.input(node, 0)))),
        Op::Store(_) => Ok(Some((true, graph.ty(graph.input(node, 0)), graph.input(node, 1)))),
        Op::Call(_) if op.effects(graph.pool()).mem => Err(Parting::Access(Obstacle::Call)),
        _ if op.effects(graph.pool()).mem => Err(Parting::Access(Obstacle::Effects)),
        _ => Ok(None),
    }
}
