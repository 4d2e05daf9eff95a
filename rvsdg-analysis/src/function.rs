//! Functions: what symbols, attributes and calls say of them, and the effects of their bodies.

mod effects;
mod parameters;

pub use effects::{FunctionEffects, ModRef};
pub use parameters::{ParameterUses, parameter_uses};

use rvsdg_core::attribute::{AttributeKind, AttributeList};
use rvsdg_core::module::{Linkage, SymbolKind};
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Module, Symbol};

/// Whether the linker or loader may choose another definition of a symbol with a different meaning: LLVM's `isInterposable`. If not, the
/// definition that is executed has this meaning, but may be compiled differently.
pub fn is_interposable(module: &Module, symbol: Symbol) -> bool {
    let data = &module.symbols[symbol];
    match data.linkage {
        Linkage::Internal | Linkage::Private => false,
        Linkage::External | Linkage::LinkonceOdr | Linkage::WeakOdr | Linkage::AvailableExternally => {
            let semantic = module
                .header
                .flags
                .iter()
                .any(|(_, name, value)| &**name == "SemanticInterposition" && !value.ends_with(" 0"));
            semantic && !data.dso_local
        }
        Linkage::Weak | Linkage::Linkonce | Linkage::ExternWeak | Linkage::Common | Linkage::Appending => true,
    }
}

/// Whether the definition of a symbol in this module is the one that is executed, whatever the linker does: LLVM's `isDefinitionExact`.
/// Only then facts derived from the body hold for every call: another copy of the same source, compiled with less optimization, may have
/// more effects.
pub fn is_exact(module: &Module, symbol: Symbol) -> bool {
    let linkage = module.symbols[symbol].linkage;
    let replaceable = matches!(linkage, Linkage::LinkonceOdr | Linkage::WeakOdr | Linkage::AvailableExternally);
    !replaceable && !is_interposable(module, symbol)
}

/// The attributes of a function, its result and its parameters; `None` for a symbol of another kind.
pub fn attributes(module: &Module, symbol: Symbol) -> Option<&AttributeList> {
    match &module.symbols[symbol].kind {
        SymbolKind::Function { attributes, .. } => Some(module.pool.attributes(*attributes)),
        SymbolKind::Variable { .. } | SymbolKind::Alias { .. } | SymbolKind::IFunc { .. } => None,
    }
}

/// Whether a symbol is a function with an attribute.
pub fn has_attribute(module: &Module, symbol: Symbol, kind: AttributeKind) -> bool {
    attributes(module, symbol).is_some_and(|list| list.function_has(kind))
}

/// Whether a call of a function may execute something other than its body, or the body must not be inspected: facts from the body must
/// not be used for calls.
pub fn is_opaque(module: &Module, symbol: Symbol) -> bool {
    const OPAQUE: [AttributeKind; 3] = [AttributeKind::Naked, AttributeKind::OptNone, AttributeKind::PresplitCoroutine];
    OPAQUE.into_iter().any(|kind| has_attribute(module, symbol, kind))
}

/// Whether a call may unwind, by its attributes and those of its callee, if known.
pub fn may_unwind(module: &Module, call: &CallInfo, callee: Option<Symbol>) -> bool {
    if !call.effects.io {
        return false;
    }
    if let Some(assembly) = &call.assembly {
        return assembly.can_unwind;
    }
    !module.pool.attributes(call.attributes).function_has(AttributeKind::NoUnwind)
        && !callee.is_some_and(|symbol| has_attribute(module, symbol, AttributeKind::NoUnwind))
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::*;

    /// Whether each definition may be replaced, and is exact, in a module with and without `-fsemantic-interposition`.
    #[test]
    fn definitions_that_may_be_replaced() {
        let text = "@plain = function void ()\n\
             @here = dso_local function void ()\n\
             @internal = internal function void ()\n\
             @odr = linkonce_odr function void ()\n\
             @odr_here = weak_odr dso_local function void ()\n\
             @copy = available_externally function void ()\n\
             @weak = weak dso_local function void ()\n";
        let answers = |text: &str| -> Vec<(String, bool, bool)> {
            let module = parse_module(text).expect("the text is a module");
            let of = |&symbol: &Symbol| {
                let name = module.symbols[symbol].name.to_string();
                (name, is_interposable(&module, symbol), is_exact(&module, symbol))
            };
            module.order.iter().map(of).collect()
        };
        let expected = |interposable: [bool; 7], exact: [bool; 7]| -> Vec<(String, bool, bool)> {
            let names = ["plain", "here", "internal", "odr", "odr_here", "copy", "weak"];
            names.iter().zip(interposable.iter().zip(exact)).map(|(name, (&a, b))| (name.to_string(), a, b)).collect()
        };
        let exact = [true, true, true, false, false, false, false];
        let interposable = [false, false, false, false, false, false, true];
        assert_eq!(answers(text), expected(interposable, exact));
        let off = format!("flag 1 \"SemanticInterposition\" \"i32 0\"\n{text}");
        assert_eq!(answers(&off), expected(interposable, exact));
        let exact = [false, true, true, false, false, false, false];
        let interposable = [true, false, false, true, false, true, true];
        let on = format!("flag 1 \"SemanticInterposition\" \"i32 1\"\n{text}");
        assert_eq!(answers(&on), expected(interposable, exact));
    }
}
