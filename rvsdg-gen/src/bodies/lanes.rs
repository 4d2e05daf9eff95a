//! Loops whose iterations can be done several at once: elements one after the other, sums and neighbours, in memories that may
//! overlap.

use rvsdg_core::op::{FastMath, GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};

/// How many elements before and after the one of an iteration are accessed.
const BESIDE: u64 = 2;
/// The maximal number of elements that an iteration moves.
const MOST: usize = 4;

impl Maker<'_, '_> {
    /// A loop over elements of up to three known memories, with accumulated values and loop-carried values.
    pub(crate) fn lanes(&mut self, scope: &mut Scope) {
        let places = if scope.loops == 0 && self.entropy.chance(2, 3) {
            let len = self.entropy.pick(&[24, 48, 64]);
            let [a, b] = [(); 2].map(|()| Some(self.array(scope, len)));
            let third = if self.entropy.chance(1, 2) { Some(self.array(scope, len)) } else { b };
            [a, b, third]
        } else {
            [(); 3].map(|()| self.memory(scope))
        };
        let [Some((a, room_a)), Some((b, room_b)), Some((c, room_c))] = places else { return };
        let narrow = [self.pool.int(8), self.pool.int(8), self.pool.int(16), Type::I32, Type::I32, Type::I64];
        let element = self.entropy.pick(&narrow);
        let bytes = room_a.bytes.min(room_b.bytes).min(room_c.bytes);
        let count = bytes / size_of(&self.pool, element);
        if count < 4 {
            return;
        }
        let beside = if count > 2 * BESIDE + 4 { self.entropy.below(BESIDE as usize + 1) as u64 } else { 0 };
        let factor = if self.entropy.chance(1, 3) { 2 + self.entropy.below(MOST - 1) as u64 } else { 1 };
        let factor = if count / factor < 2 * BESIDE + 4 { 1 } else { factor };
        let [a, b] = self.either(scope, a, b);
        let start = self.int(scope, Type::I64, beside);
        let mut end = self.int(scope, Type::I64, (count - beside) / factor);
        if self.entropy.chance(1, 2) {
            let (number, three) = (self.value(scope, Type::I64), self.int(scope, Type::I64, 3));
            let number = self.int_binary(scope, IntBinary::And, number, three);
            if (count - beside) / factor - beside > 3 {
                end = self.exact(scope, IntBinary::Sub, end, number);
            }
        }
        let [other, sum, kept] = [(); 3].map(|()| self.value(scope, element));

        let theta = Theta::add(&mut self.graph, scope.region);
        let origins = [a, b, c, end, other, start, sum, kept, kept, scope.mem];
        let [p, q, r, end, other, index, sum, kept, older, mem] =
            origins.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![other.pre],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        if self.entropy.chance(1, 3) {
            let op = Op::Cast { op: rvsdg_core::op::CastOp::Trunc, flags: Default::default() };
            let number =
                if element == Type::I64 { index.pre } else { self.pure(&mut inner, op, &[index.pre], element) };
            inner.values.push(number);
        }
        if self.entropy.chance(1, 3) {
            inner.values.extend([kept.pre, older.pre]);
        }
        // The same places the other way round.
        let mut indices = vec![index.pre];
        if factor > 1 {
            let by = self.int(&mut inner, Type::I64, factor);
            let first = self.exact(&mut inner, IntBinary::Mul, index.pre, by);
            let further = (1..factor).map(|distance| {
                let distance = self.int(&mut inner, Type::I64, distance);
                self.exact(&mut inner, IntBinary::Add, first, distance)
            });
            indices = [first].into_iter().chain(further.collect::<Vec<_>>()).collect();
        } else if self.entropy.chance(1, 6) {
            let last = self.int(&mut inner, Type::I64, count - 1);
            indices = vec![self.exact(&mut inner, IntBinary::Sub, last, index.pre)];
            if self.entropy.chance(1, 3) {
                indices.push(index.pre);
            }
        }
        // Something is accumulated, or left, in memory.
        let accumulates = self.entropy.chance(1, 3);
        let last = if accumulates { q } else { r };
        let mut newest = other.pre;
        for number in 0..2 + self.entropy.below(3) {
            let base = if number == 0 { q.pre } else { self.entropy.pick(&[p.pre, q.pre, q.pre, last.pre]) };
            let place = self.entropy.pick(&indices);
            let address = self.beside(&mut inner, element, base, place, beside);
            if number == 0 || self.entropy.chance(1, 2) {
                let before = inner.values.len();
                self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[address], &[element]);
                newest = inner.values.get(before).copied().unwrap_or(newest);
                // What is there already.
                if self.entropy.chance(1, 16) {
                    self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[newest, address], &[]);
                }
            } else {
                let value = self.mixed(&mut inner);
                self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, address], &[]);
            }
        }
        if factor > 1 && self.entropy.chance(1, 2) {
            for &place in &indices {
                let address = self.beside(&mut inner, element, p.pre, place, 0);
                let value = self.mixed(&mut inner);
                self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, address], &[]);
            }
        }
        if self.entropy.chance(1, 2) {
            newest = self.sometimes(&mut inner, element, [p.pre, q.pre], index.pre, count);
            inner.values.push(newest);
        }
        if accumulates {
            if self.entropy.chance(2, 3) {
                self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[r.pre], &[element]);
            }
            let value = self.mixed(&mut inner);
            self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, r.pre], &[]);
        }
        let (added, sum_post) = (self.mixed(&mut inner), sum.pre);
        let sum_post = match self.entropy.below(5) {
            2 => {
                let op = Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false };
                let bit = self.pure(&mut inner, op, &[added, newest], Type::I1);
                self.pure(&mut inner, Op::Select(FastMath::NONE), &[bit, other.pre, sum_post], element)
            }
            0 => {
                let op = self.entropy.pick(&[IntPredicate::Slt, IntPredicate::Ugt, IntPredicate::Sge]);
                let op = Op::ICmp { predicate: op, same_sign: false };
                let bit = self.pure(&mut inner, op, &[added, sum_post], Type::I1);
                self.pure(&mut inner, Op::Select(FastMath::NONE), &[bit, added, sum_post], element)
            }
            1 => sum_post,
            _ => {
                let ops =
                    [IntBinary::Add, IntBinary::Xor, IntBinary::Mul, IntBinary::Or, IntBinary::And, IntBinary::Sub];
                let op = self.entropy.pick(&ops);
                self.int_binary(&mut inner, op, sum_post, added)
            }
        };
        let one = self.int(&mut inner, Type::I64, 1);
        let next = self.exact(&mut inner, IntBinary::Add, index.pre, one);
        let op = Op::ICmp { predicate: IntPredicate::Slt, same_sign: false };
        let again = self.pure(&mut inner, op, &[next, end.pre], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        let repeat = self.pure(&mut inner, Op::Match(self.pool.intern_table(table)), &[again], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), repeat);
        self.graph.divert(index.post, next);
        self.graph.divert(sum.post, sum_post);
        self.graph.divert(kept.post, newest);
        self.graph.divert(older.post, kept.pre);
        self.graph.divert(mem.post, inner.mem);
        scope.values.extend([sum.output, kept.output, older.output]);
        scope.mem = mem.output;
    }

    /// What is computed of values of the iteration.
    pub(crate) fn mixed(&mut self, scope: &mut Scope) -> Origin {
        let values = scope.values.clone();
        let ty = self.ty(values[0]);
        let values: Vec<Origin> = values.into_iter().filter(|&value| self.ty(value) == ty).collect();
        let (x, y) = (self.entropy.pick(&values), self.entropy.pick(&values));
        match self.entropy.below(5) {
            0 => {
                let op = Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false };
                let bit = self.pure(scope, op, &[x, y], Type::I1);
                self.pure(scope, Op::Select(FastMath::NONE), &[bit, x, y], ty)
            }
            1 => x,
            _ => {
                let op = self.entropy.pick(&[IntBinary::Add, IntBinary::Sub, IntBinary::Xor, IntBinary::Mul]);
                self.int_binary(scope, op, x, y)
            }
        }
    }

    /// The address of an element at an index, or up to so many before or after it.
    pub(crate) fn beside(
        &mut self,
        scope: &mut Scope,
        element: Type,
        base: Origin,
        index: Origin,
        most: u64,
    ) -> Origin {
        let distance = self.entropy.below(most as usize + 1) as u64;
        let mut index = index;
        if distance > 0 {
            let distance = self.int(scope, Type::I64, distance);
            let op = if self.entropy.chance(1, 2) { IntBinary::Add } else { IntBinary::Sub };
            index = self.exact(scope, op, index, distance);
        }
        let flags = if self.entropy.chance(1, 2) { GepFlags::INBOUNDS | GepFlags::NUSW } else { GepFlags::NONE };
        let node =
            self.graph.add_simple(scope.region, Op::Gep { source: element, flags }, &[base, index], &[Type::PTR]);
        self.graph.output(node, 0)
    }
}
