//! The types that generated graphs have, and constants of them.

use rvsdg_core::constant::Words;
use rvsdg_core::{Const, Constant, Pool, Type, TypeKind};

use crate::entropy::Entropy;
use crate::weights::Weights;

/// What a use demands of a type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// An integer.
    Int,
    /// An integer of at most 64 bits.
    SmallInt,
    /// A floating-point scalar.
    Float,
    /// A pointer into any address space.
    Ptr,
    /// A vector.
    Vector,
    /// An integer, or a vector of integers.
    IntLike,
    /// A float, or a vector of floats.
    FloatLike,
    /// A pointer, or a vector of pointers.
    PtrLike,
    /// A structure or an array.
    Aggregate,
    /// A value.
    Any,
}

/// The types to choose from.
pub(crate) struct Universe {
    types: Vec<Type>,
}

impl Universe {
    /// The types for graphs of these weights.
    pub(crate) fn new(pool: &Pool, weights: &Weights) -> Self {
        if weights.few_values {
            return Universe { types: vec![Type::I32, Type::I64, Type::PTR] };
        }
        let vector = |element, len, scalable| pool.intern_type(TypeKind::Vector { element, len, scalable });
        let structure =
            |elements: &[Type], packed| pool.intern_type(TypeKind::Struct { elements: elements.into(), packed });
        let array = |element, len| pool.intern_type(TypeKind::Array { element, len });
        let [float, double] = [TypeKind::Float, TypeKind::Double].map(|kind| pool.intern_type(kind));
        let mut types = vec![Type::I32, Type::I64, Type::I1, pool.int(8), pool.int(16), pool.int(7), Type::PTR];
        types.extend([float, double, Type::I32, Type::I64]);
        types.extend([vector(Type::I32, 4, false), vector(float, 4, false), vector(Type::I1, 4, false)]);
        types.extend([vector(Type::I64, 2, false), vector(pool.int(8), 16, false)]);
        types.extend([structure(&[Type::I32, Type::I64], false), array(Type::I32, 4)]);
        types.push(structure(&[Type::I32, Type::I1], false));
        if weights.defined {
            types.push(pool.int(33));
            return Universe { types };
        }
        types.extend([33, 64, 65, 128].map(|bits| pool.int(bits)));
        types.extend(
            [TypeKind::Half, TypeKind::BFloat, TypeKind::X86Fp80, TypeKind::Fp128, TypeKind::Ptr(1)]
                .map(|kind| pool.intern_type(kind)),
        );
        types.push(vector(Type::PTR, 4, false));
        types.extend([vector(pool.int(16), 4, false), vector(float, 1, false)]);
        let inner = structure(&[float, Type::PTR], true);
        types.extend([structure(&[pool.int(8), inner, array(Type::I1, 3)], false), array(inner, 2), array(float, 0)]);
        types.push(structure(&[], false));
        types.push(pool.intern_type(TypeKind::Named {
            name: "gen.node".into(),
            elements: Some([Type::I32, Type::PTR, array(pool.int(8), 3)].into()),
            packed: false,
        }));
        if weights.exotic {
            types.extend([vector(Type::I32, 4, true), vector(double, 2, true)]);
            types.push(pool.intern_type(TypeKind::PpcFp128));
            types.push(pool.intern_type(TypeKind::Target {
                name: "gen.handle".into(),
                types: [Type::I32].into(),
                ints: [3].into(),
            }));
        }
        Universe { types }
    }

    /// Whether a type is of a class.
    pub(crate) fn is(pool: &Pool, ty: Type, class: Class) -> bool {
        let kind = pool.type_kind(ty);
        let lane = match kind {
            TypeKind::Vector { element, .. } => pool.type_kind(*element),
            kind => kind,
        };
        match class {
            Class::Int => matches!(kind, TypeKind::Int(_)),
            Class::SmallInt => matches!(kind, TypeKind::Int(..=64)),
            Class::Float => kind.is_float(),
            Class::Ptr => matches!(kind, TypeKind::Ptr(_)),
            Class::Vector => matches!(kind, TypeKind::Vector { .. }),
            Class::IntLike => matches!(lane, TypeKind::Int(_)),
            Class::FloatLike => lane.is_float(),
            Class::PtrLike => matches!(lane, TypeKind::Ptr(_)),
            Class::Aggregate => match kind {
                TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                    !elements.is_empty()
                }
                TypeKind::Array { len, .. } => *len > 0,
                _ => false,
            },
            Class::Any => true,
        }
    }

    /// A type of a class.
    pub(crate) fn pick(&self, pool: &Pool, class: Class, entropy: &mut Entropy<'_>) -> Type {
        let types: Vec<Type> = self.types.iter().copied().filter(|&ty| Self::is(pool, ty, class)).collect();
        entropy.pick(&types)
    }
}

/// A constant of a type of the universe, without holes. Recurses as deep as the type is nested.
pub(crate) fn constant(pool: &Pool, ty: Type, weights: &Weights, entropy: &mut Entropy<'_>) -> Const {
    if entropy.below(100) + weights.poison as usize >= 100 {
        let poison = entropy.chance(1, 2);
        return pool.intern_const(if poison { Constant::Poison(ty) } else { Constant::Undef(ty) });
    }
    let mut inner = |element| constant(pool, element, weights, entropy);
    let constant = match pool.type_kind(ty) {
        TypeKind::Int(_) if weights.few_values => return pool.int_const(ty, entropy.below(3) as u64),
        TypeKind::Int(bits) => return int(pool, ty, *bits, entropy),
        kind if kind.is_float() => Constant::Float { ty, bits: float(kind, weights, entropy) },
        &TypeKind::Vector { element, len, scalable } => match entropy.below(if scalable { 2 } else { 4 }) {
            0 => Constant::Zero(ty),
            1 => Constant::Splat { ty, element: constant(pool, element, weights, entropy) },
            2 => match packed(pool, ty, element, u64::from(len), weights, entropy) {
                Some(data) => data,
                None => Constant::Zero(ty),
            },
            _ => Constant::Aggregate {
                ty,
                elements: (0..len).map(|_| constant(pool, element, weights, entropy)).collect(),
            },
        },
        &TypeKind::Array { element, len } => match entropy.below(3) {
            1 if len > 0 => match packed(pool, ty, element, len, weights, entropy) {
                Some(data) => data,
                None => Constant::Zero(ty),
            },
            2 if len > 0 => Constant::Aggregate {
                ty,
                elements: (0..len).map(|_| constant(pool, element, weights, entropy)).collect(),
            },
            _ => Constant::Zero(ty),
        },
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. }
            if !elements.is_empty() =>
        {
            let elements: Box<[Const]> = elements.iter().map(|&element| inner(element)).collect();
            Constant::Aggregate { ty, elements }
        }
        TypeKind::Token | TypeKind::Target { .. } => Constant::None(ty),
        _ => Constant::Zero(ty),
    };
    pool.intern_const(constant)
}

/// An integer, often one on the border of something.
fn int(pool: &Pool, ty: Type, bits: u32, entropy: &mut Entropy<'_>) -> Const {
    let limbs = bits.div_ceil(64) as usize;
    let top = (bits - 1) % 64;
    let mut words = vec![0u64; limbs];
    match entropy.below(8) {
        0 => {}
        1 => words[0] = 1,
        2 => words.fill(u64::MAX),
        3 => words[limbs - 1] = 1 << top,
        4 => {
            words.fill(u64::MAX);
            words[limbs - 1] = !(1 << top);
        }
        5 => words[0] = 1 << entropy.below(bits.min(64) as usize),
        6 => words[0] = entropy.bits(4),
        _ => words.iter_mut().for_each(|word| *word = entropy.bits(64)),
    }
    if top < 63 {
        words[limbs - 1] &= (2 << top) - 1;
    }
    let words = if limbs == 1 { Words::Small(words[0]) } else { Words::Large(words.into()) };
    pool.intern_const(Constant::Int { ty, words })
}

/// The bits of a float: a zero, an infinity, a NaN, something small, anything.
fn float(kind: &TypeKind, weights: &Weights, entropy: &mut Entropy<'_>) -> u128 {
    let (width, exponent) = match kind {
        TypeKind::Half => (16, 0x7c00),
        TypeKind::BFloat => (16, 0x7f80),
        TypeKind::Float => (32, 0x7f80_0000),
        TypeKind::Double => (64, 0x7ff0_0000_0000_0000),
        // Not all bit patterns of this format are numbers.
        TypeKind::X86Fp80 => return entropy.pick(&[0, 0x3fff_8000_0000_0000_0000, 0x7fff_8000_0000_0000_0000]),
        _ => (128, 0x7fff << 112),
    };
    let low = u128::from(entropy.bits(8));
    match entropy.below(if weights.defined { 5 } else { 8 }) {
        0 => 0,
        // Numbers between 1 and 32, about.
        1..=3 => exponent / 2 + (low << (width - 16)),
        4 => (1 << (width - 1)) | (exponent / 2),
        5 => exponent,
        6 => exponent | 1 << (width - 14),
        _ => (u128::from(entropy.bits(64)) << 64 | u128::from(entropy.bits(64))) & (u128::MAX >> (128 - width)),
    }
}

/// Packed data; `None` where elements cannot be packed.
fn packed(
    pool: &Pool,
    ty: Type,
    element: Type,
    len: u64,
    weights: &Weights,
    entropy: &mut Entropy<'_>,
) -> Option<Constant> {
    let kind = pool.type_kind(element);
    let size = match kind {
        TypeKind::Int(bits @ (8 | 16 | 32 | 64)) => *bits / 8,
        TypeKind::Half | TypeKind::BFloat => 2,
        TypeKind::Float => 4,
        TypeKind::Double => 8,
        _ => return None,
    };
    let mut bytes = Vec::new();
    for _ in 0..len {
        let bits = if kind.is_float() { float(kind, weights, entropy) } else { u128::from(entropy.bits(8 * size)) };
        bytes.extend_from_slice(&bits.to_le_bytes()[..size as usize]);
    }
    Some(Constant::Data { ty, bytes: bytes.into() })
}
