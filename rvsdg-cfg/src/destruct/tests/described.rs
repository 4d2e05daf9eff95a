//! Destruction with a description of source variables (debug information).

use std::fmt::Write;

use super::*;
use crate::cfg::SameAs;

/// The descriptions of the values of a function, after its listing.
fn described(graph: &Graph, recovery: Recovery) -> String {
    let cfg = destruct(graph, 0, recovery);
    assert!(cfg.described);
    let mut text = listing(&cfg);
    for (source, same) in &cfg.same {
        match same {
            SameAs::Value(value) => {
                let constant = if cfg.as_const(*value).is_some() { "a constant" } else { "" };
                let value = if constant.is_empty() { value.to_string() } else { constant.to_owned() };
                writeln!(text, "{source} is {value}").unwrap();
            }
            SameAs::Source(other) => writeln!(text, "{source} is what {other} was").unwrap(),
        }
    }
    for (value, (source, offset)) in &cfg.contents {
        writeln!(text, "{value} is at {offset} of {source}").unwrap();
    }
    text
}

/// Joins, loop variables, constants and operations, each described and each holding what memory did.
#[test]
fn values_that_are_gone() {
    let mut make = Make::new(1);
    let (root, source) = (make.root, SourceId::from_u32);
    make.graph.describe_values();
    let (argument, io) = (make.argument(root, 0), make.argument(root, 1));
    let predicate = make.match_(root, argument, &[0, 1]);
    let (gamma, regions) = make.gamma(root, predicate, 2);
    make.entry(gamma, argument);
    make.entry(gamma, io);
    let mut results = vec![];
    for (&region, name) in regions.iter().zip(["a", "b"]) {
        let (value, io) = (make.argument(region, 0), make.argument(region, 1));
        results.push(make.call(region, name, &[value], io));
    }
    let joined = make.exit(gamma, &[results[0].0, results[1].0]);
    let same = [make.argument(regions[0], 0), make.argument(regions[1], 0)];
    let passed = make.exit(gamma, &same);
    let io = make.exit(gamma, &[results[0].1, results[1].1]);
    let (theta, body, pres) = make.theta(root, &[joined, io]);
    let (next, after) = make.call(body, "c", &[pres[0]], pres[1]);
    let again = make.match_(body, next, &[0, 1]);
    let outputs = make.repeat(theta, again, &[next, after]);
    let constant = make.int(root, 7);
    let pure = make.pure(root, "d", &[outputs[0]]);
    for (number, origin) in [joined, passed, pres[0], outputs[0], constant, pure, next].into_iter().enumerate() {
        make.graph.set_origin_source(origin, Some(source(10 + number as u32)));
        make.graph.note_content(origin, Some((source(20 + number as u32), number as u64)));
    }
    for result in [outputs[0], pure, outputs[1]] {
        make.graph.add_result(root, result);
    }
    let structured = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x5 = a(x0)
          jump
            b4(x5)
        b3():
          x6 = b(x0)
          jump
            b4(x6)
        b4(x1 (src10)):
          jump
            b5(x1)
        b5(x2 (src12)):
          x7 = c(x2)
          match x7 [0 -> 0, else 1]
            b6()
            b5(x7)
        b6():
          x8 = d(x7)
          jump
            exit(x7, x8)
        src10 is x1
        src11 is x0
        src12 is x2
        src13 is x7
        src14 is a constant
        src15 is x8
        src16 is x7
        x7 is at 6 of src26
        x9 is at 4 of src24
        x8 is at 5 of src25
        x1 is at 0 of src20
        x2 is at 2 of src22
    "#]];
    let predicative = expect![[r#"
        b0():
          match x0 [0 -> 0, else 1]
            b2()
            b3()
        b2():
          x4 = a(x0)
          jump
            b4(x4)
        b3():
          x5 = b(x0)
          jump
            b4(x5)
        b4(x1 (src12)):
          x6 = c(x1)
          match x6 [0 -> 0, else 1]
            b5()
            b4(x6)
        b5():
          x7 = d(x6)
          jump
            exit(x6, x7)
        src11 is x0
        src12 is x1
        src13 is x6
        src14 is a constant
        src15 is x7
        src16 is x6
        x6 is at 6 of src26
        x8 is at 4 of src24
        x7 is at 5 of src25
        x1 is at 2 of src22
    "#]];
    structured.assert_eq(&described(&make.graph, Recovery::Structured));
    predicative.assert_eq(&described(&make.graph, Recovery::Predicative));
}

/// A parameter may have become another value; a context variable is no parameter.
#[test]
fn arguments_that_are_gone() {
    let mut make = Make::new(3);
    make.graph.describe_values();
    let root = make.root;
    let [context, first, second] = [0, 1, 2].map(|index| make.argument(root, index));
    let [pure, constant] = [make.pure(root, "a", &[second]), make.int(root, 7)];
    make.graph.note_same(context, pure);
    make.graph.note_same(first, pure);
    make.graph.note_same(second, constant);
    make.graph.add_result(root, pure);
    for recovery in [Recovery::Structured, Recovery::Predicative] {
        let cfg = destruct(&make.graph, 1, recovery);
        let result = cfg.results(cfg.insts(cfg.entry())[0])[0];
        let [(0, same), (1, number)] = cfg.same_params[..] else { panic!("both parameters are described") };
        assert_eq!(same, result);
        assert!(cfg.as_const(number).is_some());
    }
}

/// A branch may have become another one before it was known where it goes; another branch is still there.
#[test]
fn branches_that_are_decided() {
    let mut make = Make::new(1);
    make.graph.describe_values();
    let (root, argument) = (make.root, make.argument(make.root, 0));
    let decided = make.match_(root, argument, &[0, 1, 2]);
    let open = make.match_(root, argument, &[0, 1, 2]);
    for (number, predicate) in [decided, open].into_iter().enumerate() {
        let node = make.graph.producer(predicate).unwrap();
        make.graph.set_source(node, Some(SourceId::from_u32(number as u32)));
        let other = make.match_(root, argument, &[0, 1]);
        let now = if predicate == decided { make.ctl(root, 1, 2) } else { make.match_(root, argument, &[1, 0]) };
        for (from, to) in [(predicate, other), (other, now)] {
            make.graph.note_same(from, to);
            let gone = make.graph.producer(from).unwrap();
            make.graph.remove(gone);
        }
    }
    make.graph.add_result(root, argument);
    let before = make.graph.decided();
    make.graph.compact();
    let cfg = destruct(&make.graph, 0, Recovery::Structured);
    assert_eq!([before, cfg.decided], [(); 2].map(|()| vec![SourceId::from_u32(0)]));
}
