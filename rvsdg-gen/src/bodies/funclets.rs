//! Entering and leaving funclets.

use rvsdg_core::op::Funclet;
use rvsdg_core::{Constant, Op, Origin, Type, TypeKind};

use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// A token in scope, that of a pad, or none.
    fn token(&mut self, scope: &mut Scope) -> Origin {
        if !scope.tokens.is_empty() && self.entropy.chance(3, 4) {
            return self.entropy.pick(&scope.tokens);
        }
        let ty = self.pool.intern_type(TypeKind::Token);
        let constant = match self.entropy.below(self.pads as usize + 1) as u32 {
            0 => Constant::None(ty),
            number => Constant::Funclet { ty, number: number - 1 },
        };
        self.pure(scope, Op::Const(self.pool.intern_const(constant)), &[], ty)
    }

    fn next_pad(&mut self) -> u32 {
        self.pads += 1;
        self.pads - 1
    }

    pub(crate) fn catch_switch(&mut self, scope: &mut Scope) {
        let outer = self.token(scope);
        let unwinds = self.entropy.chance(1, 2);
        let ways = 1 + self.entropy.below(2) as u32 + u32::from(unwinds);
        let op = Op::Funclet(Funclet::CatchSwitch { number: self.next_pad(), unwinds });
        let ctl = self.pool.ctl(ways);
        self.effect(scope, op, &[outer], &[ctl]);
    }

    /// Enters a handler or a cleanup with some arguments.
    pub(crate) fn pad(&mut self, scope: &mut Scope, of: impl Fn(u32) -> Funclet) {
        let mut inputs = vec![self.token(scope)];
        for _ in 0..self.entropy.below(3) {
            inputs.push(self.any_value(scope, Class::Any));
        }
        let op = Op::Funclet(of(self.next_pad()));
        self.effect(scope, op, &inputs, &[]);
    }

    pub(crate) fn leave_funclet(&mut self, scope: &mut Scope, how: Funclet) {
        let token = self.token(scope);
        let outputs: &[Type] = if how.is_branch() { &[self.pool.ctl(1)] } else { &[] };
        self.effect(scope, Op::Funclet(how), &[token], outputs);
    }
}
