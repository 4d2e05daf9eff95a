//! What one body does.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_analysis::function::{attributes, may_unwind};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::AttributeList;
use rvsdg_core::op::CallInfo;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Origin, OriginDef, Symbol, Type};

/// What is done to memory that callers can see.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Access {
    /// Nothing.
    None,
    /// It is read at most.
    Read,
    /// Anything.
    Write,
}

/// What a function may do at most.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Facts {
    /// It may unwind into its caller.
    pub unwinds: bool,
    /// It may do something that the io state orders, or not return.
    pub io: bool,
    /// What it does to memory.
    pub memory: Access,
}

impl Facts {
    /// Of a function that only computes.
    pub const NOTHING: Facts = Facts { unwinds: false, io: false, memory: Access::None };
    /// Of a function that nothing is known of.
    pub const ANYTHING: Facts = Facts { unwinds: true, io: true, memory: Access::Write };

    /// Of doing both.
    pub fn and(self, other: Facts) -> Facts {
        Facts { unwinds: self.unwinds || other.unwinds, io: self.io || other.io, memory: self.memory.max(other.memory) }
    }
}

/// Looks at one body.
pub(super) struct Inspector<'m> {
    pub module: &'m Module,
    pub graph: &'m Graph,
    /// The symbols that calls call.
    pub calls: FxHashMap<Node, Symbol>,
    /// What is known of other functions.
    pub known: &'m FxHashMap<Symbol, Facts>,
    /// Functions whose facts are part of these.
    pub own: &'m FxHashSet<Symbol>,
}

impl Inspector<'_> {
    /// What the body does. Linear in the graph.
    pub fn facts(&self) -> Facts {
        let graph = self.graph;
        let mut facts = Facts::NOTHING;
        for node in graph.all_nodes() {
            facts = facts.and(match graph.kind(node) {
                NodeKind::Simple(op) => self.operation(node, op),
                // A θ takes the io state also because it may not terminate.
                NodeKind::Theta if seeded::is_active(Bug::AttrsLoop) => Facts::NOTHING,
                NodeKind::Theta => Facts { io: self.takes(node, Type::IO), ..Facts::NOTHING },
                NodeKind::Gamma => Facts::NOTHING,
                NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => Facts::ANYTHING,
            });
            if facts == Facts::ANYTHING {
                break;
            }
        }
        facts
    }

    fn takes(&self, node: Node, state: Type) -> bool {
        self.graph.input_origins(node).any(|origin| self.graph.ty(origin) == state)
    }

    fn operation(&self, node: Node, op: Op) -> Facts {
        let (io, mem) = (self.takes(node, Type::IO), self.takes(node, Type::MEM));
        let (unwinds, memory) = match op {
            Op::Call(call) => return self.call(node, self.module.pool.call(call)),
            // What its callee unwinds with arrives here.
            Op::Invoke(call) => {
                let callee = self.call(node, self.module.pool.call(call));
                return Facts { unwinds: false, io: true, memory: callee.memory };
            }
            Op::CallBr(_) | Op::Ext(_) => (io, if mem || io { Access::Write } else { Access::None }),
            Op::Resume | Op::Funclet(_) => (true, Access::Write),
            Op::Load(access) if !access.is_ordered() => (false, self.seen(node, 0, Access::Read)),
            Op::Store(access) if !access.is_ordered() => (false, self.seen(node, 1, Access::Write)),
            Op::Load(_) | Op::Store(_) | Op::CmpXchg { .. } | Op::AtomicRmw { .. } | Op::Fence { .. } | Op::VaArg => {
                (false, Access::Write)
            }
            Op::Alloca { .. } | Op::Unreachable | Op::IndirectBr(_) => (false, Access::None),
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
            | Op::Gep { .. } => (false, Access::None),
        };
        Facts { unwinds, io, memory }
    }

    /// The access, unless the address is in an allocation of this body.
    fn seen(&self, node: Node, address: usize, access: Access) -> Access {
        let own = self.is_own_allocation(self.graph.input(node, address));
        if own || access == Access::Read && seeded::is_active(Bug::AttrsReads) { Access::None } else { access }
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
                OriginDef::Argument(..) => {
                    if let Some((_, variable)) = Gamma::entry_var_of_argument(graph, origin) {
                        graph.origin(variable.input)
                    } else if let Some((_, variable)) = Theta::loop_var_of_argument(graph, origin)
                        && graph.origin(variable.post) == origin
                    {
                        graph.origin(variable.input)
                    } else {
                        return false;
                    }
                }
            };
        }
    }

    fn call(&self, node: Node, info: &CallInfo) -> Facts {
        let callee = self.calls.get(&node).copied();
        let declared = callee.and_then(|symbol| attributes(self.module, symbol));
        let site = self.module.pool.attributes(info.attributes);
        let by_attributes = Facts {
            unwinds: may_unwind(self.module, info, callee),
            io: info.effects.io,
            memory: if info.effects.mem {
                memory(site).min(declared.map_or(Access::Write, memory))
            } else {
                Access::None
            },
        };
        // Bundles do what the function called does not.
        if !info.bundles.is_empty() {
            return Facts { unwinds: by_attributes.unwinds, ..Facts::ANYTHING };
        }
        if let Some(name) = callee.map(|symbol| &*self.module.symbols[symbol].name)
            && name.starts_with("llvm.lifetime.")
            && self.is_own_allocation(self.graph.input(node, self.graph.inputs(node).len() - 1 - info.effects.count()))
        {
            return Facts { memory: Access::None, ..by_attributes };
        }
        let Some(callee) = callee.filter(|&symbol| self.module.symbols[symbol].value_type == info.function_type) else {
            return by_attributes;
        };
        let inferred = match self.known.get(&callee) {
            Some(&facts) => facts,
            None if self.own.contains(&callee) => Facts { io: true, ..Facts::NOTHING },
            None if seeded::is_active(Bug::AttrsCallee) => Facts::NOTHING,
            None => Facts::ANYTHING,
        };
        Facts {
            unwinds: by_attributes.unwinds && inferred.unwinds,
            io: by_attributes.io && inferred.io,
            memory: by_attributes.memory.min(inferred.memory),
        }
    }
}

/// What attributes of a call or function say that it does to memory.
fn memory(list: &AttributeList) -> Access {
    let said = list.function.iter().find_map(|attribute| attribute.text.strip_prefix("memory("));
    match said {
        Some("none)") => Access::None,
        Some(kinds) if !kinds.contains("write") => Access::Read,
        Some(_) | None => Access::Write,
    }
}
