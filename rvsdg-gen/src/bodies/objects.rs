//! Objects with parts on the stack: written and read in parts that may be other parts, copied as a whole, in part and within.

use rvsdg_core::op::{CallInfo, Effects, FastMath, GepFlags, MemAccess};
use rvsdg_core::{Constant, Op, Origin, Type, TypeKind};

use super::calls::plain;
use super::unwinding::Part;
use super::{Kind, Known, Maker, Room, Scope};

/// Bytes of an object.
const BYTES: u64 = 16;

impl Maker<'_, '_> {
    /// One or two objects of one of a few types, and accesses to them.
    pub(crate) fn objects(&mut self, scope: &mut Scope) {
        if scope.loops > 0 {
            return;
        }
        let objects: Vec<(Origin, Vec<(u64, Type)>)> =
            (0..1 + self.entropy.below(2)).map(|_| self.object(scope)).collect();
        if self.entropy.chance(1, 4) {
            self.chosen_scalars(scope);
        }
        for _ in 0..3 + self.entropy.below(6) {
            let (object, parts) = &objects[self.entropy.below(objects.len())];
            let (offset, ty) = self.entropy.pick(parts);
            match self.entropy.below(9) {
                8 => {
                    let (other, _) = objects[self.entropy.below(objects.len())];
                    self.load_either(scope, *object, other, offset, ty);
                }
                0..=2 => self.store_part(scope, *object, offset, ty),
                3..=5 => self.load_part(scope, *object, offset, ty),
                6 => {
                    let (other, _) = objects[self.entropy.below(objects.len())];
                    self.copy(scope, *object, other);
                }
                _ => self.fill_bytes(scope, *object),
            }
        }
        if self.entropy.chance(1, 6) {
            // From now on others may know it.
            let room = Room { bytes: BYTES, aligned: true, lasting: false, kind: Kind::Untyped };
            scope.values.push(objects[0].0);
            self.know(objects[0].0, Some(Known::Memory(room)));
        }
    }

    /// An object that is zero, and its parts.
    fn object(&mut self, scope: &mut Scope) -> (Origin, Vec<(u64, Type)>) {
        let pool = self.pool.clone();
        let structure =
            |elements: &[Type]| pool.intern_type(TypeKind::Struct { elements: elements.into(), packed: false });
        let array = |element, len| pool.intern_type(TypeKind::Array { element, len });
        let (byte, half) = (pool.int(8), pool.int(16));
        let (ty, parts) = match self.entropy.below(4) {
            0 => (structure(&[Type::I32, Type::I32, Type::I64]), vec![(0, Type::I32), (4, Type::I32), (8, Type::I64)]),
            1 => (array(Type::I32, 4), (0..4).map(|index| (4 * index, Type::I32)).collect()),
            2 => (array(byte, BYTES), (0..BYTES).map(|index| (index, byte)).collect()),
            _ => {
                let inner = structure(&[byte, byte, half, Type::I32]);
                (
                    structure(&[Type::I64, inner]),
                    vec![(0, Type::I64), (8, byte), (9, byte), (10, half), (12, Type::I32)],
                )
            }
        };
        let one = self.int(scope, Type::I32, 1);
        let op = Op::Alloca { ty, align_log2: 4, in_alloca: false, swift_error: false };
        let known = scope.values.len();
        let object = self.effect(scope, op, &[one], &[Type::PTR])[0];
        scope.values.truncate(known);
        if self.entropy.chance(1, 2) {
            let zero = Op::Const(pool.intern_const(Constant::Zero(ty)));
            let zero = self.graph.add_simple(scope.region, zero, &[], &[ty]);
            let zero = self.graph.output(zero, 0);
            self.effect(scope, Op::Store(MemAccess::plain(4)), &[zero, object], &[]);
        } else {
            for &(offset, ty) in &parts {
                self.store_part(scope, object, offset, ty);
            }
        }
        (object, parts)
    }

    /// The address of a byte of an object.
    pub(crate) fn byte_of(&mut self, scope: &mut Scope, object: Origin, offset: u64) -> Origin {
        if offset == 0 {
            return object;
        }
        let offset = self.int(scope, Type::I64, offset);
        let flags = self.entropy.pick(&[GepFlags::NONE, GepFlags::INBOUNDS | GepFlags::NUSW]);
        let op = Op::Gep { source: self.pool.int(8), flags };
        let node = self.graph.add_simple(scope.region, op, &[object, offset], &[Type::PTR]);
        self.graph.output(node, 0)
    }

    pub(crate) fn store_part(&mut self, scope: &mut Scope, object: Origin, offset: u64, ty: Type) {
        let address = self.byte_of(scope, object, offset);
        let value = self.value(scope, ty);
        self.effect(scope, Op::Store(MemAccess::plain(0)), &[value, address], &[]);
    }

    /// Loads a part, or now and then some of it or more than it.
    fn load_part(&mut self, scope: &mut Scope, object: Origin, offset: u64, ty: Type) {
        let (offset, ty) = match self.entropy.below(8) {
            0 => (self.entropy.below(BYTES as usize) as u64, self.pool.int(8)),
            1 => (8 * self.entropy.below(2) as u64, Type::I64),
            _ => (offset, ty),
        };
        let address = self.byte_of(scope, object, offset);
        self.effect(scope, Op::Load(MemAccess::plain(0)), &[address], &[ty]);
    }

    /// Loads a part of one of two objects.
    fn load_either(&mut self, scope: &mut Scope, one: Origin, other: Origin, offset: u64, ty: Type) {
        let condition = self.value(scope, Type::I1);
        let known = scope.values.len();
        let either = self.pure(scope, Op::Select(FastMath::NONE), &[condition, one, other], Type::PTR);
        scope.values.truncate(known);
        let address = self.byte_of(scope, either, offset);
        self.effect(scope, Op::Load(MemAccess::plain(0)), &[address], &[ty]);
    }

    /// Two scalars of one type, accessed by their own addresses and by one that is chosen.
    fn chosen_scalars(&mut self, scope: &mut Scope) {
        let ty = self.entropy.pick(&[Type::I32, Type::I64, Type::I1]);
        let op = Op::Alloca { ty, align_log2: 3, in_alloca: false, swift_error: false };
        let known = scope.values.len();
        let [one, other] = [(); 2].map(|()| {
            let count = self.int(scope, Type::I32, 1);
            self.effect(scope, op, &[count], &[Type::PTR])[0]
        });
        let condition = self.value(scope, Type::I1);
        let either = self.pure(scope, Op::Select(FastMath::NONE), &[condition, one, other], Type::PTR);
        scope.values.truncate(known);
        [one, other].into_iter().for_each(|object| self.store_part(scope, object, 0, ty));
        for _ in 0..1 + self.entropy.below(3) {
            let object = self.entropy.pick(&[either, either, one, other]);
            if self.entropy.chance(2, 3) {
                self.store_part(scope, object, 0, ty);
            } else {
                self.effect(scope, Op::Load(MemAccess::plain(0)), &[object], &[ty]);
            }
        }
        for object in [one, other] {
            self.effect(scope, Op::Load(MemAccess::plain(0)), &[object], &[ty]);
        }
    }

    /// Copies a few bytes of an object to another, or to another place in it.
    fn copy(&mut self, scope: &mut Scope, to: Origin, from: Origin) {
        let within = to == from;
        let part = if within || self.entropy.chance(1, 4) { Part::Move } else { Part::Copy };
        let Some(function) = self.runtime(scope, part) else { return };
        let size = self.entropy.pick(&[4, 8, 16, 12]);
        let room = (BYTES - size) as usize + 1;
        let unit = self.entropy.pick(&[4, 1]);
        let [to, from] = [to, from].map(|object| {
            let offset = if self.entropy.chance(1, 2) { 0 } else { self.entropy.below(room) as u64 / unit * unit };
            self.byte_of(scope, object, offset)
        });
        let (size, volatile) = (self.int(scope, Type::I64, size), self.int(scope, Type::I1, 0));
        self.intrinsic(scope, &[function, to, from, size, volatile], &[Type::PTR, Type::PTR, Type::I64, Type::I1]);
    }

    pub(crate) fn fill_bytes(&mut self, scope: &mut Scope, object: Origin) {
        let Some(function) = self.runtime(scope, Part::Fill) else { return };
        let byte = self.pool.int(8);
        let size = self.entropy.pick(&[4, 8, 16]);
        let offset = self.entropy.pick(&[0, 0, 4, 8]).min(BYTES - size);
        let address = self.byte_of(scope, object, offset);
        let value = self.value(scope, byte);
        let (size, volatile) = (self.int(scope, Type::I64, size), self.int(scope, Type::I1, 0));
        self.intrinsic(scope, &[function, address, value, size, volatile], &[Type::PTR, byte, Type::I64, Type::I1]);
    }

    /// A call of a function that accesses memory and returns.
    fn intrinsic(&mut self, scope: &mut Scope, inputs: &[Origin], params: &[Type]) {
        let ty =
            self.pool.intern_type(TypeKind::Function { result: Type::VOID, params: params.into(), variadic: false });
        let info = CallInfo { effects: Effects::MEM, ..plain(&self.pool, ty) };
        self.effect(scope, Op::Call(self.pool.intern_call(info)), inputs, &[]);
    }
}
