//! What a module does with the variables that only it can reach.

use std::ops::Range;

use rustc_hash::FxHashMap;
use rvsdg_core::fold;
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::module::{SymbolKind, ThreadLocal};
use rvsdg_core::{Graph, Module, Node, NodeKind, Op, Origin, Symbol, Type};

use crate::call_graph::used_outside_bodies;
use crate::callee::argument_of_root;
use crate::captures::{self, PointerUse};
use crate::memory::base_and_distance;
use crate::owners::is_owner;
use crate::seeded::{self, Bug};
use crate::surroundings::{Context, Surroundings};

/// The maximum number of stores to known places of one variable.
const MAX_STORES: usize = 256;

/// The uses of each variable of local linkage by all bodies of a module, unless its address is captured, or other code may find it by its
/// section.
#[derive(Default, Debug)]
pub struct VariableUses {
    uses: FxHashMap<Symbol, Uses>,
}

#[derive(Debug)]
struct Uses {
    how: PointerUse,
    /// Whether its address is an argument of calls but those of intrinsics that access memory.
    is_passed: bool,
    /// Whether it is an [owner](crate::owners).
    is_owner: bool,
    /// The bytes that are written, if only stores to known places write.
    stores: Option<Vec<Range<u64>>>,
}

impl VariableUses {
    /// Those of a module. Linear in its size.
    pub fn of(module: &Module) -> VariableUses {
        let mut layouts = DataLayout::parse(&module.header.data_layout).ok().map(Layouts::new);
        let mut uses: FxHashMap<Symbol, Uses> = FxHashMap::default();
        for node in module.omega.all_nodes() {
            if let NodeKind::Delta(symbol) = module.omega.kind(node)
                && is_own(module, symbol)
            {
                let (is_owner, stores) = (is_null_at_first(module, symbol), Some(Vec::new()));
                uses.insert(symbol, Uses { how: PointerUse::NONE, is_passed: false, is_owner, stores });
            }
        }
        if uses.is_empty() {
            return VariableUses::default();
        }
        let others = used_outside_bodies(module);
        uses.retain(|symbol, _| !others.contains(symbol) || seeded::is_active(Bug::GlvKept));
        let surroundings = Surroundings::of_all(module);
        for lambda in module.lambdas() {
            let graph = module.bodies[lambda.body()].graph();
            for (index, symbol) in module.context_symbols(lambda).into_iter().enumerate() {
                let Some(known) = uses.get_mut(&symbol) else { continue };
                let Some(graph) = graph else {
                    uses.remove(&symbol);
                    continue;
                };
                let around = surroundings.get(&lambda.body()).map(|around| &**around);
                let mut is_passed = false;
                let call = |node, param| {
                    is_passed |= !is_memory_intrinsic(graph, around, node);
                    captures::of_argument(graph, around, node, param)
                };
                let address = graph.arguments(graph.root())[index];
                captures::uses(graph, address, call, |node, how| {
                    known.how = known.how.or(how);
                    if how.written
                        && let Some(stores) = &mut known.stores
                    {
                        let known_place = |(node, layouts)| stored_bytes(graph, layouts, node, address);
                        let bytes = node.zip(layouts.as_mut()).and_then(known_place);
                        match bytes.filter(|_| stores.len() < MAX_STORES) {
                            Some(bytes) => stores.push(bytes),
                            None => known.stores = None,
                        }
                    }
                });
                known.is_passed |= is_passed;
                known.is_owner = known.is_owner && around.is_some_and(|around| is_owner(graph, around, index));
                if known.how.captured {
                    uses.remove(&symbol);
                }
            }
        }
        VariableUses { uses }
    }

    /// The uses of a variable; `None` if others may exist.
    pub fn get(&self, symbol: Symbol) -> Option<PointerUse> {
        self.uses.get(&symbol).map(|uses| uses.how)
    }

    /// Whether no pointer leads to a variable but those computed from its address in bodies that mention it.
    pub fn is_unescaped(&self, symbol: Symbol) -> bool {
        self.uses.get(&symbol).is_some_and(|uses| !uses.is_passed)
    }

    /// Whether nothing leads to what a variable points to but pointers loaded from it.
    pub fn is_owner(&self, symbol: Symbol) -> bool {
        self.uses.get(&symbol).is_some_and(|uses| uses.is_owner)
    }

    /// The bytes of a variable that its stores write; `None` if anything else may write to it, or a store to an unknown place.
    pub fn stores(&self, symbol: Symbol) -> Option<&[Range<u64>]> {
        self.uses.get(&symbol)?.stores.as_deref()
    }
}

/// Whether a call is of an intrinsic that accesses memory, and passes no pointer on.
fn is_memory_intrinsic(graph: &Graph, around: Option<&Surroundings>, call: Node) -> bool {
    let callee = || around?.context(argument_of_root(graph, graph.input(call, 0))?);
    matches!(callee(), Some(Context::Function { memory: Some(_), .. }))
}

/// The bytes that a node stores at a known distance from an address.
fn stored_bytes(graph: &Graph, layouts: &mut Layouts, node: Node, from: Origin) -> Option<Range<u64>> {
    let Some(Op::Store(_)) = graph.op(node) else { return None };
    let (base, distance) = base_and_distance(graph, layouts, graph.input(node, 1))?;
    let start = u64::try_from(distance).ok().filter(|_| base == from)?;
    let size = layouts.of(graph.pool(), graph.ty(graph.input(node, 0))).ok()?.store;
    Some(start..start.checked_add(size)?)
}

/// Whether only this module can mention a variable, and its contents are the initializer's at first.
fn is_own(module: &Module, symbol: Symbol) -> bool {
    let data = &module.symbols[symbol];
    let is_initialized =
        matches!(data.kind, SymbolKind::Variable { externally_initialized: false, initializer: Some(_), .. });
    data.linkage.is_local() && is_initialized && data.section.is_none() && data.thread_local == ThreadLocal::None
}

/// Whether a variable is a pointer that is null at first.
fn is_null_at_first(module: &Module, symbol: Symbol) -> bool {
    let data = &module.symbols[symbol];
    let SymbolKind::Variable { initializer: Some(initializer), .. } = data.kind else { return false };
    data.value_type == Type::PTR && fold::parts::zero(&module.pool, Type::PTR) == Some(initializer)
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::*;

    #[test]
    fn uses_in_all_bodies() {
        let text = "module \"test\"
            @read = internal global i32 1
            @written = internal global i32 1
            @both = internal global i32 1
            @public = global i32 1
            @placed = internal global i32 1, section \"there\"
            @loaded = internal externally_initialized global i32 1
            @thread = internal thread_local global i32 1
            @kept = internal global i32 1
            @stored = internal global i32 1
            @passed = internal global i32 1
            @lent = internal global i32 1
            @table = internal global ptr ?0
            @take = function void (ptr)
            @look = function void (ptr), #0
            @f = function void ()
            @g = function void ()
            import @take
            import @look
            delta @read []
            delta @written []
            delta @both []
            delta @public []
            delta @placed []
            delta @loaded []
            delta @thread []
            delta @kept []
            delta @stored []
            delta @passed []
            delta @lent []
            delta @table [@kept]
            lambda @f [@read, @written, @both, @stored, @table] (mem0, io0) {
              v0: i32, mem1 = load @read, mem0, align 4
              mem2 = store v0, @written, mem1, align 4
              mem3 = store v0, @both, mem2, align 4
              mem4 = store @stored, @table, mem3, align 8
              yield mem4, io0
            }
            lambda @g [@both, @passed, @lent, @take, @look, @placed, @public] (mem0, io0) {
              v0: i32, mem1 = load @both, mem0, align 4
              mem2, io1 = call void (ptr) @take(@passed), mem1, io0
              mem3, io2 = call void (ptr) @look(@lent), mem2, io1
              v1: i32, mem4 = load @placed, mem3, align 4
              v2: i32, mem5 = load @public, mem4, align 4
              yield mem5, io2
            }
            export @f
            export @g
            export @public
            attributes #0 = params ({ captures(none), readonly })";
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
        let uses = VariableUses::of(&module);
        let found = module.order.iter().filter_map(|&symbol| {
            let how = uses.get(symbol)?;
            let how = if how.written { if how.read { "rw" } else { "w" } } else { "r" };
            Some(format!("{} {how} {:?}", module.symbols[symbol].name, uses.stores(symbol)))
        });
        let expected = [
            "read r Some([])",
            "written w Some([0..4])",
            "both rw Some([0..4])",
            "lent r Some([])",
            "table w Some([0..8])",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
