//! Chains and counts against loops that are run.

use std::sync::Arc;

use rvsdg_core::fold::Int;
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Pool, Region};

use super::Evolution;
use crate::tests::{Chance, Example, runs};

const BITS: u32 = 8;

struct Loop {
    graph: Graph,
    theta: Theta,
}

fn binary(graph: &mut Graph, region: Region, op: IntBinary, flags: BinaryFlags, inputs: [Origin; 2]) -> Origin {
    let ty = graph.ty(inputs[0]);
    let node = graph.add_simple(region, Op::IntBinary { op, flags }, &inputs, &[ty]);
    graph.output(node, 0)
}

fn constant(graph: &mut Graph, region: Region, value: i64) -> Origin {
    let ty = graph.pool().int(BITS);
    let constant = graph.pool().int_const(ty, value as u64);
    let node = graph.add_simple(region, Op::Const(constant), &[], &[ty]);
    graph.output(node, 0)
}

/// Makes a loop continue while a relation holds.
fn while_holds(graph: &mut Graph, theta: Theta, predicate: IntPredicate, compared: [Origin; 2]) {
    let body = theta.body(graph);
    let ty = graph.pool().int(1);
    let op = Op::ICmp { predicate, same_sign: false };
    let compare = graph.add_simple(body, op, &compared, &[ty]);
    let yes = graph.pool().int_const(ty, 1);
    let table = MatchTable { cases: [(yes, 1)].into(), default: 0, alternatives: 2 };
    let op = Op::Match(graph.pool().intern_table(table));
    let compare = graph.output(compare, 0);
    let ctl = graph.pool().ctl(2);
    let decision = graph.add_simple(body, op, &[compare], &[ctl]);
    graph.divert(theta.predicate(graph), graph.output(decision, 0));
}

/// A loop that adds `step` to a variable that starts with `start`, while the sum is in a relation to `bound`.
fn counting(start: i64, step: i64, predicate: IntPredicate, bound: i64, flags: BinaryFlags) -> Loop {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let start = constant(&mut graph, root, start);
    let theta = Theta::add(&mut graph, root);
    let variable = theta.add_loop_var(&mut graph, start);
    let body = theta.body(&graph);
    let step = constant(&mut graph, body, step);
    let next = binary(&mut graph, body, IntBinary::Add, flags, [variable.pre, step]);
    let bound = constant(&mut graph, body, bound);
    while_holds(&mut graph, theta, predicate, [next, bound]);
    graph.divert(variable.post, next);
    Loop { graph, theta }
}

/// A loop that adds a step to each of two variables while the sums are in a relation to each other.
fn counting_both(starts: [i64; 2], steps: [i64; 2], predicate: IntPredicate) -> Loop {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let starts = starts.map(|start| constant(&mut graph, root, start));
    let theta = Theta::add(&mut graph, root);
    let body = theta.body(&graph);
    let mut sums = Vec::new();
    for (start, step) in starts.into_iter().zip(steps) {
        let variable = theta.add_loop_var(&mut graph, start);
        let step = constant(&mut graph, body, step);
        let next = binary(&mut graph, body, IntBinary::Add, BinaryFlags::NONE, [variable.pre, step]);
        graph.divert(variable.post, next);
        sums.push(next);
    }
    while_holds(&mut graph, theta, predicate, [sums[0], sums[1]]);
    Loop { graph, theta }
}

/// How many iterations a loop has when it is run; `None` when it breaks a promise or does not end.
fn iterations(start: i64, step: i64, predicate: IntPredicate, bound: i64, flags: BinaryFlags) -> Option<u128> {
    let [mut value, step, bound] = [start, step, bound].map(|value| Int::new(BITS, value as u128));
    for count in 1..=1 << BITS {
        let next = value.add(step);
        if flags.contains(BinaryFlags::NSW) && next.signed() != value.signed() + step.signed()
            || flags.contains(BinaryFlags::NUW) && next.unsigned() != value.unsigned() + step.unsigned()
        {
            return None;
        }
        value = next;
        if !value.compare(predicate, bound) {
            return Some(count);
        }
    }
    None
}

#[test]
fn two_values_that_meet() {
    let mut known = 0;
    for &predicate in IntPredicate::ALL {
        let numbers = [-128, -127, -3, 0, 1, 5, 126, 127];
        for starts in numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| [a, b])) {
            let steps = [-100, -2, -1, 1, 3, 100];
            for steps in steps.iter().flat_map(|&a| steps.iter().map(move |&b| [a, b])) {
                let found = counting_both(starts, steps, predicate);
                let repetitions = Evolution::of(&found.graph, found.theta).repetitions(&found.graph, None);
                let Some(repetitions) = repetitions else { continue };
                let claimed = repetitions.known_iterations(&found.graph, found.theta);
                let [mut values, steps] = [starts, steps].map(|pair| pair.map(|value| Int::new(BITS, value as u128)));
                let run = (1..=1_u128 << BITS).find(|_| {
                    values = [values[0].add(steps[0]), values[1].add(steps[1])];
                    !values[0].compare(predicate, values[1])
                });
                assert!(repetitions.is_exact(None));
                assert_eq!(claimed, run, "{starts:?} {steps:?} {}", predicate.name());
                known += 1;
            }
        }
    }
    expect_test::expect!["11952"].assert_eq(&known.to_string());
}

#[test]
fn counts_are_those_of_loops_that_run() {
    let mut known = 0;
    for &predicate in IntPredicate::ALL {
        for flags in [BinaryFlags::NONE, BinaryFlags::NSW, BinaryFlags::NUW] {
            for step in [-128, -7, -3, -2, -1, 0, 1, 2, 3, 5, 100, 127] {
                for start in [-128, -127, -100, -2, -1, 0, 1, 3, 100, 126, 127] {
                    for bound in [-128, -127, -50, -1, 0, 1, 2, 10, 99, 126, 127] {
                        let found = counting(start, step, predicate, bound, flags);
                        let evolution = Evolution::of(&found.graph, found.theta);
                        let Some(repetitions) = evolution.repetitions(&found.graph, None) else { continue };
                        let claimed = repetitions.known_iterations(&found.graph, found.theta);
                        if claimed.is_none() {
                            assert_eq!(predicate, IntPredicate::Ne, "{start} + {step} while {predicate:?} {bound}");
                            continue;
                        }
                        let Some(run) = iterations(start, step, predicate, bound, flags) else {
                            let promised = flags != BinaryFlags::NONE;
                            assert!(promised, "{start} + {step} while {predicate:?} {bound} does not end");
                            continue;
                        };
                        assert_eq!(claimed, Some(run), "{start} + {step} while {predicate:?} {bound}, {flags:?}");
                        known += 1;
                    }
                }
            }
        }
    }
    // Fewer where something is not seen any more.
    expect_test::expect!["10023"].assert_eq(&known.to_string());
}

#[test]
fn loops_that_do_not_end_have_no_count() {
    // 126 + 3 wraps below the bound, again and again or not.
    let found = counting(0, 3, IntPredicate::Slt, 127, BinaryFlags::NONE);
    assert!(Evolution::of(&found.graph, found.theta).repetitions(&found.graph, None).is_none());
    // Every number is at most 127.
    let found = counting(0, 1, IntPredicate::Sle, 127, BinaryFlags::NONE);
    assert!(Evolution::of(&found.graph, found.theta).repetitions(&found.graph, None).is_none());
    let found = counting(0, 2, IntPredicate::Ne, 7, BinaryFlags::NONE);
    let repetitions = Evolution::of(&found.graph, found.theta).repetitions(&found.graph, None);
    assert!(repetitions.is_some_and(|found_| found_.known_iterations(&found.graph, found.theta).is_none()));
}

#[test]
fn chains_are_what_the_loop_computes() {
    let Loop { mut graph, theta } = counting(0, 1, IntPredicate::Slt, 50, BinaryFlags::NSW);
    let body = theta.body(&graph);
    let i = theta.loop_var(&graph, 0).pre;
    // The sum of all i·3 + 5: a chain of two steps.
    let root = graph.root();
    let start = constant(&mut graph, root, 7);
    let sum = theta.add_loop_var(&mut graph, start);
    let [three, five] = [3, 5].map(|value| constant(&mut graph, body, value));
    let scaled = binary(&mut graph, body, IntBinary::Mul, BinaryFlags::NONE, [i, three]);
    let added = binary(&mut graph, body, IntBinary::Add, BinaryFlags::NONE, [scaled, five]);
    let next = binary(&mut graph, body, IntBinary::Add, BinaryFlags::NONE, [added, sum.pre]);
    graph.divert(sum.post, next);
    let evolution = Evolution::of(&graph, theta);
    let chain = evolution.chain(&graph, next).expect("the sum is a chain");
    assert_eq!(chain.terms.len(), 3);
    // With the variables' starts in place of the arguments.
    let terms = chain
        .terms
        .iter()
        .map(|term| {
            let starts = term
                .terms()
                .iter()
                .map(|&(origin, factor)| factor.mul(Int::new(BITS, if origin == sum.pre { 7 } else { 0 })));
            super::Linear::constant(starts.fold(term.offset(), Int::add))
        })
        .collect();
    let chain = super::Chain::new(terms);
    let (mut i, mut sum) = (0u32, 7u32);
    for k in 0..50 {
        sum = sum.wrapping_add(i * 3 + 5);
        assert_eq!(chain.at(k), Some(Int::new(BITS, sum.into())), "iteration {k}");
        i += 1;
    }
}

#[test]
fn what_cancels_is_invariant() {
    let Loop { mut graph, theta } = counting(3, 1, IntPredicate::Slt, 50, BinaryFlags::NSW);
    let body = theta.body(&graph);
    let i = theta.loop_var(&graph, 0).pre;
    let nothing = binary(&mut graph, body, IntBinary::Sub, BinaryFlags::NONE, [i, i]);
    let evolution = Evolution::of(&graph, theta);
    let chain = evolution.chain(&graph, nothing).expect("the difference is a chain");
    assert!(chain.is_invariant() && chain.step().is_some_and(|step| step.is_zero()));
    assert_eq!(chain.at(7), Some(Int::new(BITS, 0)));
}

#[test]
fn only_what_adds_to_the_variable_itself_recurs() {
    for op in [IntBinary::Add, IntBinary::Sub] {
        for (of_variable, first) in [(true, true), (true, false), (false, true), (false, false)] {
            let Loop { mut graph, theta } = counting(0, 1, IntPredicate::Slt, 50, BinaryFlags::NSW);
            let (root, body) = (graph.root(), theta.body(&graph));
            let i = theta.loop_var(&graph, 0).pre;
            let start = constant(&mut graph, root, 7);
            let variable = theta.add_loop_var(&mut graph, start);
            let ten = constant(&mut graph, body, 10);
            let other = if of_variable { variable.pre } else { ten };
            let inputs = if first { [other, i] } else { [i, other] };
            let next = binary(&mut graph, body, op, BinaryFlags::NONE, inputs);
            graph.divert(variable.post, next);
            let recurs = of_variable && (first || op == IntBinary::Add);
            let chain = Evolution::of(&graph, theta).chain(&graph, variable.pre);
            assert_eq!(chain.map(|chain| chain.terms.len()), recurs.then_some(3), "{op:?} {of_variable} {first}");
        }
    }
}

/// How many iterations of a loop are known that adds one to `v3`, which gives `v5`, and decides by `v9`.
fn decided(decision: &str) -> Option<u128> {
    let example = Example::of(&format!(
        "module \"test\"
         @f = function i8 (i8)
         export @f
         lambda @f [] (v0: i8, mem0, io0) {{
           v1 = const i8 0
           v2: i8, v10: i8 = theta (v3: i8 = v1, v11: i8 = v0) {{
             v4 = const i8 1
             v5: i8 = add v3, v4
             v6 = const i8 5
             {decision}
             next v5, v11 while v9
           }}
           yield v2, mem0, io0
         }}"
    ));
    let graph = example.graph();
    let theta = example.nodes().into_iter().find_map(|node| Theta::new(graph, node)).expect("a loop");
    Evolution::of(graph, theta).repetitions(graph, None)?.known_iterations(graph, theta)
}

#[test]
fn decisions_are_read_whichever_way_they_are_written() {
    for (comparison, cases) in [
        ("ult v5, v6", "true -> 1, _ -> 0"),
        ("ult v5, v6", "false -> 0, _ -> 1"),
        ("uge v5, v6", "true -> 0, _ -> 1"),
        ("uge v5, v6", "false -> 1, _ -> 0"),
        ("ugt v6, v5", "true -> 1, _ -> 0"),
        ("ule v6, v5", "true -> 0, _ -> 1"),
        ("eq v5, v6", "true -> 0, _ -> 1"),
        ("eq v6, v5", "false -> 1, _ -> 0"),
        ("ne v5, v6", "true -> 1, _ -> 0"),
        ("ne v5, v6", "false -> 0, _ -> 1"),
    ] {
        let decision = format!("v7: i1 = icmp {comparison}\nv9: ctl(2) = match i1 v7 [{cases}] of 2");
        assert_eq!(decided(&decision), Some(5), "{decision}");
    }
    for (comparison, cases) in [
        ("ult v5, v6", "true -> 0, _ -> 1"),
        ("ult v5, v6", "true -> 1, _ -> 1"),
        ("ult v5, v6", "true -> 0, _ -> 0"),
        ("eq v5, v6", "true -> 1, _ -> 0"),
        ("ult v3, v5", "true -> 1, _ -> 0"),
        ("ult v5, v11", "true -> 1, _ -> 0"),
        ("ult v11, v6", "true -> 1, _ -> 0"),
    ] {
        let decision = format!("v7: i1 = icmp {comparison}\nv9: ctl(2) = match i1 v7 [{cases}] of 2");
        assert_eq!(decided(&decision), None, "{decision}");
    }
    // What is compared with its own sum is past it at once.
    assert_eq!(decided("v7: i1 = icmp ult v5, v3\nv9: ctl(2) = match i1 v7 [true -> 1, _ -> 0]"), Some(1));
    for (operand, cases, expected) in [
        ("v5", "5 -> 0, _ -> 1", Some(5)),
        ("v3", "5 -> 0, _ -> 1", Some(6)),
        ("v5", "5 -> 1, _ -> 0", None),
        ("v5", "5 -> 0, 6 -> 0, _ -> 1", None),
        ("v5", "5 -> 1, _ -> 1", None),
        ("v11", "5 -> 0, _ -> 1", None),
    ] {
        assert_eq!(decided(&format!("v9: ctl(2) = match i8 {operand} [{cases}] of 2")), expected, "{operand} {cases}");
    }
}

#[test]
fn increments_promise_what_holds_of_their_sums() {
    use BinaryFlags as Flags;
    let both = Flags::NUW | Flags::NSW;
    for (increment, expected) in [
        ("add v3, v4", Flags::NONE),
        ("add nuw v3, v4", Flags::NUW),
        ("add nsw v4, v3", Flags::NSW),
        ("add nuw nsw v3, v4", both),
        ("add nuw nsw v3, v8", both),
        ("sub v3, v4", Flags::NONE),
        ("sub nuw v3, v4", Flags::NONE),
        ("sub nsw v3, v4", Flags::NSW),
        ("sub nuw nsw v3, v4", Flags::NSW),
        ("sub nsw v3, v6", Flags::NONE),
        ("sub nsw v3, v8", Flags::NONE),
    ] {
        let example = Example::of(&format!(
            "module \"test\"
             @f = function i8 (i8, i1)
             export @f
             lambda @f [] (v0: i8, v1: i1, mem0, io0) {{
               v2: i8, v10: i8, v11: i1 = theta (v3: i8 = v0, v8: i8 = v0, v12: i1 = v1) {{
                 v4 = const i8 3
                 v6 = const i8 -128
                 v5: i8 = {increment}
                 v7: i8 = add nuw nsw v5, v4
                 v9: ctl(2) = match i1 v12 [true -> 1, _ -> 0]
                 next v5, v8, v12 while v9
               }}
               yield v2, mem0, io0
             }}"
        ));
        let graph = example.graph();
        let nodes = example.nodes();
        let theta = Theta::new(graph, nodes[0]).expect("a loop");
        let evolution = Evolution::of(graph, theta);
        let promises = |origin| evolution.promises(graph, origin);
        let [variable, kept, _] = [0, 1, 2].map(|index| theta.loop_var(graph, index).pre);
        assert_eq!([promises(variable), promises(graph.output(nodes[1], 0))], [expected; 2], "{increment}");
        assert_eq!([promises(kept), promises(graph.output(nodes[2], 0))], [Flags::NONE; 2], "{increment}");
        assert!(evolution.variable(graph, variable).is_some() && evolution.variable(graph, kept).is_none());
    }
}

#[test]
fn integers_of_more_than_64_bits_are_no_chains() {
    for (bits, expected) in [(1, true), (63, true), (64, true), (65, false), (128, false)] {
        let example = Example::of(
            &format!(
                "module \"test\"
             @f = function i{bits} (i{bits}, i1)
             export @f
             lambda @f [] (v0: i{bits}, v1: i1, mem0, io0) {{
               v2: i{bits}, v3: i1 = theta (v4: i{bits} = v0, v5: i1 = v1) {{
                 v6 = const i{bits} 1
                 v7: i{bits} = add v4, v6
                 v8: ctl(2) = match i1 v5 [true -> 1, _ -> 0]
                 next v7, v5 while v8
               }}
               yield v2, mem0, io0
             }}"
            )
            .replace("i1 1\n", "i1 true\n")
            .replace("i65 1\n", "i65 0x1\n")
            .replace("i128 1\n", "i128 0x1\n"),
        );
        let graph = example.graph();
        let theta = Theta::new(graph, example.nodes()[0]).expect("a loop");
        let evolution = Evolution::of(graph, theta);
        let variable = theta.loop_var(graph, 0);
        assert_eq!(evolution.variable(graph, variable.pre).is_some(), expected, "{bits}");
        assert_eq!(evolution.chain(graph, graph.origin(variable.post)).is_some(), expected, "{bits}");
    }
}

/// The most iterations that are known of a loop that starts at one of four numbers from `start` on, and adds `step` while what it was or
/// is then is in a relation to one of two numbers from `bound` on; and how many it has when it is run, if it always ends.
fn at_most(start: i64, step: i64, relation: IntPredicate, bound: i64, of_next: bool) -> (Option<u128>, Option<u128>) {
    let (compared, name) = (if of_next { "v11" } else { "v9" }, relation.name());
    let example = Example::of(&format!(
        "module \"test\"
         @f = function i16 (i8, i8)
         export @f
         lambda @f [] (v0: i8, v1: i8, mem0, io0) {{
           v2 = const i8 3
           v3: i8 = and v0, v2
           v4 = const i8 {start}
           v5: i8 = add v3, v4
           v6: i16 = sext v5
           v20 = const i8 1
           v21: i8 = and v1, v20
           v22 = const i8 {bound}
           v23: i8 = add v21, v22
           v7: i16, v8: i8 = theta (v9: i16 = v6, v10: i8 = v23) {{
             v12 = const i16 {step}
             v11: i16 = add v9, v12
             v13: i8 = trunc {compared}
             v14: i1 = icmp {name} v13, v10
             v15: ctl(2) = match i1 v14 [true -> 1, _ -> 0]
             next v11, v10 while v15
           }}
           yield v7, mem0, io0
         }}"
    ));
    let graph = example.graph();
    let theta = example.nodes().into_iter().find_map(|node| Theta::new(graph, node)).expect("a loop");
    let claimed = Evolution::of(graph, theta).iterations_at_most(graph, None);
    let run = |start: i64, bound: i64| {
        let mut value = start as i8;
        (1..=1u128 << BITS).find(|_| {
            let next = value.wrapping_add(step as i8);
            let compared = if of_next { next } else { value };
            value = next;
            let [compared, bound] = [compared, bound as i8].map(|value| Int::new(BITS, value as u128));
            !compared.compare(relation, bound)
        })
    };
    let mut most = Some(0);
    for (start, bound) in (start..start + 4).flat_map(|start| (bound..bound + 2).map(move |bound| (start, bound))) {
        most = most.zip(run(start, bound)).map(|(most, times)| most.max(times));
    }
    (claimed, most)
}

#[test]
fn no_loop_has_more_iterations_than_it_has_at_most() {
    let (mut claims, mut tight) = (0, 0);
    for &relation in IntPredicate::ALL {
        for step in [-128, -7, -2, -1, 0, 1, 3, 127] {
            for start in [-128, -100, -3, 0, 1, 60, 124] {
                for (bound, of_next) in
                    [-128, -100, -1, 0, 2, 9, 70, 125, 126].into_iter().zip([true, false].into_iter().cycle())
                {
                    let (claimed, most) = at_most(start, step, relation, bound, of_next);
                    let Some(claimed) = claimed else { continue };
                    let what = format!("{start} + {step} while {} {bound}, {of_next}", relation.name());
                    assert!(most.is_some_and(|most| most <= claimed), "{what}: {most:?} iterations, not {claimed}");
                    claims += 1;
                    tight += u32::from(most == Some(claimed));
                }
            }
        }
    }
    expect_test::expect!["613 claims, 613 of them exact"].assert_eq(&format!("{claims} claims, {tight} of them exact"));
}

/// Whether what is said of a comparison in a loop of known length is true in every iteration; `None` where nothing is said.
fn turns(start: i64, step: i64, relation: IntPredicate, bound: i64, count: u128) -> Option<bool> {
    let name = relation.name();
    let example = Example::of(&format!(
        "module \"test\"
         @f = function i8 (i8)
         export @f
         lambda @f [] (v0: i8, mem0, io0) {{
           v1 = const i8 {start}
           v2 = const i64 0
           v3 = const i1 false
           v4: i8, v5: i64, v6: i1 = theta (v7: i8 = v1, v8: i64 = v2, v9: i1 = v3) {{
             v10 = const i8 {bound}
             v11: i1 = icmp {name} v7, v10
             v12 = const i8 {step}
             v13: i8 = add v7, v12
             v14 = const i64 1
             v15: i64 = add v8, v14
             v16 = const i64 {count}
             v17: i1 = icmp ult v15, v16
             v18: ctl(2) = match i1 v17 [true -> 1, _ -> 0]
             next v13, v15, v11 while v18
           }}
           yield v4, mem0, io0
         }}"
    ));
    let graph = example.graph();
    let theta = example.nodes().into_iter().find_map(|node| Theta::new(graph, node)).expect("a loop");
    let evolution = Evolution::of(graph, theta);
    let repetitions = evolution.repetitions(graph, None).expect("it is counted");
    let comparison = graph.producer(graph.origin(theta.loop_var(graph, 2).post)).expect("a comparison");
    let turn = evolution.turn(graph, comparison, &repetitions)?;
    let before = turn.before.known_iterations(graph, theta).expect("it starts with a number") - 1;
    let mut value = start as i8;
    Some((0..count).all(|iteration| {
        let [compared, to] = [value, bound as i8].map(|value| Int::new(BITS, value as u128));
        value = value.wrapping_add(step as i8);
        let turned = if turn.is_once() { iteration == before } else { iteration >= before };
        compared.compare(relation, to) == (turn.answer != turned)
    }))
}

#[test]
fn comparisons_turn_when_they_are_said_to() {
    let mut claims = 0;
    for &relation in IntPredicate::ALL {
        for step in [-128, -7, -1, 1, 3, 127] {
            for start in [-128, -100, -1, 0, 1, 60, 127] {
                for bound in [-128, -100, -1, 0, 2, 9, 70, 126, 127] {
                    for count in [1, 2, 40, 127, 255, 256, 257, 300] {
                        let Some(holds) = turns(start, step, relation, bound, count) else { continue };
                        assert!(holds, "{start} + {step} {} {bound} in {count} iterations", relation.name());
                        claims += 1;
                    }
                }
            }
        }
    }
    assert!(claims > 3000, "{claims} claims");
}

#[test]
fn loops_have_as_many_iterations_as_is_said_in_all_runs() {
    let mut chance = Chance(2);
    let (mut exactly, mut at_most) = (0, 0);
    for _ in 0..600 {
        let text = runs::any_function(&mut chance);
        let example = Example::of(&text);
        let graph = example.graph();
        for (node, iterations, ended) in runs::run(graph).iterations {
            let theta = Theta::new(graph, node).expect("it is a loop");
            let evolution = Evolution::of(graph, theta);
            if let Some(most) = evolution.iterations_at_most(graph, None) {
                assert!(u128::from(iterations) <= most, "{iterations} iterations, not {most}\n{text}");
                at_most += 1;
            }
            let repetitions = evolution.repetitions(graph, None);
            if let Some(known) = repetitions.and_then(|repetitions| repetitions.known_iterations(graph, theta)) {
                assert_eq!((iterations.into(), ended), (known, true), "{text}");
                exactly += 1;
            }
        }
    }
    expect_test::expect!["41 exactly, 44 at most"].assert_eq(&format!("{exactly} exactly, {at_most} at most"));
}
