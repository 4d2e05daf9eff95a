//! Arcs that are alike, and the order of arcs.

use super::*;
use crate::cfg::Cfg;
use crate::destruct::canonicalize_branch;
use crate::shape::ArcRef;

/// Both regions are empty: with one value after them, two different ones, and three of which two are equal.
fn arms(values: &[u64]) -> String {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &(0..values.len() as u32).collect::<Vec<_>>());
    let (gamma, regions) = make.gamma(root, predicate, values.len());
    let origins: Vec<Origin> = regions.iter().zip(values).map(|(&region, &value)| make.int(region, value)).collect();
    let result = make.exit(gamma, &origins);
    let used = make.pure(root, "use", &[result]);
    make.finish(&[used, io], Recovery::Predicative)
}

#[test]
fn arcs_that_are_alike_are_one() {
    expect![[r#"
        b0():
          x3 = use(7)
          jump
            exit(x3)
    "#]]
    .assert_eq(&arms(&[7, 7]));
}

#[test]
fn arcs_with_different_arguments_are_kept_apart() {
    expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b3(7)
            b2()
        b2():
          jump
            b3(8)
        b3(x1):
          x5 = use(x1)
          jump
            exit(x5)
    "#]]
    .assert_eq(&arms(&[7, 8]));
    expect![[r#"
        b0():
          match x0 [0 -> 0, 1 -> 1, else 0]
            b3(7)
            b2()
        b2():
          jump
            b3(8)
        b3(x1):
          x5 = use(x1)
          jump
            exit(x5)
    "#]]
    .assert_eq(&arms(&[7, 8, 7]));
}

/// Two branches that lead to one block with either of two arguments share the block that stands for one of them.
#[test]
fn one_block_keeps_arcs_of_several_branches_apart() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, io);
    let mut results = vec![];
    for (region, name) in regions.into_iter().zip(["left", "right"]) {
        let state = make.argument(region, 0);
        let (seen, state) = make.call(region, name, &[], state);
        let predicate = make.match_(region, seen, &[0, 1]);
        let (inner, arms) = make.gamma(region, predicate, 2);
        let values = [make.int(arms[0], 7), make.int(arms[1], 8)];
        results.push((make.exit(inner, &values), state));
    }
    let value = make.exit(gamma, &[results[0].0, results[1].0]);
    let state = make.exit(gamma, &[results[0].1, results[1].1]);
    let (used, state) = make.call(root, "use", &[value], state);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b4()
        b2():
          x3 = left()
          match x3 [0 -> 0, else 1]
            b5(7)
            b3()
        b3():
          jump
            b5(8)
        b4():
          x6 = right()
          match x6 [0 -> 0, else 1]
            b5(7)
            b3()
        b5(x1):
          x7 = use(x1)
          jump
            exit(x7)
    "#]];
    make.check(&[used, state], Recovery::Predicative, expected);
}

/// A table that names two of three alternatives.
#[test]
fn alternatives_that_no_case_names_are_not_there() {
    let mut make = Make::new(1);
    let root = make.root;
    let (x, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, x, &[2, 0]);
    let (gamma, regions) = make.gamma(root, predicate, 3);
    let results = [0, 1, 2].map(|index| make.pure(regions[index], &format!("arm{index}"), &[]));
    let result = make.exit(gamma, &results);
    let expected = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b3()
            b2()
        b2():
          x3 = arm0()
          jump
            b4(x3)
        b3():
          x4 = arm2()
          jump
            b4(x4)
        b4(x1):
          jump
            exit(x1)
    "#]];
    make.check(&[result, io], Recovery::Predicative, expected);
}

#[test]
fn alternatives_are_numbered_as_the_table_names_them() {
    let pool = Arc::new(Pool::new());
    let mut cfg = Cfg::new(pool.clone());
    let operand = cfg.add_param(Type::I32);
    let entry = cfg.entry();
    let cases = [(1, 3), (2, 0), (3, 3), (4, 1)].map(|(case, to)| (pool.int_const(Type::I32, case), to));
    let table = pool.intern_table(MatchTable { cases: cases.into(), default: 2, alternatives: 5 });
    let predicate = cfg.add_detached(Op::Match(table), &[operand], &[]);
    cfg.terminator_mut(entry).predicate = predicate.into();
    let (left, right) = (cfg.add_block(), cfg.add_block());
    for target in [left, right, left, cfg.exit(), left] {
        cfg.add_arc(entry, target, &[]);
    }
    for block in [left, right] {
        cfg.add_arc(block, cfg.exit(), &[]);
    }
    canonicalize_branch(&mut cfg, entry);
    let once = listing(&cfg);
    canonicalize_branch(&mut cfg, entry);
    assert_eq!(once, listing(&cfg));
    expect![[r#"
        b0():
          match x0 [1 -> 0, 2 -> 1, 3 -> 0, 4 -> 2, else 1]
            exit()
            b2()
            b3()
        b2():
          jump
            exit()
        b3():
          jump
            exit()
    "#]]
    .assert_eq(&once);
}

#[test]
fn arcs_with_other_arguments_are_other_arcs() {
    for alternatives in [2, 3] {
        let pool = Arc::new(Pool::new());
        let mut cfg = Cfg::new(pool.clone());
        let operands = [0, 1].map(|_| cfg.add_param(Type::I32));
        let entry = cfg.entry();
        let cases = (1..alternatives).map(|case| (pool.int_const(Type::I32, case.into()), case));
        let table = pool.intern_table(MatchTable { cases: cases.collect(), default: 0, alternatives });
        let predicate = cfg.add_detached(Op::Match(table), &[operands[0]], &[]);
        cfg.terminator_mut(entry).predicate = predicate.into();
        let target = cfg.add_block();
        cfg.add_block_param(target, Type::I32, None);
        for alternative in 0..alternatives {
            cfg.add_arc(entry, target, &[operands[usize::from(alternative == 1)]]);
        }
        cfg.add_arc(target, cfg.exit(), &[]);
        canonicalize_branch(&mut cfg, entry);
        let arcs = (0..cfg.terminator(entry).arcs.len() as u32).map(|index| ArcRef { from: entry, index });
        let passed: Vec<_> = arcs.map(|arc| cfg.arc_args(arc)).collect();
        assert_eq!(passed, [&operands[1..], &operands[..1]]);
    }
}
