//! Library function attributes: what functions of the C library promise, by their names ([`library`]). LLVM's `inferattrs`.
//!
//! ```text
//! @strlen = function i64 (ptr)
//! ```
//!
//! becomes `nounwind willreturn memory(argmem: read)`, with a parameter that is not captured, and calls of it take no io state.
//!
//! Then calls that something cheaper computes are replaced ([`library_calls`](crate::module::library_calls)).
//!
//! Statistics: `functions` with new attributes; calls that were replaced, by kind (`allocations`, `numbers`, `roundings`, `streams`,
//! `strings`); and those of [attribute inference](super) for calls.
//!
//! Cost: linear in the size of the module.

use rustc_hash::FxHashMap;
use rvsdg_analysis::function::{FunctionEffects, ModRef};
use rvsdg_analysis::library::{self, Promises};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::attribute::{AttributeKind, AttributeList, MemoryEffects, MemoryLocation};
use rvsdg_core::module::SymbolKind;
use rvsdg_core::{Module, Symbol};

use super::{extended, relax};
use crate::module::calls::call_graph;
use crate::module::library_calls::LibraryCalls;
use crate::pass::{Change, ModulePass, PassCx, Stage};

/// The first stage of the pass; [library calls](crate::module::library_calls) are the second.
pub struct LibraryAttributes;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(LibraryAttributes)), Stage::Module(Box::new(LibraryCalls))]
}

impl ModulePass for LibraryAttributes {
    fn run(&self, module: &mut Module, cx: &PassCx) -> Change {
        if !library::is_known(module) {
            return Change::Unchanged;
        }
        let promised = |&symbol: &Symbol| Promises::of(module, symbol).map(|promises| (symbol, promises));
        let functions: Vec<(Symbol, &Promises)> = module.imports.iter().filter_map(promised).collect();
        if functions.is_empty() {
            return Change::Unchanged;
        }
        let mut change = Change::Unchanged;
        let mut facts: FxHashMap<Symbol, FunctionEffects> = FxHashMap::default();
        for (symbol, promises) in functions {
            facts.insert(symbol, effects(&promises.attributes));
            change |= promise(module, symbol, promises, cx);
        }
        let calls = call_graph(module);
        for &body in calls.bodies() {
            change |= relax(module, &calls, body, &facts, cx);
        }
        change
    }
}

/// What attributes of a function say of its effects.
fn effects(list: &AttributeList) -> FunctionEffects {
    let [unwinds, stays] = [AttributeKind::NoUnwind, AttributeKind::WillReturn].map(|kind| !list.function_has(kind));
    // What changes memory that only the library reaches is ordered like input and output.
    let io = stays || unwinds || list.memory().is_none_or(is_ordered);
    FunctionEffects { unwinds, io, memory: ModRef::of_attributes(list) }
}

/// Whether what is done to memory that only the library reaches is seen from outside.
fn is_ordered(memory: &MemoryEffects) -> bool {
    let is_named = memory.named.iter().any(|&(location, _)| location == MemoryLocation::Inaccessible);
    is_named && !seeded::is_active(Bug::LibAllocations)
}

/// Adds what a function promises to its attributes.
fn promise(module: &mut Module, symbol: Symbol, promises: &Promises, cx: &PassCx) -> Change {
    let pool = module.pool.clone();
    let SymbolKind::Function { attributes, .. } = &mut module.symbols[symbol].kind else { return Change::Unchanged };
    let old = pool.attributes(*attributes);
    let new = &promises.attributes;
    let params = 0..new.params.len().max(old.params.len());
    let list = AttributeList {
        function: extended(&old.function, &new.function),
        result: extended(&old.result, &new.result),
        params: params.map(|index| extended(old.param(index), new.param(index))).collect(),
    };
    if list.function == old.function && list.result == old.result && list.params.iter().eq(old.params.iter()) {
        return Change::Unchanged;
    }
    *attributes = pool.intern_attributes(list);
    cx.count("functions", 1);
    Change::Changed
}
