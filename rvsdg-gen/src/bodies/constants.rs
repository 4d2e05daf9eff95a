//! Constants that mention symbols.

use rvsdg_core::constant::Words;
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, GepFlags, IntBinary};
use rvsdg_core::{Const, Constant, Op, Origin, Type, TypeKind};

use super::{Maker, Scope};
use crate::universe::{Class, constant};

impl Maker<'_, '_> {
    /// A constant of any kind, those with holes among them.
    pub(crate) fn const_node(&mut self, scope: &mut Scope) {
        let symbols: Vec<Origin> = scope
            .values
            .iter()
            .copied()
            .filter(|value| self.symbols.contains(value) && self.ty(*value) == Type::PTR)
            .collect();
        if self.weights.defined || symbols.is_empty() || !self.entropy.chance(1, 3) {
            let ty = self.any_type(Class::Any);
            self.constant(scope, ty);
            return;
        }
        let address = self.entropy.pick(&symbols);
        let pool = self.pool.clone();
        let hole = pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
        let expr = |op, operands: &[Const], ty| Constant::Expr { ty, op, operands: operands.into(), in_range: None };
        let small = |value| pool.int_const(Type::I64, value);
        let kind = self.entropy.below(10);
        let gep = Op::Gep { source: pool.int(8), flags: GepFlags::INBOUNDS | GepFlags::NUSW };
        let cast = |op| Op::Cast { op, flags: CastFlags::default() };
        let constant = match kind {
            0 => Constant::Hole { ty: Type::PTR, index: 0 },
            1 => expr(gep, &[hole, small(self.entropy.bits(8))], Type::PTR),
            2 => Constant::Expr {
                ty: Type::PTR,
                op: gep,
                operands: [hole, small(4)].into(),
                in_range: Some((-(self.entropy.bits(3) as i64), self.entropy.bits(3) as i64)),
            },
            3 => expr(cast(CastOp::PtrToInt), &[hole], Type::I64),
            4 => {
                let number = pool.intern_const(expr(cast(CastOp::PtrToInt), &[hole], Type::I64));
                let op =
                    Op::IntBinary { op: IntBinary::Sub, flags: self.binary_flags(BinaryFlags::NUW | BinaryFlags::NSW) };
                expr(op, &[number, small(self.entropy.bits(16))], Type::I64)
            }
            5 => Constant::DsoLocalEquivalent { ty: Type::PTR, index: 0 },
            6 => Constant::NoCfi { ty: Type::PTR, index: 0 },
            7 => Constant::BlockAddress { ty: Type::PTR, index: 0, block: 1 + self.entropy.below(3) as u32 },
            8 => {
                let key = pool.int_const(Type::I32, self.entropy.bits(2));
                let null = pool.intern_const(Constant::Zero(Type::PTR));
                Constant::PtrAuth {
                    ty: Type::PTR,
                    operands: [hole, key, small(self.entropy.bits(16)), null, null].into(),
                }
            }
            _ => {
                let ty = pool.intern_type(TypeKind::Struct { elements: [Type::PTR, Type::I32].into(), packed: false });
                let number = constant(&pool, Type::I32, self.weights, self.entropy);
                Constant::Aggregate { ty, elements: [hole, number].into() }
            }
        };
        let ty = constant.ty();
        let op = Op::Const(pool.intern_const(constant));
        self.pure(scope, op, &[address], ty);
        if self.entropy.chance(1, 8) {
            let token = pool.intern_type(TypeKind::Token);
            self.pure(scope, Op::Const(pool.intern_const(Constant::None(token))), &[], token);
        }
        if self.entropy.chance(1, 8) {
            let wide = pool.intern_const(Constant::Int {
                ty: pool.int(128),
                words: Words::Large([self.entropy.bits(64), self.entropy.bits(64)].into()),
            });
            self.pure(scope, Op::Const(wide), &[], pool.int(128));
        }
    }
}
