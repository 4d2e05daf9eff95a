//! Effects of functions: what callers can observe of a body.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::attribute::{Access, AttributeList};
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Origin, OriginDef, Symbol, Type};

use super::{attributes, may_unwind};
use crate::seeded::{self, Bug};
use crate::trace::outward;

/// Effects on memory that callers can see: LLVM's `ModRefInfo`, except that writing includes reading.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ModRef {
    /// No access.
    None,
    /// Reads at most.
    Read,
    /// Anything.
    Write,
}

/// An upper bound of the effects of a function.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FunctionEffects {
    /// It may unwind to its caller.
    pub unwinds: bool,
    /// It may have an effect that the io state orders, or not return.
    pub io: bool,
    /// Its effects on memory.
    pub memory: ModRef,
}

impl FunctionEffects {
    /// The effects of a function that only computes.
    pub const NOTHING: FunctionEffects = FunctionEffects { unwinds: false, io: false, memory: ModRef::None };
    /// The effects of an unknown function.
    pub const ANYTHING: FunctionEffects = FunctionEffects { unwinds: true, io: true, memory: ModRef::Write };

    /// The effects of a body that is a graph, except for calls of functions of its `own` component of the call graph. `calls` are its
    /// direct calls, `known` has the effects of other functions, from bodies and attributes. Linear in the graph.
    pub fn of_body(
        module: &Module,
        graph: &Graph,
        calls: impl IntoIterator<Item = (Node, Symbol)>,
        known: &FxHashMap<Symbol, FunctionEffects>,
        own: &FxHashSet<Symbol>,
    ) -> FunctionEffects {
        Inspector { module, graph, calls: calls.into_iter().collect(), known, own }.effects()
    }

    /// The effects of both.
    pub fn and(self, other: FunctionEffects) -> FunctionEffects {
        FunctionEffects {
            unwinds: self.unwinds || other.unwinds,
            io: self.io || other.io,
            memory: self.memory.max(other.memory),
        }
    }
}

/// Inspects one body.
struct Inspector<'m> {
    module: &'m Module,
    graph: &'m Graph,
    /// The callees of calls.
    calls: FxHashMap<Node, Symbol>,
    /// The effects of other functions.
    known: &'m FxHashMap<Symbol, FunctionEffects>,
    /// Functions whose effects are included in these.
    own: &'m FxHashSet<Symbol>,
}

impl Inspector<'_> {
    fn effects(&self) -> FunctionEffects {
        let graph = self.graph;
        let mut effects = FunctionEffects::NOTHING;
        for node in graph.all_nodes() {
            effects = effects.and(match graph.kind(node) {
                NodeKind::Simple(op) => self.operation(node, op),
                // A θ takes the io state also because it may not terminate.
                NodeKind::Theta if seeded::is_active(Bug::AttrsLoop) => FunctionEffects::NOTHING,
                NodeKind::Theta => FunctionEffects { io: self.takes(node, Type::IO), ..FunctionEffects::NOTHING },
                NodeKind::Gamma => FunctionEffects::NOTHING,
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => FunctionEffects::ANYTHING,
            });
            if effects == FunctionEffects::ANYTHING {
                break;
            }
        }
        effects
    }

    fn takes(&self, node: Node, state: Type) -> bool {
        self.graph.input_origins(node).any(|origin| self.graph.ty(origin) == state)
    }

    fn operation(&self, node: Node, op: Op) -> FunctionEffects {
        let (io, mem) = (self.takes(node, Type::IO), self.takes(node, Type::MEM));
        let (unwinds, memory) = match op {
            Op::Call(call) => return self.call(node, self.module.pool.call(call)),
            // What its callee unwinds with arrives here.
            Op::Invoke(call) => {
                let callee = self.call(node, self.module.pool.call(call));
                return FunctionEffects { unwinds: false, io: true, memory: callee.memory };
            }
            Op::CallBr(_) | Op::Ext(_) => (io, if mem || io { ModRef::Write } else { ModRef::None }),
            Op::Resume | Op::Funclet(_) => (true, ModRef::Write),
            Op::Load(access) if !access.is_ordered() => (false, self.seen(node, 0, ModRef::Read)),
            Op::Store(access) if !access.is_ordered() => (false, self.seen(node, 1, ModRef::Write)),
            Op::Load(_) | Op::Store(_) | Op::CmpXchg { .. } | Op::AtomicRmw { .. } | Op::Fence { .. } | Op::VaArg => {
                (false, ModRef::Write)
            }
            Op::Alloca { .. } | Op::Unreachable | Op::IndirectBr(_) => (false, ModRef::None),
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
            | Op::Gep { .. } => (false, ModRef::None),
        };
        FunctionEffects { unwinds, io, memory }
    }

    /// The access as callers see it: none, if the address is in an allocation of this body.
    fn seen(&self, node: Node, address: usize, access: ModRef) -> ModRef {
        let own = self.is_own_allocation(self.graph.input(node, address));
        if own || access == ModRef::Read && seeded::is_active(Bug::AttrsReads) { ModRef::None } else { access }
    }

    fn is_own_allocation(&self, mut origin: Origin) -> bool {
        let graph = self.graph;
        loop {
            origin = match graph.def(origin) {
                OriginDef::Output(node, _) => match graph.kind(node) {
                    NodeKind::Simple(Op::Alloca { .. }) => return true,
                    NodeKind::Simple(Op::Gep { .. }) => graph.input(node, 0),
                    NodeKind::Simple(_)
                    | NodeKind::Gamma
                    | NodeKind::Theta
                    | NodeKind::Lambda(_)
                    | NodeKind::Phi
                    | NodeKind::Delta(_) => return false,
                },
                OriginDef::Argument(region, index) => match outward(graph, region, index) {
                    Some((outer, _)) => outer,
                    None => return false,
                },
            };
        }
    }

    fn call(&self, node: Node, info: &CallInfo) -> FunctionEffects {
        let callee = self.calls.get(&node).copied();
        let declared = callee.and_then(|symbol| attributes(self.module, symbol));
        let site = self.module.pool.attributes(info.attributes);
        let by_attributes = FunctionEffects {
            unwinds: may_unwind(self.module, info, callee),
            io: info.effects.io,
            memory: if info.effects.mem {
                ModRef::of_attributes(site).min(declared.map_or(ModRef::Write, ModRef::of_attributes))
            } else {
                ModRef::None
            },
        };
        // Bundles have effects that the callee does not have.
        if !info.bundles.is_empty() {
            return FunctionEffects { unwinds: by_attributes.unwinds, ..FunctionEffects::ANYTHING };
        }
        if let Some(name) = callee.map(|symbol| &*self.module.symbols[symbol].name)
            && name.starts_with("llvm.lifetime.")
            && self.is_own_allocation(self.graph.input(node, self.graph.inputs(node).len() - 1 - info.effects.count()))
        {
            return FunctionEffects { memory: ModRef::None, ..by_attributes };
        }
        let Some(callee) = callee.filter(|&symbol| self.module.symbols[symbol].value_type == info.function_type) else {
            return by_attributes;
        };
        let inferred = match self.known.get(&callee) {
            Some(&effects) => effects,
            None if self.own.contains(&callee) => FunctionEffects { io: true, ..FunctionEffects::NOTHING },
            None if seeded::is_active(Bug::AttrsCallee) => FunctionEffects::NOTHING,
            None => FunctionEffects::ANYTHING,
        };
        FunctionEffects {
            unwinds: by_attributes.unwinds && inferred.unwinds,
            io: by_attributes.io && inferred.io,
            memory: by_attributes.memory.min(inferred.memory),
        }
    }
}

impl ModRef {
    /// The effects on memory that attributes of a call or function allow.
    pub fn of_attributes(list: &AttributeList) -> ModRef {
        match list.memory() {
            Some(effects) if effects.accesses().all(|access| access == Access::None) => ModRef::None,
            Some(effects) if !effects.accesses().any(Access::writes) => ModRef::Read,
            Some(_) | None => ModRef::Write,
        }
    }
}
