//! Constants: trees of literals whose leaves may stand for symbols.

use cranelift_entity::entity_impl;

use crate::Type;
use crate::op::Op;

/// An interned constant.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Const(u32);
entity_impl!(Const, "const");

/// What a [`Const`] is. Every variant names its type, directly or through its operands.
///
/// A constant that mentions symbols has [`Hole`](Constant::Hole)s; the node or data that uses it supplies one address
/// per hole, in order, so that dependences on symbols stay edges of the graph.
///
/// ```
/// use rvsdg_core::{Constant, Pool, Type, TypeKind};
///
/// let pool = Pool::new();
/// let ty = pool.intern_type(TypeKind::Array { element: Type::I32, len: 2 });
/// let elements = [1, 2].map(|value| pool.int_const(Type::I32, value));
/// let pair = Constant::Aggregate { ty, elements: elements.into() };
/// assert_eq!(pair.operands(), elements);
/// let pair = pool.intern_const(pair);
/// assert_eq!(pool.holes(pair), 0);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// An integer; `words` are 64-bit limbs, least significant first, as many as the width needs, unused bits zero.
    Int {
        /// An integer type.
        ty: Type,
        /// Little-endian limbs.
        words: Words,
    },
    /// A floating-point number by its bit pattern, in the low bits.
    Float {
        /// A floating-point scalar type.
        ty: Type,
        /// The bits as LLVM's `bitcast` to an integer gives them.
        bits: u128,
    },
    /// All bits zero: null pointer, zeroinitializer. Integers and floats use their own variants.
    Zero(Type),
    /// `undef`
    Undef(Type),
    /// `poison`
    Poison(Type),
    /// `none` of type token, or the initial value of a target type.
    None(Type),
    /// An array, structure or fixed vector by its elements.
    Aggregate {
        /// The aggregate's type.
        ty: Type,
        /// One constant per element.
        elements: Box<[Const]>,
    },
    /// A vector, fixed or scalable, all of whose lanes are the same.
    Splat {
        /// The vector's type.
        ty: Type,
        /// The value of each lane.
        element: Const,
    },
    /// An array or vector of integers (8 to 64 bits) or floats (16 to 64 bits), packed little-endian.
    Data {
        /// The array or vector type.
        ty: Type,
        /// Its elements' bytes, each element little-endian.
        bytes: Box<[u8]>,
    },
    /// The address supplied as input number `index`.
    Hole {
        /// A pointer type.
        ty: Type,
        /// Which input.
        index: u32,
    },
    /// An operation on constants: one of LLVM's constant expressions.
    Expr {
        /// Type of the result.
        ty: Type,
        /// The operation; its flags are the expression's.
        op: Op,
        /// Its operands.
        operands: Box<[Const]>,
        /// `inrange(start, end)` of a getelementptr, as limbs of the index type.
        in_range: Option<(i64, i64)>,
    },
    /// `dso_local_equivalent` of the function at hole `index`.
    DsoLocalEquivalent {
        /// A pointer type.
        ty: Type,
        /// Which input.
        index: u32,
    },
    /// `no_cfi` of the function at hole `index`.
    NoCfi {
        /// A pointer type.
        ty: Type,
        /// Which input.
        index: u32,
    },
    /// `blockaddress`: the block, by its number in the body as imported, of the function at hole `index`.
    BlockAddress {
        /// A pointer type.
        ty: Type,
        /// Which input is the function.
        index: u32,
        /// The block's number in the body as it was read.
        block: u32,
    },
    /// The token of a funclet's pad, by the pad's number in its function ([`Funclet`](crate::op::Funclet)).
    Funclet {
        /// The type of tokens.
        ty: Type,
        /// The pad's number.
        number: u32,
    },
    /// `ptrauth (pointer, key, discriminator, address discriminator, deactivation symbol)`
    PtrAuth {
        /// A pointer type.
        ty: Type,
        /// Pointer, key, discriminator, address discriminator and what follows.
        operands: Box<[Const]>,
    },
}

/// Limbs of an integer constant; up to 64 bits need no allocation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Words {
    /// Up to 64 bits.
    Small(u64),
    /// More than 64 bits, least significant first.
    Large(Box<[u64]>),
}

impl Words {
    /// All limbs, least significant first.
    pub fn as_slice(&self) -> &[u64] {
        match self {
            Words::Small(word) => std::slice::from_ref(word),
            Words::Large(words) => words,
        }
    }
}

impl Constant {
    /// The constant's type.
    pub fn ty(&self) -> Type {
        match *self {
            Constant::Int { ty, .. }
            | Constant::Float { ty, .. }
            | Constant::Zero(ty)
            | Constant::Undef(ty)
            | Constant::Poison(ty)
            | Constant::None(ty)
            | Constant::Aggregate { ty, .. }
            | Constant::Splat { ty, .. }
            | Constant::Data { ty, .. }
            | Constant::Hole { ty, .. }
            | Constant::Expr { ty, .. }
            | Constant::DsoLocalEquivalent { ty, .. }
            | Constant::NoCfi { ty, .. }
            | Constant::BlockAddress { ty, .. }
            | Constant::Funclet { ty, .. }
            | Constant::PtrAuth { ty, .. } => ty,
        }
    }

    /// The constants this one is made of.
    pub fn operands(&self) -> &[Const] {
        match self {
            Constant::Aggregate { elements, .. } => elements,
            Constant::Splat { element, .. } => std::slice::from_ref(element),
            Constant::Expr { operands, .. } | Constant::PtrAuth { operands, .. } => operands,
            Constant::Int { .. }
            | Constant::Float { .. }
            | Constant::Zero(_)
            | Constant::Undef(_)
            | Constant::Poison(_)
            | Constant::None(_)
            | Constant::Data { .. }
            | Constant::Hole { .. }
            | Constant::DsoLocalEquivalent { .. }
            | Constant::NoCfi { .. }
            | Constant::BlockAddress { .. }
            | Constant::Funclet { .. } => &[],
        }
    }
}
