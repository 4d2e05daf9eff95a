//! Predicates, γ and θ.

use rvsdg_core::op::{IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Op, Origin, Type};

use super::{Known, Maker, Scope};
use crate::universe::Class;

impl Maker<'_, '_> {
    /// A predicate of a number of alternatives: one in scope, or a new one.
    pub(crate) fn predicate(&mut self, scope: &mut Scope, alternatives: u32) -> Origin {
        let ty = self.pool.ctl(alternatives);
        let fitting: Vec<Origin> =
            scope.predicates.iter().copied().filter(|&predicate| self.ty(predicate) == ty).collect();
        if !fitting.is_empty() && self.entropy.chance(1, 4) {
            return self.entropy.pick(&fitting);
        }
        if self.entropy.chance(1, 16) {
            let value = self.entropy.below(alternatives as usize) as u32;
            return self.pure(scope, Op::CtlConst { value, of: alternatives }, &[], ty);
        }
        self.match_(scope, alternatives)
    }

    /// A predicate that an integer in scope decides.
    pub(crate) fn match_(&mut self, scope: &mut Scope, alternatives: u32) -> Origin {
        let operand = self.any_value(scope, Class::SmallInt);
        let ty = self.ty(operand);
        let alternative = |maker: &mut Self| maker.entropy.below(alternatives as usize) as u32;
        let mut cases = Vec::new();
        for number in 0..1 + self.entropy.below(4) as u64 {
            let value = if self.entropy.chance(1, 4) { self.entropy.bits(64) } else { number };
            let case = self.pool.int_const(ty, value);
            let chosen = alternative(self);
            if cases.iter().all(|&(known, _)| known != case) {
                cases.push((case, chosen));
            }
        }
        let table = MatchTable { cases: cases.into(), default: alternatives - 1, alternatives };
        let op = Op::Match(self.pool.intern_table(table));
        self.pure(scope, op, &[operand], self.pool.ctl(alternatives))
    }

    /// Values in scope that enter a region, those known to be addresses more often.
    fn entering(&mut self, scope: &Scope) -> Vec<Origin> {
        let mut chosen = Vec::new();
        let len = scope.values.len();
        for _ in 0..self.entropy.below(6).min(len) {
            let value = scope.values[len - 1 - self.entropy.below(len)];
            chosen.push(value);
        }
        for &value in &scope.values {
            if self.what(value).is_some() && !chosen.contains(&value) && !self.entropy.chance(1, 4) {
                chosen.push(value);
            }
        }
        chosen
    }

    fn some_predicates(&mut self, scope: &Scope) -> Vec<Origin> {
        if scope.predicates.is_empty() || !self.entropy.chance(1, 3) {
            return vec![];
        }
        vec![self.entropy.pick(&scope.predicates)]
    }

    pub(crate) fn gamma(&mut self, scope: &mut Scope, depth: usize) {
        let alternatives = 2 + self.entropy.below(2) + usize::from(self.entropy.chance(1, 16)) * 3;
        let predicate = self.predicate(scope, alternatives as u32);
        let (scopes, gamma) = self.gamma_shell(scope, predicate, alternatives);
        let mut inner = Vec::new();
        for mut scope in scopes {
            self.fill(&mut scope, depth);
            inner.push(scope);
        }
        self.gamma_exits(scope, gamma, inner);
    }

    /// A γ with its entry variables, and the scope at the start of each region.
    pub(crate) fn gamma_shell(
        &mut self,
        scope: &mut Scope,
        predicate: Origin,
        alternatives: usize,
    ) -> (Vec<Scope>, Gamma) {
        let values = self.entering(scope);
        let predicates = self.some_predicates(scope);
        let tokens = scope.tokens.clone();
        let gamma = Gamma::add(&mut self.graph, scope.region, predicate, alternatives);
        for &origin in values.iter().chain(&predicates).chain(&tokens).chain(&[scope.mem, scope.io]) {
            gamma.add_entry_var(&mut self.graph, origin);
        }
        let mut scopes = Vec::new();
        for alternative in 0..alternatives {
            let region = gamma.regions(&self.graph)[alternative];
            let arguments = self.graph.arguments(region).to_vec();
            for (&outside, &inside) in values.iter().zip(&arguments) {
                self.enter(inside, outside);
            }
            let (inside, rest) = arguments.split_at(values.len());
            let (inside_predicates, rest) = rest.split_at(predicates.len());
            let (inside_tokens, states) = rest.split_at(tokens.len());
            scopes.push(Scope {
                region,
                values: inside.to_vec(),
                predicates: inside_predicates.to_vec(),
                tokens: inside_tokens.to_vec(),
                mem: states[0],
                io: states[1],
                loops: scope.loops,
            });
        }
        (scopes, gamma)
    }

    /// Exit variables of a γ: values that every region has, perhaps a predicate, and the states.
    pub(crate) fn gamma_exits(&mut self, scope: &mut Scope, gamma: Gamma, mut inner: Vec<Scope>) {
        for _ in 0..self.entropy.below(4) {
            let first = self.any_value(&mut inner[0], Class::Any);
            let ty = self.ty(first);
            let mut results = vec![first];
            results.extend(inner[1..].iter_mut().map(|scope| self.value(scope, ty)));
            let output = gamma.add_exit_var(&mut self.graph, &results).output;
            let known = results.iter().map(|&result| self.what(result)).reduce(both).flatten();
            self.know(output, known);
            scope.values.push(output);
        }
        if self.entropy.chance(1, 6) {
            let alternatives = 2 + self.entropy.below(2) as u32;
            let results: Vec<Origin> = inner.iter_mut().map(|scope| self.predicate(scope, alternatives)).collect();
            scope.predicates.push(gamma.add_exit_var(&mut self.graph, &results).output);
        }
        let states = [|scope: &Scope| scope.mem, |scope: &Scope| scope.io];
        let [mem, io] = states.map(|state| {
            let results: Vec<Origin> = inner.iter().map(state).collect();
            gamma.add_exit_var(&mut self.graph, &results).output
        });
        (scope.mem, scope.io) = (mem, io);
    }

    pub(crate) fn theta(&mut self, scope: &mut Scope, depth: usize) {
        if self.weights.defined && self.entropy.chance(3, 5) {
            return match self.entropy.below(20) {
                0..12 => self.stream(scope),
                12..18 => self.lanes(scope),
                _ => (0..1 + self.entropy.below(3)).for_each(|_| self.nest(scope)),
            };
        }
        let values = self.entering(scope);
        let predicates = self.some_predicates(scope);
        let times = 1 + self.entropy.below(4) as u64;
        let count = self.int(scope, Type::I32, times);
        let theta = Theta::add(&mut self.graph, scope.region);
        let tokens = scope.tokens.clone();
        let last = [scope.mem, scope.io, count];
        let entering = values.iter().chain(&predicates).chain(&tokens).chain(&last);
        let vars: Vec<_> = entering.map(|&origin| theta.add_loop_var(&mut self.graph, origin)).collect();
        let pre = |range: std::ops::Range<usize>| vars[range].iter().map(|var| var.pre).collect::<Vec<_>>();
        let (first_token, first_state) = (values.len() + predicates.len(), vars.len() - 3);
        for (&outside, var) in values.iter().zip(&vars) {
            self.enter(var.pre, outside);
            self.enter(var.output, outside);
        }
        let mut inner = Scope {
            region: theta.body(&self.graph),
            values: pre(0..values.len()),
            predicates: pre(values.len()..first_token),
            tokens: pre(first_token..first_state),
            mem: vars[first_state].pre,
            io: vars[first_state + 1].pre,
            loops: scope.loops + 1,
        };
        let counter = &vars[first_state + 2];
        if self.entropy.chance(1, 2) {
            inner.values.push(counter.pre);
        }
        self.fill(&mut inner, depth);
        if self.weights.defined && self.entropy.chance(1, 4) {
            self.accumulate(&mut inner);
        }
        for var in &vars[..first_token] {
            // What is known of a variable must stay true.
            if self.what(var.pre).is_some() || self.symbols.contains(&var.pre) || self.entropy.chance(1, 4) {
                continue;
            }
            let ty = self.ty(var.pre);
            let post = match self.pool.ctl_alternatives(ty) {
                Some(alternatives) => self.predicate(&mut inner, alternatives),
                None => self.value(&mut inner, ty),
            };
            self.graph.divert(var.post, post);
        }
        let repeat = if self.weights.defined || !self.entropy.chance(1, 2) {
            let one = self.int(&mut inner, Type::I32, 1);
            let next = self.int_binary(&mut inner, IntBinary::Sub, counter.pre, one);
            self.graph.divert(counter.post, next);
            self.while_nonzero(&mut inner, next)
        } else {
            self.predicate(&mut inner, 2)
        };
        self.graph.divert(theta.predicate(&self.graph), repeat);
        self.graph.divert(vars[first_state].post, inner.mem);
        self.graph.divert(vars[first_state + 1].post, inner.io);
        scope.values.extend(vars[..values.len()].iter().map(|var| var.output));
        scope.predicates.extend(vars[values.len()..first_token].iter().map(|var| var.output));
        (scope.mem, scope.io) = (vars[first_state].output, vars[first_state + 1].output);
    }

    /// The predicate that repeats a loop while a number is not 0, in one of the forms found in programs.
    pub(crate) fn while_nonzero(&mut self, scope: &mut Scope, number: Origin) -> Origin {
        let zero = self.pool.int_const(Type::I32, 0);
        if self.entropy.chance(1, 2) {
            let table = MatchTable { cases: [(zero, 0)].into(), default: 1, alternatives: 2 };
            return self.pure(scope, Op::Match(self.pool.intern_table(table)), &[number], Type::CTL2);
        }
        let (predicate, stay) =
            self.entropy.pick(&[(IntPredicate::Ne, 1), (IntPredicate::Eq, 0), (IntPredicate::Ugt, 1)]);
        let zero = self.int(scope, Type::I32, 0);
        let op = Op::ICmp { predicate, same_sign: false };
        let bit = self.pure(scope, op, &[number, zero], Type::I1);
        let case = self.pool.int_const(Type::I1, 1);
        let table = MatchTable { cases: [(case, stay)].into(), default: 1 - stay, alternatives: 2 };
        self.pure(scope, Op::Match(self.pool.intern_table(table)), &[bit], Type::CTL2)
    }
}

/// What is known of an origin that is either of two.
fn both(one: Option<Known>, other: Option<Known>) -> Option<Known> {
    match (one?, other?) {
        (Known::Memory(one), Known::Memory(other)) => Some(Known::Memory(one.common(other))),
        (one, other) => (one == other).then_some(one),
    }
}
