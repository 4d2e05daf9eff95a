//! Loops that count through memory as programs do: elements, their neighbours, and places that stay.

use rvsdg_core::op::{BinaryFlags, FastMath, GepFlags, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};

impl Maker<'_, '_> {
    /// A loop from the second element of known memories to the last or one before it, in either direction. Which memory is which
    /// may be known only when it is run, and they may overlap.
    pub(crate) fn stream(&mut self, scope: &mut Scope) {
        if scope.loops == 0 {
            self.alloca(scope);
        }
        let places = [(); 3].map(|()| self.memory(scope));
        let [Some((a, room_a)), Some((b, room_b)), Some((c, room_c))] = places else { return };
        let element = self.entropy.pick(&[self.pool.int(8), Type::I32, Type::I64]);
        let bytes = room_a.bytes.min(room_b.bytes).min(room_c.bytes);
        let count = bytes / size_of(&self.pool, element);
        if count < 2 {
            return;
        }
        let pointers = self.either(scope, a, b);
        let rises = self.entropy.chance(1, 2);
        // One after the last element, or an element before that.
        let after = if count > 5 && self.entropy.chance(1, 2) {
            let (number, three) = (self.value(scope, Type::I64), self.int(scope, Type::I64, 3));
            let number = self.int_binary(scope, IntBinary::And, number, three);
            let two = self.int(scope, Type::I64, 2);
            self.exact(scope, IntBinary::Add, number, two)
        } else {
            self.int(scope, Type::I64, count)
        };
        let one = self.int(scope, Type::I64, 1);
        let start = if rises { one } else { self.exact(scope, IntBinary::Sub, after, one) };
        let end = if rises { after } else { self.int(scope, Type::I64, 0) };
        let first = self.value(scope, element);

        let theta = Theta::add(&mut self.graph, scope.region);
        let origins = [pointers[0], pointers[1], c, start, end, first, scope.mem];
        let [p, q, r, index, end, kept, mem] = origins.map(|origin| theta.add_loop_var(&mut self.graph, origin));
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: vec![kept.pre],
            predicates: vec![],
            tokens: vec![],
            mem: mem.pre,
            io: scope.io,
            loops: scope.loops + 1,
        };
        for number in 0..3 + self.entropy.below(4) {
            let base = if number == 0 { p.pre } else { self.entropy.pick(&[p.pre, q.pre, q.pre, r.pre]) };
            let address = self.near(&mut inner, element, base, index.pre);
            if number == 0 || self.entropy.chance(1, 2) {
                self.effect(&mut inner, Op::Load(MemAccess::plain(0)), &[address], &[element]);
            } else {
                let values: Vec<Origin> =
                    inner.values.iter().copied().filter(|&value| self.ty(value) == element).collect();
                let (x, y) = (self.entropy.pick(&values), self.entropy.pick(&values));
                let sum = self.int_binary(&mut inner, IntBinary::Add, x, y);
                self.effect(&mut inner, Op::Store(MemAccess::plain(0)), &[sum, address], &[]);
            }
        }
        let one = self.int(&mut inner, Type::I64, 1);
        let next = self.exact(&mut inner, if rises { IntBinary::Add } else { IntBinary::Sub }, index.pre, one);
        let predicate = if rises { IntPredicate::Slt } else { IntPredicate::Sgt };
        let op = Op::ICmp { predicate, same_sign: false };
        let again = self.pure(&mut inner, op, &[next, end.pre], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        let repeat = self.pure(&mut inner, Op::Match(self.pool.intern_table(table)), &[again], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), repeat);
        let last = inner.values.iter().copied().rfind(|&value| self.ty(value) == element);
        self.graph.divert(kept.post, last.unwrap_or(kept.pre));
        self.graph.divert(index.post, next);
        self.graph.divert(mem.post, inner.mem);
        scope.values.push(kept.output);
        scope.mem = mem.output;
    }

    /// Two addresses, which of them is which perhaps known only when it is run.
    pub(crate) fn either(&mut self, scope: &mut Scope, a: Origin, b: Origin) -> [Origin; 2] {
        if self.entropy.chance(1, 2) {
            return [a, b];
        }
        let (number, zero) = (self.value(scope, Type::I64), self.int(scope, Type::I64, 0));
        let differs = Op::ICmp { predicate: IntPredicate::Ne, same_sign: false };
        let bit = self.pure(scope, differs, &[number, zero], Type::I1);
        let select = Op::Select(FastMath::NONE);
        [[bit, a, b], [bit, b, a]].map(|inputs| self.pure(scope, select, &inputs, Type::PTR))
    }

    /// The address of an element at an index, before it, or of the first.
    fn near(&mut self, scope: &mut Scope, element: Type, base: Origin, index: Origin) -> Origin {
        let index = match self.entropy.below(4) {
            0 => return base,
            1 => {
                let one = self.int(scope, Type::I64, 1);
                self.exact(scope, IntBinary::Sub, index, one)
            }
            _ => index,
        };
        let flags = if self.entropy.chance(1, 2) { GepFlags::INBOUNDS | GepFlags::NUSW } else { GepFlags::NONE };
        let node =
            self.graph.add_simple(scope.region, Op::Gep { source: element, flags }, &[base, index], &[Type::PTR]);
        self.graph.output(node, 0)
    }

    /// A sum or difference that does not wrap around, and says so.
    pub(crate) fn exact(&mut self, scope: &mut Scope, op: IntBinary, lhs: Origin, rhs: Origin) -> Origin {
        let op = Op::IntBinary { op, flags: BinaryFlags::NSW };
        let node = self.graph.add_simple(scope.region, op, &[lhs, rhs], &[self.graph.ty(lhs)]);
        self.graph.output(node, 0)
    }
}
