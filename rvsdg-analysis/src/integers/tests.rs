//! What is known of integers, against all that they are in small programs that are run.

use rvsdg_core::fold::arith;

use super::{bounds, known_bits};
use crate::tests::{Chance, Example, runs};

#[test]
fn what_is_known_holds_in_all_runs() {
    let mut chance = Chance(1);
    let (mut bits, mut near, mut numbers) = (0, 0, 0);
    for _ in 0..600 {
        let text = runs::any_function(&mut chance);
        let example = Example::of(&text);
        let graph = example.graph();
        let runs = runs::run(graph);
        for (origin, &seen) in runs.values.iter().filter(|&(_, &seen)| seen != 0) {
            let width = arith::width(graph.pool(), graph.ty(origin)).expect("it is an integer");
            let known = known_bits::known(graph, origin).expect("it is known of integers");
            let known_near = known_bits::known_near(graph, origin).expect("it is known of integers");
            let between = bounds::of(graph, origin).expect("it is known of integers");
            for value in (0..1 << width).filter(|value| seen >> value & 1 == 1) {
                for known in [known, known_near] {
                    let fits = value & known.zero == 0 && value & known.one == known.one;
                    assert!(fits, "{origin:?} is {value}, not {known:?}\n{text}");
                }
                let fits = between.least <= value && value <= between.greatest;
                assert!(fits, "{origin:?} is {value}, not {between:?}\n{text}");
            }
            bits += (known.zero | known.one).count_ones();
            near += (known_near.zero | known_near.one).count_ones();
            numbers += between.greatest - between.least + 1;
        }
    }
    // Fewer bits and more numbers where something is not seen any more.
    expect_test::expect!["36235 bits, 26625 near, 114294 numbers"]
        .assert_eq(&format!("{bits} bits, {near} near, {numbers} numbers"));
}
