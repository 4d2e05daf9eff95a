//! Loops that go from one address to another, as those over iterators do.

use rvsdg_core::op::{GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};

/// The maximal number of elements of a loop.
const ELEMENTS: u64 = 12;

impl Maker<'_, '_> {
    /// A loop that loads, and maybe stores, one element after the other until it comes to an address, or is no longer before it.
    pub(crate) fn walk(&mut self, scope: &mut Scope) {
        if scope.loops == 0 {
            self.alloca(scope);
        }
        let Some((base, room)) = self.memory(scope) else { return };
        let element = self.entropy.pick(&[self.pool.int(8), self.pool.int(16), Type::I32, Type::I64]);
        let count = (room.bytes / size_of(&self.pool, element)).min(ELEMENTS);
        if count < 2 {
            return;
        }
        let times = if count >= 4 && self.entropy.chance(3, 4) {
            let most = if count >= 8 { 7 } else { 3 };
            let number = self.value(scope, Type::I64);
            let mask = self.int(scope, Type::I64, most);
            let number = self.int_binary(scope, IntBinary::And, number, mask);
            let one = self.int(scope, Type::I64, 1);
            self.exact(scope, IntBinary::Add, number, one)
        } else {
            let times = 1 + self.entropy.below(count as usize) as u64;
            self.int(scope, Type::I64, times)
        };
        let flags = self.entropy.pick(&[GepFlags::NONE, GepFlags::INBOUNDS | GepFlags::NUSW]);
        let step = Op::Gep { source: element, flags };
        let far = self.pure(scope, step, &[base, times], Type::PTR);
        let rises = self.entropy.chance(2, 3);
        let (start, end) = if rises { (base, far) } else { (far, base) };
        let sum = self.value(scope, Type::I64);

        let theta = Theta::add(&mut self.graph, scope.region);
        let origins = [start, end, sum, scope.mem];
        let [at, end, sum, mem] = origins.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![sum.pre],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        let by = self.int(&mut inner, Type::I64, if rises { 1 } else { u64::MAX });
        let next = self.pure(&mut inner, step, &[at.pre, by], Type::PTR);
        let address = if rises { at.pre } else { next };
        let loaded = self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[address], &[element])[0];
        let loaded = self.resize(&mut inner, loaded, Type::I64);
        let mut total = self.int_binary(&mut inner, IntBinary::Xor, sum.pre, loaded);
        // So much that a loop is worth copying a few times only.
        for _ in 0..self.entropy.below(3) * 4 {
            let product = self.int_binary(&mut inner, IntBinary::Mul, total, total);
            total = self.int_binary(&mut inner, IntBinary::Add, product, loaded);
        }
        if self.entropy.chance(1, 3) {
            let stored = self.resize(&mut inner, total, element);
            self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[stored, address], &[]);
        }
        let again = self.comes_to(&mut inner, next, end.pre, rises);
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(at.post, next);
        self.graph.divert(sum.post, total);
        self.graph.divert(mem.post, inner.mem);
        scope.values.push(sum.output);
        scope.mem = mem.output;
    }

    /// Whether an address has not come to another one yet.
    fn comes_to(&mut self, scope: &mut Scope, next: Origin, end: Origin, rises: bool) -> Origin {
        let (predicate, operands, stays) = match self.entropy.below(4) {
            0 => (IntPredicate::Eq, [end, next], 0),
            1 if rises => (IntPredicate::Ult, [next, end], 1),
            1 => (IntPredicate::Ult, [end, next], 1),
            _ => (IntPredicate::Ne, [next, end], 1),
        };
        let bit = self.pure(scope, Op::ICmp { predicate, same_sign: false }, &operands, Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, stays)].into(), default: 1 - stays, alternatives: 2 };
        self.pure(scope, Op::Match(self.pool.intern_table(table)), &[bit], Type::CTL2)
    }
}
