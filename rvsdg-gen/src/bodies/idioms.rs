//! Shapes that passes look for and that operations at random seldom make.

use rvsdg_core::op::{BinaryFlags, FastMath, IntBinary, IntPredicate, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Type};

use super::unwinding::Part;
use super::{Maker, Scope};

/// The number with which [`Part::StopAt`] does not return.
const STOPS: u64 = 5;

impl Maker<'_, '_> {
    /// One of the shapes.
    pub(crate) fn idiom(&mut self, scope: &mut Scope) {
        match self.entropy.below(27) {
            0..=2 | 18..=19 | 22..=23 => self.counted(scope),
            3 => self.cells(scope),
            4 => self.sunk_stores(scope),
            5 => self.nested_decision(scope),
            6 | 17 => self.decided_decision(scope),
            7 => self.used_once(scope),
            8 => self.guarded_poison(scope),
            9..=10 => self.objects(scope),
            11 => self.same_decision(scope),
            12 => self.dividing_loop(scope),
            13 => self.heap(scope),
            14..=15 => self.block(scope),
            16 => self.sums(scope),
            21 => self.tables(scope),
            24..=25 => self.retyped(scope),
            26 => self.walk(scope),
            _ => self.stop(scope),
        }
    }

    /// A loop that begins with a loop-invariant division, which may trap as far as passes know.
    fn dividing_loop(&mut self, scope: &mut Scope) {
        let one = self.int(scope, Type::I64, 1);
        let divisor = self.value(scope, Type::I64);
        let divisor = self.int_binary(scope, IntBinary::Or, divisor, one);
        let (dividend, times) = (self.value(scope, Type::I64), 1 + self.entropy.bits(2));
        let times = self.int(scope, Type::I32, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let entering = [dividend, divisor, times, scope.io, scope.mem];
        let [dividend, divisor, count, io, mem] = entering.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: io.pre,
            loops: scope.loops + 1,
        };
        let op = self.entropy.pick(&[IntBinary::UDiv, IntBinary::URem]);
        let op = Op::IntBinary { op, flags: BinaryFlags::NONE };
        let inputs = [dividend.pre, divisor.pre, inner.io];
        let division = self.graph.add_simple(inner.region, op, &inputs, &[Type::I64, Type::IO]);
        let quotient = self.graph.output(division, 0);
        inner.io = self.graph.output(division, 1);
        let one = self.int(&mut inner, Type::I32, 1);
        let next = self.int_binary(&mut inner, IntBinary::Sub, count.pre, one);
        let again = self.while_nonzero(&mut inner, next);
        self.graph.divert(theta.predicate(&self.graph), again);
        let start = self.graph.origin(dividend.input);
        let sum = theta.add_loop_var(&mut self.graph, start);
        let mixed = self.int_binary(&mut inner, IntBinary::Xor, sum.pre, quotient);
        let mixed = self.int_binary(&mut inner, IntBinary::Mul, mixed, quotient);
        self.graph.divert(sum.post, mixed);
        self.graph.divert(count.post, next);
        self.graph.divert(io.post, inner.io);
        scope.values.push(sum.output);
        (scope.mem, scope.io) = (mem.output, io.output);
    }

    /// A call that does not return when a number is a certain one, and after it a load from an address that leads nowhere then;
    /// both may be in a loop.
    fn stop(&mut self, scope: &mut Scope) {
        let (Some(stop), Some((address, room))) = (self.runtime(scope, Part::StopAt), self.memory(scope)) else {
            return;
        };
        let number = self.value(scope, Type::I64);
        let seven = self.int(scope, Type::I64, 7);
        let number = self.int_binary(scope, IntBinary::And, number, seven);
        let known = scope.values.len();
        let stops = self.int(scope, Type::I64, STOPS);
        let op = Op::ICmp { predicate: IntPredicate::Eq, same_sign: false };
        let bit = self.pure(scope, op, &[number, stops], Type::I1);
        let null = self.null(scope);
        let address = self.pure(scope, Op::Select(FastMath::NONE), &[bit, null, address], Type::PTR);
        scope.values.truncate(known);
        let ty = if room.bytes >= 8 { Type::I64 } else { self.pool.int(8) };
        let load = Op::Load(MemAccess::plain(0));
        if self.entropy.chance(1, 2) {
            self.helper(scope, &[stop, number], &[Type::I64], Type::VOID);
            self.effect(scope, load, &[address], &[ty]);
            return;
        }
        let (times, sum) = (1 + self.entropy.bits(1), self.value(scope, ty));
        let times = self.int(scope, Type::I32, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let entering = [stop, number, address, times, sum, scope.io, scope.mem];
        let [stop, number, address, count, sum, io, mem] =
            entering.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: io.pre,
            loops: scope.loops + 1,
        };
        self.helper(&mut inner, &[stop.pre, number.pre], &[Type::I64], Type::VOID);
        let loaded = self.effect(&mut inner, load, &[address.pre], &[ty])[0];
        let next_sum = self.int_binary(&mut inner, IntBinary::Add, sum.pre, loaded);
        let one = self.int(&mut inner, Type::I32, 1);
        let next = self.int_binary(&mut inner, IntBinary::Sub, count.pre, one);
        let again = self.while_nonzero(&mut inner, next);
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(count.post, next);
        self.graph.divert(sum.post, next_sum);
        self.graph.divert(io.post, inner.io);
        self.graph.divert(mem.post, inner.mem);
        scope.values.push(sum.output);
        (scope.mem, scope.io) = (mem.output, io.output);
    }
}
