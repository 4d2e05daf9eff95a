//! Functions that passes add calls of, and that a module may not have declared.

use rvsdg_core::attribute::AttributeList;
use rvsdg_core::module::{SymbolData, SymbolKind};
use rvsdg_core::{Module, Origin, Symbol, Type};

/// A function that is defined elsewhere and takes its arguments as those of C do.
pub(crate) struct Declaration {
    /// The name.
    pub name: Box<str>,
    /// The type of the function.
    pub ty: Type,
    /// What is said of it where a module does not say anything.
    pub attributes: AttributeList,
}

impl Declaration {
    /// What a module has with the name.
    pub fn known(&self, module: &Module) -> Option<Symbol> {
        module.order.iter().copied().find(|&symbol| module.symbols[symbol].name == self.name)
    }

    /// Whether a module has the function, or nothing else with its name.
    pub fn is_possible(&self, module: &Module) -> bool {
        self.known(module).is_none_or(|symbol| {
            let data = &module.symbols[symbol];
            data.value_type == self.ty && matches!(data.kind, SymbolKind::Function { convention: 0, .. })
        })
    }

    /// The symbol, imported into the module; and its address at the ω level, if it was not imported before. `None` if it is not
    /// [possible](Declaration::is_possible).
    pub fn import(self, module: &mut Module) -> Option<(Symbol, Option<Origin>)> {
        if !self.is_possible(module) {
            return None;
        }
        let symbol = self.known(module).unwrap_or_else(|| {
            let attributes = module.pool.intern_attributes(self.attributes);
            let mut kind = SymbolKind::default();
            if let SymbolKind::Function { attributes: own, .. } = &mut kind {
                *own = attributes;
            }
            module.add_symbol(SymbolData::new(&self.name, self.ty, kind))
        });
        let is_new = !module.imports.contains(&symbol);
        Some((symbol, is_new.then(|| module.add_import(symbol))))
    }
}
