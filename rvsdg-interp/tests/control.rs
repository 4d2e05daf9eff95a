//! γ, θ, calls, recursion, unwinding, calls of what nobody defines, fuel.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{ints, observed, run, violated};
use rvsdg_interp::{Argument, Outcome, Rule, Value};

fn value_of(outcome: &Outcome) -> u64 {
    match outcome {
        Outcome::Returned(Some(Value::Int(number))) => *number,
        other => panic!("{other}"),
    }
}

const MAXIMUM: &str = "v2: i1 = icmp sgt v0, v1\nv3: ctl(2) = match i1 v2 [true -> 0, _ -> 1]\nv4: i32 = gamma v3 (v0, v1)\n\
                       case 0 (v5: i32, v6: i32) {\nyield v5\n}\ncase 1 (v7: i32, v8: i32) {\nyield v8\n}\nyield v4, mem0, io0";

#[test]
fn conditionals_take_one_region() {
    assert_eq!(value_of(&run("i32", &["i32", "i32"], MAXIMUM, &ints([3, 9]))), 9);
    let poison = run("i32", &["i32", "i32"], MAXIMUM, &[Value::Poison, Value::Int(1)]);
    assert_eq!(violated(&poison), Rule::BranchNotDefined);
}

#[test]
fn loop_variables_change_at_once() {
    // The values of a and b are exchanged three times.
    let lines = "v2 = const i32 3\nv3: i32, v4: i32, v5: i32 = theta (v6: i32 = v0, v7: i32 = v1, v8: i32 = v2) {\n\
                 v9 = const i32 -1\nv10: i32 = add v8, v9\nv11 = const i32 0\nv12: i1 = icmp ne v10, v11\n\
                 v13: ctl(2) = match i1 v12 [true -> 1, _ -> 0]\nnext v7, v6, v10 while v13\n}\n\
                 v14 = const i32 10\nv15: i32 = mul v3, v14\nv16: i32 = add v15, v4\nyield v16, mem0, io0";
    assert_eq!(value_of(&run("i32", &["i32", "i32"], lines, &ints([1, 2]))), 21);
}

#[test]
fn endless_loops_run_out_of_fuel() {
    let lines = "v1: i32 = theta (v2: i32 = v0) {\nv3 = const i32 1\nv4: i32 = add v2, v3\nv5: ctl(2) = ctl 1 of 2\n\
                 next v4 while v5\n}\nyield v1, mem0, io0";
    assert!(matches!(run("i32", &["i32"], lines, &ints([0])), Outcome::OutOfFuel { .. }));
}

const CALLS: &str = r#"module "test"
@fib = function i32 (i32)
@twice = function i32 (i32)
@see = function i32 (i32, ptr), #0
@pure = function i32 (i32), #1
@counter = global i32 1, align 4
@asks = function i32 (i32)
@leaves = function i32 (i32)
import @see
import @pure
delta @counter []
@fib = phi [] (@fib) {
  v0 = lambda @fib [@fib] (v0: i32, mem0, io0) {
    v1 = const i32 2
    v2: i1 = icmp ult v0, v1
    v3: ctl(2) = match i1 v2 [true -> 0, _ -> 1]
    v4: i32, mem1, io1 = gamma v3 (v0, @fib, mem0, io0)
    case 0 (v5: i32, v6: ptr, mem2, io2) {
      yield v5, mem2, io2
    }
    case 1 (v7: i32, v8: ptr, mem3, io3) {
      v9 = const i32 -1
      v10: i32 = add v7, v9
      v11: i32, mem4, io4 = call i32 (i32) v8(v10), mem3, io3
      v12 = const i32 -2
      v13: i32 = add v7, v12
      v14: i32, mem5, io5 = call i32 (i32) v8(v13), mem4, io4
      v15: i32 = add v11, v14
      yield v15, mem5, io5
    }
    yield v4, mem1, io1
  }
  yield v0
}
lambda @asks [@see, @counter, @pure] (v0: i32, mem0, io0) {
  v1: i32, mem1, io1 = call i32 (i32, ptr) @see(v0, @counter), mem0, io0
  v2: i32 = call i32 (i32) @pure(v1) #1
  v3: i32, mem2, io2 = call i32 (i32, ptr) @see(v2, @counter), mem1, io1
  yield v3, mem2, io2
}
lambda @leaves [] (v0: i32, mem0, io0) {
  io1 = unreachable io0
  yield v0, mem0, io1
}
export @fib
export @asks
export @leaves
attributes #0 = function { nounwind }
attributes #1 = function { nounwind, willreturn, memory(none) }
"#;

#[test]
fn functions_call_themselves() {
    assert_eq!(value_of(&observed(CALLS, "fib", &[Argument::Value(Value::Int(10))]).outcome), 55);
}

#[test]
fn unknown_functions_are_events() {
    let seen = observed(CALLS, "asks", &[Argument::Value(Value::Int(10))]);
    assert!(matches!(seen.outcome, Outcome::Returned(Some(Value::Int(_)))), "{}", seen.outcome);
    let names: Vec<&str> = seen.events.iter().map(|event| &*event.name).collect();
    assert_eq!(names, ["see", "see"]);
    assert_eq!(seen.events[0].memory.len(), 1);
    assert_eq!(observed(CALLS, "asks", &[Argument::Value(Value::Int(10))]).value, seen.value);
}

#[test]
fn places_are_named() {
    let seen = observed(CALLS, "leaves", &[Argument::Value(Value::Int(10))]);
    let text = seen.outcome.to_string();
    assert!(text.contains("unreachable place (function 'leaves', n0 unreachable)"), "{text}");
}

/// A loop whose copies were made for some conditions passes on what it calls.
#[test]
fn intrinsics_are_computed_wherever_their_address_comes_from() {
    let text = "module \"test\"\n@f = function i32 (i32)\n@llvm.umax.i32 = function i32 (i32, i32)\nimport @llvm.umax.i32\n\
                lambda @f [@llvm.umax.i32] (v0: i32, mem0, io0) {\nv1: ctl(2) = match i32 v0 [0 -> 0, _ -> 1]\n\
                v2: ptr = gamma v1 (@llvm.umax.i32)\ncase 0 (v3: ptr) {\nyield v3\n}\ncase 1 (v4: ptr) {\nyield v4\n}\n\
                v5 = const i32 7\nv6: i32 = call speculatable i32 (i32, i32) v2(v0, v5)\nyield v6, mem0, io0\n}\nexport @f\n";
    let outcome = |number| value_of(&observed(text, "f", &[Argument::Value(Value::Int(number))]).outcome);
    assert_eq!([outcome(3), outcome(9)], [7, 9]);
}

#[test]
fn results_have_the_type_that_the_call_says() {
    let text = "module \"test\"\n@one = function <1 x i32> ()\n@f = function <4 x i32> ()\nlambda @one [] (mem0, io0) {\n\
                v0 = const <1 x i32> zeroinitializer\nyield v0, mem0, io0\n}\nlambda @f [@one] (mem0, io0) {\n\
                v0: <4 x i32>, mem1, io1 = call <4 x i32> () @one(), mem0, io0\nv1: <4 x i32> = add v0, v0\n\
                yield v1, mem1, io1\n}\nexport @f\n";
    assert_eq!(violated(&observed(text, "f", &[]).outcome), Rule::CallMismatch);
}
