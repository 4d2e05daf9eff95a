//! How functions are used.

use rustc_hash::{FxHashMap, FxHashSet};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Module, NodeKind, Symbol};

use super::CallGraph;
use crate::function::is_local;

/// The functions that nothing but direct calls in the module uses: nobody else can call them, or take their addresses.
pub struct FunctionUses {
    calls: FxHashMap<Symbol, u32>,
}

impl FunctionUses {
    /// Those of a module with its call graph. Linear in the ω level and in calls.
    pub fn of(module: &Module, graph: &CallGraph) -> FunctionUses {
        let mut calls: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut others: FxHashSet<Symbol> = FxHashSet::default();
        let omega = &module.omega;
        others.extend(omega.result_origins(omega.root()).map(|origin| module.symbol_of(origin)));
        for node in omega.all_nodes() {
            match omega.kind(node) {
                NodeKind::Delta(_) => others.extend(omega.input_origins(node).map(|origin| module.symbol_of(origin))),
                NodeKind::Lambda(body) => match graph.direct_calls(body) {
                    None => others.extend(graph.contexts(body)),
                    Some(direct) => {
                        for (_, callee) in graph.calls(body) {
                            *calls.entry(callee).or_default() += 1;
                        }
                        let used = graph.contexts(body).iter().zip(&direct.other_uses).filter(|&(_, &uses)| uses > 0);
                        others.extend(used.map(|(symbol, _)| symbol));
                    }
                },
                NodeKind::Phi | NodeKind::Simple(_) | NodeKind::Gamma | NodeKind::Theta => {}
            }
        }
        for data in module.symbols.values() {
            if let SymbolKind::Function { personality, prefix, prologue, .. } = &data.kind {
                let constants = [personality, prefix, prologue].into_iter().flatten();
                others.extend(constants.flat_map(|constant| &constant.symbols));
            }
        }
        calls.retain(|&symbol, _| !others.contains(&symbol) && is_local(&module.symbols[symbol]));
        FunctionUses { calls }
    }

    /// Whether direct calls in this module are all uses of a function.
    pub fn is_only_called(&self, symbol: Symbol) -> bool {
        self.calls.contains_key(&symbol)
    }

    /// Whether one direct call in this module is the only use of a function.
    pub fn is_called_once(&self, symbol: Symbol) -> bool {
        self.calls.get(&symbol) == Some(&1)
    }
}
