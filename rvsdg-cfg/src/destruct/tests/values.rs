//! Which values become block parameters.

use super::*;
use rvsdg_core::op::{BinaryFlags, IntBinary};

/// γ whose outputs are: a value from outside in both regions, equal constants, and what differs.
#[test]
fn only_what_differs_is_a_parameter() {
    let mut make = Make::new(2);
    let root = make.root;
    let (x, y, io) = (make.argument(root, 0), make.argument(root, 1), make.argument(root, 2));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, y);
    let mut results = vec![];
    for &region in &regions {
        let outside = make.argument(region, 0);
        let seven = make.int(region, 7);
        let inside = make.pure(region, "f", &[outside, seven]);
        results.push([outside, seven, inside]);
    }
    let outputs = [0, 1, 2].map(|index| make.exit(gamma, &[results[0][index], results[1][index]]));
    make.graph.set_origin_source(outputs[2], Some(SourceId::from_u32(5)));
    let all = make.pure(root, "all", &outputs);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x5 = f(x1, 7)
          jump
            b4(x5)
        b3():
          x6 = f(x1, 7)
          jump
            b4(x6)
        b4(x2 (src5)):
          x7 = all(x1, 7, x2)
          jump
            exit(x7)
    "#]];
    make.check(&[all, io], Recovery::Predicative, expected);
}

/// A γ without operations that chooses between two numbers.
fn choose(make: &mut Make, region: Region, by: Origin, numbers: [u64; 2]) -> Origin {
    let predicate = make.match_(region, by, &[0, 1]);
    let (gamma, regions) = make.gamma(region, predicate, 2);
    let values = [make.int(regions[0], numbers[0]), make.int(regions[1], numbers[1])];
    make.exit(gamma, &values)
}

/// Two loop variables that are exchanged in each iteration, but begin equal: as a parameter.
#[test]
fn variables_that_are_always_equal_are_none() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let x = choose(&mut make, root, x, [7, 8]);
    let (theta, body, pre) = make.theta(root, &[x, x, io]);
    let (seen, state) = make.call(body, "see", &[pre[0], pre[1]], pre[2]);
    let predicate = make.match_(body, seen, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[pre[1], pre[0], state]);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b3(7)
            b2()
        b2():
          jump
            b3(8)
        b3(x1):
          jump
            b4()
        b4():
          x5 = see(x1, x1)
          match x5 [0 -> 0, else 1]
            b5()
            b4()
        b5():
          jump
            exit(x1)
    "#]];
    make.check(&[outputs[0], outputs[2]], Recovery::Predicative, expected);
}

/// Poison of one region gives way to a value from outside, but not to one from another region.
#[test]
fn poison_gives_way_to_what_is_available() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, x);
    let outside = make.argument(regions[0], 0);
    let inside = make.pure(regions[0], "f", &[outside]);
    let poison = make.poison(regions[1]);
    let outputs = [make.exit(gamma, &[outside, poison]), make.exit(gamma, &[inside, poison])];
    let sum = make.pure(root, "g", &outputs);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3(poison)
        b2():
          x4 = f(x0)
          jump
            b3(x4)
        b3(x1):
          x5 = g(x0, x1)
          jump
            exit(x5)
    "#]];
    make.check(&[sum, io], Recovery::Predicative, expected);
}

/// A loop whose values after it are those of its last iteration.
#[test]
fn values_of_the_last_iteration_need_no_parameter() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[x, io]);
    let one = make.int(body, 1);
    let (next, state) = make.call(body, "next", &[pre[0], one], pre[1]);
    let predicate = make.match_(body, next, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[next, state]);
    let one = make.int(root, 1);
    let sum = make.pure(root, "f", &[outputs[0], one]);
    let expected = expect![[r#"
        b0():
          jump
            b2(x0)
        b2(x1):
          x4 = next(x1, 1)
          match x4 [0 -> 0, else 1]
            b3()
            b2(x4)
        b3():
          x5 = f(x4, 1)
          jump
            exit(x5)
    "#]];
    make.check(&[sum, outputs[1]], Recovery::Predicative, expected);
}

/// Constants with symbols share one value; a division that may trap is guarded by its state.
#[test]
fn constants_and_guards() {
    let pool = Arc::new(Pool::new());
    let mut graph = Graph::new(pool.clone());
    let root = graph.root();
    let symbol = graph.add_argument(root, Type::PTR);
    let x = graph.add_argument(root, Type::I32);
    let io = graph.add_argument(root, Type::IO);
    let hole = pool.intern_const(Constant::Hole { ty: Type::PTR, index: 0 });
    let pair = Constant::DsoLocalEquivalent { ty: Type::PTR, index: 0 };
    assert_eq!(pool.holes(hole), 1);
    let constant = pool.intern_const(pair);
    let first = graph.add_simple(root, Op::Const(constant), &[symbol], &[Type::PTR]);
    let second = graph.add_simple(root, Op::Const(constant), &[symbol], &[Type::PTR]);
    let div = Op::IntBinary { op: IntBinary::SDiv, flags: BinaryFlags::default() };
    let free = graph.add_simple(root, div, &[x, x], &[Type::I32]);
    let bound = graph.add_simple(root, div, &[x, x, io], &[Type::I32, Type::IO]);
    let op = pool.intern_ext(ExtOp {
        name: "use".into(),
        inputs: [Type::PTR, Type::PTR, Type::I32, Type::I32].into(),
        outputs: [Type::I32].into(),
        effects: Effects::NONE,
        speculatable: true,
        commutative: false,
    });
    let inputs = [first, second, free, bound].map(|node| graph.output(node, 0));
    let used = graph.add_simple(root, Op::Ext(op), &inputs, &[Type::I32]);
    graph.add_result(root, graph.output(used, 0));
    graph.add_result(root, graph.output(bound, 1));
    let cfg = destruct(&graph, 1, Recovery::Predicative);
    assert_eq!((cfg.contexts().len(), cfg.params().len()), (1, 1));
    expect![[r#"
        b0():
          x3 = sdiv(x1, x1)
          x4 = sdiv(x1, x1) guarded
          x6 = use(constant(x0), constant(x0), x3, x4)
          jump
            exit(x6)
    "#]]
    .assert_eq(&listing(&cfg));
}

/// A loop after a join: invariants of the loop are joined once, before it.
#[test]
fn invariant_values_are_joined_before_a_loop() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let value = choose(&mut make, root, x, [7, 8]);
    let (theta, body, pre) = make.theta(root, &[value, io]);
    let (seen, state) = make.call(body, "see", &[pre[0]], pre[1]);
    let predicate = make.match_(body, seen, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[pre[0], state]);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b3(7)
            b2()
        b2():
          jump
            b3(8)
        b3(x1):
          jump
            b4()
        b4():
          x5 = see(x1)
          match x5 [0 -> 0, else 1]
            b5()
            b4()
        b5():
          jump
            exit(x1)
    "#]];
    make.check(&outputs, Recovery::Predicative, expected);
}

/// A loop after a join: a value that only the first iteration uses is joined with what the others use.
#[test]
fn initial_values_are_joined_in_the_loop() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let value = choose(&mut make, root, x, [7, 8]);
    let (theta, body, pre) = make.theta(root, &[value, io]);
    let (seen, state) = make.call(body, "see", &[pre[0]], pre[1]);
    let predicate = make.match_(body, seen, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[seen, state]);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b3(7)
            b2()
        b2():
          jump
            b3(8)
        b3(x1):
          x5 = see(x1)
          match x5 [0 -> 0, else 1]
            b4()
            b3(x5)
        b4():
          jump
            exit(x5)
    "#]];
    make.check(&outputs, Recovery::Predicative, expected);
}

/// A loop variable that every way through the loop leaves as it is: it needs no parameter, and neither does what is after the loop.
#[test]
fn what_no_iteration_changes_is_no_parameter() {
    let mut make = Make::new(2);
    let root = make.root;
    let (x, y, io) = (make.argument(root, 0), make.argument(root, 1), make.argument(root, 2));
    let (theta, body, pre) = make.theta(root, &[y, io]);
    let (seen, state) = make.call(body, "see", &[pre[0]], pre[1]);
    let decides = make.match_(body, seen, &[0, 1]);
    let (gamma, regions) = make.gamma(body, decides, 2);
    make.entry(gamma, pre[0]);
    make.entry(gamma, state);
    let mut states = vec![];
    for (index, &region) in regions.iter().enumerate() {
        let (kept, state) = (make.argument(region, 0), make.argument(region, 1));
        states.push((kept, make.call(region, &format!("arm{index}"), &[], state).1));
    }
    let kept = make.exit(gamma, &[states[0].0, states[1].0]);
    let state = make.exit(gamma, &[states[0].1, states[1].1]);
    let predicate = make.match_(body, seen, &[1, 0]);
    let outputs = make.repeat(theta, predicate, &[kept, state]);
    let both = make.pure(root, "both", &[x, outputs[0]]);
    let expected = expect![[r#"
        b0():
          jump
            b2()
        b2():
          x3 = see(x1)
          match x3 [0 -> 0, else 1]
            b3()
            b4()
        b3():
          x4 = arm0()
          jump
            b5()
        b4():
          x5 = arm1()
          jump
            b5()
        b5():
          match x3 [0 -> 0, else 1]
            b2()
            b6()
        b6():
          x6 = both(x0, x1)
          jump
            exit(x6)
    "#]];
    make.check(&[both, outputs[1]], Recovery::Structured, expected);
}

/// What every iteration sets to one constant is that constant after the loop.
#[test]
fn a_constant_that_iterations_leave_is_itself_after_the_loop() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let (theta, body, pre) = make.theta(root, &[x, io]);
    let (seen, state) = make.call(body, "see", &[pre[0]], pre[1]);
    let nine = make.int(body, 9);
    let predicate = make.match_(body, seen, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[nine, state]);
    let expected = expect![[r#"
        b0():
          jump
            b2(x0)
        b2(x1):
          x3 = see(x1)
          match x3 [0 -> 0, else 1]
            b3()
            b2(9)
        b3():
          jump
            exit(9)
    "#]];
    make.check(&[outputs[0], outputs[1]], Recovery::Predicative, expected);
}

/// What a loop variable was in the iteration before, and poison in the first: it is not what the variable is now.
#[test]
fn the_iteration_before_is_not_this_one() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let poison = make.poison(root);
    let (theta, body, pre) = make.theta(root, &[poison, x, io]);
    let (seen, state) = make.call(body, "see", &[pre[0], pre[1]], pre[2]);
    let predicate = make.match_(body, seen, &[0, 1]);
    let outputs = make.repeat(theta, predicate, &[pre[1], seen, state]);
    let expected = expect![[r#"
        b0():
          jump
            b2(poison, x0)
        b2(x1, x2):
          x5 = see(x1, x2)
          match x5 [0 -> 0, else 1]
            b3()
            b2(x2, x5)
        b3():
          jump
            exit(x5)
    "#]];
    make.check(&[outputs[1], outputs[2]], Recovery::Predicative, expected);
}
