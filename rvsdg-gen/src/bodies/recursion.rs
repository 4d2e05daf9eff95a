//! Functions that call themselves, in the middle or at their end.

use rvsdg_core::op::{BinaryFlags, IntBinary, MatchTable};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Op, Origin, Type};

use super::{Maker, Plan, Scope};

/// The function itself, as its body sees it: the context variable and the position among those that may be called.
#[derive(Copy, Clone)]
struct Itself {
    address: Origin,
    callee: usize,
    /// How often it may still be called.
    left: Origin,
}

impl Maker<'_, '_> {
    /// Calls the function itself with its first parameter, or some lower bits of it, less one, unless that is 0.
    pub(crate) fn recursion(&mut self, scope: &mut Scope, variable: usize, callee: usize, plan: &Plan<'_>) {
        let (gamma, mut inner, itself) = self.unless_last(scope, variable, callee, plan);
        self.call_itself(&mut inner[1], itself);
        self.gamma_exits(scope, gamma, inner);
    }

    /// As [`Maker::recursion`], and mostly nothing is done after the call: gives what the function returns.
    pub(crate) fn tail_recursion(
        &mut self,
        scope: &mut Scope,
        variable: usize,
        callee: usize,
        plan: &Plan<'_>,
    ) -> Option<Origin> {
        let ty = Some(plan.result).filter(|&ty| ty != Type::VOID);
        let op = self.entropy.pick(&[IntBinary::Add, IntBinary::Mul, IntBinary::Xor, IntBinary::And, IntBinary::Or]);
        let (gamma, mut inner, itself) = self.unless_last(scope, variable, callee, plan);
        let [mut last, mut more] = [inner.remove(0), inner.remove(0)];
        let base = ty.map(|ty| self.returned(&mut last, ty));
        let mut result = if self.entropy.chance(1, 3) {
            self.one_of_two_calls(&mut more, itself, op, ty)
        } else {
            self.ends_with_call(&mut more, itself, op, ty)
        };
        if self.entropy.chance(1, 8) {
            self.fill(&mut more, 0);
        }
        let goes_on = self.entropy.chance(1, 3);
        let known = goes_on.then(|| {
            [(&last, 1), (&more, 0)].map(|(scope, value)| {
                let node = self.graph.add_simple(scope.region, Op::CtlConst { value, of: 2 }, &[], &[Type::CTL2]);
                self.graph.output(node, 0)
            })
        });
        result = self.leave(scope, gamma, [last, more], base, result);
        if let Some(known) = known {
            let predicate = gamma.add_exit_var(&mut self.graph, &known).output;
            result = self.only_after_last(scope, predicate, result);
        }
        match result {
            Some(result) if self.entropy.chance(1, 2) => Some(self.computed(scope, op, result)),
            result => result,
        }
    }

    /// A γ whose second alternative is chosen while the function may call itself.
    fn unless_last(
        &mut self,
        scope: &mut Scope,
        variable: usize,
        callee: usize,
        plan: &Plan<'_>,
    ) -> (Gamma, Vec<Scope>, Itself) {
        let arguments = self.graph.arguments(self.graph.root()).to_vec();
        let most = self.int(scope, Type::I32, 3);
        let left = self.int_binary(scope, IntBinary::And, arguments[plan.context.len()], most);
        let zero = self.pool.int_const(Type::I32, 0);
        let table = MatchTable { cases: [(zero, 0)].into(), default: 1, alternatives: 2 };
        let predicate = self.pure(scope, Op::Match(self.pool.intern_table(table)), &[left], Type::CTL2);
        let (inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let [address, left] = [arguments[variable], left].map(|origin| {
            let var = gamma.add_entry_var(&mut self.graph, origin);
            var.argument(&self.graph, gamma, 1)
        });
        (gamma, inner, Itself { address, callee, left })
    }

    /// Calls the function itself; what it returns.
    fn call_itself(&mut self, scope: &mut Scope, Itself { address, callee, left }: Itself) -> Option<Origin> {
        let one = self.int(scope, Type::I32, 1);
        let less = self.int_binary(scope, IntBinary::Sub, left, one);
        self.known_call(scope, address, callee, Some(less))
    }

    /// Calls the function itself, and computes at most one thing of the result.
    fn ends_with_call(&mut self, scope: &mut Scope, itself: Itself, op: IntBinary, ty: Option<Type>) -> Option<Origin> {
        let result = self.call_itself(scope, itself);
        if self.entropy.chance(7, 8) {
            // Nothing else uses it.
            scope.values.retain(|&value| Some(value) != result);
        }
        match (result, ty) {
            (None, Some(ty)) => Some(self.value(scope, ty)),
            (Some(result), _) if self.entropy.chance(7, 8) => Some(self.computed(scope, op, result)),
            (result, _) => result,
        }
    }

    /// As [`Maker::ends_with_call`] in each alternative of a γ.
    fn one_of_two_calls(
        &mut self,
        scope: &mut Scope,
        itself: Itself,
        op: IntBinary,
        ty: Option<Type>,
    ) -> Option<Origin> {
        let predicate = self.predicate(scope, 2);
        let (scopes, gamma) = self.gamma_shell(scope, predicate, 2);
        let routed = [itself.address, itself.left].map(|origin| gamma.add_entry_var(&mut self.graph, origin));
        let mut ends = Vec::new();
        for (alternative, mut inner) in scopes.into_iter().enumerate() {
            let [address, left] = routed.map(|var| var.argument(&self.graph, gamma, alternative));
            let result = self.ends_with_call(&mut inner, Itself { address, left, ..itself }, op, ty);
            ends.push((inner, result));
        }
        let [(first, one), (second, other)] = [ends.remove(0), ends.remove(0)];
        self.leave(scope, gamma, [first, second], one, other)
    }

    /// Exit variables of a γ: what either alternative gives, and the states.
    fn leave(
        &mut self,
        scope: &mut Scope,
        gamma: Gamma,
        inner: [Scope; 2],
        one: Option<Origin>,
        other: Option<Origin>,
    ) -> Option<Origin> {
        let [first, second] = inner;
        scope.mem = gamma.add_exit_var(&mut self.graph, &[first.mem, second.mem]).output;
        scope.io = gamma.add_exit_var(&mut self.graph, &[first.io, second.io]).output;
        Some(gamma.add_exit_var(&mut self.graph, &[one?, other?]).output)
    }

    /// A γ that passes on a result where a predicate is 0, and does something else where it is 1.
    fn only_after_last(&mut self, scope: &mut Scope, predicate: Origin, result: Option<Origin>) -> Option<Origin> {
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let routed = result.map(|result| gamma.add_entry_var(&mut self.graph, result));
        let [passed, other] = [0, 1].map(|alternative| routed.map(|var| var.argument(&self.graph, gamma, alternative)));
        let [first, mut second] = [inner.remove(0), inner.remove(0)];
        self.fill(&mut second, 0);
        let other = other.map(|other| self.computed(&mut second, IntBinary::Xor, other));
        self.leave(scope, gamma, [first, second], passed, other)
    }

    /// Something computed of a number and another value; other values as they are.
    fn computed(&mut self, scope: &mut Scope, op: IntBinary, value: Origin) -> Origin {
        let ty = self.ty(value);
        if ty != Type::I64 {
            return value;
        }
        let op = if self.entropy.chance(1, 12) { IntBinary::Sub } else { op };
        let flags = if self.has_flags() && matches!(op, IntBinary::Add | IntBinary::Mul) {
            BinaryFlags::NSW
        } else {
            BinaryFlags::NONE
        };
        let other = self.value(scope, ty);
        let operands = if self.entropy.chance(1, 2) { [value, other] } else { [other, value] };
        self.pure(scope, Op::IntBinary { op, flags }, &operands, ty)
    }
}
