//! Operations on memory.

use rvsdg_core::op::{AtomicOrdering, GepFlags, IntBinary, MemAccess, RmwOp, SyncScope};
use rvsdg_core::{Constant, Op, Origin, Pool, Type, TypeKind};

use super::{Kind, Known, Maker, Room, Scope};
use crate::universe::Class;

/// The bytes of a value in memory on a target with 64-bit pointers; an upper bound for what has padding.
pub(crate) fn size_of(pool: &Pool, ty: Type) -> u64 {
    match pool.type_kind(ty) {
        TypeKind::Int(bits) => u64::from(*bits).div_ceil(8).next_power_of_two(),
        TypeKind::Half | TypeKind::BFloat => 2,
        TypeKind::Float => 4,
        TypeKind::Double | TypeKind::Ptr(_) => 8,
        TypeKind::Vector { element, len, .. } => size_of(pool, *element) * u64::from(*len),
        TypeKind::Array { element, len } => size_of(pool, *element) * len,
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
            elements.iter().map(|&element| size_of(pool, element).next_multiple_of(8)).sum()
        }
        _ => 16,
    }
}

impl Maker<'_, '_> {
    /// The ordering of an access that may be atomic, when its type allows it.
    fn access(&mut self, ty: Type, kind: Kind, orderings: &[AtomicOrdering]) -> MemAccess {
        let mut access = MemAccess::plain(self.entropy.below(5) as u8);
        access.tag = kind.tag(&self.pool, self.entropy);
        if self.weights.defined {
            access.align_log2 = 0;
        }
        access.volatile = self.entropy.chance(1, 8);
        let atomic = self.is(ty, Class::Int) || self.is(ty, Class::Float) || self.is(ty, Class::Ptr);
        if atomic && !self.weights.defined && self.entropy.chance(1, 4) {
            access.ordering = self.entropy.pick(orderings);
            access.scope = self.scope();
        }
        access
    }

    fn scope(&mut self) -> SyncScope {
        match self.entropy.below(if self.weights.defined { 1 } else { 4 }) {
            0 | 1 => SyncScope::SYSTEM,
            2 => SyncScope::SINGLE_THREAD,
            _ => self.pool.intern_scope("agent").unwrap_or(SyncScope::SYSTEM),
        }
    }

    /// An address and the type of a value that is there. With defined runs, of a number in known memory, if there is any.
    fn place(&mut self, scope: &mut Scope) -> Option<(Origin, Type, Kind)> {
        if !self.weights.defined {
            let address = self.any_value(scope, Class::Ptr);
            return Some((address, self.any_type(Class::Any), Kind::any(self.entropy)));
        }
        let (address, Room { bytes: size, kind, .. }) = self.memory(scope)?;
        // What lies between elements of structures is not determined, nor are the bits of wide or odd numbers.
        let pool = self.pool.clone();
        let plain = |ty: Type| match pool.type_kind(ty) {
            TypeKind::Int(bits) => matches!(bits, 8 | 16 | 32 | 64),
            TypeKind::Vector { element, .. } => matches!(pool.type_kind(*element), TypeKind::Int(32 | 64)),
            kind => kind.is_float(),
        };
        let ty = self.any_type(Class::Any);
        (plain(ty) && size_of(&self.pool, ty) <= size).then_some((address, ty, kind))
    }

    /// An address of known memory.
    pub(crate) fn memory(&mut self, scope: &Scope) -> Option<(Origin, Room)> {
        let known = |value: &Origin| match self.what(*value) {
            Some(Known::Memory(room)) => Some((*value, room)),
            Some(Known::Cell | Known::Table(_) | Known::Record(_) | Known::Function(_) | Known::Unwinding(_))
            | None => None,
        };
        let places: Vec<(Origin, Room)> = scope.values.iter().filter_map(known).collect();
        (!places.is_empty()).then(|| self.entropy.pick(&places))
    }

    pub(crate) fn alloca(&mut self, scope: &mut Scope) {
        if !self.weights.defined {
            let count = self.any_value(scope, Class::Int);
            let ty = self.any_type(Class::Any);
            let pointer = self.any_type(Class::Ptr);
            let align_log2 = self.entropy.below(8) as u8;
            let (in_alloca, swift_error) = (self.entropy.chance(1, 16), self.entropy.chance(1, 16));
            self.effect(scope, Op::Alloca { ty, align_log2, in_alloca, swift_error }, &[count], &[pointer]);
            return;
        }
        if scope.loops > 0 {
            return;
        }
        let len = self.entropy.pick(&[1, 2, 3, 4, 5, 8]);
        self.array(scope, len);
    }

    /// An array of `len` integers on the stack, all zero.
    pub(crate) fn array(&mut self, scope: &mut Scope, len: u64) -> (Origin, Room) {
        let align_log2 = 4;
        let ty = self.pool.intern_type(TypeKind::Array { element: Type::I64, len });
        let count = self.int(scope, Type::I32, 1);
        let op = Op::Alloca { ty, align_log2, in_alloca: false, swift_error: false };
        let address = self.effect(scope, op, &[count], &[Type::PTR])[0];
        let room = Room { bytes: 8 * len, aligned: true, lasting: false, kind: Kind::Untyped };
        self.know(address, Some(Known::Memory(room)));
        let zero = Op::Const(self.pool.intern_const(Constant::Zero(ty)));
        let zero = self.graph.add_simple(scope.region, zero, &[], &[ty]);
        let zero = self.graph.output(zero, 0);
        self.effect(scope, Op::Store(MemAccess::plain(align_log2)), &[zero, address], &[]);
        (address, room)
    }

    pub(crate) fn load(&mut self, scope: &mut Scope) {
        let Some((address, ty, kind)) = self.place(scope) else { return };
        let orderings = [
            AtomicOrdering::Unordered,
            AtomicOrdering::Monotonic,
            AtomicOrdering::Acquire,
            AtomicOrdering::SequentiallyConsistent,
        ];
        let access = self.access(ty, kind, &orderings);
        self.effect(scope, Op::Load(access), &[address], &[ty]);
    }

    /// Adds to what is in memory, as loops do.
    pub(crate) fn accumulate(&mut self, scope: &mut Scope) {
        if let Some((address, room)) = self.memory(scope) {
            self.accumulate_at(scope, address, room);
        }
    }

    /// Adds to what is at an address.
    pub(crate) fn accumulate_at(&mut self, scope: &mut Scope, address: Origin, room: Room) {
        let ty = if room.bytes >= 8 { Type::I64 } else { self.pool.int(8) };
        let access = MemAccess { tag: room.kind.tag(&self.pool, self.entropy), ..MemAccess::plain(0) };
        let sum = self.effect(scope, Op::Load(access), &[address], &[ty])[0];
        let operand = self.value(scope, ty);
        let sum = self.int_binary(scope, IntBinary::Add, sum, operand);
        self.effect(scope, Op::Store(access), &[sum, address], &[]);
    }

    pub(crate) fn store(&mut self, scope: &mut Scope) {
        let Some((address, ty, kind)) = self.place(scope) else { return };
        let value = self.value(scope, ty);
        let orderings = [
            AtomicOrdering::Unordered,
            AtomicOrdering::Monotonic,
            AtomicOrdering::Release,
            AtomicOrdering::SequentiallyConsistent,
        ];
        let access = self.access(ty, kind, &orderings);
        self.effect(scope, Op::Store(access), &[value, address], &[]);
    }

    /// How an atomic update of a number is made: its address, its type, and the access.
    fn update(&mut self, scope: &mut Scope, class: Class) -> Option<(Origin, Type, MemAccess)> {
        let (address, ty) = if self.weights.defined {
            let (address, room) = self.memory(scope)?;
            (address, if room.bytes >= 8 && room.aligned && class == Class::Int { Type::I64 } else { return None })
        } else {
            (self.any_value(scope, Class::Ptr), self.any_type(class))
        };
        let ordering = self.entropy.pick(&[
            AtomicOrdering::Monotonic,
            AtomicOrdering::Acquire,
            AtomicOrdering::Release,
            AtomicOrdering::AcquireRelease,
            AtomicOrdering::SequentiallyConsistent,
        ]);
        let scope = self.scope();
        Some((address, ty, MemAccess { volatile: self.entropy.chance(1, 4), ordering, scope, ..MemAccess::plain(3) }))
    }

    pub(crate) fn cmpxchg(&mut self, scope: &mut Scope) {
        let class = if self.entropy.chance(1, 4) { Class::Ptr } else { Class::Int };
        let Some((address, ty, access)) = self.update(scope, class) else { return };
        let (compare, new) = (self.value(scope, ty), self.value(scope, ty));
        let failure = self.entropy.pick(&[
            AtomicOrdering::Monotonic,
            AtomicOrdering::Acquire,
            AtomicOrdering::SequentiallyConsistent,
        ]);
        let weak = !self.weights.defined && self.entropy.chance(1, 2);
        let pair = self.pool.intern_type(TypeKind::Struct { elements: [ty, Type::I1].into(), packed: false });
        self.effect(scope, Op::CmpXchg { access, failure, weak }, &[address, compare, new], &[pair]);
    }

    pub(crate) fn rmw(&mut self, scope: &mut Scope) {
        let op = self.entropy.pick(RmwOp::ALL);
        let class = match op {
            RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin | RmwOp::FMaximum | RmwOp::FMinimum => Class::Float,
            RmwOp::Xchg if self.entropy.chance(1, 2) => Class::Ptr,
            _ => Class::Int,
        };
        let Some((address, ty, access)) = self.update(scope, class) else { return };
        let operand = self.value(scope, ty);
        self.effect(scope, Op::AtomicRmw { op, access }, &[address, operand], &[ty]);
    }

    pub(crate) fn fence(&mut self, scope: &mut Scope) {
        let ordering = self.entropy.pick(&[
            AtomicOrdering::Acquire,
            AtomicOrdering::Release,
            AtomicOrdering::AcquireRelease,
            AtomicOrdering::SequentiallyConsistent,
        ]);
        let threads = self.scope();
        self.effect(scope, Op::Fence { ordering, scope: threads }, &[], &[]);
    }

    /// An address inside known memory.
    pub(crate) fn defined_gep(&mut self, scope: &mut Scope) {
        let Some((base, room)) = self.memory(scope) else { return };
        let element = self.entropy.pick(&[self.pool.int(8), Type::I32, Type::I64]);
        let step = size_of(&self.pool, element);
        let index = self.entropy.below((room.bytes / step).max(1) as usize) as u64;
        let flags = if self.entropy.chance(1, 2) { GepFlags::INBOUNDS | GepFlags::NUSW } else { GepFlags::NONE };
        let (source, indices) = if self.entropy.chance(1, 3) {
            // An element of one of several arrays, which may be counted on from one before it.
            let array = self.entropy.below(index as usize / 2 + 1) as u64;
            let source = self.pool.intern_type(TypeKind::Array { element, len: 2 });
            (source, vec![array, index - 2 * array])
        } else {
            (element, vec![index])
        };
        let indices = indices.into_iter().map(|index| self.int(scope, Type::I64, index));
        let inputs: Vec<Origin> = [base].into_iter().chain(indices).collect();
        let output = self.pure(scope, Op::Gep { source, flags }, &inputs, Type::PTR);
        let (bytes, aligned) = (room.bytes - index * step, room.aligned && (index * step).is_multiple_of(8));
        self.know(output, (bytes > 0).then_some(Known::Memory(Room { bytes, aligned, ..room })));
    }
}
