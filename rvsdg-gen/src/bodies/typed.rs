//! Accesses with type information, for type-based alias analysis.

use rvsdg_core::op::{IntBinary, MemAccess};
use rvsdg_core::tbaa::{AccessTag, TagDescriptor, TypeDescriptor};
use rvsdg_core::{Op, Origin, Pool, Type};

use super::{Known, Maker, Scope};
use crate::entropy::Entropy;

/// Kinds of objects, by what is said of the types of accesses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing.
    Untyped,
    /// Of one of two types.
    Typed(bool),
}

impl Kind {
    pub(super) fn any(entropy: &mut Entropy) -> Kind {
        if entropy.chance(2, 3) { Kind::Untyped } else { Kind::Typed(entropy.chance(1, 2)) }
    }

    /// What an access of an object of this kind may say of types.
    pub(super) fn tag(self, pool: &Pool, entropy: &mut Entropy) -> Option<AccessTag> {
        let Kind::Typed(which) = self else { return None };
        let scalar = |name: &str, parent| {
            pool.intern_type_node(TypeDescriptor { name: name.into(), members: Vec::from_iter(parent).into() })
        };
        let any = scalar("any", Some((scalar("root", None), 0)));
        let kinds = [scalar("first", Some((any, 0))), scalar("second", Some((any, 0)))];
        let access = kinds[usize::from(which)];
        let tag = match entropy.below(16) {
            0 => return None,
            1 => TagDescriptor::scalar(any),
            2..=5 => {
                let fields = kinds.iter().zip([0, 8]).map(|(&kind, at)| (kind, at)).collect();
                let base = pool.intern_type_node(TypeDescriptor { name: "both".into(), members: fields });
                TagDescriptor { base, access, offset: if which { 8 } else { 0 } }
            }
            _ => TagDescriptor::scalar(access),
        };
        pool.intern_tag(tag)
    }
}

impl Maker<'_, '_> {
    /// A few accesses of two objects of different types, which may be one all the same; most are written with the same values.
    pub(super) fn retyped(&mut self, scope: &mut Scope) {
        let passed =
            |value: &Origin| matches!(self.what(*value), Some(Known::Memory(room)) if !room.aligned && room.bytes >= 8);
        let passed: Vec<Origin> = scope.values.iter().copied().filter(passed).collect();
        let [first, .., last] = passed[..] else { return self.counted(scope) };
        let places = [(first, Kind::Typed(false)), (last, Kind::Typed(true))];
        let ty = Type::I64;
        let values = [self.value(scope, ty), self.value(scope, ty)];
        let mut sum = values[0];
        for _ in 0..4 + self.entropy.below(8) {
            let (address, kind) = self.entropy.pick(&places);
            let tag = if self.entropy.chance(1, 3) { None } else { kind.tag(&self.pool, self.entropy) };
            let access = MemAccess { tag, ..MemAccess::plain(0) };
            if self.entropy.chance(1, 2) {
                let value = self.entropy.pick(&values);
                self.effect(scope, Op::Store(access), &[value, address], &[]);
            } else {
                let loaded = self.effect(scope, Op::Load(access), &[address], &[ty])[0];
                sum = self.int_binary(scope, IntBinary::Xor, sum, loaded);
            }
        }
        self.effect(scope, Op::Store(MemAccess::plain(0)), &[sum, first], &[]);
    }
}
