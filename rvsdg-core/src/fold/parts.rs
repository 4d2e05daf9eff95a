//! Parts of constants: lanes of vectors, elements of arrays and structures.

use crate::constant::Words;
use crate::{Const, Constant, Pool, Type, TypeKind};

/// Vectors of more lanes are not computed with.
pub const MAX_LANES: u32 = 64;

/// The type of a vector's lanes.
pub fn lane_type(pool: &Pool, ty: Type) -> Option<Type> {
    match *pool.type_kind(ty) {
        TypeKind::Vector { element, .. } => Some(element),
        _ => None,
    }
}

/// The number of lanes of a vector whose length is known and which is computed with.
pub fn lanes(pool: &Pool, ty: Type) -> Option<u32> {
    match *pool.type_kind(ty) {
        TypeKind::Vector { len: len @ 1..=MAX_LANES, scalable: false, .. } => Some(len),
        _ => None,
    }
}

/// The type of an element of an aggregate or vector.
pub fn part_type(pool: &Pool, ty: Type, index: u64) -> Option<Type> {
    match pool.type_kind(ty) {
        &TypeKind::Vector { element, len, scalable } => (scalable || index < len.into()).then_some(element),
        &TypeKind::Array { element, len } => (index < len).then_some(element),
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
            elements.get(usize::try_from(index).ok()?).copied()
        }
        _ => None,
    }
}

/// All bits zero, of a type that has such a constant.
pub fn zero(pool: &Pool, ty: Type) -> Option<Const> {
    Some(pool.intern_const(match pool.type_kind(ty) {
        &TypeKind::Int(bits) => {
            let limbs = bits.div_ceil(64) as usize;
            Constant::Int { ty, words: if limbs <= 1 { Words::Small(0) } else { Words::Large(vec![0; limbs].into()) } }
        }
        kind if kind.is_float() => Constant::Float { ty, bits: 0 },
        TypeKind::Ptr(_)
        | TypeKind::Vector { .. }
        | TypeKind::Array { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Named { elements: Some(_), .. } => Constant::Zero(ty),
        _ => return None,
    }))
}

/// Element number `index` of a constant. `None` when it has none, or it is not known.
pub fn part(pool: &Pool, constant: Const, index: u64) -> Option<Const> {
    let ty = part_type(pool, pool.constant(constant).ty(), index)?;
    match pool.constant(constant) {
        Constant::Zero(_) => zero(pool, ty),
        Constant::Poison(_) => Some(pool.poison(ty)),
        Constant::Undef(_) => Some(pool.intern_const(Constant::Undef(ty))),
        Constant::Splat { element, .. } => Some(*element),
        Constant::Aggregate { elements, .. } => elements.get(usize::try_from(index).ok()?).copied(),
        Constant::Data { bytes, .. } => {
            let size = data_size(pool, ty)?;
            let start = usize::try_from(index).ok()?.checked_mul(size)?;
            let bytes = bytes.get(start..start.checked_add(size)?)?;
            let bits = bytes.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            Some(pool.intern_const(match pool.type_kind(ty) {
                TypeKind::Int(_) => Constant::Int { ty, words: Words::Small(bits) },
                _ => Constant::Float { ty, bits: bits.into() },
            }))
        }
        _ => None,
    }
}

/// The constant in every lane of a vector, when it is the same.
pub fn splat(pool: &Pool, constant: Const) -> Option<Const> {
    let ty = pool.constant(constant).ty();
    match pool.constant(constant) {
        Constant::Splat { element, .. } => Some(*element),
        Constant::Zero(_) => zero(pool, lane_type(pool, ty)?),
        Constant::Poison(_) => Some(pool.poison(lane_type(pool, ty)?)),
        Constant::Data { bytes, .. } => {
            let size = data_size(pool, lane_type(pool, ty)?)?;
            bytes.chunks_exact(size).all(|chunk| chunk == &bytes[..size]).then(|| part(pool, constant, 0))?
        }
        Constant::Aggregate { elements, .. } => {
            lane_type(pool, ty)?;
            let (&first, rest) = elements.split_first()?;
            rest.iter().all(|&element| element == first).then_some(first)
        }
        _ => None,
    }
}

/// The vector of type `ty` with the same constant in each lane, in the form in which it is read.
pub fn splat_of(pool: &Pool, ty: Type, element: Const) -> Option<Const> {
    let TypeKind::Vector { len, scalable, .. } = *pool.type_kind(ty) else { return None };
    if let Constant::Poison(_) = pool.constant(element) {
        return Some(pool.poison(ty));
    }
    if let Constant::Undef(_) = pool.constant(element) {
        return Some(pool.intern_const(Constant::Undef(ty)));
    }
    if zero(pool, pool.constant(element).ty()) == Some(element) {
        return zero(pool, ty);
    }
    if scalable {
        return Some(pool.intern_const(Constant::Splat { ty, element }));
    }
    (len <= MAX_LANES).then(|| whole(pool, ty, &vec![element; len as usize]))?
}

/// The aggregate or vector of type `ty` with these elements, in the form in which it is read.
pub fn whole(pool: &Pool, ty: Type, elements: &[Const]) -> Option<Const> {
    let all = |is: &dyn Fn(Const) -> bool| !elements.is_empty() && elements.iter().all(|&element| is(element));
    if all(&|element| matches!(pool.constant(element), Constant::Poison(_))) {
        return Some(pool.poison(ty));
    }
    if all(&|element| matches!(pool.constant(element), Constant::Undef(_))) {
        return Some(pool.intern_const(Constant::Undef(ty)));
    }
    if all(&|element| zero(pool, pool.constant(element).ty()) == Some(element)) {
        return zero(pool, ty);
    }
    let element = match *pool.type_kind(ty) {
        TypeKind::Vector { element, scalable: false, .. } | TypeKind::Array { element, .. } => Some(element),
        TypeKind::Struct { .. } | TypeKind::Named { elements: Some(_), .. } => None,
        _ => return None,
    };
    if let Some(bytes) = element.and_then(|element| packed(pool, element, elements)) {
        return Some(pool.intern_const(Constant::Data { ty, bytes }));
    }
    Some(pool.intern_const(Constant::Aggregate { ty, elements: elements.into() }))
}

/// The bytes of numbers of one type, when there is a packed form of them.
fn packed(pool: &Pool, ty: Type, elements: &[Const]) -> Option<Box<[u8]>> {
    let size = data_size(pool, ty)?;
    let mut bytes = Vec::with_capacity(size * elements.len());
    for &element in elements {
        let bits = match pool.constant(element) {
            Constant::Int { words, .. } => words.as_slice()[0],
            Constant::Float { bits, .. } => *bits as u64,
            _ => return None,
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    Some(bytes.into())
}

/// The bytes of an element of packed data.
fn data_size(pool: &Pool, ty: Type) -> Option<usize> {
    match *pool.type_kind(ty) {
        TypeKind::Int(bits @ (8 | 16 | 32 | 64)) => Some(bits as usize / 8),
        TypeKind::Half | TypeKind::BFloat => Some(2),
        TypeKind::Float => Some(4),
        TypeKind::Double => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_as_many_parts_as_they_say() {
        let pool = Pool::new();
        let vector = |scalable| TypeKind::Vector { element: Type::I32, len: 4, scalable };
        let array = TypeKind::Array { element: Type::I32, len: 4 };
        let structure = TypeKind::Struct { elements: [Type::I32; 4].into(), packed: false };
        for kind in [vector(false), array, structure] {
            let ty = pool.intern_type(kind);
            assert_eq!([0, 3, 4].map(|index| part_type(&pool, ty, index)), [Some(Type::I32), Some(Type::I32), None]);
        }
        // How many lanes there are is known when the program runs.
        let scalable = pool.intern_type(vector(true));
        assert_eq!(part_type(&pool, scalable, 4), Some(Type::I32));
        assert_eq!(part_type(&pool, Type::I32, 0), None);
        let lanes =
            |len, scalable| lanes(&pool, pool.intern_type(TypeKind::Vector { element: Type::I32, len, scalable }));
        assert_eq!([lanes(4, false), lanes(MAX_LANES, false), lanes(MAX_LANES + 1, false)], [Some(4), Some(64), None]);
        assert_eq!(lanes(4, true), None);
    }
}
