//! The exit, blocks that never get there, and sources of jumps.

use super::*;

/// Both regions of the last γ end with a return of their own.
#[test]
fn returns_stay_where_they_were() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, x);
    let argument = make.argument(regions[0], 0);
    let left = make.pure(regions[0], "left", &[argument]);
    let right = make.int(regions[1], 3);
    let result = make.exit(gamma, &[left, right]);
    make.end_source(regions[0], 10);
    make.end_source(regions[1], 11);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x2 = left(x0)
          jump (src10)
            exit(x2)
        b3():
          jump (src11)
            exit(3)
    "#]];
    make.check(&[result, io], Recovery::Predicative, expected);
}

/// The jumps of both regions lead to the one return.
#[test]
fn a_shared_return_stays_shared() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, x);
    let argument = make.argument(regions[0], 0);
    let left = make.pure(regions[0], "left", &[argument]);
    let right = make.int(regions[1], 3);
    let result = make.exit(gamma, &[left, right]);
    make.end_source(regions[0], 10);
    make.end_source(root, 12);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3(3)
        b2():
          x4 = left(x0)
          jump (src10)
            b3(x4)
        b3(x1):
          jump (src12)
            exit(x1)
    "#]];
    make.check(&[result, io], Recovery::Predicative, expected);
}

#[test]
fn nothing_follows_unreachable() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, io);
    let states = [make.argument(regions[0], 0), make.argument(regions[1], 0)];
    let (_, state) = make.call(regions[0], "abort", &[], states[0]);
    let node = make.graph.add_simple(regions[0], Op::Unreachable, &[state], &[Type::IO]);
    let state = make.graph.output(node, 0);
    let dead = make.pure(regions[0], "dead", &[]);
    let live = make.pure(regions[1], "live", &[]);
    let (state, result) = (make.exit(gamma, &[state, states[1]]), make.exit(gamma, &[dead, live]));
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x2 = abort()
          unreachable()
          jump
            exit(poison)
        b3():
          x4 = live()
          jump
            exit(x4)
    "#]];
    make.check(&[result, state], Recovery::Predicative, expected);
}

#[test]
fn a_loop_that_never_ends_has_no_way_to_the_exit() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[io]);
    let (_, state) = make.call(body, "work", &[], pre[0]);
    let always = make.ctl(body, 1, 2);
    make.end_source(body, 4);
    let outputs = make.repeat(theta, always, &[state]);
    let (result, state) = make.call(root, "dead", &[x], outputs[0]);
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x2 = work()
          jump (src4)
            b2()
    "#]];
    make.check(&[result, state], Recovery::Predicative, expected);
}

#[test]
fn an_empty_loop_stays_a_loop() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[io]);
    let always = make.ctl(body, 1, 2);
    let outputs = make.repeat(theta, always, &[pre[0]]);
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          jump
            b2()
    "#]];
    make.check(&[x, outputs[0]], Recovery::Predicative, expected);
}

/// A block that does nothing but end with the jump that repeats a loop keeps that jump.
#[test]
fn the_jump_that_repeats_a_loop_stays() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[io]);
    let (seen, state) = make.call(body, "see", &[], pre[0]);
    let predicate = make.match_(body, seen, &[0, 1]);
    let (gamma, regions) = make.gamma(body, predicate, 2);
    let ctls = [make.ctl(regions[0], 0, 2), make.ctl(regions[1], 1, 2)];
    let again = make.exit(gamma, &ctls);
    make.end_source(regions[1], 8);
    let outputs = make.repeat(theta, again, &[state]);
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x2 = see()
          match x2 [0 -> 0, else 1]
            b4()
            b3()
        b3():
          jump (src8)
            b2()
        b4():
          jump
            exit(x0)
    "#]];
    make.check(&[x, outputs[0]], Recovery::Predicative, expected);
}
