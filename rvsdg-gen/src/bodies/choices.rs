//! What only some iterations of a loop over elements access.

use rvsdg_core::op::{IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Op, Origin, Type};

use super::{Maker, Scope};

/// So far from the place of an iteration a conditional access may be.
const FAR: usize = 6;

impl Maker<'_, '_> {
    /// A conditional in which elements of two memories are loaded and stored, at the place of an iteration or, where that is in the
    /// memories, far from it. Gives a value of the scope, or the same.
    pub(crate) fn sometimes(
        &mut self,
        scope: &mut Scope,
        element: Type,
        [p, q]: [Origin; 2],
        index: Origin,
        count: u64,
    ) -> Origin {
        let values: Vec<Origin> = scope.values.iter().copied().filter(|&value| self.ty(value) == element).collect();
        let [x, y] = [(); 2].map(|()| self.entropy.pick(&values));
        let far = if self.entropy.chance(1, 2) { 1 + self.entropy.below(FAR) as u64 } else { 0 };
        let (mut place, mut condition) = (index, None);
        if far > 0 {
            let [distance, count] = [far, count].map(|number| self.int(scope, Type::I64, number));
            place = self.exact(scope, IntBinary::Add, index, distance);
            let is_inside = Op::ICmp { predicate: IntPredicate::Ult, same_sign: false };
            condition = Some(self.pure(scope, is_inside, &[place, count], Type::I1));
        }
        let relation = Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false };
        let condition = condition.unwrap_or_else(|| self.pure(scope, relation, &[x, y], Type::I1));
        let table = MatchTable { cases: [(self.pool.int_const(Type::I1, 1), 1)].into(), default: 0, alternatives: 2 };
        let decision = self.pure(scope, Op::Match(self.pool.intern_table(table)), &[condition], Type::CTL2);
        let shared = self.beside(scope, element, p, index, 0);
        let gamma = Gamma::add(&mut self.graph, scope.region, decision, 2);
        let entering = [p, q, shared, place, x, y, scope.mem];
        let entries = entering.map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let is_stored = self.entropy.chance(1, 3);
        let (mut given, mut memory) = (Vec::new(), Vec::new());
        for alternative in 0..2 {
            let [p, q, shared, place, x, y, mem] = entries.map(|entry| entry.argument(&self.graph, gamma, alternative));
            let region = gamma.regions(&self.graph)[alternative];
            let mut inner = Scope {
                region,
                values: vec![x, y],
                predicates: vec![],
                tokens: vec![],
                mem,
                io: scope.io,
                loops: scope.loops,
            };
            // Where the condition does not hold, the place may be in no memory.
            if (alternative == 1 || far == 0) && self.entropy.chance(2, 3) {
                let base = self.entropy.pick(&[p, q]);
                let address = self.beside(&mut inner, element, base, place, 0);
                self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[address], &[element]);
            }
            let value = self.mixed(&mut inner);
            if is_stored {
                let value = self.mixed(&mut inner);
                let other = self.entropy.chance(1, 8);
                let address = if other && far == 0 { self.beside(&mut inner, element, q, place, 0) } else { shared };
                self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, address], &[]);
            }
            given.push(value);
            memory.push(inner.mem);
        }
        let value = gamma.add_exit_var(&mut self.graph, &given).output;
        scope.mem = gamma.add_exit_var(&mut self.graph, &memory).output;
        value
    }
}
