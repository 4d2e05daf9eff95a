//! What accesses have to do with each other: the same place, surely apart, or unknown.

use rustc_hash::FxHashSet;
use rvsdg_core::op::{AtomicOrdering, MemAccess};
use rvsdg_core::{Graph, Node, Op, OriginDef, Type};

use super::numbering::{Def, Numbering, Vn};
use super::offsets::are_apart;

/// A place in memory: where it begins, and the type of the value there.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(super) struct Access {
    /// The address.
    pub addr: Vn,
    /// The type, which tells the size.
    pub ty: Type,
}

/// Whether an access is neither volatile nor atomic.
pub(super) fn is_plain(access: MemAccess) -> bool {
    !access.volatile && access.ordering == AtomicOrdering::NotAtomic
}

/// What a simple node does to memory.
pub(super) enum Effect {
    /// Nothing that others could tell.
    None,
    /// It reads there; `plain` when it is neither volatile nor atomic.
    Read(Access, bool),
    /// It writes there.
    Write(Access, bool),
    /// It may read and write whatever others can reach.
    Any,
}

/// The effect of a simple node.
pub(super) fn effect(graph: &Graph, numbers: &mut Numbering, node: Node) -> Effect {
    let Some(op) = graph.op(node) else { return Effect::Any };
    match op {
        Op::Load(access) if !access.is_ordered() => {
            let addr = numbers.get(graph, graph.input(node, 0));
            Effect::Read(Access { addr, ty: graph.ty(graph.output(node, 0)) }, is_plain(access))
        }
        Op::Store(access) if !access.is_ordered() => {
            let addr = numbers.get(graph, graph.input(node, 1));
            Effect::Write(Access { addr, ty: graph.ty(graph.input(node, 0)) }, is_plain(access))
        }
        Op::Alloca { .. } => Effect::None,
        _ if op.effects(graph.pool()).mem => Effect::Any,
        _ => Effect::None,
    }
}

/// Objects on the stack that nothing but plain accesses in the body itself can reach: by the number of their address.
#[derive(Default)]
pub(super) struct Objects {
    /// Every `alloca`.
    allocas: FxHashSet<Vn>,
    /// Those whose address gets to where it is not followed.
    escaped: FxHashSet<Vn>,
    /// Those that are read.
    read: FxHashSet<Vn>,
}

impl Objects {
    /// Finds the objects of a body. Cost: linear in the number of edges.
    pub(super) fn new(graph: &Graph, numbers: &Numbering) -> Objects {
        let mut objects = Objects::default();
        for node in graph.all_nodes() {
            if let Some(Op::Alloca { .. }) = graph.op(node) {
                objects.allocas.extend(numbers.known(graph.output(node, 0)));
            }
        }
        if objects.allocas.is_empty() {
            return objects;
        }
        for node in graph.all_nodes() {
            objects.uses(graph, numbers, node);
        }
        objects
    }

    /// The objects after loads were forwarded: fewer may be read. What got away stays so.
    pub(super) fn refreshed(&self, graph: &Graph, numbers: &Numbering) -> Objects {
        let mut objects = Objects::new(graph, numbers);
        objects.escaped.extend(&self.escaped);
        objects
    }

    fn uses(&mut self, graph: &Graph, numbers: &Numbering, node: Node) {
        for (index, origin) in graph.input_origins(node).enumerate() {
            let Some(base) = numbers.known(origin).map(|vn| numbers.base(vn)) else { continue };
            if !self.allocas.contains(&base) {
                continue;
            }
            let follows = |output| numbers.known(output).is_some_and(|vn| numbers.base(vn) == base);
            let kept = match graph.op(node) {
                Some(Op::Load(access)) => {
                    self.read.insert(base);
                    is_plain(access)
                }
                Some(Op::Store(access)) => index == 1 && is_plain(access),
                Some(Op::Gep { .. }) => follows(graph.output(node, 0)),
                Some(_) => false,
                // What enters a γ has the same number inside.
                None => graph.subregions(node).iter().all(|&region| {
                    let arguments = graph.arguments(region);
                    let before = graph.inputs(node).len() - arguments.len();
                    index >= before && follows(arguments[index - before])
                }),
            };
            if !kept {
                self.escaped.insert(base);
            }
        }
        for &region in graph.subregions(node) {
            let before = graph.results(region).len() - graph.outputs(node).len();
            for (index, origin) in graph.result_origins(region).enumerate() {
                let Some(base) = numbers.known(origin).map(|vn| numbers.base(vn)) else { continue };
                let follows = |output| numbers.known(output).is_some_and(|vn| numbers.base(vn) == base);
                if self.allocas.contains(&base) && (index < before || !follows(graph.output(node, index - before))) {
                    self.escaped.insert(base);
                }
            }
        }
    }

    /// Whether an address is in an object that only the body's plain accesses reach.
    pub(super) fn is_private(&self, numbers: &Numbering, addr: Vn) -> bool {
        let base = numbers.base(addr);
        self.allocas.contains(&base) && !self.escaped.contains(&base)
    }

    /// Whether an address is in an object that nothing reads.
    pub(super) fn is_write_only(&self, numbers: &Numbering, addr: Vn) -> bool {
        self.is_private(numbers, addr) && !self.read.contains(&numbers.base(addr))
    }

    /// Whether two accesses surely have no byte in common.
    pub(super) fn are_disjoint(&self, graph: &Graph, numbers: &Numbering, a: Access, b: Access) -> bool {
        let (base_a, base_b) = (numbers.base(a.addr), numbers.base(b.addr));
        if base_a == base_b {
            return a.addr != b.addr && are_apart(graph.pool(), numbers, a, b);
        }
        let alloca = |base| self.allocas.contains(&base);
        let private = |base| alloca(base) && !self.escaped.contains(&base);
        if private(base_a) || private(base_b) || (alloca(base_a) && alloca(base_b)) {
            return true;
        }
        alloca(base_a) && is_older(graph, numbers, base_b) || alloca(base_b) && is_older(graph, numbers, base_a)
    }
}

/// Whether a pointer is older than every object of the body: a parameter, or the address of a symbol.
fn is_older(graph: &Graph, numbers: &Numbering, base: Vn) -> bool {
    match numbers.def(base) {
        Def::Leaf(origin) => matches!(graph.def(*origin), OriginDef::Argument(region, _) if region == graph.root()),
        Def::Node(op, _) => matches!(op, Op::Const(_)),
    }
}
