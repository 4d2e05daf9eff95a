//! Alias analysis of addresses with a common base: whether they are disjoint.
//!
//! If the data layout is unknown, only sizes that are the same in every layout are used, and that different elements of one type are
//! disjoint.

use std::cell::RefCell;

use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::op::{BinaryFlags, CastOp, GepFlags, IntBinary};
use rvsdg_core::{Constant, Op, Pool, Type, TypeKind};
use smallvec::SmallVec;

use super::effects::Location;
use crate::numbering::{Def, Numbering, Vn};

/// How many successive `getelementptr` are looked through.
const MAX_CHAIN: usize = 8;

/// Offsets up to this do not wrap around where addresses have at least 16 bits, as in address space 0.
const NEVER_WRAPS: i64 = 1 << 14;

/// Offsets up to this do not wrap around in any address space: addresses have at least 8 bits.
const NEVER_WRAPS_ANYWHERE: i64 = 1 << 6;

/// The sizes of types, and the offsets of their fields.
#[derive(Default)]
pub struct Sizes {
    layouts: Option<RefCell<Layouts>>,
}

impl Sizes {
    /// The sizes under a data layout, or those that all layouts share.
    pub fn new(layouts: Option<Layouts>) -> Sizes {
        Sizes { layouts: layouts.map(RefCell::new) }
    }

    /// The maximum number of bytes that an access of a value touches.
    pub fn access(&self, pool: &Pool, ty: Type) -> Option<i64> {
        match &self.layouts {
            Some(layouts) => i64::try_from(layouts.borrow_mut().of(pool, ty).ok()?.store).ok(),
            None => common_size(pool, ty),
        }
    }

    /// Whether the addresses of an address space are known to have at least 16 bits.
    fn is_wide(&self, space: u32) -> bool {
        self.layouts.as_ref().is_some_and(|layouts| layouts.borrow().data().pointer(space).index_bits >= 16)
    }

    /// The distance between elements of an array.
    fn stride(&self, pool: &Pool, ty: Type) -> Option<i64> {
        match &self.layouts {
            Some(layouts) => i64::try_from(layouts.borrow_mut().of(pool, ty).ok()?.size).ok(),
            None => common_stride(pool, ty),
        }
    }

    /// The offset of a field in its structure.
    fn field(&self, pool: &Pool, ty: Type, field: usize) -> Option<i64> {
        let layout = self.layouts.as_ref()?.borrow_mut().of(pool, ty).ok()?;
        i64::try_from(layout.fields()?.get(field)?.0).ok()
    }
}

/// Whether two accesses whose addresses have one base are disjoint: at constant offsets, in different elements, or at different places in
/// elements.
pub fn are_apart(pool: &Pool, sizes: &Sizes, numbers: &Numbering, a: Location, b: Location) -> bool {
    let Some([rest_a, rest_b]) = ways(numbers, a.addr, b.addr) else { return false };
    let fits = |ty, distance: i64| sizes.access(pool, ty).is_some_and(|size| size <= distance);
    let sum = |rest: &[Vn]| Sum::new(pool, sizes, numbers, rest);
    if let (Some(to_a), Some(to_b)) = (sum(&rest_a), sum(&rest_b)) {
        let limit = limit(pool, sizes, numbers.ty(a.addr));
        if let Some(distance) = to_a.distance_to(&to_b, limit) {
            return fits(a.ty, distance) || fits(b.ty, -distance);
        }
        if let Some((distance, step)) = to_a.distance_modulo(&to_b, limit)
            && fits(a.ty, distance)
            && fits(b.ty, step - distance)
        {
            return true;
        }
    }
    let path = |rest: &[Vn]| Path::new(pool, numbers, rest);
    match (path(&rest_a), path(&rest_b)) {
        (Some(path_a), Some(path_b)) => path_a.parts_from(pool, &path_b, a.ty, b.ty),
        (Some(path), None) if rest_b.is_empty() => path.parts_from(pool, &path.zeros(), a.ty, b.ty),
        (None, Some(path)) if rest_a.is_empty() => path.parts_from(pool, &path.zeros(), b.ty, a.ty),
        _ => false,
    }
}

/// The distance in bytes from the first to the second of two addresses, if both have one base and it is known.
pub fn distance(pool: &Pool, sizes: &Sizes, numbers: &Numbering, a: Vn, b: Vn) -> Option<i64> {
    if numbers.base(a) != numbers.base(b) {
        return None;
    }
    let [to_a, to_b] = ways(numbers, a, b)?;
    distance_of(pool, sizes, numbers, numbers.ty(a), [&to_a, &to_b])
}

/// The distance from the first to the second of two addresses, which successive `getelementptr` compute from one pointer.
fn distance_of(pool: &Pool, sizes: &Sizes, numbers: &Numbering, pointer: Type, ways: [&[Vn]; 2]) -> Option<i64> {
    let [a, b] = ways.map(|way| Sum::new(pool, sizes, numbers, way));
    a?.distance_to(&b?, limit(pool, sizes, pointer))
}

/// The offsets, a power of two, up to which none wraps around.
fn limit(pool: &Pool, sizes: &Sizes, pointer: Type) -> i64 {
    match *pool.type_kind(pointer) {
        TypeKind::Ptr(0) => NEVER_WRAPS,
        TypeKind::Ptr(space) if sizes.is_wide(space) => NEVER_WRAPS,
        _ => NEVER_WRAPS_ANYWHERE,
    }
}

/// Successive `getelementptr`.
type Way = SmallVec<[Vn; MAX_CHAIN]>;

/// The `getelementptr` that compute each of two addresses from the last pointer that both are computed from; they have one base.
fn ways(numbers: &Numbering, a: Vn, b: Vn) -> Option<[Way; 2]> {
    let (mut a, mut b) = (chain(numbers, a)?, chain(numbers, b)?);
    let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    a.drain(..common);
    b.drain(..common);
    Some([a, b])
}

/// The base of a pointer and the `getelementptr` that compute the pointer from it, the base first.
fn chain(numbers: &Numbering, addr: Vn) -> Option<Way> {
    let base = numbers.base(addr);
    let mut chain = SmallVec::new();
    let mut at = addr;
    loop {
        if chain.len() == MAX_CHAIN {
            return None;
        }
        chain.push(at);
        if at == base {
            chain.reverse();
            return Some(chain);
        }
        let Def::Node(Op::Gep { .. }, inputs) = numbers.def(at) else { return None };
        at = inputs[0];
    }
}

/// The size in memory of a value if it is the same in every data layout, or a bound on it.
fn common_size(pool: &Pool, ty: Type) -> Option<i64> {
    Some(match pool.type_kind(ty) {
        TypeKind::Int(bits @ ..=128) => i64::from(bits.div_ceil(8)),
        TypeKind::Half | TypeKind::BFloat => 2,
        TypeKind::Float => 4,
        TypeKind::Double => 8,
        // Data layouts with wider pointers in this address space are not supported.
        TypeKind::Ptr(0) => 8,
        _ => return None,
    })
}

/// The number of bits of a type without padding, which can be reinterpreted as any other such type.
pub fn bits_in_memory(pool: &Pool, ty: Type) -> Option<u64> {
    Some(match *pool.type_kind(ty) {
        TypeKind::Int(bits) if bits.is_multiple_of(8) => bits.into(),
        TypeKind::Half | TypeKind::BFloat => 16,
        TypeKind::Float => 32,
        TypeKind::Double => 64,
        TypeKind::Fp128 => 128,
        TypeKind::Vector { element, len, scalable: false } => match pool.type_kind(element) {
            TypeKind::Vector { .. } => return None,
            _ => bits_in_memory(pool, element)?.checked_mul(len.into())?,
        },
        _ => return None,
    })
}

/// As [`bits_in_memory`], also for pointers that consist of their address only: their type can be reinterpreted as an integer of that
/// width and vice versa, as a load of a value that was stored with another type does.
pub fn bits_as_integer(pool: &Pool, layout: &DataLayout, ty: Type) -> Option<u64> {
    let TypeKind::Ptr(space) = *pool.type_kind(ty) else { return bits_in_memory(pool, ty) };
    let pointer = layout.pointer(space);
    (!pointer.is_unstable && !pointer.has_external_state).then_some(pointer.bits.into())
}

/// The distance between elements of an array, if it is the same in every data layout.
fn common_stride(pool: &Pool, ty: Type) -> Option<i64> {
    match *pool.type_kind(ty) {
        TypeKind::Int(8 | 16 | 32 | 64) | TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double => {
            common_size(pool, ty)
        }
        TypeKind::Array { element, len } => common_stride(pool, element)?.checked_mul(i64::try_from(len).ok()?),
        _ => None,
    }
}

/// The integer that a value is, if it fits into 32 bits.
fn constant_int(pool: &Pool, numbers: &Numbering, vn: Vn) -> Option<i64> {
    let Def::Node(Op::Const(constant), _) = numbers.def(vn) else { return None };
    let Constant::Int { ty, words } = pool.constant(*constant) else { return None };
    let TypeKind::Int(bits @ 1..=64) = *pool.type_kind(*ty) else { return None };
    let [word] = words.as_slice() else { return None };
    let unused = 64 - bits;
    let value = ((word << unused) as i64) >> unused;
    i32::try_from(value).ok().map(i64::from)
}

/// An unknown index, without added constants: the value, and how it is extended.
type Variable = (Vn, Option<(CastOp, Type)>);

/// An index as a variable plus a constant. If a sum wraps around, the result still equals the index, or the index is poison.
fn linear(pool: &Pool, numbers: &Numbering, index: Vn) -> (Variable, i64) {
    let (inner, widened) = match numbers.def(index) {
        Def::Node(Op::Cast { op: op @ (CastOp::SExt | CastOp::ZExt), .. }, inputs) => {
            (inputs[0], Some((*op, numbers.ty(index))))
        }
        _ => (index, None),
    };
    // A narrower index is extended as by `sext`.
    let (core, by) = increment(pool, numbers, inner, !matches!(widened, Some((CastOp::ZExt, _))));
    ((core, widened), by)
}

/// A value as another plus a constant, if the signed or unsigned sum does not wrap around.
fn increment(pool: &Pool, numbers: &Numbering, vn: Vn, signed: bool) -> (Vn, i64) {
    // Unsigned, adding a negative number is adding a large one.
    let flag = if signed { BinaryFlags::NSW } else { BinaryFlags::NUW };
    let constant = |inputs: &[Vn]| constant_int(pool, numbers, inputs[1]).filter(|&by| signed || by >= 0);
    let sum = match numbers.def(vn) {
        Def::Node(Op::IntBinary { op: IntBinary::Add, flags }, inputs) if flags.contains(flag) => {
            constant(inputs).map(|by| (inputs[0], by))
        }
        Def::Node(Op::IntBinary { op: IntBinary::Sub, flags }, inputs) if flags.contains(flag) && signed => {
            constant(inputs).map(|by| (inputs[0], -by))
        }
        _ => None,
    };
    sum.unwrap_or((vn, 0))
}

/// A distance in bytes as a sum of variables, each times a constant, and a constant.
struct Sum {
    variables: SmallVec<[(Variable, i64); 4]>,
    constant: i64,
    inbounds: bool,
}

impl Sum {
    /// The sum of successive `getelementptr`.
    fn new(pool: &Pool, sizes: &Sizes, numbers: &Numbering, geps: &[Vn]) -> Option<Sum> {
        let mut sum = Sum { variables: SmallVec::new(), constant: 0, inbounds: true };
        for &gep in geps {
            let Def::Node(Op::Gep { source, flags }, inputs) = numbers.def(gep) else { return None };
            sum.inbounds &= flags.contains(GepFlags::INBOUNDS);
            let mut ty = *source;
            for (position, &index) in inputs[1..].iter().enumerate() {
                let known = constant_int(pool, numbers, index);
                if position > 0 {
                    match pool.type_kind(ty) {
                        &TypeKind::Array { element, .. } => ty = element,
                        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                            let field = usize::try_from(known?).ok()?;
                            sum.constant = sum.constant.checked_add(sizes.field(pool, ty, field)?)?;
                            ty = elements[field];
                            continue;
                        }
                        _ => return None,
                    }
                }
                let scale = sizes.stride(pool, ty)?;
                let ((variable, widened), constant) = match known {
                    Some(constant) => ((index, None), constant),
                    None => linear(pool, numbers, index),
                };
                sum.constant = sum.constant.checked_add(scale.checked_mul(constant)?)?;
                if known.is_none() {
                    sum.variables.push(((variable, widened), scale));
                }
            }
        }
        Some(sum)
    }

    /// The distance to the other sum, if it is known and does not wrap around: without flags, up to a limit.
    fn distance_to(&self, other: &Sum, limit: i64) -> Option<i64> {
        let limit = if self.inbounds && other.inbounds { i64::from(i32::MAX) } else { limit };
        let distance = other.constant.checked_sub(self.constant)?;
        (self.differing(other).is_empty() && distance.abs() <= limit).then_some(distance)
    }

    /// The distance to the other sum up to a multiple of a step, and the step, which divides what the variables move: where sums may wrap
    /// around, only powers of two up to a limit do.
    fn distance_modulo(&self, other: &Sum, limit: i64) -> Option<(i64, i64)> {
        let step = self.differing(other).into_iter().fold(0, gcd);
        let step = if self.inbounds && other.inbounds { step } else { gcd(step, limit) };
        let distance = other.constant.checked_sub(self.constant)?;
        Some((distance.checked_rem_euclid(step)?, step))
    }

    /// What the variables that only one of two sums has are multiplied with.
    fn differing(&self, other: &Sum) -> SmallVec<[i64; 4]> {
        let mut rest = other.variables.clone();
        let mut differing = SmallVec::new();
        for variable in &self.variables {
            match rest.iter().position(|other| other == variable) {
                Some(same) => drop(rest.swap_remove(same)),
                None => differing.push(variable.1),
            }
        }
        differing.extend(rest.into_iter().map(|(_, scale)| scale));
        differing
    }
}

/// The greatest common divisor; zero only of two zeros.
fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// An address as a base and a distance from it.
pub struct Position {
    base: Vn,
    sum: Sum,
}

impl Position {
    /// The position of an address.
    pub fn of(pool: &Pool, sizes: &Sizes, numbers: &Numbering, addr: Vn) -> Option<Position> {
        let chain = chain(numbers, addr)?;
        Some(Position { base: numbers.base(addr), sum: Sum::new(pool, sizes, numbers, &chain[1..])? })
    }

    /// The position in the next iteration of a loop: `next` maps the number of a variable that changes to that of its next value, and
    /// `is_fixed` tells invariants. `None` if it is unknown. The result is right if neither position is poison.
    pub fn advanced(
        &self,
        pool: &Pool,
        sizes: &Sizes,
        numbers: &Numbering,
        next: impl Fn(Vn) -> Option<Vn>,
        is_fixed: impl Fn(Vn) -> bool,
    ) -> Option<Position> {
        let mut constant = self.sum.constant;
        for ((variable, widened), scale) in &self.sum.variables {
            if is_fixed(*variable) {
                continue;
            }
            let after = next(*variable)?;
            let (core, by) = increment(pool, numbers, after, !matches!(widened, Some((CastOp::ZExt, _))));
            if core != *variable {
                return None;
            }
            constant = constant.checked_add(scale.checked_mul(by)?)?;
        }
        if !is_fixed(self.base) {
            let after = Position::of(pool, sizes, numbers, next(self.base)?)?;
            if after.base != self.base {
                return None;
            }
            // An index may change too, but it is added before it does.
            if !after.sum.variables.is_empty() {
                return None;
            }
            constant = constant.checked_add(after.sum.constant)?;
        }
        let sum = Sum { variables: self.sum.variables.clone(), constant, inbounds: self.sum.inbounds };
        Some(Position { base: self.base, sum })
    }

    /// The distance to the other position, if they differ in it only.
    pub fn distance_to(&self, other: &Position) -> Option<i64> {
        let mut rest = other.sum.variables.clone();
        for variable in &self.sum.variables {
            let same = rest.iter().position(|other| other == variable)?;
            rest.swap_remove(same);
        }
        let same = self.base == other.base && rest.is_empty();
        other.sum.constant.checked_sub(self.sum.constant).filter(|_| same)
    }

    /// The base.
    pub fn base(&self) -> Vn {
        self.base
    }

    /// Whether both are equal.
    pub fn is(&self, other: &Position) -> bool {
        self.distance_to(other) == Some(0)
    }
}

/// An index of a path into a type.
#[derive(Copy, Clone, PartialEq)]
enum Index {
    Known(i64),
    /// A variable plus a constant.
    Unknown(Variable, i64),
}

/// Indices from a pointer to nested elements of a type, none of which leaves the object.
struct Path {
    source: Type,
    indices: SmallVec<[Index; 8]>,
}

impl Path {
    /// The path of successive `getelementptr`; each but the first starts at the end of the previous one.
    fn new(pool: &Pool, numbers: &Numbering, geps: &[Vn]) -> Option<Path> {
        let mut path: Option<Path> = None;
        for &gep in geps {
            let Def::Node(Op::Gep { source, flags }, inputs) = numbers.def(gep) else { return None };
            if !flags.contains(GepFlags::INBOUNDS) {
                return None;
            }
            let index = |&vn: &Vn| match constant_int(pool, numbers, vn) {
                Some(constant) => Index::Known(constant),
                None => {
                    let (variable, constant) = linear(pool, numbers, vn);
                    Index::Unknown(variable, constant)
                }
            };
            let mut indices = inputs[1..].iter().map(index);
            match &mut path {
                None => path = Some(Path { source: *source, indices: indices.collect() }),
                Some(path) => {
                    if path.element(pool, usize::MAX)? != *source || indices.next() != Some(Index::Known(0)) {
                        return None;
                    }
                    path.indices.extend(indices);
                }
            }
        }
        path
    }

    /// The path with as many zero indices.
    fn zeros(&self) -> Path {
        Path { source: self.source, indices: self.indices.iter().map(|_| Index::Known(0)).collect() }
    }

    /// The type of the element at the end of the path, if indices after position `from` are known and in bounds.
    fn element(&self, pool: &Pool, from: usize) -> Option<Type> {
        let mut ty = self.source;
        for (position, &index) in self.indices.iter().enumerate().skip(1) {
            ty = match (pool.type_kind(ty), index) {
                (&TypeKind::Array { element, .. }, _) if position <= from => element,
                (&TypeKind::Array { element, len }, Index::Known(index)) => {
                    u64::try_from(index).is_ok_and(|index| index < len).then_some(element)?
                }
                (TypeKind::Struct { elements, .. }, Index::Known(field))
                | (TypeKind::Named { elements: Some(elements), .. }, Index::Known(field)) => {
                    *elements.get(usize::try_from(field).ok()?)?
                }
                _ => return None,
            };
        }
        Some(ty)
    }

    /// Whether the paths lead to different elements, and the values there are not larger.
    fn parts_from(&self, pool: &Pool, other: &Path, ty: Type, other_ty: Type) -> bool {
        let parting = self.indices.iter().zip(&other.indices).position(|(a, b)| a != b);
        self.source == other.source
            && parting.is_some_and(|parting| {
                let differ = match (self.indices[parting], other.indices[parting]) {
                    (Index::Known(_), Index::Known(_)) => true,
                    (Index::Unknown(a, _), Index::Unknown(b, _)) => a == b,
                    _ => false,
                };
                differ && self.element(pool, parting) == Some(ty) && other.element(pool, parting) == Some(other_ty)
            })
    }
}
