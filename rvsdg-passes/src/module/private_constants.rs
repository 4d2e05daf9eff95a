//! Constants that passes add to a module for themselves.

use rustc_hash::FxHashSet;
use rvsdg_core::module::{Linkage, SymbolData, SymbolKind, UnnamedAddr};
use rvsdg_core::{Const, Module, NodeKind, Origin, Symbol, Type};

/// Adds private constants whose addresses do not matter.
#[derive(Default)]
pub(crate) struct PrivateConstants {
    names: Option<FxHashSet<Box<str>>>,
}

impl PrivateConstants {
    /// Adds a constant whose name starts with `stem`; `align` is in bytes. Returns its symbol, and its address at the ω level.
    pub fn add(&mut self, module: &mut Module, stem: &str, value: Const, align: u64) -> (Symbol, Origin) {
        let ty = module.pool.constant(value).ty();
        let data = SymbolData {
            linkage: Linkage::Private,
            unnamed_addr: UnnamedAddr::Global,
            dso_local: true,
            align: Some(align),
            ..SymbolData::new(&self.name(module, stem), ty, SymbolKind::constant(value))
        };
        let symbol = module.add_symbol(data);
        let root = module.omega.root();
        let node = module.omega.add_node(root, NodeKind::Delta(symbol), &[], &[Type::PTR]);
        module.omega.move_to_front(node);
        (symbol, module.omega.output(node, 0))
    }

    /// A name that nothing has yet.
    fn name(&mut self, module: &Module, stem: &str) -> String {
        let names = self.names.get_or_insert_with(|| module.symbols.values().map(|data| data.name.clone()).collect());
        let numbered = (1..).map(|number| format!("{stem}.{number}"));
        let name = std::iter::once(stem.to_owned()).chain(numbered).find(|name| !names.contains(name.as_str()));
        let name = name.expect("there are more numbers than names");
        names.insert(name.as_str().into());
        name
    }
}
