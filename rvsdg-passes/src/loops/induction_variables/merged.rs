//! Addresses that move on with a counter.
//!
//! ```text
//! theta (v3: ptr = v0, v4: i64 = 0, v5: ptr = v2) {
//!   v6: i32, mem3 = load v3, mem2
//!   v7: ptr = getelementptr inbounds i32, v3, 1
//!   v8: i64 = add v4, 1
//!   v9: i1 = icmp eq v7, v5
//! ```
//!
//! with `v2 = getelementptr inbounds i32, v0, v1` before the loop becomes, leaving the rest to dead node elimination,
//!
//! ```text
//! theta (v10: ptr = v0, v4: i64 = 0, v11: i64 = v1) {
//!   v12: ptr = getelementptr inbounds i32, v10, v4
//!   v6: i32, mem3 = load v12, mem2
//!   v8: i64 = add v4, 1
//!   v9: i1 = icmp eq v8, v11
//! ```
//!
//! In iteration k the counter is k and the address k elements from where it started, both modulo 2^64, because both advance wherever
//! the loop is repeated; they need not where it is left. Addresses k and n elements from there are equal exactly if k and n are: for
//! bytes modulo 2^64, for larger elements because both are computed in bounds of an object, which is smaller than half of the address
//! space. That the address would be poison outside of an object also means that the counter, whose increment may promise
//! not to wrap, is poison only if the address was.

use rvsdg_analysis::evolution::{in_body, step_if_repeated};
use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_analysis::memory::gep_distance;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold::Int;
use rvsdg_core::graph::Use;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::{GepFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type};

use crate::pass::{Change, PassCx};

/// The width of addresses and counters.
const BITS: u32 = 64;
/// The sizes of elements by which machines scale an index in an address.
const SIZES: [i64; 4] = [1, 2, 4, 8];

/// Computes addresses from a counter of an innermost loop.
pub(super) fn merge(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    let body = theta.body(graph);
    let Some(data) = cx.surroundings().and_then(|surroundings| surroundings.data_layout()) else {
        return Change::Unchanged;
    };
    let space = data.pointer(0);
    if space.bits != BITS || space.index_bits != BITS {
        return Change::Unchanged;
    }
    let mut layouts = Layouts::new(data.clone());
    let walks = walks(graph, &mut layouts, theta);
    if walks.is_empty() || graph.nodes(body).any(|node| Theta::new(graph, node).is_some()) {
        return Change::Unchanged;
    }
    let Some(counter) = counter(graph, &mut layouts, theta) else { return Change::Unchanged };
    let mut change = Change::Unchanged;
    for walk in walks {
        if !cx.rewrite("merged", graph, theta.node()) {
            break;
        }
        walk.replace(graph, &mut layouts, theta, counter);
        cx.count("merged", 1);
        change = Change::Changed;
    }
    change
}

/// A variable that is the address of an element after the other.
struct Walk {
    variable: LoopVar,
    size: i64,
}

/// The addresses of a loop that move on by one element in each iteration, and are not needed after it.
fn walks(graph: &Graph, layouts: &mut Layouts, theta: Theta) -> Vec<Walk> {
    let walk = |variable: LoopVar| {
        if graph.ty(variable.pre) != Type::PTR || graph.has_users(variable.output) {
            return None;
        }
        let step = step_if_repeated(graph, layouts, theta, variable)?;
        let is_walk = SIZES.contains(&step.by) && step.in_bounds && is_needed(graph, variable.pre);
        is_walk.then_some(Walk { variable, size: step.by })
    };
    theta.loop_vars(graph).filter_map(walk).collect()
}

/// A variable that counts iterations from zero and is needed anyway.
fn counter(graph: &Graph, layouts: &mut Layouts, theta: Theta) -> Option<LoopVar> {
    theta.loop_vars(graph).find(|&variable| {
        let start = || Int::of_const(graph.pool(), known_constant(graph, graph.origin(variable.input))?);
        graph.ty(variable.pre) == Type::I64
            && (start().is_some_and(|start| start.is_zero()) || seeded::is_active(Bug::IvsStart))
            && step_if_repeated(graph, layouts, theta, variable).is_some_and(|step| step.by == 1)
            && (graph.has_users(variable.output) || is_needed(graph, variable.pre))
    })
}

/// Whether something other than its next value is computed from a variable, or from an argument that brings it into a conditional.
fn is_needed(graph: &Graph, origin: Origin) -> bool {
    graph.users_of(origin).any(|user| {
        let Use::Input(node, index) = graph.site(user) else { return false };
        match (Gamma::new(graph, node), graph.op(node)) {
            (Some(gamma), _) => {
                let Some(argument) = Gamma::argument_index(index as usize) else { return true };
                gamma.regions(graph).iter().any(|&region| is_needed(graph, graph.arguments(region)[argument]))
            }
            (None, Some(Op::Gep { .. } | Op::IntBinary { op: IntBinary::Add, .. })) => {
                let next = graph.output(node, 0);
                graph.users_of(next).any(|user| matches!(graph.site(user), Use::Input(..)))
            }
            (None, _) => true,
        }
    })
}

impl Walk {
    fn replace(self, graph: &mut Graph, layouts: &mut Layouts, theta: Theta, counter: LoopVar) {
        let (body, mut router) = (theta.body(graph), Router::new());
        let start = graph.origin(self.variable.input);
        for (comparison, side, later) in self.comparisons(graph, layouts, body) {
            let end = graph.input(comparison, 1 - side);
            let Some(distance) = self.elements_between(graph, layouts, start, end) else { continue };
            let Some(Op::ICmp { predicate, .. }) = graph.op(comparison) else { continue };
            let region = graph.region_of(comparison);
            let end = match distance {
                Distance::Known(elements) => Insert::before(graph, comparison).int(Type::I64, elements as u64),
                Distance::Value(origin) => router.route(graph, origin, region),
            };
            let count = router.route(graph, counter.pre, region);
            let mut at = Insert::before(graph, comparison);
            let count = at.binary_int(IntBinary::Add, count, later);
            let equal = at.compare(predicate, count, end);
            graph.divert_users(graph.output(comparison, 0), equal);
            graph.remove(comparison);
        }
        let start = router.route(graph, start, body);
        let source = graph.pool().int(8 * self.size as u32);
        // From where it starts it has gone less than half of the address space, upwards.
        let flags = GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW;
        let op = Op::Gep { source, flags };
        let address = Insert::front(graph, body).node(op, &[start, counter.pre], &[Type::PTR]);
        graph.divert_users(self.variable.pre, graph.output(address, 0));
    }

    /// Comparisons for equality of the address, as which operand, and by how many iterations later.
    fn comparisons(&self, graph: &Graph, layouts: &mut Layouts, body: Region) -> Vec<(Node, usize, u64)> {
        let mut later = |value: Origin| {
            if value == self.variable.pre {
                return Some(0);
            }
            let node = graph.producer(value)?;
            gep_distance(graph, layouts, node).filter(|&by| by == self.size)?;
            (in_body(graph, body, graph.input(node, 0)) == self.variable.pre).then_some(1)
        };
        let mut found = Vec::new();
        let mut pending = vec![body];
        while let Some(region) = pending.pop() {
            for node in graph.nodes(region) {
                pending.extend_from_slice(graph.subregions(node));
                if let Some(Op::ICmp { predicate: IntPredicate::Eq | IntPredicate::Ne, .. }) = graph.op(node) {
                    let of_side = |side| Some((node, side, later(in_body(graph, body, graph.input(node, side)))?));
                    found.extend((0..2).find_map(of_side));
                }
            }
        }
        found
    }

    /// How many elements an address is from where this one starts, if the one is computed from the other before the loop.
    fn elements_between(&self, graph: &Graph, layouts: &mut Layouts, start: Origin, end: Origin) -> Option<Distance> {
        let node = graph.producer(follow_out(graph, end).0)?;
        let (Some(Op::Gep { source, flags }), &[base, index]) = (graph.op(node), graph.inputs(node)) else {
            return None;
        };
        let (base, index) = (graph.origin(base), graph.origin(index));
        if follow_out(graph, base).0 != follow_out(graph, start).0 || graph.ty(index) != Type::I64 {
            return None;
        }
        let is_exact = self.size == 1 || flags.contains(GepFlags::INBOUNDS) || seeded::is_active(Bug::IvsEndWraps);
        let size = i64::try_from(layouts.of(graph.pool(), source).ok()?.size).ok().filter(|_| is_exact)?;
        if size == self.size || seeded::is_active(Bug::IvsElements) {
            return Some(Distance::Value(index));
        }
        let index = Int::of_const(graph.pool(), known_constant(graph, index)?)?.signed();
        let bytes = i64::try_from(index).ok()?.checked_mul(size)?;
        (bytes % self.size == 0).then_some(Distance::Known(bytes / self.size))
    }
}

/// How many elements an address is from another.
enum Distance {
    Known(i64),
    Value(Origin),
}
