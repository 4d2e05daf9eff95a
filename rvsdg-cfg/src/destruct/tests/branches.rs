//! Arcs that are alike, and the order of arcs.

use super::*;
use crate::cfg::Cfg;
use crate::destruct::canonicalize_branch;

/// Both regions are empty: with one value behind them, two different ones, and three of which two are equal.
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
