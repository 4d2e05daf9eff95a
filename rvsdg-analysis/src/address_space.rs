//! Address-space inference: into which address space pointers of the generic one lead.
//!
//! On GPUs a generic pointer leads into memory of any address space. A pointer that was converted from a pointer of another address space
//! leads there, and so do the parameters of kernels on machines whose hosts know addresses of global memory only. From there the
//! knowledge spreads along `getelementptr`, `select`, γ and θ. A value is assumed to lead nowhere until something is found that
//! it may be, so that a loop variable leads where it starts unless an iteration makes it lead elsewhere. Undef and poison lead nowhere:
//! accesses through them are undefined in every address space. Null may lead anywhere, because it may be another number in
//! another address space; and so may what is frozen, because it may be another pointer than the one that is frozen.
//!
//! [`Machine`] knows the address spaces. Those whose addresses are not computed with as many bits as generic ones are left out.
//!
//! Linear in the size of the graph. LLVM's InferAddressSpaces.

use rustc_hash::FxHashMap;
use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::op::CastOp;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Type, TypeKind, Use};

use crate::divergence::{Accesses, Machine};
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;

/// Where a generic pointer may lead.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Lead {
    /// Nowhere: it is undef or poison.
    Nowhere,
    /// Into this address space, or it is undef or poison.
    Into(u32),
    /// Into any address space.
    Anywhere,
}

impl Lead {
    fn join(self, other: Lead) -> Lead {
        match (self, other) {
            (lead, Lead::Nowhere) | (Lead::Nowhere, lead) => lead,
            (Lead::Into(a), Lead::Into(b)) if a == b || seeded::is_active(Bug::AdsFirst) => self,
            (Lead::Into(_) | Lead::Anywhere, Lead::Into(_) | Lead::Anywhere) => Lead::Anywhere,
        }
    }
}

/// Where the generic pointers of a body lead.
pub struct AddressSpaces {
    generic: u32,
    leads: FxHashMap<Origin, Lead>,
}

impl AddressSpaces {
    /// Analyzes a body; `None` if its machine has no generic address space.
    pub fn of(graph: &Graph, surroundings: &Surroundings) -> Option<AddressSpaces> {
        let machine = surroundings.machine()?;
        let generic = machine.generic_space(surroundings.triple())?;
        let mut search =
            Search { graph, surroundings, machine, generic, leads: FxHashMap::default(), pending: Vec::new() };
        search.start();
        while let Some((origin, lead)) = search.pending.pop() {
            for user in graph.users_of(origin) {
                match graph.site(user) {
                    Use::Input(node, index) => search.used_by(node, index as usize, lead),
                    Use::Result(region, index) => {
                        if let Some(parent) = graph.parent(region) {
                            search.result(parent, index as usize, lead);
                        }
                    }
                }
            }
        }
        Some(AddressSpaces { generic, leads: search.leads })
    }

    /// Where a value leads that is a generic pointer; `None` for all others.
    pub fn lead(&self, graph: &Graph, value: Origin) -> Option<Lead> {
        is_pointer(graph, graph.ty(value), self.generic)
            .then(|| self.leads.get(&value).copied().unwrap_or(Lead::Nowhere))
    }
}

fn is_pointer(graph: &Graph, ty: Type, space: u32) -> bool {
    *graph.pool().type_kind(ty) == TypeKind::Ptr(space)
}

struct Search<'g> {
    graph: &'g Graph,
    surroundings: &'g Surroundings,
    machine: Machine,
    generic: u32,
    /// Of generic pointers that lead somewhere.
    leads: FxHashMap<Origin, Lead>,
    /// Those whose users are still to be visited.
    pending: Vec<(Origin, Lead)>,
}

impl Search<'_> {
    /// Marks the pointers that do not come from other ones.
    fn start(&mut self) {
        let graph = self.graph;
        for (index, &argument) in graph.arguments(graph.root()).iter().enumerate() {
            self.mark(argument, self.argument(index));
        }
        for node in graph.all_nodes() {
            if let Some(op) = graph.op(node) {
                for &output in graph.outputs(node) {
                    self.mark(output, self.source(node, op));
                }
            }
        }
    }

    /// Adds to where a value leads, if it is a generic pointer.
    fn mark(&mut self, value: Origin, lead: Lead) {
        if !is_pointer(self.graph, self.graph.ty(value), self.generic) {
            return;
        }
        let known = self.leads.get(&value).copied().unwrap_or(Lead::Nowhere);
        let joined = known.join(lead);
        if joined != known {
            self.leads.insert(value, joined);
            self.pending.push((value, joined));
        }
    }

    /// Where an argument of the root leads.
    fn argument(&self, index: usize) -> Lead {
        let known = || {
            let (parameter, own) = (self.surroundings.parameter(index)?, self.surroundings.own()?);
            let list = self.graph.pool().attributes(own.attributes);
            if [AttributeKind::ByVal, AttributeKind::ByRef].into_iter().any(|kind| list.param_has(parameter, kind)) {
                return None;
            }
            let space = self.machine.space_of_parameters(self.surroundings.triple(), own.convention);
            space.or_else(|| seeded::is_active(Bug::AdsKernel).then_some(1))
        };
        known().map_or(Lead::Anywhere, |space| self.into(space))
    }

    /// Where a pointer of an address space leads once it is generic.
    fn into(&self, space: u32) -> Lead {
        let is_computed_alike = self.surroundings.data_layout().is_some_and(|layout| {
            let [generic, other] = [self.generic, space].map(|space| *layout.pointer(space));
            let has_same_bits = (generic.bits, generic.index_bits) == (other.bits, other.index_bits);
            has_same_bits && !other.is_unstable && !other.has_external_state
        });
        let is_known = space != self.generic && self.machine.may_access(space, Accesses::Reads);
        if is_known && is_computed_alike { Lead::Into(space) } else { Lead::Anywhere }
    }

    /// Where the result of an operation leads, whatever generic pointers it is computed from.
    fn source(&self, node: Node, op: Op) -> Lead {
        let graph = self.graph;
        match op {
            Op::Cast { op: CastOp::AddrSpaceCast, .. } => match *graph.pool().type_kind(graph.ty(graph.input(node, 0)))
            {
                TypeKind::Ptr(space) => self.into(space),
                _ => Lead::Anywhere,
            },
            Op::Const(constant) => self.constant(constant),
            _ if derived_from(op).is_some() => Lead::Nowhere,
            _ => Lead::Anywhere,
        }
    }

    /// Where a constant leads: elements of what was converted from a pointer of another address space lead there.
    fn constant(&self, constant: Const) -> Lead {
        let pool = self.graph.pool();
        let mut at = constant;
        loop {
            match pool.constant(at) {
                Constant::Undef(_) | Constant::Poison(_) => return Lead::Nowhere,
                Constant::Expr { op: Op::Gep { .. }, operands, .. } => at = operands[0],
                Constant::Expr { op: Op::Cast { op: CastOp::AddrSpaceCast, .. }, operands, .. } => {
                    return match *pool.type_kind(pool.constant(operands[0]).ty()) {
                        TypeKind::Ptr(space) => self.into(space),
                        _ => Lead::Anywhere,
                    };
                }
                _ => return Lead::Anywhere,
            }
        }
    }

    /// A generic pointer is input number `index` of a node.
    fn used_by(&mut self, node: Node, index: usize, lead: Lead) {
        let graph = self.graph;
        if let Some(op) = graph.op(node) {
            if derived_from(op).is_some_and(|inputs| inputs.contains(&index)) {
                self.mark(graph.output(node, 0), lead);
            }
        } else if let Some(argument) = Gamma::argument_index(index).filter(|_| Gamma::new(graph, node).is_some()) {
            for &region in graph.subregions(node) {
                self.mark(graph.arguments(region)[argument], lead);
            }
        } else if let Some(theta) = Theta::new(graph, node) {
            // The result does not lead elsewhere than the argument, so that one variable can stand for both.
            let variable = theta.loop_var(graph, index);
            self.mark(variable.pre, lead);
            self.mark(variable.output, lead);
        }
    }

    /// A generic pointer is result number `index` of a region of a γ or θ.
    fn result(&mut self, parent: Node, index: usize, lead: Lead) {
        let graph = self.graph;
        if Gamma::new(graph, parent).is_some() {
            self.mark(graph.output(parent, index), lead);
        } else if let (Some(theta), Some(variable)) = (Theta::new(graph, parent), index.checked_sub(1)) {
            let variable = theta.loop_var(graph, variable);
            if lead == Lead::Anywhere && seeded::is_active(Bug::AdsBackEdge) {
                return;
            }
            self.mark(variable.pre, lead);
            self.mark(variable.output, lead);
        }
    }
}

/// The inputs of an operation that its result is derived from, if both are pointers of one address space.
pub fn derived_from(op: Op) -> Option<&'static [usize]> {
    match op {
        Op::Gep { .. } => Some(&[0]),
        Op::Select(_) => Some(&[1, 2]),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
