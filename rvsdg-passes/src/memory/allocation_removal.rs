//! Allocation removal: removes allocations that cannot be observed, with all their uses.
//!
//! ```text
//! v1: ptr, mem1, io1 = call ptr (i64) @_Znwm(v0) builtin, mem0, io0
//! mem2 = store v2, v1, mem1, align 4
//! v3: i1 = icmp eq v1, v4
//! …
//! mem3, io2 = call void (ptr) @_ZdlPv(v1) builtin, mem2, io1
//! ```
//!
//! becomes, if `v4` is null,
//!
//! ```text
//! v3: i1 = const false
//! ```
//!
//! An allocation is a call of a function that allocates according to its attributes or the target's library
//! ([`rvsdg_analysis::allocation`]): neither an allocation nor its failure is observable.
//!
//! - *Follow* visits everything computed from the pointer: through `getelementptr`, into γ and θ and out of them. A
//!   variable of a θ, and an exit variable of a γ, counts as computed from it until another value is found to reach it too.
//! - An allocation stays if any of these pointers is used otherwise than as the destination of stores, fills and copies, in comparisons
//!   with null, and in freeing the whole allocation by a function of the same family.
//! - *Remove* connects the states past what is removed, and makes comparisons with null fold to "not null".
//!
//! Statistics: `allocations`; `uses` that were removed with them.
//!
//! Running it again changes nothing.
//!
//! Cost: linear in the uses of pointers that are followed, at most [`MAX_USES`] for each allocation; linear in the graph to find
//! the allocations.
//!
//! Left out: objects that are read, whose loads memory forwarding is expected to have removed; comparisons with other
//! pointers; objects that grow (`realloc`); moving allocations to the stack.

use rustc_hash::FxHashSet;
use rvsdg_analysis::Surroundings;
use rvsdg_analysis::allocation::{Allocation, allocation};
use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::{Context, MemoryIntrinsic};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{CallExits, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use crate::invoke;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The maximum number of uses of one allocation.
pub const MAX_USES: usize = 256;

/// The stage of [allocation removal](self).
pub struct RemoveAllocations;

impl BodyPass for RemoveAllocations {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(surroundings) = cx.surroundings() else { return Change::Unchanged };
        let calls: Vec<Node> = graph
            .all_nodes()
            .filter(|&node| matches!(graph.op(node), Some(Op::Call(_) | Op::Invoke(_))) && can_go(graph, node))
            .collect();
        let mut change = Change::Unchanged;
        for call in calls {
            // A deallocation was removed with its allocation.
            if !graph.is_live(call) {
                continue;
            }
            let Some(Allocation::Allocates { family }) = allocation(graph, surroundings, call) else { continue };
            let (from, freed, uses) = (FxHashSet::default(), Vec::new(), Uses::default());
            let mut follow = Follow { graph, surroundings, family, from, freed, uses };
            let goes = follow.all(graph.output(call, 0));
            let uses = follow.uses;
            if !goes || !cx.rewrite("allocations", graph, call) {
                continue;
            }
            cx.count("allocations", 1);
            cx.count("uses", (uses.accesses.len() + uses.comparisons.len()) as u64);
            remove(graph, call, uses);
            change = Change::Changed;
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Whether a call can be removed if it has no effect: it returns normally.
fn can_go(graph: &Graph, node: Node) -> bool {
    let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return false };
    matches!(graph.pool().call(call).exits, CallExits::Return | CallExits::Unwind(_))
}

/// The uses of an object.
#[derive(Default)]
struct Uses {
    /// Stores, copies and fills, and deallocations.
    accesses: Vec<Node>,
    /// Comparisons with null.
    comparisons: Vec<Node>,
}

/// Follows the pointer to one object.
struct Follow<'g> {
    graph: &'g Graph,
    surroundings: &'g Surroundings,
    family: &'g str,
    /// The origins that are assumed to be computed from the pointer.
    from: FxHashSet<Origin>,
    /// The pointers that are freed.
    freed: Vec<Origin>,
    uses: Uses,
}

impl Follow<'_> {
    /// Finds all uses of a pointer; returns whether none of them observes the object.
    fn all(&mut self, pointer: Origin) -> bool {
        let graph = self.graph;
        let mut pending = vec![pointer];
        self.from.insert(pointer);
        let mut looked_at = 0;
        while let Some(origin) = pending.pop() {
            for user in graph.users_of(origin) {
                looked_at += 1;
                if looked_at > MAX_USES {
                    return false;
                }
                let mut found = SmallVec::new();
                let follows = match graph.site(user) {
                    Use::Input(node, index) => self.input(node, index as usize, origin, &mut found),
                    Use::Result(region, index) => outward(graph, region, index as usize, &mut found),
                };
                if !follows {
                    return false;
                }
                pending.extend(found.into_iter().filter(|&next| self.from.insert(next)));
            }
        }
        for nodes in [&mut self.uses.accesses, &mut self.uses.comparisons] {
            nodes.sort_unstable();
            nodes.dedup();
        }
        let others = |origin: Origin| origin == pointer || self.comes_from_here(origin);
        (self.from.iter().all(|&origin| others(origin)) || seeded::is_active(Bug::AlrMixed))
            && self.is_freed_whole(pointer)
    }

    /// Whether a use as an input does not observe the object; collects the origins computed by it.
    fn input(&mut self, node: Node, index: usize, origin: Origin, found: &mut SmallVec<[Origin; 4]>) -> bool {
        let graph = self.graph;
        let op = match graph.kind(node) {
            NodeKind::Simple(op) => op,
            NodeKind::Gamma => {
                let Some(argument) = Gamma::argument_index(index) else { return false };
                found.extend(graph.subregions(node).iter().map(|&region| graph.arguments(region)[argument]));
                return true;
            }
            NodeKind::Theta => {
                found.extend([graph.arguments(graph.subregions(node)[0])[index], graph.output(node, index)]);
                return true;
            }
            NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => return false,
        };
        match op {
            Op::Gep { .. } if index == 0 => {
                found.push(graph.output(node, 0));
                graph.ty(graph.output(node, 0)) == Type::PTR
            }
            Op::Store(access) if index == 1 || seeded::is_active(Bug::AlrStored) => {
                self.uses.accesses.push(node);
                access.is_plain() || seeded::is_active(Bug::AlrVolatile)
            }
            Op::ICmp { predicate: IntPredicate::Eq | IntPredicate::Ne, .. } => {
                self.uses.comparisons.push(node);
                is_null(graph, graph.input(node, 1 - index))
            }
            Op::Call(_) | Op::Invoke(_) => {
                self.uses.accesses.push(node);
                self.call(node, index, origin)
            }
            _ => false,
        }
    }

    /// Whether a call with an argument computed from the pointer only writes to it or frees it.
    fn call(&mut self, node: Node, index: usize, origin: Origin) -> bool {
        let graph = self.graph;
        if !can_go(graph, node) {
            return false;
        }
        if let Some(Allocation::Frees { family, param }) = allocation(graph, self.surroundings, node) {
            self.freed.push(origin);
            return (family == self.family || seeded::is_active(Bug::AlrFamily)) && index == param + 1;
        }
        let callee = argument_of_root(graph, graph.input(node, 0)).and_then(|index| self.surroundings.context(index));
        let Some(Context::Function { memory: Some(MemoryIntrinsic::Copy | MemoryIntrinsic::Set), .. }) = callee else {
            return false;
        };
        // Operands: destination, source or byte, size, and whether the access is volatile.
        let volatile = graph.inputs(node).get(4).and_then(|&input| fold::int(graph, graph.origin(input)));
        index == 1 && matches!(graph.op(node), Some(Op::Call(_))) && volatile.is_some_and(Int::is_zero)
    }

    /// Whether an origin other than the pointer is computed only from origins that are computed from the pointer.
    fn comes_from_here(&self, origin: Origin) -> bool {
        sources(self.graph, origin).is_some_and(|sources| sources.iter().all(|source| self.from.contains(source)))
    }

    /// Whether everything that is freed is the pointer itself.
    fn is_freed_whole(&self, pointer: Origin) -> bool {
        let graph = self.graph;
        let mut pending = self.freed.clone();
        let mut looked_at = FxHashSet::default();
        while let Some(origin) = pending.pop() {
            if origin == pointer || !looked_at.insert(origin) {
                continue;
            }
            let is_computed = graph.producer(origin).is_some_and(|node| graph.op(node).is_some());
            match sources(graph, origin) {
                Some(sources) if !is_computed => pending.extend(sources),
                _ => return false,
            }
        }
        true
    }
}

/// The outer origins of a region's result; `false` for a predicate.
fn outward(graph: &Graph, region: Region, index: usize, found: &mut SmallVec<[Origin; 4]>) -> bool {
    let Some(node) = graph.parent(region) else { return false };
    let before = graph.results(region).len() - graph.outputs(node).len();
    let Some(index) = index.checked_sub(before) else { return false };
    found.push(graph.output(node, index));
    if Theta::new(graph, node).is_some() {
        found.push(graph.arguments(region)[index]);
    }
    true
}

/// The origins of a pointer that enters or leaves a region, or is computed by `getelementptr`.
fn sources(graph: &Graph, origin: Origin) -> Option<SmallVec<[Origin; 4]>> {
    let of_loop = |theta: Theta, index: u32| {
        let variable = theta.loop_var(graph, index as usize);
        SmallVec::from_slice(&[graph.origin(variable.input), graph.origin(variable.post)])
    };
    match graph.def(origin) {
        OriginDef::Argument(region, index) => {
            let node = graph.parent(region)?;
            Some(match Theta::new(graph, node) {
                Some(theta) => of_loop(theta, index),
                None => SmallVec::from_slice(&[graph.input(node, index as usize + 1)]),
            })
        }
        OriginDef::Output(node, index) => match graph.kind(node) {
            NodeKind::Gamma => {
                Some(graph.subregions(node).iter().map(|&region| graph.result(region, index as usize)).collect())
            }
            NodeKind::Theta => Theta::new(graph, node).map(|theta| of_loop(theta, index)),
            NodeKind::Simple(Op::Gep { .. }) => Some(SmallVec::from_slice(&[graph.input(node, 0)])),
            NodeKind::Simple(_) | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => None,
        },
    }
}

fn is_null(graph: &Graph, origin: Origin) -> bool {
    let is_null = |constant| matches!(*graph.pool().constant(constant), Constant::Zero(Type::PTR));
    known_constant(graph, origin).is_some_and(is_null)
}

/// Removes an allocation and its uses.
fn remove(graph: &mut Graph, call: Node, uses: Uses) {
    for comparison in uses.comparisons {
        let differs = matches!(graph.op(comparison), Some(Op::ICmp { predicate: IntPredicate::Ne, .. }));
        let value = Insert::before(graph, comparison).int(Type::I1, u64::from(differs));
        graph.divert_users(graph.output(comparison, 0), value);
        graph.remove(comparison);
    }
    for access in uses.accesses {
        bypass(graph, access);
    }
    let output = graph.output(call, 0);
    let ty = graph.ty(output);
    let nowhere = Insert::before(graph, call).poison(ty);
    graph.divert_users(output, nowhere);
    bypass(graph, call);
}

/// Removes an operation whose values have no users, and connects states past it.
fn bypass(graph: &mut Graph, node: Node) {
    let node = match graph.op(node) {
        Some(Op::Invoke(_)) => invoke::to_call(graph, node, false),
        _ => node,
    };
    for index in 0..graph.outputs(node).len() {
        let output = graph.output(node, index);
        let ty = graph.ty(output);
        if ty.is_state() {
            let before = graph.input_origins(node).find(|&origin| graph.ty(origin) == ty);
            graph.divert_users(output, before.expect("an operation gives the states that it takes"));
        }
    }
    graph.remove(node);
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(RemoveAllocations))]
}
