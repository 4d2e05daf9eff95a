//! Conditionals as in programs: stores at the end of all alternatives, nested conditionals, and operations that only one alternative
//! needs.

use rvsdg_core::op::{FastMath, IntBinary, IntPredicate, MatchTable, MemAccess};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Op, Origin, Type};

use super::memory::size_of;
use super::{Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// Whether two numbers are in some order.
    fn bit(&mut self, scope: &mut Scope) -> Origin {
        let left = self.any_value(scope, Class::SmallInt);
        let right = self.value(scope, self.ty(left));
        let predicate = self.entropy.pick(&[IntPredicate::Eq, IntPredicate::Slt, IntPredicate::Ult, IntPredicate::Ne]);
        self.pure(scope, Op::ICmp { predicate, same_sign: false }, &[left, right], Type::I1)
    }

    /// The predicate that chooses an alternative if a bit is set, and the other one otherwise.
    fn chooses(&mut self, scope: &mut Scope, bit: Origin, alternative: u32) -> Origin {
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, alternative)].into(), default: 1 - alternative, alternatives: 2 };
        self.pure(scope, Op::Match(self.pool.intern_table(table)), &[bit], Type::CTL2)
    }

    fn decision(&mut self, scope: &mut Scope) -> Origin {
        let (bit, alternative) = (self.bit(scope), self.entropy.below(2) as u32);
        self.chooses(scope, bit, alternative)
    }

    /// What enters both alternatives of a conditional.
    fn entries(&mut self, gamma: Gamma, origin: Origin) -> [Origin; 2] {
        let var = gamma.add_entry_var(&mut self.graph, origin);
        [0, 1].map(|alternative| var.argument(&self.graph, gamma, alternative))
    }

    /// The last that all alternatives do is to store to one place; or that only one does what was done before it, too.
    pub(crate) fn sunk_stores(&mut self, scope: &mut Scope) {
        let Some((address, room)) = self.memory(scope) else { return };
        let ty = self.entropy.pick(&[self.pool.int(8), Type::I32, Type::I64]);
        if size_of(&self.pool, ty) > room.bytes {
            return;
        }
        let predicate = self.decision(scope);
        let access = Op::Store(MemAccess::plain(0));
        let overwrites = self.entropy.chance(1, 2);
        if overwrites {
            let value = self.value(scope, ty);
            self.effect(scope, access, &[value, address], &[]);
        }
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let inside = self.entries(gamma, address);
        for (alternative, scope) in inner.iter_mut().enumerate() {
            if overwrites && alternative == 0 {
                continue;
            }
            if self.entropy.chance(1, 3) {
                self.accumulate(scope);
            }
            let value = self.value(scope, ty);
            self.effect(scope, access, &[value, inside[alternative]], &[]);
        }
        self.states_leave(scope, gamma, &inner);
    }

    /// The states after a conditional, and nothing else.
    fn states_leave(&mut self, scope: &mut Scope, gamma: Gamma, inner: &[Scope]) {
        let states = [|scope: &Scope| scope.mem, |scope: &Scope| scope.io];
        let [mem, io] = states.map(|state| {
            let results: Vec<Origin> = inner.iter().map(state).collect();
            gamma.add_exit_var(&mut self.graph, &results).output
        });
        (scope.mem, scope.io) = (mem, io);
    }

    /// A conditional in one alternative of another, which gives what the other alternative gives in one of its own. In the other
    /// of its own it may write memory.
    pub(crate) fn nested_decision(&mut self, scope: &mut Scope) {
        let (first, second) = (self.bit(scope), self.bit(scope));
        let ty = self.entropy.pick(&[Type::I32, Type::I64, self.pool.int(8)]);
        let values = [self.value(scope, ty), self.value(scope, ty)];
        let written = self.memory(scope).filter(|_| self.entropy.chance(3, 4));
        let (around, kept) = (self.entropy.below(2), self.entropy.below(2));
        let (outer_choice, inner_choice) = (self.entropy.below(2) as u32, self.entropy.below(2) as u32);
        let predicate = self.chooses(scope, first, outer_choice);
        let outer = Gamma::add(&mut self.graph, scope.region, predicate, 2);
        let [second, same, other, mem] =
            [second, values[0], values[1], scope.mem].map(|origin| self.entries(outer, origin));
        let address = written.map(|(address, room)| (self.entries(outer, address), room));
        let empty = Scope { values: vec![], predicates: vec![], tokens: vec![], ..scope.clone() };
        let mut region = Scope { region: outer.regions(&self.graph)[around], mem: mem[around], ..empty.clone() };
        let predicate = self.chooses(&mut region, second[around], inner_choice);
        let inner = Gamma::add(&mut self.graph, region.region, predicate, 2);
        let [inner_same, inner_other, inner_mem] =
            [same[around], other[around], mem[around]].map(|origin| self.entries(inner, origin));
        let mut results = [[inner_same[0], inner_same[1]], [inner_mem[0], inner_mem[1]]];
        results[0][kept] = inner_other[kept];
        if let Some((address, room)) = address {
            let address = self.entries(inner, address[around])[kept];
            let mut inside = Scope {
                region: inner.regions(&self.graph)[kept],
                values: vec![inner_other[kept]],
                mem: inner_mem[kept],
                ..empty
            };
            self.accumulate_at(&mut inside, address, room);
            results[1][kept] = inside.mem;
        }
        let given = results.map(|results| inner.add_exit_var(&mut self.graph, &results).output);
        let mut results = [same, mem];
        (results[0][around], results[1][around]) = (given[0], given[1]);
        let [output, mem] = results.map(|results| outer.add_exit_var(&mut self.graph, &results).output);
        scope.values.push(output);
        scope.mem = mem;
    }

    /// Two conditionals that one number decides, and which compute the same in both alternatives.
    pub(crate) fn same_decision(&mut self, scope: &mut Scope) {
        let predicate = self.decision(scope);
        for _ in 0..2 {
            let values = [self.value(scope, Type::I64), self.value(scope, Type::I64)];
            let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
            let [one, other] = values.map(|value| self.entries(gamma, value));
            let op = self.entropy.pick(&[IntBinary::Add, IntBinary::Xor, IntBinary::Mul]);
            let mut results = [one[0]; 2];
            for (alternative, scope) in inner.iter_mut().enumerate() {
                let value = self.int_binary(scope, op, one[alternative], other[alternative]);
                let mixed = self.value(scope, Type::I64);
                results[alternative] = self.int_binary(scope, IntBinary::Xor, value, mixed);
            }
            let output = gamma.add_exit_var(&mut self.graph, &results).output;
            scope.values.push(output);
            self.gamma_exits(scope, gamma, inner);
        }
    }

    /// A conditional that another one decides.
    pub(crate) fn decided_decision(&mut self, scope: &mut Scope) {
        let bit = self.bit(scope);
        let ty = self.entropy.pick(&[Type::I32, Type::I64]);
        let number = self.value(scope, ty);
        let around = self.entropy.below(2);
        let alternative = self.entropy.below(2) as u32;
        let predicate = self.chooses(scope, bit, alternative);
        let (inner, gamma) = if self.entropy.chance(1, 2) {
            self.gamma_shell(scope, predicate, 2)
        } else {
            // Without states.
            let gamma = Gamma::add(&mut self.graph, scope.region, predicate, 2);
            let regions = [0, 1].map(|alternative| gamma.regions(&self.graph)[alternative]);
            let empty = Scope { values: vec![], predicates: vec![], tokens: vec![], ..scope.clone() };
            (regions.map(|region| Scope { region, ..empty.clone() }).into(), gamma)
        };
        let number = self.entries(gamma, number);
        let mut decisions = [(); 2].map(|()| number[0]);
        for (alternative, inside) in inner.clone().iter_mut().enumerate() {
            let value = u32::from(self.entropy.chance(1, 2));
            let op = Op::CtlConst { value, of: 2 };
            decisions[alternative] = if alternative == around {
                let number = number[alternative];
                let most = self.entropy.bits(3);
                let most = self.int(inside, ty, most);
                let op = Op::ICmp { predicate: IntPredicate::Ugt, same_sign: false };
                let bit = self.pure(inside, op, &[number, most], Type::I1);
                self.chooses(inside, bit, value)
            } else {
                self.pure(inside, op, &[], Type::CTL2)
            };
        }
        let decided = gamma.add_exit_var(&mut self.graph, &decisions).output;
        if inner[0].mem != scope.mem {
            self.states_leave(scope, gamma, &inner);
        }
        let (mut inner, gamma) = self.gamma_shell(scope, decided, 2);
        for scope in &mut inner {
            if self.entropy.chance(3, 4) {
                self.accumulate(scope);
            }
        }
        self.gamma_exits(scope, gamma, inner);
    }

    /// What only one alternative of a conditional needs is computed before it: a load, a sum, a loop or a conditional.
    pub(crate) fn used_once(&mut self, scope: &mut Scope) {
        let predicate = self.decision(scope);
        let known = scope.values.len();
        let needed = match self.entropy.below(4) {
            0 | 1 => {
                let Some((address, room)) = self.memory(scope) else { return };
                let ty = if room.bytes >= 8 { Type::I64 } else { self.pool.int(8) };
                let loaded = self.effect(scope, Op::Load(MemAccess::plain(0)), &[address], &[ty])[0];
                self.resize(scope, loaded, Type::I64)
            }
            2 => self.halvings(scope),
            _ => {
                let (bit, values) = (self.bit(scope), [(); 2].map(|()| self.value(scope, Type::I64)));
                let predicate = self.chooses(scope, bit, 1);
                let gamma = Gamma::add(&mut self.graph, scope.region, predicate, 2);
                let [one, other] = values.map(|value| self.entries(gamma, value));
                gamma.add_exit_var(&mut self.graph, &[one[0], other[1]]).output
            }
        };
        scope.values.truncate(known);
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let needed = self.entries(gamma, needed);
        let alternative = self.entropy.below(2);
        let mut results = [needed[0]; 2];
        for (index, scope) in inner.iter_mut().enumerate() {
            let number = self.value(scope, Type::I64);
            results[index] = if index == alternative {
                self.int_binary(scope, IntBinary::Add, number, needed[index])
            } else {
                number
            };
        }
        let output = gamma.add_exit_var(&mut self.graph, &results).output;
        scope.values.push(output);
        self.gamma_exits(scope, gamma, inner);
    }

    /// A loop without states that halves a number until it is 0.
    fn halvings(&mut self, scope: &mut Scope) -> Origin {
        let number = self.value(scope, Type::I64);
        let theta = Theta::add(&mut self.graph, scope.region);
        let var = theta.add_loop_var(&mut self.graph, number);
        let mut inner = Scope { region: theta.body(&self.graph), values: vec![], predicates: vec![], ..scope.clone() };
        let one = self.int(&mut inner, Type::I64, 1);
        let half = self.int_binary(&mut inner, IntBinary::LShr, var.pre, one);
        let zero = self.pool.int_const(Type::I64, 0);
        let table = MatchTable { cases: [(zero, 0)].into(), default: 1, alternatives: 2 };
        let again = self.pure(&mut inner, Op::Match(self.pool.intern_table(table)), &[half], Type::CTL2);
        self.graph.divert(theta.predicate(&self.graph), again);
        self.graph.divert(var.post, half);
        var.output
    }

    /// A condition on a shift that is poison where another condition does not hold.
    pub(crate) fn guarded_poison(&mut self, scope: &mut Scope) {
        let amount = self.value(scope, Type::I32);
        let width = self.int(scope, Type::I32, 32);
        let op = Op::ICmp { predicate: IntPredicate::Ult, same_sign: false };
        let fits = self.pure(scope, op, &[amount, width], Type::I1);
        let known = scope.values.len();
        let one = self.int(scope, Type::I32, 1);
        let number = self.value(scope, Type::I32);
        let shift = self.entropy.pick(&[IntBinary::Shl, IntBinary::LShr]);
        let shifted = self.int_binary(scope, shift, if shift == IntBinary::Shl { one } else { number }, amount);
        let masked = self.int_binary(scope, IntBinary::And, shifted, number);
        let predicate = self.entropy.pick(&[IntPredicate::Ne, IntPredicate::Ugt, IntPredicate::Eq]);
        let zero = self.int(scope, Type::I32, 0);
        let operand = self.entropy.pick(&[masked, shifted]);
        let is = self.pure(scope, Op::ICmp { predicate, same_sign: false }, &[operand, zero], Type::I1);
        // What is poison is nobody else's.
        scope.values.truncate(known);
        let no = self.int(scope, Type::I1, 0);
        let yes = self.int(scope, Type::I1, 1);
        let select = Op::Select(FastMath::NONE);
        if self.entropy.chance(1, 2) {
            self.pure(scope, select, &[fits, is, no], Type::I1);
        } else {
            let differs = self.int_binary(scope, IntBinary::Xor, fits, yes);
            self.pure(scope, select, &[differs, yes, is], Type::I1);
        }
    }
}
