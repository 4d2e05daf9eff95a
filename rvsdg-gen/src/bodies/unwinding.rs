//! What programs get from elsewhere, and exceptions: thrown under a condition, caught, cleaned up after, or handed on.
//!
//! Landing pads are as inlining needs them: what they catch by type they resume with when it has another type, since an outer
//! one's types may be among theirs by then.

use rvsdg_core::op::{CallExits, Clause, LandingPad, MatchTable};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Constant, Op, Origin, Type, TypeKind};

use super::calls::plain;
use super::{Known, Maker, Scope};
use crate::universe::Class;

/// What functions that throw, catch, stop and copy mention, as text: [`Part`] says what it is for.
pub(crate) const PRELUDE: &str = r#"
@__cxa_allocate_exception = function ptr (i64), #0
@__cxa_throw = function void (ptr, ptr, ptr)
@__cxa_begin_catch = function ptr (ptr), #0
@__cxa_end_catch = function void (), #0
@llvm.eh.typeid.for.p0 = function i32 (ptr), #1
@llvm.memcpy.p0.p0.i64 = function void (ptr, ptr, i64, i1), #2
@llvm.memmove.p0.p0.i64 = function void (ptr, ptr, i64, i1), #3
@llvm.memset.p0.i64 = function void (ptr, i8, i64, i1), #4
@abort = function void (), #5
@malloc = function ptr (i64), #7
@free = function void (ptr), #0
@_Znwm = function ptr (i64), #8
@_ZdlPv = function void (ptr), #9
@one = internal global i64 0, align 8
@two = internal global i64 0, align 8
@throw = internal function void (i64)
@catch = internal function i64 (ptr)
@is_one = internal function i1 (i32)
@stop_at = internal function void (i64)

import @__cxa_allocate_exception
import @__cxa_throw
import @__cxa_begin_catch
import @__cxa_end_catch
import @llvm.eh.typeid.for.p0
import @llvm.memcpy.p0.p0.i64
import @llvm.memmove.p0.p0.i64
import @llvm.memset.p0.i64
import @abort
import @malloc
import @free
import @_Znwm
import @_ZdlPv
delta @one []
delta @two []

lambda @throw [@__cxa_allocate_exception, @__cxa_throw, @one, @two] (v0: i64, mem0, io0) {
  v1 = const i64 8
  v2: ptr, mem1, io1 = call ptr (i64) @__cxa_allocate_exception(v1), mem0, io0
  mem2 = store v0, v2, mem1, align 8
  v3: i1 = trunc v0
  v4: ptr = select v3, @one, @two
  v5 = const ptr null
  mem3, io2 = call void (ptr, ptr, ptr) @__cxa_throw(v2, v4, v5), mem2, io1
  io3 = unreachable io2
  yield mem3, io3
}

lambda @catch [@__cxa_begin_catch, @__cxa_end_catch] (v0: ptr, mem0, io0) {
  v1: ptr, mem1, io1 = call ptr (ptr) @__cxa_begin_catch(v0), mem0, io0
  v2: i64, mem2 = load v1, mem1, align 8
  mem3, io2 = call void () @__cxa_end_catch(), mem2, io1
  yield v2, mem3, io2
}

lambda @is_one [@llvm.eh.typeid.for.p0, @one] (v0: i32, mem0, io0) {
  v1: i32 = call i32 (ptr) @llvm.eh.typeid.for.p0(@one)
  v2: i1 = icmp eq v0, v1
  yield v2, mem0, io0
}

lambda @stop_at [@abort] (v0: i64, mem0, io0) {
  v1 = const i64 5
  v2: i1 = icmp eq v0, v1
  v3: ctl(2) = match i1 v2 [true -> 1, _ -> 0]
  mem1, io1 = gamma v3 (@abort, mem0, io0)
  case 0 (v4: ptr, mem2, io2) {
    yield mem2, io2
  }
  case 1 (v5: ptr, mem3, io3) {
    mem4, io4 = call void () v5() #6, mem3, io3
    io5 = unreachable io4
    yield mem4, io5
  }
  yield mem1, io1
}

attributes #0 = function { nounwind }
attributes #1 = function { nounwind, memory(none) }
attributes #2 = function { nocallback, nofree, nounwind, willreturn, memory(argmem: readwrite) } params ({ noalias, writeonly, captures(none) }, { noalias, readonly, captures(none) }, {}, { immarg })
attributes #3 = function { nocallback, nofree, nounwind, willreturn, memory(argmem: readwrite) } params ({ writeonly, captures(none) }, { readonly, captures(none) }, {}, { immarg })
attributes #4 = function { nocallback, nofree, nounwind, willreturn, memory(argmem: write) } params ({ writeonly, captures(none) }, {}, {}, { immarg })
attributes #5 = function { noreturn, nounwind }
attributes #6 = function { noreturn }
attributes #7 = function { nounwind } result { noalias }
attributes #8 = function { nobuiltin } result { noalias, nonnull }
attributes #9 = function { nobuiltin, nounwind }
"#;

/// A symbol of the [prelude](PRELUDE) that bodies mention.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Throws a number, of the type if it is odd.
    Throw,
    /// The number that was thrown, from the first part of what a landing pad is given. The exception is over.
    Catch,
    /// Whether the second part of what a landing pad is given stands for the type.
    IsOne,
    /// The type.
    One,
    /// Ends the program when a number is 5.
    StopAt,
    /// Copies bytes to other memory.
    Copy,
    /// Copies bytes to any memory.
    Move,
    /// Sets bytes.
    Fill,
    /// Allocates bytes.
    Malloc,
    /// Frees them.
    Free,
    /// Allocates bytes as `new` expressions do.
    New,
    /// Frees them as `delete` expressions do.
    Delete,
}

impl Part {
    /// The part with a name.
    pub(crate) fn named(name: &str) -> Option<Part> {
        match name {
            "throw" => Some(Part::Throw),
            "catch" => Some(Part::Catch),
            "is_one" => Some(Part::IsOne),
            "one" => Some(Part::One),
            "stop_at" => Some(Part::StopAt),
            "llvm.memcpy.p0.p0.i64" => Some(Part::Copy),
            "llvm.memmove.p0.p0.i64" => Some(Part::Move),
            "llvm.memset.p0.i64" => Some(Part::Fill),
            "malloc" => Some(Part::Malloc),
            "free" => Some(Part::Free),
            "_Znwm" => Some(Part::New),
            "_ZdlPv" => Some(Part::Delete),
            _ => None,
        }
    }
}

impl Maker<'_, '_> {
    /// A throw, or a call whose exceptions are caught; nothing where their parts are not in scope.
    pub(crate) fn unwinding(&mut self, scope: &mut Scope) {
        if self.entropy.chance(1, 3) {
            self.throw(scope);
        } else {
            self.attempt(scope);
        }
    }

    pub(crate) fn runtime(&self, scope: &Scope, part: Part) -> Option<Origin> {
        scope.values.iter().copied().find(|&value| self.what(value) == Some(Known::Unwinding(part)))
    }

    /// A conditional that throws when a number is a certain one.
    fn throw(&mut self, scope: &mut Scope) {
        let Some(throw) = self.runtime(scope, Part::Throw) else { return };
        let (number, decides) = (self.value(scope, Type::I64), self.any_value(scope, Class::SmallInt));
        let case = self.pool.int_const(self.ty(decides), self.entropy.below(4) as u64);
        let predicate = self.two_ways(scope, decides, case);
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let inputs = [throw, number].map(|origin| self.inside(gamma, origin));
        self.helper(&mut inner[1], &inputs, &[Type::I64], Type::VOID);
        if self.entropy.chance(1, 2) {
            self.effect(&mut inner[1], Op::Unreachable, &[], &[]);
        }
        self.gamma_exits(scope, gamma, inner);
    }

    /// An `invoke` of something known, and what its landing pad leads to. A number in scope is what either way gave.
    fn attempt(&mut self, scope: &mut Scope) {
        let parts = [Part::Throw, Part::Catch, Part::IsOne, Part::One].map(|part| self.runtime(scope, part));
        let [Some(throw), Some(catch), Some(is_one), Some(one)] = parts else { return };
        let callees = self.known_callees(scope);
        let (function_type, mut inputs) = match self.entropy.below(callees.len() + 1) {
            // Calls in loops in functions that are called in loops would take forever.
            chosen if chosen < callees.len() && (scope.loops == 0 || self.entropy.chance(1, 4)) => {
                let (callee, index) = callees[chosen];
                let Some(inputs) = self.known_inputs(scope, callee, index, None) else { return };
                (self.callees[index].function_type, inputs)
            }
            _ => {
                let params = [Type::I64].into();
                let ty = self.pool.intern_type(TypeKind::Function { result: Type::VOID, params, variadic: false });
                (ty, vec![throw, self.value(scope, Type::I64)])
            }
        };
        let TypeKind::Function { result, .. } = *self.pool.type_kind(function_type) else { return };
        let (by_type, all) = (self.entropy.chance(1, 2), self.entropy.chance(1, 2));
        let cleanup = !by_type && !all || self.entropy.chance(1, 4);
        inputs.extend(by_type.then_some(one));
        if all {
            inputs.push(self.null(scope));
        }
        let clauses = vec![Clause::Catch; usize::from(by_type) + usize::from(all)].into();
        let mut info = plain(&self.pool, function_type);
        info.exits = CallExits::Unwind(LandingPad { cleanup, clauses });
        let pair = self.pool.intern_type(TypeKind::Struct { elements: [Type::PTR, Type::I32].into(), packed: false });
        let types: Vec<Type> = [result, pair, Type::CTL2].into_iter().filter(|&ty| ty != Type::VOID).collect();
        let known = scope.values.len();
        let outputs = self.effect(scope, Op::Invoke(self.pool.intern_call(info)), &inputs, &types);
        // Each is poison on one of the ways.
        scope.values.truncate(known);
        let (returned, pad) = (outputs[0], outputs[types.len() - 2]);
        let (mut inner, gamma) = self.gamma_shell(scope, outputs[types.len() - 1], 2);
        let [catch, is_one, pad] = [catch, is_one, pad].map(|origin| self.inside(gamma, origin));
        let usual = if result == Type::I64 {
            gamma.add_entry_var(&mut self.graph, returned).argument(&self.graph, gamma, 0)
        } else {
            self.constant(&mut inner[0], Type::I64)
        };
        let caught = match (by_type, all) {
            (_, true) => self.caught(&mut inner[1], catch, pad),
            (true, false) => self.caught_if_one(&mut inner[1], is_one, catch, pad),
            (false, false) => self.resume(&mut inner[1], pad),
        };
        let output = gamma.add_exit_var(&mut self.graph, &[usual, caught]).output;
        scope.values.push(output);
        self.gamma_exits(scope, gamma, inner);
    }

    /// Catches what has the type and resumes with what has not.
    fn caught_if_one(&mut self, scope: &mut Scope, is_one: Origin, catch: Origin, pad: Origin) -> Origin {
        let selector = self.part_of(scope, pad, 1, Type::I32);
        let is = self.helper(scope, &[is_one, selector], &[Type::I32], Type::I1)[0];
        let case = self.pool.int_const(Type::I1, 1);
        let predicate = self.two_ways(scope, is, case);
        let (mut inner, gamma) = self.gamma_shell(scope, predicate, 2);
        let other = gamma.add_entry_var(&mut self.graph, pad).argument(&self.graph, gamma, 0);
        let resumed = self.resume(&mut inner[0], other);
        let [catch, pad] = [catch, pad].map(|origin| self.inside(gamma, origin));
        let caught = self.caught(&mut inner[1], catch, pad);
        let output = gamma.add_exit_var(&mut self.graph, &[resumed, caught]).output;
        self.gamma_exits(scope, gamma, inner);
        output
    }

    fn caught(&mut self, scope: &mut Scope, catch: Origin, pad: Origin) -> Origin {
        let header = self.part_of(scope, pad, 0, Type::PTR);
        self.helper(scope, &[catch, header], &[Type::PTR], Type::I64)[0]
    }

    fn resume(&mut self, scope: &mut Scope, pad: Origin) -> Origin {
        self.effect(scope, Op::Resume, &[pad], &[]);
        self.constant(scope, Type::I64)
    }

    /// A part of what a landing pad is given, out of scope.
    fn part_of(&mut self, scope: &Scope, pad: Origin, index: u32, ty: Type) -> Origin {
        let op = Op::ExtractValue(self.pool.intern_indices(&[index]));
        let node = self.graph.add_simple(scope.region, op, &[pad], &[ty]);
        self.graph.output(node, 0)
    }

    /// A call of a function of the prelude.
    pub(crate) fn helper(
        &mut self,
        scope: &mut Scope,
        inputs: &[Origin],
        params: &[Type],
        result: Type,
    ) -> Vec<Origin> {
        let ty = self.pool.intern_type(TypeKind::Function { result, params: params.into(), variadic: false });
        let op = Op::Call(self.pool.intern_call(plain(&self.pool, ty)));
        let types = [result];
        self.effect(scope, op, inputs, if result == Type::VOID { &[] } else { &types })
    }

    /// Alternative 1 when a value is the case.
    fn two_ways(&mut self, scope: &mut Scope, value: Origin, case: rvsdg_core::Const) -> Origin {
        let table = MatchTable { cases: [(case, 1)].into(), default: 0, alternatives: 2 };
        self.pure(scope, Op::Match(self.pool.intern_table(table)), &[value], Type::CTL2)
    }

    /// A value in alternative 1.
    fn inside(&mut self, gamma: Gamma, origin: Origin) -> Origin {
        gamma.add_entry_var(&mut self.graph, origin).argument(&self.graph, gamma, 1)
    }

    pub(crate) fn null(&mut self, scope: &Scope) -> Origin {
        let null = Op::Const(self.pool.intern_const(Constant::Zero(Type::PTR)));
        let node = self.graph.add_simple(scope.region, null, &[], &[Type::PTR]);
        self.graph.output(node, 0)
    }
}
