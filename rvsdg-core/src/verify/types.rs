//! Which types are allowed where.

use rustc_hash::FxHashMap;

use crate::{Pool, Type, TypeKind};

/// What the verifier knows of types, each checked once.
pub(super) struct TypeFacts<'p> {
    pool: &'p Pool,
    known: FxHashMap<Type, Fact>,
}

/// What is known of a type.
#[derive(Copy, Clone)]
pub(super) struct Fact {
    /// Why it cannot be written in textual IR.
    pub(super) flaw: Option<&'static str>,
    /// Whether values of it have a size in memory.
    pub(super) sized: bool,
}

impl<'p> TypeFacts<'p> {
    pub(super) fn new(pool: &'p Pool) -> Self {
        TypeFacts { pool, known: FxHashMap::default() }
    }

    /// The facts of a type. Component types come first, on an explicit stack.
    pub(super) fn fact(&mut self, ty: Type) -> Fact {
        if let Some(&fact) = self.known.get(&ty) {
            return fact;
        }
        let mut pending = vec![(ty, false)];
        while let Some((ty, entered)) = pending.pop() {
            if self.known.contains_key(&ty) {
                continue;
            }
            let kind = self.pool.type_kind(ty);
            if entered {
                let fact = self.of_kind(kind);
                self.known.insert(ty, fact);
            } else {
                pending.push((ty, true));
                each_component(kind, |component| pending.push((component, false)));
            }
        }
        self.known[&ty]
    }

    fn of_kind(&self, kind: &TypeKind) -> Fact {
        let mut inner = None;
        let mut sized = true;
        each_component(kind, |component| {
            let fact = self.known[&component];
            inner = inner.or(fact.flaw);
            sized &= fact.sized;
        });
        let all = |good: fn(&TypeKind) -> bool| {
            let mut result = true;
            each_component(kind, |component| result &= good(self.pool.type_kind(component)));
            result
        };
        let (own, sized) = match kind {
            TypeKind::Int(bits) => ((!(1..=1 << 23).contains(bits)).then_some("an integer has 1 to 2^23 bits"), true),
            TypeKind::Half
            | TypeKind::BFloat
            | TypeKind::Float
            | TypeKind::Double
            | TypeKind::X86Fp80
            | TypeKind::Fp128
            | TypeKind::PpcFp128
            | TypeKind::X86Amx
            | TypeKind::Ptr(_)
            | TypeKind::Target { .. } => (None, true),
            TypeKind::Vector { len, .. } => {
                let flaw = if *len == 0 {
                    Some("a vector has at least one lane")
                } else {
                    (!all(is_lane)).then_some("a lane is an integer, a float or a pointer")
                };
                (flaw, sized)
            }
            TypeKind::Array { .. } | TypeKind::Struct { .. } => {
                ((!all(is_element)).then_some("this type cannot be an element of an aggregate"), sized)
            }
            TypeKind::Named { elements, .. } => (
                (!all(is_element)).then_some("this type cannot be an element of an aggregate"),
                sized && elements.is_some(),
            ),
            TypeKind::Function { result, params, .. } => {
                let result = self.pool.type_kind(*result);
                let good = (matches!(result, TypeKind::Void) || is_first_class(result))
                    && params.iter().all(|&param| {
                        let param = self.pool.type_kind(param);
                        is_first_class(param) || matches!(param, TypeKind::Metadata)
                    });
                ((!good).then_some("a function takes and returns first-class values"), false)
            }
            TypeKind::Ctl(alternatives) => {
                ((*alternatives == 0).then_some("a predicate has at least one alternative"), false)
            }
            TypeKind::Void | TypeKind::Token | TypeKind::Metadata | TypeKind::Mem | TypeKind::Io => (None, false),
        };
        Fact { flaw: own.or(inner), sized }
    }
}

fn each_component(kind: &TypeKind, mut visit: impl FnMut(Type)) {
    match kind {
        TypeKind::Vector { element, .. } | TypeKind::Array { element, .. } => visit(*element),
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
            elements.iter().copied().for_each(visit)
        }
        TypeKind::Function { result, params, .. } => {
            visit(*result);
            params.iter().copied().for_each(visit);
        }
        TypeKind::Target { types, .. } => types.iter().copied().for_each(visit),
        TypeKind::Int(_)
        | TypeKind::Half
        | TypeKind::BFloat
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::X86Fp80
        | TypeKind::Fp128
        | TypeKind::PpcFp128
        | TypeKind::X86Amx
        | TypeKind::Ptr(_)
        | TypeKind::Named { elements: None, .. }
        | TypeKind::Void
        | TypeKind::Token
        | TypeKind::Metadata
        | TypeKind::Ctl(_)
        | TypeKind::Mem
        | TypeKind::Io => {}
    }
}

fn is_lane(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Int(_) | TypeKind::Ptr(_) | TypeKind::Target { .. }) || kind.is_float()
}

fn is_element(kind: &TypeKind) -> bool {
    is_first_class(kind) && !matches!(kind, TypeKind::Token | TypeKind::X86Amx)
        || matches!(kind, TypeKind::Named { elements: None, .. })
}

/// Whether operations can produce and take values of the type; predicates and states are not values.
pub(super) fn is_first_class(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Named { elements, .. } => elements.is_some(),
        TypeKind::Function { .. }
        | TypeKind::Void
        | TypeKind::Metadata
        | TypeKind::Ctl(_)
        | TypeKind::Mem
        | TypeKind::Io => false,
        TypeKind::Int(_)
        | TypeKind::Half
        | TypeKind::BFloat
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::X86Fp80
        | TypeKind::Fp128
        | TypeKind::PpcFp128
        | TypeKind::X86Amx
        | TypeKind::Ptr(_)
        | TypeKind::Vector { .. }
        | TypeKind::Array { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Target { .. }
        | TypeKind::Token => true,
    }
}

/// The lane type and, for vectors, the number of lanes and whether it is scalable.
pub(super) fn lanes(pool: &Pool, ty: Type) -> (&TypeKind, Option<(u32, bool)>) {
    match pool.type_kind(ty) {
        TypeKind::Vector { element, len, scalable } => (pool.type_kind(*element), Some((*len, *scalable))),
        kind => (kind, None),
    }
}

/// The number of bits of a scalar with a fixed width; `None` for pointers and everything else.
pub(super) fn scalar_bits(kind: &TypeKind) -> Option<u64> {
    match kind {
        TypeKind::Int(bits) => Some(u64::from(*bits)),
        TypeKind::Half | TypeKind::BFloat => Some(16),
        TypeKind::Float => Some(32),
        TypeKind::Double => Some(64),
        TypeKind::X86Fp80 => Some(80),
        TypeKind::Fp128 | TypeKind::PpcFp128 => Some(128),
        TypeKind::X86Amx => Some(8192),
        TypeKind::Ptr(_)
        | TypeKind::Vector { .. }
        | TypeKind::Array { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Named { .. }
        | TypeKind::Function { .. }
        | TypeKind::Target { .. }
        | TypeKind::Void
        | TypeKind::Token
        | TypeKind::Metadata
        | TypeKind::Ctl(_)
        | TypeKind::Mem
        | TypeKind::Io => None,
    }
}

/// Types of an aggregate's element number `index`.
pub(super) fn element(pool: &Pool, aggregate: Type, index: u64) -> Option<Type> {
    match pool.type_kind(aggregate) {
        TypeKind::Array { element, len } => (index < *len).then_some(*element),
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
            elements.get(usize::try_from(index).ok()?).copied()
        }
        _ => None,
    }
}
