//! Loops over the columns of arrays, with loops over the rows in them.

use rvsdg_core::op::{IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};

impl Maker<'_, '_> {
    /// Two loops in each other over elements of up to three memories, which may overlap: what a column or a row adds up to, each
    /// element on its own, or rows that are added to one.
    pub(crate) fn nest(&mut self, scope: &mut Scope) {
        let places = if scope.loops == 0 && self.entropy.chance(3, 4) {
            let [a, b] = [(); 2].map(|()| Some(self.array(scope, 32)));
            [a, b, b]
        } else {
            [(); 3].map(|()| self.memory(scope))
        };
        let [Some((a, room_a)), Some((b, room_b)), Some((c, room_c))] = places else { return };
        let types = [self.pool.int(8), self.pool.int(16), Type::I32, Type::I32, Type::I64];
        let element = self.entropy.pick(&types);
        let count = room_a.bytes.min(room_b.bytes).min(room_c.bytes) / size_of(&self.pool, element);
        let rows = 2 + self.entropy.below(3) as u64;
        let columns = (count / rows).min(18);
        if columns < 4 {
            return;
        }
        let [a, b] = self.either(scope, a, b);
        // Which of the two the outer loop goes over.
        let (outer, inner) = if self.entropy.chance(3, 4) { (columns, rows) } else { (rows.max(4).min(columns), rows) };
        let row_first = self.entropy.chance(1, 3) && outer * inner <= count;
        let adds_rows = row_first && self.entropy.chance(3, 4);
        let [end, last] = [outer, inner].map(|bound| self.bound(scope, bound));
        let width = self.int(scope, Type::I64, if row_first { inner } else { columns });
        let zero = self.int(scope, Type::I64, 0);
        let factor = self.value(scope, element);
        let theta = Theta::add(&mut self.graph, scope.region);
        let origins = [a, b, c, end, last, factor, width, zero, scope.mem];
        let [p, q, r, end, last, factor, width, x, mem] =
            origins.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut around = Scope {
            region: theta.body(&self.graph),
            values: vec![factor.pre],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        let place = self.beside(&mut around, element, p.pre, x.pre, 0);
        if self.entropy.chance(1, 2) {
            self.effect(&mut around, Op::Load(MemAccess::plain(0)), &[place], &[element]);
        }
        let (start, first) = (self.mixed(&mut around), self.int(&mut around, Type::I64, 0));
        let within = Theta::add(&mut self.graph, around.region);
        let origins = [p.pre, q.pre, r.pre, last.pre, factor.pre, width.pre, x.pre, place, first, start, around.mem];
        let [p, q, r, last, factor, width, at, place_in, t, sum, memory] =
            origins.map(|origin| within.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: within.body(&self.graph),
            values: vec![factor.pre, sum.pre],
            mem: memory.pre,
            predicates: vec![],
            tokens: vec![],
            io: scope.io,
            loops: scope.loops + 2,
        };
        let (row, column) = if row_first { (at.pre, t.pre) } else { (t.pre, at.pre) };
        let row = self.exact(&mut inner, IntBinary::Mul, row, width.pre);
        let index = self.exact(&mut inner, IntBinary::Add, row, column);
        let element_at = self.beside(&mut inner, element, q.pre, index, 0);
        self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[element_at], &[element]);
        if adds_rows || self.entropy.chance(1, 3) {
            let other = self.beside(&mut inner, element, if adds_rows { p.pre } else { r.pre }, t.pre, 0);
            self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[other], &[element]);
        }
        let value = self.mixed(&mut inner);
        let value = self.int_binary(&mut inner, IntBinary::Add, value, sum.pre);
        if adds_rows {
            let by = self.entropy.pick(&[0, 0, 0, 0, 0, 1]);
            let to = self.beside(&mut inner, element, p.pre, t.pre, by);
            self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, to], &[]);
        } else if self.entropy.chance(2, 3) {
            let base = self.entropy.pick(&[p, q]);
            let to = self.beside(&mut inner, element, base.pre, index, 0);
            let to = self.entropy.pick(&[place_in.pre, place_in.pre, to]);
            self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[value, to], &[]);
        }
        self.graph.divert(sum.post, value);
        self.graph.divert(memory.post, inner.mem);
        self.count_up(&mut inner, within, t, last.pre);
        around.mem = memory.output;
        if !adds_rows && self.entropy.chance(2, 3) {
            self.effect(&mut around, Op::Store(MemAccess::plain(0)), &[sum.output, place], &[]);
        }
        self.graph.divert(mem.post, around.mem);
        self.count_up(&mut around, theta, x, end.pre);
        scope.mem = mem.output;
    }

    /// A number of iterations, which is known or not.
    fn bound(&mut self, scope: &mut Scope, bound: u64) -> Origin {
        let most = self.int(scope, Type::I64, bound);
        if self.entropy.chance(1, 2) {
            return most;
        }
        let (number, one) = (self.value(scope, Type::I64), self.int(scope, Type::I64, 1));
        let number = self.int_binary(scope, IntBinary::And, number, one);
        self.exact(scope, IntBinary::Sub, most, number)
    }

    /// Repeats a loop until a variable that counts comes to a bound.
    fn count_up(&mut self, scope: &mut Scope, theta: Theta, counter: LoopVar, bound: Origin) {
        let one = self.int(scope, Type::I64, 1);
        let next = self.exact(scope, IntBinary::Add, counter.pre, one);
        let op = Op::ICmp { predicate: IntPredicate::Slt, same_sign: false };
        let again = self.pure(scope, op, &[next, bound], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        let repeat = self.pure(scope, Op::Match(self.pool.intern_table(table)), &[again], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), repeat);
        self.graph.divert(counter.post, next);
    }
}
