//! The uses of functions.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Module, NodeKind, Symbol};

use super::CallGraph;

/// The direct calls of functions in the module, and whether they have other uses: other code can call them, or take their addresses.
pub struct FunctionUses {
    calls: FxHashMap<Symbol, u32>,
    others: FxHashSet<Symbol>,
}

impl FunctionUses {
    /// Those of a module with its call graph. Linear in the ω level and in calls.
    pub fn of(module: &Module, graph: &CallGraph) -> FunctionUses {
        let mut calls: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut others = used_outside_bodies(module);
        for node in module.omega.all_nodes() {
            let NodeKind::Lambda(body) = module.omega.kind(node) else { continue };
            match graph.direct_calls(body) {
                None => others.extend(graph.contexts(body)),
                Some(direct) => {
                    for (_, callee) in graph.calls(body) {
                        *calls.entry(callee).or_default() += 1;
                    }
                    let used = graph.contexts(body).iter().zip(&direct.other_uses).filter(|&(_, &uses)| uses > 0);
                    others.extend(used.map(|(symbol, _)| symbol));
                }
            }
        }
        others.extend(calls.keys().filter(|&&symbol| !module.symbols[symbol].linkage.is_local()));
        FunctionUses { calls, others }
    }

    /// How many direct calls of a function there are in this module.
    pub fn calls(&self, symbol: Symbol) -> u32 {
        self.calls.get(&symbol).copied().unwrap_or(0)
    }

    /// Whether a function is called, and all its uses are direct calls in this module.
    pub fn is_only_called(&self, symbol: Symbol) -> bool {
        self.calls(symbol) > 0 && !self.others.contains(&symbol)
    }

    /// Whether the only use of a function is one direct call in this module.
    pub fn is_called_once(&self, symbol: Symbol) -> bool {
        self.calls(symbol) == 1 && self.is_only_called(symbol)
    }
}

/// The symbols that other code knows, or that data or declarations of functions mention. Linear in the ω level.
pub(crate) fn used_outside_bodies(module: &Module) -> FxHashSet<Symbol> {
    let omega = &module.omega;
    let symbol_of = |origin| module.symbol_of(origin);
    let mut used: FxHashSet<Symbol> = omega.result_origins(omega.root()).map(symbol_of).collect();
    for node in omega.all_nodes() {
        if let NodeKind::Delta(_) = omega.kind(node) {
            used.extend(omega.input_origins(node).map(symbol_of));
        }
    }
    for data in module.symbols.values() {
        if let SymbolKind::Function { personality, prefix, prologue, .. } = &data.kind {
            let constants = [personality, prefix, prologue].into_iter().flatten();
            used.extend(constants.flat_map(|constant| &constant.symbols));
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::super::DirectCalls;
    use super::*;

    #[test]
    fn functions_that_only_calls_use() {
        let text = "module \"test\"
            @once = internal function void ()
            @twice = internal function void ()
            @never = internal function void ()
            @public = function void ()
            @stored = internal function void ()
            @passed = internal function void ()
            @named = internal function void ()
            @handles = internal function void ()
            @exported = internal function void ()
            @table = constant ptr ?0
            @f = function void (ptr), personality ptr ?0 [@handles]
            lambda @once [] (mem0, io0) { yield mem0, io0 }
            lambda @twice [] (mem0, io0) { yield mem0, io0 }
            lambda @never [] (mem0, io0) { yield mem0, io0 }
            lambda @public [] (mem0, io0) { yield mem0, io0 }
            lambda @stored [] (mem0, io0) { yield mem0, io0 }
            lambda @passed [] (mem0, io0) { yield mem0, io0 }
            lambda @named [] (mem0, io0) { yield mem0, io0 }
            lambda @handles [] (mem0, io0) { yield mem0, io0 }
            lambda @exported [] (mem0, io0) { yield mem0, io0 }
            delta @table [@stored]
            lambda @f [@once, @twice, @never, @public, @stored, @passed, @named, @handles, @exported] (v0: ptr, mem0, io0) {
              mem1, io1 = call void () @once(), mem0, io0
              mem2, io2 = call void () @twice(), mem1, io1
              mem3, io3 = call void () @twice(), mem2, io2
              mem4, io4 = call void () @public(), mem3, io3
              mem5, io5 = call void () @stored(), mem4, io4
              mem6, io6 = call void () @passed(), mem5, io5
              mem7, io7 = call void (ptr) v0(@passed), mem6, io6
              mem8, io8 = call void () @handles(), mem7, io7
              mem9, io9 = call void () @exported(), mem8, io8
              yield mem9, io9
            }
            export @public
            export @f
            export @table
            export @exported";
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
        let calls = module.lambdas().into_iter().map(|lambda| {
            let graph = module.bodies[lambda.body()].graph().expect("it is a graph");
            (lambda.body(), DirectCalls::of(graph, module.context_symbols(lambda).len()))
        });
        let uses = FunctionUses::of(&module, &CallGraph::new(&module, calls.collect()));
        let named = |holds: &dyn Fn(Symbol) -> bool| -> Vec<String> {
            let found = module.order.iter().filter(|&&symbol| holds(symbol));
            found.map(|&symbol| module.symbols[symbol].name.to_string()).collect()
        };
        assert_eq!(named(&|symbol| uses.is_only_called(symbol)), ["once", "twice"]);
        assert_eq!(named(&|symbol| uses.is_called_once(symbol)), ["once"]);
    }
}
