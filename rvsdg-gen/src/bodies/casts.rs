//! Conversions.

use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp};
use rvsdg_core::{Op, Origin, Type, TypeKind};

use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// An integer of another width: truncated or widened with zeros.
    pub(crate) fn resize(&mut self, scope: &mut Scope, value: Origin, to: Type) -> Origin {
        let bits = |ty| match *self.pool.type_kind(ty) {
            TypeKind::Int(bits) => bits,
            _ => 0,
        };
        let op = match bits(self.ty(value)).cmp(&bits(to)) {
            std::cmp::Ordering::Less => CastOp::ZExt,
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Greater => CastOp::Trunc,
        };
        let op = Op::Cast { op, flags: CastFlags::default() };
        let node = self.graph.add_simple(scope.region, op, &[value], &[to]);
        self.graph.output(node, 0)
    }

    /// A conversion of a value in scope.
    pub(crate) fn cast(&mut self, scope: &mut Scope, op: CastOp) {
        let class = match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::UIToFP | CastOp::SIToFP | CastOp::IntToPtr => {
                Class::IntLike
            }
            CastOp::FPTrunc | CastOp::FPExt | CastOp::FPToUI | CastOp::FPToSI => Class::FloatLike,
            CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::AddrSpaceCast => Class::PtrLike,
            CastOp::BitCast if self.entropy.chance(1, 2) => Class::FloatLike,
            CastOp::BitCast => Class::IntLike,
        };
        let mut value = self.any_value(scope, class);
        let from = self.ty(value);
        let pool = self.pool.clone();
        let lane_of = |ty| match pool.type_kind(ty) {
            TypeKind::Vector { element, .. } => pool.type_kind(*element),
            kind => kind,
        };
        let width = |kind: &TypeKind| match kind {
            TypeKind::Int(bits) => u64::from(*bits),
            TypeKind::Half | TypeKind::BFloat => 16,
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            TypeKind::X86Fp80 => 80,
            _ => 128,
        };
        let from_width = width(lane_of(from));
        let ints = [1u32, 7, 8, 16, 32, 33, 64, 128];
        let floats = [TypeKind::Half, TypeKind::BFloat, TypeKind::Float, TypeKind::Double, TypeKind::Fp128];
        let int_lanes = |keep: &dyn Fn(u64) -> bool| -> Vec<Type> {
            ints.iter().filter(|&&bits| keep(u64::from(bits))).map(|&bits| pool.int(bits)).collect()
        };
        let float_lanes = |keep: &dyn Fn(u64) -> bool| -> Vec<Type> {
            let known = if self.weights.defined { &floats[2..4] } else { &floats[..] };
            known.iter().filter(|kind| keep(width(kind))).map(|kind| pool.intern_type(kind.clone())).collect()
        };
        let lanes = match op {
            CastOp::Trunc => int_lanes(&|bits| bits < from_width),
            CastOp::ZExt | CastOp::SExt => int_lanes(&|bits| bits > from_width),
            CastOp::FPTrunc => float_lanes(&|bits| bits < from_width),
            CastOp::FPExt => float_lanes(&|bits| bits > from_width),
            CastOp::FPToUI | CastOp::FPToSI | CastOp::PtrToInt | CastOp::PtrToAddr => {
                int_lanes(&|bits| bits >= 16 && (!self.weights.defined || bits <= 64))
            }
            CastOp::UIToFP | CastOp::SIToFP => float_lanes(&|_| true),
            CastOp::IntToPtr => vec![Type::PTR],
            CastOp::AddrSpaceCast => {
                let other = if *lane_of(from) == TypeKind::Ptr(0) { 1 } else { 0 };
                vec![pool.intern_type(TypeKind::Ptr(other))]
            }
            CastOp::BitCast => {
                let same = |bits| bits == from_width;
                [int_lanes(&same), float_lanes(&same)].concat()
            }
        };
        if lanes.is_empty() {
            return;
        }
        let to = self.entropy.pick(&lanes);
        let to = self.with_lane(from, to);
        let none = CastFlags::default();
        let mut flags = none;
        match op {
            CastOp::Trunc => flags.wrap = self.binary_flags(BinaryFlags::NUW | BinaryFlags::NSW),
            CastOp::ZExt => flags.nneg = self.has_flags(),
            CastOp::UIToFP => (flags.nneg, flags.fast) = (self.has_flags(), self.fast()),
            CastOp::FPTrunc | CastOp::FPExt | CastOp::SIToFP | CastOp::FPToUI | CastOp::FPToSI => {
                flags.fast = self.fast();
            }
            CastOp::SExt
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => {}
        }
        if self.weights.defined && matches!(op, CastOp::FPToUI | CastOp::FPToSI) {
            // A number that fits wherever it goes.
            let small = self.any_value(scope, Class::SmallInt);
            let byte = self.resize(scope, small, self.pool.int(8));
            let from = self.pool.intern_type(TypeKind::Double);
            value = self.pure(scope, Op::Cast { op: CastOp::UIToFP, flags: none }, &[byte], from);
            let wide = if self.is(to, Class::Int) { to } else { Type::I32 };
            self.pure(scope, Op::Cast { op, flags: none }, &[value], wide);
            return;
        }
        if self.weights.defined && op == CastOp::BitCast && self.is(from, Class::FloatLike) {
            // The bits of a NaN are not determined.
            return;
        }
        self.pure(scope, Op::Cast { op, flags }, &[value], to);
    }
}
