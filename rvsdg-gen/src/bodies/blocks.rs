//! Loops that fill memory or copy it, element by element.

use rvsdg_core::op::{BinaryFlags, CastOp, GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};

/// The maximal number of elements.
const ELEMENTS: u64 = 8;

/// What an element becomes.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Element {
    Constant(u64),
    Value,
    Copy,
}

impl Maker<'_, '_> {
    /// A loop that goes through memory upwards or downwards and writes one element of it, or two places, in each iteration.
    pub(crate) fn block(&mut self, scope: &mut Scope) {
        let ((Some((to, room)), Some((from, other))), ty) = (
            (self.memory(scope), self.memory(scope)),
            self.entropy.pick(&[self.pool.int(8), self.pool.int(8), self.pool.int(16), Type::I32, Type::I64]),
        ) else {
            return;
        };
        let size = size_of(&self.pool, ty);
        let elements = (room.bytes.min(other.bytes) / size).min(ELEMENTS);
        if elements < 2 {
            return;
        }
        let element = match self.entropy.below(12) {
            0 => Element::Constant(0),
            1 => Element::Constant(u64::MAX),
            2 => Element::Constant(0x0101_0101_0101_0102),
            3 => Element::Value,
            _ => Element::Copy,
        };
        let within = element == Element::Copy && self.entropy.chance(2, 3);
        let from = if within { to } else { from };
        let shift = if element == Element::Copy { u64::from(within || self.entropy.chance(1, 3)) } else { 0 };
        let rises = self.entropy.chance(2, 3);
        let times = self.times(scope, elements - shift);
        let one = self.int(scope, Type::I64, 1);
        let zero = self.int(scope, Type::I64, 0);
        let last = self.int_binary(scope, IntBinary::Sub, times, one);
        let start = if rises { zero } else { last };
        let (value, mark) = (self.value(scope, ty), self.value(scope, Type::I64));
        let theta = Theta::add(&mut self.graph, scope.region);
        let entering = [to, from, times, value, start, scope.mem];
        let [to, from, times, value, index, mem] = entering.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        let (read, written) = if self.entropy.chance(3, 4) { (shift, 0) } else { (0, shift) };
        let stored = match element {
            Element::Constant(value) => self.int(&mut inner, ty, value),
            Element::Value => value.pre,
            Element::Copy => {
                let address = self.element(&mut inner, ty, from.pre, index.pre, read);
                self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[address], &[ty])[0]
            }
        };
        let address = self.element(&mut inner, ty, to.pre, index.pre, written);
        self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[stored, address], &[]);
        if self.entropy.chance(1, 6) {
            let byte = self.pool.int(8);
            let low = self.graph.add_simple(
                inner.region,
                Op::Cast { op: CastOp::Trunc, flags: rvsdg_core::op::CastFlags::default() },
                &[index.pre],
                &[byte],
            );
            let low = self.graph.output(low, 0);
            self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[low, from.pre], &[]);
        }
        let one = self.int(&mut inner, Type::I64, 1);
        let op = if rises { IntBinary::Add } else { IntBinary::Sub };
        let flags = self.entropy.pick(&[BinaryFlags::NONE, BinaryFlags::NSW]);
        let next = self.pure(&mut inner, Op::IntBinary { op, flags }, &[index.pre, one], Type::I64);
        let minus = self.int(&mut inner, Type::I64, u64::MAX);
        let (predicate, bound) = if rises {
            (self.entropy.pick(&[IntPredicate::Ult, IntPredicate::Slt, IntPredicate::Ne]), times.pre)
        } else {
            (self.entropy.pick(&[IntPredicate::Sgt, IntPredicate::Ne]), minus)
        };
        let again = self.pure(&mut inner, Op::ICmp { predicate, same_sign: false }, &[next, bound], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        let again = self.pure(&mut inner, Op::Match(self.pool.intern_table(table)), &[again], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(index.post, next);
        self.graph.divert(mem.post, inner.mem);
        scope.values.extend([index.output, mark]);
        scope.mem = mem.output;
    }

    /// How many elements there are, known or not.
    fn times(&mut self, scope: &mut Scope, most: u64) -> Origin {
        if self.entropy.chance(1, 2) {
            let times = 1 + self.entropy.below(most as usize) as u64;
            return self.int(scope, Type::I64, times);
        }
        let number = self.value(scope, Type::I64);
        let limit = if most >= 4 { 3 } else { u64::from(most >= 2) };
        let limit = self.int(scope, Type::I64, limit);
        let number = self.int_binary(scope, IntBinary::And, number, limit);
        let one = self.int(scope, Type::I64, 1);
        self.int_binary(scope, IntBinary::Add, number, one)
    }

    /// The address of an element.
    fn element(&mut self, scope: &mut Scope, ty: Type, base: Origin, index: Origin, ahead: u64) -> Origin {
        let mut index = index;
        if ahead > 0 {
            let ahead = self.int(scope, Type::I64, ahead);
            index = self.int_binary(scope, IntBinary::Add, index, ahead);
        }
        let flags = self.entropy.pick(&[GepFlags::NONE, GepFlags::INBOUNDS | GepFlags::NUSW]);
        self.pure(scope, Op::Gep { source: ty, flags }, &[base, index], Type::PTR)
    }
}
