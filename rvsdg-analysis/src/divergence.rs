//! Divergence analysis: which values differ between the threads of a group that executes in lockstep.
//!
//! On machines such as GPUs threads are executed in groups (warps, waves). A value is *uniform* if all threads of a group that compute it
//! together get the same, and *divergent* otherwise; a γ or θ is divergent if its predicate is, because its threads diverge then.
//! Together means: in the same executions of the enclosing γ-regions and in the same iterations of the enclosing θ. If threads leave a θ
//! in different iterations, the values after it differ although they were uniform inside (temporal divergence).
//!
//! The sources of divergence are thread numbers, atomics, thread-private memory, calls of unknown functions, and parameters of functions
//! that are not kernels; [`Machine`] knows which. From there it spreads along uses: from operands to results, and from predicates to the
//! values that are joined after them. An alternative that returns poison is of no account there, unless the result is frozen: where threads
//! leave a loop early, only those that go on define the variables of the next iteration. Everything else is uniform, provided that memory
//! shared by several threads is free of races. A use of undef may differ between threads, which is ignored as in LLVM's UniformityInfo:
//! uniformity is a promise about performance, not about meaning.
//!
//! Linear in the size of the graph. Thesis C1; Coutinho, Sampaio, Pereira and Meira, "Divergence analysis and optimizations",
//! PACT 2011; Sampaio, de Souza, Collange and Pereira, "Divergence analysis", TOPLAS 2013.

mod launch;
mod machine;

pub use launch::LaunchBounds;
pub use machine::{Accesses, Given, Machine};

use cranelift_entity::EntitySet;
use rvsdg_core::fold::is_poison;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Type, TypeKind, Use};

use crate::callee::argument_of_root;
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, Surroundings};

/// The divergent values of a body.
pub struct Divergence {
    divergent: EntitySet<Origin>,
}

impl Divergence {
    /// Analyzes a body; `None` if its machine does not execute threads in groups.
    pub fn of(graph: &Graph, surroundings: &Surroundings) -> Option<Divergence> {
        let machine = surroundings.machine()?;
        let [divergent, partial] = [(); 2].map(|()| EntitySet::new());
        let mut search = Search { graph, surroundings, machine, divergent, partial, pending: Vec::new() };
        search.start();
        while let Some((origin, difference)) = search.pending.pop() {
            for user in graph.users_of(origin) {
                match graph.site(user) {
                    Use::Input(node, index) => search.used_by(node, index as usize, difference),
                    Use::Result(region, index) => {
                        if let Some(parent) = graph.parent(region) {
                            search.result(parent, index as usize, difference);
                        }
                    }
                }
            }
        }
        Some(Divergence { divergent: search.divergent })
    }

    /// Whether all threads that compute a value together get the same.
    pub fn is_uniform(&self, origin: Origin) -> bool {
        !self.divergent.contains(origin)
    }

    /// Whether threads may diverge at a γ or θ. They do not at other nodes.
    pub fn parts_threads(&self, graph: &Graph, node: Node) -> bool {
        if let Some(gamma) = Gamma::new(graph, node) {
            !self.is_uniform(graph.origin(gamma.predicate(graph)))
        } else {
            Theta::new(graph, node).is_some_and(|theta| !self.is_uniform(graph.origin(theta.predicate(graph))))
        }
    }
}

struct Search<'g> {
    graph: &'g Graph,
    surroundings: &'g Surroundings,
    machine: Machine,
    divergent: EntitySet<Origin>,
    /// Values that are poison for some threads and the same for all others.
    partial: EntitySet<Origin>,
    /// Values of both kinds whose users are still to be visited.
    pending: Vec<(Origin, Difference)>,
}

/// How a value differs between the threads of a group.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Difference {
    Divergent,
    Partial,
}

impl Search<'_> {
    /// Marks the sources of divergence.
    fn start(&mut self) {
        let graph = self.graph;
        for (index, &argument) in graph.arguments(graph.root()).iter().enumerate() {
            let differs = match self.surroundings.context(index) {
                // A thread-local variable has a different address in each thread.
                Some(Context::Other) => true,
                Some(Context::Function { .. } | Context::Variable { .. }) => false,
                None => !self.surroundings.is_kernel(),
            };
            if differs {
                self.mark(argument, Difference::Divergent);
            }
        }
        for node in graph.all_nodes() {
            if let Some(op) = graph.op(node)
                && self.spread(node, op) == Given::Different
            {
                self.mark_outputs(node, Difference::Divergent);
            }
        }
    }

    fn mark(&mut self, origin: Origin, difference: Difference) {
        let marked = match difference {
            Difference::Divergent => &mut self.divergent,
            Difference::Partial => &mut self.partial,
        };
        if !self.graph.ty(origin).is_state() && marked.insert(origin) {
            self.pending.push((origin, difference));
        }
    }

    fn mark_outputs(&mut self, node: Node, difference: Difference) {
        let graph = self.graph;
        graph.outputs(node).iter().for_each(|&output| self.mark(output, difference));
    }

    /// How the result of an operation differs between the threads of a group.
    fn spread(&self, node: Node, op: Op) -> Given {
        let (graph, pool) = (self.graph, self.graph.pool());
        match op {
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::IndirectBr(_)
            | Op::Gep { .. }
            // No value, no difference.
            | Op::Store(_)
            | Op::Fence { .. }
            | Op::Resume
            | Op::Unreachable => Given::SameForSame,
            Op::AtomicRmw { .. } if seeded::is_active(Bug::DivAtomic) => Given::SameForSame,
            Op::Load(access) if access.is_plain() && self.is_shared(graph.input(node, 0)) => Given::SameForSame,
            Op::Call(call) => {
                let info = pool.call(call);
                if info.assembly.is_some() {
                    return Given::Different;
                }
                match argument_of_root(graph, graph.input(node, 0)).and_then(|index| self.surroundings.context(index)) {
                    Some(Context::Function { given: Given::SameForSame, .. }) if info.effects.count() > 0 => {
                        Given::Different
                    }
                    Some(Context::Function { given, .. }) => given,
                    Some(Context::Variable { .. } | Context::Other) | None => Given::Different,
                }
            }
            Op::Ext(ext) if pool.ext(ext).speculatable => Given::SameForSame,
            Op::Load(_)
            | Op::Alloca { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::Funclet(_)
            | Op::VaArg
            | Op::Ext(_) => Given::Different,
        }
    }

    /// Whether all threads that load from an address together find the same value.
    fn is_shared(&self, pointer: Origin) -> bool {
        let TypeKind::Ptr(address_space) = *self.graph.pool().type_kind(self.graph.ty(pointer)) else { return false };
        self.machine.is_shared(address_space)
    }

    /// A value that differs is input number `index` of a node.
    fn used_by(&mut self, node: Node, index: usize, difference: Difference) {
        let graph = self.graph;
        if let Some(op) = graph.op(node) {
            if self.spread(node, op) == Given::SameForSame {
                // Each thread chooses a value for poison.
                self.mark_outputs(node, if op == Op::Freeze { Difference::Divergent } else { difference });
            }
        } else if let Some(argument) = Gamma::argument_index(index).filter(|_| Gamma::new(graph, node).is_some()) {
            for &region in graph.subregions(node) {
                self.mark(graph.arguments(region)[argument], difference);
            }
        } else if let Some(gamma) = Gamma::new(graph, node) {
            self.threads_part(gamma, difference);
        } else if let Some(theta) = Theta::new(graph, node) {
            self.mark(theta.loop_var(graph, index).pre, difference);
        }
    }

    /// The predicate of a γ differs.
    fn threads_part(&mut self, gamma: Gamma, difference: Difference) {
        // A predicate must not be poison.
        if difference == Difference::Partial || seeded::is_active(Bug::DivJoin) {
            return;
        }
        for variable in gamma.exit_vars(self.graph) {
            if let Some(difference) = self.joined(gamma, variable.index) {
                self.mark(variable.output, difference);
            }
        }
    }

    /// A value that differs is result number `index` of a region of a γ or θ.
    fn result(&mut self, parent: Node, index: usize, difference: Difference) {
        let graph = self.graph;
        if Gamma::new(graph, parent).is_some() {
            self.mark(graph.output(parent, index), difference);
        } else if let Some(theta) = Theta::new(graph, parent) {
            if let Some(variable) = index.checked_sub(1) {
                let variable = theta.loop_var(graph, variable);
                self.mark(variable.pre, difference);
                self.mark(variable.output, difference);
                return;
            }
            // A predicate must not be poison.
            if difference == Difference::Partial || seeded::is_active(Bug::DivLeave) {
                return;
            }
            // Threads leave in different iterations.
            for variable in theta.loop_vars(graph).filter(|variable| !variable.is_invariant(graph)) {
                self.mark(variable.output, Difference::Divergent);
            }
        }
    }

    /// How what a γ returns differs where threads take different alternatives and what each of these returns does not differ; `None` if
    /// it does not. Alternatives that return poison are of no account: a loop that is left in several ways gets the variables of its
    /// next iteration from one of them, and poison from all others.
    fn joined(&self, gamma: Gamma, index: usize) -> Option<Difference> {
        let graph = self.graph;
        let value = |origin: Origin| match graph.def(origin) {
            OriginDef::Argument(region, argument) if graph.parent(region) == Some(gamma.node()) => {
                Some(Passed::Outer(graph.input(gamma.node(), argument as usize + 1)))
            }
            OriginDef::Argument(..) => None,
            OriginDef::Output(node, _) => match graph.op(node) {
                Some(Op::Const(_)) if !graph.inputs(node).is_empty() => None,
                Some(op @ (Op::Const(_) | Op::CtlConst { .. })) => Some(Passed::Constant(op, graph.ty(origin))),
                _ => None,
            },
        };
        let results = gamma.regions(graph).iter().map(|&region| graph.result(region, index));
        let (poison, mut others): (Vec<Origin>, Vec<Origin>) = results.partition(|&result| is_poison(graph, result));
        if seeded::is_active(Bug::DivOneOf) {
            others.truncate(2);
        }
        let is_one = others.len() < 2 || {
            let first = value(others[0]);
            first.is_some() && others[1..].iter().all(|&other| value(other) == first)
        };
        match (is_one, poison.is_empty()) {
            (false, _) => Some(Difference::Divergent),
            (true, false) => Some(Difference::Partial),
            (true, true) => None,
        }
    }
}

/// A value that an alternative passes on without computing it.
#[derive(PartialEq)]
enum Passed {
    Outer(Origin),
    Constant(Op, Type),
}

#[cfg(test)]
mod tests;
