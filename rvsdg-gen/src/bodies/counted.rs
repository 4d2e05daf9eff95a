//! Loops that count in numbers that are narrower than addresses, by steps of any size, to a bound that is met exactly or passed.

use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Room, Scope};

/// The largest index of a loop, plus 1.
const INDICES: u64 = 14;

/// How a loop counts.
struct Counting {
    /// The number's type.
    ty: Type,
    step: u64,
    rises: bool,
    predicate: IntPredicate,
    /// Whether the loop repeats when the predicate holds.
    while_true: bool,
}

/// What changes in an iteration, and what does not.
struct Iteration {
    index: Origin,
    base: Option<Origin>,
    factor: Origin,
    sum: Origin,
}

impl Maker<'_, '_> {
    /// A loop whose body accesses an element by its number, and multiplies that number with something else. It decides at its
    /// end, or first.
    pub(crate) fn counted(&mut self, scope: &mut Scope) {
        let base = self.memory(scope).filter(|(_, room)| room.bytes >= INDICES);
        let ty = self.entropy.pick(&[Type::I32, Type::I32, self.pool.int(16), self.pool.int(8), Type::I64]);
        let rises = self.entropy.chance(2, 3);
        let decides_first = self.entropy.chance(1, 3);
        let forms = match (rises, decides_first) {
            (true, _) => [IntPredicate::Ne, IntPredicate::Slt, IntPredicate::Ult, IntPredicate::Ne],
            (false, true) => [IntPredicate::Ne, IntPredicate::Sgt, IntPredicate::Ugt, IntPredicate::Sgt],
            (false, false) => [IntPredicate::Ne, IntPredicate::Sgt, IntPredicate::Ugt, IntPredicate::Ne],
        };
        let predicate = self.entropy.pick(&forms);
        let (predicate, while_true) = match predicate {
            IntPredicate::Ne if self.entropy.chance(1, 2) => (IntPredicate::Eq, false),
            IntPredicate::Slt if self.entropy.chance(1, 2) => (IntPredicate::Sge, false),
            predicate => (predicate, true),
        };
        let counting = Counting { ty, step: self.entropy.pick(&[1, 2, 3, 1, 2]), rises, predicate, while_true };
        let (start, end) = self.bounds(scope, &counting, decides_first);
        let (factor, sum) = (self.value(scope, Type::I64), self.value(scope, Type::I64));
        let invariant: Vec<Origin> = base.iter().map(|&(base, _)| base).chain([end, factor]).collect();

        let theta = Theta::add(&mut self.graph, scope.region);
        let entering: Vec<Origin> = invariant.iter().copied().chain([start, sum, scope.mem]).collect();
        let vars: Vec<_> = entering.iter().map(|&origin| theta.add_loop_var(&mut self.graph, origin)).collect();
        let room = base.map(|(_, room)| room);
        let first = usize::from(room.is_some());
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![],
            predicates: vec![],
            tokens: vec![],
            mem: vars[first + 4].pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        let (end, factor, index, sum) =
            (vars[first].pre, vars[first + 1].pre, vars[first + 2].pre, vars[first + 3].pre);
        let iteration = Iteration { index, base: room.map(|_| vars[0].pre), factor, sum };
        let (again, index, sum) = if decides_first {
            let stay = self.stays(&mut inner, &counting, index, end);
            self.guarded_iteration(&mut inner, &counting, &iteration, room, stay)
        } else {
            let (index, sum) = self.iteration(&mut inner, &counting, &iteration, room);
            (self.stays(&mut inner, &counting, index, end), index, sum)
        };
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(vars[first + 2].post, index);
        self.graph.divert(vars[first + 3].post, sum);
        self.graph.divert(vars[first + 4].post, inner.mem);
        scope.values.extend([vars[first + 2].output, vars[first + 3].output]);
        scope.mem = vars[first + 4].output;
    }

    /// Where a loop begins, and what it is compared with: all numbers in between are below [`INDICES`].
    fn bounds(&mut self, scope: &mut Scope, counting: &Counting, decides_first: bool) -> (Origin, Origin) {
        let ty = counting.ty;
        let least = self.entropy.below(2) as u64;
        let times = if self.entropy.chance(1, 2) {
            let times = 1 + self.entropy.bits(2);
            self.int(scope, ty, times)
        } else {
            let number = self.any_value(scope, crate::universe::Class::SmallInt);
            let number = self.resize(scope, number, ty);
            let three = self.int(scope, ty, 3);
            let times = self.int_binary(scope, IntBinary::And, number, three);
            let one = self.int(scope, ty, 1);
            if decides_first { times } else { self.exact(scope, IntBinary::Add, times, one) }
        };
        let (least, step) = (self.int(scope, ty, least), self.int(scope, ty, counting.step));
        let way = self.exact(scope, IntBinary::Mul, times, step);
        let most = self.exact(scope, IntBinary::Add, way, least);
        if counting.rises { (least, most) } else { (most, least) }
    }

    /// The predicate that repeats a loop.
    fn stays(&mut self, scope: &mut Scope, counting: &Counting, index: Origin, end: Origin) -> Origin {
        let op = Op::ICmp { predicate: counting.predicate, same_sign: false };
        let bit = self.pure(scope, op, &[index, end], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let stay = u32::from(counting.while_true);
        let table = MatchTable { cases: [(case, stay)].into(), default: 1 - stay, alternatives: 2 };
        self.pure(scope, Op::Match(self.pool.intern_table(table)), &[bit], Type::CTL2)
    }

    /// What an iteration does: the next number, and the sum.
    fn iteration(
        &mut self,
        scope: &mut Scope,
        counting: &Counting,
        iteration: &Iteration,
        room: Option<Room>,
    ) -> (Origin, Origin) {
        let Iteration { index, base, factor, mut sum } = *iteration;
        let wide = if counting.ty == Type::I64 {
            index
        } else {
            let op = self.entropy.pick(&[CastOp::SExt, CastOp::ZExt]);
            let op = Op::Cast { op, flags: CastFlags::default() };
            self.pure(scope, op, &[index], Type::I64)
        };
        if let (Some(base), Some(room)) = (base, room) {
            let elements = [self.pool.int(8), self.pool.int(16), Type::I32, Type::I64];
            let fitting: Vec<Type> =
                elements.into_iter().filter(|&element| size_of(&self.pool, element) * INDICES <= room.bytes).collect();
            let element = self.entropy.pick(&fitting);
            let flags = self.entropy.pick(&[GepFlags::NONE, GepFlags::INBOUNDS | GepFlags::NUSW]);
            let address = self.pure(scope, Op::Gep { source: element, flags }, &[base, wide], Type::PTR);
            if self.entropy.chance(2, 3) {
                let loaded = self.effect(scope, Op::Load(MemAccess::plain(0)), &[address], &[element])[0];
                let loaded = self.resize(scope, loaded, Type::I64);
                sum = self.int_binary(scope, IntBinary::Xor, sum, loaded);
            }
            if self.entropy.chance(1, 2) {
                let stored = self.resize(scope, sum, element);
                self.effect(scope, Op::Store(MemAccess::plain(0)), &[stored, address], &[]);
            }
        }
        for _ in 0..self.entropy.below(3) {
            let product = self.int_binary(scope, IntBinary::Mul, wide, factor);
            let op = self.entropy.pick(&[IntBinary::Add, IntBinary::Xor]);
            sum = self.int_binary(scope, op, sum, product);
        }
        // So much that a loop is worth copying a few times only.
        for _ in 0..self.entropy.below(2) * 8 {
            let product = self.int_binary(scope, IntBinary::Mul, sum, sum);
            sum = self.int_binary(scope, IntBinary::Xor, product, wide);
        }
        let flags = self.entropy.pick(&[BinaryFlags::NSW, BinaryFlags::NSW | BinaryFlags::NUW, BinaryFlags::NONE]);
        let step = self.int(scope, counting.ty, counting.step);
        let op = if counting.rises { IntBinary::Add } else { IntBinary::Sub };
        let next = self.pure(scope, Op::IntBinary { op, flags }, &[index, step], counting.ty);
        (next, sum)
    }

    /// As [`Maker::iteration`], where a predicate says that there is one more. Gives whether there was, too.
    fn guarded_iteration(
        &mut self,
        scope: &mut Scope,
        counting: &Counting,
        iteration: &Iteration,
        room: Option<Room>,
        stay: Origin,
    ) -> (Origin, Origin, Origin) {
        let gamma = Gamma::add(&mut self.graph, scope.region, stay, 2);
        let Iteration { index, base, factor, sum } = *iteration;
        let entry = |maker: &mut Self, origin: Origin| {
            let var = gamma.add_entry_var(&mut maker.graph, origin);
            [0, 1].map(|alternative| var.argument(&maker.graph, gamma, alternative))
        };
        let (index, factor, sum) = (entry(self, index), entry(self, factor), entry(self, sum));
        let (base, mem) = (base.map(|base| entry(self, base)), entry(self, scope.mem));
        let region = |alternative: usize| gamma.regions(&self.graph)[alternative];
        let [mut leave, mut go_on] = [0, 1].map(|alternative| Scope {
            region: region(alternative),
            values: vec![],
            predicates: vec![],
            tokens: vec![],
            mem: mem[alternative],
            io: scope.io,
            loops: scope.loops,
        });
        let inside = Iteration { index: index[1], base: base.map(|base| base[1]), factor: factor[1], sum: sum[1] };
        let (next, new) = self.iteration(&mut go_on, counting, &inside, room);
        let mut left = sum[0];
        if self.entropy.chance(1, 2) {
            left = self.int_binary(&mut leave, IntBinary::Add, left, factor[0]);
        }
        let decisions = [(&leave, 0), (&go_on, 1)].map(|(scope, value)| {
            let node = self.graph.add_simple(scope.region, Op::CtlConst { value, of: 2 }, &[], &[Type::CTL2]);
            self.graph.output(node, 0)
        });
        let exits = [[decisions[0], decisions[1]], [index[0], next], [left, new], [leave.mem, go_on.mem]];
        let [decided, index, sum, mem] = exits.map(|results| gamma.add_exit_var(&mut self.graph, &results).output);
        scope.mem = mem;
        (if self.entropy.chance(1, 2) { decided } else { stay }, index, sum)
    }
}
