//! Operations that are defined only because a condition holds: divisions by a number that is not 0, loads from valid memory.

use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable, MemAccess};
use rvsdg_core::{Constant, Op, Origin, Type};

use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// A conditional around an operation that may be executed in one alternative only.
    pub(crate) fn guarded(&mut self, scope: &mut Scope) {
        if self.entropy.chance(1, 2) { self.guarded_load(scope) } else { self.guarded_division(scope) }
    }

    fn guarded_division(&mut self, scope: &mut Scope) {
        let divisor = self.any_value(scope, Class::SmallInt);
        let ty = self.ty(divisor);
        let dividend = self.value(scope, ty);
        let zero = self.pool.int_const(ty, 0);
        let op = self.entropy.pick(&[IntBinary::UDiv, IntBinary::URem]);
        self.guard(scope, divisor, zero, ty, &[dividend, divisor], |maker, scope, operands| {
            let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
            maker.pure(scope, op, operands, ty)
        });
    }

    fn guarded_load(&mut self, scope: &mut Scope) {
        let Some((base, room)) = self.memory(scope) else { return };
        let ty = if room.bytes >= 8 { Type::I64 } else { self.pool.int(8) };
        let condition = self.value(scope, Type::I1);
        let null = Op::Const(self.pool.intern_const(Constant::Zero(Type::PTR)));
        let null = self.graph.add_simple(scope.region, null, &[], &[Type::PTR]);
        let null = self.graph.output(null, 0);
        let select = Op::Select(rvsdg_core::op::FastMath::NONE);
        let select = self.graph.add_simple(scope.region, select, &[condition, base, null], &[Type::PTR]);
        let address = self.graph.output(select, 0);
        let off = self.pool.int_const(Type::I1, 0);
        self.guard(scope, condition, off, ty, &[address], |maker, scope, operands| {
            maker.effect(scope, Op::Load(MemAccess::plain(0)), operands, &[ty])[0]
        });
    }

    /// A conditional that does `inside` with operands unless a value is `off`. What it gives is a value in scope.
    fn guard(
        &mut self,
        scope: &mut Scope,
        value: Origin,
        off: rvsdg_core::Const,
        ty: Type,
        operands: &[Origin],
        inside: impl FnOnce(&mut Self, &mut Scope, &[Origin]) -> Origin,
    ) {
        let table = MatchTable { cases: [(off, 0)].into(), default: 1, alternatives: 2 };
        let predicate = self.pure(scope, Op::Match(self.pool.intern_table(table)), &[value], Type::CTL2);
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let operands: Vec<Origin> = operands
            .iter()
            .map(|&origin| {
                let variable = gamma.add_entry_var(&mut self.graph, origin);
                variable.argument(&self.graph, gamma, 1)
            })
            .collect();
        let otherwise = self.constant(&mut inner[0], ty);
        let result = inside(self, &mut inner[1], &operands);
        let output = gamma.add_exit_var(&mut self.graph, &[otherwise, result]).output;
        scope.values.push(output);
        self.gamma_exits(scope, gamma, inner);
    }
}
