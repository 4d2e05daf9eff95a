//! Effects of calls on memory, from the attributes of call and callee.

use rvsdg_core::attribute::{AttributeKind, AttributeList, Attributes};
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Graph, Node, Op, OriginDef, Pool, Type, TypeKind};
use smallvec::SmallVec;

use super::effects::Location;
use super::states;
use crate::captures::of_argument;
use crate::memory_attribute::Memory;
use crate::numbering::{Def, Numbering, Vn};
use crate::surroundings::{Context, MemoryIntrinsic, Surroundings};

/// The possible effects of a call on memory.
pub struct CallEffect {
    /// Objects that it may read because it gets their addresses: accesses of type `void`, which may be of any part.
    pub reads: SmallVec<[Location; 4]>,
    /// Objects that it may write because it gets their addresses.
    pub writes: SmallVec<[Location; 4]>,
    /// Whether it may read any memory that is reachable from outside.
    pub reads_any: bool,
    /// Whether it may write any memory that is reachable from outside.
    pub writes_any: bool,
    /// Whether it is certain to return normally.
    pub returns: bool,
}

impl Default for CallEffect {
    /// No effect.
    fn default() -> Self {
        CallEffect {
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            reads_any: false,
            writes_any: false,
            returns: true,
        }
    }
}

impl CallEffect {
    /// Adds another call's effects on memory that is reachable from outside.
    pub fn join(&mut self, other: &CallEffect) {
        self.reads_any |= other.reads_any;
        self.writes_any |= other.writes_any;
        self.returns &= other.returns;
    }

    /// The effects of an unknown operation.
    pub fn any() -> CallEffect {
        CallEffect { reads_any: true, writes_any: true, returns: false, ..CallEffect::default() }
    }
}

/// The attributes of a call and of its callee, if known.
struct Lists<'p> {
    lists: SmallVec<[&'p AttributeList; 2]>,
    is_lifetime: bool,
}

impl<'p> Lists<'p> {
    fn new(
        graph: &Graph,
        pool: &'p Pool,
        numbers: &Numbering,
        surroundings: Option<&Surroundings>,
        node: Node,
        info: &CallInfo,
    ) -> Lists<'p> {
        let mut lists = Lists { lists: SmallVec::from_slice(&[pool.attributes(info.attributes)]), is_lifetime: false };
        if info.assembly.is_none()
            && let Some(callee) = numbers.known(graph.input(node, 0))
            && let Some(Context::Function { attributes, memory, .. }) = context(graph, numbers, surroundings, callee)
        {
            lists.lists.push(pool.attributes(attributes));
            lists.is_lifetime = memory == Some(MemoryIntrinsic::Mark);
        }
        lists
    }

    fn param_has(&self, index: usize, kinds: [AttributeKind; 2]) -> bool {
        self.lists.iter().any(|list| kinds.into_iter().any(|kind| list.param_has(index, kind)))
    }
}

/// The symbol whose address a value is.
pub fn context(graph: &Graph, numbers: &Numbering, surroundings: Option<&Surroundings>, vn: Vn) -> Option<Context> {
    let Def::Leaf(origin) = numbers.def(vn) else { return None };
    let OriginDef::Argument(region, index) = graph.def(*origin) else { return None };
    if region != graph.root() {
        return None;
    }
    surroundings?.context(index as usize)
}

/// The description of a call whose operands are those of the instruction.
fn plain_call(graph: &Graph, node: Node) -> Option<&CallInfo> {
    let (Op::Call(call) | Op::Invoke(call)) = graph.op(node)? else { return None };
    let info = graph.pool().call(call);
    (info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty()).then_some(info)
}

/// The effect of a call.
pub fn effect(graph: &Graph, numbers: &mut Numbering, surroundings: Option<&Surroundings>, node: Node) -> CallEffect {
    let Some(info) = plain_call(graph, node) else { return CallEffect::any() };
    let pool = graph.pool();
    let mut arguments: SmallVec<[(usize, Vn); 8]> = SmallVec::new();
    for index in 1..graph.inputs(node).len() - info.exits.clauses() {
        let origin = graph.input(node, index);
        if matches!(pool.type_kind(graph.ty(origin)), TypeKind::Ptr(_)) {
            arguments.push((index - 1, numbers.get(graph, origin)));
        }
    }
    let lists = Lists::new(graph, pool, numbers, surroundings, node, info);
    let memory = lists.lists.iter().map(|list| Memory::of(list)).fold(Memory::ALL, Memory::and);
    let mut effect = CallEffect {
        reads: SmallVec::new(),
        writes: SmallVec::new(),
        reads_any: memory.other.reads(),
        writes_any: memory.other.writes(),
        returns: !states::has_io(graph, node),
    };
    for (param, addr) in arguments {
        let object = Location { addr: numbers.base(addr), ty: Type::VOID };
        let only = |kinds| lists.param_has(param, kinds);
        if memory.arguments.reads() && !lists.is_lifetime && !only([AttributeKind::WriteOnly, AttributeKind::ReadNone])
        {
            effect.reads.push(object);
        }
        if memory.arguments.writes() && !only([AttributeKind::ReadOnly, AttributeKind::ReadNone]) {
            effect.writes.push(object);
        }
    }
    effect
}

/// Whether a call does not capture the pointer that is its input number `index`, and accesses it only as [`effect`] says.
pub fn keeps_private(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, index: usize) -> bool {
    let Some(info) = plain_call(graph, node) else { return false };
    let last = graph.inputs(node).len() - info.exits.clauses();
    index
        .checked_sub(1)
        .filter(|_| index < last)
        .is_some_and(|param| !of_argument(graph, surroundings, node, param).captured)
}

/// Whether a node is a lifetime marker.
pub fn is_lifetime(graph: &Graph, numbers: &Numbering, surroundings: Option<&Surroundings>, node: Node) -> bool {
    plain_call(graph, node)
        .is_some_and(|info| Lists::new(graph, graph.pool(), numbers, surroundings, node, info).is_lifetime)
}

/// Whether a node returns the address of an object of which no other address exists.
pub fn is_allocation(graph: &Graph, numbers: &Numbering, surroundings: Option<&Surroundings>, node: Node) -> bool {
    plain_call(graph, node).is_some_and(|info| {
        let lists = Lists::new(graph, graph.pool(), numbers, surroundings, node, info);
        lists.lists.iter().any(|list| list.result_has(AttributeKind::NoAlias))
    })
}

/// Whether an attribute list promises that memory accessed through a parameter is accessed through it only (`noalias`).
pub fn is_noalias(pool: &Pool, attributes: Attributes, param: usize) -> bool {
    pool.attributes(attributes).param_has(param, AttributeKind::NoAlias)
}
