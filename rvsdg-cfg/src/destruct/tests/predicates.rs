//! Predicates that are joined, used twice, or used where they are not defined.

use super::*;

/// A γ whose result is the predicate of the next: the arms lead where it says.
fn chosen_twice(between: bool) -> (Make, Vec<Origin>) {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1, 2]);
    let (gamma, regions) = make.gamma(root, predicate, 3);
    make.entry(gamma, io);
    let mut ends = vec![];
    for (index, &region) in regions.iter().enumerate() {
        let state = make.argument(region, 0);
        let (_, state) = make.call(region, &format!("arm{index}"), &[], state);
        let ctl = make.ctl(region, u32::from(index > 0), 2);
        ends.push((state, ctl));
    }
    let mut state = make.exit(gamma, &ends.iter().map(|end| end.0).collect::<Vec<_>>());
    let choice = make.exit(gamma, &ends.iter().map(|end| end.1).collect::<Vec<_>>());
    if between {
        state = make.call(root, "between", &[], state).1;
    }
    let (gamma, regions) = make.gamma(root, choice, 2);
    make.entry(gamma, state);
    let states = regions.iter().enumerate().map(|(index, &region)| {
        let state = make.argument(region, 0);
        make.call(region, &format!("then{index}"), &[], state).1
    });
    let states: Vec<Origin> = states.collect();
    let state = make.exit(gamma, &states);
    (make, vec![x, state])
}

#[test]
fn arms_lead_where_the_predicate_says() {
    let (make, results) = chosen_twice(false);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, 1 -> 1, else 2]
            b2()
            b3()
            b4()
        b2():
          x2 = arm0()
          x3 = then0()
          jump
            b6()
        b3():
          x4 = arm1()
          jump
            b5()
        b4():
          x5 = arm2()
          jump
            b5()
        b5():
          x6 = then1()
          jump
            b6()
        b6():
          jump
            exit(x0)
    "#]];
    make.check(&results, Recovery::Predicative, expected);
}

#[test]
fn structured_recovery_keeps_the_join() {
    let (make, results) = chosen_twice(false);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, 1 -> 1, else 2]
            b2()
            b3()
            b4()
        b2():
          x3 = arm0()
          jump
            b5(0)
        b3():
          x5 = arm1()
          jump
            b5(1)
        b4():
          x7 = arm2()
          jump
            b5(1)
        b5(x1):
          match x1 [1 -> 0, else 1]
            b7()
            b6()
        b6():
          x8 = then0()
          jump
            b8()
        b7():
          x9 = then1()
          jump
            b8()
        b8():
          jump
            exit(x0)
    "#]];
    make.check(&results, Recovery::Structured, expected);
}

#[test]
fn a_predicate_across_an_operation_is_kept_in_an_integer() {
    let (make, results) = chosen_twice(true);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, 1 -> 1, else 2]
            b2()
            b3()
            b4()
        b2():
          x3 = arm0()
          jump
            b5(0)
        b3():
          x5 = arm1()
          jump
            b5(1)
        b4():
          x7 = arm2()
          jump
            b5(1)
        b5(x1):
          x8 = between()
          match x1 [1 -> 0, else 1]
            b7()
            b6()
        b6():
          x9 = then0()
          jump
            b8()
        b7():
          x10 = then1()
          jump
            b8()
        b8():
          jump
            exit(x0)
    "#]];
    make.check(&results, Recovery::Predicative, expected);
}

/// What the user of a predicate needs comes before the producer, although it is younger.
#[test]
fn definition_and_use_are_adjacent_where_dependences_allow() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, x);
    let arguments = regions.iter().map(|&region| make.argument(region, 0)).collect::<Vec<_>>();
    let zero = make.pure(regions[0], "zero", &[arguments[0]]);
    let ctls = [make.ctl(regions[0], 1, 2), make.ctl(regions[1], 0, 2)];
    let choice = make.exit(gamma, &ctls);
    let value = make.exit(gamma, &[zero, arguments[1]]);
    let needed = make.pure(root, "needed", &[x]);
    let unrelated = make.pure(root, "unrelated", &[x]);
    let (gamma, regions) = make.gamma(root, choice, 2);
    make.entry(gamma, needed);
    let arguments = regions.iter().map(|&region| make.argument(region, 0)).collect::<Vec<_>>();
    let inner = make.pure(regions[0], "inner", &[arguments[0]]);
    let last = make.exit(gamma, &[inner, arguments[1]]);
    let all = make.pure(root, "all", &[value, unrelated, last]);
    let expected = expect![[r#"
        b0():
          x4 = needed(x0)
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x5 = zero(x0)
          jump
            b4(x5, x4)
        b3():
          x6 = inner(x4)
          jump
            b4(x0, x6)
        b4(x1, x2):
          x7 = unrelated(x0)
          x8 = all(x1, x7, x2)
          jump
            exit(x8)
    "#]];
    make.check(&[all, io], Recovery::Predicative, expected);
}

/// One `match` used by two γs is two branches.
#[test]
fn a_match_is_a_branch_for_each_user() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, mut io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    for name in ["first", "second"] {
        let (gamma, regions) = make.gamma(root, predicate, 2);
        make.entry(gamma, io);
        let states = [make.argument(regions[0], 0), make.argument(regions[1], 0)];
        let (_, state) = make.call(regions[0], name, &[], states[0]);
        io = make.exit(gamma, &[state, states[1]]);
    }
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x2 = first()
          jump
            b3()
        b3():
          match x0 [0 -> 0, else 1]
            b4()
            b5()
        b4():
          x3 = second()
          jump
            b5()
        b5():
          jump
            exit(x0)
    "#]];
    make.check(&[x, io], Recovery::Predicative, expected);
}

/// A loop with two exits: the predicate that decides and the one that tells where to go are results of a γ.
#[test]
fn exits_of_a_loop_lead_where_they_should() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let zero = make.ctl(root, 0, 2);
    let (theta, body, pre) = make.theta(root, &[io, zero]);
    let (seen, state) = make.call(body, "see", &[], pre[0]);
    let predicate = make.match_(body, seen, &[0, 1, 2]);
    let (gamma, regions) = make.gamma(body, predicate, 3);
    let repeats: Vec<Origin> = (0..3).map(|index| make.ctl(regions[index], u32::from(index == 2), 2)).collect();
    let exits: Vec<Origin> = (0..3).map(|index| make.ctl(regions[index], u32::from(index == 1), 2)).collect();
    let (repeat, exit) = (make.exit(gamma, &repeats), make.exit(gamma, &exits));
    let outputs = make.repeat(theta, repeat, &[state, exit]);
    let (gamma, regions) = make.gamma(root, outputs[1], 2);
    make.entry(gamma, outputs[0]);
    let states = [make.argument(regions[0], 0), make.argument(regions[1], 0)];
    let ends = [make.call(regions[0], "left", &[], states[0]).1, make.call(regions[1], "right", &[], states[1]).1];
    let state = make.exit(gamma, &ends);
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x2 = see()
          match x2 [0 -> 0, 1 -> 1, else 2]
            b3()
            b4()
            b2()
        b3():
          x3 = left()
          jump
            b5()
        b4():
          x4 = right()
          jump
            b5()
        b5():
          jump
            exit(x0)
    "#]];
    make.check(&[x, state], Recovery::Predicative, expected);
}

/// The results of a region are two predicates that it defines, and the state.
fn two_predicates(recovery: Recovery, expected: Expect) {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[io]);
    let zero = make.ctl(root, 0, 3);
    let way = theta.add_loop_var(&mut make.graph, zero);
    let (first, state) = make.call(body, "first", &[], pre[0]);
    let (second, state) = make.call(body, "second", &[], state);
    let (repeat, exit) = (make.match_(body, first, &[0, 1]), make.match_(body, second, &[0, 1, 2]));
    let outputs = make.repeat(theta, repeat, &[state, exit]);
    assert_eq!(way.index, 1);
    let (gamma, regions) = make.gamma(root, outputs[1], 3);
    make.entry(gamma, outputs[0]);
    let states: Vec<Origin> = regions
        .iter()
        .enumerate()
        .map(|(index, &region)| {
            let state = make.argument(region, 0);
            make.call(region, &format!("way{index}"), &[], state).1
        })
        .collect();
    let state = make.exit(gamma, &states);
    make.check(&[x, state], recovery, expected);
}

#[test]
fn a_predicate_is_defined_on_the_way_out_of_a_loop() {
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x2 = first()
          x3 = second()
          match x2 [0 -> 0, else 1]
            b3()
            b2()
        b3():
          match x3 [0 -> 0, 1 -> 1, else 2]
            b4()
            b5()
            b6()
        b4():
          x4 = way0()
          jump
            b7()
        b5():
          x5 = way1()
          jump
            b7()
        b6():
          x6 = way2()
          jump
            b7()
        b7():
          jump
            exit(x0)
    "#]];
    two_predicates(Recovery::Predicative, expected);
}

#[test]
fn structured_recovery_defines_predicates_before_the_end_of_a_loop() {
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x3 = first()
          x4 = second()
          match x4 [0 -> 0, 1 -> 1, else 2]
            b5(0)
            b3()
            b4()
        b3():
          jump
            b5(1)
        b4():
          jump
            b5(2)
        b5(x1):
          match x3 [0 -> 0, else 1]
            b6()
            b2()
        b6():
          match x1 [1 -> 0, 2 -> 1, else 2]
            b8()
            b9()
            b7()
        b7():
          x8 = way0()
          jump
            b10()
        b8():
          x9 = way1()
          jump
            b10()
        b9():
          x10 = way2()
          jump
            b10()
        b10():
          jump
            exit(x0)
    "#]];
    two_predicates(Recovery::Structured, expected);
}

/// A predicate that one arm computes and the other knows: the arm leads where it says, and nothing is kept for later.
#[test]
fn an_arm_that_decides_leads_where_it_says() {
    let mut make = Make::new(2);
    let root = make.root;
    let (x, y, io) = (make.argument(root, 0), make.argument(root, 1), make.argument(root, 2));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, y);
    make.entry(gamma, io);
    let mut ends = vec![];
    for (index, &region) in regions.iter().enumerate() {
        let (y, state) = (make.argument(region, 0), make.argument(region, 1));
        let (_, state) = make.call(region, &format!("arm{index}"), &[], state);
        let ctl = if index == 0 { make.match_(region, y, &[0, 1]) } else { make.ctl(region, 1, 2) };
        ends.push((state, ctl));
    }
    let state = make.exit(gamma, &ends.iter().map(|end| end.0).collect::<Vec<_>>());
    let choice = make.exit(gamma, &ends.iter().map(|end| end.1).collect::<Vec<_>>());
    let (gamma, regions) = make.gamma(root, choice, 2);
    make.entry(gamma, state);
    let states: Vec<Origin> = regions
        .iter()
        .enumerate()
        .map(|(index, &region)| {
            let state = make.argument(region, 0);
            make.call(region, &format!("then{index}"), &[], state).1
        })
        .collect();
    let state = make.exit(gamma, &states);
    make.check(
        &[x, state],
        Recovery::Predicative,
        expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x3 = arm0()
          match x1 [0 -> 0, else 1]
            b4()
            b5()
        b3():
          x4 = arm1()
          jump
            b5()
        b4():
          x5 = then0()
          jump
            b6()
        b5():
          x6 = then1()
          jump
            b6()
        b6():
          jump
            exit(x0)
    "#]],
    );
}

/// A region whose original jump has code before it that was moved there: its arms lead where the predicate says all the same.
#[test]
fn arms_of_a_region_with_a_jump_lead_where_the_predicate_says() {
    let mut make = Make::new(2);
    let root = make.root;
    let (x, y, io) = (make.argument(root, 0), make.argument(root, 1), make.argument(root, 2));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, y);
    make.entry(gamma, io);
    let (moved, other) = (regions[0], regions[1]);
    make.end_source(moved, 7);
    let (operand, state) = (make.argument(moved, 0), make.argument(moved, 1));
    let within = make.match_(moved, operand, &[0, 1]);
    let (inner, arms) = make.gamma(moved, within, 2);
    make.entry(inner, state);
    let ends: Vec<(Origin, Origin)> = arms
        .into_iter()
        .enumerate()
        .map(|(index, arm)| {
            let state = make.argument(arm, 0);
            let (_, state) = make.call(arm, &format!("arm{index}"), &[], state);
            (state, make.ctl(arm, index as u32, 2))
        })
        .collect();
    let state = make.exit(inner, &[ends[0].0, ends[1].0]);
    let choice = make.exit(inner, &[ends[0].1, ends[1].1]);
    let (constant, passed) = (make.ctl(other, 1, 2), make.argument(other, 1));
    let state = make.exit(gamma, &[state, passed]);
    let choice = make.exit(gamma, &[choice, constant]);
    let (gamma, regions) = make.gamma(root, choice, 2);
    make.entry(gamma, state);
    let states: Vec<Origin> = (0..2)
        .map(|index| {
            let state = make.argument(regions[index], 0);
            make.call(regions[index], &format!("then{index}"), &[], state).1
        })
        .collect();
    let state = make.exit(gamma, &states);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b5()
        b2():
          match x1 [0 -> 0, else 1]
            b3()
            b4()
        b3():
          x3 = arm0()
          x4 = then0()
          jump
            b6()
        b4():
          x5 = arm1()
          jump (src7)
            b5()
        b5():
          x6 = then1()
          jump
            b6()
        b6():
          jump
            exit(x0)
    "#]];
    make.check(&[x, state], Recovery::Predicative, expected);
}

/// A predicate that is poison may lead anywhere: to the first alternative.
#[test]
fn a_poison_predicate_leads_to_the_first_alternative() {
    for recovery in [Recovery::Structured, Recovery::Predicative] {
        let mut make = Make::new(0);
        let root = make.root;
        let io = make.argument(root, 0);
        let ty = make.pool.ctl(2);
        let constant = make.pool.intern_const(Constant::Poison(ty));
        let node = make.graph.add_simple(root, Op::Const(constant), &[], &[ty]);
        let poison = make.graph.output(node, 0);
        let (gamma, regions) = make.gamma(root, poison, 2);
        make.entry(gamma, io);
        let arms = regions.iter().enumerate().map(|(index, &region)| {
            let state = make.argument(region, 0);
            make.call(region, &format!("arm{index}"), &[], state)
        });
        let arms: Vec<_> = arms.collect();
        let value = make.exit(gamma, &[arms[0].0, arms[1].0]);
        let state = make.exit(gamma, &[arms[0].1, arms[1].1]);
        let expected = expect![[r#"
            b0():
              x1 = arm0()
              jump
                exit(x1)
        "#]];
        make.check(&[value, state], recovery, expected);
    }
}
