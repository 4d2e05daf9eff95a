//! Loops that only add: sums, sums of sums and sums of those, one loop in another or alone.

use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type};

use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// A loop that adds up to three variables to each other; now and then in a loop that does nothing else.
    pub(crate) fn sums(&mut self, scope: &mut Scope) {
        let ty = self.entropy.pick(&[Type::I64, Type::I64, Type::I32, self.pool.int(8)]);
        let variables = 1 + self.entropy.below(3);
        let starts: Vec<Origin> = (0..=variables).map(|_| self.value(scope, ty)).collect();
        let known = scope.values.len();
        let levels = 1 + u32::from(self.entropy.chance(1, 3));
        let sums = self.adding(scope, &starts, levels);
        scope.values.truncate(known);
        scope.values.extend(sums);
    }

    /// A loop that adds to each value the next one; the last one stays.
    fn adding(&mut self, scope: &mut Scope, starts: &[Origin], levels: u32) -> Vec<Origin> {
        let counter = self.entropy.pick(&[Type::I32, Type::I64, self.pool.int(16), self.pool.int(8)]);
        let step = 1 + self.entropy.below(3) as u64;
        let number = self.any_value(scope, Class::SmallInt);
        let number = self.resize(scope, number, counter);
        let (three, one) = (self.int(scope, counter, 3), self.int(scope, counter, 1));
        let times = self.int_binary(scope, IntBinary::And, number, three);
        let times = self.int_binary(scope, IntBinary::Add, times, one);
        let wide = self.int(scope, counter, step);
        let way = self.int_binary(scope, IntBinary::Mul, times, wide);
        let start = self.entropy.below(8) as u64;
        let start = self.int(scope, counter, start);
        let end = self.int_binary(scope, IntBinary::Add, way, start);
        let predicates = [IntPredicate::Slt, IntPredicate::Ult, IntPredicate::Sle, IntPredicate::Ne];
        let predicate = self.entropy.pick(&predicates);
        let theta = Theta::add(&mut self.graph, scope.region);
        let index = theta.add_loop_var(&mut self.graph, start);
        let bound = theta.add_loop_var(&mut self.graph, end);
        let number = theta.add_loop_var(&mut self.graph, number);
        let variables: Vec<_> = starts.iter().map(|&start| theta.add_loop_var(&mut self.graph, start)).collect();
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![number.pre],
            predicates: vec![],
            tokens: vec![],
            mem: scope.mem,
            io: scope.io,
            loops: scope.loops + 1,
        };
        let pre: Vec<Origin> = variables.iter().map(|variable| variable.pre).collect();
        let next = if levels > 1 {
            self.adding(&mut inner, &pre, levels - 1)
        } else {
            let pairs: Vec<(Origin, Origin)> = pre.iter().copied().zip(pre[1..].iter().copied()).collect();
            pairs.into_iter().map(|(a, b)| self.int_binary(&mut inner, IntBinary::Add, a, b)).collect()
        };
        for (variable, &next) in variables.iter().zip(&next) {
            self.graph.divert(variable.post, next);
        }
        let step = self.int(&mut inner, counter, step);
        let flags = self.entropy.pick(&[BinaryFlags::NONE, BinaryFlags::NSW | BinaryFlags::NUW]);
        let op = Op::IntBinary { op: IntBinary::Add, flags };
        let sum = self.pure(&mut inner, op, &[index.pre, step], counter);
        let again = self.pure(&mut inner, Op::ICmp { predicate, same_sign: false }, &[sum, bound.pre], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        let again = self.pure(&mut inner, Op::Match(self.pool.intern_table(table)), &[again], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(index.post, sum);
        variables.iter().map(|variable| variable.output).collect()
    }
}
