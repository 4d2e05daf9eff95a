//! Functions that allocate and free memory, by name or by attributes, and the calls of them that may be removed in pairs.

use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList, has};
use rvsdg_core::module::{Linkage, SymbolData, SymbolKind};
use rvsdg_core::{Graph, Module, Node, Op, Symbol, Type, TypeKind};

use crate::callee::argument_of_root;
use crate::surroundings::{Context, Surroundings};

/// What a function does with memory. Only functions of one family go together: what one allocates the other frees.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Allocation<'p> {
    /// It returns the address of a new object.
    Allocates {
        /// The family.
        family: &'p str,
    },
    /// It ends the lifetime of the object that a parameter points to, or does nothing for null.
    Frees {
        /// The family.
        family: &'p str,
        /// The parameter.
        param: usize,
    },
}

/// Kinds of targets without a C library.
const WITHOUT_LIBRARY: &[&str] = &["nvptx", "amdgcn", "r600", "spir", "dxil", "bpf"];

/// The endings of names of C++'s operator `new`, after `_Znw` and the like and the type of the size, with and without an alignment.
const NEW_ENDINGS: [(&str, bool); 4] =
    [("", false), ("RKSt9nothrow_t", false), ("St11align_val_t", true), ("St11align_val_tRKSt9nothrow_t", true)];

/// The same after the `Pv` of operator `delete`.
const DELETE_ENDINGS: [(&str, bool); 6] = [
    ("", false),
    ("m", false),
    ("RKSt9nothrow_t", false),
    ("St11align_val_t", true),
    ("mSt11align_val_t", true),
    ("St11align_val_tRKSt9nothrow_t", true),
];

/// Whether the module's target has a C library, whose functions may be called or removed.
pub fn has_library(module: &Module) -> bool {
    !WITHOUT_LIBRARY.iter().any(|start| module.header.triple.starts_with(start))
}

impl Allocation<'static> {
    /// What a function does if it is the target library's function of this name: LLVM's `TargetLibraryInfo`.
    pub(crate) fn of_library(module: &Module, symbol: Symbol) -> Option<Allocation<'static>> {
        let data = &module.symbols[symbol];
        let SymbolKind::Function { .. } = data.kind else { return None };
        let allocation = Self::of_name(&data.name)?;
        (has_library(module) && data.linkage == Linkage::External && allocation.suits(module, data))
            .then_some(allocation)
    }

    fn of_name(name: &str) -> Option<Allocation<'static>> {
        if matches!(name, "malloc" | "calloc") {
            return Some(Allocation::Allocates { family: "malloc" });
        }
        if name == "free" {
            return Some(Allocation::Frees { family: "malloc", param: 0 });
        }
        let ending = |start: &str, endings: &[(&str, bool)]| {
            let rest = name.strip_prefix(start)?;
            endings.iter().find(|(ending, _)| *ending == rest).map(|&(_, aligned)| aligned)
        };
        for (letter, families) in [("w", ["_Znwm", "_ZnwmSt11align_val_t"]), ("a", ["_Znam", "_ZnamSt11align_val_t"])] {
            let family = |aligned: bool| families[usize::from(aligned)];
            let delete = if letter == "w" { "_ZdlPv" } else { "_ZdaPv" };
            if let Some(aligned) = ending(&format!("_Zn{letter}m"), &NEW_ENDINGS) {
                return Some(Allocation::Allocates { family: family(aligned) });
            }
            if let Some(aligned) = ending(delete, &DELETE_ENDINGS) {
                return Some(Allocation::Frees { family: family(aligned), param: 0 });
            }
        }
        None
    }

    /// Whether a function has the type of the library's function.
    fn suits(self, module: &Module, data: &SymbolData) -> bool {
        let pool = &module.pool;
        let TypeKind::Function { result, params, variadic: false } = pool.type_kind(data.value_type) else {
            return false;
        };
        match self {
            Allocation::Allocates { .. } => {
                *result == Type::PTR
                    && params.first().is_some_and(|&size| matches!(pool.type_kind(size), TypeKind::Int(_)))
            }
            Allocation::Frees { .. } => *result == Type::VOID && params.first() == Some(&Type::PTR),
        }
    }
}

/// What a call does with memory, if the call may be removed unobservably: attributes do not forbid assuming the function to be the one of
/// that name, or its own attributes say so.
///
/// A call of C++'s operators counts only if it is marked `builtin`, as those in `new` and `delete` expressions are; in a function with
/// `"no-builtins"`, names say nothing.
pub fn allocation<'p>(graph: &'p Graph, surroundings: &Surroundings, node: Node) -> Option<Allocation<'p>> {
    let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return None };
    let pool = graph.pool();
    let info = pool.call(call);
    if info.assembly.is_some() || !info.bundles.is_empty() || !info.metadata.is_empty() || info.tail.ends_function() {
        return None;
    }
    let context = surroundings.context(argument_of_root(graph, graph.input(node, 0))?)?;
    let Context::Function { attributes, library, .. } = context else { return None };
    let (site, declared) = (pool.attributes(info.attributes), pool.attributes(attributes));
    let is_no_builtin = [site, declared].into_iter().any(|list| list.function_has(AttributeKind::NoBuiltin));
    if is_no_builtin && !site.function_has(AttributeKind::BuiltIn) {
        return None;
    }
    let by_name =
        || library.filter(|_| !surroundings.attributes().is_some_and(|own| ignores_names(pool.attributes(own))));
    let found = by_attributes(site, site).or_else(|| by_attributes(declared, declared)).or_else(by_name)?;
    let param = |index: usize| graph.inputs(node).get(index + 1).map(|&input| graph.ty(graph.origin(input)));
    let fits = match found {
        Allocation::Allocates { .. } => {
            graph.outputs(node).first().is_some_and(|&result| graph.ty(result) == Type::PTR)
        }
        Allocation::Frees { param: index, .. } => {
            graph.ty(graph.outputs(node).first().copied()?).is_state() && param(index) == Some(Type::PTR)
        }
    };
    fits.then_some(found)
}

/// Whether names of library functions mean nothing in a function: `-fno-builtin` and `-ffreestanding`.
pub fn ignores_names(own: &AttributeList) -> bool {
    let keys = own.function.iter().filter_map(Attribute::key);
    keys.into_iter().any(|key| key == "no-builtins" || key.starts_with("no-builtin-"))
}

/// What the attributes `allockind` and `"alloc-family"` say.
fn by_attributes<'p>(list: &'p AttributeList, params: &AttributeList) -> Option<Allocation<'p>> {
    let kinds = list.function.iter().find_map(|attribute| match attribute {
        Attribute::AllocKind(kinds) => Some(kinds),
        _ => None,
    })?;
    let family = list.value("alloc-family")?;
    if kinds.only_allocates() {
        return Some(Allocation::Allocates { family });
    }
    let param = params.params.iter().position(|list| has(list, AttributeKind::AllocPtr));
    if kinds.only_frees() { Some(Allocation::Frees { family, param: param? }) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_families() {
        let family = |name: &str| match Allocation::of_name(name) {
            Some(Allocation::Allocates { family }) => Some((family, true)),
            Some(Allocation::Frees { family, param: 0 }) => Some((family, false)),
            Some(Allocation::Frees { .. }) | None => None,
        };
        for (allocates, frees) in [
            ("malloc", "free"),
            ("calloc", "free"),
            ("_Znwm", "_ZdlPv"),
            ("_Znwm", "_ZdlPvm"),
            ("_ZnwmRKSt9nothrow_t", "_ZdlPv"),
            ("_Znam", "_ZdaPvm"),
            ("_ZnwmSt11align_val_t", "_ZdlPvmSt11align_val_t"),
            ("_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_t"),
        ] {
            assert_eq!(family(allocates).map(|(family, _)| (family, false)), family(frees), "{allocates} {frees}");
            assert!(family(allocates).is_some_and(|(_, allocates)| allocates));
        }
        assert_ne!(family("_Znwm").map(|of| of.0), family("_ZdaPv").map(|of| of.0));
        assert_ne!(family("_Znwm").map(|of| of.0), family("_ZdlPvSt11align_val_t").map(|of| of.0));
        for other in ["realloc", "mallocx", "_Znw", "_Znwj", "_ZdlPvj", "strdup"] {
            assert_eq!(family(other), None, "{other}");
        }
    }

    #[test]
    fn functions_of_other_types_are_others() {
        let of = |name| Allocation::of_name(name).expect("a function of the library");
        for (ty, allocates, frees) in [
            ("ptr (i64)", true, false),
            ("ptr (i32, i32)", true, false),
            ("ptr (ptr)", false, false),
            ("ptr ()", false, false),
            ("i64 (i64)", false, false),
            ("ptr addrspace(1) (i64)", false, false),
            ("ptr (i64, ...)", false, false),
            ("void (ptr)", false, true),
            ("void (ptr, i64)", false, true),
            ("void (i64)", false, false),
            ("void ()", false, false),
            ("i32 (ptr)", false, false),
            ("void (ptr, ...)", false, false),
        ] {
            let text = format!("module \"test\"\n@g = function {ty}\nimport @g\n");
            let module = rvsdg_core::text::parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let data = module.symbols.values().next().expect("there is a symbol");
            assert_eq!(of("malloc").suits(&module, data), allocates, "{ty}");
            assert_eq!(of("free").suits(&module, data), frees, "{ty}");
        }
    }
}
